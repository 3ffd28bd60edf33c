"""Settings come from the strongest place, nonsense is refused by name, and reading goes on."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from totalrecall.config.load import LoadedSettings, default_settings, load_settings
from totalrecall.config.sources import Places
from totalrecall.config.table import NOWHERE_URL, OPENROUTER_URL, SETTINGS, Kind, Source
from totalrecall.errors import ConfigError
from totalrecall.places.openclaw_config import OpenClawConfig
from totalrecall.places.problem import Level

KEY = "sk-or-v1-" + "0123456789abcdef" * 2


class Machine:
    """A home folder with a config folder and a workspace."""

    def __init__(self, root: Path) -> None:
        self.places = Places(env={}, home_dir=root, config_dir=root / "config", workspace=root / "workspace")
        (root / "config").mkdir(exist_ok=True)
        (root / "workspace").mkdir(exist_ok=True)
        self.root = root

    def write(self, name: str, text: str) -> Path:
        """A private file below the root."""
        path = self.root / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o600)
        return path

    def load(self, **env: str) -> LoadedSettings:
        """The settings with that environment."""
        return load_settings(replace(self.places, env=env))


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine on which nothing is set."""
    return Machine(tmp_path)


def test_defaults_are_the_documented_ones(tmp_path: Path) -> None:
    """Where nothing is set, what the README says holds."""
    settings = default_settings(tmp_path)
    assert settings.observer_models == ("google/gemini-2.5-flash", "google/gemini-2.0-flash-001")
    assert settings.reflector_models == settings.observer_models
    assert (settings.lookback_min, settings.morning_lookback_min) == (15, 480)
    assert (settings.line_threshold, settings.cooldown_s, settings.reflector_word_threshold) == (
        40,
        300,
        8000,
    )
    assert (settings.budget_usd_day, settings.budget_usd_month) == (0.10, 1.00)
    assert (settings.calls_per_hour, settings.tokens_per_call) == (60, 12_000)
    assert (settings.engine, settings.groups, settings.off_the_record) == ("auto", "off", "#offtherecord")
    assert (settings.quiet_min, settings.workers, settings.language) == (10, 4, "auto")
    assert settings.llm_base_url == OPENROUTER_URL
    assert (settings.workspace, settings.memory_dir, settings.sessions_dir) == (None, None, None)
    assert settings.origin("OBSERVER_MODEL").source is Source.DEFAULT


def test_precedence(machine: Machine) -> None:
    """Flag, environment, workspace's .env, config folder's .env, config.toml, default, one below the other."""
    name = "OBSERVER_COOLDOWN_SECS"

    def value_and_source(flags: dict[str, str], env: dict[str, str]) -> tuple[int, Source]:
        loaded = load_settings(replace(machine.places, flags=flags, env=env))
        return loaded.settings.cooldown_s, loaded.settings.origin(name).source

    machine.write("config/config.toml", f"{name} = 104\n")
    assert value_and_source({}, {}) == (104, Source.CONFIG_TOML)
    machine.write("config/.env", f"{name}=103\n")
    assert value_and_source({}, {}) == (103, Source.CONFIG_ENV)
    machine.write("workspace/.env", f"\n{name}=102\n")
    assert value_and_source({}, {}) == (102, Source.WORKSPACE_ENV)
    assert value_and_source({}, {name: "101"}) == (101, Source.ENVIRONMENT)
    assert value_and_source({name: "100"}, {name: "101"}) == (100, Source.FLAG)
    assert str(machine.load().settings.origin(name)) == f"{machine.root}/workspace/.env:2"


def test_key_of_openclaw_is_the_last_resort(machine: Machine) -> None:
    """The ``env`` block of openclaw.json gives the key, and only that."""
    config = OpenClawConfig(Path("/x/openclaw.json"), api_key=KEY)
    loaded = load_settings(replace(machine.places, openclaw=config))
    assert loaded.settings.api_key == KEY
    assert str(loaded.settings.origin("OPENROUTER_API_KEY")) == "/x/openclaw.json"
    machine.write("config/.env", f"OPENROUTER_API_KEY={KEY}2\n")
    assert load_settings(replace(machine.places, openclaw=config)).settings.api_key == f"{KEY}2"


