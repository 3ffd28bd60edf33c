"""A task snapshot as text: rendering one, and finding those of a daily log. Pure.

The format is literal (README, "Task snapshots"), so that the agent's own memory search finds it. What stands
in a snapshot cannot break it: signs that mean something to the format are written as character references
(``&lt;!--``), and read back as they were.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta, tzinfo

from totalrecall.domain.snapshot import Snapshot, TaskPicture
from totalrecall.memory.snapshot_sections import picture_in
from totalrecall.memory.snapshot_words import MARK, NONE, coded, coded_code, tidy

_OPEN = re.compile(rf"^<!--\s*{MARK}(?:\s+v\d+)?\s*-->\s*$")
_CLOSE = re.compile(rf"^<!--\s*/\s*{MARK}\s*-->\s*$")
_HEADING = re.compile(r"^##\s+Task Snapshot\b(?:\D*(?P<hour>\d{1,2}):(?P<minute>\d{2}))?")
_TIMESTAMP = re.compile(r"^<!--\s*timestamp:\s*(.*?)\s*-->")
_ID = re.compile(r"^<!--\s*snapshot-id:\s*(.*?)\s*-->")
_LAST_SECTION = re.compile(r"^###\s+\[SNAPSHOT\]\s+Next Steps\s*$")
_TICKS = re.compile(r"^\s*(`{3,})", re.MULTILINE)
_HEADING_WITHIN = 4
_DAY = timedelta(days=1)


def render_snapshot(snapshot: Snapshot) -> str:
    """The block as it is appended to the day's log, from its blank first line to its end marker."""
    taken, picture = snapshot.taken, tidy(snapshot.picture)
    sections = "\n\n".join(f"### [SNAPSHOT] {title}\n{body}" for title, body in _sections(picture))
    return (
        f"\n---\n\n## Task Snapshot -- {taken:%H:%M}\n\n"
        f"<!-- {MARK} v1 -->\n"
        f"<!-- timestamp: {taken:%Y-%m-%dT%H:%M:%S} -->\n"
        f"<!-- snapshot-id: {snapshot.snapshot_id} -->\n\n"
        f"{sections}\n\n"
        f"<!-- /{MARK} -->\n"
    )


def parse_snapshots(text: str, day: date, zone: tzinfo | None = None) -> list[tuple[int, Snapshot]]:
    """Each snapshot of a day's log with the number of its first line, in their order.

    One without an end, which a crash or a full disk left, counts when its last section has begun. Its time is
    the time stamp; where that cannot be read or lies after its log's day, the day with the heading's time.
    A time stamp with an offset is turned into ``zone``.
    """
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    opens = [at for at, line in enumerate(lines) if _OPEN.match(line)]
    found = []
    for at, following in zip(opens, [*opens[1:], len(lines)], strict=True):
        head, first = _heading(lines, at)
        end = next((n for n in range(at + 1, following) if _CLOSE.match(lines[n])), None)
        if end is None:
            end = next((n for n in range(at + 1, following) if _HEADING.match(lines[n])), following)
            if not any(_LAST_SECTION.match(line) for line in lines[at:end]):
                continue
        body = lines[at + 1 : end]
        while body[-1:] and body[-1].strip() in {"", "---"}:
            body.pop()
        taken = _taken(body, head, day, zone)
        found.append((first + 1, Snapshot(_first(_ID, body), taken, picture_in(body))))
    return found


def _sections(picture: TaskPicture) -> list[tuple[str, str]]:
    return [
        ("Active Goal", coded(picture.goal, starts_line=True) if picture.goal else NONE),
        ("Current State", _state(picture)),
        ("Files In Play", _listed(_file(one.path, one.what) for one in picture.files)),
        ("Decisions Made", _numbered(_decision(one.text, one.why) for one in picture.decisions)),
        ("Code Context", _fenced(picture.code)),
        ("Key Names & Values", _listed(_name(one.label, one.value) for one in picture.names)),
        (
            "Blockers & Open Questions",
            _listed(
                [f"Blocker: {coded(one)}" for one in picture.blockers]
                + [f"Question: {coded(one)}" for one in picture.questions]
            ),
        ),
        ("Next Steps", _numbered(map(coded, picture.next_steps))),
    ]


def _state(picture: TaskPicture) -> str:
    why = f" -- {coded(picture.blocked_by)}" if picture.blocked_by else ""
    return "\n".join(
        (
            f"- Phase: {picture.phase or 'n/a'}",
            f"- Branch: {coded(picture.branch) if picture.branch else 'n/a'}",
            f"- Blocked: {f'yes{why}' if picture.blocked else 'no'}",
            f"- Progress: {coded(picture.progress) if picture.progress else 'n/a'}",
        )
    )


def _file(path: str, what: str) -> str:
    name = f"`{_ticked(path)}`"
    return f"{name} -- {coded(what)}" if what else name


def _decision(text: str, why: str) -> str:
    # The first two dashes separate: those of the decision itself must not.
    safe = coded(text).replace("--", "&#45;-")
    return f"{safe} -- {coded(why)}" if why else safe


def _name(label: str, value: str) -> str:
    return f"{coded(label).replace(':', '&#58;').replace('`', '&#96;')}: `{_ticked(value)}`"


def _ticked(text: str) -> str:
    return coded(text).replace("`", "&#96;")


def _fenced(code: str) -> str:
    if not code:
        return NONE
    longest = max((len(ticks) for ticks in _TICKS.findall(code)), default=2)
    fence = "`" * (max(longest, 2) + 1)
    return f"{fence}\n{coded_code(code)}\n{fence}"


def _listed(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items) or NONE


def _numbered(items: Iterable[str]) -> str:
    return "\n".join(f"{number}. {item}" for number, item in enumerate(items, 1)) or NONE


def _heading(lines: Sequence[str], at: int) -> tuple[time | None, int]:
    """The time of the heading above an opening mark, and where the snapshot begins."""
    for above in range(at - 1, max(at - 1 - _HEADING_WITHIN, -1), -1):
        if match := _HEADING.match(lines[above]):
            return _clock(match), above
    return None, at


def _clock(match: re.Match[str]) -> time | None:
    try:
        return time(int(match["hour"]), int(match["minute"])) if match["hour"] else None
    except ValueError:
        return None


def _taken(body: Sequence[str], head: time | None, day: date, zone: tzinfo | None) -> datetime:
    at_heading = datetime.combine(day, head or time())
    try:
        stamp = datetime.fromisoformat(_first(_TIMESTAMP, body))
    except ValueError:
        return at_heading
    if stamp.tzinfo is not None:
        stamp = (stamp.astimezone(zone) if zone else stamp).replace(tzinfo=None)
    # What claims to be of a later day than its log would be the newest for ever.
    return stamp if stamp.date() <= day + _DAY else at_heading


def _first(pattern: re.Pattern[str], lines: Sequence[str]) -> str:
    return next((match[1] for line in lines[:8] if (match := pattern.match(line))), "")
