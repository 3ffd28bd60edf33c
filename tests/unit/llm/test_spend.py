"""The spend ledger holds its ceilings across restarts, processes and crashes."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.model_server import Hang, chat, error
from tests.unit.llm.conftest import NOW, PROMPT, ZONE, Rig, request
from totalrecall.domain.note import Usage
from totalrecall.domain.spend import CallOutcome, CallPlan, Ceiling, Pause, Refused, Reserved, SpendLimits
from totalrecall.errors import ConfigError, LedgerError, ModelUnreachableError
from totalrecall.ledger.spend import SpendLedger
from totalrecall.llm.findings import model_findings
from totalrecall.llm.prices import FREE, price_of
from totalrecall.llm.prompt_files import OBSERVER, load_prompt
from totalrecall.llm.retry_after import retry_at

PLAN = CallPlan(NOW, "main", "observe", "s-1", "maker/one", 1_000, 500, 0.04)
LIMITS = SpendLimits(usd_day=0.10, usd_month=0.25, calls_per_hour=100, tokens_per_call=2_000)


@pytest.fixture
def book(tmp_path: Path) -> SpendLedger:
    """A new ledger."""
    return SpendLedger(tmp_path / "state" / "spend.sqlite")


def reserve(book: SpendLedger, plan: CallPlan = PLAN, limits: SpendLimits = LIMITS) -> int:
    """The number of a reservation that must be granted."""
    reserved = book.reserve(plan, limits)
    assert isinstance(reserved, Reserved), reserved
    return reserved.number


def test_the_worst_case_counts_until_it_is_settled(book: SpendLedger) -> None:
    """Two open reservations fill the day; settling one at its true cost makes room again."""
    first = reserve(book)
    reserve(book)
    refused = book.reserve(PLAN, LIMITS)
    assert isinstance(refused, Refused)
    assert refused.ceiling is Ceiling.USD_DAY
    assert refused.used == pytest.approx(0.08)
    book.settle(first, Usage(1, 900, 40, 0.001), CallOutcome.ANSWERED)
    reserve(book)


def test_a_crash_leaves_the_worst_case_counted(book: SpendLedger) -> None:
    """A reservation that nobody settles stays in the sum and is shown as open."""
    reserve(book)
    report = book.report(NOW)
    assert (report.today_usd, report.open_calls) == (0.04, 1)


def test_settling_twice_changes_nothing(book: SpendLedger) -> None:
    """The first settlement holds."""
    number = reserve(book)
    book.settle(number, Usage(1, 1, 1, 0.01), CallOutcome.ANSWERED)
    book.settle(number, Usage(1, 9, 9, 0.00), CallOutcome.FAILED)
    assert book.report(NOW).today_usd == 0.01


def test_days_and_months_are_those_of_the_user(book: SpendLedger) -> None:
    """The day turns at the user's midnight, and the month holds what the day no longer does."""
    last = datetime(2026, 2, 28, 23, 59, tzinfo=ZONE)
    limits = replace(LIMITS, usd_month=0.09)
    reserve(book, replace(PLAN, at=last), limits)
    reserve(book, replace(PLAN, at=last), limits)
    month = book.reserve(replace(PLAN, at=last), limits)
    assert isinstance(month, Refused)
    assert month.ceiling is Ceiling.USD_MONTH
    assert month.opens_at_s == datetime(2026, 3, 1, tzinfo=ZONE).timestamp()
    reserve(book, replace(PLAN, at=datetime(2026, 3, 1, 0, 0, tzinfo=ZONE)), limits)


def test_calls_of_an_hour_and_tokens_of_a_call(book: SpendLedger) -> None:
    """The other two ceilings refuse by name; an unknown price is held by them alone."""
    unpriced, limits = replace(PLAN, cost_usd=None), replace(LIMITS, calls_per_hour=2)
    reserve(book, unpriced, limits)
    reserve(book, unpriced, limits)
    hour = book.reserve(unpriced, limits)
    assert isinstance(hour, Refused)
    assert hour.opens_at_s == NOW.timestamp() + 3600
    tokens = book.reserve(replace(PLAN, tokens_in=5_000), LIMITS)
    assert isinstance(tokens, Refused)
    assert (hour.ceiling, tokens.ceiling) == (Ceiling.CALLS_PER_HOUR, Ceiling.TOKENS_PER_CALL)
    assert book.report(NOW).total.unpriced_calls == 2


