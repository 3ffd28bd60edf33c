"""Which OpenClaw runs here is judged so that no prompt is ever written where it would keep the gateway from starting."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from totalrecall.openclaw.host import Era, Host, era_of, installed_version, judge


@pytest.mark.parametrize(
    ("version", "era"),
    [
        ("2026.2.26", Era.FILES),
        ("2026.6.35", Era.FILES),
        ("2026.7.1", Era.FILES),
        ("2026.7.1-2", Era.FILES),
        ("v2026.7.35", Era.FILES),
        ("2026.7.2-beta.1", Era.UNKNOWN),
        ("2026.8.1", Era.ROWS),
        ("2026.9.6", Era.ROWS),
        ("2027.1.0", Era.ROWS),
        ("2026.1.5", Era.UNKNOWN),
        ("", Era.UNKNOWN),
        ("latest", Era.UNKNOWN),
        ("2026.9", Era.UNKNOWN),
    ],
)
def test_the_era_follows_from_the_number(version: str, era: Era) -> None:
    """Stable and extended-stable releases of the files, the releases after them, and what nobody can tell."""
    assert era_of(version) is era


@pytest.mark.parametrize(
    ("installed", "touched", "has_rows", "era"),
    [
        ("2026.7.1-2", "2026.7.1-2", False, Era.FILES),
        ("", "2026.7.1", False, Era.FILES),
        ("2026.9.6", "2026.7.1", False, Era.ROWS),
        ("2026.7.1", "2026.8.1", False, Era.ROWS),
        ("2026.7.1", "2026.7.1", True, Era.ROWS),
        ("", "", True, Era.ROWS),
        ("2026.7.1", "2026.7.2-beta.1", False, Era.UNKNOWN),
        ("", "", False, Era.UNKNOWN),
    ],
)
@pytest.mark.report("R001")
def test_any_sign_of_rows_outweighs_the_others(
    installed: str, touched: str, has_rows: bool, era: Era
) -> None:
    """An upgrade shows in one place first; until all agree, nothing is written that could do harm."""
    assert judge(installed, touched, has_rows=has_rows).era is era


def test_what_the_user_says_counts() -> None:
    """Who states the version is believed."""
    assert judge("", "", has_rows=False, stated="2026.7.1").era is Era.FILES


@pytest.mark.parametrize(
    ("version", "needs", "tells"),
    [("2026.3.13", True, False), ("2026.7.1-2", False, False), ("2026.9.6", False, True), ("", False, False)],
)
def test_what_the_hook_loader_takes_follows_from_the_number(version: str, needs: bool, tells: bool) -> None:
    """The switch that old releases need, and the event that only new ones know; an unknown release gets neither."""
    host = Host(era_of(version), version)
    assert (host.needs_switch, host.tells_auto_reset) == (needs, tells)


def test_the_version_is_read_from_the_program_on_the_path(tmp_path: Path) -> None:
    """A link in a bin folder leads to the package, whose manifest has its number; another package has none for us."""
    package, bin_folder = tmp_path / "lib" / "node_modules" / "openclaw", tmp_path / "bin"
    package.mkdir(parents=True)
    bin_folder.mkdir()
    program = package / "openclaw.mjs"
    program.write_text("#!/usr/bin/env node\n", encoding="utf-8")
    program.chmod(0o755)
    (bin_folder / "openclaw").symlink_to(program)
    env = {"PATH": str(bin_folder)}
    assert installed_version(env) == ""
    (package / "package.json").write_text(json.dumps({"name": "other", "version": "1"}), encoding="utf-8")
    assert installed_version(env) == ""
    (package / "package.json").write_text(
        json.dumps({"name": "openclaw", "version": "2026.9.6"}), encoding="utf-8"
    )
    assert installed_version(env) == "2026.9.6"
    assert installed_version({"PATH": str(tmp_path)}) == ""
