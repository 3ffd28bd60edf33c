"""A sentence that may become a note."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from totalrecall.domain.batch import Message
from totalrecall.domain.note import NoteType


@dataclass(frozen=True, slots=True)
class Candidate:
    """What a note could be made of.

    Attributes:
        type: the note's type.
        text: the words, on one line, days not yet resolved.
        cites: numbers of the messages it stands for, ascending.
        at: when it was said; relative days are counted from here.
        weight: how much it matters.
        languages: those of its message.
        red: it may be 🔴.
        low: it is 🟢 whatever there is room for.
        correction: it corrects something said before.
        request: an order for now; done with once the assistant has answered.
        verified: False for the word of the assistant alone.
        replaces: the old value.
        prefix: who speaks, or how it stands, where the words do not say so.
    """

    type: NoteType
    text: str
    cites: tuple[int, ...]
    at: datetime
    weight: float
    languages: tuple[str, ...] = ()
    red: bool = False
    low: bool = False
    correction: bool = False
    request: bool = False
    verified: bool = True
    replaces: str = ""
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A message with the languages whose rules fit it."""

    message: Message
    languages: tuple[str, ...]
