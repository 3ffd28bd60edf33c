"""The one place that builds everything for an agent from the settings."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from totalrecall.config.load import LoadedSettings, load_settings
from totalrecall.config.settings import Settings
from totalrecall.config.sources import Places
from totalrecall.errors import ConfigError, SourceError
from totalrecall.files.atomic import ABSENT, Conflict, read_state
from totalrecall.files.atomic import replace as replace_file
from totalrecall.jobs.context import AgentContext, mirror_of
from totalrecall.ledger.database import FILE_NAME
from totalrecall.ledger.ledger import Ledger
from totalrecall.memory.log_file import ObservationFile
from totalrecall.places.agents import (
    Agent,
    find_agents,
    memory_dir_of,
    overrides_for,
    pick_agent,
    workspace_of,
)
from totalrecall.places.config_secrets import MIN_CHARS, is_secret_name
from totalrecall.places.openclaw_home import OpenClawHome, find_homes
from totalrecall.places.own import agent_state_folder, config_folder, prompt_folders, state_folder
from totalrecall.places.problem import Problem
from totalrecall.places.stores import DATABASE_NAME
from totalrecall.transcripts.choice import AgentTranscripts
from totalrecall.transcripts.jsonl import JsonlStore
from totalrecall.transcripts.sqlite.store import SqliteStore

if TYPE_CHECKING:
    from totalrecall.config.zone import ResolvedZone
    from totalrecall.ledger.spend import SpendLedger
    from totalrecall.llm.chain import ModelChain
    from totalrecall.llm.engine import Engine
    from totalrecall.llm.engine_llm import LlmEngine
    from totalrecall.log import Logs
    from totalrecall.privacy.screening import Screen
    from totalrecall.privacy.user_patterns import UserPattern

# What makes no sense here stops the calls, so that nothing goes where it was not meant to go.
MODEL_SETTINGS = (
    "LLM_BASE_URL",
    "OPENROUTER_API_KEY",
    "LLM_API_KEY",
    "TOTALRECALL_ENGINE",
    "TOTALRECALL_BUDGET_USD_DAY",
    "TOTALRECALL_BUDGET_USD_MONTH",
)


@dataclass(frozen=True, slots=True)
class Machine:
    """What comes from outside.

    Attributes:
        env: the environment.
        home_dir: the home folder.
        now_ms: the clock, milliseconds since 1970 UTC.
        flags: settings given on the command line.
        agent: whom MEMORY_DIR and its neighbours mean.
        retry_wait_s: how long a model that failed is left alone before it is asked again; doubles.
    """

    env: Mapping[str, str] = field(repr=False)
    home_dir: Path
    now_ms: Callable[[], int]
    flags: Mapping[str, str] = field(default_factory=dict)
    agent: str = "main"
    retry_wait_s: float = 2.0


@dataclass(frozen=True, slots=True)
class Installation:
    """What stands on this machine: homes, agents, settings. Nothing is opened yet."""

    machine: Machine
    homes: tuple[OpenClawHome, ...]
    agents: tuple[Agent, ...]
    loaded: LoadedSettings
    config_dir: Path
    state_root: Path

    def pick(self, wanted: str | None) -> tuple[Agent, ...]:
        """The agents that a command means: the one asked for, or all.

        Raises:
            ConfigError: no agent of that name; or there is none at all, and where was looked.
        """
        if not self.agents:
            places = ", ".join(str(home.state_dir) for home in self.homes) or "~/.openclaw"
            raise ConfigError(
                f"No OpenClaw agent was found (looked in {places}).",
                "Start OpenClaw once, or set OPENCLAW_STATE_DIR to its state folder. 'totalrecall doctor' "
                "shows every place that was looked at; 'totalrecall setup' tries it on a sample agent.",
            )
        if wanted is None:
            return self.agents
        agent = pick_agent(self.agents, wanted)
        if agent is None:
            names = ", ".join(one.name for one in self.agents)
            raise ConfigError(f"There is no agent {wanted!r}.", f"Known agents: {names}.")
        return (agent,)


@dataclass(frozen=True, slots=True)
class AgentPlaces:
    """Where one agent's things are, and its settings, which its workspace's ``.env`` may change."""

    agent: Agent
    workspace: Path
    memory_dir: Path
    state_dir: Path
    loaded: LoadedSettings
    zone_for: Callable[[], ResolvedZone]

    @property
    def zone(self) -> ResolvedZone:
        """The time zone, looked up when somebody asks."""
        return self.zone_for()

    @property
    def settings(self) -> Settings:
        """Its settings."""
        return self.loaded.settings

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with its settings and its time zone."""
        return self.loaded.problems + ((self.zone.problem,) if self.zone.problem else ())


