"""Screening with the built-in rules, the user's patterns and the secrets of this machine."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from totalrecall.bootstrap.machine import AgentPlaces, Installation
from totalrecall.errors import ConfigError
from totalrecall.files.atomic import read_state
from totalrecall.places.config_secrets import MIN_CHARS, is_secret_name

if TYPE_CHECKING:
    from totalrecall.privacy.screening import Screen
    from totalrecall.privacy.user_patterns import UserPattern


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
