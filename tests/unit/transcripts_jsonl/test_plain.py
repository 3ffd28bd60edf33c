"""The fast way of reading a line gives what the patient way gives, or leaves the line to it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contracts.store_contract import Entry, message_entry
from tests.unit.transcripts_jsonl.agent import lines
from totalrecall.domain.event import Event
from totalrecall.transcripts.dialects.openclaw import events_from_line
from totalrecall.transcripts.dialects.plain import plain_event

WORDS = st.text(alphabet=st.sampled_from('ab \n\t\r"\\é😀\u2028\u200b\x00\x1b\x7f{}[]:,'), max_size=12)
NAMES = st.sampled_from(["exec", "read", "", "na\tme"]) | WORDS
ODD = st.sampled_from([None, 0, -1, 1.5, True, [], {}, "x", ["x"], {"text": "x"}])
LONG = st.sampled_from(["", "long text " * 400, 'quoted "words"\n' * 300, '{"type":"message"' * 200])
TIMES = st.sampled_from(
    [
        "2026-02-14T09:01:00.000Z",
        "2026-02-14T09:01:00.9999Z",
        "2026-02-14T09:01:00+05:30",
        "1999-12-31T23:59:59Z",
        "2100-01-01T00:00:00Z",
        "2026-02-14 09:01",
        "2026-02-14",
        "soon",
        "1771059660000",
    ]
)


def mostly(usual: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    """Usual values, and now and then one of a wrong type."""
    return st.integers(0, 19).flatmap(lambda number: usual if number else ODD)


PARTS = st.lists(
    mostly(
        st.one_of(
            st.fixed_dictionaries(
                {"type": st.just("text"), "text": mostly(st.builds(str.__add__, WORDS, LONG))}
            ),
            st.fixed_dictionaries({"type": st.just("thinking"), "thinking": WORDS}),
            st.fixed_dictionaries({"type": st.sampled_from(["image", "later", "input_text"]), "data": WORDS}),
            st.fixed_dictionaries(
                {"type": st.just("toolCall"), "id": mostly(NAMES), "name": mostly(NAMES)},
                optional={"arguments": mostly(st.fixed_dictionaries({"command": mostly(WORDS)}))},
            ),
        )
    ),
    max_size=3,
)
SPEECH = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "system"]), "content": mostly(PARTS | WORDS)},
    optional={
        "provider": mostly(NAMES),
        "model": mostly(NAMES),
        "stopReason": mostly(NAMES),
        "usage": st.just({"input": 1, "cost": {"total": 0}}),
        "excludeFromContext": mostly(st.booleans()),
        "provenance": mostly(st.just({"kind": "internal_system", "sourceTool": "cron"})),
        "openclawAbort": mostly(st.just({})),
    },
)
RESULTS = st.fixed_dictionaries(
    {"role": st.just("toolResult"), "toolCallId": mostly(NAMES), "toolName": mostly(NAMES), "content": PARTS},
    optional={
        "details": mostly(
            st.fixed_dictionaries(
                {},
                optional={
                    "status": mostly(st.sampled_from(["completed", "failed", "Error", "ok", "running"])),
                    "exitCode": mostly(st.integers(0, 2)),
                    "timedOut": mostly(st.booleans()),
                    "aggregated": LONG,
                },
            )
        ),
        "isError": mostly(st.booleans()),
        "exitCode": mostly(st.integers(0, 2)),
        "timestamp": st.just(1),
    },
)
ENTRIES = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["message"] * 9 + ["compaction"]),
        "id": mostly(st.sampled_from(["6cfbf3f7", "a\u200b", ""])),
        "parentId": mostly(st.sampled_from(["d4752823", None])),
        "timestamp": mostly(TIMES),
        "message": mostly(SPEECH | RESULTS),
    }
)


@settings(max_examples=100, deadline=None)
@given(entry=ENTRIES, compact=st.booleans(), ascii_only=st.booleans())
def test_fast_and_patient_reading_agree(entry: Entry, compact: bool, ascii_only: bool) -> None:
    """For every record, usual or odd, the fast way gives the patient way's event or none at all."""
    separators = (",", ":") if compact else (", ", ": ")
    line = json.dumps(entry, ensure_ascii=ascii_only, separators=separators).encode("utf-8", "surrogatepass")
    event = plain_event(line)
    assert event is None or [event] == events_from_line(line)


def tool_entry(text: str, **more: object) -> Entry:
    """A tool's result as OpenClaw writes it."""
    entry = message_entry("t1", text, "toolResult")
    message = entry["message"]
    assert isinstance(message, dict)
    entry["message"] = {
        "role": "toolResult",
        "toolCallId": "call_1",
        "toolName": "exec",
        "content": message["content"],
        **more,
        "timestamp": 1,
    }
    return entry


USUAL = [
    message_entry("a", "plain words"),
    message_entry("b", 'a "quoted" line\nand another: ü 😀', "assistant"),
    tool_entry("short", details={"status": "completed", "exitCode": 0}, isError=False),
    tool_entry("long output\n" * 900, details={"status": "completed", "exitCode": 0}, isError=False),
    tool_entry("long output\n" * 900, isError=False),
    tool_entry(
        "long\n" * 900, details={"aggregated": "long\n" * 900, "list": [{"details": 1}]}, isError=False
    ),
]


@pytest.mark.parametrize("entry", USUAL, ids=range(len(USUAL)))
def test_usual_lines_are_read_the_fast_way(entry: Entry) -> None:
    """Words, tool results short and long: the fast way knows them (else it would be of no use)."""
    line = lines([entry])[:-1]
    event = plain_event(line)
    assert event is not None
    assert [event] == events_from_line(line)


@pytest.mark.parametrize(
    "more",
    [
        {"isError": True},
        {"details": {"status": "completed", "exitCode": 2}, "isError": False},
        {"details": {"status": "failed"}, "isError": False},
        {"details": {"timedOut": True}, "isError": False},
    ],
)
def test_failures_of_long_output_keep_their_error(more: Entry) -> None:
    """The first line of a failed command's long output is not skipped with its body."""
    line = lines([tool_entry("Error: disk full\n" + "at somewhere\n" * 900, **more)])[:-1]
    assert plain_event(line) is None
    (event,) = events_from_line(line)
    assert isinstance(event, Event)
    assert event.tool_result is not None
    assert "disk full" in event.tool_result.error_line


@pytest.mark.parametrize("cut", [0, 1, 40])
def test_record_glued_behind_a_long_result_is_not_skipped(cut: int) -> None:
    """A message behind a tool's result on the same line is left to the patient way, which finds it."""
    result = lines([tool_entry("out\n" * 900, details={"exitCode": 0}, isError=False)])[:-1]
    behind = lines([tool_entry("more\n" * 900, details={"exitCode": 0}, isError=False)])[:-1]
    said = lines([message_entry("said", "words " * 400)])[:-1]
    for line in (result[: len(result) - cut] + said, result[: len(result) - cut] + said + behind):
        assert plain_event(line) is None
        found = [event.entry_id for event in events_from_line(line) if isinstance(event, Event)]
        assert "said" in found
