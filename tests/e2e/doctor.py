# SPDX-License-Identifier: MIT
"""doctor.py - uncorectl doctor on made-up machines and on this one.

A made-up machine is a tree of the files that doctor reads, as the kernel writes them: 2 sockets of
2 cores.
"""
import ctypes
import functools
import json
import os
import re
import shutil
import struct
import sys
import threading
import time

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


def test_good_nehalem_ex():
    m = Machine(XEON_7500)
    m.device()
    j = m.doctor(0)
    assert j["engine"] == {"engine": "registers", "auto": "registers",
                           "why": "nehalem-ex: registers through %s/cpu/N/msr"
                           % m.path("dev")}, j["engine"]
    assert j["processor"]["name"] == "nehalem-ex", j["processor"]
    assert j["processor"]["model_name"] == XEON_7500[3], j["processor"]
    assert j["sockets"] == [{"socket": 0, "cpus": 2, "reader": 0},
                            {"socket": 1, "cpus": 2, "reader": 2}], j["sockets"]
    assert problems(j) == [] and j["device"] is None and j["configuration"]["series"] > 0, j
    assert j["kernel"]["lockdown"] == "none", j["kernel"]
    assert j["kernel"]["msr_allow_writes"] == "default", j["kernel"]
    one(j, "msr device", "ok", "opened for writing")
    one(j, "kernel taint", "note", "the first register write sets it")
    one(j, "kernel driver", "ok", "is not in use")
    one(j, "other users", "ok", "none found")
    assert not findings(j, "NMI watchdog") and not findings(j, "virtual"), j["findings"]


def test_the_daemon_says_the_same():
    """The sentence of doctor is the one that uncored logs; here both find no msr device."""
    m = Machine(XEON_7500)
    j = m.doctor(69)
    code, out, err = h.run(h.UNCORED, "--once", "-c", m.path("good.conf"), *m.options())
    assert code == 75 and out == "" and j["engine"]["why"] in err, (code, err, j["engine"])


def test_plan_and_the_daemon_choose_alike():
    """One rule of the engine: a box event is planned by both or, where the kernel counts, refused
    by both in the same words."""
    def machine(processor, device=True, flags="fpu vme", lockdown="none"):
        m = Machine(processor, flags)
        if device:
            m.device(lockdown)
        m.put("box.conf", 'groups = ( { name = "b"; events = [ "bbox/IMT_FULL" ]; } );\n')
        m.put("registers.conf", 'engine = "registers";\n')
        m.put("perf.conf", 'engine = "perf";\n')
        return m

    driver = machine(XEON_7500)
    driver.pmu("uncore_cbox_0", 20, "0,2", clockticks="event=0x00")
    reach = "cannot access the registers of nehalem-ex ("
    rows = (("usable", machine(XEON_7500), (), True,
             None), ("driver bound", driver, (), False,
                     "the kernel's driver owns the counters (uncore_cbox_0)"),
            ("no device", machine(XEON_7500, device=False), (), False, reach),
            ("lockdown", machine(XEON_7500, lockdown="integrity"), (), False, reach),
            ("virtual machine", machine(XEON_7500, device=False, flags="fpu hypervisor"), (),
             False, reach),
            ("unknown processor", machine(SKYLAKE_X), (), False, None),
            ("--processor", machine(SKYLAKE_X, device=False),
             ("--processor", "nehalem-ex"), True, None),
            ("--processor, driver bound", driver, ("--processor", "nehalem-ex"), True, None))
    for name, m, more, registers, why in rows:
        def both(config):
            daemon, plan = ((p, h.run(*p, "-c", m.path(config), *m.options(), *more))
                            for p in ((h.UNCORED, "--check-config"), (h.CTL, "plan")))
            said = [[line.split(": ", 1)[1] for line in r[2].splitlines()]
                    for _, r in (daemon, plan)]
            if "uncored would count nothing here: " in plan[1][2]:
                assert plan[1][0] == 69 and config != "box.conf", (name, config, plan)
                return daemon[1][0]     # the file itself is right
            assert daemon[1][0] == plan[1][0] and said[0] == said[1], (name, config, daemon, plan)
            return daemon[1][0]

        assert both("box.conf") == (0 if registers else 78), name
        assert both("registers.conf") == (69 if name == "unknown processor" else 0), name
        assert both("good.conf") == 0 and both("perf.conf") == 0, name
        code, out, err = h.run(h.CTL, "plan", "--json", "-c", m.path("good.conf"),
                               *m.options(), *more)
        if code == 69:
            assert not registers and not out and (why or "no group") in err, (name, out, err)
            continue
        j = json.loads(out)
        assert code == 0 and err == "", (name, j)
        assert any(r["writes"] for s in j["sockets"] for r in s["rounds"]) == registers, (name, j)
        notes = [n for n in j["notes"] if "counting through the kernel" in n]
        _, text, _ = h.run(h.CTL, "plan", "-c", m.path("good.conf"), *m.options(), *more)
        assert (len(notes) == 1 and notes[0].startswith(why) if why else not notes), (name, notes)
        assert [n[6:] for n in text.splitlines()
                if n.startswith("note: ") and "counting through" in n] == notes, (name, text)
        if not more:
            engine = json.loads(h.run(h.CTL, "doctor", "--json", "-c", m.path("good.conf"),
                                      *m.options())[1])["engine"]
            assert engine["engine"] == ("registers" if registers else "perf"), (name, engine)
            assert notes in ([], [engine["why"]]), (name, engine)


