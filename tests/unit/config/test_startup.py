"""Finding places and loading defaults stays cheap: heavy libraries come only with what needs them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from subprocess import run

PROGRAM = """
import json, sys
from pathlib import Path
from totalrecall.config.load import load_settings
from totalrecall.config.sources import Places
from totalrecall.places.agents import find_agents
from totalrecall.places.openclaw_home import find_homes
home = Path(sys.argv[1])
load_settings(Places({}, home, home / "config"))
find_agents(find_homes({}, home), home)
print(json.dumps(sorted(sys.modules)))
"""
HEAVY = {
    "dotenv",
    "json5",
    "tomllib",
    "zoneinfo",
    "structlog",
    "logging",
    "sqlite3",
    "orjson",
    "httpx",
    "rich",
    "click",
}


def test_defaults_load_without_heavy_libraries(tmp_path: Path) -> None:
    """With a home and an agent, but no .env, no config.toml and no database, none of them is imported."""
    (tmp_path / ".openclaw" / "agents" / "main" / "sessions").mkdir(parents=True)
    (tmp_path / ".openclaw" / "openclaw.json").write_text("{}")
    done = run([sys.executable, "-c", PROGRAM, str(tmp_path)], check=True, capture_output=True, text=True)
    assert HEAVY & set(json.loads(done.stdout)) == set()
