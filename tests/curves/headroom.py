# SPDX-License-Identifier: MIT
"""headroom.py - what uncored says is left of a measured memory, once three mixes of it are known.

A simulated server has the memory of a real machine: a Sapphire Rapids, but for the Grace, which is
one itself. As `uncorectl verify --curve` does it, three mixes of reads and writes are measured by
what uncored counts, and become curve.json. Then the server goes through every share of reads that
was measured of the real one, at 20 rates up to its knee: the headroom has to be that of this
share's own curve within 0.05 for the three mixes; between them within 0.05 for two thirds of the
shares and within 0.10 for 19 of 20. A mix that never waits 1.5 times the least has no knee: nothing
is said of that and of shares beyond it; between it and the next its most traffic counts.

UNCORED_TEST_PLOT=FILE draws the knees; docs/headroom.svg is that.
"""
import json
import os
import sys

import curves
import harness as h

sys.path.insert(0, os.path.join(curves.HERE, "../bench"))
import svg                                            # noqa: E402

READ = 'uncore_memory_read_bytes_total{socket="0"}'
WRITTEN = 'uncore_memory_write_bytes_total{socket="0"}'
# The machine that plays a curve, and what it calls the time that a read waits.
SPR = "spr", 'uncore_llc_data_read_miss_latency_seconds{socket="0"}'
GRACE = "grace", 'uncore_llc_miss_latency_seconds{socket="0"}'
PLAYS = {"grace": GRACE}
ACTIVE = 'uncored_active_seconds_total{socket="0"}'
KNEE = 'uncore_memory_knee_bytes_per_second{socket="0"}'
HEADROOM = 'uncore_memory_headroom_ratio{socket="0"}'
NAMES = sorted({s.partition("{")[0] for s in (READ, WRITTEN, SPR[1], GRACE[1], ACTIVE, KNEE,
                                              HEADROOM)})
MIXES = (1, 2 / 3, 1 / 2)
STEPS = 20
EACH = 60                       # seconds of a load


def play(curve, loads, state=None, on=SPR):
    """What uncored says of each (percent of reads, GB/s): {series: value}, the totals by second."""
    script = ["state " + state] if state else []
    for percent, gbps in loads:
        script += ["load 0 %g %.9g" % (percent, gbps), "run %d 30" % EACH]
    got = curves.play(curves.text(curve, on[0]), "\n".join(script) + "\n", NAMES)
    out = []
    for i in range(len(loads)):
        last, before = (i + 1) * EACH, (i + 1) * EACH - 30
        one = {s: float(v[last]) for s, v in got.items() if last in v}
        seconds = one[ACTIVE] - float(got[ACTIVE][before])
        for series in READ, WRITTEN:
            one[series] = (one[series] - float(got[series][before])) / seconds
        one["waits"] = one.get(on[1])
        out.append(one)
    return out


def knee_of(points):
    return curves.knee([(p["bytes_per_second"], p["latency_seconds"]) for p in points])


def measured_mix(curve, percent, asked, on):
    """As uncored counts it, at rising rates."""
    most = curves.most(curve[percent])
    # The least needs some traffic, or nothing waits.
    said = play(curve, [(percent, most * max(x / 24, 0.001)) for x in range(25)], on=on)
    points = [{"bytes_per_second": s[READ] + s[WRITTEN], "latency_seconds": s["waits"]}
              for s in said]
    knee = knee_of(points)
    return {"asked_read_ratio": asked,
            "read_ratio": said[-1][READ] / (said[-1][READ] + said[-1][WRITTEN]),
            "least_latency_seconds": points[0]["latency_seconds"],
            "most_bytes_per_second": points[-1]["bytes_per_second"],
            **({"knee_bytes_per_second": knee} if knee else {}), "points": points}


def measured(curve, name, on=SPR):
    """A state directory with the file, and the shares that it has."""
    shares = curves.nearest(curve, *(100 * m for m in MIXES))
    mixes = [measured_mix(curve, s, m, on) for s, m in zip(shares, MIXES)]
    os.makedirs(h.path(name))
    h.write(name + "/curve.json", json.dumps({
        "format": "uncored-curve-1", "version": "0", "date": "2023-01-02T12:00:00Z",
        "simulated": True, "processor": on[0], "model": "",
        "sockets": [{"socket": 0, "channels_with_memory": 0, "mixes": mixes}]}))
    for share, mix in zip(shares, mixes):
        own = curves.knee(curve[share])
        assert abs(mix["read_ratio"] - share / 100) < 0.001, (share, mix["read_ratio"])
        assert ("knee_bytes_per_second" in mix) == (own is not None), (name, share, own)
    return h.path(name), shares


