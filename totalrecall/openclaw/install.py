"""What an installation beside OpenClaw would change in one home. Reads, writes nothing."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from totalrecall import __version__
from totalrecall.files.atomic import FileState, digest_of, read_state
from totalrecall.openclaw import config_plan, marked_block
from totalrecall.openclaw.changes import BACKUP_FOLDER, Change, Plan
from totalrecall.openclaw.config_plan import ConfigPlan
from totalrecall.openclaw.config_values import KeyPath, value_at
from totalrecall.openclaw.host import Era, Host, host_of, tree_of
from totalrecall.openclaw.marked_block import Standing
from totalrecall.openclaw.package import ShippedFile, foreign_skills, hook_files, skill_files
from totalrecall.openclaw.record import AgentsMdRecord, HomeRecord, read_record
from totalrecall.openclaw.target import Target, TargetAgent
from totalrecall.openclaw.texts import STATE_SECTION, pretty, startup_section

HOST_FILE_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class Options:
    """How it is installed.

    Attributes:
        stamp: ``YYYYMMDDTHHMMSS``, for the names of backups.
        state_section: offer the agent the rules for SESSION_STATE.md.
        stated_version: the version of OpenClaw, as the user says; "" to find out.
    """

    stamp: str
    state_section: bool = True
    stated_version: str = ""


def plan_install(target: Target, options: Options) -> Plan:
    """Everything that is missing or older than what we ship.

    Raises:
        MemoryFileError: something that is to be changed cannot be read.
    """
    known = read_record(target.state_root).of(target.home.state_dir)
    backups = _Backups(target.state_root / BACKUP_FOLDER, options.stamp)
    stated = options.stated_version or known.stated
    host = host_of(target, stated=options.stated_version, remembered=known.stated)
    work = _Work(replace(known, program=__version__, stated=stated), backups)
    for file in (*hook_files(target, host), *skill_files(target)):
        work.place(file)
    for agent in sharers(target):
        work.mark(agent, agents_md_body(target, agent, state_section=options.state_section))
    work.configure(target, host, options.stamp)
    work.notes += [
        f"{folder} is another skill of nearly the same name, built for the old session files; remove it "
        "unless you use it on purpose."
        for folder in foreign_skills(target)
    ]
    return Plan(
        home=target.home.state_dir,
        changes=tuple(work.changes),
        notes=tuple(work.notes),
        by_hand=tuple(work.by_hand),
        state_root=target.state_root,
        recorded=work.record,
    )


def sharers(target: Target) -> tuple[TargetAgent, ...]:
    """The agents, one for each AGENTS.md: several may share a workspace."""
    return tuple({str(one.workspace): one for one in reversed(target.agents)}.values())[::-1]


def agents_md_body(target: Target, agent: TargetAgent, *, state_section: bool) -> str:
    """What stands between our marks in the agent's AGENTS.md."""
    alone = sum(one.workspace == agent.workspace for one in target.agents) == 1
    words = [*target.command, "recover", *(["--agent", agent.name] if alone else [])]
    shown = agent.notes
    if shown.is_relative_to(agent.workspace):
        shown = shown.relative_to(agent.workspace)
    text = startup_section(" ".join(shlex.quote(word) for word in words), str(shown))
    return f"{text}\n{STATE_SECTION}" if state_section else text


def text_of(state: FileState) -> str:
    """The text of a file that is not ours; bytes that are no UTF-8 survive."""
    return (state.content or b"").decode("utf-8", "surrogateescape")


def body_digest(body: str) -> str:
    """The digest by which a block is known again."""
    return digest_of(body.strip("\n").encode("utf-8", "surrogateescape"))


@dataclass(frozen=True, slots=True)
class _Backups:
    folder: Path
    stamp: str

    def of(self, path: Path) -> Path:
        return self.folder / f"{path.name}-{self.stamp}-{digest_of(str(path).encode())[:6]}"


