"""What is wrong with an answer, in a sentence for the model and in one for logs and status. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from totalrecall.llm.reflection.types import Refusal, RefusalCode

_MOST_NUMBERS = 12
_MOST_DETAILS = 6
_MOST_FAULTS = 12
_TO_MODEL = {
    RefusalCode.EMPTY: "There was no note line in it.",
    RefusalCode.INCOMPLETE: "It was cut off. Write shorter notes.",
    RefusalCode.LOOPED: "Lines were repeated. Write each line once.",
    RefusalCode.PROSE: "{count} lines were neither notes nor drops. Write nothing else.",
    RefusalCode.NO_NUMBERS: "{count} notes do not end with the numbers they stand for, like [3,7].",
    RefusalCode.UNKNOWN_NUMBER: "There is no note with these numbers: {numbers}.",
    RefusalCode.NAMED_TWICE: "Name each number once only; named more often: {numbers}.",
    RefusalCode.PROTECTED: "Notes marked ! are fixed, do not rewrite them: {numbers}.",
    RefusalCode.REASON: "These drops do not hold, leave the notes or merge them: {numbers}.",
    RefusalCode.LOST_DETAIL: "The note for [{numbers}] must keep: {details}.",
    RefusalCode.INVENTED_DETAIL: "The note for [{numbers}] says what its notes do not say: {details}.",
    RefusalCode.SWAPPED: "The note for [{numbers}] puts these in each other's place: {details}.",
    RefusalCode.VAGUE: "The note for [{numbers}] is too general. Merge only notes on one subject.",
    RefusalCode.TOO_LITTLE_LEFT: "Too little is left. Keep at least half of the words.",
    RefusalCode.LONGER: "It is longer than the notes that it stands for.",
    RefusalCode.NO_HIGH_LEFT: "No 🔴 is left of these: {numbers}. Keep their sign.",
    RefusalCode.PRIORITY: "The sign for [{numbers}] must be one of its notes', or one step lower.",
    RefusalCode.TYPE: "The type for [{numbers}] must be one of its notes'.",
    RefusalCode.LANGUAGE: "Write in the language of the notes.",
    RefusalCode.LEAK: "The note for [{numbers}] holds a secret.",
    RefusalCode.INSTRUCTION: "The note for [{numbers}] gives an order that its notes do not give.",
    RefusalCode.NOTHING_DONE: "It changes nothing. Merge or drop notes, or answer KEEP ALL.",
    RefusalCode.STOPPED: "It was not asked.",
}
_TO_LOG = {
    RefusalCode.EMPTY: "no note in the answer",
    RefusalCode.INCOMPLETE: "the answer was cut off",
    RefusalCode.LOOPED: "the answer repeats itself",
    RefusalCode.PROSE: "the answer holds something else than notes",
    RefusalCode.NO_NUMBERS: "notes that do not say what they stand for",
    RefusalCode.UNKNOWN_NUMBER: "numbers of notes that do not exist",
    RefusalCode.NAMED_TWICE: "notes that were used twice",
    RefusalCode.PROTECTED: "protected notes were rewritten",
    RefusalCode.REASON: "notes dropped for a reason that does not hold",
    RefusalCode.LOST_DETAIL: "numbers, days, paths or names were lost",
    RefusalCode.INVENTED_DETAIL: "details that no note has",
    RefusalCode.SWAPPED: "details in each other's place",
    RefusalCode.VAGUE: "notes too general for what they stand for",
    RefusalCode.TOO_LITTLE_LEFT: "less than a third of the words left",
    RefusalCode.LONGER: "longer than before",
    RefusalCode.NO_HIGH_LEFT: "no 🔴 left",
    RefusalCode.PRIORITY: "priorities that rose, or fell too far",
    RefusalCode.TYPE: "types that no source has",
    RefusalCode.LANGUAGE: "another language than the notes'",
    RefusalCode.LEAK: "something that looks like a secret",
    RefusalCode.INSTRUCTION: "orders that no note gives",
    RefusalCode.NOTHING_DONE: "nothing changed",
    RefusalCode.STOPPED: "the rest was not asked",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong.

    Attributes:
        code: what.
        numbers: the notes it is about, by their numbers on the sheet.
        details: words of the notes; only the model sees them.
        count: how often, where numbers do not say it.
    """

    code: RefusalCode
    numbers: tuple[int, ...] = ()
    details: tuple[str, ...] = ()
    count: int = 0


def fault(
    code: RefusalCode, numbers: Iterable[int] = (), details: Sequence[str] = (), count: int = 0
) -> Fault:
    """A fault about these notes."""
    return Fault(code, tuple(sorted(numbers)), tuple(details), count)


def for_model(faults: Sequence[Fault]) -> tuple[str, ...]:
    """A sentence per fault, for the second try; not more than a model takes in."""
    return tuple(dict.fromkeys(map(_to_model, faults)))[:_MOST_FAULTS]


def refusals(faults: Sequence[Fault]) -> tuple[Refusal, ...]:
    """One refusal per code, with how often: numbers, no words of the notes."""
    times: dict[RefusalCode, int] = {}
    for one in faults:
        times[one.code] = times.get(one.code, 0) + max(1, one.count)
    return tuple(
        Refusal(
            code,
            f"{_TO_LOG[code][0].upper()}{_TO_LOG[code][1:]}" + (f" ({count} times)." if count > 1 else "."),
        )
        for code, count in times.items()
    )


def _to_model(one: Fault) -> str:
    numbers = ",".join(map(str, one.numbers[:_MOST_NUMBERS]))
    if len(one.numbers) > _MOST_NUMBERS:
        numbers += ",…"
    details = ", ".join(one.details[:_MOST_DETAILS])
    return _TO_MODEL[one.code].format(numbers=numbers, details=details, count=one.count)
