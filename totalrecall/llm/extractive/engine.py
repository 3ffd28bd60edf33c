"""The built-in engine: notes by rules, without key, network, clock or chance."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from totalrecall.domain.batch import Message
from totalrecall.domain.event import Role
from totalrecall.domain.note import Compression, DraftNote, Dropped, Note, NoteType, Priority, Usage
from totalrecall.domain.words import count_words
from totalrecall.llm.engine import CompressionRequest
from totalrecall.llm.extractive.assistant import accepted, read_turn
from totalrecall.llm.extractive.candidate import Candidate, Spoken
from totalrecall.llm.extractive.corrections import link_corrections
from totalrecall.llm.extractive.cues import compiled, says
from totalrecall.llm.extractive.dates import named_days
from totalrecall.llm.extractive.language import languages_around, languages_of
from totalrecall.llm.extractive.scoring import Chosen, choose, priorities
from totalrecall.llm.extractive.similar import among, same
from totalrecall.llm.extractive.tools import Run, runs
from totalrecall.llm.extractive.user import read_user
from totalrecall.llm.extractive.wording import written

_LOOK_BACK = 120
_PHONE = r"\+?\d[\d ()/-]{7,}\d"

REPLACED = "corrected"
AGAIN = "said again"
NO_ROOM = "no room"


class ExtractiveEngine:
    """Compresses by rules; the same request always gives the same answer."""

    name = "extractive"

    def compress(self, request: CompressionRequest) -> Compression:
        """Notes for the batch; nothing notable where neither a rule nor the structure finds anything.

        Where all that was found is recorded already, there are no notes and it is all in ``dropped``.
        """
        messages = request.batch.messages
        said = _candidates(messages)
        if request.batch.group:
            said = [one for one in said if not _is_personal(one)]
        found = link_corrections(said, request.known)
        fresh, dropped = _without_known(found.candidates, request.known)
        dropped += tuple(Dropped(written(one), REPLACED) for one in found.replaced)
        words = sum(count_words(message.text) for message in messages)
        chosen = choose(fresh, words)
        notes = tuple(
            _note(one, priority)
            for one, priority in zip(chosen, priorities(chosen, request.known), strict=True)
        )
        taken = [one.candidate for one in chosen]
        # What there is no room for is kept aside, where `notes --dropped` shows it.
        no_room = tuple(Dropped(written(one), NO_ROOM) for one in fresh if one not in taken)
        return Compression(
            notes=notes,
            nothing_notable=not notes and not dropped,
            dropped=dropped + no_room,
            engine=self.name,
            usage=Usage(),
        )


def _is_personal(one: Candidate) -> bool:
    """In a group nobody can tell whose wish it is, and what others say of themselves is not kept (R094)."""
    wish = one.type in {NoteType.RULE, NoteType.PREFERENCE, NoteType.HABIT}
    of_oneself = one.type is not NoteType.EVENT and says(one.languages, "first_person", one.text) is not None
    return wish or of_oneself or compiled(_PHONE).search(one.text) is not None


def _note(chosen: Chosen, priority: Priority) -> DraftNote:
    candidate = chosen.candidate
    note = Note(
        priority=priority,
        day=candidate.at.date(),
        time=f"{candidate.at:%H:%M}",
        text=chosen.text,
        type=candidate.type,
    )
    return DraftNote(note, candidate.cites, verified=candidate.verified)


def _candidates(messages: Sequence[Message]) -> list[Candidate]:
    around = languages_around([message.text for message in messages if message.role is Role.USER])
    talk = [Spoken(message, languages_of(message.text, around)) for message in messages]
    turns = _turns(talk)
    found: list[Candidate] = []
    for number, turn in enumerate(turns):
        before = turns[number - 1] if number else []
        found = _without_retracted(found, turn, before)
        found += _of_user(turn, before)
        done = read_turn(turn, _later_runs(turns[number + 1 :]))
        if any(spoken.message.role is Role.ASSISTANT for spoken in turn):
            worked = any(one.verified and not one.prefix for one in done)
            found = [one for one in found if not (one.request and (worked or not _has_day(one)))]
        found += done
    return sorted(found, key=lambda one: one.cites[-1])


def _has_day(one: Candidate) -> bool:
    """An answered request is no open task any more; one for a day is, until something was done."""
    return bool(named_days(one.text, one.at.date()))


def _later_runs(turns: Sequence[Sequence[Spoken]], most: int = 3) -> list[Run]:
    return [call for turn in turns[:most] for spoken in turn for call in runs(spoken.message.tools)]


def _turns(talk: Sequence[Spoken]) -> list[list[Spoken]]:
    """Each message of the user with what the assistant said to it."""
    turns: list[list[Spoken]] = []
    for spoken in talk:
        if spoken.message.role is Role.USER or not turns:
            turns.append([])
        turns[-1].append(spoken)
    return turns


def _of_user(turn: Sequence[Spoken], before: Sequence[Spoken]) -> list[Candidate]:
    spoken = turn[0]
    if spoken.message.role is not Role.USER:
        return []
    said = read_user(spoken)
    if before and before[-1].message.role is Role.ASSISTANT:
        decision = accepted(spoken, before[-1])
        own = next((at for at, one in enumerate(said) if one.type is NoteType.DECISION), None)
        if decision is not None and own is not None:
            # "Sounds good, let's do the magic link": the user's own words say it best.
            said[own] = replace(said[own], cites=decision.cites)
        elif decision is not None:
            rest = [one for one in said if one.type is not NoteType.CONTEXT]
            return [decision, *(one for one in rest if not same(one.text, decision.text))]
    return said


def _without_retracted(
    found: list[Candidate], turn: Sequence[Spoken], before: Sequence[Spoken]
) -> list[Candidate]:
    """Without what the user takes back at once: "just kidding"."""
    spoken = turn[0]
    if spoken.message.role is not Role.USER or not before:
        return found
    if not says(spoken.languages, "retract", spoken.message.text.strip()):
        return found
    return [one for one in found if before[0].message.number not in one.cites]


def _without_known(
    found: Sequence[Candidate], known: Sequence[Note]
) -> tuple[list[Candidate], tuple[Dropped, ...]]:
    """Without what is recorded already, or was said before in this batch (R072)."""
    told = [text for note in known for text in (note.text, *(child.text for child in note.children))]
    fresh: list[Candidate] = []
    dropped: list[Dropped] = []
    for one in found:
        repeats = _repeats(one, told)
        if repeats:
            dropped.append(Dropped(written(one), "known"))
        elif among(one.text, (other.text for other in fresh[-_LOOK_BACK:])):
            dropped.append(Dropped(written(one), AGAIN))
        else:
            fresh.append(one)
    return fresh, tuple(dropped)


def _repeats(one: Candidate, told: Sequence[str]) -> bool:
    return any(_says_both(one, text) for text in told) if one.replaces else among(one.text, told)


def _says_both(one: Candidate, text: str) -> bool:
    """A correction is news until a note says both the new value and the old one."""
    old = re.escape(one.replaces)
    new = re.sub(rf"(?:,|and|und)?\s*(?:\b(?:not|nicht)\b|不是)?\s*{old}", " ", one.text, flags=re.IGNORECASE)
    return one.replaces.casefold() in text.casefold() and same(new, text)
