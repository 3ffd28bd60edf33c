"""Words of a text, made comparable across inflection, accents and German compounds. Pure."""

from __future__ import annotations

import re
import unicodedata

CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af]")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_STEM_CHARS = 4
_STOP_WORDS = """
    about after again also and any are because been before being but can could did does doing done
    down each for from further had has have having here how into its itself just more most not now
    off once only other our out over own same should some such than that the their them then there
    these they this those through too under until very was were what when where which while who why
    will with would you your user assistant users says said wants want asked asks told uses use
    using needs need plans plan decided set aber alle als also auch auf aus bei beim bis das dass
    dem den der des die dies doch ein eine einem einen einer eines für haben hat hatte hier ihm ihn
    ihr ihre immer ist kann kein keine mich mir mit muss nach nicht noch nur oder ohne sein seine
    sich sie sind soll sollte über und uns unter vom von vor war was weil wenn werden wie wird wir
    zum zur nutzer nutzerin benutzer möchte will les des une pour avec pas est dans sur que qui por
    para con los las una del
"""
_STOP = frozenset(_STOP_WORDS.split())
_CJK_STOP = frozenset(
    "的了是在和有不我你他她它这那用户助手说要会就也都把被到对上下个为以与及其中把给让请将已"
)


def words_of(text: str) -> list[str]:
    """The words, case and accents folded (ß as ss, ü as u)."""
    flat = unicodedata.normalize("NFKD", text.casefold().replace("ß", "ss"))
    return _WORD.findall("".join(sign for sign in flat if not unicodedata.combining(sign)))


def content_words(text: str) -> list[str]:
    """The words that carry meaning: no small words, three letters and more."""
    return [word for word in dict.fromkeys(words_of(text)) if len(word) >= 3 and word not in _FOLDED_STOP]


def related(one: str, two: str) -> bool:
    """True when two folded words look like forms, parts or compounds of each other."""
    if one == two:
        return True
    short, long = sorted((one, two), key=len)
    if len(short) >= _STEM_CHARS and short in long:
        return True
    shared = 0
    for left, right in zip(one, two, strict=False):
        if left != right:
            break
        shared += 1
    return shared >= max(_STEM_CHARS, (len(short) * 2 + 2) // 3)


def founded_in(word: str, known: frozenset[str]) -> bool:
    """True when a folded word, or both halves of it as a compound, relate to words of the source."""
    if word in known or any(related(word, other) for other in known if len(other) >= 3):
        return True
    if len(word) < 9:
        return False
    return any(
        word.startswith(other[: max(_STEM_CHARS, len(other) - 2)])
        for other in known
        if len(other) >= _STEM_CHARS
    )


def overlap(note: str, source: str) -> float:
    """Which share of the note's content words (or Chinese signs) the source has; 1.0 when it has none."""
    signs = {sign for sign in CJK.findall(note) if sign not in _CJK_STOP}
    if len(signs) >= 3:
        have = set(CJK.findall(source))
        return len(signs & have) / len(signs)
    wanted = content_words(note)
    if not wanted:
        return 1.0
    known = frozenset(words_of(source))
    return sum(founded_in(word, known) for word in wanted) / len(wanted)


_FOLDED_STOP = frozenset(word for raw in _STOP for word in words_of(raw))
