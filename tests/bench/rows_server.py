# SPDX-License-Identifier: MIT
"""rows_server.py - what uncored costs on the servers of today: trees of their sysfs with all CPUs
and PMUs (trees.py), on which perf_kernel.so counts. uncored is as it is shipped.
"""
import os
import re
import shutil
import statistics
import tempfile
import time

from common import HERE, Row, cpu, floor, h, threads
from rows_plan import tree
from rows_start import first_scrape, kept

# (what, arguments of trees.grown())
ICE_LAKE = ("Ice Lake, 2 x 80 CPUs", ("icx", 2, 1, 80))
GRANITE_RAPIDS = ("Granite Rapids, 2 x 256 CPUs", ("gnr", 2, 1, 256))
SAPPHIRE_RAPIDS = ("Sapphire Rapids, 8 x 120 CPUs", ("spr", 8, 1, 120))
ENV = {"LD_PRELOAD": os.path.join(HERE, "perf_kernel.so")}
STARTS = 9
WINDOW, WINDOWS = 10, 3         # s
SCRAPED_EVERY, SCRAPES = 15, 2  # s
WHY_START = ("perf record: two thirds are the kernel's, most of that opening, reading and closing "
             "files of sysfs, one for each CPU's place and each term of each PMU; a quarter is the "
             "plan.")
WHY_MEMORY = ("smaps of Granite Rapids: of uncored 1.5 MiB are its heap (what the PMUs say, the "
              "plan, samplers and counters), 1.1 its own code and tables, "
              "1.0 libsystemd with six libraries; of uncored-http 1.5 libmicrohttpd with ten of "
              "GnuTLS, 0.5 the names of all series, 0.5 code and tables; the rest is below 0.1 "
              "each.")
MEMORY_STARTS = 3


def options(root):
    return ["--engine", "perf", "--path-sysfs", root, "--path-procfs", root, "--path-run",
            h.path("run")]


def start(root, *args):
    return h.Uncored(*options(root), *args, env=ENV)


def counted(pid):
    """How many events it has open."""
    at = "/proc/%d/fd/" % pid
    return sum(os.readlink(at + fd) == "anon_inode:[eventfd]" for fd in os.listdir(at))


def last_series(root):
    """The beginning of one of the last socket's, which is there once that has been sampled."""
    u = start(root)
    socket = max(int(s) for s in re.findall(r'uncored_up\{socket="(\d+)"', "\n".join(u.metrics())))
    counted = [k for k in u.metrics() if k.startswith("uncore_") and 'socket="%d"' % socket in k]
    assert not [k for k in u.metrics() if k.startswith("uncored_slot_invalid")]
    u.stop()
    return counted[-1]


def start_row(what, machine):
    root = tree(machine)
    marker, pairs = last_series(root), []
    for _ in range(STARTS):
        port = h.free_port()
        mine = first_scrape(marker, port, h.UNCORED, "--listen", "127.0.0.1:%d" % port,
                            *options(root), env=ENV)
        port = h.free_port()
        pairs.append((mine, first_scrape("x", port, HERE + "/floor_http", "50000", "-1", port)))
    mine, bare = (statistics.median(p) for p in zip(*pairs))
    files, ns = floor("floor_sysfs", root)
    return Row("start to first full scrape, %s / static floor" % what, "<= 13", [mine / bare],
               "%.1f ms, floor %.1f ms, medians of %d; reading the same %d files %.1f ms"
               % (mine, bare, STARTS, files, ns / 1e6), why=WHY_START)


def main_thread(pid):
    """ns on a CPU."""
    return threads(pid)["uncored"]


def idle_row(what, machine):
    """The main thread, which nobody asks for anything. A window has one look at the own cost, which
    comes every 10 s."""
    u = start(tree(machine))
    time.sleep(1)
    got = []
    for _ in range(WINDOWS):
        before, at = main_thread(u.pid), time.monotonic()
        time.sleep(WINDOW)
        got.append((main_thread(u.pid) - before) / (time.monotonic() - at) / 1000)
    events = counted(u.pid)
    u.stop()
    bare = floor("floor_perf", 0, 2, 1000, 1)[1] / 2000
    return Row("idle, CPU of the main thread a second: " + what, "<= 250", got,
               "%d events; a bare timer %.0f us" % (events, bare), " us")


