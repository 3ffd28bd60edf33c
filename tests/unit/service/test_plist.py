"""The launchd agent: what it says, and that it is a property list."""

from __future__ import annotations

import itertools
import plistlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from totalrecall.service.plan import ServicePlan
from totalrecall.service.plist import environment_in, program_in, render_plist

WORDS = st.text(st.characters(min_codepoint=32, max_codepoint=0x2FF, exclude_characters="\x7f"), max_size=30)


def plan(program: str = "/opt/tr/bin/python", **environment: str) -> ServicePlan:
    """A service with this program and environment."""
    words = (program, "-P", "-m", "totalrecall", "run")
    output = Path("/Users/you/.local/state/total-recall/service.log")
    return ServicePlan(words, Path("/Users/you"), output, environment)


def loaded(text: str) -> dict[str, Any]:
    """What launchd reads."""
    found = plistlib.loads(text.encode("utf-8"))
    assert isinstance(found, dict)
    return found


@pytest.mark.report("R114")
def test_launchds_world_is_put_right() -> None:
    """Absolute paths, a PATH with Homebrew, no tilde: what a shell does launchd does not."""
    text = render_plist(plan(TZ="UTC"))
    agent = loaded(text)
    assert agent["ProgramArguments"] == ["/opt/tr/bin/python", "-P", "-m", "totalrecall", "run"]
    path = "/opt/tr/bin:/opt/homebrew/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
    assert agent["EnvironmentVariables"] == {"HOME": "/Users/you", "PATH": path, "TZ": "UTC"}
    assert agent["StandardErrorPath"] == agent["StandardOutPath"]
    assert agent["StandardErrorPath"].endswith("/total-recall/service.log")
    assert "~" not in text


@pytest.mark.report("R114")
def test_a_crash_loop_does_not_spin() -> None:
    """It is started again after a crash, and at most once a minute: launchd cannot tell a bad setting from one."""
    agent = loaded(render_plist(plan()))
    assert agent["KeepAlive"] == {"SuccessfulExit": False}
    assert agent["ThrottleInterval"] >= 60
    assert agent["RunAtLoad"] is True
    assert agent["ProcessType"] == "Background"


def test_every_key_is_explained() -> None:
    """A comment stands above each key of the agent."""
    lines = render_plist(plan()).splitlines()
    for before, line in itertools.pairwise(lines):
        if line.startswith("  <key>"):
            assert before.startswith("  <!-- "), line


@given(WORDS, st.dictionaries(st.from_regex(r"[A-Z_]{5,12}", fullmatch=True), WORDS, max_size=3))
def test_what_is_written_is_read_back(tail: str, environment: dict[str, str]) -> None:
    """Signs that mean something in XML survive."""
    text = render_plist(plan(f"/opt/{tail}/python", **environment))
    assert program_in(text) == f"/opt/{tail}/python"
    assert environment_in(text) == environment


@pytest.mark.parametrize("text", ["", "<plist>", "<plist><array/></plist>", "no plist"])
def test_what_is_no_plist_names_nothing(text: str) -> None:
    """A broken file has no program and no environment, and is no error."""
    assert program_in(text) == ""
    assert environment_in(text) == {}
