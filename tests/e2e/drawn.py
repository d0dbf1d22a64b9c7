# SPDX-License-Identifier: MIT
"""drawn.py - the Grafana dashboards over simulated servers of today, asked of a real Prometheus
that scrapes them and evaluates contrib's rules: every query of every panel, over the whole time,
for each value of each variable.

No panel is empty that should not be, no number is none (NaN), none is out of what its unit can be,
and no two lines of a panel have one name. With UNCORED_TEST_LONG it takes ten minutes with the
rules as they are, and draws each dashboard into tests/e2e/*.svg of the build: look at them.
"""
import functools
import json
import math
import os
import re
import sys
import time
import urllib.parse
import xml.etree.ElementTree

import board_svg
import boards
import harness as h
import knee

LONG = bool(os.environ.get("UNCORED_TEST_LONG"))
SECONDS = 600 if LONG else 70
WINDOW = "2m" if LONG else "10s"
SAMPLED = 'groups = ( "llc", %s"pcie", "power", { name = "memory"; resolution = "10ms"; ' \
    'distribution = true; metrics = [ "memory_read_bytes_total", "memory_write_bytes_total" ]; } );'
# instance: (machine, configuration, whether its memory's limit was measured, and all YESTERDAY)
MACHINES = {"spr": ("spr", "", True), "genoa": ("genoa", "", False),
            "spr-samples": ("spr", SAMPLED % '"links", ', False),
            "genoa-samples": ("genoa", SAMPLED % "", False)}
# What the dashboards ask for that such a machine does not have: on a Xeon 7500 and its time memory
# counts commands, home agents latency, and flits say how busy links are. Both models miss data
# reads on one, all requests on the other. Sapphire Rapids counts the use of each channel in a group
# on request, a Genoa its links; that has no latency, no power of memory, no I/O stacks, its text no
# nodes, and one stack by itself may have no devices. Nobody has run verify. Channels are seen to be
# silent after ten minutes.
OLD = "uncore_(memory_command|imt|home|llc_socket|link_utilization|link_sent_bytes|link.*drs)|" \
    "link_received_utilization|uncored_verified"
LACKS = {"spr": OLD + r'|1 - uncore_llc_miss_ratio|uncore_llc_miss_latency|uncore_memory_c|'
                r'io_device.*unit=~"\d',
         "genoa": OLD + "|_latency|llc_data_read|uncore_link|uncore_clock|dram_power|io_device|"
                  "unit_node_info|instance_node"}
# Of single samples nothing where every one is scraped, and beside a knee no room for a node; there
# the group memory lacks the use of its channels.
UNSAMPLED = r"instance_node:|_distribution_|_peak_|uncored_tick_lateness|__name__=\"\""
UNUSED = "uncore_memory_(utilization|channel|controller)"
UNMEASURED = "uncore_memory_(headroom|knee)|:over_idle|UncoredMemoryChannelsFewer"
# These are empty where all is well.
WELL = {"Invalid counters and why", "Metrics left out and why", "Not counted, and why"}
# What Prometheus knows of yesterday: how long reads waited on the machine at rest, and that one
# socket had a ninth channel, which it has lost.
YESTERDAY = """\
# TYPE instance_socket:uncore_memory_latency_seconds:quiet_p05_1h gauge
instance_socket:uncore_memory_latency_seconds:quiet_p05_1h{%(spr)s,socket="0"} 1e-07 %(at)d
instance_socket:uncore_memory_latency_seconds:quiet_p05_1h{%(spr)s,socket="1"} 1e-07 %(at)d
# TYPE uncored_channels gauge
uncored_channels{%(spr)s,socket="0",state="with_memory"} 9 %(at)d
# EOF
"""
# What a value of a unit can be, here; these go beyond what they are a share of.
LIMITS = {"Bps": (0, 1e12), "percentunit": (0, 1), "s": (0, 60), "watt": (0, 2000),
          "hertz": (5e8, 5e9), "bytes": (1e6, 1e9), "ops": (0, 1000)}
BEYOND = {"Share of the memory's limit": (0, 3), "Latency beside idle": (0.5, 10),
          "Memory latency beside idle": (0.5, 10)}


