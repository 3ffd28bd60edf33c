"""tests/REPORTS.md: which numbered failure report is guarded by which tests. The marks in the tests are the truth."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

from tests.packaging.machine import REPOSITORY

PAGE = REPOSITORY / "tests" / "REPORTS.md"
HEAD = """# Reports and the tests that guard them

Each number is a way in which such a tool failed somebody. A line says what is handled; below it stand the tests that
are marked with the number (`@pytest.mark.report`). `bash scripts/reports` brings the lists up to date.
"""
LINE = re.compile(r"^- \*\*(R\d{3})\*\* (.*)$", re.MULTILINE)
TEST = re.compile(r"^  - `(.+?)`$", re.MULTILINE)


def marked(folder: Path = REPOSITORY / "tests") -> dict[str, list[str]]:
    """Report number to the tests marked with it, as ``file::name`` from ``folder``; a marked class is its name."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder).as_posix()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                for number in _numbers(node.decorator_list):
                    found[number].add(f"{name}::{node.name}")
            elif isinstance(node, ast.Assign) and any(
                isinstance(target, ast.Name) and target.id == "pytestmark" for target in node.targets
            ):
                for number in _numbers([node.value]):
                    found[number].add(f"{name}::*")
    return {number: sorted(tests) for number, tests in sorted(found.items())}


def described(page: str) -> dict[str, str]:
    """Report number to its sentence on the page."""
    return {match[1]: match[2] for match in LINE.finditer(page)}


def render(sentences: dict[str, str], tests: dict[str, list[str]]) -> str:
    """The page: a line a number, and its tests below it."""
    lines = [HEAD]
    for number, names in tests.items():
        lines.append(f"- **{number}** {sentences.get(number, '(to be described)')}")
        lines += [f"  - `{name}`" for name in names]
    return "\n".join(lines) + "\n"


def _numbers(nodes: list[ast.expr]) -> list[str]:
    """The arguments of every ``report(…)`` in ``nodes``."""
    calls = [one for node in nodes for one in ast.walk(node) if isinstance(one, ast.Call)]
    return [
        argument.value
        for call in calls
        if isinstance(call.func, ast.Attribute) and call.func.attr == "report"
        for argument in call.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    ]


if __name__ == "__main__":
    PAGE.write_text(render(described(PAGE.read_text("utf-8")), marked()), encoding="utf-8")
