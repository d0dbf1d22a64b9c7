# SPDX-License-Identifier: MIT
"""limit.py - "memory is at its limit" on the memory of real machines: the alert of
contrib/prometheus/rules.yml fires where it has to and nowhere else.

Each socket of a simulated server has one share of reads for seven days (two in make check, three
shares of each machine): a quarter of an hour of the most that it can do, two hours of rest, and at
the end all points of its curve, a quarter of an hour each. Between them uncored does not run. What
it serves is the input of promtool. What has to be comes from the curve: at its limit is what waits
beyond 1.5 times the least latency and moves 0.9 of the most of its share; below half of that, or
below 1.5 times, it is not. Some loads vary by 10 %; one socket never rests, so that nobody knows
how long it would wait then.
"""
import os
import random
import shutil
import sys

import curves
import harness as h

LONG = bool(os.environ.get("UNCORED_TEST_LONG"))
ALERT = "UncoredMemoryAtLimit"
DAY = 1440                      # minutes
FOR = 15                        # of each point
SETTLED = 3                     # of them pass until what is recorded is of this point
FIRES = 14                      # from here on an alert that waits for ten has to be there
NEAR = 0.01                     # nobody is quite at rest, and waits a little more than the least
# Beside the rules under test.
WRONG = """\
      - record: has_to
        expr: want == 1
      - record: not_fired
        expr: want == 1 unless on (instance, socket) ALERTS{alertname="%s",alertstate="firing"}
      - record: fired
        expr: want == 0 and on (instance, socket) ALERTS{alertname="%s",alertstate="firing"}
""" % (ALERT, ALERT)
WANT = "want"                   # 1: the alert has to be there, 0: not, 2: either


class Point:
    def __init__(self, gbps, want, noise=0):
        self.gbps, self.want, self.noise = gbps, want, noise


def judged(curve, gbps):
    """A point of a share of reads."""
    waits, most = curves.latency(curve, gbps) / curve[0][1], curves.most(curve)
    if waits > 1.5 * (1 + NEAR) and gbps >= 0.9 * most:
        return Point(gbps, 1)
    return Point(gbps, 0 if waits < 1.5 * (1 - NEAR) or gbps < 0.5 * most else 2)


def points_of(curve):
    most, knee = curves.most(curve), curves.knee(curve) or curves.most(curve)
    at = {gbps for gbps, _ in curve[1:]} | {most * x for x in (.1, .3, .45, .49, .9, .95, .98)}
    at.add(min(1.02 * knee, most))
    return [judged(curve, gbps) for gbps in sorted(at, reverse=True)] + [
        Point(0.85 * knee, 0, 0.1), Point(0.05 * most, 0, 0.1)]


def loads(point, curve, chance):
    """Of each minute."""
    most = curves.most(curve)
    return [min(most, point.gbps * (1 + point.noise * chance.uniform(-1, 1)))
            for _ in range(FOR)]


def at_rest(curve):
    """Two hours: something goes on, then now and then, for a quarter of an hour hardly
    anything."""
    most = curves.most(curve)
    return [Point(x * most, 0, noise) for x, noise in
            [(.15, .2)] * 5 + [(.095, 1)] * 2 + [(.005, 1), (.095, 1)]]


def never_at_rest(curve):
    return [Point(0.4 * curves.most(curve), 0, 0.1)] * 8


