"""What a setting is: its name, how it is read, and where it may come from."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


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
    CRON = "cron"


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
    Kind.CRON: "a cron expression of five fields: minute hour day month weekday",
}


def number(name: str, field: str, default: str, span: tuple[float, float], text: str) -> Setting:
    """A whole number within ``span``."""
    return Setting(name, field, Kind.INTEGER, default, text, low=span[0], high=span[1])


def limit(name: str, field: str, kind: Kind, default: str, span: tuple[float, float], text: str) -> Setting:
    """A limit of spending; an amount that makes no sense counts as 0."""
    safe = "0" if kind is Kind.AMOUNT else None
    return Setting(name, field, kind, default, text, span[0], span[1], sources=NOT_IN_WORKSPACE, safe=safe)
