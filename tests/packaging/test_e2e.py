"""What the end-to-end run is made of; the run itself needs Node and a registry, and is started by its script."""

from __future__ import annotations

import json
import subprocess
import urllib.request
from pathlib import Path

import pytest

from scripts.e2e_parts.facts import Facts, counted
from scripts.e2e_parts.installing import NoNodeError, install_node
from scripts.e2e_parts.logs import complaints
from scripts.e2e_parts.model import AGENT_MODEL, NOTES_MODEL, ToolCall, scripted_model
from tests.packaging.machine import REPOSITORY


def test_without_node_it_says_so(tmp_path: Path) -> None:
    """No npm on the PATH: one sentence on stderr, exit code 69, nothing installed."""
    for tool in ("dirname", "bash"):
        (tmp_path / tool).symlink_to(Path("/usr/bin") / tool)
    done = subprocess.run(
        ["/usr/bin/env", "-i", f"PATH={tmp_path}", "bash", REPOSITORY / "scripts" / "e2e"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (69, "")
    assert done.stderr.startswith("Node is not there")


def test_no_node_is_told_from_a_failed_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same when the parts are started without the script."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoNodeError, match="Node is not there"):
        install_node(tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


def _logged(level: str, text: str) -> str:
    return json.dumps({"0": '{"subsystem":"hooks"}', "1": text, "_meta": {"logLevelName": level}})


@pytest.mark.parametrize(
    ("level", "text", "told"),
    [
        ("WARN", "Hook 'totalrecall' subscribes to event session:auto-reset not emitted by core", True),
        ("ERROR", "Hook error [command:new]: boom", True),
        ("INFO", 'agents.defaults.compaction.memoryFlush: Unrecognized keys: "prompt"', True),
        ("WARN", "cannot read /home/somebody/.local/state/total-recall/main/context.md", True),
        ("INFO", "loaded 1 internal hook handler: totalrecall", False),
        ("WARN", "slow SQLite session write", False),
        ("WARN", "frame file:///home/somebody/.cache/total-recall-e2e/openclaw/dist/x.mjs", False),
    ],
)
def test_complaints_about_us_are_told_from_the_hosts_own(level: str, text: str, told: bool) -> None:
    """Loud lines that name us, and whatever hooks and configs are blamed with; nothing else."""
    assert bool(complaints(_logged(level, text), "")) is told


def test_every_fact_has_a_word_of_its_own() -> None:
    """Each sentence is said once in a run, and its word stands in no other."""
    facts = Facts()
    said = [facts.next() for _ in range(18)]
    everything = "\n".join(fact.sentence for fact in said)
    assert set(counted(said, everything).values()) == {1}
    assert len(counted(said, everything)) == 18


def _ask(url: str, model: str, text: str, *, stream: bool = False, tools: tuple[str, ...] = ()) -> str:
    body = {
        "model": model,
        "stream": stream,
        "messages": [{"role": "user", "content": text}],
        "tools": [{"type": "function", "function": {"name": name}} for name in tools],
    }
    request = urllib.request.Request(f"{url}/chat/completions", json.dumps(body).encode())
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=5) as answer:
        return str(answer.read().decode())


def test_the_scripted_model_plays_both_parts() -> None:
    """Notes with numbers under one name, tools and events under the other, and it keeps what it was asked."""
    with scripted_model() as model:
        model.calls.append(ToolCall("look at the folder", "exec", {"command": "ls"}))
        notes = json.loads(_ask(model.url, NOTES_MODEL, "<talk-1>\n3 U 14:05 it is quasar-443\n</talk-1>"))
        assert notes["choices"][0]["message"]["content"] == "- 🟡 14:05 [fact] it is quasar-443 [3]"
        called = json.loads(_ask(model.url, AGENT_MODEL, "look at the folder", tools=("exec",)))
        assert called["choices"][0]["finish_reason"] == "tool_calls"
        events = _ask(model.url, AGENT_MODEL, "hello", stream=True)
        assert events.endswith("data: [DONE]\n\n")
        assert [one.user for one in model.of_agent("hello")] == ["hello"]
