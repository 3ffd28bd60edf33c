"""Noise: skipped by origin, with a reason; people are kept."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.transcripts_pure.lines import START_MS, assistant, entry, event, result, user, verdicts
from totalrecall.domain.event import Record, Role
from totalrecall.domain.state import SkipReason
from totalrecall.transcripts.carry import Carry, SeenText, decode_carry, encode_carry
from totalrecall.transcripts.machine_talk import OWN_CALL_MARKER
from totalrecall.transcripts.noise import Keep, NotSpeech, SessionFacts, Skip, Verdict, abandoned

R = SkipReason
HEARTBEAT = "Read HEARTBEAT.md if it exists. Follow it. If nothing needs attention, reply HEARTBEAT_OK."
STARTUP = (
    "A new session was started via /new or /reset. Run your Session Startup sequence. Then greet the user."
)
FLUSH = "Pre-compaction memory flush. Store durable memories. If nothing to store, reply with NO_REPLY."
RUNTIME = "OpenClaw runtime context (internal):\nThis context is runtime-generated, not user-authored."
HEX = st.text(alphabet="0123456789abcdef", min_size=8, max_size=8)


def words(found: list[Verdict]) -> list[str]:
    """The kept texts."""
    return [verdict.text for verdict in found if isinstance(verdict, Keep)]


def reasons(found: list[Verdict]) -> list[SkipReason | None]:
    """The reason of each verdict, None for what is kept or is no speech."""
    return [verdict.reason if isinstance(verdict, Skip) else None for verdict in found]


@pytest.mark.report("R008")
@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (HEARTBEAT, R.HEARTBEAT),
        ("[Sat 2026-02-14 09:12 UTC] " + HEARTBEAT, R.HEARTBEAT),
        (
            "[cron:4b-1 nightly] run the report\nCurrent time: Saturday, February 14th, 2026 - 9:12 AM (UTC)",
            R.CRON,
        ),
        ("[OpenClaw cron wake]", R.CRON),
        (STARTUP, R.STARTUP),
        (FLUSH, R.FLUSH),
        (
            "[Subagent Context] You are running as a subagent (depth 1/1).\n\n[Subagent Task]: look",
            R.SUBAGENT,
        ),
        (RUNTIME, R.RUNTIME),
        ("Continue the OpenClaw runtime event.", R.RUNTIME),
        ("/status", R.COMMAND),
        ("/model fake/m2", R.COMMAND),
    ],
)
def test_a_machine_turn_is_skipped_with_its_replies(said: str, reason: SkipReason) -> None:
    """What the host writes as user is skipped together with tools and answers, until a person speaks."""
    found = verdicts(
        user(1, said),
        assistant(2, "", ("c1", "exec", {"command": "date"})),
        result(3, "c1", "exec", "Saturday"),
        assistant(4, "Here is the report of the night."),
        user(5, "the port is 8443"),
        assistant(6, "Noted, 8443."),
    )
    assert reasons(found) == [reason, None, None, reason, None, None]
    assert found[1:3] == [NotSpeech(tools=False)] * 2
    assert words(found) == ["the port is 8443", "Noted, 8443."]


@pytest.mark.parametrize(
    ("provenance", "reason"),
    [
        ({"kind": "internal_system", "sourceTool": "cron"}, R.CRON),
        ({"kind": "internal_system", "sourceTool": "heartbeat"}, R.HEARTBEAT),
        ({"kind": "internal_system"}, R.RUNTIME),
        ({"kind": "inter_session", "sourceTool": "subagent_announce"}, R.SUBAGENT),
        ({"kind": "external_user", "sourceChannel": "telegram"}, None),
        ({}, None),
    ],
)
def test_provenance_tells_who_wrote(provenance: dict[str, str], reason: SkipReason | None) -> None:
    """The host's own record of the origin beats the words."""
    assert reasons(verdicts(user(1, "make the report", provenance=provenance))) == [reason]


