"""Distillation from talk to MEMORY.md: report, confirmation, write, and what is never touched."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from tests.lab import Lab
from totalrecall.errors import ConfigError, MemoryFileError
from totalrecall.jobs.distill.plan import Plan, plan_distillation
from totalrecall.jobs.distill.report import Done, done_lines, kept_report, report_lines
from totalrecall.jobs.distill.run import distil_by_schedule
from totalrecall.jobs.distill.write import distil
from totalrecall.jobs.learn_profile import learn_profile
from totalrecall.memory.long_term.block import BEGIN, END

TALK = (
    "My name is Robin Hale.", "We decided to keep PostgreSQL 16 for the shop.", "From now on never deploy on Fridays.",
    "The staging server is stage-2, port 8443.", "Remind me to renew the certificate before 2026-04-01.",
)  # fmt: skip


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    """An agent with the built-in engine, whose talk was observed."""
    made = Lab(tmp_path, engine=None)
    made.adopt()
    made.say(*TALK)
    made.observe()
    return made


def memory(lab: Lab) -> str:
    """``MEMORY.md``."""
    return (lab.workspace / "MEMORY.md").read_bytes().decode()


def run(lab: Lab, *, maintain: bool = False, clean: bool = False) -> tuple[Plan, Done]:
    """Plan and write."""
    with lab.context() as ctx:
        plan = plan_distillation(ctx, maintain=maintain)
        return plan, distil(ctx, plan, clean=clean)


def test_what_lasts_goes_to_memory_and_what_is_of_the_day_to_the_daily_log(lab: Lab) -> None:
    """By theme, with its date; the task stands in the log of its day with its source, beside one line of record."""
    _, done = run(lab)
    text = memory(lab)
    core, agreements = text.index("## Core"), text.index("## Agreements")
    assert core < text.index("Robin Hale") < agreements < text.index("PostgreSQL 16")
    assert "(since 2026-03-02)" in text
    assert "certificate" not in text
    daily = (lab.workspace / "memory" / "2026-03-02.md").read_text(encoding="utf-8")
    assert "certificate" in daily
    assert "(session 11111111)" in daily
    assert f"- Distilled 2026-03-02 12:00: MEMORY.md +{done.added} (0 merged), daily +{done.daily}" in daily


def test_the_report_counts_and_the_done_text_is_literal(lab: Lab) -> None:
    """In the words that the skill expects."""
    plan, done = run(lab)
    assert report_lines(plan)[0] == "Decisions 2 | Tasks 1 | Facts 2 | Temporary 0"
    said = done_lines(plan, done)
    assert said[0] == "📊 Memory distillation done"
    assert said[2] == "📝 Written: MEMORY.md +4 (0 merged) | daily +1"
    assert said[-1].startswith("💡")


def test_a_chinese_user_reads_chinese(tmp_path: Path) -> None:
    """Headings, dates and reports."""
    lab = Lab(tmp_path, engine=None)
    lab.adopt()
    lab.say(
        "我叫林晓峰，在苏州做嵌入式开发。", "我们决定用 MQTT 5 做上行协议。", "网关代码在 /home/lin/gateway。"
    )
    lab.observe()
    plan, done = run(lab)
    assert "## 核心" in memory(lab)
    assert "（自2026-03-02）" in memory(lab)
    assert report_lines(plan)[0].startswith("决策 ")
    assert done_lines(plan, done)[0] == "📊 记忆蒸馏完成"
    assert done_lines(plan, done)[2].startswith("📝 写入：MEMORY.md +")
    assert done_lines(plan, done)[-1] == "💡 上下文若已满，可 /reset（不会影响记忆文件）"


def test_a_second_run_writes_nothing_twice(lab: Lab) -> None:
    """Nothing is new, and maintenance finds only what is known."""
    run(lab)
    before = memory(lab)
    plan, done = run(lab, maintain=True)
    assert len(plan.judged) == 5
    assert (done.added, done.daily) == (0, 0)
    assert memory(lab) == before
    assert (lab.workspace / "memory" / "2026-03-02.md").read_text(encoding="utf-8").count("certificate") == 1


@pytest.mark.report("R072")
def test_a_corrected_value_takes_the_place_of_the_old_one(lab: Lab) -> None:
    """Once, with what it replaced; the old one is in the archive."""
    run(lab)
    lab.now += timedelta(days=1)
    lab.say("The staging server is stage-2, port 9443.")
    lab.observe()
    _, done = run(lab)
    assert done.merged == 1
    lines = [line for line in memory(lab).splitlines() if "stage-2" in line]
    assert len(lines) == 1
    assert "9443" in lines[0]
    assert "8443" in lines[0]
    assert lines[0].endswith("(since 2026-03-03)")
    archived = (lab.workspace / "memory" / "archive" / "memory-2026-03.jsonl").read_text(encoding="utf-8")
    assert "8443" in json.loads(archived)["line"]


def test_foreign_text_stays_byte_for_byte_and_a_copy_is_made_first(lab: Lab) -> None:
    """CRLF, odd bytes and a missing last newline included."""
    foreign = b"\xef\xbb\xbf# Mine\r\n\r\n- my line\r\nno newline \xff at the end"
    (lab.workspace / "MEMORY.md").write_bytes(foreign)
    _, done = run(lab)
    assert (lab.workspace / "MEMORY.md").read_bytes().startswith(foreign)
    assert Path(done.backup).name == "MEMORY-20260302.md"
    assert Path(done.backup).read_bytes() == foreign


@pytest.mark.report("R078")
def test_what_somebody_writes_meanwhile_is_kept(lab: Lab) -> None:
    """OpenClaw's own nightly run rewrites the file between our report and our write."""
    (lab.workspace / "MEMORY.md").write_text("# Mine\n", encoding="utf-8")
    with lab.context() as ctx:
        plan = plan_distillation(ctx)
        (lab.workspace / "MEMORY.md").write_text("# Dreamt\n\n- promoted\n", encoding="utf-8")
        distil(ctx, plan, clean=False)
    assert memory(lab).startswith("# Dreamt\n\n- promoted\n")
    assert "Robin Hale" in memory(lab)
    assert memory(lab).count(BEGIN) == memory(lab).count(END) == 1


