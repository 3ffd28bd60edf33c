"""The one table of settings. The README's table, ``.env.example`` and ``config show`` are made from it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

OPENROUTER_URL = "https://openrouter.ai/api/v1"
# In place of a base URL that makes no sense: a name that never resolves (RFC 2606), so that talk meant for a
# machine of one's own does not go to OpenRouter instead. Messages wait.
NOWHERE_URL = "https://llm-base-url.invalid/v1"


class Kind(StrEnum):
    """How a value is read and checked."""

    TEXT = "text"
    SECRET = "secret"  # noqa: S105 -- the name of a kind, not a secret
    URL = "url"
    PATH = "path"
    INTEGER = "integer"
    AMOUNT = "amount"
    CHOICE = "choice"
    LIST = "list"
    ZONE = "zone"
    LANGUAGE = "language"


class Source(StrEnum):
    """Where a value came from, strongest first."""

    FLAG = "flag"
    ENVIRONMENT = "environment"
    WORKSPACE_ENV = "workspace .env"
    CONFIG_ENV = "config folder .env"
    CONFIG_TOML = "config.toml"
    OPENCLAW_JSON = "openclaw.json"
    DEFAULT = "default"


EVERYWHERE = frozenset(
    {Source.FLAG, Source.ENVIRONMENT, Source.WORKSPACE_ENV, Source.CONFIG_ENV, Source.CONFIG_TOML}
)
# The agent writes in its workspace: where its text goes and what may be spent is not decided there.
NOT_IN_WORKSPACE = EVERYWHERE - {Source.WORKSPACE_ENV}


@dataclass(frozen=True, slots=True)
class Setting:
    """One variable.

    Attributes:
        name: as in the environment, ``.env`` and ``config.toml``.
        field: the attribute of ``Settings`` that it sets.
        kind: how it is read.
        default: as one would write it, "" for none.
        help: one sentence.
        low: the smallest number allowed.
        high: the largest number allowed.
        choices: the words allowed.
        sources: where it may come from.
        example: a value for ``.env.example``, the default when "".
        safe: what is used in place of a value that makes no sense, where the default could send text
            elsewhere or spend more than was meant; None: the default.
    """

    name: str
    field: str
    kind: Kind
    default: str
    help: str
    low: float = 0
    high: float = 0
    choices: tuple[str, ...] = ()
    sources: frozenset[Source] = EVERYWHERE
    example: str = ""
    safe: str | None = None

    @property
    def instead(self) -> str:
        """What is used while the written value makes no sense."""
        return self.default if self.safe is None else self.safe

    @property
    def secret(self) -> bool:
        """Whether its value must never be shown or logged."""
        return self.kind is Kind.SECRET

    @property
    def allowed(self) -> str:
        """What a value may be, in words, for messages and tables."""
        if self.kind is Kind.INTEGER:
            return f"a whole number from {self.low:.0f} to {self.high:.0f}"
        if self.kind is Kind.AMOUNT:
            return f"a number from {self.low:g} to {self.high:g}"
        return " | ".join(self.choices) or _ALLOWED[self.kind]


_ALLOWED = {
    Kind.TEXT: "text",
    Kind.SECRET: "a key, without spaces",
    Kind.URL: "a URL that begins with http:// or https://",
    Kind.PATH: "an absolute path, or one that begins with ~/",
    Kind.LIST: "words separated by commas",
    Kind.ZONE: "a zone name such as Europe/Berlin",
    Kind.LANGUAGE: "auto, or a language tag such as en or zh-CN",
}


def _number(name: str, field: str, default: str, span: tuple[float, float], text: str) -> Setting:
    return Setting(name, field, Kind.INTEGER, default, text, low=span[0], high=span[1])


def _limit(name: str, field: str, kind: Kind, default: str, span: tuple[float, float], text: str) -> Setting:
    safe = "0" if kind is Kind.AMOUNT else None
    return Setting(name, field, kind, default, text, span[0], span[1], sources=NOT_IN_WORKSPACE, safe=safe)


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "OPENROUTER_API_KEY",
        "openrouter_api_key",
        Kind.SECRET,
        "",
        "Key for OpenRouter; without any key the built-in extractive engine works, free and offline.",
        sources=EVERYWHERE | {Source.OPENCLAW_JSON},
        example="your-key",
    ),
    Setting(
        "LLM_API_KEY",
        "llm_api_key",
        Kind.SECRET,
        "",
        "Key for the provider at LLM_BASE_URL; goes before OPENROUTER_API_KEY.",
        example="your-key",
    ),
    Setting(
        "LLM_BASE_URL",
        "llm_base_url",
        Kind.URL,
        OPENROUTER_URL,
        "Any OpenAI-compatible API (Ollama, llama.cpp, vLLM), up to and with its /v1.",
        sources=NOT_IN_WORKSPACE,
        example="http://127.0.0.1:11434/v1",
        safe=NOWHERE_URL,
    ),
    Setting(
        "OBSERVER_MODEL",
        "observer_models",
        Kind.TEXT,
        "google/gemini-2.5-flash",
        "Model that writes the notes.",
    ),
    Setting(
        "OBSERVER_FALLBACK_MODEL",
        "observer_models",
        Kind.LIST,
        "google/gemini-2.0-flash-001",
        "Models tried after it, in order, separated by commas.",
    ),
    Setting(
        "REFLECTOR_MODEL",
        "reflector_models",
        Kind.TEXT,
        "",
        "Model that consolidates; the observer's if unset.",
    ),
    Setting(
        "REFLECTOR_FALLBACK_MODEL",
        "reflector_models",
        Kind.LIST,
        "",
        "Models tried after it; the observer's if unset.",
    ),
    Setting(
        "OPENCLAW_WORKSPACE",
        "workspace",
        Kind.PATH,
        "",
        "Workspace of the agent (main, or the one given by --agent); found by itself, at last ~/clawd.",
        sources=NOT_IN_WORKSPACE,
        example="~/clawd",
    ),
    Setting(
        "MEMORY_DIR",
        "memory_dir",
        Kind.PATH,
        "",
        "Folder of the notes; <workspace>/memory if unset.",
        example="~/clawd/memory",
    ),
    Setting(
        "SESSIONS_DIR",
        "sessions_dir",
        Kind.PATH,
        "",
        "Folder of the agent's session files; found by itself if unset.",
        example="~/.openclaw/agents/main/sessions",
    ),
    _number(
        "OBSERVER_LOOKBACK_MIN",
        "lookback_min",
        "15",
        (0, 525_600),
        "Minutes looked back on an agent's first run; later runs read on from where they were.",
    ),
    _number(
        "OBSERVER_MORNING_LOOKBACK_MIN",
        "morning_lookback_min",
        "480",
        (0, 525_600),
        "The same for a first run before 8 o'clock.",
    ),
    _number(
        "OBSERVER_LINE_THRESHOLD",
        "line_threshold",
        "40",
        (1, 100_000),
        "New transcript entries after which the observer runs at once.",
    ),
    _number(
        "OBSERVER_COOLDOWN_SECS",
        "cooldown_s",
        "300",
        (1, 86_400),
        "Least seconds between two runs that the line threshold starts.",
    ),
    _number(
        "REFLECTOR_WORD_THRESHOLD",
        "reflector_word_threshold",
        "8000",
        (200, 1_000_000),
        "Words in observations.md after which the reflector consolidates.",
    ),
    Setting(
        "TOTALRECALL_ENGINE",
        "engine",
        Kind.CHOICE,
        "auto",
        "What compresses; auto is llm if a key or a base URL is set, else extractive.",
        choices=("auto", "llm", "extractive"),
        safe="extractive",
    ),
    Setting(
        "TOTALRECALL_TIMEZONE",
        "timezone",
        Kind.ZONE,
        "",
        "Zone of the times in the notes; OpenClaw's userTimezone, else the system's if unset.",
        example="Europe/Berlin",
    ),
    Setting(
        "TOTALRECALL_LANGUAGE",
        "language",
        Kind.LANGUAGE,
        "auto",
        "Language of the notes; auto follows the talk.",
    ),
    _limit(
        "TOTALRECALL_BUDGET_USD_DAY",
        "budget_usd_day",
        Kind.AMOUNT,
        "0.10",
        (0, 10_000),
        "Dollars a day at most.",
    ),
    _limit(
        "TOTALRECALL_BUDGET_USD_MONTH",
        "budget_usd_month",
        Kind.AMOUNT,
        "1.00",
        (0, 100_000),
        "Dollars a calendar month at most.",
    ),
    _limit(
        "TOTALRECALL_CALLS_PER_HOUR",
        "calls_per_hour",
        Kind.INTEGER,
        "60",
        (1, 3_600),
        "Model calls an hour at most.",
    ),
    _limit(
        "TOTALRECALL_TOKENS_PER_CALL",
        "tokens_per_call",
        Kind.INTEGER,
        "12000",
        (1_000, 1_000_000),
        "Tokens of one call at most; longer talk is cut into batches.",
    ),
    Setting(
        "TOTALRECALL_INCLUDE",
        "include",
        Kind.LIST,
        "",
        "Globs over session keys: observe these too, even machine sessions.",
        example="agent:main:cron:*",
    ),
    Setting(
        "TOTALRECALL_EXCLUDE",
        "exclude",
        Kind.LIST,
        "",
        "Globs over session keys: never observe these.",
        example="agent:main:telegram:direct:555",
    ),
    Setting(
        "TOTALRECALL_GROUPS",
        "groups",
        Kind.CHOICE,
        "off",
        "Group chats: not observed, or into observations.md only.",
        choices=("off", "notes"),
    ),
    Setting(
        "TOTALRECALL_OFF_THE_RECORD",
        "off_the_record",
        Kind.TEXT,
        "#offtherecord",
        "A message with this marker is never sent, noted or kept.",
    ),
    _number(
        "TOTALRECALL_QUIET_MIN",
        "quiet_min",
        "10",
        (1, 1_440),
        "Minutes without a new line after which a session counts as quiet.",
    ),
    _number("TOTALRECALL_WORKERS", "workers", "4", (1, 64), "Agents served at once."),
    Setting(
        "TOTALRECALL_LOG_LEVEL",
        "log_level",
        Kind.CHOICE,
        "info",
        "How much the logs say.",
        choices=("debug", "info", "warning", "error"),
    ),
)


def setting_named(name: str) -> Setting | None:
    """The setting of that variable, None when there is none."""
    return next((setting for setting in SETTINGS if setting.name == name), None)