@pytest.mark.parametrize("text", ["", "   ", '""', "\t"])
def test_empty_is_not_set(machine: Machine, text: str) -> None:
    """An empty value lets the next place speak."""
    machine.write("config/.env", "OBSERVER_LOOKBACK_MIN=33\n")
    loaded = machine.load(OBSERVER_LOOKBACK_MIN=text)
    assert loaded.settings.lookback_min == 33


@pytest.mark.report("R111")
def test_base_url_and_budgets_are_not_taken_from_the_workspace(machine: Machine) -> None:
    """The agent can write there; each is named in a warning, and the default holds."""
    names = [
        "LLM_BASE_URL", "TOTALRECALL_BUDGET_USD_DAY", "TOTALRECALL_BUDGET_USD_MONTH",
        "TOTALRECALL_CALLS_PER_HOUR", "TOTALRECALL_TOKENS_PER_CALL", "OPENCLAW_WORKSPACE",
    ]  # fmt: skip
    text = "".join(f"{name}={'https://evil.example/v1' if 'URL' in name else '1000'}\n" for name in names)
    machine.write("workspace/.env", text)
    loaded = machine.load()
    assert {problem.name for problem in loaded.problems} == set(names)
    assert all(problem.level is Level.WARNING for problem in loaded.problems)
    assert loaded.settings == default_settings(machine.root)
    machine.write("config/.env", text.replace("OPENCLAW_WORKSPACE=1000\n", ""))
    assert machine.load().settings.llm_base_url == "https://evil.example/v1"


@pytest.mark.report("R118")
def test_all_bad_numbers_are_refused_at_once_by_name_with_their_range(machine: Machine) -> None:
    """One error lists every value; loading itself goes on with the defaults."""
    machine.write(
        "config/.env",
        "OBSERVER_COOLDOWN_SECS=5m\nREFLECTOR_WORD_THRESHOLD=-1\nOBSERVER_LINE_THRESHOLD=0\nOBSERVER_LOOKBACK_MIN=\n",
    )
    loaded = machine.load(TOTALRECALL_WORKERS="1e9")
    assert loaded.settings == replace(default_settings(machine.root), origins=loaded.settings.origins)
    with pytest.raises(ConfigError) as caught:
        loaded.require()
    assert caught.value.exit_code == 78
    for name, allowed in (
        ("OBSERVER_COOLDOWN_SECS", "from 1 to 86400"),
        ("REFLECTOR_WORD_THRESHOLD", "from 200 to 1000000"),
        ("OBSERVER_LINE_THRESHOLD", "from 1 to 100000"),
        ("TOTALRECALL_WORKERS", "from 1 to 64"),
    ):
        assert any(name in line and allowed in line for line in caught.value.hint.splitlines())
    assert "OBSERVER_LOOKBACK_MIN" not in caught.value.hint


@pytest.mark.report("R118")
@pytest.mark.parametrize(
    "setting", [s for s in SETTINGS if s.kind in {Kind.INTEGER, Kind.AMOUNT}], ids=lambda s: s.name
)
@pytest.mark.parametrize(
    "text",
    [
        "5m",
        "-1",
        "1e9",
        "nan",
        "inf",
        "-inf",
        "1_000",
        "0x10",
        "１０",
        "ten",
        "9" * 5000,
        "1,5",
        "$1",
        "1 2",
        "--1",
    ],
)
def test_no_number_setting_takes_nonsense(tmp_path: Path, setting: object, text: str) -> None:
    """Each is refused by name, and what is used instead lies in its range."""
    assert isinstance(setting, type(SETTINGS[0]))
    loaded = Machine(tmp_path).load(**{setting.name: text})
    assert [problem.name for problem in loaded.errors] == [setting.name]
    assert setting.allowed in str(loaded.errors[0])
    assert setting.low <= getattr(loaded.settings, setting.field) <= setting.high


@pytest.mark.report("R118")
@given(st.sampled_from([s for s in SETTINGS if s.kind is Kind.INTEGER]), st.integers())
def test_numbers_are_taken_exactly_in_their_range(setting: object, number: int) -> None:
    """Inside it is used as it is, outside it is refused."""
    assert isinstance(setting, type(SETTINGS[0]))
    nowhere = Path("/nonexistent")
    loaded = load_settings(Places({setting.name: str(number)}, nowhere, nowhere))
    if setting.low <= number <= setting.high:
        assert getattr(loaded.settings, setting.field) == number
        assert not loaded.errors
    else:
        assert loaded.errors


