"""Reported speech: what a third party wants of the user is no rule of the user's (R092)."""

from __future__ import annotations

from totalrecall.llm.extractive.cues import Cue, compiled

_REPORTED = (
    r"\b(?!(?:I|we|you|as)\b)\w+ (?:(?:has|have|had|just|also|always) )?(?:told|tells?|asked|asks|says?|said|"
    r"claims?|claimed|recommends?|recommended|advises?|advised|suggests?|suggested|insists?|wrote|writes)\b"
    r"|\baccording to\b|\b(?!(?:ich|wir|du)\b)\w+ (?:sagt|sagte|meint|meinte|verlangt|empfiehlt|rät|"
    r"behauptet|schreibt|schrieb)\b"
    r"|\b(?:hat|haben) (?:(?:mir|uns|allen) )?(?:gesagt|geschrieben|empfohlen|geraten)\b"
    r"|\blaut (?!und\b)\w+|(?<![我你们])(?:说|告诉|声称|建议)"
)


def is_reported(text: str, cue: Cue) -> bool:
    """True when somebody else's saying stands before the words that would make a rule."""
    said, rule = compiled(_REPORTED).search(text), compiled(cue.source).search(text)
    return said is not None and rule is not None and said.start() < rule.end()
