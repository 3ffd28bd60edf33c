"""An engine whose notes are the messages themselves, and which fails when it is told to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from totalrecall.domain.batch import Message
from totalrecall.domain.event import Role
from totalrecall.domain.note import Compression, DraftNote, Note, NoteType, Priority
from totalrecall.llm.engine import CompressionRequest


@dataclass
class EchoEngine:
    """Notes every message of the user word for word; ``failures`` are raised first, one a call.

    ``refuse`` is asked for each batch and may raise.
    """

    name: str = "echo"
    failures: list[Exception] = field(default_factory=list)
    refuse: Callable[[CompressionRequest], None] = lambda _request: None
    requests: list[CompressionRequest] = field(default_factory=list)

    def compress(self, request: CompressionRequest) -> Compression:
        """One note a message of the user; "nothing notable" when there is none."""
        self.requests.append(request)
        if self.failures:
            raise self.failures.pop(0)
        self.refuse(request)
        notes = tuple(_note(one) for one in request.batch.messages if one.role is Role.USER and one.text)
        return Compression(notes, nothing_notable=not notes, engine=self.name)


def _note(message: Message) -> DraftNote:
    text = " ".join(message.text.split())
    note = Note(Priority.LOW, message.at.date(), f"{message.at:%H:%M}", text, NoteType.EVENT)
    return DraftNote(note, (message.number,))
