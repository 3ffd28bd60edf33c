"""The rules of distillation that need no files, one test each."""

from __future__ import annotations

import json
import re
from datetime import date
from importlib.resources import files

import pytest

from totalrecall.config.cron import parse_cron
from totalrecall.domain.distilled import Candidate, Level, Sort, Theme
from totalrecall.domain.note import NoteType, Priority
from totalrecall.llm.extractive.levels import judge
from totalrecall.memory.long_term.block import FILL, TITLES, LongTerm, read_long_term, render_long_term
from totalrecall.memory.long_term.settings_file import rendered, settings_from
from totalrecall.openclaw.texts import HEARTBEAT_LINES, distill_job, pretty

DAY = date(2026, 3, 2)


def level(text: str, kind: NoteType) -> Level:
    """Where a note of middling weight goes."""
    return judge(Candidate(1, text, DAY, "12:00", kind, Priority.MEDIUM)).level


def skill() -> str:
    """What the agent is told, with its line breaks as spaces."""
    text = (files("totalrecall") / "openclaw" / "skill" / "SKILL.md").read_text(encoding="utf-8")
    return " ".join(text.split())


def distilling() -> str:
    """The part of it about distillation."""
    return skill().partition("## Distilling")[2].partition("## ")[0]


# The settings


@pytest.mark.parametrize(
    ("key", "default"),
    [
        ("retentionDays", 90), ("autoClean", False), ("autoWrite", False), ("maintainEvery", 7),
        ("sensitivePatterns", []), ("schedule", "0 22 * * *"), ("lastDistill", None),
    ],
)  # fmt: skip
def test_each_setting_has_its_default(key: str, default: object) -> None:
    """In a file that is made anew, under its very name."""
    written = json.loads(rendered({}))
    assert written[key] == default
    assert type(written[key]) is type(default)


def test_a_settings_file_holds_these_keys_and_no_other() -> None:
    """Nothing but them is made up, and so no key of a provider either."""
    assert len(json.loads(rendered({}))) == 7


def test_the_schedule_is_a_cron_expression_that_is_understood() -> None:
    """The user's own, and the default where there is none."""
    assert settings_from({}).schedule == "0 22 * * *"
    for schedule in ("0 22 * * *", "*/30 8-18 * * 1-5"):
        assert parse_cron(settings_from({"schedule": schedule}).schedule) == parse_cron(schedule)


# The three questions


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("We decided to keep PostgreSQL 16", NoteType.DECISION),
        ("User's name is Robin", NoteType.FACT),
        ("The staging server is stage-2, port 8443", NoteType.FACT),
        ("User prefers short answers", NoteType.PREFERENCE),
        ("Sarah Chen is my boss", NoteType.FACT),
    ],
    ids=["decision", "identity", "lasting state", "preference", "key contact"],
)
def test_what_matters_for_weeks_is_core(text: str, kind: NoteType) -> None:
    """Asked about later, and for longer than a week."""
    assert level(text, kind) is Level.CORE


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Renew the certificate", NoteType.TASK),
        ("Buy stamps before Friday", NoteType.TASK),
        ("The import is half done", NoteType.EVENT),
    ],
    ids=["task", "to-do", "progress"],
)
def test_what_matters_for_days_is_daily(text: str, kind: NoteType) -> None:
    """Asked about later, but not for long."""
    assert level(text, kind) is Level.DAILY


@pytest.mark.parametrize(
    "text", ["The pick-up code expires tonight", "The download link expires in an hour"], ids=["code", "link"]
)
def test_what_nobody_asks_about_again_is_temporary(text: str) -> None:
    """It goes nowhere."""
    assert level(text, NoteType.FACT) is Level.TEMPORARY


def test_what_is_unsure_is_the_users_to_decide() -> None:
    """The rules mark it, and the skill tells the agent to ask."""
    assert not judge(Candidate(1, "The shop went live", DAY, "12:00", NoteType.EVENT, Priority.HIGH)).sure
    assert "What is unclear is the user's to decide." in distilling()


@pytest.mark.parametrize(
    ("kind", "sort"),
    [(NoteType.DECISION, Sort.DECISION), (NoteType.TASK, Sort.TASK), (NoteType.FACT, Sort.FACT)],
)
def test_the_report_counts_decisions_tasks_and_facts(kind: NoteType, sort: Sort) -> None:
    """Each by its own name."""
    assert Candidate(1, "x", DAY, "", kind, Priority.MEDIUM).sort is sort


