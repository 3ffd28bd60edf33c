"""From classified events to the messages of batches: pure, oldest first, nothing left behind."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, tzinfo

from totalrecall.domain.batch import Message
from totalrecall.domain.event import Event, Role
from totalrecall.transcripts.carry import Carry
from totalrecall.transcripts.noise import Keep, NotSpeech, Verdict
from totalrecall.transcripts.tool_lines import ToolLines

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MARK_CHARS = 60
_QUOTED_SHARE = 4
_MOST_QUOTED = 8


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """How much goes into one call.

    Attributes:
        messages: messages of a batch at most.
        chars: characters of texts, quoted parts and tool lines at most; one message alone may be more.
        message_chars: a longer text is shortened to this, head and tail.
    """

    messages: int = 40
    chars: int = 24_000
    message_chars: int = 4_000


@dataclass(frozen=True, slots=True)
class View:
    """How messages are shown to an engine.

    Attributes:
        zone: the user's zone.
        screen: removes secrets; it sees each text whole, before anything is cut from it.
        fallback_at: the time (aware) of messages before the first one that has a time.
    """

    zone: tzinfo
    screen: Callable[[str], str]
    fallback_at: datetime


@dataclass(frozen=True, slots=True)
class Classified:
    """One event with its verdict and its place.

    Attributes:
        event: the event.
        verdict: what ``noise.classify`` said.
        identity: of ``domain.identity``.
        start: where its record begins; objects glued into one line share it.
        end: where reading goes on after its record.
        carry: the state after it.
    """

    event: Event
    verdict: Verdict
    identity: bytes
    start: int
    end: int
    carry: Carry


@dataclass(frozen=True, slots=True)
class PlannedBatch:
    """Messages for one call and how far the transcript is dealt with once they are noted.

    Attributes:
        messages: numbered from 1; empty when the rest of a transcript holds nothing to note.
        end: where reading goes on.
        carry: the state there.
        events: how many events it covers, the skipped ones with it.
    """

    messages: tuple[Message, ...]
    end: int
    carry: Carry
    events: int


@dataclass(slots=True)
class _Open:
    """The batch that is being filled."""

    messages: list[Message] = field(default_factory=list)
    tools: ToolLines = field(default_factory=ToolLines)
    chars: int = 0
    events: int = 0
    first_tool: Classified | None = None
    last: Classified | None = None


def plan_batches(items: Iterable[Classified], limits: BatchLimits, view: View) -> Iterator[PlannedBatch]:
    """The batches of a session, oldest first, each made only when it is asked for.

    Every event is in exactly one batch, and a message is never split. A batch has at least one message, but
    for the last, which carries what was read without anything to note. The tool calls between two messages
    become lines of the earlier one; where a batch begins with them, of a wordless message of the assistant.
    """
    batch = _Open()
    at = view.fallback_at.astimezone(view.zone)
    for item in items:
        if item.event.at_ms is not None:
            at = (_EPOCH + timedelta(milliseconds=item.event.at_ms)).astimezone(view.zone)
        if isinstance(item.verdict, Keep):
            message = _message(item, item.verdict, at, limits, view)
            size = _chars(message)
            _attach_tools(batch, at, view)
            if _is_full(batch, size, item, limits):
                yield _planned(batch)
                batch = _Open()
            batch.messages.append(replace(message, number=len(batch.messages) + 1))
            batch.chars += size
        _collect_tools(batch, item)
        batch.events += 1
        batch.last = item
    if batch.last is not None:
        _attach_tools(batch, at, view)
        yield _planned(batch)


def plan_batch(items: Iterable[Classified], limits: BatchLimits, view: View) -> PlannedBatch | None:
    """The first batch of ``plan_batches``; None when there are no events."""
    return next(plan_batches(items, limits, view), None)


def batch_marker(session_id: str, identities: Iterable[bytes]) -> str:
    """Eight hex digits that these messages of this session always get."""
    digest = hashlib.blake2b(session_id.encode("utf-8", "surrogatepass"), digest_size=4)
    for identity in identities:
        digest.update(b"\0" + identity)
    return digest.hexdigest()


def shorten(text: str, limit_chars: int) -> str:
    """``text`` in at most ``limit_chars``: head and tail, with a mark that says how much is missing.

    The tail gets more room than the head: the deadline or the question often stands at the end (R018).
    """
    if len(text) <= limit_chars:
        return text
    room = max(limit_chars - _MARK_CHARS, 2)
    head = text[: room * 2 // 5]
    tail = text[len(text) - (room - len(head)) :]
    head = head[: cut + 1] if (cut := head.rfind(" ")) > len(head) * 3 // 4 else head
    tail = tail[cut:] if 0 <= (cut := tail.find(" ")) < len(tail) // 4 else tail
    left_out = len(text) - len(head) - len(tail)
    return f"{head.rstrip()}\n[… {left_out:,} characters left out …]\n{tail.lstrip()}"


def _message(item: Classified, kept: Keep, at: datetime, limits: BatchLimits, view: View) -> Message:
    quoted_chars = max(limits.message_chars // _QUOTED_SHARE, _MARK_CHARS * 2)
    quoted = [shorten(view.screen(part), quoted_chars) for part in kept.quoted]
    if len(quoted) > _MOST_QUOTED:
        quoted = quoted[-_MOST_QUOTED:]
    return Message(
        number=0,
        identity=item.identity,
        role=item.event.role or Role.ASSISTANT,
        at=at,
        text=shorten(view.screen(kept.text), limits.message_chars),
        quoted=tuple(quoted),
        position=item.start,
    )


def _chars(message: Message) -> int:
    return len(message.text) + sum(map(len, message.quoted)) + sum(map(len, message.tools))


def _is_full(batch: _Open, size: int, item: Classified, limits: BatchLimits) -> bool:
    """True when the batch must be closed before a message of that size."""
    if not any(message.text or message.quoted for message in batch.messages):
        return False
    if batch.last is not None and batch.last.start == item.start:
        return False  # glued to the record before it: a cursor cannot stand between them
    return len(batch.messages) >= limits.messages or batch.chars + size > limits.chars


def _collect_tools(batch: _Open, item: Classified) -> None:
    """Take the calls and the result of this event, if they belong to the talk."""
    verdict = item.verdict
    if not (isinstance(verdict, Keep) or (isinstance(verdict, NotSpeech) and verdict.tools)):
        return
    for call in item.event.tool_calls:
        batch.tools.call(call)
    if item.event.tool_result is not None:
        batch.tools.result(item.event.tool_result)
    if batch.first_tool is None and not batch.messages:
        batch.first_tool = item


def _attach_tools(batch: _Open, at: datetime, view: View) -> None:
    """Give the collected lines to the last message, or to a wordless one if the batch begins with them."""
    lines = batch.tools.take(view.screen)
    if not lines:
        return
    if batch.messages:
        last = batch.messages[-1]
        batch.messages[-1] = replace(last, tools=last.tools + lines)
    elif batch.first_tool is not None:
        item = batch.first_tool
        ms = item.event.at_ms
        then = at if ms is None else (_EPOCH + timedelta(milliseconds=ms)).astimezone(view.zone)
        batch.messages.append(Message(1, item.identity, Role.ASSISTANT, then, "", lines, (), item.start))
    batch.chars += sum(map(len, lines))


def _planned(batch: _Open) -> PlannedBatch:
    messages = batch.messages
    if not any(message.text or message.quoted for message in messages):
        messages = []  # tool calls alone are nothing to ask a model about
    last = batch.last
    return PlannedBatch(
        tuple(messages),
        0 if last is None else last.end,
        Carry() if last is None else last.carry,
        batch.events,
    )
