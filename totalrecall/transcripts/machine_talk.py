"""Messages that wear a speaker's role and are nobody's words: what the host wrote, recognised by shape.

Each rule wants the whole known shape of a text the host generates, so that a person who quotes a piece of it,
or talks about it, is kept (R042). Texts: OpenClaw 2026.2 to 2026.9.
"""

from __future__ import annotations

import re

from totalrecall.domain.event import Event, Role
from totalrecall.domain.state import SkipReason

OWN_CALL_MARKER = "[total-recall:own-call]"
"""The first line of every prompt of ours; a session that begins with it is never read (R043)."""

_CRON = re.compile(r"\[cron:[^\s\]]{1,80}(?: [^\]\n]{1,120})?\](?: |\n|\Z)")
_COMMAND = re.compile(r"/(?P<name>[a-z][a-z0-9_-]{0,40})(?:@\w+)?(?::)?(?:\s+(?P<words>\S.*))?\Z")
# Commands whose argument is a setting or a name. Others ("/remind me to call Bob") may be a skill's.
_COMMANDS = frozenset(
    {
        "acp", "activation", "agents", "allowlist", "approve", "bash", "commands", "compact",
        "config", "context", "debug", "diagnostics", "dock-discord", "dock-slack", "dock-telegram",
        "dreaming", "elev", "elevated", "exec", "export-session", "export-trajectory", "fast",
        "focus", "help", "id", "kill", "login", "mcp", "model", "models", "name", "pair", "phone",
        "plugin", "plugins", "queue", "reason", "reasoning", "restart", "send", "session",
        "sessions", "status", "stop", "subagents", "t", "tasks", "think", "thinking", "tools",
        "trace", "tts", "unfocus", "usage", "v", "verbose", "version", "voice", "whoami",
        "big-memory",
    }
)  # fmt: skip
# Behind these a person goes on talking.
_WITH_WORDS = frozenset({"new", "reset", "steer", "tell", "btw", "side"})
_ROOT_FOLDERS = frozenset(
    {
        "bin", "boot", "data", "dev", "etc", "home", "lib", "media", "mnt", "opt", "proc", "root",
        "run", "srv", "sys", "tmp", "usr", "var",
    }
)  # fmt: skip
_SILENT = {"no_reply": SkipReason.SILENT, "heartbeat_ok": SkipReason.HEARTBEAT}
_INTERNAL_SOURCES = {"cron": SkipReason.CRON, "heartbeat": SkipReason.HEARTBEAT}
_PROVENANCES = {"internal_system": SkipReason.RUNTIME, "inter_session": SkipReason.SUBAGENT}
# Beginning of a generated text, something that must stand in the rest of it, and what it is.
_GENERATED = (
    ("Read HEARTBEAT.md if it exists", "reply HEARTBEAT_OK", SkipReason.HEARTBEAT),
    ("A new session was started via /new or /reset.", "reet the user", SkipReason.STARTUP),
    ("A new session was started via /new or /reset.", "Session Startup sequence", SkipReason.STARTUP),
    ("Pre-compaction memory flush.", "NO_REPLY", SkipReason.FLUSH),
    ("[Subagent Context] You are running as a subagent", "", SkipReason.SUBAGENT),
    ("[Subagent Context]", "[Subagent Task]", SkipReason.SUBAGENT),
    ("OpenClaw runtime context (internal):", "runtime-generated", SkipReason.RUNTIME),
)
_GENERATED_EXACTLY = {
    "[OpenClaw cron wake]": SkipReason.CRON,
    "[OpenClaw heartbeat poll]": SkipReason.HEARTBEAT,
    "Continue the OpenClaw runtime event.": SkipReason.RUNTIME,
}


def begins_own_call(text: str) -> bool:
    """True when a session's first message, without envelopes, is a prompt of ours, cron's prefix or not."""
    mark = _CRON.match(text)
    return text[mark.end() if mark else 0 :].lstrip().startswith(OWN_CALL_MARKER)


def machine_reason(event: Event, text: str) -> SkipReason | None:
    """Why a message in the user's role was written by the host; None when a person wrote it.

    ``text`` is the message without envelopes.
    """
    origin = event.origin
    if origin.provenance in _PROVENANCES:
        return _INTERNAL_SOURCES.get(origin.source_tool, _PROVENANCES[origin.provenance])
    if text in _GENERATED_EXACTLY:
        return _GENERATED_EXACTLY[text]
    for beginning, within, reason in _GENERATED:
        if text.startswith(beginning) and within in text:
            return reason
    if text.startswith("[cron:") and _CRON.match(text):
        return SkipReason.CRON
    return None


def command_words(event: Event, text: str) -> str | None:
    """What a person says in a slash command: "" for a plain command, None when it is no command.

    ``/new and then fix the build`` says "and then fix the build". A path at the beginning of a sentence is no
    command, and neither is a name we do not know with words behind it: better one command noted than a
    sentence lost.
    """
    if not text.startswith("/"):
        return "" if event.origin.excluded else None
    command = None if "\n" in text else _COMMAND.match(text)
    if command is None:
        return "" if event.origin.excluded else None
    name, words = command["name"], command["words"] or ""
    if name in _WITH_WORDS:
        return words
    if name in _COMMANDS or event.origin.excluded:
        return ""
    return "" if not words and name not in _ROOT_FOLDERS else None


def silent_reason(event: Event, text: str) -> SkipReason | None:
    """Why an assistant's message is no answer: a token of silence, or the gateway's own reply; None else."""
    if event.role is not Role.ASSISTANT:
        return None
    token = text.strip("*_`'\". \n\t").casefold()
    if token in _SILENT:
        return _SILENT[token]
    origin = event.origin
    # What the assistant had said when the person stopped it is its words, though 2026.3 has the gateway
    # write them.
    if origin.model == "gateway-injected" and origin.stop_reason != "aborted":
        return SkipReason.INJECTED_REPLY
    return SkipReason.COMMAND if origin.excluded else None
