"""The dialect: every shape of record becomes an event or a counted bad record."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.transcripts_pure.lines import START_MS, assistant, entry, event, line, result, user
from totalrecall.domain.event import BadRecord, Event, EventKind, Role, ToolCall
from totalrecall.transcripts.dialects.openclaw import event_from_entry, events_from_line

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
FIELDS = ("type", "id", "parentId", "timestamp", "message", "targetId", "cwd")
MESSAGE_FIELDS = (
    "role",
    "content",
    "timestamp",
    "provenance",
    "details",
    "isError",
    "toolCallId",
    "stopReason",
)
ROLES = st.sampled_from(["user", "assistant", "toolResult", "system", "custom", "later"])
MESSAGES = st.fixed_dictionaries(
    {"role": ROLES | JSON}, optional={name: JSON for name in MESSAGE_FIELDS if name != "role"}
)
ENTRIES = st.fixed_dictionaries(
    {"type": st.just("message") | JSON, "message": MESSAGES | JSON},
    optional={name: JSON for name in FIELDS if name not in {"type", "message"}},
)


@settings(max_examples=100)
@given(JSON | ENTRIES)
def test_any_json_value_becomes_an_event_or_a_bad_record(value: object) -> None:
    """Whatever JSON holds, the answer is an event with clean text or a reason."""
    found = event_from_entry(value)
    if isinstance(found, BadRecord):
        assert found.reason
    else:
        found.text.encode()
        assert (
            len(found.text.splitlines()) == len(found.text.rstrip("\n").split("\n")) or not found.text.strip()
        )


@settings(max_examples=100)
@given(st.binary(max_size=200) | ENTRIES.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_give_events_or_bad_records(raw: bytes) -> None:
    """No line raises, and only a blank one gives nothing."""
    found = events_from_line(raw)
    assert found or not raw.removeprefix(b"\xef\xbb\xbf").strip(b" \t\r\n\0")


@pytest.mark.report("R019")
@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("plain", "plain"),
        (None, ""),
        ([], ""),
        (17, "17"),
        ({"type": "text", "text": "object"}, "object"),
        (["bare", {"type": "text", "text": "part"}, {"type": "text"}, None, 7], "bare\npart"),
        ([{"type": "input_text", "text": "typed"}], "typed"),
        (
            [{"type": "image", "data": "aGk=", "mimeType": "image/png"}, {"type": "text", "text": "caption"}],
            "caption",
        ),
        (
            [{"type": "thinking", "thinking": "hidden", "text": "hidden"}, {"type": "text", "text": "said"}],
            "said",
        ),
        ([{"type": "text", "text": None}, {"text": "no type"}], "no type"),
    ],
)
def test_words_come_from_every_shape_of_content(content: object, words: str) -> None:
    """Human text is kept from strings, lists, objects and parts; thinking and images never are."""
    assert event(entry(1, "user", content)).text == words


@pytest.mark.report("R019")
def test_missing_content_and_failed_answers_are_events_without_words() -> None:
    """A turn that ended in an error has no words and does not break the reading."""
    bare = entry(1, "assistant", [], stopReason="error", errorMessage="429")
    del bare["message"]["content"]
    found = event(bare)
    assert (found.kind, found.text, found.origin.stop_reason) == (EventKind.MESSAGE, "", "error")


@pytest.mark.parametrize(
    ("stamp", "at_ms"),
    [
        ("2026-02-14T12:00:00.000Z", START_MS),
        ("2026-02-14T12:00:00Z", START_MS),
        ("2026-02-14T14:00:00.250+02:00", START_MS + 250),
        ("2026-02-14 12:00:00", START_MS),
        (START_MS, START_MS),
        (START_MS // 1_000, START_MS),
        (START_MS * 1_000, START_MS),
        (str(START_MS), START_MS),
        (START_MS / 1_000 + 0.5, START_MS + 500),
        ("nonsense", None),
        ("", None),
        (-1, None),
        (True, None),
        (12, None),
        ("9999-12-31T23:59:59Z", None),
        ([1], None),
    ],
)
def test_every_form_of_time_is_read(stamp: object, at_ms: int | None) -> None:
    """ISO and numbers of any unit are read; what is no time between 2000 and 2100 is no time."""
    value = user(1, "hi")
    value["timestamp"] = stamp
    del value["message"]["timestamp"]
    assert event(value).at_ms == at_ms


def test_the_entrys_time_wins_over_the_messages() -> None:
    """The message's own time is used only when the entry has none that is usable."""
    value = user(1, "hi")
    value["message"]["timestamp"] = START_MS + 500_000
    assert event(value).at_ms == START_MS + 1_000
    value["timestamp"] = "later"
    assert event(value).at_ms == START_MS + 500_000


