"""One HTTP call: bytes out, completion or failure back. The only module that imports httpx."""

from __future__ import annotations

import socket
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self, TypeVar

from totalrecall.llm.endpoint import Endpoint
from totalrecall.llm.environment import broken_proxy, environment_failure
from totalrecall.llm.failure import Completion, Failure, FailureKind
from totalrecall.llm.wire import ChatRequest, body_of, read_answer

if TYPE_CHECKING:
    import httpx

_Read = TypeVar("_Read")
_LOOK_S = 0.05
_CONNECT_S = 10.0


@dataclass(frozen=True, slots=True)
class CallLimits:
    """How long one call may take in all, and how large its body may get."""

    deadline_s: float = 90.0
    body_bytes: int = 2_000_000


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a call needs from outside.

    Attributes:
        environ: the process environment, for naming the variable that breaks a call.
        now_s: Unix seconds.
        should_stop: asked often; True ends the call.
        limits: see CallLimits.
        screen: gives a text back with secrets replaced; endpoints quote what they were sent in their errors.
    """

    environ: Mapping[str, str]
    now_s: Callable[[], float] = time.time
    should_stop: Callable[[], bool] = lambda: False
    limits: CallLimits = field(default_factory=CallLimits)
    screen: Callable[[str], str] = lambda text: text


def call(endpoint: Endpoint, request: ChatRequest, around: Surroundings) -> Completion | Failure:
    """Makes one call and says what came of it; never raises for anything the network or endpoint does."""

    def read(got: Answer) -> Completion | Failure:
        return read_answer(got.status, got.headers, got.body, request.model, around.now_s())

    return _screened(_fetch(endpoint, _Sent("POST", endpoint.url, body_of(request)), around, read), around)


def look(endpoint: Endpoint, url: str, around: Surroundings) -> Answer | Failure:
    """What stands at ``url`` of the same endpoint, asked for with its key; costs nothing and never raises."""
    return _screened(_fetch(endpoint, _Sent("GET", url), around, lambda got: got), around)


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer, whatever its status; names of headers in lower case, the body decompressed."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class _Sent:
    method: str
    url: str
    body: bytes = b""


def _screened(result: _Read | Failure, around: Surroundings) -> _Read | Failure:
    return replace(result, title=around.screen(result.title)) if isinstance(result, Failure) else result


def _fetch(
    endpoint: Endpoint, sent: _Sent, around: Surroundings, read: Callable[[Answer], _Read | Failure]
) -> _Read | Failure:
    """The call itself.

    httpx counts its timeouts per read, so a body that drips never times out (R057). A guard thread cuts the
    connection at the deadline, or when ``should_stop`` says so.
    """
    import httpx

    if not endpoint.local and (failure := broken_proxy(around.environ)):
        return failure
    try:
        client = _client(endpoint, around.limits)
    except Exception as error:  # noqa: BLE001 - httpx raises anything from ImportError to ssl.SSLError here (R061)
        return environment_failure(around.environ, error)
    with client, _Guard(around) as guard:
        try:
            got = _exchange(client, endpoint, sent, guard)
            return got if isinstance(got, Failure) else read(got)
        except httpx.TransportError as error:
            return guard.verdict() or _transport_failure(error, endpoint, around.environ)
        except (httpx.InvalidURL, httpx.HTTPError, UnicodeError, OSError, ValueError) as error:
            return guard.verdict() or Failure(
                FailureKind.BROKEN,
                f"The call to {endpoint.host} broke off ({type(error).__name__}).",
            )


def proxy_problem(endpoint: Endpoint, environ: Mapping[str, str]) -> Failure | None:
    """What the environment would break, found without calling; for start-up and ``doctor``."""
    if not endpoint.local and (failure := broken_proxy(environ)):
        return failure
    try:
        _client(endpoint, CallLimits()).close()
    except Exception as error:  # noqa: BLE001 - see call()
        return environment_failure(environ, error)
    return None


def _client(endpoint: Endpoint, limits: CallLimits) -> httpx.Client:
    import httpx

    timeout = httpx.Timeout(limits.deadline_s, connect=min(_CONNECT_S, limits.deadline_s))
    # Where no certificate can come, none is read to check one against: that takes 40 ms of each call.
    verify = not (endpoint.local and endpoint.url.startswith("http://"))
    # A proxy for the outside world must not swallow calls to a model on this very machine.
    return httpx.Client(timeout=timeout, trust_env=not endpoint.local, follow_redirects=False, verify=verify)


def _exchange(client: httpx.Client, endpoint: Endpoint, sent: _Sent, guard: _Guard) -> Answer | Failure:
    headers = {"Accept": "application/json", "Accept-Encoding": "gzip"}
    if sent.body:
        headers["Content-Type"] = "application/json"
    if endpoint.key:
        headers["Authorization"] = f"Bearer {endpoint.key}"
    if endpoint.openrouter:
        headers["X-Title"] = "Total Recall"
    asked = client.build_request(
        sent.method, sent.url, content=sent.body or None, headers=headers, extensions={"trace": guard.trace}
    )
    response = client.send(asked, stream=True)
    try:
        encoding = response.headers.get("content-encoding", "").lower()
        body = _bounded(response.iter_raw(), encoding, guard)
    finally:
        response.close()
    if isinstance(body, Failure):
        return body
    lower = {name.lower(): value for name, value in response.headers.items()}
    return Answer(response.status_code, lower, body)


def _bounded(chunks: Iterable[bytes], encoding: str, guard: _Guard) -> bytes | Failure:
    """The body, decompressed, or why not: too large, out of time, or a compression nobody asked for."""
    packed = encoding in {"gzip", "x-gzip", "deflate"}
    if not packed and encoding not in {"", "identity"}:
        return Failure(
            FailureKind.GARBLED, f"The answer is compressed as {encoding[:20]}, which was not asked for."
        )
    unpack = zlib.decompressobj(47) if packed else None
    limit, body = guard.around.limits.body_bytes, bytearray()
    for chunk in chunks:
        if unpack is None:
            body += chunk
        else:
            try:
                body += unpack.decompress(chunk, limit + 1 - len(body))
            except zlib.error:
                return Failure(FailureKind.GARBLED, "The compressed answer cannot be unpacked.")
        if len(body) > limit:
            return Failure(FailureKind.TOO_LONG, f"The answer is longer than {limit} bytes.")
        if verdict := guard.verdict():
            return verdict
    if unpack is not None and body and not unpack.eof:
        return Failure(FailureKind.BROKEN, "The compressed answer ends in the middle.")
    # A server that is cut off at the deadline can look like one that ended its answer.
    return guard.verdict() or bytes(body)


def _transport_failure(
    error: httpx.TransportError, endpoint: Endpoint, environ: Mapping[str, str]
) -> Failure:
    import httpx

    host = endpoint.host
    if isinstance(error, httpx.ProxyError | httpx.UnsupportedProtocol):
        return environment_failure(environ, error)
    if isinstance(error, httpx.ConnectTimeout | httpx.PoolTimeout):
        return Failure(
            FailureKind.CONNECT,
            f"{host} does not answer within {_CONNECT_S:.0f} s.",
            _through(environ, endpoint),
        )
    if isinstance(error, httpx.TimeoutException):
        return Failure(FailureKind.TIMEOUT, f"{host} took the request and did not answer in time.")
    if isinstance(error, httpx.ConnectError):
        if "CERTIFICATE" in str(error).upper():
            return Failure(
                FailureKind.ENVIRONMENT,
                f"The certificate of {host} is not trusted on this machine.",
                "Behind a company proxy, set SSL_CERT_FILE to its certificate; else check the clock.",
            )
        return Failure(FailureKind.CONNECT, f"{host} cannot be reached.", _through(environ, endpoint))
    return Failure(FailureKind.BROKEN, f"{host} broke the connection off ({type(error).__name__}).")


def _through(environ: Mapping[str, str], endpoint: Endpoint) -> str:
    """A hint that names the proxy variable when calls go through one."""
    names = (
        ()
        if endpoint.local
        else ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")
    )
    used = [name for name in names if environ.get(name)]
    return f"Calls go through the proxy in {used[0]}; check it, or list the host in NO_PROXY." if used else ""


class _Guard:
    """Watches one call from a thread of its own and shuts its socket when it must end."""

    def __init__(self, around: Surroundings) -> None:
        self.around = around
        self._ends_at = time.monotonic() + around.limits.deadline_s
        self._done = threading.Event()
        self._reason: FailureKind | None = None
        self._stream: Any = None
        self._thread = threading.Thread(target=self._watch, name="model-call-guard", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def trace(self, _event: str, info: Mapping[str, Any]) -> None:
        """Httpx's trace hook: keeps the newest stream (TLS wraps the socket in another one)."""
        made = info.get("return_value")
        if hasattr(made, "get_extra_info"):
            self._stream = made

    def verdict(self) -> Failure | None:
        """Why the call was ended from here; None when it was not."""
        if self._reason is None and time.monotonic() >= self._ends_at:
            self._reason = FailureKind.TIMEOUT
        if self._reason is FailureKind.STOPPED:
            return Failure(FailureKind.STOPPED, "The call was cancelled because the service stops.")
        if self._reason is None:
            return None
        return Failure(FailureKind.TIMEOUT, f"No whole answer within {self.around.limits.deadline_s:g} s.")

    def _watch(self) -> None:
        while not self._done.wait(_LOOK_S):
            if self._reason is None and self.around.should_stop():
                self._reason = FailureKind.STOPPED
            elif self._reason is None and time.monotonic() >= self._ends_at:
                self._reason = FailureKind.TIMEOUT
            if self._reason is not None:
                self._shut()

    def _shut(self) -> None:
        """Wakes the reader: it gets an end of stream. Repeated until the call is done."""
        stream = self._stream
        sock = stream.get_extra_info("socket") if stream is not None else None
        if isinstance(sock, socket.socket):
            try:
                socket.socket.shutdown(sock, socket.SHUT_RDWR)
            except OSError:
                return  # closed already, or not connected yet: the next look tries again
