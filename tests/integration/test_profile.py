"""The profile on the disk: damage, other writers, modes, and the commands."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from tests.lab import START, Lab
from totalrecall.errors import ConfigError, MemoryFileError
from totalrecall.jobs.profile import (
    REFUSAL,
    ProfileDesk,
    SensitiveError,
    forget,
    forget_everything,
    leave_damaged,
    recover,
    set_contact,
    set_field,
    settle,
    shown,
)
from totalrecall.memory.profile.changes import Said, conflicts
from totalrecall.memory.profile.contacts import Contact, learn_contact
from totalrecall.memory.profile.document import value_at, with_value


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    """An agent that was adopted."""
    made = Lab(tmp_path)
    made.adopt()
    return made


@pytest.fixture
def desk(lab: Lab) -> Iterator[ProfileDesk]:
    """Its user's profile."""
    with lab.context() as ctx:
        yield ProfileDesk(ctx.profile, ctx.screen, START)


def stored(lab: Lab) -> Path:
    """The profile's file."""
    return lab.state_dir / "memory" / "user_profile.json"


def test_a_new_profile_can_be_read_by_its_owner_alone(lab: Lab, desk: ProfileDesk) -> None:
    """The file is 0600 also where it was open before, and the folder of a new one 0700."""
    set_field(desk, "name", "Robin")
    assert stat.S_IMODE(stored(lab).stat().st_mode) == 0o600
    stored(lab).chmod(0o644)
    set_field(desk, "timezone", "Europe/Lisbon")
    assert stat.S_IMODE(stored(lab).stat().st_mode) == 0o600
    assert stat.S_IMODE(stored(lab).parent.stat().st_mode) == 0o700


@pytest.mark.report("R081")
@pytest.mark.parametrize(
    "damage", [b"", b"\0" * 64, b'{"identity":{"name":"Robin"', b"[]", b'{"episodic":{}}']
)
def test_a_damaged_file_is_kept_twice_and_told(lab: Lab, desk: ProfileDesk, damage: bytes) -> None:
    """Under a time-stamped name and as the backup; the fresh one says so until it is dealt with."""
    stored(lab).parent.mkdir()
    stored(lab).write_bytes(damage)
    assert value_at(shown(desk), "meta.damaged.reason")
    assert stored(lab).read_bytes() == damage
    set_field(desk, "timezone", "Europe/Lisbon")
    kept = stored(lab).parent / "user_profile.damaged-20260302T120000.json"
    assert kept.read_bytes() == damage
    assert (stored(lab).parent / "user_profile.backup.json").read_bytes() == damage
    data = json.loads(stored(lab).read_text(encoding="utf-8"))
    assert data["meta"]["damaged"]["file"] == kept.name
    assert data["identity"]["timezone"] == "Europe/Lisbon"


@pytest.mark.report("R081")
def test_a_second_damage_in_the_same_second_overwrites_nothing(lab: Lab, desk: ProfileDesk) -> None:
    """Each damaged file is kept under a name of its own."""
    stored(lab).parent.mkdir()
    for damage in (b"[1]", b"[2]", b"[2]"):
        stored(lab).write_bytes(damage)
        set_field(desk, "name", "Robin")
    kept = sorted(path.read_bytes() for path in stored(lab).parent.glob("user_profile.damaged-*"))
    assert kept == [b"[1]", b"[2]"]


@pytest.mark.parametrize(
    "damage",
    [
        b'{"identity":{"name":"Robin","timezone":"Asia/Tokyo"},"episodic":[{"date":"2026-01-01","summ',
        b'{"identity":{"name":"Robin","timezone":"Asia/Tokyo",},"mine":{"keep":1}}',
        b'{"identity":{"name":"Alex"},"identity":{"name":"Robin","timezone":"Asia/Tokyo"}}',
        b'{"identity":{"name":"Robin","timezone":"Asia/Tokyo"},"episodic":{},"meta":{"version":2}}\0\0\0',
    ],
)
def test_what_can_be_understood_of_a_damaged_file_is_put_back(
    lab: Lab, desk: ProfileDesk, damage: bytes
) -> None:
    """Lax JSON, a cut end, doubled keys, wrong types: what fits is recovered, and the user is no longer told."""
    stored(lab).parent.mkdir()
    stored(lab).write_bytes(damage)
    set_field(desk, "timezone", "Europe/Lisbon")
    assert recover(desk) >= 1
    data = shown(desk)
    assert (value_at(data, "identity.name"), value_at(data, "identity.timezone")) == (
        "Robin",
        "Europe/Lisbon",
    )
    assert value_at(data, "meta.damaged") is None


