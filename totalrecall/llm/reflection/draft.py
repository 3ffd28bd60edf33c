"""The log while it is being consolidated: which text stands for which notes by now. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from totalrecall.domain.note import Usage
from totalrecall.domain.words import count_words
from totalrecall.llm.reflection.subject import said
from totalrecall.llm.reflection.types import Dropped, DropReason, Item, Merged, Reflection, Refusal


@dataclass(frozen=True, slots=True)
class Draft:
    """Every number of the request is in one piece, or dropped.

    Attributes:
        pieces: what stands by now; a merged piece has the number of one of its notes.
        stands_for: the numbers of each piece that was merged, by its number.
        dropped: what left.
    """

    pieces: tuple[Item, ...]
    stands_for: dict[int, tuple[int, ...]]
    dropped: tuple[Dropped, ...] = ()

    @property
    def words(self) -> int:
        """The words that are left."""
        return sum(count_words(said(piece.note)) for piece in self.pieces)

    def applied(self, merged: Iterable[Merged], dropped: Iterable[Dropped]) -> Draft:
        """The draft after these steps, whose numbers are those of its pieces.

        A piece for which an older note left does not leave without another one in its place. What left as its
        duplicate leaves for its reason.
        """
        pieces = {piece.number: piece for piece in self.pieces}
        stands_for = dict(self.stands_for)
        reasons: dict[int, DropReason] = {}
        gone: list[Dropped] = []
        for drop in dropped:
            numbers = stands_for.get(drop.number, (drop.number,))
            if drop.by is None:
                leaning = _leaning_on(numbers, self.dropped)
                if any(one.reason is not DropReason.DUPLICATE for one in leaning):
                    continue
                reasons |= dict.fromkeys((one.number for one in leaning), drop.reason)
            del pieces[drop.number]
            stands_for.pop(drop.number, None)
            gone += [Dropped(number, drop.reason, drop.by) for number in numbers]
        before = [
            replace(one, reason=reasons[one.number], by=None) if one.number in reasons else one
            for one in self.dropped
        ]
        for one in merged:
            numbers = tuple(sorted(n for at in one.stands_for for n in stands_for.pop(at, (at,))))
            for at in one.stands_for:
                del pieces[at]
            number = one.stands_for[-1]
            pieces[number] = Item(number, one.note)
            stands_for[number] = numbers
        return Draft(tuple(pieces.values()), stands_for, (*before, *gone))

    def reflection(self, engine: str, usage: Usage, refusals: Sequence[Refusal]) -> Reflection:
        """The outcome, everything by number."""
        merged = [
            Merged(piece.note, self.stands_for[piece.number])
            for piece in self.pieces
            if piece.number in self.stands_for
        ]
        return Reflection(
            kept=tuple(sorted(one.number for one in self.pieces if one.number not in self.stands_for)),
            merged=tuple(sorted(merged, key=lambda one: one.stands_for)),
            dropped=tuple(sorted(self.dropped, key=lambda one: one.number)),
            usage=usage,
            engine=engine,
            refusals=tuple(refusals),
        )


def _leaning_on(numbers: Iterable[int], dropped: Sequence[Dropped]) -> list[Dropped]:
    """What left for one of the numbers, at first hand or for what left for it."""
    met, found = set(numbers), []
    while more := [one for one in dropped if one.by in met and one.number not in met]:
        found += more
        met |= {one.number for one in more}
    return found


def draft_of(items: Iterable[Item]) -> Draft:
    """The log as it is."""
    return Draft(tuple(items), {})