def test_missing_module():
    m = Machine(XEON_7500)
    j = m.doctor(69)
    assert j["engine"]["engine"] == "perf", j["engine"]
    assert "msr module is not loaded" in j["engine"]["why"], j["engine"]
    assert "msr module is not loaded" in j["why_not"], \
        ("the first line says what is to be mended, not what is lacking because of it", j)
    one(j, "msr device", "problem", "the msr module is not loaded", "modprobe msr")
    assert j["kernel"]["msr_module"] is False and j["kernel"]["lockdown"] is None, j["kernel"]
    m.put("sys/module/msr/parameters/allow_writes", "default\n")
    one(m.doctor(69), "msr device", "problem", "though the msr module is loaded", "udevadm")
    m.put("registers.conf", 'engine = "registers";\n')
    j = m.doctor(69, "registers.conf")
    assert j["engine"]["engine"] == "registers" and "msr" in j["why_not"], j["why_not"]


def test_the_kernels_driver_beside_uncored():
    """Loaded after uncored began to count with registers, whose lock only that engine takes."""
    m = Machine(XEON_7500)
    m.device()
    m.pmu("uncore_cbox_0", 20, "0,2", llc_hits="event=0x15")
    one(m.doctor(0), "kernel driver", "note", "(uncore_cbox_0 ...) and may program", "modprobe -r")
    m.process(4711, "uncored")
    m.put("run/uncored.lock", "4711\n")
    one(m.doctor(0), "kernel driver", "problem",
        "(uncore_cbox_0 ...) while uncored (process 4711) counts", "modprobe -r")


def test_a_drop_in_that_keeps_others_away():
    """As installed, under whatever name; an address of this machine alone is no contradiction, nor
    is what systemd listens on."""
    def packaged(name):
        with open(os.path.join(h.SRC, "systemd", name)) as f:
            return f.read()
    m = Machine(XEON_7500)
    m.device()
    m.put("others.conf", 'listen = [ "127.0.0.1:10062", "[::1]:1", "unix:/run/x", '
          '"10.1.2.3:10062", "*:80", ":81", "0.0.0.0:82", "[::]:83" ];\n')
    m.put("here.conf", 'listen = [ "127.0.0.2:10062", "[::1]:1", "unix:/run/x" ];\n')
    assert not findings(m.doctor(0, "others.conf"), "listen")
    m.drop_in("bound.conf", packaged("bound.conf"))
    assert not findings(m.doctor(0, "others.conf"), "listen")
    m.drop_in("zz.conf", packaged("loopback.conf"))
    assert not findings(m.doctor(0, "here.conf"), "listen")
    assert not findings(m.doctor(0), "listen")
    found = findings(m.doctor(0, "others.conf"), "listen")
    said = ["no other machine reaches %s: %s drops its packets (IPAddressDeny=any)"
            % (a, m.path("systemd/system/uncored.service.d/zz.conf"))
            for a in ("10.1.2.3:10062", "*:80", ":81", "0.0.0.0:82", "[::]:83")]
    assert [f["text"] for f in found] == said, found
    assert all(f["level"] == "note" and "systemctl daemon-reload" in f["todo"] for f in found)
    m.drop_in("us.conf", "[Service]\nIPAddressAllow=10.0.0.0/8\n")
    assert not findings(m.doctor(0, "others.conf"), "listen")
    os.remove(m.path("systemd/system/uncored.service.d/us.conf"))
    m.drop_in("a.conf", packaged("socket.conf"))
    assert not findings(m.doctor(0, "others.conf"), "listen")


