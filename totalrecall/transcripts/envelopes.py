"""Taking a message out of what the host wrapped around it.

The host puts blocks before and behind a person's words: metadata, quoted messages of others, chat history,
recalled memories, media marks, the time (OpenClaw up to 2026.3 always, later versions for channels). Blocks
are recognised by their whole known shape at either end and nowhere else: a person who writes about these
words is kept whole (R040).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

_DAY_TIME = r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d)?"
_STAMP = re.compile(rf"\[(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) {_DAY_TIME}[^\]\n]{{0,40}}\][ \t]*")
_CHANNELS = (
    "WhatsApp|Telegram|Signal|Slack|Discord|iMessage|BlueBubbles|Matrix|WebChat|Google ?Chat|(?:MS )?Teams"
)
_CHANNEL = re.compile(rf"\[(?:{_CHANNELS})\b[^\]\n]{{0,240}}?{_DAY_TIME}[^\]\n]{{0,40}}\][ \t]*")
_SYSTEM_LINE = re.compile(rf"System(?: \(untrusted\))?: \[{_DAY_TIME}[^\]\n]{{0,40}}\][^\n]*(?:\n+|\Z)")
_MEDIA = re.compile(
    r"\[media attached(?: \d+/\d+)?: [^\n]*\](?:\n|\Z)"
    r"(?:To send an image back, prefer the message tool[^\n]*(?:\n|\Z))?"
)
_FENCED = re.compile(
    r"(?P<label>[A-Z][A-Za-z ]{2,60}) \((?P<trust>untrusted[^)\n]{0,60})\):[ \t]*\n"
    r"```(?:json)?[ \t]*\n(?P<body>.*?)\n?```[ \t]*(?:\n+|\Z)",
    re.DOTALL,
)
_FENCED_LABEL = re.compile(r"^[A-Z][A-Za-z ]{2,60} \(untrusted[^)\n]{0,60}\):[ \t]*$", re.MULTILINE)
_INTERNAL = ("<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>", "<<<END_OPENCLAW_INTERNAL_CONTEXT>>>")
_MEMORY_TAG = re.compile(
    r"<(?P<tag>(?:relevant|recalled|retrieved|injected|active|long[-_]term|user|hindsight|openviking)"
    r"[-_](?:memory|memories)(?:[-_]\w+)*|(?:supermemory|mem0|memory|memories)[-_](?:context|recall)|total-recall"
    r"|recalled-context)(?: [^>\n]{0,120})?>",
)
_UNTRUSTED_LABEL = re.compile(r"Untrusted context \(metadata[^)\n]*\):[ \t]*\n+")
_EXTERNAL = re.compile(
    r"<<<(?P<name>EXTERNAL_UNTRUSTED_CONTENT)(?P<id>[^>\n]{0,80})>>>\n(?P<body>.*?)\n<<<END_(?P=name)[^>\n]{0,80}>>>",
    re.DOTALL,
)
_CLOCK = re.compile(
    r"(?:\A|\n+)Current time: (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, [^\n]*\d{4}[^\n]*"
    rf"(?:\nReference UTC: {_DAY_TIME}[^\n]*)?\Z"
)
_MESSAGE_ID = re.compile(r"(?:\A|\n)\[message_id: [^\]\n]{1,120}\]\Z")
_REPLYING = re.compile(
    r"(?:\A|\n+)\[Replying to [^\]\n]{1,200}\]\n(?P<body>.*?)\n?\[/Replying\]\Z", re.DOTALL
)
_HISTORY = re.compile(
    r"\[Chat messages since your last reply - for context\]\n(?P<body>.*?)\n*"
    r"\[Current message - respond to this\][ \t]*\n?",
    re.DOTALL,
)
_FORWARDED = re.compile(r"\[Forwarded from [^\]\n]{1,200}\][ \t]*\n?(?P<body>.+)\Z", re.DOTALL)
_DIRECTIVE = re.compile(r"\[\[(?:reply_to_current|reply_to: ?[^\]\n]{1,80}|audio_as_voice)\]\][ \t]*\n?")
# Blocks with these labels hold facts about the transport; every other fenced block holds words of others.
_METADATA_LABELS = frozenset({"sender", "conversation info", "system", "location", "structured object"})
_BODY_KEYS = ("body", "text", "content", "caption", "message")


@dataclass(frozen=True, slots=True)
class Unwrapped:
    """What a person really wrote.

    Attributes:
        text: the words without known blocks at either end.
        quoted: words of other people that the blocks carried (a replied-to message, history, a forward).
        injected: True when recalled memory had been put around the words.
        sender: who wrote it, as the host's metadata names them, "" when it does not.
    """

    text: str
    quoted: tuple[str, ...] = ()
    injected: bool = False
    sender: str = ""


def unwrap(text: str) -> Unwrapped:
    """``text`` without the blocks around it. Never raises; what is no known block stays as it is."""
    found = Unwrapped(text.strip())
    if not _may_be_wrapped(found.text):
        return found
    while True:
        shorter = _without_front(found) or _without_end(found)
        if shorter is None:
            return found
        found = replace(shorter, text=shorter.text.strip())


def without_directives(text: str) -> str:
    """An assistant's text without the delivery directives OpenClaw's agents put before or behind it."""
    text = text.strip()
    while text.startswith("[[") and (mark := _DIRECTIVE.match(text)):
        text = text[mark.end() :].lstrip()
    if text.endswith("]]"):
        head, _, last = text.rpartition("[[")
        if _DIRECTIVE.fullmatch("[[" + last):
            text = head.rstrip()
    return text


def _may_be_wrapped(text: str) -> bool:
    """A cheap look that says yes to every wrapped text and no to nearly all others."""
    return (
        text[:1] in "[<"
        or text[-1:] in "]>`"
        or "untrusted" in text
        or "\nCurrent time: " in text
        or (text.startswith(("System", "Current time: ", "Untrusted context")))
        or "Reference UTC: " in text
    )


def _without_front(found: Unwrapped) -> Unwrapped | None:
    """``found`` without its first block; None when it begins with none."""
    text = found.text
    for pattern in (_STAMP, _CHANNEL, _SYSTEM_LINE, _MEDIA, _UNTRUSTED_LABEL):
        mark = pattern.match(text)
        if mark:
            return replace(found, text=text[mark.end() :])
    if text.startswith(_INTERNAL[0]) and (end := text.find(_INTERNAL[1])) >= 0:
        return replace(found, text=text[end + len(_INTERNAL[1]) :])
    if memory := _MEMORY_TAG.match(text):
        closing = f"</{memory['tag']}>"
        end = text.find(closing, memory.end())
        return replace(found, text=text[end + len(closing) :], injected=True) if end >= 0 else None
    if fenced := _FENCED.match(text):
        return replace(_with_fenced(found, fenced), text=text[fenced.end() :])
    for pattern in (_HISTORY, _EXTERNAL, _FORWARDED):
        mark = pattern.match(text)
        if mark:
            return replace(found, text=text[mark.end() :], quoted=(*found.quoted, *_some(mark["body"])))
    return None


def _without_end(found: Unwrapped) -> Unwrapped | None:
    """``found`` without its last block; None when it ends with none."""
    text = found.text
    for pattern in (_CLOCK, _MESSAGE_ID):
        mark = pattern.search(text, max(0, len(text) - 600))
        if mark:
            return replace(found, text=text[: mark.start()])
    if text.endswith("]"):
        opening = text.rfind("[Replying to ") if text.endswith("[/Replying]") else -1
        if opening >= 0 and (mark := _REPLYING.match(text, max(opening - 1, 0))):
            return replace(found, text=text[: mark.start()], quoted=(*found.quoted, *_some(mark["body"])))
        head, _, last = text.rpartition("\n")
        if head and _MEDIA.fullmatch(last):
            return replace(found, text=head)
    if text.endswith("```"):
        return _without_last_fence(found)
    return _without_last_span(found) if text.endswith(">") else None


def _without_last_fence(found: Unwrapped) -> Unwrapped | None:
    """``found`` without a labelled fenced block at its end."""
    for label in reversed(list(_FENCED_LABEL.finditer(found.text))):
        fenced = _FENCED.fullmatch(found.text, label.start())
        if fenced and "\n```" not in fenced["body"]:
            return replace(_with_fenced(found, fenced), text=found.text[: label.start()])
    return None


def _without_last_span(found: Unwrapped) -> Unwrapped | None:
    """``found`` without a tagged block at its end (memory, internal context, untrusted content)."""
    text = found.text
    if text.endswith(_INTERNAL[1]) and (start := text.rfind(_INTERNAL[0])) >= 0:
        return replace(found, text=text[:start])
    for memory in _MEMORY_TAG.finditer(text):
        closing = f"</{memory['tag']}>"
        if text.endswith(closing) and text.find(closing, memory.end()) == len(text) - len(closing):
            return replace(found, text=text[: memory.start()], injected=True)
    opening = text.rfind("<<<EXTERNAL_UNTRUSTED_CONTENT")
    if opening >= 0 and (external := _EXTERNAL.fullmatch(text, opening)):
        head = text[: external.start()].rstrip()
        label = head.rpartition("\n")[2]
        if _UNTRUSTED_LABEL.fullmatch(label + "\n"):
            head = head[: -len(label)]
        return replace(found, text=head, quoted=(*found.quoted, *_some(external["body"])))
    return None


def _with_fenced(found: Unwrapped, fenced: re.Match[str]) -> Unwrapped:
    """``found`` with what a fenced block tells: the sender of metadata, or the words of others."""
    body = fenced["body"]
    try:
        value: Any = json.loads(body, strict=False)
    except (ValueError, RecursionError):
        value = None
    label = fenced["label"].lower()
    if label in _METADATA_LABELS:
        return replace(found, sender=found.sender or _sender(value))
    words = tuple(_words_of_others(value)) if value is not None else _some(body)
    return replace(found, quoted=(*found.quoted, *words))


def _sender(value: Any) -> str:
    """The name in a metadata block; a name the command line makes up for itself is none."""
    if not isinstance(value, dict):
        return ""
    for key in ("sender", "name", "label", "username"):
        name = value.get(key)
        if isinstance(name, dict):
            name = name.get("name") or name.get("label")
        if isinstance(name, str) and name.strip() and name.strip().lower() != "cli":
            return " ".join(name.split())[:80]
    return ""


def _words_of_others(value: Any, depth: int = 0) -> Iterator[str]:
    """``Name: words`` for every message in a block's JSON."""
    if isinstance(value, list) and depth < 4:
        for item in value:
            yield from _words_of_others(item, depth + 1)
    elif isinstance(value, str):
        yield from _some(value)
    elif isinstance(value, dict) and depth < 4:
        body = next((value[key] for key in _BODY_KEYS if isinstance(value.get(key), str)), None)
        if body is None:
            for item in value.values():
                if isinstance(item, (list, dict)):
                    yield from _words_of_others(item, depth + 1)
        else:
            name = _sender(value)
            yield from _some(f"{name}: {body}" if name else body)


def _some(text: str) -> tuple[str, ...]:
    stripped = text.strip()
    return (stripped,) if stripped else ()