@settings(max_examples=60, deadline=None)
@given(
    steps=st.lists(
        st.tuples(st.floats(0.0, 0.06), st.floats(0.0, 1.0), st.integers(0, 40), st.booleans()), max_size=15
    )
)
def test_no_order_of_calls_passes_a_ceiling(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[float, float, int, bool]]
) -> None:
    """Reserve, settle at up to the worst case, wait, crash: no day and no month is ever over its limit."""
    book, now = SpendLedger(tmp_path_factory.mktemp("spend") / "spend.sqlite"), NOW
    for cost, share, hours, settled in steps:
        now = datetime.fromtimestamp(now.timestamp() + hours * 3600, ZONE)
        reserved = book.reserve(replace(PLAN, at=now, cost_usd=cost), LIMITS)
        if isinstance(reserved, Reserved) and settled:
            book.settle(reserved.number, Usage(1, 1, 1, cost * share), CallOutcome.ANSWERED)
        report = book.report(now)
        assert report.today_usd <= LIMITS.usd_day + 1e-9
        assert report.month_usd <= LIMITS.usd_month + 1e-9


def test_several_processes_share_one_ceiling(tmp_path: Path) -> None:
    """Four processes that reserve at once get exactly as many calls as the day allows."""
    path = tmp_path / "spend.sqlite"
    code = (
        "import sys\nfrom pathlib import Path\nfrom tests.unit.llm.test_spend import *\n"
        "book = SpendLedger(Path(sys.argv[1]))\n"
        "plan = replace(PLAN, cost_usd=0.01)\n"
        "print(sum(isinstance(book.reserve(plan, LIMITS), Reserved) for _ in range(8)))\n"
    )
    run = [sys.executable, "-c", code, str(path)]
    started = [
        subprocess.Popen(run, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[3])
        for _ in range(4)
    ]
    granted = sum(int(process.communicate(timeout=60)[0]) for process in started)
    assert granted == 10
    assert SpendLedger(path).report(NOW).today_usd == pytest.approx(0.10)


def test_the_report_has_four_headings_and_a_projection(book: SpendLedger) -> None:
    """By day, job, model and session the same calls; the projection takes the rate of the last week."""
    for day, job, cost in ((12, "observe", 0.02), (13, "observe", 0.03), (14, "reflect", 0.04)):
        at = datetime(2026, 2, day, 12, tzinfo=ZONE)
        number = reserve(book, replace(PLAN, at=at, job=job))
        book.settle(number, Usage(1, 100, 10, cost), CallOutcome.ANSWERED)
    report = book.report(NOW)
    assert [row.name for row in report.by_day] == ["2026-02-14", "2026-02-13", "2026-02-12"]
    assert [(row.name, row.cost_usd) for row in report.by_job] == [("observe", 0.05), ("reflect", 0.04)]
    assert report.by_model[0].calls == report.by_session[0].calls == 3
    assert report.projected_month_usd == pytest.approx(0.9)
    assert book.report(NOW, agent="other").total.calls == 0


def test_nothing_is_written_by_looking(tmp_path: Path) -> None:
    """Reports and pauses of a ledger that does not exist are empty and leave no file."""
    book = SpendLedger(tmp_path / "none" / "spend.sqlite")
    assert book.report(NOW).total.calls == 0
    assert book.paused("x") is None
    assert book.pauses() == {}
    book.clear("x")
    assert list(tmp_path.iterdir()) == []


def test_the_file_is_private_and_damage_is_said(book: SpendLedger, tmp_path: Path) -> None:
    """The ledger is readable by its owner only; a damaged one stops calling with a message."""
    reserve(book)
    path = tmp_path / "state" / "spend.sqlite"
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_bytes(b"no database" * 100)
    with pytest.raises(LedgerError, match="spend ledger"):
        book.reserve(PLAN, LIMITS)


def test_a_cancelled_call_counts(rig: Rig) -> None:
    """A call that a stop cuts is charged with its worst case, since the provider may bill it."""
    rig.models = ("google/gemini-2.5-flash",)
    stop = threading.Event()
    rig.should_stop = stop.is_set
    rig.server.will(Hang())
    timer = threading.Timer(0.1, stop.set)
    timer.start()
    with pytest.raises(ModelUnreachableError):
        rig.engine().compress(request("rent is 900"))
    timer.join()
    assert rig.book.report(NOW).today_usd > 0.003


def test_a_refused_call_counts_as_a_call_and_costs_nothing(rig: Rig) -> None:
    """An HTTP error costs no money and one of the hour's calls."""
    rig.models = ("google/gemini-2.5-flash",)
    rig.server.will(error(404, "No endpoints found for the model"))
    with pytest.raises(ConfigError):
        rig.engine().compress(request("rent is 900"))
    report = rig.book.report(NOW)
    assert (report.total.calls, report.total.cost_usd) == (1, 0.0)


