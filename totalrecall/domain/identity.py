"""What makes two records the same message, wherever they stand."""

from __future__ import annotations

import hashlib

from totalrecall.domain.event import Event

LONG_ID_CHARS = 32


def identity_of(event: Event, session_id: str) -> bytes:
    """The 16 bytes a message keeps when its transcript is copied, forked, rotated, rewritten or imported.

    A UUID is enough by itself. Short ids (8 hex digits up to OpenClaw 2026.7.1) repeat after some ten
    thousand entries by chance, so the time, the role and the words are hashed with them; all of these survive
    a copy.
    Without an id the session counts too.
    """
    digest = hashlib.blake2b(digest_size=16)
    if len(event.entry_id) >= LONG_ID_CHARS:
        digest.update(b"id\0" + event.entry_id.encode("utf-8", "surrogatepass"))
        return digest.digest()
    scope = event.entry_id or f"\1{session_id}"
    tool = event.tool_result
    parts = (
        scope,
        str(event.at_ms),
        event.role or "",
        event.text,
        f"{tool.call_id}\1{tool.name}\1{tool.error_line}" if tool else "",
        "\1".join(call.call_id + call.name for call in event.tool_calls),
    )
    digest.update("\0".join(parts).encode("utf-8", "surrogatepass"))
    return digest.digest()