def test_a_damaged_file_may_be_left_as_it_is(lab: Lab, desk: ProfileDesk) -> None:
    """The user is no longer asked, nothing is put back, and the file is kept."""
    stored(lab).parent.mkdir()
    stored(lab).write_bytes(b'{"identity":{"name":"Robin"')
    set_field(desk, "timezone", "Europe/Lisbon")
    leave_damaged(desk)
    data = shown(desk)
    assert value_at(data, "meta.damaged") is None
    assert value_at(data, "identity.name") == ""
    assert desk.file.backup_path.read_bytes() == b'{"identity":{"name":"Robin"'


def test_without_a_damaged_file_there_is_nothing_to_recover(desk: ProfileDesk) -> None:
    """That is said, and nothing is written."""
    with pytest.raises(MemoryFileError, match="no damaged profile"):
        recover(desk)
    assert not desk.file.path.exists()


def test_reading_writes_nothing(lab: Lab, desk: ProfileDesk) -> None:
    """Showing an absent or damaged profile leaves the disk as it is."""
    shown(desk)
    assert not stored(lab).exists()
    stored(lab).parent.mkdir()
    stored(lab).write_bytes(b"[]")
    shown(desk)
    assert [path.name for path in stored(lab).parent.iterdir()] == ["user_profile.json"]


@pytest.mark.report("R088", "R089")
def test_a_secret_is_not_stored(lab: Lab, desk: ProfileDesk) -> None:
    """It is refused whole, with the sentence that the agent is to say."""
    key = "sk-or-v1-" + "0a" * 32
    with pytest.raises(SensitiveError, match="password manager"):
        set_field(desk, "sign_off", f"my key is {key}")
    with pytest.raises(SensitiveError):
        set_contact(desk, Contact("Sarah", notes=f"her key is {key}"), None)
    assert not stored(lab).exists()
    assert REFUSAL.startswith("I don't store that kind of information")


def test_an_unknown_field_and_a_wrong_value_are_refused_by_name(desk: ProfileDesk) -> None:
    """With the fields there are, and what the field takes."""
    with pytest.raises(ConfigError, match=r"identity\.name"):
        set_field(desk, "shoe_size", "43")
    with pytest.raises(ConfigError, match="one of formal, casual, neutral"):
        set_field(desk, "email_tone", "angry")
    with pytest.raises(ConfigError, match="no relationship"):
        set_contact(desk, Contact("Sarah", "enemy"), None)


def test_who_is_meant_must_be_said_where_two_have_one_name(desk: ProfileDesk) -> None:
    """The people are listed with numbers, and a number picks one."""
    set_contact(desk, Contact("Sarah", "boss"), None)
    desk.file.change(
        lambda data: with_value(
            data,
            "relationships.contacts",
            [*data["relationships"]["contacts"], {"name": "Sarah", "relationship": "client"}],
        ),
        START,
    )
    with pytest.raises(ConfigError, match="2: Sarah"):
        set_contact(desk, Contact("Sarah", alias="S. Lopez"), None)
    data = set_contact(desk, Contact("Sarah", alias="S. Lopez"), 2)
    assert data["relationships"]["contacts"][1]["alias"] == ["S. Lopez"]


def test_which_of_two_was_meant_is_not_settled_by_accepting_but_by_saying_who(desk: ProfileDesk) -> None:
    """``accept`` would write nothing: it says so, and naming the person settles it."""
    people = [{"name": "Sarah", "relationship": "boss"}, {"name": "Sarah", "relationship": "client"}]
    desk.file.change(lambda data: with_value(data, "relationships.contacts", people), START)
    said = Said(START.isoformat(), "main", "n")
    desk.file.change(
        lambda data: learn_contact(data, Contact("Sarah", notes="prefers mail"), said).data, START
    )
    (waiting,) = conflicts(shown(desk))
    with pytest.raises(ConfigError, match="Several people") as refused:
        settle(desk, waiting["id"], take_new=True)
    assert "profile contact 'Sarah' --which N" in str(refused.value.hint)
    assert conflicts(shown(desk)) == [waiting]
    set_contact(desk, Contact("Sarah", alias="S. Lopez"), 2)
    assert conflicts(shown(desk)) == []


def test_an_edit_made_meanwhile_is_kept(lab: Lab, desk: ProfileDesk) -> None:
    """What somebody writes between reading and writing is still there afterwards."""
    set_field(desk, "name", "Robin")
    times: list[int] = []

    def edit(data: dict[str, object]) -> dict[str, object]:
        if not times:
            other = json.loads(stored(lab).read_text(encoding="utf-8"))
            other["mine"] = "kept"
            stored(lab).write_text(json.dumps(other), encoding="utf-8")
        times.append(1)
        return with_value(data, "identity.timezone", "Asia/Tokyo")

    desk.file.change(edit, START)
    data = json.loads(stored(lab).read_text(encoding="utf-8"))
    assert (data["mine"], data["identity"]["timezone"], len(times)) == ("kept", "Asia/Tokyo", 2)


