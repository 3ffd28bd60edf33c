"""The free check of a key, against a real server on the loopback."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.fakes.model_server import Reply, error, model_server
from totalrecall.llm.endpoint import endpoint_from
from totalrecall.llm.failure import Failure, FailureKind
from totalrecall.llm.key_check import KeyWorks, check_key, check_url, read_check
from totalrecall.llm.openrouter import Answer, CallLimits, Surroundings

KEY = "sk-or-v1-" + "0a" * 32
AROUND = Surroundings({}, limits=CallLimits(deadline_s=5.0))


def answer(status: int, body: object) -> Answer:
    """An answer with this JSON."""
    return Answer(status, {"content-type": "application/json"}, json.dumps(body).encode())


@pytest.mark.parametrize(
    ("base", "page"),
    [
        ("", "https://openrouter.ai/api/v1/key"),
        ("http://127.0.0.1:11434", "http://127.0.0.1:11434/v1/models"),
        (
            "https://llm.example/openai/v1/chat/completions?api-version=1",
            "https://llm.example/openai/v1/models?api-version=1",
        ),
    ],
)
def test_the_page_that_is_asked_for_costs_nothing(base: str, page: str) -> None:
    """OpenRouter's page about the key, the list of models elsewhere; never a completion."""
    assert check_url(endpoint_from(base, KEY)) == page


def test_the_key_goes_in_the_header_of_a_get() -> None:
    """One GET with the key, nothing posted."""
    with model_server() as server:
        server.will(Reply(b'{"data": []}'))
        found = check_key(endpoint_from(server.url, KEY), AROUND)
        assert isinstance(found, KeyWorks)
        ((path, headers),) = server.looks
        assert (path, headers["authorization"]) == ("/v1/models", f"Bearer {KEY}")
        assert server.requests == []


def test_a_refused_key_is_told_and_not_quoted() -> None:
    """An endpoint that quotes the key in its error does not get it shown."""
    with model_server() as server:
        server.will(error(401, f"Incorrect API key provided: {KEY}"))
        around = replace(AROUND, screen=lambda text: text.replace(KEY, "(key)"))
        found = check_key(endpoint_from(server.url, KEY), around)
    assert isinstance(found, Failure)
    assert found.kind is FailureKind.KEY_REFUSED
    assert KEY not in found.title + found.hint


def test_nobody_there_is_not_a_bad_key() -> None:
    """Without a network it cannot be said whether the key works."""
    found = check_key(endpoint_from("http://127.0.0.1:9/v1", KEY), AROUND)
    assert isinstance(found, Failure)
    assert found.kind is FailureKind.CONNECT


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (None, "has no limit of its own"),
        (4.898, "$4.90 of its limit is left"),
        (True, "has no limit of its own"),
    ],
)
def test_what_openrouter_says_about_a_key(left: object, said: str) -> None:
    """The rest of its limit, where it has one."""
    found = read_check(answer(200, {"data": {"limit_remaining": left}}), endpoint_from("", KEY), 0)
    assert isinstance(found, KeyWorks)
    assert said in found.said


@pytest.mark.parametrize(
    ("got", "kind"),
    [
        (answer(200, {"data": {"limit_remaining": 0}}), FailureKind.NO_CREDIT),
        (answer(200, {"hello": 1}), FailureKind.GARBLED),
        (answer(401, {"error": {"code": 401, "message": "User not found."}}), FailureKind.KEY_REFUSED),
        (Answer(200, {"content-type": "text/html"}, b"<html>log in</html>"), FailureKind.GARBLED),
        (answer(404, {"error": {"message": "no such page"}}), None),
        (answer(503, {"error": {"message": "busy"}}), FailureKind.SERVER),
    ],
)
def test_what_is_no_yes(got: Answer, kind: FailureKind | None) -> None:
    """Used up, garbled, refused, a log-in page, an error: none of them passes for a key that works."""
    found = read_check(got, endpoint_from("", KEY), 0)
    assert isinstance(found, Failure)
    assert kind is None or found.kind is kind


@pytest.mark.parametrize(("status", "said"), [(404, "no page"), (200, "takes the key")])
def test_a_server_of_ones_own(status: int, said: str) -> None:
    """Some offer no list of models: then nothing can be said against the key."""
    found = read_check(answer(status, {"data": []}), endpoint_from("http://10.0.0.2:8000", KEY), 0)
    assert isinstance(found, KeyWorks)
    assert said in found.said


def test_a_server_without_a_key() -> None:
    """A local model that needs none answers, and that is all."""
    found = read_check(answer(200, {"data": []}), endpoint_from("http://127.0.0.1:11434", ""), 0)
    assert found == KeyWorks("127.0.0.1:11434 answers.")
