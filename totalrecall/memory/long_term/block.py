"""Our block of ``MEMORY.md``: found, read, rendered; everything around it stays byte for byte. Pure.

::

    <!-- totalrecall:memory begin -->
    ## Core

    - Robin lives in Porto (since 2026-02-14)

    <!-- totalrecall:memory end -->
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from totalrecall.domain.distilled import Theme

BEGIN = "<!-- totalrecall:memory begin -->"
END = "<!-- totalrecall:memory end -->"
TITLES = {
    "en": {
        Theme.CORE: "Core",
        Theme.AGREEMENTS: "Agreements",
        Theme.STATUS: "Project status",
        Theme.ENVIRONMENT: "Environment",
        Theme.TIMELINE: "Timeline",
    },
    "zh": {
        Theme.CORE: "核心",
        Theme.AGREEMENTS: "协议",
        Theme.STATUS: "项目状态",
        Theme.ENVIRONMENT: "环境备忘",
        Theme.TIMELINE: "关键时间线",
    },
}
FILL = {"en": "(to be filled)", "zh": "（待填充）"}
_SINCE = re.compile(r"\s*[（(](?:since |自)?(\d{4}-\d{2}-\d{2})(?:起)?[)）]\s*$")
_ITEM = re.compile(r"^\s*[-*]\s+(\S.*?)\s*$")
_HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*$")
_THEMES = {title.casefold(): theme for titles in TITLES.values() for theme, title in titles.items()}


@dataclass(frozen=True, slots=True)
class Entry:
    """One lasting thing.

    Attributes:
        theme: its part.
        text: one line, without date.
        since: the day it was said, None where a person wrote it without one.
    """

    theme: Theme
    text: str
    since: date | None = None


@dataclass(frozen=True, slots=True)
class LongTerm:
    """``MEMORY.md`` taken apart.

    Attributes:
        before: what stands before our block.
        after: what stands behind it.
        entries: what our block holds, in order.
        others: lines of the block that are neither entries nor our headings, with the theme they stand under.
        present: there is a block of ours.
        newline: how the lines of the block end.
    """

    before: str
    after: str
    entries: tuple[Entry, ...] = ()
    others: tuple[tuple[Theme, str], ...] = ()
    present: bool = False
    newline: str = "\n"


class TornBlockError(ValueError):
    """The block begins and does not end, or stands twice: nobody can tell what is ours."""


def read_long_term(text: str) -> LongTerm:
    """The file taken apart. Without a block of ours everything is ``before``.

    Raises:
        TornBlockError: the block's marks do not fit together.
    """
    begins, ends = text.count(BEGIN), text.count(END)
    if not begins and not ends:
        return LongTerm(text, "", newline=_newline(text))
    if begins != 1 or ends != 1 or text.index(BEGIN) > text.index(END):
        raise TornBlockError
    before, _, rest = text.partition(BEGIN)
    inside, _, after = rest.partition(END)
    entries: list[Entry] = []
    others: list[tuple[Theme, str]] = []
    theme = Theme.CORE
    for raw in inside.replace("\r\n", "\n").split("\n"):
        line = raw.rstrip()
        heading = _HEADING.match(line)
        if heading and (found := _THEMES.get(heading[1].casefold())) is not None:
            theme = found
        elif line.strip() in FILL.values() or not line.strip():
            continue
        elif item := _ITEM.match(line):
            entries.append(_entry(theme, item[1]))
        else:
            others.append((theme, line))
    return LongTerm(before, after, tuple(entries), tuple(others), present=True, newline=_newline(inside))


def render_long_term(memory: LongTerm, language: str) -> str:
    """The whole file with our block rendered anew; a file without one gets it at its end."""
    newline = memory.newline
    block = f"{BEGIN}\n{_body(memory, language)}\n{END}".replace("\n", newline)
    if memory.present:
        return f"{memory.before}{block}{memory.after}"
    before = memory.before
    if before.strip("\ufeff \t\r\n"):
        gap = "" if before.endswith(newline * 2) else newline if before.endswith("\n") else newline * 2
        return f"{before}{gap}{block}{newline}"
    return f"{before}{block}{newline}"


def render_entry(entry: Entry, language: str) -> str:
    """One line of the block."""
    if entry.since is None:
        return f"- {entry.text}"
    when = f"（自{entry.since.isoformat()}）" if language == "zh" else f" (since {entry.since.isoformat()})"
    return f"- {entry.text}{when}"


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _body(memory: LongTerm, language: str) -> str:
    parts = []
    for theme in Theme:
        lines = [render_entry(one, language) for one in memory.entries if one.theme is theme]
        lines += [line for where, line in memory.others if where is theme]
        if lines or not memory.entries:
            heading = f"## {TITLES[language][theme]}"
            parts.append("\n".join([heading, "", *(lines or [FILL[language]])]))
    return "\n\n".join(parts) + "\n"


def _entry(theme: Theme, text: str) -> Entry:
    found = _SINCE.search(text)
    if found is None:
        return Entry(theme, text)
    try:
        return Entry(theme, text[: found.start()], date.fromisoformat(found[1]))
    except ValueError:
        return Entry(theme, text)


def texts(entries: Sequence[Entry]) -> list[str]:
    """The words of the entries."""
    return [one.text for one in entries]
