# SPDX-License-Identifier: MIT
"""executed.py - what uncored executes is what uncorectl plan printed, register by register.

The lists of `uncorectl plan --json` are carried out here, on a register file that knows what the
transcript of a session on the register model read, and must come to the session's writes: the same
registers, the same values, in the same order. A write of a list may be missing in the transcript
only where it would have changed nothing.
"""
import json
import os
import re
import subprocess
import sys

HERE = os.path.join(os.environ.get("top_srcdir", "."), "tests", "golden", "conf")
BIN = os.environ.get("top_builddir", ".")
ALL = 2 ** 64 - 1
LINE = re.compile(r"socket 0: ([RW]) (\S+) (0x[0-9a-f]+)")

WINDOW = 'groups = ( { name = "w"; window = { event = "%s"; count = 1000; }; events = [ %s ]; } );'
CONFS = {   # name: configuration, processor, ticks, what must have been executed besides start
    "memory": (None, "nehalem-ex", 2, ["stop"]),
    "links": (None, "nehalem-ex", 2, ["stop"]),
    "filters": (None, "nehalem-ex", 2, ["stop"]),
    "turns": (None, "nehalem-ex", 5, ["stop"]),
    "windows": (None, "nehalem-ex", 3, ["between", "stop"]),
    "frozen reads": ('freeze = true; groups = ( { name = "f"; events = [ "bbox/IMT_INSERTS_ALL", '
                     '"ubox/U2R_REQUESTS", "sbox/TO_R_PROG_EV,match=0x80000000000" ]; } );',
                     "nehalem-ex", 2, ["freeze", "stop"]),
    "frozen reads, no global enable": (
        'freeze = true; groups = ( { name = "f"; events = [ "uncore/LLC_MISS:ANY", '
        '"uncore/CLK_UNHALTED" ]; } );', "westmere", 2, ["freeze", "stop"]),
    "windows in PCI space": (WINDOW
                             % ("r3qpi1/RXR_INSERTS:DRS", '"ubox/UCLK", "r3qpi/RXR_INSERTS:DRS"'),
                             "ivytown", 3, ["freeze", "between", "stop"]),
    "frozen reads in PCI space": (
        'freeze = true; groups = ( { name = "f"; events = [ "imc/CAS_COUNT:RD", '
        '"ha0/ADDR_OPC_MATCH:FILT,address=0x123456789c0,opc=0x2a" ]; } );',
        "ivytown", 2, ["freeze", "stop"]),
}


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def address(w):
    if w["space"] == "msr":
        return w["address"]
    return "%d:%d+%s" % (w["device"], w["function"], w["offset"])


class Session:
    """A transcript, section by section, and what its registers hold by it."""

    def __init__(self, text):
        self.sections, self.now, self.found = [], {}, {}
        for line in text.splitlines():
            if line.startswith("#"):
                self.sections.append((line[2:], []))
            else:
                m = LINE.match(line)
                assert m, "an access failed: " + line
                self.sections[-1][1].append((m[1], m[2], int(m[3], 16)))
        name, look = self.sections.pop(0)
        assert name == "look" and all(op == "R" for op, _, _ in look), "looking writes"
        for _, at, value in look:
            self.now[at] = self.found[at] = value

    def until_write(self, accesses):
        """The next write; what was read before it is known then."""
        while accesses:
            op, at, value = accesses.pop(0)
            if op == "W":
                return at, value
            self.now[at] = value
        return None

    def whole(self, w):
        """What a write of a list makes of its register."""
        at, mask = address(w), int(w.get("mask", "0xffffffffffffffff"), 16)
        value = int(w["value"], 16) if "value" in w else 0
        found = int(w["found"], 16) if "found" in w else 0 if "value" in w else mask
        now = 0 if is_acknowledge(w) else self.now.get(at, 0)
        return at, (now & ~mask & ALL) | value | (self.found.get(at, 0) & found)