def test_what_a_person_takes_out_of_our_block_stays_out(lab: Lab) -> None:
    """Also when the same is said again."""
    run(lab)
    kept = [line for line in memory(lab).splitlines(keepends=True) if "PostgreSQL" not in line]
    (lab.workspace / "MEMORY.md").write_text("".join(kept), encoding="utf-8")
    lab.now += timedelta(days=1)
    run(lab, maintain=True)
    assert "PostgreSQL" not in memory(lab)
    assert "Robin Hale" in memory(lab)


@pytest.mark.report("R088", "R094")
def test_secrets_and_other_peoples_data_are_left_out_whole_and_counted(lab: Lab) -> None:
    """The user's own address may stay; a friend's may not."""
    (lab.workspace / "memory").mkdir(exist_ok=True)
    key = "sk-or-v1-" + "0a" * 32
    (lab.workspace / "memory" / "2026-03-01.md").write_text(
        f"- The repository key is {key}\n- Sarah is my friend, phone +49 170 1234567\n- Tom is my boss, he is sick\n"
        "- My birthday mail goes to robin@crumb.example\n- User's sister Ana has the number +49 170 7654321\n"
        "- I was told that Max lives at 12 Long Acre Street\n- Mein Bruder hat die Nummer +49 170 7654322\n",
        encoding="utf-8",
    )
    plan, done = run(lab)
    assert (plan.withheld, done.withheld) == (6, 6)
    text = memory(lab)
    assert key not in text
    assert "1234567" not in text
    assert "765432" not in text
    assert "Long Acre" not in text
    assert "sick" not in text
    assert "robin@crumb.example" in text


def test_a_line_that_begins_another_one_is_written_all_the_same(lab: Lab) -> None:
    """A short task is not taken for the longer one that stands in the log."""
    log = lab.workspace / "memory" / "2026-03-02.md"
    log.parent.mkdir(exist_ok=True)
    log.write_text("- Remind me to call Anna about the invoices and the tax\n", encoding="utf-8")
    lab.say("Remind me to call Anna.")
    lab.observe()
    run(lab)
    lines = [line for line in log.read_text(encoding="utf-8").splitlines() if "call Anna" in line]
    assert len(lines) == 2
    lab.now += timedelta(days=1)
    run(lab, maintain=True)
    assert [line for line in log.read_text(encoding="utf-8").splitlines() if "call Anna" in line] == lines


