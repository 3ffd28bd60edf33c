"""The hook hands the notes to private sessions only, starts the program without waiting, and never fails the agent."""

from __future__ import annotations

import os
import statistics
import time
from pathlib import Path
from typing import Any

import pytest

from tests.unit.openclaw.gateway import Gateway, bootstrap, event
from totalrecall.domain.session import SessionKind
from totalrecall.transcripts.kinds import KindFacts, session_kind

UUID = "9374f789-f00a-4365-8690-c9665762e067"
PRIVATE = [
    "agent:main:main",
    "agent:main:heron-daily",
    "agent:main:telegram:direct:555",
    "agent:main:telegram:bot2:direct:555",
    "agent:main:telegram:direct:555:thread:7",
    "agent:main:direct:dana",
    "agent:main:main:thread:1700.5",
    f"agent:main:explicit:{UUID}",
    f"agent:main:dashboard:{UUID}",
]
NOT_PRIVATE = [
    "agent:main:telegram:group:-1001234567890",
    "agent:main:telegram:group:-1001234567890:topic:42",
    "agent:main:discord:channel:1",
    "agent:main:discord:channel:1:thread:2",
    "agent:main:slack:room:9",
    "agent:main:whatsapp:120363@g.us",
    f"agent:main:cron:{UUID}",
    f"agent:main:cron:{UUID}:run:{UUID}",
    f"agent:main:subagent:{UUID}",
    f"agent:main:main:subagent:{UUID}",
    "agent:main:main:heartbeat",
    "agent:main:dreaming-narrative-light",
    "agent:main:active-memory:x",
    f"agent:main:hook:{UUID}",
    f"agent:main:acp:{UUID}",
    f"agent:main:dashboard:incognito-{UUID}",
    "agent:main:global",
    "agent:main:unknown",
    "agent:main:some:new:shape",
    "agent:main:telegram:direct:555:topic:3",
    "agent:main",
    "agent::main",
    "agent:main:",
    "main",
    "global",
    "unknown",
    UUID,
    "",
]


@pytest.fixture
def gateway(tmp_path: Path) -> Gateway:
    """A gateway with our hook and prepared notes of ``main``."""
    made = Gateway(tmp_path)
    made.prepare("context", "# Notes\n- 🔴 Deploys go through staging\n", path="/w/memory/observations.md")
    return made


def added(answer: dict[str, Any], place: int = 0) -> list[str]:
    """The names of what stands in the context beside what the gateway gave."""
    return [one["name"] for one in answer["said"][place]["files"] if one["name"] != "AGENTS.md"]


@pytest.mark.report("R094")
def test_only_one_person_s_chats_are_private(gateway: Gateway) -> None:
    """Groups, channels, topics, machine sessions, incognito and every unknown form of key get no notes."""
    answer = gateway.run([bootstrap(key) for key in [*PRIVATE, *NOT_PRIVATE]], [*PRIVATE, *NOT_PRIVATE])
    assert answer["private"] == [True] * len(PRIVATE) + [False] * len(NOT_PRIVATE)
    given = [bool(added(answer, place)) for place in range(len(PRIVATE) + len(NOT_PRIVATE))]
    assert given == answer["private"]


@pytest.mark.report("R094")
def test_the_hook_never_calls_private_what_the_reader_calls_a_group_or_a_machine(gateway: Gateway) -> None:
    """Over thousands of keys made of all known words, the hook is at least as careful as the transcripts' reader."""
    words = [
        "main", "telegram", "direct", "dm", "group", "channel", "topic", "room", "thread", "cron", "run",
        "subagent", "heartbeat", "hook", "explicit", "dashboard", "dreaming", "active-memory-x", "555", "global",
    ]  # fmt: skip
    keys = [f"agent:main:{a}" for a in words] + [f"agent:main:{a}:{b}" for a in words for b in words]
    keys += [f"agent:main:{a}:{b}:{c}" for a in words for b in words for c in words[:12]]
    keys += [f"agent:main:telegram:direct:5:{a}:{b}" for a in words for b in words]
    verdicts = gateway.run(keys=keys)["private"]
    people = {SessionKind.MAIN, SessionKind.DIRECT}
    wrong = [
        key
        for key, private in zip(keys, verdicts, strict=True)
        if private and session_kind(key, KindFacts()) not in people
    ]
    assert wrong == []
    assert sum(verdicts) > 20


def test_the_notes_come_as_one_more_file_of_the_workspace(gateway: Gateway) -> None:
    """The prepared text is handed over without our first lines, under the name of the notes file."""
    gateway.prepare("context", "<!-- view cut=0: -->\n# Notes\n- 🔴 é\n", path="/w/memory/observations.md")
    (given,) = [one for one in gateway.run([bootstrap()])["said"][0]["files"] if one["name"] != "AGENTS.md"]
    assert given == {
        "name": "memory/observations.md", "path": "/w/memory/observations.md", "content": "# Notes\n- 🔴 é\n",
        "missing": False,
    }  # fmt: skip


