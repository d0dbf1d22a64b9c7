# SPDX-License-Identifier: MIT
"""rows_device.py - what sampling registers through the msr device path costs beside bare preads of
the same file.

uncored and the bare loop run in the same seconds on the same CPU, half an interval apart. The bare
loop reads the same registers as often: all counters at each tick, and ten times a second what
uncored compares to know that they are still its own. uncored also wraps, totals, derives,
publishes. Beside the counters alone the checks are uncored's own cost.
"""
import statistics
import time

from common import EVENTS, ROUNDS, Row, conf, cpu, floor, sampler_policy, threads
from standin import Standin

CHECK_US = 100000       # between two checks


def measure(stand, u, us, seconds, checks=True):
    """CPU ns per tick: bare loop, sampler thread; both of the same seconds."""
    also = ["+", CHECK_US // us, *stand.checked()] if checks else []
    fifo = sampler_policy(u.pid)
    before, ticks = threads(u.pid)["sampler-0"], u.value('uncored_samples_total{socket="0"}')
    bare_ticks, bare = floor("floor_pread", stand.file(), us, seconds, 0, fifo,
                             *stand.offsets(), *also)
    time.sleep(0.15)            # what is published last
    after, ticks = threads(u.pid)["sampler-0"], u.value('uncored_samples_total{socket="0"}') - ticks
    return bare / bare_ticks, (after - before) / ticks


def device_rows(seconds):
    for ms in (10, 1):
        stand = Standin(conf(EVENTS, "%dms" % ms))
        u = stand.start()
        time.sleep(0.3)
        got = [(measure(stand, u, 1000 * ms, seconds), measure(stand, u, 1000 * ms, seconds, False))
               for _ in range(ROUNDS)]
        assert not [k for k in u.metrics() if k.startswith("uncored_slot_invalid")]
        n = len(stand.registers)
        u.stop()
        stand.remove()
        for k, goal, what in ((0, "<= 1.3", "the same preads, checks included"),
                              (1, "", "preads of the counters alone")):
            yield Row("CPU per counter sample, msr path, %d counters at %d ms / %s" % (n, ms, what),
                      goal,
                      [g[k][1] / g[k][0] for g in got],
                      "%.0f ns a counter and tick, bare %.0f"
                      % tuple(statistics.median(g[k][i] for g in got) / n for i in (1, 0)),
                      why="the kernel's part of the preads is 8 tenths of the sampler's time; "
                          "uncored's are behind a system call filter, whose price has a row of its "
                          "own; the rest is code and data that went cold between two ticks, and "
                          "grows with what else runs on the CPU.")


def whole_rows(seconds):
    """Both processes with everything on: 98 counters at 1 kHz, a histogram of every derived metric,
    one scrape a second."""
    stand = Standin(conf(EVENTS, "1ms", "distribution = { counters = false; };"))
    u = stand.start()
    pids = u.pid, u.child()
    time.sleep(0.3)
    got, missed, fifo = [], u.value('uncored_ticks_missed_total{socket="0"}'), sampler_policy(u.pid)
    for _ in range(ROUNDS):
        before, at = cpu(*pids), time.monotonic()
        bare = floor("floor_pread", stand.file(), 1000, seconds, 0, fifo, *stand.offsets())[1]
        u.get("/metrics")
        got.append(((cpu(*pids) - before) / (time.monotonic() - at) / 1e7, bare / seconds / 1e7))
    one = floor("floor_pread", stand.file(), 1000, seconds, 0, fifo,
                stand.offsets()[0])[1] / seconds / 1e7
    ticks, nothing = floor("floor_pread", "-", 0, 0.2, 0, 0, *stand.offsets())
    nothing /= ticks * len(stand.offsets())
    missed = u.value('uncored_ticks_missed_total{socket="0"}') - missed
    u.stop()
    stand.remove()
    bare = statistics.median(g[1] for g in got)
    yield Row("98 counters at 1 kHz, histograms of every derived metric, CPU of both processes",
              "<= 3", [g[0] for g in got],
              "of one core; bare preads alone %.1f %%; %d of %d ticks missed"
              % (bare, missed, 1000 * ROUNDS * seconds), " %",
              "98000 bare preads a second alone take %.1f %% of a core here, %.0f ns each, and a "
              "tick that wakes up and reads one "
              "register takes %.1f %%. A system call that does nothing, one after the other, takes "
              "%.0f ns: as many as there are counters "
              "%.1f %%, and no other way reaches the device. All reads in one io_uring call, tried "
              "by hand, cost 0.8 of the preads on these files; on a "
              "real machine each would go through a kernel thread unless the msr device is opened "
              "with O_NONBLOCK. What the msr "
              "device answers is one register at a time."
              % (bare, bare * 1e7 / 98000, one, nothing, nothing * 98000 / 1e7))


def filter_rows():
    """What the wall around uncored costs its preads: the kernel takes a longer way into each system
    call of a process that has a filter."""
    stand = Standin(conf(EVENTS, "1s"))
    got = [[floor("floor_pread", how + stand.file(), 0, 0.2, 0, 0, *stand.offsets())
            for how in ("filter:", "")] for _ in range(ROUNDS)]
    ns = [[cpu_ns / ticks / len(stand.offsets()) for ticks, cpu_ns in g] for g in got]
    stand.remove()
    yield Row("a pread behind a system call filter, as uncored's are / a bare pread", "",
              [behind / bare for behind, bare in ns],
              "%.0f ns, bare %.0f" % tuple(statistics.median(n[i] for n in ns) for i in (0, 1)))


def rows(seconds=1.5):
    yield from device_rows(seconds)
    yield from filter_rows()
    yield from whole_rows(seconds)
