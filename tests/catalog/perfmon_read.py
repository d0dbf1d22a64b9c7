# SPDX-License-Identifier: MIT
"""What Intel publishes: the files of a checkout of github.com/intel/perfmon, and perfmon.tsv."""

import ast
import glob
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PMUS = {"CHA": "cha", "iMC": "imc", "IMC": "imc", "UPI LL": "upi", "IIO": "iio", "IRP": "irp",
        "PCU": "pcu", "M2M": "m2m", "MCHBM": "hbm", "B2CMI": "b2cmi", "UBOX": "ubox",
        "M3UPI": "m3upi", "B2UPI": "b2upi", "M2PCIe": "m2pcie"}
# The filter register of a CHA of Skylake and Cascade Lake: the kernel's terms for its bits.
FILTER = (("filter_opc0", 9, 0x3ff), ("filter_loc", 1, 1), ("filter_rem", 0, 1),
          ("filter_nm", 4, 1), ("filter_not_nm", 5, 1), ("filter_all_op", 3, 1))
# What perfmon.tsv calls constants.
TIMES = {"DURATIONTIMEINSECONDS": "T", "DURATIONTIMEINMILLISECONDS": "(1000*T)",
         "SOCKET_COUNT": "NS", "CHAS_PER_SOCKET": "NCHA", "CORES_PER_SOCKET": "NCHA"}
UNITS = 8               # of a PMU on a socket, where it has several


# ---------------------------------------------------------------- published events and metrics

def number(text):
    return int(str(text).split(",")[0].strip() or "0", 0)


class Event:
    """An event in the kernel's terms."""

    def __init__(self, name, terms, pmu, counters, one, register=0):
        self.name, self.terms, self.pmu = name, terms, pmu
        self.counters, self.one = counters, one
        self.register = register        # of a CHA's filter
        self.clock = "CLOCKTICKS" in name

    def key(self):
        return (self.pmu, tuple(sorted(self.terms.items())))


def read_events(directory):
    found = {}
    for path in sorted(glob.glob(os.path.join(directory, "events", "*_uncore*.json"))):
        with open(path, encoding="utf-8") as f:
            for e in json.load(f)["Events"]:
                found.setdefault(e["EventName"].upper(), e)
    return found


def event_of(events, name):
    """Of a metric: NAME, NAME:c1 (threshold 1), NAME:filter1=0x..., NAME:one_unit."""
    base, *words = name.split(":")
    e = events[base.upper()]
    if e["Unit"] not in PMUS:
        sys.exit("%s counts in %s: add what Linux calls that to PMUS of %s" %
                 (base, e["Unit"], os.path.basename(__file__)))
    pmu = PMUS[e["Unit"]]
    terms = {"event": number(e["EventCode"])}
    umask, wide = number(e["UMask"]), number(e.get("UMaskExt", "0"))
    if pmu == "iio":
        terms["umask"] = umask
        terms["ch_mask"] = number(e["PortMask"])
        terms["fc_mask"] = number(e["FCMask"])
    elif umask or wide:
        terms["umask"] = wide << 8 | umask
    value = number(e.get("FILTER_VALUE", "0"))
    for w in words:
        if w.startswith("filter1="):
            value = int(w[8:], 0)
        elif w == "c1":
            terms["thresh"] = 1
    if pmu != "cha":
        value = 0
    terms.update(filtered(value))
    return Event(name, terms, pmu, e["Counter"], "one_unit" in words, value)


def filtered(register):
    return {term: register >> shift & mask for term, shift, mask in FILTER
            if register >> shift & mask}


