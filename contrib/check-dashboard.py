#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check-dashboard.py - the Grafana dashboards and the rules name only what uncored can serve.

A dashboard must be whole (JSON, unique panel ids, one data source variable, panels that do not
overlap), every metric name in them and in rules.yml must come from the catalog, the daemon or a
recording rule, and every expression must be PromQL that promtool accepts.

A rate of totals over a gap is a lie without a mark: while a counter is left out its total stands,
but time and the totals beside it go on. Six seconds of a foreign writer made the recorded latency
170 cycles instead of 160 for two minutes. So every rate of totals is divided by the time that the
total stands for (rules.yml), and the dashboards show what is recorded. Neither names groups of the
configuration; alerts may name ready-made ones.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

SRC = os.environ.get("top_srcdir") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
BIN = os.environ.get("top_builddir") or SRC
PROMTOOL = shutil.which("promtool")
BOARDS = {"uncored": "uncored.json", "uncored-samples": "samples.json",       # uid: file
          "uncored-fleet": "fleet.json", "uncored-unit": "unit.json"}
WIDE = "expr", "definition", "query", "url"     # lines of these may be wider than 100 columns
# The unit of a metric, by how its name ends.
UNIT_OF = (("_ratio(:avg2m)?", "percentunit"), ("_seconds(:avg2m)?", "s"), ("_watts", "watt"),
           ("_bytes:rate2m|_bytes_per_second", "Bps"), ("_hertz", "hertz"),
           ("_resident_memory_bytes", "bytes"))
PROCESSORS = "nehalem-ex", "nehalem", "ivytown"
bad = []


def uncorectl(*args):
    out = subprocess.run([os.path.join(BIN, "uncorectl"), *args, "--json"],
                         stdout=subprocess.PIPE, check=True)
    return json.loads(out.stdout)


def family(box, event):
    """uncore_<box>_<event>_total; in metric names a lone b or s is spelled out."""
    words = re.sub("[^a-z0-9]", "_", f"{box}_{event}".lower()).split("_")
    return "_".join(["uncore", *({"b": "bbox", "s": "sbox"}.get(w, w) for w in words), "total"])


def samples_of(metric):
    """Peak and buckets of a metric's single samples: the words stand before the unit; of a counter
    it is the rate."""
    stem, _, unit = metric.removesuffix("_total").rpartition("_")
    if metric.endswith("_total"):
        unit += "_per_second"
    return {f"uncore_{stem}_peak_{unit}", f"uncore_{stem}_distribution_{unit}_bucket"}


def known_names():
    names = {"up"}      # and what Prometheus itself makes
    for p in PROCESSORS:
        names |= {family(e["box"], e["event"])
                  for e in uncorectl("list", "events", "-p", p)["events"]}
        for m in uncorectl("list", "metrics", "-p", p)["metrics"]:
            names |= {"uncore_" + m["name"]} | samples_of(m["name"])
    for table in glob.glob(os.path.join(SRC, "src/catalog/tables/*.[ch]")):      # no PMU is here
        with open(table, encoding="utf-8") as f:
            rows = f.read()
        names |= {"uncore_" + m for m in re.findall(r'"([a-z0-9_]+_[a-z]+)"', rows)}
        # the totals of events that have their names from the kernel: "perf/uncore_imc/cas_.../"
        # and where sysfs has a unit for them, in bytes, too
        names |= {"uncore_%s_%s%s_total" % (re.sub("^uncore_", "", pmu), event, unit)
                  for pmu, event in re.findall(r'"perf/(\w+)/(\w+)/"', rows)
                  for unit in ("", "_bytes")}
        names |= {"uncore_%s_power_watts" % m for m in re.findall(r'WATTS\("(\w+)"', rows)}
    own = set()
    for rows in "src/sample/daemon_metrics.h", "src/expo/desc_rows.c":
        with open(os.path.join(SRC, rows), encoding="utf-8") as f:
            own |= set(re.findall(r'"((?:uncored?|process)_[a-z_]+)"', f.read()))
    if len(own) < 15:
        bad.append(f"only {len(own)} names of the daemon's own metrics found")
    late = "uncored_tick_lateness_seconds"
    return names | own | ({late + "_bucket"} if late in own else set())


def metric_names(expr):
    expr = re.sub(r'"(?:[^"\\]|\\.)*"', '""', expr)
    name = r"(?<![a-zA-Z0-9_:])(?:[a-z_]+:)?(?:uncored?|process)_[a-z0-9_]+(?::[a-z0-9_]+)?"
    return set(re.findall(name + r"|\bup(?=\{)", expr))


def rules():
    """(line, record name or None, expression) of rules.yml, which this reads as text: no YAML
    parser is needed."""
    path = os.path.join(SRC, "contrib/prometheus/rules.yml")
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    record = None
    for n, line in enumerate(lines, 1):
        head = re.match(r" *- (record|alert): (\S+)", line)
        if head:
            record = head[2] if head[1] == "record" else None
        m = re.match(r"( *)expr: (.*)", line)
        if not m:
            continue
        text = m[2]
        if text == "|":
            body = []
            for more in lines[n:]:
                if len(more) - len(more.lstrip()) <= len(m[1]):
                    break
                body.append(more)
            text = "\n".join(body)
        yield n, record, text