def test_only_our_own_copies_give_way(lab: Lab) -> None:
    """A file of the user's that is called like one stays, however many copies there are."""
    archive = lab.workspace / "memory" / "archive"
    archive.mkdir(parents=True)
    mine = archive / "MEMORY-important.md"
    mine.write_text("mine", encoding="utf-8")
    os.utime(mine, (1, 1))
    for number in range(35):
        (archive / f"MEMORY-202501{number:02d}.md").write_text("x", encoding="utf-8")
    (lab.workspace / "MEMORY.md").write_text("theirs\n", encoding="utf-8")
    run(lab)
    assert mine.read_text(encoding="utf-8") == "mine"
    assert len(list(archive.glob("MEMORY-20*.md"))) == 30


def test_the_first_run_builds_from_the_daily_logs_and_the_profile(lab: Lab) -> None:
    """List items of the logs, oldest first; snapshots in them are no facts."""
    (lab.workspace / "memory").mkdir(exist_ok=True)
    (lab.workspace / "memory" / "2026-01-05.md").write_text(
        "# Monday\n- The wiki server is wiki-1, port 8080\n\n<!-- BIG-MEMORY-SNAPSHOT v1 -->\n- The port of the draft is 1\n"
        "<!-- /BIG-MEMORY-SNAPSHOT -->\n",
        encoding="utf-8",
    )
    plan, _ = run(lab)
    assert plan.first
    assert "- The wiki server is wiki-1, port 8080 (since 2026-01-05)" in memory(lab)
    assert "draft" not in memory(lab)


def test_what_the_profile_says_is_in_the_report_before_it_is_written(lab: Lab) -> None:
    """Nothing is written that was not shown."""
    with lab.context() as ctx:
        learn_profile(ctx)
        plan = plan_distillation(ctx)
    assert "    -  [Core] User's name: Robin Hale" in report_lines(plan)


def test_an_agent_without_anything_gets_an_empty_skeleton(tmp_path: Path) -> None:
    """Every theme, to be filled."""
    lab = Lab(tmp_path, engine=None)
    lab.adopt()
    run(lab)
    assert memory(lab).count("(to be filled)") == 5


def test_old_daily_logs_are_moved_only_on_consent_and_never_over_another_file(lab: Lab) -> None:
    """They are offered, then moved by year; one whose place is taken stays."""
    folder = lab.workspace / "memory"
    folder.mkdir(exist_ok=True)
    for name in ("2025-01-01.md", "2025-01-02.md", "2026-03-01.md"):
        (folder / name).write_text(f"- log {name}\n", encoding="utf-8")
    (folder / "archive" / "2025").mkdir(parents=True)
    (folder / "archive" / "2025" / "2025-01-02.md").write_text("mine", encoding="utf-8")
    plan, done = run(lab)
    assert (len(plan.expired), done.moved) == (2, 0)
    assert (folder / "2025-01-01.md").exists()
    lab.now += timedelta(days=1)
    _, done = run(lab, clean=True)
    assert done.moved == 1
    assert not (folder / "2025-01-01.md").exists()
    assert (folder / "archive" / "2025" / "2025-01-01.md").read_text(
        encoding="utf-8"
    ) == "- log 2025-01-01.md\n"
    assert (folder / "2025-01-02.md").exists()
    assert (folder / "archive" / "2025" / "2025-01-02.md").read_text(encoding="utf-8") == "mine"


def test_only_its_own_files_are_ever_written(lab: Lab) -> None:
    """Everything else in the home is as it was, byte for byte."""
    (lab.workspace / "AGENTS.md").write_text("agents", encoding="utf-8")
    (lab.workspace / "SOUL.md").write_text("soul", encoding="utf-8")

    def others() -> dict[str, bytes]:
        ours = ("MEMORY.md", "distill-config.json")
        return {
            str(path): path.read_bytes()
            for path in lab.state_dir.rglob("*")
            if path.is_file() and path.name not in ours and not (path.parent.name == "memory" and path.suffix == ".md" and path.name != "observations.md")
        }  # fmt: skip

    before = others()
    run(lab)
    assert others() == before


