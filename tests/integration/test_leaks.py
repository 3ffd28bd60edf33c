"""No secret leaves and none lands: every byte sent and every byte written is looked at, whatever goes wrong."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import timedelta

import pytest

from tests.data.screening.corpus import Line
from tests.data.screening.corpus import lines as corpus_lines
from tests.fakes.model_server import Behaviour, ModelServer, chat, error, model_server
from tests.integration.crashing import outcome, start
from tests.lab import Lab
from totalrecall.cli.main import run
from totalrecall.jobs.context import Step
from totalrecall.jobs.observe import ObserveOptions
from totalrecall.jobs.recover import recover


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A running endpoint."""
    with model_server() as running:
        yield running


def planted(number: int) -> list[Line]:
    """Secrets of many kinds in many forms, one a message, those that screening is known to find."""
    lines = [one for one in corpus_lines("positive") if "\n" not in one.text]
    random.Random(7).shuffle(lines)
    return lines[:number]


def assert_nowhere(lab: Lab, server: ModelServer | None, lines: list[Line]) -> None:
    """No planted secret in a request, and none in any file outside the agent's own transcripts."""
    secrets = {piece.encode() for line in lines for piece in line.secrets if len(piece) >= 8}
    sent = b"\n".join(server.raw) if server else b""
    assert [one for one in secrets if one in sent] == []
    written = [path for path in lab.root.rglob("*") if path.is_file() and lab.sessions not in path.parents]
    assert any(path.name == "observations.md" for path in written)
    for path in written:
        content = path.read_bytes()
        assert [one for one in secrets if one in content] == [], path


@pytest.mark.report("R088", "R089")
def test_planted_secrets_survive_in_no_request_and_no_file(
    lab: Lab, server: ModelServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Model, fallback, endpoints that echo what they got, stand-in, recovery, retry, logs on debug, all commands."""
    lines = planted(80)

    def echo(asked: bytes) -> Behaviour:
        body = json.loads(asked)
        talk = body["messages"][1]["content"]
        if body["model"] == "maker/one":
            return error(500, f"cannot handle: {talk}")
        leaked = "\n".join(f"- 🟡 12:00 [fact] Kept {one.text} for Tuesday [1]" for one in lines[:10])
        return chat(leaked)

    lab.engine = None
    lab.env = {
        "LLM_BASE_URL": f"{server.url}/v1",
        "OBSERVER_MODEL": "maker/one",
        "OBSERVER_FALLBACK_MODEL": "maker/two",
        "TOTALRECALL_LOG_LEVEL": "debug",
        "TOTALRECALL_CALLS_PER_HOUR": "3600",
    }
    server.answer = echo
    lab.say(*[f"{one.text} -- and the meeting moved to Tuesday" for one in lines])
    server.answer = lambda asked: error(503, f"away: {asked.decode()}")
    lab.observe(ObserveOptions(stand_in=True))
    server.answer = echo
    lab.now += timedelta(hours=3)
    lab.observe()
    lab.say(lines[0].text)
    with lab.context() as ctx:
        recover(ctx)
    for name, value in lab.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HOME", str(lab.root))
    capsys.readouterr()
    for args in (["status"], ["doctor"], ["notes"], ["notes", "--dropped"], ["notes", "--set-aside"], ["verify"],
                 ["observe", "--dry-run"], ["spend"], ["why", "Tuesday"]):  # fmt: skip
        run(args)
    shown = capsys.readouterr()
    for line in lines:
        for piece in line.secrets:
            if len(piece) >= 8:
                assert piece not in shown.out + shown.err
    assert_nowhere(lab, server, lines)


@pytest.mark.report("R036", "R088")
def test_planted_secrets_do_not_land_by_the_extractive_engine_or_a_crash(lab: Lab) -> None:
    """The built-in engine and a process that dies at each step leave no secret behind either."""
    lines = planted(40)
    lab.say(*[f"{one.text} -- and we decided to deploy on Friday 2026-03-06" for one in lines])
    for step in Step:
        outcome(start(lab, step=int(step)))
        lab.say(f"{lines[int(step)].text} and one more for step {int(step)}")
    lab.engine = None
    lab.observe()
    assert_nowhere(lab, None, lines)