def is_acknowledge(w):
    return "OVF" in w["register"] or "STATUS" in w["register"]


def carry_out(s, accesses, writes, optional):
    """The writes of a list, in their order, against the next ones of the transcript. optional: a
    register that holds the value, or what was found in it, may stay unwritten."""
    done = 0
    for w in writes:
        ahead = list(accesses)
        before = dict(s.now)
        got = s.until_write(ahead)
        at, value = s.whole(w)
        now = s.now.get(at)
        if got == (at, value):
            accesses[:] = ahead
            s.now[at] = value
            done += 1
            continue
        kept = (value, s.found.get(at)) if "found" not in w else (value,)
        assert optional and now in kept, "%s: %s should become 0x%x; written: %s" % (
            w["register"], at, value, got and "0x%x to %s" % (got[1], got[0]))
        s.now = before                  # it holds that already
    return done


def controls_off(r):
    """The local enables of the stop, which the start does first where they are on."""
    controls = {address(w) for w in r["writes"] if w["phase"] == "enable_counter"}
    return [w for w in r["stop"] if address(w) in controls]


def start(s, accesses, r):
    carry_out(s, accesses, r.get("acknowledge", []), False)
    carry_out(s, accesses, controls_off(r), True)
    carry_out(s, accesses, r["writes"], False)


def read(s, accesses, r):
    """A sample: which lists it executed."""
    done = []
    if "window" not in r:
        return ["freeze"] * bool(carry_out(s, accesses, r.get("freeze", []), False))
    if s.until_write(list(accesses)):   # it has ended
        if carry_out(s, accesses, r["freeze"], True):
            done.append("freeze")
        carry_out(s, accesses, r["between"], False)
        done.append("between")
    return done


def check(conf, processor, ticks, must, end):
    rounds = json.loads(run(os.path.join(BIN, "uncorectl"), "plan", "-c", conf, "-p", processor,
                            "--sockets", "1", "--json"))["sockets"][0]["rounds"]
    s = Session(run(os.path.join(BIN, "tests/golden/golden"), "trace", conf, processor, str(ticks),
                    end))
    now, done = 0, []
    for name, accesses in s.sections:
        r = rounds[now]
        if name == "start":
            start(s, accesses, r)
            done += read(s, accesses, r)
        elif name == "tick":
            done += read(s, accesses, r)
            if len(rounds) > 1:
                carry_out(s, accesses, r["stop"], True)
                now = (now + 1) % len(rounds)
                start(s, accesses, rounds[now])
                done += read(s, accesses, rounds[now])
        elif name == "stop" and end == "stop":
            if "window" not in r:
                done += read(s, accesses, r)
            elif s.until_write(list(accesses)) == s.whole(r["freeze"][0]):
                carry_out(s, accesses, r["freeze"], False)
            done += ["stop"] * bool(carry_out(s, accesses, r["stop"], True))
        elif name == "restore":
            assert carry_out(s, accesses, r["restore"], True)
        rest = s.until_write(accesses)
        assert not rest, "%s: 0x%x written to %s, which no list has" % (name, rest[1], rest[0])
    assert end == "crash" or not set(must) - set(done), "executed: %s" % sorted(set(done))


def main():
    bad = n = 0
    print("1..%d" % (2 * len(CONFS)))
    for name, (text, processor, ticks, must) in CONFS.items():
        conf = os.path.join(HERE, name + ".conf")
        if text:
            conf = "executed.%d.conf" % os.getpid()
            with open(conf, "w", encoding="ascii") as f:
                f.write(text)
        for end in ("stop", "crash"):
            n += 1
            try:
                check(conf, processor, ticks, must, end)
                print("ok %d - %s, %s" % (n, name, end))
            except AssertionError as e:
                print("not ok %d - %s, %s: %s" % (n, name, end, e))
                bad = 1
        if text:
            os.unlink(conf)
    return bad


sys.exit(main())
