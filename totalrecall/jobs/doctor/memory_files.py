"""Memory files beside the notes that cannot be understood, and prompts of the user's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from totalrecall.errors import TotalRecallError
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.doctor.finding import Finding, Grade, from_error


def memory_file_findings(ctx: AgentContext) -> list[Finding]:
    """The session state, the profile and the settings of the distillation, where one of them is damaged."""
    return [found for look in (_state, _profile, _distill) if (found := _seen(look, ctx)) is not None]


def prompt_findings(names: Iterable[str], folders: Sequence[Path]) -> list[Finding]:
    """Prompts of the user's own that cannot be used."""
    from totalrecall.llm.prompt_files import load_prompt

    findings = []
    for name in names:
        try:
            load_prompt(name, folders)
        except TotalRecallError as error:
            findings.append(from_error(error))
    return findings


def _seen(look: Callable[[AgentContext], Finding | None], ctx: AgentContext) -> Finding | None:
    try:
        return look(ctx)
    except TotalRecallError as error:
        return from_error(error)


def _state(ctx: AgentContext) -> Finding | None:
    from totalrecall.jobs.state_edit import state_file
    from totalrecall.memory.session_state_format import Unreadable

    read = state_file(ctx).read()
    if not isinstance(read.parts, Unreadable):
        return None
    what = f"{read.path} cannot be understood (line {read.parts.line}): {read.parts.why.rstrip('.')}."
    return Finding(Grade.WARNING, what, "Correct that line; 'totalrecall state validate' checks it.")


def _profile(ctx: AgentContext) -> Finding | None:
    from totalrecall.memory.profile.document import Damage

    file = ctx.profile_for()
    found = file.read()
    if not isinstance(found, Damage):
        return None
    remedy = "Run 'totalrecall profile recover'. The next change puts the file aside and begins a new one."
    return Finding(Grade.WARNING, f"The profile {file.path} is damaged: {found.reason.rstrip('.')}.", remedy)


def _distill(ctx: AgentContext) -> Finding | None:
    from totalrecall.jobs.distill.config import load_distill_settings
    from totalrecall.jobs.distill.plan import territory_of

    load_distill_settings(territory_of(ctx))
    return None
