"""With a real endpoint: whatever it does, nothing is lost, nothing doubled, and the state is told as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import timedelta

import pytest

from tests.fakes.model_server import Behaviour, ModelServer, Reply, ResetMidBody, chat, error, model_server
from tests.lab import Lab
from totalrecall.domain.state import MessageState
from totalrecall.errors import CeilingError, ConfigError, ModelUnreachableError
from totalrecall.jobs.observe import ObserveOptions, ObserveReport
from totalrecall.jobs.preview import previews
from totalrecall.jobs.verify import verify


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A running endpoint."""
    with model_server() as running:
        yield running


@pytest.fixture
def wired(lab: Lab, server: ModelServer) -> Lab:
    """The agent with that endpoint as its model."""
    lab.engine = None
    lab.env = {
        "LLM_BASE_URL": f"{server.url}/v1",
        "OBSERVER_MODEL": "maker/one",
        "OBSERVER_FALLBACK_MODEL": "maker/two",
        "TOTALRECALL_BUDGET_USD_DAY": "5",
        "TOTALRECALL_CALLS_PER_HOUR": "3600",
    }
    return lab


def states(lab: Lab) -> dict[MessageState, int]:
    """What a recount finds; it must add up."""
    with lab.context() as ctx:
        found = verify(ctx)
    assert found.adds_up
    return dict(found.states)


def test_notes_of_a_model_are_written_with_their_origin(wired: Lab, server: ModelServer) -> None:
    """The answer's lines stand in the file without their citations; `why` knows model and messages."""
    server.will(
        chat("- 🔴 12:00 [decision] Port 8443 stays (replaces: 443) [1]\n- 🟢 12:00 [event] Greeted [2]")
    )
    wired.say("we decided: port 8443 stays, not 443", "hello there, I greeted Kim")
    report = wired.observe()
    assert (report.messages, report.engine, report.blocked) == (2, "llm", None)
    assert "- 🔴 12:00 [decision] Port 8443 stays (replaces: 443)\n" in wired.notes
    with wired.context() as ctx:
        (note,) = ctx.ledger.find_note("Port 8443 stays")
        assert len(ctx.ledger.provenance(note.note_id)) == 1
        assert ctx.ledger.batch(note.marker) is not None
    assert len(server.requests) == 1
    assert wired.observe().idle
    assert len(server.requests) == 1


@pytest.mark.report("R031", "R051", "R052", "R058")
@pytest.mark.parametrize(
    "behaviour",
    [
        error(500, "upstream"),
        error(429, "slow down"),
        Reply(b'{"error":{"code":502,"message":"bad gateway"}}'),
        Reply(b'{"choices":null}'),
        Reply(b""),
        Reply(b"<html>maintenance</html>"),
        ResetMidBody(),
    ],
    ids=["500", "429", "error-in-200", "null-choices", "empty-body", "html", "reset"],
)
def test_a_failing_endpoint_loses_nothing(wired: Lab, server: ModelServer, behaviour: Behaviour) -> None:
    """Both models fail: everything stays pending and the run says so; when they answer again, all is noted once."""
    server.will(behaviour)
    wired.say("the port is 8443")
    report = wired.observe()
    assert isinstance(report.blocked, ModelUnreachableError)
    assert wired.notes == ""
    assert states(wired) == {MessageState.PENDING: 1}
    server.will(chat("- 🟡 12:00 [fact] The port is 8443 [1]"))
    wired.now += timedelta(hours=3)
    assert wired.observe().blocked is None
    assert wired.notes.count("8443") == 1
    assert states(wired) == {MessageState.NOTED: 1}


def test_a_refused_key_stops_the_calls_and_keeps_the_queue(wired: Lab, server: ModelServer) -> None:
    """401 is told as a matter of the key, once; the next run does not even ask."""
    server.will(error(401, "no auth credentials"))
    wired.say("the port is 8443")
    assert isinstance(wired.observe().blocked, ConfigError)
    asked = len(server.requests)
    assert isinstance(wired.observe().blocked, ConfigError)
    assert len(server.requests) == asked == 1
    assert states(wired) == {MessageState.PENDING: 1}


