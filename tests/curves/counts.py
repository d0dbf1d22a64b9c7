# SPDX-License-Identifier: MIT
"""counts.py - what counters of real machines counted, through uncored's own rows: does it come out
as the bandwidth that others measured?

The events are told to a modelled kernel by their codes, as Intel's, AMD's and NVIDIA's lists of
events have them; which of them uncored opens, and what it makes of their counts, are its own
rows. The bandwidth is that of the curve at the same pause of the load and the nearest share of
reads: the share that the counts show, or on the EPYC, where they do not tell, that of the loads.
"""
import os
import statistics
import sys

import curves
import harness as h

MEMORY = "interval = \"1s\"; groups = [ \"memory\" ];"
CHANNELS = "interval = \"1s\"; rotation = \"1s\"; groups = ( " + ", ".join(
    '{ name = "%s"; metrics = [ "memory_channels_%s_bytes_total" ]; }' % (name, name)
    for name in ("0_to_3", "4_to_7")) + " );"
# Linux, tools/perf/pmu-events/arch/x86: cascadelakex and sapphirerapids UNC_M_CAS_COUNT.RD and .WR;
# amdzen2 dram_channel_data_controller_0 to 7, whose event has bits above 0xff in 32 to 35.
CASCADE = "clx", "uncore_imc", ((0x304,), (0xc04,)), MEMORY
RAPIDS = "spr", "uncore_imc", ((0xcf05,), (0xf005,)), MEMORY
ROME = "zen2", "amd_df", (tuple(
    0x3800 | code & 0xff | (code >> 8) << 32
    for code in (0x07, 0x47, 0x87, 0xc7, 0x107, 0x147, 0x187, 0x1c7)),), CHANNELS
# Linux, drivers/perf/arm_cspmu/nvidia_cspmu.c: cmem_rd_data, cmem_wr_total_bytes.
GRACE = "grace", "nvidia_scf_pmu", ((0x1a5,), (0x1db,)), MEMORY
MACHINES = {"xeon5218": CASCADE, "spr8480": RAPIDS, "epyc7742": ROME, "grace": GRACE}
BYTES = {"grace": (32, 1)}      # of a count of reads and of one of writes, where they differ
EACH = 8                        # seconds: turns of two groups are over
NEAR = 0.10                     # what is farther away is listed


def rows():
    """([(machine, percent of loads, pause, seconds, counts)], {machine: {share: {pause: GB/s}}})"""
    counted, curve = [], {}
    for line in h.read(os.path.join(curves.HERE, "counts.tsv")).splitlines():
        cells = line.split("\t")
        if cells[0] == "counts":
            counted.append((cells[1], int(cells[2]), int(cells[3]), float(cells[4]),
                            [int(c) for c in cells[5:] if c != "-"]))
        elif cells[0] == "curve":
            of = curve.setdefault(cells[1], {}).setdefault(int(cells[2]), {})
            of[int(cells[3])] = float(cells[4])
    return counted, curve


def at(points, pause):
    """GB/s; between two pauses by the rate of the load."""
    low = max((p for p in points if p <= pause), default=None)
    high = min(p for p in points if p >= pause)
    if low is None or low == high:
        return points[high]
    low_rate, rate, high_rate = (1 / max(p, 1) for p in (low, pause, high))
    part = (rate - low_rate) / (high_rate - low_rate)
    return points[low] + (points[high] - points[low]) * part


def served(machine, counted):
    """Bytes a second by uncored, of each row."""
    name, pmu, events, conf = MACHINES[machine]
    script = ["configure " + conf, "run %d %d" % (EACH, EACH)]
    for _, _, _, seconds, counts in counted:
        for configs, count in zip(events, counts):
            script += ["count 0 %s %#x %.6f %g" % (pmu, config, count / len(configs), seconds)
                       for config in configs]
        script.append("run %d %d" % (EACH, EACH))
    got = curves.play(h.machine(name), "\n".join(script) + "\n")
    return [total(got, (i + 2) * EACH) for i in range(len(counted))]


def total(got, last):
    """By the time for which each total stands; there are two of halves where groups take turns."""
    def grew(series):
        return float(got[series][last]) - float(got[series][last - EACH])

    def seconds(series):
        name = series.partition("{")[0][len("uncore_"):]
        own = 'uncored_metric_active_seconds_total{socket="0",metric="%s"}' % name
        return grew(own if own in got else 'uncored_active_seconds_total{socket="0"}')
    parts = [s for s in got if s.startswith("uncore_memory_") and
             s.endswith('_bytes_total{socket="0"}')]
    assert len(parts) == 2, parts
    return sum(grew(s) / seconds(s) for s in parts)


def test_counts_of_real_machines():
    counted, curve = rows()
    for machine in MACHINES:
        own = [row for row in counted if row[0] == machine]
        off = []
        for (_, loads, pause, _, counts), is_ in zip(own, served(machine, own)):
            moved = [c * b for c, b in zip(counts, BYTES.get(machine, (1, 1)))]
            share = 100 * moved[0] / sum(moved) if len(counts) == 2 else loads
            nearest, = curves.nearest(curve[machine], share)
            want = at(curve[machine][nearest], pause) * 1e9
            off.append(abs(is_ / want - 1))
            if off[-1] > NEAR:
                print("# outlier: %s, %.1f %% reads, pause %d: %.1f GB/s, the curve's at %d %% "
                      "%.1f" % (machine, share, pause, is_ / 1e9, nearest, want / 1e9))
        median = statistics.median(off)
        print("# %s: %d rows, median %.2f %%, worst %.1f %%"
              % (machine, len(off), 100 * median, 100 * max(off)))
        assert len(off) >= 25 and median < 0.03, (machine, median)


if __name__ == "__main__":
    h.main(sys.modules[__name__])
