"""What happens when OpenClaw moves from files to a database with ours installed: nothing is noted twice."""

from __future__ import annotations

import json

from scripts.e2e_parts.gateway import Gateway
from scripts.e2e_parts.installing import Release
from scripts.e2e_parts.story import Story

# The newer release knows no prompt of the flush: its first start says so, and takes the prompt out by itself.
_KNOWN_COMPLAINT = r"[Ii]nvalid config at|memoryFlush: Unrecognized keys"


def play_upgrade(story: Story, newer: Release) -> None:
    """The whole run: talk on the file release, and go on talking on the newer one with the same home."""
    story.begin()
    story.install()
    story.tell()
    story.gateway.say("/new")
    story.noted("/new: the talk before it is noted")
    story.tell()
    story.tell()
    story.gateway.stop()
    story.box.path = newer.path
    story.gateway = Gateway(story.box, newer, story.gateway.model_url, story.gateway.port)
    took_s = story.gateway.start()
    story.checks.that(f"{newer.version} starts with the home of the older one", True, f"{took_s:.0f} s")
    story.shown(story.tell(), "the agent sees the notes")
    story.gateway.say("/new")
    story.noted("/new: the talk before it, on both releases, is noted")
    story.tell()
    story.settle()
    story.look_at_notes()
    story.look_at_log(_KNOWN_COMPLAINT)
    story.uninstall()
    config, agents_file = story.host()
    told = json.dumps(config)
    left = [words for words in ("totalrecall", "softThresholdTokens", "BIG-MEMORY") if words in told]
    story.checks.that("nothing of ours is left in openclaw.json", left)
    story.checks.that("AGENTS.md is as before, byte for byte", agents_file == story.before[1])
    story.end()