def test_the_schedule_only_reports_until_writing_is_switched_on(lab: Lab) -> None:
    """The report is kept; with ``autoWrite`` it writes, and not twice a day."""
    with lab.context() as ctx:
        assert distil_by_schedule(ctx) is None
        found = kept_report(ctx)
    assert found is not None
    assert found[1][0] == "Decisions 2 | Tasks 1 | Facts 2 | Temporary 0"
    assert not (lab.workspace / "MEMORY.md").exists()
    (lab.workspace / "distill-config.json").write_text('{"autoWrite": true, "mine": [1]}', encoding="utf-8")
    with lab.context() as ctx:
        assert distil_by_schedule(ctx) is not None
        assert distil_by_schedule(ctx) is None
    stored = json.loads((lab.workspace / "distill-config.json").read_text(encoding="utf-8"))
    assert (stored["lastDistill"], stored["mine"], stored["autoWrite"]) == ("2026-03-02", [1], True)


def test_after_so_many_runs_the_last_week_is_gone_through_again(lab: Lab) -> None:
    """``maintainEvery`` counts the writing runs."""
    (lab.workspace / "distill-config.json").write_text(
        '{"autoWrite": true, "maintainEvery": 2}', encoding="utf-8"
    )
    written = []
    for day in range(3):
        lab.say(f"We decided to keep tool-{day} for the shop.")
        lab.observe()
        with lab.context() as ctx:
            assert distil_by_schedule(ctx) is not None
            written.append(ctx.ledger.get("distill:runs"))
        lab.now += timedelta(days=1)
    assert written == ["1", "2", "0"]


def test_a_settings_file_with_comments_is_not_rewritten(lab: Lab) -> None:
    """It is read, and what the person wrote stays."""
    text = '{\n  // mine\n  "retentionDays": 30,\n}\n'
    (lab.workspace / "distill-config.json").write_text(text, encoding="utf-8")
    run(lab)
    assert (lab.workspace / "distill-config.json").read_text(encoding="utf-8") == text


def test_a_broken_settings_file_or_a_torn_block_stops_before_anything_is_written(lab: Lab) -> None:
    """With what to do, and every file as it was."""
    (lab.workspace / "distill-config.json").write_text('{"retentionDays": 0}', encoding="utf-8")
    with pytest.raises(ConfigError, match="retentionDays"):
        run(lab)
    (lab.workspace / "distill-config.json").unlink()
    (lab.workspace / "MEMORY.md").write_text(f"{BEGIN}\nno end", encoding="utf-8")
    with pytest.raises(MemoryFileError, match="torn"):
        run(lab)
    assert memory(lab) == f"{BEGIN}\nno end"


@pytest.mark.parametrize("left", [None, b"", b"\xef\xbb\xbf \n", b"\0" * 50])
def test_a_memory_that_is_gone_or_empty_is_a_stop_until_it_is_rebuilt(lab: Lab, left: bytes | None) -> None:
    """It is no fresh start, and not a person who deleted every entry; ``rebuild`` makes it anew, in whole."""
    run(lab)
    before = memory(lab)
    path = lab.workspace / "MEMORY.md"
    if left is None:
        path.unlink()
    else:
        path.write_bytes(left)
    lab.say("We decided to keep tool-9 for the shop.")
    lab.observe()
    with pytest.raises(MemoryFileError, match="gone or empty"):
        run(lab)
    assert not path.exists() or path.read_bytes() == left
    with lab.context() as ctx:
        distil(ctx, plan_distillation(ctx, rebuild=True), clean=False)
    text = memory(lab)
    lines = [line for line in before.splitlines() if line.startswith("- ")]
    assert len(lines) == 4
    assert all(line in text for line in lines)
    assert "tool-9" in text
    assert run(lab)[1].added == 0


def test_a_memory_that_vanishes_while_the_report_is_read_is_a_stop_too(lab: Lab) -> None:
    """Nothing is begun anew behind the user's back."""
    run(lab)
    lab.say("We decided to keep tool-9 for the shop.")
    lab.observe()
    with lab.context() as ctx:
        plan = plan_distillation(ctx)
        (lab.workspace / "MEMORY.md").unlink()
        with pytest.raises(MemoryFileError, match="gone or empty"):
            distil(ctx, plan, clean=False)
    assert not (lab.workspace / "MEMORY.md").exists()


