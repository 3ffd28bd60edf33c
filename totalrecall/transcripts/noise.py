"""Which events are somebody's words, and why the others are not: a pure step over the stream.

Judged by origin, record type and known envelopes; never by vocabulary (R042). What one step must tell the
next is in the carry.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from totalrecall.domain.event import BadRecord, Event, EventKind, Record, Role, ToolCall
from totalrecall.domain.state import SkipReason
from totalrecall.transcripts.carry import Carry, call_hash, is_repeat, remember, with_pending
from totalrecall.transcripts.envelopes import Unwrapped, unwrap, without_directives
from totalrecall.transcripts.machine_talk import (
    begins_own_call,
    command_words,
    machine_reason,
    silent_reason,
)

_OWN_FILE = re.compile(
    r"(?:^|[/\s\"'])(?:MEMORY\.md|SESSION_STATE\.md|user_profile\.json|memory/(?:[\w.-]+/)*[\w.-]+\.(?:md|jsonl?))"
    r"(?=$|[\s\"':#])"
)
_READERS = frozenset({"read", "read_file", "view", "memory_get"})
_SEARCHES = frozenset({"memory_search", "memory_recall"})
_SHELLS = frozenset({"exec", "bash", "shell"})
_SHELL_READ = re.compile(r"(?:cat|head|tail|less|more|bat|grep|rg|sed -n|wc)\b[^;&|>`$]*\Z")


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """What the caller knows about the whole session.

    Attributes:
        session_reason: why every message is skipped (machine session, group off, excluded); None to read.
        group: several people talk; messages get their sender's name in front.
        off_the_record: the marker that keeps a message and its exchange out of memory; "" for none.
    """

    session_reason: SkipReason | None = None
    group: bool = False
    off_the_record: str = "#offtherecord"


@dataclass(frozen=True, slots=True)
class Keep:
    """Somebody's words: without envelopes, and the words of others that were quoted in them."""

    text: str
    quoted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Skip:
    """A message that is not given to the engine, counted under its reason."""

    reason: SkipReason


@dataclass(frozen=True, slots=True)
class NotSpeech:
    """No message at all. ``tools`` is True when its tool calls or result belong to the talk."""

    tools: bool = False


Verdict = Keep | Skip | NotSpeech
_NO_SPEECH = NotSpeech()


def classify(event: Event, carry: Carry, facts: SessionFacts) -> tuple[Verdict, Carry]:
    """What ``event`` is, and the carry for the next one. Total and deterministic."""
    if event.at_ms is not None:
        carry = replace(carry, last_ms=event.at_ms)
    if event.kind is EventKind.RESET:
        return _NO_SPEECH, replace(carry, turn=None, answered=False, read_own=False, did_other=False)
    if event.kind is EventKind.TOOL:
        return _tool_result(event, carry, facts)
    if event.kind is not EventKind.MESSAGE:
        return _NO_SPEECH, carry
    if event.role is Role.USER:
        return _user(event, carry, facts)
    return _assistant(event, carry, facts)


def _tool_result(event: Event, carry: Carry, facts: SessionFacts) -> tuple[Verdict, Carry]:
    result = event.tool_result
    if result is not None and carry.pending:
        mark = call_hash(result.call_id)
        if mark in carry.pending:
            rest = tuple(item for item in carry.pending if item != mark)
            return _NO_SPEECH, replace(carry, pending=rest)
    return NotSpeech(tools=_is_talk(carry, facts)), carry


def _is_talk(carry: Carry, facts: SessionFacts) -> bool:
    return carry.turn is None and not carry.own_call and facts.session_reason is None


def _user(event: Event, carry: Carry, facts: SessionFacts) -> tuple[Verdict, Carry]:
    words = unwrap(event.text)
    if not carry.started:
        carry = replace(carry, started=True, own_call=begins_own_call(words.text))
    turn = replace(carry, turn=None, answered=False, read_own=False, did_other=False)
    if not words.text and not words.quoted and not words.injected:
        return _NO_SPEECH, turn
    reason = _whole_session(carry, facts) or machine_reason(event, words.text)
    if reason is None and _off_the_record(words, facts):
        reason = SkipReason.OFF_THE_RECORD
    if reason is None and (said := command_words(event, words.text)) is not None:
        words = replace(words, text=said)
        reason = SkipReason.COMMAND if not said else None
    whole = "\n".join((words.text, *words.quoted))
    if reason is SkipReason.OFF_THE_RECORD:  # a cut copy of it has lost its marker, and is still a repeat
        turn = remember(turn, Role.USER, whole, carry.last_ms)
    if reason is not None:
        return Skip(reason), replace(turn, turn=reason)
    if not words.text and not words.quoted:
        return Skip(SkipReason.INJECTED_MEMORY), turn
    if is_repeat(carry, Role.USER, whole, carry.last_ms):
        return Skip(SkipReason.DUPLICATE), turn
    text = f"{words.sender}: {words.text}" if facts.group and words.sender and words.text else words.text
    return Keep(text, words.quoted), remember(turn, Role.USER, whole, carry.last_ms)


