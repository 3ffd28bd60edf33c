"""OpenClaw's own ``openclaw.json``: what we need of it, read and never written.

JSON5 with ``$include`` (one file or a list, relative to the file it stands in, merged in order; keys beside
it win) and ``${NAME}`` in strings, as OpenClaw's documentation of its configuration has it. A broken file is
a problem for ``doctor``, never a crash.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from totalrecall.places.config_secrets import secret_values
from totalrecall.places.problem import Level, Problem

FILE_NAMES = ("openclaw.json", "clawdbot.json", "moltbot.json")
MAX_BYTES = 4_000_000
# The json5 library needs about 25 ms a kilobyte; beyond this a file must be plain enough for the quick way.
MAX_JSON5_CHARS = 200_000
MAX_DEPTH = 10
# Patterns are compiled at their first use: most runs need none of them, and start-up time counts.
_REFERENCE = r"(?P<escape>\$)?\$\{(?P<name>[A-Z_][A-Z0-9_]*)\}"
_LAX = (
    r"""(?s)(?P<keep>"(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?\*/|,(?=(?>\s+|//[^\n]*\n|/\*.*?\*/)*+[}\]])"""
    r"""|(?P<key>[A-Za-z_$][\w$]*)(?=\s*:)"""
)


@dataclass(frozen=True, slots=True)
class AgentEntry:
    """What the config says about one agent. Paths are as written, "" when not given."""

    agent_id: str
    workspace: str = ""
    agent_dir: str = ""
    default: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class OpenClawConfig:
    """What one ``openclaw.json`` says, empty where it says nothing or could not be read.

    Attributes:
        path: the file.
        agents: those of ``agents.entries`` and ``agents.list``, ids normalised as OpenClaw does.
        default_workspace: ``agents.defaults.workspace``.
        user_timezone: ``agents.defaults.userTimezone``.
        session_store: ``session.store``, may hold ``{agentId}``.
        api_key: ``OPENROUTER_API_KEY`` of the ``env`` block or its ``vars``. A secret: not in the repr.
        secrets: every value under a name that means a secret. Not in the repr.
        problems: what could not be read.
    """

    path: Path
    agents: tuple[AgentEntry, ...] = ()
    default_workspace: str = ""
    user_timezone: str = ""
    session_store: str = ""
    api_key: str = ""
    secrets: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()

    def __repr__(self) -> str:
        """Path and agents; never the key."""
        return f"OpenClawConfig({str(self.path)!r}, agents={[entry.agent_id for entry in self.agents]!r})"

    def entry(self, agent_id: str) -> AgentEntry:
        """What it says about ``agent_id``; an empty entry when nothing."""
        return next((entry for entry in self.agents if entry.agent_id == agent_id), AgentEntry(agent_id))

    @property
    def default_agent(self) -> str:
        """The agent that ``agents.defaults`` is about: the marked one, else ``main``, else the first."""
        marked = [entry.agent_id for entry in self.agents if entry.default]
        ids = [entry.agent_id for entry in self.agents]
        if marked:
            return marked[0]
        return "main" if "main" in ids or not ids else ids[0]


def read_config(state_dir: Path, env: Mapping[str, str], path: Path | None = None) -> OpenClawConfig | None:
    """The config of a state folder, or at ``path`` (``OPENCLAW_CONFIG_PATH``); None when there is none."""
    if path is None:
        path = next((state_dir / name for name in FILE_NAMES if (state_dir / name).exists()), None)
        if path is None:
            return None
    problems: list[Problem] = []
    tree = _load(path, problems, ())
    root = _Reader(tree if isinstance(tree, dict) else {}, env)
    return OpenClawConfig(
        path=path,
        agents=tuple(_agents(root)),
        default_workspace=root.text("agents", "defaults", "workspace"),
        user_timezone=root.text("agents", "defaults", "userTimezone"),
        session_store=root.text("session", "store"),
        api_key=root.text("env", "OPENROUTER_API_KEY") or root.text("env", "vars", "OPENROUTER_API_KEY"),
        secrets=secret_values(tree),
        problems=tuple(problems),
    )


def merged_tree(path: Path) -> Any:
    """The whole config at ``path`` with its includes, ``{}`` when it cannot be read. Holds secrets."""
    return _load(path, [], ())


def normalise_agent_id(text: str) -> str:
    """An agent's id as OpenClaw makes it from what was written: lower case, ``[a-z0-9_-]``, 64 characters."""
    return re.sub(r"[^a-z0-9_-]+", "-", text.strip().lower()).strip("-")[:64]


