"""The settings as the program uses them, each with the place it came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from totalrecall.config.table import OPENROUTER_URL, Source
from totalrecall.places.agents import MAIN, Overrides

EngineChoice = Literal["auto", "llm", "extractive"]
GroupsChoice = Literal["off", "notes"]
LogLevel = Literal["debug", "info", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value stands.

    Attributes:
        source: the kind of place.
        path: the file, None for flag, environment and default.
        line: the line in it from 1, 0 when unknown.
    """

    source: Source
    path: Path | None = None
    line: int = 0

    def __str__(self) -> str:
        """``environment``, or the file and line."""
        if self.path is None:
            return self.source.value
        return f"{self.path}:{self.line}" if self.line else str(self.path)


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting, checked. Made by ``load_settings``; ``config/table.py`` says what each one means.

    Keys are left out of the repr. Paths are absolute; None means "found by discovery".
    """

    openrouter_api_key: str = field(repr=False)
    llm_api_key: str = field(repr=False)
    llm_base_url: str
    observer_models: tuple[str, ...]
    reflector_models: tuple[str, ...]
    workspace: Path | None
    memory_dir: Path | None
    sessions_dir: Path | None
    lookback_min: int
    morning_lookback_min: int
    line_threshold: int
    cooldown_s: int
    reflector_word_threshold: int
    engine: EngineChoice
    timezone: str
    language: str
    budget_usd_day: float
    budget_usd_month: float
    calls_per_hour: int
    tokens_per_call: int
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    groups: GroupsChoice
    off_the_record: str
    quiet_min: int
    workers: int
    schedule_observe: str
    schedule_reflect: str
    schedule_scan: str
    schedule_daily: str
    log_level: LogLevel
    origins: Mapping[str, Origin] = field(repr=False)

    def origin(self, name: str) -> Origin:
        """Where the variable ``name`` came from. Raises KeyError for a name that is no setting."""
        return self.origins[name]

    @property
    def custom_endpoint(self) -> bool:
        """Whether another provider than OpenRouter is set, be it by a URL that makes no sense."""
        return self.llm_base_url != OPENROUTER_URL

    @property
    def api_key(self) -> str:
        """The key for ``llm_base_url``, "" when there is none. OpenRouter's is never sent to anybody else."""
        return self.llm_api_key or ("" if self.custom_endpoint else self.openrouter_api_key)

    @property
    def uses_model(self) -> bool:
        """Whether notes are written by a language model; else by the extractive engine."""
        return self.engine == "llm" or (self.engine == "auto" and bool(self.api_key or self.custom_endpoint))

    @property
    def engine_reason(self) -> str:
        """Why that engine is used, in one sentence, for ``status`` and ``doctor``."""
        if self.engine != "auto":
            return f"TOTALRECALL_ENGINE is {self.engine} ({self.origin('TOTALRECALL_ENGINE')})."
        if not self.uses_model:
            return "No API key and no LLM_BASE_URL is set, so the built-in extractive engine works."
        name = (
            "LLM_API_KEY"
            if self.llm_api_key
            else "LLM_BASE_URL"
            if self.custom_endpoint
            else "OPENROUTER_API_KEY"
        )
        return f"{name} is set ({self.origin(name)})."

    def overrides(self, agent: str = MAIN) -> Overrides:
        """Workspace, memory and sessions folder as set; they mean ``agent`` (``--agent``, else ``main``)."""
        return Overrides(agent, self.workspace, self.memory_dir, self.sessions_dir)