def test_bad_value_never_spends_more_or_sends_elsewhere(machine: Machine) -> None:
    """A bad budget is 0, a bad base URL is nobody's, a bad engine asks no model."""
    loaded = machine.load(
        TOTALRECALL_BUDGET_USD_DAY="0,05",
        LLM_BASE_URL="http//localhost 1",
        TOTALRECALL_ENGINE="extractiv",
        OPENROUTER_API_KEY=KEY,
    )
    settings = loaded.settings
    assert (settings.budget_usd_day, settings.llm_base_url, settings.engine) == (0, NOWHERE_URL, "extractive")
    assert settings.api_key == ""
    assert "no model is asked" in " ".join(str(problem) for problem in loaded.errors)


@pytest.mark.report("R111")
@pytest.mark.parametrize(
    ("text", "key", "said"),
    [
        (f"Bearer {KEY}", KEY, "Bearer"),
        (f"“{KEY}”", KEY, "quotes"),
        (f"OPENROUTER_API_KEY={KEY}", KEY, "name"),
        (f"  {KEY} \u00a0", KEY, ""),
        (f"{KEY}#note", f"{KEY}#note", "'#'"),
        ("ab${cd}ef", "ab${cd}ef", ""),
    ],
)
def test_slips_of_pasting_a_key_are_mended_and_said(machine: Machine, text: str, key: str, said: str) -> None:
    """The key works, and the warning names variable and remedy without showing it."""
    loaded = machine.load(OPENROUTER_API_KEY=text)
    assert loaded.settings.api_key == key
    told = " ".join(str(problem) for problem in loaded.problems)
    assert bool(told) == bool(said)
    assert said in told
    assert KEY not in told


@pytest.mark.report("R111")
@pytest.mark.parametrize(
    "text", [f"{KEY} my key", "<your key>", "your-key", "sk-or-v1-...", "schlüssel" * 4, f"{KEY}\n{KEY}"]
)
def test_what_cannot_be_a_key_is_refused(machine: Machine, text: str) -> None:
    """A placeholder or two words are not sent to a provider, and not shown."""
    loaded = machine.load(OPENROUTER_API_KEY=text)
    assert loaded.settings.api_key == ""
    assert [problem.name for problem in loaded.errors] == ["OPENROUTER_API_KEY"]
    assert text not in str(loaded.errors[0])


@pytest.mark.report("R111")
@pytest.mark.parametrize(
    ("text", "url", "warned"),
    [
        ("https://openrouter.ai/api/v1/chat/completions/", OPENROUTER_URL, True),
        ("https://openrouter.ai/api/v1/", OPENROUTER_URL, False),
        ("http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1", False),
        ("http://[::1]:8080/v1/models", "http://[::1]:8080/v1", True),
        ("localhost:11434/v1", "http://localhost:11434/v1", True),
        ("api.example.com/v1", "https://api.example.com/v1", True),
    ],
)
def test_base_url(machine: Machine, text: str, url: str, warned: bool) -> None:
    """The address of the endpoint is cut, a missing scheme is added, both with a word."""
    loaded = machine.load(LLM_BASE_URL=text)
    assert loaded.settings.llm_base_url == url
    assert bool(loaded.problems) == warned
    assert not loaded.errors


@pytest.mark.parametrize(
    "text", ["ftp://x/v1", "https://", "https:///v1", "${BASE}/v1", "https://a b/v1", "https://x/v1?k=1"]
)
def test_base_url_that_is_none(machine: Machine, text: str) -> None:
    """It is refused; a reference to another variable is not expanded, and that is said."""
    (problem,) = machine.load(LLM_BASE_URL=text).errors
    assert problem.name == "LLM_BASE_URL"
    assert ("not expanded" in problem.what) == ("$" in text)


