"""Whether a new text holds what the old ones say, adds nothing, and puts nothing in another's place. Pure.

Built on ``llm.grounding``, looked at from both sides: no detail of a source may be lost, none may be new.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, time
from itertools import combinations

from totalrecall.domain.note import Note
from totalrecall.llm.extractive.calendar_words import MONTHS, WEEKDAYS
from totalrecall.llm.grounding import unfounded
from totalrecall.llm.languages import language_of, looks_german
from totalrecall.llm.reflection.future import days_of
from totalrecall.llm.reflection.stance import invented_stance, lost_stance, turned_round
from totalrecall.llm.reflection.subject import said, says_decided, says_done
from totalrecall.llm.words import content_words, founded_in, overlap, words_of

_LEAST_FROM_SOURCES = 0.5
_LEAST_OF_MANY = 0.7
_MANY_WORDS = 7
_LEAST_OF_A_SOURCE = 0.25
_REACH = 6
_NEXT_CLAUSE = 4
_CLEARLY = 1.5
_MARGIN = 0.04
_MOST_PLACED = 24
_NAME = re.compile(r"(?<=[a-zà-ÿ,0-9] )([A-ZÀ-Þ][\w’'-]*[^\W\d_])")
_SIGNED = re.compile(r"(?<![\w)\]-])[-−+]\d+")
_SUBJECT = re.compile(
    r"(?:^|[.!?;:,\n–—-] ?|\band |\bund )([A-ZÀ-Þ][a-zà-ÿ’'-]+(?<!ed)(?<!ing)(?<!ly)(?<!s))"
    r"(?= (?:will|has|is|was|had|owns|prefers|wants|likes|says|needs|works|lives|leads|runs|fixes|hat|ist"
    r"|wird|war|[a-zäöüß]{2,}(?:ed|te?))\b)"
)
_NO_SUBJECT = frozenset(
    """then there later now next user assistant team both everything nothing danach dann zuerst später dabei
    anschließend außerdem zudem bisher jetzt nun dort hier alle alles nutzer nutzerin assistent""".split()  # noqa: SIM905 -- reads as what it is
)
_CALENDAR = frozenset(MONTHS) | frozenset(WEEKDAYS)
_UNIT = re.compile(
    r"(?<![\w.])(\d+(?:[.,]\d+)*)\s?(%|percent|prozent|€|\$|£|eur|euros?|usd|dollars?|gbp|[kmgt]i?b|bytes?|ms|s"
    r"|sec(?:onds?)?|sekunden?|min(?:utes?|uten)?|h|hours?|stunden?|days?|tage?n?|weeks?|wochen?|months?"
    r"|monate?n?|years?|jahre?n?|km|cm|mm|m|kg|g|°c|°f|px)(?!\w)|([$€£])\s?(\d+(?:[.,]\d+)*)",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"(?<![\w.,:/-])(\d+(?:[.,]\d+)*) ([^\W\d_]{3,})")
_SAME_UNIT = {
    "percent": "%", "prozent": "%", "eur": "€", "euro": "€", "euros": "€", "usd": "$", "dollar": "$",
    "dollars": "$", "gbp": "£", "sec": "s", "second": "s", "seconds": "s", "sekunde": "s", "sekunden": "s",
    "minute": "min", "minutes": "min", "minuten": "min", "hour": "h", "hours": "h", "stunde": "h",
    "stunden": "h", "day": "d", "days": "d", "tag": "d", "tage": "d", "tagen": "d", "week": "w",
    "weeks": "w", "woche": "w", "wochen": "w", "month": "mo", "months": "mo", "monat": "mo",
    "monate": "mo", "monaten": "mo", "year": "y", "years": "y", "jahr": "y", "jahre": "y", "jahren": "y",
    "byte": "b", "bytes": "b",
}  # fmt: skip
_TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W_]+(?:[-.:/@_,'’][^\W_]+)*|[.,!?;\n。，、；！？]")
_STOPS = frozenset(".!?;\n。；！？")
_CLAUSES = frozenset({",", "，", "、", "and", "und", "or", "oder", "but", "aber", "和", "与"})


def names_in(notes: Iterable[Note]) -> frozenset[str]:
    """Names that some note writes with a capital inside a sentence; German has capitals everywhere."""
    texts = [said(note) for note in notes]
    if language_of("\n".join(texts)) == "de":
        return frozenset()
    found = (match[1] for text in texts if not looks_german(text) for match in _NAME.finditer(text))
    return frozenset(name for name in found if name.casefold() not in _CALENDAR)


def lost_details(merged: Note, sources: Sequence[Note], names: frozenset[str]) -> tuple[str, ...]:
    """Numbers, days, paths, names and quoted words of the sources that the new note does not have."""
    new = said(merged)
    missing: list[str] = []
    german = looks_german("\n".join(map(said, sources)))
    for source in sources:
        old = said(source)
        missing += [one for one in unfounded(old, new, [_moment(merged)]) if one != "nothing in common"]
        missing += [name for name in _own_names(old, names, german=german) if not _has(name, new)]
        missing += [day.isoformat() for day in sorted(days_of(source) - days_of(merged))]
        missing += sorted(set(_SIGNED.findall(old)) - set(_SIGNED.findall(new)))
    missing += lost_stance(merged, sources)
    old_units = {unit for source in sources for some in _units(said(source)).values() for unit in some}
    new_units = {unit for some in _units(new).values() for unit in some}
    missing += sorted(old_units - new_units)
    return tuple(dict.fromkeys(missing))


def invented_details(merged: Note, sources: Sequence[Note]) -> tuple[str, ...]:
    """Details and claims of the new note that no source has."""
    new, old = said(merged), "\n".join(said(source) for source in sources)
    found = list(unfounded(new, old, [_moment(source) for source in sources]))
    allowed = {source.day for source in sources}.union(*(days_of(source) for source in sources))
    found += [day.isoformat() for day in sorted(days_of(merged) - allowed)]
    found += sorted(set(_SIGNED.findall(new)) - set(_SIGNED.findall(old)))
    found += _wrong_units(new, old) + _counted_anew(new, old)
    found += [name for name in _subjects(new) if not _has(name, old)]
    many = len(content_words(new)) >= _MANY_WORDS
    if overlap(new, old) < (_LEAST_OF_MANY if many else _LEAST_FROM_SOURCES):
        found.append("most of its words")
    found += invented_stance(merged, sources)
    if says_done(merged) and not any(says_done(source) for source in sources):
        found.append("done")
    if says_decided(merged) and not any(says_decided(source) for source in sources):
        found.append("decided")
    return tuple(dict.fromkeys(found))


def unheard(merged: Note, sources: Sequence[Note]) -> tuple[int, ...]:
    """Which of the sources (by place) the new note hardly has a word of."""
    new = said(merged)
    return tuple(at for at, source in enumerate(sources) if overlap(said(source), new) < _LEAST_OF_A_SOURCE)


def swapped(merged: Note, sources: Sequence[Note]) -> tuple[str, str] | None:
    """Two details of the new note that fit better in each other's place, judged by the words around them."""
    new, old = _places([merged]), _places(sources)
    both = sorted(detail for detail in new if detail in old)[:_MOST_PLACED]
    for one, other in combinations(both, 2):
        if one[0].isdigit() != other[0].isdigit():
            continue
        # Only words that stand nearer to one of the two in the sources tell them apart.
        of_one, of_other = _apart(old[one], old[other]), _apart(old[other], old[one])
        own = _fit(new[one], of_one) + _fit(new[other], of_other)
        crossed = _fit(new[one], of_other) + _fit(new[other], of_one)
        if crossed > max(_MARGIN, own * _CLEARLY):
            return one, other
    return turned_round(merged, sources)


