"""How the background service stands. Pure."""

from __future__ import annotations

from totalrecall.files.service_state import ServiceLook
from totalrecall.jobs.doctor.finding import Finding, Grade
from totalrecall.jobs.health import Health
from totalrecall.jobs.service_health import view_service
from totalrecall.service.status import ServiceKind, ServiceStatus

_GRADES = {Health.RED: Grade.BROKEN, Health.YELLOW: Grade.WARNING, Health.GREEN: Grade.FINE}


def service_findings(status: ServiceStatus, look: ServiceLook, version: str, now_ms: int) -> list[Finding]:
    """What the service manager, the service's lock and its own words say.

    Doing without a service is fine: cron does the same work. One that is installed has to run.
    """
    findings = [_manager(status, look)]
    findings += [
        Finding(_GRADES[one.health], one.what, one.remedy)
        for one in view_service(look, "", 0, (version, now_ms)).troubles
    ]
    return findings


def _manager(status: ServiceStatus, look: ServiceLook) -> Finding:
    if status.kind is ServiceKind.NONE or not status.installed:
        if look.running:
            return Finding(Grade.FINE, f"The service runs ({look.holder}), started by hand or by others.")
        return Finding(Grade.FINE, f"{status.detail} A cron job does the same work.", status.remedy)
    if not status.active:
        return Finding(Grade.BROKEN, status.detail, status.remedy)
    if not look.running:
        what = "The service manager says that the service runs, and nobody holds its lock."
        return Finding(Grade.WARNING, what, "It may use another state folder: 'totalrecall service install'.")
    return Finding(Grade.WARNING if status.remedy else Grade.FINE, status.detail, status.remedy)
