"""What a job needs to ask a model for something else than notes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from totalrecall.llm.chain import ModelChain


@dataclass(frozen=True, slots=True)
class ModelAccess:
    """The models of one job.

    Attributes:
        job: what the calls are booked to, e.g. ``reflect``.
        chain: whom to ask, within the budget.
        salt: names the fence around what is data, see ``llm.prompt.fence_name``.
        prompt_folders: where a person's own prompts may lie, for ``llm.prompt_files.load_prompt``.
    """

    job: str
    chain: ModelChain
    salt: bytes
    prompt_folders: tuple[Path, ...]
