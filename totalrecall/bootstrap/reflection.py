"""What consolidates the notes: a language model, or the built-in rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from totalrecall.bootstrap.machine import AgentPlaces, Installation
from totalrecall.bootstrap.model import model_access
from totalrecall.bootstrap.screens import screen_for

if TYPE_CHECKING:
    from totalrecall.llm.reflection.types import Reflector

JOB = "reflect"


def reflector_of(here: Installation, places: AgentPlaces) -> Reflector:
    """The model's reflector where a key or a URL is set, else the one that works by rules.

    Raises:
        ConfigError: the URL or the key cannot be used, or a prompt of the user's own cannot be read.
    """
    access = model_access(here, places, JOB)
    if access is None:
        from totalrecall.llm.reflection.rules import ExtractiveReflector

        return ExtractiveReflector()
    from totalrecall.llm.prompt_files import REFLECTOR, load_prompt
    from totalrecall.llm.reflection.model import ModelReflector

    return ModelReflector(access, load_prompt(REFLECTOR, access.prompt_folders), screen_for(here, places))
