"""The status of an agent as lines for people: one screen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from totalrecall.cli.output import ago, count, span
from totalrecall.cli.talk import paint

if TYPE_CHECKING:
    from totalrecall.errors import TotalRecallError
    from totalrecall.jobs.service_health import ServiceView
    from totalrecall.jobs.status import AgentStatus
    from totalrecall.ledger.rows import RunRow

COLOURS = {"green": "green", "yellow": "yellow", "red": "red"}
INDENT = "    "
REASON_CHARS = 160


@dataclass(frozen=True, slots=True)
class Shown:
    """One agent's status with what stands beside it: what was spent, and what the time is."""

    status: AgentStatus
    spend: str
    now_ms: int


def lines_of(shown: Shown) -> list[str]:
    """The screen of one agent, worst things last, where the eye is."""
    one, now_ms = shown.status, shown.now_ms
    facts = [
        ("transcripts", f"{count(one.sessions, 'session')}, newest change {ago(one.newest_ms, now_ms)}"),
        ("observed", _observed(one, now_ms)),
        ("last success", _successes(one.last_ok, one.last_bad, now_ms)),
        ("notes", _notes(one)),
        ("reflected", _reflected(one)),
        ("engine", f"{one.engine}: {one.engine_reason}"),
        ("messages", _messages(one)),
        ("unreadable", f"{count(one.bad_records, 'record')} passed by" if one.bad_records else ""),
        ("unknown types", ", ".join(f"{name} ×{n}" for name, n in sorted(one.unknown_types.items()))),
        ("spend", shown.spend),
        ("service", _service(one.service, now_ms)),
        ("next runs", _next_runs(one.service.next_runs, now_ms)),
        ("last error", _error(one, now_ms)),
    ]
    said = [f"{paint('●', COLOURS[one.health])} {one.agent}  {one.health}  ({one.workspace})"]
    said += [f"{INDENT}{name:<14}{text}" for name, text in facts if text]
    for trouble in one.troubles:
        said += _trouble(trouble.health, trouble.what, trouble.remedy)
    return said


def lines_of_error(agent: str, workspace: str, error: TotalRecallError) -> list[str]:
    """The screen of an agent of which nothing can be told but why."""
    head = f"{paint('●', COLOURS['red'])} {agent}  red  ({workspace})"
    return [head, *_trouble("red", error.title, error.hint)]


def _trouble(health: str, what: str, remedy: str) -> list[str]:
    said = [f"{INDENT}{paint('!', COLOURS[health])} {what}"]
    return said + [f"{INDENT}  {line}" for line in remedy.splitlines()]


def _observed(one: AgentStatus, now_ms: int) -> str:
    waiting = f"{one.pending:,}{'+' if one.pending_more else ''} pending"
    behind = f", {span(one.behind_ms)} behind" if one.behind_ms >= 1000 else ""
    if one.adopted_ms is None:
        return f"not yet; the first run adopts the agent ({waiting})"
    return f"to a message {ago(one.noted_to_ms, now_ms)}; {waiting}{behind}"


def _successes(ok: Mapping[str, RunRow], bad: Mapping[str, RunRow], now_ms: int) -> str:
    jobs = sorted({*ok, *bad}, key=lambda job: -ok[job].ended_ms if job in ok else 0)
    times = [f"{job} {ago(ok[job].ended_ms if job in ok else None, now_ms)}" for job in jobs]
    return " · ".join(times) or "never"


def _notes(one: AgentStatus) -> str:
    said = f"{count(one.notes, 'note')}, {count(one.words, 'word')}"
    if one.provisional:
        said += f"; {one.provisional:,} provisional, until the model answers"
    if one.unverified:
        said += f"; {one.unverified:,} not verified"
    if one.dropped:
        said += f"; {count(one.dropped, 'line')} left out"
    return said


def _reflected(one: AgentStatus) -> str:
    week, left = one.reflections, one.left_this_week
    said = []
    if week.words_before:
        said.append(f"{week.words_before:,} → {week.words_after:,} words this week")
    if left:
        reasons = ", ".join(f"{times:,} {reason}" for reason, times in sorted(left.items()))
        said.append(f"{count(sum(left.values()), 'note')} to the archive ({reasons})")
    if week.refusals:
        said.append(f"{len(week.refusals):,} refused, the last: {_short(week.refusals[-1])}")
    return "; ".join(said)


def _messages(one: AgentStatus) -> str:
    states = [f"{n:,} {state.value.replace('_', ' ')}" for state, n in sorted(one.states.items())]
    return ", ".join(states) or "none yet"


def _service(view: ServiceView, now_ms: int) -> str:
    if not view.running:
        return "not running ('totalrecall service install' starts it; cron works too)"
    since = f" for {span(now_ms - view.started_ms)}" if view.started_ms else ""
    said = [f"running{since} (pid {view.pid})" if view.pid else "running"]
    if view.watch:
        said.append(f"{view.watch}, last look {ago(view.looked_ms, now_ms)}")
    if view.running_job:
        said.append(f"{view.running_job} at work just now")
    return "; ".join(said)


def _next_runs(runs: Mapping[str, int], now_ms: int) -> str:
    ahead = sorted((at_ms, name) for name, at_ms in runs.items() if at_ms)
    return " · ".join(f"{name} {_in(at_ms - now_ms)}" for at_ms, name in ahead)


def _in(wait_ms: int) -> str:
    return f"in {span(wait_ms)}" if wait_ms > 0 else "due"


def _error(one: AgentStatus, now_ms: int) -> str:
    """The last error that is still open, unless one of the troubles below says the same."""
    run = one.last_error
    why = str(run.numbers.get("reason", "")) if run else ""
    if run is None or (why and any(why in trouble.what for trouble in one.troubles)):
        return ""
    return f"{run.job} {ago(run.ended_ms, now_ms)}: {_short(why or 'no reason told')}"


def _short(text: str) -> str:
    return text if len(text) <= REASON_CHARS else f"{text[:REASON_CHARS]}…"
