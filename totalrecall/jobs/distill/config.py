"""``distill-config.json`` on the disk."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from totalrecall.errors import ConfigError
from totalrecall.files.atomic import FileState, read_state, replace
from totalrecall.memory.long_term.settings_file import (
    BadSettingsError,
    DistillSettings,
    rendered,
    settings_from,
)
from totalrecall.memory.long_term.territory import Territory
from totalrecall.places.openclaw_config import parse_lax_json


@dataclass(frozen=True, slots=True)
class StoredSettings:
    """The settings as they stand.

    Attributes:
        settings: what they say.
        state: the file's bytes when they were read; None content while there is no file.
        strict: the file is plain JSON, so that writing it anew loses no comment.
    """

    settings: DistillSettings
    state: FileState
    strict: bool


def load_distill_settings(territory: Territory) -> StoredSettings:
    """The settings of the workspace, the defaults where there is no file.

    Raises:
        ConfigError: the file cannot be understood, or a key makes no sense.
    """
    import json

    path = territory.settings
    state = read_state(path)
    text = (state.content or b"{}").decode("utf-8-sig", "replace")
    try:
        data: Any = parse_lax_json(text)
        strict = _is_strict(text, json.loads)
        if not isinstance(data, dict):
            raise BadSettingsError("it is not a JSON object")
        return StoredSettings(settings_from(data), state, strict)
    except ValueError as error:
        reason = str(error) if isinstance(error, BadSettingsError) else "it is no JSON"
        raise ConfigError(
            f"{path} cannot be used: {reason}.",
            "Correct it or move it away; nothing is distilled before.",
        ) from error


def remember_run(territory: Territory, stored: StoredSettings, day: date) -> bool:
    """Write the day of the run into the file; False where that would lose comments or somebody's edit."""
    if stored.state.content is not None and not stored.strict:
        return False
    path = territory.allowed(territory.settings)
    replace(path, rendered(stored.settings.raw, lastDistill=day.isoformat()), expected=stored.state)
    return True


def switch_auto_write(territory: Territory, *, on: bool) -> None:
    """Set ``autoWrite``; the file is made when there is none. The caller has warned the user."""
    stored = load_distill_settings(territory)
    path = territory.allowed(territory.settings)
    replace(path, rendered(stored.settings.raw, autoWrite=on), expected=stored.state)


def _is_strict(text: str, loads: Any) -> bool:
    try:
        loads(text)
    except ValueError:
        return False
    return True
