# SPDX-License-Identifier: MIT
"""log.py - messages that nobody reads: they are thrown away and counted, and nothing waits for a
reader."""
import contextlib
import os
import re
import signal
import socket
import sys
import time

import harness as h

CONF = """
interval = "200ms";
groups = ( { name = "memory"; events = [ "bbox/IMT_VALID_OCCUPANCY", "wbox/CLOCKTICKS" ]; } );
"""
MODEL = ["--engine", "model:nehalem-ex"]
GLOBAL_CTL = 0xc00


class Hole:
    """Where messages go: a pipe, a socket or a terminal. Its end is never made non-blocking: the
    daemon gets it as a shell would pass it."""

    def __init__(self, kind):
        if kind == "terminal":
            self.ours, self.theirs = os.openpty()
        elif kind == "socket":
            self.keep = socket.socketpair()
            h._cleanup.extend(s.close for s in self.keep)
            self.ours, self.theirs = (s.fileno() for s in self.keep)
        else:
            self.ours, self.theirs = os.pipe()
        self.kind = kind
        os.set_blocking(self.ours, False)

    def fill(self):
        """A terminal makes room again for a moment: what was written wanders from one buffer to the
        next, later where the machine is busy."""
        full = 0
        while full < 4:
            full = 0 if self.fill_once() else full + 1
            time.sleep(0.1)

    def fill_once(self):
        done = 0
        with contextlib.suppress(BlockingIOError):
            while self.kind == "socket":
                done += self.keep[1].send(b".", socket.MSG_DONTWAIT)
            fd = os.open("/proc/self/fd/%d" % self.theirs,
                         os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
            with open(fd, "wb", buffering=0) as f:
                while n := f.write(b"." * (4096 if self.kind == "pipe" else 1)):
                    done += n
        return done

    def read(self):
        got = b""
        with contextlib.suppress(BlockingIOError):
            while True:
                got += os.read(self.ours, 65536)
        return got.decode().replace("\r\n", "\n")


def nothing_stops(kind):
    hole, n, port = Hole(kind), h.Notify("notify-" + kind), h.free_port()
    hole.fill()
    c = h.write(kind + ".conf", CONF)
    u = h.Process([h.UNCORED, "--listen", "127.0.0.1:%d" % port, "-c", c, *MODEL], kind,
                  stderr=hole.theirs,
                  env={"NOTIFY_SOCKET": n.path, "WATCHDOG_USEC": "400000"})

    def metrics():
        return h.samples(h.fetch("http://127.0.0.1:%d/metrics" % port)[2].decode())
    n.until("READY=1")
    # what is simulated, and what is served
    h.wait_for("two lines are lost", lambda: metrics()["uncored_log_lines_lost_total"] == "2")
    h.write(kind + ".conf", CONF + "nonsense = 1;\n")
    u.p.send_signal(signal.SIGHUP)
    n.until("READY=1")
    began = time.monotonic()
    for _ in range(5):
        n.until("WATCHDOG=1")
    # five are a second, and a reader that is waited for is one until the test ends
    assert time.monotonic() - began < h.PATIENCE / 2, "the watchdog is fed too late"
    h.wait_for("two more are lost", lambda: metrics()["uncored_log_lines_lost_total"] == "4")
    assert metrics()["uncored_config_last_reload_successful"] == "0"
    text = hole.read().lstrip(".")          # the daemon may have begun to tell while it was read
    assert not text or text.startswith("uncored: messages lost"), text

    def told():
        nonlocal text
        text += hole.read()
        return re.findall(r"^uncored: messages lost because nobody read the log: (\d+)\n", text,
                          re.M)
    assert h.wait_for("a reader is told", told) == ["4"], text
    u.p.send_signal(signal.SIGHUP)
    n.until("READY=1")
    h.wait_for("all is written again", lambda: "reload failed" in text or told() is None)
    n.until("WATCHDOG=1")
    assert metrics()["uncored_log_lines_lost_total"] == "4"
    assert told() == ["4"], text            # once
    hole.fill()
    began = time.monotonic()
    assert u.stop() == 0 and time.monotonic() - began < h.PATIENCE / 2, "it waits for a reader"


def test_a_pipe():
    nothing_stops("pipe")


def test_a_socket():
    nothing_stops("socket")


def test_a_terminal():
    nothing_stops("terminal")


def test_register_accesses():
    """A sampler writes a line for each, with --log-level debug."""
    hole, port = Hole("pipe"), h.free_port()
    u = h.Process([h.UNCORED, "--listen", "127.0.0.1:%d" % port, "-c", h.write("debug.conf", CONF),
                   "--log-level", "debug", *MODEL],
                  "debug", stderr=hole.theirs)

    def ticks():
        with contextlib.suppress(OSError):
            return int(h.samples(h.fetch("http://127.0.0.1:%d/metrics" % port)[2].decode()).get(
                'uncored_samples_total{socket="0"}', 0))
    h.wait_for("it samples", lambda: (ticks() or 0) > 2)
    hole.fill()
    then = ticks()
    h.wait_for("it goes on", lambda: ticks() > then + 5)
    assert u.stop() == 0


def test_restore():
    m, hole = h.Msrfs("--virtual"), Hole("pipe")
    u = h.Uncored("--engine", "registers", "--processor", "nehalem-ex",
                  "-c", h.write("left.conf", CONF), *m.options())
    assert m.register(0, GLOBAL_CTL)
    u.p.kill()
    u.p.wait()
    hole.fill()
    r = h.Process([h.UNCORED, "--restore", *m.options()], "restore", stderr=hole.theirs)
    assert r.p.wait(h.PATIENCE) == 0
    assert m.register(0, GLOBAL_CTL) == 0 and m.register(1, GLOBAL_CTL) == 0


h.main(sys.modules[__name__])
