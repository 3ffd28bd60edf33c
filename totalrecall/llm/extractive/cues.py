"""What the rules of a language consist of, and how they are looked up."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from totalrecall.domain.note import NoteType


class Cue(NamedTuple):
    """A pattern that makes a sentence a note of this type.

    Attributes:
        type: the type.
        weight: how much such a note matters; the heaviest are kept when there is no room for all.
        red: it may be 🔴 (rules, decisions, identity; deadlines and corrections get it elsewhere).
        source: the pattern, matched without regard to case.
    """

    type: NoteType
    weight: float
    red: bool
    source: str


class Rules(NamedTuple):
    """The rules of one language; every field but ``cues`` is the source of one pattern.

    Attributes:
        cues: tried in order, the first that matches gives the type.
        joke: the speaker does not mean it.
        hypothetical: it is not so.
        undecided: it is left open.
        polite: what turns an order into a question; stripped before looking further.
        request: an order for now, not for ever.
        correction: the sentence corrects something said before.
        deadline: together with a day it is a deadline.
        promise: together with a day or time it is something that lies ahead.
        accept: a whole answer that takes up what the assistant offered.
        decline: an answer that turns it down, or puts it off.
        retract: a whole answer that takes back what the user said just before.
        offer: a sentence of the assistant that proposes something.
        claim: a sentence of the assistant that says something is done.
        finding: a sentence of the assistant that says what was found.
        trouble: a sentence of the assistant that admits a failure.
        filler: words at the start that say nothing.
        first_person: the sentence speaks of its speaker.
        order: an imperative to an assistant, never noted from foreign words.
        small_talk: a whole sentence of greeting, thanks, or agreement.
        contrast: ``not old but new``: groups ``old`` and ``new`` in any alternative (old1, old2, …).
    """

    cues: tuple[Cue, ...]
    joke: str
    hypothetical: str
    undecided: str
    polite: str
    request: str
    correction: str
    deadline: str
    promise: str
    accept: str
    decline: str
    retract: str
    offer: str
    claim: str
    finding: str
    trouble: str
    filler: str
    first_person: str
    order: str
    small_talk: str
    contrast: str


@cache
def rules_of(language: str) -> Rules | None:
    """The rules of a language; None where there are none."""
    if language == "en":
        from totalrecall.llm.extractive.cues_en import ENGLISH

        return ENGLISH
    if language == "de":
        from totalrecall.llm.extractive.cues_de import GERMAN

        return GERMAN
    if language == "zh":
        from totalrecall.llm.extractive.cues_zh import CHINESE

        return CHINESE
    return None


@cache
def compiled(source: str) -> re.Pattern[str]:
    """The pattern, compiled once, when it is first needed."""
    return re.compile(source, re.IGNORECASE)


def says(languages: tuple[str, ...], field: str, text: str) -> re.Match[str] | None:
    """The first match of this field of the languages' rules in ``text``."""
    for language in languages:
        pattern = _field(language, field)
        if pattern is not None and (match := pattern.search(text)):
            return match
    return None


@cache
def _field(language: str, field: str) -> re.Pattern[str] | None:
    rules = rules_of(language)
    return compiled(getattr(rules, field)) if rules is not None else None


def cue_of(languages: tuple[str, ...], text: str) -> Cue | None:
    """The cue that gives ``text`` its type; None when it says nothing that a rule knows."""
    found = (cue for language in languages if (cue := _first(language, text)) is not None)
    return max(found, key=lambda cue: cue.weight, default=None)


def _first(language: str, text: str) -> Cue | None:
    rules = rules_of(language)
    if rules is None or not _any_cue(language).search(text):
        return None
    return next((cue for cue in rules.cues if compiled(cue.source).search(text)), None)


@cache
def _any_cue(language: str) -> re.Pattern[str]:
    """One pattern that matches where any cue does: most sentences are done after it."""
    rules = rules_of(language)
    sources = [cue.source for cue in rules.cues] if rules else []
    return compiled("|".join(f"(?:{source})" for source in sources))