def test_openrouters_key_goes_to_openrouter_only(machine: Machine) -> None:
    """Another endpoint gets LLM_API_KEY or nothing, with a word."""
    loaded = machine.load(OPENROUTER_API_KEY=KEY, LLM_BASE_URL="https://api.example.com/v1")
    assert loaded.settings.api_key == ""
    assert [problem.name for problem in loaded.problems] == ["LLM_API_KEY"]
    loaded = machine.load(
        OPENROUTER_API_KEY=KEY, LLM_API_KEY="other-one", LLM_BASE_URL="https://api.example.com/v1"
    )
    assert loaded.settings.api_key == "other-one"
    assert loaded.problems == ()


def test_paths(machine: Machine) -> None:
    """``~`` is the home folder, spaces are kept, a relative path is refused."""
    loaded = machine.load(MEMORY_DIR="~/mem dir/memory", SESSIONS_DIR="here/sessions", OPENCLAW_WORKSPACE="~")
    assert loaded.settings.memory_dir == machine.root / "mem dir" / "memory"
    assert loaded.settings.workspace == machine.root
    assert loaded.settings.sessions_dir is None
    assert [problem.name for problem in loaded.errors] == ["SESSIONS_DIR"]
    assert loaded.settings.overrides("x").memory_dir == loaded.settings.memory_dir


def test_chain_of_models(machine: Machine) -> None:
    """The fallback may be a list; the reflector takes the observer's where it has none of its own."""
    settings = machine.load(OBSERVER_MODEL="a/1", OBSERVER_FALLBACK_MODEL="b/2, c/3,, a/1").settings
    assert settings.observer_models == ("a/1", "b/2", "c/3")
    assert settings.reflector_models == ("a/1", "b/2", "c/3")
    settings = machine.load(
        OBSERVER_MODEL="a/1", OBSERVER_FALLBACK_MODEL="b/2", REFLECTOR_MODEL="r/9"
    ).settings
    assert settings.reflector_models == ("r/9", "a/1", "b/2")
    settings = machine.load(OBSERVER_MODEL="a/1", REFLECTOR_FALLBACK_MODEL="r/9").settings
    assert settings.reflector_models == ("a/1", "r/9")


@pytest.mark.report("R116")
def test_missing_key_is_visible(machine: Machine) -> None:
    """The engine in use says why, the files looked at are listed, and an engine without a key is an error."""
    loaded = machine.load()
    assert not loaded.settings.uses_model
    assert "No API key" in loaded.settings.engine_reason
    assert [(one.path.name, one.found) for one in loaded.files] == [
        (".env", False), (".env", False), ("config.toml", False),
    ]  # fmt: skip
    forced = machine.load(TOTALRECALL_ENGINE="llm")
    with pytest.raises(ConfigError, match="no key is set"):
        forced.require("OPENROUTER_API_KEY")


@pytest.mark.report("R116")
def test_key_in_a_file_that_cannot_be_read_stops_whoever_needs_it(machine: Machine) -> None:
    """Reading goes on without it, but a command that asks for the key fails with the file's name."""
    (machine.root / "config" / ".env").write_bytes(f"OPENROUTER_API_KEY={KEY}\n".encode("utf-16"))
    loaded = machine.load()
    assert not loaded.settings.uses_model
    with pytest.raises(ConfigError, match="UTF-16"):
        loaded.require("OPENROUTER_API_KEY")


def test_engine_in_use(machine: Machine) -> None:
    """A key or a base URL means a model, unless the engine is set."""
    assert machine.load(OPENROUTER_API_KEY=KEY).settings.uses_model
    local = machine.load(LLM_BASE_URL="http://localhost:11434/v1").settings
    assert local.uses_model
    assert "LLM_BASE_URL" in local.engine_reason
    forced = machine.load(OPENROUTER_API_KEY=KEY, TOTALRECALL_ENGINE="extractive").settings
    assert not forced.uses_model
    assert "extractive" in forced.engine_reason


@pytest.mark.report("R111")
def test_file_with_a_key_that_all_can_read_is_said(machine: Machine) -> None:
    """With the command that closes it; a file without a key may be open."""
    path = machine.write("config/.env", f"OPENROUTER_API_KEY={KEY}\n")
    path.chmod(0o644)
    (problem,) = machine.load().problems
    assert "chmod 600" in str(problem)
    path.write_text("OBSERVER_MODEL=a/b\n")
    assert machine.load().problems == ()


