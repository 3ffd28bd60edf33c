"""The exact secret values of this machine, found in any of the ways programs write them."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence

from totalrecall.privacy.normalise import WRAP

LEAST_CHARS = 6


class DenyList:
    """Finds known values in a text: plain, percent-encoded, JSON-escaped, in base64, and wrapped over lines.

    Values shorter than ``LEAST_CHARS`` are left out: they would blank ordinary words.
    """

    def __init__(self, values: Sequence[str]) -> None:
        forms: set[str] = set()
        for value in {value.strip() for value in values}:
            if len(value) >= LEAST_CHARS:
                forms |= _forms(value)
        self.forms = tuple(sorted(forms, key=lambda form: (-len(form), form)))
        self._wrapped: re.Pattern[str] | None = None

    def spans(self, text: str) -> list[tuple[int, int]]:
        """The ranges of known values in the text."""
        found = []
        for form in self.forms:
            place = text.find(form)
            while place >= 0:
                found.append((place, place + len(form)))
                place = text.find(form, place + len(form))
        return found

    def wrapped_spans(self, text: str) -> list[tuple[int, int]]:
        """The same in a wrapped view, where a line break may stand between any two characters."""
        if not self.forms:
            return []
        if self._wrapped is None:
            soft = (f"{WRAP}?".join(re.escape(sign) for sign in form) for form in self.forms)
            self._wrapped = re.compile("|".join(soft))
        return [match.span() for match in self._wrapped.finditer(text)]


def _forms(value: str) -> set[str]:
    from urllib.parse import quote

    escaped = quote(value, safe="")
    json_form = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    links = {escaped, escaped.replace("%20", "+"), quote(value)}
    return {value, json_form} | links | _base64_forms(value)


def _base64_forms(value: str) -> set[str]:
    """What base64 makes of the value at each alignment, without the signs its neighbours change."""
    raw = value.encode()
    forms = set()
    for shift in range(3):
        whole = b64encode(b"\0" * shift + raw).decode().rstrip("=")
        core = whole[(0, 2, 3)[shift] : (shift + len(raw)) * 8 // 6]
        if len(core) >= 10:
            forms |= {core, core.replace("+", "-").replace("/", "_")}
    return forms
