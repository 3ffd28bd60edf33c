"""``totalrecall doctor``: everything that can be wrong, worst first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from totalrecall.cli.invocation import each_agent, here, interactive, opened
from totalrecall.cli.options import agent_option, json_option
from totalrecall.cli.output import count, emit_json
from totalrecall.cli.talk import paint, say
from totalrecall.domain.outcome import ExitCode
from totalrecall.errors import TotalRecallError

if TYPE_CHECKING:
    from totalrecall.bootstrap.machine import AgentPlaces, Installation
    from totalrecall.jobs.doctor import Finding

_SIGNS = {0: ("✗", "red"), 1: ("!", "yellow"), 2: ("✓", "green")}


@click.command("doctor")
@agent_option
@click.option("--offline", is_flag=True, help="Do not make the one-token test call to the models.")
@click.option("--secrets", is_flag=True, help="Instead: look for secrets in the memory files.")
@click.option("--clean", is_flag=True, help="With --secrets: put placeholders in their place.")
@json_option
def doctor_command(agent: str | None, offline: bool, secrets: bool, clean: bool, as_json: bool) -> int:
    """Go through everything that can be wrong and say how to mend it. Exits with 3 if something is broken."""
    if clean and not secrets:
        raise click.UsageError("--clean goes with --secrets.")
    if secrets:
        return _secrets(agent, clean=clean, as_json=as_json)
    from totalrecall.bootstrap.machine import places_of
    from totalrecall.jobs.doctor import Grade, worst_first

    installation = here(agent)
    findings = _machine(installation)
    asked: set[str] = set()
    for one in installation.agents if agent is None else installation.pick(agent):
        places = places_of(installation, one)
        prefix = f"{one.name}: " if len(installation.agents) > 1 else ""
        found = _agent(installation, places)
        if not offline and places.settings.uses_model and not asked:
            asked.add(one.name)
            found += _models(installation, places)
        findings += [_prefixed(prefix, each) for each in found]
    ordered = worst_first(findings)
    if as_json:
        emit_json([_plain(finding) for finding in ordered])
    else:
        for finding in ordered:
            sign, colour = _SIGNS[finding.grade]
            say(f"{paint(sign, colour)} {finding.what}")
            if finding.remedy:
                say(f"    {finding.remedy}")
    broken = any(finding.grade is Grade.BROKEN for finding in ordered)
    return ExitCode.PARTIAL if broken else ExitCode.OK


def _secrets(agent: str | None, *, clean: bool, as_json: bool) -> int:
    """Which memory files hold secrets; taken out with --clean, or when a person at the terminal says so."""
    from totalrecall.jobs.secrets import find_secrets, remove_secrets

    left = 0
    shown: list[object] = []
    for installation, places in each_agent(agent):
        with opened(installation, places) as ctx:
            found = find_secrets(ctx)
            shown += found
            for one in found:
                say(f"{one.path}: secrets in {count(one.lines, 'line')}", err=as_json)
            ask = bool(found) and not clean and interactive()
            if found and (clean or (ask and click.confirm("Put placeholders in their place?", err=True))):
                done = [remove_secrets(ctx, one.path) for one in found]
                say(f"{count(sum(done), 'file')} cleaned.", err=True)
                left += len(done) - sum(done)
            else:
                left += len(found)
    if as_json:
        emit_json(shown)
    elif not shown:
        say("No secret was found in the memory files.")
    return ExitCode.PARTIAL if left else ExitCode.OK


def _plain(finding: Finding) -> dict[str, str]:
    return {"grade": finding.grade.name.lower(), "what": finding.what, "remedy": finding.remedy}


def _prefixed(prefix: str, one: Finding) -> Finding:
    from dataclasses import replace

    return replace(one, what=prefix + one.what)


def _machine(installation: Installation) -> list[Finding]:
    from totalrecall.jobs.doctor import Finding, Grade, folder_finding, from_problem
    from totalrecall.places.openclaw_home import candidate_homes

    machine = installation.machine
    findings = [from_problem(one) for one in installation.loaded.problems]
    stands = {home.state_dir for home in installation.homes}
    for candidate in candidate_homes(machine.env, machine.home_dir):
        if candidate.passed_over:
            findings.append(
                Finding(Grade.WARNING, f"{candidate.state_dir} is not read.", candidate.passed_over)
            )
        elif candidate.state_dir in stands:
            number = sum(1 for one in installation.agents if one.home.state_dir == candidate.state_dir)
            findings.append(Finding(Grade.FINE, f"OpenClaw home {candidate.state_dir}: {number} agents."))
        else:
            findings.append(Finding(Grade.FINE, f"No OpenClaw home at {candidate.state_dir}."))
    for home in installation.homes:
        findings += [from_problem(one) for one in home.problems]
    if not installation.agents:
        what = "No OpenClaw agent was found."
        remedy = "Start OpenClaw once, or set OPENCLAW_STATE_DIR to its state folder."
        findings.append(Finding(Grade.BROKEN, what, remedy))
    for file in installation.loaded.files:
        found = "read" if file.found else "not there"
        findings.append(Finding(Grade.FINE, f"Settings file {file.path}: {found}."))
    findings.append(folder_finding(installation.state_root, "State folder"))
    return findings


def _agent(installation: Installation, places: AgentPlaces) -> list[Finding]:
    from totalrecall.bootstrap.machine import transcripts_of
    from totalrecall.jobs.doctor import (
        Finding,
        Grade,
        folder_finding,
        from_error,
        from_problem,
        transcripts_findings,
    )

    settings = places.settings
    known = {str(one) for one in installation.loaded.problems}
    findings = [from_problem(one) for one in places.problems if str(one) not in known]
    transcripts = transcripts_of(places.agent, installation.machine.now_ms)
    try:
        sessions = transcripts.sessions()
        findings += transcripts_findings(sessions, transcripts.activity(), installation.machine.now_ms())
    except TotalRecallError as error:
        findings.append(from_error(error))
    findings.append(folder_finding(places.memory_dir, "Memory folder"))
    engine = "a language model" if settings.uses_model else "the built-in extractive engine"
    findings.append(Finding(Grade.FINE, f"Notes are written by {engine}. {settings.engine_reason}"))
    findings.append(Finding(Grade.FINE, f"Time zone {places.zone.name}, from {places.zone.source}."))
    findings += _ledger(installation, places)
    return findings


def _ledger(installation: Installation, places: AgentPlaces) -> list[Finding]:
    from totalrecall.bootstrap.agent import open_agent
    from totalrecall.jobs.doctor import Finding, Grade, from_error
    from totalrecall.jobs.status import status

    if not (places.state_dir / "ledger.sqlite").exists():
        return [Finding(Grade.FINE, "Not adopted yet: the first 'totalrecall observe' does that.")]
    try:
        with open_agent(installation, places) as ctx:
            found = status(ctx)
    except TotalRecallError as error:
        return [from_error(error)]
    grades = {"red": Grade.BROKEN, "yellow": Grade.WARNING, "green": Grade.FINE}
    findings = [Finding(grades[one.health], one.what, one.remedy) for one in found.troubles]
    findings.append(Finding(Grade.FINE, f"The ledger is sound; {found.pending:,} messages are pending."))
    return findings


def _models(installation: Installation, places: AgentPlaces) -> list[Finding]:
    """One token from each model, and what is known about pauses and prices."""
    from datetime import datetime

    from totalrecall.bootstrap.model import model_chain, spend_book
    from totalrecall.jobs.doctor import Finding, Grade, from_error
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