@pytest.mark.report("R042")
@pytest.mark.parametrize(
    "said",
    [
        "Why did you say HEARTBEAT_OK instead of answering?",
        "NO_OBSERVATIONS is printed by the observer agent, keep that in mind",
        "the observer agent must run hourly",
        "NO_REPLY",
        "User: is how every line of my log begins",
        "Read HEARTBEAT.md if it exists and tell me what it says",
        "A new session was started via /new or /reset. Why does it say so?",
        "Pre-compaction memory flush. What is that?",
        "[cron: the daily one] is broken",
        "[Subagent Context] appears in the log",
        "what does [total-recall:own-call] mean?",
        "/etc/hosts is wrong",
        "/tmp",
        "/remind me to call the garage",
        "/status\nand then fix the build",
        "Continue the OpenClaw runtime event. What does that mean?",
        "gateway-injected replies are ugly",
    ],
)
def test_somebody_who_talks_about_machinery_is_kept(said: str) -> None:
    """Only a whole known shape is machine talk; words about it are a person's."""
    assert words(verdicts(user(1, said))) == [said]


def test_what_follows_a_new_command_is_said() -> None:
    """Words behind /new are the user's; an excluded message is a command whatever it says."""
    assert words(verdicts(user(1, "/new and then fix the build"))) == ["and then fix the build"]
    assert reasons(verdicts(user(1, "whatever", excludeFromContext=True))) == [R.COMMAND]


@pytest.mark.parametrize(
    ("said", "fields", "reason"),
    [
        ("NO_REPLY", {}, R.SILENT),
        ("no_reply\n", {}, R.SILENT),
        ("**HEARTBEAT_OK**", {}, R.HEARTBEAT),
        ("Model set.", {"provider": "openclaw", "model": "gateway-injected"}, R.INJECTED_REPLY),
        ("I said NO_REPLY on purpose", {}, None),
        ("half an ans", {"model": "gateway-injected", "openclawAbort": {"aborted": True}}, None),
    ],
)
def test_replies_that_say_nothing(said: str, fields: dict[str, Any], reason: SkipReason | None) -> None:
    """Tokens of silence and the gateway's own replies are skipped; an aborted answer is kept."""
    assert reasons(verdicts(user(1, "hello there"), assistant(2, said, **fields))) == [None, reason]


@pytest.mark.report("R037")
def test_one_message_under_several_ids_counts_once() -> None:
    """Copies seconds apart, a mirror of the reply and a cut copy are duplicates; the carry keeps no words."""
    reply = (
        "The release goes out on Monday, after the staging test has passed and Robin has looked at it. " * 3
    )
    found = verdicts(
        user(1, "document this bug"),
        user(13, "Document  this bug"),
        user(38, "document this bug"),
        assistant(40, reply),
        assistant(41, reply[:200], provider="openclaw", model="delivery-mirror"),
        assistant(42, reply[:210]),
    )
    assert reasons(found) == [None, R.DUPLICATE, R.DUPLICATE, None, R.DUPLICATE, R.DUPLICATE]


@pytest.mark.report("R037")
def test_what_only_looks_like_a_copy_is_kept() -> None:
    """Much later, another ending, another role, or a short answer to a new question are new messages."""
    log = "ERROR worker 3 failed at step 9 with a long trace that goes on and on for a while: " * 3
    found = verdicts(
        user(1, "yes"),
        assistant(2, "And the second one?"),
        user(3, "yes"),
        user(10, log + "why?"),
        user(20, log + "and how do I repair it?"),
        user(300, log + "why?"),
        assistant(301, log + "why?"),
    )
    assert reasons(found) == [None] * 7
    mirror = verdicts(user(1, "send it"), assistant(2, "Sent: see you at 9", model="delivery-mirror"))
    assert words(mirror) == ["send it", "Sent: see you at 9"]