@pytest.mark.report("R034")
def test_a_backlog_over_the_window_is_halved_and_goes_through(wired: Lab, server: ModelServer) -> None:
    """An endpoint that takes few characters gets the whole backlog in pieces, oldest first, each message once."""

    def answer(asked: bytes) -> Behaviour:
        body = json.loads(asked)
        talk = body["messages"][1]["content"]
        if len(talk) > 3_000:
            return error(400, "maximum context length is 800 tokens", code="context_length_exceeded")
        numbers = re.findall(r"^(\d+) U .*?token-(\d+)", talk, re.MULTILINE)
        return chat("\n".join(f"- 🟢 12:00 [event] Said token-{word} [{number}]" for number, word in numbers))

    server.answer = answer
    for start in range(0, 60, 20):
        wired.say(*[f"token-{start + n} " + "some words about nothing in particular " * 8 for n in range(20)])
    report = wired.observe()
    assert (report.blocked, report.messages) == (None, 60)
    found = re.findall(r"token-(\d+)", wired.notes)
    assert found == [str(n) for n in range(60)]
    assert len(server.requests) < 60


@pytest.mark.report("R053", "R034")
def test_one_poisoned_message_does_not_hold_up_the_rest(wired: Lab, server: ModelServer) -> None:
    """A message that no model answers usefully is set aside and counted; the others are noted; retry brings it back."""

    def answer(asked: bytes) -> Behaviour:
        talk = json.loads(asked)["messages"][1]["content"]
        if "poison" in talk:
            return chat("I'm sorry, I cannot help with that.")
        return chat(
            "\n".join(
                f"- 🟢 12:00 [event] {w} [{n}]"
                for n, w in re.findall(r"^(\d+) U .*?(word-\d+)", talk, re.MULTILINE)
            )
        )

    server.answer = answer
    wired.say(*[f"word-{n}" for n in range(5)], "poison", *[f"word-{n}" for n in range(5, 9)])
    report = wired.observe()
    assert (report.set_aside, report.messages, report.blocked) == (1, 9, None)
    assert sorted(re.findall(r"word-\d", wired.notes)) == [f"word-{n}" for n in range(9)]
    assert states(wired) == {MessageState.NOTED: 9, MessageState.SET_ASIDE: 1}
    server.answer = lambda _asked: chat("- 🟢 12:00 [event] poison was harmless [1]")
    with wired.context() as ctx:
        aside = [one.marker for one in ctx.ledger.batches(100) if one.status == "set_aside"]
        ctx.ledger.release_set_aside(aside)
    assert wired.observe().messages == 1
    assert states(wired) == {MessageState.NOTED: 10}


@pytest.mark.report("R060")
def test_a_useless_model_sets_nothing_more_aside_than_a_few(wired: Lab, server: ModelServer) -> None:
    """Prose for every message is the model's fault: the run stops, and the messages stay pending."""
    server.will(chat("What a lovely conversation, tell me more about it."))
    wired.say(*[f"word-{n}" for n in range(40)])
    report = wired.observe()
    assert isinstance(report.blocked, ModelUnreachableError)
    assert report.set_aside <= 5
    assert states(wired)[MessageState.PENDING] >= 35


def test_the_ceiling_makes_the_queue_wait_and_go_on_by_itself(wired: Lab, server: ModelServer) -> None:
    """At the ceiling nothing is called and nothing dropped; when it opens again, the queue goes on."""
    server.will(chat("- 🟢 12:00 [event] Said it [1]"))
    wired.env |= {"TOTALRECALL_CALLS_PER_HOUR": "1"}
    wired.say("first words")
    wired.observe()
    wired.say("second words")
    report = wired.observe()
    assert isinstance(report.blocked, CeilingError)
    assert states(wired)[MessageState.PENDING] == 1
    assert len(server.requests) == 1
    wired.now += timedelta(hours=1, minutes=1)
    assert wired.observe().messages == 1


