"""Clocks that cannot be right. Pure."""

from __future__ import annotations

from totalrecall.jobs.doctor.finding import Finding, Grade

# 2025-01-01: this program is younger.
EARLIEST_MS = 1_735_689_600_000
AHEAD_MS = 600_000
_DAY_MS = 86_400_000


def clock_findings(now_ms: int, newest_ms: int, last_run_ms: int) -> list[Finding]:
    """A clock of the past; transcripts or runs of ours from the future. 0 for what there is none of."""
    remedy = "Set the clock (timedatectl set-ntp true). Nothing is lost: place marks count, not times."
    if now_ms < EARLIEST_MS:
        return [Finding(Grade.WARNING, "The clock of this machine stands years in the past.", remedy)]
    findings = []
    for at_ms, what in ((newest_ms, "The newest transcript"), (last_run_ms, "The last run")):
        if at_ms - now_ms > AHEAD_MS:
            said = f"{what} is from {_span(at_ms - now_ms)} in the future: a clock was or is wrong."
            findings.append(Finding(Grade.WARNING, said, remedy))
    return findings


def _span(length_ms: int) -> str:
    return f"{length_ms // _DAY_MS} days" if length_ms >= 2 * _DAY_MS else f"{length_ms // 60_000} minutes"