def test_lockdown():
    m = Machine(XEON_7500)
    m.device(lockdown="integrity")
    j = m.doctor(69)
    one(j, "lockdown", "problem", "integrity", "Secure Boot")
    assert "lockdown (integrity)" in j["device"] and "lockdown" in j["engine"]["why"], j
    m.device(allow_writes="off")
    j = m.doctor(69)
    one(j, "lockdown", "ok", "none")
    one(j, "allow_writes", "problem", "off", "msr.allow_writes=on")


def functions():
    """{"10.4": 0xeb4, ...}: device.function and id of 329468-002, where uncore counters are."""
    with open(os.path.join(h.SRC, "tests/catalog/ivytown_registers.tsv")) as f:
        rows = [line.split("\t") for line in f if "\tpci\t" in line]
    return {"%02x.%x" % (int(r[6]), int(r[7])): int(r[8], 16) for r in rows if r[8] != "-"}


def ivytown(size=256, lacking=(), anchors=(0, 1)):
    """Bus 3f is of socket 0, bus 7f of socket 1; the UBox 8086:0e1e says so (Linux
    uncore_snbep.c)."""
    m = Machine(XEON_E5_V2)
    m.device()
    for socket, bus in ((0, "3f"), (1, "7f")):
        if socket in anchors:
            m.function("0000:%s:0b.0" % bus, 0xe1e, ((0x40, socket), (0x54, 1 << 3)), size)
        for at, device_id in functions().items():
            if (socket, at) not in lacking:
                m.function("0000:%s:%s" % (bus, at), device_id, (), size)
    m.put("imc.conf",
          'groups = ( { name = "m"; events = [ "imc/CAS_COUNT:RD", "ubox/UCLK" ]; } );\n')
    return m


def test_pci_registers():
    j = ivytown().doctor(0, "imc.conf")
    n = j["pci"]["functions"]
    assert j["engine"]["engine"] == "registers" and problems(j) == [] and n >= 2 * 17, j
    one(j, "PCI registers", "ok", "%d functions can be opened for writing" % n)
    assert j["pci"] == {"why_not": None, "functions": n,
                        "sockets": [{"socket": 0, "hidden": []},
                                    {"socket": 1, "hidden": []}]}, j["pci"]
    m = Machine(XEON_7500)
    m.device()
    j = m.doctor(0)
    assert j["pci"] is None and not findings(j, "PCI registers"), j["pci"]


def clock(m):
    return one(m.doctor(0), "uncore clock", "ok")["text"]