class Metric:
    def __init__(self, m, events):
        self.name, self.unit = m["MetricName"], m["UnitOfMeasure"]
        self.about = m["BriefDescription"]
        self.formula = m["Formula"]
        self.atoms = {}
        for e in m["Events"]:
            self.atoms[e["Alias"]] = event_of(events, e["Name"])
        for alias in re.findall(r"(\w+)\[\d+\]", self.formula):
            self.atoms[alias].one = True
        self.published = self.formula
        constants = {c["Alias"]: c["Name"] for c in m["Constants"]}
        # as in perfmon.tsv, but for the events' names
        self.timed = re.sub(r"\b[A-Za-z_]\w*", lambda w: TIMES.get(
            constants.get(w.group(), w.group()), w.group()), self.formula)
        self.formula = re.sub(r"(\w+)\[\d+\]", r"\1", self.timed)

    def value(self, counts):
        return value(self, counts)


def value(metric, counts):
    names = {a: counts.total(e) for a, e in metric.atoms.items()}
    names.update(T=counts.seconds, NS=1, NCHA=UNITS)
    # a formula of perfmon: numbers, names, + - * / and brackets
    return arithmetic(ast.parse(metric.formula.strip(), mode="eval").body, names)


def arithmetic(node, names):
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return names[node.id]
    if isinstance(node, ast.UnaryOp):
        return -arithmetic(node.operand, names)
    a, b = arithmetic(node.left, names), arithmetic(node.right, names)
    if isinstance(node.op, ast.Add):
        return a + b
    if isinstance(node.op, ast.Sub):
        return a - b
    return a * b if isinstance(node.op, ast.Mult) else a / b


def uncore_metrics(path):
    """As they are published: those of uncore events alone."""
    with open(path, encoding="utf-8") as f:
        for m in json.load(f)["Metrics"]:
            names = [e["Name"] for e in m["Events"]]
            if names and all(n.startswith("UNC_") for n in names):
                yield m


def read_metrics(path, events):
    for m in uncore_metrics(path):
        yield Metric(m, events)


# ---------------------------------------------------------------- perfmon.tsv

class Listed:
    """A line: what was published when the rows were made."""

    def __init__(self, formula, events):
        self.atoms = {}
        keys = {}
        for i, text in enumerate(events.split(" ")):
            key, pmu, terms, counters = re.fullmatch(r"(.*?)=uncore_(\w+)/(.*)/@(\d+)",
                                                     text).groups()
            terms = {k: int(v, 0) for k, v in (t.split("=") for t in terms.split(","))}
            register = terms.pop("filter1", 0)
            terms.update(filtered(register))
            one = pmu.endswith("_0")
            keys[key] = "e%d" % i
            self.atoms["e%d" % i] = Event(key, terms, pmu[:-2] if one else pmu,
                                          ",".join(counters), one, register)
        for key in sorted(keys, key=len, reverse=True):
            formula = formula.replace(key, keys[key])
        for alias in re.findall(r"(\w+)\[\d+\]", formula):
            self.atoms[alias].one = True
        self.formula = re.sub(r"\[\d+\]", "", formula)

    def value(self, counts):
        return value(self, counts)


def read_listed():
    """{(ARCH, metric): Listed}"""
    with open(os.path.join(HERE, "perfmon.tsv"), encoding="utf-8") as f:
        rows = [line.rstrip("\n").split("\t") for line in f if not line.startswith("#")]
    return {(arch, name): Listed(formula, events) for arch, name, formula, events in rows[1:]}


def listing(arch, metric):
    """The line of perfmon.tsv."""
    names = {alias: e.name.replace(":one_unit", "[1]") for alias, e in metric.atoms.items()}
    events = []

    formula = re.sub(r"\b[A-Za-z_]\w*", lambda w: names.get(w.group(), w.group()),
                     metric.timed).replace(" ", "")
    for alias, e in metric.atoms.items():
        terms = ["event=0x%02x" % e.terms["event"]]
        terms += ["%s=0x%x" % t for t in e.terms.items()
                  if t[0] != "event" and not t[0].startswith("filter_")]
        if e.register:
            terms.append("filter1=0x%x" % e.register)
        events.append("%s=uncore_%s%s/%s/@%s" % (
            names[alias], e.pmu, "_0" if ":one_unit" in e.name else "", ",".join(terms),
            e.counters.replace(",", "")))
    return "\t".join((arch, metric.name, formula, " ".join(events)))
