# SPDX-License-Identifier: MIT
"""perf_real.py - real counters of this machine: uncored's rates beside those of perf stat in the
same seconds.

5 s; 30 s with UNCORED_TEST_LONG=1 (make check-long-perf). Skipped, with the reason, where perf is
missing or may not count.
"""
import fractions
import os
import re
import shutil
import subprocess
import sys
import time

import harness as h

SECONDS = 30 if os.environ.get("UNCORED_TEST_LONG") else 5
PERF = shutil.which("perf")
DEVICES = "/sys/bus/event_source/devices"

if not PERF:
    h.skip("perf is not installed (Debian: linux-perf)")


def stat(events, seconds):
    """Starts perf stat on CPU 0; its result is {event: (count, nanoseconds running, percent)}."""
    p = subprocess.Popen([PERF, "stat", "-x", ";", "-C", "0", "-e", ",".join(events), "--", "sleep",
                          str(seconds)],
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE, text=True,
                         env=dict(os.environ, LC_ALL="C"))

    def result():
        err = p.communicate()[1]
        rows = [line.split(";") for line in err.splitlines() if line.count(";") >= 4]
        return {r[2]: (float(r[0]), float(r[3]), float(r[4].rstrip("%"))) for r in rows
                if re.fullmatch(r"[\d.]+", r[0])}, err
    return result


def can_count(event):
    """perf's word for it, or the reason."""
    rows, err = stat([event], 0.05)()
    return (True, "") if rows.get(event, (0, 0))[1] > 0 else (False, " ".join(err.split())[:300])


def candidates():
    """uncored's name, perf's name: what counts at a steady pace on any machine that has it."""
    rows = [("perf/msr/tsc/", "msr/tsc/", 'uncore_msr_tsc_total{socket="0",unit="0"}'),
            ("perf/software/cpu-clock/", "cpu-clock",
             'uncore_software_cpu_clock_total{socket="0",unit="0"}')]
    return [r for r in rows if os.path.exists("%s/%s" % (DEVICES, r[0].split("/")[1]))]


def conf(name, text):
    return h.write(name, 'interval = "100ms";\n' + text)


def test_rates_agree_with_perf_stat():
    ok, why = can_count("cpu-clock")
    if not ok:
        h.skip("perf may not count here: " + why)
    rows = [r for r in candidates() if can_count(r[1])[0]]
    u = h.Uncored("--engine", "perf",
                  "-c", conf("rates.conf", 'groups = ( { name = "g"; events = [ %s ]; } );\n' %
                             ", ".join('"%s"' % r[0] for r in rows)))
    active = 'uncored_group_active_seconds_total{socket="0",group="g"}'

    def farthest():
        """How far the rates are apart, at most, and what was measured."""
        before = u.metrics()
        theirs, err = stat([r[1] for r in rows], SECONDS)()
        time.sleep(0.2)
        after = u.metrics()
        seconds = float(after[active]) - float(before[active])
        assert seconds >= SECONDS * 0.98, (seconds, SECONDS)
        worst = 0
        for ours, name, series in rows:
            count, ran, percent = theirs[name]
            assert percent == 100, (name, err)
            if name == "cpu-clock":
                count *= 1e6                # perf prints milliseconds
            rate = (int(after[series]) - int(before[series])) / seconds
            other = count / (ran / 1e9)
            print("  %s: uncored %.6g/s, perf stat %.6g/s, %.4f %% apart"
                  % (ours, rate, other, 100 * abs(rate / other - 1)))
            worst = max(worst, abs(rate / other - 1))
        return worst
    # A sampler that lost its CPU between a read and its clock is a millisecond off; not three times
    # in a row.
    assert any(farthest() < 0.001 for _ in range(3))
    u.stop()


def test_smi_stands_still_or_counts_alike():
    if not os.path.exists(DEVICES + "/msr/events/smi"):
        h.skip("no perf/msr/smi/ here")
    ok, why = can_count("msr/smi/")
    if not ok:
        h.skip("perf may not count msr/smi/ here: " + why)
    u = h.Uncored("--engine", "perf", "-c",
                  conf("smi.conf", 'groups = ( { name = "g"; events = [ "perf/msr/smi/" ]; } );\n'))
    series = 'uncore_msr_smi_total{socket="0",unit="0"}'
    before = int(u.metrics()[series])
    theirs, _ = stat(["msr/smi/"], 1)()
    time.sleep(0.2)
    assert abs(int(u.metrics()[series]) - before - theirs["msr/smi/"][0]) <= 1
    u.stop()


