"""What the stores of an agent show."""

from __future__ import annotations

from collections.abc import Sequence

from totalrecall.domain.session import Session
from totalrecall.jobs.doctor.finding import Finding, Grade
from totalrecall.transcripts.choice import StoreActivity

SILENT_MS = 600_000


def transcripts_findings(
    sessions: Sequence[Session], activity: Sequence[StoreActivity], now_ms: int
) -> list[Finding]:
    """What the stores show: how many sessions, how new, and whether nothing arrives from an active agent."""
    findings = []
    for store in activity:
        if store.trouble:
            findings.append(
                Finding(Grade.BROKEN, f"{store.location}: {store.trouble}", "See above; try again.")
            )
        elif store.sessions:
            newest = _age(store.newest_ms, now_ms)
            number = f"{store.sessions:,} session{'' if store.sessions == 1 else 's'}"
            what = f"{store.location}: {number} ({store.store}), newest {newest}."
            findings.append(Finding(Grade.FINE, what))
    newest_ms = max((one.newest_ms for one in activity), default=0)
    changed_ms = max((one.changed_ms for one in activity), default=0)
    if not sessions:
        what = "No session was found, so there is nothing to observe."
        remedy = "If the agent has talked already, set OPENCLAW_STATE_DIR to OpenClaw's state folder."
        findings.append(Finding(Grade.WARNING, what, remedy))
    elif changed_ms - newest_ms > SILENT_MS and now_ms - changed_ms < SILENT_MS:
        what = f"The store was written just now, and the newest talk in it is from {_age(newest_ms, now_ms)}."
        remedy = "If you are talking to the agent just now, nothing arrives: update Total Recall."
        findings.append(Finding(Grade.WARNING, what, remedy))
    return findings


def _age(at_ms: int, now_ms: int) -> str:
    minutes = max(0, now_ms - at_ms) // 60_000
    if not at_ms:
        return "never"
    if minutes < 120:
        return f"{minutes} min ago"
    return f"{minutes // 60} h ago" if minutes < 2880 else f"{minutes // 1440} d ago"