class Prometheus:
    """One that has known spr since yesterday and scrapes the daemons each second, and its answers
    of a span of time."""

    def __init__(self, daemons):
        history = h.write("yesterday.txt", YESTERDAY % {
            "spr": 'job="uncored",instance="spr"', "at": time.time() - 86400})
        said = h.run("promtool", "tsdb", "create-blocks-from", "openmetrics", history,
                     h.path("tsdb"))
        assert said[0] == 0, said
        rules = boards.shorter(h.read(os.path.join(h.SRC, "contrib/prometheus/rules.yml")), WINDOW)
        h.write("rules.yml", rules)
        every = {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"}
        self.base = h.prometheus(h.write("prometheus.yml", json.dumps({
            "global": every, "rule_files": ["rules.yml"], "scrape_configs": [{
                "job_name": "uncored", "static_configs": [
                    {"targets": [u.url.split("//")[1]], "labels": {"instance": name}}
                    for name, u in daemons.items()]}]})))
        self.start = self.end = time.time()

    def told(self, what, **form):
        code, _, body = h.fetch(self.base + "/api/v1/" + what + "?" + urllib.parse.urlencode(form))
        answer = json.loads(body)
        assert code == 200 and answer["status"] == "success" and not answer.get("warnings"), \
            (form, answer)
        return answer["data"]

    @functools.lru_cache(maxsize=None)      # asked after the end alone
    def over_time(self, expr):
        """[(labels, [(time, value)])]"""
        step = max(1, round((self.end - self.start) / 300))
        got = self.told("query_range", query=expr, start=self.start, end=self.end, step=step)
        return [(r["metric"], [(t, float(v)) for t, v in r["values"]]) for r in got["result"]]

    @functools.lru_cache(maxsize=None)
    def at_the_end(self, expr):
        got = self.told("query", query=expr, time=self.end)["result"]
        return [(r["metric"], [(self.end, float(r["value"][1]))]) for r in got]

    def labels(self, expr):
        return [labels for labels, _ in self.over_time(expr)]

    def ask(self, expr, at_once):
        return self.at_the_end(expr) if at_once else self.over_time(expr)


def lacks(instance, expr):
    """May this query have no answer from this machine?"""
    machine, conf, measured = MACHINES[instance]
    return re.search(LACKS[machine], expr) or re.search(UNUSED if conf else UNSAMPLED, expr) or \
        not measured and re.search(UNMEASURED, expr)


def wrong(panel, expr, lines):
    """What no line of a panel may be."""
    low, high = BEYOND.get(panel.title, LIMITS.get(panel.unit, (-math.inf, math.inf)))
    # buckets are counts, whatever unit their bounds have
    low, high = (0, math.inf) if panel.buckets else (low, high)
    for labels, points in lines:
        for _, v in points:
            if not math.isfinite(v) or not low <= v <= high:
                return "%s: %s: %g %s: %s" % (panel.title, labels, v, panel.unit, expr)
    if panel.buckets and lines:
        (bound, last), (_, every) = sorted((float(labels["le"]), dict(points))
                                           for labels, points in lines)[-2:]
        if any(2 * last.get(t, 0) < v for t, v in every.items()):
            return "%s: most samples are above the last bound, %g" % (panel.title, bound)
    return None


def check(prometheus, board, **values):
    """The lines of each panel where variables have these values; asserts that all is well."""
    chosen = board.chosen(prometheus.labels, **values)
    instances = [m for m in MACHINES if re.fullmatch(chosen["instance"], m)]
    shown, bad = {}, []
    for panel in board.panels:
        lines = shown[panel] = []
        for expr, legend, at_once in panel.queries:
            asked = board.filled(expr, chosen, WINDOW)
            got = prometheus.ask(asked, at_once)
            bad.append(wrong(panel, asked, got))
            lines += [(boards.legend(legend, labels), labels, points) for labels, points in got]
            may = all(lacks(m, asked) for m in instances) or panel.title in WELL
            bad.append(None if got or may else "%s: no answer: %s" % (panel.title, asked))
        if panel.kind == "timeseries":
            names = [name for name, _, _ in lines]
            bad.append("%s: two lines have one name: %s" % (panel.title, names)
                       if len(set(names)) < len(names) else None)
    assert instances and not any(bad), (board.name, chosen, [b for b in bad if b])
    return shown


def drawable(panel, lines):
    """What board_svg draws of a panel."""
    if panel.kind == "stat":
        return lines[0][2][-1][1] if lines else None
    if panel.kind != "table":
        return [(name, points) for name, _, points in lines]
    all_labels = panel.rows([{**labels, "Value": board_svg.number(points[-1][1], panel.unit)}
                             for _, labels, points in lines])
    return [{panel.renamed.get(k, k): v for k, v in labels.items() if k not in panel.hidden}
            for labels in all_labels]


def draw(prometheus, board, **values):
    shown = check(prometheus, board, **values)
    said = board_svg.draw(board, (prometheus.start, prometheus.end),
                          {p: drawable(p, lines) for p, lines in shown.items()})
    xml.etree.ElementTree.fromstring(said)
    name = board.name.replace(".json", "".join("-" + v for v in values.values()) + ".svg")
    if LONG:
        with open(os.path.join(h.BUILD, "tests/e2e", name), "w", encoding="utf-8") as f:
            f.write(said)
    return said


def test_simulated_servers():
    daemons = {name: h.Uncored("--engine", "model:%s:day" % machine, "--path-run", h.path(name),
                               "--path-state", knee.state(name, knee.curve() if measured else None),
                               "-c", h.write(name + ".conf", conf or "# all that is ready\n"))
               for name, (machine, conf, measured) in MACHINES.items()}
    prometheus = Prometheus(daemons)
    h.wait_for("all are up", lambda: prometheus.told(
        "query", query="sum(up) == %d" % len(daemons))["result"], 40)
    time.sleep(max(0, prometheus.start + SECONDS - time.time()))
    prometheus.end = time.time()
    for name in boards.NAMES:
        board, tried = boards.Board(name), 0
        draw(prometheus, board)
        for variable in board.variables:
            before = board.chosen(prometheus.labels)
            for value in sorted(board.offered(prometheus.labels, variable, before)):
                check(prometheus, board, **{variable: value})
                tried += 1
        assert tried >= 7, tried
        for instance in MACHINES:
            draw(prometheus, board, instance=instance)
        print("%s: %d values of variables" % (name, tried))
    assert [u.stop() for u in daemons.values()] == [0] * len(daemons)


if __name__ == "__main__":
    h.main(sys.modules[__name__], 1)
