"""The engine as a whole: what is sent, what comes back, and that nothing is lost on the way."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.model_server import Reply, chat, error
from tests.unit.llm.conftest import NOW, PROMPT, ZONE, Rig, batch, message, request
from totalrecall.domain.batch import Message
from totalrecall.domain.event import Role
from totalrecall.domain.note import Note, Priority
from totalrecall.domain.spend import SpendLimits
from totalrecall.errors import (
    BatchRefusedError,
    BatchTooLargeError,
    CeilingError,
    ModelUnreachableError,
    TotalRecallError,
)
from totalrecall.llm.engine import CompressionRequest
from totalrecall.llm.prompt import OWN_CALL_MARKER, fence_name, system_prompt, user_text

USAGE = {"prompt_tokens": 900, "completion_tokens": 60, "cost": 0.0004}


def test_notes_come_back_with_provenance_and_cost(rig: Rig) -> None:
    """A plain answer becomes notes with citations, model, prompt hash and usage."""
    rig.server.will(chat("- 🔴 14:01 [decision] Deploys go to eu-west (replaces: us-east) [1]", usage=USAGE))
    done = rig.engine().compress(request("deploy to eu-west from now on, not us-east"))
    (draft,) = done.notes
    assert (draft.cites, draft.verified, draft.note.time) == ((1,), True, "14:01")
    assert (done.engine, done.model, done.usage.cost_usd) == ("llm", "maker/model", 0.0004)
    assert done.prompt_hash == system_prompt(PROMPT).hash


@pytest.mark.report("R071")
def test_nothing_notable_is_said_plainly(rig: Rig) -> None:
    """The sentinel gives no notes and says so; it is not "nothing survived"."""
    rig.server.will(chat("NO_OBSERVATIONS"))
    done = rig.engine().compress(request("good morning"))
    assert (done.notes, done.nothing_notable) == ((), True)


@pytest.mark.report("R067")
def test_no_words_no_call(rig: Rig) -> None:
    """A batch without words costs nothing."""
    done = rig.engine().compress(request("  ", "\n"))
    assert done.nothing_notable
    assert rig.server.requests == []


def test_nothing_survives_is_not_nothing_notable(rig: Rig) -> None:
    """An answer of which every note is dropped is told apart, with what was dropped."""
    rig.screen = lambda text: text.replace("swordfish", "[password]")
    rig.server.will(chat("- 🔴 Password is swordfish [1]"))
    done = rig.engine().compress(request("what is my password"))
    assert (done.notes, done.nothing_notable) == ((), False)
    assert done.dropped[0].reason == "secret"


@pytest.mark.report("R053", "R034")
def test_a_cut_answer_halves_the_batch_down_to_one(rig: Rig) -> None:
    """Cut by length: a batch of several is to be halved; of one message the whole lines are taken."""
    rig.server.will(chat("- 🔴 14:01 rent is 900 [1]\n- 🟡 14:02 gas is", "length"))
    with pytest.raises(BatchTooLargeError):
        rig.engine().compress(request("rent is 900", "gas is 80"))
    done = rig.engine().compress(request("rent is 900"))
    assert [one.note.text for one in done.notes] == ["rent is 900"]


@pytest.mark.report("R051", "R052", "R060")
@pytest.mark.parametrize("useless", ["I'm sorry, I can't help.", "The user talked about rent.", "```\n```"])
def test_useless_words_go_to_the_next_model(rig: Rig, useless: str) -> None:
    """Prose, refusals and empty fences are a failure of the model: the next one is asked, then it is refused."""
    rig.server.will(chat(useless), chat("- 🟡 rent is 900 [1]"))
    assert rig.engine().compress(request("rent is 900")).notes
    rig.server.will(chat(useless))
    with pytest.raises(BatchRefusedError):
        rig.engine().compress(request("rent is 900"))


def test_an_answer_in_another_language_is_asked_for_again_once(rig: Rig) -> None:
    """German talk, English notes: asked once more, in so many words; the German answer is taken."""
    english = chat("- 🟡 The user has paid the rent and it was for the flat in Berlin [1]", usage=USAGE)
    german = chat("- 🟡 Die Miete für die Wohnung ist bezahlt und das Geld ist weg [1]", usage=USAGE)
    rig.server.will(english, german)
    done = rig.engine().compress(
        request("ich habe die Miete für die Wohnung in Berlin bezahlt und das Geld ist weg")
    )
    assert "Miete" in done.notes[0].note.text
    assert "German" in rig.server.requests[1]["messages"][1]["content"]
    assert (done.usage.calls, done.usage.cost_usd) == (2, 0.0008)


def test_a_second_answer_that_fails_loses_nothing(rig: Rig) -> None:
    """When asking again fails, the first answer stands."""
    rig.models = ("maker/one",)
    rig.server.will(
        chat("- 🟡 The user has paid the rent and it was for the flat in Berlin [1]"), error(500, "x")
    )
    done = rig.engine().compress(
        request("ich habe die Miete für die Wohnung in Berlin bezahlt und das Geld ist weg")
    )
    assert len(done.notes) == 1


@pytest.mark.report("R031")
@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 408, 413, 422, 429, 500, 502, 503, 529])
def test_a_failure_is_never_an_empty_success(rig: Rig, status: int) -> None:
    """Whatever status both models give, it is an error with a title, and the calls are in the book."""
    rig.server.will(error(status, "no"))
    with pytest.raises(TotalRecallError) as caught:
        rig.engine().compress(request("rent is 900"))
    assert caught.value.title
    assert rig.book.report(NOW).total.calls == len(rig.server.requests) > 0


@pytest.mark.report("R043")
def test_our_own_calls_carry_the_marker_first(rig: Rig) -> None:
    """The first line of the changing message is the marker by which a session of ours is known."""
    rig.server.will(chat("NO_OBSERVATIONS"))
    rig.engine().compress(request("hello"))
    system, user = rig.server.requests[0]["messages"]
    assert user["content"].splitlines()[0] == OWN_CALL_MARKER
    assert system["content"] == PROMPT.strip() + "\n"


def test_the_dry_run_shows_what_is_sent_byte_for_byte(rig: Rig) -> None:
    """The rendered body is the body of the call."""
    engine = rig.engine()
    asked = request("rent is 900", message(2, "noted", Role.ASSISTANT, tools=("exec ls: ok",)))
    shown = engine.render(asked)
    rig.server.will(chat("NO_OBSERVATIONS"))
    engine.compress(asked)
    assert rig.server.raw == [shown.body]
    assert shown.url.endswith(rig.server.paths[0])
    assert shown.tokens_in > 100


def test_the_system_text_is_stable_and_the_known_notes_bounded() -> None:
    """Line ends do not change the prompt's hash, and a long memory does not grow the request."""
    assert system_prompt("a\r\nb\n") == system_prompt("\ufeffa\nb")
    known = [Note(Priority.LOW, NOW.date(), "", f"note {n} " + "x" * 150) for n in range(500)]
    text = user_text(request("hello", known=known), "talk-1")
    assert len(text) < 1_200
    assert "note 499" in text
    assert "note 400" not in text


