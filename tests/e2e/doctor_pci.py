# SPDX-License-Identifier: MIT
"""doctor_pci.py - uncorectl doctor where registers are in PCI configuration space: functions that
are there, hidden or closed, and the clock's ratio.
"""
import json
import os
import re
import sys
import threading
import time

import harness as h
from made_machine import XEON_5500, XEON_7500, XEON_E5_V2, Machine, findings, one, problems


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


h.main(sys.modules[__name__])
