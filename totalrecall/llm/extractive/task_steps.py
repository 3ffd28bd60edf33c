"""What is still open in a talk, by rules: steps, questions, what blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from totalrecall.domain.batch import Message
from totalrecall.domain.event import Role
from totalrecall.llm.extractive.cues import compiled, says
from totalrecall.llm.extractive.language import languages_of
from totalrecall.llm.extractive.sentences import clean, sentences
from totalrecall.llm.extractive.similar import same
from totalrecall.llm.extractive.task_goal import is_small, plain_order

_LIST_HEAD = (
    r"^[\s#*_>-]*(?:(?:the )?(?:next|remaining|open|outstanding) (?:steps?|tasks?|items?|todos?)|"
    r"(?:still )?(?:to[- ]?do|left to do|remaining|open)|what(?:['’]s| is) (?:next|left)|"
    r"(?:die )?nächste[n]? schritte|noch (?:offen|zu tun)|offen|"
    r"下一步(?:计划)?|接下来|待办(?:事项)?|剩余(?:工作)?)"
    r"[\s*_]*(?:(?:are|is|sind|ist)\s*)?[:：]?[\s*_]*(?P<rest>\S.*)?$"
)
_ITEM = r"^\s*(?:[-*+•]|\d{1,2}[.)、])\s+(?P<text>\S.*)$"
_UNCHECKED = r"^\s*[-*+]\s+\[ \]\s+(?P<text>\S.*)$"
_ANNOUNCED = (
    r"^(?:next|then|now|after (?:that|this))?,?\s*(?:I(?:['’]ll| will)(?: now| next| then)?|"
    r"(?:I|we) still (?:need|have) to|als nächstes (?:werde|muss) ich|"
    r"ich (?:werde|muss) (?:noch|jetzt|nun|als nächstes)|"
    r"接下来我?(?:会|要|将)|下一步我?(?:会|要|将)|还(?:需要|要))[\s,:：]*"
)
_BLOCKED = (
    r"\b(?:blocked (?:by|on|until)|waiting (?:for|on)|(?:cannot|can['’]t) (?:continue|go on|proceed)|"
    r"stuck (?:on|at)|warte[nt]? (?:noch )?auf|blockiert)\b|卡住|等待|无法继续"
)
_LOOK_BACK = 6
_MOST = 8


def announced_steps(messages: Sequence[Message]) -> list[str]:
    """The steps that the assistant named last and that nobody has done since."""
    answers = [(at, one) for at, one in enumerate(messages) if one.role is Role.ASSISTANT and one.text]
    for at, message in reversed(answers[-_LOOK_BACK:]):
        steps = list(_steps_in(message.text))[:_MOST]
        if steps:
            done = claims_of(messages[at + 1 :])
            return [step for step in steps if not any(same(step, text) for text in done)]
    return []


def unanswered(messages: Sequence[Message]) -> str:
    """What the user asked for last and nobody answered; "" when the assistant had the last word."""
    if not messages or messages[-1].role is not Role.USER:
        return ""
    text = messages[-1].text
    said = [one for one in sentences(text) if not one.foreign and not is_small(one.text)]
    if not said:
        return ""
    languages = languages_of(text)
    asked = next((one for one in said if says(languages, "request", one.text)), said[0])
    words = plain_order(asked.text, languages)
    wants_words = asked.question and not says(languages, "request", asked.text)
    return f"Answer: {asked.text}" if wants_words else words


def open_questions(messages: Sequence[Message]) -> list[str]:
    """The last question that waits for an answer: the assistant's, or else the user's."""
    if not messages:
        return []
    asked = [one.text for one in sentences(messages[-1].text) if one.question and not one.foreign]
    return asked[-1:] if asked and not is_small(asked[-1]) else []


def claims_of(messages: Sequence[Message]) -> list[str]:
    """What the assistant says that it has done."""
    return [text for message in messages for text in _claims(message)]


def blocker_named(messages: Sequence[Message]) -> str:
    """The sentence in which somebody said lately that the work cannot go on; "" for none."""
    for message in reversed(messages[-3:]):
        for sentence in sentences(message.text):
            if not sentence.foreign and not sentence.question and compiled(_BLOCKED).search(sentence.text):
                return sentence.text
    return ""


def _steps_in(text: str) -> Iterator[str]:
    within = code = False
    for raw in text.split("\n"):
        if raw.lstrip().startswith(("```", "~~~")):
            code = not code
        if code or not raw.strip():
            continue
        if box := re.match(_UNCHECKED, raw):
            yield clean(box["text"])
        elif head := compiled(_LIST_HEAD).match(raw):
            within = True
            if head["rest"]:
                yield clean(head["rest"])
        elif within and (item := re.match(_ITEM, raw)):
            yield clean(item["text"])
        else:
            within = False
            yield from _announced(raw)


def _announced(line: str) -> Iterator[str]:
    for sentence in sentences(line):
        if sentence.foreign or sentence.question:
            continue
        match = compiled(_ANNOUNCED).match(sentence.text)
        step = sentence.text[match.end() :].strip(" .。") if match else ""
        if step:
            yield step[:1].upper() + step[1:]


def _claims(message: Message) -> Iterator[str]:
    if message.role is Role.ASSISTANT:
        languages = languages_of(message.text)
        for sentence in sentences(message.text):
            if not sentence.foreign and says(languages, "claim", sentence.text):
                yield sentence.text
