"""What a run works with: somebody who talks to OpenClaw, and Total Recall beside it."""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from scripts.e2e_parts.checks import Checks
from scripts.e2e_parts.facts import Fact, Facts, Where
from scripts.e2e_parts.gateway import Gateway
from scripts.e2e_parts.logs import complaints, loud_kinds, own_errors
from scripts.e2e_parts.model import ScriptedModel
from scripts.e2e_parts.ours import TotalRecall, model_settings
from scripts.e2e_parts.sandbox import Ran, Sandbox

GROUP = "agent:main:telegram:group:-100123"
_MACHINE_TALK = ("NO_REPLY", "[cron:", "BIG-MEMORY-SNAPSHOT", "new session was started", "openclaw:")
_LEFTOVER_LIMIT_S = 20.0
# The longest that a model which failed once or twice is left alone, and how often we look.
_PAUSE_LIMIT_S = 240.0
_RETRY_S = 5.0
# The service writes down how it is once a minute at most.
_STATUS_LIMIT_S = 150.0


class Way(StrEnum):
    """Who has the talk observed."""

    SERVICE = "service"  # totalrecall run, and the hook
    HOOK = "hook"  # the hook alone: the service is down
    COMMANDS = "commands"  # nobody but the user, or cron
    UPGRADE = "upgrade"  # the hook alone, and OpenClaw moves from files to a database