def _whole_session(carry: Carry, facts: SessionFacts) -> SkipReason | None:
    return SkipReason.OWN_CALL if carry.own_call else facts.session_reason


def _off_the_record(words: Unwrapped, facts: SessionFacts) -> bool:
    marker = facts.off_the_record.casefold()
    return bool(marker) and any(marker in part.casefold() for part in (words.text, *words.quoted))


def _assistant(event: Event, carry: Carry, facts: SessionFacts) -> tuple[Verdict, Carry]:
    text = without_directives(event.text)
    verdict, after = _assistant_words(event, text, carry, facts)
    if not event.tool_calls:
        return verdict, after
    after = _note_calls(event.tool_calls, after)
    if isinstance(verdict, NotSpeech):
        reads_only = all(_reads_own_memory(call) for call in event.tool_calls)
        return NotSpeech(tools=_is_talk(after, facts) and not reads_only), after
    return verdict, after


def _assistant_words(event: Event, text: str, carry: Carry, facts: SessionFacts) -> tuple[Verdict, Carry]:
    if not text:
        return _NO_SPEECH, carry
    carry = replace(carry, started=True)
    reason = _whole_session(carry, facts) or silent_reason(event, text)
    if reason is None and facts.off_the_record and facts.off_the_record.casefold() in text.casefold():
        reason = SkipReason.OFF_THE_RECORD
    reason = reason or carry.turn
    if reason is not None:
        return Skip(reason), carry
    mirror = event.origin.model == "delivery-mirror"
    if (mirror and carry.answered) or is_repeat(carry, Role.ASSISTANT, text, carry.last_ms):
        return Skip(SkipReason.DUPLICATE), carry
    if carry.read_own and not carry.did_other and not event.tool_calls:
        return Skip(SkipReason.INJECTED_MEMORY), replace(carry, answered=True)
    return Keep(text), remember(replace(carry, answered=True), Role.ASSISTANT, text, carry.last_ms)


def _note_calls(calls: tuple[ToolCall, ...], carry: Carry) -> Carry:
    """``carry`` after these calls: which results to expect from our files, what else the turn did."""
    own = tuple(call.call_id for call in calls if _reads_own_memory(call))
    carry = replace(
        carry,
        read_own=carry.read_own or bool(own),
        did_other=carry.did_other or len(own) < len(calls),
    )
    return with_pending(carry, own) if own else carry


def _reads_own_memory(call: ToolCall) -> bool:
    """True when the call does nothing but read what we or the agent wrote down to remember (R041)."""
    name = call.name.casefold()
    if name in _SEARCHES:
        return True
    if name in _READERS:
        return _OWN_FILE.search(call.target) is not None
    if name in _SHELLS:
        return _SHELL_READ.match(call.target) is not None and _OWN_FILE.search(call.target) is not None
    return False


def abandoned(records: Iterable[Record]) -> set[str]:
    """The ids of entries that a ``leaf`` in the same stretch of a transcript left behind.

    A leaf moves the branch back to its target; what descends from the target and was written before the leaf
    is no longer part of the talk. An entry whose way back to the target lies outside the stretch is not
    abandoned: rather a dead branch noted than a message lost. A later leaf can bring entries back.
    """
    parents: dict[str, str] = {}
    gone: set[str] = set()
    for record in records:
        event = record.body
        if isinstance(event, BadRecord):
            continue
        if event.kind is EventKind.LEAF and event.target_id:
            gone |= _descendants(event.target_id, parents)
            gone -= _way_up(event.target_id, parents)
        elif event.entry_id and event.entry_id not in parents:
            parents[event.entry_id] = event.parent_id
    return gone


def _way_up(entry: str, parents: dict[str, str]) -> set[str]:
    """``entry`` and everything it follows, as far as the stretch shows."""
    way: set[str] = set()
    while entry and entry not in way:
        way.add(entry)
        entry = parents.get(entry, "")
    return way


def _descendants(ancestor: str, parents: dict[str, str]) -> set[str]:
    """Everything that follows ``ancestor``; parents are written before their children."""
    found: set[str] = set()
    for entry, parent in parents.items():
        if entry != ancestor and (parent == ancestor or parent in found):
            found.add(entry)
    return found