def tree_of_msr(name, cpus, files):
    """A sysfs of these CPUs with nothing but the PMU msr, of this machine's type and with these
    files: its tsc really counts."""
    ok, why = can_count("msr/tsc/")
    if not ok:
        h.skip("perf may not count msr/tsc/ here: " + why)
    msr = "bus/event_source/devices/msr/"
    files = {msr + k: v for k, v in files.items()}
    with open(DEVICES + "/msr/type") as f:
        files.update({msr + "type": f.read().strip(), msr + "format/event": "config:0-63",
                      "cpuinfo": "processor\t: 0",
                      "devices/system/cpu/online": ",".join(cpus)})
    for cpu in cpus:
        files["devices/system/cpu/cpu%s/topology/physical_package_id" % cpu] = "0"
        files["devices/system/cpu/cpu%s/topology/core_id" % cpu] = cpu
    for file, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(h.path(name), file)), exist_ok=True)
        with open(os.path.join(h.path(name), file), "w") as f:
            f.write(text + "\n")
    return h.path(name)


# .scale, .unit, what one count is in the base unit, and the end of the family
UNITS = (("6.103515625e-5", "MiB", 64, "_bytes_total"),
         ("3.814697266e-6", "MiB", 4, "_bytes_total"),
         ("1e15", "KiB", 1024 * 10 ** 15, "_bytes_total"),
         ("2.3283064365386962890625e-10", "Joules", fractions.Fraction(1, 2 ** 32),
          "_joules_total"), (None, "ns", fractions.Fraction(1, 10 ** 9), "_seconds_total"),
         ("2.5", "ms", fractions.Fraction(25, 10 ** 4), "_seconds_total"))


def test_units_of_real_counts():
    """The kernel's units in base units: whole multiples exact to the last digit, the others to that
    of a double; and the count."""
    files, groups = {}, []
    for i, (scale, unit, _, _) in enumerate(UNITS):
        files.update({"events/e%d" % i: "event=0x00", "events/e%d.unit" % i: unit})
        if scale:
            files["events/e%d.scale" % i] = scale
        groups.append('{ name = "g%d"; events = [ "perf/msr/e%d/" ]; }' % (i, i))
    root = tree_of_msr("units", "0", files)
    code, out, err = h.run(h.UNCORED, "--once", "--engine", "perf", "--path-sysfs", root,
                           "--path-procfs", root,
                           "-c", conf("units.conf", "groups = ( %s );\n" % ", ".join(groups)))
    assert code == 0, err
    series = dict(line.rsplit(" ", 1) for line in out.splitlines() if line.startswith("uncore_"))
    assert len(series) == 2 * len(UNITS), series
    for i, (_, _, each, end) in enumerate(UNITS):
        labels = '{socket="0",unit="0"}'
        count, scaled = int(series["uncore_msr_e%d_total%s" % (i, labels)]), \
            series["uncore_msr_e%d%s%s" % (i, end, labels)]
        assert count > 10 ** 6, series
        if isinstance(each, int) and count * each < 2 ** 64:
            assert scaled == str(count * each), (scaled, count, each)
        else:
            assert abs(fractions.Fraction(float(scaled)) / (count * each) -
                       1) < 2 ** -50, (scaled, count, each)


