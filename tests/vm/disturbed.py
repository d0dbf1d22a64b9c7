# SPDX-License-Identifier: MIT
"""disturbed.py - counts stay exact while something happens to them, on PMUs that count
(counting_pmus.ko).

Two memory channels on each of two sockets, with four counters, on a real kernel: another tool, too
few counters, CPUs and PMUs that come and go, refusals, permissions, jumps. The truth is the
module's own ledger, and hertz x time. Time stands unless a check moves it, so that a count is right
or wrong and not about right; where events take turns, it is the time that perf gives each.
"""
import os
import sys

import image
from guest import Daemon, Guest, h, total

FAMILY = """family 4
domain 0-1
domain 2-3
format event config:0-7
format umask config:8-15
event cas_count_read event=0x04,umask=0x03
event cas_count_read.scale 6.103515625e-5
event cas_count_read.unit MiB
event cas_count_write event=0x04,umask=0x0c
event cas_count_write.scale 6.103515625e-5
event cas_count_write.unit MiB
rate 0x304 0x0 0x0 70000000
rate 0xc04 0x0 0x0 50000000"""
IMC = {"uncore_imc_0": 0, "uncore_imc_1": 1}
EVENTS = {"cas_count_read": 0x304, "cas_count_write": 0xc04}
BOTH = {"m": ["perf/uncore_imc/%s/" % e for e in EVENTS]}
LINE = 64               # bytes of a read or write command
# Of a rate, where a counter runs while its event does: when an event has to wait, its count lacks
# what came after its last read, until it counts again.
NOISE = 0.01
NOBODY = """#!/bin/sh
exec /usr/bin/setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=+perfmon \\
	--ambient-caps=+perfmon /usr/bin/uncored --path-run /tmp/nobody "$@"
"""
PARANOID = "/proc/sys/kernel/perf_event_paranoid"

g = Guest("Skylake-Server,-hypervisor", extra={
    "counting_pmus.ko": image.module(),
    "usr/bin/perf_reader": os.path.join(h.BUILD, "tests/vm/perf_reader")})
g.sh("insmod /counting_pmus.ko")


# ---------------------------------------------------------------- the machine and its truth


def tell(*lines):
    g.sh("cat >/proc/counting_pmus <<'END'\n%s\nEND\n" % "\n".join(lines))


def describe(*names, clock="manual"):
    """These PMUs and no others, while nobody counts."""
    tell("reset", "clock " + clock, FAMILY, *("pmu %s %d" % (n, IMC[n]) for n in names))


def machine(*names, clock="manual"):
    """The same; a daemon that a failed check left ends first."""
    g.sh("cd /tmp; [ ! -e u10062.pid ] || [ -s u10062.exit ] || kill -KILL $(cat u10062.pid); "
         "for i in $(seq 50); do grep -q 'open 0$' /proc/counting_pmus && exit 0; "
         "usleep 100000; done; exit 1")
    describe(*names, clock=clock)


class Event:
    """A line of the ledger; one for each time that an event was opened."""

    def __init__(self, line):
        self.pmu, domain, config, _, _, hertz, count, _ = line.split()
        self.socket, self.config = int(domain), int(config, 0)
        self.hertz, self.count = int(hertz), int(count)


def ledger(pmu, socket, config):
    """At least one line."""
    lines = map(Event, g.sh("cat /proc/counting_pmus").splitlines()[1:])
    found = [e for e in lines if (e.pmu, e.socket, e.config) == (pmu, socket, config)]
    assert found, (pmu, socket, hex(config))
    return found


def counted(pmu, socket, config):
    return sum(e.count for e in ledger(pmu, socket, config))


def advance(d, ms=100):
    """Time moves, and the daemon reads what stands then."""
    tell("advance %d" % (ms * 1000000))
    return d.settle()


def power(cpus, on):
    g.sh("".join("echo %d >/sys/devices/system/cpu/cpu%d/online\n" % (on, cpu) for cpu in cpus))


def socket_1_is_back(d, *units):
    """It was gone; what it counts is opened again, but for these units."""
    power([2, 3], 0)
    d.until("socket 1 is gone", lambda m: {r[:2] for r in reasons(m)} >= {(1, 0), (1, 1)})
    power([2, 3], 1)
    d.settle()
    d.until("socket 1 is back", lambda m: {r[:2] for r in reasons(m)} == {(1, u) for u in units})


