"""``SESSION_STATE.md`` as text: read, and changed so that everything else stays byte for byte. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from totalrecall.domain.session_state import FIELDS, TEXT_FIELDS, SessionState
from totalrecall.memory.session_state_scalar import scalar
from totalrecall.memory.session_state_yaml import Entry, FrontMatterError, entries_in, entry_named

_BOM = "\ufeff"
Changes = Mapping[str, str | Sequence[str]]
"""New values by field: texts, a list for ``next_steps``, and ``body``."""


@dataclass(frozen=True, slots=True)
class Document:
    """A file in its parts; ``bom + head + front + tail + body`` is the file.

    Attributes:
        bom: the byte order mark, "".
        newline: of the front matter.
        head: blank lines and the line that opens the front matter; "" without one.
        front: the front matter, with plain newlines.
        tail: the line that closes it.
        body: everything below, untouched.
        entries: the front matter's fields.
    """

    bom: str
    newline: str
    head: str
    front: str
    tail: str
    body: str
    entries: tuple[Entry, ...]

    @property
    def lines_before(self) -> int:
        """Lines above the front matter's first."""
        return self.head.count("\n")


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a file cannot be understood, and where: line and column of the file, from 1."""

    why: str
    line: int = 1
    column: int = 1


def parse_document(content: bytes) -> Document | Unreadable:
    """The file's parts; what is wrong with it when it cannot be understood."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in content:
        return Unreadable("it is not UTF-8 text")
    text = content.decode("utf-8", "surrogateescape")
    bom = _BOM if text.startswith(_BOM) else ""
    lines = _lines(text[len(bom) :])
    opening = next((at for at, line in enumerate(lines) if line.strip()), len(lines))
    if opening == len(lines) or lines[opening].rstrip() != "---":
        return Document(bom, _newline(lines), "", "", "", "".join(lines), ())
    closing = next(
        (at for at in range(opening + 1, len(lines)) if lines[at].rstrip() in {"---", "..."}), None
    )
    if closing is None:
        return Unreadable("the front matter has no line '---' at its end", opening + 1, 1)
    front = "".join(lines[opening + 1 : closing]).replace("\r\n", "\n")
    try:
        entries = tuple(entries_in(front))
    except FrontMatterError as error:
        return Unreadable(error.why, opening + 1 + error.line, error.column)
    head, body = "".join(lines[: opening + 1]), "".join(lines[closing + 1 :])
    return Document(bom, _newline(lines[opening:]), head, front, lines[closing], body, entries)


def state_of(document: Document) -> SessionState:
    """What the document says."""
    texts = {one.key: one.text for one in document.entries}
    steps = entry_named(document.entries, "next_steps")
    return SessionState(
        **{name: texts.get(name, "") for name in TEXT_FIELDS},
        next_steps=_steps_of(steps),
        body=document.body,
    )


def changed(document: Document, changes: Changes) -> bytes:
    """The file with these fields changed and everything else as it was.

    Raises:
        FrontMatterError: that cannot be done without touching more (an anchor that others use).
    """
    now, wanted = state_of(document), _after(state_of(document), changes)
    body = wanted.body
    if not document.head:
        front = "".join(_new_line(name, getattr(wanted, name)) for name in FIELDS)
        text = _joined(replace(document, head="---\n", tail="---\n"), front, body)
    else:
        front = document.front
        for name in FIELDS:
            if getattr(now, name) != getattr(wanted, name):
                front = _with(front, name, getattr(wanted, name))
        text = _joined(document, front, body)
    again = parse_document(text)
    if isinstance(again, Unreadable) or state_of(again) != wanted or _others(again) != _others(document):
        raise FrontMatterError("this cannot be changed without touching other fields")
    return text


def _after(state: SessionState, changes: Changes) -> SessionState:
    values = {name: tuple(one) if name == "next_steps" else one for name, one in changes.items()}
    return replace(state, **values)  # type: ignore[arg-type]


def _joined(document: Document, front: str, body: str) -> bytes:
    newline = document.newline
    tail = document.tail if document.tail.endswith("\n") or not body else f"{document.tail}\n"
    parts = [part if "\r" in part else part.replace("\n", newline) for part in (document.head, front, tail)]
    return (document.bom + "".join(parts) + body).encode("utf-8", "surrogateescape")


def _with(front: str, name: str, value: str | tuple[str, ...]) -> str:
    """The front matter with one field changed, or added in its place."""
    entries = entries_in(front)
    entry = entry_named(entries, name)
    if entry is None:
        place = _place_for(front, entries, name)
        return front[:place] + _new_line(name, value) + front[place:]
    if isinstance(value, tuple):
        return _with_steps(front, entry, value)
    # A block text becomes one line: what follows its sign on the line (| or >) goes with it.
    style = entry.style if entry.style in {"", "'", '"'} else '"'
    return f"{front[: entry.colon]} {scalar(value, style)}{front[entry.end :]}"


def _with_steps(front: str, entry: Entry, steps: tuple[str, ...]) -> str:
    """The list changed; steps that stay keep their lines with the comments on them."""
    lead, indent = _lead(front, entry)
    block = entry.style == "block" and bool(entry.steps)
    rest = front[entry.steps[-1].end if block else entry.end :]
    if not steps:
        return f"{front[: entry.colon]} []{lead.rstrip()}{rest}"
    known = {one.text: front[one.start : one.end] for one in entry.steps} if block else {}
    lines = [f"{indent}{known.get(step) or '- ' + scalar(step)}" for step in steps]
    return front[: entry.colon] + lead + "\n".join(lines) + rest


def _lead(front: str, entry: Entry) -> tuple[str, str]:
    """What stands between the colon and the first step, comments with it, and how far steps are indented."""
    if entry.style == "block" and entry.steps:
        start = entry.steps[0].start
        line = front.rfind("\n", 0, start) + 1
        return front[entry.colon : line], front[line:start]
    return "\n", "  "


def _place_for(front: str, entries: Sequence[Entry], name: str) -> int:
    """Behind the nearest field that comes before it; at the end where none does."""
    before = FIELDS[: FIELDS.index(name)]
    known = [one for one in entries if one.key in before]
    if not known:
        return len(front)
    last = max(known, key=lambda one: before.index(one.key))
    end = front.find("\n", last.end)
    return end + 1 if end >= 0 else len(front)


def _new_line(name: str, value: str | tuple[str, ...]) -> str:
    if isinstance(value, str):
        return f"{name}: {scalar(value)}\n"
    return f"{name}:\n" + "".join(f"  - {scalar(one)}\n" for one in value) if value else f"{name}: []\n"


def _steps_of(entry: Entry | None) -> tuple[str, ...]:
    if entry is None:
        return ()
    if entry.is_list:
        return tuple(one.text for one in entry.steps if one.text)
    return (entry.text,) if entry.text else ()


def _others(document: Document) -> list[tuple[str, str]]:
    return [(one.key, one.text) for one in document.entries if one.key not in FIELDS]


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _newline(lines: Sequence[str]) -> str:
    return "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
