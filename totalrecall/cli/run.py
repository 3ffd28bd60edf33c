"""``totalrecall run``: the service, in the foreground."""

from __future__ import annotations

import os
import threading
import time
from contextlib import ExitStack
from pathlib import Path

import click

from totalrecall.domain.outcome import ExitCode
from totalrecall.domain.service_state import LOCK_NAME
from totalrecall.errors import BusyError

# Long enough for somebody who only asks whether the service runs.
LOCK_WAIT_S = 0.5


@click.command("run")
def run_command() -> int:
    """Watch the transcripts and do all that is to be done, until it is told to stop.

    For systemd and launchd, see 'totalrecall service install'; in a terminal, Ctrl-C stops it. SIGHUP has it
    read its settings again. Only one can run; whoever comes second says who runs and ends with 75.
    """
    from totalrecall.bootstrap.machine import Machine, look_around
    from totalrecall.daemon.notify import Notifier
    from totalrecall.daemon.runtime import Service
    from totalrecall.daemon.signals import obey
    from totalrecall.files.lock import hold, holder
    from totalrecall.service.output_file import keep_short
    from totalrecall.service.plan import OUTPUT_NAME

    machine = Machine(env=dict(os.environ), home_dir=Path.home(), now_ms=lambda: time.time_ns() // 1_000_000)
    here = look_around(machine)
    # Also before a setting ends it: launchd tries again each minute, and never cuts that file.
    keep_short(here.state_root / OUTPUT_NAME)
    here.loaded.require()
    lock = here.state_root / LOCK_NAME
    with ExitStack() as held:
        try:
            held.enter_context(hold(lock, wait_s=LOCK_WAIT_S, command="totalrecall run"))
        except BusyError as error:
            title = f"The service runs already: {holder(lock)}."
            raise BusyError(title, "'totalrecall service status' shows how it is.") from error
        stopping = threading.Event()
        service = Service(machine, Notifier.from_environment(os.environ), stopping)
        obey(service.inbox.put, stopping)
        if not service.run():
            # A job that does not end is not waited for: every step of it is on the disk already.
            os._exit(ExitCode.OK)
    return ExitCode.OK
