"""What the commands of ``totalrecall state`` say. stdout is the result, stderr the talk."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from totalrecall.cli.output import ago, count, emit_json
from totalrecall.cli.talk import say
from totalrecall.domain.outcome import ExitCode
from totalrecall.domain.session_state import FIELDS, SessionState

if TYPE_CHECKING:
    from pathlib import Path

    from totalrecall.jobs.context import AgentContext
    from totalrecall.jobs.state import RefreshOutcome
    from totalrecall.memory.session_state import StateRead, StateWritten
    from totalrecall.memory.session_state_format import Unreadable


def state_as_json(state: SessionState) -> dict[str, Any]:
    """The shape that agents know: the fields in their order, then the body."""
    values: dict[str, Any] = {name: getattr(state, name) for name in (*FIELDS, "body")}
    return {**values, "next_steps": list(state.next_steps)}


def show_fields(state: SessionState) -> None:
    """One field a line, then the body."""
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


def tell_age(ctx: AgentContext, read: StateRead) -> None:
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


def tell_projects(ctx: AgentContext) -> None:
    """The projects that have a state of their own, if there are any."""
    from totalrecall.memory.session_state import projects_in

    if names := projects_in(ctx.workspace):
        say(f"Projects with a state of their own (--project): {', '.join(names)}.", err=True)


def tell_unreadable(path: Path, trouble: Unreadable, copy: Path | None) -> int:
    """Where the fault is, that nothing was touched, and where the copy lies; the exit code."""
    say(f"error: {path}:{trouble.line}:{trouble.column}: {trouble.why}.", err=True)
    say("  The file was left as it is. Correct it there; until then nothing is written to it.", err=True)
    if copy is not None:
        say(f"  A copy lies at {copy}.", err=True)
    return ExitCode.PARTIAL


def tell_written(
    ctx: AgentContext,
    done: StateWritten | StateRead,
    fields: Sequence[str],
    *,
    as_json: bool,
    dry_run: bool,
) -> int:
    """What was written, as a line, as JSON, or as the difference that would be; the exit code."""
    from totalrecall.jobs.state_edit import diff_of, state_file, state_in
    from totalrecall.memory.session_state import StateRead
    from totalrecall.memory.session_state_format import Unreadable

    if isinstance(done, StateRead):
        if not isinstance(done.parts, Unreadable):
            raise TypeError(done)
        project = "" if done.path == state_file(ctx).path else done.path.stem
        copy = None if dry_run else state_file(ctx, project).set_aside(done, ctx.now())
        return tell_unreadable(done.path, done.parts, copy)
    tell_findings(ctx, done)
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


def tell_findings(ctx: AgentContext, done: StateWritten) -> None:
    """What is still wrong with the file after a field was written."""
    from totalrecall.memory.session_state_check import findings_of
    from totalrecall.memory.session_state_format import Unreadable, parse_document

    parts = parse_document(done.after)
    for one in [] if isinstance(parts, Unreadable) else findings_of(parts, ctx.now()):
        if one.serious:
            say(f"Still wrong: {done.before.path}:{one.line or 1}: {one.what}", err=True)


def tell_refreshed(outcome: RefreshOutcome, *, dry_run: bool, quiet: bool) -> None:
    """What a refresh did, with the difference on stdout unless ``quiet``."""
    from totalrecall.jobs.state import RefreshResult

    if outcome.fallback:
        say(f"No model answered, so the rules did it. {outcome.fallback}", err=True)
    said = {
        RefreshResult.EDITED_LATER: "It was edited after the last message, and stays; --force overwrites it.",
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
        say(f"{done}: {outcome.path} ({outcome.engine}, {count(outcome.snippets, 'message')})", err=True)