def exact(metrics, names=tuple(IMC), sockets=(0, 1)):
    """Totals of the daemon are the ledger's, to the last count."""
    for pmu in names:
        for socket in sockets:
            for event, config in EVENTS.items():
                shown = total(metrics, "imc_" + event, socket=socket, unit=IMC[pmu])
                truth = counted(pmu, socket, config)
                assert shown == truth, (pmu, socket, event, shown, truth)


def memory(metrics, what, socket):
    """Bytes of the socket, or None."""
    value = metrics.get('uncore_memory_%s_bytes_total{socket="%d"}' % (what, socket))
    return value and int(value)


def reasons(metrics):
    """Of slots that are not counted: (socket, unit, reason)."""
    return {(int(k.split('socket="')[1][0]), int(k.split('unit="')[1][0]),
             k.split('reason="')[1].split('"')[0])
            for k in metrics if k.startswith("uncored_slot_invalid{")}


def all_counts(d):
    d.settle()
    return d.until("all counts", lambda m: not reasons(m))


def ends_well(d):
    """What could not count is tried again: all of it counts, exactly."""
    all_counts(d)
    m = advance(d)
    assert not reasons(m), reasons(m)
    exact(m)
    assert d.stop() == 0, d.log()


def seconds(metrics, socket, unit, event):
    own = 'uncored_slot_active_seconds_total{socket="%d",box="imc",unit="%d",event="%s"}' \
        % (socket, unit, event)
    return float(metrics.get(own) or metrics['uncored_active_seconds_total{socket="%d"}' % socket])


def rate_is_right(first, last, pmu, socket, event, config):
    """Counts by the time for which they stand; the part of the time in which it counted."""
    counts, active = (of(last) - of(first) for of in (
        lambda m: total(m, "imc_" + event, socket=socket, unit=IMC[pmu]),
        lambda m: seconds(m, socket, IMC[pmu], event)))
    hertz = ledger(pmu, socket, config)[0].hertz
    assert abs(counts / active / hertz - 1) < NOISE, (pmu, socket, event, counts, active, hertz)
    stamp = 'uncored_last_sample_timestamp_seconds{socket="%d"}' % socket
    return active / (float(last[stamp]) - float(first[stamp]))


# ---------------------------------------------------------------- what happens


