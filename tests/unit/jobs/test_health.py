"""Whether notes are being made, told from signs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath

import pytest

from totalrecall.domain.service_state import AgentState, ServiceState, ServiceTrouble
from totalrecall.files.service_state import ServiceLook
from totalrecall.jobs.health import Health, Signs, Trouble, troubles_in, worst_first
from totalrecall.jobs.service_health import view_service

MIN = 60_000
HOUR = 60 * MIN
DAY = 24 * HOUR
NOW = 1_796_000_000_000
WELL = Signs(sessions=3, newest_ms=NOW - MIN, noted_to_ms=NOW - 2 * MIN, known=9, last_ok_ms=NOW - MIN)


def worst(signs: Signs) -> str:
    """The colour of the worst trouble."""
    found = worst_first(troubles_in(signs, NOW))
    return found[0].health if found else Health.GREEN


@pytest.mark.parametrize(
    ("change", "colour"),
    [
        ({}, "green"),
        # A quiet agent, whatever stands beside its talk, and however long it has been quiet.
        ({"newest_ms": NOW - 90 * DAY, "noted_to_ms": NOW - 90 * DAY, "last_ok_ms": NOW - 90 * DAY}, "green"),
        ({"newest_ms": NOW - 9 * DAY, "written_ms": NOW - 8 * DAY, "written": PurePath("x")}, "green"),
        ({"written_ms": NOW, "written": PurePath("x")}, "green"),
        # Plainly active, and nothing arrives (R001, R104).
        ({"newest_ms": NOW - 2 * DAY, "written_ms": NOW - MIN, "written": PurePath("x")}, "red"),
        ({"sessions": 0, "newest_ms": 0, "written_ms": NOW - MIN, "written": PurePath("x")}, "red"),
        ({"noted_to_ms": NOW - 2 * DAY, "unknown_types": ("talk/v9",)}, "red"),
        ({"noted_to_ms": NOW - 2 * DAY, "bad_records": 40}, "red"),
        ({"known": 0, "noted_to_ms": 0, "unknown_types": ("talk/v9",)}, "red"),
        # One odd record long ago says nothing as long as the others arrive.
        ({"unknown_types": ("talk/v9",), "bad_records": 1}, "green"),
        # What waits, and why.
        ({"pending": 5}, "green"),
        ({"pending": 5, "last_ok_ms": NOW - 3 * HOUR}, "red"),
        ({"pending": 5, "last_bad_ms": NOW, "last_bad_reason": "No model answers."}, "red"),
        ({"pending": 5, "last_bad_ms": NOW - HOUR}, "green"),
        ({"last_bad_ms": NOW}, "green"),
        ({"set_aside": 2}, "yellow"),
        ({"sessions": 0, "newest_ms": 0}, "yellow"),
    ],
)
@pytest.mark.report("R001", "R104", "R116")
def test_health_follows_from_the_signs(change: dict[str, object], colour: str) -> None:
    """Red where notes are not being made, yellow where something wants a look, green otherwise."""
    assert worst(replace(WELL, **change)) == colour  # type: ignore[arg-type]


def test_the_worst_stands_first_and_nothing_twice() -> None:
    """The order is by colour, and what two parts found is told once."""
    red, yellow = Trouble(Health.RED, "a"), Trouble(Health.YELLOW, "b")
    assert worst_first([yellow, red, yellow]) == (red, yellow)


RUNNING = ServiceState(
    pid=7,
    version="1.0",
    started_ms=NOW - DAY,
    written_ms=NOW - MIN,
    next_runs={"observe": NOW + MIN},
    agents={"main": AgentState(watch="events", last_event_ms=NOW - HOUR, last_scan_ms=NOW - MIN)},
)


def seen(state: ServiceState | None, *, running: bool = True, newest_ms: int = NOW - HOUR) -> str:
    """The colour of the worst that the service's state shows."""
    look = ServiceLook(running, "", state)
    view = view_service(look, "main", newest_ms, ("1.0", NOW))
    assert view.running == running
    return worst_first(view.troubles)[0].health if view.troubles else Health.GREEN


def with_agent(**change: object) -> ServiceState:
    """The state with another look of the agent."""
    agent = replace(RUNNING.agents["main"], **change)  # type: ignore[arg-type]
    return replace(RUNNING, agents={"main": agent})


def test_a_service_at_work_is_no_trouble() -> None:
    """It runs and says so; or there is none, and cron does the work."""
    assert seen(RUNNING) == "green"
    assert seen(None, running=False) == "green"
    assert seen(replace(RUNNING, stopped=True), running=False) == "green"
    assert seen(None) == "green"


@pytest.mark.report("R104", "R107")
def test_a_service_that_sees_nothing_is_red() -> None:
    """The agent spoke and nobody looked; or it has said nothing itself for a quarter of an hour."""
    blind = with_agent(last_scan_ms=NOW - 20 * MIN, last_event_ms=NOW - HOUR)
    assert seen(blind, newest_ms=NOW - 10 * MIN) == "red"
    assert seen(blind, newest_ms=NOW - 30 * MIN) == "green"
    assert seen(blind, newest_ms=NOW) == "red"
    late = with_agent(last_scan_ms=NOW - 6 * MIN, last_event_ms=NOW - HOUR)
    assert seen(late, newest_ms=NOW - 2 * MIN) == "green"
    assert seen(late, newest_ms=NOW - 5 * MIN - 1) == "red"
    assert seen(RUNNING, newest_ms=NOW + HOUR) == "green"
    assert seen(replace(RUNNING, written_ms=NOW - 20 * MIN)) == "red"
    assert seen(replace(blind, started_ms=NOW - MIN), newest_ms=NOW - 10 * MIN) == "green"


def test_what_the_service_knows_is_told() -> None:
    """Its own troubles, for this agent or for all; another version; an end that nobody wanted."""
    trouble = ServiceTrouble("red", "The observer hangs.", "Look.", "main")
    assert seen(replace(RUNNING, troubles=(trouble,))) == "red"
    assert seen(replace(RUNNING, troubles=(replace(trouble, agent="other"),))) == "green"
    assert seen(replace(RUNNING, version="0.9")) == "yellow"
    assert seen(RUNNING, running=False) == "yellow"
