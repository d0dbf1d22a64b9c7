# SPDX-License-Identifier: MIT
"""registers.py - the registers engine through the kernel's own msr driver, and the permissions of a
real kernel.

Under qemu every uncore register reads 0 and forgets what is written: nothing can be counted, and
nothing may be shown.
"""
import sys

from checks import BAND, TSC, TSC_SLOT, load
from guest import Daemon, Guest, active, configuration, h, seconds_of, slots, socket_info, total

XEON_7500 = "Nehalem,model=46,stepping=6,-hypervisor"
TAINT_OUT_OF_SPEC = 4       # Linux Documentation/admin-guide/tainted-kernels.rst: flag S, bit 2
STATE = "/run/uncored/uncored.state"
TURNS = {"r1": ["cbox0/LLC_HITS:%s" % m for m in "MESF"] + [TSC],
         "r2": ["cbox0/LLC_%s:ALL" % e for e in ("HITS", "MISSES")] +
         ["cbox0/LLC_MISSES:%s" % m for m in "SF"]}

g = Guest(XEON_7500)
load(g, "msr")


def finding(topic):
    _, out, _ = g.run("uncorectl doctor --json")
    return next(f["text"] for f in h.json.loads(out)["findings"] if f["topic"] == topic)


def test_first_write_taints():
    assert int(g.sh("cat /proc/sys/kernel/tainted")) & TAINT_OUT_OF_SPEC == 0
    assert "flag S is not set; the first register write sets it" in finding("kernel taint")
    planned = {w["address"] for s in g.json("uncorectl plan --json")["sockets"] for r in s["rounds"]
               for w in r["writes"]}
    out = g.sh("uncored --once --engine registers")
    m = h.samples(out)
    assert slots(m, 0) and not slots(m, 1), "registers that forget cannot count"
    assert all('reason="refused"' in k for k in m if k.startswith("uncored_slot_invalid{")), m
    assert not [k for k in m if k.startswith("uncore_")], m
    log = g.sh("dmesg | grep 'msr: Write to unrecognized MSR'")
    address = log.split("MSR ")[1].split()[0]
    assert address in planned and " by uncored " in log, (log, planned)
    assert int(g.sh("cat /proc/sys/kernel/tainted")) & TAINT_OUT_OF_SPEC, "no taint"
    assert "flag S is set" in finding("kernel taint")
    assert g.run("[ -e %s ]" % STATE)[0] != 0, "the state file stayed"


def test_turns():
    """Two groups of four events of one C-Box, which has six counters, and the time stamp counter
    through perf with the first: our own rounds. What perf counts while its round is stopped is not
    in the total, nor its time in the seconds."""
    d = Daemon(g, TURNS, "--engine registers")
    first = d.metrics()
    g.sh("sleep 6")
    last = d.metrics()
    for socket in (0, 1):
        assert last['uncored_rounds{socket="%d"}' % socket] == "2", last
        r1, r2 = (active(last, socket, x) - active(first, socket, x) for x in ("r1", "r2"))
        t = seconds_of(last, socket, *TSC_SLOT) - seconds_of(first, socket, *TSC_SLOT)
        counted = (total(last, "msr_tsc", socket=socket) -
                   total(first, "msr_tsc", socket=socket)) / g.tsc_hertz()
        print("  socket %d: first round %.3f s, second %.3f s, perf %.3f s, counts of %.3f s"
              % (socket, r1, r2, t, counted))
        assert 0.3 < t / (r1 + r2) < 0.7 and abs(t / r1 - 1) < BAND, (r1, r2, t, counted)
        assert abs(counted / t - 1) < BAND, (r1, r2, t, counted)
    assert len(slots(last, 1)) == 2 and len(slots(last, 0)) == 16, last
    assert d.stop() == 0, d.log()
    assert g.run("[ -e %s ]" % STATE)[0] != 0, "the state file stayed"


def test_killed():
    """Its registers go back with --restore, and a second start does it, too."""
    for restore in ("uncored --restore", "uncored --once --engine registers -c /tmp/u10062.conf"):
        d = Daemon(g, TURNS, "--engine registers")
        assert d.stop("KILL") == 128 + 9
        g.sh("[ -s %s ]" % STATE)
        code, _, err = g.run(restore)
        assert code == 0 and "did not exit cleanly" in err, (code, err)
        assert g.run("[ -e %s ]" % STATE)[0] != 0, "the state file stayed"


def test_reader_goes():
    """The msr file of an offline CPU disappears: the socket is read through its other CPU."""
    d = Daemon(g, TURNS, "--engine registers")
    assert socket_info(1, 2) in d.metrics()
    g.sh("echo 0 >/sys/devices/system/cpu/cpu2/online; [ ! -e /dev/cpu/2/msr ]")
    m = d.until("CPU 3 reads socket 1", lambda m: socket_info(1, 3) in m)
    assert m['uncored_up{socket="1"}'] == "1", m
    assert 'reason="refused"' in "".join(k for k in m
                                         if k.startswith('uncored_slot_invalid{socket="1"')), m
    g.sh("echo 1 >/sys/devices/system/cpu/cpu2/online")
    assert d.stop() == 0, d.log()


def refused(words):
    """auto would take perf, where nothing counts, and says why; both end with 77; nothing is left
    behind."""
    j = h.json.loads(g.run("uncorectl doctor --json")[1])
    assert j["engine"]["engine"] == "perf" and words in j["engine"]["why"], j["engine"]
    code, out, err = g.run("uncored --once --engine registers")
    assert code == 77 and out == "" and "the kernel refuses register writes" in err, (code, err)
    code, out, err = g.run("uncored --once")
    assert code == 77 and out == "" and j["engine"]["why"] in err, (code, err)
    assert words + "; uncorectl doctor says" in err, (code, err)
    assert g.run("[ -e %s ]" % STATE)[0] != 0, "the state file stayed"


def test_writes_off():
    g.sh("echo off >/sys/module/msr/parameters/allow_writes")
    assert "the msr driver refuses register writes" in finding("allow_writes")
    refused("msr.allow_writes=off forbids register writes")
    g.sh("echo on >/sys/module/msr/parameters/allow_writes")
    assert finding("allow_writes") == "on: the msr driver permits register writes"
    assert h.json.loads(g.run("uncorectl doctor --json")[1])["engine"]["engine"] == "registers"


def test_lockdown():
    global g
    g.kill()
    g = Guest(XEON_7500, append="lockdown=integrity")
    load(g, "msr")
    assert "the kernel refuses register writes" in finding("lockdown")
    refused("kernel lockdown (integrity) forbids register writes")
    g.write("/tmp/t.conf", configuration({"t": [TSC]}))
    assert not slots(h.samples(g.sh("uncored --once -c /tmp/t.conf")),
                     0), "perf counts under lockdown"


h.main(sys.modules[__name__], at_once=0)
