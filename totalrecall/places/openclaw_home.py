"""OpenClaw's state folders: the one that is named, or all that stand in the home folder.

Where OpenClaw itself looks: ``$OPENCLAW_STATE_DIR``, else ``$OPENCLAW_HOME/.openclaw``, else ``~/.openclaw``;
``--profile work`` is ``~/.openclaw-work``; earlier names were ``~/.clawdbot`` and ``~/.moltbot``. Nothing is
kept between calls: a home that appears later is found by the next one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from totalrecall.places.openclaw_config import OpenClawConfig, read_config
from totalrecall.places.problem import Level, Problem

OLD_HOMES = ("clawdbot", "moltbot")
# A copied home holds the same sessions under another name: reading it would note everything twice (R009).
_COPY = r"(?i)(^|[-_.~])(backup|bak|old|copy|orig|save|saved|tmp|temp|trash)([-_.~0-9]|$)|\d{6,}|~$"


@dataclass(frozen=True, slots=True)
class HomeCandidate:
    """A place where a state folder may stand; ``doctor`` prints all of them, found or not.

    Attributes:
        state_dir: absolute.
        explicit: named by ``OPENCLAW_STATE_DIR``.
        passed_over: why it is not read although it stands, "".
    """

    state_dir: Path
    explicit: bool = False
    passed_over: str = ""


@dataclass(frozen=True, slots=True)
class OpenClawHome:
    """One state folder.

    Attributes:
        state_dir: absolute, as it was named (not resolved).
        profile: "" for ``~/.openclaw``; ``work`` for ``~/.openclaw-work``; ``clawdbot``, ``moltbot``; for any
            other folder its name and a hash of its resolved path. It follows from the path alone, so that the
            same agent has the same name whether the folder was found or given by the environment.
        config: its ``openclaw.json``; None when it has none.
        problem: why nothing can be read here, or None.
    """

    state_dir: Path
    profile: str
    config: OpenClawConfig | None
    problem: Problem | None = None

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the folder and its config."""
        own = () if self.problem is None else (self.problem,)
        return own + (self.config.problems if self.config else ())


def expand_user(text: str, home_dir: Path) -> Path:
    """``text`` as a path, with a leading ``~`` replaced by ``home_dir``. ``~name`` stays as it is."""
    if text == "~":
        return home_dir
    return home_dir / text[2:].lstrip("/") if text.startswith("~/") else Path(text)


def candidate_homes(env: Mapping[str, str], home_dir: Path) -> tuple[HomeCandidate, ...]:
    """Every place looked at, in order: the current home, its profiles by name, the old homes.

    ``OPENCLAW_STATE_DIR`` names one folder, and then only that one is read: whoever sets it means it.
    ``OPENCLAW_HOME`` takes the place of the home folder, as it does in OpenClaw.
    """
    named = env.get("OPENCLAW_STATE_DIR", "").strip()
    if named:
        return (HomeCandidate(home_dir / expand_user(named, home_dir), explicit=True),)
    base = _base(env, home_dir)
    return (
        HomeCandidate(base / ".openclaw"),
        *(
            HomeCandidate(folder, passed_over=_looks_like_a_copy(folder.name))
            for folder in _children(base, ".openclaw-")
        ),
        *(HomeCandidate(base / f".{name}") for name in OLD_HOMES),
    )


def find_homes(env: Mapping[str, str], home_dir: Path) -> tuple[OpenClawHome, ...]:
    """Every state folder that stands, each once, the current one first.

    A link to a home already listed is left out (the move from ``~/.clawdbot`` leaves one behind). A folder
    that ``OPENCLAW_STATE_DIR`` names is returned even when it does not stand, with the problem said.
    ``OPENCLAW_CONFIG_PATH`` belongs to the first home.
    """
    homes: list[OpenClawHome] = []
    seen: set[str] = set()
    for candidate in candidate_homes(env, home_dir):
        if candidate.passed_over or not (candidate.explicit or candidate.state_dir.is_dir()):
            continue
        real = os.path.realpath(candidate.state_dir)
        if real in seen:
            continue
        seen.add(real)
        homes.append(_home(candidate, env, home_dir, first=not homes))
    return tuple(homes)


def _home(candidate: HomeCandidate, env: Mapping[str, str], home_dir: Path, *, first: bool) -> OpenClawHome:
    config_path = env.get("OPENCLAW_CONFIG_PATH", "").strip() if first else ""
    return OpenClawHome(
        state_dir=candidate.state_dir,
        profile=_profile_of(candidate.state_dir, _base(env, home_dir), home_dir),
        config=read_config(
            candidate.state_dir,
            env,
            home_dir / expand_user(config_path, home_dir) if config_path else None,
        ),
        problem=_problem_of(candidate.state_dir),
    )


def _problem_of(state_dir: Path) -> Problem | None:
    if not state_dir.is_dir():
        what = f"OPENCLAW_STATE_DIR names {state_dir}, which is not a folder (yet)."
        remedy = (
            "Start OpenClaw once, or correct the variable. Other places are not searched while it is set."
        )
        return Problem(Level.ERROR, what, remedy, "OPENCLAW_STATE_DIR", state_dir)
    for folder in (state_dir, state_dir / "agents"):
        if folder.is_dir() and not os.access(folder, os.R_OK | os.X_OK):
            return Problem(
                Level.ERROR,
                f"{folder} cannot be read by this user.",
                "Run Total Recall as the user that runs OpenClaw.",
                path=folder,
            )
    return None


def _profile_of(state_dir: Path, base: Path, home_dir: Path) -> str:
    real = os.path.realpath(state_dir)
    folder, name = os.path.split(real)
    if folder in {os.path.realpath(base), os.path.realpath(home_dir)} and base == home_dir:
        if name == ".openclaw":
            return ""
        if name.startswith(".openclaw-"):
            return name.removeprefix(".openclaw-")
        if name.removeprefix(".") in OLD_HOMES:
            return name.removeprefix(".")
    words = re.sub(r"[^A-Za-z0-9]+", "-", f"{Path(folder).name}-{name}").strip("-").lower()
    import hashlib

    digest = hashlib.blake2b(real.encode("utf-8", "surrogateescape"), digest_size=3).hexdigest()
    return f"{words[-40:].strip('-')}-{digest}".lstrip("-")


def _base(env: Mapping[str, str], home_dir: Path) -> Path:
    named = env.get("OPENCLAW_HOME", "").strip()
    return home_dir / expand_user(named, home_dir) if named else home_dir


def _looks_like_a_copy(name: str) -> str:
    if not re.search(_COPY, name.removeprefix(".openclaw-")):
        return ""
    return "Looks like a copy of another home. If it is a profile, name it with OPENCLAW_STATE_DIR."


def _children(folder: Path, prefix: str) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return [folder / name for name in sorted(e.name for e in entries if e.name.startswith(prefix))]
    except OSError:
        return []
