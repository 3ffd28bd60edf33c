"""What compresses a batch into notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from totalrecall.domain.batch import Batch
from totalrecall.domain.note import Compression, Note


@dataclass(frozen=True, slots=True)
class CompressionRequest:
    """What an engine gets.

    Attributes:
        batch: the messages, screened, oldest first.
        known: recent notes, newest last: "already recorded".
        now: the present time in the user's zone (aware).
        language: ``auto`` or a language tag that notes should be in.
    """

    batch: Batch
    known: Sequence[Note]
    now: datetime
    language: str = "auto"


class Engine(Protocol):
    """A language model behind a URL, or the built-in extractive engine."""

    @property
    def name(self) -> str:
        """``llm`` or ``extractive``: stands in the ledger beside each batch."""

    def compress(self, request: CompressionRequest) -> Compression:
        """Notes for the batch.

        Raises:
            ModelUnreachableError: no model answered; the messages stay pending.
            CeilingError: the budget is used up; the messages stay pending.
            ConfigError: the key is refused, or no model of that name exists; calling stops.
            BatchTooLargeError: the caller halves the batch.
            BatchRefusedError: the model answered, and fails on exactly this batch.
        """