def test_notes_are_handed_over_once(gateway: Gateway) -> None:
    """A list that holds them already, from us or from somebody else, stays as it is."""
    first = gateway.run([bootstrap()])["said"][0]["files"]
    assert gateway.run([bootstrap(bootstrapFiles=first)])["said"][0]["files"] == first


def test_the_gateway_s_own_list_is_left_alone(gateway: Gateway) -> None:
    """The host may keep the list it gave for later runs: ours is a new one, so nothing piles up in it."""
    script = """
import hook from "./handler.js";
const kept = [];
const sizes = [];
for (let run = 0; run < 3; run += 1) {
  const event = { type: "agent", action: "bootstrap", sessionKey: "agent:main:main", context: { bootstrapFiles: kept } };
  await hook(event);
  sizes.push(event.context.bootstrapFiles.length);
}
console.log(JSON.stringify({ said: [], kept: kept.length, sizes }));
"""
    (gateway.hook / "driver.mjs").write_text(script, encoding="utf-8")
    answer = gateway.run()
    assert (answer["kept"], answer["sizes"]) == (0, [1, 1, 1])


@pytest.mark.parametrize(
    "content",
    ["", "no first line of ours", "<!-- totalrecall:context {broken -->\nx", "<!-- totalrecall:snapshot {} -->\nx",
     "<!-- totalrecall:context {} -->\n", "<!-- totalrecall:context {} -->\n" + "x" * 20_001],
)  # fmt: skip
def test_a_file_that_is_not_whole_is_not_handed_over(gateway: Gateway, content: str) -> None:
    """Half a file, another file or one beyond the host's limit is left out; the run begins without it."""
    (gateway.state / "main" / "context.md").write_text(content, encoding="utf-8")
    assert added(gateway.run([bootstrap()])) == []


def test_what_is_no_file_of_ours_does_not_hold_up_the_gateway(gateway: Gateway) -> None:
    """A pipe would be waited for without an end, and gigabytes be read, while every chat of the gateway stands still."""
    path = gateway.state / "main" / "context.md"
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    assert added(gateway.run([bootstrap()])) == []
    path.unlink()
    path.write_text("<!-- totalrecall:context {} -->\n", encoding="utf-8")
    os.truncate(path, 3 << 30)
    answer = gateway.run([bootstrap(), bootstrap("agent:main:" + "a:" * 2_000_000)])
    assert added(answer) == []
    assert max(one["ms"] for one in answer["said"]) < 500


def test_each_agent_gets_its_own_notes(gateway: Gateway) -> None:
    """An agent without prepared notes gets none, and never those of another."""
    gateway.prepare("context", "of scout\n", agent="scout")
    answer = gateway.run([bootstrap("agent:scout:main"), bootstrap("agent:third:main")])
    assert [one["content"] for one in answer["said"][0]["files"]][1:] == ["of scout\n"]
    assert added(answer, 1) == []
    mixed = gateway.run([bootstrap("agent:scout:main", agentId="main"), bootstrap(agentId="../main")])
    assert added(mixed, 0) == added(mixed, 1) == []


def test_a_profile_s_agent_is_known_by_its_name_and_profile(gateway: Gateway) -> None:
    """Two homes have a ``main`` each; the hook of a profile reads that of its own."""
    gateway.prepare("context", "at work\n", agent="main@work")
    gateway.configure(profile="work")
    answer = gateway.run([bootstrap(), event("command:new")])
    assert answer["said"][0]["files"][1]["content"] == "at work\n"
    assert gateway.calls(1) == ["recover --agent main@work in /"]


def test_a_snapshot_is_handed_over_to_its_session_until_it_expires(gateway: Gateway) -> None:
    """The newest task snapshot stands in the context of the session that it is of, and of no other."""
    gateway.prepare(
        "snapshot", "Goal: queue\n", sessionKey="agent:main:main", expiresAt="2999-01-01T00:00:00Z"
    )
    answer = gateway.run(
        [bootstrap(), bootstrap("agent:main:telegram:direct:5"), bootstrap("agent:main:x:group:1")]
    )
    assert added(answer, 0) == ["memory/observations.md", "memory/task-snapshot.md"]
    assert added(answer, 1) == ["memory/observations.md"]
    assert added(answer, 2) == []
    for until in ("2001-01-01T00:00:00Z", "soon", None):
        gateway.prepare("snapshot", "Goal: queue\n", sessionKey="agent:main:main", expiresAt=until)
        assert added(gateway.run([bootstrap()])) == ["memory/observations.md"]


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("command:new", "recover"),
        ("command:reset", "recover"),
        ("session:auto-reset", "recover"),
        ("session:compact:before", "flush"),
        ("session:compact:after", "observe"),
    ],
)
@pytest.mark.report("R032")
def test_an_event_starts_its_command(gateway: Gateway, name: str, command: str) -> None:
    """What ends or compacts a session starts the program for that agent, outside of any folder of the agent's."""
    gateway.run([event(name)])
    assert gateway.calls(1) == [f"{command} --agent main in /"]


