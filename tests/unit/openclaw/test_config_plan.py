"""OpenClaw's config gets what the version takes, keeps what the user set, and can be restored to the byte."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from totalrecall.domain.event import Event, EventKind
from totalrecall.domain.state import SkipReason
from totalrecall.openclaw.config_plan import (
    FLUSH,
    FLUSH_SWITCH,
    HOOK,
    INTERNAL,
    PROMPTS,
    ConfigPlan,
    plan_config,
    plan_removal,
    wishes_for,
)
from totalrecall.openclaw.config_values import value_at
from totalrecall.openclaw.host import Era, Host
from totalrecall.openclaw.texts import FLUSH_PROMPT, FLUSH_SYSTEM_PROMPT
from totalrecall.places.openclaw_config import parse_lax_json
from totalrecall.transcripts.machine_talk import machine_reason

CONFIG = """\
{
  // the gateway's own
  gateway: { mode: "local", auth: { token: "t0p" } },
  agents: {
    defaults: { workspace: "~/w" },
  },
  unknown: { key: [1, 2,] },
}
"""


HOSTS = {
    Era.FILES: Host(Era.FILES, "2026.7.1-2"),
    Era.ROWS: Host(Era.ROWS, "2026.9.6"),
    Era.UNKNOWN: Host(Era.UNKNOWN),
}
OLD = Host(Era.FILES, "2026.3.13")


def planned(text: str, era: Era = Era.FILES, *, host: Host | None = None, **known: Any) -> ConfigPlan:
    """The plan for a config without includes."""
    return plan_config(
        text, parse_lax_json(text), host or HOSTS[era], known.get("ours", {}), known.get("made", ())
    )


@pytest.mark.parametrize("era", list(Era))
def test_the_parsed_difference_is_what_was_planned(era: Era) -> None:
    """Everything else means what it meant, comments and unknown keys stay."""
    plan = planned(CONFIG, era)
    expected = copy.deepcopy(parse_lax_json(CONFIG))
    for path, value in wishes_for(HOSTS[era], parse_lax_json(CONFIG)).items():
        node = expected
        for key in path[:-1]:
            node = node.setdefault(key, {})
        node[path[-1]] = value
    assert parse_lax_json(plan.after) == expected
    assert "// the gateway's own\n" in plan.after
    assert dict(plan.ours) == wishes_for(HOSTS[era], parse_lax_json(CONFIG))
    assert "t0p" not in "".join(plan.shown)


@pytest.mark.report("R001")
def test_prompts_are_only_for_the_era_that_takes_them() -> None:
    """From 2026.8.1 on a prompt makes the config invalid; where the version is unknown none is written either."""
    assert set(PROMPTS) <= set(planned(CONFIG, Era.FILES).ours)
    for era in (Era.ROWS, Era.UNKNOWN):
        assert set(planned(CONFIG, era).ours) == {HOOK}
        assert "memoryFlush" not in planned(CONFIG, era).after


@pytest.mark.parametrize("era", list(Era))
def test_removal_restores_the_bytes(era: Era) -> None:
    """What was put in is taken out again, and nothing is left of it."""
    plan = planned(CONFIG, era)
    undone = plan_removal(plan.after, plan.ours, plan.made, keep_switch=False)
    assert (undone.after, undone.left) == (CONFIG, ())


def test_a_second_installation_changes_nothing() -> None:
    """What is there is not added again, and still counts as ours."""
    plan = planned(CONFIG)
    again = planned(plan.after, ours=plan.ours, made=plan.made)
    assert again.after == plan.after
    assert dict(again.ours) == dict(plan.ours)


@pytest.mark.parametrize("era", list(Era))
def test_no_other_hook_is_switched_on_or_off(era: Era) -> None:
    """The switch alone loads every hook there is, and a first name beside it only that one: neither is ours to change.

    Seen in OpenClaw 2026.7.1-2 and 2026.9.6: ``src/hooks/configured.ts``.
    """
    assert INTERNAL not in planned(CONFIG, era).ours
    everything = "{ hooks: { internal: { enabled: true } } }"
    plan = planned(everything, era)
    assert HOOK not in plan.ours
    assert "totalrecall" not in plan.after
    some = '{ hooks: { internal: { enabled: true, entries: { "session-memory": { enabled: true } } } } }'
    assert set(planned(some, era).ours) & {INTERNAL, HOOK} == {HOOK}


def test_an_old_release_needs_the_switch() -> None:
    """Before 2026.5 a hook that is named is not loaded without it."""
    assert {INTERNAL, HOOK} <= set(planned(CONFIG, host=OLD).ours)


def test_an_upgrade_of_openclaw_takes_the_prompts_out() -> None:
    """An installation over a config that got prompts for the older version makes it valid for the newer one."""
    plan = planned(CONFIG, Era.FILES)
    newer = planned(plan.after, Era.ROWS, ours=plan.ours, made=plan.made)
    assert value_at(parse_lax_json(newer.after), FLUSH) in ({}, None) or not set(PROMPTS) & set(newer.ours)
    assert "Pre-compaction" not in newer.after
    assert plan_removal(newer.after, newer.ours, newer.made, keep_switch=False).after == CONFIG


def test_our_older_prompt_is_replaced() -> None:
    """A prompt that an earlier version of ours wrote becomes the present one."""
    plan = planned(CONFIG)
    older = plan.after.replace("and nothing else", "and that is all")
    known = dict(plan.ours) | {PROMPTS[1]: FLUSH_PROMPT.replace("and nothing else", "and that is all")}
    newer = planned(older, ours=known, made=plan.made)
    assert newer.after == plan.after


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("hooks: { internal: { enabled: false } }", "hooks.internal.enabled is false and stays so"),
        ("hooks: { internal: { entries: { totalrecall: { enabled: false } } } }", "our hook does nothing"),
        ("agents: { defaults: { compaction: { memoryFlush: { enabled: false } } } }", "no prompt is added"),
        (
            "agents: { defaults: { compaction: { memoryFlush: { prompt: 'mine' } } } }",
            "a prompt of yours, which stays",
        ),
    ],
)
@pytest.mark.parametrize("host", [OLD, HOSTS[Era.FILES]])
def test_a_person_s_settings_stay(key: str, said: str, host: Host) -> None:
    """What somebody set is left as it is and told; it is not ours afterwards."""
    text = f"{{ {key} }}"
    plan = planned(text, host=host)
    kept = parse_lax_json(text)
    assert said in " ".join(plan.left)
    undone = plan_removal(plan.after, plan.ours, plan.made, keep_switch=False)
    assert parse_lax_json(undone.after) == kept
    mine = value_at(kept, PROMPTS[1])
    if mine == "mine":
        assert value_at(parse_lax_json(plan.after), PROMPTS[1]) == "mine"
        assert PROMPTS[0] not in plan.ours
    if value_at(kept, FLUSH_SWITCH) is False:
        assert not set(PROMPTS) & set(plan.ours)


@pytest.mark.parametrize(
    "text",
    [
        '{ "$include": "base.json5" }',
        '{ hooks: { "$include": "hooks.json5" } }',
        '{ hooks: { internal: { $include: ["a", "b"] } } }',
    ],
)
def test_what_may_come_from_an_included_file_is_printed_instead(text: str) -> None:
    """We cannot know which file somebody wants it in; the text stays, and the user is told what to add."""
    plan = planned(text, Era.ROWS)
    assert plan.after == text
    assert {HOOK} == set(plan.by_hand)
    merged = {"hooks": {"internal": {"enabled": True, "entries": {"totalrecall": {"enabled": True}}}}}
    assert plan_config(text, merged, HOSTS[Era.ROWS], {}).by_hand == {}


@pytest.mark.parametrize(
    "text", ["", "{", "{ a: }", "[]", '"x"', "{ hooks: 1 }", "{ hooks: { internal: [] } }"]
)
def test_a_config_that_is_not_understood_stays(text: str) -> None:
    """Broken, or something that is no object in the way: not a byte changes, and it is said."""
    plan = plan_config(text, {}, HOSTS[Era.ROWS], {})
    assert plan.after == text
    assert plan.left
    assert set(plan.by_hand) == {HOOK}


def test_a_key_that_stands_twice_is_left_alone() -> None:
    """Where parsers disagree about which one counts, the difference cannot be proven."""
    text = '{ "hooks": { "internal": { } }, "hooks": 3 }'
    assert plan_config(text, parse_lax_json(text), HOSTS[Era.ROWS], {}).after == text


def test_what_was_changed_since_stays_at_removal() -> None:
    """A value of ours that somebody changed is theirs now, and so are members that they added beside ours."""
    plan = planned(CONFIG, host=OLD)
    edited = plan.after.replace('"softThresholdTokens": 40000', '"softThresholdTokens": 9000')
    edited = edited.replace('"totalrecall": {', '"other": { "enabled": true }, "totalrecall": {')
    undone = plan_removal(edited, plan.ours, plan.made, keep_switch=True)
    tree = parse_lax_json(undone.after)
    assert value_at(tree, FLUSH) == {"softThresholdTokens": 9000}
    assert tree["hooks"] == {"internal": {"enabled": True, "entries": {"other": {"enabled": True}}}}
    assert any("softThresholdTokens was changed since" in said for said in undone.left)
    assert any("other hooks need it" in said for said in undone.left)


@pytest.mark.parametrize("prompt", [FLUSH_PROMPT, FLUSH_SYSTEM_PROMPT])
def test_the_reader_knows_the_flush_turn_as_the_host_s(prompt: str) -> None:
    """The turn that our prompt makes is no talk of the user's."""
    assert machine_reason(Event(EventKind.MESSAGE, text=prompt), prompt) is SkipReason.FLUSH
