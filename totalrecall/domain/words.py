"""Counting words in any language."""

from __future__ import annotations

import re

# One CJK or kana sign counts as half a word, as in common practice for reading-length estimates: two signs
# make about one English word. Hangul is written with spaces and counts by them.
_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_WORD = re.compile(r"[^\W_]+(?:['’\-.][^\W_]+)*")


def count_words(text: str) -> int:
    """The number of words in ``text``; two Chinese or Japanese signs count as one word."""
    signs = len(_CJK.findall(text))
    rest = _CJK.sub(" ", text) if signs else text
    return len(_WORD.findall(rest)) + (signs + 1) // 2
