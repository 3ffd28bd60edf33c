"""The files of the hook and the skill, as they are shipped and as they are installed."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from totalrecall.openclaw.host import Host
    from totalrecall.openclaw.target import Target

HOOK_NAME = SKILL_NAME = "totalrecall"
# A skill that somebody else publishes under a name like ours; it is built on the old session files.
FOREIGN_SKILL = "total-recall"
SETTINGS_VERSION = 1


@dataclass(frozen=True, slots=True)
class ShippedFile:
    """One file that an installation puts into OpenClaw's state folder."""

    path: Path
    content: bytes


def hook_files(target: Target, host: Host) -> tuple[ShippedFile, ...]:
    """The hook's files with its settings."""
    folder = hook_folder(target.home.state_dir)
    known = hook_settings(target.home.state_dir)
    settings = {
        "version": SETTINGS_VERSION,
        # Who switched it off meant it.
        "enabled": known.get("enabled") is not False,
        "command": list(target.command),
        "stateRoot": str(target.state_root),
        "profile": target.home.profile,
        "agents": _served(target, known),
        "env": dict(target.env),
    }
    events = ', "session:auto-reset"' if host.tells_auto_reset else ""
    description = _filled(_shipped("hook", "HOOK.md").decode(), {"auto_reset": events}).encode()
    return (
        ShippedFile(folder / "HOOK.md", description),
        *(ShippedFile(folder / name, _shipped("hook", name)) for name in ("handler.js", "package.json")),
        ShippedFile(folder / "settings.json", f"{json.dumps(settings, indent=2)}\n".encode()),
    )


def skill_files(target: Target) -> tuple[ShippedFile, ...]:
    """The skill, with the way to call the program in it."""
    several = len(target.agents) > 1 or bool(target.home.profile)
    values = {
        "command": " ".join(shlex.quote(part) for part in target.command),
        "requires": ', "requires": { "bins": ["totalrecall"] }' if target.on_usual_path else "",
        "agent_note": _agent_note(target) if several else "",
    }
    text = _shipped("skill", "SKILL.md").decode()
    return (ShippedFile(skill_folder(target.home.state_dir) / "SKILL.md", _filled(text, values).encode()),)


def hook_settings(state_dir: Path) -> dict[str, Any]:
    """The settings of the installed hook, empty when there are none or they cannot be read."""
    try:
        said = json.loads((hook_folder(state_dir) / "settings.json").read_bytes())
    except (OSError, ValueError):
        return {}
    return said if isinstance(said, dict) else {}


def hook_folder(state_dir: Path) -> Path:
    """Where OpenClaw looks for our hook."""
    return state_dir / "hooks" / HOOK_NAME


def skill_folder(state_dir: Path) -> Path:
    """Where OpenClaw looks for our skill. Beside its state, not in a workspace, which may be a repository."""
    return state_dir / "skills" / SKILL_NAME


def foreign_skills(target: Target) -> tuple[Path, ...]:
    """Folders of the other skill that is called almost like ours, where OpenClaw would find them."""
    roots = [target.home.state_dir / "skills", target.home_dir / ".agents" / "skills"]
    for agent in target.agents:
        roots += [agent.workspace / "skills", agent.workspace / ".agents" / "skills"]
    found = [root / FOREIGN_SKILL for root in dict.fromkeys(roots)]
    return tuple(folder for folder in found if (folder / "SKILL.md").is_file())


def _served(target: Target, known: Mapping[str, Any]) -> list[str] | None:
    """The agents that the hook serves, None for all: those that are meant now and those of before."""
    before = known.get("agents")
    if not target.only_some or (known and not isinstance(before, list)):
        return None
    return sorted({*map(str, before or []), *(one.agent_id for one in target.agents)})


def _agent_note(target: Target) -> str:
    names = ", ".join(f"`{one.agent_id}` is `--agent {one.name}`" for one in target.agents)
    return (
        "\nSeveral agents live on this machine: add `--agent` with your own name to every command\n"
        f"({names}). Never use another agent's."
    )


def _filled(text: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(f"{{{{{name}}}}}", value)
    return text


def _shipped(folder: str, name: str) -> bytes:
    return (files("totalrecall.openclaw") / folder / name).read_bytes()
