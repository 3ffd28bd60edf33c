"""Our own folders, by the XDG base directory specification, and the prompts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

APP = "total-recall"


def state_folder(env: Mapping[str, str], home_dir: Path) -> Path:
    """``$XDG_STATE_HOME/total-recall`` (``~/.local/state/total-recall``), with a folder for each agent."""
    return _xdg(env, "XDG_STATE_HOME", home_dir / ".local" / "state") / APP


def agent_state_folder(env: Mapping[str, str], home_dir: Path, agent_name: str) -> Path:
    """Where an agent's ledger and prepared files live; ``agent_name`` is ``Agent.name``."""
    return state_folder(env, home_dir) / agent_name


def config_folder(env: Mapping[str, str], home_dir: Path) -> Path:
    """``$XDG_CONFIG_HOME/total-recall`` (``~/.config/total-recall``): ``config.toml``, ``.env``, prompts."""
    return _xdg(env, "XDG_CONFIG_HOME", home_dir / ".config") / APP


def prompt_folders(config_dir: Path) -> tuple[Path, ...]:
    """Where a prompt is looked for, first one first: the user's own, then the packaged ones."""
    return (config_dir / "prompts", packaged_prompts())


def packaged_prompts() -> Path:
    """The prompts that came with the program: in the wheel, or beside the sources in an editable install."""
    from importlib.resources import files

    package = Path(str(files("totalrecall")))
    shipped = package / "_shipped" / "prompts"
    return shipped if shipped.is_dir() else package.parent / "prompts"


def _xdg(env: Mapping[str, str], name: str, default: Path) -> Path:
    # "All paths set in these environment variables must be absolute. If [...] relative [...] ignore it."
    given = Path(env.get(name, ""))
    return given if given.is_absolute() else default
