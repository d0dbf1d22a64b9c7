# SPDX-License-Identifier: MIT
"""rows_start.py - from the start to the first scrape that has everything, beside the static floor;
memory with every counter of eight sockets and 200 scrapers."""
import re
import statistics
import threading
import time

from common import EVENTS, HERE, ROUNDS, Row, conf, floor, h
from rows_http import start_uncored
from standin import Standin

SOCKETS = 8
# of each, in turn, for one ratio of medians: whether both CPUs are free differs from start to start
STARTS = 7
CONNECTIONS = 200
WHY_START = ("what is on the way: the loader of two programs, one after the other; libmicrohttpd "
             "and its nine libraries, which the "
             "floor loads too and which take as long as configuration, plan, names and first "
             "samples together; privileges and the system call "
             "filter; the first page. Where both processes have to share a CPU it is the sum "
             "of both.")
WHY_MEMORY = ("200 connections of libmicrohttpd with 12 kB each are 2.3 MiB, bodies and names 2.2, "
              "plan, samplers and state 1.9, what the "
              "loader wrote 1.8, pages of programs and libraries the rest: more, where no other "
              "program has the same libraries loaded.")
OPENMETRICS = {"Accept": "application/openmetrics-text;version=1.0.0"}


def first_scrape(marker, port, *command, env=None):
    return floor("first_scrape", port, "/metrics", marker, *command, env=env)[0]


def start_rows():
    c = conf(EVENTS, "1s")
    last = 'uncore_wbox_clockticks_total{socket="1"'
    got = []
    for _ in range(ROUNDS):
        pairs = []
        for _ in range(STARTS):
            port = h.free_port()
            mine = first_scrape(last, port, h.UNCORED, "--listen", "127.0.0.1:%d" % port, "-c", c,
                                "--engine", "model:nehalem-ex")
            port = h.free_port()
            pairs.append((mine, first_scrape("x", port, HERE + "/floor_http", "50000", "-1", port)))
        got.append([statistics.median(p) for p in zip(*pairs)])
    mine, bare = (statistics.median(g[i] for g in got) for i in range(2))
    yield Row("start to first full scrape, model, 196 counters / static floor", "<= 2.5",
              [g[0] / g[1] for g in got],
              "%.1f ms, floor %.1f ms" % (mine, bare), why=WHY_START)
    yield Row("start to first full scrape, model, 196 counters", "<= 50", [g[0] for g in got],
              unit=" ms", why=WHY_START)


def kept(pid):
    """MiB: its part of all pages that it has; its part of those that are no file's."""
    rollup = h.read("/proc/%d/smaps_rollup" % pid)
    return [int(re.search(r"\n%s:\s+(\d+)" % kind, rollup).group(1)) / 1024
            for kind in ("Pss", "Pss_Anon")]


def memory_rows():
    """While 200 connections are open, each of which has scraped, and both text formats have been
    asked for."""
    stand = Standin(conf(EVENTS, "1s"), SOCKETS)
    u, server = start_uncored(stand, on=-1)
    got = []
    slots = sum(name.startswith("uncored_slot_valid") for name in u.metrics())
    assert slots == 98 * SOCKETS, slots
    for _ in range(ROUNDS):
        t = threading.Thread(target=floor,
                             args=("load", server.port, server.path, CONNECTIONS, 1.2, 0, 1))
        t.start()
        time.sleep(0.7)
        u.get("/metrics", OPENMETRICS)
        got.append([kept(p)[0] for p in server.pids])
        t.join()
    u.stop()
    stand.remove()
    yield Row("memory (PSS) of both processes, %d counters, %d connections" % (slots, CONNECTIONS),
              "<= 14", [sum(g) for g in got],
              "%.1f + %.1f MiB" % tuple(statistics.median(g[i] for g in got) for i in range(2)),
              " MiB", why=WHY_MEMORY)


def rows():
    yield from start_rows()
    yield from memory_rows()
