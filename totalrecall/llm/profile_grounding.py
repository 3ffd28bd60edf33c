"""Whether what a model calls a fact was said: it may choose among values, never invent one. Pure."""

from __future__ import annotations

import re

from totalrecall.domain.profile_fact import FactKind, ProfileFact
from totalrecall.llm.extractive.profile_cues import LANGUAGES
from totalrecall.llm.words import overlap

_BACKED = 0.5
# A choice of words of ours, and what the user must have said for it.
_SAID_FOR = {
    "formal": r"formal|polite|förmlich|höflich|正式|礼貌",
    "casual": r"casual|informal|relaxed|friendly|locker|随意|轻松",
    "neutral": r"neutral|sachlich|中性|中立",
    "concise": r"short|brief|concise|terse|crisp|kurz|knapp|短|简洁|简要",
    "detailed": r"detail|long|thorough|in depth|ausführlich|genau|详细|具体",
}


def stands_in(fact: ProfileFact, said: str) -> bool:
    """Whether ``fact`` stands in what was said."""
    plain = said.casefold()
    if fact.kind is FactKind.CONTACT:
        notes = not fact.notes or overlap(fact.notes, said) >= _BACKED
        return fact.name.casefold() in plain and fact.alias.casefold() in plain and notes
    return fact.value.casefold() in plain or _is_chosen(fact.field.rpartition(".")[2], fact.value, plain)


def _is_chosen(field: str, value: str, said: str) -> bool:
    """Whether a value that need not stand in the words follows from them."""
    match field:
        case "email_tone" | "response_length":
            found = re.search(_SAID_FOR.get(value.casefold(), "(?!)"), said) is not None
        case "language":
            tag = value.casefold().partition("-")[0]
            found = any(name in said for name, one in LANGUAGES.items() if one == tag)
        case "timezone":
            found = _words(value.casefold().rpartition("/")[2]) in _words(said)
        case "start" | "end" | "protected_hours":
            found = all(_is_hour_in(hour, said) for hour in re.findall(r"(\d{1,2}):\d{2}", value))
        case "common_mistakes" | "preferred_meeting_times":
            found = overlap(value, said) >= _BACKED
        case _:
            found = False
    return found


def _words(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text).strip()


def _is_hour_in(hour: str, said: str) -> bool:
    """17 may have been said as 5; midnight is where a span begins or ends."""
    number = int(hour)
    told = {int(one) for one in re.findall(r"(?<!\d)\d{1,2}(?!\d)", said)}
    return number in {0, 24} or number in told or number - 12 in told
