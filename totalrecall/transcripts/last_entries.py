"""The hash of a transcript's last entries: the same before and after a session that nobody spoke in.

Recovery compares it with the one of the session's last commit. It is made of the entries themselves and not
of their place, so that a transcript whose beginning was cut away or which moved is still the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence

from totalrecall.transcripts.lines import BLANK, BOM, finished_bytes

ENTRIES = 50
WINDOW_BYTES = 1024 * 1024
_FIRST_LOOK_BYTES = 64 * 1024


def hash_of(entries: Iterable[bytes]) -> str:
    """The hash of entries in their order, oldest first; "" of none."""
    digest = hashlib.blake2b(digest_size=16)
    some = False
    for entry in entries:
        some = True
        digest.update(len(entry).to_bytes(8, "big") + entry)
    return digest.hexdigest() if some else ""


def last_lines_hash(read_at: Callable[[int, int], bytes], end: int) -> str:
    """The hash of the last entries before byte ``end``: 50, or as many as stand in the last MiB whole.

    Read backwards, in bounded memory. "" when not even the last entry stands in it whole.
    """
    looked_bytes = _FIRST_LOOK_BYTES
    while True:
        start = max(0, end - looked_bytes)
        entries = _whole_entries(read_at(start, end - start), from_start=start == 0)
        if len(entries) >= ENTRIES or start == 0 or looked_bytes >= WINDOW_BYTES:
            return hash_of(entries[-ENTRIES:])
        looked_bytes = min(looked_bytes * 4, WINDOW_BYTES)


def end_of_entries(read_at: Callable[[int, int], bytes], size: int) -> int:
    """Where the last complete entry of a transcript of ``size`` bytes ends; 0 when none is in sight.

    A last line without a newline is complete when it is a finished record.
    """
    start = max(0, size - WINDOW_BYTES)
    tail = read_at(start, size - start)
    newline = tail.rfind(b"\n")
    if newline < 0 and start:
        return 0
    return start + newline + 1 + finished_bytes(tail[newline + 1 :])


def _whole_entries(content: bytes, *, from_start: bool) -> Sequence[bytes]:
    pieces = content.split(b"\n")
    if from_start:
        pieces[0] = pieces[0].removeprefix(BOM)
    else:
        del pieces[0]
    return [entry for piece in pieces if (entry := piece.strip(BLANK))]
