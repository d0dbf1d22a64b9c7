# SPDX-License-Identifier: MIT
"""made_machine.py - a made-up machine: a tree of the files that doctor reads, as the kernel writes
them, 2 sockets of 2 cores; and what doctor finds there.
"""
import ctypes
import functools
import json
import os
import struct

import harness as h

XEON_7500 = ("GenuineIntel", 6, 46, "Intel(R) Xeon(R) CPU X7560 @ 2.27GHz")
XEON_5500 = ("GenuineIntel", 6, 26, "Intel(R) Xeon(R) CPU X5570 @ 2.93GHz")
XEON_E5_V2 = ("GenuineIntel", 6, 62, "Intel(R) Xeon(R) CPU E5-2697 v2 @ 2.70GHz")
SKYLAKE_X = ("GenuineIntel", 6, 85, "Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz")
EPYC = ("AuthenticAMD", 25, 1, "AMD EPYC 7543 32-Core Processor")
ALL_CAPS, PERFMON = (1 << 41) - 1, 1 << 38


class Machine:
    count = 0

    def __init__(self, processor, flags="fpu vme", caps=ALL_CAPS):
        Machine.count += 1
        self.at = h.path("machine-%d" % Machine.count)
        vendor, family, model, name = processor
        self.put("proc/cpuinfo", "".join(
            "processor\t: %d\nvendor_id\t: %s\ncpu family\t: %d\nmodel\t\t: %d\nmodel name\t: %s\n"
            "stepping\t: 4\nflags\t\t: %s\n\n"
            % (cpu, vendor, family, model, name, flags) for cpu in range(4)))
        self.put("proc/self/status", "Name:\tuncorectl\nCapEff:\t%016x\n" % caps)
        self.put("proc/1/comm", "systemd\n")
        os.makedirs(self.path("proc/1/fd"))
        for name, value in (("tainted", 0), ("perf_event_paranoid", 2), ("nmi_watchdog", 1)):
            self.put("proc/sys/kernel/" + name, "%d\n" % value)
        self.put("sys/devices/system/cpu/online", "0-3\n")
        for cpu in range(4):
            at = "sys/devices/system/cpu/cpu%d/topology/" % cpu
            self.put(at + "physical_package_id", "%d\n" % (cpu // 2))
            self.put(at + "core_id", "%d\n" % (cpu % 2))
        self.pmu("msr", 12, None, tsc="event=0x00")
        # no groups: the ready-made ones, whatever /etc of this machine has
        self.put("good.conf", "# defaults\n")
        os.makedirs(self.path("dev"))

    def path(self, name):
        return os.path.join(self.at, name)

    def put(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w") as f:
            f.write(text)

    def device(self, lockdown="none", allow_writes="default"):
        for cpu in range(4):
            self.put("dev/cpu/%d/msr" % cpu, "")
        self.put("sys/module/msr/parameters/allow_writes", allow_writes + "\n")
        self.put("sys/kernel/security/lockdown", " ".join(
            "[%s]" % w if w == lockdown else
            w for w in ("none", "integrity", "confidentiality")) + "\n")

    def function(self, name, device_id, words=(), size=256):
        """A PCI function: its configuration space, of which the kernel shows 64 bytes to whoever
        lacks the privilege."""
        space = bytearray(size)
        for at, value in ((0, 0x8086 | device_id << 16), *words):
            if at < size:
                space[at:at + 4] = value.to_bytes(4, "little")
        self.put("sys/bus/pci/devices/%s/config" % name, "")
        with open(self.path("sys/bus/pci/devices/%s/config" % name), "wb") as f:
            f.write(space)

    def pmu(self, name, number, cpumask, **events):
        at = "sys/bus/event_source/devices/%s/" % name
        self.put(at + "type", "%d\n" % number)
        self.put(at + "format/event", "config:0-7\n")
        self.put(at + "format/umask", "config:8-15\n")
        if cpumask is not None:
            self.put(at + "cpumask", cpumask + "\n")
        for event, terms in events.items():
            self.put(at + "events/" + event, terms + "\n")

    def process(self, pid, name, perf_fds=0):
        self.put("proc/%d/comm" % pid, name + "\n")
        os.makedirs(self.path("proc/%d/fd" % pid))
        for fd in range(perf_fds):
            os.symlink("anon_inode:[perf_event]", self.path("proc/%d/fd/%d" % (pid, fd)))

    def options(self):
        return ["--path-sysfs", self.path("sys"), "--path-procfs", self.path("proc"),
                "--path-dev", self.path("dev"),
                "--path-run", self.path("run")]

    def drop_in(self, name, text):
        self.put("systemd/system/uncored.service.d/" + name, text)

    def doctor(self, code, config="good.conf"):
        """The answer in JSON; the text must have the same findings and exit code. Where this
        process may not count, that comes to what a machine has."""
        args = [h.CTL, "doctor", "-c", self.path(config), *self.options(),
                "--path-systemd", self.path("systemd")]
        got, out, err = h.run(*args, "--json")
        j = json.loads(out)
        if code == 0 and j["engine"]["engine"] == "perf" and not may_count():
            code = 69
            one(j, "perf", "problem")
        assert got == code and err == "", (got, out, err)
        assert j["counts"] == (code == 0), j
        got, text, err = h.run(*args)
        assert got == code and err == "", (got, text, err)
        flat = " ".join(text.split())
        marks = [line.split()[0] for line in text.splitlines() if line[:1] not in ("", " ")][1:]
        assert marks == sorted(marks, key=("STOP", "unseen", "note", "ok").index), \
            ("what matters comes first", text)
        for f in j["findings"]:
            assert " ".join(f["text"].split()) in flat, (f, text)
            assert (not f["todo"] or " ".join(f["todo"].split()) in flat), (f, text)
        assert flat.startswith("uncored would count here"
                               if code == 0 else "uncored would count nothing here: "), text
        assert code == 0 or j["why_not"] in flat, text
        return j


@functools.lru_cache()
def may_count():
    """May this process open events of whole CPUs, says the kernel?"""
    attr = struct.pack("IIQ48xQ40x", 1, 112, 0, 0)      # type software, size, config cpu-clock
    number = 298 if os.uname().machine == "x86_64" else 241
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.syscall(number, attr, -1, min(os.sched_getaffinity(0)), -1, 0)
    if fd >= 0:
        os.close(fd)
    return fd >= 0


def findings(j, topic, level=None):
    return [f for f in j["findings"] if f["topic"] == topic and level in (None, f["level"])]


def one(j, topic, level, words="", todo=""):
    found = findings(j, topic)
    assert len(found) == 1 and found[0]["level"] == level, (topic, found)
    assert words in found[0]["text"] and todo in (found[0]["todo"] or ""), found
    return found[0]


def problems(j):
    return sorted({f["topic"] for f in j["findings"] if f["level"] == "problem"})
