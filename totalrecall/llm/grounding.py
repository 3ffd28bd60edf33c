"""Whether the details of a note are in the messages it cites (R067). Pure.

Looked at: numbers, dates and times, paths, addresses and identifiers, names, quoted words, and whether the
note has anything in common with its messages at all. Paraphrase, inflection, compounds, resolved dates and
another language are no inventions. A doubt marks a note, it never removes one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from datetime import datetime

from totalrecall.llm.dates import unfounded_days
from totalrecall.llm.languages import language_of, looks_german
from totalrecall.llm.numbers import unfounded_numbers
from totalrecall.llm.words import CJK, founded_in, overlap, words_of

_IDENTIFIER = re.compile(r"[\w~@./:\\+#-]*[\w/~]")
_QUOTED = re.compile(r"[\"“„«「『`]([^\"”“»」』`\n]{3,80})[\"”“»」』`]")
_NAME = re.compile(r"(?<![\w/.@~\\-])([A-ZÀ-ÖØ-ÞĀ-Ž][\w’'-]*[^\W\d_])(?![\w/\\@])")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;…。(\[\"“„«–—|>]\s*|[-*•]\s)$")
_TITLED = re.compile(
    r"\b(?:Herrn?|Frau|Dr\.?|Prof\.?|Firma|Kolleg(?:e|en|in)|Kund(?:e|en|in)|Freund(?:in)?|Chef(?:in)?|Mr\.?|Mrs\.?|Ms\.?)\s+$"
)
_HAN_TITLE = re.compile(
    "(?:(?![与和跟给找向对由请让叫及])[\u4e00-\u9fff]){1,2}(?=先生|女士|老师|经理|医生|总监|主任|律师|教授)|(?<![\u4e00-\u9fff])[老小][王李张刘陈杨赵黄周吴徐孙马朱胡林郭何高罗]"
)
_HAN_NAME = re.compile(
    "[王李张刘陈杨赵黄周吴徐孙马朱胡林郭何高罗][\u4e00-\u9fff]{1,2}(?=负责|说|提出|建议|要求|同意|会|将|去|来|和|是|的|，|、|$)"
)
_COMMON_WORDS = """
    user assistant agent users todo ok api url pr ci ui db sql http https json css html id cpu ram
    ai llm utc pdf ssh vm dns usb usa eu cli ide os app web faq eta tbd wip ios mac pc tv gps sim qa
    hr it md rpm gb mb kb tb english german french spanish chinese deutsch deutsche deutschen
    englisch monday tuesday wednesday thursday friday saturday sunday january february march april
    may june july august september october november december montag dienstag mittwoch donnerstag
    freitag samstag sonntag januar februar märz mai juni juli oktober dezember nutzer nutzerin
    benutzer assistent assistentin
