# SPDX-License-Identifier: MIT
"""standin.py - plain files in the place of the msr device: uncored as it is shipped, on a made-up
Xeon 7500 whose registers cost a pread of a file in memory. wide_msr.so keeps neighbouring registers
apart. Counters move ten times a second: uncored flags a clock that stands still for 10 s.
"""
import json
import mmap
import os
import shutil
import struct
import tempfile
import threading

from common import HERE, h

REGISTERS = 0x2000
TICKS_MAX = 1 << 20
MOVES_EVERY = 0.1       # s
MOVES_BY = 1000         # events, far below what any counter can count in that time


class TickLog:
    """How late each tick on a stand-in is, ns, as wide_msr.so sees it: when the first register of
    the tick is read."""

    def __init__(self, stand, us):
        path = h.path("ticks")
        with open(path, "w+b") as f:
            f.truncate(4 * (1 + TICKS_MAX))
            self.map = mmap.mmap(f.fileno(), 0)
        self.env = {"WIDE_MSR_TICK": "%x,%d,%s" % (stand.registers[0], us, path)}

    def count(self):
        return struct.unpack_from("<I", self.map, 0)[0]

    def since(self, first):
        return list(struct.unpack_from("<%dI" % (self.count() - first), self.map, 4 * (1 + first)))


class Standin:
    """Files for a machine of `sockets` sockets with one CPU each; CPU number and socket number are
    the same."""

    def __init__(self, conf, sockets=1):
        self.at = tempfile.mkdtemp(prefix="uncored-standin-",
                                   dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
        h._cleanup.append(self.remove)
        self.conf, self.sockets, self.count = conf, sockets, 0
        self.maps, self.stop = [], threading.Event()
        self._tree()
        code, out, err = h.run(h.CTL, "plan", "-c", conf, "--processor", "nehalem-ex",
                               "--sockets", str(sockets), "--json")
        if code:
            raise AssertionError(err)
        rounds = json.loads(out)["sockets"][0]["rounds"]
        assert len(rounds) == 1, "the events do not fit into one round"
        self.registers = [int(s["data"], 16) for s in rounds[0]["slots"]]
        # which each check compares
        self.written = sorted({int(w["address"], 16) for w in rounds[0]["writes"]})
        self.mover = threading.Thread(target=self._move, daemon=True)
        self.mover.start()

    def _write(self, name, text):
        path = os.path.join(self.at, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)

    def _tree(self):
        for cpu in range(self.sockets):
            topology = "sys/devices/system/cpu/cpu%d/topology/" % cpu
            self._write(topology + "physical_package_id", "%d\n" % cpu)
            self._write(topology + "core_id", "0\n")
            self._write("dev/cpu/%d/msr" % cpu, "")
            with open(self.file(cpu), "r+b") as f:
                f.truncate(8 * REGISTERS)
                self.maps.append(mmap.mmap(f.fileno(), 0))
        self._write("sys/devices/system/cpu/online", "0-%d\n" % (self.sockets - 1))
        self._write("proc/cpuinfo", "".join("processor\t: %d\nvendor_id\t: GenuineIntel\n"
                                            "cpu family\t: 6\nmodel\t\t: 46\n"
                                            "stepping\t: 6\n\n"
                                            % cpu for cpu in range(self.sockets)))

    def _move(self):
        while not self.stop.wait(MOVES_EVERY):
            self.count += MOVES_BY
            for m in self.maps:
                for reg in self.registers:
                    struct.pack_into("<Q", m, 8 * reg, self.count)

    def file(self, cpu=0):
        return os.path.join(self.at, "dev/cpu/%d/msr" % cpu)

    def offsets(self):
        """Where the counters lie in the file."""
        return [8 * r for r in self.registers]

    def checked(self):
        """Where what each check compares lies."""
        return [8 * r for r in self.written]

    def start(self, *args, env=None, argv0=None):
        """uncored on it, without any slot that does not count."""
        self.run = tempfile.mkdtemp(dir=self.at, prefix="run-")
        u = h.Uncored("-c", self.conf, "--engine", "registers", "--path-dev", self.at + "/dev",
                      "--path-sysfs", self.at + "/sys",
                      "--path-procfs", self.at + "/proc", "--path-run", self.run, *args,
                      argv0=argv0,
                      env={"LD_PRELOAD": os.path.join(HERE, "wide_msr.so"), **(env or {})})
        bad = [k for k in u.metrics() if k.startswith("uncored_slot_invalid")]
        assert not bad, "slots that do not count: %s" % bad[:3]
        return u

    def remove(self):
        self.stop.set()
        self.mover.join()
        shutil.rmtree(self.at, ignore_errors=True)
