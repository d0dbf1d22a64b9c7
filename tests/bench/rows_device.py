"""rows_device.py - what sampling registers through the msr device path costs beside bare preads of the same file.

uncored and the bare loop run in the same seconds on the same CPU, half an interval apart. The bare loop reads the
counters and nothing else; uncored also looks after its registers (one check in 100 ms), wraps, totals, derives,
publishes.
"""
import statistics
import time

from common import EVENTS, ROUNDS, Row, conf, floor, sampler_policy, threads
from standin import Standin


def measure(stand, u, us, seconds):
    """CPU ns per tick: bare loop, sampler thread; both of the same seconds."""
    fifo = sampler_policy(u.pid)
    before, ticks = threads(u.pid)["sampler-0"], u.value('uncored_samples_total{socket="0"}')
    bare_ticks, bare = floor("floor_pread", stand.file(), us, seconds, 0, fifo, *stand.offsets())
    time.sleep(0.15)            # what is published last
    after, ticks = threads(u.pid)["sampler-0"], u.value('uncored_samples_total{socket="0"}') - ticks
    return bare / bare_ticks, (after - before) / ticks


def rows(seconds=1.5):
    for ms in (10, 1):
        stand = Standin(conf(EVENTS, "%dms" % ms))
        u = stand.start()
        time.sleep(0.3)
        got = [measure(stand, u, 1000 * ms, seconds) for _ in range(ROUNDS)]
        assert not [k for k in u.metrics() if k.startswith("uncored_slot_invalid")]
        n = len(stand.registers)
        tight = floor("floor_pread", stand.file(), 0, 0.2, 0, 0, *stand.offsets())
        u.stop()
        stand.remove()
        yield Row("CPU per counter sample, msr path, %d counters at %d ms / bare preads" % (n, ms), "<= 1.3",
                  [s / b for b, s in got],
                  "%.0f ns a counter and tick, bare %.0f; preads without a timer %.0f" % (
                      statistics.median(s for _, s in got) / n, statistics.median(b for b, _ in got) / n,
                      tight[1] / tight[0] / n))
