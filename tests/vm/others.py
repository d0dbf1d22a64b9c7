# SPDX-License-Identifier: MIT
"""others.py - Debian's kernel on more CPU models, each for a moment: what its driver makes there,
and that every PMU counts."""
import sys

from checks import Driver
from guest import Guest, h


def look(cpu, boxes, events, ready, family=None, cores=2):
    d = Driver(Guest(cpu + ",-hypervisor", cores), boxes, events, None, ready,
               family=family, second=cores)
    d.discovery()
    d.names()
    d.every_pmu_counts()
    d.default()
    d.g.kill()


def test_nehalem():
    look("Nehalem", {"": 1}, {"": 9}, ["memory"], "nehalem")


def test_westmere():
    look("Westmere,model=44", {"": 1}, {"": 9}, ["memory"], "westmere")


def test_westmere_ex():
    look("Nehalem,model=47,stepping=2",
         {"bbox": 2, "cbox": 4, "mbox": 2, "rbox": 2, "sbox": 2, "ubox": 1, "wbox": 1},
         {"mbox": 2, "rbox": 6, "wbox": 1}, ["traffic", "llc", "links"], "westmere-ex", cores=4)


def test_sandy_bridge_client():
    look("SandyBridge", {"arb": 1, "cbox": 2}, {"cbox": 1}, ["clock"])


def test_sandy_bridge():
    look("SandyBridge,model=45", {"cbox": 2, "pcu": 1, "ubox": 1}, {}, ["llc"])


def test_haswell():
    look("Haswell,model=63", {"cbox": 2, "pcu": 1, "sbox": 4, "ubox": 1}, {}, ["llc"])


def test_skylake_client():
    look("Skylake-Client,model=94", {"arb": 1, "cbox": 2}, {"cbox": 1}, ["clock"])


def test_no_driver():
    """EPYC under qemu: no uncore driver binds, nothing is counted, and the sentences say so."""
    g = Guest("EPYC,-hypervisor")
    code, _, err = g.run("insmod /intel-uncore.ko")
    assert code != 0 and "No such device" in err, err
    code, out, err = g.run("uncorectl doctor --json")
    j = h.json.loads(out)
    assert code == 69 and "PMU for the ready-made ones" in j["why_not"], (code, j["why_not"])
    assert j["engine"]["why"] == \
        "AMD Zen or Zen+: counting through the kernel (perf)", j["engine"]
    code, out, err = g.run("uncored --once")
    assert code == 75 and out == "" and j["engine"]["why"] in err, (code, err)
    assert "the kernel's uncore driver is not loaded (yet)" in err, err
    g.kill()


h.main(sys.modules[__name__], at_once=0)
