"""What the documents promise is there."""

from __future__ import annotations

import re

import pytest

from tests.packaging.machine import REPOSITORY
from tests.packaging.reports import PAGE, described, marked, render

DOCUMENTS = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "tests/REPORTS.md"]


def test_every_report_has_tests_and_every_marked_test_its_line() -> None:
    """tests/REPORTS.md and the marks in the tests say the same; 'bash scripts/reports' makes it so."""
    page = PAGE.read_text("utf-8")
    assert render(described(page), marked()) == page
    assert "(to be described)" not in page


def test_the_tests_named_in_the_architecture_exist() -> None:
    """Each invariant names the tests that guard it, and they are there."""
    text = (REPOSITORY / "ARCHITECTURE.md").read_text("utf-8")
    named = set(re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", text))
    assert len(named) >= 10
    for path, name in named:
        content = (REPOSITORY / path).read_text("utf-8")
        assert not name or f" {name}" in content, f"{path}::{name}"


def test_the_modules_named_in_the_architecture_exist() -> None:
    """A module or folder that the page names is there."""
    text = (REPOSITORY / "ARCHITECTURE.md").read_text("utf-8")
    for path in set(re.findall(r"`((?:totalrecall|scripts|prompts|tests)/[\w./-]+)`", text)):
        assert (REPOSITORY / path).exists(), path


def test_functions_named_on_the_way_of_a_line_exist() -> None:
    """``module.py: function`` in the architecture names a function of that module."""
    text = (REPOSITORY / "ARCHITECTURE.md").read_text("utf-8")
    named = set(re.findall(r"`([\w/]+\.py)`: `(\w+)`", text))
    assert len(named) >= 10
    for path, name in named:
        source = (REPOSITORY / "totalrecall" / path).read_text("utf-8")
        assert re.search(rf"(def|class) {name}\b", source), f"{path}: {name}"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_lead_somewhere(name: str) -> None:
    """A relative link in a document leads to a file that is there."""
    page = REPOSITORY / name
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target
