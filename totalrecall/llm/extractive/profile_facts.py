"""What the user says about themselves, by rules. Pure.

Only the user's own words are read, sentence by sentence, and only plain statements count: a rule that is in
doubt says nothing. Values are taken as they stand; what a field may hold is checked by whoever stores them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from totalrecall.domain.profile_fact import FactKind, OwnNote, ProfileFact
from totalrecall.llm.extractive import profile_cues as cues
from totalrecall.llm.extractive.tool_names import is_tool

# A bare number up to this hour is one of the evening where an end is meant.
_EVENING = 7


def facts_in(notes: Iterable[OwnNote]) -> list[ProfileFact]:
    """What the notes' own words say about the user and the people they know, in order, each once."""
    found: dict[ProfileFact, None] = {}
    for note in notes:
        for words in note.said:
            for sentence in cues.SENTENCE.split(words):
                if sentence.strip() and not cues.DOUBT.search(sentence):
                    found.update(dict.fromkeys(_in_sentence(sentence.strip(), note.number)))
    return list(found)


def _in_sentence(sentence: str, number: int) -> Iterator[ProfileFact]:
    for path, pattern in cues.FIELDS:
        match = pattern.search(sentence)
        if match and _may_be(path, match[1]) and not _is_negated(sentence, match.start()):
            yield _field(path, cues.LANGUAGES.get(match[1].casefold(), match[1]), number)
    yield from _preferences(sentence, number)
    yield from _times(sentence, number)
    yield from _people(sentence, number)


def _may_be(path: str, value: str) -> bool:
    """A name is a name, and not the day on which to call."""
    return not path.startswith("identity.") or "/" in value or _is_person(value)


def _preferences(sentence: str, number: int) -> Iterator[ProfileFact]:
    for said in cues.TOOLS.finditer(sentence):
        tool = _first(said)
        if is_tool(tool) and not _is_negated(sentence, said.start()):
            yield _field("preferences.work.tools", tool, number)
    if match := cues.STACK.search(sentence):
        yield from _stack(_first(match), number)
    if (match := cues.TONE.search(sentence)) and not cues.NEGATED.search(sentence):
        yield _field("preferences.communication.email_tone", _first(match).casefold(), number)
    for value, pattern in cues.LENGTHS:
        if pattern.search(sentence) and not cues.NEGATED.search(sentence):
            yield _field("preferences.communication.response_length", value, number)


def _stack(listed: str, number: int) -> Iterator[ProfileFact]:
    """Each item that is written like a name, where one of them certainly is a tool: "a mess" is no stack."""
    items = [one.strip() for one in cues.LIST.split(listed.strip()) if one.strip()]
    if any(is_tool(one) for one in items):
        for item in items:
            if cues.LISTED.fullmatch(item) or (" " not in item and is_tool(item)):
                yield _field("preferences.work.stacks", item, number)


def _times(sentence: str, number: int) -> Iterator[ProfileFact]:
    if match := cues.NO_MEETINGS.search(sentence):
        before = match[1].casefold() in {"before", "vor"}
        yield _protected(_clock(match[2], match[3], late=not before), before=before, number=number)
    if match := cues.HAN_NO_MEETINGS.search(sentence):
        before = match[3] in {"以前", "前"}
        yield _protected(_clock(match[1], match[2], late=not before), before=before, number=number)
    if (match := cues.HOURS.search(sentence)) and not _is_negated(sentence, match.start()):
        groups = [one for one in (match.groups()[at : at + 4] for at in (0, 4, 8)) if one[0]]
        begin, begin_half, end, end_half = groups[0]
        start = _clock(begin, begin_half)
        yield _field("preferences.work.working_hours.start", start, number)
        yield _field("preferences.work.working_hours.end", _end_of_work(start, end, end_half), number)


def _people(sentence: str, number: int) -> Iterator[ProfileFact]:
    relations = cues.RELATIONS | cues.HAN_RELATIONS
    for pattern in cues.PEOPLE:
        for match in pattern.finditer(sentence):
            name, relation = (match[1], match[2]) if match[1] else (match[4], match[3])
            if _is_person(name) and not _is_negated(sentence, match.end()):
                person = ProfileFact(FactKind.CONTACT, number, name=_bare(name))
                yield replace(person, relationship=relations[relation.casefold()])
    habit = cues.HABIT.search(sentence)
    if habit and _is_person(habit[1]):
        yield ProfileFact(FactKind.CONTACT, number, name=_bare(habit[1]), notes=habit[2].strip())


def _is_person(name: str) -> bool:
    """Whether it can be a person's name: no day, no tool, no other word that is written with a capital."""
    first = re.split("['’]", name.split(maxsplit=1)[0])[0].strip(".,").casefold()
    return first not in cues.NO_NAME and not is_tool(name)


def _bare(name: str) -> str:
    return re.sub("['’]s$", "", name.strip(" .,"))


def _protected(clock: str, *, before: bool, number: int) -> ProfileFact:
    span = f"00:00\u2013{clock}" if before else f"{clock}\u201324:00"
    return _field("preferences.scheduling.protected_hours", span, number)


def _clock(digits: str, half: str | None, *, late: bool = False) -> str:
    """``9``, ``9.30 pm`` as ``09:00``, ``21:30``. ``late``: a bare ``6`` means the evening."""
    hours, _, minutes = digits.replace(".", ":").partition(":")
    hour, said = int(hours), (half or "").casefold()
    if hour < 12 and (said.startswith("p") or (late and hour <= _EVENING and not said.startswith("a"))):
        hour += 12
    return f"{hour:02d}:{minutes or '00'}"


def _end_of_work(start: str, digits: str, half: str | None) -> str:
    """From 9 to 5 is until 17:00; who begins in the afternoon may work through the night."""
    end = _clock(digits, half)
    if end <= start < "12:00" and not half:
        return _clock(digits, "pm")
    return end


def _first(match: re.Match[str]) -> str:
    """The group that matched."""
    return next(one for one in match.groups() if one)


def _field(path: str, value: str, number: int) -> ProfileFact:
    return ProfileFact(FactKind.FIELD, number, field=path, value=value.strip(" .,;!"))


def _is_negated(sentence: str, end: int) -> bool:
    """Whether a "not" stands shortly before the match or in it."""
    return cues.NEGATED.search(sentence[max(0, end - 25) : end + 25]) is not None
