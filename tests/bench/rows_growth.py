# SPDX-License-Identifier: MIT
"""rows_growth.py - how cost grows with counters, sockets and scrapers: 10 ms ticks on the msr path.

Each point is five windows of one run; the rows compare the ends of a curve, CURVES holds what is
drawn.
"""
import concurrent.futures
import statistics
import threading
import time

from common import EVENTS, ROUNDS, TEN, Row, conf, cpu, floor, percentile, samplers
from rows_http import start_uncored
from standin import Standin, TickLog

MS = 10
RATE = 500              # scrapes a second, all scrapers together
CURVES = []             # (title, x label, y label, {name: [(x, median)]})


def window(u, server, ticks, sockets, seconds):
    """One window: sampling us per tick of the grid, us of the http process a second, lateness p50
    and p99 in us."""
    child = server.pids[1]
    first, sampled, served, at = ticks.count(), samplers(u.pid), cpu(child), time.monotonic()
    time.sleep(seconds)
    late = ticks.since(first)
    sampled, served, took = samplers(u.pid) - sampled, cpu(child) - served, time.monotonic() - at
    return (sampled / 1000 / (len(late) / sockets), served / 1000 / took,
            percentile(late, 0.5) / 1000, percentile(late, 0.99) / 1000)


def point(events, sockets, scrapers, seconds):
    """Windows of one configuration, and us that bare preads of one socket's counters take."""
    stand = Standin(conf(events, "%dms" % MS), sockets)
    ticks = TickLog(stand, 1000 * MS)
    u, server = start_uncored(stand, on=-1, env=ticks.env)
    time.sleep(0.2)
    load = None
    if scrapers:
        load = threading.Thread(target=floor, args=("load", server.port, server.path, scrapers,
                                                    ROUNDS * seconds + 0.3, RATE, 1))
        load.start()
        time.sleep(0.1)
    got = [window(u, server, ticks, sockets, seconds) for _ in range(ROUNDS)]
    if load:
        load.join()
    n, ns = floor("floor_pread", stand.file(), 1000 * MS, seconds, 0, 0, *stand.offsets())
    u.stop()
    stand.remove()
    return got, ns / n / 1000


def bare_timers(n, seconds):
    """How late timers on the first n CPUs are, that do nothing else: p50 in us."""
    with concurrent.futures.ThreadPoolExecutor(n) as pool:
        late = list(pool.map(lambda cpu: floor("floor_timer", 1000 * MS, ROUNDS * seconds, cpu, 1),
                             range(n)))
    return statistics.median(p50 for _, p50, _, _ in late) / 1000


def middle(windows, i):
    return statistics.median(w[i] for w in windows)


def rows(seconds=0.6):
    few = [(n, point(TEN[:n], 1, 0, seconds)) for n in (1, 10)]
    many = [(s, point(EVENTS, s, 0, seconds)) for s in (1, 2, 4, 8)]
    asked = [(n, point(EVENTS, 1, n, seconds)) for n in (1, 16, 200)]
    one, two, eight = (dict(many)[n][0] for n in (1, 2, 8))
    counters = few + [(98 * s, p) for s, p in many if s in (1, 8)]
    CURVES[:] = [
        ("Sampling", "counters (784: on eight sockets)", "us of CPU per tick",
         {"uncored": [(n, middle(w, 0)) for n, (w, _) in counters],
          "bare preads": [(n, b * (8 if n > 98 else 1)) for n, (_, b) in counters]}),
        ("Sockets", "sockets of 98 counters", "us", {
            "CPU per tick and socket": [(s, middle(w, 0) / s) for s, (w, _) in many],
            "lateness p50": [(s, middle(w, 2)) for s, (w, _) in many]}),
        ("Scrapers", "connections, %d scrapes/s together" % RATE, "us", {
            "sampling, per tick": [(n, middle(w, 0)) for n, (w, _) in asked],
            "serving, per scrape": [(n, middle(w, 1) / RATE) for n, (w, _) in asked]}),
    ]
    yield Row("growth: CPU per counter and tick, 784 counters on 8 sockets / 98 on one", "<= 1.2",
              [b[0] / 8 / a[0] for a, b in zip(one, eight)],
              "%.1f us a socket, one alone %.1f us" % (middle(eight, 0) / 8, middle(one, 0)))
    yield Row("growth: tick lateness p50, 2 sockets / 1", "<= 1.2",
              [b[2] / a[2] for a, b in zip(one, two)],
              "%.1f us, %.1f us" % (middle(two, 2), middle(one, 2)),
              why="bare timers on both CPUs at once are %.1f us late, on one %.1f us."
                  % (bare_timers(2, seconds), bare_timers(1, seconds)))
    yield Row("growth: CPU of sampling, 200 scrapers / 1", "<= 1.2",
              [b[0] / a[0] for a, b in zip(asked[0][1][0], asked[2][1][0])],
              "%.1f us a tick, %.1f us; without any %.1f us"
              % (middle(asked[2][1][0], 0), middle(asked[0][1][0], 0), middle(one, 0)))
    yield Row("growth: CPU per scrape, 200 scrapers / 1", "",
              [b[1] / a[1] for a, b in zip(asked[0][1][0], asked[2][1][0])],
              "%.0f us, %.0f us" % (middle(asked[2][1][0], 1) / RATE,
                                    middle(asked[0][1][0], 1) / RATE))
