"""What a session is for, from its key and origin, never from words in its text.

Keys as OpenClaw writes them: ``agent:<agent id>:<rest>``, where the rest is ``main``, a name that somebody
chose, ``<channel>:direct:<peer>``, ``<channel>:group:<id>[:topic:<n>]``, ``cron:<job>[:run:<id>]``,
``subagent:<uuid>``, ``dashboard:<uuid>``, ``explicit:<uuid>``. Up to 2026.1 the prefix may be missing.
"""

from __future__ import annotations

from dataclasses import dataclass

from totalrecall.domain.session import SessionKind

MACHINE_KINDS = frozenset(
    {SessionKind.CRON, SessionKind.HEARTBEAT, SessionKind.SUBAGENT, SessionKind.MACHINE}
)
"""Kinds of sessions in which nobody speaks."""

_GROUP_CHATS = frozenset({"group", "channel", "thread", "room", "supergroup", "topic"})
_GROUP_SEGMENTS = frozenset({"group", "channel", "room", "topic"})
_DIRECT_SEGMENTS = frozenset({"direct", "dm"})
_HOST_JOBS = ("dreaming", "active-memory", "active_memory", "memory-flush")
_CREATED_VIA = {
    "cron": SessionKind.CRON,
    "heartbeat": SessionKind.HEARTBEAT,
    "spawn": SessionKind.SUBAGENT,
    "subagent": SessionKind.SUBAGENT,
    "hook": SessionKind.MACHINE,
    "webhook": SessionKind.MACHINE,
    "dreaming": SessionKind.MACHINE,
    "active-memory": SessionKind.MACHINE,
}


@dataclass(frozen=True, slots=True)
class KindFacts:
    """What the store's index knows about a session beside its key; "" when it knows nothing.

    Attributes:
        chat_type: ``direct``, ``group``, ``channel``, …
        created_via: ``run``, ``cron``, ``spawn``, ``operator``, …
        spawned_by: key of the session that spawned it as a sub-agent.
        parent_kind: the kind of the session it came from (fork, spawn), once that is known.
    """

    chat_type: str = ""
    created_via: str = ""
    spawned_by: str = ""
    parent_kind: SessionKind | None = None


def session_kind(key: str, facts: KindFacts) -> SessionKind:
    """The kind of the session with that key. Total: an unknown form of key is ``MAIN``.

    Machine origin beats everything, then a group anywhere in key or chat type (what was said among several
    people must not become one person's memory), then the kind of chat. A child of a machine session or of a
    group follows its parent (R008); a child of a person's chat is what its own key says.
    """
    segments = key.lower().split(":")
    rest = segments[2:] if segments[0] == "agent" else segments
    machine = _machine_kind(rest, facts)
    if machine is not None:
        return machine
    if (
        facts.parent_kind is SessionKind.GROUP
        or facts.chat_type.lower() in _GROUP_CHATS
        or not _GROUP_SEGMENTS.isdisjoint(rest[:-1])
    ):
        return SessionKind.GROUP
    if not _DIRECT_SEGMENTS.isdisjoint(rest[:-1]):
        return SessionKind.DIRECT
    return SessionKind.MAIN


def _machine_kind(rest: list[str], facts: KindFacts) -> SessionKind | None:
    """The machine kind that key, parent or origin give, or None for people's sessions."""
    if facts.parent_kind in MACHINE_KINDS:
        return facts.parent_kind
    if "subagent" in rest[:-1] or facts.spawned_by:
        return _kind_of_spawner(facts.spawned_by)
    return _machine_key(rest) or _CREATED_VIA.get(facts.created_via.lower())


def _machine_key(rest: list[str]) -> SessionKind | None:
    """The machine kind that the key alone gives, or None."""
    # A last segment alone may be a name that somebody chose ("agent:main:cron"): only what introduces an
    # id counts. Behind a chat's segments stand peers' and topics' names, which may be any word.
    leading = rest[:-1]
    if not (_GROUP_SEGMENTS | _DIRECT_SEGMENTS).isdisjoint(leading):
        return SessionKind.HEARTBEAT if rest[-1] == "heartbeat" else None
    if leading and (rest[0] == "cron" or "run" in leading):
        return SessionKind.CRON
    if leading and "heartbeat" in rest:
        return SessionKind.HEARTBEAT
    if any(part.startswith(_HOST_JOBS) for part in rest):
        return SessionKind.MACHINE
    return SessionKind.MACHINE if leading and rest[0] in {"hook", "webhook"} else None


def _kind_of_spawner(spawned_by: str) -> SessionKind:
    """A sub-agent of a cron run is cron work; every other sub-agent is a sub-agent."""
    if spawned_by and session_kind(spawned_by, KindFacts()) is SessionKind.CRON:
        return SessionKind.CRON
    return SessionKind.SUBAGENT
