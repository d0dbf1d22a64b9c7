"""perf.py - what sampling perf events costs: uncored, a bare loop of the same group reads, perf stat -I.

All count the same events on CPU 0 every 10 ms. uncored and the bare loop run in the same seconds, so that what else the
machine does meets both alike; perf stat follows; medians of the rounds are compared.
    python3 perf.py [SECONDS [ROUNDS]]      after `make`, with top_builddir set; `make bench` does it
Goals: the sampler thread at most 1.3 times the bare loop; less CPU than perf stat.
The last row is a PMU with a part on each of two CPUs, as on sockets of several dies: one thread reads both, which costs
an interrupt on the other CPU.
"""
import os
import shutil
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("top_srcdir", "."), "tests/e2e"))
import harness as h  # noqa: E402

FLOOR = os.path.join(h.BUILD, "tests/bench/floor_perf")
PERF = shutil.which("perf")
SECONDS = int(sys.argv[1]) if len(sys.argv) > 1 else 4
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 5
INTERVAL_MS = 10
GOAL = 1.3


def threads(pid):
    """{name: ns on a CPU} of the threads of a process."""
    out = {}
    for task in os.listdir("/proc/%d/task" % pid):
        at = "/proc/%d/task/%s/" % (pid, task)
        out[open(at + "comm").read().strip()] = int(open(at + "schedstat").read().split()[0])
    return out


def two_dies():
    """A sysfs in which msr counts on CPUs 0 and 1 of one socket; its type is the real one."""
    root = h.path("dies")
    files = {"devices/system/cpu/online": "0-1", "cpuinfo": "processor\t: 0",
             "bus/event_source/devices/msr/type": open("/sys/bus/event_source/devices/msr/type").read().strip(),
             "bus/event_source/devices/msr/cpumask": "0,1", "bus/event_source/devices/msr/format/event": "config:0-63",
             "bus/event_source/devices/msr/events/tsc": "event=0x00"}
    for cpu in "01":
        files["devices/system/cpu/cpu%s/topology/physical_package_id" % cpu] = "0"
        files["devices/system/cpu/cpu%s/topology/core_id" % cpu] = cpu
    for name, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
        with open(os.path.join(root, name), "w") as f:
            f.write(text + "\n")
    return ["--path-sysfs", root, "--path-procfs", root]


def uncored(n, cpus):
    """CPU nanoseconds a second of the bare loop, of the sampler thread, and of both uncored processes together."""
    events = ", ".join('"perf/msr/tsc,name=t%d/"' % i for i in range(n))
    conf = h.write("bench.conf", 'interval = "%dms"; groups = ( { name = "g"; events = [ %s ]; } );\n' % (INTERVAL_MS, events))
    u = h.Uncored("--engine", "perf", "-c", conf, *(two_dies() if cpus > 1 else []),
                  argv0=["taskset", "-c", "0"] if cpus > 1 else None)
    child = u.child()
    time.sleep(0.5)
    before, at = (threads(u.pid), threads(child)), time.monotonic()
    code, out, err = h.run(FLOOR, str(n), str(SECONDS), str(INTERVAL_MS), str(cpus))
    after, seconds = (threads(u.pid), threads(child)), time.monotonic() - at
    if code:
        h.skip(err.strip())
    missed = u.metrics()['uncored_ticks_missed_total{socket="0"}']
    u.stop()
    sampler = after[0]["sampler-0"] - before[0]["sampler-0"]
    both = sum(sum(a.values()) - sum(b.values()) for a, b in zip(after, before))
    return int(out.split()[1]) / SECONDS, sampler / seconds, both / seconds, missed


def perf_stat(n, cpus):
    """CPU nanoseconds a second of perf, its start-up taken off."""
    def run(seconds):
        p = subprocess.Popen([PERF, "stat", "-C", ",".join(map(str, range(cpus))), "-x", ",", "-I", str(INTERVAL_MS), "-o", "/dev/null", "-e",
                              ",".join(["msr/tsc/"] * n), "--", "sleep", str(seconds)], stdin=subprocess.DEVNULL)
        usage = os.wait4(p.pid, 0)[2]
        return (usage.ru_utime + usage.ru_stime) * 1e9
    return (run(SECONDS) - run(0.01)) / SECONDS


def main():
    bad = 0
    print("msr/tsc/ every %d ms on CPU 0, %d s each, median of %d; microseconds of CPU per tick" % (INTERVAL_MS, SECONDS, ROUNDS))
    print("%8s %10s %10s %7s %10s %10s %7s" % ("events", "bare loop", "sampler", "ratio", "uncored", "perf stat", "ratio"))
    for n, cpus in [(8, 1), (32, 1), (98, 1)] + ([(8, 2)] if os.cpu_count() > 1 else []):
        rows = [(*uncored(n, cpus), perf_stat(n, cpus) if PERF else 0) for _ in range(ROUNDS)]
        bare, sampler, both, missed, stat = (statistics.median(float(r[i]) for r in rows) for i in range(5))
        ratio = statistics.median(r[1] / r[0] for r in rows)    # of the same seconds
        us = INTERVAL_MS / 1e6
        print("%8s %10.1f %10.1f %6.2fx %10.1f %10s %7s" % (
            "%d x %d" % (cpus, n) if cpus > 1 else n, bare * us, sampler * us, ratio, both * us, "%.1f" % (stat * us) if stat else "absent",
            "%.2fx" % (both / stat) if stat else ""), flush=True)
        if ratio > GOAL:
            print("        above the goal of %.1f times the bare loop" % GOAL)
            bad = 1
        if stat and both >= stat:
            print("        not below perf stat")
            bad = 1
        if missed:
            print("        %d ticks missed" % missed)
    sys.exit(bad)


main()
