"""Every body that an endpoint was seen to send is told apart, over a real connection."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.model_server import Reply, error
from tests.unit.llm.conftest import NOW, Rig
from totalrecall.llm.endpoint import endpoint_from
from totalrecall.llm.failure import Completion, Failure
from totalrecall.llm.openrouter import call
from totalrecall.llm.reply import read_reply
from totalrecall.llm.wire import ChatRequest

BODIES = sorted((Path(__file__).parents[2] / "data" / "http").glob("*.json"))
REPORTS = ("R051", "R052", "R053", "R054", "R055", "R058", "R060", "R063", "R065", "R071")


def served(rig: Rig, path: Path) -> tuple[dict[str, Any], Completion | Failure]:
    """A case, and what one call made of it."""
    case = json.loads(path.read_text(encoding="utf-8"))
    rig.server.will(Reply(case["body"].encode(), case["status"], case["headers"]))
    endpoint = endpoint_from(rig.server.url, "k")
    return case, call(endpoint, ChatRequest("maker/model", "s", "u", 500), rig.around())


@pytest.mark.report(*REPORTS)
@pytest.mark.parametrize("path", BODIES, ids=lambda path: path.stem)
def test_a_body_is_what_it_is(rig: Rig, path: Path) -> None:
    """The kind of failure, or the number of notes, is the one that the case names."""
    case, result = served(rig, path)
    if isinstance(result, Failure):
        assert result.kind.value == case["kind"], result
        assert result.title.endswith((".", "…")) or "It says:" in result.title
        return
    reply = read_reply(result.text, cut=result.cut)
    named = "cut" if result.cut else "nothing" if reply.nothing else "completion" if reply.notes else "prose"
    assert (named, len(reply.notes)) == (case["kind"], case["notes"])


@pytest.mark.report("R052")
@pytest.mark.parametrize(
    "name", ["reasoning_only", "think_tags", "think_never_closed", "length_without_a_word"]
)
def test_reasoning_goes_nowhere(rig: Rig, name: str) -> None:
    """No word of a model's reasoning is in the completion, the failure or a dropped line."""
    _, result = served(rig, next(path for path in BODIES if path.stem == name))
    shown = repr(result)
    if isinstance(result, Completion):
        shown += repr(read_reply(result.text))
    assert "nobody may see" not in shown
    assert "plan a move" not in shown
    assert "First I" not in shown


@pytest.mark.report("R055")
@pytest.mark.parametrize(
    ("name", "wanted_s"),
    [
        ("rate_limit_daily_in_body", 1_771_110_000.0),
        ("rate_limit_http_date", 1_771_090_200.0),
        ("rate_limit_seconds", NOW.timestamp() + 17),
    ],
)
def test_the_moment_to_come_back_is_read(rig: Rig, name: str, wanted_s: float) -> None:
    """Seconds, an HTTP date and milliseconds inside the body all give the moment the provider means."""
    _, result = served(rig, next(path for path in BODIES if path.stem == name))
    assert isinstance(result, Failure)
    assert result.retry_at_s == pytest.approx(wanted_s)


def test_what_an_endpoint_quotes_is_screened(rig: Rig) -> None:
    """An error that repeats a secret of the request is shown without it."""
    rig.server.will(error(400, "bad content: my pin is 4711"))
    around = replace(rig.around(), screen=lambda text: text.replace("4711", "[code]"))
    result = call(endpoint_from(rig.server.url, "k"), ChatRequest("m", "s", "u", 5), around)
    assert isinstance(result, Failure)
    assert "[code]" in result.title
    assert "4711" not in repr(result)


def test_the_key_never_stands_in_a_failure(rig: Rig) -> None:
    """Whatever fails, the title and hint do not hold the key."""
    key = "k" * 3 + "-secret-" + "7" * 20
    for path in BODIES:
        case = json.loads(path.read_text(encoding="utf-8"))
        rig.server.will(Reply(case["body"].encode(), case["status"], case["headers"]))
        result = call(endpoint_from(rig.server.url, key), ChatRequest("m", "s", "u", 5), rig.around())
        assert key not in repr(result)
    assert rig.server.headers[-1]["authorization"] == f"Bearer {key}"
