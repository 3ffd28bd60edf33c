"""What ``totalrecall setup`` asks, keeps, installs and takes away again; as real processes, some on a terminal."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest

from tests.fakes.model_server import Reply, error, model_server
from tests.packaging.machine import environment, totalrecall, tree, write_agent
from tests.unit.service.tools import Tools, make_tools

KEY = "sk-or-v1-" + "0a" * 32
UNIT = ".config/systemd/user/total-recall.service"
ANSWER_S = 30.0
# An old talk: the first observation finds nothing to send to a model.
OLD = timedelta(days=40)


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    """A Linux machine with systemd and an OpenClaw agent whose talk is old."""
    machine = make_tools(tmp_path / "machine", ("systemctl", "loginctl"))
    machine.set("linger")
    write_agent(machine.home, age=OLD)
    return machine


def piped(
    home: Path, *words: str, given: str = "", code: int = 0, **env: str
) -> subprocess.CompletedProcess[str]:
    """``totalrecall setup …`` with ``given`` on stdin."""
    done = subprocess.run(
        [sys.executable, "-m", "totalrecall", "setup", *words], env=environment(home, **env), cwd=home, input=given,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    return done


def on_terminal(tools: Tools, answers: dict[str, str], *words: str, **env: str) -> tuple[int, str]:
    """``totalrecall setup …`` on a terminal, where each question named in ``answers`` gets its answer once."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "totalrecall", "setup", *words],
        env=environment(tools.home, **{**tools.env, "TERM": "dumb", "NO_COLOR": "1", **env}),
        stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    shown, waiting, ends_at = "", dict(answers), time.monotonic() + ANSWER_S
    try:
        while time.monotonic() < ends_at:
            if not select.select([ours], [], [], 0.2)[0]:
                continue
            try:
                piece = os.read(ours, 65536)
            except OSError:
                break
            if not piece:
                break
            shown += piece.decode("utf-8", "replace")
            for question in [one for one in waiting if one in shown]:
                os.write(ours, f"{waiting.pop(question)}\n".encode())
    finally:
        os.close(ours)
        if time.monotonic() >= ends_at:
            process.kill()
        code = process.wait(timeout=ANSWER_S)
    assert not waiting, shown
    return code, shown


def env_file(home: Path) -> Path:
    """Where the key is kept."""
    return home / ".config" / "total-recall" / ".env"


def test_a_key_from_stdin_is_checked_and_kept(tmp_path: Path) -> None:
    """One look that costs nothing; then the key stands in a file that only its owner reads, beside what was there."""
    write_agent(tmp_path, age=OLD)
    kept = env_file(tmp_path)
    kept.parent.mkdir(parents=True)
    kept.write_text("# mine\nTOTALRECALL_GROUPS=off\n", encoding="utf-8")
    kept.chmod(0o644)
    with model_server() as server:
        server.will(Reply(b'{"data": []}'))
        done = piped(tmp_path, "--key-stdin", given=f" 'Bearer {KEY}'\n", LLM_BASE_URL=server.url)
        assert [path for path, _ in server.looks] == ["/v1/models"]
        assert server.requests == []
    assert kept.read_text("utf-8") == f"# mine\nTOTALRECALL_GROUPS=off\nLLM_API_KEY={KEY}\n"
    assert kept.stat().st_mode & 0o777 == 0o600
    assert "takes the key" in done.stderr
    assert KEY not in done.stdout + done.stderr


def test_a_key_that_is_refused_is_not_kept(tmp_path: Path) -> None:
    """Exit 78, nothing stored, nothing observed; the endpoint's words do not quote the key."""
    write_agent(tmp_path, age=OLD)
    before = tree(tmp_path)
    with model_server() as server:
        server.will(error(401, f"Incorrect API key provided: {KEY}"))
        done = piped(tmp_path, "--key-stdin", given=f"{KEY}\n", code=78, LLM_BASE_URL=server.url)
    assert "not stored" in done.stderr
    assert KEY not in done.stdout + done.stderr
    assert tree(tmp_path) == before


