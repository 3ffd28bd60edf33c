"""What ``status`` and ``doctor`` should say about the models. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from totalrecall.domain.spend import Pause
from totalrecall.llm.chain import ChainSettings
from totalrecall.llm.failure import FailureKind
from totalrecall.llm.pause import key_subject, model_subject, still_paused
from totalrecall.llm.prices import price_of

_WORDS = {
    FailureKind.MODEL_MISSING: "does not exist there (any more); set another one",
    FailureKind.SETTINGS_EXCLUDE: "has no provider that fits the privacy or price settings",
    FailureKind.PARAMETER: "takes no request of ours",
    FailureKind.RATE_LIMIT: "allows no more calls for now",
    FailureKind.KEY_REFUSED: "is refused; set a valid one",
    FailureKind.NO_CREDIT: "has no credit left; add some",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One sentence about the set-up; ``broken`` when it keeps notes from being made."""

    text: str
    broken: bool


def model_findings(
    settings: ChainSettings, pauses: Mapping[str, Pause], now: datetime
) -> tuple[Finding, ...]:
    """What is known about key and models without a call: pauses that run, and prices that are unknown."""
    endpoint, now_s = settings.endpoint, now.timestamp()
    findings: list[Finding] = []
    key = pauses.get(key_subject(endpoint.url, endpoint.key))
    if key is not None and still_paused(key, now_s):
        findings.append(Finding(f"The key in {endpoint.key_variable} {_why(key, now)}.", broken=True))
    held = [
        (model, pause)
        for model in settings.models
        if (pause := pauses.get(model_subject(endpoint.url, model))) is not None
        and still_paused(pause, now_s)
    ]
    alone = len(held) == len(settings.models)
    findings += [Finding(f"The model {model} {_why(pause, now)}.", broken=alone) for model, pause in held]
    unpriced = [model for model in settings.models if not endpoint.local and price_of(model) is None]
    if unpriced:
        limits = settings.limits
        findings.append(
            Finding(
                f"The price of {', '.join(unpriced)} is not known, so the budget in USD cannot hold it "
                f"back before a"
                f" call; {limits.calls_per_hour} calls an hour of {limits.tokens_per_call} tokens are the "
                f"ceiling.",
                broken=False,
            ),
        )
    return tuple(findings)


def _why(pause: Pause, now: datetime) -> str:
    until = datetime.fromtimestamp(pause.until_s, now.tzinfo)
    words = next((text for kind, text in _WORDS.items() if kind.value == pause.reason), "did not answer")
    times = f", {pause.failures} times in a row" if pause.failures > 1 else ""
    return f"{words}{times}; tried again after {until:%Y-%m-%d %H:%M}"
