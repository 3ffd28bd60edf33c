"""What tokens cost, for endpoints that do not say it, and for reserving before a call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

PRICES_AS_OF = "2026-01-15"


@dataclass(frozen=True, slots=True)
class Price:
    """USD per million tokens, in and out."""

    usd_in: float
    usd_out: float


FREE = Price(0.0, 0.0)

# List prices of the makers. A price that has changed since only shifts the reservation: calls
# are settled from the cost that the endpoint reports, where it reports one.
PRICES: Mapping[str, Price] = {
    "google/gemini-2.5-flash": Price(0.30, 2.50),
    "google/gemini-2.5-flash-lite": Price(0.10, 0.40),
    "google/gemini-2.5-pro": Price(1.25, 10.00),
    "google/gemini-2.0-flash-001": Price(0.10, 0.40),
    "google/gemini-2.0-flash-lite-001": Price(0.075, 0.30),
    "openai/gpt-4o-mini": Price(0.15, 0.60),
    "openai/gpt-4o": Price(2.50, 10.00),
    "openai/gpt-4.1": Price(2.00, 8.00),
    "openai/gpt-4.1-mini": Price(0.40, 1.60),
    "openai/gpt-4.1-nano": Price(0.10, 0.40),
    "openai/gpt-5": Price(1.25, 10.00),
    "openai/gpt-5-mini": Price(0.25, 2.00),
    "openai/gpt-5-nano": Price(0.05, 0.40),
    "anthropic/claude-haiku-4.5": Price(1.00, 5.00),
    "anthropic/claude-3.5-haiku": Price(0.80, 4.00),
    "anthropic/claude-3-haiku": Price(0.25, 1.25),
    "anthropic/claude-sonnet-4": Price(3.00, 15.00),
    "anthropic/claude-sonnet-4.5": Price(3.00, 15.00),
    "mistralai/mistral-small-3.2-24b-instruct": Price(0.10, 0.30),
    "mistralai/ministral-8b": Price(0.10, 0.10),
    "meta-llama/llama-3.3-70b-instruct": Price(0.13, 0.40),
    "deepseek/deepseek-chat": Price(0.30, 1.20),
}


def price_of(model: str) -> Price | None:
    """The price of a model; with or without the maker's prefix. None when the table does not have it.

    A variant such as ``:free`` costs nothing; other variants (``:nitro``, ``:online``) are priced by their
    provider, so the table does not know them.
    """
    name = model.strip().lower()
    base, _, variant = name.partition(":")
    if variant == "free":
        return FREE
    if variant and variant != "floor":
        return None
    if base in PRICES:
        return PRICES[base]
    if "/" in base:
        return None
    found = [price for known, price in PRICES.items() if known.partition("/")[2] == base]
    return found[0] if found else None
