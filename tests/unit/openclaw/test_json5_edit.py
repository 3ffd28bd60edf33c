"""Members are put into a JSON5 text and taken out again, and every other byte stays."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from totalrecall.openclaw.json5_edit import insert, remove
from totalrecall.openclaw.json5_tree import TreeError
from totalrecall.places.openclaw_config import parse_lax_json

COMMENTED = """\
// my config
{
  meta: { lastTouchedVersion: '2026.7.1', }, /* by the program */
  "env": { "vars": {} }, // keys
  agents: {
    defaults: {
      workspace: "~/w", // mine
      compaction: { mode: "safeguard" }
      // more to come
    }
  },
  // hooks: { internal: { enabled: false } },
  unknown: [1, { a: "}" }, 'it\\'s'], // last
}
"""
INTERNAL = ("hooks", "internal", "enabled")
FLUSH = ("agents", "defaults", "compaction", "memoryFlush", "prompt")
names = st.sampled_from(["a", "b", "c", "hooks", "internal", "x y"])
trees = st.recursive(
    st.one_of(st.integers(0, 9), st.booleans(), st.text('ab{}",\\/ \n', max_size=6)),
    lambda below: st.dictionaries(names, below, max_size=3),
    max_leaves=8,
)
documents = st.dictionaries(names, trees, max_size=4)
paths = st.lists(names, min_size=1, max_size=3)


def with_value(tree: Any, path: tuple[str, ...], value: object) -> Any:
    """The tree as it should be after an insertion."""
    tree = copy.deepcopy(tree)
    node = tree
    for key in path[:-1]:
        node = node.setdefault(key, {})
    node[path[-1]] = value
    return tree


@pytest.mark.parametrize("path", [INTERNAL, FLUSH, ("env", "vars", "x"), ("meta", "y"), ("unknown2",)])
@pytest.mark.parametrize("text", [COMMENTED, COMMENTED.replace("\n", "\r\n"), "\ufeff" + COMMENTED])
def test_an_insertion_adds_only_itself(path: tuple[str, ...], text: str) -> None:
    """The value is there, the rest means the same, each old byte stands in its order, and undoing is exact."""
    value = {"deep": ["x", "ü"]}
    after = insert(text, path, value)
    assert parse_lax_json(after.lstrip("\ufeff")) == with_value(
        parse_lax_json(text.lstrip("\ufeff")), path, value
    )
    rest = iter(after)
    assert all(sign in rest for sign in text)
    assert after.count("\n") == after.count("\r\n") or "\r" not in text
    assert without(after, path, text) == text


def without(after: str, path: tuple[str, ...], before: str) -> str:
    """The member taken out again, with the objects that were made for it."""
    after = remove(after, path)
    for end in range(len(path) - 1, 0, -1):
        try:
            made = remove(before, path[:end])
        except KeyError:
            after = remove(after, path[:end])
        else:
            assert made
    return after


@given(documents, paths, st.sampled_from([None, 1, 2, "\t"]), trees)
@settings(max_examples=150)
def test_insert_and_remove_are_inverse(
    tree: dict[str, Any], path: list[str], indent: Any, value: Any
) -> None:
    """For any document in any usual layout: the parsed difference is the value alone, and remove restores the bytes."""
    text = json.dumps(tree, indent=indent, ensure_ascii=False)
    where = tuple(path)
    try:
        after = insert(text, where, value)
    except (TreeError, KeyError):
        node: Any = tree
        for key in where[:-1]:
            node = node.get(key, {}) if isinstance(node, dict) else None
        assert not isinstance(node, dict) or where[-1] in node
        return
    assert json.loads(after) == with_value(tree, where, value)
    assert without(after, where, text) == text


def test_comments_stay_with_their_members() -> None:
    """A comment behind the last member is not pulled to the new one."""
    after = insert('{\n  "a": 1 // one\n}\n', ("b",), 2)
    assert after == '{\n  "a": 1, // one\n  "b": 2\n}\n'


def test_a_trailing_comma_is_kept_as_the_file_has_it() -> None:
    """A file that ends its members with commas gets one more of the kind."""
    assert insert("{\n  a: 1,\n}", ("b",), True) == '{\n  a: 1,\n  "b": true,\n}'


@pytest.mark.parametrize("text", ["", "[1]", "{a: }", "{a 1}", "{a: 1", "{" * 300, '{"a": 1} x'])
def test_what_is_not_understood_is_left_alone(text: str) -> None:
    """No text comes back from a document that is broken, or no object."""
    with pytest.raises(TreeError):
        insert(text, ("b",), 1)


def test_a_value_in_the_way_is_never_replaced() -> None:
    """What stands there already, or is no object on the way, belongs to somebody."""
    with pytest.raises(KeyError):
        insert("{a: {b: 1}}", ("a", "b"), 2)
    with pytest.raises(TreeError):
        insert("{a: 1}", ("a", "b"), 2)
