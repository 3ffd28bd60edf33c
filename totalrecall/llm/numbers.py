"""Numbers in a text, in digits or in words, as values that can be compared. Pure."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"\d+(?:[.,'’\u202f]\d+)*")
_SCALED = re.compile(
    r"(\d+(?:[.,]\d+)?)\s*(k|m|tsd|mio|thousand|million|hundred|tausend|hundert|万|千|百|%|dozen)(?![^\W\d_])",
    re.IGNORECASE,
)
_SCALES = {
    "k": 1e3, "m": 1e6, "tsd": 1e3, "mio": 1e6, "thousand": 1e3, "million": 1e6, "hundred": 1e2,
    "tausend": 1e3,
    "hundert": 1e2, "万": 1e4, "千": 1e3, "百": 1e2, "%": 1e-2, "dozen": 12,
}  # fmt: skip
_WORDS = {
    word: value
    for value, words in {
        0: "zero null kein none zéro",
        1: "one once first ein eine einen einem einer eins erste ersten un une uno una premier 一",
        2: "two twice both second pair couple zwei beide beiden zweimal zweite zweiten deux dos due 二 两",
        3: "three third drei dritte dritten dreimal trois tres tre 三",
        4: "four fourth vier vierte quatre cuatro quattro quarter 四",
        5: "five fifth fünf fünfte cinq cinco cinque 五",
        6: "six sixth sechs sechste seis sei 六",
        7: "seven seventh sieben sept siete sette 七",
        8: "eight eighth acht huit ocho otto 八",
        9: "nine neun neuf nueve nove 九",
        10: "ten zehn dix diez dieci 十",
        11: "eleven elf onze once undici 十一",
        12: "twelve zwölf dozen dutzend douze doce dodici 十二",
        13: "thirteen dreizehn",
        14: "fourteen vierzehn fortnight",
        15: "fifteen fünfzehn quinze",
        16: "sixteen sechzehn",
        18: "eighteen achtzehn",
        20: "twenty zwanzig vingt veinte 二十",
        24: "twenty-four vierundzwanzig",
        30: "thirty dreißig trente treinta 三十",
        40: "forty vierzig",
        45: "forty-five",
        50: "fifty half fünfzig halb 五十",
        60: "sixty sechzig hour stunde",
        90: "ninety neunzig",
        100: "hundred hundert cent cien 一百",
        1000: "thousand tausend mille mil 一千",
        0.5: "half halb halbe halben halber 半",
    }.items()
    for word in words.split()
}
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)?")
_HAN_NUMBER = re.compile("[一二两三四五六七八九十百千万]+")
_HAN = {"一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}


def unfounded_numbers(note: str, source: str) -> list[str]:
    """The numbers in digits of a note that are in the source neither in digits nor in words."""
    wanted = list(_NUMBER.findall(note))
    if not wanted:
        return []
    spelled = set(_NUMBER.findall(source))
    values = _values(source)
    scaled = {match[1]: _scaled(match) for match in _SCALED.finditer(note)}
    return [
        number
        for number in wanted
        if number not in spelled
        and not (_readings(number) & values)
        and not (
            scaled.get(number) and any(_close(value, known) for value in scaled[number] for known in values)
        )
    ]


def _values(text: str) -> set[float]:
    """Every value that the text names, in all readings of its separators."""
    values = {value for number in _NUMBER.findall(text) for value in _readings(number)}
    for match in _SCALED.finditer(text):
        values |= _scaled(match)
    lowered = text.casefold()
    for word in _WORD.findall(lowered):
        values |= {
            value for name, value in _WORDS.items() if name == word or (word.endswith(name) and len(name) > 5)
        }
        if word in {"half", "halb", "halbe", "halben"}:
            values |= {0.5, 30.0, 50.0}
    for number in _HAN_NUMBER.findall(text):
        values.add(_han_value(number))
        values |= {float(_HAN[sign]) for sign in number if sign in _HAN}
    return values


def _readings(number: str) -> set[float]:
    """``1,200`` is 1200 or 1.2, ``1.200`` too; ``1.2.3`` is a version and only equal as written."""
    parts = re.split(r"[.,'’\u202f]", number)
    readings = set()
    if len(parts) == 1 or all(len(part) == 3 for part in parts[1:]):
        readings.add(float("".join(parts)))
    if len(parts) == 2:
        readings.add(float(f"{parts[0]}.{parts[1]}"))
    return readings


def _scaled(match: re.Match[str]) -> set[float]:
    scale = _SCALES[match[2].lower()]
    return {value * scale for value in _readings(match[1])}


def _close(one: float, two: float) -> bool:
    return abs(one - two) <= 1e-9 * max(abs(one), abs(two), 1.0)


def _han_value(number: str) -> float:
    total, current = 0, 0
    for sign in number:
        if sign in _HAN:
            current = _HAN[sign]
        else:
            scale = {"十": 10, "百": 100, "千": 1000, "万": 10_000}[sign]
            if scale == 10_000:
                total, current = (total + current) * scale or scale, 0
            else:
                total, current = total + (current or 1) * scale, 0
    return float(total + current)
