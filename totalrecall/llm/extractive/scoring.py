"""How much may be written, and how much of it may be red."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from totalrecall.domain.note import Note, NoteType, Priority
from totalrecall.llm.extractive.candidate import Candidate
from totalrecall.llm.extractive.structure import values
from totalrecall.llm.extractive.wording import FULL_WORDS, TIGHT_WORDS, cut_to_words, words_of_note, written

WORDS_SHARE = 0.35
"""Notes have at most this share of the words of their messages …"""
FLOOR_WORDS = 200
"""… or of so many words, where the messages have fewer: a fact needs its words in a short talk, too."""
RED_SHARE = 0.2
"""At most this share of the notes is red."""
_ALONE = 5.9
_MATTERS = 4.0
_LEAST_WORDS = 8
# A rule or decision that is cut may say the opposite.
_CUTTABLE = frozenset({NoteType.TASK, NoteType.FACT})


@dataclass(frozen=True, slots=True)
class Chosen:
    """A candidate with the words of its note."""

    candidate: Candidate
    text: str


def budget_words(words: int) -> int:
    """The words that notes on messages of so many words may have."""
    return int(WORDS_SHARE * max(words, FLOOR_WORDS))


def choose(candidates: Sequence[Candidate], words: int) -> list[Chosen]:
    """The notes that fit, the weightiest first choice, in the order of their messages.

    If not all fit, all are written tightly before any is left out; one always stays, cut if it must be.
    """
    room = budget_words(words)
    full = [Chosen(one, written(one, FULL_WORDS)) for one in candidates]
    ranked = sorted(range(len(full)), key=lambda at: (-full[at].candidate.weight, at))
    sizes = [words_of_note(one.text) for one in full]
    excess = sum(sizes) - room
    for at in reversed(ranked):
        if excess <= 0:
            break
        full[at] = Chosen(full[at].candidate, written(full[at].candidate, TIGHT_WORDS))
        excess -= sizes[at] - words_of_note(full[at].text)
    kept: dict[int, Chosen] = {}
    for at in ranked:
        size = words_of_note(full[at].text)
        if size > room:
            full[at] = _cut(full[at], room, whole=bool(kept))
            size = words_of_note(full[at].text)
        if size <= room:
            kept[at] = full[at]
            room -= size
    return [kept[at] for at in sorted(kept) if kept[at].text]


def _cut(one: Chosen, room: int, *, whole: bool) -> Chosen:
    """The note cut to the room left; ``whole``: only if its values and days survive, else as it is."""
    text = cut_to_words(one.text, room)
    plain = not one.candidate.replaces and not one.candidate.prefix and one.candidate.type in _CUTTABLE
    if whole and not (plain and room >= _LEAST_WORDS and one.candidate.weight >= _MATTERS):
        return one
    return replace(one, text=text) if not whole or values(text) == values(one.text) else one


def priorities(chosen: Sequence[Chosen], known: Sequence[Note]) -> list[Priority]:
    """A priority per note; at most ``RED_SHARE`` of them red.

    Fewer than five notes may have one red among them, for a rule, a correction or a deadline only, if the
    share holds for the log as well: the red ones of ``known`` count.
    """
    order = sorted(
        (at for at, one in enumerate(chosen) if one.candidate.red and not one.candidate.low),
        key=lambda at: (-chosen[at].candidate.weight, at),
    )
    red = set(order[: _reds_allowed([chosen[at].candidate for at in order], len(chosen), known)])
    return [_priority(one.candidate, red=at in red) for at, one in enumerate(chosen)]


def _reds_allowed(wanting: Sequence[Candidate], notes: int, known: Sequence[Note]) -> int:
    allowed = int(RED_SHARE * notes)
    if allowed or not wanting or wanting[0].weight < _ALONE:
        return allowed
    reds = sum(note.priority is Priority.HIGH for note in known)
    return 1 if not reds or reds + 1 <= RED_SHARE * (len(known) + notes) else 0


def _priority(candidate: Candidate, *, red: bool) -> Priority:
    if red:
        return Priority.HIGH
    passing = candidate.low or (candidate.request and not candidate.red)
    return Priority.LOW if passing else Priority.MEDIUM
