"""What is not well with an agent, from what is known of it. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath

# The agent wrote something so lately that it is plainly active …
ACTIVE_MS = 3_600_000
# … and what can be read of its talk is so much older.
BEHIND_MS = 86_400_000
OVERDUE_MS = 2 * 3_600_000
TYPES_SHOWN = 3


class Health(StrEnum):
    """GREEN: all is well. YELLOW: something wants a look. RED: notes are not being made."""

    GREEN = "green"
    YELLOW = "yellow"
    RED = "red"


@dataclass(frozen=True, slots=True)
class Trouble:
    """One thing that is not well: how bad, what in one sentence, and what to do."""

    health: Health
    what: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Signs:
    """What tells whether notes are being made. Times are milliseconds since 1970 UTC, 0 for never.

    Attributes:
        sessions: transcripts that can be read.
        newest_ms: the newest change of one of them.
        noted_to_ms: the newest message that has a state.
        pending: messages that wait.
        set_aside: messages that the model fails on.
        known: messages that have a state.
        bad_records: records that could not be read.
        unknown_types: types of records that nobody knows.
        written_ms: the newest write to any file of the agent's that looks like a transcript.
        written: that file.
        last_ok_ms: when an observer's run last went well.
        last_bad_ms: when one last went badly.
        last_bad_reason: why.
    """

    sessions: int = 0
    newest_ms: int = 0
    noted_to_ms: int = 0
    pending: int = 0
    set_aside: int = 0
    known: int = 0
    bad_records: int = 0
    unknown_types: tuple[str, ...] = ()
    written_ms: int = 0
    written: PurePath | None = None
    last_ok_ms: int = 0
    last_bad_ms: int = 0
    last_bad_reason: str = ""


def worst_first(troubles: Iterable[Trouble]) -> tuple[Trouble, ...]:
    """The troubles by how bad they are; one that says the same is left out."""
    order = {Health.RED: 0, Health.YELLOW: 1, Health.GREEN: 2}
    return tuple(sorted(dict.fromkeys(troubles), key=lambda one: order[one.health]))


def troubles_in(signs: Signs, now_ms: int) -> list[Trouble]:
    """What the signs say is not well."""
    found = [_last_run(signs, now_ms), _silence(signs, now_ms), _nothing_known(signs)]
    if not signs.sessions:
        what = "No transcript was found for this agent."
        found.append(Trouble(Health.YELLOW, what, "'totalrecall doctor' shows every place looked at."))
    if signs.set_aside:
        verb = "message is" if signs.set_aside == 1 else "messages are"
        what = f"{signs.set_aside:,} {verb} set aside, because the model fails on them every time."
        remedy = "See 'totalrecall notes --set-aside'; add --retry to try them again."
        found.append(Trouble(Health.YELLOW, what, remedy))
    return [one for one in found if one is not None]


def _last_run(signs: Signs, now_ms: int) -> Trouble | None:
    if not signs.pending:
        return None
    if signs.last_bad_ms and signs.last_bad_ms >= signs.last_ok_ms:
        why = signs.last_bad_reason or "see 'totalrecall doctor'"
        return Trouble(Health.RED, f"The last run could not note everything: {why}")
    if signs.last_ok_ms and now_ms - signs.last_ok_ms > OVERDUE_MS:
        what = f"{signs.pending:,} messages wait, and nothing has observed for hours."
        remedy = (
            "Start the service ('totalrecall service install') or a cron job, or run 'totalrecall observe'."
        )
        return Trouble(Health.RED, what, remedy)
    return None


def _silence(signs: Signs, now_ms: int) -> Trouble | None:
    """An agent that is plainly active and of which nothing arrives (R001, R104)."""
    if not signs.written_ms or now_ms - signs.written_ms > ACTIVE_MS:
        return None
    if signs.sessions and signs.written_ms - signs.newest_ms <= BEHIND_MS:
        return None
    what = f"The agent writes to {signs.written}, and " + (
        "the talk that can be read is more than a day older."
        if signs.sessions
        else "no talk in it can be read."
    )
    remedy = (
        "OpenClaw may keep its transcripts elsewhere now: update Total Recall, and run 'totalrecall doctor'."
    )
    return Trouble(Health.RED, what, remedy)


def _nothing_known(signs: Signs) -> Trouble | None:
    """Transcripts that grow, and of which no record can be understood any more."""
    remedy = "OpenClaw's format may have changed: update Total Recall."
    names = ", ".join(sorted(signs.unknown_types)[:TYPES_SHOWN])
    if signs.unknown_types and not signs.known and not signs.pending:
        what = f"Not one record of the transcripts is of a known type (found: {names})."
        return Trouble(Health.RED, what, remedy)
    stuck = signs.newest_ms - signs.noted_to_ms > BEHIND_MS and not signs.pending
    if stuck and signs.known and (signs.bad_records or signs.unknown_types):
        told = f"types {names}" if names else f"{signs.bad_records:,} records"
        what = f"The transcripts grow, and for more than a day nothing in them could be understood ({told})."
        return Trouble(Health.RED, what, remedy)
    return None
