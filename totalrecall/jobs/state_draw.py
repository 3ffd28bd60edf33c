"""The session state from a talk: by the model where there is one, else by rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from totalrecall.domain.session_state import SessionState
from totalrecall.domain.snapshot import TaskPicture
from totalrecall.domain.task_talk import TaskTalk
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.task_picture import AWAY, has_state, why_away

if TYPE_CHECKING:
    from totalrecall.llm.access import ModelAccess


@dataclass(frozen=True, slots=True)
class DrawnState:
    """A state, the picture by rules behind it, who drew it, and why the rules did instead of the model."""

    state: SessionState
    picture: TaskPicture
    engine: str
    fallback: str = ""


def draw_state(ctx: AgentContext, talk: TaskTalk, before: SessionState) -> DrawnState:
    """The state that the talk leaves. Without a model that answers the rules draw it."""
    from totalrecall.llm.extractive.task_session import state_by_rules
    from totalrecall.llm.extractive.task_state import picture_by_rules

    picture = picture_by_rules(talk)
    rules = state_by_rules(talk, picture, before)
    fallback = ""
    try:
        access = ctx.model_for("state")
        if access is not None and has_state(talk, picture):
            return DrawnState(_by_model(ctx, access, talk, (before, rules)), picture, "llm")
    except AWAY as error:
        fallback = why_away(ctx, error)
    return DrawnState(rules, picture, "extractive", fallback)


def _by_model(
    ctx: AgentContext, access: ModelAccess, talk: TaskTalk, known: tuple[SessionState, SessionState]
) -> SessionState:
    from totalrecall.llm.state_prompt import StateRequest, ask_for_state

    before, rules = known
    request = StateRequest(ctx.agent, talk, before, rules, ctx.now(), ctx.settings.language)
    return ask_for_state(access, request)
