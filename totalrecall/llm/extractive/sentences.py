"""A message as sentences: whose words they are, and whether they ask or state."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

OWN_CHARS = 12_000
"""Of a longer message only so much of its beginning and end is looked at: the rest is pasted matter."""
MOST_CHARS = 480
"""A longer piece is cut at a space: patterns then look at bounded text, whatever a message holds."""


class Sentence(NamedTuple):
    """One sentence, cleaned to one line.

    Attributes:
        text: the words without markup, control signs and list marks.
        foreign: not the speaker's own words: quoted mail, a quotation, a pasted block.
        question: it asks.
        code: it stands in a fenced block.
    """

    text: str
    foreign: bool = False
    question: bool = False
    code: bool = False


_SOURCES = {
    # Controls, bidi controls, zero-width signs (the joiner inside emoji and Arabic stays), line separators.
    "unsafe": "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028\u2029\u202a-\u202e"
              "\u2060-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff]",
    # Directives to the host inside a message: [[reply_to_current]], [[tool:…]].
    "directive": r"\[\[[a-z_]+(?::[^\n]{0,400}?)?\]\]",
    "fence": r"^\s*(?:```|~~~)",
    "quote_mark": r"^\s*(?:>|\|)",
    "mail_head": r"^\s*(?:From|Von|De|发件人|Subject|Betreff|主题)\s*[:：]|^\s*-{3,}.*(?:Original|Forwarded"
                 r"|Weitergeleitet|Ursprüngliche|原始|转发)",
    "mail_intro": r"\b(?:mail|e-mail|email|letter|page|article|message|text|brief|nachricht|seite|"
                  r"artikel|schreiben)s?"
                  r"\b[^.!?]{0,60}[:]\s*$|(?:邮件|短信|来信|网页|文章|消息|留言|原文)[^。！？]{0,20}[:：]\s*$",
    "list_mark": r"^\s*(?:(?:[-*+•·‣▪–—]+|#{1,6}|\d{1,2}[.)]|\[[ xX]\])\s+|[🔴🟡🟢\ufe0f>|]+|[-*_=#~]+$)",
    "emphasis": r"\*\*|`|<!--|-->",
    "spaces": r"\s+",
    "quotation": r"\"([^\"\n]{3,})\"|“([^”\n]{3,})”|„([^“”\n]{3,})[“”]|«([^»\n]{3,})»|「([^」\n]{3,})」|"
                 r"『([^』\n]{3,})』"
                 r"|(?<![\w])'([^'\n]{12,})'(?!\w)",
    "end": r"(?<=[.!?…])[\"')\]]*\s+|(?<=[。！？；])[”」』）]*|;\s+",
    "abbreviation": r"\b(?:dr|mr|mrs|ms|prof|st|nr|no|vs|etc|e\.g|i\.e|z\.\s?b|d\.\s?h|u\.\s?a|bzw|ca|"
                    r"usw|inkl|evtl|ggf|str"
                    r"|tel|abs|vgl|[b-hj-z])\.\s+$",
    "ordinal": r"(?:(?<![\d.])\d{1,2}|\d\.\d{1,2})\.\s+$",
    "month_next": r"[a-zà-ÿ]|(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez|Januar|Februar|März|"
                  r"April|Juni|Juli"
                  r"|August|September|Oktober|November|Dezember|Uhr|Stock|Etage|Klasse)\b",
    "question_end": r"[?？][\"'”)\s]*(?:[:;][-)]*)?\s*$",
}  # fmt: skip
_LONG_QUOTE_WORDS = 4
_LONG_QUOTE_SIGNS = 6


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(_SOURCES[name], re.IGNORECASE if name in {"mail_intro", "abbreviation"} else 0)


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of a message's text, in order; quotations come before the sentence around them."""
    if len(text) > 2 * OWN_CHARS:
        text = f"{text[:OWN_CHARS]}\n{text[-OWN_CHARS:]}"
    if "[[" in text:
        text = _pattern("directive").sub(" ", text)
    code = foreign_rest = False
    intro = False
    for raw in _pattern("unsafe").sub(" ", text.replace("\u2028", "\n").replace("\u2029", "\n")).split("\n"):
        if _pattern("fence").match(raw):
            code = not code
            continue
        if not raw.strip():
            continue
        foreign_rest = foreign_rest or bool(_pattern("mail_head").match(raw))
        foreign = foreign_rest or intro or bool(_pattern("quote_mark").match(raw))
        for piece in _bounded(raw):
            yield from _of_line(piece, foreign=foreign, code=code)
        intro = intro or bool(_pattern("mail_intro").search(raw[-90:]))