# MEMORY.md


@pytest.mark.parametrize(
    ("theme", "english", "chinese"),
    [
        (Theme.CORE, "Core", "核心"),
        (Theme.AGREEMENTS, "Agreements", "协议"),
        (Theme.STATUS, "Project status", "项目状态"),
        (Theme.ENVIRONMENT, "Environment", "环境备忘"),
        (Theme.TIMELINE, "Timeline", "关键时间线"),
    ],
)
def test_each_theme_has_its_name_in_both_languages(theme: Theme, english: str, chinese: str) -> None:
    """The headings are these, and are found again."""
    assert (TITLES["en"][theme], TITLES["zh"][theme]) == (english, chinese)
    for language, title in (("en", english), ("zh", chinese)):
        text = render_long_term(LongTerm("", ""), language)
        assert f"## {title}\n" in text
        assert read_long_term(text).entries == ()


@pytest.mark.parametrize(("language", "words"), [("en", "(to be filled)"), ("zh", "（待填充）")])
def test_an_empty_memory_says_under_each_theme_that_it_is_to_be_filled(language: str, words: str) -> None:
    """In the user's language, once for each of the five."""
    assert FILL[language] == words
    assert render_long_term(LongTerm("", ""), language).count(words) == 5


# What the agent is told


@pytest.mark.parametrize(
    "words",
    ["蒸馏记忆", "整理记忆", "把这轮对话蒸馏一下", "压缩上下文并沉淀到 MEMORY.md", "Distil memory"],
)
def test_the_words_that_mean_distil_are_in_the_skill(words: str) -> None:
    """Each of them leads to the report first."""
    asked, _, done = distilling().partition("`totalrecall distill` reports")
    assert words in asked
    assert done


def test_maintenance_is_said_and_run_by_name() -> None:
    """提炼记忆 is the command's --maintain."""
    assert re.search(r"`totalrecall distill --maintain` [^.]*提炼记忆", distilling())


def test_vague_words_are_asked_about_first() -> None:
    """With the literal question, in both languages."""
    asked = distilling().partition("On vague words about tidying up, ask first:")[2]
    assert "Shall I distil memory and write to MEMORY.md?" in asked
    raw = (files("totalrecall") / "openclaw" / "skill" / "SKILL.md").read_text(encoding="utf-8")
    assert "要执行记忆蒸馏并写入 MEMORY.md 吗？" in raw


def test_the_agent_reports_before_it_writes() -> None:
    """Only the user's yes, or ``autoWrite``, lets anything be written."""
    assert "It writes nothing yet, unless `autoWrite` is true in `distill-config.json`." in distilling()
    assert "Only after their yes: `totalrecall distill --yes`" in distilling()


def test_the_agent_never_resets_or_deletes() -> None:
    """It is told so."""
    assert "Distilling never resets the session and never deletes anything." in distilling()


# For those who drive it from OpenClaw


def test_the_cron_entry_has_its_exact_shape() -> None:
    """Every key but the text, in order, with the user's zone; printed as JSON it reads back the same."""
    entry = distill_job("Asia/Shanghai", "0 22 * * *")
    assert json.loads(pretty(entry)) == entry
    text = entry["payload"].pop("text")
    assert json.dumps(entry) == json.dumps(
        {
            "name": "memory-distill",
            "schedule": {"kind": "cron", "expr": "0 22 * * *", "tz": "Asia/Shanghai"},
            "payload": {"kind": "systemEvent"},
            "sessionTarget": "main",
            "delivery": {"mode": "announce"},
        }
    )
    assert text


@pytest.mark.parametrize(
    "says",
    [
        "what was said today", "decisions, tasks, facts and temporary items", "where it would go",
        "only if autoWrite is true in distill-config.json", "report the difference",
    ],
)  # fmt: skip
def test_the_cron_entry_explains_itself(says: str) -> None:
    """An agent that reads nothing else knows what to do: analyse, list, place, write only if allowed, report."""
    assert says in distill_job("UTC", "0 22 * * *")["payload"]["text"]


def test_the_heartbeat_lines_are_literal() -> None:
    """In Chinese word for word, and in English as a list item under a heading."""
    chinese, english = HEARTBEAT_LINES.split("\n\n")
    assert chinese == "## 定期检查\n- [ ] 记忆蒸馏：检查今日对话量，若超过阈值则执行蒸馏"
    assert re.fullmatch(r"## \S.*\n- \[ \] Memory distillation: .+\n", english)