def test_clock_ratio_beside_what_is_measured():
    """SDM 3B 18.17.2: the ratio stands at offset C0H of PCI 0:0; the fixed counter, MSR 394H,
    counts the clock."""
    m = Machine(XEON_5500)
    m.device()
    assert "not found" in clock(m) and "socket 0 unreadable" in clock(m)
    bridge, network = ((8, 0x06000005), (0xc0, 0x14)), ((8, 0x02000001), (0xc0, 0x99))
    m.function("0000:00:00.0", 0x3406, bridge)  # the board's host bridge is no part of the uncore
    m.function("0000:01:00.0", 0x10c9, network)
    m.function("0000:ff:00.0", 0x2c40, bridge)
    for cpu in range(4):
        m.put("dev/cpu/%d/msr" % cpu, "\0" * 0x1000)
    text = clock(m)
    assert "(PCI 0:0+0xc0): 0000:ff:00.0 0x14;" in text and "socket 1 not running" in text, text
    m.function("0000:ff:00.0", 0x2c40, bridge, 64)      # without the privilege
    assert "0000:ff:00.0 unreadable (root and CAP_SYS_ADMIN" in clock(m)
    # a counter that runs at 2.4 GHz, past its 48 bits
    stop = threading.Event()

    def run():
        with open(m.path("dev/cpu/2/msr"), "r+b", buffering=0) as f:
            while not stop.is_set():
                os.pwrite(f.fileno(),
                          ((int(time.monotonic() * 2.4e9) + (1 << 48) -
                            (1 << 20)) & ((1 << 48) - 1)).to_bytes(8, "little"), 0x394)
                time.sleep(0.0005)
    runner = threading.Thread(target=run)
    runner.start()
    said = []
    try:    # one look at a time, no two are the same; and whoever plays the counter may be held up
        while not said or (not re.search(r"socket 1 2\.[0-7]\d GHz", said[-1]) and len(said) < 20):
            j = json.loads(h.run(h.CTL, "doctor", "-c", m.path("good.conf"),
                                 *m.options(), "--json")[1])
            said.append(one(j, "uncore clock", "ok")["text"])
    finally:
        stop.set()
        runner.join()
    assert "socket 0 not running" in said[-1] and len(said) < 20, said
    m = Machine(XEON_7500)
    m.device()
    assert not findings(m.doctor(0), "uncore clock")


def test_pci_hidden_by_the_firmware():
    m = ivytown(lacking={(1, "10.5"), (1, "1e.0")})
    j = m.doctor(0, "imc.conf")
    n = j["pci"]["functions"]
    assert [f["level"] for f in findings(j, "PCI registers")] == ["ok", "note"], j["findings"]
    assert problems(j) == [], j["findings"]
    text = findings(j, "PCI registers", "note")[0]["text"]
    assert "socket 1 has no 16:5 (8086:0eb5), 30:0 (8086:0ef0) (hidden" in text, text
    assert "reason hidden" in text, text
    assert j["pci"]["sockets"] == [{"socket": 0, "hidden": []},
                                   {"socket": 1,
                                    "hidden": ["16:5 (8086:0eb5)", "30:0 (8086:0ef0)"]}], j["pci"]
    # another device in its place is not the one that is wanted
    m.function("0000:7f:10.5", 0xdead)
    assert m.doctor(0, "imc.conf")["pci"]["functions"] == n
    j = ivytown(anchors=()).doctor(0, "imc.conf")
    note = findings(j, "PCI registers", "note")
    assert len(note) == 1 and "8086:0e1e" in note[0]["text"], j["findings"]
    assert "firmware" in note[0]["todo"], j["findings"]
    assert j["pci"]["functions"] == 0 and "8086:0e1e" in j["pci"]["why_not"], j["pci"]


def test_pci_without_the_privilege():
    m = ivytown(size=64)
    j = m.doctor(69, "imc.conf")
    one(j, "PCI registers", "problem", "config", "ivytown.conf")
    assert "CAP_SYS_ADMIN" in j["why_not"] and j["pci"]["why_not"] == j["why_not"], j["why_not"]
    assert j["device"] is None, j["why_not"]
    code, out, err = h.run(h.UNCORED, "--once", "-c", m.path("imc.conf"),
                           "--engine", "registers", *m.options())
    # the daemon says the same
    assert code == 77 and out == "" and j["why_not"] in err, (code, err, j["why_not"])
    # the anchors can be read, a channel cannot be written
    m = ivytown()
    m.function("0000:7f:1e.1", 0xef1, (), 64)
    j = m.doctor(69, "imc.conf")
    assert "0000:7f:1e.1/config" in j["why_not"] and problems(j) == ["PCI registers"], j["why_not"]
    # under lockdown that is the reason, and to be root is no help
    m = ivytown()
    m.device(lockdown="integrity")
    m.put("registers.conf",
          'engine = "registers";\ngroups = ( { name = "m"; events = [ "imc/CAS_COUNT:RD" ]; } );\n')
    j = m.doctor(69, "registers.conf")
    assert "lockdown" in j["why_not"], j["why_not"]
    assert one(j, "lockdown", "problem", "integrity", "Secure Boot"), j["why_not"]


