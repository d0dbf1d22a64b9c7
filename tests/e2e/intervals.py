# SPDX-License-Identifier: MIT
"""intervals.py - what is counted, interval by interval: uncored --once --every.
"""
import json
import signal
import subprocess
import sys
import time

import harness as h
import schema

CLOCK = 'uncore_wbox_clockticks_total{socket="%d",unit="0"}'
CONTROL = 0xc32         # B-Box 0, whose bit 0 is on while it counts


def begin(program, *args, **kw):
    p = subprocess.Popen([program, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         text=True, **kw)
    h._cleanup.append(lambda: p.poll() is None and p.kill())
    return p


def once(*args, **kw):
    return begin(h.UNCORED, "--once", "--format", "json", *args, **kw)


def value(snapshot, name):
    family, _, labels = name.partition("{")
    for m in snapshot["metrics"]:
        for s in m["series"] if m["name"] == family else []:
            if ",".join('%s="%s"' % p for p in s["labels"].items()) == labels[:-1]:
                return s.get("value")
    raise AssertionError("no series " + name)


def test_once_prints_each_time():
    """The totals are those of the registers, also of the part at the end, and no time is lost."""
    m = h.Msrfs("--virtual")
    conf = h.write("every.conf", 'groups = [ "memory" ];')
    p = once("--every", "200ms", "-c", conf, *m.options(), "--", "sh", "-c",
             "for i in 1 2 3 4 5; do sleep 0.15; echo advance 20000000 >%s/control; done" % m.at)
    out, err = p.communicate(timeout=h.PATIENCE)
    assert p.returncode == 0, (p.returncode, err)
    lines = [json.loads(line) for line in out.splitlines()]
    accepts = schema.validator("snapshot")
    for line in lines:
        schema.accept(accepts, line, "--every")
    assert len(lines) >= 4, len(lines)
    for socket in 0, 1:
        totals = [value(line, CLOCK % socket) for line in lines]
        assert totals == sorted(totals) and len(set(totals)) >= 4, totals
        assert totals[-1] == m.truth()[(socket, 0x394)][0], (totals, m.truth())
    times = [line["elapsed_seconds"] for line in lines]
    assert times == sorted(times) and 0.2 <= times[0] < times[-1] and times[-1] >= 0.75, times
    assert m.register(0, CONTROL) == 0, "registers are back"


def test_once_ends_by_a_signal():
    """What is asked for by a signal is an end like another: the last values, 0, registers back."""
    m = h.Msrfs("--virtual")
    for sig in signal.SIGINT, signal.SIGTERM:
        p = once("--every", "1h", *m.options())
        h.wait_for("it counts", lambda: m.register(8, CONTROL) & 1)
        time.sleep(0.2)         # as long as the clock moves, or longer
        m.control("advance 20000000")
        p.send_signal(sig)
        out, err = p.communicate(timeout=h.PATIENCE)
        assert p.returncode == 0 and out.count("\n") == 1, (sig, p.returncode, err)
        assert value(json.loads(out), CLOCK % 1) > 0
        assert m.register(0, CONTROL) == 0, "registers are back"


def test_once_has_no_reader():
    """With a command, that is told to end; registers are back."""
    m = h.Msrfs("--virtual")
    for command in [], ["--", "sleep", "1000"]:
        p = once("--every", "50ms", *m.options(), *command)
        assert p.stdout.readline().startswith("{")
        p.stdout.close()
        began = time.monotonic()
        assert p.wait(h.PATIENCE) == -signal.SIGPIPE, (command, p.returncode, p.stderr.read())
        assert time.monotonic() - began < 10
        assert p.stderr.read().count("cannot be printed") == 0
        assert m.register(0, CONTROL) == 0, "registers are back"


h.main(sys.modules[__name__])
