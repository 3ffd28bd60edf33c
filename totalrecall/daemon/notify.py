"""Telling systemd how the service is: ``sd_notify(3)`` by hand, a datagram to a socket it names."""

from __future__ import annotations

import contextlib
import os
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Notifier:
    """Speaks to ``$NOTIFY_SOCKET``; without one it says nothing. Never raises, never waits."""

    address: str = ""
    watchdog_s: float = 0.0

    @classmethod
    def from_environment(cls, env: Mapping[str, str]) -> Notifier:
        """As systemd started us; ``WATCHDOG_PID`` of another process means that its watchdog is not ours."""
        mine = env.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        span_us = env.get("WATCHDOG_USEC", "") if mine else ""
        return cls(env.get("NOTIFY_SOCKET", ""), int(span_us) / 1e6 if span_us.isdigit() else 0.0)

    def say(self, *lines: str) -> None:
        """One message, such as ``READY=1`` and ``STATUS=…``."""
        if self.address[:1] not in {"/", "@"}:
            return
        # A name that begins with @ stands in the abstract namespace: its first byte is NUL.
        address = "\0" + self.address[1:] if self.address[0] == "@" else self.address
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as speaker:
            speaker.setblocking(False)
            speaker.sendto("\n".join(lines).encode(), address)

    def reloading(self) -> None:
        """The settings are being read again; ``READY=1`` ends it."""
        self.say("RELOADING=1", f"MONOTONIC_USEC={time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000}")