def look_around(machine: Machine) -> Installation:
    """What stands on this machine just now. Reads configs, opens no transcript."""
    env, home_dir = machine.env, machine.home_dir
    config_dir = config_folder(env, home_dir)
    homes = find_homes(env, home_dir)
    openclaw = homes[0].config if homes else None
    places = Places(env, home_dir, config_dir, flags=machine.flags, openclaw=openclaw)
    loaded = load_settings(places)
    agents = find_agents(homes, home_dir, loaded.settings.overrides(machine.agent))
    return Installation(machine, homes, agents, loaded, config_dir, state_folder(env, home_dir))


def places_of(here: Installation, agent: Agent) -> AgentPlaces:
    """Where the agent's workspace, memory and state are, with the settings that hold for it."""
    machine = here.machine
    overrides = overrides_for(agent, here.agents, here.loaded.settings.overrides(machine.agent))
    cwd = "" if overrides and overrides.workspace else _header_cwd(agent, machine.now_ms)
    workspace = workspace_of(agent, machine.home_dir, overrides, cwd)
    places = Places(
        machine.env, machine.home_dir, here.config_dir, workspace, machine.flags, agent.home.config
    )
    loaded = load_settings(places)
    overrides = overrides_for(agent, here.agents, loaded.settings.overrides(machine.agent))
    user_zone = agent.home.config.user_timezone if agent.home.config else ""
    return AgentPlaces(
        agent=agent,
        workspace=workspace,
        memory_dir=memory_dir_of(workspace, overrides),
        state_dir=agent_state_folder(machine.env, machine.home_dir, agent.name),
        loaded=loaded,
        zone_for=cache(lambda: _zone(loaded.settings.timezone, user_zone, machine.env)),
    )


@contextlib.contextmanager
def open_agent(here: Installation, places: AgentPlaces) -> Iterator[AgentContext]:
    """Everything a job of this agent needs, closed again at the end.

    Raises:
        LedgerError: the ledger is damaged, or gone while notes of ours exist.
    """
    now_ms = here.machine.now_ms
    notes = ObservationFile(places.memory_dir / "observations.md", workspace_lock(here, places.memory_dir))
    screen = screen_for(here, places)
    context = AgentContext(
        agent=places.agent.name,
        workspace=places.workspace,
        memory_dir=places.memory_dir,
        state_dir=places.state_dir,
        zone_for=lambda: places.zone.zone,
        settings=places.settings,
        transcripts=transcripts_of(places.agent, now_ms),
        ledger=_ledger(places, notes, now_ms),
        notes=notes,
        engine_for=cache(lambda: _engine(here, places)),
        emergency_for=cache(extractive_engine),
        screen=screen,
        log_for=cache(lambda: logs_of(here, places).event_log("observer").bind(agent=places.agent.name)),
        now_ms=now_ms,
    )
    with context.ledger:
        yield context


def transcripts_of(agent: Agent, now_ms: Callable[[], int]) -> AgentTranscripts:
    """All transcripts of an agent, files and rows behind one face."""
    files = JsonlStore(agent.agent_id, agent.sessions_dir, now_ms=now_ms)
    database = agent.database or agent.agent_dir / "agent" / DATABASE_NAME
    return AgentTranscripts(files, SqliteStore(agent.agent_id, database, now_ms=now_ms), agent.sessions_dir)


def workspace_lock(here: Installation, memory_dir: Path) -> Path:
    """The lock of a memory folder; agents that share the folder share it, by whatever path they reach it."""
    real = os.path.realpath(memory_dir).encode("utf-8", "surrogateescape")
    return here.state_root / "locks" / f"{hashlib.blake2b(real, digest_size=8).hexdigest()}.lock"


def logs_of(here: Installation, places: AgentPlaces) -> Logs:
    """The log files of the agent's workspace, screened; a one-shot command talks to the terminal itself."""
    from totalrecall.log import LogOptions, configure

    now_ms = here.machine.now_ms
    return configure(
        LogOptions(
            screen=screen_for(here, places),
            level=places.settings.log_level,
            folder=places.workspace / "logs",
            stream=None,
            now=lambda: datetime.fromtimestamp(now_ms() / 1000, UTC),
        )
    )


def screen_for(here: Installation, places: AgentPlaces) -> Callable[[str], str]:
    """Screening with the built-in rules and the very secrets of this machine's settings."""

    @cache
    def screen() -> Screen:
        from totalrecall.privacy.screening import Screen

        return Screen(deny=sorted(known_secrets(here, places)), user_patterns=user_patterns(places.workspace))

    def screened(text: str) -> str:
        return screen().text(text)

    return screened


def user_patterns(workspace: Path) -> tuple[UserPattern, ...]:
    """What the user wants removed besides: ``sensitivePatterns`` of ``distill-config.json``.

    Raises:
        ConfigError: the file cannot be understood. Nothing is read then, so that nothing leaks.
    """
    from totalrecall.places.openclaw_config import parse_lax_json
    from totalrecall.privacy.user_patterns import UserPattern

    path = workspace / "distill-config.json"
    content = read_state(path).content
    if not content:
        return ()
    try:
        found = parse_lax_json(content.decode("utf-8-sig")).get("sensitivePatterns") or []
    except (ValueError, AttributeError):
        found = None
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise ConfigError(
            f"{path} cannot be understood, and it may hold sensitivePatterns.",
            "Correct it or move it away; messages wait until then.",
        )
    return tuple(UserPattern(one, f"sensitivePatterns in {path}") for one in found)


