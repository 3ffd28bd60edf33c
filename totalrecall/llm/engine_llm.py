"""The engine that asks a language model."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from totalrecall.domain.batch import Batch
from totalrecall.domain.event import Role
from totalrecall.domain.note import Compression
from totalrecall.errors import BatchTooLargeError, TotalRecallError
from totalrecall.llm.ask import Answer, Ask, added
from totalrecall.llm.budget import cost_of, worst_case_tokens
from totalrecall.llm.chain import ModelChain
from totalrecall.llm.engine import CompressionRequest
from totalrecall.llm.failure import Completion, Failure, FailureKind
from totalrecall.llm.judge import Case, Judged, judge
from totalrecall.llm.languages import language_of
from totalrecall.llm.own_words import own_words
from totalrecall.llm.prompt import SystemPrompt, fence_name, has_words, user_text
from totalrecall.llm.reply import Reply, read_reply
from totalrecall.llm.tokens import estimate_chat_tokens
from totalrecall.llm.wire import body_of

_ANSWER_TOKENS = 1_500
_REFUSAL = re.compile(
    r"^\W*(?:i['’]?m sorry|sorry|i (?:cannot|can['’]t|am unable|won['’]t)|as an ai|unfortunately|es tut "
    r"mir leid"
    r"|ich kann (?:das|dabei|diese[nr]?)|抱歉|对不起|我(?:无法|不能))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Rendered:
    """What would be sent for a batch, and what it can cost.

    Attributes:
        url: where to.
        model: whom is asked first.
        body: the request body, byte for byte.
        tokens_in: the estimate.
        tokens_out: the most that the answer may have.
        cost_usd: the worst case; None when the price is unknown.
    """

    url: str
    model: str
    body: bytes
    tokens_in: int
    tokens_out: int
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class LlmEngine:
    """Notes by a language model.

    Attributes:
        chain: the models.
        prompt: the system text with its hash.
        salt: random bytes, kept per installation or process: the fence's name depends on them.
        screen: gives a text back with secrets replaced.
        job: what calls are booked to.
    """

    chain: ModelChain
    prompt: SystemPrompt
    salt: bytes
    screen: Callable[[str], str]
    job: str = "observe"

    @property
    def name(self) -> str:
        """``llm``: stands in the ledger beside each batch."""
        return "llm"

    def render(self, request: CompressionRequest) -> Rendered:
        """What ``compress`` would send first. Raises BatchTooLargeError when it would not send it."""
        settings = self.chain.settings
        ask = self._ask(request, "")
        chat = self.chain.request_for(settings.models[0], ask)
        tokens_in = estimate_chat_tokens(ask.system, ask.user)
        cost = cost_of(chat.price, worst_case_tokens(tokens_in), chat.max_tokens)
        return Rendered(settings.endpoint.url, chat.model, body_of(chat), tokens_in, chat.max_tokens, cost)

    def compress(self, request: CompressionRequest) -> Compression:
        """Notes for the batch; see ``Engine.compress`` for the errors. No call for a batch without words."""
        if not has_words(request.batch):
            return Compression((), nothing_notable=True, engine=self.name, prompt_hash=self.prompt.hash)
        answer, reply, judged = self._attempt(request, "")
        wanted = _wanted_language(request)
        if judged.notes and _speaks_another(judged, wanted):
            answer, reply, judged = self._in_language(request, wanted, (answer, reply, judged))
        return Compression(
            notes=judged.notes,
            nothing_notable=reply.nothing,
            dropped=judged.dropped,
            engine=self.name,
            model=answer.completion.model,
            prompt_hash=self.prompt.hash,
            usage=answer.usage,
        )

    def _attempt(self, request: CompressionRequest, answer_in: str) -> tuple[Answer, Reply, Judged]:
        answer = self.chain.ask(self._ask(request, answer_in), _usable)
        cut = answer.completion.cut
        if cut and len(request.batch.messages) > 1:
            raise BatchTooLargeError(
                f"{answer.completion.model}: the answer was cut off at its length limit."
            )
        reply = read_reply(answer.completion.text, cut=cut)
        case = Case(request.batch, request.known, self.prompt.text, self.screen)
        return answer, reply, judge(reply, case)

    def _in_language(
        self, request: CompressionRequest, wanted: str, first: tuple[Answer, Reply, Judged],
    ) -> tuple[Answer, Reply, Judged]:  # fmt: skip
        """The second answer, if there is one with notes; else the first: a wrong language loses nothing."""
        try:
            answer, reply, judged = self._attempt(request, wanted)
        except TotalRecallError:
            return first
        usage = added(first[0].usage, answer.usage)
        if not judged.notes:
            return replace(first[0], usage=usage), first[1], first[2]
        return replace(answer, usage=usage), reply, judged

    def _ask(self, request: CompressionRequest, answer_in: str) -> Ask:
        batch = request.batch
        user = user_text(request, fence_name(batch, self.salt), answer_in)
        return Ask(self.prompt.text, user, _ANSWER_TOKENS, batch.agent, self.job, batch.session_id)


def _usable(completion: Completion) -> Failure | None:
    """What is wrong with an answer as a whole: no note in it, and not the word that says so."""
    reply = read_reply(completion.text, cut=completion.cut)
    if completion.cut and _runs_in_circles(completion.text, reply):
        # Half the batch would loop just as well, so this is the model's failure and no matter of size (R065).
        return Failure(FailureKind.LOOPED, f"{completion.model} repeats itself until it is cut off.")
    if reply.notes or reply.nothing or completion.cut:
        return None
    if _REFUSAL.match(completion.text):
        return Failure(FailureKind.REFUSED, f"{completion.model} refuses to answer.")
    return Failure(FailureKind.PROSE, f"{completion.model} answers, but not with notes.")


def _runs_in_circles(text: str, reply: Reply) -> bool:
    """True when most lines of the raw answer are the same but for their numbers, notes or not."""
    shapes = [shape for line in text.splitlines() if (shape := re.sub(r"\d+", "0", line).strip())]
    return reply.looped or len(set(shapes)) * 2 < len(shapes)


def _wanted_language(request: CompressionRequest) -> str:
    if request.language != "auto":
        return request.language.split("-", 1)[0].lower()
    return _talk_language(request.batch)


def _talk_language(batch: Batch) -> str:
    mine = language_of("\n".join(own_words(message) for message in batch.messages))
    has_user = any(message.role is Role.USER for message in batch.messages)
    return mine or ("" if has_user else language_of("\n".join(message.text for message in batch.messages)))


def _speaks_another(judged: Judged, wanted: str) -> bool:
    spoken = language_of("\n".join(draft.note.text for draft in judged.notes))
    return bool(wanted) and bool(spoken) and spoken != wanted
