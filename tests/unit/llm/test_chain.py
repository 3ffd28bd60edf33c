"""The chain retries what can pass, moves on where it cannot, and remembers both across restarts."""

from __future__ import annotations

import threading
import time

import pytest

from tests.fakes.model_server import Hang, ResetMidBody, chat, error
from tests.unit.llm.conftest import Rig
from totalrecall.domain.spend import SpendLimits
from totalrecall.errors import (
    BatchRefusedError,
    BatchTooLargeError,
    CeilingError,
    ConfigError,
    ModelUnreachableError,
)
from totalrecall.llm.ask import Answer, Ask
from totalrecall.llm.attempts import RetryLimits

ASK = Ask("system", "user", 500, "main", "observe", "s-1")
GOOD = chat("- 🟢 14:01 fine [1]", usage={"prompt_tokens": 10, "completion_tokens": 5})


def asked_models(rig: Rig) -> list[str]:
    """The models in the order they were asked."""
    return [request["model"] for request in rig.server.requests]


def ask(rig: Rig) -> Answer:
    """One question on a fresh chain, as after a restart."""
    return rig.chain().ask(ASK)


@pytest.mark.report("R063", "R031")
@pytest.mark.parametrize(
    "passing", [error(500, "x"), error(503, "x"), error(408, "x"), error(429, "x"), ResetMidBody()]
)
def test_what_can_pass_is_asked_again(rig: Rig, passing: object) -> None:
    """A failure that can pass is retried on the same model, and the answer after it is used."""
    rig.server.will(passing, GOOD)  # type: ignore[arg-type]
    assert ask(rig).completion.text.endswith("[1]")
    assert asked_models(rig) == ["maker/one", "maker/one"]


@pytest.mark.report("R063")
def test_a_refused_key_is_asked_once_and_stays_refused(rig: Rig) -> None:
    """401 stops calling for good: one request, the real cause, no other model, no call after a restart."""
    rig.server.will(error(401, "No credentials"))
    for _ in range(3):
        with pytest.raises(ConfigError, match="refuses the key") as caught:
            ask(rig)
        assert "OPENROUTER_API_KEY" in caught.value.hint
    assert len(rig.server.requests) == 1


@pytest.mark.report("R063")
def test_a_new_key_is_tried_at_once(rig: Rig) -> None:
    """The pause belongs to the refused key, so a changed key is not held up by it."""
    rig.server.will(error(401, "No credentials"), GOOD)
    with pytest.raises(ConfigError):
        ask(rig)
    rig.key = "k-2"
    assert ask(rig).completion.text


@pytest.mark.report("R054")
def test_the_affordable_number_is_used_once(rig: Rig) -> None:
    """402 with an affordable number is asked once more with it."""
    rig.server.will(error(402, "requested up to 500 tokens, but can only afford 391"), GOOD)
    assert ask(rig).completion.text
    assert [request["max_tokens"] for request in rig.server.requests] == [500, 391]


@pytest.mark.report("R054")
def test_no_credit_pauses_and_goes_on_after_an_hour(rig: Rig) -> None:
    """402 stops calling, over restarts, and is tried again an hour later; it is a ceiling, nothing is lost."""
    rig.server.will(error(402, "can only afford 300"), error(402, "can only afford 299"), GOOD)
    for _ in range(4):
        with pytest.raises(CeilingError, match="credit"):
            ask(rig)
    assert len(rig.server.requests) == 2
    rig.later(minutes=61)
    assert ask(rig).completion.text


@pytest.mark.report("R058")
def test_a_retired_model_hands_over_and_is_left_alone(rig: Rig) -> None:
    """404 for the first model uses the second, and the first is not asked again for hours."""
    rig.server.will(error(404, "No endpoints found for maker/one"), GOOD)
    assert ask(rig).completion.text
    assert ask(rig).completion.text
    assert asked_models(rig) == ["maker/one", "maker/two", "maker/two"]
    (pause,) = rig.book.pauses().values()
    assert pause.reason == "model_missing"


@pytest.mark.report("R058")
def test_all_models_retired_is_a_setting_to_correct(rig: Rig) -> None:
    """When no model exists, the error names the model and the setting."""
    rig.server.will(error(404, "No endpoints found for that model"))
    with pytest.raises(ConfigError, match="maker/one") as caught:
        ask(rig)
    assert "OBSERVER_MODEL" in caught.value.hint


