"""Talks for the extractive engine: the labelled corpus and hand-made ones."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from totalrecall.domain.batch import Batch, Message
from totalrecall.domain.event import Role
from totalrecall.domain.note import Compression, Note
from totalrecall.llm.engine import CompressionRequest
from totalrecall.llm.extractive import ExtractiveEngine

CORPUS = Path(__file__).parents[2] / "data" / "extractive_corpus"
BERLIN = ZoneInfo("Europe/Berlin")
THURSDAY = datetime(2026, 1, 1, 10, 22, tzinfo=BERLIN)


@dataclass(frozen=True)
class Label:
    """Strings that stand together in one note; each may have alternatives behind ``|``."""

    keys: tuple[str, ...]
    types: frozenset[str]

    def fits(self, note: Note) -> bool:
        """Whether this note is the labelled one."""
        text = note.text.casefold()
        words = all(any(one.casefold() in text for one in key.split("|")) for key in self.keys)
        return words and note.type is not None and note.type.value in self.types


@dataclass(frozen=True)
class Dialogue:
    name: str
    language: str
    split: str
    messages: tuple[Message, ...]
    facts: tuple[Label, ...]
    never: tuple[Label, ...]


def corpus() -> Iterator[Dialogue]:
    """The labelled dialogues, in the order of the files."""
    for path in sorted(CORPUS.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            at = datetime.fromisoformat(row["at"]).replace(tzinfo=ZoneInfo(row["zone"]))
            yield Dialogue(
                row["id"],
                row["language"],
                row["split"],
                tuple(_message(number, at, one) for number, one in enumerate(row["messages"], 1)),
                tuple(Label(tuple(one["keys"]), frozenset(one["types"])) for one in row["facts"]),
                tuple(Label(tuple(one["keys"]), frozenset(one["types"])) for one in row["never"]),
            )


def _message(number: int, at: datetime, row: dict[str, list[str] | str]) -> Message:
    return Message(
        number,
        str(number).encode(),
        Role(str(row["role"])),
        at + timedelta(seconds=20 * number),
        str(row["text"]),
        tuple(row.get("tools", ())),
        tuple(row.get("quoted", ())),
    )


def user(
    text: str, *, tools: Sequence[str] = (), quoted: Sequence[str] = ()
) -> tuple[Role, str, tuple[str, ...], tuple[str, ...]]:
    """A message of the user, for ``compress``."""
    return Role.USER, text, tuple(tools), tuple(quoted)


def assistant(text: str, *tools: str) -> tuple[Role, str, tuple[str, ...], tuple[str, ...]]:
    """A message of the assistant with its tool lines, for ``compress``."""
    return Role.ASSISTANT, text, tools, ()


def compress(
    *said: tuple[Role, str, tuple[str, ...], tuple[str, ...]],
    at: datetime = THURSDAY,
    known: Sequence[Note] = (),
    group: bool = False,
) -> Compression:
    """The engine's answer to these messages, said ten seconds apart."""
    messages = tuple(
        Message(number, str(number).encode(), role, at + timedelta(seconds=10 * number), text, tools, quoted)
        for number, (role, text, tools, quoted) in enumerate(said, 1)
    )
    return compress_messages(messages, known, group=group)


def compress_messages(
    messages: Sequence[Message], known: Sequence[Note] = (), *, group: bool = False
) -> Compression:
    """The engine's answer to these messages."""
    batch = Batch("0badcafe", "main", "s1", "agent:main:main", tuple(messages), group)
    now = messages[-1].at if messages else THURSDAY
    return ExtractiveEngine().compress(CompressionRequest(batch, known, now))


def texts(answer: Compression) -> list[str]:
    """``type: text`` of each note."""
    return [f"{one.note.type}: {one.note.text}" for one in answer.notes]
