"""What the user says about themselves, by rules. Pure.

Only the user's own words are read, sentence by sentence, and only plain statements count: a rule that is in
doubt says nothing. Values are taken as they stand; what a field may hold is checked by whoever stores them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from totalrecall.domain.profile_fact import FactKind, OwnNote, ProfileFact
from totalrecall.llm.extractive import profile_cues as cues


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
        if match and not _is_negated(sentence, match.start()):
            yield _field(path, cues.LANGUAGES.get(match[1].casefold(), match[1]), number)
    yield from _preferences(sentence, number)
    yield from _times(sentence, number)
    yield from _people(sentence, number)


def _preferences(sentence: str, number: int) -> Iterator[ProfileFact]:
    if match := cues.STACK.search(sentence):
        listed = next(one for one in match.groups() if one)
        for item in cues.LIST.split(listed.strip()):
            if item.strip():
                yield _field("preferences.work.stacks", item.strip(), number)
    if (match := cues.TONE.search(sentence)) and not cues.NEGATED.search(sentence):
        yield _field("preferences.communication.email_tone", (match[1] or match[2]).casefold(), number)
    for value, pattern in cues.LENGTHS:
        if pattern.search(sentence) and not cues.NEGATED.search(sentence):
            yield _field("preferences.communication.response_length", value, number)


def _times(sentence: str, number: int) -> Iterator[ProfileFact]:
    if match := cues.NO_MEETINGS.search(sentence):
        clock = _clock(match[2], match[3])
        yield _protected(clock, before=match[1].casefold() in {"before", "vor"}, number=number)
    if match := cues.HAN_NO_MEETINGS.search(sentence):
        yield _protected(_clock(match[1], match[2]), before=match[3] in {"以前", "前"}, number=number)
    if (match := cues.HOURS.search(sentence)) and not _is_negated(sentence, match.start()):
        groups = [one for one in (match.groups()[at : at + 4] for at in (0, 4, 8)) if one[0]]
        begin, begin_half, end, end_half = groups[0]
        yield _field("preferences.work.working_hours.start", _clock(begin, begin_half), number)
        yield _field("preferences.work.working_hours.end", _clock(end, end_half), number)


def _people(sentence: str, number: int) -> Iterator[ProfileFact]:
    relations = cues.RELATIONS | cues.HAN_RELATIONS
    for pattern in cues.PEOPLE:
        for match in pattern.finditer(sentence):
            name, relation = (match[1], match[2]) if match[1] else (match[4], match[3])
            if name.split()[0] not in cues.NO_NAME and not _is_negated(sentence, match.end()):
                person = ProfileFact(FactKind.CONTACT, number, name=name.strip(" .,"))
                yield replace(person, relationship=relations[relation.casefold()])
    habit = cues.HABIT.search(sentence)
    if habit and habit[1].split()[0] not in cues.NO_NAME:
        yield ProfileFact(FactKind.CONTACT, number, name=habit[1].strip(" .,"), notes=habit[2].strip())


def _protected(clock: str, *, before: bool, number: int) -> ProfileFact:
    span = f"00:00\u2013{clock}" if before else f"{clock}\u201324:00"
    return _field("preferences.scheduling.protected_hours", span, number)


def _clock(digits: str, half: str | None) -> str:
    """``9``, ``9.30 pm`` as ``09:00``, ``21:30``."""
    hours, _, minutes = digits.replace(".", ":").partition(":")
    hour = int(hours)
    if (half or "").casefold().startswith("p") and hour < 12:
        hour += 12
    return f"{hour:02d}:{minutes or '00'}"


def _field(path: str, value: str, number: int) -> ProfileFact:
    return ProfileFact(FactKind.FIELD, number, field=path, value=value.strip(" .,;!"))


def _is_negated(sentence: str, end: int) -> bool:
    """Whether a "not" stands shortly before the match or in it."""
    return cues.NEGATED.search(sentence[max(0, end - 25) : end + 25]) is not None