def parse_lax_json(text: str) -> Any:
    """The value of a JSON5 text. Plain JSON and JSON with comments, bare keys and spare commas is quick.

    Raises:
        ValueError: it is neither; the message says where.
    """
    import json

    try:
        return json.loads(text)
    except ValueError:
        pass
    try:
        return json.loads(re.sub(_LAX, _strict, text))
    except ValueError:
        if len(text) > MAX_JSON5_CHARS:
            raise
    import json5

    return json5.loads(text)


def _strict(found: re.Match[str]) -> str:
    if found["keep"] is not None:
        return found["keep"]
    return f'"{found["key"]}"' if found["key"] is not None else " "


class _Reader:
    """Strings of the tree by their path, with ``${NAME}`` replaced."""

    def __init__(self, tree: dict[str, Any], env: Mapping[str, str]) -> None:
        self._tree = tree
        self._env = env

    def node(self, *keys: str) -> Any:
        node: Any = self._tree
        for key in keys:
            node = node.get(key) if isinstance(node, dict) else None
        return node

    def text(self, *keys: str) -> str:
        return self.resolve(self.node(*keys))

    def resolve(self, value: Any) -> str:
        """The string with its references replaced; "" when one of them is not set, as OpenClaw has it."""
        if not isinstance(value, str):
            return ""
        missing = False

        def put(found: re.Match[str]) -> str:
            nonlocal missing
            if found["escape"]:
                return found[0][1:]
            missing = missing or not self._env.get(found["name"])
            return self._env.get(found["name"], "")

        text = re.sub(_REFERENCE, put, value).strip()
        return "" if missing else text


def _agents(root: _Reader) -> Iterator[AgentEntry]:
    entries, listed = root.node("agents", "entries"), root.node("agents", "list")
    found: list[tuple[Any, Any]] = list(entries.items()) if isinstance(entries, dict) else []
    found += (
        [(item.get("id"), item) for item in listed if isinstance(item, dict)]
        if isinstance(listed, list)
        else []
    )
    seen: set[str] = set()
    for name, item in found:
        agent_id = normalise_agent_id(name) if isinstance(name, str) else ""
        if not agent_id or agent_id in seen:
            continue
        seen.add(agent_id)
        fields = item if isinstance(item, dict) else {}
        yield AgentEntry(
            agent_id,
            root.resolve(fields.get("workspace")),
            root.resolve(fields.get("agentDir")),
            fields.get("default") is True,
        )


def _load(path: Path, problems: list[Problem], chain: tuple[Path, ...]) -> Any:
    if path in chain or len(chain) >= MAX_DEPTH:
        problems.append(Problem(Level.WARNING, "$include goes round in a circle or too deep.", path=path))
        return {}
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            # A pipe would be waited for without an end.
            problems.append(Problem(Level.ERROR, "Is no regular file; not read.", path=path))
            return {}
        if found.st_size > MAX_BYTES:
            problems.append(Problem(Level.ERROR, f"Larger than {MAX_BYTES} bytes; not read.", path=path))
            return {}
        tree = parse_lax_json(path.read_text(encoding="utf-8-sig"))
        return _include(tree, path, problems, (*chain, path))
    except OSError as error:
        problems.append(Problem(Level.ERROR, f"Cannot be read: {error.strerror or error}.", path=path))
    except RecursionError:
        problems.append(Problem(Level.ERROR, "Nested too deeply.", path=path))
    except ValueError as error:
        # The parser's message may quote a line, and lines hold keys: only its position is shown.
        where = re.search(r"line (\d+)|:(\d+) ", str(error))
        line = int(next(group for group in where.groups() if group)) if where else 0
        remedy = "Correct it (`openclaw doctor`); until then its agents, workspaces and key are not used."
        problems.append(Problem(Level.ERROR, "Not valid JSON5.", remedy, path=path, line=line))
    return {}


def _include(node: Any, path: Path, problems: list[Problem], chain: tuple[Path, ...]) -> Any:
    if isinstance(node, list):
        return [_include(item, path, problems, chain) for item in node]
    if not isinstance(node, dict):
        return node
    merged: Any = {}
    wanted = node.get("$include", [])
    for name in wanted if isinstance(wanted, list) else [wanted]:
        if isinstance(name, str):
            merged = _merge(merged, _load(path.parent / name, problems, chain))
    own = {key: _include(value, path, problems, chain) for key, value in node.items() if key != "$include"}
    return _merge(merged, own) if own or isinstance(merged, dict) else merged


def _merge(below: Any, above: Any) -> Any:
    if isinstance(below, dict) and isinstance(above, dict):
        return {
            **below,
            **{key: _merge(below[key], value) if key in below else value for key, value in above.items()},
        }
    if isinstance(below, list) and isinstance(above, list):
        return below + above
    return above