@pytest.mark.report("R111")
@pytest.mark.parametrize(
    ("given", "said"),
    [("", "no key"), ("sk or v1\n", "space inside"), ("your-api-key-here\n", "placeholder")],
)
def test_what_is_no_key_is_told_without_quoting_it(tmp_path: Path, given: str, said: str) -> None:
    """An empty line, a sentence, the placeholder of the example: exit 78 and nothing stored."""
    write_agent(tmp_path, age=OLD)
    done = piped(tmp_path, "--key-stdin", given=given, code=78)
    assert said in done.stderr
    assert not env_file(tmp_path).exists()
    assert not given or given.strip() not in done.stderr


def test_a_key_of_the_shell_is_kept_on_demand(tmp_path: Path) -> None:
    """``--key-env`` keeps it, also while nobody can say whether it works."""
    write_agent(tmp_path, age=OLD)
    piped(tmp_path, "--key-env", LLM_API_KEY=KEY, LLM_BASE_URL="http://127.0.0.1:9/v1")
    assert f"LLM_API_KEY={KEY}\n" in env_file(tmp_path).read_text("utf-8")


@pytest.mark.report("R116")
def test_a_key_that_is_set_and_does_not_work_is_no_success(tmp_path: Path) -> None:
    """Setup checks the key it finds, and its exit code says that it was refused."""
    write_agent(tmp_path, age=OLD)
    with model_server() as server:
        server.will(error(401, "No auth credentials found"))
        piped(tmp_path, code=78, LLM_API_KEY=KEY, LLM_BASE_URL=server.url)


def test_without_a_terminal_nothing_is_installed_unasked(tools: Tools) -> None:
    """No question, no service, nothing in OpenClaw's folders; how to do it is shown."""
    before = tree(tools.home / ".openclaw")
    done = totalrecall(tools.home, "setup", env=tools.env)
    assert "service install" in done.stdout
    assert "openclaw install" in done.stdout
    assert tools.calls() == []
    assert not (tools.home / UNIT).exists()
    after = tree(tools.home / ".openclaw")
    assert {name: after[name] for name in before} == before
    assert {*after} - {*before} <= {"workspace/memory/.total-recall.json", "workspace/logs/observer.log"}


def test_without_a_service_manager_the_rest_is_installed_and_cron_is_shown(tmp_path: Path) -> None:
    """``--yes`` is no failure there; a service that was asked for by name is."""
    home = tmp_path / "home"
    write_agent(home, age=OLD)
    (home / ".openclaw" / "workspace" / "AGENTS.md").write_text("# Rules of mine\n", encoding="utf-8")
    done = piped(home, "--yes", PATH=str(tmp_path))
    assert "crontab -e" in done.stdout
    assert (home / ".openclaw" / "skills" / "totalrecall" / "SKILL.md").exists()
    assert "cron" in piped(home, "--service", code=78, PATH=str(tmp_path)).stderr


def test_all_of_it_and_back_again(tools: Tools) -> None:
    """``--yes`` installs service and OpenClaw part; ``--uninstall`` takes both away and leaves the memory."""
    agents_md = tools.home / ".openclaw" / "workspace" / "AGENTS.md"
    agents_md.write_text("# Rules of mine\n", encoding="utf-8")
    (tools.home / ".openclaw" / "openclaw.json").write_text("{\n  // mine\n}\n", encoding="utf-8")
    before = tree(tools.home / ".openclaw")
    done = totalrecall(tools.home, "setup", "--yes", env=tools.env)
    assert "The service runs." in done.stdout
    assert "crontab" not in done.stdout
    assert (tools.home / UNIT).exists()
    assert "recover" in agents_md.read_text("utf-8")
    again = totalrecall(tools.home, "setup", env=tools.env)
    assert "are in place" in again.stdout
    assert tools.calls().count("systemctl --user restart total-recall.service") == 1

    notes = tools.home / ".openclaw" / "workspace" / "memory" / "observations.md"
    notes.parent.mkdir(exist_ok=True)
    notes.write_text("- mine\n", encoding="utf-8")
    log = tools.home / ".openclaw" / "workspace" / "logs" / "reflector.log.1"
    log.parent.mkdir(exist_ok=True)
    log.write_text("{}\n", encoding="utf-8")
    shown = totalrecall(tools.home, "setup", "--uninstall", "--dry-run", env=tools.env)
    assert f"{tools.home / UNIT} would be removed" in shown.stdout
    assert (tools.home / UNIT).exists()
    gone = totalrecall(tools.home, "setup", "--uninstall", env=tools.env)
    assert not (tools.home / UNIT).exists()
    assert not tools.has("active")
    assert f"{notes}   (the notes)" in gone.stdout
    assert gone.stdout.count(str(log)) == 2  # among what was left, and in the line that removes it
    assert "To remove all of this but the notes:  rm -r" in gone.stdout
    assert "openclaw.json.total-recall-backup-" in gone.stdout
    assert f"{notes} " not in gone.stdout.split("rm -r")[1]
    assert "pip uninstall total-recall-agent" in gone.stdout
    after = tree(tools.home / ".openclaw")
    for name, content in before.items():
        assert after[name] == content
    assert not [name for name in after if "hooks/" in name or "skills/" in name]
    assert notes.read_text("utf-8") == "- mine\n"