def test_pci_of_the_model():
    """The register model as files: what doctor says is there is what the daemon counts with."""
    m = h.Msrfs("--virtual", "--processor", "ivytown")
    c = h.write("imc.conf", 'groups = ( { name = "m"; events = [ "imc/CAS_COUNT:RD" ]; } );\n')
    m.control("fault hidden 0 16:5 on")
    code, out, err = h.run(h.CTL, "doctor", "--json", "-c", c, *m.options())
    j = json.loads(out)
    assert err == "" and j["pci"]["sockets"] == [{"socket": 0, "hidden": ["16:5 (8086:0eb5)"]},
                                                 {"socket": 1, "hidden": []}], j["pci"]
    u = h.Uncored("-c", c, *m.options())
    (line,) = [x for x in u.text().splitlines() if "reason hidden" in x]
    assert "socket 0" in line and line.endswith(": 16:5 (8086:0eb5)"), line
    assert u.stop() == 0


def test_kernel_driver_bound():
    m = Machine(XEON_7500)
    m.device()
    for unit in range(2):
        m.pmu("uncore_cbox_%d" % unit, 20 + unit, "0,2", clockticks="event=0x00")
    j = m.doctor(0)
    assert j["engine"]["engine"] == "perf" and "uncore_cbox_0" in j["engine"]["why"], j["engine"]
    one(j, "kernel driver", "note", "uncore_cbox_0", "modprobe -r intel-uncore")
    one(j, "not counted", "note", "nehalem-ex")
    box = [p for p in j["pmus"] if p["box"] == "cbox"]
    assert box == [{"box": "cbox", "first": "uncore_cbox_0", "instances": 2, "uncore": True,
                    "events": 1, "cpumask": [0, 2],
                    "odd_files": 0}], j["pmus"]
    assert problems(j) == [], j["findings"]


def test_unknown_processor_with_uncore_pmus():
    m = Machine(SKYLAKE_X)
    for channel in range(6):
        m.pmu("uncore_imc_%d" % channel, 30 + channel, "0,2",
              cas_count_read="event=0x04,umask=0x03")
    m.pmu("uncore_odd", 40, "0-", x="event=0x01")
    m.put("sys/bus/event_source/devices/uncore_imc_3/events/garbled", "event=\x01\n")
    j = m.doctor(0)
    assert j["engine"]["engine"] == "perf", j["engine"]
    assert j["engine"]["why"].startswith("Skylake-SP: counting through the kernel"), j["engine"]
    assert j["processor"]["name"] == "skx" and j["configuration"]["series"] > 0, j
    one(j, "uncore PMU", "ok", "imc: 6 instances, CPU 0,2, 1 named event")
    odd = [f["text"] for f in findings(j, "odd PMU", "note")]
    assert len(odd) == 2 and "uncore_odd is left out: " in odd[0], odd
    assert "uncore_odd/cpumask" in odd[0], odd
    assert "uncore_imc_3: 1 file" in odd[1] and "events/garbled" in odd[1], odd
    one(j, "msr device", "ok", "not needed")
    one(j, "lockdown", "ok")


def test_permission():
    """What a file says of permissions decides nothing: an event is opened. Real ones:
    tests/vm/permissions.py."""
    m = Machine(SKYLAKE_X, caps=0)
    m.pmu("uncore_imc_0", 30, "0,2", cas_count_read="event=0x04,umask=0x03")
    for caps, paranoid in ((PERFMON, 2), (PERFMON, 3), (0, 0), (0, 1), (0, 4), (ALL_CAPS, 4)):
        m.put("proc/self/status", "Name:\tx\nCapEff:\t%016x\n" % caps)
        m.put("proc/sys/kernel/perf_event_paranoid", "%d\n" % paranoid)
        j = m.doctor(0)
        assert j["privileges"]["perf_allowed"] == may_count(), (caps, paranoid, j["privileges"])
        assert j["kernel"]["perf_event_paranoid"] == paranoid, j["kernel"]
        if may_count():
            one(j, "perf", "ok", "tried with perf/software/cpu-clock/ on CPU")
        if not caps:
            one(j, "privileges", "note", "none of CAP_SYS_ADMIN", "sudo")
    os.unlink(m.path("proc/sys/kernel/perf_event_paranoid"))
    assert m.doctor(0)["privileges"]["perf_allowed"] == may_count()