class Week:
    """Two shares of reads of one curve, on the two sockets of a server."""

    def __init__(self, curve, shares, days, rests=True):
        self.chance = random.Random(7)
        self.curve, self.shares, self.lines, self.minute = curve, shares, [], 0
        self.want = [{}, {}]
        of = [curve[s] for s in shares]
        self.some([Point(curves.most(c), 0) for c in of])
        for points in zip(*map(at_rest if rests else never_at_rest, of)):
            self.some(points)
        plays = [points_of(c) if rests else [Point(curves.most(c), 0)] * 2 for c in of]
        steps = max(map(len, plays))
        self.rest(days * DAY - steps * FOR - self.minute)
        for i in range(steps):
            self.some([p[i] if i < len(p) else Point(0.05 * curves.most(c), 0)
                       for p, c in zip(plays, of)])

    def some(self, points):
        amounts = [loads(p, self.curve[s], self.chance) for p, s in zip(points, self.shares)]
        for minute in range(FOR):
            for socket, share in enumerate(self.shares):
                self.lines.append("load %d %d %.6f" % (socket, share, amounts[socket][minute]))
                self.judge(socket, points[socket].want, minute)
            self.lines.append("run 60 60")
            self.minute += 1

    def judge(self, socket, want, minute):
        sure = minute >= (SETTLED if want == 0 else FIRES)
        # a scrape is at the end of its minute
        self.want[socket][60 * (self.minute + 1)] = str(want) if sure else "2"

    def rest(self, minutes):
        self.lines.append("rest %d" % (60 * minutes))
        self.minute += minutes

    def put(self, tool, names, instance):
        script = "\n".join(self.lines) + "\n"
        for series, samples in curves.play(curves.text(self.curve), script, names).items():
            tool.add(series, samples, job="uncored", instance=instance)
        for socket, want in enumerate(self.want):
            tool.add('%s{socket="%d"}' % (WANT, socket), want, instance=instance)


def pairs(curve):
    """All of them, but where nothing is read: nothing waits there."""
    shares = sorted(s for s in curve if s > 0)
    return [(s, shares[min(i + 1, len(shares) - 1)]) for i, s in enumerate(shares)][::2]


def some_shares(curve):
    least, middle, most = curves.nearest(curve, 50, 67, 100)
    return [(least, middle), (most, middle)]


def week(machines, rules, days=7 if LONG else 2, shares=some_shares):
    """promtool's complaint; "": none."""
    rules = curves.Rules(rules)
    tool = curves.Promtool(rules.yaml(ALERT) + WRONG, days * DAY)
    must, names = 0, rules.metrics(ALERT)
    for machine in machines:
        curve = curves.of(machine)
        for both in shares(curve):
            one = Week(curve, both, days)
            one.put(tool, names, "%s-%d-%d" % (machine, *both))
            must += sum(w == "1" for want in one.want for w in want.values())
        Week(curve, both, days, False).put(tool, names, machine + "-never-at-rest")
    tool.is_number("sum(count_over_time(has_to[%dd]))" % days, must)
    tool.none("sum by (instance, socket) (count_over_time(not_fired[%dd]))" % days)
    tool.none("sum by (instance, socket) (count_over_time(fired[%dd]))" % days)
    assert must > 0
    return tool.run()


# What the rules would say if they were a little wrong.
PLANTED = (
    ("over_idle > 1.5", "over_idle > 1.9"), ("over_idle > 1.5", "over_idle > 1.2"),
    ("over_max > 0.5", "over_max > 0.99"), ("< 0.2 * instance", "< 1.2 * instance"),
    ("quantile_over_time(0.05", "quantile_over_time(0.95"),
    ("quiet_p05_1h[7d]", "quiet_p05_1h[1h]"),
    (":quiet[1h]) >= 30", ":quiet[1h]) >= 62"),
    ("min_over_time(instance_socket:uncore_memory_latency_seconds:quiet_p05_1h",
     "max_over_time(instance_socket:uncore_memory_latency_seconds:quiet_p05_1h"),
)


def need_promtool():
    if not shutil.which("promtool"):
        h.skip("promtool (Debian: prometheus) is not installed")


def test_curves_and_shares():
    need_promtool()
    complaint = week(curves.MACHINES, h.read(curves.RULES))
    assert not complaint, complaint[:3000]


def test_all_shares():
    """Minutes: of check-long."""
    for machine in curves.MACHINES if LONG else ():
        need_promtool()
        complaint = week([machine], h.read(curves.RULES), shares=pairs)
        assert not complaint, (machine, complaint[:3000])


def test_wrong_rules_are_noticed():
    """All of them with check-long."""
    need_promtool()
    rules = h.read(curves.RULES)
    for right, wrong in PLANTED if LONG else PLANTED[:1]:
        assert right in rules, right
        assert week(["epyc7742"], rules.replace(right, wrong), 1, lambda curve: [(26, 50)]), wrong


if __name__ == "__main__":
    h.main(sys.modules[__name__], 2)
