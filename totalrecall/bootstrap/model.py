"""Whom to ask: the models that the settings name, with the books that all agents share."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from totalrecall.bootstrap.machine import AgentPlaces, Installation
from totalrecall.bootstrap.screens import screen_for
from totalrecall.files.atomic import ABSENT, Conflict, read_state
from totalrecall.files.atomic import replace as replace_file
from totalrecall.places.own import prompt_folders

if TYPE_CHECKING:
    from totalrecall.ledger.spend import SpendLedger
    from totalrecall.llm.access import ModelAccess
    from totalrecall.llm.chain import ModelChain
    from totalrecall.llm.engine import Engine
    from totalrecall.llm.engine_llm import LlmEngine

# What makes no sense here stops the calls, so that nothing goes where it was not meant to go.
MODEL_SETTINGS = (
    "LLM_BASE_URL",
    "OPENROUTER_API_KEY",
    "LLM_API_KEY",
    "TOTALRECALL_ENGINE",
    "TOTALRECALL_BUDGET_USD_DAY",
    "TOTALRECALL_BUDGET_USD_MONTH",
)


def extractive_engine() -> Engine:
    """The engine that needs neither key nor network."""
    from totalrecall.llm.extractive.engine import ExtractiveEngine

    return ExtractiveEngine()


def model_chain(here: Installation, places: AgentPlaces, models: tuple[str, ...] = ()) -> ModelChain:
    """``models``, else the observer's, with the books of spend and pauses that all agents share.

    Raises:
        ConfigError: the URL or the key cannot be used.
    """
    from totalrecall.domain.spend import SpendLimits
    from totalrecall.llm.attempts import RetryLimits
    from totalrecall.llm.chain import Books, ChainSettings, ModelChain
    from totalrecall.llm.endpoint import endpoint_from
    from totalrecall.llm.openrouter import Surroundings

    settings, machine = places.loaded.require(*MODEL_SETTINGS), here.machine
    key_name = "LLM_API_KEY" if settings.llm_api_key or settings.custom_endpoint else "OPENROUTER_API_KEY"
    limits = SpendLimits(
        usd_day=settings.budget_usd_day,
        usd_month=settings.budget_usd_month,
        calls_per_hour=settings.calls_per_hour,
        tokens_per_call=settings.tokens_per_call,
    )
    endpoint = endpoint_from(settings.llm_base_url, settings.api_key, key_name)
    book = spend_book(here)
    return ModelChain(
        ChainSettings(
            endpoint,
            models or settings.observer_models,
            limits,
            RetryLimits(first_wait_s=machine.retry_wait_s),
        ),
        Books(book, book),
        Surroundings(
            machine.env,
            now_s=lambda: machine.now_ms() / 1000,
            should_stop=machine.should_stop,
            screen=screen_for(here, places),
        ),
        lambda: datetime.fromtimestamp(machine.now_ms() / 1000, places.zone.zone),
    )


def spend_book(here: Installation) -> SpendLedger:
    """What all agents of this user spend, and whom not to call for a while."""
    from totalrecall.ledger.spend import SpendLedger

    return SpendLedger(here.state_root / "spend.sqlite")


def llm_engine(here: Installation, places: AgentPlaces) -> LlmEngine:
    """The engine that asks a language model, with the prompt of the config folder or the packaged one."""
    from totalrecall.llm.engine_llm import LlmEngine
    from totalrecall.llm.prompt_files import OBSERVER, load_prompt

    prompt = load_prompt(OBSERVER, prompt_folders(here.config_dir))
    screen = screen_for(here, places)
    return LlmEngine(model_chain(here, places), prompt, fence_salt(here.state_root), screen)


def fence_salt(state_root: Path) -> bytes:
    """Random bytes of this installation: nobody who writes into a transcript can know the fence's name."""
    path = state_root / "fence-salt"
    found = read_state(path)
    if found.content:
        return found.content
    done = replace_file(path, os.urandom(32), expected=ABSENT if found.content is None else found)
    return (done.current if isinstance(done, Conflict) else done.state).content or b""


def engine_of(here: Installation, places: AgentPlaces) -> Engine:
    """What compresses: the model, or the built-in engine where neither key nor URL is set."""
    return llm_engine(here, places) if places.settings.uses_model else extractive_engine()


def model_access(here: Installation, places: AgentPlaces, job: str) -> ModelAccess | None:
    """The models for a job that asks for more than notes; None where the built-in engine works.

    Raises:
        ConfigError: the URL or the key cannot be used.
    """
    if not places.settings.uses_model:
        return None
    from totalrecall.llm.access import ModelAccess

    models = places.settings.reflector_models if job == "reflect" else ()
    chain = model_chain(here, places, models or places.settings.observer_models)
    return ModelAccess(job, chain, fence_salt(here.state_root), prompt_folders(here.config_dir))
