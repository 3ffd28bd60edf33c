"""The one table of settings. The README's table, ``.env.example`` and ``config show`` are made from it."""

from __future__ import annotations

from totalrecall.config.setting import EVERYWHERE, NOT_IN_WORKSPACE, Kind, Setting, Source
from totalrecall.config.table_original import NOWHERE_URL, OPENROUTER_URL, ORIGINAL
from totalrecall.config.table_own import OWN

__all__ = [
    "EVERYWHERE",
    "NOT_IN_WORKSPACE",
    "NOWHERE_URL",
    "OPENROUTER_URL",
    "SETTINGS",
    "Kind",
    "Setting",
    "Source",
    "setting_named",
]

SETTINGS: tuple[Setting, ...] = ORIGINAL + OWN


def setting_named(name: str) -> Setting | None:
    """The setting of that variable, None when there is none."""
    return next((setting for setting in SETTINGS if setting.name == name), None)
