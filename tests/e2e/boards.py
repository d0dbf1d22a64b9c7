# SPDX-License-Identifier: MIT
"""boards.py - the Grafana dashboards of contrib, as Grafana reads them: panels with their queries
and legends, variables with what they offer.

Who asks hands in how: ask(expr) returns the labels of what a query says.
"""
import json
import os
import re

import harness as h

HERE = os.path.join(h.SRC, "contrib/grafana")
NAMES = tuple(sorted(n for n in os.listdir(HERE) if n.endswith(".json")))


class Panel:
    """queries: (expression, legend, whether it is asked for the end alone)"""

    def __init__(self, panel):
        options = panel.get("options", {})
        of = panel.get("fieldConfig", {}).get("defaults", {})
        self.title, self.kind, self.at = panel["title"], panel["type"], panel["gridPos"]
        self.queries = [(t["expr"], t.get("legendFormat", ""), t.get("instant", False))
                        for t in panel.get("targets", [])]
        self.unit = of.get("unit") or options.get("yAxis", {}).get("unit", "")
        self.low, self.empty = of.get("min"), of.get("noValue", "")
        self.mappings = of.get("mappings", [])
        self.buckets = self.kind == "heatmap" and not options["calculate"]
        hide = [t["options"] for t in panel.get("transformations", []) if t["id"] == "organize"]
        self.hidden = {k for o in hide for k, no in o["excludeByName"].items() if no} | {
            o["matcher"]["options"]
            for o in panel.get("fieldConfig", {}).get("overrides", [])
            if {"id": "custom.hidden", "value": True} in o["properties"]}
        self.renamed = {k: v for o in hide for k, v in o["renameByName"].items()}
        fields = [t["options"]["fields"] for t in panel.get("transformations", [])
                  if t["id"] == "groupBy"]
        self.grouped = {k: v["operation"] == "groupby" for f in fields for k, v in f.items()}

    def rows(self, all_labels):
        """Of a table, what is left of these: those that are alike are one row, in which the values
        of the column that is no key are joined."""
        if not self.grouped:
            return all_labels
        out = {}
        for labels in all_labels:
            key = tuple((k, labels.get(k, "")) for k, is_key in self.grouped.items() if is_key)
            row = out.setdefault(key, dict(key))
            for k in (k for k, is_key in self.grouped.items() if not is_key):
                joined = row.setdefault("%s (uniqueValues)" % k, [])
                if labels.get(k) and labels[k] not in joined:
                    joined.append(labels[k])
        return [{k: ", ".join(v) if isinstance(v, list) else v for k, v in row.items()}
                for row in out.values()]

    def text(self, value):
        """A value by the panel's mappings, else None."""
        for m in self.mappings:
            if m["type"] == "value" and "%g" % value in m["options"]:
                return m["options"]["%g" % value]["text"]
            if m["type"] == "range" and m["options"]["from"] <= value:
                return m["options"]["result"]["text"]
        return None


class Board:
    def __init__(self, name):
        with open(os.path.join(HERE, name), encoding="utf-8") as f:
            board = json.load(f)
        self.name, self.title = name, board["title"]
        self.rows = [Panel(p) for p in board["panels"]]
        self.panels = [p for p in self.rows if p.kind != "row"]
        self.variables = {v["name"]: v for v in board["templating"]["list"]
                          if v["type"] == "query"}

    def filled(self, expr, chosen, interval="2m"):
        """An expression with the value that each variable has."""
        for name, value in chosen.items():
            expr = expr.replace('"$%s"' % name, '"%s"' % value)
        expr = expr.replace("$__rate_interval", interval)
        assert "$" not in expr, expr
        return expr

    def offered(self, ask, name, chosen):
        """What a variable offers where those before it have these values."""
        series, label = re.fullmatch(r"label_values\((.*), (\w+)\)",
                                     self.variables[name]["definition"]).groups()
        return {s.get(label) for s in ask(self.filled(series, chosen))} - {None}

    def chosen(self, ask, **values):
        """{variable: value}: these, and All of the others, or the first where there is no All."""
        out = {}
        for name, v in self.variables.items():
            if name in values:
                out[name] = values[name]
            elif v.get("allValue"):
                out[name] = v["allValue"]
            else:
                offer = sorted(self.offered(ask, name, out))
                out[name] = "|".join(offer if v["includeAll"] else offer[:1])
        return out


def legend(form, labels):
    return re.sub(r"{{(\w+)}}", lambda m: labels.get(m[1], ""), form)


def shorter(queries, window):
    """Two minutes are too long for a test, and so is what rules know after ten, an hour, a week."""
    queries = re.sub(r"(?<=\[)(?:2|3|10)m(?=\])|(?<=offset )[29]m", window, queries)
    return re.sub(r"\b(count_over_time\([a-z_:]+\[1h\]\)) >= 30", r"\1 >= 3", queries)
