"""Asking a model for the picture of a task."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from totalrecall.domain.batch import Batch
from totalrecall.domain.snapshot import TaskPicture
from totalrecall.domain.task_talk import TaskTalk
from totalrecall.llm.access import ModelAccess
from totalrecall.llm.ask import Ask
from totalrecall.llm.engine import CompressionRequest
from totalrecall.llm.failure import Completion, Failure, FailureKind
from totalrecall.llm.prompt import fence_name, user_text
from totalrecall.llm.prompt_files import SNAPSHOT, load_prompt
from totalrecall.llm.reply import json_in, without_reasoning
from totalrecall.llm.snapshot_answer import Ground, picture_from

ANSWER_TOKENS = 1_800
MESSAGES = 50
_CHARS = 24_000
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]+")


@dataclass(frozen=True, slots=True)
class PictureRequest:
    """What a picture is asked for.

    Attributes:
        agent: whose calls these are.
        talk: screened.
        previous: the picture before, which the model may carry on; None for none.
        rules: what the rules make of the talk: stands where the model says nothing that holds.
        now: the present time in the user's zone.
        language: ``auto`` or a language tag.
    """

    agent: str
    talk: TaskTalk
    previous: TaskPicture | None
    rules: TaskPicture
    now: datetime
    language: str = "auto"


def ask_for_picture(access: ModelAccess, request: PictureRequest) -> TaskPicture:
    """The model's picture, without whatever stands in no message.

    Raises what ``ModelChain.ask`` raises.
    """
    prompt = load_prompt(SNAPSHOT, access.prompt_folders)
    batch = batch_of(request.agent, request.talk)
    known = list(_lines_of(request.previous))
    user = talk_text(known, batch, fence_name(batch, access.salt), request.now, request.language)
    ask = Ask(prompt.text, user, ANSWER_TOKENS, request.agent, access.job, request.talk.session_id)
    answer = access.chain.ask(ask, json_object)
    data = json_in(without_reasoning(answer.completion.text))
    ground = Ground(request.talk, request.previous, request.rules)
    return picture_from(data if isinstance(data, dict) else {}, ground)


def json_object(completion: Completion) -> Failure | None:
    """What is wrong with an answer as a whole: it holds no JSON object."""
    if isinstance(json_in(without_reasoning(completion.text)), dict):
        return None
    return Failure(
        FailureKind.PROSE, f"{completion.model} answers, but not with the JSON that was asked for."
    )


def batch_of(agent: str, talk: TaskTalk) -> Batch:
    """The newest messages that fit one call."""
    chosen: list[int] = []
    room = _CHARS
    for at in range(len(talk.messages) - 1, -1, -1):
        message = talk.messages[at]
        room -= len(message.text) + sum(map(len, (*message.quoted, *message.tools)))
        if chosen and (room < 0 or len(chosen) >= MESSAGES):
            break
        chosen.append(at)
    messages = tuple(talk.messages[at] for at in reversed(chosen))
    return Batch("00000000", agent, talk.session_id, "", messages)


def talk_text(known: Sequence[str], batch: Batch, fence: str, now: datetime, language: str) -> str:
    """The user's part of the call: the time, and inside the fence what was known and the talk."""
    text = user_text(CompressionRequest(batch, (), now, language), fence)
    lines = "".join(f"* {_flat(line, fence)}\n" for line in known)
    return text.replace(f"<{fence}>\n", f"<{fence}>\n{lines}", 1)


def _lines_of(picture: TaskPicture | None) -> Iterator[str]:
    if picture is None:
        return
    if picture.goal:
        yield f"goal: {picture.goal}"
    if picture.branch:
        yield f"branch: {picture.branch}"
    yield from (f"file: {one.path} {one.what}" for one in picture.files[:10])
    yield from (
        f"decision: {one.text}" + (f" (because {one.why})" if one.why else "") for one in picture.decisions
    )
    yield from (f"next step: {one}" for one in picture.next_steps[:8])


def _flat(text: str, fence: str) -> str:
    return " ".join(_UNSAFE.sub(" ", text).replace(fence, "talk").split())[:300]