def test_a_privacy_setting_that_excludes_is_named(rig: Rig) -> None:
    """When denied data collection leaves no provider, the error says which setting did it."""
    rig.server.will(error(404, "No endpoints found matching your data policy"))
    with pytest.raises(ConfigError, match="data_collection"):
        rig.chain(openrouter=True).ask(ASK)
    assert all(request["provider"]["data_collection"] == "deny" for request in rig.server.requests)


def test_parameters_that_nobody_takes_are_left_out(rig: Rig) -> None:
    """A refused parameter is left out, one after the other; denied data collection never is."""
    rig.server.will(
        error(404, "No endpoints found that support the requested parameters"),
        error(400, "Unsupported parameter: 'temperature'"),
        GOOD,
    )
    assert rig.chain(openrouter=True).ask(ASK).completion.text
    last = rig.server.requests[-1]
    assert "temperature" not in last
    assert last["provider"] == {"data_collection": "deny"}


def test_max_tokens_by_its_newer_name(rig: Rig) -> None:
    """An endpoint that wants max_completion_tokens gets it."""
    rig.server.will(error(400, "Unsupported parameter: 'max_tokens' is not supported with this model."), GOOD)
    assert ask(rig).completion.text
    assert rig.server.requests[-1]["max_completion_tokens"] == 500


@pytest.mark.report("R055")
def test_a_daily_limit_is_obeyed_over_restarts(rig: Rig) -> None:
    """A reset moment hours away is waited for, over restarts, without a single call before it."""
    rig.models = ("maker/one:free", "maker/two:free")
    reset_ms = int((rig.now.timestamp() + 5 * 3600) * 1000)
    daily = error(
        429, "Rate limit exceeded: free-models-per-day", metadata={"headers": {"X-RateLimit-Reset": str(reset_ms)}},
    )  # fmt: skip
    rig.server.will(daily, GOOD)
    for _ in range(3):
        with pytest.raises(ModelUnreachableError):
            ask(rig)
        rig.later(hours=1.5)
    assert len(rig.server.requests) == 1
    rig.later(hours=1)
    assert ask(rig).completion.text


@pytest.mark.report("R055")
def test_an_absurd_retry_after_is_bounded(rig: Rig) -> None:
    """A provider that says "come back in a year" is tried again after about a day."""
    rig.server.will(
        error(429, "no", {"Retry-After": "31536000"}), error(429, "no", {"Retry-After": "31536000"}), GOOD
    )
    with pytest.raises(ModelUnreachableError):
        ask(rig)
    rig.later(hours=27)
    assert ask(rig).completion.text


def test_a_short_retry_after_is_waited_for(rig: Rig) -> None:
    """A Retry-After within reach is waited for before the next try."""
    rig.server.will(error(429, "wait", {"retry-after-ms": "300"}), GOOD)
    began = time.monotonic()
    assert ask(rig).completion.text
    assert time.monotonic() - began >= 0.29


def test_back_off_doubles_and_ends_with_success(rig: Rig) -> None:
    """An outage is asked about after 1, 2, 4 minutes; a success forgets it."""
    rig.models = ("maker/one",)
    rig.retry = RetryLimits(attempts=1)
    rig.server.will(error(500, "down"))
    for minutes, calls in ((0, 1), (0.9, 1), (0.2, 2), (1.5, 2), (0.6, 3)):
        rig.later(minutes=minutes)
        with pytest.raises(ModelUnreachableError):
            ask(rig)
        assert len(rig.server.requests) == calls
    rig.later(minutes=5)
    rig.server.will(GOOD)
    assert ask(rig).completion.text
    assert rig.book.pauses() == {}


@pytest.mark.report("R034")
def test_too_much_is_said_at_once(rig: Rig) -> None:
    """A size error is neither retried nor handed on: the caller halves the batch."""
    rig.server.will(error(400, "maximum context length is 8192 tokens"))
    with pytest.raises(BatchTooLargeError):
        ask(rig)
    assert len(rig.server.requests) == 1


