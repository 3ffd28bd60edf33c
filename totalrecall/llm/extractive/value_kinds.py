"""Whether two values can be rivals: a port replaces a port, and no operating system. Pure."""

from __future__ import annotations

import re

from totalrecall.llm.extractive.profile_cues import LANGUAGES
from totalrecall.llm.extractive.tool_names import is_tool

_LEADING = re.compile(
    r"^(?:(?:now|the|a|an|at|on|in|by|host|from|jetzt|nun|der|die|das|dem|den)\s+)+", re.IGNORECASE
)
_DAY = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag"
    r"|sonntag)s?\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|januar|februar|märz|mai|juni|juli|oktober|dezember)\b|周[一二三四五六日末天]|星期|月|明天|下周",
    re.IGNORECASE,
)
_PERSON = re.compile(r"\b(?:boss|manager|owner|leader|chefin?|who)\b|老板|经理", re.IGNORECASE)
_ORIGIN = frozenset(["swiss", "austrian", "american", "british", "schweizer", "österreicher"])
_LOOSE_HAN = re.compile("^[个一很太不在]|的")
_LABELLED = re.compile(
    r"\b(?:over|above|under|below|up to|from|ab|über|unter|bis|als)\s+$|(?:超过|低于|以上)$",
    re.IGNORECASE,
)
_WORDS_AFTER, _SIGNS_AFTER = 2, 6
_WORD_BEFORE = re.compile(r"([A-Za-z\u00c0-\u024f]+)\s+$")
# What a bare number may follow and still be said of something: "port 80", "costs 400", "is 3".
_SAYS_A_VALUE = re.compile(
    r"port|version|release|is|are|was|at|to|for|of|on|in|by|about|costs?|takes|lasts|has|have|needs?|only|now"
    r"|exactly|every|than|with|from|after|before|until|ist|sind|war|auf|um|kostet|hat|dauert|über|bis|zu|für|von"
    r"|mit|jetzt|nun|nach|vor|alle|nur|genau",
    re.IGNORECASE,
)
_NUMBERED_HAN = re.compile(r"^\d+\s*[号楼层单]|(?:^|[^月])\d+号")


def are_of_one_kind(subject: str, one: str, other: str) -> bool:
    """Whether both are names, days, or numbers written alike; descriptions never are rivals."""
    mine, theirs = _LEADING.sub("", one.strip()), _LEADING.sub("", other.strip())
    kind = _kind(mine)
    if kind != _kind(theirs) or not kind:
        return False
    if _PERSON.search(subject):
        return kind == "name" and not {mine.casefold(), theirs.casefold()} & (_ORIGIN | set(LANGUAGES))
    return True


def is_a_value(text: str, value: str) -> bool:
    """Whether ``value`` is what ``text`` says of something, and not the number by which it is called."""
    at = text.find(value)
    if at < 0:
        return True
    if _NUMBERED_HAN.search(value) or _is_numbered(text[:at], value):
        return False
    rest = text[at + len(value) :]
    signs = len(re.findall("[\u3400-\u9fff]", rest))
    return (
        len(re.findall(r"[A-Za-z\u00c0-\u024f]+", rest)) <= _WORDS_AFTER
        and signs <= _SIGNS_AFTER
        and not _LABELLED.search(text[:at])
    )


def _is_numbered(before: str, value: str) -> bool:
    """Whether a bare number names what stands before it: supplier 4, Lieferant 4, order 17."""
    word = _WORD_BEFORE.search(before)
    if not value.isdecimal() or word is None:
        return False
    return _SAYS_A_VALUE.fullmatch(word[1]) is None and not is_tool(word[1])


def number_kind(value: str) -> str:
    """How a value with digits is written: an address, a time, a number or version, a name with a number."""
    plain = re.sub(r"(?:\d{1,3}\.){3}\d{1,3}", "address", value)
    return re.sub(r"9(?:\.9)+", "9", re.sub("[0-9]+", "9", re.sub("[^0-9.:/@]+", "a", plain)))


def _kind(value: str) -> str:
    """What sort of value it is; "" for a description, which several of may be true."""
    if _DAY.search(value):
        return "day"
    if any(sign.isdigit() for sign in value):
        return f"number {number_kind(value)}"
    if re.match("[\u3400-\u9fff]", value):
        return "" if _LOOSE_HAN.search(value) else "signs"
    if re.search(r"\w\.\w", value):
        return "host"
    first = value.split(maxsplit=1)[0] if value.split() else ""
    if first[:1].isupper() or is_tool(value):
        return "name"
    return "word" if "-" in value or value.casefold() in LANGUAGES else ""
