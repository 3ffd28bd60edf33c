"""A real model endpoint on the loopback: a queue of scripted behaviours, and a history of what was asked."""

from __future__ import annotations

import gzip
import json
import socket
import struct
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """An answer that is sent as it is."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})


@dataclass(frozen=True)
class Drip:
    """A status line, then a piece of body every ``pause_s``, for ever (until the client goes)."""

    pause_s: float = 0.02
    piece: bytes = b" "


@dataclass(frozen=True)
class DripHeaders:
    """Header lines, one every ``pause_s``, for ever."""

    pause_s: float = 0.02


@dataclass(frozen=True)
class Hang:
    """Takes the request and says nothing."""


@dataclass(frozen=True)
class ResetMidBody:
    """Half a body, then a reset of the connection."""


@dataclass(frozen=True)
class ShortBody:
    """Less body than the length promised, then a proper end."""


Behaviour = Reply | Drip | DripHeaders | Hang | ResetMidBody | ShortBody | Callable[[dict[str, Any]], Reply]


def chat(
    content: Any, finish: str = "stop", usage: Mapping[str, Any] | None = None, **message: Any,
) -> Reply:  # fmt: skip
    """A plain answer; ``message`` adds fields such as reasoning or refusal."""
    body: dict[str, Any] = {
        "id": "gen-1",
        "model": "maker/model",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": content, **message},
            },
        ],
    }
    if usage is not None:
        body["usage"] = dict(usage)
    return Reply(json.dumps(body).encode())


def error(status: int, message: str, headers: Mapping[str, str] | None = None, **extra: Any) -> Reply:
    """An error body as OpenRouter sends it."""
    body = {"error": {"code": status, "message": message, **extra}, "user_id": "u"}
    return Reply(json.dumps(body).encode(), status, {"Content-Type": "application/json", **(headers or {})})


def zipped(reply: Reply) -> Reply:
    """The same answer, compressed."""
    return Reply(gzip.compress(reply.body), reply.status, {**reply.headers, "Content-Encoding": "gzip"})


def encoded(reply: Reply, encoding: str, declared: str = "") -> Reply:
    """The same answer in another encoding, written without escapes."""
    text = json.dumps(json.loads(reply.body), ensure_ascii=False)
    kind = f"application/json; charset={declared}" if declared else "application/json"
    return Reply(text.encode(encoding), reply.status, {"Content-Type": kind})


class ModelServer:
    """Answers requests with the next scripted behaviour; the last one repeats. Use ``model_server()``.

    ``answer``, when set, makes the behaviour from the request's body instead.
    """

    def __init__(self) -> None:
        self.script: deque[Behaviour] = deque()
        self.answer: Callable[[bytes], Behaviour] | None = None
        self.requests: list[dict[str, Any]] = []
        self.raw: list[bytes] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.looks: list[tuple[str, dict[str, str]]] = []
        self.gone = threading.Event()
        self.lock = threading.Lock()
        self._http = _Server(("127.0.0.1", 0), _Handler)
        self._http.owner = self
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02})

    @property
    def url(self) -> str:
        """The base URL, without a path."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def will(self, *behaviours: Behaviour) -> None:
        """Replaces the script."""
        with self.lock:
            self.script = deque(behaviours)

    def next(self) -> Behaviour:
        """The behaviour for one request."""
        with self.lock:
            if not self.script:
                return error(500, "no script")
            return self.script.popleft() if len(self.script) > 1 else self.script[0]

    def start(self) -> None:
        """Begins to serve."""
        self._thread.start()

    def stop(self) -> None:
        """Lets hanging handlers go and joins every thread."""
        self.gone.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


@contextmanager
def model_server() -> Iterator[ModelServer]:
    """A running server, stopped at the end."""
    server = ModelServer()
    server.start()
    try:
        yield server
    finally:
        server.stop()


class _Server(ThreadingHTTPServer):
    owner: ModelServer
    daemon_threads = False
    block_on_close = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is what many tests are about."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        """Keeps the request and plays the next behaviour."""
        owner = self.server.owner
        raw = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        asked: dict[str, Any] = json.loads(raw)
        with owner.lock:
            owner.raw.append(raw)
            owner.requests.append(asked)
            owner.headers.append({name.lower(): value for name, value in self.headers.items()})
            owner.paths.append(self.path)
        self._play(owner.answer(raw) if owner.answer else owner.next(), asked)

    def do_GET(self) -> None:
        """Keeps path and headers of a look, which costs nothing, and plays the next behaviour."""
        owner = self.server.owner
        with owner.lock:
            owner.looks.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
        self._play(owner.next(), {})

    def _play(self, behaviour: Behaviour, asked: dict[str, Any]) -> None:
        gone = self.server.owner.gone
        if isinstance(behaviour, Hang):
            self._until_gone(gone)
        elif isinstance(behaviour, Drip):
            self.wfile.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
            )
            self._drip(behaviour.piece, behaviour.pause_s)
        elif isinstance(behaviour, DripHeaders):
            self.wfile.write(b"HTTP/1.1 200 OK\r\n")
            self._drip(b"X-More: 1\r\n", behaviour.pause_s)
        elif isinstance(behaviour, ResetMidBody):
            self.wfile.write(b'HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"choices": [{"mess')
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.connection.close()
        elif isinstance(behaviour, ShortBody):
            self.wfile.write(
                b'HTTP/1.1 200 OK\r\nContent-Length: 500\r\nConnection: close\r\n\r\n{"choices": [{"mess'
            )
        else:
            reply = behaviour if isinstance(behaviour, Reply) else behaviour(asked)
            self._send(reply)
        self.close_connection = True

    def _send(self, reply: Reply) -> None:
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body)

    def _drip(self, piece: bytes, pause_s: float) -> None:
        gone = self.server.owner.gone
        while not gone.wait(pause_s):
            try:
                self.wfile.write(piece)
                self.wfile.flush()
            except OSError:
                return

    def _until_gone(self, gone: threading.Event) -> None:
        self.connection.settimeout(0.05)
        while not gone.is_set():
            try:
                if self.connection.recv(1) == b"":
                    return
            except TimeoutError:
                continue
            except OSError:
                return

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name in http.server
        """Keeps the test output clean."""
