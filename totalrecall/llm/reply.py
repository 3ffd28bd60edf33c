"""Reading what a model answered: one tolerant reader for all call sites. Pure.

Models wrap notes in fences and chatter, change the bullets, leave out types and times, answer in JSON, and
fall into loops (R060, R065). ``NO_OBSERVATIONS`` counts only as the whole answer (R071).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from totalrecall.domain.note import Dropped
from totalrecall.llm.reply_line import ReplyLine, day_in, line_from_json, line_from_text

MAX_NOTES = 60
MAX_LINE_CHARS = 600
_SCAN_CHARS = 4_000
# An honest answer has some dozens of lines; what a loop wrote after these is not even looked at.
_MAX_LINES = 5_000
_SAME_TEXT = 3
_SAME_SHAPE = 12
_DROPPED_CHARS = 300
_MAX_DROPPED = 50
_FENCE = re.compile(r"^\s*(?:```|~~~)+\s*[\w+-]*\s*$")
_FENCE_BLOCK = re.compile(r"(?:```|~~~)[\w+-]*\s*\n(.*?)\n\s*(?:```|~~~)", re.DOTALL)
_RULER = re.compile(r"^\s*(?:[-*_=]{3,}|#+.*|</?[\w-]+>)\s*$")
_AROUND_SENTINEL = re.compile(
    r"[\s`*\"'“”.!\[\](){}<>_-]|🔴|🟡|🟢|\ufe0f|^(?:text|markdown|plaintext)(?=\s)", re.IGNORECASE
)
_STAMMER = re.compile(r"(.{6,160}?)(?:[\s,;.]*\1){3,}", re.DOTALL)
_THINK = re.compile(
    r"<(think|thinking|thought|reasoning)\b[^>]*>.*?(?:</\1\s*>|\Z)|\A(?:(?!<think).)*?</think(?:ing)?\s*>",
    re.DOTALL | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer as read.

    Attributes:
        notes: the note lines in order, each once.
        nothing: the model plainly said that there is nothing notable.
        dropped: what was left out, with the reason ``loop``, ``prose`` or ``cut``.
        looped: most of its lines repeat each other.
    """

    notes: tuple[ReplyLine, ...] = ()
    nothing: bool = False
    dropped: tuple[Dropped, ...] = ()
    looped: bool = False


def read_reply(text: str, *, cut: bool = False) -> Reply:
    """The notes of an answer. ``cut``: it ended at the token cap, so its last line is left out (R053)."""
    clean = _normal(without_reasoning(text))
    if _is_sentinel(clean):
        return Reply(nothing=True)
    dropped: list[Dropped] = []
    if cut and not clean.endswith("\n"):
        clean, _, unfinished = clean.rpartition("\n")
        dropped.append(Dropped(unfinished[:_DROPPED_CHARS], "cut"))
    data = json_in(clean)
    if isinstance(data, dict | list):
        items = _items(data)
        if items is not None and not items:
            return Reply(nothing=not cut, dropped=tuple(dropped))
        found = [line for item in items or () if (line := line_from_json(item)) is not None]
        if found:
            return _without_loops(found, dropped)
    return _without_loops(_lines(clean, dropped), dropped)


def without_reasoning(text: str) -> str:
    """The text without ``<think>`` blocks: closed, never closed, or closed without having been opened."""
    return _THINK.sub("", text) if "<" in text else text


def json_in(text: str) -> Any:
    """The JSON of an answer: bare, fenced, or with chatter around it; None when there is none."""
    bare = text.strip().strip("\ufeff")
    candidates = [bare]
    candidates += [match[1].strip() for match in _FENCE_BLOCK.finditer(bare)]
    starts = [at for at in (bare.find("{"), bare.find("[")) if at >= 0]
    for candidate in candidates:
        if candidate[:1] in {"{", "["}:
            try:
                return json.loads(candidate, strict=False)
            except (ValueError, RecursionError):
                continue
    decoder = json.JSONDecoder(strict=False)
    for at in sorted(starts):
        try:
            data, _ = decoder.raw_decode(bare, at)
        except (ValueError, RecursionError):
            continue
        # A citation such as [3] is JSON too, and no answer.
        if isinstance(data, dict) or (isinstance(data, list) and data and isinstance(data[0], dict)):
            return data
    return None


