# SPDX-License-Identifier: MIT
"""rows_perf.py - what sampling perf events costs: beside a bare loop of the same group reads,
beside perf stat -I.

All count the same events on CPU 0 every 10 ms. uncored and the bare loop run in the same seconds,
so that what else the machine does meets both alike; perf stat follows. The row with two CPUs is a
PMU with a part on each, as on sockets of several dies: one thread reads both, which costs an
interrupt on the other CPU.
"""
import os
import shutil
import statistics
import subprocess
import time

from common import HERE, ROUNDS, Row, cpu, floor, h, threads

PERF = shutil.which("perf")
MSR_TYPE = "/sys/bus/event_source/devices/msr/type"
MS = 10


def two_dies():
    """A sysfs in which msr counts on CPUs 0 and 1 of one socket; its type is the real one."""
    root = h.path("dies")
    files = {"devices/system/cpu/online": "0-1", "cpuinfo": "processor\t: 0",
             "bus/event_source/devices/msr/type": h.read(MSR_TYPE).strip(),
             "bus/event_source/devices/msr/cpumask": "0,1",
             "bus/event_source/devices/msr/format/event": "config:0-63",
             "bus/event_source/devices/msr/events/tsc": "event=0x00"}
    for n in "01":
        files["devices/system/cpu/cpu%s/topology/physical_package_id" % n] = "0"
        files["devices/system/cpu/cpu%s/topology/core_id" % n] = n
    for name, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
        with open(os.path.join(root, name), "w") as f:
            f.write(text + "\n")
    return ["--path-sysfs", root, "--path-procfs", root]


def uncored(n, cpus, seconds):
    """CPU ns a second of the bare loop, of the sampler thread, of both processes together."""
    events = ", ".join('"perf/msr/tsc,name=t%d/"' % i for i in range(n))
    conf = h.write("perf.conf",
                   'interval = "%dms"; groups = ( { name = "g"; events = [ %s ]; } );\n'
                   % (MS, events))
    u = h.Uncored("--engine", "perf", "-c", conf, *(two_dies() if cpus > 1 else []),
                  argv0=["taskset", "-c", "0"] if cpus > 1 else None)
    both = u.pid, u.child()
    time.sleep(0.3)
    before, all_before, at = threads(u.pid)["sampler-0"], cpu(*both), time.monotonic()
    bare = floor("floor_perf", n, seconds, MS, cpus)[1] / seconds
    after, all_after, took = threads(u.pid)["sampler-0"], cpu(*both), time.monotonic() - at
    u.stop()
    return bare, (after - before) / took, (all_after - all_before) / took


def perf_stat(n, seconds):
    """CPU ns a second of perf, its start-up taken off."""
    def run(s):
        p = subprocess.Popen([PERF, "stat", "-C", "0", "-x", ",", "-I", str(MS), "-o", "/dev/null",
                              "-e", ",".join(["msr/tsc/"] * n),
                              "--", "sleep", str(s)], stdin=subprocess.DEVNULL)
        usage = os.wait4(p.pid, 0)[2]
        return (usage.ru_utime + usage.ru_stime) * 1e9
    return (run(seconds) - run(0.01)) / seconds


def why_not():
    """Why perf events cannot be measured here, or None."""
    if not os.path.exists(MSR_TYPE):
        return "no msr PMU"
    return h.run(HERE + "/floor_perf", "1", "0", "1", "1")[2].strip() or None


def rows(seconds=2):
    us = MS / 1e6
    reason = why_not()
    for n, cpus in [(8, 1), (98, 1)] + ([(8, 2)] if os.cpu_count() > 1 else []):
        got = [] if reason else \
            [(*uncored(n, cpus, seconds), perf_stat(n, seconds) if PERF and n == 98 else None)
             for _ in range(ROUNDS)]
        mid = [statistics.median(g[i] for g in got) for i in range(3)] if got else None
        yield Row("CPU per counter sample, perf engine, %d counters%s in groups / bare group reads"
                  % (
                      n * cpus, " on two CPUs" if cpus > 1 else ""), "<= 1.3",
                      [g[1] / g[0] for g in got],
                  "%.1f us a tick, bare %.1f us" % (mid[1] * us, mid[0] * us) if got else reason,
                  why="what is not the kernel's read is data and code that went cold between "
                      "two ticks.")
        if n == 98:
            stat = [g[2] / g[3] for g in got if g[3]]
            idle = floor("floor_perf", 0, seconds, MS, 1)[1] / seconds if stat else 0
            yield Row("CPU per counter and interval, both processes, 98 counters at 10 ms / perf "
                      "stat -I 10", "<= 0.083", stat,
                      "%.1f us, perf stat %.1f us an interval: 1/%.0f" % (
                          mid[2] * us, statistics.median(g[3] for g in got) * us,
                          1 / statistics.median(stat))
                      if stat else reason or "perf is not installed",
                      why="a bare loop of the same group reads alone takes 1/%.0f of perf stat "
                          "here: the kernel reads each of the "
                          "98 events for both. Waking up at each tick, reading nothing, takes "
                          "1/%.0f already." % (
                              statistics.median(g[3] / g[0] for g in got),
                              statistics.median(g[3] for g in got) / idle)
                      if stat else "")
