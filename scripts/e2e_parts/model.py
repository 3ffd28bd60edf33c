"""A model on the loopback that plays by a script: the agent's, and under another name our observer's.

Speaks OpenAI's chat completions, whole and as server-sent events, and keeps what it was asked.
"""

from __future__ import annotations

import itertools
import json
import re
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

AGENT_MODEL = "scripted-agent"
NOTES_MODEL = "scripted-notes"
_TALK_LINE = re.compile(r"^(\d+) U (?:(\d\d:\d\d) )?(.+)$")
# In the silent turn before a compaction the host offers nothing else.
_FLUSH_TOOLS = frozenset({"read", "write"})
# The headings that OpenClaw's compaction asks for and its audit looks for.
_SUMMARY_HEADINGS = (
    "Decisions",
    "Open TODOs",
    "Constraints/Rules",
    "Pending user asks",
    "Exact identifiers",
)


@dataclass(frozen=True, slots=True)
class Asked:
    """One request.

    Attributes:
        model: whom it was sent to.
        system: the text of all system and developer messages.
        user: what the user said since the last answer.
        whole: every text in it, tool results included.
        tools: names of the tools that were offered.
    """

    model: str
    system: str
    user: str
    whole: str
    tools: frozenset[str]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the agent calls when the user's words hold ``when``, once for each such message."""

    when: str
    tool: str
    arguments: Mapping[str, Any]