def test_events_of_machine_sessions_start_nothing(gateway: Gateway) -> None:
    """Cron runs and sub-agents come and go all day; nothing of theirs is noted."""
    keys = [
        f"agent:main:cron:{UUID}",
        f"agent:main:subagent:{UUID}",
        "agent:main:main:heartbeat",
        "gateway:startup",
    ]
    gateway.run([event(name, key) for key in keys for name in ("command:new", "session:auto-reset")])
    gateway.run([event("command:stop"), event("gateway:startup"), event("message:received")])
    assert gateway.calls(1, within_s=0.3) == []


def test_the_gateway_ends_while_the_program_runs_on(gateway: Gateway) -> None:
    """The program is a process of its own: it neither keeps the gateway nor ends with it."""
    gateway.program('sleep 0.5; echo done >> "$TR_CALLS"')
    begin = time.monotonic()
    gateway.run([event("session:compact:before")])
    assert gateway.calls(1) == ["flush --agent main in /"]
    assert gateway.calls(2)[1:] == ["done"]
    assert time.monotonic() - begin >= 0.5


def test_a_storm_of_events_starts_one_program_at_a_time(gateway: Gateway) -> None:
    """While one runs, what else is asked for is started once, the strongest of it, and not within two seconds."""
    gateway.program("sleep 0.2")
    storm = [event("session:compact:after") for _ in range(20)] + [event("session:compact:before")]
    gateway.run(
        [event("command:new"), *storm, event("command:reset"), {**event("message:sent"), "pauseMs": 2600}]
    )
    assert gateway.calls(3, within_s=0.5) == ["recover --agent main in /", "flush --agent main in /"]


@pytest.mark.parametrize("command", [["/nowhere/totalrecall"], ["/"], ["\0"], [], "text", [7]])
def test_a_program_that_cannot_be_started_is_not_noticed(gateway: Gateway, command: Any) -> None:
    """A removed program, no rights, a broken setting: the gateway goes on, and the notes still come."""
    gateway.configure(command=command)
    answer = gateway.run([event("command:new"), {**bootstrap(), "pauseMs": 50}])
    assert len(answer["said"]) == 2


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"enabled": false}', '{"enabled": true}'])
def test_without_usable_settings_it_does_nothing(gateway: Gateway, text: str) -> None:
    """Switched off or broken means silent."""
    (gateway.hook / "settings.json").write_text(text, encoding="utf-8")
    answer = gateway.run([bootstrap(), event("command:new")])
    assert added(answer) == []
    assert gateway.calls(1, within_s=0.2) == []


def test_switched_off_it_neither_hands_over_nor_starts(gateway: Gateway) -> None:
    """``enabled: false`` in the settings is all it takes, without a restart of the gateway."""
    gateway.configure(enabled=False)
    answer = gateway.run([bootstrap(), event("command:new")])
    assert added(answer) == []
    assert gateway.calls(1, within_s=0.2) == []


def test_agents_that_are_not_meant_are_not_served(gateway: Gateway) -> None:
    """An installation for one agent leaves the others alone."""
    gateway.prepare("context", "of scout\n", agent="scout")
    gateway.configure(agents=["main"])
    answer = gateway.run(
        [bootstrap("agent:scout:main"), bootstrap(), event("command:new", "agent:scout:main")]
    )
    assert (added(answer, 0), added(answer, 1)) == ([], ["memory/observations.md"])
    assert gateway.calls(1, within_s=0.2) == []


def test_places_are_those_of_the_installation(gateway: Gateway) -> None:
    """Variables that name places are set, or taken away, as they were when the hook was installed."""
    gateway.program('echo "$XDG_STATE_HOME|$HOME" >> "$TR_CALLS"')
    gateway.configure(env={"TR_CALLS": str(gateway.root / "calls"), "XDG_STATE_HOME": "/there", "HOME": None})
    gateway.run([event("command:new")])
    assert gateway.calls(2)[1] == "/there|"


@pytest.mark.parametrize("broken", [{}, {"type": "agent"}, {"type": "agent", "action": "bootstrap"}])
def test_events_of_another_shape_do_no_harm(gateway: Gateway, broken: dict[str, Any]) -> None:
    """A later OpenClaw may leave out or rename what we look at."""
    odd = [
        broken,
        broken | {"context": None},
        broken | {"context": {"bootstrapFiles": "x"}},
        broken | {"sessionKey": 7},
    ]
    gateway.run([*odd, event("command:new", ""), bootstrap(bootstrapFiles=[None])])


def test_the_handler_returns_within_20_ms(gateway: Gateway) -> None:
    """Handing over and starting both let go of the gateway at once."""
    gateway.prepare("context", "- 🟡 12:00 note\n" * 1200)
    events = [bootstrap() for _ in range(30)] + [
        event(f"session:compact:{when}", f"agent:a{n}:main")
        for n in range(15)
        for when in ("before", "after")
    ]
    took = [one["ms"] for one in gateway.run(events)["said"]]
    assert statistics.median(took[1:30]) < 5
    assert statistics.median(took[30:]) < 5
    assert sorted(took)[int(len(took) * 0.9)] < 20