def without_knee(curve, shares):
    """The shares of reads that are one of these that never waits so long, or lie beyond such a
    one."""
    def is_without(share):
        nearest = curves.nearest(shares, share)[0]
        beyond = not min(shares) < share < max(shares)
        return curves.knee(curve[nearest]) is None and (beyond or share == nearest)
    return {s for s in curve if is_without(s)}


def errors(curve, state, silent=(), on=SPR):
    """{share: (how far its headroom is off at worst, the knee that uncored says in GB/s)}; silent:
    shares of which it has to say nothing."""
    shares = [s for s in sorted(curve) if curves.knee(curve[s]) and s not in silent]
    loads = [(s, curves.knee(curve[s]) * i / STEPS) for s in shares for i in range(1, STEPS + 1)]
    said = play(curve, loads, state, on)
    out = {}
    for i, share in enumerate(shares):
        own = said[i * STEPS:(i + 1) * STEPS]
        worst = max(abs(s[HEADROOM] - (1 - k / STEPS)) for k, s in enumerate(own, 1))
        out[share] = worst, own[-1][KNEE] / 1e9
    loads = [(s, curves.most(curve[s]) * i / 4) for s in sorted(silent) for i in range(1, 5)]
    for load, one in zip(loads, play(curve, loads, state, on)):
        assert KNEE not in one and HEADROOM not in one and one["waits"], (load, one)
    return out


def check(machine):
    """{share: knee that uncored says}"""
    curve, on = curves.of(machine), PLAYS.get(machine, SPR)
    state, shares = measured(curve, machine, on)
    silent = without_knee(curve, shares)
    off = errors(curve, state, silent, on)
    for share in shares:
        assert share not in off or off[share][0] <= 0.05, (machine, share, off[share])
    between = {s: e for s, (e, _) in off.items()
               if min(shares) < s < max(shares) and s not in shares}
    near = sum(e <= 0.05 for e in between.values())
    fair = sum(e <= 0.10 for e in between.values())
    worst = sorted(between.items(), key=lambda x: -x[1])[:3]
    print("# %s: of %d shares between %d, %d and %d %% reads %d are within 0.05, %d within 0.10; "
          "worst: %s" % (machine, len(between), *shares, near, fair,
                         ", ".join("%.3f at %d %%" % (e, s) for s, e in worst)))
    beyond = {s: round(e, 3) for s, (e, _) in off.items() if not min(shares) <= s <= max(shares)}
    if beyond:
        print("# beyond them, where the nearest holds: %s" % beyond)
    if silent:
        print("# at a mix that never waits so long, nothing is said: %s" % sorted(silent))
    assert len(between) >= 15 and 3 * near >= 2 * len(between), (machine, between)
    assert 20 * fair >= 19 * len(between), (machine, between)
    return {s: knee for s, (_, knee) in off.items()}


def test_headroom():
    said = {machine: check(machine) for machine in curves.MACHINES}
    plot = os.environ.get("UNCORED_TEST_PLOT")
    if plot:
        with open(plot, "w") as f:
            f.write(svg.draw([panel(machine, said[machine]) for machine in said]))


def panel(machine, said):
    curve = curves.of(machine)
    shares = [s for s in sorted(said) if s >= 50]
    return (machine, "percent of reads", "knee, GB/s", {
        "of its own curve": [(s, curves.knee(curve[s])) for s in shares],
        "by three mixes": [(s, said[s]) for s in shares]})


def test_without_a_knee():
    """A share of reads that never waits 1.5 times the least has no knee in the file; if none of the
    three has one, nothing is said."""
    flat = {s: [(0, 100), (200, 140)] for s in (50, 67, 100)}
    state, _ = measured(flat, "flat")
    assert "knee" not in h.read(state + "/curve.json")
    said = play(flat, [(67, 150)], state)[0]
    assert KNEE not in said and HEADROOM not in said and said["waits"], said


def test_a_wrong_curve_is_noticed():
    """The mix of reads alone for all: what a curve of one mix would say."""
    curve = curves.of("spr8480")
    state, _ = measured(curve, "one")
    text = json.loads(h.read(state + "/curve.json"))
    text["sockets"][0]["mixes"] = text["sockets"][0]["mixes"][:1]
    h.write("one/curve.json", json.dumps(text))
    off = errors(curve, state)
    assert off[51][0] > 0.1 and off[100][0] < 0.05, off
    assert sum(e > 0.05 for e, _ in off.values()) > len(off) / 2, off


if __name__ == "__main__":
    h.main(sys.modules[__name__], 2)