def known_secrets(here: Installation, places: AgentPlaces) -> frozenset[str]:
    """Secret values that must never appear anywhere: of the environment, our settings, OpenClaw's config."""
    values = {value for name, value in here.machine.env.items() if is_secret_name(name)}
    values |= {places.settings.openrouter_api_key, places.settings.llm_api_key}
    for home in here.homes:
        if home.config:
            values |= set(home.config.secrets)
    return frozenset(value for value in values if len(value) >= MIN_CHARS)


def extractive_engine() -> Engine:
    """The engine that needs neither key nor network."""
    from totalrecall.llm.extractive.engine import ExtractiveEngine

    return ExtractiveEngine()


def model_chain(here: Installation, places: AgentPlaces) -> ModelChain:
    """The models that the settings name, with the books of spend and pauses that all agents share.

    Raises:
        ConfigError: the URL or the key cannot be used.
    """
    from totalrecall.domain.spend import SpendLimits
    from totalrecall.llm.attempts import RetryLimits
    from totalrecall.llm.chain import Books, ChainSettings, ModelChain
    from totalrecall.llm.endpoint import endpoint_from
    from totalrecall.llm.openrouter import Surroundings

    settings, machine = places.loaded.require(*MODEL_SETTINGS), here.machine
    key_name = "LLM_API_KEY" if settings.llm_api_key or settings.custom_endpoint else "OPENROUTER_API_KEY"
    limits = SpendLimits(
        usd_day=settings.budget_usd_day,
        usd_month=settings.budget_usd_month,
        calls_per_hour=settings.calls_per_hour,
        tokens_per_call=settings.tokens_per_call,
    )
    endpoint = endpoint_from(settings.llm_base_url, settings.api_key, key_name)
    book = spend_book(here)
    return ModelChain(
        ChainSettings(
            endpoint, settings.observer_models, limits, RetryLimits(first_wait_s=machine.retry_wait_s)
        ),
        Books(book, book),
        Surroundings(machine.env, now_s=lambda: machine.now_ms() / 1000, screen=screen_for(here, places)),
        lambda: datetime.fromtimestamp(machine.now_ms() / 1000, places.zone.zone),
    )


def spend_book(here: Installation) -> SpendLedger:
    """What all agents of this user spend, and whom not to call for a while."""
    from totalrecall.ledger.spend import SpendLedger

    return SpendLedger(here.state_root / "spend.sqlite")


def llm_engine(here: Installation, places: AgentPlaces) -> LlmEngine:
    """The engine that asks a language model, with the prompt of the config folder or the packaged one."""
    from totalrecall.llm.engine_llm import LlmEngine
    from totalrecall.llm.prompt_files import OBSERVER, load_prompt

    prompt = load_prompt(OBSERVER, prompt_folders(here.config_dir))
    screen = screen_for(here, places)
    return LlmEngine(model_chain(here, places), prompt, _fence_salt(here.state_root), screen)


def _engine(here: Installation, places: AgentPlaces) -> Engine:
    return llm_engine(here, places) if places.settings.uses_model else extractive_engine()


def _zone(setting: str, user_timezone: str, env: Mapping[str, str]) -> ResolvedZone:
    from totalrecall.config.zone import resolve_zone

    return resolve_zone(setting, user_timezone, env)


def _fence_salt(state_root: Path) -> bytes:
    """Random bytes of this installation: nobody who writes into a transcript can know the fence's name."""
    path = state_root / "fence-salt"
    found = read_state(path)
    if found.content:
        return found.content
    done = replace_file(path, os.urandom(32), expected=ABSENT if found.content is None else found)
    return (done.current if isinstance(done, Conflict) else done.state).content or b""


def _ledger(places: AgentPlaces, notes: ObservationFile, now_ms: Callable[[], int]) -> Ledger:
    mirror = mirror_of(places.memory_dir, places.agent.name)
    if not (places.state_dir / FILE_NAME).exists() or not notes.path.exists():
        from totalrecall.ledger.health import demand_usable, diagnose
        from totalrecall.memory.observations import markers_in

        ours = bool(markers_in(notes.read()))
        demand_usable(diagnose(places.state_dir, mirror, notes_exist=ours), places.state_dir)
    return Ledger.open(places.state_dir, now_ms=now_ms())


def _header_cwd(agent: Agent, now_ms: Callable[[], int]) -> str:
    """The workspace that the newest session's header names, "" when none does."""
    try:
        sessions = transcripts_of(agent, now_ms).sessions()
    except SourceError:
        return ""
    return next((one.cwd for one in reversed(sessions) if one.cwd), "")