def check_panels(board):
    panels = board["panels"]
    ids = [p["id"] for p in panels]
    if len(set(ids)) != len(ids):
        bad.append("two panels have the same id")
    taken = {}
    for p in panels:
        g = p["gridPos"]
        if g["x"] + g["w"] > 24:
            bad.append(f"{p['title']}: wider than the grid")
        for x in range(g["x"], g["x"] + g["w"]):
            for y in range(g["y"], g["y"] + g["h"]):
                if (x, y) in taken:
                    bad.append(f"{p['title']} overlaps {taken[x, y]}")
                    return
                taken[x, y] = p["title"]
        if p["type"] != "row" and (not p.get("targets") or
                                   p["datasource"]["uid"] != "${datasource}"):
            bad.append(f"{p['title']}: no query, or not of the data source variable")
        if p["type"] != "row" and not p["fieldConfig"]["defaults"].get("noValue"):
            bad.append(f"{p['title']}: does not say why it is empty (noValue)")


def expressions(board):
    for p in board["panels"]:
        for t in p.get("targets", []):
            yield p["title"], t["expr"]
    for v in board["templating"]["list"]:
        m = re.match(r"label_values\((.*), \w+\)$", v.get("definition", ""))
        if m:
            yield "variable " + v["name"], m[1]


def check_honest(board, rows):
    """A rate over totals of counters that were left out for a while is too small; two series of one
    name are one line to the eye."""
    rate = r"rate\(uncore_\w+_total(?:\{[^}]*\})?\[2m\]\)"
    timed = r"\s*/ ignoring \((?:box, event|metric)\) (?:slot|metric):uncored_active:rate2m"

    for p in board["panels"]:
        for t in p.get("targets", []):
            expr, legend = t["expr"], t.get("legendFormat", "")
            if re.search(r"rate\(uncore_\w+_total", expr):
                bad.append(f"{p['title']}: is not recorded by rules.yml, and knows no gaps")
            if p["type"] == "timeseries" and re.search(r"\buncore_|\binstance_", expr):
                of = "{{node}}" if re.search(r"\binstance_node:", expr) else "{{socket}}"
                bad.extend(f"{p['title']}: the legend lacks {w}"
                           for w in ("{{instance}}", of) if w not in legend)
    for n, record, expr in rows:
        if len(re.findall(rate, expr)) != len(re.findall(rate + timed, expr)) or \
                len(re.findall(rate, expr)) != len(re.findall(r"rate\(uncore_\w+_total", expr)):
            bad.append(f"rules.yml:{n}: {record} does not divide by the time that a total is of")
    for where, text in [(f"rules.yml:{n}", expr) for n, record, expr in rows if record] + \
            [(p["title"], json.dumps(p.get("targets"))) for p in board["panels"]]:
        if re.search(r"\bgroup\b(?! without)|uncored_group", text):
            bad.append(f"{where}: names groups")


def check_alerts(rows):
    """An alert that names groups names ready-made ones: another machine has those, too."""
    ready = set()
    for table in glob.glob(os.path.join(SRC, "src/catalog/tables/*.[ch]")):
        with open(table, encoding="utf-8") as f:
            ready |= set(re.findall(r'\bG\("(\w+)"', f.read()))
    if not {"memory", "llc"} <= ready:
        bad.append(f"only {len(ready)} ready-made groups found")
    for n, record, expr in rows:
        named = re.findall(r'\bgroup\s*(=~?|!=|!~)\s*"([^"]*)"', expr) if not record else ()
        for op, groups in named:
            others = set(groups.split("|")) - ready
            if others or op.startswith("!"):
                bad.append(f"rules.yml:{n}: names groups that are not ready-made: {groups}")


def check_units(board):
    """A panel has the unit of the last word of its metrics; of a quotient it has none of theirs."""
    for p in board["panels"]:
        unit = p.get("fieldConfig", {}).get("defaults", {}).get("unit") or \
            p.get("options", {}).get("yAxis", {}).get("unit")
        for t in p.get("targets", []):
            of = {u for name in metric_names(t["expr"]) for end, u in UNIT_OF
                  if re.search(f"(?:{end})$", name) and " / " not in t["expr"]}
            if of - {unit}:
                bad.append(f"{p['title']}: its unit is {unit}, that of its metrics {of}")


def check_variables(board, text):
    have = {v["name"] for v in board["templating"]["list"]} | {"__rate_interval", "__all", "__data",
                                                            "__field", "__url_time_range"}
    if [v["type"] for v in board["templating"]["list"]].count("datasource") != 1:
        bad.append("not exactly one data source variable")
    for name in set(re.findall(r"\$\{?([a-z_]+)", text)) - have:
        bad.append(f"variable ${name} is not defined")


