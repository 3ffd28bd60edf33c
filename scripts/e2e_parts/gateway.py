"""One OpenClaw gateway in a sandbox: its config, its process, turns and commands, and what it logged."""

from __future__ import annotations

import contextlib
import json
import re
import secrets
import subprocess
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scripts.e2e_parts.installing import Release
from scripts.e2e_parts.model import AGENT_MODEL
from scripts.e2e_parts.sandbox import POLL_S, Ran, Sandbox, free_port

READY_LIMIT_S = 180.0
TURN_LIMIT_S = 180.0
WAIT_LIMIT_MS = 120_000
CONTEXT_WINDOW_TOKENS = 200_000
KEPT_TOKENS = 40
# Said to be in the window: enough for the flush that we ask the file releases for, and for a compaction.
FLUSH_TOKENS = 150_000
FULL_TOKENS = 195_000
MAIN = "agent:main:main"


class GatewayError(Exception):
    """The gateway did not do what the scenario needs; the run cannot go on."""


@dataclass
class Gateway:
    """A gateway of one release.

    Attributes:
        box: where it lives.
        release: which one.
        model_url: the scripted model.
        port: where it listens.
        every_hook: the user has all of OpenClaw's own hooks on, by the switch for all.
        starts: how often it was started.
    """

    box: Sandbox
    release: Release
    model_url: str
    port: int = field(default_factory=free_port)
    every_hook: bool = False
    starts: int = 0
    _child: subprocess.Popen[bytes] | None = None

    @property
    def config_path(self) -> Path:
        """Its ``openclaw.json``."""
        return self.box.state_dir / "openclaw.json"

    @property
    def log_path(self) -> Path:
        """The log that it writes as JSON lines."""
        return self.box.root / "openclaw.log"

    @property
    def printed_path(self) -> Path:
        """What it prints."""
        return self.box.logs / "gateway.log"

    def configure(self) -> None:
        """Write a config: loopback, the scripted model, nothing that calls home or wakes up by itself."""
        self.config_path.write_text(json.dumps(self._config(), indent=2) + "\n", encoding="utf-8")
        self.config_path.chmod(0o600)

    def start(self) -> float:
        """The seconds until it was ready. Raises ``GatewayError`` with its last words when it is not."""
        began = time.monotonic()
        command = self.release.command("gateway", "run", "--port", str(self.port), "--bind", "loopback")
        self._child = self.box.start(command, "gateway")
        self.starts += 1
        while time.monotonic() - began < READY_LIMIT_S:
            if self._child.poll() is not None:
                break
            if self._ready():
                return time.monotonic() - began
            time.sleep(POLL_S)
        raise GatewayError(f"the gateway of {self.release.version} is not ready:\n{self.printed()[-2_000:]}")

    def stop(self) -> float:
        """End it; the seconds it took."""
        if self._child is None:
            return 0.0
        _, took_s = self.box.stop(self._child)
        self._child = None
        return took_s

    def call(self, *arguments: str, limit_s: float = TURN_LIMIT_S) -> Ran:
        """One ``openclaw`` command."""
        return self.box.run(self.release.command(*arguments), limit_s)

    def say(self, message: str, key: str = MAIN) -> Ran:
        """A turn in a session. Raises ``GatewayError`` when the command fails."""
        turn = ["agent", "--agent", "main", "--session-key", key, "--message", message, "--json"]
        return self._well(self.call(*turn), f"a turn in {key}")

    def chat(self, message: str, key: str = MAIN) -> None:
        """A turn as a chat window sends it. Unlike ``say`` it lets the host flush its memory before."""
        sent = {"sessionKey": key, "message": message, "idempotencyKey": secrets.token_hex(8)}
        begun = self._rpc("chat.send", sent)
        ended = self._rpc("agent.wait", {"runId": begun.get("runId"), "timeoutMs": WAIT_LIMIT_MS})
        if ended.get("status") != "ok":
            raise GatewayError(f"a chat turn in {key} did not end well: {ended}")

    def compact(self, key: str = MAIN) -> Ran:
        """Compact a session as ``/compact`` does. Raises ``GatewayError`` when the command fails."""
        return self._well(self.call("sessions", "compact", key, "--json"), f"compacting {key}")

    def cron_session(self, message: str) -> Ran:
        """An isolated job that runs one turn now, to its end."""
        add = [
            "cron",
            "add",
            "--name",
            "e2e",
            "--every",
            "24h",
            "--message",
            message,
            "--session",
            "isolated",
        ]
        added = self._well(self.call(*add, "--agent", "main", "--no-deliver", "--json"), "cron add")
        job = _json_in(added.out)
        identity = str(job.get("id") or job.get("job", {}).get("id", ""))
        run = self.call("cron", "run", identity, "--wait", "--wait-timeout", "2m", "--poll-interval", "500ms")
        self._well(run, "cron run")
        return self._well(self.call("cron", "rm", identity), "cron rm")

    def printed(self) -> str:
        """Everything it printed so far."""
        try:
            return self.printed_path.read_text("utf-8", "replace")
        except FileNotFoundError:
            return ""

    def logged(self) -> str:
        """Everything it logged so far."""
        try:
            return self.log_path.read_text("utf-8", "replace")
        except FileNotFoundError:
            return ""

    def hooks_loaded(self) -> int:
        """How many hooks it said it had loaded at its last start."""
        found = re.findall(r"loaded (\d+) internal hook handler", self.printed())
        return int(found[-1]) if found else 0

    def _rpc(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        called = ["gateway", "call", method, "--params", json.dumps(params), "--json"]
        ran = self.call(*called, "--timeout", str(WAIT_LIMIT_MS))
        return _json_in(self._well(ran, method).out)

    def _ready(self) -> bool:
        with contextlib.suppress(OSError, urllib.error.URLError):
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            with opener.open(f"http://127.0.0.1:{self.port}/readyz", timeout=2) as answer:
                return bool(answer.status == 200)
        return False

    def _well(self, ran: Ran, what: str) -> Ran:
        if ran.code != 0:
            tail = f"{ran.out[-1_500:]}\n{ran.err[-1_500:]}"
            raise GatewayError(f"{what} failed with {ran.code} on {self.release.version}:\n{tail}")
        return ran

    def _config(self) -> dict[str, Any]:
        cost = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
        model = {
            "id": AGENT_MODEL,
            "name": AGENT_MODEL,
            "reasoning": False,
            "input": ["text"],
            "cost": cost,
            "contextWindow": CONTEXT_WINDOW_TOKENS,
            "maxTokens": 4096,
        }
        provider = {
            "baseUrl": self.model_url,
            "apiKey": "local",
            "api": "openai-completions",
            "models": [model],
        }
        defaults: dict[str, Any] = {
            "workspace": str(self.box.workspace),
            "skipBootstrap": False,
            "model": {"primary": f"fake/{AGENT_MODEL}"},
            "heartbeat": {"every": "0m"},
            "userTimezone": "UTC",
            # So that a talk of a few lines is worth compacting.
            "compaction": {"keepRecentTokens": KEPT_TOKENS},
        }
        models: dict[str, Any] = {"mode": "replace", "providers": {"fake": provider}}
        if self.release.in_sqlite:
            models["catalogRefresh"] = {"enabled": False}
        return {
            "gateway": {
                "mode": "local",
                "port": self.port,
                "bind": "loopback",
                "auth": {"mode": "token", "token": secrets.token_hex(16)},
            },
            "models": models,
            "agents": {"defaults": defaults},
            "update": {"checkOnStart": False},
            "discovery": {"mdns": {"mode": "off"}},
            "browser": {"enabled": False},
            "logging": {"file": str(self.log_path), "level": "info"},
            **({"hooks": {"internal": {"enabled": True}}} if self.every_hook else {}),
            "plugins": {"entries": {"memory-core": {"config": {"dreaming": {"enabled": False}}}}},
        }


def _json_in(text: str) -> dict[str, Any]:
    """The JSON object of a command's output, which may stand after other lines."""
    start = text.find("{")
    with contextlib.suppress(ValueError):
        found = json.JSONDecoder().raw_decode(text, max(start, 0))[0]
        if isinstance(found, dict):
            return found
    return {}
