"""Old values and new ones: what a correction replaces, among the batch's own words and the known notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from totalrecall.domain.note import Note, NoteType
from totalrecall.llm.extractive.candidate import Candidate
from totalrecall.llm.extractive.cues import compiled, rules_of
from totalrecall.llm.extractive.similar import gist, replaced

_LASTING = frozenset(
    {NoteType.RULE, NoteType.PREFERENCE, NoteType.DECISION, NoteType.FACT, NoteType.GOAL, NoteType.HABIT}
)
_LOOK_BACK = 60
MUCH = 5
CORRECTION = 5.9
"""What a note that names the old value weighs at least: about as much as a rule."""
_CONTRASTS = r"\b(?:not|instead|from|nicht|statt\w*)\b|[不改换]"
_MOVABLE = r"\d|[a-z]|周[一二三四五六日天]|星期|[月号点]"
_SINCE = {"de": "inzwischen ersetzt", "zh": "已被替换"}


@dataclass(frozen=True, slots=True)
class Corrected:
    """What became of the candidates.

    Attributes:
        candidates: with the old value of each correction; what was replaced in part is marked.
        replaced: those that a correction replaces in whole.
    """

    candidates: list[Candidate]
    replaced: list[Candidate]


def link_corrections(found: Sequence[Candidate], known: Sequence[Note]) -> Corrected:
    """The candidates with the old value of each correction, and what a correction took the place of."""
    settled: list[Candidate] = []
    gone: list[Candidate] = []
    for candidate in found:
        named = _contrast(candidate)
        at, old = _replaced_in_batch(candidate, settled, named)
        old = old or _replaced_in_known(candidate, known, named) or (named if candidate.correction else "")
        if not old:
            settled.append(candidate)
            continue
        kind = candidate.type
        if at is not None:
            earlier = settled[at]
            kind = _type_of(candidate, earlier)
            left = _stale(earlier, old, candidate)
            settled[at : at + 1] = left
            gone += [] if left else [earlier]
        settled.append(
            replace(candidate, type=kind, replaces=old, red=True, weight=max(candidate.weight, CORRECTION))
        )
    return Corrected(settled, gone)


def _taken(new: str, old: str) -> str:
    """What a plain statement replaces in an older one: "supplier 7" takes no place of supplier 4."""
    from totalrecall.llm.extractive.contradiction import taken_by

    return taken_by(new, old)


def _replaced_in_batch(
    candidate: Candidate, earlier: Sequence[Candidate], named: str
) -> tuple[int | None, str]:
    """Where the batch says the old value, and that value; ``named``: the old value that the words name."""
    if candidate.type not in _LASTING and not candidate.correction:
        return None, ""
    best: tuple[int, int | None, str] = (0, None, "")
    for at in range(len(earlier) - 1, max(-1, len(earlier) - 1 - _LOOK_BACK), -1):
        other = earlier[at]
        if other.type is NoteType.EVENT or other.type is NoteType.CONTEXT or other.request:
            continue
        if named:
            old = named if _says(other.text, named) else ""
        elif not candidate.correction:
            old = _taken(candidate.text, other.text) if other.type is candidate.type else ""
        else:
            same_subject = candidate.type is other.type is NoteType.PREFERENCE
            old = replaced(candidate.text, other.text, same_subject=same_subject)
        if old and old.casefold() not in _own_words(candidate, other):
            shared = len(gist(candidate.text).words & gist(other.text).words)
            best = max(best, (shared + 1, at, old), key=lambda one: one[0])
    return best[1], best[2]


def _says(text: str, value: str) -> bool:
    return value.casefold() in text.casefold()


def _own_words(candidate: Candidate, other: Candidate) -> str:
    """A value that the new sentence repeats is not what it replaces, unless it says so itself."""
    return (
        ""
        if candidate.correction or _contrast(candidate)
        else f"{candidate.text} {other.replaces}".casefold()
    )


def _replaced_in_known(candidate: Candidate, known: Sequence[Note], named: str) -> str:
    if candidate.type not in _LASTING and not candidate.correction:
        return ""
    for note in reversed(known):
        if note.type in {NoteType.EVENT, NoteType.CONTEXT}:
            continue
        if named:
            old = named if _says(note.text, named) else ""
        elif candidate.correction:
            old = replaced(candidate.text, note.text)
        else:
            old = _taken(candidate.text, note.text)
        if old:
            return old
    return ""


def _contrast(candidate: Candidate) -> str:
    """The old value that the sentence itself names: not X but Y, X instead of Y."""
    if not compiled(_CONTRASTS).search(candidate.text):
        return ""
    for language in candidate.languages:
        rules = rules_of(language)
        match = compiled(rules.contrast).search(candidate.text) if rules else None
        if match is not None:
            old = next(
                (text for name, text in match.groupdict().items() if name.startswith("old") and text), ""
            ).strip(" .!。！")
            return "" if language == "zh" and _is_subject(match[0], old) else old
    return ""


def _is_subject(words: str, old: str) -> bool:
    """会议改成周五 names what changes, 周四改成周五 and 从蓝色改成红色 what it was."""
    moved = compiled(r"改成|改为|换成").search(words) is not None
    return moved and not words.startswith(("从", "不是")) and not compiled(_MOVABLE).search(old)


def _type_of(candidate: Candidate, earlier: Candidate) -> NoteType:
    """A bare "no, it is Y" is of the type of what it corrects."""
    return earlier.type if candidate.type is NoteType.FACT else candidate.type


def _stale(earlier: Candidate, old: str, newer: Candidate) -> list[Candidate]:
    """What remains of a corrected sentence: nothing, or what else it says with the old value marked."""
    rest, told = gist(earlier.text.replace(old, " ")), gist(newer.text)
    says_more = bool(rest.values - told.values) or len(rest.words) + len(rest.values) >= MUCH
    if not says_more or old not in earlier.text:
        return []
    since = _SINCE.get(earlier.languages[0] if earlier.languages else "en", "since replaced")
    text = earlier.text.replace(old, f"{old} ({since})", 1)
    return [replace(earlier, text=text, red=False)]