def _items(data: Any) -> list[Any] | None:
    """The list of notes in a JSON answer; None when it has none."""
    if isinstance(data, list):
        return data
    if isinstance(data, Mapping):
        for name in ("observations", "notes", "items", "lines", "results", "memories"):
            if isinstance(data.get(name), list):
                return list(data[name])
        if line_from_json(data) is not None:
            return [data]
    return None


def _normal(text: str) -> str:
    return text.replace("\ufeff", "").replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")


def _is_sentinel(text: str) -> bool:
    return len(text) < 100 and _AROUND_SENTINEL.sub("", text).upper() == "NOOBSERVATIONS"


def _lines(text: str, dropped: list[Dropped]) -> list[ReplyLine]:
    found: list[ReplyLine] = []
    day: date | None = None
    for raw in text.split("\n")[:_MAX_LINES]:
        if not raw.strip() or _FENCE.match(raw):
            continue
        if (heading := day_in(raw)) is not None:
            day = heading
            continue
        if _RULER.match(raw):
            continue
        line = line_from_text(raw[:_SCAN_CHARS])
        if line is None:
            if found and raw[:2] in {"  ", "\t"} and len(raw) < MAX_LINE_CHARS:
                found[-1] = _continued(found[-1], raw.strip())
            else:
                dropped.append(Dropped(raw.strip()[:_DROPPED_CHARS], "prose"))
            continue
        line = replace(line, day=line.day or day)
        if line.indented and found:
            found[-1] = replace(found[-1], children=(*found[-1].children, line))
        else:
            found.append(line)
    return found


def _continued(line: ReplyLine, words: str) -> ReplyLine:
    """A note that the model broke over two lines, put together again; citations may stand in the second."""
    rest = line_from_text(f"- {words}")
    if rest is None:
        return line
    text = f"{line.text} {rest.text}".strip()
    return replace(line, text=text, cites=line.cites or rest.cites)


def _without_loops(lines: list[ReplyLine], dropped: list[Dropped]) -> Reply:
    """Each line once; endless variations of one line cut off; everything distinct kept (R065)."""
    seen: set[tuple[str, str]] = set()
    texts: Counter[str] = Counter()
    shapes: Counter[str] = Counter()
    kept: list[ReplyLine] = []
    for line in map(_bounded, lines):
        text = " ".join(line.text.casefold().split())
        shape = re.sub(r"\d+", "0", text)
        texts[text] += 1
        shapes[shape] += 1
        repeats = (line.time, text) in seen and not line.children
        if repeats or texts[text] > _SAME_TEXT or shapes[shape] > _SAME_SHAPE or len(kept) >= MAX_NOTES:
            dropped.append(Dropped(line.text[:_DROPPED_CHARS], "loop"))
            continue
        seen.add((line.time, text))
        kept.append(replace(line, children=_unique_children(line.children)))
    loops = sum(one.reason == "loop" for one in dropped)
    return Reply(tuple(kept), dropped=_few(dropped), looped=loops > len(kept))


def _unique_children(children: tuple[ReplyLine, ...]) -> tuple[ReplyLine, ...]:
    unique: dict[str, ReplyLine] = {}
    for child in children:
        unique.setdefault(child.text.casefold(), _bounded(child))
    return tuple(unique.values())[:MAX_NOTES]


def _bounded(line: ReplyLine) -> ReplyLine:
    text = line.text[:_SCAN_CHARS]
    if len(text) > 80:
        text = _STAMMER.sub(r"\1", text)
    if len(text) > MAX_LINE_CHARS:
        text = text[: MAX_LINE_CHARS - 1].rsplit(" ", 1)[0] + "…"
    return line if text == line.text else replace(line, text=text)


def _few(dropped: list[Dropped]) -> tuple[Dropped, ...]:
    """Each dropped line once, and not more of them than anybody reads."""
    return tuple(dict.fromkeys(dropped))[:_MAX_DROPPED]
