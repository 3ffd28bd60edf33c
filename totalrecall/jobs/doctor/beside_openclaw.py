"""How our hook, our skill and our lines stand beside OpenClaw."""

from __future__ import annotations

from totalrecall.errors import TotalRecallError
from totalrecall.jobs.doctor.finding import Finding, Grade, from_error
from totalrecall.openclaw.inspect import HomeInspection, PartState, inspect
from totalrecall.openclaw.target import Target

_GRADES = {
    PartState.BROKEN: Grade.BROKEN,
    PartState.OUTDATED: Grade.WARNING,
    PartState.ABSENT: Grade.WARNING,
    PartState.EDITED: Grade.FINE,
    PartState.OFF: Grade.FINE,
    PartState.FINE: Grade.FINE,
}
# Another product with almost our name is worth a word, and breaks nothing of ours.
_OTHER = "other skill"


def openclaw_findings(target: Target) -> list[Finding]:
    """The parts of an installation that are not as they should be, or that all is well, or not installed."""
    try:
        return _of(inspect(target))
    except TotalRecallError as error:
        return [from_error(error)]


def _of(found: HomeInspection) -> list[Finding]:
    findings = []
    for part in found.troubles:
        grade = Grade.WARNING if part.name == _OTHER else _GRADES[part.state]
        where = f" ({part.path})" if str(part.path) not in part.what else ""
        findings.append(Finding(grade, f"{part.what.rstrip('.')}{where}.", part.remedy))
    if not found.installed:
        what = (
            f"Nothing of ours is installed beside the OpenClaw in {found.home}: notes do not reach the agent."
        )
        findings.append(
            Finding(Grade.FINE, what, "'totalrecall openclaw install' shows what it would change.")
        )
    elif not findings:
        findings.append(Finding(Grade.FINE, f"Hook, skill and start-up lines stand in {found.home}."))
    return findings
