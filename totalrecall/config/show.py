"""The settings for people: ``config show``, the README's table, ``.env.example``. Secrets are masked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from totalrecall.config.settings import Settings
from totalrecall.config.table import SETTINGS, Setting, Source

# Of a shorter secret, four characters would be too large a part.
MIN_SHOWN_CHARS = 20
_SHOWN_CHARS = 4
_EXAMPLE_HEADER = """\
# Settings of Total Recall. Copy this to ~/.config/total-recall/.env, chmod 600 it, and remove the # before
# what you set. Or copy it to .env in the agent's workspace; what is marked (*) is not taken from there,
# because the agent can write there. Values are read as they stand, nothing is expanded. A comment after a
# value needs a space before its #.
"""
_ROLES = {"OBSERVER_MODEL": slice(0, 1), "OBSERVER_FALLBACK_MODEL": slice(1, None)}
_REFLECTOR_ROLES = {"REFLECTOR_MODEL": slice(0, 1), "REFLECTOR_FALLBACK_MODEL": slice(1, None)}


@dataclass(frozen=True, slots=True)
class Row:
    """One line of ``config show``.

    Attributes:
        name: the variable.
        value: as one would write it, masked if it is a secret, "" when not set.
        source: the kind of place.
        place: file and line, or the kind of place.
        help: what it means.
    """

    name: str
    value: str
    source: Source
    place: str
    help: str


def rows(settings: Settings) -> tuple[Row, ...]:
    """Every setting in the table's order, with its value in use."""
    return tuple(
        Row(
            setting.name,
            _shown(setting, settings),
            settings.origin(setting.name).source,
            str(settings.origin(setting.name)),
            setting.help,
        )
        for setting in SETTINGS
    )


def as_json(shown: Sequence[Row]) -> dict[str, dict[str, str]]:
    """The rows as JSON has them: name to value, source and place."""
    return {row.name: {"value": row.value, "source": row.source.value, "place": row.place} for row in shown}


def mask(secret: str) -> str:
    """The last four characters of a long secret; of a short one only that it is set; "" of none."""
    if not secret:
        return ""
    return f"…{secret[-_SHOWN_CHARS:]}" if len(secret) >= MIN_SHOWN_CHARS else "(set)"


def settings_table() -> str:
    """The README's table of settings, in Markdown."""
    lines = ["| variable | default | values | meaning |", "|---|---|---|---|"]
    for setting in SETTINGS:
        default = f"`{setting.default}`" if setting.default else ""
        where = "" if Source.WORKSPACE_ENV in setting.sources else " Not read from the workspace's `.env`."
        allowed = setting.allowed.replace("|", "or")
        lines.append(f"| `{setting.name}` | {default} | {allowed} | {setting.help}{where} |")
    return "\n".join(lines) + "\n"


def env_example() -> str:
    """The text of ``.env.example``: every setting, commented out, with its default or an example."""
    blocks = [_EXAMPLE_HEADER]
    for setting in SETTINGS:
        mark = "" if Source.WORKSPACE_ENV in setting.sources else " (*)"
        value = setting.example or setting.default
        quoted = f'"{value}"' if re.search(r"[\s#]", value) else value
        blocks.append(f"# {setting.help}{mark}\n# Allowed: {setting.allowed}.\n# {setting.name}={quoted}\n")
    return "\n".join(blocks)


def _shown(setting: Setting, settings: Settings) -> str:
    value = getattr(settings, setting.field)
    if setting.secret:
        return mask(value)
    roles = {**_ROLES, **_REFLECTOR_ROLES}
    if setting.name in roles:
        value = value[roles[setting.name]]
    if isinstance(value, tuple):
        return ", ".join(value)
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, float):
        return f"{value:.2f}"
    return "" if value is None else re.sub(r"//[^/@]*@", "//…@", str(value))