@pytest.mark.report("R013")
@pytest.mark.report("R017")
@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"undefined", "not_json"),
        (b"null", "not_an_object"),
        (b"42", "not_an_object"),
        (b"[]", "not_an_object"),
        (b'"text"', "not_an_object"),
        (b"{}", "no_type"),
        (b'{"type":"message","id":"1"}', "no_message"),
        (b'{"type":"message","id":"1","parentId":', "not_json"),
        (b"[" * 100_000, "too_deep"),
        (b'{"a":' * 50_000, "too_deep"),
    ],
)
def test_a_line_that_is_no_record_is_counted_with_its_reason(raw: bytes, reason: str) -> None:
    """A bad line is one bad record with a hash and the size, never an exception and never silence."""
    (found,) = events_from_line(raw)
    assert isinstance(found, BadRecord)
    assert (found.reason, found.size_bytes, len(found.digest)) == (reason, len(raw), 8)


@pytest.mark.report("R017")
@pytest.mark.parametrize("between", [b"", b" ", b"\0\0"])
def test_glued_records_are_both_taken(between: bytes) -> None:
    """Two objects in one line are two events, also behind a long tool result."""
    body = result(
        1, "c1", "exec", "out\n" * 2_000, details={"status": "completed", "exitCode": 0}, isError=False
    )
    for first in (user(1, "one"), body):
        found = events_from_line(line(first) + between + line(user(2, "the deadline is Friday")))
        assert [type(item) for item in found] == [Event, Event]
        assert isinstance(found[1], Event)
        assert found[1].text == "the deadline is Friday"
    tools = events_from_line(line(body) + between + line(user(3, "mid")) + between + line(body))
    assert [item.text for item in tools if isinstance(item, Event)] == ["", "mid", ""]


@pytest.mark.report("R013")
def test_a_whole_line_behind_a_torn_one_is_saved() -> None:
    """A writer that died in the middle of a line does not take the next message with it."""
    torn = line(user(1, "lost in the crash"))[:60]
    bad, good = events_from_line(torn + line(user(2, "after the crash")))
    assert isinstance(bad, BadRecord)
    assert isinstance(good, Event)
    assert good.text == "after the crash"


@pytest.mark.report("R013")
def test_damaged_but_readable_lines_keep_their_words() -> None:
    """BOM, NUL bytes, raw control characters, NaN, bad UTF-8 and lone surrogates cost no words."""
    good = line(user(1, "port 8443"))
    for raw in (
        b"\xef\xbb\xbf" + good,
        b"\0" * 30 + good,
        good + b"\0\0",
        good.replace(b"port ", b"port\x01"),
    ):
        (found,) = events_from_line(raw)
        assert isinstance(found, Event)
        assert found.text == "port 8443"
    odd = good.replace(b"port ", b"a\xff b\\ud800 ").replace(b'"parentId":null', b'"parentId":NaN')
    (found,) = events_from_line(odd)
    assert isinstance(found, Event)
    assert found.text == "a\ufffd b\ufffd 8443"
    assert events_from_line(b"  \t\r") == []


@pytest.mark.report("R015")
def test_no_line_separator_survives_in_text() -> None:
    """Separators that only some readers split at become plain newlines; hidden signs go, words stay."""
    said = "a\u2028b\u2029c\x85d\ve\x0cf\x1cg\r\nh\ri\u202ej\u200bk\x07l"
    text = event(user(1, said)).text
    assert text == "a\nb\nc\nd\ne\nf\ng\nh\nijk l"
    assert text.splitlines() == text.split("\n")
    family = "👩\u200d👩\u200d👧 und Größe 数据 می\u200cخواهم"
    assert event(user(1, family)).text == family


@pytest.mark.report("R023")
def test_only_user_and_assistant_speak() -> None:
    """System, developer, shell, custom and summary roles are never speech; new types keep their name."""
    for role in ("system", "developer", "bashExecution", "custom", "compactionSummary", "branchSummary"):
        found = event(entry(1, role, "I prefer tabs", summary="I prefer tabs"))
        assert (found.kind, found.role, found.text) == (EventKind.META, None, "")
    oracle = event(entry(1, "oracle", "x"))
    assert (oracle.kind, oracle.type_name) == (EventKind.UNKNOWN, "message/oracle")
    for name, kind in (
        ("compaction", EventKind.COMPACTION),
        ("branch_summary", EventKind.META),
        ("custom_message", EventKind.META),
        ("something_from_2030", EventKind.UNKNOWN),
    ):
        found = event({"type": name, "id": "a", "summary": "chose Postgres", "content": "chose Postgres"})
        assert (found.kind, found.text, found.type_name) == (kind, "", name)


