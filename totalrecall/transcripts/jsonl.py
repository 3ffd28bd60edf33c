"""The transcripts of OpenClaw's file era: one JSONL file per session. Read only, without locks (R124)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePath

from totalrecall.domain.cursor import Cursor
from totalrecall.domain.event import BadRecord, Event, Record
from totalrecall.domain.session import Session, StoreKind
from totalrecall.transcripts.cursor import Probe, reconcile
from totalrecall.transcripts.dialects.openclaw import events_from_line
from totalrecall.transcripts.filenames import FileKind, family_id
from totalrecall.transcripts.folder import FoundFile, SessionFolder
from totalrecall.transcripts.index import SessionIndex
from totalrecall.transcripts.last_entries import end_of_entries, last_lines_hash
from totalrecall.transcripts.lines import BLANK, BOM, Lines, finished_bytes, read_lines
from totalrecall.transcripts.store import Opening, Start
from totalrecall.transcripts.tape import Tape, age_ms, hashes_now, open_for_reading, rest_after, source_error

_SETTLED_S = 1.0
_TAPES_KEPT = 2
_NEW = tuple.__new__  # half the cost of Record(...), once per line of hundreds of megabytes


class JsonlStore:
    """TranscriptStore over one sessions folder. Nothing in that folder is ever written, locked or renamed.

    ``now_ms`` is the clock (milliseconds since 1970). A file that did not change for ``quiet_s`` seconds is
    quiet: its last line counts although the newline is missing, if it is a finished record.
    """

    def __init__(
        self, agent: str, sessions_dir: Path, *, now_ms: Callable[[], int], quiet_s: float = 5.0
    ) -> None:
        self._agent = agent
        self._folder = SessionFolder(sessions_dir)
        self._index = SessionIndex(sessions_dir / "sessions.json")
        self._now_ms = now_ms
        self._quiet_s = quiet_s
        self._tapes: dict[PurePath, Tape] = {}
        self._promised: dict[PurePath, Cursor] = {}

    def sessions(self) -> Sequence[Session]:
        """Every transcript in the folder, oldest change first; an empty list while there is no folder.

        Two files never share a session id (see ``filenames.variant_id``). Raises SourceError when the folder
        may not be read.
        """
        self._index.refresh()
        return [self._session(found) for found in self._folder.files()]

    def open(self, session: Session, cursor: Cursor | None) -> Opening:
        """Where to begin; NOTHING for a transcript that is gone. Reads at most 140 kB."""
        self._promised.pop(session.location, None)
        position = max(cursor.position, 0) if cursor else 0
        descriptor = open_for_reading(session.location)
        if descriptor is None:
            return Opening(Start.NOTHING, position, "gone")
        try:
            opening = reconcile(cursor, self._probe(descriptor, position))
        except OSError as error:
            raise source_error(session.location, error) from error
        finally:
            os.close(descriptor)
        if cursor and opening.start is Start.RESUME:
            self._promised[session.location] = cursor
        return opening

    def read(self, session: Session, position: int) -> Iterator[Record]:
        """Records from ``position`` on. Ends quietly when the transcript goes or is no longer the same."""
        descriptor = open_for_reading(session.location)
        if descriptor is None:
            return
        try:
            tape = self._new_tape(session.location, descriptor)
            if tape.begin(position, self._promised.get(session.location)):
                yield from self._records(tape, descriptor, position)
        except OSError as error:
            raise source_error(session.location, error) from error
        finally:
            os.close(descriptor)

    def cursor_at(self, session: Session, position: int, carry: str) -> Cursor:
        """The cursor for ``position``, made from the bytes that were read, where they are still known.

        What replaced them meanwhile was never delivered; a cursor that fitted it would lose it. A transcript
        that is gone gets a cursor that fits nothing.
        """
        if position <= 0:
            return Cursor(StoreKind.JSONL, 0, carry=carry)
        tape = self._tapes.get(session.location)
        hashes = (tape.hashes_at(position) if tape else None) or _hashes_of(session.location, position)
        return Cursor(StoreKind.JSONL, position, *hashes, carry)

    def last_entries(self, session: Session, cursor: Cursor | None = None) -> str:
        """The hash of the last entries. Reads at most a few MiB from the end on."""
        descriptor = open_for_reading(session.location)
        if descriptor is None:
            return ""
        try:
            return _last_entries(descriptor, cursor)
        except OSError as error:
            raise source_error(session.location, error) from error
        finally:
            os.close(descriptor)

    def _session(self, found: FoundFile) -> Session:
        entry = self._index.entry_for(family_id(found.session_id)) or self._index.entry_for(
            found.name.session_id
        )
        return Session(
            agent=self._agent,
            session_id=found.session_id,
            store=StoreKind.JSONL,
            location=found.path,
            key=entry.key if entry else "",
            kind=self._index.kind_of(entry),
            parent_key=entry.spawned_by if entry else "",
            ended=found.name.kind is FileKind.ENDED,
            size=found.size,
            modified_ms=found.modified_ms,
            cwd=found.cwd,
        )

    def _probe(self, descriptor: int, position: int) -> Probe:
        status = os.fstat(descriptor)
        age_s = age_ms(descriptor, self._now_ms()) / 1000
        head, tail = hashes_now(descriptor, position)
        return Probe(
            size=status.st_size,
            head=head,
            tail=tail,
            rest=rest_after(descriptor, position, status.st_size),
            settled=age_s >= min(_SETTLED_S, self._quiet_s),
            quiet=age_s >= self._quiet_s,
        )

    def _new_tape(self, location: PurePath, descriptor: int) -> Tape:
        self._tapes.pop(location, None)
        while len(self._tapes) >= _TAPES_KEPT:
            del self._tapes[next(iter(self._tapes))]
        tape = self._tapes[location] = Tape(descriptor)
        return tape

    def _records(self, tape: Tape, descriptor: int, position: int) -> Iterator[Record]:
        from totalrecall.transcripts.dialects.plain import plain_event

        for lines in read_lines(tape.read_at, position):
            if not lines.whole:
                if age_ms(descriptor, self._now_ms()) >= self._quiet_s * 1000:
                    yield from _last_records(lines)
                return
            end = lines.start
            for content in lines.contents:
                start = end
                end = lines.end if lines.reduced else start + len(content) + 1
                event = plain_event(content)
                if event is not None:
                    yield _NEW(Record, (start, end, event))
                    continue
                for found in _events(content, start):
                    yield Record(start, end, _sized(found, end - start) if lines.reduced else found)


def _events(content: bytes, start: int) -> Sequence[Event | BadRecord]:
    """What an unusual line holds, NUL bytes and the file's BOM left out."""
    if 0 in content:
        content = content.translate(None, b"\0")
    return events_from_line(content if start else content.removeprefix(BOM))


