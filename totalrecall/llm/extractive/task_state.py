"""The picture of a task by rules: the same talk always gives the same picture."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from totalrecall.domain.batch import Batch, Message
from totalrecall.domain.note import DraftNote, NoteType
from totalrecall.domain.snapshot import Decision, TaskPicture
from totalrecall.domain.task_talk import TaskTalk
from totalrecall.llm.engine import CompressionRequest
from totalrecall.llm.extractive.cues import compiled, cue_of
from totalrecall.llm.extractive.engine import ExtractiveEngine
from totalrecall.llm.extractive.language import languages_of
from totalrecall.llm.extractive.sentences import sentences
from totalrecall.llm.extractive.similar import among, related
from totalrecall.llm.extractive.task_goal import goal_with_place, same_task, turns_away
from totalrecall.llm.extractive.task_steps import (
    announced_steps,
    blocker_named,
    claims_of,
    is_done,
    open_questions,
    unanswered,
)
from totalrecall.llm.extractive.task_work import (
    branch_of,
    code_of,
    files_of,
    names_of,
    phase_of,
    progress_of,
)
from totalrecall.llm.extractive.tools import Run, runs, unresolved

_WHY = r"[,，]?\s*(?:\b(?:because|since|so that|weil|damit)\b|因为|以便)\s*"
_MOST_STEPS = 10
_MOST_DECISIONS = 12
_BLOCKERS = 3


def picture_by_rules(talk: TaskTalk, previous: TaskPicture | None = None) -> TaskPicture:
    """What the talk says of its task; what ``previous`` knew of the same task is carried on.

    Talk that holds no state gives a picture that is not ``worth_keeping``.
    """
    goal, place = goal_with_place(talk.messages)
    if place and turns_away(talk.messages[place].text):
        talk = _from(talk, place)
    calls = calls_of(talk)
    failing = [call.failure for call in unresolved(calls)][-_BLOCKERS:] if calls and calls[-1].failed else []
    notes = _notes(talk)
    named = blocker_named(talk.messages)
    since = [one for one in talk.messages if one.number > place]
    fixes = [f"Fix: {one}" for one in failing[-1:]]
    open_ = [one for one in _tasks(notes, since) if not among(one, [goal])]
    steps = _distinct([unanswered(talk.messages), *fixes, *announced_steps(since), *open_])
    picture = TaskPicture(
        goal=goal,
        phase=phase_of(talk, calls),
        branch=branch_of(calls),
        blocked=bool(failing or named),
        blocked_by=named or (failing[-1] if failing else ""),
        progress=progress_of(talk.messages),
        files=files_of(talk.touches),
        decisions=tuple(_decision(one.note.text) for one in notes if one.note.type is NoteType.DECISION),
        code=code_of(talk.messages),
        names=names_of(talk.messages),
        blockers=tuple(_distinct([named, *failing])),
        questions=tuple(open_questions(talk.messages)),
        next_steps=tuple(steps[:_MOST_STEPS]),
    )
    return _carried_on(picture, previous)


def calls_of(talk: TaskTalk) -> list[Run]:
    """The calls of tools beside the messages, in order, with how they ended."""
    return [call for message in talk.messages for call in runs(message.tools)]


def _from(talk: TaskTalk, place: int) -> TaskTalk:
    """The talk from the message on with which the user turned to the task: what was before is another."""
    begins = talk.messages[place].at
    touches = tuple(one for one in talk.touches if one.at is None or one.at >= begins)
    return replace(talk, messages=talk.messages[place:], touches=touches)


def _notes(talk: TaskTalk) -> Sequence[DraftNote]:
    """What the built-in engine would note of the talk."""
    if not talk.messages:
        return []
    batch = Batch("00000000", "", talk.session_id, "", talk.messages)
    request = CompressionRequest(batch, (), talk.messages[-1].at)
    return ExtractiveEngine().compress(request).notes


def _tasks(notes: Sequence[DraftNote], since: Sequence[Message]) -> list[str]:
    """What the user said has to be done, and nobody has done since.

    A mere request is answered or is the unanswered one; a day that lies ahead is no step.
    """
    by_number = {one.number: one for one in since}
    found = []
    for draft in notes:
        text, named = draft.note.text, by_number.get(max(draft.cites, default=0))
        if draft.note.type is NoteType.TASK and named is not None and _obliges(named.text, text):
            done = claims_of([one for one in since if one.number > named.number])
            if not is_done(text, done):
                found.append(text)
    return found


def _obliges(said: str, note: str) -> bool:
    languages = languages_of(said)
    return any(
        (cue := cue_of(languages, one.text)) is not None
        and cue.type is NoteType.TASK
        and related(one.text, note)
        for one in sentences(said)
        if not one.foreign
    )


def _decision(text: str) -> Decision:
    words = re.sub(r"^(?:User|Agreed|Vereinbart|用户|商定)[:：]\s*", "", text)
    words = re.sub(r"^(?:no|nope|yes|ok|okay|nein|ja)[,.!]\s+(?=\w)", "", words, flags=re.IGNORECASE)
    words = words[:1].upper() + words[1:]
    what, *why = compiled(_WHY).split(words, maxsplit=1)
    return Decision(what, why[0]) if why and what.strip() else Decision(words)


def _distinct(texts: Iterable[str]) -> list[str]:
    kept: list[str] = []
    for text in texts:
        if text and not among(text, kept):
            kept.append(text)
    return kept


def _carried_on(picture: TaskPicture, previous: TaskPicture | None) -> TaskPicture:
    """With what an earlier picture of the same task knew: a tail of the talk does not hold all of it."""
    if previous is None:
        return picture
    if not picture.goal:
        picture = replace(picture, goal=previous.goal)
    if not same_task(picture.goal, previous.goal):
        return picture
    decided = _merged([*previous.decisions, *picture.decisions])
    return replace(
        picture,
        branch=picture.branch or previous.branch,
        decisions=tuple(decided[-_MOST_DECISIONS:]),
    )


def _merged(decisions: Sequence[Decision]) -> list[Decision]:
    kept: list[Decision] = []
    for one in decisions:
        if not among(one.text, [other.text for other in kept]):
            kept.append(one)
    return kept
