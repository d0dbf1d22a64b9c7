# SPDX-License-Identifier: MIT
"""checks.py - what holds for every CPU model to which the kernel's uncore driver binds.

Expected: the PMUs of real-life listings of the guest's sysfs, counters and limits from Linux
arch/x86/events/intel/uncore_*.c. No uncore event happens under qemu: counts stay 0, while times,
errors, CPU masks and perf/msr/tsc/ are as real as can be.
"""
import functools
import re

from guest import Daemon, active, configuration, h, seconds_of, slots, total


def waiting(metrics):
    """The slots of free-running clocks of I/O stacks: these cannot stand still, but in a virtual
    uncore they do, and so have no value yet."""
    return {k.replace("_invalid{", "_valid{").replace(',reason="no_data"', "") for k in metrics
            if k.startswith("uncored_slot_invalid{") and 'box="iio_free_running"' in k
            and 'reason="no_data"' in k}


TSC = "perf/msr/tsc/"
TSC_SLOT = "msr", "tsc"     # box and event of its series
# the kernel's own calibration of the time stamp counter is off by some tenths of a percent
BAND = 0.02
EDGE = 0.1              # seconds: a read that was held up while its CPU went
MASK = "cat /sys/bus/event_source/devices/uncore_*/cpumask | sort -u"


def load(g, *modules):
    for m in modules:
        g.sh("[ -d /sys/module/%s ] || insmod /%s.ko" % (m.replace("-", "_"), m))


def drivers(g):
    """The named events of the uncore PMUs' drivers, as they are listed. What uncored's own tables
    count on the same PMUs by numbers has no terms of a driver."""
    return [r for r in g.json("uncorectl list events --json")["perf"]
            if r["spec"].startswith("perf/uncore") and "terms" in r]


def bound(check):
    """A check for which the driver must have bound."""
    @functools.wraps(check)
    def run(self, *args, **kw):
        load(self.g, "msr", "intel-uncore")
        return check(self, *args, **kw)
    return run


