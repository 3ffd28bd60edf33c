"""Changing one value in the text of a ``.env`` file; everything else stays byte for byte. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from totalrecall.errors import ConfigError

if TYPE_CHECKING:
    from dotenv.parser import Binding

_MARK = "\ufeff"
_NEW = "# Settings of Total Recall. 'totalrecall config show' lists them all.\n"


def with_value(text: str, name: str, value: str) -> str:
    """``text`` with ``name=value`` in place of the line that counted so far, or at its end.

    Raises:
        ConfigError: something before it, such as a quote that is not closed, would swallow the line.
    """
    mark = _MARK if text.startswith(_MARK) else ""
    text = text.removeprefix(_MARK)
    parts = [(binding.key, binding.original.string) for binding in _bindings(text)]
    line = f"{name}={value}"
    end = "\r\n" if "\r\n" in text else "\n"
    counting = [place for place, (key, _) in enumerate(parts) if key == name]
    if counting:
        old = parts[counting[-1]][1]
        body = old.strip()
        before, after = old[: len(old) - len(old.lstrip())], old[len(old.rstrip()) :]
        exported = "export " if body.startswith("export ") else ""
        parts[counting[-1]] = (name, f"{before}{exported}{line}{after}")
        changed = "".join(part for _, part in parts)
    else:
        kept = text or _NEW
        changed = f"{kept}{'' if kept.endswith(chr(10)) else end}{line}{end}"
    if _values(changed).get(name) != value:
        raise ConfigError(
            f"{name} cannot be added: a line before it is broken.",
            "'totalrecall doctor' names the line. Mend it, then try again. Nothing was changed.",
        )
    return mark + changed


def _values(text: str) -> dict[str, str]:
    return {one.key: (one.value or "").strip() for one in _bindings(text) if one.key is not None}


def _bindings(text: str) -> list[Binding]:
    import io

    from dotenv.parser import parse_stream

    return list(parse_stream(io.StringIO(text, newline="")))
