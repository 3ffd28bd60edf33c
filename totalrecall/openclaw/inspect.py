"""How an installation beside OpenClaw stands: for ``openclaw status`` and ``doctor``. Reads only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from totalrecall.files.atomic import read_state
from totalrecall.openclaw import config_plan, marked_block
from totalrecall.openclaw.config_values import MISSING, value_at
from totalrecall.openclaw.host import Era, Host, host_of, tree_of
from totalrecall.openclaw.install import agents_md_body, body_digest, sharers, text_of
from totalrecall.openclaw.marked_block import Standing
from totalrecall.openclaw.package import (
    ShippedFile,
    foreign_skills,
    hook_files,
    hook_folder,
    hook_settings,
    skill_files,
)
from totalrecall.openclaw.record import HomeRecord, read_record
from totalrecall.openclaw.target import Target, TargetAgent

CONTEXT_FILE = "context.md"


class PartState(StrEnum):
    """How one part stands.

    ``OUTDATED``: as an earlier version of ours wrote it. ``EDITED``: a person changed it. ``OFF``: switched
    off by a person. ``BROKEN``: it does harm or cannot work.
    """

    FINE = "fine"
    ABSENT = "absent"
    OUTDATED = "outdated"
    EDITED = "edited"
    OFF = "off"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Part:
    """One part of an installation.

    Attributes:
        name: ``hook``, ``skill``, ``program`` (what the hook starts), ``switch``, ``flush``, ``AGENTS.md``,
            ``context`` (the prepared file) or ``other skill``.
        state: how it stands.
        path: the file or folder.
        agent: whose it is, "" for the whole home.
        what: one sentence when it is not fine.
        remedy: what to do, "".
    """

    name: str
    state: PartState
    path: Path
    agent: str = ""
    what: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class HomeInspection:
    """One home.

    Attributes:
        home: the state folder.
        host: the OpenClaw that it belongs to.
        installed: something of ours stands there.
        parts: all parts.
    """

    home: Path
    host: Host
    installed: bool
    parts: tuple[Part, ...]

    @property
    def complete(self) -> bool:
        """Nothing is left to install or to mend; what a person edited or switched off is theirs."""
        return all(part.state in {PartState.FINE, PartState.EDITED, PartState.OFF} for part in self.parts)

    @property
    def troubles(self) -> tuple[Part, ...]:
        """The parts that are not fine. Without any installation only what is wrong all the same."""
        kept = PartState.BROKEN
        return tuple(
            part
            for part in self.parts
            if part.state is not PartState.FINE
            and (self.installed or part.state is kept or part.name == "other skill")
        )


def inspect(target: Target) -> HomeInspection:
    """How the installation stands in this home.

    Raises:
        MemoryFileError: one of its files cannot be read.
    """
    known = read_record(target.state_root).of(target.home.state_dir)
    host = host_of(target, remembered=known.stated)
    parts = [
        _files("hook", hook_files(target, host), known),
        _files("skill", skill_files(target), known),
        *_program(target),
        *_config(target, host, known),
        *(_agents_md(target, agent, known) for agent in sharers(target)),
        *(_context(target, agent) for agent in target.agents),
        *_others(target),
    ]
    ours = {"hook", "skill", "AGENTS.md"}
    installed = any(part.name in ours and part.state is not PartState.ABSENT for part in parts)
    return HomeInspection(target.home.state_dir, host, installed, tuple(parts))


def _files(name: str, shipped: Sequence[ShippedFile], known: HomeRecord) -> Part:
    folder = shipped[0].path.parent
    states = [read_state(one.path) for one in shipped]
    if all(state.content is None for state in states):
        return Part(name, PartState.ABSENT, folder, what=f"The {name} is not installed.", remedy=_INSTALL)
    differing = [
        (one, state) for one, state in zip(shipped, states, strict=True) if state.content != one.content
    ]
    if not differing:
        return Part(name, PartState.FINE, folder)
    if any(state.content is None for _, state in differing):
        return Part(name, PartState.BROKEN, folder, what=f"Files of the {name} are gone.", remedy=_INSTALL)
    if all(state.digest == known.files.get(str(one.path)) for one, state in differing):
        what = f"The {name} is that of an earlier version or another place."
        return Part(name, PartState.OUTDATED, folder, what=what, remedy=_INSTALL)
    names = ", ".join(one.path.name for one, _ in differing)
    return Part(name, PartState.EDITED, folder, what=f"{names} of the {name} was edited.", remedy=_REPLACE)


def _program(target: Target) -> Iterator[Part]:
    """Whether what the installed hook starts is there."""
    command = hook_settings(target.home.state_dir).get("command")
    if isinstance(command, list) and command and not Path(str(command[0])).exists():
        what = f"The hook starts {command[0]}, which is not there."
        yield Part(
            "program", PartState.BROKEN, hook_folder(target.home.state_dir), what=what, remedy=_INSTALL
        )


def _config(target: Target, host: Host, known: HomeRecord) -> Iterator[Part]:
    tree = tree_of(target)
    path = target.home.config.path if target.home.config else target.home.state_dir / "openclaw.json"
    yield _switch(tree, path, target, host)
    prompts = [one for one in config_plan.PROMPTS if value_at(tree, one) is not MISSING]
    if host.era is Era.ROWS and prompts:
        what = f"{'.'.join(prompts[0])} makes the config invalid for this OpenClaw: it will not start again."
        ours = all(one in known.ours for one in prompts)
        remedy = _INSTALL if ours else f"Remove {' and '.join('.'.join(one) for one in prompts)}."
        yield Part("flush", PartState.BROKEN, path, what=what, remedy=remedy)
    elif host.era is Era.FILES:
        yield _flush(tree, path)


def _switch(tree: object, path: Path, target: Target, host: Host) -> Part:
    if hook_settings(target.home.state_dir).get("enabled") is False:
        settings = hook_folder(target.home.state_dir) / "settings.json"
        return Part("switch", PartState.OFF, settings, what="The hook is switched off in its settings.json.")
    for one in (config_plan.INTERNAL, config_plan.HOOK):
        if value_at(tree, one) is False:
            return Part(
                "switch", PartState.OFF, path, what=f"{'.'.join(one)} is false: the hook does nothing."
            )
    wanted = config_plan.wishes_for(host, tree)
    if all(value_at(tree, one) is True for one in wanted if one not in config_plan.FLUSH_WISHES):
        return Part("switch", PartState.FINE, path)
    return Part("switch", PartState.ABSENT, path, what="The hook is not switched on.", remedy=_INSTALL)


def _flush(tree: object, path: Path) -> Part:
    if value_at(tree, config_plan.FLUSH_SWITCH) is False:
        return Part("flush", PartState.OFF, path, what="The flush before a compaction is switched off.")
    values = [value_at(tree, one) for one in config_plan.PROMPTS]
    if values == [config_plan.FLUSH_WISHES[one] for one in config_plan.PROMPTS]:
        return Part("flush", PartState.FINE, path)
    if all(value is MISSING for value in values):
        return Part(
            "flush", PartState.ABSENT, path, what="There is no flush prompt of ours.", remedy=_INSTALL
        )
    return Part("flush", PartState.EDITED, path, what="The flush prompt is not ours.")


def _agents_md(target: Target, agent: TargetAgent, known: HomeRecord) -> Part:
    path = agent.workspace / "AGENTS.md"
    found = marked_block.find(text_of(read_state(path)))
    if found.standing is Standing.ABSENT:
        what = f"{path} does not tell the agent to recover and to read its notes."
        return Part("AGENTS.md", PartState.ABSENT, path, agent.name, what, _INSTALL)
    if found.standing is Standing.DAMAGED:
        what = f"The marks of our block in {path} are not whole."
        return Part("AGENTS.md", PartState.BROKEN, path, agent.name, what, "Mend or remove them by hand.")
    bodies = [agents_md_body(target, agent, state_section=one) for one in (True, False)]
    if found.body in {body.strip("\n") for body in bodies}:
        return Part("AGENTS.md", PartState.FINE, path, agent.name)
    entry = known.agents.get(agent.name)
    if entry and body_digest(found.body) == entry.body:
        what = f"Our block in {path} is that of an earlier version."
        return Part("AGENTS.md", PartState.OUTDATED, path, agent.name, what, _INSTALL)
    return Part("AGENTS.md", PartState.EDITED, path, agent.name, f"Our block in {path} was edited.", _REPLACE)


def _context(target: Target, agent: TargetAgent) -> Part:
    path = target.state_root / agent.name / CONTEXT_FILE
    if path.exists():
        return Part("context", PartState.FINE, path, agent.name)
    what = "There is no prepared file for the hook yet."
    return Part(
        "context", PartState.ABSENT, path, agent.name, what, "The next 'totalrecall observe' makes it."
    )


def _others(target: Target) -> Iterator[Part]:
    for folder in foreign_skills(target):
        what = "Another skill is called almost like ours; it is built on the old session files."
        yield Part(
            "other skill",
            PartState.BROKEN,
            folder,
            what=what,
            remedy="Remove it unless you use it on purpose.",
        )


_INSTALL = "Run 'totalrecall openclaw install'."
_REPLACE = "'totalrecall openclaw install' puts ours in its place and keeps the edited one."
