"""The talk that a session state is made from: the newest, or the one that is about something."""

from __future__ import annotations

from dataclasses import dataclass

from totalrecall.domain.task_talk import TaskTalk
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.task_talk import Where, recent_talk, talks


@dataclass(frozen=True, slots=True)
class Found:
    """The talk, and how many of its messages count."""

    talk: TaskTalk
    snippets: int


def talk_for(ctx: AgentContext, query: str, limit: int, min_score: float) -> Found:
    """The newest talk; with a query the one whose messages hold most of its words, the newer of equals."""
    where = Where(messages=max(1, limit))
    wanted = _words(query)
    if not wanted:
        talk = recent_talk(ctx, where)
        return Found(talk, len(talk.messages))
    best, weight = Found(TaskTalk(), 0), 0.0
    for talk in talks(ctx, where):
        scores = [len(wanted & _words(one.text)) / len(wanted) for one in talk.messages]
        held = [one for one in scores if one > 0 and one >= min_score]
        if sum(held) > weight:
            best, weight = Found(talk, len(held)), sum(held)
    return best


def _words(text: str) -> frozenset[str]:
    from totalrecall.llm.words import words_of

    return frozenset(words_of(text))