class _Work:
    """The plan while it grows."""

    def __init__(self, record: HomeRecord, backups: _Backups) -> None:
        self.record = record
        self.changes: list[Change] = []
        self.notes: list[str] = []
        self.by_hand: list[str] = []
        self._backups = backups

    def place(self, file: ShippedFile) -> None:
        """A file of the hook or the skill."""
        before = read_state(file.path)
        known = self.record.files.get(str(file.path), "")
        self.record = replace(
            self.record, files={**self.record.files, str(file.path): digest_of(file.content)}
        )
        if before.content == file.content:
            return
        backup = None
        if before.content is not None and before.digest != known:
            backup = self._backups.of(file.path)
            self.notes.append(f"{file.path} was edited; the edited version is kept as {backup}.")
        self.changes.append(Change(file.path, before, file.content, "the hook and the skill", backup=backup))

    def mark(self, agent: TargetAgent, body: str) -> None:
        """Our block in AGENTS.md."""
        path = agent.workspace / "AGENTS.md"
        before = read_state(path)
        if before.content is None:
            # OpenClaw writes its own AGENTS.md at an agent's first start, but only where there is none.
            self.notes.append(f"There is no {path} yet. Start the agent once, then run this again.")
            return
        text = text_of(before)
        found = marked_block.find(text)
        known = self.record.agents.get(agent.name)
        if found.standing is Standing.DAMAGED:
            self.notes.append(f"The marks of our block in {path} are not whole; it is left as it is.")
            self.by_hand.append(f"Remove what is left of our block from {path}, then run this again.")
            return
        gap = known.gap if known and found.standing is Standing.WHOLE else marked_block.gap_before(text)
        entry = AgentsMdRecord(str(path), body_digest(body), gap)
        self.record = replace(self.record, agents={**self.record.agents, agent.name: entry})
        after = marked_block.put(text, body)
        if after == text:
            return
        backup = self._backups.of(path)
        if found.standing is Standing.WHOLE and (known is None or body_digest(found.body) != known.body):
            self.notes.append(f"Our block in {path} was edited; the edited file is kept as {backup}.")
        if len(after) > HOST_FILE_CHARS:
            self.notes.append(
                f"{path} is longer than the {HOST_FILE_CHARS:,} characters that OpenClaw takes."
            )
        content = after.encode("utf-8", "surrogateescape")
        self.changes.append(Change(path, before, content, "how the agent starts", backup=backup))

    def configure(self, target: Target, host: Host, stamp: str) -> None:
        """OpenClaw's config: the hook switched on, and the flush where the version takes a prompt."""
        config = target.home.config
        if host.era is Era.UNKNOWN:
            self.notes.append(
                "Which version of OpenClaw runs here is not known, so no flush prompt is written: versions "
                "from 2026.8.1 on would not start with it. Say it with --openclaw-version."
            )
        if config is None:
            self.notes.append(
                "There is no openclaw.json yet: OpenClaw's own setup makes it. Then run this again."
            )
            wishes = config_plan.wishes_for(host, {})
            self.by_hand += by_hand_lines(wishes, target.home.state_dir / "openclaw.json")
            return
        before = read_state(config.path)
        plan = config_plan.plan_config(
            text_of(before), tree_of(target), host, self.record.ours, self.record.made
        )
        self.notes += [f"{config.path}: {said}" for said in plan.left]
        self.by_hand += by_hand_lines(plan.by_hand, config.path)
        self._remember(plan, config.path, tree_of(target))
        if plan.after != text_of(before):
            backup = config.path.with_name(f"{config.path.name}.total-recall-backup-{stamp}")
            content = plan.after.encode("utf-8", "surrogateescape")
            what = "OpenClaw's configuration"
            self.changes.append(Change(config.path, before, content, what, shown=plan.shown, backup=backup))

    def _remember(self, plan: ConfigPlan, path: Path, tree: object) -> None:
        first = not self.record.ours
        others = other_hooks(tree) if first else self.record.other_hooks
        self.record = replace(
            self.record, config=str(path), ours=plan.ours, made=plan.made, other_hooks=others
        )


def other_hooks(tree: object) -> tuple[str, ...]:
    """The hooks beside ours that the config names."""
    entries = value_at(tree, config_plan.HOOK[:3])
    return (
        tuple(str(name) for name in entries if name != config_plan.HOOK[3])
        if isinstance(entries, dict)
        else ()
    )


def by_hand_lines(wishes: Mapping[KeyPath, object], path: Path) -> list[str]:
    """What to add to the config, as JSON."""
    tree: dict[str, Any] = {}
    for keys, value in wishes.items():
        node = tree
        for key in keys[:-1]:
            node = node.setdefault(key, {})
        node[keys[-1]] = value
    return [f"Add to {path}, or to the file that it includes:\n{pretty(tree)}"] if tree else []
