"""The built wheel in a fresh environment: what users get is what is tested."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from datetime import timedelta
from pathlib import Path

import pytest

from tests.packaging.machine import REPOSITORY, environment, write_agent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        str(folder),
        str(REPOSITORY),
    ]
    subprocess.run([sys.executable, "-m", "pip", *build], check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_what_belongs_to_it(wheel: Path) -> None:
    """Prompts, sample and type marker travel along; tests and scripts do not."""
    names = set(zipfile.ZipFile(wheel).namelist())
    prompts = {path.name for path in (REPOSITORY / "prompts").iterdir()}
    assert {f"totalrecall/_shipped/prompts/{name}" for name in prompts} <= names
    assert {"totalrecall/py.typed", "totalrecall/sample_home/openclaw.json"} <= names
    assert {Path(name).parts[0] for name in names if not name.startswith("totalrecall/")} == {
        next(Path(name).parts[0] for name in names if ".dist-info" in name)
    }


def test_the_installed_wheel_works(wheel: Path, tmp_path: Path) -> None:
    """Installed with its dependencies it answers, observes a small home and prints the prompt it would send."""
    venv, home = tmp_path / "venv", tmp_path / "home"
    home.mkdir()
    subprocess.run([sys.executable, "-m", "venv", venv], check=True, capture_output=True)
    env = environment(home)
    pip: list[str | Path] = [venv / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-input", wheel]
    subprocess.run(pip, env=env, check=True, capture_output=True)

    def run(*arguments: str) -> str:
        command: list[str | Path] = [venv / "bin" / "totalrecall", *arguments]
        done = subprocess.run(command, env=env, cwd=home, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert run("--version").strip() == "totalrecall, version 0.2.0"
    assert "observe" in run("--help")
    notes = write_agent(home, age=timedelta(minutes=1))
    env["LLM_BASE_URL"] = "http://127.0.0.1:9/v1"
    sent = run("observe", "--dry-run")
    assert (REPOSITORY / "prompts" / "observer-system.txt").read_text("utf-8").splitlines()[0] in sent
    del env["LLM_BASE_URL"]
    assert "note" in run("observe")
    assert "stage-3" in notes.read_text("utf-8")
