"""The free check of the model's key, for this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from totalrecall.bootstrap.machine import Installation
from totalrecall.bootstrap.model import MODEL_SETTINGS
from totalrecall.places.config_secrets import MIN_CHARS

if TYPE_CHECKING:
    from totalrecall.llm.failure import Failure
    from totalrecall.llm.key_check import KeyWorks

DEADLINE_S = 15.0


def key_name(here: Installation) -> str:
    """The setting that a key for this machine's endpoint belongs to."""
    return "LLM_API_KEY" if here.loaded.settings.custom_endpoint else "OPENROUTER_API_KEY"


def check_model_key(here: Installation, key: str = "") -> KeyWorks | Failure:
    """Whether the endpoint of the settings takes ``key``, or the key of the settings; costs nothing.

    Raises:
        ConfigError: the URL or the key cannot be used.
    """
    from totalrecall.llm.endpoint import endpoint_from
    from totalrecall.llm.key_check import check_key
    from totalrecall.llm.openrouter import CallLimits, Surroundings

    settings, machine = here.loaded.require(*MODEL_SETTINGS), here.machine
    endpoint = endpoint_from(settings.llm_base_url, key or settings.api_key, key_name(here))
    # One letter would be found in every word.
    known = len(endpoint.key) >= MIN_CHARS
    around = Surroundings(
        machine.env,
        now_s=lambda: machine.now_ms() / 1000,
        limits=CallLimits(deadline_s=DEADLINE_S),
        screen=lambda text: text.replace(endpoint.key, "(the key)") if known else text,
    )
    return check_key(endpoint, around)
