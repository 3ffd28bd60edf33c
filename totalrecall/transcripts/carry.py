"""What the reading of a session must remember across a cut, as values and as a short string.

The string stands in ``domain.cursor.Cursor.carry``. It holds hashes of texts and of call ids, never a word.
"""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass, replace

from totalrecall.domain.event import Role
from totalrecall.domain.state import SkipReason

SAME_WITHIN_MS = 120_000
"""Equal texts of one role this close together are one message sent several times (R037)."""

_VERSION = "1"
_MOST_RECENT = 8
_MOST_PENDING = 32
_SHORT_CHARS = 16
_FIRST_PREFIX_CHARS = 40
_PREFIX_GROWTH = 1.25
_PREFIX_LENGTHS = tuple(int(_FIRST_PREFIX_CHARS * _PREFIX_GROWTH**step) for step in range(28))
_CUT_SIGNS = ("…", "...", "[truncated]")


@dataclass(frozen=True, slots=True)
class SeenText:
    """A kept text by its hashes: the whole of it, and of its beginnings of growing length."""

    role: Role
    at_ms: int
    whole: str
    chars: int
    prefixes: str


@dataclass(frozen=True, slots=True)
class Carry:
    """The state between two events. The default is the state before a session's first event.

    Attributes:
        started: a message has been seen.
        own_call: the session is one of our own model calls; nothing in it is anybody's talk (R043).
        turn: why replies are skipped until the next message of the user; None in normal talk.
        answered: the assistant has said something in this turn.
        read_own: in this turn the agent read one of our memory files.
        did_other: in this turn the agent used a tool for something else.
        last_ms: the time of the last event that had one.
        recent: the last kept texts, oldest first.
        pending: hashes of the ids of calls that read our files and have no result yet.
    """

    started: bool = False
    own_call: bool = False
    turn: SkipReason | None = None
    answered: bool = False
    read_own: bool = False
    did_other: bool = False
    last_ms: int = 0
    recent: tuple[SeenText, ...] = ()
    pending: tuple[str, ...] = ()


def encode_carry(carry: Carry) -> str:
    """``carry`` as ASCII text; "" for the state before the first event."""
    if carry == Carry():
        return ""
    flags = (carry.started, carry.own_call, carry.answered, carry.read_own, carry.did_other)
    recent = ",".join(
        f"{seen.role[0]}.{seen.at_ms}.{seen.whole}.{seen.chars}.{seen.prefixes}" for seen in carry.recent
    )
    fields = (
        _VERSION,
        "".join("1" if flag else "0" for flag in flags),
        carry.turn or "",
        str(carry.last_ms),
        recent,
        ",".join(carry.pending),
    )
    return "|".join(fields)


def decode_carry(text: str) -> Carry:
    """The state that ``encode_carry`` wrote.

    Text of another version or a damaged one gives the state of an ongoing session without memory: at worst
    one reply or repeat is read that might have been skipped.
    """
    if not text:
        return Carry()
    try:
        version, flags, turn, last_ms, recent, pending = text.split("|")
        if version != _VERSION or len(flags) != 5 or not flags.isdigit():
            return Carry(started=True)
        started, own_call, answered, read_own, did_other = (flag == "1" for flag in flags)
        return Carry(
            started=started,
            own_call=own_call,
            turn=SkipReason(turn) if turn else None,
            answered=answered,
            read_own=read_own,
            did_other=did_other,
            last_ms=int(last_ms),
            recent=tuple(_decode_seen(part) for part in recent.split(",") if part),
            pending=tuple(part for part in pending.split(",") if part),
        )
    except (ValueError, KeyError):
        return Carry(started=True)


def _decode_seen(part: str) -> SeenText:
    role, at_ms, whole, chars, prefixes = part.split(".")
    return SeenText({"u": Role.USER, "a": Role.ASSISTANT}[role], int(at_ms), whole, int(chars), prefixes)


def remember(carry: Carry, role: Role, text: str, at_ms: int) -> Carry:
    """``carry`` with ``text`` among the recent ones."""
    words = _normal(text)
    seen = SeenText(role, at_ms, _hash(words, 6), len(words), _prefix_sums(words, len(words)))
    return replace(carry, recent=(*carry.recent, seen)[-_MOST_RECENT:])


def is_repeat(carry: Carry, role: Role, text: str, at_ms: int) -> bool:
    """True when ``text`` was kept from the same role less than two minutes away, or is a cut copy of it.

    A short answer ("yes") that comes again after the other side spoke is a new answer.
    """
    words = _normal(text)
    if not words:
        return False
    whole = _hash(words, 6)
    other_spoke = False
    for seen in reversed(carry.recent):
        if seen.role is not role:
            other_spoke = True
        elif abs(at_ms - seen.at_ms) > SAME_WITHIN_MS or (other_spoke and len(words) < _SHORT_CHARS):
            continue
        elif seen.whole == whole or _is_cut_copy(seen, role, text, words):
            return True
    return False


def _is_cut_copy(seen: SeenText, role: Role, text: str, words: str) -> bool:
    """True when ``words`` begin as the longer text began, as far as its beginnings are known.

    A user who sends the same beginning with another end has said something new: theirs counts as cut only
    with the mark of a cut.
    """
    marked = text.rstrip().endswith(_CUT_SIGNS)
    if role is Role.USER and not marked:
        return False
    body = _normal(text.rstrip().removesuffix("[truncated]").rstrip(".…")) if marked else words
    if len(body) >= seen.chars or len(body) < _FIRST_PREFIX_CHARS:
        return False
    if len(body) > _PREFIX_LENGTHS[-1] * _PREFIX_GROWTH:
        return False
    sums = _prefix_sums(body, len(body) + 1)
    return bool(sums) and seen.prefixes.startswith(sums)


def _prefix_sums(words: str, below_chars: int) -> str:
    """The checksums of the beginnings shorter than ``below_chars``, eight hex digits each, in one pass."""
    sums: list[str] = []
    checksum = start = 0
    for end in _PREFIX_LENGTHS:
        if end >= below_chars:
            break
        checksum = zlib.crc32(words[start:end].encode("utf-8", "surrogatepass"), checksum)
        sums.append(f"{checksum:08x}")
        start = end
    return "".join(sums)


def call_hash(call_id: str) -> str:
    """A short hash that stands for a call's id in the carry."""
    return _hash(call_id, 4)


def with_pending(carry: Carry, call_ids: tuple[str, ...]) -> Carry:
    """``carry`` waiting for the results of these calls too."""
    hashes = tuple(call_hash(call_id) for call_id in call_ids)
    return replace(carry, pending=(*carry.pending, *hashes)[-_MOST_PENDING:])


def _normal(text: str) -> str:
    """``text`` as far as it matters for being the same message: letters without case, single spaces."""
    return " ".join(text.casefold().split()).rstrip(".!… ")


def _hash(text: str, size_bytes: int) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size_bytes).hexdigest()
