"""What a distillation would change, without changing anything."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from totalrecall.domain.distilled import Candidate, Judged, Level, Sort, Theme
from totalrecall.errors import MemoryFileError
from totalrecall.files.atomic import FileState, read_state
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.distill.config import StoredSettings, load_distill_settings
from totalrecall.jobs.distill.judging import judge_all
from totalrecall.jobs.distill.written import deleted_texts, has_written
from totalrecall.jobs.new_notes import NewNotes, new_notes
from totalrecall.memory.daily import DailyLog, daily_logs, daily_text
from totalrecall.memory.long_term.block import Entry, LongTerm, TornBlockError, read_long_term
from totalrecall.memory.long_term.merging import Likeness, Merged, merge
from totalrecall.memory.long_term.territory import Territory
from totalrecall.memory.own_sections import without_our_sections
from totalrecall.memory.passages import PassageKind, daily_passages
from totalrecall.privacy.personal import holds_personal_data
from totalrecall.privacy.placeholders import has_placeholder

JOB = "distill"
MAINTAIN_DAYS = 7
LAST_DAY = "distill:last_day"
_ITEM = re.compile(r"^[-*]\s+")
# The user's own number, mail or address, said as such; a sister's number does not become theirs.
_OWN = re.compile(
    r"^\W*(?:user['’]s|my|meine?|nutzers?)\s+(?:(?:new|own|work|private|birthday|neue|eigene|private)\s+)?"
    r"(?:(?:tele|mobile |cell )?phone(?: number)?|number|e-?mail(?: address)?|mail|address|handynummer"
    r"|telefonnummer|mailadresse|adresse)\b"
    # "My mail to Sarah" and "my number for Tom" are about somebody else.
    r"(?!\s+(?:to|for|with|from|by|of|two|an|für|mit|von|bei)\b)|^\W*(?:用户|我)的(?:电话|手机|邮箱|地址)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Plan:
    """What would go where.

    Attributes:
        judged: every candidate with its level, in the order of their numbers.
        withheld: how many were left out because they hold a secret or somebody's personal data.
        memory: ``MEMORY.md`` as it stands.
        memory_state: its bytes when it was read.
        identity: what the profile says about who the user is, for the first build.
        new: what is to go into it.
        merged: its entries afterwards.
        expired: daily logs that are older than the retention.
        language: ``en`` or ``zh``: how headings and reports are written.
        settings: how distillation is to behave.
        notes: what was looked at, for remembering it.
        maintained: the last seven days were gone through again.
        first: there is no ``MEMORY.md`` yet.
    """

    judged: tuple[Judged, ...]
    withheld: int
    memory: LongTerm
    memory_state: FileState
    identity: tuple[Entry, ...]
    new: tuple[Entry, ...]
    merged: Merged
    expired: tuple[DailyLog, ...]
    language: str
    settings: StoredSettings
    notes: NewNotes
    maintained: bool
    first: bool

    def of_level(self, level: Level) -> list[Judged]:
        """The candidates of one level."""
        return [one for one in self.judged if one.level is level]

    @property
    def unsure(self) -> list[Judged]:
        """What the user may decide about."""
        return [one for one in self.judged if not one.sure]

    def counts(self) -> Counter[Sort]:
        """How many decisions, tasks and facts there are, temporary ones aside."""
        return Counter(one.candidate.sort for one in self.judged if one.level is not Level.TEMPORARY)


def territory_of(ctx: AgentContext) -> Territory:
    """What distillation may write for this agent."""
    return Territory(ctx.workspace, ctx.memory_dir)


def plan_distillation(
    ctx: AgentContext,
    *,
    maintain: bool = False,
    rebuild: bool = False,
    promoted: Iterable[int] = (),
    demoted: Iterable[int] = (),
) -> Plan:
    """What a run would change now. ``promoted``, ``demoted``: numbers that the user sends up or leaves out.

    ``rebuild`` goes through every note and daily log again, as the first run does.

    Raises:
        ConfigError: ``distill-config.json`` cannot be used.
        MemoryFileError: ``MEMORY.md`` cannot be read, is gone or empty although we wrote into it, or our
            block in it is torn.
    """
    territory = territory_of(ctx)
    stored = load_distill_settings(territory)
    state = read_state(territory.long_term)
    memory = memory_in(territory, state)
    if not rebuild:
        refuse_if_emptied(ctx, territory, state)
    first = state.content is None or rebuild
    notes = new_notes(ctx, JOB, with_words=False)
    since = date.min if rebuild else _week_before(ctx) if maintain else None
    candidates, withheld = _screened(ctx, _candidates(ctx, notes, since, first=first))
    judged = _as_decided(judge_all(ctx, candidates), set(promoted), set(demoted))
    core = [one for one in judged if one.level is Level.CORE]
    new = [Entry(one.theme, one.candidate.text, one.candidate.day) for one in core]
    identity = _identity(ctx) if first else []
    new = [*identity, *new]
    if not rebuild:
        new = _not_deleted(ctx, memory, new)
    return Plan(
        judged=tuple(judged),
        withheld=withheld,
        memory=memory,
        memory_state=state,
        identity=tuple(identity),
        new=tuple(new),
        merged=merge(memory.entries, new, likeness()),
        expired=tuple(_expired(ctx, stored.settings.retention_days)),
        language=_language(ctx, [one.text for one in candidates]),
        settings=stored,
        notes=notes,
        maintained=maintain,
        first=first,
    )


def likeness() -> Likeness:
    """How entries are compared."""
    from totalrecall.llm.extractive.contradiction import taken_by
    from totalrecall.llm.extractive.restating import restates

    return Likeness(restates, taken_by)


def memory_in(territory: Territory, state: FileState) -> LongTerm:
    """``MEMORY.md`` taken apart.

    Raises:
        MemoryFileError: our block in it is torn.
    """
    try:
        return read_long_term((state.content or b"").decode("utf-8", "surrogateescape"))
    except TornBlockError as error:
        raise MemoryFileError(
            f"Our block in {territory.long_term} is torn: its begin and end marks do not fit together.",
            "Put the marks right (one begin, one end behind it), or remove both. Nothing was written.",
        ) from error


def refuse_if_emptied(ctx: AgentContext, territory: Territory, state: FileState) -> None:
    """A file that is suddenly gone or empty is no fresh start, and not a person who deleted every entry.

    Raises MemoryFileError then.
    """
    if has_written(ctx) and not (state.content or b"").strip(b"\xef\xbb\xbf \t\r\n\0"):
        raise MemoryFileError(
            f"{territory.long_term} is gone or empty, although entries were written into it.",
            f"Put it back, the newest copy is in {territory.archive}; or 'totalrecall distill --rebuild' "
            "makes it anew from all notes and daily logs. Nothing was written.",
        )


def _week_before(ctx: AgentContext) -> date:
    return ctx.now().date() - timedelta(days=MAINTAIN_DAYS)


def _candidates(ctx: AgentContext, notes: NewNotes, since: date | None, *, first: bool) -> list[Candidate]:
    """What is looked at: new notes, all of ``since`` again, and at first also the daily logs."""
    rows = [(one.note, one.session_id) for one in notes.notes]
    if since is not None:
        from totalrecall.ledger.provenance import NoteFilter

        known = {row.note_id for row, _ in rows}
        old = [one for one in ctx.ledger.notes(NoteFilter(since=since)) if one.note_id not in known]
        rows += [(one, "") for one in reversed(old) if one.text and _is_private(ctx, one.marker)]
    found = [
        Candidate(number, row.text, row.day, row.time, row.type, row.priority, source)
        for number, (row, source) in enumerate(rows, 1)
    ]
    return found + (_from_logs(ctx, len(found)) if first else [])


def _is_private(ctx: AgentContext, marker: str) -> bool:
    from totalrecall.jobs.context import OBSERVED_KINDS

    batch = ctx.ledger.batch(marker)
    return batch is not None and batch.session.kind in OBSERVED_KINDS


def _from_logs(ctx: AgentContext, numbered: int) -> list[Candidate]:
    """The list items of the daily logs, oldest first; snapshots and our own records are not news."""
    found: list[Candidate] = []
    for log in reversed(daily_logs(ctx.memory_dir)):
        text = without_our_sections(daily_text(log) or "")
        for passage in daily_passages(text, log.day):
            if passage.kind is PassageKind.DAILY and _ITEM.match(passage.text):
                words = " ".join(_ITEM.sub("", passage.text).split())
                found.append(Candidate(numbered + len(found) + 1, words, log.day))
    return found


def _screened(ctx: AgentContext, candidates: Sequence[Candidate]) -> tuple[list[Candidate], int]:
    """The candidates that may be kept; one with a secret or somebody's personal data is left out whole."""
    kept = [one for one in candidates if _may_be_kept(ctx, one.text)]
    return kept, len(candidates) - len(kept)


