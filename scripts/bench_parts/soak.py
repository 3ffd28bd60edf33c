"""The long soak: ``bash scripts/bench soak=600`` writes, fails, kills and restarts for ten minutes."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from scripts.bench_parts._part import Row
from tests.soak import Plan, soak
from totalrecall.domain.state import MessageState

DEFAULT_S = 60.0


def rows() -> list[Row]:
    """Twenty sessions, fifty lines a second; ``BENCH_SOAK`` says for how many seconds."""
    lasts_s = float(os.environ.get("BENCH_SOAK", DEFAULT_S))
    every_s = min(60.0, lasts_s / 3)
    with tempfile.TemporaryDirectory() as folder:
        found = soak(Path(folder), Plan(lasts_s, kill_every_s=every_s, outage_every_s=every_s * 0.7))
    counted = sum(sum(one.states.values()) for one in found.coverage)
    messages = sum(one.messages for one in found.coverage)
    lost = sum(one.unaccounted for one in found.coverage) + found.missing
    pending = sum(one.states.get(MessageState.PENDING, 0) for one in found.coverage)
    name = f"soak of {lasts_s:.0f} s, {found.kills} kills"
    mb, files, same = found.rss_mb, found.descriptors, "the same:"
    more_files = max(files) - min(files)
    # The reflector is off, so that every token can be counted: the log, read whole, grows to megabytes.
    return [
        Row(f"{name}: messages accounted for (of)", counted, messages, counted / messages, ">= 1"),
        Row(f"{same} the user's lost or pending (of)", lost + pending, found.said, lost + pending, "<= 0"),
        Row(f"{same} noted twice (of)", found.doubled, found.said, found.doubled, "<= 0"),
        Row(f"{same} to be noted at the end (of)", found.behind, found.said, found.behind / found.said, "-"),
        Row(f"{same} memory of a life, most (MB, least)", max(mb), min(mb), max(mb) / min(mb), "< 2"),
        Row(f"{same} open files of a life, most (least)", max(files), min(files), more_files, "<= 20"),
    ]
