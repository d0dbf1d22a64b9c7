# SPDX-License-Identifier: MIT
"""rows_timer.py - how late a sampler at 1 kHz wakes while scrapers ask 1000 times a second, beside
a bare timer of the same policy next to the static floor under the same scrapes; in turn, five
rounds. uncored is stopped while the bare timer runs: a CPU that another timer has just woken wakes
sooner, so that the bare timer would gain from uncored's ticks and not the other way round.

What uncored does late is seen from outside: wide_msr.so notes when the first register of each tick
is read.
"""
import statistics
import threading
import time

from common import EVENTS, ROUNDS, Row, conf, floor, h, percentile, sampler_policy
from rows_http import start_floor, start_uncored
from standin import Standin, TickLog

US = 1000
RATE = 1000
CONNECTIONS = 10


def scraped(server, seconds, meanwhile):
    """Scrapers at a fixed rate for so long; what meanwhile() returned."""
    t = threading.Thread(target=floor, args=("load", server.port, server.path, CONNECTIONS,
                                             seconds + 0.4, RATE, 1))
    t.start()
    got = meanwhile()
    t.join()
    return got


def rows(seconds=1.5):
    stand = Standin(conf(EVENTS, "1ms"))
    ticks = TickLog(stand, US)
    u, me = start_uncored(stand, on=-1, env=ticks.env)
    fifo = sampler_policy(u.pid)
    p, bare = start_floor(me.whole_size(), on=-1)

    def missed():
        return u.value('uncored_ticks_missed_total{socket="0"}')

    def mine():
        first, before = ticks.count(), missed()
        time.sleep(seconds)
        return ticks.since(first), missed() - before

    got, n_missed = [], 0
    for _ in range(ROUNDS):
        late, n = scraped(me, seconds, mine)
        n_missed += n
        with h.stopped(u.pid):
            _, p50, p99, top = scraped(bare, seconds,
                                       lambda: floor("floor_timer", US, seconds, 0, fifo))
        time.sleep(0.1)
        got.append((percentile(late, 0.5), percentile(late, 0.99), max(late), p50, p99, top))
    u.stop()
    p.stop()
    stand.remove()
    mid = [statistics.median(g[i] for g in got) / 1000 for i in range(6)]
    policy = "SCHED_FIFO" if fifo else "ordinary policy"
    why = ("what a tick waits for is the kernel: where it is not preemptible (PREEMPT_NONE), "
           "whatever system call runs on that CPU ends first, "
           "and sending a body takes tens of us. Stalls at 15 of 1500 ticks decide. Where this was "
           "looked at, a bare timer that reads as many registers was as late, in turn.")
    yield Row("tick lateness at 1 kHz under %d scrapes/s, p50 / bare timer" % RATE, "<= 1.15",
              [g[0] / g[3] for g in got],
              "%.1f us, bare %.1f us; %s" % (mid[0], mid[3], policy), why=why)
    yield Row("tick lateness at 1 kHz under %d scrapes/s, p99 / bare timer" % RATE, "<= 1.5",
              [g[1] / g[4] for g in got],
              "%.1f us, bare %.1f us; %d ticks missed, counted as such"
              % (mid[1], mid[4], n_missed), why=why)
