"""Asking models in their order until one gives a usable answer."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import datetime

from totalrecall.domain.note import Usage
from totalrecall.domain.spend import Pause, SpendLimits
from totalrecall.errors import (
    BatchRefusedError,
    BatchTooLargeError,
    CeilingError,
    ConfigError,
    ModelUnreachableError,
    TotalRecallError,
)
from totalrecall.llm.ask import Answer, Ask, added
from totalrecall.llm.attempts import Attempts, RetryLimits
from totalrecall.llm.budget import SpendBook
from totalrecall.llm.endpoint import Endpoint
from totalrecall.llm.failure import TRANSIENT, USELESS, Completion, Failure, FailureKind
from totalrecall.llm.openrouter import Surroundings
from totalrecall.llm.pause import (
    AUTH_PAUSE_S,
    MISSING_PAUSE_S,
    PAYMENT_PAUSE_S,
    PauseBook,
    backoff,
    fixed_pause,
    key_subject,
    model_subject,
    still_paused,
)
from totalrecall.llm.wire import ChatRequest

_KEY_KINDS = {FailureKind.KEY_REFUSED: AUTH_PAUSE_S, FailureKind.NO_CREDIT: PAYMENT_PAUSE_S}
_SET_UP_KINDS = frozenset({FailureKind.ENVIRONMENT, FailureKind.BAD_URL, FailureKind.REDIRECT})
_GONE_KINDS = frozenset(
    {FailureKind.MODEL_MISSING, FailureKind.SETTINGS_EXCLUDE, FailureKind.PARAMETER, FailureKind.FORBIDDEN}
)
_FREE = ":free"
_PING_TOKENS = 16


@dataclass(frozen=True, slots=True)
class ChainSettings:
    """Whom to ask and within which limits.

    Attributes:
        endpoint: where.
        models: primary first; at least one.
        limits: the spending ceilings.
        retry: how often and how long one model is asked again.
    """

    endpoint: Endpoint
    models: tuple[str, ...]
    limits: SpendLimits = field(default_factory=SpendLimits)
    retry: RetryLimits = field(default_factory=RetryLimits)


@dataclass(frozen=True, slots=True)
class Books:
    """The two books that survive restarts; ``ledger.spend.SpendLedger`` is both."""

    spend: SpendBook
    pauses: PauseBook


def _any_words(_completion: Completion) -> Failure | None:
    return None


class ModelChain:
    """Primary, fallback and further models, each with a back-off of its own that survives restarts."""

    def __init__(
        self, settings: ChainSettings, books: Books, around: Surroundings, zone_now: Callable[[], datetime]
    ) -> None:
        self.settings = settings
        self._pauses = books.pauses
        self._around = around
        self._zone_now = zone_now
        self._attempts = Attempts(
            settings.endpoint, settings.limits, settings.retry, books.spend, around, zone_now
        )

    def ask(self, ask: Ask, usable: Callable[[Completion], Failure | None] = _any_words) -> Answer:
        """The first usable answer.

        ``usable`` looks at a completion and says what is wrong with it, so that useless words are a failure
        of that model and the next one is asked.

        Raises:
            ModelUnreachableError, CeilingError, ConfigError, BatchTooLargeError, BatchRefusedError: as in
                ``llm.engine.Engine.compress``; the title is that of the first real failure, never a wrapper.
        """
        self._raise_if_key_is_paused()
        usage, failures = Usage(), list[Failure]()
        for model in self.settings.models:
            if held := self._held(model):
                failures.append(held)
                continue
            result, took = self._attempts.run(model, ask)
            usage = added(usage, took)
            if isinstance(result, Completion):
                self._pauses.clear(model_subject(self.settings.endpoint.url, model))
                result = usable(result) or result
            if isinstance(result, Completion):
                return Answer(result, usage)
            failures.append(result)
            self._after(model, result)
        self._raise_if_everything_is_rejected(failures, ask)
        raise _verdict(failures)

    def narrowed_to(self, models: tuple[str, ...]) -> ModelChain:
        """The same chain with these models only, for a caller that decides itself when to go to the next."""
        chain = copy(self)
        chain.settings = replace(self.settings, models=models)
        return chain

    def request_for(self, model: str, ask: Ask) -> ChatRequest:
        """The first request that ``ask`` would send; raises BatchTooLargeError when it cannot fit."""
        return self._attempts.request_for(model, ask)

    def probe(self, model: str, ask: Ask) -> Failure | None:
        """Asks one model without looking at its pause, for ``doctor``; None when it answers."""
        result, _ = self._attempts.run(model, ask)
        if isinstance(result, Failure):
            return None if result.kind in {FailureKind.STARVED, FailureKind.EMPTY} else result
        self._pauses.clear(model_subject(self.settings.endpoint.url, model))
        self._pauses.clear(key_subject(self.settings.endpoint.url, self.settings.endpoint.key))
        return None

    def _raise_if_everything_is_rejected(self, failures: list[Failure], ask: Ask) -> None:
        """A plain 400 is either about this batch or about every request: one tiny question tells which.

        Without it, a wrong set-up would set every message aside, one batch after the other.
        """
        if not failures or any(failure.kind is not FailureKind.BAD_REQUEST for failure in failures):
            return
        ping = Ask("Answer with OK.", "ping", _PING_TOKENS, ask.agent, ask.job, ask.session)
        failure = self.probe(self.settings.models[0], ping)
        if failure is not None and failure.kind is FailureKind.BAD_REQUEST:
            raise ConfigError(
                failures[0].title, "It rejects every request: check OBSERVER_MODEL and LLM_BASE_URL."
            )

    def _after(self, model: str, failure: Failure) -> None:
        """Pauses what must not be called again soon; raises where no other model can help."""
        now_s, url = self._around.now_s(), self.settings.endpoint.url
        if failure.kind in _KEY_KINDS:
            subject = key_subject(url, self.settings.endpoint.key)
            length_s = _KEY_KINDS[failure.kind]
            self._pauses.pause(
                subject, fixed_pause(self._pauses.paused(subject), now_s, failure.kind, length_s)
            )
            raise self._key_error(failure)
        if failure.kind in _SET_UP_KINDS:
            raise ConfigError(failure.title, failure.hint)
        if failure.kind is FailureKind.STOPPED:
            raise ModelUnreachableError(failure.title, "Messages stay pending.")
        if failure.kind is FailureKind.CONTEXT_SIZE:
            raise BatchTooLargeError(failure.title)
        if failure.kind in _GONE_KINDS:
            self._pause_model(model, lambda old: fixed_pause(old, now_s, failure.kind, MISSING_PAUSE_S))
        elif failure.kind in TRANSIENT:
            told = failure.retry_at_s
            for name in self._sharing_quota(model, failure):
                self._pause_model(name, lambda old: backoff(old, now_s, failure.kind, told))

    def _pause_model(self, model: str, change: Callable[[Pause | None], Pause]) -> None:
        subject = model_subject(self.settings.endpoint.url, model)
        self._pauses.pause(subject, change(self._pauses.paused(subject)))

    def _sharing_quota(self, model: str, failure: Failure) -> tuple[str, ...]:
        """The models that the same refusal holds for: an account has one daily quota for free ones (R055)."""
        shared = (
            failure.kind is FailureKind.RATE_LIMIT
            and model.endswith(_FREE)
            and "free-models" in failure.title
        )
        return tuple(name for name in self.settings.models if name.endswith(_FREE)) if shared else (model,)

    def _held(self, model: str) -> Failure | None:
        pause = self._pauses.paused(model_subject(self.settings.endpoint.url, model))
        if pause is None or not still_paused(pause, self._around.now_s()):
            return None
        when = datetime.fromtimestamp(pause.until_s, self._zone_now().tzinfo)
        return Failure(
            _kind(pause.reason),
            f"{model} is not called before {when:%Y-%m-%d %H:%M} ({pause.reason.replace('_', ' ')}).",
            "Messages wait; nothing is lost.",
            retry_at_s=pause.until_s,
        )

    def _raise_if_key_is_paused(self) -> None:
        endpoint = self.settings.endpoint
        pause = self._pauses.paused(key_subject(endpoint.url, endpoint.key))
        if pause is not None and still_paused(pause, self._around.now_s()):
            kind = _kind(pause.reason)
            words = "has no credit left" if kind is FailureKind.NO_CREDIT else "refuses the key"
            raise self._key_error(
                Failure(kind, f"{endpoint.host} {words}; it was asked before and is left alone for now.")
            )

    def _key_error(self, failure: Failure) -> TotalRecallError:
        if failure.kind is FailureKind.NO_CREDIT:
            hint = failure.hint or "Add credit there. Messages wait, and it is tried again every hour."
            return CeilingError(failure.title, hint)
        variable = self.settings.endpoint.key_variable
        return ConfigError(
            failure.title, f"Set {variable} to a valid key. Messages wait, and a new key is tried at once."
        )


def _verdict(failures: list[Failure]) -> TotalRecallError:
    """What it means that every model failed. Whatever may pass keeps the messages pending (R031)."""
    passing = [failure for failure in failures if failure.kind in TRANSIENT]
    if passing:
        return ModelUnreachableError(passing[0].title, passing[0].hint or "Messages stay pending.")
    useless = [failure for failure in failures if failure.kind in USELESS]
    if useless:
        return BatchRefusedError(useless[0].title, useless[0].hint)
    if failures:
        return ConfigError(failures[0].title, failures[0].hint)
    return ConfigError("No model is set.", "Set OBSERVER_MODEL.")


def _kind(reason: str) -> FailureKind:
    try:
        return FailureKind(reason)
    except ValueError:
        return FailureKind.SERVER
