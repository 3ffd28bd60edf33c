"""``totalrecall state`` and ``session-state``: what the agent is doing, read and written."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click

from totalrecall.cli.options import json_option
from totalrecall.cli.output import emit_json
from totalrecall.cli.state_output import (
    show_fields,
    state_as_json,
    tell_age,
    tell_projects,
    tell_refreshed,
    tell_unreadable,
    tell_written,
)
from totalrecall.cli.talk import say
from totalrecall.cli.which_agent import one_agent
from totalrecall.domain.outcome import ExitCode
from totalrecall.domain.session_state import FIELDS, SessionState
from totalrecall.errors import ConfigError

agent_option = click.option(
    "--agent", metavar="NAME", help="This agent; without it, the one in whose workspace you are, or main."
)


def _checked(_context: click.Context, _parameter: click.Parameter, name: str) -> str:
    """The project's name; a usage error for one that is none."""
    from pathlib import Path

    from totalrecall.memory.session_state import state_path

    try:
        state_path(Path(), name)
    except ConfigError as error:
        raise click.BadParameter(f"{error.title} {error.hint}") from error
    return name


project_option = click.option(
    "--project",
    metavar="NAME",
    default="",
    callback=_checked,
    help="state/NAME.md instead of SESSION_STATE.md.",
)
dry_run_option = click.option("--dry-run", is_flag=True, help="Show the difference, write nothing.")


@click.group("state", invoke_without_command=True)
@click.pass_context
def state_command(context: click.Context) -> int:
    """What the agent is doing: project, task, status, last action, next steps. Without a word: show."""
    if context.invoked_subcommand is None:
        return int(context.invoke(show_command))
    return ExitCode.OK


@state_command.command("show")
@project_option
@json_option
@agent_option
def show_command(project: str, agent: str | None, *, as_json: bool) -> int:
    """Show the state as it stands in the file."""
    from totalrecall.jobs.state_edit import state_file
    from totalrecall.memory.session_state_format import Unreadable

    with one_agent(agent) as ctx:
        file = state_file(ctx, project)
        read = file.read()
        if isinstance(read.parts, Unreadable):
            return tell_unreadable(read.path, read.parts, file.set_aside(read, ctx.now()))
        tell_age(ctx, read)
        if as_json:
            emit_json(state_as_json(read.state) if read.exists else None)
        elif not read.exists:
            say(
                f"There is no {read.path}. 'totalrecall state refresh' makes it from the transcripts.",
                err=True,
            )
            tell_projects(ctx)
        else:
            show_fields(read.state)
    return ExitCode.OK


@state_command.command("set")
@click.argument("field", type=click.Choice([*FIELDS, "body"]))
@click.argument("value")
@project_option
@json_option
@dry_run_option
@agent_option
def set_command(
    field: str, value: str, project: str, agent: str | None, *, as_json: bool, dry_run: bool
) -> int:
    """Write one field: next_steps takes a JSON array. '-' reads the value from stdin."""
    from totalrecall.jobs.state_edit import set_fields
    from totalrecall.memory.session_state_check import refusal

    if value == "-":
        with click.open_file("-", encoding="utf-8", errors="replace") as stdin:
            value = stdin.read()
    changes = {field: _steps(value) if field == "next_steps" else value}
    state = SessionState(
        status=value if field == "status" else "", updated=value if field == "updated" else ""
    )
    if why := refusal(state):
        raise click.UsageError(why)
    with one_agent(agent) as ctx:
        done = set_fields(ctx, changes, project=project, dry_run=dry_run)
        return tell_written(ctx, done, (field,), as_json=as_json, dry_run=dry_run)


@state_command.command("clear")
@project_option
@json_option
@dry_run_option
@agent_option
def clear_command(project: str, agent: str | None, *, as_json: bool, dry_run: bool) -> int:
    """Empty all fields. The file and the text in it stay."""
    from totalrecall.jobs.state_edit import clear

    with one_agent(agent) as ctx:
        done = clear(ctx, project=project, dry_run=dry_run)
        return tell_written(ctx, done, FIELDS, as_json=as_json, dry_run=dry_run)


@state_command.command("refresh")
@click.option("--query", metavar="WORDS", default="", help="The talk about this, not the newest.")
@click.option("--limit", default=80, show_default=True, type=click.IntRange(1, 500), help="Messages at most.")
@click.option(
    "--min-score", default=0.0, type=click.FloatRange(0, 1), help="The share of WORDS a message must hold."
)
@click.option("--force", is_flag=True, help="Also over an edit that is newer than the talk.")
@project_option
@json_option
@dry_run_option
@agent_option
def refresh_command(agent: str | None, *, as_json: bool, **how: Any) -> int:
    """Rebuild the state from the transcripts, and show the difference."""
    from totalrecall.jobs.state import RefreshOptions, refresh

    with one_agent(agent) as ctx:
        outcome = refresh(ctx, RefreshOptions(**how))
    if outcome.trouble is not None:
        return tell_unreadable(outcome.path, outcome.trouble, outcome.copy)
    tell_refreshed(outcome, dry_run=how["dry_run"], quiet=as_json)
    if as_json:
        meta = {"snippets": outcome.snippets, "top_source": outcome.top_source}
        emit_json(None if outcome.state is None else {**state_as_json(outcome.state), "_meta": meta})
    return ExitCode.OK


@state_command.command("validate")
@project_option
@json_option
@agent_option
def validate_command(project: str, agent: str | None, *, as_json: bool) -> int:
    """Say what is wrong with the file, by line. Exits with 3 when something is."""
    from totalrecall.jobs.state_edit import state_file
    from totalrecall.memory.session_state_check import Finding, findings_of
    from totalrecall.memory.session_state_format import Unreadable

    with one_agent(agent) as ctx:
        read = state_file(ctx, project).read()
        if isinstance(read.parts, Unreadable):
            where = f"column {read.parts.column}: {read.parts.why}."
            found = [Finding(read.parts.line, where)]
        else:
            found = findings_of(read.parts, ctx.now()) if read.exists else []
        tell_age(ctx, read)
    if as_json:
        emit_json({"path": read.path, "exists": read.exists, "findings": found})
    elif not read.exists:
        say(f"There is no {read.path}.")
    else:
        for one in found:
            where = f"{read.path}:{one.line}" if one.line else str(read.path)
            say(f"{where}: {'' if one.serious else '(minor) '}{one.what}")
        if not found:
            say(f"{read.path} is valid.")
    return ExitCode.PARTIAL if any(one.serious for one in found) else ExitCode.OK


def _steps(value: str) -> Sequence[str]:
    """The steps of a JSON array; any other text is one step."""
    if not value.lstrip().startswith("["):
        return [value] if value.strip() else []
    try:
        steps = json.loads(value)
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"next_steps takes a JSON array of texts; this is none: {error}.") from error
    if not isinstance(steps, list) or not all(isinstance(one, str) for one in steps):
        raise click.UsageError('next_steps takes a JSON array of texts, such as \'["one", "two"]\'.')
    return steps
