# SPDX-License-Identifier: MIT
"""kills.py - kill -9 at any moment of a life with reloads: what stays behind is put back by
`uncored --restore`, or by the next start.

UNCORED_TEST_LONG=1: 1,000 of them. UNCORED_TEST_SEED: the moments of an earlier run.
"""
import os
import random
import signal
import sys
import time

import harness as h

CONF = """interval = "20ms"; rotation = "20ms";
groups = (
  { name = "a"; events = [ "bbox/IMT_INSERTS_ALL", "wbox/CLOCKTICKS" ]; },
  { name = "b"; events = [ "bbox/IMT_INSERTS_RD", "cbox0/LLC_HITS:ALL" ]; }
);
"""
# Of these units: controls, counters' controls, boxes' and global enables.
WRITTEN = [0xc00, 0xc20, 0xc30, 0xc32, 0xc60, 0xc70, 0xc72, 0xc80, 0x395, 0xd00, 0xd10]
KILLS = 1000 if os.environ.get("UNCORED_TEST_LONG") else 20


def left(m):
    return {(cpu, hex(a)): hex(v) for cpu in (0, 8)
            for a, v in m.registers(cpu, WRITTEN).items() if v}


def recorded(lines, state):
    """Which of the calls of record.c are about the state file or registers: [(call, what)], where
    what is "temp", "state", "dir" or "register"."""
    found = []
    for line in lines.splitlines():
        call, _, at = line.partition(" ")
        what = ("state" if at == state else "dir" if at == os.path.dirname(state) else
                "register" if at.endswith("/msr") else
                "temp" if at.startswith(state) else "")
        if what and (call, what) not in found[-1:]:
            found.append((call, what))
    return found


def test_the_state_file_is_on_disk_before_a_register_is_written():
    """A power cut must find the original values on disk: written, synchronised, renamed, the
    directory synchronised; then the first write of a register. At a reload, too, for registers that
    are new."""
    if h.SANITIZED:
        h.skip("the sanitizers' library has to be the first that is preloaded")
    m = h.Msrfs("--virtual")
    options = m.options()
    state, lines = options[-1] + "/uncored.state", h.path("calls")
    c = h.write("order.conf", 'interval = "20ms"; groups = ( { name = "a"; events = [ '
                              '"bbox/IMT_INSERTS_ALL" ]; } );')
    u = h.Uncored("-c", c, *options, env={"RECORD": lines, "LD_PRELOAD": os.path.abspath(
        os.path.join(h.BUILD, "tests/e2e/record.so"))})
    saved = [("write", "temp"), ("fsync", "temp"), ("rename", "state"), ("fsync", "dir"),
             ("pwrite", "register")]
    calls = recorded(h.read(lines), state)
    assert calls[:5] == saved, calls
    before = len(h.read(lines))
    h.write("order.conf", CONF)
    u.p.send_signal(signal.SIGHUP)
    h.wait_for("the reload", lambda: "read again" in u.text())
    calls = [x for x in recorded(h.read(lines)[before:], state)]
    first = calls.index(saved[0])
    # what went on counting before the new values are saved writes only registers that are saved
    assert calls[first:first + 5] == saved, calls
    assert u.stop() == 0 and not os.path.exists(state), u.text()
    calls = recorded(h.read(lines), state)
    assert calls[-1] == ("unlink", "state") and calls[-2] == ("pwrite", "register"), calls[-4:]


def test_kills():
    seed = int(os.environ.get("UNCORED_TEST_SEED") or time.time())
    print("UNCORED_TEST_SEED=%d" % seed)
    rnd, changed = random.Random(seed), 0
    m = h.Msrfs("--virtual")
    options, c = m.options(), h.write("kills.conf", CONF)
    state = options[-1] + "/uncored.state"
    for n in range(KILLS):
        u = h.Uncored("-c", c, *options, ready=False)
        if n % 2:                               # however long the start takes
            u.serving()
        end = time.monotonic() + rnd.uniform(0, 0.4)
        while time.monotonic() < end:
            time.sleep(rnd.uniform(0, 0.1))
            if "serving" in u.text() and rnd.random() < 0.3:
                u.p.send_signal(signal.SIGHUP)
        u.p.kill()
        u.p.wait()
        assert u.p.returncode == -9, (n, u.text())
        changed += bool(left(m))
        assert os.path.exists(state) or not left(m), (n, "nobody knows", left(m))
        if rnd.random() < 0.5:                  # else the next start does it
            code, _, err = h.run(h.UNCORED, "--restore", *options)
            assert code == 0 and not left(m) and not os.path.exists(state), (n, code, err, left(m))
    u = h.Uncored("-c", c, *options)
    assert u.stop() == 0 and not left(m) and not os.path.exists(state), (u.text(), left(m))
    assert changed > KILLS / 4, "only %d kills came while registers were changed" % changed
    print("%d kills, %d of them while registers were changed" % (KILLS, changed))


h.main(sys.modules[__name__])
