"""Asking a model for the session state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from totalrecall.domain.session_state import SessionState, TaskStatus
from totalrecall.domain.snapshot import TaskPicture
from totalrecall.domain.task_talk import TaskTalk
from totalrecall.llm.access import ModelAccess
from totalrecall.llm.ask import Ask
from totalrecall.llm.prompt import fence_name
from totalrecall.llm.prompt_files import STATE, load_prompt
from totalrecall.llm.reply import json_in, without_reasoning
from totalrecall.llm.snapshot_answer import Ground, text_of, texts_of
from totalrecall.llm.snapshot_prompt import batch_of, json_object, talk_text

ANSWER_TOKENS = 700
_MOST_STEPS = 10


@dataclass(frozen=True, slots=True)
class StateRequest:
    """What a state is asked for.

    Attributes:
        agent: whose call it is.
        talk: screened.
        before: the state as it is written down now.
        rules: the state by rules: stands where the model says nothing that holds.
        now: the present time in the user's zone.
        language: ``auto`` or a language tag.
    """

    agent: str
    talk: TaskTalk
    before: SessionState
    rules: SessionState
    now: datetime
    language: str = "auto"


def ask_for_state(access: ModelAccess, request: StateRequest) -> SessionState:
    """The model's state, without whatever neither a message nor the present state says.

    Raises what ``ModelChain.ask`` raises.
    """
    prompt = load_prompt(STATE, access.prompt_folders)
    batch = batch_of(request.agent, request.talk)
    fence = fence_name(batch, access.salt)
    known = known_lines(request.before)
    user = talk_text(known, batch, fence, request.now, request.language)
    ask = Ask(prompt.text, user, ANSWER_TOKENS, request.agent, access.job, request.talk.session_id)
    data = json_in(without_reasoning(access.chain.ask(ask, json_object).completion.text))
    return state_from(data if isinstance(data, dict) else {}, request)


def state_from(data: Mapping[str, Any], request: StateRequest) -> SessionState:
    """The state of an answer; of what the model left out or invented, the rules'."""
    known = TaskPicture(goal=" ".join(known_lines(request.before)))
    ground = Ground(request.talk, known, known)
    rules = request.rules

    def held(name: str, otherwise: str) -> str:
        text = text_of(data.get(name))
        return text if text and ground.holds(text) else otherwise

    # A single word is no sentence whose details could be looked up: it must be there as it is.
    project = text_of(data.get("project"))
    status = text_of(data.get("status")).casefold()
    steps = texts_of(data.get("next_steps"), ground.holds)
    return replace(
        rules,
        project=project if project and ground.names(project) else rules.project,
        task=held("task", rules.task),
        status=status if status in set(TaskStatus) else rules.status,
        last_action=held("last_action", rules.last_action),
        next_steps=steps[:_MOST_STEPS] if isinstance(data.get("next_steps"), list) else rules.next_steps,
    )


def known_lines(state: SessionState) -> list[str]:
    """The fields that say something, one on a line."""
    fields = ("project", "task", "status", "last_action", "updated")
    lines = [f"{name}: {value}" for name in fields if (value := getattr(state, name))]
    return lines + [f"next step: {one}" for one in state.next_steps]
