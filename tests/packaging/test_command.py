"""The command as such: how it is called, how fast it answers, and that its texts do not change by accident."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from tests.packaging.machine import REPOSITORY, totalrecall
from totalrecall.cli.app import COMMANDS, cli
from totalrecall.config.show import env_example

GOLDEN = REPOSITORY / "tests" / "golden"
HELP_S = 0.150
# A busy machine: the best of so many counts.
TRIES = 10


def same_as_golden(name: str, text: str) -> None:
    """``text`` is what tests/golden/``name`` holds; UPDATE_GOLDEN=1 writes it anew."""
    path = GOLDEN / name
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text("utf-8"), f"UPDATE_GOLDEN=1 pytest {Path(__file__).name} if this is wanted"


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_is_as_agreed(name: str) -> None:
    """The help of every command, word for word."""
    arguments = [name, "--help"] if name else ["--help"]
    shown = CliRunner().invoke(cli, arguments, prog_name="totalrecall", terminal_width=100)
    assert shown.exit_code == 0, shown.output
    same_as_golden(f"help-{name or 'totalrecall'}.txt", shown.output)


def test_every_command_has_its_help_in_the_table() -> None:
    """The one-line help of the overview says what the command's own help says first."""
    for name in COMMANDS:
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        assert command.help


def test_prompts_are_as_agreed() -> None:
    """A prompt that changes makes other notes: its hash and first line stand in a golden file."""
    lines = []
    for path in sorted((REPOSITORY / "prompts").iterdir()):
        content = path.read_bytes()
        first = content.decode("utf-8").splitlines()[0]
        lines.append(f"{path.name} {hashlib.sha256(content).hexdigest()[:16]} {first}\n")
    same_as_golden("prompts.txt", "".join(lines))


def test_the_example_env_file_is_current() -> None:
    """``.env.example`` is what the table of settings makes of it."""
    path = REPOSITORY / ".env.example"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(env_example(), encoding="utf-8")
    assert path.read_text("utf-8") == env_example()


def test_the_module_runs_like_the_command(tmp_path: Path) -> None:
    """``python -m totalrecall`` is the command, and an unknown one is a usage error."""
    assert totalrecall(tmp_path, "--version").stdout == "totalrecall, version 0.2.0\n"
    assert "No such command" in totalrecall(tmp_path, "wat", code=2).stderr


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["observe", "--help"]])
def test_asking_for_help_imports_nothing_heavy(tmp_path: Path, arguments: list[str]) -> None:
    """No HTTP, no logging, no tables: what answers at once must not load them."""
    code = (
        "import sys; from totalrecall.cli.main import run; run(sys.argv[1:]); "
        "print('HEAVY', sorted({'httpx', 'structlog', 'rich', 'tenacity', 'json5', 'dotenv', 'zstandard'} & {*sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "HEAVY []"


def test_a_run_with_nothing_new_imports_neither_library_nor_engine(tmp_path: Path) -> None:
    """What cron calls every few minutes loads no command line library, no rules of noise, no engine."""
    (tmp_path / ".openclaw" / "agents" / "main" / "sessions").mkdir(parents=True)
    code = (
        "import sys; from totalrecall.cli.main import run; run(['observe']); run(['observe']); "
        "heavy = {'click', 'httpx', 'structlog', 'rich', 'tenacity', 'json5', 'dotenv', 'zstandard', 'orjson', "
        "'msgspec', 'totalrecall.transcripts.noise', 'totalrecall.llm.extractive', 'totalrecall.privacy.rules'}; "
        "print('HEAVY', sorted(heavy & {*sys.modules}))"
    )
    env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    subprocess.run([sys.executable, "-c", code], env=env, check=True, capture_output=True)
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "HEAVY []"