@pytest.mark.report("R034")
def test_a_request_over_the_tokens_of_a_call_is_not_sent(rig: Rig) -> None:
    """What cannot fit the limit of tokens per call is halved before a call is wasted."""
    rig.limits = SpendLimits(tokens_per_call=700)
    with pytest.raises(BatchTooLargeError, match="700"):
        rig.chain().ask(Ask("system", "word " * 2_000, 500, "main", "observe", "s"))
    assert rig.server.requests == []


def test_refused_by_all_is_refused(rig: Rig) -> None:
    """When every model was reached and none gave words, the batch is refused; nothing is paused."""
    rig.server.will(chat(None, refusal="no"), chat("", "content_filter"))
    with pytest.raises(BatchRefusedError):
        ask(rig)
    assert asked_models(rig) == ["maker/one", "maker/two"]
    assert rig.book.pauses() == {}


@pytest.mark.report("R031")
def test_refused_by_one_and_unreachable_other_stays_pending(rig: Rig) -> None:
    """As long as one model may still come back, the batch is not given up."""
    rig.server.will(chat(None, refusal="no"), error(502, "down"))
    with pytest.raises(ModelUnreachableError):
        ask(rig)


def test_an_answer_starved_by_reasoning_gets_more_room_once(rig: Rig) -> None:
    """Empty and cut means that the cap was too small: it is doubled once."""
    rig.server.will(chat("", "length"), GOOD)
    assert ask(rig).completion.text
    assert [request["max_tokens"] for request in rig.server.requests] == [500, 1000]


@pytest.mark.report("R063")
def test_retrying_ends_in_bounded_time(rig: Rig) -> None:
    """All tries together end before the bound, however many were allowed."""
    rig.retry = RetryLimits(attempts=1000, total_s=0.5, first_wait_s=0.05, max_wait_s=0.1)
    rig.limits = SpendLimits(calls_per_hour=10_000)
    rig.models = ("maker/one",)
    rig.server.will(error(500, "down"))
    began = time.monotonic()
    with pytest.raises(ModelUnreachableError):
        ask(rig)
    assert time.monotonic() - began < 2.0


@pytest.mark.report("R063")
@pytest.mark.parametrize("behaviour", [error(429, "x", {"Retry-After": "20"}), Hang()])
def test_a_stop_ends_waiting(rig: Rig, behaviour: object) -> None:
    """A stop ends a wait or a call within a moment, and makes no call afterwards."""
    stop = threading.Event()
    rig.should_stop = stop.is_set
    rig.retry = RetryLimits(max_wait_s=30.0)
    rig.server.will(behaviour)  # type: ignore[arg-type]
    timer = threading.Timer(0.2, stop.set)
    timer.start()
    began = time.monotonic()
    with pytest.raises(ModelUnreachableError):
        ask(rig)
    timer.join()
    assert time.monotonic() - began < 2.0
    assert len(rig.server.requests) == 1


def test_a_redirect_does_not_carry_the_key_away(rig: Rig) -> None:
    """A redirect is an error that names the setting; the second address is never called."""
    from tests.fakes.model_server import Reply

    rig.server.will(Reply(b"", 307, {"Location": f"{rig.server.url}/v1/elsewhere"}))
    with pytest.raises(ConfigError, match="moved"):
        ask(rig)
    assert rig.server.paths == ["/v1/chat/completions"]


@pytest.mark.report("R031")
def test_an_endpoint_that_rejects_everything_sets_nothing_aside(rig: Rig) -> None:
    """A 400 for every request is a set-up to correct; a 400 for this batch alone refuses the batch."""
    rig.models = ("maker/one",)
    rig.server.will(error(400, "no"))
    with pytest.raises(ConfigError, match="maker/one"):
        ask(rig)
    rig.server.will(error(400, "no"), GOOD)
    with pytest.raises(BatchRefusedError):
        ask(rig)
    assert rig.server.requests[-1]["max_tokens"] == 16


def test_forbidden_is_no_fault_of_the_batch(rig: Rig) -> None:
    """403 hands over to the next model; from all of them it is a set-up to correct, with a used up key a ceiling."""
    rig.server.will(error(403, "Your region is not served"))
    with pytest.raises(ConfigError, match="forbids"):
        ask(rig)
    assert asked_models(rig) == ["maker/one", "maker/two"]
    rig.later(hours=7)
    rig.server.will(error(403, "Key limit exceeded"))
    with pytest.raises(CeilingError):
        ask(rig)
