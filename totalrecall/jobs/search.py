"""Looking something up in everything that is remembered. Offline; reads files, writes none."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import partial
from pathlib import Path

from totalrecall.domain.event import Event
from totalrecall.domain.session import Session
from totalrecall.domain.state import SkipReason
from totalrecall.errors import ConfigError, MemoryFileError, SourceError
from totalrecall.files.atomic import read_state
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.forgotten import forgotten_in
from totalrecall.jobs.gather import first_row, session_facts
from totalrecall.jobs.streams import identity_in, row_of
from totalrecall.memory.passages import (
    Passage,
    PassageKind,
    daily_passages,
    day_in,
    note_passages,
    plain_passages,
)
from totalrecall.memory.ranking import Ranker
from totalrecall.transcripts.carry import Carry
from totalrecall.transcripts.noise import Keep, classify

LIMIT = 20
EXCERPT_CHARS = 300
# Folders of the memory whose content is asked for by --archive, or by nobody.
ARCHIVE, BACKUPS = "archive", "observation-backups"


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """What to look for and where.

    Attributes:
        text: the words.
        limit: how many answers at most.
        archive: also what left the memory files.
        transcripts: also the talk itself.
    """

    text: str
    limit: int = LIMIT
    archive: bool = False
    transcripts: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """One answer.

    Attributes:
        kind: where it was found.
        day: the day it is about, None when nothing tells it.
        time: ``HH:MM``, "".
        file: the file, or the transcript.
        line: its line from 1; for a message its place in the transcript.
        score: how well it answers; only good for comparing within one search.
        text: the passage, screened and shortened around what was found.
    """

    kind: PassageKind
    day: date | None
    time: str
    file: str
    line: int
    score: float
    text: str


@dataclass(slots=True)
class SearchResult:
    """What was found, and how much was looked at.

    Attributes:
        hits: best first.
        passages: how many notes, paragraphs, fields and messages were compared.
        files: the files and transcripts that were read.
        unreadable: those that could not be, with the reason.
    """

    hits: list[Hit] = field(default_factory=list)
    passages: int = 0
    files: int = 0
    unreadable: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Placed:
    """A passage with the file it stands in."""

    passage: Passage
    file: str

    @property
    def text(self) -> str:
        return self.passage.text

    @property
    def day(self) -> date | None:
        return self.passage.day


def search(ctx: AgentContext, options: SearchOptions) -> SearchResult:
    """The passages of notes, daily logs, ``MEMORY.md``, snapshots and states that answer best.

    Raises:
        ConfigError: the question holds no word.
    """
    ranker = Ranker[_Placed](options.text)
    if not ranker.has_terms:
        raise ConfigError(f"There is no word in {options.text!r}.", "Give at least one word to look for.")
    result = SearchResult()
    for path in _files(ctx, archive=options.archive):
        try:
            content = read_state(path).content
        except MemoryFileError as error:
            result.unreadable[str(path)] = error.title
            continue
        if content is None:
            continue
        result.files += 1
        name = str(path)
        ranker.add_all(_Placed(one, name) for one in _passages_of(ctx, path, _decoded(content)))
    if options.transcripts:
        for session in ctx.transcripts.sessions():
            _add_session(ctx, session, ranker, result)
    result.passages = ranker.passages
    for one in ranker.best(options.limit):
        passage = one.passage.passage
        text = _excerpt(ctx.screen(passage.text), options.text)
        hit = Hit(passage.kind, passage.day, passage.time, one.passage.file, passage.line, one.score, text)
        result.hits.append(hit)
    return result


def _files(ctx: AgentContext, *, archive: bool) -> Iterator[Path]:
    """The files of the memory, in a fixed order."""
    memory, workspace = ctx.memory_dir, ctx.workspace
    yield from (workspace / "MEMORY.md", workspace / "SESSION_STATE.md")
    yield from sorted((workspace / "state").glob("*.md"))
    for path in sorted(memory.rglob("*.md")):
        folder = path.relative_to(memory).parts[0]
        if folder == BACKUPS or (folder == ARCHIVE and not archive):
            continue
        # Backups of MEMORY.md repeat it.
        if folder != ARCHIVE or not path.name.startswith("MEMORY-"):
            yield path
    if archive:
        yield from sorted((memory / ARCHIVE).glob("*.jsonl"))


def _passages_of(ctx: AgentContext, path: Path, text: str) -> Iterator[Passage]:
    if path.suffix == ".jsonl":
        return _archived(text)
    if path == ctx.notes.path:
        return note_passages(text)
    if path.parent == ctx.workspace and path.name == "MEMORY.md":
        return plain_passages(text, PassageKind.LONG_TERM)
    if path.parent in {ctx.workspace, ctx.workspace / "state"}:
        return plain_passages(text, PassageKind.STATE)
    if (ctx.memory_dir / ARCHIVE) in path.parents:
        return plain_passages(text, PassageKind.ARCHIVE)
    return daily_passages(text, day_in(path.name))


def _archived(text: str) -> Iterator[Passage]:
    """The notes of an archive file; a line that cannot be read is passed by."""
    for number, line in enumerate(text.split("\n"), 1):
        try:
            found = json.loads(line)
        except ValueError:
            continue
        note = found.get("line") if isinstance(found, dict) else None
        if isinstance(note, str):
            yield Passage(PassageKind.ARCHIVE, note.strip(), number, day_in(str(found.get("day", ""))))


def _add_session(ctx: AgentContext, session: Session, ranker: Ranker[_Placed], result: SearchResult) -> None:
    row = row_of(session, ctx.ledger.session) or first_row(session)
    facts = session_facts(ctx, session, row)
    if facts.session_reason is not None:
        return
    result.files += 1
    carry, forgotten = Carry(), forgotten_in(ctx, session.session_id)
    try:
        for record in ctx.transcripts.read(session, 0):
            if not isinstance(record.body, Event):
                continue
            verdict, carry = classify(record.body, carry, facts)
            if isinstance(verdict, Keep):
                passage = _message(ctx, record.body, verdict.text, record.start)
                if forgotten.covers(record.body):
                    continue
                known = partial(_is_known, ctx, session, record.body)
                ranker.add(_Placed(passage, str(session.location)), known)
    except SourceError as error:
        result.unreadable[str(session.location)] = error.title


def _message(ctx: AgentContext, event: Event, text: str, position: int) -> Passage:
    at = datetime.fromtimestamp(event.at_ms / 1000, ctx.zone) if event.at_ms is not None else None
    words = f"{event.role}: {' '.join(text.split())}"
    return Passage(
        PassageKind.MESSAGE, words, position, at.date() if at else None, f"{at:%H:%M}" if at else ""
    )


def _is_known(ctx: AgentContext, session: Session, event: Event) -> bool:
    """Whether the user has not had this message forgotten."""
    identity = identity_in(session, event)
    row = ctx.ledger.known([identity]).get(identity)
    return row is None or row.reason not in {SkipReason.FORGOTTEN, SkipReason.DELETED_BY_USER}


def _excerpt(text: str, question: str) -> str:
    """The passage, or the part of it around the first word that was asked for."""
    if len(text) <= EXCERPT_CHARS:
        return text
    words = [re.escape(one) for one in question.split() if one]
    found = re.search("|".join(words), text, re.IGNORECASE)
    begin = max(0, min((found.start() if found else 0) - EXCERPT_CHARS // 3, len(text) - EXCERPT_CHARS))
    end = begin + EXCERPT_CHARS
    return f"{'…' if begin else ''}{text[begin:end].strip()}{'…' if end < len(text) else ''}"


def _decoded(content: bytes) -> str:
    return content.decode("utf-8-sig", "replace")
