"""The small parts: the inbox, the gate, what systemd is told."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from pathlib import Path

import pytest

from totalrecall.daemon.gate import Gate
from totalrecall.daemon.inbox import Inbox
from totalrecall.daemon.notify import Notifier


def test_nothing_waits_twice() -> None:
    """However often something is put; once it was taken it may come again."""
    inbox: Inbox[str] = Inbox()
    for _ in range(1000):
        inbox.put("a")
        inbox.put("b")
    assert inbox.take(0) == ["a", "b"]
    assert inbox.take(0) == []
    inbox.put("a")
    assert inbox.take(1) == ["a"]


def test_nothing_put_is_ever_missed() -> None:
    """Threads put while another takes: what was put last is always taken afterwards."""
    inbox: Inbox[int] = Inbox()
    seen: dict[int, int] = {}
    stand = [0] * 4
    done = threading.Event()

    def put(number: int) -> None:
        for step in range(1, 3000):
            stand[number] = step
            inbox.put(number)

    def take() -> None:
        while not done.is_set() or (items := inbox.take(0)):
            items = inbox.take(0.01)
            for item in items:
                seen[item] = stand[item]

    threads = [threading.Thread(target=put, args=(number,)) for number in range(4)]
    taker = threading.Thread(target=take)
    for thread in [*threads, taker]:
        thread.start()
    for thread in threads:
        thread.join()
    time.sleep(0.05)
    done.set()
    taker.join()
    assert seen == dict.fromkeys(range(4), 2999)


def test_a_signal_handler_may_put() -> None:
    """In the very thread that is putting or waiting."""
    inbox: Inbox[str] = Inbox()
    before = signal.signal(signal.SIGUSR1, lambda _number, _frame: inbox.put("signal"))
    try:
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        began = time.monotonic()
        assert inbox.take(10) == ["signal"]
        assert time.monotonic() - began < 5
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_the_gate_lets_so_many_through() -> None:
    """The rest waits; a larger gate lets them in at once, and the stop sends them away."""
    gate, stop = Gate(1), threading.Event()
    inside: list[bool] = []

    def enter() -> None:
        with gate.passed(stop.is_set) as entered:
            inside.append(entered)

    with gate.passed(stop.is_set) as first:
        assert first
        waits = threading.Thread(target=enter)
        waits.start()
        time.sleep(0.05)
        assert inside == []
        gate.set_places(2)
        waits.join(5)
        assert inside == [True]
        gate.set_places(1)
        stop.set()
        enter()
        assert inside == [True, False]


@pytest.mark.parametrize("abstract", [True, False])
def test_systemd_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, abstract: bool) -> None:
    """Over a socket in the file system or in the abstract namespace."""
    monkeypatch.chdir(tmp_path)
    name = (
        f"@total-recall-{os.getpid()}-{tmp_path.name}"
        if abstract
        else str(Path(os.sep, "tmp", f"n{os.getpid()}"))
    )
    address = "\0" + name[1:] if abstract else name
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as server:
        server.bind(address)
        server.settimeout(5)
        try:
            Notifier.from_environment({"NOTIFY_SOCKET": name}).say("READY=1", "STATUS=2 agents")
            assert server.recv(1000) == b"READY=1\nSTATUS=2 agents"
            Notifier(name).reloading()
            assert server.recv(1000).startswith(b"RELOADING=1\nMONOTONIC_USEC=")
        finally:
            if not abstract:
                Path(name).unlink()


def test_without_systemd_nothing_is_said() -> None:
    """No socket, a socket that is gone, a watchdog that is another process's: no error, no wait."""
    Notifier().say("READY=1")
    Notifier("/nowhere/at/all").say("READY=1")
    mine = {"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": str(os.getpid())}
    assert Notifier.from_environment(mine).watchdog_s == 30.0
    assert Notifier.from_environment({**mine, "WATCHDOG_PID": "1"}).watchdog_s == 0.0
    assert Notifier.from_environment({"WATCHDOG_USEC": "soon"}).watchdog_s == 0.0