def test_a_call_without_a_reported_cost_is_priced_by_the_table(rig: Rig) -> None:
    """Tokens times the table's price, when the endpoint names no cost; the worst case when it names nothing."""
    rig.models = ("google/gemini-2.5-flash",)
    rig.server.will(chat("- 🟢 rent is 900 [1]", usage={"prompt_tokens": 1_000_000, "completion_tokens": 0}))
    rig.engine().compress(request("rent is 900"))
    assert rig.book.report(NOW).today_usd == pytest.approx(0.30)


def test_unknown_prices_are_said_openly(rig: Rig) -> None:
    """A model that no table knows gives a finding; one on this machine is free; variants are not guessed."""
    rig.models = ("house/special",)
    (finding,) = model_findings(rig.chain().settings, {}, NOW)
    assert "house/special" in finding.text
    assert model_findings(rig.chain(local=True).settings, {}, NOW) == ()
    assert price_of("x/y:free") == FREE
    assert price_of("google/gemini-2.5-flash:nitro") is None
    assert price_of("gpt-4o-mini") == price_of("openai/gpt-4o-mini")


@pytest.mark.report("R058")
def test_a_retired_model_is_named_by_the_findings(rig: Rig) -> None:
    """``doctor`` can say which model is gone, without a call."""
    rig.server.will(error(404, "No endpoints found for maker/one"), chat("NO_OBSERVATIONS"))
    chain = rig.chain()
    rig.engine().compress(request("hello"))
    found = model_findings(chain.settings, rig.book.pauses(), NOW)
    assert any("maker/one does not exist" in one.text and not one.broken for one in found)


def test_pauses_survive(book: SpendLedger, tmp_path: Path) -> None:
    """What one process paused, another sees, and a cleared pause is gone."""
    book.pause("model x", Pause(NOW.timestamp() + 60, "server", 2))
    again = SpendLedger(tmp_path / "state" / "spend.sqlite")
    assert again.paused("model x") == Pause(NOW.timestamp() + 60, "server", 2)
    again.clear("model x")
    assert book.paused("model x") is None


def test_an_own_prompt_is_used_and_an_empty_one_refused(tmp_path: Path) -> None:
    """An override wins, with a hash of its own; an empty one is an error and never a silent default."""
    assert load_prompt(OBSERVER, [tmp_path]).text == PROMPT.strip() + "\n"
    (tmp_path / OBSERVER).write_text("Be brief.", encoding="utf-8")
    assert load_prompt(OBSERVER, [tmp_path]).text == "Be brief.\n"
    assert load_prompt(OBSERVER, [tmp_path]).hash != load_prompt(OBSERVER).hash
    (tmp_path / OBSERVER).write_text(" \n", encoding="utf-8")
    with pytest.raises(ConfigError, match="empty"):
        load_prompt(OBSERVER, [tmp_path])


@pytest.mark.report("R055")
@pytest.mark.parametrize(
    ("headers", "message", "wanted_s"),
    [
        ({"retry-after": "7"}, "", 7), ({"retry-after": "1.5"}, "", 1.5), ({"retry-after-ms": "250"}, "", 0.25),
        ({"x-ratelimit-reset": "6m0s"}, "", 360), ({"x-ratelimit-reset": "1h2m3.5s"}, "", 3723.5),
        ({"x-ratelimit-reset": str(int(NOW.timestamp()) + 90)}, "", 90),
        ({"x-ratelimit-reset": str(int(NOW.timestamp() + 90) * 1000)}, "", 90),
        ({}, "Please try again in 7.66s.", 7.66), ({}, "retry after 2 minutes", 120), ({}, "retry in 1m30s", 90),
        ({"retry-after": "soon"}, "", None), ({"retry-after": "-5"}, "", None), ({"retry-after": "nan"}, "", None),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, "", None), ({"retry-after": ""}, "", None),
        ({"retry-after": "Thu, 99 Foo 2026"}, "", None),
    ],
)  # fmt: skip
def test_forms_of_retry_after(headers: dict[str, str], message: str, wanted_s: float | None) -> None:
    """Seconds, milliseconds, spans, moments and words are read; nonsense and the past are not."""
    found = retry_at(headers, message, NOW.timestamp())
    assert found is None if wanted_s is None else found == pytest.approx(NOW.timestamp() + wanted_s, abs=0.01)


def test_a_run_with_nothing_new_loads_no_client() -> None:
    """Building the engine imports neither httpx nor tenacity."""
    code = "import sys, totalrecall.llm.engine_llm, totalrecall.ledger.spend; print({'httpx','tenacity','rich'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ}
    )
    assert done.stdout.strip() == "set()"
