"""How many tokens are sent for each token that was said, on a steady chat in batches of 20 messages.

Both sides are counted with the product's own estimate. The system text is counted once a batch, the known
notes with what they are after a few hundred messages.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from totalrecall.domain.batch import Batch, Message
from totalrecall.domain.event import Role
from totalrecall.domain.note import Note, Priority
from totalrecall.llm.engine import CompressionRequest
from totalrecall.llm.prompt import fence_name, system_prompt, user_text
from totalrecall.llm.tokens import estimate_chat_tokens, estimate_tokens

BATCH = 20
REACH = 1.3
# Tokens of a message: a short chat line, a usual one, a paragraph, two, an answer with an explanation.
LENGTHS = (25, 60, 120, 250, 400)
START = datetime(2026, 2, 14, 9, 0, tzinfo=UTC)
SENTENCE = "We agreed that the release of atlas goes to staging first and Dana looks at the logs tomorrow. "
PROMPT = Path(__file__).parents[2] / "prompts" / "observer-system.txt"

Row = tuple[str, float, float, float, float]


def rows() -> list[Row]:
    """(name, tokens sent per message, tokens of its text, ratio, reach) by length of the messages."""
    found: list[Row] = []
    for tokens in LENGTHS:
        said, sent, alone = _measured(tokens)
        found.append(
            (
                f"tokens sent a message of {said:.0f} tokens, system text included",
                sent,
                said,
                sent / said,
                REACH,
            )
        )
        found.append(
            (
                f"the same without the (cached) system text, {said:.0f} tokens",
                alone,
                said,
                alone / said,
                REACH,
            )
        )
    return found


def _measured(tokens: int) -> tuple[float, float, float]:
    """Per message: tokens of the words, tokens sent in all, tokens sent without the system text."""
    words = (SENTENCE * (tokens // 10))[: tokens * 4]
    words = words[: len(words) * tokens // max(estimate_tokens(words), 1)].strip()
    messages = tuple(
        Message(
            number,
            number.to_bytes(16, "big"),
            Role.USER if number % 2 else Role.ASSISTANT,
            START + timedelta(seconds=40 * number),
            words,
        )
        for number in range(1, BATCH + 1)
    )
    batch = Batch("3fa9c2d1", "main", "s-1", "agent:main:main", messages)
    known = [Note(Priority.MEDIUM, date(2026, 2, 14), "08:00", SENTENCE.strip()) for _ in range(50)]
    request = CompressionRequest(batch, known, START)
    system = system_prompt(PROMPT.read_text(encoding="utf-8")).text
    user = user_text(request, fence_name(batch, b"bench"))
    said = sum(estimate_tokens(message.text) for message in messages)
    return said / BATCH, estimate_chat_tokens(system, user) / BATCH, estimate_chat_tokens("", user) / BATCH
