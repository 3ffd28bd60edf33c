"""The reflector that asks a language model, and follows it only where code agrees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from totalrecall.domain.note import Note, Usage
from totalrecall.errors import (
    BatchRefusedError,
    BatchTooLargeError,
    CeilingError,
    ConfigError,
    ModelUnreachableError,
    TotalRecallError,
)
from totalrecall.llm.access import ModelAccess
from totalrecall.llm.ask import Ask, added
from totalrecall.llm.prompt import SystemPrompt
from totalrecall.llm.reflection.acceptance import Accepted, accept, renumbered
from totalrecall.llm.reflection.answer import read_answer
from totalrecall.llm.reflection.case import Case
from totalrecall.llm.reflection.draft import Draft
from totalrecall.llm.reflection.faults import Fault, fault, for_model, refusals
from totalrecall.llm.reflection.prompt import Sheet, fence_name, user_text, when
from totalrecall.llm.reflection.protect import protection
from totalrecall.llm.reflection.ranges import Range, answer_tokens, halves, newest, plan_ranges, room_for
from totalrecall.llm.reflection.rules import tidied
from totalrecall.llm.reflection.types import (
    Reflection,
    ReflectionRefused,
    ReflectionRequest,
    RefusalCode,
)
from totalrecall.llm.reflection.whole import broken
from totalrecall.llm.tokens import estimate_tokens

_TRIES = 2
_PASSES = 2
# A model that fails on two ranges of a log and on none before fails on all: more calls only cost.
_REFUSED_IN_A_ROW = 2


@dataclass(slots=True)
class _Run:
    """What has happened so far in one reflection."""

    request: ReflectionRequest
    new: frozenset[int]
    usage: Usage = field(default_factory=Usage)
    accepted: int = 0
    in_a_row: int = 0
    refused: list[Fault] = field(default_factory=list)
    stopped: bool = False


@dataclass(frozen=True, slots=True)
class ModelReflector:
    """A reflector by a language model.

    Attributes:
        access: the models of the job.
        prompt: the system text.
        screen: gives a text back with secrets replaced.
    """

    access: ModelAccess
    prompt: SystemPrompt
    screen: Callable[[str], str]

    @property
    def name(self) -> str:
        """``llm``: stands in the ledger beside each rewrite."""
        return "llm"

    def reflect(self, request: ReflectionRequest) -> Reflection | ReflectionRefused:
        """What becomes of each note; see ``Reflector.reflect`` for the errors.

        What is certain by rules is done first. Each range is asked for and judged by itself; a refused range
        stays as it is. When no answer at all was accepted, the reflection is refused.
        """
        run = _Run(request, newest(request.items, request.today, request.word_limit))
        draft = tidied(request)
        for number in range(_PASSES):
            if number and (draft.words <= request.word_limit or run.stopped or run.refused):
                break
            draft = self._passed(draft, run)
        told = refusals(run.refused)
        if run.refused and not run.accepted:
            return ReflectionRefused(told, run.usage)
        outcome = draft.reflection(self.name, run.usage, told)
        faults = broken(request, outcome)
        return ReflectionRefused(faults, run.usage) if faults else outcome

    def _passed(self, draft: Draft, run: _Run) -> Draft:
        """The draft after every range of it was asked for once."""
        today = run.request.today
        free = [
            item for item in draft.pieces if item.number not in run.new and protection(item, today) is None
        ]
        numbers = {item.number for item in free}
        fixed = [item for item in draft.pieces if item.number not in numbers]
        limits = self.access.chain.settings.limits
        room = room_for(estimate_tokens(self.prompt.text), limits.tokens_per_call)
        for part in plan_ranges(free, fixed, room):
            draft = self._ranged(draft, part, run)
            if run.stopped:
                break
        return draft

    def _ranged(self, draft: Draft, part: Range, run: _Run) -> Draft:
        """The draft after one range, cut in halves when it does not fit the model."""
        now = {piece.number: piece for piece in draft.pieces}
        part = replace(part, context=tuple(now[one.number] for one in part.context if one.number in now))
        try:
            outcome = self._asked(part, run)
        except BatchTooLargeError:
            smaller = halves(part)
            if not smaller and run.accepted:
                # What was accepted so far is not thrown away for one note that no call has room for.
                return draft
            if not smaller:
                raise
            for half in smaller:
                draft = self._ranged(draft, half, run)
                if run.stopped:
                    break
            return draft
        except (CeilingError, ModelUnreachableError, ConfigError):
            if not run.accepted:
                raise
            run.refused.append(fault(RefusalCode.STOPPED))
            run.stopped = True
            return draft
        if isinstance(outcome, Accepted):
            run.accepted += 1
            run.in_a_row = 0
            return draft.applied(outcome.merged, outcome.dropped)
        run.refused += outcome
        run.in_a_row += 1
        run.stopped = run.in_a_row >= _REFUSED_IN_A_ROW and not run.accepted
        return draft

    def _asked(self, part: Range, run: _Run) -> Accepted | tuple[Fault, ...]:
        """The first acceptable answer of a model, else what was wrong with the last one."""
        case, back = self._case(part, run)
        faults: tuple[Fault, ...] = ()
        error: TotalRecallError | None = None
        for model in self.access.chain.settings.models:
            try:
                outcome = self._tried(model, case, run)
            except BatchRefusedError:
                faults = (fault(RefusalCode.EMPTY),)
                continue
            except (ModelUnreachableError, ConfigError) as failure:
                error = error or failure
                continue
            if isinstance(outcome, Accepted):
                return renumbered(outcome, back)
            faults = outcome
        if not faults and error is not None:
            raise error
        return faults

    def _tried(self, model: str, case: Case, run: _Run) -> Accepted | tuple[Fault, ...]:
        """One model's answer, asked a second time with what was wrong with the first."""
        chain = self.access.chain.narrowed_to((model,))
        sheet = Sheet(case.changeable, case.fixed, case.today)
        fence = fence_name(sheet, self.access.salt)
        faults: tuple[Fault, ...] = ()
        for _ in range(_TRIES):
            user = user_text(replace(sheet, faults=for_model(faults)), fence)
            wanted = answer_tokens(Range(case.changeable))
            ask = Ask(self.prompt.text, user, wanted, run.request.agent, self.access.job, "")
            answer = chain.ask(ask)
            run.usage = added(run.usage, answer.usage)
            outcome = accept(read_answer(answer.completion.text), case, cut=answer.completion.cut)
            if isinstance(outcome, Accepted):
                return outcome
            faults = outcome
        return faults

    def _case(self, part: Range, run: _Run) -> tuple[Case, dict[int, int]]:
        """The range with small numbers of its own, screened, and the way back to the request's numbers."""
        order = sorted((*part.changeable, *part.context), key=when)
        back = dict(enumerate((item.number for item in order), 1))
        local = {
            item.number: replace(item, number=at, note=self._clean(item.note))
            for at, item in enumerate(order, 1)
        }
        case = Case(
            changeable=tuple(local[item.number] for item in sorted(part.changeable, key=when)),
            fixed=tuple(local[item.number] for item in sorted(part.context, key=when)),
            today=run.request.today,
            screen=self.screen,
            untouchable=frozenset(local[number].number for number in run.new if number in local),
        )
        return case, back

    def _clean(self, note: Note) -> Note:
        children = tuple(replace(child, text=self.screen(child.text)) for child in note.children)
        return replace(note, text=self.screen(note.text), children=children)
