"""``reflect``, ``undo`` and ``notes --history`` as their users call them."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from tests.cli.shell import Run, shell_in
from tests.fakes.model_server import chat, error, model_server
from tests.integration.reflecting import fill
from tests.lab import Lab
from totalrecall.domain.outcome import ExitCode


@pytest.fixture
def shell(lab: Lab, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command line in the lab's home, on the lab's day."""
    monkeypatch.setenv("REFLECTOR_WORD_THRESHOLD", "500")
    monkeypatch.setattr("time.time_ns", lambda: int(lab.now.timestamp() * 1e9))
    return shell_in(lab, monkeypatch, capsys)


def test_reflect_undo_and_history_tell_what_they_did(lab: Lab, shell: Run) -> None:
    """A long log of old events: shown, archived, listed, and back again."""
    fill(lab, days=30, each=5, at_once=True)
    whole = lab.notes
    code, out, _ = shell("reflect", "--dry-run")
    assert code == ExitCode.OK
    assert "-- 🟢 12:00 [event] the value is v0003\n" in out
    assert "main: would be " in out
    assert lab.notes == whole
    code, out, err = shell("--run-reflector")
    assert (code, err) == (ExitCode.OK, "")
    assert " words (extractive); " in out
    assert "aged" in out
    short = lab.notes
    assert len(short) < len(whole) / 2
    assert shell("reflect")[1].endswith("nothing to do yet (--force does it now)\n")
    code, out, _ = shell("notes", "--history")
    assert code == ExitCode.OK
    assert "# main: 1 reflection\n" in out
    assert "left in the last seven days: " in out
    code, out, _ = shell("undo", "--dry-run")
    assert (code, lab.notes) == (ExitCode.OK, short)
    assert "+- 🟢 12:00 [event] the value is v0003\n" in out
    code, out, _ = shell("undo")
    assert code == ExitCode.OK
    assert "is undone; " in out
    assert lab.notes == whole
    assert shell("undo")[:2] == (ExitCode.OK, "main: no reflection to take back\n")
    assert "undone " in shell("notes", "--history")[1]
    code, out, _ = shell("reflect")
    assert (code, "because the last reflection was undone" in out) == (ExitCode.OK, True)
    assert lab.notes == whole


def test_json_is_one_document(lab: Lab, shell: Run) -> None:
    """Reading and writing commands print one JSON document on stdout and nothing else."""
    fill(lab, days=30, each=5, at_once=True)
    code, out, _ = shell("reflect", "--json")
    (report,) = json.loads(out)
    assert (code, report["result"], report["numbers"]["dropped_aged"] > 50) == (
        ExitCode.OK,
        "rewritten",
        True,
    )
    (history,) = json.loads(shell("notes", "--history", "--json")[1])
    assert history["history"][0]["marker"] == report["marker"]
    assert history["left_this_week"]["aged"] == report["numbers"]["dropped_aged"]
    (undone,) = json.loads(shell("undo", "--json")[1])
    assert (undone["result"], undone["marker"]) == ("undone", report["marker"])


@pytest.mark.report("R075")
def test_a_refusal_and_an_outage_have_their_own_exit_codes(lab: Lab, shell: Run) -> None:
    """Refused is "partly done", a wrong key is a matter of settings; the reason is on stderr and in the history."""
    fill(lab, days=20, each=8, then_days=6, at_once=True)
    lab.now += timedelta(minutes=1)
    before = lab.notes
    with model_server() as server:
        server.will(chat("Everything is fine."))
        wired = {
            "LLM_BASE_URL": f"{server.url}/v1",
            "OBSERVER_MODEL": "maker/one",
            "OBSERVER_FALLBACK_MODEL": "",
        }
        code, out, err = shell("reflect", "--force", **wired)
        assert code == ExitCode.PARTIAL
        assert "the log stays as it is: no answer could be accepted" in out
        assert "refused: " in err
        server.will(error(401, "no such key"))
        code, out, err = shell("reflect", "--force")
        assert code == ExitCode.CONFIG
        assert "no answer came" in out
        assert err.startswith("error: main: ")
    assert lab.notes == before
    assert "refused  llm" in shell("notes", "--history")[1]


def test_an_unknown_agent_is_told(shell: Run) -> None:
    """A name that nobody has is a configuration error, for each of the commands."""
    for command in (("reflect",), ("undo",), ("notes", "--history")):
        assert shell(*command, "--agent", "nobody")[0] == ExitCode.CONFIG