def test_a_stand_in_is_replaced_by_the_models_notes(wired: Lab, server: ModelServer) -> None:
    """Flush with the model away writes a provisional block once; the model's notes take its place later."""
    server.will(error(503, "away"))
    wired.say("We decided to use PostgreSQL 16, the port is 5432.")
    first = wired.observe(ObserveOptions(stand_in=True))
    assert first.provisional >= 1
    assert " provisional -->" in wired.notes
    before = wired.notes
    wired.observe(ObserveOptions(stand_in=True))
    assert wired.notes == before
    assert states(wired) == {MessageState.PENDING: 1}
    server.will(chat("- 🔴 12:00 [decision] Use PostgreSQL 16 on port 5432 [1]"))
    wired.now += timedelta(hours=3)
    report: ObserveReport = wired.observe()
    assert report.messages == 1
    assert "provisional" not in wired.notes
    assert wired.notes.count("PostgreSQL 16") == 1
    assert states(wired) == {MessageState.NOTED: 1}


def test_a_model_that_says_the_same_as_the_stand_in_loses_nothing(wired: Lab, server: ModelServer) -> None:
    """What stands in is not "already recorded": the model's note of the same words takes its place."""
    said = "The contract with the printer ends in June, its number is 560."
    server.will(error(503, "away"))
    wired.say(said)
    wired.observe(ObserveOptions(stand_in=True))
    assert wired.notes.count(said) == 1
    server.will(chat(f"- 🟡 12:00 [fact] {said} [1]"))
    wired.now += timedelta(hours=3)
    wired.observe()
    assert "provisional" not in wired.notes
    assert wired.notes.count(said) == 1
    assert f"* {said}" not in server.requests[-1]["messages"][1]["content"]


@pytest.mark.report("R043")
def test_our_own_call_in_the_watched_tree_is_never_observed(wired: Lab, server: ModelServer) -> None:
    """A session that begins with our own prompt (a model call run through the agent) is left out whole."""
    server.will(chat("- 🟢 12:00 [event] Said it [1]"))
    wired.say("first words")
    wired.observe()
    prompt = server.requests[0]["messages"][1]["content"]
    wired.say(prompt, session="22222222-aaaa-4aaa-8aaa-000000000002")
    wired.reply("- 🟢 12:00 [event] Said it [1]", session="22222222-aaaa-4aaa-8aaa-000000000002")
    wired.observe()
    assert len(server.requests) == 1


def test_dry_run_is_byte_for_byte_what_is_sent(wired: Lab, server: ModelServer) -> None:
    """The body that the preview shows is the body that the endpoint receives."""
    server.will(chat("- 🟢 12:00 [event] Said it [1]"))
    wired.say("the port is 8443", "see you tomorrow")
    with wired.context() as ctx:
        (shown,) = previews(ctx)
    assert server.requests == []
    wired.observe()
    assert server.raw == [shown.body.encode()]
    assert shown.url == f"{server.url}/v1/chat/completions"


def test_secrets_reach_neither_the_endpoint_nor_the_notes(wired: Lab, server: ModelServer) -> None:
    """What a message holds of keys is removed before it is sent, and again from what comes back."""
    secret = "ghp_" + "aB3" * 12
    server.will(chat(f"- 🟡 12:00 [fact] The token is {secret}, meeting on Tuesday [1]"))
    wired.say(f"note my token {secret} -- and the meeting moved to Tuesday")
    wired.observe()
    assert secret.encode() not in b"".join(server.raw)
    assert b"Tuesday" in server.raw[0]
    assert secret not in wired.notes
    for path in wired.root.rglob("*"):
        if path.is_file() and path != wired.path():
            assert secret.encode() not in path.read_bytes(), path
