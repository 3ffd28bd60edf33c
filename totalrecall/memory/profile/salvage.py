"""What can be saved of a damaged profile. Pure."""

from __future__ import annotations

import re

from totalrecall.memory.profile.changes import Said, put
from totalrecall.memory.profile.document import (
    Damage,
    Data,
    read_profile,
    render_profile,
    value_at,
    with_value,
)
from totalrecall.memory.profile.fields import FIELDS, checked
from totalrecall.places.openclaw_config import parse_lax_json

_OPEN_ENDS = re.compile(r"[,\s]+\Z")
LAST_COMMAS = 20


def salvaged(content: bytes) -> Data | None:
    """What can still be understood: lax JSON, a cut end closed, the last of doubled keys; or None."""
    text = content.replace(b"\0", b"").decode("utf-8-sig", "replace")
    for candidate in (text, *_closed(text)):
        try:
            found = parse_lax_json(candidate)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and found:
            return found
    return None


def _closed(text: str) -> list[str]:
    """A text that was cut off, with what is open closed; with its last, cut item left out where needed."""
    candidates = []
    for end in _ends(text):
        stack, inside = _open_brackets(text[:end])
        cut = text[:end] + ('"' if inside else "")
        candidates.append(_OPEN_ENDS.sub("", cut) + "".join(reversed(stack)))
    return candidates


def _ends(text: str) -> list[int]:
    commas = [match.start() for match in re.finditer(",", text)]
    return [len(text), *reversed(commas[-LAST_COMMAS:])]


def _open_brackets(text: str) -> tuple[list[str], bool]:
    stack: list[str] = []
    inside = escaped = False
    for sign in text:
        if inside:
            inside = escaped or sign != '"'
            escaped = sign == "\\" and not escaped
        elif sign == '"':
            inside = True
        elif sign in "{[":
            stack.append("}" if sign == "{" else "]")
        elif sign in "}]" and stack:
            stack.pop()
    return stack, inside


def restored_from(old: Data, data: Data, said: Said) -> tuple[Data, int]:
    """``data`` with the values of ``old`` that fit, where it has none; how many there were."""
    restored = 0
    for field in FIELDS:
        value = value_at(old, field.path)
        values = value if field.is_list and isinstance(value, list) else [value]
        for one in values:
            try:
                fitting = checked(field, str(one)) if one not in (None, "") else None
            except ValueError:
                continue
            if fitting is not None and (field.is_list or value_at(data, field.path) in ("", None)):
                data, restored = put(data, field, fitting, said), restored + 1
    for path in ("relationships.contacts", "episodic"):
        held = value_at(old, path)
        new = [one for one in held if isinstance(one, dict)] if isinstance(held, list) else []
        if new and not value_at(data, path):
            data, restored = with_value(data, path, new), restored + len(new)
    for name in set(old) - set(data):
        # A person's own keys: kept as they are, if what comes out is still a profile.
        grown = with_value(data, name, old[name]) if "." not in name else data
        if not isinstance(read_profile(render_profile(grown)), Damage):
            data, restored = grown, restored + 1
    return data, restored