def test_parts_of_a_socket():
    """A PMU that counts on two CPUs of a socket, as one of two dies does: a made-up cpumask, real
    counts on both."""
    if os.cpu_count() < 2:
        h.skip("one CPU")
    root = tree_of_msr("dies", "01", {"cpumask": "0,1", "events/tsc": "event=0x00"})
    u = h.Uncored("--engine", "perf", "--path-sysfs", root, "--path-procfs", root,
                  "-c", conf("dies.conf",
                             'groups = ( { name = "g"; events = [ "perf/msr/tsc/" ]; } );\n'))

    def counted():
        m = u.metrics()
        counts = [int(m['uncore_msr_tsc_total{socket="0",unit="%d"}' % i]) for i in (0, 1)]
        return min(counts) > 5e8 and counts
    counts = h.wait_for("both count", counted)
    print("  unit 0: %d, unit 1: %d counts" % tuple(counts))
    assert abs(counts[0] / counts[1] - 1) < 0.01, counts
    # a socket has one sampler however many dies it has
    threads = [h.read("/proc/%d/task/%s/comm" % (u.p.pid, t)).strip()
               for t in os.listdir("/proc/%d/task" % u.p.pid)]
    assert len([t for t in threads if t.startswith("sampler")]) == 1, threads
    # ThreadSanitizer has one of its own
    assert sorted(threads)[:2] == ["keepalive", "sampler-0"] and len(threads) == 3 or \
        h.SANITIZED, threads
    u.stop()


def test_one_privilege_is_enough():
    """CAP_PERFMON alone counts where the kernel goes by its own rules; where a distribution wants
    more, or without it, a sentence."""
    ok, why = can_count("cpu-clock")
    if os.geteuid() != 0 or not shutil.which("setpriv") or not ok:
        h.skip("not root, or setpriv (util-linux) is missing"
               if ok else "perf may not count here: " + why)
    with open("/proc/sys/kernel/perf_event_paranoid") as f:
        paranoid = int(f.read())
    c = conf("privilege.conf",
             'groups = ( { name = "g"; events = [ "perf/software/cpu-clock/" ]; } );\n')

    def once(privileges):
        return h.run("setpriv", "--bounding-set=-all" + privileges, h.UNCORED,
                     "--once", "--engine", "perf", "-c", c)
    code, out, err = once(",+perfmon")
    if paranoid <= 2:
        assert code == 0 and 'uncore_software_cpu_clock_total{socket="0"' in out, (code, err)
    else:
        assert code == 77, (code, err)
        assert "CAP_PERFMON is not enough: sysctl kernel.perf_event_paranoid=2" in err, (code, err)
    code, out, err = once("")
    if paranoid >= 1:
        assert code == 77 and out == "" and "needs CAP_PERFMON" in err, (code, err)
        assert "(here it is %d)" % paranoid in err, (code, err)
    else:
        assert code == 0, (code, err)


