"""Settings from flags, environment, ``.env`` files, ``config.toml`` and OpenClaw's config, in that order.

Loading never fails: a value that makes no sense is a problem, its default (or what is safe in its place, as
with a budget) is used, and reading goes on. A command that needs the value asks ``LoadedSettings.require``
and gets all that is wrong at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from totalrecall.config.settings import Origin, Settings
from totalrecall.config.sources import Layer, Places, layer_problems, read_layers
from totalrecall.config.table import OPENROUTER_URL, SETTINGS, Kind, Setting, Source
from totalrecall.config.value import BadValueError, Value, parse_value
from totalrecall.errors import ConfigError
from totalrecall.places.problem import Level, Problem


@dataclass(frozen=True, slots=True)
class FileRead:
    """A file that settings may stand in, and whether it does; ``doctor`` prints where was looked."""

    source: Source
    path: Path
    found: bool


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """Settings, what is wrong with them, and the files that were looked at."""

    settings: Settings
    problems: tuple[Problem, ...]
    files: tuple[FileRead, ...]

    @property
    def errors(self) -> tuple[Problem, ...]:
        """Problems that leave a value or a file unused."""
        return tuple(problem for problem in self.problems if problem.level is Level.ERROR)

    def require(self, *names: str) -> Settings:
        """The settings, if these variables (none given: all) and our files are in order.

        Raises:
            ConfigError: one error that lists every value and file that is not.
        """
        bad = [problem for problem in self.errors if not names or problem.name in names or not problem.name]
        if not bad:
            return self.settings
        what = "A setting makes no sense" if len(bad) == 1 else f"{len(bad)} settings make no sense"
        raise ConfigError(f"{what}:", "\n".join(f"- {problem}" for problem in bad))


def load_settings(places: Places) -> LoadedSettings:
    """The settings of an agent; ``places.workspace`` is its workspace, None while that is not known yet.

    ``OPENCLAW_WORKSPACE`` decides which workspace's ``.env`` is read, so it is found by a first call without
    workspace; a second one then adds the ``.env``.
    """
    layers = read_layers(places)
    problems = [problem for layer in layers for problem in layer_problems(layer)]
    values: dict[str, Value | None] = {}
    origins: dict[str, Origin] = {}
    for setting in SETTINGS:
        values[setting.name], origins[setting.name] = _value_of(setting, layers, places.home_dir, problems)
    if (
        values["LLM_BASE_URL"] != OPENROUTER_URL
        and origins["OBSERVER_FALLBACK_MODEL"].source is Source.DEFAULT
    ):
        # OpenRouter's names mean nothing elsewhere: a URL and a model are all that another server needs.
        values["OBSERVER_FALLBACK_MODEL"] = None
    settings = Settings(**_fields(values), origins=origins)
    problems += _conflicts(settings)
    files = tuple(
        FileRead(layer.source, layer.path, layer.found) for layer in layers if layer.path is not None
    )
    return LoadedSettings(settings, tuple(problems), files)


def default_settings(home_dir: Path) -> Settings:
    """The settings where nothing is set anywhere."""
    nowhere = home_dir / "nowhere"
    return load_settings(Places(env={}, home_dir=home_dir, config_dir=nowhere)).settings


def _value_of(
    setting: Setting,
    layers: Iterable[Layer],
    home_dir: Path,
    problems: list[Problem],
) -> tuple[Value | None, Origin]:
    for layer in layers:
        text = layer.values.get(setting.name, "")
        if not text.strip():
            continue
        origin = layer.origin(setting.name)
        if layer.source not in setting.sources:
            problems.append(_misplaced(setting, origin))
            continue
        try:
            parsed = parse_value(setting, text, home_dir)
        except BadValueError as error:
            problems.append(_refused(setting, origin, str(error)))
            safe = parse_value(setting, setting.instead, home_dir)
            return safe.value if safe else None, Origin(Source.DEFAULT)
        if parsed is None:
            continue
        problems += [
            Problem(Level.WARNING, f"{setting.name} {said}.", "", setting.name, origin.path, origin.line)
            for said in parsed.remarks
        ]
        return parsed.value, origin
    default = parse_value(setting, setting.default, home_dir)
    return default.value if default else None, Origin(Source.DEFAULT)


def _refused(setting: Setting, origin: Origin, reason: str) -> Problem:
    place = "" if origin.path else f" ({origin.source})"
    instead = f"Until it is corrected, {setting.instead or 'nothing'} is used."
    if setting.kind is Kind.URL:
        instead = "Until it is corrected, no model is asked."
    what = f"{setting.name}{place} {reason}; allowed: {setting.allowed}."
    return Problem(Level.ERROR, what, instead, setting.name, origin.path, origin.line)


def _misplaced(setting: Setting, origin: Origin) -> Problem:
    what = f"{setting.name} is not taken from here, because the agent can write here."
    remedy = "Move it to the environment, or to .env or config.toml in the config folder."
    return Problem(Level.WARNING, what, remedy, setting.name, origin.path, origin.line)


def _fields(values: dict[str, Value | None]) -> dict[str, Any]:
    observer = _chain(values["OBSERVER_MODEL"], values["OBSERVER_FALLBACK_MODEL"])
    reflector = _chain(values["REFLECTOR_MODEL"], values["REFLECTOR_FALLBACK_MODEL"])
    if values["REFLECTOR_MODEL"] is None:
        reflector = _chain(observer[0], values["REFLECTOR_FALLBACK_MODEL"] or observer[1:])
    elif values["REFLECTOR_FALLBACK_MODEL"] is None:
        reflector = _chain(values["REFLECTOR_MODEL"], observer)
    fields: dict[str, Any] = {setting.field: _or_empty(setting, values[setting.name]) for setting in SETTINGS}
    return fields | {"observer_models": observer, "reflector_models": reflector}


def _or_empty(setting: Setting, value: Value | None) -> Value | None:
    if value is not None or setting.kind is Kind.PATH:
        return value
    return () if setting.kind is Kind.LIST else ""


def _chain(first: Value | None, rest: Value | None) -> tuple[str, ...]:
    names = (first if isinstance(first, str) else "", *(rest if isinstance(rest, tuple) else ()))
    return tuple(dict.fromkeys(name for name in names if name))


def _conflicts(settings: Settings) -> list[Problem]:
    problems: list[Problem] = []
    if settings.engine == "llm" and not settings.api_key and not settings.custom_endpoint:
        what = "TOTALRECALL_ENGINE is llm, but no key is set, so no model can be asked."
        remedy = "Set OPENROUTER_API_KEY, or LLM_BASE_URL for a model of your own."
        problems.append(Problem(Level.ERROR, what, remedy, "OPENROUTER_API_KEY"))
    if settings.custom_endpoint and settings.openrouter_api_key and not settings.llm_api_key:
        what = "OPENROUTER_API_KEY is not sent to LLM_BASE_URL, which is another provider."
        remedy = "If that one wants a key, set LLM_API_KEY."
        problems.append(Problem(Level.WARNING, what, remedy, "LLM_API_KEY"))
    return problems
