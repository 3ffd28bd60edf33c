"""One call ends in time, whatever the other side does, and says what came of it."""

from __future__ import annotations

import gzip
import json
import socket
import threading
import time
from pathlib import Path

import pytest

from tests.fakes.model_server import (
    Drip,
    DripHeaders,
    Hang,
    Reply,
    ResetMidBody,
    ShortBody,
    chat,
    encoded,
    zipped,
)
from tests.unit.llm.conftest import Rig
from totalrecall.errors import ConfigError
from totalrecall.llm.endpoint import endpoint_from
from totalrecall.llm.failure import Completion, Failure, FailureKind
from totalrecall.llm.openrouter import CallLimits, call, proxy_problem
from totalrecall.llm.prices import Price
from totalrecall.llm.wire import ChatRequest, body_of

NOTE = "- 🟡 14:01 [fact] Straße in Łódź 部署 [1]"
ASKED = ChatRequest("maker/model", "s", "u", 500)


def made(rig: Rig) -> Completion | Failure:
    """One call to the rig's server."""
    return call(endpoint_from(rig.server.url, "k"), ASKED, rig.around())


@pytest.mark.report("R057")
@pytest.mark.parametrize("behaviour", [Drip(), DripHeaders(), Hang(), Drip(piece=b": WAIT\n\n")])
def test_a_call_ends_at_its_deadline(rig: Rig, behaviour: Drip | DripHeaders | Hang) -> None:
    """A body or header that drips for ever, and silence, end at the overall deadline and not per read."""
    rig.call_limits = CallLimits(deadline_s=0.4)
    rig.server.will(behaviour)
    began = time.monotonic()
    result = made(rig)
    assert isinstance(result, Failure)
    assert result.kind is FailureKind.TIMEOUT
    assert 0.35 <= time.monotonic() - began < 1.5


@pytest.mark.report("R057")
def test_a_body_over_the_limit_is_cut(rig: Rig) -> None:
    """A body that is larger than the limit is not read to its end, packed or not."""
    rig.call_limits = CallLimits(deadline_s=5.0, body_bytes=10_000)
    bomb = Reply(gzip.compress(b" " * 50_000_000), 200, {"Content-Encoding": "gzip"})
    for behaviour in (Reply(b" " * 500_000), bomb, Drip(pause_s=0.0, piece=b" " * 4_000)):
        rig.server.will(behaviour)
        result = made(rig)
        assert isinstance(result, Failure)
        assert result.kind is FailureKind.TOO_LONG


def test_a_stop_ends_a_call_at_once(rig: Rig) -> None:
    """When the service stops, a hanging call ends within a moment and says that it was cancelled."""
    stop = threading.Event()
    rig.should_stop = stop.is_set
    rig.server.will(Hang())
    timer = threading.Timer(0.2, stop.set)
    timer.start()
    began = time.monotonic()
    result = made(rig)
    timer.join()
    assert isinstance(result, Failure)
    assert result.kind is FailureKind.STOPPED
    assert time.monotonic() - began < 1.5


@pytest.mark.parametrize("behaviour", [ResetMidBody(), ShortBody()])
def test_half_a_body_is_no_answer(rig: Rig, behaviour: ResetMidBody | ShortBody) -> None:
    """A connection that is reset or ends early gives a failure and never half a note."""
    rig.server.will(behaviour)
    result = made(rig)
    assert isinstance(result, Failure)
    assert result.kind is FailureKind.BROKEN


