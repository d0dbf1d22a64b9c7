# SPDX-License-Identifier: MIT
"""dashboard.py - every panel of the Grafana dashboard has data without a configuration, on a
register model and on a machine that counts through the kernel, and each of its queries on one.

What the models' daemons serve, and what tests/model/gaps says of machines that trees of
src/topo/machines describe, goes to a real Prometheus, which evaluates contrib's recording rules and
the panels' queries. A panel's numbers are not looked at: whether there are any is.
"""
import collections
import os
import re
import subprocess
import sys
import time

import boards
import gaps
import harness as h

MODELS = "nehalem-ex", "westmere-ex", "nehalem", "ivytown"
TREES = "nehalem_ex", "hsx", "skx", "spr", "zen2", "zen5"
SCRAPES = 20
AT = 300                # seconds after the begin: the last scrape
# These show the daemon's own metrics, which tests/model/gaps has not, so only the models do; these
# what the kernel alone counts;
OWN = {"Configuration", "CPU time", "Memory", "Lateness of ticks"}
KERNELS = {"Traffic of devices", "Power"}
# and these are empty where all is well, or until somebody has measured or verified something, or
# say where units and devices are, which tests/model/gaps does not.
EMPTY = {"Invalid counters and why", "Metrics left out and why", "Share of the memory's limit",
         "Verified on this machine", "No longer verified", "Devices of I/O stacks",
         "NUMA nodes of units", "Memory traffic by node"}
# These of the fleet show alerts and reasons, as of HOSTS below and in drawn.py, or what takes a
# curve or a newer machine.
TROUBLE = {"Alerts", "Lost channels and counters", "Not counted, and why",
           "Share of the memory's limit", "Use of memory channels"}
# The Xeon 7500 and E7 count reads or writes in one field, writes in a group of their own.
# Its memory traffic takes more counters than there are: two groups in turn, on request. The knee
# takes a curve, and what a link receives as a share of its capacity only Ivytown's registers say.
UNREAD = "perf zen2"
WRITES = "uncore_memory_command_write_bytes"
ON_REQUEST = WRITES + "|_memory_knee_|link_received_utilization"

SERVERS = "spr", "genoa"       # of today, simulated; what they show: drawn.py
# An alert that says what it should.
TRUE = {"UncoredSimulated"}
IDLE = 1500             # seconds: longer than any alert waits


def add(series, machine, at, text):
    """A scrape, at seconds of virtual time."""
    for line in text.splitlines():
        if line and not line.startswith(("#", "truth{", "ran{")):
            labels, value = gaps.parse(line)
            labels = (*labels, ("instance", machine), ("job", "uncored"))
            series[labels].append((1000 * (gaps.BEGIN + at), value))


def aged(text, at):
    """Moments of the daemon's clock as those of the virtual one: none is in its future."""
    def moment(m):
        return m[1] + repr(gaps.BEGIN + at - max(0, time.time() - float(m[2])))
    return re.sub(r"^(uncored_last_sample_timestamp_seconds\S* )(\S+)$", moment, text, flags=re.M)


