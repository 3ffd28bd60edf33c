"""Forgetting: every byte of ours, nothing else, and not learnt again."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from tests.lab import SESSION, Lab
from totalrecall.domain.state import SkipReason
from totalrecall.errors import ConfigError, LedgerError
from totalrecall.jobs.aftermath import after_observe
from totalrecall.jobs.distill.plan import plan_distillation
from totalrecall.jobs.distill.report import keep_report, report_lines
from totalrecall.jobs.distill.write import distil
from totalrecall.jobs.forget.everything import forget_everything
from totalrecall.jobs.forget.find import Findings, find, phrase_target, session_target
from totalrecall.jobs.forget.remove import forget
from totalrecall.jobs.learn_profile import learn_profile
from totalrecall.jobs.profile import ProfileDesk, set_contact
from totalrecall.jobs.reflect import ReflectOptions, reflect
from totalrecall.jobs.search import SearchOptions, search
from totalrecall.jobs.undo import undo
from totalrecall.jobs.verify import verify
from totalrecall.memory.profile.contacts import Contact
from totalrecall.memory.profile.document import value_at
from totalrecall.memory.snapshots import all_snapshots

OTHER = "22222222-aaaa-4aaa-8aaa-000000000002"
FALCON = b"falcon"


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    """An agent that remembers Project Falcon in every place there is."""
    made = Lab(tmp_path, engine=None)
    made.adopt()
    made.say("We decided that Project Falcon goes live in May.", "The staging server is stage-2, port 8443.")
    made.say("Remind me to book a room for Project Falcon before 2026-04-01.", "My name is Robin Hale.")
    made.say("The Project Falcon server is falcon-1, port 9000.", session=OTHER)
    made.observe()
    memory, workspace = made.workspace / "memory", made.workspace
    with made.context() as ctx:
        learn_profile(ctx)
        set_contact(
            ProfileDesk(ctx.profile, ctx.screen, made.now),
            Contact("Tom", notes="works on Project Falcon"),
            None,
        )
        plan = plan_distillation(ctx)
        keep_report(ctx, report_lines(plan))
        distil(ctx, plan, clean=False)
        after_observe(ctx, made.observe())
        reflect(ctx, ReflectOptions(force=True))
    with (memory / "2026-03-02.md").open("a", encoding="utf-8") as file:
        file.write(
            "\n- the agent wrote of\n  project falcon\n\n---\n\n## Task Snapshot -- 12:30\n\n<!-- BIG-MEMORY-SNAPSHOT v1 -->\n"
            "<!-- timestamp: 2026-03-02T12:30:00 -->\n<!-- snapshot-id: 2026-03-02-01 -->\n\n### [SNAPSHOT] Active Goal\n"
            "Launch Project Falcon\n\n### [SNAPSHOT] Next Steps\n1. Buy cake\n\n<!-- /BIG-MEMORY-SNAPSHOT -->\n"
        )
    (workspace / "SESSION_STATE.md").write_text(
        '---\nproject: "Project Falcon"\ntask: "cake"\nstatus: "active"\nlast_action: ""\nnext_steps:\n  - "call about project falcon"\n'
        'updated: "2026-03-02T12:00:00Z"\n---\n\n## Context\n- PROJECT FALCON is secret\n- cake is not\n',
        encoding="utf-8",
    )
    (memory / "observation-backups").mkdir(exist_ok=True)
    (memory / "observation-backups" / "observations-20260301T000000Z.md").write_text(
        made.notes, encoding="utf-8"
    )
    (memory / "archive" / "observations-2026-02.jsonl").parent.mkdir(exist_ok=True)
    (memory / "archive" / "observations-2026-02.jsonl").write_text(
        '{"left": "2026-02-01T00:00:00+00:00", "reason": "aged", "line": "- Pr\\u006fject Falcon", "day": "2026-01-01"}\n{"line": "- cake"}\n',
        encoding="utf-8",
    )
    with (workspace / "MEMORY.md").open("a", encoding="utf-8") as file:
        file.write("\n- theirs: project falcon\n")
    return made


def owned(lab: Lab) -> dict[str, bytes]:
    """Every file that Total Recall keeps or writes into, the transcripts aside."""
    return {
        str(path): path.read_bytes()
        for path in lab.root.rglob("*")
        if path.is_file() and "sessions" not in path.parts
    }


def holding(lab: Lab) -> list[str]:
    """The files that hold the word, in any case."""
    return [Path(name).name for name, content in owned(lab).items() if FALCON in content.lower()]


def forgotten(lab: Lab, phrase: str = "Project Falcon") -> Findings:
    """Found and removed."""
    with lab.context() as ctx:
        found = find(ctx, phrase_target(phrase))
        forget(ctx, found.target)
        return found


def test_it_is_found_in_every_place_and_shown_with_its_line(lab: Lab) -> None:
    """Notes, backups, archive, daily log, snapshot, state, profile, our block, ledger."""
    with lab.context() as ctx:
        found = find(ctx, phrase_target("project  FALCON"))
    where = " ".join(one.where for one in found.pieces)
    for name in ("observations.md", "observations-20260301", "observations-2026-02.jsonl", "2026-03-02.md",
                 "SESSION_STATE.md", "user_profile.json", "MEMORY.md", "ledger.sqlite", "distill-report.json"):  # fmt: skip
        assert name in where, name
    assert all(one.line > 0 for one in found.pieces if "observations.md" in one.where)
    said = " ".join(found.out_of_reach)
    assert f"{SESSION}.jsonl" in said
    assert "outside our block" in said
    assert "memory index" in said


def test_not_a_byte_of_it_is_left_but_what_is_not_ours(lab: Lab) -> None:
    """Every file is searched, the ledger's pages and its write-ahead log included."""
    assert len(holding(lab)) > 8
    forgotten(lab)
    with lab.context() as ctx:
        forget(ctx, phrase_target("falcon-1"))
    left = holding(lab)
    assert left == ["MEMORY.md"]
    text = (lab.workspace / "MEMORY.md").read_text(encoding="utf-8")
    assert [line for line in text.splitlines() if "falcon" in line.lower()] == ["- theirs: project falcon"]


