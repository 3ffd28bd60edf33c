"""The systemd user unit. Pure: a plan in, the text of the file out."""

from __future__ import annotations

import re

from totalrecall.service.plan import MARK, ServicePlan

WATCHDOG_S = 300
_ENV = "/usr/bin/env"
STOP_S = 10
# What every line is for stands above it. A user's manager has no privileges: hardening that needs a mount
# namespace or the capability bounding set (ProtectSystem, PrivateTmp, PrivateDevices, ProtectKernelModules,
# CapabilityBoundingSet, …) is ignored there or ends the start (systemd/systemd#4959, exit code 218). So
# only what works by prctl and seccomp is used. The rest would not suit: workspaces lie wherever one likes.
_UNIT = (
    ("What 'systemctl --user status' calls it.", "Description=Total Recall: memory for AI agents"),
    (
        "Tried again for as long as it takes: a full disk passes, and nobody may look for a year.",
        "StartLimitIntervalSec=0",
    ),
)
_START = (
    ("It says itself when it is ready, reloads, and what it is doing.", "Type=notify"),
    ("Only the service itself may say so.", "NotifyAccess=main"),
)
_LIFE = (
    (
        "'systemctl --user reload total-recall' reads the settings again.",
        "ExecReload=/bin/kill -HUP $MAINPID",
    ),
    ("Anything but an orderly end starts it again.", "Restart=on-failure"),
    ("Without haste.", "RestartSec=15"),
    ("78 is a setting that makes no sense: only a person can mend that.", "RestartPreventExitStatus=78"),
    (
        "A sign of life at least this often, given only while the work goes on; else it starts anew.",
        f"WatchdogSec={WATCHDOG_S}",
    ),
    ("Opening ledgers and checking them may take a while after a crash.", "TimeoutStartSec=120"),
    ("It is out within 5 seconds; this is for a disk that hangs.", f"TimeoutStopSec={STOP_S}"),
)
_SHARE = (
    ("Above this much memory it is slowed down.", "MemoryHigh=384M"),
    ("Above this much it is ended and started again: nothing is lost by that.", "MemoryMax=512M"),
    ("When the machine runs out of memory, this goes before the agent does.", "OOMScoreAdjust=500"),
    ("The agent and the user come first.", "Nice=10"),
    ("Also where the processor is shared by groups.", "CPUWeight=50"),
    ("And at the disk.", "IOSchedulingClass=best-effort"),
    ("At the end of its queue.", "IOSchedulingPriority=7"),
)
_LIMITS = (
    ("What it makes is for this user only.", "UMask=0077"),
    ("Its memory holds talk and a key: no core file.", "LimitCORE=0"),
    ("It can never gain rights.", "NoNewPrivileges=yes"),
    ("It needs the system calls of an ordinary service.", "SystemCallFilter=@system-service"),
    ("Others are refused, not killed for.", "SystemCallErrorNumber=EPERM"),
    ("And only in the machine's own form.", "SystemCallArchitectures=native"),
    (
        "Sockets: the service manager, the model; netlink is how the C library looks up addresses.",
        "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK",
    ),
    ("No namespaces.", "RestrictNamespaces=yes"),
    ("No real-time scheduling.", "RestrictRealtime=yes"),
    ("No files that run as somebody else.", "RestrictSUIDSGID=yes"),
    ("No other kernel personality.", "LockPersonality=yes"),
)
_INSTALL = (
    ("Starts with the user's session, or at boot with 'loginctl enable-linger'.", "WantedBy=default.target"),
)


def render_unit(plan: ServicePlan) -> str:
    """The unit file: absolute paths, a comment for every line, no EnvironmentFile.

    systemd reads a ``.env`` otherwise than we do (comments stay in the value, R112), so the program reads its
    settings itself. A user's manager has no network-online.target either (R113).
    """
    program = (
        "The interpreter of this installation; -P keeps the working folder out of its search path.",
        f"ExecStart={_command(plan.program)}",
    )
    given = tuple(
        (_WHY_GIVEN if not place else "", f"Environment={_quoted(f'{name}={value}', force=True)}")
        for place, (name, value) in enumerate(sorted(plan.environment.items()))
    )
    head = (
        f"# {MARK}, and again by each new one.\n"
        "# For changes of your own: systemctl --user edit total-recall\n"
    )
    service = (*_START, program, *given, *_LIFE, *_SHARE, *_LIMITS)
    sections = (("Unit", _UNIT), ("Service", service), ("Install", _INSTALL))
    return "\n".join([head, *(_section(name, lines) for name, lines in sections)])


_WHY_GIVEN = "What the shell of the installation had, and a service has not."


def program_in(text: str) -> str:
    """The program that a unit starts, "" when none can be told."""
    word = r"(?:\"((?:[^\"\\]|\\.)*)\"|(\S+))"
    found = re.search(rf"^ExecStart=({_ENV} )?{word}", text, re.MULTILINE)
    if found is None:
        return ""
    program = _unquoted(found[2] or found[3])
    return program.replace("$$", "$") if found[1] else program


def environment_in(text: str) -> dict[str, str]:
    """The environment that a unit of ours sets."""
    lines = re.findall(r"^Environment=\"((?:[^\"\\]|\\.)*)\"$", text, re.MULTILINE)
    return dict(_unquoted(line).split("=", 1) for line in lines)


def _section(name: str, lines: tuple[tuple[str, str], ...]) -> str:
    return f"[{name}]\n" + "".join(f"{f'# {why}{chr(10)}' if why else ''}{line}\n" for why, line in lines)


def _command(program: tuple[str, ...]) -> str:
    words = [_quoted(word) for word in program]
    if re.search(r"[\"'\\]", program[0]):
        # systemd starts no program with such a sign in its path, and env does not mind. Behind the first word
        # a dollar sign begins a variable.
        words = [_ENV, words[0].replace("$", "$$"), *words[1:]]
    return " ".join(words)


def _quoted(word: str, *, force: bool = False) -> str:
    """A word as systemd reads it back: ``%`` starts a specifier there, spaces need quotes."""
    text = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("\n", "\\n")
    plain = not force and re.fullmatch(r"[\w@%+=:,./-]+", text, re.ASCII)
    return text if plain else f'"{text}"'


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)|%%", lambda hit: {None: "%", "n": "\n"}.get(hit[1], hit[1]), text)