def models(series, names, conf, seconds=AT):
    """Daemons that count, scraped fast; their scrapes are taken as 15 s apart."""
    started = {name: h.Uncored("--engine", "model:" + name, "-c", h.write(
        name + ".conf", 'interval = "100ms";' + conf)) for name in names}
    for at in range(0, seconds + 1, AT // SCRAPES):
        for name, u in started.items():
            text = u.get("/metrics")[2].decode()
            add(series, "model " + name, at, "up 1\n" + aged(text, at))
        time.sleep(0.15)
    for u in started.values():
        u.stop()


def trees(series):
    text = subprocess.run([os.path.join(h.BUILD, "tests/model/gaps"), "default", *TREES],
                          stdout=subprocess.PIPE, check=True).stdout.decode()
    for scrape in text.split("# scrape default,")[1:]:
        head, _, body = scrape.partition("\n")
        machine, ms = head.split(",")
        add(series, "perf " + machine, int(ms) // 1000, body)


def answer(store, board, expr, **chosen):
    """[labels] of what a query says at the end where variables have these values."""
    chosen = dict(dict.fromkeys(board.variables, ".*"), **chosen)
    return at_the_end(store, board.filled(expr, chosen))


def at_the_end(store, expr):
    return [dict(labels) for labels, values in store.ask(expr).items() if AT in values]


def answers(store, board, expr, machine, form=""):
    """Has the query an answer? No two lines of a panel have one legend."""
    got = answer(store, board, expr, instance=machine,
                 distribution="uncore_link_utilization_distribution_ratio_bucket")
    said = [boards.legend(form, labels) for labels in got]
    assert not form or len(set(said)) == len(said), (expr, machine, sorted(said))
    return bool(got)


def rested(series):
    """Each socket has been at rest half an hour ago: its reads waited for 100 ns then."""
    for labels in [dict(k) for k in series if k[0] == ("__name__", "uncored_up")]:
        labels["__name__"] = "instance_socket:uncore_memory_latency_seconds:quiet_p05_1h"
        series[tuple(labels.items())].append((1000 * (gaps.BEGIN - 1800), 1e-7))


def filled(series):
    if not os.path.exists(os.path.join(h.BUILD, "tests/model/gaps")):
        h.skip("tests/model/gaps was not built: cmocka is not installed")
    store = gaps.Store()
    store.write(series)
    gaps.evaluate(store)
    return store


def test_default_sets():
    series = collections.defaultdict(list)
    models(series, MODELS, "")
    trees(series)
    rested(series)
    store = filled(series)
    machines = ["model " + m for m in MODELS] + ["perf " + t for t in TREES]
    blind = []
    board = boards.Board("uncored.json")
    for p in board.panels:
        by_query = [[m for m in machines if answers(store, board, expr, m, form)]
                    for expr, form, _ in p.queries]
        found = [m for m in machines if any(m in some for some in by_query)]
        print("%-40s %s" % (p.title, ", ".join(found)))
        if p.title in EMPTY:
            continue
        blind += [(p.title, kind) for kind in ("model", "perf")
                  if not any(m.startswith(kind) for m in found)
                  and p.title not in {"perf": OWN, "model": KERNELS}[kind]]
        blind += [(p.title, expr) for (expr, _, _), some in zip(p.queries, by_query)
                  if not some and not re.search(ON_REQUEST, expr)]
    assert not blind, blind
    the_variables(store)
    the_fleet(store, machines)


def the_variables(store):
    """By processor and model, those machines and no others: All is every one that is offered."""
    for board in map(boards.Board, boards.NAMES):
        def offered(name, **chosen):
            chosen = dict(dict.fromkeys(board.variables, ".*"), **chosen)
            return board.offered(lambda expr: at_the_end(store, expr), name, chosen)

        assert offered("processor") == {
            "nehalem-ex", "westmere-ex", "nehalem", "ivytown", "hsx", "skx", "spr", "zen2", "zen5"}
        assert offered("model") == set()        # nothing here has cpuinfo
        for processor, machines in (("spr", {"perf spr"}), ("ivytown", {"model ivytown"}),
                                    ("zen.", {"perf zen2", "perf zen5"}),
                                    ("nehalem-ex", {"perf nehalem_ex", "model nehalem-ex"})):
            assert offered("instance", processor=processor) == machines, processor
        assert offered("instance", model="X7560") == set()


def the_fleet(store, machines):
    """The dashboard of all machines names each socket, or machine, once. The ten to look at first
    are ten of those that its heat maps show."""
    sockets = {(s["instance"], s["socket"]) for s in at_the_end(store, "uncored_up")}
    assert {m for m, _ in sockets} == set(machines), sockets
    board = boards.Board("fleet.json")
    for title, expr in [(p.title, expr) for p in board.panels for expr, _, _ in p.queries
                        if p.title not in TROUBLE]:
        got = answer(store, board, expr)
        seen = {(s.get("instance"), s.get("socket")) for s in got}
        print("%-40s %s" % (title, len(got)))
        assert got and len(seen) == len(got), (title, got)
        first = re.fullmatch(r"(?:top|bottom)k\(10, (.*)\)", expr, re.DOTALL)
        everyone = answer(store, board, first[1]) if first else got
        assert len(got) == min(10, len(everyone)) or not first, (title, got, everyone)
        assert title != "Memory reads" or {(s["instance"], s["socket"]) for s in everyone} == {
            s for s in sockets if s[0] != UNREAD}, everyone


def alerts():
    """(name, expression) of the alerts."""
    with open(os.path.join(h.SRC, "contrib/prometheus/rules.yml")) as f:
        text = f.read()
    for name, body in re.findall(r"- alert: (\S+)\n(.*?)(?=^ *- |\Z)", text, re.M | re.S):
        long, short = re.search(r"^ +expr: (?:\|\n((?: {10}.*\n)+)|(.+)\n)", body, re.M).groups()
        yield name, long or short


def test_idle_servers_alert_nobody():
    """On servers that do nothing no alert has an answer, at any time of 25 minutes, but the one
    that says that they are simulated; and that one does."""
    series = collections.defaultdict(list)
    names = [name + ":idle" for name in SERVERS]
    models(series, names, "", IDLE)
    store = filled(series)
    rules = dict(alerts())
    assert len(rules) > 8, rules
    fire = {name for name, expr in rules.items() if store.ask(expr)}
    # This machine may be too busy for their samples; rules_test.yml has that one's bounds.
    assert fire - {"UncoredTicksMissed"} == TRUE, fire


def test_a_group_on_request():
    """The dashboard also shows what a ready-made group counts that no default set has."""
    series = collections.defaultdict(list)
    models(series, ["nehalem-ex"], 'groups = [ "memory", "writes" ];')
    store = filled(series)
    board = boards.Board("uncored.json")
    asked = [expr for p in board.panels for expr, _, _ in p.queries if WRITES in expr]
    assert asked and all(answers(store, board, expr, "model nehalem-ex") for expr in asked), asked


def test_samples():
    """The second dashboard is for groups with distributions."""
    series = collections.defaultdict(list)
    models(series, ["nehalem-ex"], '''groups = ( { name = "links"; resolution = "10ms";
           distribution = true; metrics = [ "link_utilization_ratio" ]; } );''')
    store = filled(series)
    board = boards.Board("samples.json")
    blind = [(p.title, expr) for p in board.panels for expr, _, _ in p.queries
             if not answers(store, board, expr, "model nehalem-ex")]
    assert not blind, blind


# {instance: (labels of its socket_info, whether it counts)}; the second one is gone by the end.
HOSTS = {"real": ({"processor": "spr", "model": "8480+", "engine": "perf"}, 1),
         "gone": ({"processor": "zen4", "model": "9654", "engine": "perf"}, 1),
         "vm": ({"processor": "spr", "model": "8480+", "engine": "perf"}, 0),
         "tried": ({"processor": "icx", "engine": "model"}, 1)}


def hosts():
    """Series of these, and of another job that answers as little as `gone` does."""
    series = collections.defaultdict(list)

    def at(second, value, name, instance, job="uncored", **labels):
        series[(("__name__", name), ("instance", instance), ("job", job),
                *labels.items())].append((1000 * (gaps.BEGIN + second), value))
    for second in range(0, AT + 1, 15):
        at(second, 0, "up", "disk:9100", "node")
        for name, (info, counts) in HOSTS.items():
            here = name != "gone" or second < 150
            at(second, int(here), "up", name)
            if name == "gone" and second >= 150:
                at(second, 1, "ALERTS", name, alertname="UncoredDown")
            value = 1 if here else gaps.STALE
            if second > 150 and not here:
                continue
            at(second, value, "uncored_build_info", name)
            at(second, value, "uncored_socket_info", name, socket="0", **info)
            at(second, value and counts, "uncored_up", name, socket="0")
            at(second, value and 1 - counts, "uncored_without_counters", name)
        at(second, 1, "ALERTS", "real", alertname="UncoredMemoryChannelSilent", socket="0",
           unit="3")
    return series


def test_hosts_without_numbers():
    """One that is gone, and one without counters, are named where they belong and nowhere else, by
    processor and model; targets of other jobs are not. Of neither it is said that its counters are
    real."""
    store = gaps.Store()
    store.write(hosts())
    fleet, one = boards.Board("fleet.json"), boards.Board("uncored.json")

    def value(board, title, **chosen):
        panel = next(p for p in board.panels if p.title == title)
        chosen = dict(dict.fromkeys(board.variables, ".*"), **chosen)
        got = store.ask(board.filled(panel.queries[0][0], chosen)).get((), {}).get(AT)
        return panel.empty if got is None else panel.text(got) or got

    def rows(title, *columns, **chosen):
        panel = next(p for p in fleet.panels if p.title == title)
        return {tuple(r.get(c) for c in columns)
                for r in answer(store, fleet, panel.queries[0][0], **chosen)}

    for chosen, silent, not_counted in (
            ({}, 1, {("gone", "does not answer"), ("vm", "without counters")}),
            ({"processor": "spr", "instance": "real|vm"}, 0, {("vm", "without counters")}),
            ({"processor": "zen4", "instance": "gone"}, 1, {("gone", "does not answer")}),
            ({"model": "8480.", "instance": "real|vm"}, 0, {("vm", "without counters")}),
            ({"model": "9654", "instance": "gone"}, 1, {("gone", "does not answer")})):
        assert value(fleet, "No answer", **chosen) == silent, chosen
        assert rows("Not counted, and why", "instance", "reason", **chosen) == not_counted, chosen
        lost = rows("Lost channels and counters", "instance", "socket", "unit", **chosen)
        assert lost == ({("real", "0", "3")} if chosen.get("instance") != "gone" else set()), chosen
        alerts_shown = rows("Alerts", "instance", "alertname", **chosen)
        assert alerts_shown == (lost and {("real", "UncoredMemoryChannelSilent")}) | (
            {("gone", "UncoredDown")} if silent else set()), chosen
    assert not rows("Lost channels and counters", "instance", instance="vm")
    assert [value(one, "Real or simulated", instance=name) for name in HOSTS] == [
        "real counters", "no answer", "nothing is counted", "SIMULATED: no number is real"]
    assert [value(one, "Counters invalid", instance=name) for name in HOSTS] == [
        0, "no answer", 0, 0]
    assert value(fleet, "Machines without counters") == 1


if __name__ == "__main__":
    h.main(sys.modules[__name__], 1)
