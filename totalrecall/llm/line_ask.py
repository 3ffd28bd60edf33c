"""Asking a model about numbered lines: fenced, in parts that fit, answered in JSON."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from totalrecall.errors import BatchTooLargeError
from totalrecall.llm.access import ModelAccess
from totalrecall.llm.ask import Ask
from totalrecall.llm.failure import Completion, Failure, FailureKind
from totalrecall.llm.prompt import OWN_CALL_MARKER
from totalrecall.llm.prompt_files import load_prompt
from totalrecall.llm.reply import json_in, without_reasoning

ITEMS_PER_CALL = 40
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class LineAsk:
    """A question to a model about lines.

    Attributes:
        access: whom to ask.
        agent: whom the call is booked to.
        prompt: the file of the system text.
        fence: what the name of the fence begins with.
        answer_tokens: how long an answer may be.
    """

    access: ModelAccess
    agent: str
    prompt: str
    fence: str
    answer_tokens: int

    def answers(
        self, items: Sequence[Item], lines: Callable[[Sequence[Item]], str]
    ) -> Iterator[tuple[Sequence[Item], str | None]]:
        """Part after part with its answer; None for a single item that no model can take.

        Raises:
            ModelUnreachableError, CeilingError, ConfigError, BatchRefusedError: as ``ModelChain.ask``.
        """
        for begin in range(0, len(items), ITEMS_PER_CALL):
            yield from self._asked(items[begin : begin + ITEMS_PER_CALL], lines)

    def _asked(
        self, part: Sequence[Item], lines: Callable[[Sequence[Item]], str]
    ) -> Iterator[tuple[Sequence[Item], str | None]]:
        system = load_prompt(self.prompt, self.access.prompt_folders).text
        ask = Ask(system, self._fenced(lines(part)), self.answer_tokens, self.agent, self.access.job, "")
        try:
            answer = self.access.chain.ask(ask, _usable)
        except BatchTooLargeError:
            half = len(part) // 2
            if not half:
                yield part, None
                return
            yield from self._asked(part[:half], lines)
            yield from self._asked(part[half:], lines)
        else:
            yield part, answer.completion.text

    def _fenced(self, content: str) -> str:
        name = hashlib.blake2b(content.encode(), key=self.access.salt[:64], digest_size=5).hexdigest()
        fence = f"{self.fence}-{name}"
        return f"{OWN_CALL_MARKER}\n<{fence}>\n{content.replace(fence, self.fence)}\n</{fence}>\n"


def _usable(completion: Completion) -> Failure | None:
    if isinstance(json_in(without_reasoning(completion.text)), list | dict):
        return None
    return Failure(FailureKind.PROSE, f"{completion.model}: the answer holds no JSON.")