class Driver:
    """
    boxes     {box: PMUs of it}; the kernel's name is uncore_<box>, with _<number> where there are
              several
    events    {box: number of named events}; 0 where absent
    family    uncored's name of the processor if it knows the registers
    shared    (box, counters, terms with %d): a PMU whose counters can be filled with different
              events
    known     the same of another PMU
    ready     groups that count without a configuration
    second    the first CPU of socket 1
"""

    def __init__(self, guest, boxes, events, shared, ready, known=None, family=None, second=2):
        self.g, self.boxes, self.events, self.shared, self.family = guest, \
            boxes, events, shared, family
        self.known, self.ready = known, ready
        self.n_pmus, self.second = sum(boxes.values()), second

    CHECKS = ("engine", "discovery", "names", "every_pmu_counts", "named_events_count", "default",
              "group_limit", "multiplexing",
              "turns", "rate", "hotplug")

    def tests(self, names):
        """All that is checked on every processor, as tests of a file: its globals() get them, in
        this order."""
        names.update(("test_" + check, getattr(self, check)) for check in self.CHECKS)

    def pmu(self, box, number=0):
        """The kernel's name."""
        return "uncore" + ("_" + box if box else "") + ("_%d" % number
                                                        if self.boxes[box] > 1 else "")

    def any_event(self, box):
        """An event that the PMU takes; free-running counters take only their own."""
        terms = {"iio_free_running": "ioclk", "imc_free_running": "dclk",
                 "mbox": "inc_sel=0x1"}.get(box, "event=0x1")
        return "perf/uncore%s/%s,name=any/" % ("_" + box if box else "", terms)

    def doctor(self, code):
        got, out, err = self.g.run("uncorectl doctor --json")
        j = h.json.loads(out)
        assert got == code and err == "", (got, j["why_not"], err)
        return j

    # ---- before and after the driver binds

    def engine(self):
        """Which engine, and that doctor and the daemon give the same reason."""
        g = self.g
        j = self.doctor(69)
        reason = "the msr module is not loaded" if self.family else \
            ": counting through the kernel (perf)"
        assert j["engine"]["engine"] == "perf" and reason in j["engine"]["why"], j["engine"]
        load(g, "msr")
        if self.family:
            j = self.doctor(0)
            assert j["processor"]["name"] == self.family, j["engine"]
            assert j["engine"]["engine"] == "registers", j["engine"]
            assert j["engine"]["why"] == \
                "%s: registers through /dev/cpu/N/msr" % self.family, j["engine"]
        else:
            assert self.doctor(69)["engine"] == j["engine"]
        load(g, "intel-uncore")
        j = self.doctor(0)
        reason = "the kernel's driver owns the counters (%s)" \
            % sorted(map(self.pmu, self.boxes))[0] if self.family else reason
        assert j["engine"]["engine"] == "perf" and reason in j["engine"]["why"], j["engine"]
        _, _, err = g.run("uncored --once")
        assert j["engine"]["why"] in err, (j["engine"]["why"], err)
        print("  " + j["engine"]["why"])

    @bound
    def discovery(self):
        g = self.g
        names = g.sh("ls /sys/bus/event_source/devices").split()
        expected = [self.pmu(b, i) for b, n in self.boxes.items() for i in range(n)]
        assert sorted(n for n in names if n.startswith("uncore")) == sorted(expected), names
        found = {m[1]: (int(m[2]), int(m[3])) for m in
                 (re.match(r"(\S+): (\d+) instances?, CPU 0,%d, (\d+) named events?"
                           % self.second, f["text"])
                  for f in self.doctor(0)["findings"] if f["topic"] == "uncore PMU") if m}
        assert found == {b or "uncore": (n, self.events.get(b, 0))
                         for b, n in self.boxes.items()}, found
        print("  %d PMUs" % self.n_pmus)

    @bound
    def names(self):
        """Every named event of sysfs is listed with its terms, scale and unit as they stand in the
        files."""
        g = self.g
        text = g.sh("cd /sys/bus/event_source/devices; for f in uncore*/events/*; do [ ! -e $f ] "
                    "|| echo $f $(cat $f); done")
        files = dict(line.split(" ", 1) for line in text.splitlines())
        expected = {}
        for f, terms in files.items():
            pmu, name = f.split("/events/")
            if not re.search(r"\.(scale|unit)$", name):
                spec = "perf/%s/%s/" % (re.sub(r"_\d+$", "", pmu), name)
                expected[spec] = terms, files.get(f + ".scale"), files.get(f + ".unit")
        listed = {r["spec"]: (r["terms"], r.get("scale"), r.get("unit")) for r in drivers(g)}
        assert listed == expected and len(expected) == sum(self.events.values()), (listed, expected)
        print("  %d events" % len(expected))

    @bound
    def every_pmu_counts(self):
        """One event on each PMU of each socket, all at once."""
        g = self.g
        g.write("/tmp/all.conf",
                configuration({b or "uncore": [self.any_event(b)] for b in self.boxes}))
        code, out, err = g.run("uncored --once --engine perf -c /tmp/all.conf")
        assert code == 0 and "cannot" not in err, (code, err)
        m = h.samples(out)
        assert set(slots(m, 0)) == waiting(m), m
        assert len(slots(m, 1)) + len(waiting(m)) == 2 * self.n_pmus, m
        for box, n in self.boxes.items():
            for socket in (0, 1):
                assert active(m, socket, box or "uncore") > 0.9, m
                for unit in range(n):
                    if any('socket="%d",box="%s",unit="%d"' % (socket, box, unit) in k
                           for k in waiting(m)):
                        continue
                    assert total(m, (box or "uncore") + "_any", socket=socket, unit=unit) == 0, m

    @bound
    def named_events_count(self):
        """Each named event of its own: the driver takes every one."""
        events = [r["spec"] for r in drivers(self.g)]
        if not events:
            return print("  the driver names none")
        self.g.write("/tmp/named.conf",
                     'interval = "100ms";' +
                     configuration({"g%d" % i: [e] for i, e in enumerate(events)}))
        code, out, err = self.g.run("uncored --once --engine perf -c /tmp/named.conf")
        m = h.samples(out)
        assert code == 0 and set(slots(m, 0)) == waiting(m), (code, err, slots(m, 0))
        assert len(slots(m, 1)) + len(waiting(m)) == sum(2 * self.boxes[b] * n
                                                         for b, n in self.events.items()), m

    @bound
    def default(self):
        """Without a configuration: the groups that these PMUs allow, and the driver takes all their
        events at the same time."""
        code, out, err = self.g.run("uncored --once")
        m = h.samples(out)
        groups = {s: {re.search('group="([^"]+)"', k)[1] for k in m if k.startswith(
            'uncored_group_active_seconds_total{socket="%d"' % s)} for s in (0, 1)}
        assert code == 0 and groups[0] == groups[1] == set(self.ready), (code, groups, err)
        assert all(active(m, s, g) > 0.9 for s in groups for g in groups[s]), m
        assert not slots(m, 0), (slots(m, 0), err)
        assert "not everything in the default groups" not in err, (slots(m, 0), err)
        values = sorted({k.split("{")[0] for k in m if k.startswith("uncore_")})
        # nothing happens in a virtual uncore
        assert all(float(m[k]) == 0 for k in m if k.startswith("uncore_")), m
        print("  %s: %s" % (", ".join(self.ready), ", ".join(values)))

    # ---- counters that do not suffice

    def crowd(self, pmu, group, n):
        """n events of a PMU; those of another group are different ones."""
        box, _, terms = pmu
        return ["perf/%s/%s,name=%s%d/"
                % (self.pmu(box), terms % (16 * ord(group) % 97 + i), group, i) for i in range(n)]

    @bound
    def group_limit(self):
        """As many events as counters are one group; one more is refused, by the plan or by
        the kernel, and said so."""
        for pmu in filter(None, (self.shared, self.known)):
            g, (box, counters, _) = self.g, pmu
            g.write("/tmp/fit.conf",
                    'interval = "100ms";' + configuration({"a": self.crowd(pmu, "a", counters)}))
            code, out, err = g.run("uncored --once --engine perf -c /tmp/fit.conf")
            assert code == 0 and len(slots(h.samples(out), 1)) == 2 * counters, (code, err)
            g.write("/tmp/over.conf", configuration({"a": self.crowd(pmu, "a", counters + 1)}))
            code, out, err = g.run("uncored --once --engine perf -c /tmp/over.conf")
            assert code == 78 and out == "", (code, err)
            # the plan knows how many some have; of others the kernel says it
            assert re.search(r"PMU %s cannot count|: %d events compete for the %d counters of the "
                             r"kernel's PMU %s" % (self.pmu(box), counters + 1, counters,
                                                   self.pmu(box)), err), (code, err)
            assert "another group" in err, err

    def share(self, first, last, socket, group):
        """The part of the time between two scrapes, by the sampler's time of day, in which the
        group counted."""
        stamp = 'uncored_last_sample_timestamp_seconds{socket="%d"}' % socket
        seconds, wall = active(last, socket, group) - active(first, socket, group), \
            float(last[stamp]) - float(first[stamp])
        print("  socket %d: group %s counted in %.2f s of %.2f" % (socket, group, seconds, wall))
        assert wall > 4, wall
        return seconds / wall

    def tsc_agrees(self, first, last, socket):
        """What the time stamp counter counted, beside the seconds of that."""
        seconds = seconds_of(last, socket, *TSC_SLOT) - seconds_of(first, socket, *TSC_SLOT)
        counts = total(last, "msr_tsc", socket=socket) - total(first, "msr_tsc", socket=socket)
        assert abs(counts / seconds / self.g.tsc_hertz() - 1) < BAND, (counts, seconds)

    @bound
    def multiplexing(self):
        """Two programs with a group each, of which only one fits at a time: the kernel lets them
        take turns, each gets about half of the time, and says so; a group of another PMU has all of
        it."""
        n = self.shared[1] // 2 + 1
        one = Daemon(self.g, {"a": self.crowd(self.shared, "a", n), "t": [TSC]}, "--engine perf")
        two = Daemon(self.g, {"b": self.crowd(self.shared, "b", n)}, "--engine perf", port=10063)
        first = one.metrics(), two.metrics()
        self.g.sh("sleep 6")
        last = one.metrics(), two.metrics()
        for socket in (0, 1):
            a, b = self.share(first[0], last[0], socket,
                              "a"), self.share(first[1], last[1], socket, "b")
            assert 0.2 < a < 0.8 and 0.2 < b < 0.8, (a, b)
            assert self.share(first[0], last[0], socket, "t") > 0.9
            self.tsc_agrees(first[0], last[0], socket)
        assert not slots(last[0], 0) and not slots(last[1], 0), last
        assert one.stop() == 0 and two.stop() == 0, (one.log(), two.log())

    @bound
    def turns(self):
        """Rounds of our own: the third group, of another PMU, counts in both, all of the time."""
        n = self.known[1] // 2 + 1
        groups = {"a": self.crowd(self.known, "a", n),
                  "b": self.crowd(self.known, "b", n), "t": [TSC]}
        d = Daemon(self.g, groups, "--engine perf")
        first = d.metrics()
        self.g.sh("sleep 6")
        last, log = d.metrics(), d.log()
        for socket in (0, 1):
            assert last['uncored_rounds{socket="%d"}' % socket] == "2", log
            assert "Group 'b' takes turns with 'a'" in log, log
            a, b, t = (self.share(first, last, socket, x) for x in "abt")
            assert 0.2 < a < 0.8 and 0.2 < b < 0.8 and 0.8 < a + b < 1.02, (a, b, t)
            assert 0.98 < t < 1.02, (a, b, t)
            self.tsc_agrees(first, last, socket)
        assert not slots(last, 0) and d.stop() == 0, (slots(last, 0), log)

    # ---- real counts

    @bound
    def rate(self):
        """The time stamp counter through perf beside what another program reads of it, on both
        sockets."""
        d = Daemon(self.g, {"t": [TSC]}, "--engine perf")
        first = d.metrics()
        self.g.sh("sleep 3")
        last = d.metrics()
        for socket in (0, 1):
            seconds = seconds_of(last, socket, *TSC_SLOT) - seconds_of(first, socket, *TSC_SLOT)
            hertz = (total(last, "msr_tsc", socket=socket) -
                     total(first, "msr_tsc", socket=socket)) / seconds
            print("  socket %d: %.2f MHz, beside %.2f"
                  % (socket, hertz / 1e6, self.g.tsc_hertz() / 1e6))
            assert seconds > 2.5 and abs(hertz / self.g.tsc_hertz() - 1) < BAND, (hertz, seconds)
        assert d.stop() == 0, d.log()

    # ---- CPUs that come and go

    @bound
    def hotplug(self):
        """
        The designated CPU of socket 1 goes, the driver names the next one, then that one goes as
        well, then both come back. Totals never fall, and counts and seconds are short of the same
        time.
"""
        g, box = self.g, self.shared[0]
        events = {"u": ["perf/%s/%s,name=u/" % (self.pmu(box), self.shared[2] % 1)], "t": [TSC]}
        d = Daemon(g, events, "--engine perf")
        seen = [d.metrics()]

        def turn(cpus, mask):
            g.sh("".join("echo %d >/sys/devices/system/cpu/cpu%d/online\n" % (on, cpu)
                         for cpu, on in cpus.items()))
            assert g.sh(MASK).strip() in mask, g.sh(MASK)

        assert g.sh(MASK).strip() == "0,2", g.sh(MASK)
        turn({2: 0}, ("0,3",))
        offline = 'uncored_samples_invalid_total{socket="1",reason="offline"}'
        seen.append(d.until("CPU 2 is gone, and all is valid again",
                            lambda m: int(m[offline]) > 0 and len(slots(m, 1)) == 4))
        turn({3: 0}, ("0",))
        g.sh("sleep 1")             # so much is lost
        gone = d.until("socket 1 is gone", lambda m: len(slots(m, 0, socket=1)) == 2)
        assert len(slots(gone, 1, socket=0)) == 2, gone
        assert not [k
                    for k in gone if k.startswith(tuple("uncore_%s_total{socket=\"1\"" % e
                                                        for e in ("msr_tsc", box + "_u")))]
        assert len([k for k in gone if k.startswith('uncored_slot_invalid{socket="1"') and
                    'reason="offline"' in k]) == 2, gone
        turn({3: 1, 2: 1}, ("0,2", "0,3"))
        seen.append(d.until("socket 1 is back", lambda m: len(slots(m, 1)) == 4))
        for before, after in zip(seen, seen[1:]):
            for socket in (0, 1):
                assert total(after, (box or "uncore") + "_u", socket=socket) >= \
                    total(before, (box or "uncore") + "_u", socket=socket)
                seconds = seconds_of(after, socket, *TSC_SLOT) - \
                    seconds_of(before, socket, *TSC_SLOT)
                counts = total(after, "msr_tsc", socket=socket) - \
                    total(before, "msr_tsc", socket=socket)
                off = counts / g.tsc_hertz() - seconds
                print("  socket %d: %.3f s active, counts of %.3f s"
                      % (socket, seconds, seconds + off))
                assert counts > 0 and abs(off) < BAND * seconds + EDGE, (socket, counts, seconds)
        lost = active(seen[2], 0, "t") - active(seen[2], 1, "t")
        assert 1 < lost < 20 and active(seen[2], 0, "u") - active(seen[2], 1, "u") > 1, lost
        assert d.stop() == 0, d.log()
        turn({2: 0}, ("0,3",))
        turn({2: 1}, ("0,3",))      # leave it as it began
        turn({3: 0}, ("0,2",))
        turn({3: 1}, ("0,2",))