def test_everything_else_stays(lab: Lab) -> None:
    """Only the lines that hold it go; formats stay whole."""
    before = {
        name: content
        for name, content in owned(lab).items()
        if name.endswith((".md", ".jsonl")) and not name.endswith("context.md")
    }
    forgotten(lab)
    view = (lab.root / ".local" / "state" / "total-recall" / "main" / "context.md").read_text(
        encoding="utf-8"
    )
    assert "stage-2" in view
    for name, content in before.items():
        kept = [line for line in content.splitlines() if FALCON not in line.lower()]
        now = Path(name).read_bytes().splitlines() if Path(name).exists() else []
        gone = [line for line in kept if line.strip() and line not in now]
        assert all(
            b"agent wrote of" in line or line.startswith((b"Date: ", b"## ", b"next_steps")) for line in gone
        ), (
            name,
            gone,
        )
    (snapshot,) = all_snapshots(lab.workspace / "memory")
    assert (snapshot.snapshot.picture.goal, snapshot.snapshot.picture.next_steps) == ("", ("Buy cake",))
    state = (lab.workspace / "SESSION_STATE.md").read_text(encoding="utf-8")
    assert 'project: ""\ntask: "cake"' in state
    assert "next_steps: []" in state
    assert "- cake is not" in state
    assert "stage-2" in lab.notes
    assert "Robin Hale" in (lab.state_dir / "memory" / "user_profile.json").read_text(encoding="utf-8")


@pytest.mark.report("R041")
def test_it_is_not_learnt_again_from_the_same_messages(lab: Lab) -> None:
    """Not by the next run, not after a lost ledger, not by undo; what is said later is new."""
    forgotten(lab)
    lab.now += timedelta(hours=1)
    lab.observe()
    with lab.context() as ctx:
        undo(ctx)
        assert verify(ctx).adds_up
    assert "Falcon" not in lab.notes
    shutil.rmtree(lab.root / ".local" / "state" / "total-recall" / "main")
    lab.notes_path.unlink()
    (lab.workspace / "memory" / ".total-recall.json").unlink()
    lab.env["OBSERVER_LOOKBACK_MIN"] = "600"
    lab.observe()
    assert "stage-2" in lab.notes
    assert "Falcon" not in lab.notes
    lab.say("We decided to begin Project Falcon again.")
    lab.observe()
    assert "Project Falcon again" in lab.notes


def test_what_waits_to_be_read_is_not_learnt_either(lab: Lab) -> None:
    """A pending message that holds it counts as forgotten; its neighbour is noted."""
    lab.say("We decided that Project Falcon costs 400 dollars.", "We decided to keep tool-7 for the shop.")
    lab.now += timedelta(minutes=1)
    forgotten(lab)
    report = lab.observe()
    assert report.skipped[SkipReason.FORGOTTEN] == 1
    assert "tool-7" in lab.notes
    assert "400 dollars" not in lab.notes