def test_nothing():
    """hertz x time, and what is made of it."""
    machine(*IMC)
    d = Daemon(g, BOTH, "--engine perf")
    began = int(g.sh("cat /proc/counting_pmus").split()[1])
    for ms in (40, 7, 1000):
        m = advance(d, ms)
    exact(m)
    ended = began + 1047000000
    for socket in (0, 1):
        for what, event in (("read", "cas_count_read"), ("write", "cas_count_write")):
            hertz = [ledger(p, socket, EVENTS[event])[0].hertz for p in IMC]
            truth = LINE * sum(n * ended // 10**9 - n * began // 10**9 for n in hertz)
            assert memory(m, what, socket) == truth, (what, socket, truth, memory(m, what, socket))
    assert d.stop() == 0, d.log()


def test_wraps():
    """The driver's counter is narrow, and wraps again and again."""
    machine(*IMC)
    tell("width uncore_imc_0 20", "width uncore_imc_1 24")
    d = Daemon(g, BOTH, "--engine perf")
    for _ in range(8):
        m = advance(d, 10)
    exact(m)
    assert total(m, "imc_cas_count_read", socket=1, unit=0) > 4 << 20, m
    assert d.stop() == 0, d.log()


def test_jump():
    """Somebody sets a counter: what it cannot have counted is in no total."""
    machine(*IMC)
    d = Daemon(g, BOTH, "--engine perf")
    advance(d)
    jump = 1 << 46
    tell("jump uncore_imc_0 %d" % jump)
    d.settle()
    m = advance(d)
    exact(m, ["uncore_imc_1"])
    for socket in (0, 1):
        assert int(m['uncored_samples_invalid_total{socket="%d",reason="reset"}' % socket]) > 0, m
        for event, config in EVENTS.items():
            shown = total(m, "imc_" + event, socket=socket, unit=0)
            assert shown == counted("uncore_imc_0", socket, config) - jump, (event, shown)
    assert d.stop() == 0, d.log()


def test_another_tool():
    """It has the other two counters: both are right."""
    machine(*IMC)
    d = Daemon(g, BOTH, "--engine perf")
    g.sh("(perf_reader uncore_imc_0 0 3 0x304 0xc04 >/tmp/reader; echo >/tmp/read) & "
         "for i in $(seq 50); do grep -q 'open 10$' /proc/counting_pmus && exit 0; usleep 50000; "
         "done; exit 1")
    advance(d)
    g.sh("for i in $(seq 100); do [ -e /tmp/read ] && exit 0; usleep 100000; done; exit 1")
    m = d.metrics()
    for line, event in zip(g.sh("cat /tmp/reader").splitlines(), EVENTS):
        count, wanted, counting = map(int, line.split())
        shown = total(m, "imc_" + event, socket=0, unit=0)
        assert wanted == counting and count == shown, (event, line, shown)
    assert d.stop() == 0, d.log()


def test_another_tool_takes_counters():
    """It wants three of four: the kernel lets both take turns. Our totals stand for the time in
    which they counted; other PMUs and the other socket count all the time."""
    machine(*IMC, clock="running")
    d = Daemon(g, BOTH, "--engine perf")
    g.sh("perf_reader uncore_imc_0 0 600 0x304 0xc04 0x41 >/tmp/reader & echo $! >/tmp/reader.pid; "
         "for i in $(seq 50); do grep -q 'open 11$' /proc/counting_pmus && exit 0; usleep 50000; "
         "done; exit 1")
    first = d.settle()
    g.sh("sleep 5")
    last = d.metrics()
    g.sh("kill $(cat /tmp/reader.pid)")
    for pmu in IMC:
        for socket in (0, 1):
            for event, config in EVENTS.items():
                shared = (pmu, socket) == ("uncore_imc_0", 0)
                share = rate_is_right(first, last, pmu, socket, event, config)
                print("  %s of socket %d counted %.0f %% of the time" % (pmu, socket, 100 * share))
                assert 0.2 < share < 0.95 if shared else share > 0.95, share
    assert d.stop() == 0, d.log()


def test_turns():
    """Six events on four counters: rounds of our own."""
    configs = range(0x40, 0x46)
    events = ["perf/uncore_imc/event=0x%x,name=e%x/" % (c, c) for c in configs]
    machine(*IMC, clock="running")
    d = Daemon(g, {"a": events[:3], "b": events[3:]}, "--engine perf")
    g.sh("sleep 1")
    first = d.metrics()
    g.sh("sleep 6")
    last = d.metrics()
    shares = [rate_is_right(first, last, pmu, socket, "e%x" % c, c)
              for pmu in IMC for socket in (0, 1) for c in configs]
    assert 0.2 < min(shares) and max(shares) < 0.8, shares
    assert d.stop() == 0, d.log()


def test_counters_are_gone():
    """Somebody has three of four before we begin: that PMU counts nothing, and says so, until they
    are back; the other one is exact."""
    machine(*IMC)
    tell("steal uncore_imc_0 3")
    d = Daemon(g, BOTH, "--engine perf")
    m = advance(d)
    assert reasons(m) == {(0, 0, "no_data"), (1, 0, "no_data")}, reasons(m)
    assert [memory(m, w, s) for w in ("read", "write") for s in (0, 1)] == [None] * 4, m
    exact(m, ["uncore_imc_1"])
    tell("steal uncore_imc_0 0")
    ends_well(d)


def test_reader_goes():
    """The CPU that counts for socket 1 goes, the driver names the other and takes the events there:
    nothing is lost. Then the whole socket goes and comes back."""
    machine(*IMC)
    d = Daemon(g, BOTH, "--engine perf")
    advance(d)
    power([2], 0)
    all_counts(d)
    m = advance(d)
    assert not reasons(m), reasons(m)
    exact(m)
    before = {e: total(m, "imc_" + e, socket=1, unit=0) for e in EVENTS}
    power([3], 0)
    d.until("socket 1 is gone", reasons)
    m = advance(d)
    assert reasons(m) == {(1, 0, "offline"), (1, 1, "offline")}, reasons(m)
    exact(m, sockets=[0])
    power([2, 3], 1)
    m = all_counts(d)
    for e in EVENTS:
        assert total(m, "imc_" + e, socket=1, unit=0) == before[e], "counts of an offline socket"
    exact(advance(d))
    assert d.stop() == 0, d.log()


def test_one_refuses():
    """A part of a sum is no sum."""
    machine(*IMC)
    tell("refuse uncore_imc_1 16")
    m = h.samples(g.sh("uncored --once"))
    assert reasons(m) == {(0, 1, "refused"), (1, 1, "refused")}, reasons(m)
    assert memory(m, "read", 0) is None and memory(m, "write", 1) is None, m
    tell("refuse uncore_imc_1 0")
    d = Daemon(g, BOTH, "--engine perf")
    exact(advance(d))
    tell("refuse uncore_imc_1 16")
    socket_1_is_back(d, 1)
    m = advance(d)
    assert {r[:2] for r in reasons(m)} == {(1, 1)}, reasons(m)
    assert memory(m, "read", 1) is None and memory(m, "read", 0), m
    exact(m, sockets=[0])
    exact(m, ["uncore_imc_0"])
    tell("refuse uncore_imc_1 0")
    ends_well(d)


def test_a_pmu_comes_late():
    """uncored serves without counters, then counts the first PMU by itself, and the second one when
    the configuration is read again."""
    machine()
    d = Daemon(g, {}, "--engine perf", settings='interval = "100ms"; without_counters = "serve";',
               answers="/metrics")
    assert d.metrics()["uncored_without_counters"] == "1"
    describe("uncore_imc_0")
    g.sh("for i in $(seq 100); do wget -q -O - %s/metrics | grep -q '^uncore_memory' && exit 0; "
         "usleep 100000; done; exit 1" % d.url)
    exact(advance(d), ["uncore_imc_0"])
    tell("pmu uncore_imc_1 1")
    g.sh("kill -HUP %d" % d.pid())
    d.until_said("read again")
    before = d.settle()
    m = advance(d)
    exact(m, ["uncore_imc_1"])
    for socket in (0, 1):
        more = sum(ledger(p, socket, EVENTS["cas_count_read"])[-1].count for p in IMC)
        read = [memory(x, "read", socket) for x in (before, m)]
        assert read[1] - read[0] == LINE * more, (socket, read, more)
    assert d.stop() == 0, d.log()


def test_wall_clock_jumps():
    """A year ahead, two years back: totals and their time go on, nothing is left out, and samples
    have the new time."""
    machine(*IMC)
    d = Daemon(g, BOTH, "--engine perf")
    advance(d)
    before = d.metrics()
    for years in 1, -2:
        g.sh("date -s @$(($(date +%%s) + %d)) >/dev/null" % (years * 365 * 86400))
        advance(d)
        earliest = float(g.sh("date +%s"))
        m = d.metrics()
        assert not reasons(m), reasons(m)
        exact(m)
        latest = float(g.sh("date +%s"))
        for socket in (0, 1):
            at = float(m['uncored_last_sample_timestamp_seconds{socket="%d"}' % socket])
            assert earliest - 5 < at < latest + 1, (years, earliest, at, latest)
            active = [float(x['uncored_active_seconds_total{socket="%d"}' % socket])
                      for x in (before, m)]
            assert 0 < active[1] - active[0] < 60, (years, active)
            total_missed = int(m['uncored_ticks_missed_total{socket="%d"}' % socket])
            assert total_missed < 100, total_missed
    assert d.stop() == 0, d.log()


def test_paranoid():
    """A user with CAP_PERFMON. Level 3 leaves what is open alone, refuses what is opened then, and
    a reload is refused with the level; at level 2 all counts again."""
    machine(*IMC)
    level = g.sh("cat " + PARANOID).strip()
    g.write("/bin/uncored", NOBODY)
    g.sh("chmod 755 /bin/uncored; mkdir /tmp/nobody; chown 65534 /tmp/nobody; echo 2 >" + PARANOID)
    d = Daemon(g, BOTH, "--engine perf")
    exact(advance(d))
    g.sh("echo 3 >" + PARANOID)
    exact(advance(d))
    socket_1_is_back(d, 0, 1)
    exact(d.metrics(), sockets=[0])
    g.sh("kill -HUP %d" % d.pid())
    d.until_said("stays in use")
    assert "here it is 3" in d.log(), d.log()
    g.sh("echo 2 >" + PARANOID)
    ends_well(d)
    g.sh("rm /bin/uncored; echo %s >%s" % (level, PARANOID))


def test_not_in_a_guest():
    """The module invents counts, and refuses a machine whose firmware is not qemu's."""
    global g
    g.kill()
    g = Guest("Westmere", extra={"counting_pmus.ko": image.module()},
              more=("-smbios", "type=1,manufacturer=Supermicro"))
    code, _, _ = g.run("insmod /counting_pmus.ko")
    assert code != 0 and "it invents counts" in g.sh("dmesg"), g.sh("dmesg")


h.main(sys.modules[__name__], at_once=0)
