"""What goes to an engine in one call."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from totalrecall.domain.event import Role


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a batch, as the engine sees it.

    Attributes:
        number: 1, 2, 3 … inside its batch; notes cite it.
        identity: see ``domain.identity``.
        role: who spoke.
        at: the message's own time in the user's zone (aware).
        text: the words without envelopes, shortened (head and tail with a mark) and screened.
        tools: one line per tool call that followed it or came with it: ``exec npm test: error: 3 failing``.
        quoted: parts of ``text`` that are other people's words (quoted replies, mail), as plain strings. They
            are not in ``text``; engines may mention them and never make a rule or a preference of them.
        position: where it stands in its transcript, a hint for ``why``.
    """

    number: int
    identity: bytes
    role: Role
    at: datetime
    text: str
    tools: tuple[str, ...] = ()
    quoted: tuple[str, ...] = ()
    position: int = 0


@dataclass(frozen=True, slots=True)
class Batch:
    """Messages of one session, oldest first, cut to fit one call.

    ``marker`` (8 hex digits) stands in the notes' block and makes writing it twice impossible.
    """

    marker: str
    agent: str
    session_id: str
    session_key: str
    messages: tuple[Message, ...]
    group: bool = False