def check_narrowed(board):
    """Who has chosen a host is told which panel shows every one all the same."""
    if not any(v["name"] == "instance" for v in board["templating"]["list"]):
        return
    for p in board["panels"]:
        wide = [s for t in p.get("targets", [])
                for s in re.findall(r"\{[^}]*\$job[^}]*\}", t["expr"]) if "$instance" not in s]
        if wide and "every instance" not in p.get("description", ""):
            bad.append(f"{p['title']}: does not say that it is of every instance: {wide[0]}")


def check_form(text, name):
    """As json.dumps() writes it: a change of one member is one line of a diff."""
    if text != json.dumps(json.loads(text), indent=1, ensure_ascii=False) + "\n":
        bad.append(f"{name}: is not in the form of json.dumps(board, indent=1), one member a line")
    bad.extend(f"{name}:{n}: {len(line)} columns" for n, line in enumerate(text.split("\n"), 1)
               if len(line) > 100 and not line.lstrip().startswith(tuple(f'"{w}": ' for w in WIDE)))


def links(panel):
    """(url, the labels that it may name) of a panel's data links: of a column, those that the table
    still has (a hidden one it has, an excluded one not)."""
    config = panel.get("fieldConfig", {})
    gone = {k for t in panel.get("transformations", []) if t["id"] == "organize"
            for k, no in t["options"]["excludeByName"].items() if no}
    for link in config.get("defaults", {}).get("links", []):
        yield link["url"], set()
    for o in config.get("overrides", []):
        for prop in o["properties"]:
            for link in prop["value"] if prop["id"] == "links" else ():
                yield link["url"], gone


def check_links(board, boards):
    """A link goes to a board of ours, sets variables that it has, and keeps job, host and time."""
    for p in board["panels"]:
        for url, gone in links(p):
            m = re.match(r"/d/([a-z-]+)\?", url)
            have = {v["name"] for v in boards[m[1]]["templating"]["list"]} \
                if m and m[1] in boards else set()
            sets = dict(re.findall(
                r"var-(\w+)=\$\{__(?:data\.fields|field\.labels)\.(\w+)\}", url))
            if not sets.keys() <= have or not {"job", "instance"} <= sets.keys() or \
                    "&${__url_time_range}" not in url or set(sets.values()) & gone or \
                    url.count("var-") != len(sets):
                bad.append(f"{p['title']}: the link loses job, host or time, or sets what is not "
                           f"there: {url}")


def promql(exprs):
    """Every expression as a rule of its own, for promtool."""
    out = ["groups:", "- name: dashboard", "  rules:"]
    for n, (_, expr) in enumerate(exprs):
        expr = expr.replace("$__rate_interval", "2m").replace("$distribution", "uncore_x")
        out += [f"  - record: panel_{n}", "    expr: " + json.dumps(expr)]
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as f:
        f.write("\n".join(out) + "\n")
        f.flush()
        r = subprocess.run([PROMTOOL, "check", "rules", f.name], stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True)
    if r.returncode:
        bad.append("promtool does not take the dashboard's expressions:\n" + r.stdout)


def check_board(board, text, uid):
    if board.get("uid") != uid or board.get("id") is not None:
        bad.append(f"{uid}: uid is not fixed, or an id of some Grafana was left in")
    check_panels(board)
    check_units(board)
    check_variables(board, text)


def main():
    exprs, panels, rows = [], [], list(rules())
    texts = {}
    for uid, name in BOARDS.items():
        with open(os.path.join(SRC, "contrib/grafana", name), encoding="utf-8") as f:
            texts[uid] = f.read()
    boards = {uid: json.loads(text) for uid, text in texts.items()}
    for uid, board in boards.items():
        check_board(board, texts[uid], uid)
        check_form(texts[uid], BOARDS[uid])
        check_links(board, boards)
        check_narrowed(board)
        check_honest(board, rows)
        panels += board["panels"]
        exprs += expressions(board)
    if not any("SIMULATED" in p.get("description", "") and 'engine="model"' in
               p["targets"][0]["expr"] for p in panels if p["type"] != "row"):
        bad.append("no panel says that the numbers of a model are simulated")
    check_alerts(rows)

    names = known_names()
    seen = 0
    names |= {record for _, record, _ in rows if record}
    for where, expr in exprs + [(f"rules.yml:{n}", expr) for n, _, expr in rows]:
        used = metric_names(expr)
        seen += len(used)
        if not used and "__name__" not in expr and not expr.startswith(
                ("ALERTS{", "label_replace(vector(1)")):
            bad.append(f"{where}: no metric in: {expr}")
        bad.extend(f"{where}: uncored serves no {name}" for name in sorted(used - names))
    if seen < 50:
        bad.append(f"only {seen} names found")
    if PROMTOOL:
        promql(exprs)
    for line in bad:
        print(line)
    print(f"{len(panels)} panels, {len(rows)} rules, {seen} names, {len(names)} known")
    if bad:
        return 1
    if not PROMTOOL:
        print("SKIP: promtool is not installed; all but the expressions' syntax is checked "
              "and good")
        return 77
    return 0


sys.exit(main())
