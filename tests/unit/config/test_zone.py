"""The time zone is the user's, else OpenClaw's, else the system's, else UTC with a word."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from totalrecall.config.zone import known_zone, resolve_zone


def system(root: Path, link: str = "", timezone: str = "") -> Path:
    """A root with /etc/localtime and /etc/timezone."""
    etc = root / "etc"
    etc.mkdir()
    if link:
        (etc / "localtime").symlink_to(link)
    if timezone:
        (etc / "timezone").write_text(f"{timezone}\n")
    return root


def test_order(tmp_path: Path) -> None:
    """Each gives way to the one before it."""
    root = system(tmp_path, "/usr/share/zoneinfo/Asia/Tokyo", "America/Lima")
    tz = {"TZ": "Africa/Cairo"}
    assert resolve_zone("Europe/Berlin", "Asia/Seoul", tz, root).name == "Europe/Berlin"
    assert resolve_zone("", "Asia/Seoul", tz, root).name == "Asia/Seoul"
    assert resolve_zone("", "", tz, root).name == "Africa/Cairo"
    found = resolve_zone("", "", {}, root)
    assert (found.name, found.source, found.problem) == ("Asia/Tokyo", "/etc/localtime", None)
    (root / "etc" / "localtime").unlink()
    assert resolve_zone("", "", {}, root).name == "America/Lima"


@pytest.mark.parametrize(
    "link",
    [
        "../usr/share/zoneinfo/Asia/Tokyo",
        "/var/db/timezone/zoneinfo/Asia/Tokyo",
        "/usr/share/zoneinfo/posix/Asia/Tokyo",
    ],
)
def test_links_of_linux_and_macos(tmp_path: Path, link: str) -> None:
    """The name is what follows ``zoneinfo/``; the target need not stand."""
    assert resolve_zone("", "", {}, system(tmp_path, link)).name == "Asia/Tokyo"


@pytest.mark.parametrize("text", [":Asia/Tokyo", "/usr/share/zoneinfo/Asia/Tokyo"])
def test_forms_of_tz(tmp_path: Path, text: str) -> None:
    """A colon before it, or a whole path."""
    assert resolve_zone("", "", {"TZ": text}, tmp_path).name == "Asia/Tokyo"


def test_bad_zone_of_openclaw_is_said(tmp_path: Path) -> None:
    """The system's is used, with a problem."""
    found = resolve_zone("", "Mars/Base", {"TZ": "Asia/Tokyo"}, tmp_path)
    assert found.name == "Asia/Tokyo"
    assert found.problem is not None
    assert "Mars/Base" in found.problem.what


def test_unknown_zone_is_utc_with_a_problem(tmp_path: Path) -> None:
    """Nothing says where we are, and that is said."""
    found = resolve_zone("", "", {"TZ": "CST-8XX,junk"}, tmp_path)
    assert found.name == "UTC"
    assert found.problem is not None
    assert datetime(2026, 2, 14, 12, tzinfo=found.zone).utcoffset() is not None


def test_copied_rules_without_a_name(tmp_path: Path) -> None:
    """``/etc/localtime`` as a plain file still tells the time."""
    source = next(
        (
            Path(base) / "Asia/Tokyo"
            for base in ("/usr/share/zoneinfo",)
            if (Path(base) / "Asia/Tokyo").is_file()
        ),
        None,
    )
    if source is None:
        from importlib.resources import files

        source = Path(str(files("tzdata") / "zoneinfo" / "Asia" / "Tokyo"))
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "localtime").write_bytes(source.read_bytes())
    found = resolve_zone("", "", {}, tmp_path)
    assert (found.name, found.problem) == ("local", None)
    moment = datetime(2026, 2, 14, 12, tzinfo=found.zone)
    assert moment.utcoffset() == moment.replace(tzinfo=ZoneInfo("Asia/Tokyo")).utcoffset()


@pytest.mark.parametrize("name", ["", "Europe", "../etc/passwd", "/etc/passwd", "a" * 500, "Europe/Berlin\0"])
def test_what_is_no_zone(name: str) -> None:
    """Folders and paths are none, and nothing is opened outside the database."""
    assert not known_zone(name)