def test_nobody_listens() -> None:
    """A refused connection is a connect failure that names the host."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    from totalrecall.llm.openrouter import Surroundings

    result = call(endpoint_from(f"127.0.0.1:{port}", "k"), ASKED, Surroundings({}))
    assert isinstance(result, Failure)
    assert result.kind is FailureKind.CONNECT
    assert f"127.0.0.1:{port}" in result.title


@pytest.mark.parametrize(
    "reply",
    [
        chat(NOTE),
        zipped(chat(NOTE)),
        encoded(chat(NOTE), "utf-8-sig"),
        encoded(chat(NOTE), "utf-16"),
        encoded(chat(NOTE), "utf-16-le"),
        encoded(chat(NOTE), "utf-32-be"),
    ],
    ids=["plain", "gzip", "bom", "utf16", "utf16le", "utf32be"],
)
def test_the_words_survive_every_encoding(rig: Rig, reply: Reply) -> None:
    """Compression and encodings give back the same words."""
    rig.server.will(reply)
    result = made(rig)
    assert isinstance(result, Completion), result
    assert result.text == NOTE


def test_latin_1_is_read_by_its_charset(rig: Rig) -> None:
    """A body in Latin-1 keeps its umlauts."""
    rig.server.will(encoded(chat("- müde Straße"), "latin-1", "ISO-8859-1"))
    result = made(rig)
    assert isinstance(result, Completion)
    assert result.text == "- müde Straße"


@pytest.mark.report("R061")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ALL_PROXY", "socks://10.0.0.1:1080"),
        ("HTTPS_PROXY", "ftp://proxy.example:21"),
        ("https_proxy", "http://proxy.example:port"),
        ("ALL_PROXY", "http://"),
        ("SSL_CERT_FILE", "/nowhere/ca.pem"),
    ],
)
def test_a_broken_variable_is_named(rig: Rig, monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    """A proxy or certificate variable that cannot work gives a failure with its name, not a crash."""
    for other in ("ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(other, raising=False)
        monkeypatch.delenv(other.lower(), raising=False)
    monkeypatch.setenv(name, value)
    endpoint = endpoint_from("https://models.example/v1", "k")
    from totalrecall.llm.openrouter import Surroundings

    failure = proxy_problem(endpoint, {name: value})
    result = call(endpoint, ASKED, Surroundings({name: value}, limits=CallLimits(deadline_s=1.0)))
    assert failure is not None
    assert result == failure
    assert failure.kind is FailureKind.ENVIRONMENT
    assert name in failure.title
    assert value not in failure.title


@pytest.mark.report("R061")
def test_a_model_on_this_machine_needs_no_proxy(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy for the outside world, even a broken one, does not stand between us and a local model."""
    monkeypatch.setenv("HTTP_PROXY", "socks://10.0.0.1:1")
    rig.server.will(chat(NOTE))
    assert isinstance(made(rig), Completion)


@pytest.mark.parametrize(
    ("written", "url", "openrouter"),
    [
        ("", "https://openrouter.ai/api/v1/chat/completions", True),
        ("openrouter.ai", "https://openrouter.ai/api/v1/chat/completions", True),
        ("https://openrouter.ai/api/v1/", "https://openrouter.ai/api/v1/chat/completions", True),
        (
            "https://openrouter.ai/api/v1/chat/completions",
            "https://openrouter.ai/api/v1/chat/completions",
            True,
        ),
        ("localhost:11434", "http://localhost:11434/v1/chat/completions", False),
        (" 'http://127.0.0.1:8080/v1' ", "http://127.0.0.1:8080/v1/chat/completions", False),
        ("http://127.0.0.1:8080/v1/chat/completions/", "http://127.0.0.1:8080/v1/chat/completions", False),
        ("https://x.example/v1beta/openai", "https://x.example/v1beta/openai/chat/completions", False),
        ("https://x.example/v1?version=2", "https://x.example/v1/chat/completions?version=2", False),
        ("https://notopenrouter.ai/v1", "https://notopenrouter.ai/v1/chat/completions", False),
    ],
)
def test_urls_as_people_write_them(written: str, url: str, openrouter: bool) -> None:
    """A base URL works with and without scheme, /v1 and /chat/completions."""
    endpoint = endpoint_from(written, "")
    assert (endpoint.url, endpoint.openrouter) == (url, openrouter)


@pytest.mark.parametrize("written", ["ftp://x", "http://", "http://a b/", "http://x:port/"])
def test_a_url_that_is_none_is_refused_by_name(written: str) -> None:
    """What cannot be posted to is refused with the name of the setting."""
    with pytest.raises(ConfigError, match="LLM_BASE_URL"):
        endpoint_from(written, "")


def test_a_key_as_people_paste_it() -> None:
    """Quotes, Bearer and spaces around a key are taken off; what no header can carry is refused by name."""
    assert endpoint_from("", ' "Bearer abc-1" ').key == "abc-1"
    for bad in ("abc\ndef", "schlüssel", "a b"):
        with pytest.raises(ConfigError, match="OPENROUTER_API_KEY"):
            endpoint_from("", bad)


def test_openrouter_gets_its_own_options_and_nobody_else() -> None:
    """Data collection is denied and the price bounded at OpenRouter; other servers see plain fields only."""
    plain = json.loads(body_of(ASKED))
    assert set(plain) == {"model", "messages", "temperature", "max_tokens"}
    routed = json.loads(
        body_of(ChatRequest("m", "s", "u", 500, openrouter=True, price=Price(0.3, 2.5))),
    )
    assert routed["provider"]["data_collection"] == "deny"
    assert routed["provider"]["max_price"] == {"prompt": 0.6, "completion": 5.0}
    assert routed["reasoning"] == {"effort": "low", "exclude": True}
    assert routed["messages"][0] == {"role": "system", "content": "s"}


def test_a_certificate_that_is_none_is_named(tmp_path: Path) -> None:
    """A file without certificates in SSL_CERT_FILE is named."""
    from totalrecall.llm.environment import environment_failure

    empty = tmp_path / "ca.pem"
    empty.write_text("no certificate", encoding="utf-8")
    failure = environment_failure({"SSL_CERT_FILE": str(empty)}, OSError())
    assert "SSL_CERT_FILE" in failure.title