def clean(text: str) -> str:
    """``text`` as one line without markup that means something in a note or in Markdown."""
    if not text.isprintable():
        text = _pattern("unsafe").sub(" ", text)
    if not text.isascii() or not text[:1].isalpha() or any(mark in text for mark in "*`<>"):
        text = _without_marks(text)
    return (_pattern("spaces").sub(" ", text) if "  " in text or not text.isprintable() else text).strip()


def _without_marks(text: str) -> str:
    text = _pattern("emphasis").sub("", text)
    while (shorter := _pattern("list_mark").sub("", text)) != text:
        text = shorter
    return text


def _bounded(line: str) -> Iterator[str]:
    at = 0
    while len(line) - at > MOST_CHARS:
        cut = max(line.rfind(mark, at + MOST_CHARS // 2, at + MOST_CHARS) for mark in ". ,，。 ")
        cut = cut + 1 if cut > 0 else at + MOST_CHARS
        yield line[at:cut]
        at = cut
    yield line[at:]


def _of_line(line: str, *, foreign: bool, code: bool) -> Iterator[Sentence]:
    if code or foreign:
        text = clean(line)
        if text:
            yield Sentence(text, foreign=True, code=code)
        return
    quoted: list[str] = []
    if any(mark in line for mark in "\"“„«「『'"):
        line = _without_quotations(line, quoted)
    yield from (Sentence(clean(part), foreign=True) for part in quoted)
    for part in _parts(line):
        text = clean(part)
        if text:
            yield Sentence(text, question=bool(_pattern("question_end").search(text)))


def _without_quotations(line: str, quoted: list[str]) -> str:
    """The line with long quotations, and any after "the mail says:", taken out to ``quoted``."""

    def take(match: re.Match[str]) -> str:
        words = next(part for part in match.groups() if part is not None)
        after_intro = _pattern("mail_intro").search(line[max(0, match.start() - 90) : match.start()])
        short = len(words.split()) < _LONG_QUOTE_WORDS and not _many_signs(words)
        if short and not after_intro and not _commands(words):
            return match[0]
        quoted.append(words)
        # The sentence around it ends here, unless it visibly goes on.
        rest = line[match.end() :].lstrip()
        return "…. " if rest[:1].isupper() or words.rstrip()[-1:] in ".!?。！？" else "… "

    return _pattern("quotation").sub(take, line)


def _commands(words: str) -> bool:
    """Whether quoted words give an order: however short, it is not the speaker's (R092)."""
    from totalrecall.llm.own_words import is_order, is_standing

    return is_order(words) or is_standing(words)


def _many_signs(words: str) -> bool:
    return sum("\u3400" <= sign <= "\u9fff" for sign in words) >= _LONG_QUOTE_SIGNS


def _parts(line: str) -> Iterator[str]:
    start = 0
    for match in _pattern("end").finditer(line):
        before = line[max(start, match.start() - 12) : match.end()]
        ordinal = _pattern("ordinal").search(before) and _pattern("month_next").match(line, match.end())
        if ordinal or _pattern("abbreviation").search(before):
            continue
        yield line[start : match.end()].rstrip("; ")
        start = match.end()
    yield line[start:]
