"""``totalrecall state`` and ``session-state``: what the agent is doing, read and written."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from totalrecall.cli.options import json_option
from totalrecall.cli.output import ago, emit_json
from totalrecall.cli.talk import say
from totalrecall.cli.which_agent import one_agent
from totalrecall.domain.outcome import ExitCode
from totalrecall.domain.session_state import FIELDS, SessionState
from totalrecall.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

    from totalrecall.jobs.context import AgentContext
    from totalrecall.jobs.state import RefreshOutcome
    from totalrecall.memory.session_state import StateRead, StateWritten
    from totalrecall.memory.session_state_format import Unreadable

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
            return _tell_unreadable(read.path, read.parts, file.set_aside(read, ctx.now()))
        _tell_age(ctx, read)
        if as_json:
            emit_json(_as_json(read.state) if read.exists else None)
        elif not read.exists:
            say(
                f"There is no {read.path}. 'totalrecall state refresh' makes it from the transcripts.",
                err=True,
            )
            _tell_projects(ctx)
        else:
            _show(read.state)
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
        return _tell_written(ctx, done, (field,), as_json=as_json, dry_run=dry_run)


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
        return _tell_written(ctx, done, FIELDS, as_json=as_json, dry_run=dry_run)


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
        return _tell_unreadable(outcome.path, outcome.trouble, outcome.copy)
    _tell_refreshed(outcome, dry_run=how["dry_run"], quiet=as_json)
    if as_json:
        meta = {"snippets": outcome.snippets, "top_source": outcome.top_source}
        emit_json(None if outcome.state is None else {**_as_json(outcome.state), "_meta": meta})
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
        _tell_age(ctx, read)
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


def _as_json(state: SessionState) -> dict[str, Any]:
    values: dict[str, Any] = {name: getattr(state, name) for name in (*FIELDS, "body")}
    return {**values, "next_steps": list(state.next_steps)}


def _show(state: SessionState) -> None:
    for name in FIELDS:
        value = getattr(state, name)
        if name != "next_steps":
            say(f"{name + ':':<13}{value}")
            continue
        say("next_steps:" + ("" if value else "  none"))
        for number, step in enumerate(value, 1):
            say(f"  {number}. {step}")
    if state.body.strip():
        say("")
        say(state.body.strip("\r\n"))


def _tell_age(ctx: AgentContext, read: StateRead) -> None:
    """A state of more than a day ago is said to be stale; it is shown all the same."""
    from totalrecall.memory.session_state_check import STALE, believable, moment_of

    said = moment_of(read.state.updated)
    if said is not None and not believable(said, ctx.now()):
        say(f"updated lies in the future ({read.state.updated}); the file's own time counts.", err=True)
    at = said if believable(said, ctx.now()) else read.changed_at
    if at is not None and not read.state.is_cleared and ctx.now() - at > STALE:
        when = ago(_ms(at), ctx.now_ms())
        say(f"Stale: updated {when}. 'totalrecall state refresh' brings it up to date.", err=True)


def _ms(at: datetime) -> int:
    return int(at.timestamp() * 1000)


def _tell_projects(ctx: AgentContext) -> None:
    from totalrecall.memory.session_state import projects_in

    if names := projects_in(ctx.workspace):
        say(f"Projects with a state of their own (--project): {', '.join(names)}.", err=True)


def _tell_unreadable(path: Path, trouble: Unreadable, copy: Path | None) -> int:
    say(f"error: {path}:{trouble.line}:{trouble.column}: {trouble.why}.", err=True)
    say("  The file was left as it is. Correct it there; until then nothing is written to it.", err=True)
    if copy is not None:
        say(f"  A copy lies at {copy}.", err=True)
    return ExitCode.PARTIAL


def _tell_written(
    ctx: AgentContext,
    done: StateWritten | StateRead,
    fields: Sequence[str],
    *,
    as_json: bool,
    dry_run: bool,
) -> int:
    from totalrecall.jobs.state_edit import diff_of, state_file, state_in
    from totalrecall.memory.session_state import StateRead
    from totalrecall.memory.session_state_format import Unreadable

    if isinstance(done, StateRead):
        if not isinstance(done.parts, Unreadable):
            raise TypeError(done)
        project = "" if done.path == state_file(ctx).path else done.path.stem
        copy = None if dry_run else state_file(ctx, project).set_aside(done, ctx.now())
        return _tell_unreadable(done.path, done.parts, copy)
    if as_json:
        updated = state_in(done.after).updated
        emit_json({"success": True, "fields": list(fields), "updated": updated})
        return ExitCode.OK
    if dry_run:
        for line in diff_of(done):
            say(line)
        return ExitCode.OK
    say(f"Written: {', '.join(fields)} ({done.before.path})")
    return ExitCode.OK


def _tell_refreshed(outcome: RefreshOutcome, *, dry_run: bool, quiet: bool) -> None:
    from totalrecall.jobs.state import RefreshResult

    if outcome.fallback:
        say(f"No model answered, so the rules did it. {outcome.fallback}", err=True)
    said = {
        RefreshResult.EDITED_LATER: "It was edited after the last message, and stays so (--force: not).",
        RefreshResult.NOTHING_TO_TELL: "The talk holds no task: no file, tool call, decision or open step.",
        RefreshResult.UNCHANGED: "It says already what the talk tells.",
    }
    if outcome.result in said:
        say(said[outcome.result], err=True)
    if not quiet:
        for line in outcome.diff:
            say(line)
    if outcome.result is RefreshResult.WRITTEN:
        done = "Would be written" if dry_run else "Written"
        say(f"{done}: {outcome.path} ({outcome.engine}, {outcome.snippets} messages)", err=True)
