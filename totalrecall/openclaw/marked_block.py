"""Our block in somebody else's Markdown: put in, replaced, taken out; the rest stays byte for byte. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

BEGIN = "<!-- totalrecall:begin -->"
END = "<!-- totalrecall:end -->"


class Standing(StrEnum):
    """``DAMAGED``: one mark without the other, or several; nobody can say what is ours."""

    ABSENT = "absent"
    WHOLE = "whole"
    DAMAGED = "damaged"


@dataclass(frozen=True, slots=True)
class Block:
    """What was found: ``body`` is the text between the marks with plain newlines, "" unless it is whole.

    ``start`` and ``end`` are the places in the text, marks included.
    """

    standing: Standing
    body: str = ""
    start: int = 0
    end: int = 0


def find(text: str) -> Block:
    """The block in the text."""
    begins, ends = text.count(BEGIN), text.count(END)
    if not begins and not ends:
        return Block(Standing.ABSENT)
    start, last = text.find(BEGIN), text.find(END)
    if (begins, ends) != (1, 1) or last < start:
        return Block(Standing.DAMAGED)
    body = text[start + len(BEGIN) : last].replace("\r\n", "\n").strip("\n")
    return Block(Standing.WHOLE, body, start, last + len(END))


def put(text: str, body: str) -> str:
    """The text with the block: in its place if it stands there, else at the end after an empty line.

    Line ends are the file's own. A damaged block is not touched: the text comes back as it was.
    """
    block = find(text)
    if block.standing is Standing.DAMAGED:
        return text
    newline = _newline(text, block)
    ours = f"{BEGIN}\n{body.strip(chr(10))}\n{END}".replace("\n", newline)
    if block.standing is Standing.WHOLE:
        return text[: block.start] + ours + text[block.end :]
    return f"{text}{_gap(text, newline)}{ours}{newline}"


def take_out(text: str, gap: str | None = None) -> str:
    """The text without the block, its line end, and the gap before it.

    ``gap`` is what ``put`` wrote before the block; None when nobody remembers: an empty line then.
    """
    block = find(text)
    if block.standing is not Standing.WHOLE:
        return text
    newline = _newline(text, block)
    before, after = text[: block.start], text[block.end :]
    after = after.removeprefix(newline)
    remembered = newline if gap is None else gap
    # Somebody may have written something behind the block: then the empty line keeps the two apart.
    if not after or gap is None:
        before = before.removesuffix(remembered)
    return before + after


def gap_before(text: str) -> str:
    """What ``put`` would write between this text and a new block."""
    return _gap(text, _newline(text, Block(Standing.ABSENT)))


def _newline(text: str, block: Block) -> str:
    """The line ends of the block that stands there, else of the text.

    A text that ends with a lone CR would otherwise look like one with CRLF once the block stands behind it.
    """
    shown = text[block.start : block.end] if block.standing is Standing.WHOLE else text
    return "\r\n" if "\r\n" in shown else "\n"


def _gap(text: str, newline: str) -> str:
    if not text.strip("\ufeff"):
        return ""
    if text.endswith(newline * 2):
        return ""
    return newline if text.endswith("\n") else newline * 2
