"""Finding the prompts: a person's own, else the shipped ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from totalrecall.errors import ConfigError
from totalrecall.llm.prompt import SystemPrompt, system_prompt

OBSERVER = "observer-system.txt"
SNAPSHOT = "snapshot-system.txt"
STATE = "state-system.txt"
REFLECTOR = "reflector-system.txt"
PROFILE = "profile-system.txt"
DISTILL = "distill-system.txt"
NAMES = (OBSERVER, SNAPSHOT, STATE, REFLECTOR, PROFILE, DISTILL)
_PACKAGE = Path(__file__).resolve().parents[1]
# In a wheel the prompts lie inside the package, in a checkout beside it.
_SHIPPED = (_PACKAGE / "_shipped" / "prompts", _PACKAGE.parent / "prompts")


def load_prompt(name: str, overrides: Sequence[Path] = ()) -> SystemPrompt:
    """The prompt ``name`` from the first override folder that has it, else the shipped one.

    Raises:
        ConfigError: an override cannot be read or is empty; an empty prompt would silently cost money.
    """
    for folder in (*overrides, *_SHIPPED):
        path = folder / name
        try:
            text = path.read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            continue
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(
                f"The prompt {path} cannot be read.", "Save it as UTF-8, or remove it."
            ) from error
        if not text.strip():
            raise ConfigError(f"The prompt {path} is empty.", "Remove it to use the shipped one.")
        return system_prompt(text)
    raise ConfigError(f"The prompt {name} is missing from the installation.", "Install Total Recall again.")
