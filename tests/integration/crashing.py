"""Runs of the observer in processes of their own: ended at a step of a batch, or many at once.

``python -m tests.integration.crashing ROOT SPEC`` with a JSON spec, see ``Spec``; the last line of the output is
a JSON object: ``messages``, ``notes``, ``provisional``, or ``error``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from tests.fakes.engine import EchoEngine
from tests.lab import START, Lab
from totalrecall.errors import ModelUnreachableError, TotalRecallError
from totalrecall.jobs.context import Step
from totalrecall.jobs.observe import ObserveOptions

CRASHED = 9
ROOT = Path(__file__).parents[2]


@dataclass
class Spec:
    """One run.

    ``step`` and ``nth``: end the process at the nth passing of that step; 0 never. ``away``: the model is
    unreachable and a stand-in is wanted. ``file_limit_bytes``: no file may grow beyond it.
    """

    now: str = START.isoformat()
    step: int = 0
    nth: int = 1
    away: bool = False
    wait_s: float = 5.0
    agent: str = "main"
    file_limit_bytes: int = 0
    slow_s: float = 0.0
    env: dict[str, str] = field(default_factory=dict)


def start(lab: Lab, **what: Any) -> subprocess.Popen[str]:
    """A run over the lab's home, in a process of its own."""
    spec = Spec(now=lab.now.isoformat(), env=dict(lab.env), agent=lab.agent, **what)
    command = [sys.executable, "-m", "tests.integration.crashing", str(lab.root), json.dumps(asdict(spec))]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def outcome(process: subprocess.Popen[str]) -> tuple[int, dict[str, Any]]:
    """Exit code and what the run says of itself."""
    with process:
        out, err = process.communicate(timeout=60)
    lines = out.splitlines()
    assert lines or process.returncode == CRASHED, err
    return process.returncode, json.loads(lines[-1]) if lines else {}


def crash(lab: Lab, step: int, **what: Any) -> bool:
    """A run that ends at ``step``; False when it never came there and ended well."""
    code, said = outcome(start(lab, step=step, **what))
    assert code in {0, CRASHED}, said
    return code == CRASHED


def _limit_files(limit_bytes: int) -> None:
    import resource
    import signal

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))


def _main(root: Path, spec: Spec) -> int:
    passings = 0

    def passed(step: Step) -> None:
        nonlocal passings
        passings += step == spec.step
        if step == spec.step and passings == spec.nth:
            os._exit(CRASHED)

    lab = Lab(root, env=spec.env, agent=spec.agent, now=datetime.fromisoformat(spec.now))
    if spec.away:
        lab.engine = EchoEngine(refuse=_away)
    elif spec.slow_s:
        lab.engine = EchoEngine(refuse=lambda _request: __import__("time").sleep(spec.slow_s))
    if spec.file_limit_bytes:
        _limit_files(spec.file_limit_bytes)
    try:
        with lab.context(passed) as ctx:
            from totalrecall.jobs.observe import observe

            report = observe(ctx, ObserveOptions(stand_in=spec.away, wait_s=spec.wait_s))
    except TotalRecallError as error:
        print(json.dumps({"error": type(error).__name__, "title": error.title}))  # noqa: T201  # the result
        return error.exit_code
    said = {"messages": report.messages, "notes": report.notes, "provisional": report.provisional}
    print(json.dumps(said))  # noqa: T201  # the result
    return 0


def _away(_request: object) -> None:
    raise ModelUnreachableError("No model answers.")


if __name__ == "__main__":
    sys.exit(_main(Path(sys.argv[1]), Spec(**json.loads(sys.argv[2]))))