def test_forgetting_everything_leaves_no_copy(lab: Lab, desk: ProfileDesk) -> None:
    """The profile is empty and the damaged files that were kept are gone."""
    stored(lab).parent.mkdir()
    stored(lab).write_bytes(b'{"identity":{"name":"Robin"')
    set_field(desk, "name", "Robin")
    forget_everything(desk)
    assert [path.name for path in stored(lab).parent.iterdir()] == ["user_profile.json"]
    assert "Robin" not in stored(lab).read_text(encoding="utf-8")


def test_forgetting_keeps_a_persons_own_keys(lab: Lab, desk: ProfileDesk) -> None:
    """Only what holds the words goes."""
    stored(lab).parent.mkdir()
    stored(lab).write_text('{"mine":{"keep":"me","drop":"Falcon plans"}}', encoding="utf-8")
    forget(desk, "falcon")
    assert json.loads(stored(lab).read_text(encoding="utf-8"))["mine"] == {"keep": "me", "drop": ""}


@pytest.mark.report("R082")
def test_a_full_disk_leaves_the_profile_whole(
    lab: Lab, desk: ProfileDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The write fails with the reason, and not a byte is lost."""
    set_field(desk, "name", "Robin")
    before = stored(lab).read_bytes()

    def full(_fd: int, _data: object) -> int:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(MemoryFileError):
        set_field(desk, "name", "Alex")
    monkeypatch.undo()
    assert stored(lab).read_bytes() == before
    assert [path.name for path in stored(lab).parent.iterdir()] == ["user_profile.json"]


def command(lab: Lab, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The program itself."""
    env = {"HOME": str(lab.root), "PATH": "/usr/bin:/bin", "TOTALRECALL_TIMEZONE": "UTC", "PYTHONUTF8": "1"}
    return subprocess.run(
        [sys.executable, "-m", "totalrecall", "profile", *arguments],
        env=env, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def test_the_commands_from_outside(lab: Lab) -> None:
    """Set, show, forget with and without consent, as a user types them."""
    assert command(lab, "set", "name", "Robin").returncode == 0
    assert (
        command(lab, "contact", "Sarah Chen", "--relationship", "boss", "--alias", "Ms. Chen").returncode == 0
    )
    assert command(lab, "episode", "Moved the shop", "--tag", "shop").returncode == 0
    said = command(lab, "show").stdout
    assert "Your name: Robin." in said
    assert "I know 1 contact: Sarah Chen." in said
    assert "time zone" not in said
    for number in range(5):
        lab.say("Hello.", session=f"33333333-aaaa-4aaa-8aaa-00000000000{number}")
    lab.observe()
    assert command(lab, "show").stdout.endswith("Which time zone are you in?\n")
    part = json.loads(command(lab, "show", "--relevant", "mail to Sarah").stdout)
    assert part["contacts"][0]["name"] == "Sarah Chen"
    asked = command(lab, "forget", "Ms. Chen")
    assert (asked.returncode, "--yes" in asked.stderr) == (2, True)
    assert command(lab, "forget", "Ms. Chen", "--dry-run").returncode == 0
    assert "Sarah" in command(lab, "show").stdout
    assert command(lab, "forget", "Ms. Chen", "--yes").returncode == 0
    assert "Sarah" not in stored(lab).read_text(encoding="utf-8")
    assert command(lab, "conflicts").stdout == "Nothing contradicts what is known.\n"
    assert command(lab, "accept", "none").returncode == 78
    assert command(lab, "set", "email_tone", "angry").returncode == 78


def test_ten_processes_lose_no_change(lab: Lab) -> None:
    """Each adds a tool of its own, and all are there at the end."""
    script = (
        "import sys, datetime, pathlib\n"
        "from totalrecall.memory.profile.file import ProfileFile\n"
        "from totalrecall.memory.profile.changes import Said, put\n"
        "from totalrecall.memory.profile.fields import find_field\n"
        "root = pathlib.Path(sys.argv[1]); now = datetime.datetime.now(datetime.UTC)\n"
        "file = ProfileFile(root / 'user_profile.json', root / 'lock')\n"
        "for number in range(3):\n"
        "    tool = f'tool-{sys.argv[2]}-{number}'\n"
        "    file.change(lambda data: put(data, find_field('tools'), tool, Said('now')), now)\n"
    )
    root = lab.root / "shared"
    root.mkdir()
    started = [
        subprocess.Popen([sys.executable, "-c", script, str(root), str(number)]) for number in range(10)
    ]
    assert [one.wait(60) for one in started] == [0] * 10
    data = json.loads((root / "user_profile.json").read_text(encoding="utf-8"))
    assert len(data["preferences"]["work"]["tools"]) == 30
    assert datetime.fromisoformat(data["meta"]["last_updated"]).tzinfo is not None