@pytest.mark.report("R082")
def test_a_full_disk_loses_nothing_and_the_next_run_goes_on(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is whole, the notes are looked at again."""
    (lab.workspace / "MEMORY.md").write_text("# Mine\n", encoding="utf-8")
    real = os.write

    def full(fd: int, data: bytes) -> int:
        if b"Robin Hale" in bytes(data):
            raise OSError(28, os.strerror(28))
        return real(fd, data)

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(MemoryFileError):
        run(lab)
    monkeypatch.undo()
    assert memory(lab) == "# Mine\n"
    run(lab)
    assert "Robin Hale" in memory(lab)


CRASH = (
    "import os, sys\n"
    "from pathlib import Path\n"
    "from tests.lab import Lab\n"
    "from totalrecall.jobs.distill.plan import plan_distillation\n"
    "from totalrecall.jobs.distill.write import distil\n"
    "real, left = os.fsync, [int(sys.argv[2])]\n"
    "def fsync(fd):\n"
    "    real(fd); left[0] -= 1\n"
    "    if left[0] == 0: os._exit(9)\n"
    "os.fsync = fsync\n"
    "with Lab(Path(sys.argv[1]), engine=None).context() as ctx:\n"
    "    distil(ctx, plan_distillation(ctx), clean=True)\n"
)


def test_a_crash_after_any_write_loses_and_doubles_nothing(lab: Lab) -> None:
    """Killed after each sync to the disk in turn, the next run brings everything to its end once."""
    (lab.workspace / "MEMORY.md").write_text("# Mine\n", encoding="utf-8")
    root = Path(__file__).parents[2]
    for step in range(1, 40):
        done = subprocess.run([sys.executable, "-c", CRASH, str(lab.root), str(step)], cwd=root, check=False)
        assert done.returncode in {0, 9}
        if done.returncode == 0:
            break
    text = memory(lab)
    assert text.startswith("# Mine\n")
    assert [text.count(words) for words in ("Robin Hale", "PostgreSQL", "Fridays", "stage-2")] == [1, 1, 1, 1]
    daily = (lab.workspace / "memory" / "2026-03-02.md").read_text(encoding="utf-8")
    assert daily.count("certificate") == 1


def command(lab: Lab, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The program itself, without a terminal."""
    env = {"HOME": str(lab.root), "PATH": "/usr/bin:/bin", "TOTALRECALL_TIMEZONE": "UTC", "PYTHONUTF8": "1"}
    return subprocess.run(
        [sys.executable, "-m", "totalrecall", "distill", *arguments],
        env=env, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def test_the_command_reports_without_consent_and_writes_with_it(lab: Lab) -> None:
    """Without a terminal nothing is asked and nothing written; ``--core`` and ``--drop`` are the user's answers."""
    shown = command(lab)
    assert shown.returncode == 0
    assert shown.stdout.startswith("Decisions 2 | Tasks 1")
    assert "--yes" in shown.stderr
    assert not (lab.workspace / "MEMORY.md").exists()
    entries = json.loads(command(lab, "--dry-run", "--json").stdout)["entries"]
    task = next(one["candidate"]["number"] for one in entries if "certificate" in one["candidate"]["text"])
    name = next(one["candidate"]["number"] for one in entries if "Robin" in one["candidate"]["text"])
    written = command(lab, "--yes", "--core", str(task), "--drop", str(name))
    assert "📝 Written: MEMORY.md +4" in written.stdout
    assert "certificate" in memory(lab)
    assert "Robin" not in memory(lab)
    assert "already" in command(lab, "--yes").stderr
    assert "not made a report" in command(lab, "--report").stderr
    assert command(lab, "--core", "x").returncode == 2


def test_switching_auto_write_on_warns_and_needs_consent(lab: Lab) -> None:
    """Without a terminal only with --yes."""
    refused = command(lab, "--auto-write")
    assert (refused.returncode, "without asking" in refused.stderr) == (2, True)
    assert not (lab.workspace / "distill-config.json").exists()
    assert command(lab, "--auto-write", "--yes").returncode == 0
    assert (
        json.loads((lab.workspace / "distill-config.json").read_text(encoding="utf-8"))["autoWrite"] is True
    )
    assert command(lab, "--no-auto-write").returncode == 0
    assert (
        json.loads((lab.workspace / "distill-config.json").read_text(encoding="utf-8"))["autoWrite"] is False
    )
