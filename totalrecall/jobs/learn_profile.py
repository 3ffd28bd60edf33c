"""Learning the user's profile from notes that stand on their own words. Silent, except for contradictions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from totalrecall.domain.profile_fact import FactKind, OwnNote, ProfileFact
from totalrecall.errors import BatchRefusedError, CeilingError, ConfigError, ModelUnreachableError
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.new_notes import NewNote, looked_at, new_notes
from totalrecall.jobs.profile_patterns import episodes_of, patterns_of
from totalrecall.memory.profile.changes import Change, Changed, Said, learn
from totalrecall.memory.profile.contacts import Contact, learn_contact, people_named, with_episode
from totalrecall.memory.profile.document import Data
from totalrecall.memory.profile.fields import Field, checked, find_field
from totalrecall.memory.profile.hygiene import tidied
from totalrecall.privacy.instructions import instructs_agent
from totalrecall.privacy.personal import holds_personal_data
from totalrecall.privacy.placeholders import has_placeholder

JOB = "profile"


@dataclass(slots=True)
class LearnReport:
    """What was learnt.

    Attributes:
        agent: from whose notes.
        notes: notes that stand on the user's own words.
        learnt: values, people and episodes added.
        conflicts: contradictions that now wait for the user.
        refused: facts that were left out because of what they hold.
        episodes: how many left because of their age.
    """

    agent: str
    notes: int = 0
    learnt: int = 0
    conflicts: int = 0
    refused: int = 0
    episodes: int = 0

    def count(self, changed: Changed) -> Data:
        """The data of a change, counted."""
        self.learnt += changed.change is Change.ADDED
        self.conflicts += changed.change is Change.CONFLICT
        return changed.data


def learn_profile(ctx: AgentContext) -> LearnReport:
    """What the notes since the last time say about the user, added to the profile; nothing is overwritten.

    A model that does not answer is no reason to wait: the rules read the same words then.

    Raises:
        MemoryFileError: the profile cannot be written; the notes are looked at again next time.
    """
    started_ms = ctx.now_ms()
    report = LearnReport(ctx.agent)
    found = new_notes(ctx, JOB)
    own = [one for one in found.notes if one.said]
    report.notes = len(own)
    facts, patterns = _facts(ctx, own), _patterns(ctx, own)
    happened = [one for one in episodes_of(own) if _may_be_kept(f"{one.summary} {one.outcome}", ctx.screen)]

    def edit(data: Data) -> Data:
        report.learnt = report.conflicts = report.refused = 0
        for fact in facts:
            data = _with_fact(ctx, data, fact, own[fact.number - 1], report)
        for pattern, text, note in patterns:
            data = report.count(learn(data, pattern, text, _said(ctx, note)))
        for episode in happened:
            data = report.count(with_episode(data, episode))
        return data

    if facts or patterns or happened:
        ctx.profile.change(edit, ctx.now())
    report.episodes = _tidy(ctx)
    looked_at(ctx, JOB, found)
    numbers = {"notes": report.notes, "learnt": report.learnt, "conflicts": report.conflicts}
    ctx.ledger.record_run(JOB, started_ms, ok=True, numbers=numbers, ended_ms=ctx.now_ms())
    return report


def _facts(ctx: AgentContext, own: Sequence[NewNote]) -> list[ProfileFact]:
    from totalrecall.llm.extractive.profile_facts import facts_in

    notes = [OwnNote(number, one.note.text, one.said) for number, one in enumerate(own, 1)]
    if not notes:
        return []
    access = ctx.model_for(JOB)
    if access is not None:
        from totalrecall.llm.profile_reader import ModelProfileReader

        try:
            return ModelProfileReader(access, ctx.agent, ctx.screen).facts_in(notes)
        except (ModelUnreachableError, CeilingError, ConfigError, BatchRefusedError) as error:
            ctx.log.warning("profile_read_by_rules", kind=type(error).__name__)
    return facts_in(notes)


def _with_fact(ctx: AgentContext, data: Data, fact: ProfileFact, note: NewNote, report: LearnReport) -> Data:
    values = (fact.value, fact.name, fact.alias, fact.notes)
    if any(not _may_be_kept(one, ctx.screen) for one in values if one):
        report.refused += 1
        return data
    if fact.kind is FactKind.FIELD:
        field = find_field(fact.field)
        value = _checked(field, fact.value)
        if field is None or value is None:
            report.refused += 1
            return data
        return report.count(learn(data, field, value, _said(ctx, note)))
    if not fact.relationship and not people_named(data, fact.name):
        # What somebody likes is of use only where it is known who that is.
        return data
    day = note.at.date().isoformat() if note.at else ""
    contact = Contact(fact.name, fact.relationship, fact.alias, fact.notes, day)
    return report.count(learn_contact(data, contact, _said(ctx, note)))


def _checked(field: Field | None, raw: str) -> object | None:
    try:
        return checked(field, raw) if field is not None else None
    except ValueError:
        return None


def _may_be_kept(text: str, screen: Callable[[str], str]) -> bool:
    """No secret nor the place of one, no personal data of anybody, no order to the agent."""
    clean = screen(text) == text and not has_placeholder(text)
    return clean and not holds_personal_data(text) and not instructs_agent(text)


def _patterns(ctx: AgentContext, own: Sequence[NewNote]) -> list[tuple[Field, str, NewNote]]:
    """What may be kept of the patterns, with the fields they belong to."""
    found = []
    for one in patterns_of(ctx, own):
        field = find_field(one.path)
        value = _checked(field, one.text)
        if field is not None and value is not None and _may_be_kept(one.text, ctx.screen):
            found.append((field, str(value), one.note))
    return found


def _tidy(ctx: AgentContext) -> int:
    """The profile put in order, when there is one that can be read; how many episodes left."""
    data = ctx.profile.read()
    if not isinstance(data, dict):
        return 0
    found = tidied(data, ctx.now())
    if found.data == data:
        return 0
    ctx.profile.change(lambda latest: tidied(latest, ctx.now()).data, ctx.now())
    return found.episodes


def _said(ctx: AgentContext, note: NewNote) -> Said:
    at = note.at or ctx.now()
    return Said(at.isoformat(timespec="seconds"), ctx.agent, note.note.note_id)
