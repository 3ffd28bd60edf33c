"""From a JSON answer to a picture of the task: of the right shape, and only what messages say. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from totalrecall.domain.snapshot import Decision, FileInPlay, NamedValue, Phase, TaskPicture
from totalrecall.domain.task_talk import TaskTalk
from totalrecall.llm.grounding import unfounded

_MOST = 15
_TEXT_CHARS = 600
_CODE_CHARS = 8_000
_CODE_SHARE = 0.8
# A step or goal may be put in other words than the talk's; what must hold are its details.
_DOUBT = frozenset({"nothing in common"})


@dataclass(frozen=True, slots=True)
class Ground:
    """What a picture may stand on.

    Attributes:
        talk: the messages.
        previous: the picture before.
        rules: what the rules make of it.
    """

    talk: TaskTalk
    previous: TaskPicture | None
    rules: TaskPicture
    source: str = field(init=False)

    def __post_init__(self) -> None:
        """Everything that is said, without the words of others: an order in a mail is no step of the task."""
        object.__setattr__(self, "source", "\n".join([*_said(self.talk), *_known(self.previous)]))

    def holds(self, text: str) -> bool:
        """Whether the details of ``text`` occur in what it may stand on."""
        moments = [one.at for one in self.talk.messages]
        return not set(unfounded(text, self.source, moments)) - _DOUBT

    def names(self, text: str) -> bool:
        """Whether ``text`` occurs as it is."""
        return " ".join(text.casefold().split()) in " ".join(self.source.casefold().split())


def picture_from(data: Mapping[str, Any], ground: Ground) -> TaskPicture:
    """The picture; of what the model left out or invented, the rules' where they have something."""
    rules = ground.rules
    goal = text_of(data.get("goal"))
    blocked_by = _founded(data.get("blocked_by"), ground)
    return TaskPicture(
        goal=goal if goal and ground.holds(goal) else rules.goal,
        phase=_phase(data.get("phase")) or rules.phase,
        branch=branch if (branch := text_of(data.get("branch"))) and ground.names(branch) else rules.branch,
        blocked=bool(blocked_by),
        blocked_by=blocked_by,
        progress=_founded(data.get("progress"), ground),
        files=tuple(_files(data.get("files"), ground)) or rules.files,
        decisions=tuple(_decisions(data.get("decisions"), ground)),
        code=_code(data.get("code"), ground),
        names=tuple(_names(data.get("names"), ground)),
        blockers=texts_of(data.get("blockers"), ground.holds),
        questions=texts_of(data.get("questions"), ground.holds),
        next_steps=texts_of(data.get("next_steps"), ground.holds),
    )


def texts_of(value: object, holds: Callable[[str], bool]) -> tuple[str, ...]:
    """The texts of a JSON list that hold; a single text counts as a list of one."""
    items = value if isinstance(value, list) else [value]
    texts = (text_of(item.get("text") if isinstance(item, dict) else item) for item in items[:_MOST])
    return tuple(text for text in texts if text and holds(text))


def text_of(value: object) -> str:
    """One line; "" for what is no text and for words that say there is nothing."""
    text = " ".join(value.split())[:_TEXT_CHARS] if isinstance(value, str) else ""
    return (
        "" if text.casefold().strip(" .") in {"none", "n/a", "null", "no", "empty", "无", "keine"} else text
    )


def _founded(value: object, ground: Ground) -> str:
    text = text_of(value)
    return text if text and ground.holds(text) else ""


def _phase(value: object) -> Phase | None:
    try:
        return Phase(text_of(value).casefold())
    except ValueError:
        return None


def _objects(value: object) -> Iterator[Mapping[str, Any]]:
    for item in value[:_MOST] if isinstance(value, list) else ():
        if isinstance(item, dict):
            yield item
        elif isinstance(item, str):
            yield {"path": item, "text": item, "value": item}


def _files(value: object, ground: Ground) -> Iterator[FileInPlay]:
    touched = {one.path for one in ground.talk.touches}
    for item in _objects(value):
        path = text_of(item.get("path"))
        if path and (path in touched or ground.names(path)):
            yield FileInPlay(path, _founded(item.get("what"), ground))


def _decisions(value: object, ground: Ground) -> Iterator[Decision]:
    for item in _objects(value):
        text = _founded(item.get("text"), ground)
        if text:
            yield Decision(text, _founded(item.get("why"), ground))


def _names(value: object, ground: Ground) -> Iterator[NamedValue]:
    for item in _objects(value):
        found = text_of(item.get("value"))
        if found and ground.names(found):
            yield NamedValue(text_of(item.get("label")) or "Name", found)


def _code(value: object, ground: Ground) -> str:
    """The code, if nearly all its lines were shown in the talk."""
    code = value[:_CODE_CHARS] if isinstance(value, str) else ""
    lines = [line.strip() for line in code.split("\n") if line.strip()]
    shown = sum(ground.names(line) for line in lines)
    return code if lines and shown >= _CODE_SHARE * len(lines) else ""


def _said(talk: TaskTalk) -> Iterator[str]:
    for message in talk.messages:
        yield message.text
        yield from message.tools
    yield from (one.path for one in talk.touches)


def _known(picture: TaskPicture | None) -> Iterator[str]:
    if picture is None:
        return
    yield from (picture.goal, picture.branch, picture.progress, picture.code)
    yield from (f"{one.path} {one.what}" for one in picture.files)
    yield from (f"{one.text} {one.why}" for one in picture.decisions)
    yield from (f"{one.label} {one.value}" for one in picture.names)
    yield from (*picture.blockers, *picture.questions, *picture.next_steps)
