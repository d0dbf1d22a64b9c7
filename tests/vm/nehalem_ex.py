# SPDX-License-Identifier: MIT
"""nehalem_ex.py - Debian's kernel on a Xeon 7500 of two sockets with two cores each."""
import sys

from checks import Driver, load
from guest import Daemon, Guest, configuration, h, slots

d = Driver(Guest("Nehalem,model=46,stepping=6,-hypervisor"),
           boxes={"bbox": 2, "cbox": 2, "mbox": 2, "rbox": 2, "sbox": 2, "ubox": 1, "wbox": 1},
           events={"mbox": 2, "rbox": 6, "wbox": 1}, shared=("sbox", 4, "event=0x1,umask=0x%x"),
           known=("cbox", 6, "event=0x1,umask=0x%x"), ready=["traffic", "llc", "links"],
           family="nehalem-ex")
d.tests(globals())


def once(groups):
    load(d.g, "intel-uncore")
    d.g.write("/tmp/once.conf", 'interval = "100ms";' + configuration(groups))
    return d.g.run("uncored --once --engine perf -c /tmp/once.conf")


def test_shared_fields():
    """
    Linux uncore_nhmex.c: events 0xd to 0x10 of an M-Box share the command field of ZDP_CTL_FVC, so
    that reads and writes exclude each other; a port of an R-Box has two IPERF registers, so that a
    third mask does not fit.
"""
    mbox = ["perf/uncore_mbox_0/bbox_cmds_%s/" % x for x in ("read", "write")]
    rbox = ["perf/uncore_rbox_0/qpi0_%s/" % x for x in ("date_response", "flit_send", "idle_filt")]
    for events in mbox, rbox:
        code, out, err = once({"g": events})
        assert code == 78 and out == "", (code, err)
        assert "cannot count %s together with" % events[-1] in err, (code, err)
        code, out, err = once({"g": events[:-1], "h": events[-1:]})
        assert code == 0 and len(slots(h.samples(out), 1)) == 2 * len(events), (code, err)


def test_doctor_sees_users():
    """Events are counted by hand: 3 on the W-Box and the time stamp counter, on each socket."""
    load(d.g, "intel-uncore")
    u = Daemon(d.g, {"w": ["perf/uncore_wbox/event=0x%x,name=w%d/" % (i, i) for i in range(3)],
                     "t": ["perf/msr/tsc/"]},
               "--engine perf")
    users = [f["text"] for f in d.doctor(0)["findings"] if f["topic"] == "other users"]
    assert users == ["process %d (uncored) has 8 perf events open" % u.pid()], users
    assert u.stop() == 0, u.log()


h.main(sys.modules[__name__], at_once=0)