"""
_COMMON = frozenset(_COMMON_WORDS.split())
_GERMAN_NOUN_ENDS = (
    "ung",
    "ungen",
    "heit",
    "keit",
    "schaft",
    "tion",
    "tionen",
    "nis",
    "tum",
    "ling",
    "chen",
    "lein",
    "er",
    "en",
    "el",
)
_MIN_OVERLAP = 0.16
_MIN_OVERLAP_CJK = 0.3


def unfounded(note: str, source: str, moments: Sequence[datetime]) -> tuple[str, ...]:
    """The details of a note that its messages do not bear out; empty when all is well.

    Args:
        note: the note's words.
        source: everything the cited messages say, tools and quotes included.
        moments: when they were written.
    """
    if not source.strip():
        return ("no source",)
    missing, rest = unfounded_days(note, source, moments)
    rest, odd = _identifiers(rest, source)
    missing += odd
    missing += unfounded_numbers(rest, source)
    missing += [quote for quote in _QUOTED.findall(note) if not _quoted_holds(quote, source)]
    missing += _names(rest, source)
    if not missing and _nothing_shared(note, source):
        missing.append("nothing in common")
    return tuple(dict.fromkeys(missing))


def _identifiers(note: str, source: str) -> tuple[str, list[str]]:
    """Paths, addresses, versions, options, CamelCase: each must occur, whole or in all its parts."""
    flat, missing, rest = _folded(source), [], note
    parts_known = set(re.findall(r"[^\W_]+", flat))
    squeezed = re.sub(r"[\W_]+", "", flat)
    for match in _IDENTIFIER.finditer(note):
        raw = re.sub(r"^v(?=\d)", "", match[0].strip(".:#-+"))
        if not _is_identifier(raw):
            continue
        rest = rest.replace(match[0], " ", 1)
        folded = _folded(raw)
        parts = re.findall(r"[^\W_]+", folded)
        whole = folded in flat or re.sub(r"[\W_]+", "", folded) in squeezed
        if not whole and not all(part in parts_known for part in parts):
            missing.append(raw)
    return rest, missing


def _is_identifier(text: str) -> bool:
    if len(text) < 3 or CJK.search(text):
        return False
    digits, letters = any(sign.isdigit() for sign in text), any(sign.isalpha() for sign in text)
    inner = text.strip("/")
    if "/" in text or "\\" in text:
        return text[0] in "/~." or "." in text or "_" in text or digits or inner.count("/") >= 2
    if "@" in text or "_" in inner or text.startswith("--"):
        return letters
    if re.fullmatch(r"[\w-]+(?:\.[\w-]+)+", text) and letters:
        return not re.fullmatch(r"(?:[A-Za-z]\.)+[A-Za-z]?", text)
    if re.search(r"[a-z][A-Z]", text):
        return True
    return (
        digits
        and letters
        and bool(re.search(r"[A-Za-z]-?\d", text))
        and not re.fullmatch(r"\d+[^\W\d_]{1,10}", text)
    )


def _names(note: str, source: str) -> list[str]:
    known = frozenset(words_of(source))
    german = looks_german(f"{note}\n{source}")
    missing = []
    for match in _NAME.finditer(note):
        word = match[1].removesuffix("'s").removesuffix("’s")
        if _name_holds(word, known, source):
            continue
        starts = bool(_SENTENCE_START.search(note[: match.start()]))
        if german and not _german_name(note, match, known):
            continue
        if (
            starts
            and not german
            and not (word.isupper() and len(word) > 2)
            and not _named_at_start(note, match, known, source)
        ):
            continue
        missing.append(word)
    signs = _HAN_TITLE.findall(note) + _HAN_NAME.findall(note)
    return missing + [name for name in signs if name not in source and not _near_han(name, source)]


def _near_han(name: str, source: str) -> bool:
    """The pattern for Chinese names takes a sign too many now and then; the first two decide."""
    return name[:2] in source


def _name_holds(word: str, known: frozenset[str], source: str) -> bool:
    folded = words_of(word)
    if len(word) < 2 or word.casefold() in _COMMON or word == "I":
        return True
    if word.isupper() and len(word) <= 5:
        initials = "".join(other[0] for other in words_of(source))
        return word.casefold() in known or word.casefold() in _folded(source) or word.casefold() in initials
    return all(founded_in(part, known) for part in folded)


def _named_at_start(note: str, match: re.Match[str], known: frozenset[str], source: str) -> bool:
    """A capital at the start of a sentence is a name only with another one or a verb of persons after it."""
    after = note[match.end() :]
    following = re.match(r"\s+([A-Z][a-z]+)\b", after)
    if following and not _name_holds(following[1], known, source):
        return True
    if match[1].endswith(("'s", "’s")) or after.startswith(("'s", "’s")):
        return True
    return bool(
        re.match(
            r"\s+(?:\(|is the|will|said|joined|called|wants|agreed|approved|confirmed|asked|sent|owns"
            r"|prefers|lives|works|and [A-Z])\b",
            after,
        )
    )


def _german_name(note: str, match: re.Match[str], known: frozenset[str]) -> bool:
    """In German every noun has a capital: only titles, pairs and bare prepositions make a name of one."""
    if _TITLED.search(note[: match.start()]):
        return True
    word = match[1]
    before = re.search(r"\b(bei|mit|von|aus|nach|in|an|für|für|durch|und)\s+$", note[: match.start()])
    if before and not word.casefold().endswith(_GERMAN_NOUN_ENDS) and len(word) <= 12:
        return True
    following = re.match(r"\s+([A-ZÄÖÜ][a-zäöüß]+)\b", note[match.end() :])
    if following and not any(founded_in(part, known) for part in words_of(following[1])):
        return not word.casefold().endswith(_GERMAN_NOUN_ENDS)
    return False


def _nothing_shared(note: str, source: str) -> bool:
    """True when note and messages are of one language and share next to nothing."""
    bare = re.sub(r"\(replaces:.*?\)", " ", note)
    han_note, han_source = bool(CJK.search(note)), bool(CJK.search(source))
    if han_note != han_source or set(re.findall(r"\d+", bare)) & set(re.findall(r"\d+", source)):
        return False
    if han_note:
        return overlap(bare, source) < _MIN_OVERLAP_CJK
    languages = {language_of(note), language_of(source)} - {""}
    if len(languages) > 1:
        return False
    return overlap(bare, source) < _MIN_OVERLAP


def _quoted_holds(quote: str, source: str) -> bool:
    flat, said = " ".join(words_of(quote)), " ".join(words_of(source))
    if flat:
        return flat in said or (overlap(quote, source) >= 0.99 and bool(flat.split()))
    return " ".join(_folded(quote).split()) in " ".join(_folded(source).split())


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
