"""What ``doctor`` looks at: the machine, each agent, the models, the service, OpenClaw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from totalrecall.cli.output import count
from totalrecall.errors import TotalRecallError

if TYPE_CHECKING:
    from pathlib import Path

    from totalrecall.bootstrap.machine import AgentPlaces, Installation
    from totalrecall.config.settings import Settings
    from totalrecall.domain.session import Session
    from totalrecall.jobs.doctor.finding import Finding


def of_machine(installation: Installation) -> list[Finding]:
    """Homes, settings, our own folders, file events."""
    from totalrecall.jobs.doctor.finding import Finding, Grade, from_problem
    from totalrecall.jobs.doctor.folders import (
        folder_finding,
        key_file_findings,
        leftover_findings,
        privacy_findings,
    )
    from totalrecall.jobs.doctor.inotify import inotify_findings

    findings = [from_problem(one) for one in installation.loaded.problems]
    findings += _homes(installation)
    for home in installation.homes:
        findings += [from_problem(one) for one in home.problems]
    if not installation.agents:
        what = "No OpenClaw agent was found."
        remedy = "Start OpenClaw once, or set OPENCLAW_STATE_DIR to its state folder."
        findings.append(Finding(Grade.BROKEN, what, remedy))
    for file in installation.loaded.files:
        found = "read" if file.found else "not there"
        findings.append(Finding(Grade.FINE, f"Settings file {file.path}: {found}."))
    root = installation.state_root
    findings.append(folder_finding(root, "State folder"))
    findings += privacy_findings([root])
    findings += leftover_findings([root])
    said = {one.remedy for one in findings}
    keys = key_file_findings(_key_files(installation.loaded.settings))
    findings += [one for one in keys if one.remedy not in said]
    return findings + inotify_findings()


def of_service(installation: Installation) -> list[Finding]:
    """The service manager and the service."""
    from totalrecall import __version__
    from totalrecall.files.service_state import look_at_service
    from totalrecall.jobs.doctor.service import service_findings
    from totalrecall.service.status import service_status

    machine = installation.machine
    status = service_status(machine.env, machine.home_dir)
    look = look_at_service(installation.state_root)
    return service_findings(status, look, __version__, machine.now_ms())


def of_openclaw(installation: Installation, agent: str | None) -> list[Finding]:
    """Hook, skill and start-up lines in each home."""
    from totalrecall.bootstrap.openclaw import openclaw_targets
    from totalrecall.jobs.doctor.beside_openclaw import openclaw_findings

    if not installation.agents:
        return []
    return [one for target in openclaw_targets(installation, agent) for one in openclaw_findings(target)]


def of_agent(installation: Installation, places: AgentPlaces) -> list[Finding]:
    """Its settings, transcripts, folders and ledger."""
    from totalrecall.jobs.doctor.finding import Finding, Grade, from_error, from_problem
    from totalrecall.jobs.doctor.transcripts import transcripts_findings

    settings, now_ms = places.settings, installation.machine.now_ms()
    known = {str(one) for one in installation.loaded.problems}
    findings = [from_problem(one) for one in places.problems if str(one) not in known]
    sessions: Sequence[Session] = ()
    try:
        sessions = places.transcripts.sessions()
        findings += transcripts_findings(sessions, places.transcripts.activity(), now_ms)
    except TotalRecallError as error:
        findings.append(from_error(error))
    findings += _folders(installation, places)
    engine = "a language model" if settings.uses_model else "the built-in extractive engine"
    findings.append(Finding(Grade.FINE, f"Notes are written by {engine}. {settings.engine_reason}"))
    findings.append(Finding(Grade.FINE, f"Time zone {places.zone.name}, from {places.zone.source}."))
    if settings.uses_model:
        findings += _prompts(installation)
    return findings + _ledger(installation, places, max((one.modified_ms for one in sessions), default=0))


def of_models(installation: Installation, places: AgentPlaces) -> list[Finding]:
    """One token from each model, and what is known about pauses and prices."""
    from datetime import datetime

    from totalrecall.bootstrap.model import model_chain, spend_book
    from totalrecall.jobs.doctor.finding import Finding, Grade, from_error
    from totalrecall.llm.ask import Ask
    from totalrecall.llm.findings import model_findings

    try:
        chain = model_chain(installation, places)
        ask = Ask("Answer with one word.", "Are you there?", 1, places.agent.name, "doctor", "")
        answers = [(model, chain.probe(model, ask)) for model in chain.settings.models]
    except TotalRecallError as error:
        return [from_error(error)]
    findings = [
        Finding(Grade.BROKEN, f"{model}: {failure.title}", failure.hint)
        if failure
        else Finding(Grade.FINE, f"The model {model} answers.")
        for model, failure in answers
    ]
    now = datetime.fromtimestamp(installation.machine.now_ms() / 1000, places.zone.zone)
    said = model_findings(chain.settings, spend_book(installation).pauses(), now)
    return findings + [Finding(Grade.BROKEN if one.broken else Grade.WARNING, one.text) for one in said]


def _prompts(installation: Installation) -> list[Finding]:
    from totalrecall.jobs.doctor.memory_files import prompt_findings
    from totalrecall.llm.prompt_files import NAMES
    from totalrecall.places.own import prompt_folders

    return prompt_findings(NAMES, prompt_folders(installation.config_dir))


def _homes(installation: Installation) -> list[Finding]:
    from totalrecall.jobs.doctor.finding import Finding, Grade
    from totalrecall.places.openclaw_home import candidate_homes

    stands = {home.state_dir for home in installation.homes}
    findings = []
    for candidate in candidate_homes(installation.machine.env, installation.machine.home_dir):
        if candidate.passed_over:
            what = f"{candidate.state_dir} is not read."
            findings.append(Finding(Grade.WARNING, what, candidate.passed_over))
        elif candidate.state_dir in stands:
            number = sum(1 for one in installation.agents if one.home.state_dir == candidate.state_dir)
            findings.append(
                Finding(Grade.FINE, f"OpenClaw home {candidate.state_dir}: {count(number, 'agent')}.")
            )
        else:
            findings.append(Finding(Grade.FINE, f"No OpenClaw home at {candidate.state_dir}."))
    return findings


def _folders(installation: Installation, places: AgentPlaces) -> list[Finding]:
    from totalrecall.jobs.doctor.folders import (
        folder_finding,
        key_file_findings,
        leftover_findings,
        privacy_findings,
        room_findings,
    )

    logs: Path = places.workspace / "logs"
    written = [places.memory_dir, places.workspace, logs]
    findings = [folder_finding(places.memory_dir, "Memory folder"), folder_finding(logs, "Log folder")]
    findings += room_findings([places.memory_dir, installation.state_root])
    findings += privacy_findings([places.memory_dir, logs])
    findings += leftover_findings([*written, places.state_dir])
    return findings + key_file_findings(_key_files(places.settings))


def _key_files(settings: Settings) -> list[Path]:
    """Our own files that a key comes from."""
    keys = {"OPENROUTER_API_KEY": settings.openrouter_api_key, "LLM_API_KEY": settings.llm_api_key}
    paths = [settings.origin(name).path for name, key in keys.items() if key]
    return [path for path in paths if path is not None and path.name in {".env", "config.toml"}]


def _ledger(installation: Installation, places: AgentPlaces, newest_ms: int) -> list[Finding]:
    from totalrecall.bootstrap.agent import demand_ledger, notes_of, open_agent
    from totalrecall.cli.status import surroundings
    from totalrecall.jobs.doctor.clock import clock_findings
    from totalrecall.jobs.doctor.finding import Finding, Grade, from_error
    from totalrecall.jobs.doctor.memory_files import memory_file_findings
    from totalrecall.jobs.status import status

    now_ms = installation.machine.now_ms()
    try:
        demand_ledger(places, notes_of(installation, places))
        if not (places.state_dir / "ledger.sqlite").exists():
            what = "Not adopted yet: the first 'totalrecall observe' does that."
            return [*clock_findings(now_ms, newest_ms, 0), Finding(Grade.FINE, what)]
        with open_agent(installation, places) as ctx:
            found = status(ctx, surroundings(installation, places))
            damaged = memory_file_findings(ctx)
    except TotalRecallError as error:
        return [from_error(error)]
    grades = {"red": Grade.BROKEN, "yellow": Grade.WARNING, "green": Grade.FINE}
    findings = [Finding(grades[one.health], one.what, one.remedy) for one in found.troubles]
    runs = [one.ended_ms for one in (*found.last_ok.values(), *found.last_bad.values())]
    findings += [*clock_findings(now_ms, newest_ms, max(runs, default=0)), *damaged]
    findings.append(Finding(Grade.FINE, f"The ledger is sound; {count(found.pending, 'message')} pending."))
    return findings