@dataclass
class Story:
    """What one run works with.

    Attributes:
        way: who has the talk observed.
        by_model: the scripted model writes the notes; else the built-in engine.
        before: OpenClaw's config and AGENTS.md before ours was installed.
        hooks_before: how many hooks OpenClaw had loaded by then.
        loud_before: the warnings that it had given by then.
    """

    box: Sandbox
    gateway: Gateway
    ours: TotalRecall
    model: ScriptedModel
    checks: Checks
    way: Way
    by_model: bool
    facts: Facts = field(default_factory=Facts)
    before: tuple[dict[str, Any], bytes] = ({}, b"")
    hooks_before: int = 0
    loud_before: set[str] = field(default_factory=set)

    @property
    def private(self) -> list[Fact]:
        """What was said in private so far."""
        return self.facts.of(Where.PRIVATE)

    def tell(self, where: Where = Where.PRIVATE, more: str = "", *, in_chat: bool = False) -> Fact:
        """Say the next fact in a session of that kind, and something more with it.

        ``in_chat``: as a chat window sends it, and not the command line.
        """
        fact = self.facts.next(where)
        words = f"{fact.sentence} {more}".strip()
        if where is Where.CRON:
            self.gateway.cron_session(words)
        elif where is Where.GROUP:
            self.gateway.say(words, GROUP)
        elif in_chat:
            self.gateway.chat(words)
        else:
            self.gateway.say(words)
        return fact

    def ended_well(self, name: str, ran: Ran) -> None:
        """Check that a command of ours ended with 0; what it said is shown."""
        said = " | ".join((ran.out + ran.err).split("\n")).strip(" |")
        self.checks.that(name, ran.code == 0, f"{ran.code}: {said[-400:]}" if ran.code else said[:120])

    def noted(self, name: str) -> None:
        """Check that everything said so far gets into the notes by itself; by hand, ask for it first."""
        if self.way is Way.COMMANDS:
            self.ended_well("observe ends well", self.ours.call("observe"))
        took_s = self.ours.wait_for(self.private)
        missing = [fact.token for fact in self.private if fact.token not in self.ours.notes()]
        self.checks.that(name, [] if took_s is not None else [f"never noted: {', '.join(missing)}"])

    def settle(self) -> None:
        """Observe until nothing is left to do; a model that was away is not asked again at once."""
        began = time.monotonic()
        while (ran := self.ours.call("observe")).code and time.monotonic() - began < _PAUSE_LIMIT_S:
            time.sleep(_RETRY_S)
        self.ended_well("observe ends well", ran)

    def turns_green(self) -> None:
        """Check that health is green, or soon is."""
        deadline = time.monotonic() + _STATUS_LIMIT_S
        while (ran := self.ours.call("status")).code and time.monotonic() < deadline:
            time.sleep(1)
        self.ended_well("status is green", ran)

    def view(self, fact: Fact) -> str:
        """The system text with which the agent was asked about this fact."""
        asked = self.model.of_agent(fact.token)
        return asked[0].system if asked else ""

    def not_shown(self, fact: Fact, name: str) -> None:
        """Check that nothing said in private stood in the agent's context when this fact was told."""
        view = self.view(fact)
        known = [one.token for one in self.private if one is not fact]
        self.checks.that(
            name, [token for token in known if token in view] if view else ["it was never asked"]
        )

    def shown(self, fact: Fact, name: str) -> None:
        """Check that the notes, as notes, stood in the agent's context when this fact was told."""
        view = self.view(fact)
        known = [one.token for one in self.private if one is not fact and one.token in self.ours.notes()]
        missing = [token for token in known if not re.search(rf"^\s*- [🔴🟡🟢].*{token}", view, re.MULTILINE)]
        self.checks.that(name, [f"not in its context: {token}" for token in missing], f"{len(known)} notes")

    def host(self) -> tuple[dict[str, Any], bytes]:
        """OpenClaw's config without the stamps it sets itself, and AGENTS.md."""
        config = json.loads(self.gateway.config_path.read_text("utf-8"))
        agents_file = self.box.workspace / "AGENTS.md"
        text = agents_file.read_bytes() if agents_file.exists() else b""
        return {name: value for name, value in config.items() if name != "meta"}, text

    def begin(self) -> None:
        """Start the gateway, say one thing, and keep how the host is without us."""
        quick = {
            "OBSERVER_LINE_THRESHOLD": "4",
            "OBSERVER_COOLDOWN_SECS": "1",
            "TOTALRECALL_QUIET_MIN": "1",
            # What a model that was away left over is asked for again by the clock, every 15 minutes if unset.
            "TOTALRECALL_SCHEDULE_OBSERVER": "* * * * *",
        }
        self.ours.configure({**quick, **(model_settings(self.model) if self.by_model else {})})
        self.gateway.configure()
        self.checks.that("the gateway starts", True, f"{self.gateway.start():.0f} s")
        self.tell()
        self.before = self.host()
        self.hooks_before = self.gateway.hooks_loaded()
        self.loud_before = loud_kinds(self.gateway.logged())

    def install(self) -> None:
        """Install ours beside OpenClaw, and start its gateway anew."""
        self.ended_well("openclaw install ends well", self.ours.call("openclaw", "install", "--yes"))
        self.gateway.stop()
        self.checks.that("the gateway starts with ours", True, f"{self.gateway.start():.0f} s")
        loaded = self.gateway.hooks_loaded()
        wanted = self.hooks_before + 1
        self.checks.that(
            "our hook is loaded, and all others still are", loaded == wanted, f"{loaded} of {wanted}"
        )
        valid = self.gateway.call("config", "validate")
        self.checks.that("OpenClaw takes the config", valid.code == 0, (valid.out + valid.err)[-300:].strip())

    def look_at_notes(self) -> None:
        """Check that the notes hold what was said in private, once each, and nothing else."""
        notes = self.ours.notes()
        said = {fact.token: notes.count(fact.token) for fact in self.private}
        wrong = [f"{token} {times} times" for token, times in said.items() if times != 1]
        self.checks.that("what was said is noted once", wrong, f"{len(said)} facts")
        others = [fact.token for fact in self.facts.of(Where.GROUP, Where.CRON)]
        alien = [words for words in (*others, *_MACHINE_TALK) if words in notes]
        self.checks.that("nothing of groups, cron jobs and machines is noted", alien)
        lines = [line for line in notes.splitlines() if line.lstrip().startswith("- ")]
        twice = sorted({line for line in lines if lines.count(line) > 1})
        self.checks.that("no line stands twice", twice, f"{len(lines)} notes")
        self.checks.that(
            "no stand-in is left", [line for line in notes.splitlines() if "provisional" in line]
        )
        self.ended_well("verify adds up", self.ours.call("verify"))

    def look_at_log(self, expected: str = "") -> None:
        """Check that OpenClaw did not complain about us, but for lines that hold ``expected``."""
        found = complaints(self.gateway.logged(), self.gateway.printed())
        unasked = [line for line in found if not expected or not re.search(expected, line)]
        self.checks.that("OpenClaw's log has no complaint about us", unasked)
        self.checks.that("our own logs tell of no error", own_errors(self.ours.logged()))
        for kind in sorted(loud_kinds(self.gateway.logged()) - self.loud_before):
            print(f"    (a warning of OpenClaw's own, first seen with ours: {kind})", flush=True)

    def uninstall(self) -> None:
        """Take ours out again; what of it is left is checked, but not the config and AGENTS.md."""
        self.ended_well("openclaw uninstall ends well", self.ours.call("openclaw", "uninstall", "--yes"))
        places = [self.box.state_dir, self.box.workspace, self.box.home / ".agents"]
        left = [str(path) for place in places for path in place.glob("*/totalrecall*")]
        self.checks.that("hook and skill are gone", left)
        self.checks.that("the notes stay", bool(self.ours.notes()))

    def end(self) -> None:
        """Stop the gateway; every process that any of this started must be gone soon."""
        self.gateway.stop()
        deadline = time.monotonic() + _LEFTOVER_LIMIT_S
        while (left := self.box.leftovers()) and time.monotonic() < deadline:
            time.sleep(0.2)
        self.checks.that("no process is left", left)
