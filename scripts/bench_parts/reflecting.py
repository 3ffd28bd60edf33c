"""Consolidating 12,000 words of the project's own talk: what is left, what went and why, at which price.

Without arguments: the built-in rules, and a scripted model that answers honestly. With a real one:

    python -m scripts.bench_parts.reflecting --base-url http://127.0.0.1:8080/v1 --model NAME [--words 12000]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from scripts.bench_parts._part import Row
from tests.fakes.reflector import TODAY, LabelledLog, ScriptedChain, honest_answer, long_log
from totalrecall.domain.note import Usage
from totalrecall.domain.spend import SpendLimits
from totalrecall.domain.words import count_words
from totalrecall.ledger.spend import SpendLedger
from totalrecall.llm.access import ModelAccess
from totalrecall.llm.ask import Answer, Ask
from totalrecall.llm.budget import cost_of
from totalrecall.llm.chain import Books, ChainSettings, ModelChain
from totalrecall.llm.endpoint import endpoint_from
from totalrecall.llm.failure import Completion, Failure
from totalrecall.llm.openrouter import CallLimits, Surroundings
from totalrecall.llm.prices import price_of
from totalrecall.llm.prompt_files import REFLECTOR, load_prompt
from totalrecall.llm.reflection.model import ModelReflector
from totalrecall.llm.reflection.protect import protection
from totalrecall.llm.reflection.ranges import newest
from totalrecall.llm.reflection.rules import ExtractiveReflector
from totalrecall.llm.reflection.subject import said
from totalrecall.llm.reflection.types import Reflection, ReflectionRefused, ReflectionRequest, Reflector
from totalrecall.llm.reflection.whole import broken
from totalrecall.llm.tokens import estimate_chat_tokens, estimate_tokens
from totalrecall.privacy.screening import screen

PRICED_AS = "google/gemini-2.5-flash"


@dataclass(frozen=True)
class Measured:
    """What a reflection did to a log.

    Attributes:
        before, after: words.
        free_before, free_after: words that are neither protected nor too new.
        left: how many notes left or were merged, by reason.
        seconds: how long it took.
        lost: protected notes whose words are gone without a newer one in their place.
    """

    before: int
    after: int
    free_before: int
    free_after: int
    left: Counter[str]
    seconds: float
    lost: int
    usage: Usage


def rows() -> list[Row]:
    """The built-in rules and an honest model on the same log, over 120 days and over 40."""
    found: list[Row] = []
    for days in (120, 40):
        log = long_log(days=days)
        chain = ScriptedChain(honest_answer)
        model = ModelReflector(chain.access(), load_prompt(REFLECTOR), _screened)
        for name, reflector in (("rules", ExtractiveReflector()), ("honest model", model)):
            done = measured(reflector, log)
            head = f"{name}, {days} days"
            share = done.free_after / done.free_before
            found += [
                Row(
                    f"{head}: words after (before)", done.after, done.before, done.after / done.before, "< 1"
                ),
                Row(
                    f"{head}: unprotected words after (before)",
                    done.free_after,
                    done.free_before,
                    share,
                    "<= 0.6",
                ),
                Row(f"{head}: what left", _reasons(done), "", "", ""),
                Row(f"{head}: lost of what must stay", done.lost, 1, done.lost, "<= 0"),
                Row(f"{head}: seconds", done.seconds, 30, done.seconds / 30, "<= 1"),
            ]
        tokens_in = sum(estimate_chat_tokens(one.system, one.user) for one in chain.asked)
        tokens_out = sum(estimate_tokens(honest_answer(one.user)) for one in chain.asked)
        cost = cost_of(price_of(PRICED_AS), tokens_in, tokens_out) or 0.0
        found.append(
            Row(
                f"honest model, {days} days: calls, tokens in and out, USD as {PRICED_AS}",
                f"{len(chain.asked)}, {tokens_in}, {tokens_out}, {cost:.4f}",
                "0.10 a day",
                cost / 0.10,
                "<= 1",
            )
        )
    return found


def measured(reflector: Reflector, log: LabelledLog) -> Measured:
    """What the reflector makes of the log; a refused reflection changes nothing."""
    request = ReflectionRequest(log.items, TODAY, "bench")
    start = time.perf_counter()
    outcome = reflector.reflect(request)
    seconds = time.perf_counter() - start
    usage = outcome.usage
    for refusal in outcome.refusals:
        print(f"refused: {refusal.sentence}", file=sys.stderr)
    if isinstance(outcome, ReflectionRefused):
        outcome = Reflection(tuple(item.number for item in log.items))
    assert broken(request, outcome) == ()
    new = newest(log.items, TODAY, request.word_limit)
    free = {item.number for item in log.items if item.number not in new and protection(item, TODAY) is None}
    words = {item.number: count_words(said(item.note)) for item in log.items}
    merged = sum(count_words(said(one.note)) for one in outcome.merged)
    kept = set(outcome.kept)
    replaced = {one.number for one in outcome.dropped if one.by is not None}
    left = Counter(str(one.reason) for one in outcome.dropped)
    if outcome.merged:
        left[f"merged into {len(outcome.merged)}"] = sum(len(one.stands_for) for one in outcome.merged)
    return Measured(
        before=sum(words.values()),
        after=sum(words[number] for number in kept) + merged,
        free_before=sum(words[number] for number in free),
        free_after=sum(words[number] for number in free & kept) + merged,
        left=left,
        seconds=seconds,
        lost=len(log.must_stay - kept - replaced),
        usage=usage,
    )


def main(arguments: list[str]) -> int:
    """Consolidate with a real model and say what came of it; 3 when a note was lost, else 0."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--key", default="none")
    parser.add_argument("--words", type=int, default=12_000)
    parser.add_argument("--days", type=int, default=40)
    parser.add_argument("--tokens-per-call", type=int, default=12_000)
    parser.add_argument("--show", action="store_true", help="print each answer")
    options = parser.parse_args(arguments)
    log = long_log(words=options.words, days=options.days)
    with tempfile.TemporaryDirectory() as folder:
        chain = _chain(options, Path(folder))
        access = ModelAccess("reflect", chain, b"bench", ())
        done = measured(ModelReflector(access, load_prompt(REFLECTOR), _screened), log)
    cost = cost_of(price_of(PRICED_AS), done.usage.tokens_in, done.usage.tokens_out) or 0.0
    print(f"words {done.before} -> {done.after}, unprotected {done.free_before} -> {done.free_after}")
    print(f"left: {_reasons(done)}; lost of what must stay: {done.lost}")
    print(
        f"{done.usage.calls} calls, {done.usage.tokens_in} tokens in, {done.usage.tokens_out} out, "
        f"{cost:.4f} USD as {PRICED_AS}, {done.seconds:.0f} s"
    )
    return 3 if done.lost else 0


def _chain(options: argparse.Namespace, folder: Path) -> ModelChain:
    limits = SpendLimits(100, 100, 10_000, options.tokens_per_call)
    book = SpendLedger(folder / "spend.sqlite")
    around = Surroundings({}, time.time, lambda: False, CallLimits(deadline_s=600.0))
    settings = ChainSettings(endpoint_from(options.base_url, options.key), (options.model,), limits)
    made = _ShowingChain if options.show else ModelChain
    return made(settings, Books(book, book), around, lambda: datetime.now(UTC))


class _ShowingChain(ModelChain):
    """Prints each answer as it comes."""

    def ask(
        self, ask: Ask, usable: Callable[[Completion], Failure | None] = lambda _completion: None
    ) -> Answer:
        answer = super().ask(ask, usable)
        print(f"--- answer (cut: {answer.completion.cut})\n{answer.completion.text}", file=sys.stderr)
        return answer


def _reasons(done: Measured) -> str:
    return ", ".join(f"{reason} {count}" for reason, count in done.left.most_common()) or "nothing"


def _screened(text: str) -> str:
    return screen(text).text


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
