"""Where something is remembered. Nothing is changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from totalrecall.domain.event import Event
from totalrecall.domain.session import Session
from totalrecall.errors import ConfigError, MemoryFileError, SourceError
from totalrecall.files.atomic import read_state
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.forget.places import Place, places
from totalrecall.jobs.streams import stream_of
from totalrecall.ledger.forgetting import HeldText
from totalrecall.memory.long_term.block import TornBlockError
from totalrecall.memory.profile.contacts import contacts
from totalrecall.memory.profile.document import Data
from totalrecall.memory.profile.removal import Found, matches, matches_of_notes, without, without_notes
from totalrecall.memory.surgery import Build, scrubbed, unescaped
from totalrecall.privacy.phrase import holds, tokens_of

MIN_NOTE_CHARS = 8


@dataclass(frozen=True, slots=True)
class Target:
    """What is to be forgotten.

    Attributes:
        phrase: words, "" when whole sessions are meant.
        sessions: the host's ids of the sessions that are meant.
        texts: the notes that were made from those sessions.
        note_ids: their names in the ledger.
    """

    phrase: str = ""
    sessions: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    note_ids: tuple[str, ...] = ()

    def held_by(self, text: str) -> bool:
        """Whether a text holds it."""
        if self.phrase:
            return holds(text, self.phrase)
        bare = " ".join(text.split())
        return any(one in bare for one in self.texts)

    def matches_in(self, profile: Data) -> list[Found]:
        """What of the profile it is."""
        if self.phrase:
            return matches(profile, self.phrase)
        return matches_of_notes(profile, self.note_ids, self.texts)

    def taken_out_of(self, profile: Data) -> Data:
        """The profile without it."""
        if self.phrase:
            return without(profile, self.phrase)
        return without_notes(profile, self.note_ids, self.texts)


@dataclass(frozen=True, slots=True)
class FoundPiece:
    """One place that remembers it: a line of a file, a row of the ledger, a field of the profile."""

    where: str
    line: int
    text: str


@dataclass(slots=True)
class Findings:
    """Everything that was found.

    Attributes:
        agent: whose memory was looked through.
        target: what was looked for.
        pieces: what will be removed.
        out_of_reach: what holds it, or may, and is not ours to change; with what to do.
    """

    agent: str
    target: Target
    pieces: list[FoundPiece] = field(default_factory=list)
    out_of_reach: list[str] = field(default_factory=list)


def phrase_target(phrase: str) -> Target:
    """The words to be forgotten.

    Raises:
        ConfigError: there is no word in them.
    """
    if not tokens_of(phrase):
        raise ConfigError(f"There is no word in {phrase!r}.", "Give at least one word to forget.")
    return Target(phrase=phrase)


def session_target(ctx: AgentContext, wanted: str) -> Target:
    """Everything that was made from the sessions that an id, a key or a glob over both names.

    Raises:
        ConfigError: no session, present or known, matches.
    """
    streams = {row.session_id for row in ctx.ledger.sessions() if _is_meant(row.session_id, row.key, wanted)}
    streams |= {
        stream_of(one) for one in ctx.transcripts.sessions() if _is_meant(one.session_id, one.key, wanted)
    }
    if not streams:
        raise ConfigError(
            f"No session matches {wanted!r}.", "Give a session id, a key, or a glob such as 'agent:main:*'."
        )
    identities = [one for stream in sorted(streams) for one in ctx.ledger.identities_of(stream)]
    note_ids = ctx.ledger.note_ids_citing(identities)
    known = {one.note_id: one.text for one in ctx.ledger.notes_named(note_ids)}
    texts = tuple(" ".join(text.split()) for text in known.values() if len(text) >= MIN_NOTE_CHARS)
    sessions = tuple(sorted({one.split("#", 1)[0] for one in streams}))
    return Target(sessions=sessions, texts=tuple(dict.fromkeys(texts)), note_ids=tuple(known))


def find(ctx: AgentContext, target: Target) -> Findings:
    """Every place that remembers it: files, ledger, profile; and what is out of reach."""
    found = Findings(ctx.agent, target)
    for path, build, text in _files(ctx, found):
        try:
            pieces = scrubbed(build, text, target.held_by).pieces
        except TornBlockError:
            found.out_of_reach.append(f"{path}: our block in it is torn; put its marks right and try again.")
            continue
        found.pieces += [FoundPiece(str(path), one.line, ctx.screen(one.text)) for one in pieces]
        if build is Build.OUR_BLOCK and _is_held_outside(text, target, len(pieces)):
            found.out_of_reach.append(f"{path}: what others wrote outside our block; edit it yourself.")
    found.pieces += [_of_ledger(ctx, one) for one in ctx.ledger.texts_holding(target.held_by)]
    found.pieces += list(_of_profile(ctx, target))
    found.out_of_reach += _beyond(ctx, target)
    return found


def _files(ctx: AgentContext, found: Findings) -> Iterator[tuple[Path, Build, str]]:
    every = [Place(ctx.notes.path, Build.LOG), *places(ctx)]
    for place in every:
        try:
            content = read_state(place.path).content
        except MemoryFileError as error:
            found.out_of_reach.append(f"{place.path}: {error.title}")
            continue
        if content is not None:
            yield place.path, place.build, content.decode("utf-8", "surrogateescape")


def _is_held_outside(text: str, target: Target, pieces: int) -> bool:
    return sum(1 for line in text.split("\n") if target.held_by(line)) > pieces


def _of_ledger(ctx: AgentContext, held: HeldText) -> FoundPiece:
    key = " ".join(str(one) for one in held.key)
    shown = " ".join(ctx.screen(held.text).split())[:160]
    return FoundPiece(f"{ctx.ledger.path} ({held.table} {key})", 0, shown)


def _of_profile(ctx: AgentContext, target: Target) -> Iterator[FoundPiece]:
    data = ctx.profile.read()
    if isinstance(data, dict):
        for one in target.matches_in(data):
            yield FoundPiece(f"{ctx.profile.path} ({one.path})", 0, ctx.screen(one.shown))
    for path in ctx.profile.copies():
        text = (read_state(path).content or b"").decode("utf-8", "replace")
        if target.held_by(unescaped(text)):
            yield FoundPiece(str(path), 0, "a damaged profile that was kept")


def _beyond(ctx: AgentContext, target: Target) -> list[str]:
    """The agent's own transcripts and index, which we never write."""
    said = [
        f"{session.location}: the agent's own transcript (session {session.session_id})"
        for session in ctx.transcripts.sessions()
        if _speaks_of(ctx, session, target)
    ]
    said += _people_named(ctx, target)
    said.append("OpenClaw's own search index: 'openclaw memory index --force' makes it anew.")
    if any((folder / ".git").exists() for folder in (ctx.workspace, *ctx.workspace.parents)):
        said.append(f"{ctx.workspace} lies in a Git repository: its history keeps what was committed.")
    return said


def _people_named(ctx: AgentContext, target: Target) -> list[str]:
    """People of the profile whom the forgotten notes name: nothing says where else they are known from."""
    data = ctx.profile.read() if target.texts else None
    people = contacts(data) if isinstance(data, dict) else []
    names = [str(one.get("name")) for one in people if tokens_of(str(one.get("name")))]
    return [
        f"{name} stays in the profile; to remove them: totalrecall profile forget '{name}'"
        for name in names
        if any(holds(text, name) for text in target.texts)
    ]


def _speaks_of(ctx: AgentContext, session: Session, target: Target) -> bool:
    if session.session_id in target.sessions:
        return True
    if not target.phrase:
        return False
    try:
        return any(
            isinstance(one.body, Event) and holds(one.body.text, target.phrase)
            for one in ctx.transcripts.read(session, 0)
        )
    except SourceError:
        return False


def _is_meant(session_id: str, key: str, wanted: str) -> bool:
    return fnmatchcase(session_id, wanted) or (bool(key) and fnmatchcase(key, wanted))
