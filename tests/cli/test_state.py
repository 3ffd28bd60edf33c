"""``totalrecall state`` and ``session-state`` as the agent and its user call them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.shell import Run
from tests.integration.working import work
from tests.lab import Lab


def test_the_json_has_the_shapes_that_agents_know(lab: Lab, shell: Run) -> None:
    """Read, write, discover; no file is null."""
    assert shell("state", "show", "--json")[:2] == (0, "null\n")
    code, out, _ = shell("state", "set", "task", "Fire: the vases", "--json")
    wrote = json.loads(out)
    assert (code, wrote["success"], wrote["fields"]) == (0, True, ["task"])
    assert wrote["updated"].endswith("Z")
    shell("state", "set", "next_steps", '["Repair the door", "Start"]')
    read = json.loads(shell("state", "show", "--json")[1])
    assert list(read) == ["project", "task", "status", "last_action", "next_steps", "updated", "body"]
    assert (read["task"], read["status"], read["next_steps"]) == (
        "Fire: the vases",
        "active",
        ["Repair the door", "Start"],
    )
    work(lab)
    found = json.loads(
        shell(
            "state",
            "refresh",
            "--json",
            "--force",
            "--query",
            "parser TOML",
            "--limit",
            "50",
            "--min-score",
            "0.5",
        )[1]
    )
    assert list(found) == [*read, "_meta"]
    assert found["_meta"] == {"snippets": 1, "top_source": lab.path().name}
    assert found["task"] == json.loads(shell("state", "show", "--json")[1])["task"]


def test_people_read_and_write_it(lab: Lab, shell: Run) -> None:
    """Shown field by field; without a word as well; cleared, the file stays."""
    path = lab.workspace / "SESSION_STATE.md"
    assert shell("state", "set", "status", "blocked") == (0, f"Written: status ({path})\n", "")
    shell("state", "set", "next_steps", "only one")
    shell("state", "set", "body", "## Context\n- a link\n")
    out = shell("state")[1]
    assert out.splitlines()[2:6] == ["status:      blocked", "last_action: ", "next_steps:", "  1. only one"]
    assert out.endswith("\n\n## Context\n- a link\n")
    before = path.read_text()
    out = shell("state", "clear", "--dry-run")[1]
    assert '-status: "blocked"' in out
    assert path.read_text() == before
    shell("state", "clear")
    assert path.exists()
    assert shell("state", "validate") == (0, f"{path} is valid.\n", "")
    assert path.read_text().endswith("## Context\n- a link\n")


@pytest.mark.parametrize(
    "args",
    [
        ("set", "status", "maybe"),
        ("set", "updated", "soon"),
        ("set", "next_steps", "[1, 2]"),
        ("set", "next_steps", "[broken"),
        ("set", "colour", "red"),
        ("show", "--project", "../x"),
        ("set", "task", "x", "--project", "/etc/passwd"),
    ],
)
def test_what_a_field_does_not_take_is_refused(lab: Lab, shell: Run, args: tuple[str, ...]) -> None:
    """It is a usage error, and nothing is written."""
    assert shell("state", *args)[0] == 2
    assert not (lab.workspace / "SESSION_STATE.md").exists()
    assert not (lab.workspace / "state").exists()


def test_projects_have_states_of_their_own(lab: Lab, shell: Run) -> None:
    """Beside the one of the workspace, and they are named when that is missing."""
    shell("state", "set", "task", "Atlas work", "--project", "atlas")
    assert "Atlas work" in (lab.workspace / "state" / "atlas.md").read_text()
    assert "--project): atlas" in shell("state", "show")[2]
    assert "Atlas work" in shell("state", "show", "--project", "atlas")[1]


@pytest.mark.report("R084")
def test_an_unreadable_file_is_told_with_its_line(lab: Lab, shell: Run) -> None:
    """Every command leaves it alone, says where the fault is, and exits with 3."""
    path = lab.workspace / "SESSION_STATE.md"
    text = "---\nproject: x\ntask: fix: it\n---\nkeep\n"
    path.write_text(text)
    for args in (("show",), ("show", "--json"), ("set", "task", "y"), ("clear",), ("refresh",)):
        code, out, err = shell("state", *args)
        assert (code, out) == (3, "")
        assert f"{path}:3:10: a colon inside a text; put the text in quotes." in err
        assert f"{path}.unreadable-" in err
    code, out, err = shell("state", "validate")
    assert (code, f"{path}:3: column 10: a colon" in out) == (3, True)
    assert path.read_text() == text
    (copy,) = lab.workspace.glob("*.unreadable-*")
    assert copy.read_text() == text


@pytest.mark.report("R084")
def test_a_write_says_what_is_still_wrong(lab: Lab, shell: Run) -> None:
    """The field is written, and a status that a person wrote wrongly is theirs to correct."""
    path = lab.workspace / "SESSION_STATE.md"
    path.write_text("---\nproject: NO\nstatus: on\ntask: 007\n---\n")
    code, _, err = shell("state", "set", "last_action", "did: it")
    assert (code, err) == (
        0, f"Still wrong: {path}:3: status is 'on'; it is one of active, blocked, done.\n",
    )  # fmt: skip
    assert path.read_text().startswith('---\nproject: NO\nstatus: on\nlast_action: "did: it"\n')
    assert shell("state", "set", "status", "active")[2] == ""


def test_what_is_stale_is_shown_and_said_to_be(lab: Lab, shell: Run) -> None:
    """Never hidden, never deleted; a time of the future is not believed."""
    path = lab.workspace / "SESSION_STATE.md"
    path.write_text("---\ntask: old\nstatus: active\nupdated: 2020-01-01T00:00:00Z\n---\n")
    os.utime(path, (1_577_836_800,) * 2)
    code, out, err = shell("state", "show")
    assert (code, "task:        old" in out) == (0, True)
    assert err.startswith("Stale: updated 2")
    path.write_text(path.read_text().replace("2020-01-01", "2099-01-01"))
    code, out, err = shell("state", "validate")
    assert (code, "4: (minor) updated lies in the future" in out) == (0, True)
    os.utime(path, (1_577_836_800,) * 2)
    assert "future" in shell("state", "show")[2]
    assert "Stale" in shell("state", "show")[2]


def test_refresh_says_what_it_did(lab: Lab, shell: Run) -> None:
    """The difference on stdout, the rest on stderr; the same again finds a newer edit: its own."""
    code, out, err = shell("state", "refresh")
    assert (code, out, err) == (0, "", "The talk holds no task: no file, tool call, decision or open step.\n")
    work(lab)
    code, out, err = shell("state", "refresh", "--dry-run")
    assert '+task: "Port the config parser' in out
    assert "Would be written" in err
    code, out, err = shell("state", "refresh")
    assert ('+status: "active"' in out, "Written: " in err) == (True, True)
    assert "edited after the last message" in shell("state", "refresh")[2]


def test_session_state_is_the_same_command(lab: Lab, shell: Run) -> None:
    """The script of that name takes what `totalrecall state` takes."""
    script = "from totalrecall.__main__ import session_state; session_state()"
    env = {"HOME": str(lab.root), "PATH": os.environ["PATH"], "TZ": "UTC"}
    command = [sys.executable, "-c", script, "set", "task", "by script", "--json"]
    done = subprocess.run(
        command, env=env, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2]
    )
    assert json.loads(done.stdout)["fields"] == ["task"]
    assert "by script" in shell("state", "show")[1]