def _sized(event: Event | BadRecord, size_bytes: int) -> Event | BadRecord:
    """``event``; a bad record with the size that its line has in the file."""
    return event._replace(size_bytes=size_bytes) if isinstance(event, BadRecord) else event


def _last_records(last: Lines) -> Iterator[Record]:
    """The finished records of a quiet last line; half a record stays where it is, for ever if need be."""
    content = last.contents[0]
    length = finished_bytes(content)
    if not length or (last.reduced and content[length:].strip(BLANK)):
        return
    end = last.end if last.reduced else last.start + length
    for event in _events(content[:length], last.start):
        yield Record(last.start, end, event)


def _last_entries(descriptor: int, cursor: Cursor | None) -> str:
    def read_at(offset: int, size: int) -> bytes:
        return os.pread(descriptor, size, offset)

    if cursor is None:
        return last_lines_hash(read_at, end_of_entries(read_at, os.fstat(descriptor).st_size))
    fits = hashes_now(descriptor, cursor.position) == (cursor.head, cursor.tail)
    return last_lines_hash(read_at, cursor.position) if fits else ""


def _hashes_of(location: PurePath, position: int) -> tuple[str, str]:
    descriptor = open_for_reading(location)
    if descriptor is None:
        return "", ""
    try:
        return hashes_now(descriptor, position)
    except OSError as error:
        raise source_error(location, error) from error
    finally:
        os.close(descriptor)