@pytest.mark.report("R041")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read", {"path": "memory/observations.md"}),
        ("read", {"path": "/home/u/ws/MEMORY.md"}),
        ("exec", {"command": "cat memory/2026-02-14.md"}),
        ("memory_search", {"query": "tabs"}),
        ("memory_get", {"path": "memory/observations.md"}),
    ],
)
def test_an_answer_from_our_own_notes_is_not_noted_again(tool: str, arguments: dict[str, str]) -> None:
    """Injected blocks, reads of our files and what is said from them are left out; the correction is kept."""
    found = verdicts(
        user(1, "<relevant-memories>\n- 🔴 Prefers tabs\n</relevant-memories>\nwhat do I prefer?"),
        assistant(2, "", ("c9", tool, arguments)),
        result(3, "c9", tool, "- 🔴 09:00 Prefers tabs"),
        assistant(4, "From my notes: you prefer tabs."),
        user(5, "Correction: I now prefer spaces."),
        assistant(6, "Spaces from now on."),
    )
    assert words(found) == ["what do I prefer?", "Correction: I now prefer spaces.", "Spaces from now on."]
    assert found[1:4] == [NotSpeech(), NotSpeech(), Skip(R.INJECTED_MEMORY)]


@pytest.mark.report("R041")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read", {"path": "docs/memory.md"}),
        ("write", {"path": "MEMORY.md", "content": "x"}),
        ("exec", {"command": "cat memory/a.md && make deploy"}),
    ],
)
def test_other_work_is_talk(tool: str, arguments: dict[str, str]) -> None:
    """A turn that did anything else is kept with its tool lines."""
    found = verdicts(user(1, "go"), assistant(2, "", ("c", tool, arguments)), assistant(3, "Done so far."))
    assert found[1] == NotSpeech(tools=True)
    assert words(found) == ["go", "Done so far."]


@pytest.mark.report("R043")
@pytest.mark.parametrize("front", ["", "[cron:j1 observer] ", "[Sat 2026-02-14 09:12 UTC] "])
def test_a_session_that_begins_with_our_prompt_is_never_read(front: str) -> None:
    """Our own model calls are recognised by the marker at their start, and nothing of them is kept."""
    found = verdicts(
        user(1, f"{front}{OWN_CALL_MARKER}\nCompress these messages"),
        assistant(2, "- 🔴 10:00 Prefers tabs"),
        user(3, "go on"),
    )
    assert reasons(found) == [R.OWN_CALL] * 3
    later = verdicts(user(1, "hello"), user(2, f"{OWN_CALL_MARKER} stands in my log"))
    assert len(words(later)) == 2


def test_off_the_record_covers_the_exchange() -> None:
    """The marker keeps its message, the answers, the tools and a cut copy out, until the user speaks again."""
    secret = "my surprise for Kim is a trip to Lisbon in the second week of May, do not tell anybody at all "
    found = verdicts(
        user(1, secret + "#OffTheRecord"),
        assistant(2, "", ("c1", "web_fetch", {"url": "https://example.org/lisbon"})),
        assistant(3, "A trip to Lisbon, how nice."),
        user(4, secret[:-12] + "…"),
        user(5, "the port is 8443"),
    )
    assert reasons(found) == [R.OFF_THE_RECORD, None, R.OFF_THE_RECORD, R.DUPLICATE, None]
    assert found[1] == NotSpeech(tools=False)
    note = "<relevant-memories>\n- uses #offtherecord\n</relevant-memories>\nhello there"
    assert words(verdicts(user(1, note))) == ["hello there"]
    assert words(verdicts(user(1, "#offtherecord x"), facts=SessionFacts(off_the_record=""))) == [
        "#offtherecord x"
    ]


def test_a_whole_session_can_be_skipped_and_groups_name_the_speaker() -> None:
    """The caller's reason covers every message; in a group the sender stands before the words."""
    facts = SessionFacts(session_reason=R.GROUP_OFF)
    assert reasons(verdicts(user(1, "a"), assistant(2, "b"), facts=facts)) == [R.GROUP_OFF] * 2
    said = 'Conversation info (untrusted metadata):\n```json\n{"sender":"Robin"}\n```\n\nrelease is Monday'
    assert words(verdicts(user(1, said), facts=SessionFacts(group=True))) == ["Robin: release is Monday"]


