"""Lines larger than memory should hold (R018)."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contracts.store_contract import entry_ids, header_entry, message_entry, messages, names, read_all
from tests.unit.transcripts_jsonl.agent import Agent, lines
from totalrecall.domain.event import BadRecord, Event
from totalrecall.transcripts import giant
from totalrecall.transcripts.giant import LONG_STRING_BYTES, LineReducer

HEAD = lines([header_entry("s1")])


def reduced(line: bytes, piece_bytes: int = 1 << 20) -> bytes:
    """``line`` after the reducer, fed in pieces."""
    reducer = LineReducer()
    for start in range(0, len(line), piece_bytes):
        reducer.feed(line[start : start + piece_bytes])
    return reducer.finish()


@settings(max_examples=100, deadline=None)
@given(
    text=st.text(alphabet=st.sampled_from('a"\\\né😀\u2028 {}[]:,'), max_size=300),
    piece_bytes=st.integers(1, 64),
    ascii_only=st.booleans(),
)
def test_short_strings_pass_unchanged(text: str, piece_bytes: int, ascii_only: bool) -> None:
    """Whatever is not long comes through byte for byte, in whatever pieces it arrives."""
    line = json.dumps({"type": "x", text: [text, {"k": text}]}, ensure_ascii=ascii_only).encode()
    assert reduced(line, piece_bytes) == line


@settings(max_examples=60, deadline=None)
@given(
    unit=st.text(alphabet=st.sampled_from('ab"\\\né😀 '), min_size=1, max_size=9),
    offset=st.text(alphabet=st.sampled_from("xyé\\"), max_size=7),
    piece_bytes=st.sampled_from([997, 65_536, 1 << 20]),
    ascii_only=st.booleans(),
)
def test_long_strings_keep_head_and_tail_and_stay_json(
    unit: str, offset: str, piece_bytes: int, ascii_only: bool
) -> None:
    """A cut never splits an escape or a UTF-8 sign: the line still parses, head and end are the original's."""
    text = (
        offset
        + unit * (LONG_STRING_BYTES // len(unit.encode()) * 2)
        + " and so on: the deadline is on Friday noon"
    )
    line = json.dumps({"text": text, "after": 1}, ensure_ascii=ascii_only).encode()
    parsed = json.loads(reduced(line, piece_bytes))
    assert parsed["after"] == 1
    head, _, rest = parsed["text"].partition(" [... ")
    assert text.startswith(head)
    assert len(head) > 1000
    assert rest.endswith("the deadline is on Friday noon")
    assert len(parsed["text"]) < LONG_STRING_BYTES + 200


def test_base64_goes_and_the_caption_stays() -> None:
    """An image's data is dropped, its neighbours are not."""
    image = {"type": "image", "data": "QUJD" * 400_000, "mimeType": "image/png"}
    line = json.dumps({"content": [{"type": "text", "text": "the caption"}, image]}).encode()
    parsed = json.loads(reduced(line))
    assert parsed["content"] == [{"type": "text", "text": "the caption"}, {**image, "data": ""}]


@pytest.mark.parametrize("unit", [b"x", b"1,", b'{"a":', b'"', b'\\"', b'"short",', b"\\"])
def test_garbage_without_end_stays_bounded(monkeypatch: pytest.MonkeyPatch, unit: bytes) -> None:
    """However much of anything comes, it never becomes more than the limit (a smaller one here, for speed)."""
    monkeypatch.setattr(giant, "OUTPUT_BYTES", 400_000)
    assert len(reduced(b"[" + unit * (1_200_000 // len(unit)))) <= 400_000


@pytest.mark.report("R018")
def test_five_megabyte_image_line_keeps_its_caption(agent: Agent) -> None:
    """The text beside a large image is read, and so is the line after it."""
    caption = message_entry("cap", "")
    caption["message"] = {
        "role": "user",
        "content": [
            {"type": "image", "data": "A" * 5_000_000, "mimeType": "image/png"},
            {"type": "text", "text": "this is the new floor plan"},
        ],
        "timestamp": 1,
    }
    agent.create_session("s1", [caption, *messages(1, 1)])
    records = read_all(agent.store(), "s1")
    assert entry_ids(records) == ["cap", "m00001"]
    assert isinstance(records[1].body, Event)
    assert records[1].body.text == "this is the new floor plan"
    assert records[-1].end == (agent.folder / "s1.jsonl").stat().st_size


@pytest.mark.report("R018")
@pytest.mark.parametrize("megabytes", [1, 6])
def test_long_user_message_keeps_its_end(agent: Agent, megabytes: int) -> None:
    """The deadline stands at the end of a pasted log: it is there, whatever was cut before."""
    words = "line of a log " * (megabytes * 1_000_000 // 14) + "The deadline is 3 March."
    agent.create_session("s1", [message_entry("long", words)])
    body = read_all(agent.store(), "s1")[1].body
    assert isinstance(body, Event)
    assert body.text.startswith("line of a log")
    assert body.text.endswith("The deadline is 3 March.")


def test_giant_that_is_no_json_is_one_bad_record(agent: Agent) -> None:
    """Garbage of many megabytes is counted with its size, and the line after it arrives."""
    agent.write("s1.jsonl", HEAD + b"z" * 9_000_000 + b"\n" + lines(messages(1, 1)))
    records = read_all(agent.store(), "s1")
    bad = [record.body for record in records if isinstance(record.body, BadRecord)]
    assert [record.size_bytes for record in bad] == [9_000_001]
    assert entry_ids(records) == names(1, 1)


def test_giant_without_newline_waits_and_is_taken_when_quiet(agent: Agent) -> None:
    """A large last line is treated like a small one: half of it waits, a finished one counts when quiet."""
    line = lines([message_entry("big", "word " * 1_500_000 + "end")])[:-1]
    agent.write("s1.jsonl", HEAD + line[:6_000_000])
    agent.settle()
    assert entry_ids(read_all(agent.store(), "s1")) == []
    agent.append("s1.jsonl", line[6_000_000:])
    assert entry_ids(read_all(agent.store(), "s1")) == []
    agent.settle()
    records = read_all(agent.store(), "s1")
    assert entry_ids(records) == ["big"]
    assert records[-1].end == (agent.folder / "s1.jsonl").stat().st_size


@pytest.mark.report("R018")
def test_eighty_megabyte_line_fits_into_150_mb(agent: Agent) -> None:
    """One line of 80 MB is read by a process that never holds 150 MB, start-up included."""
    with (agent.folder / "s1.jsonl").open("wb") as file:
        file.write(HEAD + lines([message_entry("big", "MARK")]).partition(b"MARK")[0])
        for _ in range(80):
            file.write(b"a pasted log \xf0\x9f\xa6\x8a " * 55_556)
        file.write(b"The deadline is 3 March." + lines([message_entry("big", "MARK")]).partition(b"MARK")[2])
    script = f"""
        from pathlib import Path
        from tests.memory_peak import peak_bytes
        from totalrecall.transcripts.jsonl import JsonlStore
        store = JsonlStore("main", Path({str(agent.folder)!r}), now_ms=lambda: 0)
        last = list(store.read(store.sessions()[0], 0))[-1].body
        assert last.text.endswith("The deadline is 3 March."), last.text[-100:]
        print(peak_bytes())
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) < 150_000_000
