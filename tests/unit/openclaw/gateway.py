"""The hook as OpenClaw's gateway has it: its handler in a process of node, called with events as they are recorded."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

DRIVER = """
import { readFileSync } from "node:fs";
import hook, { isPrivate } from "./handler.js";
const { events, keys } = JSON.parse(readFileSync(0, "utf8"));
const said = [];
for (const { pauseMs, ...event } of events) {
  if (pauseMs) await new Promise((done) => setTimeout(done, pauseMs));
  const before = performance.now();
  let failed = null;
  try { await hook(event); } catch (error) { failed = String(error); }
  said.push({ ms: performance.now() - before, failed, files: event.context?.bootstrapFiles ?? null });
}
console.log(JSON.stringify({ said, private: keys.map(isPrivate) }));
"""


@dataclass
class Gateway:
    """A folder with the shipped hook, its settings, and a program that writes down how it was started."""

    root: Path
    settings: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.hook.mkdir(parents=True)
        for name in ("handler.js", "package.json"):
            shutil.copyfile(str(files("totalrecall.openclaw") / "hook" / name), self.hook / name)
        (self.hook / "driver.mjs").write_text(DRIVER, encoding="utf-8")
        self.program("exit 0")
        self.settings = {
            "enabled": True,
            "command": [str(self.root / "program")],
            "stateRoot": str(self.state),
            "profile": "",
            "agents": None,
            "env": {"TR_CALLS": str(self.root / "calls")},
        }
        self.configure()

    @property
    def hook(self) -> Path:
        """The hook's folder."""
        return self.root / "hooks" / "totalrecall"

    @property
    def state(self) -> Path:
        """Our state folder."""
        return self.root / "state"

    def program(self, then: str) -> None:
        """What is started: writes down its words and where it runs, then does ``then``."""
        path = self.root / "program"
        path.write_text(f'#!/bin/sh\necho "$@ in $PWD" >> "$TR_CALLS"\n{then}\n', encoding="utf-8")
        path.chmod(0o755)

    def configure(self, **changed: Any) -> None:
        """Write ``settings.json``."""
        self.settings |= changed
        (self.hook / "settings.json").write_text(json.dumps(self.settings), encoding="utf-8")

    def prepare(self, kind: str, content: str, agent: str = "main", **facts: Any) -> None:
        """A prepared file of ours."""
        path = self.state / agent / f"{kind}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"<!-- totalrecall:{kind} {json.dumps(facts)} -->\n{content}", encoding="utf-8")

    def run(self, events: Sequence[dict[str, Any]] = (), keys: Sequence[str] = ()) -> dict[str, Any]:
        """What the handler did with the events, one after the other, and which keys are private."""
        given = json.dumps({"events": list(events), "keys": list(keys)})
        done = subprocess.run(
            ["node", "--unhandled-rejections=strict", "driver.mjs"], input=given,
            cwd=self.hook, capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip
        assert done.stderr == ""
        answer: dict[str, Any] = json.loads(done.stdout)
        assert [one["failed"] for one in answer["said"]] == [None] * len(events)
        return answer

    def calls(self, expected: int, *, within_s: float = 10.0) -> list[str]:
        """How the program was started, once that many starts are there."""
        path = self.root / "calls"
        end = time.monotonic() + within_s
        while time.monotonic() < end:
            lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
            if len(lines) >= expected:
                return lines
            time.sleep(0.01)
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def event(name: str, key: str = "agent:main:main", **context: Any) -> dict[str, Any]:
    """An event as the gateway hands it over."""
    kind, _, action = name.partition(":")
    return {"type": kind, "action": action, "sessionKey": key, "context": context, "messages": []}


def bootstrap(key: str = "agent:main:main", **context: Any) -> dict[str, Any]:
    """A run that begins."""
    given = [{"name": "AGENTS.md", "path": "/w/AGENTS.md", "content": "x", "missing": False}]
    return event("agent:bootstrap", key, **{"bootstrapFiles": given, "sessionKey": key} | context)
