"""A session of an agent at work, as OpenClaw writes it down: words, tool calls with their results, compactions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.lab import SESSION, Lab, iso
from totalrecall.domain.boundary import Boundary
from totalrecall.jobs.snapshot import SnapshotOutcome, snapshot_at

KEY = "agent:main:main"


def call(
    lab: Lab, tool: str, target: str, *, error: str = "", text: str = "", session: str = SESSION
) -> None:
    """The assistant uses a tool; with ``error`` the call ends with exit code 1 and that line."""
    lab._ids += 1
    name = f"call_{lab._ids}"
    key = "command" if tool == "exec" else "path"
    part: dict[str, Any] = {"type": "toolCall", "id": name, "name": tool, "arguments": {key: target}}
    words = [{"type": "text", "text": text}] if text else []
    result = lab.entry(
        "toolResult", [{"type": "text", "text": error or "ok"}], toolCallId=name, toolName=tool,
        details={"exitCode": 1 if error else 0}, isError=False,
    )  # fmt: skip
    lab.append(lab.entry("assistant", [*words, part], stopReason="toolUse"), result, session=session)


def compaction(lab: Lab, session: str = SESSION) -> None:
    """The host compacts: an entry with its summary; what stood before stays in the transcript."""
    entry = lab.entry("assistant", "")
    del entry["message"]
    entry |= {
        "type": "compaction",
        "summary": "We talked.",
        "firstKeptEntryId": entry["id"],
        "tokensBefore": 9000,
    }
    lab.append(entry, session=session)


def close(lab: Lab, session: str = SESSION) -> Path:
    """``/new``: the file is renamed, and nothing is added any more."""
    stamp = iso(lab.now).replace(":", "-")
    return lab.path(session).rename(lab.sessions / f"{session}.jsonl.reset.{stamp}")


def work(lab: Lab, session: str = SESSION) -> None:
    """Half an hour of a task: a goal, a decision, files, a failing test, open steps."""
    lab.say(
        "Please port the config parser in src/config.py to TOML, because INI cannot hold lists.",
        session=session,
    )
    call(lab, "read", f"{lab.workspace}/src/config.py", text="I'll have a look.", session=session)
    call(lab, "exec", "git checkout -b toml-config", session=session)
    call(lab, "write", f"{lab.workspace}/src/config.py", session=session)
    lab.reply("I rewrote the loader. Should old INI files still be read?", session=session)
    lab.say("No, let's drop INI completely because nobody uses it.", session=session)
    call(lab, "write", "tests/test_config.py", session=session)
    call(lab, "exec", "pytest -q", error="KeyError: 'hosts'", session=session)
    lab.reply(
        "Two tests pass, one fails.\n\nNext steps:\n1. Handle the missing hosts\n2. Update the README",
        session=session,
    )


def cuts(lab: Lab) -> list[tuple[Boundary, SnapshotOutcome]]:
    """An observer's run, and what a snapshot makes of each cut that it passed."""
    report = lab.observe()
    with lab.context() as ctx:
        return [(one, snapshot_at(ctx, one)) for one in report.boundaries]