def pids(u):
    return u.pid, u.child(), h.child_of(u.pid, "uncored-spawner")


def whole_row(what, machine):
    """All processes as most are used: every event once a second, a scrape in 15 s."""
    u = start(tree(machine))
    series = len([k for k in u.metrics() if k.startswith("uncore_")])
    time.sleep(1)
    before, at = cpu(*pids(u)), time.monotonic()
    for _ in range(SCRAPES):
        time.sleep(SCRAPED_EVERY)
        u.get("/metrics")
    used = (cpu(*pids(u)) - before) / (time.monotonic() - at)
    events = counted(u.pid)
    u.stop()
    return Row("CPU of all processes, each event once a second, a scrape in %d s: %s"
               % (SCRAPED_EVERY, what), "", [used / 1e7],
               "of one core; %d events, %d series; without what the hardware takes to be read"
               % (events, series), " %")


def alone():
    """A directory with copies of both programs and of their libraries, which no other process has:
    of a page that several processes have each has a part. The C library is everybody's."""
    at = tempfile.mkdtemp(dir=h.path(""))
    for program in h.UNCORED, h.HTTP:
        code, libraries, err = h.run("ldd", program)
        assert code == 0, err
        for path in [program] + re.findall(r"=> (/\S+)", libraries):
            if not os.path.basename(path).startswith("libc.so"):
                shutil.copy(path, at)
    return at


def memory_rows(what, machine, goal, *args):
    """All three processes, after a scrape of each text format."""
    root, here = tree(machine), alone()
    env = {**ENV, "LD_LIBRARY_PATH": here}
    got = []
    for _ in range(MEMORY_STARTS):
        u = h.Uncored(*options(root), *args, env=env, program=os.path.join(here, "uncored"))
        for kind in ("text/plain", "application/openmetrics-text;version=1.0.0"):
            u.get("/metrics", {"Accept": kind})
        got.append([kept(pid) for pid in pids(u)])
        events = counted(u.pid)
        u.stop()
    names = ("uncored", "uncored-http", "uncored-spawner")
    for i, (kind, limit) in enumerate((("memory (PSS)", goal), ("anonymous memory", ""))):
        parts = [statistics.median(start[k][i] for start in got) for k in range(len(names))]
        yield Row("%s of all processes: %s, %d events" % (kind, what, events), limit,
                  [sum(process[i] for process in start) for start in got],
                  ", ".join("%s %.1f" % pair for pair in zip(names, parts)) + " MiB", " MiB",
                  WHY_MEMORY)


def many_events():
    """A configuration with three groups that take turns on the counters of each unit."""
    groups = []
    for g in range(3):
        events = ['"perf/uncore_%s/event=0x1,umask=%d,name=%c%d/"' % (pmu, 10 * g + k, "abc"[g], k)
                  for pmu, n in (("cha", 4), ("iio", 2), ("imc", 2)) for k in range(n)]
        groups.append('{ name = "g%d"; events = [ %s ]; }' % (g, ", ".join(events)))
    return h.write("many.conf", "groups = ( %s );\n" % ", ".join(groups))


def rows():
    yield start_row(*GRANITE_RAPIDS)
    for machine in (ICE_LAKE, GRANITE_RAPIDS, SAPPHIRE_RAPIDS):
        yield idle_row(*machine)
    yield whole_row(*GRANITE_RAPIDS)
    # 7.7 before uncored-http kept ten minutes of history, which may take 1.8
    yield from memory_rows(*GRANITE_RAPIDS, "<= 9.5")
    yield from memory_rows(*SAPPHIRE_RAPIDS, "<= 22.9", "-c", many_events())
