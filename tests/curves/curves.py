# SPDX-License-Identifier: MIT
"""curves.py - measured memory curves, servers that play them, and promtool on what these serve.

A curve is {percent of reads: [(GB/s, ns), ...]}, by rising traffic; between two points it is a
straight line. Its numbers come from the .tsv files beside this one, and all that a test expects is
worked out from them here; what uncored serves comes out of tests/curves/played, which runs the
library on a clock of its own.
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../e2e"))
import harness as h                                   # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
MACHINES = ("epyc7742", "grace", "spr8480", "xeon5218")
PLAYED = os.path.join(h.BUILD, "tests/curves/played")
RULES = os.path.join(h.SRC, "contrib/prometheus/rules.yml")
BEGIN = 1700006400              # seconds since 1970 at which played begins
KNEE = 1.5                      # times the least latency


def of(machine):
    curve = {}
    for line in h.read(os.path.join(HERE, machine + ".tsv")).splitlines():
        if not line.startswith("#"):
            percent, gbps, ns = map(float, line.split("\t"))
            curve.setdefault(int(percent), []).append((gbps, ns))
    return curve


def latency(points, gbps):
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if x0 <= gbps <= x1:
            return y0 + (y1 - y0) * (gbps - x0) / (x1 - x0)
    raise AssertionError((points, gbps))


def most(points):
    return points[-1][0]


def knee(points):
    """The traffic at which latency is 1.5 times the least; None: it never is."""
    bound = KNEE * points[0][1]
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if y1 >= bound:
            return x0 + (x1 - x0) * (bound - y0) / (y1 - y0)
    return None


def nearest(curve, *shares):
    """The shares of a curve that are nearest to these."""
    return [min(curve, key=lambda s: abs(s - share)) for share in shares]


def text(curve, machine="spr"):
    """That machine with this memory."""
    return "like %s\n" % machine + "".join(
        "curve %d %g %g\n" % (percent, gbps, ns)
        for percent, points in sorted(curve.items()) for gbps, ns in points)


def play(machine, script, names=()):
    """What uncored serves meanwhile: {series: {seconds since the beginning: value}}. machine: a
    text; script: of played.c."""
    p = subprocess.run([PLAYED, h.write("machine.txt", machine), *names], input=script, text=True,
                       capture_output=True, env=dict(os.environ, top_srcdir=h.SRC))
    series, at = {}, None
    assert p.returncode == 0, (p.stderr, p.stdout[-300:])
    for line in p.stdout.splitlines():
        if line.startswith("# scrape "):
            at = int(line.split()[2]) - BEGIN
        elif line and not line.startswith("#"):
            key, value = line.rsplit(" ", 1)
            series.setdefault(key, {})[at] = value
    return series


# ---------------------------------------------------------------- rules

class Rules:
    """rules.yml in pieces: which rules does an alert rest on?"""

    def __init__(self, text):
        parts = re.split(r"(?m)^ {6}- (?=(?:record|alert): )", text)[1:]
        self.rules = []
        for part in parts:
            name = part.split(None, 2)[1]
            part = re.split(r"(?m)^(?: {2}\S| {6}#)", part)[0]
            self.rules.append((name, "      - " + part))

    def below(self, *names):
        """Those rules, and all that they need, in their order."""
        wanted, before = set(names), set()
        while wanted != before:
            before = set(wanted)
            wanted |= {name for name, _ in self.rules
                       if any(name in body for used, body in self.rules if used in before)}
        return [(name, body) for name, body in self.rules if name in wanted]

    def yaml(self, *names):
        return "groups:\n  - name: some\n    rules:\n" + "".join(
            body for _, body in self.below(*names))

    def metrics(self, *names):
        """Of uncored, in these rules."""
        return sorted(set(re.findall(r"\buncored?_[a-z0-9_]+", "".join(
            re.sub(r"[a-z_]+:uncored?_[a-z0-9_]+:[a-z0-9_]+", "", body)
            for _, body in self.below(*names)))))


def values(samples):
    """Samples a minute apart, as promtool's tests have them; `_x3`: there were none for three."""
    out, next_minute = [], 0
    for at in sorted(samples):
        missing = at // 60 - next_minute
        if missing:
            out.append("_x%d" % missing)
        out.append(samples[at])
        next_minute = at // 60 + 1
    return " ".join(out)


def labelled(series, **labels):
    name, _, rest = series.partition("{")
    more = ",".join('%s="%s"' % (k, v) for k, v in labels.items())
    return "%s{%s%s" % (name, more, "," + rest if rest else "}")


class Promtool:
    """One test of promtool: series, and what expressions answer at the end."""

    def __init__(self, rules, minutes):
        self.rules, self.minutes = rules, minutes
        self.series, self.checks = [], []

    def add(self, series, samples, **labels):
        self.series.append((labelled(series, **labels), values(samples)))

    def answers(self, expr, samples):
        """samples: as promtool's tests have them."""
        self.checks.append((expr, "[ %s ]" % ", ".join(samples)))

    def none(self, expr):
        self.answers(expr, [])

    def is_number(self, expr, value):
        self.answers(expr, ["{ labels: '{}', value: %d }" % value])

    def run(self):
        """What it prints if something is otherwise than said; "" if all is."""
        h.write("rules.yml", self.rules)
        body = "rule_files: [ rules.yml ]\nevaluation_interval: 1m\ntests:\n  - interval: 1m\n"
        body += "    input_series:\n" + "".join(
            "      - series: '%s'\n        values: '%s'\n" % pair for pair in self.series)
        body += "    promql_expr_test:\n" + "".join(
            "      - expr: |\n%s\n        eval_time: %dm\n        exp_samples: %s\n" % (
                re.sub("(?m)^", " " * 10, expr), self.minutes, want)
            for expr, want in self.checks)
        code, out, err = h.run("promtool", "test", "rules", h.write("test.yml", body),
                               timeout=900)
        return "" if code == 0 else out + err
