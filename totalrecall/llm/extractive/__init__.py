"""Notes from messages by rules, without key or network.

    sentences → language → cues_en | cues_de | cues_zh, structure → candidates (readers: user, assistant)
        → similar (known, corrections) → scoring (budget, red share) → engine

Everything is pure and deterministic; patterns are compiled at first use, so that importing costs nothing.
"""

from totalrecall.llm.extractive.engine import ExtractiveEngine

__all__ = ["ExtractiveEngine"]