@dataclass
class ScriptedModel:
    """What it will do, and what it was asked. Use ``scripted_model()``.

    Attributes:
        calls: tools to call.
        asked: the requests so far.
        down: answer 503 to our observer, as a provider that is away.
        used: words of the user, and how many tokens the context is said to hold after them: near the end of
            the window OpenClaw flushes its memory and compacts by itself.
    """

    calls: list[ToolCall] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    down: bool = False
    used: dict[str, int] = field(default_factory=dict)
    port: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        """The base URL, up to and with ``/v1``."""
        return f"http://127.0.0.1:{self.port}/v1"

    def of_agent(self, words: str) -> list[Asked]:
        """The agent's requests whose last user message holds these words."""
        with self.lock:
            return [one for one in self.asked if one.model == AGENT_MODEL and words in one.user]

    def save(self, path: Path) -> None:
        """Write what it was asked into a file, one line of JSON each."""
        with self.lock:
            lines = [json.dumps({**asdict(one), "tools": sorted(one.tools)}) for one in self.asked]
        path.write_text("\n".join(lines), encoding="utf-8")

    def of_flush(self) -> list[Asked]:
        """The agent's silent turns before a compaction."""
        with self.lock:
            return [one for one in self.asked if one.tools and one.tools <= _FLUSH_TOOLS]

    def used_tokens(self, body: Mapping[str, Any]) -> int:
        """How many tokens the request is said to hold."""
        said = _asked(body).user
        named = [tokens for words, tokens in self.used.items() if words in said]
        return named[0] if named else len(json.dumps(body)) // 4

    def answer(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The message that answers a request; the request is kept."""
        asked = _asked(body)
        with self.lock:
            self.asked.append(asked)
            turn = sum(one.model == asked.model for one in self.asked)
        if asked.model == NOTES_MODEL:
            return _words(_as_asked_by_us(asked))
        if not asked.tools and ("summar" in asked.system.lower() or "summar" in asked.user.lower()):
            return _words(_summary(asked.whole))
        if asked.tools and asked.tools <= _FLUSH_TOOLS:
            return _words("NO_REPLY")
        if _last_role(body) == "user":
            for call in self.calls:
                if call.when in asked.user and call.tool in asked.tools:
                    return _tool(call, turn)
        return _words(f"Understood, that is turn {turn}.")


@contextmanager
def scripted_model() -> Iterator[ScriptedModel]:
    """A model that is served until the end of the block."""
    model = ScriptedModel()
    server = _Server(("127.0.0.1", 0), _Handler)
    server.model = model
    model.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _asked(body: Mapping[str, Any]) -> Asked:
    messages = [one for one in body.get("messages", ()) if isinstance(one, Mapping)]
    texts = [(str(one.get("role")), _text(one.get("content"))) for one in messages]
    said = itertools.takewhile(lambda one: one[0] != "assistant", reversed(texts))
    users = [text for role, text in said if role == "user"]
    tools = (one.get("function", {}).get("name", "") for one in body.get("tools") or ())
    return Asked(
        model=str(body.get("model")),
        system="\n".join(text for role, text in texts if role in {"system", "developer"}),
        user="\n".join(reversed(users)),
        whole="\n".join(text for _, text in texts),
        tools=frozenset(tools),
    )


def _last_role(body: Mapping[str, Any]) -> str:
    messages = body.get("messages") or [{}]
    return str(messages[-1].get("role"))


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else ()
    return "\n".join(str(part.get("text", "")) for part in parts if isinstance(part, Mapping))


def _words(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def _tool(call: ToolCall, turn: int) -> dict[str, Any]:
    function = {"name": call.tool, "arguments": json.dumps(dict(call.arguments))}
    calls = [{"id": f"call_{turn}", "type": "function", "function": function}]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def _as_asked_by_us(asked: Asked) -> str:
    """What each of our prompts asks for; they are told apart by their first words."""
    said = [found[3] for line in asked.user.splitlines() if (found := _TALK_LINE.match(line))]
    last = said[-1] if said else ""
    if "keeps a task from being forgotten" in asked.system:
        return json.dumps({"goal": last, "phase": "implementing", "next_steps": [last]})
    if "keeps SESSION_STATE.md true" in asked.system:
        return json.dumps({"task": last, "status": "active", "last_action": last, "next_steps": [last]})
    if "the profile reader" in asked.system or "the distiller" in asked.system:
        return "[]"
    return _notes(asked)


def _notes(asked: Asked) -> str:
    """A note for every message of the user in the fence, with its number, as our prompt asks."""
    notes: list[str] = []
    time_of_day = "00:00"
    for line in asked.user.splitlines():
        if found := _TALK_LINE.match(line):
            time_of_day = found[2] or time_of_day
            notes.append(f"- 🟡 {time_of_day} [fact] {found[3]} [{found[1]}]")
    return "\n".join(notes) or "NO_OBSERVATIONS"


def _summary(whole: str) -> str:
    """A summary with every heading of OpenClaw's, and every fact's token among the identifiers."""
    tokens = dict.fromkeys(re.findall(r"\b[a-z]{4,}-\d{3,4}\b", whole))
    body = {"Exact identifiers": "\n".join(f"- {token}" for token in tokens) or "- None."}
    return "\n\n".join(f"## {heading}\n{body.get(heading, '- None.')}" for heading in _SUMMARY_HEADINGS)


class _Server(ThreadingHTTPServer):
    model: ScriptedModel
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away in the middle of an answer is no event here."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """The list of models."""
        models = [{"id": name, "object": "model"} for name in (AGENT_MODEL, NOTES_MODEL)]
        self._send(200, "application/json", json.dumps({"object": "list", "data": models}).encode())

    def do_POST(self) -> None:
        """One completion, whole or in pieces."""
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", "0"))))
        model = self.server.model
        if model.down and body.get("model") == NOTES_MODEL:
            self._send(503, "application/json", b'{"error": {"message": "the model is away", "code": 503}}')
            return
        message = model.answer(body)
        usage = _usage(model.used_tokens(body), message)
        if body.get("stream"):
            self._send(
                200, "text/event-stream", _events(_frame(body, "chat.completion.chunk"), message, usage)
            )
        else:
            self._send(200, "application/json", _whole(_frame(body, "chat.completion"), message, usage))

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 -- the name in http.server
        """Nothing: the run prints its own lines."""


def _usage(prompt: int, message: Mapping[str, Any]) -> dict[str, int]:
    answer = len(json.dumps(message)) // 4
    return {"prompt_tokens": prompt, "completion_tokens": answer, "total_tokens": prompt + answer}


def _frame(body: Mapping[str, Any], kind: str) -> dict[str, Any]:
    moment = time.time()
    return {
        "id": f"chatcmpl-{int(moment * 1e6)}",
        "object": kind,
        "created": int(moment),
        "model": body.get("model"),
    }


def _finish(message: Mapping[str, Any]) -> str:
    return "tool_calls" if message.get("tool_calls") else "stop"


def _whole(frame: Mapping[str, Any], message: Mapping[str, Any], usage: Mapping[str, int]) -> bytes:
    choice = {"index": 0, "message": message, "finish_reason": _finish(message)}
    return json.dumps({**frame, "choices": [choice], "usage": usage}).encode()


def _events(frame: Mapping[str, Any], message: Mapping[str, Any], usage: Mapping[str, int]) -> bytes:
    """The answer as events: role, words in two pieces or the tool call, the end with usage, ``[DONE]``."""
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    if message.get("tool_calls"):
        calls = [{"index": at, **call} for at, call in enumerate(message["tool_calls"])]
        deltas.append({"tool_calls": calls})
    else:
        text = str(message.get("content") or "")
        middle = len(text) // 2
        deltas += [{"content": part} for part in (text[:middle], text[middle:]) if part]
    chunks = [{**frame, "choices": [{"index": 0, "delta": one, "finish_reason": None}]} for one in deltas]
    end = {"index": 0, "delta": {}, "finish_reason": _finish(message)}
    chunks.append({**frame, "choices": [end], "usage": usage})
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return "".join([*lines, "data: [DONE]\n\n"]).encode()
