"""``totalrecall snapshot`` as the agent and its user call it."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime

import pytest

from tests.cli.shell import Run
from tests.integration.working import work
from tests.lab import Lab


def test_save_recall_and_status(lab: Lab, shell: Run) -> None:
    """From the talk, without an option; then the task has not moved on."""
    work(lab)
    code, out, err = shell("snapshot")
    assert (code, "no snapshot of it" in out, "totalrecall snapshot save" in out) == (0, True, True)
    code, out, err = shell("snapshot", "save", "--dry-run")
    assert (code, "### [SNAPSHOT] Active Goal\nPort the config parser" in out) == (0, True)
    assert not list((lab.workspace / "memory").glob("20*.md"))
    day = f"{datetime.now(UTC):%Y-%m-%d}"
    assert shell("snapshot", "save") == (0, f"Snapshot saved to memory/{day}.md\n", "")
    code, out, err = shell("snapshot", "recall")
    lines = out.splitlines()
    assert lines[0].startswith(f"Restoring task state from snapshot taken at {day} ")
    assert lines[1:5] == [
        "Goal: Port the config parser in src/config.py to TOML, because INI cannot hold lists",
        "Phase: debugging (blocked: pytest -q: exit 1: KeyError: 'hosts')",
        "Working on: tests/test_config.py, src/config.py",
        "Next up:",
    ]
    assert err == "Does this match where we left off? Anything to update before I continue?\n"
    assert "nobody uses it" in shell("snapshot", "recall", "--full")[1]
    code, out, _ = shell("snapshot", "status")
    assert out.startswith("1 snapshot today, 1 in all")
    assert "has not moved on" in out


def test_nothing_found_says_where_it_looked(lab: Lab, shell: Run) -> None:
    """And what else may help, in the order of the search."""
    code, out, err = shell("snapshot", "recall")
    assert (code, out) == (0, "")
    places = [str(lab.workspace / "memory"), "BIG-MEMORY-SNAPSHOT", "SNAPSHOT Active Goal Next Steps", "'task snapshot'", "decided", "MEMORY.md", "reminder"]  # fmt: skip
    assert [err.index(place) for place in places] == sorted(err.index(place) for place in places)
    assert shell("snapshot", "recall", "--json")[:2] == (0, "null\n")
    assert shell("snapshot", "save")[:2] == (
        0, "Nothing to keep: the newest talk has no file, tool call, decision or open step in it.\n",
    )  # fmt: skip
    code, out, _ = shell("snapshot", "status", "--json")
    assert json.loads(out)["newest"] is None


def test_the_agent_gives_the_sections_itself(lab: Lab, shell: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """By options or as JSON; both come back as they were given, the one before by its number."""
    options = ["--goal", "Move the kiln", "--phase", "planning", "--branch", "shed", "--blocked", "no van",
               "--progress", "50%", "--file", "plan.md=measures", "--file", "a=b=c", "--decision", "Saturday -- no rain",
               "--code", "x = 1", "--name", "Env var: KILN_KEY=abc", "--blocker", "van", "--question", "Who?",
               "--next", "Rent", "--next", "Call"]  # fmt: skip
    assert shell("snapshot", "save", *options)[0] == 0
    first = json.loads(shell("snapshot", "recall", "--json")[1])
    assert first["files"] == [{"path": "plan.md", "what": "measures"}, {"path": "a", "what": "b=c"}]
    assert first["decisions"] == [{"text": "Saturday", "why": "no rain"}]
    assert first["names"] == [{"label": "Env var", "value": "KILN_KEY"}]
    assert (first["blocked"], first["blocked_by"], first["next_steps"]) == (True, "no van", ["Rent", "Call"])
    given = {**first, "goal": "Second", "phase": "testing"}
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(json.dumps(given).encode())))
    assert shell("snapshot", "save", "--json", "-")[0] == 0
    newest = json.loads(shell("snapshot", "recall", "--json")[1])
    own = {"snapshot_id", "timestamp", "path", "line"}
    assert {k: v for k, v in newest.items() if k not in own} == {
        k: v for k, v in given.items() if k not in own
    }
    assert json.loads(shell("snapshot", "recall", "--json", "--nth", "2")[1]) == first
    assert "no more than 2 snapshots" in shell("snapshot", "recall", "--nth", "3")[2]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("{", "not JSON"),
        ("[]", "object"),
        ('{"x": 1}', "None of these fields"),
        ('{"goal": 1}', "goal takes text"),
        ('{"goal": "x", "phase": "dancing"}', "phase is one of"),
        ('{"next_steps": "x"}', "next_steps takes a list"),
        ('{"files": [1]}', "An object with path and what"),
        ("[" * 100_000, "nested"),
    ],
)
def test_input_that_makes_no_sense_is_refused(lab: Lab, shell: Run, given: str, why: str) -> None:
    """With the reason, and nothing is written."""
    (lab.root / "in.json").write_text(given)
    code, _, err = shell("snapshot", "save", "--json", str(lab.root / "in.json"))
    assert (code, why in err) == (2, True)
    assert not list((lab.workspace / "memory").glob("20*.md"))


def test_the_agent_is_the_one_whose_workspace_it_is(
    lab: Lab, shell: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of several agents; elsewhere main, or the one that is named."""
    other = lab.root / "other"
    other.mkdir()
    agents = [{"id": "main", "workspace": str(lab.workspace)}, {"id": "work", "workspace": str(other)}]
    (lab.state_dir / "openclaw.json").write_text(json.dumps({"agents": {"list": agents}}))
    (lab.state_dir / "agents" / "work" / "sessions").mkdir(parents=True)
    monkeypatch.chdir(other)
    shell("snapshot", "save", "--goal", "Theirs", "--next", "x")
    monkeypatch.chdir(lab.root)
    shell("snapshot", "save", "--goal", "Main's", "--next", "x")
    assert "Goal: Theirs" in shell("snapshot", "recall", "--agent", "work")[1]
    assert "Goal: Main's" in shell("snapshot", "recall")[1]
    assert shell("snapshot", "recall", "--agent", "nobody")[0] == 78


def test_a_log_that_cannot_be_read_is_named(lab: Lab, shell: Run) -> None:
    """The others are searched all the same."""
    shell("snapshot", "save", "--goal", "x", "--next", "y")
    (lab.workspace / "memory" / "2020-01-01.md").mkdir()
    for command in ("recall", "status"):
        code, out, err = shell("snapshot", command)
        assert (code, "2020-01-01.md cannot be read" in err, "x" in out) == (0, True, True)
