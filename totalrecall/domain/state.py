"""The states a message can be in. Every message is in exactly one."""

from __future__ import annotations

from enum import StrEnum


class MessageState(StrEnum):
    """Coverage: where a message ended up.

    ``PENDING`` and ``BEFORE_ADOPTION`` are never stored: they follow from cursor and adoption.
    """

    NOTED = "noted"
    NOTHING_NOTABLE = "nothing_notable"
    SKIPPED = "skipped"
    BEFORE_ADOPTION = "before_adoption"
    PENDING = "pending"
    SET_ASIDE = "set_aside"


class SkipReason(StrEnum):
    """Why a message was not given to the engine. Always from its origin, never from its vocabulary."""

    MACHINE_SESSION = "machine_session"
    COMMAND = "command"
    HEARTBEAT = "heartbeat"
    CRON = "cron"
    SUBAGENT = "subagent"
    STARTUP = "startup"
    FLUSH = "flush"
    RUNTIME = "runtime"
    INJECTED_MEMORY = "injected_memory"
    INJECTED_REPLY = "injected_reply"
    DUPLICATE = "duplicate"
    ABANDONED_BRANCH = "abandoned_branch"
    GROUP_OFF = "group_off"
    EXCLUDED = "excluded"
    OFF_THE_RECORD = "off_the_record"
    DELETED_BY_USER = "deleted_by_user"
    OWN_CALL = "own_call"
    SILENT = "silent"
    FORGOTTEN = "forgotten"
