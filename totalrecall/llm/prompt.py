"""What is sent to the model: the system text unchanged, then one message with all that changes. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from totalrecall.domain.batch import Batch, Message
from totalrecall.domain.event import Role
from totalrecall.domain.note import Note
from totalrecall.llm.engine import CompressionRequest
from totalrecall.llm.languages import language_name

# Our own calls may be recorded by the host; a session that begins with this line is never observed (R043).
OWN_CALL_MARKER = "[total-recall:own-call]"
_KNOWN_CHARS = 700
_KNOWN_NOTE_CHARS = 160
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_BREAKS = re.compile("\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ufeff]")
_LETTER = {Role.USER: "U", Role.ASSISTANT: "A"}


@dataclass(frozen=True, slots=True)
class SystemPrompt:
    """The system text, byte-stable, with the hash that is kept beside each batch."""

    text: str
    hash: str


def system_prompt(text: str) -> SystemPrompt:
    """The prompt of a file's text; line ends of other systems and a byte order mark do not change it."""
    clean = text.removeprefix("\ufeff").replace("\r\n", "\n").strip() + "\n"
    return SystemPrompt(clean, hashlib.sha256(clean.encode("utf-8", "replace")).hexdigest()[:16])


def fence_name(batch: Batch, salt: bytes) -> str:
    """A name that nobody who wrote into the talk can know; the same batch and salt give the same name.

    Stable, so that what ``--dry-run`` shows is what is sent, byte for byte, and a retry repeats the bytes.
    """
    digest = hashlib.blake2b(key=salt[:64], digest_size=5)
    digest.update(batch.marker.encode() + batch.session_id.encode("utf-8", "replace"))
    for message in batch.messages:
        digest.update(message.identity + message.text.encode("utf-8", "replace"))
    return f"talk-{digest.hexdigest()}"


def user_text(request: CompressionRequest, fence: str, answer_in: str = "") -> str:
    """The second message. ``answer_in``: a language tag to insist on; "" when the system text is enough."""
    head = [OWN_CALL_MARKER, f"Now {_moment(request.now)}"]
    wanted = answer_in or ("" if request.language == "auto" else request.language)
    if wanted:
        head.append(f"Write every note in {language_name(wanted)}.")
    if request.batch.group:
        head.append("A group chat: U is several people, not only the assistant's owner.")
    body = [f"<{fence}>"]
    body += [f"* {_flat(text, fence)}" for text in known_texts(request.known)]
    body += _talk_lines(request.batch.messages, fence)
    return "\n".join([*head, *body, f"</{fence}>"]) + "\n"


def known_texts(known: Sequence[Note]) -> list[str]:
    """The newest recorded notes that fit the room for them, oldest first, each shortened."""
    chosen: list[str] = []
    room = _KNOWN_CHARS
    for note in reversed(known):
        text = note.text if len(note.text) <= _KNOWN_NOTE_CHARS else note.text[: _KNOWN_NOTE_CHARS - 1] + "…"
        room -= len(text)
        if room < 0:
            break
        chosen.append(text)
    return chosen[::-1]


def has_words(batch: Batch) -> bool:
    """False when there is nothing to compress; then no call is made (R067)."""
    return any(m.text.strip() or m.tools or any(q.strip() for q in m.quoted) for m in batch.messages)


def _talk_lines(messages: Sequence[Message], fence: str) -> list[str]:
    lines: list[str] = []
    day, minute = None, ""
    for message in messages:
        if message.at.date() != day:
            day, minute = message.at.date(), ""
            lines.append(f"= {day.isoformat()} {_WEEKDAYS[day.weekday()]}")
        now = f"{message.at:%H:%M}"
        time = "" if now == minute else f"{now} "
        minute = now
        lines.append(
            f"{message.number} {_LETTER[message.role]} {time}{_escaped(message.text, fence)}".rstrip()
        )
        lines += [f"+ {_flat(tool, fence)}" for tool in message.tools]
        lines += [f"> {_flat(quote, fence)}" for quote in message.quoted]
    return lines


def _escaped(text: str, fence: str) -> str:
    """The words with every line but the first indented: only our own lines begin at the margin."""
    clean = _CONTROLS.sub("", text).replace(fence, "talk")
    lines = [line.rstrip() for line in _BREAKS.split(clean.strip())]
    kept = [line for at, line in enumerate(lines) if line or (at and lines[at - 1])]
    return "\n ".join(kept)


def _flat(text: str, fence: str) -> str:
    return " ".join(_CONTROLS.sub("", text).replace(fence, "talk").split())


def _moment(now: datetime) -> str:
    zone = getattr(now.tzinfo, "key", None) or f"{now:%Z}" or f"{now:%z}"
    return f"{now:%Y-%m-%d} {_WEEKDAYS[now.weekday()]} {now:%H:%M} {zone}"
