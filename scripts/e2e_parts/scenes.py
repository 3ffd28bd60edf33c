"""What happens in a run: talk, /new, /reset, compactions, a group, a cron job, a restart, and back out."""

from __future__ import annotations

from scripts.e2e_parts.facts import Where
from scripts.e2e_parts.gateway import FLUSH_TOKENS, FULL_TOKENS
from scripts.e2e_parts.model import ToolCall
from scripts.e2e_parts.story import Story, Way

_FOLDER_WORDS = "look at the folder"
_FLUSH_WORDS = "that was a lot"
_FULL_WORDS = "that was far too much"
_PADDING = "It rained, we had tea, and nothing else came of it. " * 8


def play(story: Story) -> None:
    """The whole run, from a fresh gateway to one without us."""
    story.model.calls.append(ToolCall(_FOLDER_WORDS, "exec", {"command": "ls"}))
    story.model.used.update({_FLUSH_WORDS: FLUSH_TOKENS, _FULL_WORDS: FULL_TOKENS})
    # In one of the runs all hooks are on by OpenClaw's switch for all: naming ours must not switch them off.
    story.gateway.every_hook = story.way is Way.HOOK
    story.begin()
    if story.way is not Way.COMMANDS:
        story.install()
    if story.way is Way.SERVICE:
        story.ours.start_service()
    if story.way is not Way.HOOK:
        story.noted("what was said before is noted")
    _talk(story)
    _ends(story)
    _compactions(story)
    _others(story)
    if story.by_model:
        _outage(story)
    _restart(story)
    story.look_at_notes()
    story.look_at_log()
    if story.way is not Way.COMMANDS:
        _back_out(story)
    story.end()


def _talk(story: Story) -> None:
    # The built-in engine keeps about a third of the words: most of a talk is about nothing, as talks are.
    story.tell(more=_PADDING)
    story.tell(more=f"Please {_FOLDER_WORDS} and tell me what you find.")
    story.gateway.say(f"Thanks, that is all for now. {_PADDING}")
    if story.way is not Way.HOOK:
        story.noted("a talk that goes on is noted")


def _ends(story: Story) -> None:
    story.gateway.say("/new")
    story.noted("/new: the talk before it is noted")
    fact = story.tell()
    if story.way is not Way.COMMANDS:
        story.shown(fact, "the agent sees the notes")
    story.gateway.say("/reset")
    story.noted("/reset: the talk before it is noted")
    story.tell()


def _compactions(story: Story) -> None:
    story.tell(more=_PADDING)
    story.tell(more=_PADDING)
    story.gateway.compact()
    story.noted("a compaction by hand: the talk before it is noted")
    fact = story.tell()
    if story.way is not Way.COMMANDS:
        handed = "Total Recall took this snapshot" in story.view(fact)
        story.checks.that("after the compaction the agent is handed the snapshot", handed)
    story.gateway.say(f"Well, {_FLUSH_WORDS}. {_PADDING}")
    story.tell(in_chat=True)
    if story.way is not Way.COMMANDS and not story.gateway.release.in_sqlite:
        asked = [one for one in story.model.of_flush() if "SESSION_STATE.md" in one.whole]
        story.checks.that("the memory flush is asked for in our words", bool(asked))
    story.gateway.say(f"Well, {_FULL_WORDS}. {_PADDING}")
    story.tell(in_chat=True)
    if story.way is not Way.HOOK:
        story.noted("a compaction by itself: the talk around it is noted")


def _others(story: Story) -> None:
    group, cron = story.tell(Where.GROUP), story.tell(Where.CRON)
    if story.way is not Way.COMMANDS:
        story.not_shown(group, "a group is not shown the notes")
        story.not_shown(cron, "a cron job is not shown the notes")


def _outage(story: Story) -> None:
    """The provider is away while a session ends: a stand-in by the built-in engine holds its place."""
    story.tell()
    story.model.down = True
    story.gateway.say("/reset")
    if story.way is Way.COMMANDS:
        story.ours.call("recover")
    else:
        story.noted("/reset while the model is away: the talk before it is noted")
    story.checks.that("notes without the model are marked", "provisional" in story.ours.notes())
    story.model.down = False


def _restart(story: Story) -> None:
    story.gateway.stop()
    story.gateway.start()
    story.settle()
    story.tell()
    if story.way is Way.SERVICE:
        story.noted("after a restart of the gateway: the talk is noted")
        story.turns_green()
        code, took_s = story.ours.stop_service()
        well = code == 0 and took_s < 5
        story.checks.that("the service ends within 5 s, with 0", well, f"{code} after {took_s:.1f} s")
    story.settle()
    story.ended_well("recover ends well", story.ours.call("recover"))


def _back_out(story: Story) -> None:
    story.uninstall()
    config, agents_file = story.host()
    changed = [name for name in {*config, *story.before[0]} if config.get(name) != story.before[0].get(name)]
    story.checks.that("openclaw.json says what it said before", [f"changed: {name}" for name in changed])
    story.checks.that("AGENTS.md is as before, byte for byte", agents_file == story.before[1])
    story.gateway.stop()
    story.checks.that("the gateway starts without ours", True, f"{story.gateway.start():.0f} s")
    story.not_shown(story.tell(), "the agent no longer sees the notes")