def countable():
    """A machine whose uncore PMU is the kernel's software PMU, so that its events really count."""
    m = Machine(SKYLAKE_X)
    m.put("sys/devices/system/cpu/online", "0\n")
    m.pmu("uncore_imc_0", 1, "0", cas_count_read="event=0x0", cas_count_write="event=0x0")
    m.put("m.conf", 'interval = "100ms";\ngroups = ( { name = "m"; '
          'events = [ "perf/uncore_imc/cas_count_read/" ]; } );\n')
    return m


def test_doctor_says_what_uncored_does():
    """As root and as a user without capabilities, with one, and under a filter."""
    m = countable()
    if os.getuid() != 0 or not may_count():
        h.skip("not root, or perf may not count here")
    for at in (m.at, os.path.dirname(m.at), os.path.dirname(os.path.dirname(m.at))):
        os.chmod(at, 0o755)
    as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    if h.run(*as_nobody, h.CTL, "--version")[0]:
        h.skip("user nobody cannot run " + h.CTL)
    perf_event_open, eperm = 298, 1             # of x86-64
    one_cap = ["--inh-caps=-all,+perfmon", "--ambient-caps=-all,+perfmon"]
    for who in ([], as_nobody, [*as_nobody, *one_cap]):
        for before in (None, h.deny(perf_event_open, eperm)):
            end = ["-c", m.path("m.conf"), "--path-sysfs", m.path("sys"), "--path-run",
                   m.path("run")]
            code, _, err = h.run(*who, h.UNCORED, "--once", "--engine", "perf", *end,
                                 before=before)
            said, out, _ = h.run(*who, h.CTL, "doctor", "--json", *end, before=before)
            j = json.loads(out)
            assert (code, said) in ((0, 0), (77, 69)), (who, before, code, err, said, out)
            assert j["privileges"]["perf_allowed"] == (code == 0), (who, j["privileges"])
            if code:
                assert j["why_not"] in err, (err, j["why_not"])
                text = one(j, "perf", "problem")
                assert ("a seccomp filter" in text["text"]) == bool(before), text
                assert before is None or "paranoid" not in json.dumps(text), text
            else:
                one(j, "perf", "ok", "tried with perf/uncore_imc_0/cas_count_read/ on CPU 0")
            assert not before or code == 77, (who, code, err)


def test_a_file_that_lies():
    """The sysctl's file shows another level than the kernel has: nothing changes."""
    m = countable()
    if os.getuid() != 0 or not shutil.which("unshare") or not may_count():
        h.skip("not root, or unshare (util-linux) is missing, or perf may not count here")
    end = [h.CTL, "doctor", "--json", "-c", m.path("m.conf"), "--path-sysfs", m.path("sys")]
    cap = "--inh-caps=-all,+perfmon --ambient-caps=-all,+perfmon"
    for at in (m.at, os.path.dirname(m.at), os.path.dirname(os.path.dirname(m.at))):
        os.chmod(at, 0o755)
    for who in ("", "setpriv --reuid=65534 --regid=65534 --clear-groups " + cap):
        truth = h.run("sh", "-c", who + " \"$@\"", "sh", *end)[:2]
        for lie in (-1, 2, 4):
            script = ("mount --bind %s /proc/sys/kernel/perf_event_paranoid && exec %s \"$@\""
                      % (h.write("lie", "%d\n" % lie), who))
            code, out, err = h.run("unshare", "-m", "sh", "-c", script, "sh", *end)
            if "mount:" in err or "unshare:" in err:
                h.skip("no mount namespace here: " + err)
            assert code == truth[0], (who, lie, code, out, err)
            now, before = (json.loads(o)["privileges"]["perf_allowed"] for o in (out, truth[1]))
            assert now == before, (who, lie)