def _moment(note: Note) -> datetime:
    clock = time.fromisoformat(note.time) if re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", note.time) else time()
    return datetime.combine(note.day, clock, UTC)


def _own_names(text: str, names: frozenset[str], *, german: bool) -> list[str]:
    """The known names in a text, and in German the first word: who or what the sentence is about."""
    words = re.findall(r"[^\W\d_][\w’'-]*", text)
    found = [word for word in words if word in names]
    if german and words and words[0][0].isupper() and content_words(words[0]):
        found.append(words[0])
    return found


def _subjects(text: str) -> list[str]:
    """First words of sentences that look like who does something: a capital, and a verb after it."""
    return [
        match[1]
        for match in _SUBJECT.finditer(text)
        if content_words(match[1]) and match[1].casefold() not in _NO_SUBJECT
    ]


def _has(name: str, text: str) -> bool:
    known = frozenset(words_of(text))
    return all(founded_in(word, known) for word in words_of(name))


def _wrong_units(new: str, old: str) -> list[str]:
    """Numbers that stand before another unit than in the sources."""
    said_units = _units(old)
    return [
        f"{number} {unit}"
        for number, units in _units(new).items()
        for unit in units
        if number in said_units and unit not in said_units[number]
    ]


def _counted_anew(new: str, old: str) -> list[str]:
    """Numbers with another thing behind them, one that no source has: 300 francs for 300 guilders."""
    known = frozenset(words_of(old))
    before = {match[1] for match in _COUNTED.finditer(old)}
    return [
        match[0]
        for match in _COUNTED.finditer(new)
        if match[1] in before and content_words(match[2]) and not _UNIT.match(match[0])
        and not all(founded_in(word, known) for word in words_of(match[2]))
    ]  # fmt: skip


def _units(text: str) -> Mapping[str, set[str]]:
    found: dict[str, set[str]] = {}
    for match in _UNIT.finditer(text):
        unit = (match[2] or match[3]).casefold()
        found.setdefault(match[1] or match[4], set()).add(_SAME_UNIT.get(unit, unit))
    return found


def _places(notes: Iterable[Note]) -> dict[str, dict[str, float]]:
    """Each number and each word with a capital, with the words around it, the nearer the heavier."""
    places: dict[str, dict[str, float]] = {}
    for note in notes:
        tokens = _TOKEN.findall(said(note))
        for at, token in enumerate(tokens):
            if token[0].isupper() or any(sign.isdigit() for sign in token):
                around = places.setdefault(token.casefold(), {})
                for word, weight in _around(tokens, at):
                    around[word] = max(around.get(word, 0), weight)
    return places


def _around(tokens: Sequence[str], at: int) -> Iterator[tuple[str, float]]:
    """The words before count a little more than those behind, other clauses less: "port 8443, timeout 30"."""
    for step, push in ((-1, 0.0), (1, 0.5)):
        distance = push
        for place in range(at + step, at + step * (_REACH + 1), step):
            if not 0 <= place < len(tokens) or tokens[place] in _STOPS:
                break
            word = tokens[place].casefold()
            distance += 1 + _NEXT_CLAUSE * (word in _CLAUSES)
            if len(word) > 2 or word > "\u2e7f":
                yield word, 1 / distance


def _apart(one: Mapping[str, float], other: Mapping[str, float]) -> Mapping[str, float]:
    return {word: weight - other.get(word, 0) for word, weight in one.items() if weight > other.get(word, 0)}


def _fit(new: Mapping[str, float], old: Mapping[str, float]) -> float:
    return sum(weight * old[word] for word, weight in new.items() if word in old)