def test_header_and_leaf_carry_what_stores_need() -> None:
    """The header names session and folder, a leaf its target."""
    head = event({"type": "session", "version": 4, "id": "s1", "timestamp": START_MS, "cwd": "/home/u/ws"})
    assert (head.kind, head.session_id, head.cwd) == (EventKind.HEADER, "s1", "/home/u/ws")
    assert event({"type": "leaf", "id": "l", "parentId": "b", "targetId": "a"}).target_id == "a"


@pytest.mark.parametrize(
    ("arguments", "target"),
    [
        ({"command": "npm test\nnpm run lint"}, "npm test"),
        ({"content": "long body", "path": "notes/a.md"}, "notes/a.md"),
        ({"url": "https://example.org"}, "https://example.org"),
        ({"strange": "value", "content": "body"}, "value"),
        ({"content": "body only"}, ""),
        (None, ""),
        ("raw string", "raw string"),
    ],
)
def test_a_call_is_name_and_target(arguments: object, target: str) -> None:
    """The target is the first line of what the call is about, never a body that is written."""
    value = assistant(1, "")
    value["message"]["content"] = [{"type": "toolCall", "id": "c1", "name": "tool", "arguments": arguments}]
    assert event(value).tool_calls == (ToolCall("c1", "tool", target),)


def test_a_long_target_is_cut_between_words() -> None:
    """At most 120 characters, and a token at the border is left out whole rather than cut out of its shape."""
    secret = "ghp_" + "a1B2" * 9
    value = assistant(1, "", ("c1", "exec", {"command": "echo " + "word " * 18 + "and " + secret}))
    target = event(value).tool_calls[0].target
    assert len(target) <= 120
    assert "ghp_" not in target


@pytest.mark.parametrize("size", [10, 30_000])
@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"details": {"status": "completed", "exitCode": 0}, "isError": False}, None),
        ({"isError": False}, None),
        ({}, None),
        ({"details": {"status": "completed", "exitCode": 3}, "isError": False}, "exit 3: first line"),
        ({"details": {"status": "failed"}, "isError": False}, "first line"),
        ({"isError": True}, "first line"),
        ({"details": {"exitCode": 0, "aggregated": '"isError":true'}, "isError": False}, None),
    ],
)
def test_a_result_is_ok_or_its_first_line(fields: dict[str, Any], error: str | None, size: int) -> None:
    """Another exit code than 0 is a failure though the host says isError false, in short and in huge lines."""
    text = "\n first line \n" + '"isError":true {"type":"message" \n' * (size // 30)
    value = result(1, "c1", "exec", text, **fields)
    other_order = {**value, "message": dict(reversed(value["message"].items()))}
    timed_by_message = {name: value[name] for name in value if name != "timestamp"}
    for shape in (value, other_order, timed_by_message):
        found = event(shape)
        assert (found.kind, found.text, found.entry_id) == (EventKind.TOOL, "", "00000001")
        assert found.at_ms == START_MS + 1_000
        tool = found.tool_result
        assert tool is not None
        assert (tool.call_id, tool.name, tool.ok, tool.error_line) == (
            "c1",
            "exec",
            error is None,
            error or "",
        )


def test_an_error_in_json_is_named() -> None:
    """A result that is a JSON object shows its error, not its first bracket."""
    text = json.dumps({"status": "error", "tool": "web_fetch", "error": "404 not found"}, indent=1)
    tool = event(result(1, "c1", "web_fetch", text, isError=True)).tool_result
    assert tool is not None
    assert tool.error_line == "404 not found"


@pytest.mark.report("R018")
def test_the_caption_beside_a_huge_image_is_kept() -> None:
    """A line of megabytes of base64 gives its words, without the image being decoded."""
    parts = [
        {"type": "image", "mimeType": "image/png", "data": "QUJD" * 1_500_000},
        {"type": "text", "text": "receipt 42"},
    ]
    raw = line(entry(1, "user", parts))
    began = time.perf_counter()
    (found,) = events_from_line(raw)
    assert isinstance(found, Event)
    assert (found.text, found.role) == ("receipt 42", Role.USER)
    assert time.perf_counter() - began < 1.0


def test_an_aborted_answer_says_so() -> None:
    """What an aborted run had said is told apart from the gateway's own replies."""
    found = event(
        assistant(1, "half", model="gateway-injected", provider="openclaw", openclawAbort={"aborted": True})
    )
    assert found.origin.stop_reason == "aborted"