def test_virtual_machine_with_nothing():
    m = Machine(EPYC, flags="fpu hypervisor lahf_lm")
    j = m.doctor(69)
    one(j, "virtual", "note", "virtual machine")
    one(j, "uncore PMU", "problem", "none", "on the host")
    one(j, "other PMUs", "ok", "msr")
    assert problems(j) == ["uncore PMU"], j["findings"]
    m.put("tsc.conf", 'groups = ( { name = "t"; events = [ "perf/msr/tsc/" ]; } );\n')
    j = m.doctor(0, "tsc.conf")
    assert problems(j) == [] and "t: 2 events" in one(j, "groups", "ok")["text"], j["findings"]


def test_configuration():
    m = Machine(XEON_7500)
    m.device()
    m.put("bad.conf", 'groups = ( { name = "g"; events = [ "bbox/NO", "cbox/NEITHER" ]; } );\n')
    j = m.doctor(69, "bad.conf")
    assert len(j["configuration"]["mistakes"]) == 2, j["configuration"]
    assert "bad.conf:1" in j["configuration"]["mistakes"][0], j["configuration"]
    one(j, "configuration", "problem", "2 mistakes",
        "uncored --check-config -c " + m.path("bad.conf"))
    one(m.doctor(69, "absent.conf"), "configuration", "problem", "absent.conf")
    m.put("model.conf", 'engine = "model:nehalem-ex";\n')
    j = m.doctor(69, "model.conf")
    assert "selects a model" in j["why_not"], j
    one(j, "engine", "problem", "registers")
    one(j, "model", "note", "SIMULATED hardware: register model of nehalem-ex, workload stream")
    m.put("model.conf", 'engine = "model:spr";\n')
    j = m.doctor(69, "model.conf")
    assert "selects a model" in j["why_not"], j
    one(j, "model", "note", "SIMULATED hardware: a model of the server spr, workload day")
    planned = json.loads(h.run(h.CTL, "plan", "--json", "-c", m.path("model.conf"))[1])["series"]
    one(j, "model", "note", "It has %d series." % planned)
    for name, words in (("sprr", "there is no processor 'sprr' and no machine of this name"),
                        ("ivt", "counts")):
        m.put("model.conf", 'engine = "model:%s";\n' % name)
        j = m.doctor(69, "model.conf")
        one(j, "model", "problem", words)
        assert findings(j, "model")[0]["text"] in j["why_not"], j
    with open(m.path("latin.conf"), "wb") as f:
        f.write(b'caf\xe9 = "\xe9";\n')
    assert m_runs(m, "latin.conf")["configuration"]["mistakes"], "a mistake in Latin-1"
    os.mkfifo(m.path("fifo.conf"))
    one(m.doctor(69, "fifo.conf"), "configuration", "problem", "not a regular file")
    code, _, err = h.run(h.CTL, "plan", "-p", "nehalem-ex", "-c", m.path("fifo.conf"), timeout=10)
    assert code == 78 and "not a regular file" in err, (code, err)


def m_runs(m, config):
    code, out, _ = h.run(h.CTL, "doctor", "--json", "-c", m.path(config), *m.options())
    assert code == 69, code
    return json.loads(out)


def test_other_users():
    m = Machine(XEON_7500)
    m.device()
    m.process(50, "pcm-sensor-serv")
    m.process(51, "java", perf_fds=3)
    m.process(52, "uncored")
    m.process(53, "cat")
    m.put("run/uncored.lock", "52\n")
    j = m.doctor(0)
    assert j["users"]["processes"] == \
        [{"pid": 50, "name": "pcm-sensor-serv", "perf_events": 0, "tool": "Intel PCM"},
         {"pid": 51, "name": "java", "perf_events": 3, "tool": None}], j["users"]
    assert j["users"]["uncored"] == 52 and j["users"]["complete"], j["users"]
    texts = " ".join(f["text"] for f in findings(j, "other users", "note"))
    for words in ("uncored is already running (process 52)",
                  "process 50 (pcm-sensor-serv, part of Intel PCM)",
                  "process 51 (java) has 3 perf events"):
        assert words in texts, texts
    m.put("run/uncored.lock", "53\n")       # left by one that ended
    m.put("proc/54/comm", "secret\n")
    m.put("proc/54/fd", "")                 # cannot be listed
    j = m.doctor(0)
    assert j["users"]["uncored"] is None and j["users"]["unseen"] == 1, j["users"]
    assert not j["users"]["complete"], j["users"]
    assert findings(j, "other users", "unseen"), j["findings"]


