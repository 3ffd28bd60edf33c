"""What people see of the settings: complete, current, and without secrets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from totalrecall.config.load import load_settings
from totalrecall.config.show import as_json, env_example, mask, rows, settings_table
from totalrecall.config.sources import Places
from totalrecall.config.table import SETTINGS, Source, setting_named

ROOT = Path(__file__).resolve().parents[3]
KEY = "sk-or-v1-" + "0123456789abcdef" * 2


def test_env_example_is_current() -> None:
    """The file was written from the table (``python scripts/docs_settings.py``)."""
    assert (ROOT / ".env.example").read_text("utf-8") == env_example()


def test_env_example_can_be_used(tmp_path: Path) -> None:
    """With every # removed from its settings, all but the placeholders is taken without a problem."""
    lines = env_example().splitlines()
    settings = [
        line[2:]
        for line in lines
        if line.startswith("# ") and line[2:].split("=")[0] in {s.name for s in SETTINGS}
    ]
    assert len(settings) == len(SETTINGS)
    (tmp_path / ".env").write_text("\n".join(settings), encoding="utf-8")
    (tmp_path / ".env").chmod(0o600)
    loaded = load_settings(Places({}, tmp_path, tmp_path))
    assert {problem.name for problem in loaded.problems} == {"OPENROUTER_API_KEY", "LLM_API_KEY"}


@pytest.mark.report("R111")
def test_rows_show_source_and_the_last_four_characters_of_a_key(tmp_path: Path) -> None:
    """Every setting has a row with its origin; a short key shows nothing of itself."""
    settings = load_settings(
        Places(
            {"OPENROUTER_API_KEY": KEY, "LLM_API_KEY": "abcd1234"},
            tmp_path,
            tmp_path,
            flags={"OBSERVER_MODEL": "a/1"},
        )
    ).settings
    shown = {row.name: row for row in rows(settings)}
    assert list(shown) == [setting.name for setting in SETTINGS]
    assert shown["OPENROUTER_API_KEY"].value == "…cdef"
    assert shown["OPENROUTER_API_KEY"].source is Source.ENVIRONMENT
    assert shown["LLM_API_KEY"].value == "(set)"
    assert (shown["OBSERVER_MODEL"].value, shown["OBSERVER_MODEL"].source) == ("a/1", Source.FLAG)
    assert shown["OBSERVER_FALLBACK_MODEL"].value == "google/gemini-2.0-flash-001"
    text = json.dumps(as_json(tuple(shown.values())))
    assert KEY not in text
    assert "abcd1234" not in text


def test_password_in_a_base_url_is_masked(tmp_path: Path) -> None:
    """It may hold a user and a password."""
    settings = load_settings(
        Places({"LLM_BASE_URL": "https://me:hush@llm.example/v1"}, tmp_path, tmp_path)
    ).settings
    assert {row.name: row.value for row in rows(settings)}["LLM_BASE_URL"] == "https://…@llm.example/v1"


def test_mask() -> None:
    """None, short, long."""
    assert (mask(""), mask("a" * 19), mask("a" * 16 + "wxyz")) == ("", "(set)", "…wxyz")


def test_readme_table_has_every_setting() -> None:
    """One row each, of four cells."""
    lines = settings_table().splitlines()[2:]
    assert [line.split("`")[1] for line in lines] == [setting.name for setting in SETTINGS]
    assert all(line.count(" | ") == 3 for line in lines)


def test_table_is_consistent() -> None:
    """Names are unique, every default and safe value is allowed, fields exist."""
    assert len({setting.name for setting in SETTINGS}) == len(SETTINGS)
    assert setting_named("OBSERVER_MODEL") is not None
    assert setting_named("NO_SUCH") is None
    for setting in SETTINGS:
        assert setting.help.endswith(".")
        assert setting.low <= float(setting.default or 0) <= setting.high if setting.high else True