def _may_be_kept(ctx: AgentContext, text: str) -> bool:
    if ctx.screen(text) != text or has_placeholder(text):
        return False
    return bool(_OWN.match(text)) or not holds_personal_data(text)


def _as_decided(judged: list[Judged], promoted: set[int], demoted: set[int]) -> list[Judged]:
    done = []
    for one in judged:
        number = one.candidate.number
        if number in promoted:
            done.append(replace(one, level=Level.CORE, sure=True))
        elif number in demoted:
            done.append(replace(one, level=Level.TEMPORARY, sure=True))
        else:
            done.append(one)
    return done


def _identity(ctx: AgentContext) -> list[Entry]:
    """What the profile says about who the user is, for the first build."""
    from totalrecall.memory.profile.summary import known_fields

    data = ctx.profile.read()
    if not isinstance(data, dict):
        return []
    known = [
        f"User's {field.label}: {value}"
        for field, value in known_fields(data)
        if field.path.startswith("identity.")
    ]
    return [Entry(Theme.CORE, text) for text in known if _may_be_kept(ctx, text)]


def _not_deleted(ctx: AgentContext, memory: LongTerm, new: Sequence[Entry]) -> list[Entry]:
    """Without what we wrote before and a person took out of the block: it stays out."""
    gone = deleted_texts(ctx, memory)
    same = likeness().same
    return [one for one in new if not any(same(one.text, text) for text in gone)]


def _expired(ctx: AgentContext, retention_days: int) -> list[DailyLog]:
    oldest = ctx.now().date() - timedelta(days=retention_days)
    return [one for one in daily_logs(ctx.memory_dir) if one.day < oldest]


def _language(ctx: AgentContext, texts: Sequence[str]) -> str:
    """Chinese for a user who writes it, else English: there are two sets of texts."""
    if ctx.settings.language != "auto":
        return "zh" if ctx.settings.language.casefold().startswith("zh") else "en"
    from totalrecall.llm.languages import language_of

    recent = texts or ctx.ledger.note_texts(50)
    found = Counter(language_of(one) for one in recent)
    return "zh" if found["zh"] * 2 > sum(found[one] for one in found if one) else "en"


def ran_today(ctx: AgentContext, last_distill: date | None) -> bool:
    """Whether there was a run today already; remembered also where the settings cannot be written."""
    today = ctx.now().date()
    return last_distill == today or ctx.ledger.get(LAST_DAY) == today.isoformat()
