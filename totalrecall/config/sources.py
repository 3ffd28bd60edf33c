"""The places that settings are read from, as layers of plain text, strongest first."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from totalrecall.config.env_file import read_env_file
from totalrecall.config.settings import Origin
from totalrecall.config.table import SETTINGS, Source
from totalrecall.places.openclaw_config import OpenClawConfig
from totalrecall.places.problem import Level, Problem

OUR_PREFIXES = ("TOTALRECALL_", "OBSERVER_", "REFLECTOR_")
_OUR_FILES = (Source.CONFIG_ENV, Source.CONFIG_TOML)


@dataclass(frozen=True, slots=True)
class Places:
    """What ``load_settings`` reads.

    Attributes:
        env: the process's environment, unchanged by us.
        home_dir: for ``~``.
        config_dir: ``places.own.config_folder``.
        workspace: whose ``.env`` counts, None before it is known.
        flags: variable name to text, from the command line.
        openclaw: OpenClaw's config, for the API key.
    """

    env: Mapping[str, str] = field(repr=False)
    home_dir: Path
    config_dir: Path
    workspace: Path | None = None
    flags: Mapping[str, str] = field(default_factory=dict, repr=False)
    openclaw: OpenClawConfig | None = None


@dataclass(frozen=True, slots=True)
class Layer:
    """The values of one place, as written.

    Attributes:
        source: the kind of place.
        path: the file, None when it is none.
        found: a file that stands; True for what is no file.
        values: by variable name.
        lines: line of each value, where known.
        problems: what is wrong with the place.
        open_to_all: every user of the machine can read it.
    """

    source: Source
    path: Path | None = None
    found: bool = True
    values: Mapping[str, str] = field(default_factory=dict, repr=False)
    lines: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    open_to_all: bool = False

    def origin(self, name: str) -> Origin:
        """Where ``name`` stands in this layer."""
        return Origin(self.source, self.path, self.lines.get(name, 0))


def read_layers(places: Places) -> tuple[Layer, ...]:
    """All layers, strongest first, those that do not stand included."""
    files = [
        *([_env_layer(Source.WORKSPACE_ENV, places.workspace / ".env")] if places.workspace else []),
        _env_layer(Source.CONFIG_ENV, places.config_dir / ".env"),
        _toml_layer(places.config_dir / "config.toml"),
    ]
    openclaw = places.openclaw
    return (
        Layer(Source.FLAG, values=places.flags),
        Layer(Source.ENVIRONMENT, values=places.env),
        *files,
        *(
            [Layer(Source.OPENCLAW_JSON, openclaw.path, values={"OPENROUTER_API_KEY": openclaw.api_key})]
            if openclaw
            else []
        ),
    )


def layer_problems(layer: Layer) -> list[Problem]:
    """What is wrong with the place itself: unreadable, open to all with a key in it, misspelt names."""
    problems = list(layer.problems)
    secrets = [s.name for s in SETTINGS if s.secret and layer.values.get(s.name, "").strip()]
    if layer.open_to_all and secrets and layer.path is not None:
        what = f"Every user of this machine can read {secrets[0]} in it."
        problems.append(Problem(Level.WARNING, what, f"Run: chmod 600 '{layer.path}'", path=layer.path))
    if layer.source is Source.OPENCLAW_JSON:
        return problems
    known = {setting.name for setting in SETTINGS}
    problems += [
        _misspelt(name, layer, known)
        for name in layer.values
        if name not in known and (layer.source in _OUR_FILES or name.startswith(OUR_PREFIXES))
    ]
    return problems


def _misspelt(name: str, layer: Layer, known: set[str]) -> Problem:
    from difflib import get_close_matches

    near = get_close_matches(name.upper(), sorted(known), n=1, cutoff=0.75)
    remedy = f"Did you mean {near[0]}?" if near else "See the table of settings in the README."
    line = layer.lines.get(name, 0)
    return Problem(
        Level.WARNING, f"{name[:80]} is no setting; it is ignored.", remedy, name, layer.path, line
    )


def _env_layer(source: Source, path: Path) -> Layer:
    file = read_env_file(path)
    return Layer(source, path, file.found, file.values, file.lines, file.problems, file.open_to_all)


def _toml_layer(path: Path) -> Layer:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return _broken(path, "Is not a file.")
        text = path.read_bytes().decode("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return Layer(Source.CONFIG_TOML, path, found=False)
    except OSError as error:
        return _broken(path, f"Cannot be read: {error.strerror or error}.")
    except UnicodeDecodeError:
        return _broken(path, "Is not UTF-8.")
    import tomllib

    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return _broken(path, f"Is not valid TOML: {error}.")
    values, problems = _flat(table, path)
    open_to_all = bool(status.st_mode & stat.S_IROTH)
    return Layer(Source.CONFIG_TOML, path, values=values, problems=tuple(problems), open_to_all=open_to_all)


def _flat(table: dict[str, Any], path: Path) -> tuple[dict[str, str], list[Problem]]:
    values: dict[str, str] = {}
    problems: list[Problem] = []
    for key, value in table.items():
        name = key.upper()
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            values[name] = ",".join(value)
        elif isinstance(value, str | int | float) and not isinstance(value, bool):
            values[name] = str(value)
        else:
            what = f"{key[:80]} is neither text, nor a number, nor a list of texts."
            problems.append(Problem(Level.ERROR, what, 'Write NAME = "value", without tables.', name, path))
    return values, problems


def _broken(path: Path, what: str) -> Layer:
    problem = Problem(Level.ERROR, what, "Correct it; until then nothing in it counts.", path=path)
    return Layer(Source.CONFIG_TOML, path, problems=(problem,))
