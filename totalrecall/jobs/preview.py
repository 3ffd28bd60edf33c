"""What the next run would send, without sending or writing anything."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from totalrecall.domain.batch import Message
from totalrecall.domain.event import Role
from totalrecall.jobs.adopt import begins_at_ms
from totalrecall.jobs.compress import Compressor
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.gather import peek
from totalrecall.jobs.streams import row_of
from totalrecall.ledger.rows import Adoption
from totalrecall.llm.engine import CompressionRequest
from totalrecall.transcripts.batch import plan_batches


class _Rendered(Protocol):
    url: str
    model: str
    body: bytes
    tokens_in: int
    cost_usd: float | None


@runtime_checkable
class _Renders(Protocol):
    def render(self, request: CompressionRequest) -> _Rendered: ...


@dataclass(frozen=True, slots=True)
class Preview:
    """One request of the next run.

    Attributes:
        session_id: whose messages.
        messages: how many.
        url: where it would go, "" for the built-in engine.
        model: whom it would ask first, "".
        body: the request body, byte for byte; for the built-in engine the messages that it would read.
        tokens_in: the estimate of what goes in.
        cost_usd: the most that it can cost; None when the price is unknown.
    """

    session_id: str
    messages: int
    url: str
    model: str
    body: str
    tokens_in: int
    cost_usd: float | None


def previews(ctx: AgentContext, wanted: str = "") -> Iterator[Preview]:
    """The requests that ``observe`` would send now, in its order.

    What a model answers to the first changes the "already recorded" part of the second; apart from that they
    are what is sent.
    """
    from fnmatch import fnmatchcase

    adoption = ctx.ledger.adoption() or Adoption(ctx.now_ms(), begins_at_ms(ctx.now(), ctx))
    compressor = Compressor(ctx)
    for session in ctx.transcripts.sessions():
        if wanted and not (fnmatchcase(session.session_id, wanted) or fnmatchcase(session.key, wanted)):
            continue
        row = row_of(session, ctx.ledger.session)
        portion = peek(ctx, session, row, adoption)
        items = [one.item for one in portion.entries if one.item is not None]
        for planned in plan_batches(items, compressor.limits, compressor.view(portion)):
            if planned.messages:
                batch = compressor.batch(portion, planned)
                yield _preview(ctx, compressor.request(batch))


def _preview(ctx: AgentContext, request: CompressionRequest) -> Preview:
    engine = ctx.engine_for()
    batch = request.batch
    if isinstance(engine, _Renders):
        rendered = engine.render(request)
        body = rendered.body.decode("utf-8")
        return Preview(
            batch.session_id,
            len(batch.messages),
            rendered.url,
            rendered.model,
            body,
            rendered.tokens_in,
            rendered.cost_usd,
        )
    text = "\n".join(_line(one) for one in batch.messages)
    return Preview(batch.session_id, len(batch.messages), "", "", text, 0, 0.0)


def _line(message: Message) -> str:
    who = "user" if message.role is Role.USER else "assistant"
    shown = replace(message, text=" ".join(message.text.split()))
    tools = "".join(f" | {one}" for one in shown.tools)
    return f"{message.number}. {message.at:%Y-%m-%d %H:%M} {who}: {shown.text}{tools}"
