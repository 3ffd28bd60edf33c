"""A text as YAML takes it: quoted as it was, or in double quotes. Pure."""

from __future__ import annotations

import json
import re

_PLAIN = re.compile(
    r"[A-Za-z\u4e00-\u9fff][\w \u4e00-\u9fff./()+-]*[\w\u4e00-\u9fff.)]|[A-Za-z]|[\u4e00-\u9fff]"
)
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")
_RESERVED = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "none", "nan", "inf"})
# JSON leaves these as they are, and YAML takes some of them for the end of a line or for no text at all.
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")


def scalar(text: str, style: str = '"') -> str:
    """``text`` for one line of YAML; ``style`` is how the value there was quoted, "" for not at all."""
    if style == "" and (_MOMENT.fullmatch(text) or (_PLAIN.fullmatch(text) and not _is_word(text))):
        return text
    if style == "'" and text.isprintable() and "\ufeff" not in text:
        return "'" + text.replace("'", "''") + "'"
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


def _is_word(text: str) -> bool:
    """Whether YAML, of whatever version, would take the bare text for something else than text."""
    return text.casefold() in _RESERVED
