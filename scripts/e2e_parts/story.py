"""One run: a person talks to a real OpenClaw, and Total Recall is there."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from scripts.e2e_parts.checks import Checks
from scripts.e2e_parts.facts import Fact, Facts, Where
from scripts.e2e_parts.gateway import Gateway
from scripts.e2e_parts.logs import complaints, loud_kinds
from scripts.e2e_parts.model import ScriptedModel, ToolCall
from scripts.e2e_parts.ours import TotalRecall, model_settings
from scripts.e2e_parts.sandbox import Sandbox

GROUP = "agent:main:telegram:group:-100123"
_FOLDER_WORDS = "look at the folder"
_FULL_WORDS = "that was a lot"
_PADDING = "It rained, we had tea, and nothing else came of it. " * 8
_LEFTOVER_LIMIT_S = 20.0


class Way(StrEnum):
    """Who has the talk observed."""

    SERVICE = "service"  # totalrecall run, and the hook
    HOOK = "hook"  # the hook alone: the service is down
    COMMANDS = "commands"  # nobody but the user, or cron


@dataclass
class Story:
    """What one run works with.

    Attributes:
        way: who has the talk observed.
        by_model: the scripted model writes the notes; else the built-in engine.
        before: OpenClaw's config and AGENTS.md before ours was installed.
        quiet_kinds: warnings that OpenClaw gave before ours was installed.
    """

    box: Sandbox
    gateway: Gateway
    ours: TotalRecall
    model: ScriptedModel
    checks: Checks
    way: Way
    by_model: bool
    facts: Facts = field(default_factory=Facts)
    before: tuple[Any, bytes] = (None, b"")
    quiet_kinds: set[str] = field(default_factory=set)

    def tell(self, where: Where = Where.PRIVATE, more: str = "") -> Fact:
        """Say the next fact in a session of that kind, and something more with it."""
        fact = self.facts.next(where)
        words = f"{fact.sentence} {more}".strip()
        if where is Where.CRON:
            self.gateway.cron_session(words)
        elif where is Where.GROUP:
            self.gateway.say(words, GROUP)
        else:
            self.gateway.say(words)
        return fact

    def noted(self, name: str) -> None:
        """Check that everything said so far gets into the notes by itself; by hand, ask for it first."""
        if self.way is Way.COMMANDS:
            ran = self.ours.call("observe")
            self.checks.that(
                "observe ends well", ran.code == 0, f"{ran.code}: {ran.err[-300:]}" * (ran.code != 0)
            )
        facts = self.facts.of(Where.PRIVATE)
        took_s = self.ours.wait_for(facts)
        missing = [fact.token for fact in facts if fact.token not in self.ours.notes()]
        self.checks.that(name, [f"never noted: {', '.join(missing)}"] if took_s is None else [])

    def sees(self, fact: Fact) -> str:
        """The system text with which the agent was asked about this fact."""
        asked = self.model.of_agent(fact.token)
        return asked[0].system if asked else ""


def play(story: Story) -> None:
    """The whole run, from a fresh gateway to one without us."""
    _talk_before(story)
    _install(story)
    _talk(story)
    _ends(story)
    _compactions(story)
    _others(story)
    _restart(story)
    _notes_hold_what_was_said(story)
    _log_is_quiet(story)
    if story.way is not Way.COMMANDS:
        _uninstall(story)
    _nothing_is_left(story)


def _talk_before(story: Story) -> None:
    story.model.calls.append(ToolCall(_FOLDER_WORDS, "exec", {"command": "ls"}))
    story.model.full_at = _FULL_WORDS
    settings = {"OBSERVER_LINE_THRESHOLD": "4", "OBSERVER_COOLDOWN_SECS": "1", "TOTALRECALL_QUIET_MIN": "1"}
    story.ours.configure({**settings, **(model_settings(story.model) if story.by_model else {})})
    story.gateway.configure()
    story.checks.that("the gateway starts", True, f"{story.gateway.start():.0f} s")
    story.tell()
    story.before = _state_of_host(story)
    story.quiet_kinds = loud_kinds(story.gateway.logged())


def _install(story: Story) -> None:
    if story.way is Way.COMMANDS:
        story.noted("what was said before is noted")
        return
    ran = story.ours.call("openclaw", "install", "--yes")
    story.checks.that(
        "openclaw install ends well", ran.code == 0, f"{ran.code}: {ran.err[-500:]}" * (ran.code != 0)
    )
    story.gateway.stop()
    story.checks.that("the gateway starts with ours", True, f"{story.gateway.start():.0f} s")
    listed = story.gateway.call("hooks", "list", "--json").out
    story.checks.that(
        "OpenClaw lists the hook as ready",
        _hook_is_ready(listed),
        "" if _hook_is_ready(listed) else listed[-400:],
    )
    valid = story.gateway.call("config", "validate")
    story.checks.that("OpenClaw takes the config", valid.code == 0, valid.err[-300:] if valid.code else "")
    if story.way is Way.SERVICE:
        story.ours.start_service()
        story.noted("what was said before is noted")


def _talk(story: Story) -> None:
    story.tell()
    story.tell(more=f"Please {_FOLDER_WORDS} and tell me what you find.")
    story.gateway.say("Thanks, that is all for now.")
    if story.way is not Way.HOOK:
        story.noted("a talk that goes on is noted")


def _ends(story: Story) -> None:
    story.gateway.say("/new")
    story.noted("/new: the talk before it is noted")
    fact = story.tell()
    if story.way is not Way.COMMANDS:
        view = story.sees(fact)
        known = [one for one in story.facts.of(Where.PRIVATE) if one is not fact]
        story.checks.that(
            "the agent sees the notes",
            [f"not in its context: {one.token}" for one in known if one.token not in view],
        )
    if story.by_model:
        story.model.down = True
    story.gateway.say("/reset")
    story.noted("/reset: the talk before it is noted" + (", the model being away" if story.by_model else ""))
    story.model.down = False
    story.tell()


def _compactions(story: Story) -> None:
    story.tell(more=_PADDING)
    story.tell(more=_PADDING)
    story.gateway.compact()
    story.noted("a compaction by hand: the talk before it is noted")
    story.tell()
    story.gateway.say(f"Well, {_FULL_WORDS}. {_PADDING}")
    story.tell()
    story.gateway.say("Good.")
    if story.way is not Way.HOOK:
        story.noted("a compaction by itself: the talk around it is noted")


def _others(story: Story) -> None:
    fact = story.tell(Where.GROUP)
    if story.way is not Way.COMMANDS:
        view = story.sees(fact)
        story.checks.that(
            "a group is not shown the notes",
            [one.token for one in story.facts.of(Where.PRIVATE) if one.token in view],
        )
    cron = story.tell(Where.CRON)
    if story.way is not Way.COMMANDS:
        view = story.sees(cron)
        story.checks.that(
            "a cron job is not shown the notes",
            [one.token for one in story.facts.of(Where.PRIVATE) if one.token in view],
        )


def _restart(story: Story) -> None:
    story.gateway.stop()
    story.gateway.start()
    story.tell()
    if story.way is Way.SERVICE:
        story.noted("after a restart of the gateway: noted")
        code, took_s = story.ours.stop_service()
        story.checks.that(
            "the service ends within 5 s, with 0", code == 0 and took_s < 5, f"{code} after {took_s:.1f} s"
        )
    ran = story.ours.call("recover")
    story.checks.that(
        "recover ends well", ran.code == 0, (ran.out + ran.err).strip().replace("\n", " | ")[-300:]
    )
    again = story.ours.call("observe")
    story.checks.that(
        "observe ends well", again.code == 0, (again.out + again.err).strip().replace("\n", " | ")[-300:]
    )


def _notes_hold_what_was_said(story: Story) -> None:
    notes = story.ours.notes()
    said = {fact.token: notes.count(fact.token) for fact in story.facts.of(Where.PRIVATE)}
    story.checks.that(
        "what was said is noted once",
        [f"{token} {times} times" for token, times in said.items() if times != 1],
        f"{len(said)} facts",
    )
    others = story.facts.of(Where.GROUP, Where.CRON)
    story.checks.that(
        "nothing of the group and of cron is noted", [fact.token for fact in others if fact.token in notes]
    )
    lines = [line for line in notes.splitlines() if line.lstrip().startswith("- ")]
    story.checks.that(
        "no line stands twice",
        sorted({line for line in lines if lines.count(line) > 1}),
        f"{len(lines)} notes",
    )
    story.checks.that("no stand-in is left", [line for line in notes.splitlines() if "provisional" in line])
    ran = story.ours.call("verify")
    story.checks.that("verify adds up", ran.code == 0, " ".join(ran.out.split())[:200])


def _log_is_quiet(story: Story) -> None:
    found = complaints(story.gateway.logged(), story.gateway.printed())
    story.checks.that("OpenClaw's log has no complaint about us", found)
    new = loud_kinds(story.gateway.logged()) - story.quiet_kinds
    for kind in sorted(new):
        print(f"    (OpenClaw's own, new since the install: {kind})", flush=True)


def _uninstall(story: Story) -> None:
    ran = story.ours.call("openclaw", "uninstall", "--yes")
    story.checks.that(
        "openclaw uninstall ends well", ran.code == 0, f"{ran.code}: {ran.err[-500:]}" * (ran.code != 0)
    )
    config, agents_file = _state_of_host(story)
    story.checks.that(
        "openclaw.json says what it said before", _without_stamps(config) == _without_stamps(story.before[0])
    )
    story.checks.that("AGENTS.md is as before, byte for byte", agents_file == story.before[1])
    state = story.box.state_dir
    left = [
        str(path.relative_to(state))
        for path in (*state.glob("hooks/totalrecall*"), *state.glob("skills/totalrecall*"))
    ]
    left += [str(path) for path in story.box.workspace.glob("skills/totalrecall*")]
    story.checks.that("hook and skill are gone", left)
    story.checks.that("the notes stay", bool(story.ours.notes()))
    story.gateway.stop()
    story.checks.that("the gateway starts without ours", True, f"{story.gateway.start():.0f} s")
    fact = story.tell()
    view = story.sees(fact)
    story.checks.that(
        "the agent no longer sees the notes",
        [one.token for one in story.facts.of(Where.PRIVATE) if one.token in view],
    )


def _nothing_is_left(story: Story) -> None:
    story.gateway.stop()
    deadline = time.monotonic() + _LEFTOVER_LIMIT_S
    while (left := story.box.leftovers()) and time.monotonic() < deadline:
        time.sleep(0.2)
    story.checks.that("no process is left", left)


def _state_of_host(story: Story) -> tuple[Any, bytes]:
    agents_file = story.box.workspace / "AGENTS.md"
    config = json.loads(story.gateway.config_path.read_text("utf-8"))
    return config, agents_file.read_bytes() if agents_file.exists() else b""


def _without_stamps(config: Any) -> Any:
    """The config without what OpenClaw itself writes into it when it is touched."""
    return (
        {name: value for name, value in config.items() if name != "meta"}
        if isinstance(config, dict)
        else config
    )


def _hook_is_ready(listed: str) -> bool:
    start = listed.find("{")
    try:
        hooks = json.JSONDecoder().raw_decode(listed, max(start, 0))[0].get("hooks", [])
    except (ValueError, AttributeError):
        return False
    return any(
        one.get("name") == "totalrecall" and (one.get("eligible") or one.get("loadable")) for one in hooks
    )