def test_the_talk_that_was_forgotten_is_not_found_by_search(lab: Lab) -> None:
    """Also not with --transcripts."""
    forgotten(lab)
    with lab.context() as ctx:
        result = search(ctx, SearchOptions("falcon live in May", transcripts=True, archive=True))
    assert not any("Falcon goes live" in one.text for one in result.hits)


def test_whole_words_only(lab: Lab) -> None:
    """``Falco`` is not ``Falcon``, and nothing is touched."""
    before = owned(lab)
    with lab.context() as ctx:
        assert find(ctx, phrase_target("Falco")).pieces == []
    assert {name: len(content) for name, content in owned(lab).items() if "ledger" not in name} == {
        name: len(content) for name, content in before.items() if "ledger" not in name
    }
    with pytest.raises(ConfigError, match="no word"):
        phrase_target("?!")


def test_a_session_is_forgotten_backwards(lab: Lab) -> None:
    """What was made from it goes, what was made from others stays, and it is not read on."""
    lab.say("We decided to rename falcon-1 to hawk-1.", session=OTHER)
    lab.now += timedelta(minutes=1)
    with lab.context() as ctx:
        target = session_target(ctx, "2222*")
        forget(ctx, target)
    lab.observe()
    assert "falcon-1" not in lab.notes
    assert "hawk-1" not in lab.notes
    assert "goes live in May" in lab.notes
    assert "falcon-1" not in (lab.workspace / "MEMORY.md").read_text(encoding="utf-8")
    with lab.context() as ctx:
        assert verify(ctx).adds_up
        with pytest.raises(ConfigError, match="No session matches"):
            session_target(ctx, "nobody")


def test_a_forgotten_session_takes_what_the_profile_learnt_from_it(lab: Lab) -> None:
    """Values, list items and waiting contradictions; what was said elsewhere stays, and people are named."""
    lab.say(
        "My time zone is Europe/Lisbon.",
        "I always use vim.",
        "My name is Max Power.",
        "Tom is my boss.",
        session=OTHER,
    )
    lab.say("I always use git.")
    lab.observe()
    with lab.context() as ctx:
        learn_profile(ctx)
        before = ctx.profile.read()
        assert isinstance(before, dict)
        assert value_at(before, "identity.timezone") == "Europe/Lisbon"
        assert value_at(before, "meta.conflicts")
        target = session_target(ctx, "2222*")
        found = find(ctx, target)
        forget(ctx, target)
        after = ctx.profile.read()
    assert isinstance(after, dict)
    assert any("identity.timezone" in one.where for one in found.pieces)
    assert any("totalrecall profile forget 'Tom'" in one for one in found.out_of_reach)
    assert value_at(after, "identity") == {**value_at(before, "identity"), "timezone": ""}
    assert not value_at(after, "meta.conflicts")
    assert "Lisbon" not in json.dumps(after)
    assert "Max" not in json.dumps(after)


def test_a_damaged_profile_with_escapes_goes_too(lab: Lab) -> None:
    """Other programs write what is not ASCII as escapes; the copy of it holds the words all the same."""
    copy = lab.state_dir / "memory" / "user_profile.damaged-20260301T000000.json"
    copy.write_text('{"identity": {"name": ' + json.dumps("猎鹰项目"), encoding="utf-8")
    assert str(copy) in {one.where for one in forgotten(lab, "猎鹰项目").pieces}
    assert not copy.exists()


def test_everything_is_forgotten_and_the_agent_goes_on_from_now(lab: Lab) -> None:
    """No word of ours is left; what others wrote stays; new talk is noted."""
    lab.now += timedelta(minutes=1)
    with lab.context() as ctx:
        forget_everything(ctx)
    left = b"".join(content for name, content in owned(lab).items() if not name.endswith("MEMORY.md"))
    for word in (b"Robin", b"stage-2", b"Buy cake"):
        assert word not in left, word
    assert "theirs: project falcon" in (lab.workspace / "MEMORY.md").read_text(encoding="utf-8")
    assert "the agent wrote of" in (lab.workspace / "memory" / "2026-03-02.md").read_text(encoding="utf-8")
    lab.observe()
    assert "Robin" not in lab.notes
    lab.say("We decided to keep tool-9 for the shop.")
    lab.observe()
    assert "tool-9" in lab.notes
    with lab.context() as ctx:
        assert verify(ctx).adds_up


