"""Which rules fit a text: English, German, Chinese, or only what needs no language."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import chain

EN, DE, ZH, OTHER = "en", "de", "zh", "other"

_SAMPLE_CHARS = 600
_COMMON = {
    EN: "the is are was and to of in for on it you i we my our that this with have has not do can will "
        "at be please "
        "from your me never always what how he she they but or if let's don't i'm it's yes there",
    DE: "der die das ist sind war und zu von im für auf es du ich wir mein unser dass dies mit habe hat "
        "nicht kann "
        "wird an bei bitte ein eine den dem des sie er aber oder wenn nie immer was wie uns mir auch "
        "noch nur zum zur "
        "ja nein als über soll muss um heißt läuft liegt mach doch statt",
    "fr": "le la les des est sont et dans pour sur je tu nous vous que qui avec pas une du au ce cette "
          "mon être ont "
          "c'est j'ai merci bonjour chez",
    "es": "el los las es son y para por con que no una del al mi nuestro este esta está como pero "
          "puedes gracias hay",
    "it": "il gli è sono e per con che non una della nel mio questo questa ma come grazie ho",
    "pt": "o os as é são e para por com que não uma do da no na meu este esta mas como obrigado você",
    "nl": "het een en van voor op ik je wij mijn dat met niet kan wordt zijn maar als nog naar ook",
    "pl": "jest nie na się z do to że jak dla ale czy",
}  # fmt: skip


@cache
def _names_of() -> dict[str, tuple[str, ...]]:
    names: dict[str, tuple[str, ...]] = {}
    for name, words in _COMMON.items():
        for word in dict.fromkeys(words.split()):
            names[word] = (*names.get(word, ()), name)
    return names


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    return (
        re.compile("[\u3400-\u4dbf\u4e00-\u9fff]"),
        re.compile("[\u3040-\u30ff\uac00-\ud7af]"),
        re.compile(r"[a-zà-öø-ÿß]+(?:['’][a-z]+)?"),
        re.compile("[\u0370-\u1cff\u3040-\ud7af]"),
    )


def languages_of(text: str, around: Sequence[str] = ()) -> tuple[str, ...]:
    """The languages whose rules fit ``text``, the likeliest first; ``around``: those of the talk.

    A text that mixes English and German gets both.
    """
    sample = text[:_SAMPLE_CHARS].casefold()
    han, kana, latin, foreign = _patterns()
    signs = len(han.findall(sample))
    words = latin.findall(sample)
    if kana.search(sample):
        return (OTHER,)
    if signs >= 2 and signs * 2 >= len(words):
        return (ZH,)
    if len(foreign.findall(sample)) > len(words):
        return (OTHER,)
    counted = Counter(chain.from_iterable(_names_of().get(word, ()) for word in words))
    hits = {name: counted[name] for name in _COMMON}
    best = max(hits.values())
    if best == 0:
        return tuple(around) or (EN, DE)
    leaders = [name for name, count in hits.items() if count == best]
    chosen = [name for name in (EN, DE) if hits[name] and (name in leaders or hits[name] * 3 >= best)]
    if EN not in leaders and DE not in leaders:
        return (OTHER,)
    return tuple(sorted(chosen, key=lambda name: -hits[name]))


def languages_around(texts: Sequence[str]) -> tuple[str, ...]:
    """The language most of the texts are in: the fallback for words that could be any."""
    counted = Counter(found[0] for text in texts if (found := languages_of(text, ("",)))[0])
    return (min(counted, key=lambda name: (-counted[name], name)),) if counted else ()
