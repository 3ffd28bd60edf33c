"""``distill-config.json``: how distillation behaves, in the user's workspace. Pure; unknown keys are kept."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from typing import Any

FILE_NAME = "distill-config.json"
_DEFAULTS: dict[str, Any] = {
    "retentionDays": 90,
    "autoClean": False,
    "autoWrite": False,
    "maintainEvery": 7,
    "sensitivePatterns": [],
    "schedule": "0 22 * * *",
    "lastDistill": None,
}
_SPANS = {"retentionDays": (1, 36_500), "maintainEvery": (1, 1000)}


@dataclass(frozen=True, slots=True)
class DistillSettings:
    """How distillation behaves.

    Attributes:
        retention_days: daily logs older than that are offered for the archive.
        auto_clean: move them without asking.
        auto_write: write without asking.
        maintain_every: after so many runs the last seven days are gone through again.
        schedule: when the service distils, a cron expression in the user's zone.
        last_distill: the day of the last run, None.
        raw: all keys as they stand in the file.
    """

    retention_days: int
    auto_clean: bool
    auto_write: bool
    maintain_every: int
    schedule: str
    last_distill: date | None
    raw: dict[str, Any]


class BadSettingsError(ValueError):
    """A key that makes no sense: its name and what it takes."""


def settings_from(data: dict[str, Any]) -> DistillSettings:
    """The settings in ``data``; a missing key or null has its default.

    Raises:
        BadSettingsError: a value makes no sense.
    """
    raw = {**_DEFAULTS, **{name: value for name, value in data.items() if value is not None}}
    for name, (low, high) in _SPANS.items():
        value = raw[name]
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise BadSettingsError(f"{name} takes a whole number from {low} to {high}")
    for name in ("autoClean", "autoWrite"):
        if not isinstance(raw[name], bool):
            raise BadSettingsError(f"{name} takes true or false")
    if not isinstance(raw["schedule"], str) or len(raw["schedule"].split()) != 5:
        raise BadSettingsError("schedule takes a cron expression such as 0 22 * * *")
    return DistillSettings(
        retention_days=raw["retentionDays"],
        auto_clean=raw["autoClean"],
        auto_write=raw["autoWrite"],
        maintain_every=raw["maintainEvery"],
        schedule=raw["schedule"],
        last_distill=_day(raw["lastDistill"]),
        raw=dict(data),
    )


def rendered(raw: dict[str, Any], **changes: Any) -> bytes:
    """The file with all its keys, those that are missing at their defaults, and the changes made."""
    data = {**_DEFAULTS, **raw, **changes}
    ordered = {name: data[name] for name in (*raw, *(one for one in data if one not in raw))}
    return (json.dumps(ordered, ensure_ascii=False, indent=2) + "\n").encode()


def _day(value: object) -> date | None:
    try:
        return date.fromisoformat(str(value)[:10]) if value else None
    except ValueError as error:
        raise BadSettingsError("lastDistill takes a date such as 2026-02-14, or null") from error
