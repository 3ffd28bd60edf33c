"""From what the model proposed to what is kept, and why the rest is not. Pure. Judging never loses.

Kept, but marked and not above 🟡: a note without a citation, or with details that its messages do not
bear out. Left out, with a reason that ``notes --dropped`` shows: loops, echoes of the prompt's example, what
is recorded already, prose, secrets, and orders to the agent that the user did not give.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from totalrecall.domain.batch import Batch, Message
from totalrecall.domain.note import DraftNote, Dropped, Note, NoteType, Priority
from totalrecall.llm.grounding import unfounded
from totalrecall.llm.own_words import backed_by_user, is_order, is_standing
from totalrecall.llm.reply import Reply, read_reply
from totalrecall.llm.reply_line import ReplyLine
from totalrecall.llm.words import CJK, overlap
from totalrecall.privacy.instructions import instructs_agent

# Of an answer's notes, at most this share may be red (the prompt asks for a quarter); two always may.
_RED_SHARE = 0.3
_RED_ALWAYS = 2
_ECHO = 0.75
_PROMPT_ECHO = 0.95
_OWN_GROUND = 0.4
_DROPPED_CHARS = 300
_WISHES = frozenset({NoteType.RULE, NoteType.PREFERENCE})
_WEIGHT = {
    NoteType.RULE: 0,
    NoteType.PREFERENCE: 0,
    NoteType.DECISION: 0,
    NoteType.GOAL: 0,
    NoteType.EVENT: 2,
    NoteType.CONTEXT: 3,
}
_BREAKS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+")
_REPLACED = re.compile(
    r"\((?:replaces|ersetzt|取代|替换|remplace|reemplaza)\s*[:：].*?\)|（(?:取代|替换)[:：].*?）",
    re.IGNORECASE,
)
# A line of the talk as we wrote it, or of our own head: a model that copies its input makes no notes.
_INPUT = re.compile(r"^(?:\d{1,3} [UA]\b|\w+day(?: \d{2}:\d{2} \S+)?$|SIGN\b|HH:MM\b|</?talk-)")
_KEY_DROP = frozenset(
    [
        "the",
        "a",
        "an",
        "der",
        "die",
        "das",
        "ein",
        "eine",
        "el",
        "la",
        "los",
        "las",
        "le",
        "les",
        "un",
        "une",
        "of",
    ]
)


@dataclass(frozen=True, slots=True)
class Case:
    """What an answer is judged against.

    Attributes:
        batch: the messages.
        known: notes that are recorded already.
        prompt: the system text; its example and rules are recognised when they come back.
        screen: gives a text back with secrets replaced; a text that it changes holds one.
    """

    batch: Batch
    known: Sequence[Note]
    prompt: str
    screen: Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Judged:
    """What survives, in the order of the answer, and what was left out, screened."""

    notes: tuple[DraftNote, ...]
    dropped: tuple[Dropped, ...]


def judge(reply: Reply, case: Case) -> Judged:
    """The notes of a reply that are kept, and everything that is not, with the reason."""
    example = example_text(case.prompt)
    known = {_key(note.text) for note in case.known} | {
        _key(child.text) for note in case.known for child in note.children
    }
    everything = "\n".join(_said(message) for message in case.batch.messages)
    kept: list[DraftNote] = []
    dropped = [Dropped(case.screen(one.text)[:_DROPPED_CHARS], one.reason) for one in reply.dropped]
    for line in reply.notes:
        text = _one_line(line.text)
        cited = tuple(message for message in case.batch.messages if message.number in line.cites)
        reason = _why_not(text, cited, case)
        reason = reason or ("known" if _key(text) in known else "")
        reason = reason or ("echo" if _is_echo(text, example, case.prompt, everything) else "")
        if reason:
            dropped.append(Dropped(case.screen(text)[:_DROPPED_CHARS], reason))
            continue
        kept.append(_draft(replace(line, text=text), cited, case, everything, dropped))
    return Judged(tuple(_without_inflation(kept)), tuple(dropped))


def example_text(prompt: str) -> str:
    """Everything after the word EXAMPLE in a prompt, and all its note lines: what must not come back."""
    lines = [line.text for line in read_reply(prompt).notes if line.priority is not None]
    _, _, after = prompt.partition("\nEXAMPLE")
    return "\n".join([*lines, after])


def _why_not(text: str, cited: tuple[Message, ...], case: Case) -> str:
    if case.screen(text) != text:
        return "secret"
    if _INPUT.match(text):
        return "echo"
    orders = is_order(text) or instructs_agent(text)
    if orders and not backed_by_user(text, cited or case.batch.messages):
        return "order"
    return ""


def _draft(
    line: ReplyLine, cited: tuple[Message, ...], case: Case, everything: str, dropped: list[Dropped],
) -> DraftNote:  # fmt: skip
    kind, priority = line.type, line.priority or Priority.LOW
    if (kind in _WISHES or is_standing(line.text)) and not backed_by_user(line.text, cited):
        kind = NoteType.CONTEXT if kind in _WISHES else kind
        priority = _at_most_medium(priority)
    children = tuple(_child(child, line, cited, case, dropped) for child in line.children)
    kept = tuple(child for child in children if child is not None)
    verified = bool(cited) and not any(
        _unfounded(text, cited, case, everything) for text in (line.text, *(child.text for child in kept))
    )
    if not verified:
        priority = _at_most_medium(priority)
        kept = tuple(replace(child, priority=_at_most_medium(child.priority)) for child in kept)
    day, time = _when(line, cited, case.batch)
    kept = tuple(replace(child, day=day) for child in kept)
    note = Note(priority, day, time, line.text, kind, kept)
    return DraftNote(note, tuple(message.number for message in cited), verified)


def _child(
    child: ReplyLine, parent: ReplyLine, cited: tuple[Message, ...], case: Case, dropped: list[Dropped],
) -> Note | None:  # fmt: skip
    text = _one_line(child.text)
    own = tuple(message for message in case.batch.messages if message.number in child.cites) or cited
    reason = _why_not(text, own, case)
    if reason or not text:
        dropped.append(Dropped(case.screen(text)[:_DROPPED_CHARS], reason or "prose"))
        return None
    kind, priority = child.type, child.priority or parent.priority or Priority.LOW
    if kind in _WISHES and not backed_by_user(text, own):
        kind, priority = NoteType.CONTEXT, _at_most_medium(priority)
    _, time = _when(child, own, case.batch) if child.time or child.cites else (date.min, "")
    return Note(priority, date.min, time, text, kind)


def _unfounded(text: str, cited: tuple[Message, ...], case: Case, everything: str) -> bool:
    """Details looked for in the cited messages; what a note says it replaces, in everything known."""
    moments = [message.at for message in cited]
    source = "\n".join(_said(message) for message in cited)
    if unfounded(_REPLACED.sub(" ", text), source, moments):
        return True
    old = " ".join(match[0] for match in _REPLACED.finditer(text))
    older = "\n".join([everything, *(note.text for note in case.known)])
    moments += [message.at for message in case.batch.messages]
    return bool(old) and bool(unfounded(_inside(old), older, moments))


def _inside(replaced: str) -> str:
    return re.sub(r"^[(（][^:：]*[:：]|[)）]$", " ", replaced)


def _when(line: ReplyLine, cited: tuple[Message, ...], batch: Batch) -> tuple[date, str]:
    """Day and time of a note are those of its message, whatever the model wrote."""
    if cited:
        match = next((message for message in cited if f"{message.at:%H:%M}" == line.time), cited[0])
        return match.at.date(), f"{match.at:%H:%M}"
    days = {message.at.date() for message in batch.messages}
    for message in batch.messages:
        if f"{message.at:%H:%M}" == line.time and line.day in {None, message.at.date()}:
            return message.at.date(), line.time
    last = batch.messages[-1].at
    day = line.day if line.day is not None and line.day in days else last.date()
    return day, line.time or f"{last:%H:%M}"


def _without_inflation(drafts: list[DraftNote]) -> list[DraftNote]:
    """Reds beyond the share lowered to 🟡: events and contexts first, then from the end."""
    red = [at for at, draft in enumerate(drafts) if draft.note.priority is Priority.HIGH]
    allowed = max(_RED_ALWAYS, math.ceil(len(drafts) * _RED_SHARE))
    red.sort(key=lambda at: (_WEIGHT.get(drafts[at].note.type or NoteType.FACT, 1), at))
    lowered = set(red[allowed:])
    return [
        replace(draft, note=replace(draft.note, priority=Priority.MEDIUM)) if at in lowered else draft
        for at, draft in enumerate(drafts)
    ]


def _is_echo(text: str, example: str, prompt: str, everything: str) -> bool:
    """True when a note says what the prompt says and the talk does not."""
    if CJK.search(text) or overlap(text, everything) >= _OWN_GROUND:
        return False
    return (bool(example.strip()) and overlap(text, example) >= _ECHO) or overlap(
        text, prompt
    ) >= _PROMPT_ECHO


def _key(text: str) -> str:
    """Equal for notes that say the same in the same words, in any order; numbers and negations count."""
    words = re.findall(r"[^\W_]+(?:[.:/@-][^\W_]+)*", text.casefold())
    return " ".join(sorted(word for word in words if word not in _KEY_DROP)) if words else text


def _said(message: Message) -> str:
    return "\n".join((message.text, *message.tools, *message.quoted))


def _one_line(text: str) -> str:
    return " ".join(_BREAKS.sub(" ", text).split())


def _at_most_medium(priority: Priority) -> Priority:
    return Priority.MEDIUM if priority is Priority.HIGH else priority
