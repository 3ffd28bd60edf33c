"""What undoing an installation changes in one home: ours goes, what was edited since stays and is told."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from totalrecall.files.atomic import digest_of, read_state
from totalrecall.openclaw import config_plan, marked_block
from totalrecall.openclaw.changes import BACKUP_FOLDER, Change, Plan
from totalrecall.openclaw.config_values import KeyPath
from totalrecall.openclaw.host import host_of, tree_of
from totalrecall.openclaw.install import (
    agents_md_body,
    body_digest,
    other_hooks,
    sharers,
    text_of,
)
from totalrecall.openclaw.marked_block import Standing
from totalrecall.openclaw.package import hook_files, hook_folder, hook_settings, skill_files
from totalrecall.openclaw.record import HomeRecord, read_record
from totalrecall.openclaw.target import Target

# Known by themselves, should the record be lost.
_OURS_BY_TEXT: dict[KeyPath, object] = {
    config_plan.HOOK: True,
    **{path: config_plan.FLUSH_WISHES[path] for path in config_plan.PROMPTS},
}


def plan_uninstall(target: Target, stamp: str) -> Plan:
    """Everything of ours in the home; for some of its agents only their part.

    Raises:
        MemoryFileError: something that is to be changed cannot be read.
    """
    known = read_record(target.state_root).of(target.home.state_dir)
    rest = _served_without(target)
    changes: list[Change] = []
    notes: list[str] = []
    gone = {one.name for one in target.agents}
    for path, (digests, gap) in _blocks(target, known, everywhere=not rest).items():
        changes += _unmarked(
            path, digests, gap, notes, target.state_root / BACKUP_FOLDER / f"AGENTS.md-{stamp}"
        )
    after = replace(known, agents={name: one for name, one in known.agents.items() if name not in gone})
    if rest:
        change = _narrowed(target.home.state_dir, rest)
        changes.append(change)
        files = dict(known.files) | {str(change.path): digest_of(change.after or b"")}
        after = replace(after, files=files)
    else:
        # The config first: a running gateway follows it at once, and must not miss what it still names.
        changes += _config_undone(target, known, notes, stamp)
        changes += _files_gone(target, known, notes)
        after = HomeRecord()
    return Plan(
        home=target.home.state_dir,
        changes=tuple(one for one in changes if one.after != one.before.content),
        notes=tuple(notes),
        by_hand=(),
        state_root=target.state_root,
        recorded=after,
    )


def _served_without(target: Target) -> list[str]:
    """The agents that the hook goes on serving; none when it goes."""
    if not target.only_some:
        return []
    said = hook_settings(target.home.state_dir).get("agents")
    served = set(map(str, said)) if isinstance(said, list) else set(target.home_agents)
    return sorted(served - {one.agent_id for one in target.agents})


def _narrowed(state_dir: Path, rest: list[str]) -> Change:
    path = hook_folder(state_dir) / "settings.json"
    content = f"{json.dumps(hook_settings(state_dir) | {'agents': rest}, indent=2)}\n".encode()
    return Change(path, read_state(path), content, "whom the hook serves")


def _blocks(
    target: Target, known: HomeRecord, *, everywhere: bool
) -> dict[Path, tuple[set[str], str | None]]:
    """Where our blocks may be, with the digests by which they are ours and the gap before each.

    ``everywhere``: also those of agents that are gone.
    """
    found: dict[Path, tuple[set[str], str | None]] = {}
    for agent in sharers(target):
        bodies = {body_digest(agents_md_body(target, agent, state_section=one)) for one in (True, False)}
        found[agent.workspace / "AGENTS.md"] = (bodies, None)
    names = {one.name for one in target.agents}
    for name, entry in known.agents.items():
        if everywhere or name in names:
            bodies, _ = found.get(Path(entry.path), (set(), None))
            found[Path(entry.path)] = (bodies | {entry.body}, entry.gap)
    return found


def _unmarked(path: Path, digests: set[str], gap: str | None, notes: list[str], backup: Path) -> list[Change]:
    before = read_state(path)
    found = marked_block.find(text_of(before))
    if found.standing is Standing.ABSENT:
        return []
    if found.standing is Standing.DAMAGED or body_digest(found.body) not in digests:
        notes.append(
            f"Our block in {path} was edited since and stays; remove it by hand if you want it gone."
        )
        return []
    after = marked_block.take_out(text_of(before), gap).encode("utf-8", "surrogateescape")
    kept = backup.with_name(f"{backup.name}-{digest_of(str(path).encode())[:6]}")
    return [Change(path, before, after, "how the agent starts", backup=kept)]


def _files_gone(target: Target, known: HomeRecord, notes: list[str]) -> list[Change]:
    host = host_of(target, remembered=known.stated)
    expected = {
        str(one.path): digest_of(one.content) for one in (*hook_files(target, host), *skill_files(target))
    }
    changes: list[Change] = []
    for name in {**expected, **known.files}:
        before = read_state(Path(name))
        if before.content is None:
            continue
        if before.digest in {expected.get(name), known.files.get(name)}:
            changes.append(Change(Path(name), before, None, "the hook and the skill"))
        else:
            notes.append(f"{name} was edited since and stays; remove it by hand if you want it gone.")
    return changes


def _config_undone(target: Target, known: HomeRecord, notes: list[str], stamp: str) -> list[Change]:
    config = target.home.config
    if config is None:
        return []
    before, tree = read_state(config.path), tree_of(target)
    ours: Mapping[KeyPath, object] = known.ours or _OURS_BY_TEXT
    made = known.made or (config_plan.HOOK[:-1],)
    newer = set(other_hooks(tree)) - set(known.other_hooks)
    plan = config_plan.plan_removal(text_of(before), ours, made, keep_switch=bool(newer))
    notes += [f"{config.path}: {said}" for said in plan.left]
    content = plan.after.encode("utf-8", "surrogateescape")
    backup = config.path.with_name(f"{config.path.name}.total-recall-backup-{stamp}")
    return [Change(config.path, before, content, "OpenClaw's configuration", shown=plan.shown, backup=backup)]