@pytest.mark.report("R040")
def test_an_envelope_without_words_is_no_message() -> None:
    """A picture alone is nothing said; memory alone is skipped as memory; a quote alone is kept as quote."""
    found = verdicts(
        user(1, "[media attached: /m/a.jpg (image/jpeg)]"),
        user(2, "<relevant-memories>\n- x\n</relevant-memories>"),
        user(3, "[Forwarded from Kim]\nmy rent is due"),
    )
    assert found == [NotSpeech(), Skip(R.INJECTED_MEMORY), Keep("", ("my rent is due",))]


@pytest.mark.report("R023")
def test_records_that_are_no_messages_are_no_speech() -> None:
    """Summaries, resets and unknown types say nothing; a reset ends a machine turn."""
    found = verdicts(
        user(1, HEARTBEAT),
        {"type": "compaction", "id": "c", "summary": "chose Postgres"},
        {"type": "reset", "id": "r", "reason": "new"},
        assistant(4, "Good morning, Dana."),
    )
    assert found[1:] == [NotSpeech(), NotSpeech(), Keep("Good morning, Dana.")]


def test_a_leaf_leaves_a_branch_behind() -> None:
    """Entries between the target and the leaf are abandoned; others, and unknown ways back, are not."""

    def record(number: int, parent: int | None, **fields: Any) -> Record:
        value = {**user(number, f"m{number}"), "parentId": f"{parent:08x}" if parent else None, **fields}
        return Record(number, number + 1, event(value))

    leaf = Record(9, 10, event({"type": "leaf", "id": "l", "parentId": f"{4:08x}", "targetId": f"{2:08x}"}))
    stretch = [record(1, None), record(2, 1), record(3, 2), record(4, 3), leaf, record(5, 2)]
    assert abandoned(stretch) == {f"{3:08x}", f"{4:08x}"}
    assert abandoned(stretch[3:]) == set()
    assert abandoned(stretch[2:]) == {f"{3:08x}", f"{4:08x}"}
    back = Record(11, 12, event({"type": "leaf", "id": "l2", "targetId": f"{4:08x}"}))
    assert abandoned([*stretch, back]) == set()


SEEN = st.builds(
    SeenText,
    st.sampled_from(Role),
    st.integers(0, 2**42),
    HEX.map(lambda text: text + "00ff"),
    st.integers(0, 10**6),
    st.lists(HEX, max_size=5).map("".join),
)
CARRIES = st.builds(
    Carry,
    st.booleans(),
    st.booleans(),
    st.none() | st.sampled_from(SkipReason),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.integers(0, 2**42),
    st.lists(SEEN, max_size=8).map(tuple),
    st.lists(HEX, max_size=8).map(tuple),
)


@settings(max_examples=100)
@given(CARRIES)
def test_the_carry_comes_back_as_it_was(carry: Carry) -> None:
    """What is written to the cursor is read back the same, in plain ASCII."""
    text = encode_carry(carry)
    assert decode_carry(text) == carry
    assert text.isascii()


@settings(max_examples=100)
@given(st.text(max_size=60) | CARRIES.map(lambda carry: encode_carry(carry)[:-3]))
def test_a_damaged_carry_is_no_catastrophe(text: str) -> None:
    """Any text gives some state."""
    assert isinstance(decode_carry(text), Carry)


def test_the_carry_stays_short_and_wordless() -> None:
    """A long talk does not make it grow, and no word of it is in there."""
    from totalrecall.transcripts.noise import classify

    carry = Carry()
    for number in range(200):
        said = entry(number, "user", f"unforgettable {number} " * 300)
        _, carry = classify(event(said), carry, SessionFacts())
    text = encode_carry(carry)
    assert len(text) < 4_000
    assert "unforgettable" not in text
    assert carry.last_ms == START_MS + 199_000
