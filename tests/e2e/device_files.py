# SPDX-License-Identifier: MIT
"""device_files.py - uncored on the register model's msr files, and what it has to have counted.

With --virtual the model's time stands still but for "advance": then every total must equal the
ground truth to the last count. Addresses are those of the Xeon 7500 guide (323535-001): B-Box 0
counter 1 is C32/C33, its enable C20, all C00.
"""
import harness as h

CONF = """interval = "200ms";
groups = (
  { name = "memory"; events = [ "bbox/IMT_VALID_OCCUPANCY", "bbox/IMT_INSERTS_ALL",
    "bbox/CONFLICTS", "wbox/CLOCKTICKS" ]; },
  { name = "links"; events = [ "rbox/NULL_IDLE,port=0", "rbox/FLITS_SENT,port=0",
    "wbox/CLOCKTICKS" ]; },
  { name = "llc"; events = [ "cbox/LLC_HITS:ALL", "cbox/LLC_MISSES:ALL" ]; }
);
"""
# ns of model time per advance: little beside a tick, so that a tick on a busy machine finds nothing
# implausible
STEP = 10_000_000
INSERTS = 'uncore_bbox_imt_inserts_all_total{socket="%d",unit="%d"}'
DATA = {("bbox", 0): 0xc33, ("bbox", 1): 0xc73}
ALL = [0xc00, 0xc20, 0xc30, 0xc32, 0xc34, 0xc36, 0xc60, 0xc70, 0xc72, 0xc74, 0xc76, 0xc80, 0x395,
       0xe00, 0xe04, 0xe24, 0xe10,
       0xe12, 0xd00, 0xd10, 0xd12, 0xde0, 0xdf0, 0xdf2]


def start(*args, conf=CONF, fs=(), **kw):
    m = h.Msrfs("--virtual", *fs)
    c = h.write("device-%d.conf" % m.pid, conf)
    return m, h.Uncored("-c", c, *m.options(), *args, **kw), c


def settle(u, ticks=2):
    """Wait until `ticks` more samples of every socket were published."""
    def count():
        got = u.metrics()
        return [float(v) for k, v in got.items() if k.startswith("uncored_samples_total")]
    before = count()
    h.wait_for("%d more samples" % ticks,
               lambda: all(b >= a + ticks for a, b in zip(before, count())))


def invalid(u):
    return {k for k in u.metrics() if k.startswith("uncored_slot_invalid")}


def expect_truth(m, u):
    """No time may pass any more in the model; every total is what its counter counted, to the last
    count."""
    settle(u)
    truth, got = m.truth(), u.metrics()
    checked = 0
    for s in (0, 1):
        for unit in (0, 1):
            assert int(got[INSERTS % (s, unit)]) == truth[(s, DATA[("bbox", unit)])][0]
            checked += 1
        # one series, though two groups name it
        assert int(got['uncore_wbox_clockticks_total{socket="%d",unit="0"}' % s]) == \
            truth[(s, 0x394)][0]
        for unit, offset in enumerate((0, 0x80, 0x40, 0xc0, 0x20, 0xa0, 0x60, 0xe0)):
            hits = int(got[
                'uncore_cbox_llc_hits_total{socket="%d",unit="%d",umask="ALL"}'
                % (s, unit)])
            assert hits == truth[(s, 0xd11 + offset)][0] and hits > 0
            checked += 1
    assert checked == 20
    assert not invalid(u), invalid(u)
    assert m.read("violations").split()[0] == "0", m.read("violations")
