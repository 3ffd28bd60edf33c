"""What an installation changes in ``openclaw.json``: planned on the text, proven on the parsed value. Pure.

Only missing keys are added. A value that somebody else set is left as it is and told.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from totalrecall.openclaw.config_values import MISSING, KeyPath, value_at
from totalrecall.openclaw.host import Era, Host
from totalrecall.openclaw.json5_edit import insert, put_in_place_of, remove
from totalrecall.openclaw.json5_tree import TreeError
from totalrecall.openclaw.texts import FLUSH_PROMPT, FLUSH_SOFT_THRESHOLD_TOKENS, FLUSH_SYSTEM_PROMPT
from totalrecall.places.openclaw_config import parse_lax_json

INTERNAL: KeyPath = ("hooks", "internal", "enabled")
HOOK: KeyPath = ("hooks", "internal", "entries", "totalrecall", "enabled")
FLUSH: KeyPath = ("agents", "defaults", "compaction", "memoryFlush")
FLUSH_SWITCH: KeyPath = (*FLUSH, "enabled")
PROMPTS: tuple[KeyPath, ...] = ((*FLUSH, "systemPrompt"), (*FLUSH, "prompt"))
FLUSH_WISHES: dict[KeyPath, object] = {
    FLUSH_SWITCH: True,
    (*FLUSH, "softThresholdTokens"): FLUSH_SOFT_THRESHOLD_TOKENS,
    PROMPTS[0]: FLUSH_SYSTEM_PROMPT,
    PROMPTS[1]: FLUSH_PROMPT,
}
SHOWN_CHARS = 60
NOT_VALID = "It is not valid JSON5, so nothing is changed in it."
NOT_SAFE = "It cannot be changed without touching what else stands in it, so nothing is changed."


@dataclass(frozen=True, slots=True)
class ConfigPlan:
    """What becomes of the text.

    Attributes:
        after: the new text; the old one when nothing is to be changed.
        shown: one line for each key that changes, without anything of what stands around it.
        ours: every value that is ours afterwards, by its path.
        made: objects that were made to hold them, the outermost first.
        left: sentences about what was left as it is.
        by_hand: what the user has to add, since we cannot do it safely, by its path.
    """

    after: str
    shown: tuple[str, ...] = ()
    ours: Mapping[KeyPath, object] = field(default_factory=dict)
    made: tuple[KeyPath, ...] = ()
    left: tuple[str, ...] = ()
    by_hand: Mapping[KeyPath, object] = field(default_factory=dict)


def wishes_for(host: Host, merged: object) -> dict[KeyPath, object]:
    """What the config of this OpenClaw should say, given what it says now (with its includes)."""
    wishes: dict[KeyPath, object] = {} if loads_all_hooks(merged) else {HOOK: True}
    if host.needs_switch:
        wishes = {INTERNAL: True, HOOK: True}
    return wishes | FLUSH_WISHES if host.era is Era.FILES else wishes


def loads_all_hooks(merged: object) -> bool:
    """Whether every hook that is found is loaded, ours with them.

    A first named entry would then narrow the choice to itself, and switch the others off: seen in OpenClaw
    2026.9.6, whose documentation warns of it. The switch alone, on the other hand, switches all of them on.
    """
    return value_at(merged, INTERNAL) is True and value_at(merged, HOOK[:3]) in ({}, MISSING)


def plan_config(
    text: str, merged: object, host: Host, known: Mapping[KeyPath, object], made: Sequence[KeyPath] = ()
) -> ConfigPlan:
    """The text with what is missing in it.

    ``merged`` is the parsed value with its includes; ``known`` what an earlier installation put there, and
    ``made`` the objects that it made.
    """
    wanted = wishes_for(host, merged)
    wishes, left = _open_wishes(wanted, merged, known)
    obsolete = [
        path
        for path in known
        if path in FLUSH_WISHES and path not in wanted and value_at(merged, path) == known[path]
    ]
    try:
        tree = parse_lax_json(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return ConfigPlan(text, (), known, tuple(made), (NOT_VALID,), wishes)
    by_hand = {path: value for path, value in wishes.items() if _may_be_included(tree, path)}
    draft = _Draft(text, tree, tuple(made))
    try:
        for path in obsolete:
            draft.take_out(path)
        for path, value in wishes.items():
            if path not in by_hand:
                draft.put(path, value)
        draft.prove()
    except (TreeError, KeyError, _UnexpectedError, RecursionError):
        return ConfigPlan(text, (), known, tuple(made), (*left, NOT_SAFE), wishes)
    kept = {path: value for path, value in known.items() if value_at(draft.tree, path) == value}
    ours = kept | {path: value for path, value in wishes.items() if path not in by_hand}
    return ConfigPlan(draft.text, tuple(draft.shown), ours, draft.made, tuple(left), by_hand)


def plan_removal(
    text: str, known: Mapping[KeyPath, object], made: Sequence[KeyPath], *, keep_switch: bool
) -> ConfigPlan:
    """The text without what we put there. A value that was changed since stays, and is told.

    ``keep_switch``: other hooks came to depend on ``hooks.internal.enabled``.
    """
    try:
        draft = _Draft(text, parse_lax_json(text.lstrip("\ufeff")), tuple(made))
    except (ValueError, RecursionError):
        return ConfigPlan(text, (), known, tuple(made), (NOT_VALID,))
    left: list[str] = []
    try:
        for path, value in reversed(list(known.items())):
            now = value_at(draft.tree, path)
            if path == INTERNAL and keep_switch:
                left.append(f"{'.'.join(path)} stays: other hooks need it.")
            elif now == value:
                draft.take_out(path)
            elif now is not MISSING:
                left.append(f"{'.'.join(path)} was changed since and stays.")
        draft.prune()
        draft.prove()
    except (TreeError, KeyError, _UnexpectedError, RecursionError):
        return ConfigPlan(text, (), known, tuple(made), (NOT_SAFE,))
    return ConfigPlan(draft.text, tuple(draft.shown), left=tuple(left))


class _UnexpectedError(Exception):
    """The parsed value is not what was planned."""


class _Draft:
    """The text under work, with what it has to mean."""

    def __init__(self, text: str, tree: Any, made: tuple[KeyPath, ...]) -> None:
        self.text = text
        self.tree = copy.deepcopy(tree)
        self.made = made
        self.shown: list[str] = []

    def put(self, path: KeyPath, value: object) -> None:
        if value_at(self.tree, path) is not MISSING:
            self.text = put_in_place_of(self.text, path, value)
        else:
            missing = [
                path[:end] for end in range(1, len(path)) if value_at(self.tree, path[:end]) is MISSING
            ]
            self.text = insert(self.text, path, value)
            self.made += tuple(one for one in missing if one not in self.made)
        said = json.dumps(value, ensure_ascii=False)
        self.shown.append(f"+ {'.'.join(path)}: {said[:SHOWN_CHARS]}{'…' if said[SHOWN_CHARS:] else ''}")
        node = self.tree
        for key in path[:-1]:
            node = node.setdefault(key, {})
        node[path[-1]] = value

    def take_out(self, path: KeyPath) -> None:
        self.text = remove(self.text, path)
        self.shown.append(f"- {'.'.join(path)}")
        node: Any = value_at(self.tree, path[:-1])
        del node[path[-1]]

    def prune(self) -> None:
        """Takes out objects that we made and that are empty now, the innermost first."""
        for path in sorted(self.made, key=len, reverse=True):
            if value_at(self.tree, path) == {}:
                self.take_out(path)

    def prove(self) -> None:
        try:
            means = parse_lax_json(self.text.lstrip("\ufeff"))
        except ValueError as error:
            raise _UnexpectedError from error
        if means != self.tree:
            raise _UnexpectedError


def _open_wishes(
    wishes: Mapping[KeyPath, object], merged: object, known: Mapping[KeyPath, object]
) -> tuple[dict[KeyPath, object], list[str]]:
    """The wishes that are to be fulfilled, and sentences about those that are not."""
    left: list[str] = []
    todo: dict[KeyPath, object] = {}

    def foreign(path: KeyPath) -> bool:
        now = value_at(merged, path)
        return now is not MISSING and now != wishes.get(path) and now != known.get(path, MISSING)

    if value_at(merged, INTERNAL) is False:
        left.append(f"{'.'.join(INTERNAL)} is false and stays so: as long as it is, our hook does nothing.")
    barred: set[KeyPath] = {INTERNAL} if left else set()
    if FLUSH_SWITCH in wishes and foreign(FLUSH_SWITCH):
        left.append(f"{'.'.join(FLUSH_SWITCH)} is off: no prompt is added.")
        barred |= set(FLUSH_WISHES)
    elif any(path in wishes and foreign(path) for path in PROMPTS):
        left.append(f"{'.'.join(FLUSH)} has a prompt of yours, which stays.")
        barred |= set(PROMPTS)
    for path, value in wishes.items():
        if path in barred or value_at(merged, path) == value:
            continue
        if foreign(path):
            left.append(f"{'.'.join(path)} is set otherwise and stays so{_meaning(path)}.")
        else:
            todo[path] = value
    return todo, left


def _meaning(path: KeyPath) -> str:
    return ": as long as it is, our hook does nothing" if path == HOOK else ""


def _may_be_included(tree: object, path: KeyPath) -> bool:
    """Whether an object on the way holds ``$include`` and not the next key: then it may come from there."""
    for key in path:
        if not isinstance(tree, dict):
            return False
        if "$include" in tree and key not in tree:
            return True
        if key not in tree:
            return False
        tree = tree[key]
    return False