def test_a_crontab_that_calls_us_is_pointed_out(tools: Tools) -> None:
    """Lines that were put there by hand go by hand."""
    crontab = tools.folder / "bin" / "crontab"
    crontab.write_text(
        "#!/bin/sh\necho '# totalrecall below'\necho '*/15 * * * * totalrecall --run-observer'\n", "utf-8"
    )
    crontab.chmod(0o755)
    done = totalrecall(tools.home, "setup", "--uninstall", env=tools.env)
    assert "Take these lines out of your crontab" in done.stdout
    assert done.stdout.count("totalrecall --run-observer") == 1
    assert "# totalrecall below" not in done.stdout


@pytest.mark.parametrize("word", ["--service", "--yes", "--key-stdin", "--uninstall"])
def test_json_only_reports(tools: Tools, word: str) -> None:
    """Together with what installs or removes it is a usage error, and nothing happens."""
    totalrecall(tools.home, "setup", "--json", word, env=tools.env, code=2)
    assert tools.calls() == []


def test_where_no_service_can_be_it_is_no_success(tools: Tools) -> None:
    """``--service`` in a container: 78 and the lines for cron; the notes are taken all the same."""
    tools.set("no-manager")
    done = totalrecall(tools.home, "setup", "--service", env=tools.env, code=78)
    assert "cron can do the work" in done.stderr
    assert "Agent main" in done.stdout


def test_at_a_terminal_it_asks_and_does(tools: Tools) -> None:
    """The key is not shown while it is typed, nor later; service and OpenClaw part follow the answers."""
    with model_server() as server:
        server.will(error(401, "wrong"), Reply(b'{"data": []}'))
        answers = {"Enter for none": KEY, "Install the service": "y", "Make these changes": "n"}
        # A server of one's own needs no key; that one is refused without shows by the question.
        code, shown = on_terminal(tools, {**answers}, LLM_BASE_URL=server.url, LLM_API_KEY="")
    assert code == 0
    assert KEY not in shown
    assert tools.has("active")
    assert not (tools.home / ".openclaw" / "hooks").exists()


def test_at_a_terminal_no_is_no(tools: Tools) -> None:
    """Enter for no key, no to the service: nothing is kept and nothing installed."""
    code, shown = on_terminal(
        tools, {"Enter for none": "", "Install the service": "n", "Make these changes": "n"}
    )
    assert code == 0
    assert not env_file(tools.home).exists()
    assert not (tools.home / UNIT).exists()
    assert "service install" in shown


def test_removing_asks_at_a_terminal(tools: Tools) -> None:
    """No is the answer that Enter gives."""
    totalrecall(tools.home, "setup", "--service", env=tools.env)
    code, shown = on_terminal(tools, {"Remove the service": ""}, "--uninstall")
    assert code == 0
    assert "Nothing was removed" in shown
    assert (tools.home / UNIT).exists()
