# SPDX-License-Identifier: MIT
"""tampered.py - run directories and state files that somebody else could have made: nothing that
they say is written.

Addresses are those of the Xeon 7500 guide (323535-001): C-Box 0 counter 0 has its control at D10
and enable bit 22, C00 enables all counters. 1A0 is IA32_MISC_ENABLE, a register that no uncore
counter has. Registers are plain files here, 8 bytes at the register's number, so that whatever is
written shows.
"""
import os
import struct
import sys

import harness as h

RESTORE = ["--restore", "--processor", "nehalem-ex"]
START = ["--once", "--engine", "registers", "--processor", "nehalem-ex", "-c"]
PLAIN, CTL, BOX, GLOBAL, GATE, COUNT, CLEAR, SEEN = range(8)     # enum saved_kind
ALL = 2**64 - 1


def machine(name):
    """A directory that stands for /dev, with empty register files."""
    dev = h.path(name)
    cpus = [int(d[3:]) for d in os.listdir("/sys/devices/system/cpu") if d[3:].isdigit()]
    for cpu in cpus:
        os.makedirs("%s/cpu/%d" % (dev, cpu))
        with open("%s/cpu/%d/msr" % (dev, cpu), "wb") as f:
            f.truncate(0x2000)
    os.mkdir(dev + "/run", 0o755)
    return dev


def contents(dev):
    return {d: h.read_bytes("%s/cpu/%s/msr" % (dev, d)) for d in os.listdir(dev + "/cpu")}


def register(dev, address):
    with open(dev + "/cpu/0/msr", "rb") as f:
        f.seek(address)
        return int.from_bytes(f.read(8), "little")


def record(address, kind, found, mask, go=0, space=0, size=8):
    """One register of a state file; `check` is 0, so that any value is taken for one that uncored
    wrote."""
    return struct.pack("<7Q", address << 32 | size << 8 | space, kind, found, mask, 0, go, 0)


HONEST = record(0xc00, GLOBAL, 1 << 28, 1 << 28)


def state(dev, *records):
    """A whole state file in dev/run, as uncored writes it."""
    def text(s):
        return struct.pack("<Q", len(s)) + s.encode()
    boot = h.read("/proc/sys/kernel/random/boot_id").strip()
    rest = text(boot) + text(dev) + struct.pack("<QQ", 0, 1)              # no driver, one socket:
    rest += struct.pack("<QQQQ", 0, 1, 0, len(records)) + b"".join(records)  # number 0, one CPU: 0
    digest = 0xcbf29ce484222325
    for byte in rest:
        digest = (digest ^ byte) * 0x100000001b3 & ALL
    path = dev + "/run/uncored.state"
    with open(path, "wb") as f:
        f.write(b"uncored state 4\n" + struct.pack("<QQ", len(rest), digest) + rest)
    os.chmod(path, 0o600)
    return path


def refused(dev, options, *words, run=None):
    """Ends with 69 and a sentence, and not a byte of a register changes."""
    before = contents(dev)
    code, out, err = h.run(h.UNCORED, *options, "--path-dev", dev,
                           "--path-run", run or dev + "/run")
    assert code == 69 and not out, (code, out, err)
    assert all(w in err for w in words) and "restoring its" not in err, err
    assert contents(dev) == before


def start_refused(dev, *words, run=None):
    refused(dev,
            START +
            [h.write("tampered.conf",
                     'groups = ( { name = "a"; events = [ "cbox/LLC_HITS:ALL" ]; } );')], *words,
                     run=run)


def both(dev, *words, run=None):
    refused(dev, RESTORE, *words, run=run)
    start_refused(dev, *words, run=run)


def test_an_honest_file_is_believed():
    """That the others are refused for what they say, not for how they are written."""
    dev = machine("honest")
    path = state(dev, record(0xd10, CTL, 0x77, ALL), HONEST)
    code, _, err = h.run(h.UNCORED, *RESTORE, "--path-dev", dev, "--path-run", dev + "/run")
    assert code == 0 and "restoring its registers" in err, (code, err)
    assert register(dev, 0xd10) == 0x77 and register(dev, 0xc00) == 1 << 28
    assert not os.path.exists(path)


def test_registers_that_are_no_counters():
    dev = machine("forged")
    for address, *rest in ((0x1a0, GLOBAL, 0xdeadbeef, ALL), (0x1a0, BOX, 0xdeadbeef, ALL),
                           (0x1a0, CLEAR, 0, 0xdeadbeef),
                           (0x1a0, SEEN, 0, 0), (0xc00, GLOBAL, ALL, ALL),
                           (0xc00, GLOBAL, 0, 1 << 28, 1 << 40), (0xd00, BOX, ALL, ALL),
                           (0xd10, CTL, 0, ALL, 0, 0, 4), (0xd10, CTL, 0, ALL, 0, 1, 4),
                           (0xc02, CLEAR, 0, ALL)):
        for before in ((), (HONEST,)):
            path = state(dev, *before, record(address, *rest))
            both(dev, "uncored.state", "0x%x" % (address & 0xfff), "so it restored nothing")
            assert os.path.exists(path)         # for whoever looks into it
    # The processor decides: the same register file, taken for another one.
    state(dev, record(0xd10, CTL, 0, ALL))
    refused(dev, ["--restore", "--processor", "westmere"], "0xd10")


def test_files_that_others_may_write():
    dev = machine("files")
    path = state(dev, HONEST)
    for mode in (0o620, 0o602, 0o666):
        os.chmod(path, mode)
        both(dev, "uncored.state", "other users may write", "%o" % mode)
    os.chmod(path, 0o600)
    os.link(path, path + ".other")
    both(dev, "uncored.state", "must be a regular file without links")
    os.remove(path)
    os.rename(path + ".other", dev + "/elsewhere")
    os.symlink(dev + "/elsewhere", path)
    both(dev, "uncored.state", "cannot be opened")
    os.remove(path)
    if os.geteuid() == 0:
        os.chown(state(dev, HONEST), 1000, 1000)
        both(dev, "uncored.state", "belongs to user 1000")


def test_locks_that_others_may_write():
    dev = machine("locks")
    state(dev, HONEST)
    lock, precious = dev + "/run/uncored.lock", h.write("precious", "not a pid\n")
    os.symlink(precious, lock)
    both(dev, "uncored.lock")
    os.remove(lock)
    os.link(precious, lock)
    both(dev, "uncored.lock", "must be a regular file without links")
    os.remove(lock)
    assert h.read(precious) == "not a pid\n"
    with open(lock, "w"):
        pass
    os.chmod(lock, 0o666)
    both(dev, "uncored.lock", "other users may write")


def test_directories_that_others_may_write():
    dev = machine("directories")
    state(dev, HONEST)
    for mode in (0o777, 0o1777, 0o775, 0o757):
        os.chmod(dev + "/run", mode)
        both(dev, dev + "/run", "other users may write", "%o" % mode)
    os.chmod(dev + "/run", 0o755)
    for name in ("link", "link/"):
        if name == "link":
            os.symlink(dev + "/run", dev + "/link")
        both(dev, "link", run=dev + "/" + name)
    if os.geteuid() == 0:
        os.chown(dev + "/run", 1000, 1000)
        both(dev, dev + "/run", "belongs to user 1000")
    else:       # --restore finds no state file there, and so nothing to do
        start_refused(dev, "/usr/lib: belongs to user 0", run="/usr/lib")
    assert not os.path.exists(dev + "/run/uncored.lock")


h.main(sys.modules[__name__])