def test_shared_counters():
    """Two groups that the PMU cannot hold together: the kernel lets them take turns, the seconds
    say so, and rates by those seconds agree. A spinning process keeps the CPU's clock running."""
    if not os.path.exists(DEVICES + "/cpu/format/event") or not can_count("cycles")[0]:
        h.skip("perf has no core counters here, or may not use them")
    events = ['"perf/cpu/event=0x76,umask=0x%x,name=c%d/"' % (i, i) for i in range(12)]
    if "GenuineIntel" in h.read("/proc/cpuinfo"):
        events = ['"perf/cpu/event=0x3c,cmask=0x%x,name=c%d/"' % (i // 3, i) for i in range(12)]
    spin = h.Process([sys.executable, "-c",
                      "import os\nos.sched_setaffinity(0, {0})\nwhile True: pass"], "spin")
    u = h.Uncored("--engine", "perf", "-c", conf("shared.conf", 'groups = ( %s );\n' % ", ".join(
        '{ name = "g%d"; events = [ %s ]; }'
        % (g, ", ".join(events[4 * g:4 * g + 4])) for g in range(3))))
    first = u.metrics()
    time.sleep(3)
    last = u.metrics()
    rates = []
    for g in range(3):
        active = 'uncored_group_active_seconds_total{socket="0",group="g%d"}' % g
        series = 'uncore_cpu_c%d_total{socket="0",unit="0"}' % (4 * g)
        seconds = float(last[active]) - float(first[active])
        rates.append((int(last[series]) - int(first[series])) / seconds)
        print("  g%d: active %.2f s of 3, %.4g cycles a second" % (g, seconds, rates[-1]))
        assert 0.1 < seconds < 3.3, last
    wall = sum(float(last['uncored_group_active_seconds_total{socket="0",group="g%d"}' % g]) -
               float(first['uncored_group_active_seconds_total{socket="0",group="g%d"}'
                           % g]) for g in range(3))
    print("  together %.2f s of 9" % wall)
    assert wall < 8.5, "three groups of four events should not fit into this PMU at once"
    assert max(rates) < 1.5 * min(rates), rates
    u.stop()
    spin.kill()


def test_too_large_a_group_is_refused():
    """More events than any core PMU has counters: refused at start with all names, not counted by
    turns."""
    if not os.path.exists(DEVICES + "/cpu/format/event") or not can_count("cycles")[0]:
        h.skip("perf has no core counters here, or may not use them")
    events = ", ".join('"perf/cpu/event=0x%x,name=c%d/"' % (0xc0 + i, i) for i in range(40))
    code, _, err = h.run(h.UNCORED, "--once", "--engine", "perf", "-c",
                         conf("large.conf",
                              'groups = ( { name = "g"; events = [ %s ]; } );\n' % events))
    assert code == 78 and "cannot count" in err and "Move one to another group" in err, (code, err)


def tree_of_controllers(name, known):
    """Two sockets, a CPU each, and four memory controllers of Arm's that really count: their type
    is that of software events. known: whether the kernel shows their NUMA nodes; they are served by
    CPU 1 in any case."""
    files = {"cpuinfo": "CPU implementer\t: 0x41\nCPU part\t: 0xd0c",
             "devices/system/cpu/online": "0-1"}
    for cpu, socket in (0, 36), (1, 3180):
        files["devices/system/cpu/cpu%d/topology/physical_package_id" % cpu] = str(socket)
        files["devices/system/cpu/cpu%d/topology/core_id" % cpu] = "0"
        files["devices/system/node/node%d/cpulist" % cpu] = str(cpu)
    for unit in range(4):
        pmu = "arm_dmc620_%d0008c000" % (unit + 1)
        device = "devices/platform/ARMHD620:%02d/" % unit if known else "devices/"
        files.update({device + pmu + "/type": "1", device + pmu + "/format/event": "config2:3-8",
                      device + pmu + "/format/clkdiv2": "config2:9",
                      device + pmu + "/events/clkdiv2_rdwr": "event=0x12,clkdiv2=0x1",
                      device + pmu + "/events/clk_cycle_count": "event=0x0,clkdiv2=0x0"})
        if known:
            files[device + "numa_node"] = str(unit // 2)
            files[device + pmu + "/cpumask"] = "1"
        at = os.path.join(h.path(name), "bus/event_source/devices")
        os.makedirs(at, exist_ok=True)
        os.symlink("../../../" + device + pmu, os.path.join(at, pmu))
    for file, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(h.path(name), file)), exist_ok=True)
        with open(os.path.join(h.path(name), file), "w") as f:
            f.write(text + "\n")
    return h.path(name)


def test_a_device_counts_once():
    """On the socket of its NUMA node, not on that of the CPU which serves it, nor on both. Where
    the kernel does not say the node, not at all, and that is said."""
    ok, why = can_count("cpu-clock")
    if not ok or not {0, 1} <= os.sched_getaffinity(0):
        h.skip(why or "this needs CPUs 0 and 1")
    paths = []
    for known in True, False:
        root = tree_of_controllers("known-%d" % known, known)
        paths.append(("--path-sysfs", root, "--path-procfs", root, "--path-run", h.path("run")))
    u = h.Uncored("-c", conf("none.conf", ""), "--engine", "perf", *paths[0])
    counted = 'uncore_arm_dmc620_clkdiv2_rdwr_total{socket="%d",unit="%d"}'
    places = {36: (0, 1), 3180: (2, 3)}
    wanted = [counted % (s, unit) for s in places for unit in places[s]]
    m = h.wait_for("all count", lambda: next(
        (m for m in [u.metrics()] if all(int(m.get(k, 0)) > 0 for k in wanted)), None))
    series = {k for k in m if k.startswith("uncore_arm_dmc620_clkdiv2_rdwr_total{")}
    assert series == set(wanted), series
    for socket, units in places.items():
        rows = [int(m[counted % (socket, unit)]) for unit in units]
        assert int(m['uncore_memory_bytes_total{socket="%d"}' % socket]) == 64 * sum(rows), m
    assert u.stop() == 0
    code, _, err = h.run(h.UNCORED, "--once", "-c", conf("none.conf", ""), "--engine", "perf",
                         *paths[1])
    assert code == 69 and "on which of the 2 sockets" in err, (code, err)


h.main(sys.modules[__name__])
