"""What a distillation would do, and what it did, in the user's language."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from totalrecall.domain.distilled import Judged, Level, Sort, Theme
from totalrecall.files.atomic import read_state, replace
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.distill.plan import Plan
from totalrecall.memory.long_term.block import TITLES

FILE_NAME = "distill-report.json"


@dataclass(frozen=True, slots=True)
class Done:
    """What a run changed.

    Attributes:
        added: new entries of ``MEMORY.md``.
        merged: entries that were known, or took the place of an older one.
        daily: lines added to daily logs.
        withheld: entries left out as sensitive.
        left: entries that left ``MEMORY.md`` for the archive because of its size.
        moved: daily logs moved into the archive.
        backup: the copy of ``MEMORY.md`` that was made first, "".
        over_limit: the file is still longer than what the host takes.
    """

    added: int = 0
    merged: int = 0
    daily: int = 0
    withheld: int = 0
    left: int = 0
    moved: int = 0
    backup: str = ""
    over_limit: bool = False


def report_lines(plan: Plan) -> list[str]:
    """The report before anything is written: counts, what would go where, what is left to the user."""
    chinese = plan.language == "zh"
    lines = [counts_line(plan)]
    for level, title in _TITLES[plan.language].items():
        found = [_line(one, plan) for one in plan.of_level(level)]
        if level is Level.CORE:
            theme = TITLES[plan.language][Theme.CORE]
            found = [*(f"    -  [{theme}] {one.text}" for one in plan.identity), *found]
        if found:
            lines += ["", title, *found]
    if plan.merged.superseded:
        lines += ["", "将被取代：" if chinese else "Would take the place of older entries:"]
        lines += [f"  {old.text}  →  {new.text}" for old, new in plan.merged.superseded]
    if plan.unsure:
        numbers = ", ".join(str(one.candidate.number) for one in plan.unsure)
        lines += [
            "",
            f"不确定，请决定：{numbers}" if chinese else f"Not sure, decide with --core or --drop: {numbers}",
        ]
    if plan.withheld:
        lines += [
            "",
            f"⚠️ 敏感信息 {plan.withheld} 条已跳过" if chinese else f"⚠️ {plan.withheld} withheld as sensitive",
        ]
    if plan.expired:
        names = ", ".join(one.path.name for one in plan.expired[:5])
        more = "…" if len(plan.expired) > 5 else ""
        lines += [
            "",
            f"可归档的旧日志 {len(plan.expired)} 个：{names}{more}"
            if chinese
            else f"{len(plan.expired)} daily logs are old enough for the archive (--clean): {names}{more}",
        ]
    return lines


def counts_line(plan: Plan) -> str:
    """``Decisions x | Tasks x | Facts x | Temporary x``."""
    counts, temporary = plan.counts(), len(plan.of_level(Level.TEMPORARY))
    decisions, tasks, facts = (counts[sort] for sort in (Sort.DECISION, Sort.TASK, Sort.FACT))
    if plan.language == "zh":
        return f"决策 {decisions} 条 | 任务 {tasks} 条 | 知识点 {facts} 条 | 临时 {temporary} 条"
    return f"Decisions {decisions} | Tasks {tasks} | Facts {facts} | Temporary {temporary}"


def done_lines(plan: Plan, done: Done) -> list[str]:
    """What was done, in the words that the skill expects."""
    if plan.language == "zh":
        lines = [
            "📊 记忆蒸馏完成",
            f"✅ 提取：{counts_line(plan)}",
            f"📝 写入：MEMORY.md +{done.added} 条（去重合并 {done.merged} 条）| daily +{done.daily} 条",
        ]
        lines += [f"⚠️ 敏感信息 {done.withheld} 条已跳过"] if done.withheld else []
        lines += (
            [f"📦 归档：MEMORY.md {done.left} 条，日志 {done.moved} 个"] if done.left or done.moved else []
        )
        lines += ["⚠️ MEMORY.md 超过上限，请手动精简"] if done.over_limit else []
        return [*lines, "💡 上下文若已满，可 /reset（不会影响记忆文件）"]
    lines = [
        "📊 Memory distillation done",
        f"✅ Extracted: {counts_line(plan)}",
        f"📝 Written: MEMORY.md +{done.added} ({done.merged} merged) | daily +{done.daily}",
    ]
    lines += [f"⚠️ {done.withheld} sensitive left out"] if done.withheld else []
    if done.left or done.moved:
        lines.append(f"📦 Archived: {done.left} entries of MEMORY.md, {done.moved} daily logs")
    if done.over_limit:
        lines.append(
            "⚠️ MEMORY.md is longer than OpenClaw takes, and what others wrote in it is not ours to cut"
        )
    return [*lines, "💡 If the context is full, /reset is safe: memory files are not affected"]


def record_line(plan: Plan, done: Done, stamp: str) -> str:
    """The one line that a run leaves in the daily log."""
    if plan.language == "zh":
        return (
            f"- 蒸馏 {stamp}：MEMORY.md +{done.added}（合并 {done.merged}），daily +{done.daily}，"
            f"敏感跳过 {done.withheld}，归档 {done.left + done.moved}"
        )
    return (
        f"- Distilled {stamp}: MEMORY.md +{done.added} ({done.merged} merged), daily +{done.daily}, "
        f"{done.withheld} sensitive left out, {done.left + done.moved} archived"
    )


def keep_report(ctx: AgentContext, lines: Sequence[str]) -> Path:
    """Keep a report in our state folder, for ``distill --report``."""
    path = ctx.state_dir / FILE_NAME
    made = {"made": ctx.now().isoformat(timespec="seconds"), "lines": [ctx.screen(one) for one in lines]}
    replace(path, (json.dumps(made, ensure_ascii=False, indent=2) + "\n").encode(), expected=None)
    return path


def kept_report(ctx: AgentContext) -> tuple[str, list[str]] | None:
    """When the last report was made, and its lines; None when there is none."""
    content = read_state(ctx.state_dir / FILE_NAME).content
    try:
        found = json.loads(content or b"")
        return str(found["made"]), [str(one) for one in found["lines"]]
    except (ValueError, KeyError, TypeError):
        return None


_TITLES = {
    "en": {
        Level.CORE: "To MEMORY.md:",
        Level.DAILY: "To the daily logs:",
        Level.TEMPORARY: "Temporary, to nowhere:",
    },
    "zh": {
        Level.CORE: "写入 MEMORY.md：",
        Level.DAILY: "写入每日日志：",
        Level.TEMPORARY: "临时信息，不写入：",
    },
}


def _line(judged: Judged, plan: Plan) -> str:
    one = judged.candidate
    theme = f"[{TITLES[plan.language][judged.theme]}] " if judged.level is Level.CORE else ""
    doubt = "" if judged.sure else "  ?"
    return f"  {one.number:>3}  {theme}{one.text}{doubt}"
