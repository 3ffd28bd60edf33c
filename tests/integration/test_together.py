"""Several processes and several agents at once."""

from __future__ import annotations

import json
from collections import Counter

from tests.integration.counting import assert_whole, token, tokens_noted
from tests.integration.crashing import outcome, start
from tests.lab import Lab


def test_ten_processes_note_each_message_once(lab: Lab) -> None:
    """One of them notes; the others find nothing new, or end with 75 because somebody is at work."""
    words = [token(number) for number in range(20)]
    lab.say(*[f"it is {word}" for word in words])
    runs = [start(lab, wait_s=wait_s, slow_s=0.3) for wait_s in (5.0, 0.0) * 5]
    ends = [outcome(one) for one in runs]
    assert {code for code, _ in ends} <= {0, 75}
    assert [said["messages"] for code, said in ends if code == 0 and said["messages"]] == [20]
    assert {said["error"] for code, said in ends if code == 75} <= {"BusyError"}
    assert_whole(lab, words)


def test_processes_that_come_while_the_agent_writes(lab: Lab) -> None:
    """Messages that arrive between the runs of many processes are all noted once."""
    words = [token(number) for number in range(6)]
    runs = []
    for word in words:
        lab.say(f"it is {word}")
        runs.append(start(lab, wait_s=20.0))
    assert [outcome(one)[0] for one in runs] == [0] * len(runs)
    lab.observe()
    assert_whole(lab, words)


def test_two_agents_on_one_workspace(lab: Lab) -> None:
    """They share the notes' file and its lock, and each keeps its own place marks."""
    other = Lab(lab.root, agent="work")
    agents = [{"id": name, "workspace": str(lab.workspace)} for name in ("main", "work")]
    (lab.state_dir / "openclaw.json").write_text(json.dumps({"agents": {"list": agents}}))
    other.sessions.mkdir(parents=True)
    other.observe()
    expected = [token(number) for number in range(12)]
    for lap in range(0, 12, 4):
        lab.say(*[f"main says {word}" for word in expected[lap : lap + 2]])
        other.now = lab.now
        other.say(*[f"work says {word}" for word in expected[lap + 2 : lap + 4]])
        runs = [start(one) for one in (lab, other)]
        assert [outcome(one)[0] for one in runs] == [0, 0]
    assert tokens_noted(lab.notes) == Counter(expected)
    assert other.notes == lab.notes
    marks = {one.name for one in lab.notes_path.parent.glob(".total-recall*.json")}
    assert marks == {".total-recall.json", ".total-recall.work.json"}
