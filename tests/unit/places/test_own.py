"""Our own folders follow the XDG base directory specification."""

from __future__ import annotations

from pathlib import Path

from totalrecall.places.own import (
    agent_state_folder,
    config_folder,
    packaged_prompts,
    prompt_folders,
    state_folder,
)


def test_defaults(tmp_path: Path) -> None:
    """Below the home folder that was given, whatever HOME says."""
    assert state_folder({}, tmp_path) == tmp_path / ".local" / "state" / "total-recall"
    assert config_folder({"HOME": "/other"}, tmp_path) == tmp_path / ".config" / "total-recall"
    assert agent_state_folder({}, tmp_path, "main@work") == state_folder({}, tmp_path) / "main@work"


def test_absolute_values_count_and_relative_ones_do_not(tmp_path: Path) -> None:
    """The specification says that relative paths are to be ignored."""
    assert state_folder({"XDG_STATE_HOME": "/var/s"}, tmp_path) == Path("/var/s/total-recall")
    assert state_folder({"XDG_STATE_HOME": "s"}, tmp_path) == state_folder({}, tmp_path)
    assert config_folder({"XDG_CONFIG_HOME": ""}, tmp_path) == config_folder({}, tmp_path)


def test_prompts_of_the_user_come_first(tmp_path: Path) -> None:
    """An override folder, then the packaged prompts, which are there in any kind of install."""
    assert prompt_folders(tmp_path) == (tmp_path / "prompts", packaged_prompts())
    assert any(packaged_prompts().glob("*.txt"))