def test_misspelt_names_are_said(machine: Machine) -> None:
    """In our files any unknown name, elsewhere only those that look like ours."""
    machine.write("config/.env", "OBSERVER_MODLE=a\n")
    machine.write("config/config.toml", 'something = "x"\n')
    machine.write("workspace/.env", "DATABASE_URL=x\n")
    told = " ".join(str(problem) for problem in machine.load(TOTALRECALL_ENGIN="llm", HOME="/x").problems)
    assert "Did you mean OBSERVER_MODEL?" in told
    assert "Did you mean TOTALRECALL_ENGINE?" in told
    assert "SOMETHING" in told
    assert "DATABASE_URL" not in told
    assert "HOME" not in told


def test_config_toml(machine: Machine) -> None:
    """Numbers, texts and lists, names in any case; tables and truth values are refused."""
    machine.write(
        "config/config.toml",
        'observer_model = "a/1"\nTOTALRECALL_EXCLUDE = ["agent:*:cron:*", "b"]\nTOTALRECALL_BUDGET_USD_DAY = 0.5\n'
        "OBSERVER_LOOKBACK_MIN = true\n[observer]\nx = 1\n",
    )
    loaded = machine.load()
    assert loaded.settings.observer_models[0] == "a/1"
    assert loaded.settings.exclude == ("agent:*:cron:*", "b")
    assert loaded.settings.budget_usd_day == 0.5
    assert {problem.name for problem in loaded.errors} == {"OBSERVER_LOOKBACK_MIN", "OBSERVER"}


@pytest.mark.parametrize("content", [b"a = \n", b"\xff\xfea\0", b'a = "x\n'])
def test_broken_config_toml_is_a_problem(machine: Machine, content: bytes) -> None:
    """Named by its path; the other places still count."""
    (machine.root / "config" / "config.toml").write_bytes(content)
    loaded = machine.load(OBSERVER_MODEL="a/1")
    assert loaded.settings.observer_models[0] == "a/1"
    assert [problem.path for problem in loaded.errors] == [machine.root / "config" / "config.toml"]


def test_words_and_zones_are_checked(machine: Machine) -> None:
    """Choices in any case; a zone must exist; a language must be a tag."""
    loaded = machine.load(
        TOTALRECALL_GROUPS="Notes",
        TOTALRECALL_TIMEZONE="Europe/Berlin",
        TOTALRECALL_LANGUAGE="zh-CN",
        TOTALRECALL_LOG_LEVEL="DEBUG",
    )
    assert loaded.problems == ()
    assert (loaded.settings.groups, loaded.settings.timezone) == ("notes", "Europe/Berlin")
    bad = machine.load(
        TOTALRECALL_GROUPS="on", TOTALRECALL_TIMEZONE="Mars/Base", TOTALRECALL_LANGUAGE="the usual"
    )
    assert len(bad.errors) == 3


def test_environment_stays_as_it_is(machine: Machine) -> None:
    """Nothing is put into the process's environment."""
    before = dict(os.environ)
    machine.write("workspace/.env", f"OPENROUTER_API_KEY={KEY}\n")
    machine.load()
    assert dict(os.environ) == before


def test_keys_are_in_no_repr(machine: Machine) -> None:
    """Neither of the settings nor of what they were loaded from."""
    machine.write("workspace/.env", f"LLM_API_KEY={KEY}\n")
    loaded = machine.load(OPENROUTER_API_KEY=KEY)
    assert KEY not in repr(loaded)
    assert KEY not in repr(replace(machine.places, env={"OPENROUTER_API_KEY": KEY}))


def test_another_server_needs_nothing_but_a_url_and_a_model(tmp_path: Path) -> None:
    """OpenRouter's fallback model is not asked for elsewhere, unless it was set on purpose."""
    env = {"LLM_BASE_URL": "http://127.0.0.1:11434/v1", "OBSERVER_MODEL": "mine"}
    places = Places(env=env, home_dir=tmp_path, config_dir=tmp_path)
    assert load_settings(places).settings.observer_models == ("mine",)
    places = Places(env={**env, "OBSERVER_FALLBACK_MODEL": "other"}, home_dir=tmp_path, config_dir=tmp_path)
    assert load_settings(places).settings.observer_models == ("mine", "other")
