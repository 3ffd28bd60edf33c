"""``totalrecall doctor``: everything that can be wrong, worst first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from totalrecall.cli.invocation import each_agent, here, interactive, opened
from totalrecall.cli.options import agent_option, json_option
from totalrecall.cli.output import count, emit_json
from totalrecall.cli.talk import paint, say
from totalrecall.domain.outcome import ExitCode

if TYPE_CHECKING:
    from totalrecall.jobs.doctor.finding import Finding

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
    from totalrecall.jobs.doctor.finding import Grade, worst_first

    ordered = worst_first(_findings(agent, offline=offline))
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


def _findings(agent: str | None, *, offline: bool) -> list[Finding]:
    from totalrecall.bootstrap.machine import places_of
    from totalrecall.cli import checkup

    installation = here(agent)
    meant = installation.agents if agent is None else installation.pick(agent)
    findings = checkup.of_machine(installation)
    findings += checkup.of_service(installation)
    findings += checkup.of_openclaw(installation, agent)
    told = {one.what for one in findings}
    asked = False
    for one in meant:
        places = places_of(installation, one)
        prefix = f"{one.name}: " if len(installation.agents) > 1 else ""
        found = checkup.of_agent(installation, places)
        if not offline and places.settings.uses_model and not asked:
            asked = True
            found += checkup.of_models(installation, places)
        # What concerns the whole machine (the service, say) is told once.
        findings += [_prefixed(prefix, each) for each in dict.fromkeys(found) if each.what not in told]
    return findings


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
