"""The launchd agent. Pure: a plan in, the text of the property list out."""

from __future__ import annotations

import re
from pathlib import PurePath
from xml.sax.saxutils import escape

from totalrecall.service.plan import LABEL, MARK, ServicePlan

THROTTLE_S = 60
# launchd starts programs with a PATH that lacks Homebrew, and expands no ``~`` (R114).
_PATH = "/opt/homebrew/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
_OURS = ("HOME", "PATH")
_HEAD = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
"""


def render_plist(plan: ServicePlan) -> str:
    """The property list: absolute paths, a comment for every key.

    launchd cannot tell exit codes apart: whatever is not 0 is started again, a setting that makes no sense
    (78) too. One try a minute is no busy loop, and it goes on by itself once the setting is mended.
    """
    environment = {"HOME": str(plan.home_dir), "PATH": _path(plan), **plan.environment}
    output = str(plan.output_file)
    entries: tuple[tuple[str, str, object], ...] = (
        ("The name under which launchctl knows it.", "Label", LABEL),
        (
            "The interpreter of this installation; -P keeps the working folder out of its search path.",
            "ProgramArguments",
            plan.program,
        ),
        (
            "A service has no shell: what it needs from there stands here.",
            "EnvironmentVariables",
            environment,
        ),
        ("From login on.", "RunAtLoad", True),
        ("Anything but an orderly end starts it again.", "KeepAlive", {"SuccessfulExit": False}),
        (
            "At most once a minute: launchd cannot tell a bad setting (exit 78) from a crash.",
            "ThrottleInterval",
            THROTTLE_S,
        ),
        ("It is out within 5 seconds; this is for a disk that hangs.", "ExitTimeOut", 10),
        ("The agent and the user come first.", "ProcessType", "Background"),
        ("Also at the disk.", "LowPriorityIO", True),
        ("What it makes is for this user only (octal 077).", "Umask", 0o077),
        ("Its memory holds talk and a key: no core file.", "SoftResourceLimits", {"Core": 0}),
        ("launchd would start it in /.", "WorkingDirectory", str(plan.home_dir)),
        ("One line an event, numbers and names; kept short by the service.", "StandardErrorPath", output),
        ("The same file.", "StandardOutPath", output),
    )
    body = "".join(f"  <!-- {_comment(why)} -->\n{_pair(name, value, 1)}" for why, name, value in entries)
    head = f"{_HEAD}<!-- {MARK}, and again by each new one. -->\n"
    return f'{head}<plist version="1.0">\n<dict>\n{body}</dict>\n</plist>\n'


def environment_in(text: str) -> dict[str, str]:
    """The environment of a plist of ours that came from the shell; {} when it cannot be read."""
    return {name: value for name, value in _strings(text).items() if name not in _OURS}


def program_in(text: str) -> str:
    """The program that a plist starts, "" when none can be told."""
    arguments = _loaded(text).get("ProgramArguments")
    return str(arguments[0]) if isinstance(arguments, list) and arguments else ""


def _strings(text: str) -> dict[str, str]:
    found = _loaded(text).get("EnvironmentVariables")
    return {str(name): str(value) for name, value in found.items()} if isinstance(found, dict) else {}


def _loaded(text: str) -> dict[str, object]:
    import plistlib
    from xml.parsers.expat import ExpatError

    try:
        found = plistlib.loads(text.encode("utf-8"))
    except (ValueError, ExpatError):
        return {}
    return found if isinstance(found, dict) else {}


def _path(plan: ServicePlan) -> str:
    return f"{PurePath(plan.program[0]).parent}:{_PATH}"


def _pair(name: str, value: object, depth: int) -> str:
    return f"{'  ' * depth}<key>{escape(name)}</key>\n{_value(value, depth)}"


def _value(value: object, depth: int) -> str:
    indent = "  " * depth
    if isinstance(value, bool):
        return f"{indent}<{'true' if value else 'false'}/>\n"
    if isinstance(value, int):
        return f"{indent}<integer>{value}</integer>\n"
    if isinstance(value, tuple):
        return f"{indent}<array>\n" + "".join(_value(one, depth + 1) for one in value) + f"{indent}</array>\n"
    if isinstance(value, dict):
        pairs = "".join(_pair(name, value[name], depth + 1) for name in sorted(value))
        return f"{indent}<dict>\n{pairs}{indent}</dict>\n"
    return f"{indent}<string>{escape(str(value))}</string>\n"


def _comment(text: str) -> str:
    # Two dashes would end an XML comment.
    return re.sub(r"--+", "-", text)
