"""OpenClaw's state folders are found wherever users have them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from totalrecall.places.openclaw_home import candidate_homes, find_homes


def make_home(folder: Path, *agents: str) -> Path:
    """A state folder with session folders."""
    for agent in agents:
        (folder / "agents" / agent / "sessions").mkdir(parents=True)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.mark.report("R004")
def test_named_state_dir_is_the_only_one(tmp_path: Path) -> None:
    """``OPENCLAW_STATE_DIR`` is read instead of the folders in the home folder."""
    make_home(tmp_path / "home" / ".openclaw", "main")
    data = make_home(tmp_path / "data" / "oc", "sales")
    homes = find_homes({"OPENCLAW_STATE_DIR": str(data)}, tmp_path / "home")
    assert [home.state_dir for home in homes] == [data]
    assert homes[0].problem is None


@pytest.mark.report("R004")
def test_named_state_dir_that_does_not_stand_is_said(tmp_path: Path) -> None:
    """A folder that is named but not there is a problem, not silence."""
    (home,) = find_homes({"OPENCLAW_STATE_DIR": "~/nowhere"}, tmp_path)
    assert home.state_dir == tmp_path / "nowhere"
    assert home.problem is not None
    assert "nowhere" in str(home.problem)


@pytest.mark.report("R004")
def test_profiles_and_old_homes_are_found(tmp_path: Path) -> None:
    """The current home comes first, then profiles by name, then the homes of earlier names."""
    for name in (".moltbot", ".openclaw-work", ".openclaw", ".clawdbot", ".openclaw-dev"):
        make_home(tmp_path / name, "main")
    homes = find_homes({}, tmp_path)
    assert [home.profile for home in homes] == ["", "dev", "work", "clawdbot", "moltbot"]


@pytest.mark.report("R004")
def test_home_that_appears_later_is_found_by_the_next_call(tmp_path: Path) -> None:
    """Nothing is remembered between calls."""
    assert find_homes({}, tmp_path) == ()
    make_home(tmp_path / ".openclaw", "main")
    assert len(find_homes({}, tmp_path)) == 1


def test_openclaw_home_takes_the_place_of_the_home_folder(tmp_path: Path) -> None:
    """``OPENCLAW_HOME`` moves the state folder and its profiles."""
    make_home(tmp_path / "srv" / ".openclaw")
    make_home(tmp_path / "srv" / ".openclaw-work")
    make_home(tmp_path / "home" / ".openclaw")
    homes = find_homes({"OPENCLAW_HOME": str(tmp_path / "srv")}, tmp_path / "home")
    assert [home.state_dir.name for home in homes] == [".openclaw", ".openclaw-work"]
    assert all(home.profile for home in homes), "not to be mistaken for the agents of the real home folder"


def test_link_left_by_the_rename_is_not_a_second_home(tmp_path: Path) -> None:
    """``~/.clawdbot`` as a link to ``~/.openclaw`` is read once."""
    make_home(tmp_path / ".openclaw", "main")
    (tmp_path / ".clawdbot").symlink_to(tmp_path / ".openclaw")
    assert [home.profile for home in find_homes({}, tmp_path)] == [""]


@pytest.mark.parametrize("name", ["backup", "bak", "old", "2026-02-01-copy", "20260201", "work.bak", "copy2"])
def test_copy_of_a_home_is_passed_over_and_said(tmp_path: Path, name: str) -> None:
    """A backup of a home holds the same sessions; it is not read, and ``doctor`` can say so."""
    make_home(tmp_path / ".openclaw", "main")
    make_home(tmp_path / f".openclaw-{name}", "main")
    assert [home.profile for home in find_homes({}, tmp_path)] == [""]
    assert [c.state_dir.name for c in candidate_homes({}, tmp_path) if c.passed_over] == [f".openclaw-{name}"]


@pytest.mark.parametrize("name", ["work", "dev", "golden", "tempo", "mold", "bakery"])
def test_profile_whose_name_only_resembles_a_copy_is_read(tmp_path: Path, name: str) -> None:
    """Only whole words mark a copy."""
    make_home(tmp_path / f".openclaw-{name}", "main")
    assert [home.profile for home in find_homes({}, tmp_path)] == [name]


def test_profile_follows_from_the_path_alone(tmp_path: Path) -> None:
    """The same folder has the same profile whether it is found or named, so ledgers are not mixed up."""
    work = make_home(tmp_path / ".openclaw-work")
    found = find_homes({}, tmp_path)[0].profile
    named = find_homes({"OPENCLAW_STATE_DIR": str(work)}, tmp_path)[0].profile
    one = find_homes({"OPENCLAW_STATE_DIR": str(tmp_path / "a" / "oc")}, tmp_path)[0].profile
    other = find_homes({"OPENCLAW_STATE_DIR": str(tmp_path / "b" / "oc")}, tmp_path)[0].profile
    assert found == named == "work"
    assert len({"", found, one, other}) == 4


def test_config_path_belongs_to_the_first_home(tmp_path: Path) -> None:
    """``OPENCLAW_CONFIG_PATH`` is the config of the first home; a profile keeps its own."""
    make_home(tmp_path / ".openclaw")
    work = make_home(tmp_path / ".openclaw-work")
    (work / "openclaw.json").write_text("{}")
    elsewhere = tmp_path / "etc" / "oc.json"
    elsewhere.parent.mkdir()
    elsewhere.write_text(json.dumps({"agents": {"list": [{"id": "sales"}]}}))
    first, second = find_homes({"OPENCLAW_CONFIG_PATH": str(elsewhere)}, tmp_path)
    assert first.config is not None
    assert first.config.entry("sales") in first.config.agents
    assert second.config is not None
    assert second.config.path == work / "openclaw.json"