def test_the_message_of_a_batch_reads_as_documented() -> None:
    """The second message, literally: marker, moment, fence, known notes, days, messages, tools, quotes."""
    at = datetime(2026, 2, 14, 23, 58, tzinfo=ZONE)
    messages = (
        message(1, "hello\nthere", at=at, quoted=("he said so",)),
        message(2, "hi", Role.ASSISTANT, at=at, tools=("exec npm test: error: 3 failing",)),
        message(3, "next day", at=datetime(2026, 2, 15, 0, 3, tzinfo=ZONE)),
    )
    known = [Note(Priority.HIGH, NOW.date(), "08:00", "Rent is 900")]
    text = user_text(CompressionRequest(batch(*messages), known, NOW, "de"), "talk-77")
    assert text == (
        "[total-recall:own-call]\nNow 2026-02-14 Saturday 18:05 Europe/Berlin\nWrite every note in German.\n"
        "<talk-77>\n* Rent is 900\n= 2026-02-14 Saturday\n1 U 23:58 hello\n there\n> he said so\n2 A hi\n"
        "+ exec npm test: error: 3 failing\n= 2026-02-15 Sunday\n3 U 00:03 next day\n</talk-77>\n"
    )


@settings(max_examples=80, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab1 +>*=<UA/\n\r\u2028\x0b\x85\x00talk-7"), max_size=60))
def test_words_cannot_pose_as_structure(words: str) -> None:
    """Whatever a message holds, only our own lines begin at the margin, and the fence closes once."""
    made = batch(message(1, words), message(2, "end"))
    fence = fence_name(made, b"salt")
    text = user_text(CompressionRequest(made, (), NOW), fence)
    margin = [line for line in text.splitlines() if line and not line.startswith(" ")]
    assert len(margin) == 7, margin
    assert text.count(fence) == 2


def halving(rig: Rig, messages: list[Message]) -> int:
    """Observes like the job does: halve on a size error, stop at the ceiling; how many messages got done."""
    queue, done = [messages[at : at + 20] for at in range(0, len(messages), 20)], 0
    engine = rig.engine()
    while queue:
        part = queue.pop(0)
        try:
            engine.compress(CompressionRequest(batch(*part), (), rig.now))
        except BatchTooLargeError:
            middle = len(part) // 2
            queue[:0] = [part[:middle], part[middle:]]
        except (CeilingError, ModelUnreachableError):
            return done
        else:
            done += len(part)
    return done


@pytest.mark.report("R120")
@pytest.mark.parametrize("costs", [True, False], ids=["cost reported", "price table"])
def test_a_storm_of_cut_answers_stays_under_the_ceiling(rig: Rig, costs: bool) -> None:
    """10,000 messages, a model that always answers "length": each day stays under its dollars, the queue waits."""
    rig.models = ("google/gemini-2.5-flash",)
    rig.limits = SpendLimits(usd_day=0.10, usd_month=1.0, calls_per_hour=100_000)
    price = {"cost": 0.0041} if costs else {}

    def cut(asked: dict[str, Any]) -> Reply:
        tokens = {"prompt_tokens": 1_200, "completion_tokens": asked["max_tokens"]}
        return chat("- 🟢 14:01 one [1]\n- 🟢 14:01 tw", "length", {**tokens, **price})

    rig.server.will(cut)
    messages = [message(n % 20 + 1, f"message number {n}", at=NOW) for n in range(10_000)]
    for day in range(3):
        done = halving(rig, messages)
        report = rig.book.report(rig.now)
        assert report.today_usd <= 0.10
        assert done < 10_000
        assert report.month_usd <= 0.10 * (day + 1)
        rig.later(days=1)
    # Every call was reserved, and what the server saw is what the book holds.
    assert rig.book.report(rig.now).total.calls == len(rig.server.requests)
    assert 10 < len(rig.server.requests) < 100


@pytest.mark.report("R120")
def test_the_calls_of_an_hour_are_a_ceiling_of_their_own(rig: Rig) -> None:
    """A model without a known price is held by calls per hour; it goes on by itself an hour later."""
    rig.limits = SpendLimits(calls_per_hour=7)
    rig.server.will(chat("- 🟢 14:01 one [1]\n- 🟢 tw", "length"))
    messages = [message(n % 20 + 1, f"message number {n}", at=NOW) for n in range(2_000)]
    halving(rig, messages)
    assert len(rig.server.requests) == 7
    halving(rig, messages)
    assert len(rig.server.requests) == 7
    rig.later(minutes=61)
    halving(rig, messages)
    assert len(rig.server.requests) == 14


def test_the_error_of_the_ceiling_says_which_and_when(rig: Rig) -> None:
    """The title has the figures, the hint the time and the variable."""
    rig.models = ("google/gemini-2.5-flash",)
    rig.limits = SpendLimits(usd_day=0.0001)
    with pytest.raises(CeilingError, match=r"budget of the day") as caught:
        rig.engine().compress(request("rent is 900"))
    assert "2026-02-15 00:00" in caught.value.hint
    assert "TOTALRECALL_BUDGET_USD_DAY" in caught.value.hint
    assert json.loads(json.dumps(rig.server.requests)) == []


ANSWERS = Path(__file__).parents[2] / "data" / "answers"


@pytest.mark.report("R065")
@pytest.mark.parametrize("name", ["small_model_counts_up.txt", "small_model_repeats_the_talk.txt"])
def test_a_model_that_runs_in_circles_is_no_matter_of_size(rig: Rig, name: str) -> None:
    """Answers of a real small model that repeat the talk until the cap: the next model is asked, none halves."""
    answer = (ANSWERS / name).read_text(encoding="utf-8")
    rig.server.will(chat(answer, "length"), chat("- 🟡 printer is called at 9 [1]"))
    done = rig.engine().compress(request("call the printer at 9", "danke"))
    assert [one.note.text for one in done.notes] == ["printer is called at 9"]
    rig.server.will(chat(answer, "length"))
    with pytest.raises(BatchRefusedError, match="repeats itself"):
        rig.engine().compress(request("call the printer at 9", "danke"))


@pytest.mark.report("R065")
@pytest.mark.parametrize("name", ["small_model_counts_up.txt", "small_model_repeats_the_talk.txt"])
def test_copies_of_the_input_are_no_notes(rig: Rig, name: str) -> None:
    """The same answers, ended properly, leave nothing: copied lines of the talk are dropped and shown."""
    rig.models = ("maker/one",)
    rig.server.will(chat((ANSWERS / name).read_text(encoding="utf-8")))
    try:
        done = rig.engine().compress(request("call the printer at 9", "danke"))
    except BatchRefusedError:
        return
    assert done.notes == ()
    assert not done.nothing_notable
    assert {one.reason for one in done.dropped} <= {"echo", "loop", "prose"}