def test_nmi_watchdog_only_where_it_matters():
    m = Machine(SKYLAKE_X)
    m.pmu("cpu", 4, None, cycles="event=0x3c")
    m.put("cpu.conf", 'groups = ( { name = "c"; events = [ "perf/cpu/cycles/" ]; } );\n')
    m.put("tsc.conf", 'groups = ( { name = "t"; events = [ "perf/msr/tsc/" ]; } );\n')
    one(m.doctor(0, "cpu.conf"), "NMI watchdog", "note", "one counter of each core")
    assert not findings(m.doctor(0, "tsc.conf"), "NMI watchdog")


def test_taint():
    m = Machine(XEON_7500)
    m.device()
    m.put("proc/sys/kernel/tainted", "4612\n")      # bits 2, 9, 12
    one(m.doctor(0), "kernel taint", "note", "flag S is set")
    m.put("proc/sys/kernel/tainted", "4608\n")      # bits 9, 12
    one(m.doctor(0), "kernel taint", "note", "flag S is not set")


def test_unreadable_machine():
    m = Machine(XEON_7500)
    os.unlink(m.path("sys/devices/system/cpu/online"))
    j = m.doctor(69)
    assert "devices/system/cpu/online" in j["why_not"] and problems(j) == ["processor"], j


def test_nothing_is_written():
    m = Machine(XEON_7500)
    m.device()

    def state():
        return sorted((at, f, os.stat(os.path.join(at, f)).st_mtime_ns)
                      for at, _, files in os.walk(m.at) for f in files)
    before = state()
    m.doctor(0)
    assert state() == before and not os.path.exists(m.path("run"))


def test_usage():
    code, _, err = h.run(h.CTL, "doctor", "-p", "nehalem-ex")
    assert code == 64 and "--processor" in err, (code, err)
    code, _, err = h.run(h.CTL, "doctor", "me")
    assert code == 64, (code, err)
    assert "69 nothing would be counted" in h.run(h.CTL, "--help")[1]


def test_this_machine():
    code, out, err = h.run(h.CTL, "doctor", "--json")
    assert code in (0, 69) and err == "", (code, err)
    j = json.loads(out)
    with open("/proc/cpuinfo") as f:
        cpuinfo = dict(line.split(":", 1) for line in f.read().split("\n\n")[0].splitlines()
                       if ":" in line)
    facts = {k.strip(): v.strip() for k, v in cpuinfo.items()}
    if "cpu family" in facts:
        assert (j["processor"]["family"], j["processor"]["model"]) == \
            (int(facts["cpu family"]), int(facts["model"])), j["processor"]
        assert facts["model name"] in findings(j, "processor")[0]["text"], j["findings"]
    with open("/proc/sys/kernel/perf_event_paranoid") as f:
        assert j["kernel"]["perf_event_paranoid"] == int(f.read()), j["kernel"]
    devices = "/sys/bus/event_source/devices"
    names = os.listdir(devices) if os.path.isdir(devices) else []
    assert sum(p["instances"] for p in j["pmus"]) <= len(names) and (findings(j, "odd PMU") or
           sum(p["instances"] for p in j["pmus"]) == len(names)), (names, j["pmus"])
    assert sum(s["cpus"] for s in j["sockets"]) == os.cpu_count(), j["sockets"]
    conf = h.write("none.conf", "# defaults\n")
    expected = h.run(h.CTL, "doctor", "-c", conf)[0]
    code, _, err = h.run(h.UNCORED, "--once", "-c", conf)
    assert code == 0 or code in (69, 77), (code, err)
    assert expected == 0 or code != \
        0, "doctor says that nothing would be counted, and uncored counted"


h.main(sys.modules[__name__])
