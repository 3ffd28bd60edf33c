"""OpenClaw's config is read as OpenClaw means it, and a broken one is a problem and no crash."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from subprocess import run

import pytest
from hypothesis import given
from hypothesis import strategies as st

from totalrecall.places.openclaw_config import (
    OpenClawConfig,
    normalise_agent_id,
    parse_lax_json,
    read_config,
)


def read(folder: Path, text: str, env: dict[str, str] | None = None) -> OpenClawConfig:
    """The config of a state folder with that text."""
    (folder / "openclaw.json").write_text(text, encoding="utf-8")
    config = read_config(folder, env or {})
    assert config is not None
    return config


def test_no_config_is_none(tmp_path: Path) -> None:
    """A home without config is normal."""
    assert read_config(tmp_path, {}) is None


def test_json5_with_comments_bare_keys_and_spare_commas(tmp_path: Path) -> None:
    """What people write by hand is read; a URL in a string is no comment."""
    config = read(
        tmp_path,
        """{
          // my agents
          agents: {
            defaults: { workspace: "~/clawd", userTimezone: 'Europe/Berlin', },
            list: [ { id: "main", default: true }, { id: "Sales Team", workspace: "/srv/sales", }, ],
          },
          hook: "https://example.org/a,}", /* the end */
          session: { store: "~/s/{agentId}/sessions.json" },
        }""",
    )
    assert config.problems == ()
    assert config.default_workspace == "~/clawd"
    assert config.user_timezone == "Europe/Berlin"
    assert config.entry("sales-team").workspace == "/srv/sales"
    assert config.default_agent == "main"
    assert config.session_store == "~/s/{agentId}/sessions.json"


def test_entries_of_newer_versions_are_agents(tmp_path: Path) -> None:
    """``agents.entries`` is a map from id to entry."""
    config = read(
        tmp_path, '{"agents": {"entries": {"ops": {"workspace": "/w", "agentDir": "/d"}, "odd": null}}}'
    )
    assert [entry.agent_id for entry in config.agents] == ["ops", "odd"]
    assert config.entry("ops").agent_dir == "/d"


@pytest.mark.parametrize(
    "env_block",
    [
        '{"OPENROUTER_API_KEY": "abc"}',
        '{"vars": {"OPENROUTER_API_KEY": "abc"}}',
        '{"OPENROUTER_API_KEY": "${MY_KEY}"}',
    ],
)
def test_key_in_the_env_block(tmp_path: Path, env_block: str) -> None:
    """Directly, under ``vars``, or as a reference to the environment."""
    config = read(tmp_path, f'{{"env": {env_block}}}', {"MY_KEY": "abc"})
    assert config.api_key == "abc"
    assert "abc" not in repr(config)


def test_reference_to_what_is_not_set_is_no_value(tmp_path: Path) -> None:
    """A missing variable does not become part of a path or a key; an escaped one is kept."""
    config = read(
        tmp_path,
        '{"env": {"OPENROUTER_API_KEY": "${NO_SUCH}"}, "agents": {"defaults": {"workspace": "/a/$${B}"}}}',
    )
    assert config.api_key == ""
    assert config.default_workspace == "/a/${B}"


def test_include_is_merged_and_what_stands_beside_it_wins(tmp_path: Path) -> None:
    """One file or several, at any depth, relative to the file that names them."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "agents.json5").write_text("{ defaults: { workspace: '/a', userTimezone: 'UTC' } }")
    (tmp_path / "parts" / "list.json5").write_text('{ "list": [{ "id": "ops" }], $include: "more.json" }')
    (tmp_path / "parts" / "more.json").write_text('{"defaults": {"workspace": "/b"}}')
    config = read(
        tmp_path,
        '{"agents": {"$include": ["parts/agents.json5", "parts/list.json5"], "defaults": {"userTimezone": "Asia/Tokyo"}}}',
    )
    assert config.default_workspace == "/b"
    assert config.user_timezone == "Asia/Tokyo"
    assert [entry.agent_id for entry in config.agents] == ["ops"]
    assert config.problems == ()


def test_include_in_a_circle_or_missing_is_a_problem(tmp_path: Path) -> None:
    """Neither hangs nor crashes, and the rest counts."""
    config = read(
        tmp_path,
        '{"session": {"store": "/s"}, "a": {"$include": "openclaw.json"}, "b": {"$include": "gone.json"}}',
    )
    assert config.session_store == "/s"
    assert len(config.problems) >= 2


@pytest.mark.parametrize(
    "text", ["", "{", "not json at all", "[1, 2]", "null", '"text"', '{"agents": [1]}', "[" * 100_000]
)
def test_broken_or_odd_config_does_not_crash(tmp_path: Path, text: str) -> None:
    """Whatever stands there, discovery goes on without it."""
    config = read(tmp_path, text)
    assert config.agents == ()
    assert bool(config.problems) == (text in {"", "{", "not json at all"} or text.startswith("[["))


def test_problem_of_a_broken_config_never_quotes_it(tmp_path: Path) -> None:
    """The line that is wrong may hold a key."""
    key = "sk-or-" + "k" * 30
    config = read(tmp_path, '{\n "env": {\n "OPENROUTER_API_KEY": "' + key + "\n}}")
    assert config.problems
    assert key not in "".join(str(problem) for problem in config.problems)


def test_config_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    """A folder in its place, or bytes that are no text."""
    (tmp_path / "openclaw.json").mkdir()
    config = read_config(tmp_path, {})
    assert config is not None
    assert config.problems
    other = tmp_path / "other.json"
    other.write_bytes(b"\xff\xfe{\0}\0")
    config = read_config(tmp_path, {}, other)
    assert config is not None
    assert config.problems


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-1000, 1000) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(json_values, st.sampled_from(["// a, }\n", "/* b ] , */", " ", "\n"]))
def test_lax_reading_agrees_with_strict_json(value: object, noise: str) -> None:
    """Comments around tokens never change a value, whatever the strings hold."""
    text = json.dumps(value, ensure_ascii=False, indent=1).replace(
        "\n", f"{noise}\n", 3 if "\\n" not in noise else 0
    )
    assert parse_lax_json(f"{noise}{text}{noise}") == value


def test_plain_and_commented_configs_need_no_json5() -> None:
    """The library for all of JSON5 costs 25 ms a kilobyte, so it comes in last."""
    code = (
        "import sys; from totalrecall.places.openclaw_config import parse_lax_json as p;"
        "assert p('{a: [1, // c\\n ], \"b\": 2,}') == {'a': [1], 'b': 2};"
        "assert 'json5' not in sys.modules; p(\"{'a': +1}\"); assert 'json5' in sys.modules"
    )
    run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("written", "agent_id"),
    [("Main", "main"), ("  Sales Team ", "sales-team"), ("ops_2", "ops_2"), ("x/../y", "x-y")],
)
def test_agent_ids_are_normalised(written: str, agent_id: str) -> None:
    """As OpenClaw does it before it makes the folder."""
    assert normalise_agent_id(written) == agent_id


def test_many_comments_do_not_take_long() -> None:
    """Reading is linear in the text, also where a comma is followed by comments and no bracket."""
    text = '{"a": [1, ' + "/**/" * 20_000 + " 2,], // end\n}"
    assert parse_lax_json(text) == {"a": [1, 2]}
