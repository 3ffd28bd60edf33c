"""The picture of a task from its talk: by the model where there is one, else by rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from totalrecall.domain.snapshot import TaskPicture, each_text
from totalrecall.domain.task_talk import TaskTalk
from totalrecall.errors import (
    BatchRefusedError,
    BatchTooLargeError,
    CeilingError,
    ConfigError,
    ModelUnreachableError,
    TotalRecallError,
)
from totalrecall.jobs.context import AgentContext

if TYPE_CHECKING:
    from totalrecall.llm.access import ModelAccess

# Whatever keeps the model from answering: the rules answer instead, for a snapshot cannot wait.
AWAY = (ModelUnreachableError, CeilingError, ConfigError, BatchTooLargeError, BatchRefusedError)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A picture and who drew it: ``llm`` or ``extractive``; why the rules did instead of the model, or ""."""

    picture: TaskPicture
    engine: str
    fallback: str = ""


def draw(ctx: AgentContext, talk: TaskTalk, previous: TaskPicture | None) -> Drawn:
    """The picture of the talk, screened. Without a model that answers the rules draw it."""
    from totalrecall.llm.extractive.task_state import picture_by_rules

    fallback = ""
    by_rules = picture_by_rules(talk, previous)
    try:
        access = ctx.model_for("snapshot")
        if access is not None and has_state(talk, by_rules):
            picture = _by_model(ctx, access, talk, (previous, by_rules))
            return Drawn(each_text(picture, ctx.screen), "llm")
    except AWAY as error:
        fallback = why_away(ctx, error)
    return Drawn(each_text(by_rules, ctx.screen), "extractive", fallback)


def has_state(talk: TaskTalk, picture: TaskPicture) -> bool:
    """Whether there is anything to resume: a file, a tool call, a decision or an open step."""
    return bool(talk.messages) and (talk.calls > 0 or picture.worth_keeping)


def why_away(ctx: AgentContext, error: TotalRecallError) -> str:
    """The reason in words, and a line in the log."""
    ctx.log.warning("rules_instead_of_model", kind=type(error).__name__)
    return error.title


def _by_model(
    ctx: AgentContext,
    access: ModelAccess,
    talk: TaskTalk,
    known: tuple[TaskPicture | None, TaskPicture],
) -> TaskPicture:
    from totalrecall.llm.snapshot_prompt import PictureRequest, ask_for_picture

    request = PictureRequest(ctx.agent, talk, *known, ctx.now(), ctx.settings.language)
    return ask_for_picture(access, request)
