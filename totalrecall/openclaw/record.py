"""What was installed, by home: an update knows our own files by it, and uninstalling takes out only ours."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from totalrecall.files.atomic import FileState, read_state

FILE_NAME = "openclaw-install.json"
VERSION = 1


@dataclass(frozen=True, slots=True)
class AgentsMdRecord:
    """Our block in one AGENTS.md.

    Attributes:
        path: the file.
        body: the digest of the block as written.
        gap: what was written before it.
    """

    path: str
    body: str
    gap: str


@dataclass(frozen=True, slots=True)
class HomeRecord:
    """What stands in one home because of us.

    Attributes:
        program: the version that installed it.
        stated: the version of OpenClaw, as the user said it, "".
        files: path to digest.
        config: path of OpenClaw's config, "" when it was not changed.
        ours: values in it that are ours, by their path.
        made: objects in it that we made.
        other_hooks: hooks that its ``hooks.internal.entries`` named at the time.
        agents: blocks by the agent's name.
    """

    program: str = ""
    stated: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    config: str = ""
    ours: Mapping[tuple[str, ...], object] = field(default_factory=dict)
    made: tuple[tuple[str, ...], ...] = ()
    other_hooks: tuple[str, ...] = ()
    agents: Mapping[str, AgentsMdRecord] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        """Nothing of ours is known to stand there."""
        return not (self.files or self.ours or self.agents)


@dataclass(frozen=True, slots=True)
class Record:
    """The record file: its homes by their path, and its state for writing it back."""

    path: Path
    state: FileState
    homes: Mapping[str, HomeRecord]

    def of(self, home: Path) -> HomeRecord:
        """The record of one home, empty when there is none."""
        return self.homes.get(str(home), HomeRecord())

    def with_home(self, home: Path, changed: HomeRecord) -> Record:
        """The record with that home's entry; without it when it is empty."""
        homes = {path: one for path, one in self.homes.items() if path != str(home)}
        return replace(self, homes=homes if changed.empty else homes | {str(home): changed})

    @property
    def stale(self) -> bool:
        """The file does not say this yet; no file says as much as one without homes."""
        if self.state.content is None and not self.homes:
            return False
        return self.render() != self.state.content

    def render(self) -> bytes:
        """The bytes of the file."""
        homes = {path: _plain(one) for path, one in self.homes.items()}
        return f"{json.dumps({'version': VERSION, 'homes': homes}, ensure_ascii=False, indent=2)}\n".encode()


def read_record(state_root: Path) -> Record:
    """The record in our state folder. A damaged one counts as empty: files then count as edited."""
    path = state_root / FILE_NAME
    state = read_state(path)
    try:
        homes = json.loads(state.content or b"{}").get("homes", {})
        return Record(path, state, {name: _home(one) for name, one in homes.items()})
    except (ValueError, TypeError, AttributeError, KeyError):
        return Record(path, state, {})


def _plain(home: HomeRecord) -> dict[str, Any]:
    return {
        "program": home.program,
        "stated": home.stated,
        "files": dict(home.files),
        "config": home.config,
        "ours": [[list(path), value] for path, value in home.ours.items()],
        "made": [list(path) for path in home.made],
        "otherHooks": list(home.other_hooks),
        "agents": {
            name: {"path": one.path, "body": one.body, "gap": one.gap} for name, one in home.agents.items()
        },
    }


def _home(said: dict[str, Any]) -> HomeRecord:
    return HomeRecord(
        program=str(said["program"]),
        stated=str(said["stated"]),
        files={str(path): str(digest) for path, digest in said["files"].items()},
        config=str(said["config"]),
        ours={tuple(map(str, path)): value for path, value in said["ours"]},
        made=tuple(tuple(map(str, path)) for path in said["made"]),
        other_hooks=tuple(map(str, said["otherHooks"])),
        agents={
            name: AgentsMdRecord(str(one["path"]), str(one["body"]), str(one["gap"]))
            for name, one in said["agents"].items()
        },
    )
