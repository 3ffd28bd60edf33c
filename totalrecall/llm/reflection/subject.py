"""Whether two notes are about the same thing, which is newer, and whether one says that it is done. Pure.

Strict where the extractive engine's ``similar`` is lenient: here a wrong yes takes a note away.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

from totalrecall.domain.note import Note
from totalrecall.llm.extractive.similar import gist
from totalrecall.llm.words import CJK

_LEAST_SHARED = 2
_LEAST_SIGNS = 3
_SHARE = 0.4
# Words that say what happened to a thing, not which thing it is.
_WEAK = """
    use uses work works run runs make made set get got need want done fix fixed add added change changed
    update updated start started stop stopped check checked open closed close move moved plan planned decide
    decided suggest suggested test tests tested fail failed error issue problem today tomorrow yesterday
    monday tuesday wednesday thursday friday saturday sunday first second next last week month year day
    time note notes project file files always never prefer prefers every only more less other
    nutzt läuft gemacht gesetzt erledigt geändert fehler problem heute morgen gestern montag dienstag
    mittwoch donnerstag freitag samstag sonntag woche monat jahr tag zeit projekt datei immer
"""
_DONE = re.compile(
    r"\b(?:done|finished|complete[ds]?|resolved|fixed|closed|merged|deployed|shipped|released|sent|delivered"
    r"|paid|cancell?ed|dropped|obsolete|works (?:again|now)|no longer (?:needed|open)|succeeded|passed"
    r"|renewed|booked"
    r"|erledigt|fertig|abgeschlossen|behoben|gelöst|gefixt|gemergt|verschickt|gesendet|bezahlt|abgesagt"
    r"|hinfällig|storniert|gebucht|erneuert|terminado|hecho|resuelto|terminé|résolu|fait)\b"
    r"|已?完成|已?解决|已?修复|搞定|做完|已合并|已发布|已部署|已发送|已支付|已取消|已续|不再需要",
    re.IGNORECASE,
)
_NOT_DONE = re.compile(
    r"\b(?:not|never|isn't|wasn't|hasn't|cannot|can't|fail\w*|still|yet|almost|half"
    r"|partly|should|will|would|must|todo|to be|until|if|unless|when|whether|before|hop(?:es?|ed|ing)|wants?"
    r"|asks?|asked|hofft|möchte|fragt|ob"
    r"|nicht|noch|kein\w*|fast|teilweise|soll\w*|wird|muss|bis|wenn|falls"
    r"|fehlgeschlagen|scheitert\w*)\b"
    r"|没|未|还|不能|失败|如果|将|应该|快要|差点|希望|是否|吗|[?？]",
    re.IGNORECASE,
)
_DECIDED = re.compile(
    r"\b(?:decid\w+|agreed|approved|confirmed|chose|chosen|entschied\w*|entschloss\w*|vereinbart|beschlossen"
    r"|genehmigt|bestätigt|decidi\w+|décid\w+)\b|决定|确定|同意|批准",
    re.IGNORECASE,
)
_REPLACES = re.compile(
    r"[(（](?:replaces|ersetzt|取代|替换|remplace|reemplaza)\s*[:：]\s*([^()（）]{2,80})[)）]", re.IGNORECASE
)


def said(note: Note) -> str:
    """Everything that a note and its children say."""
    return "\n".join((note.text, *(child.text for child in note.children)))


def is_newer(one: Note, other: Note) -> bool:
    """True when ``one`` is of a later moment; at the same or an unknown minute nothing is newer."""
    if one.day != other.day:
        return one.day > other.day
    return bool(one.time and other.time) and one.time > other.time


def same_subject(one: Note, other: Note) -> bool:
    """True when they share content words, names, paths enough; small words do not count."""
    left, right = _about(said(one)), _about(said(other))
    words = len(left.words & right.words)
    if words and _names_what_it_replaces(one, other):
        return True
    shared = words + len(left.names & right.names)
    smaller = min(left.size, right.size)
    if not shared or shared < smaller * _SHARE:
        return False
    return shared >= (_LEAST_SIGNS if left.signs or right.signs else min(_LEAST_SHARED, smaller))


def covers_subject(new: Note, old: Note) -> bool:
    """True when ``new`` is on the whole subject of ``old``: half of it or more, not only a word or two."""
    if _names_what_it_replaces(new, old):
        return True
    left, right = _about(said(new)), _about(said(old))
    shared = len(left.words & right.words) + len(left.names & right.names)
    return shared * 2 >= right.size


def replaced_words(note: Note) -> tuple[str, ...]:
    """What the note itself says it replaces."""
    return tuple(match[1].strip() for match in _REPLACES.finditer(said(note)))


def says_done(note: Note) -> bool:
    """True when the note says that something is finished, and neither denies nor conditions it."""
    text = said(note)
    return bool(_DONE.search(text)) and not _NOT_DONE.search(text)


def says_decided(note: Note) -> bool:
    """True when the note says that something was decided or agreed."""
    return bool(_DECIDED.search(said(note)))


def _names_what_it_replaces(new: Note, old: Note) -> bool:
    """True when ``new`` says "(replaces: X)" and ``old`` says X."""
    replaced = replaced_words(new)
    told = said(old).casefold() if replaced else ""
    return any(words.casefold() in told for words in replaced)


class _About(NamedTuple):
    """What a text is about: content words, and values with letters, such as stage-2, that name a thing."""

    words: frozenset[str]
    names: frozenset[str]
    signs: bool

    @property
    def size(self) -> int:
        return len(self.words) + len(self.names)


@lru_cache(maxsize=8192)
def _about(text: str) -> _About:
    found = gist(text)
    return _About(
        frozenset(word for word in found.words - _weak() if len(word) > 1),
        # 8443 is only a value of something.
        frozenset(value for value in found.values if any(sign.isalpha() for sign in value)),
        bool(CJK.search(text)),
    )


@cache
def _weak() -> frozenset[str]:
    return gist(_WEAK).words