def test_a_reader_of_the_ledger_is_told_of_and_the_second_try_leaves_no_byte(lab: Lab) -> None:
    """As long as somebody reads, the write-ahead log cannot be emptied."""
    path = lab.root / ".local" / "state" / "total-recall" / "main" / "ledger.sqlite"
    reader = sqlite3.connect(path)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM notes").fetchone()
    with pytest.raises(LedgerError, match="write-ahead log"):
        forgotten(lab)
    reader.close()
    forgotten(lab)
    with lab.context() as ctx:
        forget(ctx, phrase_target("falcon-1"))
    assert holding(lab) == ["MEMORY.md"]


CRASH = (
    "import os, sys\n"
    "from datetime import timedelta\n"
    "from pathlib import Path\n"
    "from tests.lab import Lab\n"
    "from totalrecall.jobs.forget.find import phrase_target\n"
    "from totalrecall.jobs.forget.remove import forget\n"
    "real, left = os.fsync, [int(sys.argv[2])]\n"
    "def fsync(fd):\n"
    "    real(fd); left[0] -= 1\n"
    "    if left[0] == 0: os._exit(9)\n"
    "os.fsync = fsync\n"
    "lab = Lab(Path(sys.argv[1]), engine=None)\n"
    "lab.now += timedelta(hours=2)\n"
    "with lab.context() as ctx:\n"
    "    forget(ctx, phrase_target('Project Falcon'))\n"
    "    forget(ctx, phrase_target('falcon-1'))\n"
)


def test_a_crash_at_any_write_is_finished_by_the_same_command(lab: Lab) -> None:
    """Killed after each sync to the disk in turn; nothing else is lost on the way."""
    root = Path(__file__).parents[2]
    for step in range(1, 60, 4):
        done = subprocess.run([sys.executable, "-c", CRASH, str(lab.root), str(step)], cwd=root, check=False)
        assert done.returncode in {0, 9}
        if done.returncode == 0:
            break
    assert done.returncode == 0
    assert holding(lab) == ["MEMORY.md"]
    assert "stage-2" in lab.notes
    with lab.context() as ctx:
        assert verify(ctx).adds_up


def test_what_somebody_writes_meanwhile_is_kept(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line that comes between reading and replacing is still there."""
    daily = lab.workspace / "memory" / "2026-03-02.md"
    real = os.replace
    times: list[int] = []

    def replaced(source: str, target: str) -> None:
        real(source, target)

    def fsync_once(fd: int) -> None:
        if not times and daily.exists():
            times.append(1)
            with daily.open("a", encoding="utf-8") as file:
                file.write("\n- written meanwhile\n")

    monkeypatch.setattr(os, "replace", replaced)
    monkeypatch.setattr(os, "fsync", fsync_once)
    forgotten(lab)
    monkeypatch.undo()
    text = daily.read_text(encoding="utf-8")
    assert "- written meanwhile" in text
    assert "falcon" not in text.lower().replace("falcon-1", "")


def command(lab: Lab, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The program itself, without a terminal."""
    env = {"HOME": str(lab.root), "PATH": "/usr/bin:/bin", "TOTALRECALL_TIMEZONE": "UTC", "PYTHONUTF8": "1"}
    return subprocess.run(
        [sys.executable, "-m", "totalrecall", "forget", *arguments],
        env=env, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def test_the_command_shows_asks_and_removes(lab: Lab) -> None:
    """Nothing is removed without consent; everything needs it twice."""
    shown = command(lab, "Project", "Falcon", "--dry-run")
    assert shown.returncode == 0
    assert "observations.md:" in shown.stdout
    assert "Out of reach:" in shown.stderr
    found = json.loads(command(lab, "Project Falcon", "--dry-run", "--json").stdout)
    assert len(found[0]["pieces"]) > 8
    asked = command(lab, "Project Falcon")
    assert "--yes" in asked.stderr
    assert "Falcon" in lab.notes
    assert command(lab, "Project Falcon", "--yes").returncode == 0
    assert "Project Falcon" not in lab.notes
    assert "Nothing of ours remembers" in command(lab, "Project Falcon", "--yes").stderr
    assert command(lab).returncode == 2
    assert command(lab, "--session", "nobody", "--yes").returncode == 78
    assert command(lab, "--everything", "--yes").returncode == 2
    assert "stage-2" in lab.notes
    assert command(lab, "--everything", "--yes", "--yes").returncode == 0
    assert "stage-2" not in lab.notes
