#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What Intel publishes of a processor's uncore, beside the rows that uncored has.

    tests/catalog/perfmon.py DIR [ARCH...]

DIR is a checkout of github.com/intel/perfmon, ARCH a folder of it (SPR); none: those that uncored
knows. For each metric whose inputs are uncore events alone one line:

    equal       the row that gives it
    absent      the row that says why nobody can count it
    missing     no row, though perfmon.tsv has it
    new         neither a row, nor in perfmon.tsv
    different   no row, and perfmon.tsv has another formula or other codes
    gone        only perfmon.tsv has it

Below missing, new and different ones stand the rows to paste into src/catalog/tables, whose
sentences somebody has to write; below what perfmon.tsv lacks or has otherwise its line for that
file. A folder that uncored has no machine for is one line, if it has such metrics. Exit 1: not all
is equal or absent, and listed so; or a folder has no machine, or nothing is there to compare.

Equal means: the published formula and the row give the same on random counts, but for a power of
ten (MB/sec, percent). UNCORECTL names the program, if it is not in build/."""

import ast
import glob
import json
import math
import os
import random
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..")
UNCORECTL = os.environ.get("UNCORECTL") or os.path.join(
    os.environ.get("top_builddir", os.path.join(TOP, "build")), "uncorectl")

# A file of published metrics, without "_metrics.json", and the machine that has its PMUs.
MACHINES = {
    "skylakex": "skx", "cascadelakex": "clx", "icelakex": "icx", "sapphirerapids": "spr",
    "sapphirerapidshbm": "sprhbm", "emeraldrapids": "emr", "graniterapids": "gnr",
    "sierraforest": "srf", "clearwaterforest": "cwf",
}
PMUS = {"CHA": "cha", "iMC": "imc", "IMC": "imc", "UPI LL": "upi", "IIO": "iio", "IRP": "irp",
        "PCU": "pcu", "M2M": "m2m", "MCHBM": "hbm", "B2CMI": "b2cmi", "UBOX": "ubox",
        "M3UPI": "m3upi", "B2UPI": "b2upi", "M2PCIe": "m2pcie"}
# The filter register of a CHA of Skylake and Cascade Lake: the kernel's terms for its bits.
FILTER = (("filter_opc0", 9, 0x3ff), ("filter_not_nm", 5, 1), ("filter_nm", 4, 1),
          ("filter_all_op", 3, 1), ("filter_loc", 1, 1), ("filter_rem", 0, 1))
TRIALS = 50
NEAR = 1e-9
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

    def spec(self):
        short = re.sub(r"^UNC_[A-Z0-9]+_", "", self.name.split(":")[0])
        name = re.sub(r"\W", "_", short).lower()
        terms = ",".join("%s=0x%02x" % t for t in self.terms.items())
        return "perf/uncore_%s%s/%s,name=%s/" % (self.pmu, "_0" if self.one else "", terms, name)


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
        self.formula = re.sub(r"(\w+)\[\d+\]", r"\1", self.formula)
        self.constants = {c["Alias"]: c["Name"] for c in m["Constants"]}

    def value(self, counts):
        names = {a: counts.total(e) for a, e in self.atoms.items()}
        for alias, name in list(self.constants.items()) + [
                (n, n) for n in ("DURATIONTIMEINSECONDS", "DURATIONTIMEINMILLISECONDS")]:
            names[alias] = constant(name, counts)
        # a formula of perfmon: numbers, names, + - * / and brackets
        return arithmetic(ast.parse(self.formula.strip(), mode="eval").body, names)


def constant(name, counts):
    if name == "SOCKET_COUNT":
        return 1
    if name in ("CHAS_PER_SOCKET", "CORES_PER_SOCKET"):
        return UNITS
    return counts.seconds * (1000 if name == "DURATIONTIMEINMILLISECONDS" else 1)


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

TIMES = {"DURATIONTIMEINSECONDS": "T", "DURATIONTIMEINMILLISECONDS": "(1000*T)",
         "SOCKET_COUNT": "NS", "CHAS_PER_SOCKET": "NCHA", "CORES_PER_SOCKET": "NCHA"}


class Listed:
    """A line: what was published when the rows were made."""

    def __init__(self, formula, events):
        self.atoms = {}
        keys = {}
        for i, text in enumerate(events.split(" ")):
            key, pmu, terms = re.fullmatch(r"(.*?)=uncore_(\w+)/(.*)/@\d+", text).groups()
            terms = {k: int(v, 0) for k, v in (t.split("=") for t in terms.split(","))}
            terms.update(filtered(terms.pop("filter1", 0)))
            one = pmu.endswith("_0")
            keys[key] = "e%d" % i
            self.atoms["e%d" % i] = Event(key, terms, pmu[:-2] if one else pmu, "", one)
        for key in sorted(keys, key=len, reverse=True):
            formula = formula.replace(key, keys[key])
        for alias in re.findall(r"(\w+)\[\d+\]", formula):
            self.atoms[alias].one = True
        self.formula = re.sub(r"\[\d+\]", "", formula)

    def value(self, counts):
        names = {a: counts.total(e) for a, e in self.atoms.items()}
        names.update(T=counts.seconds, NS=1, NCHA=UNITS)
        return arithmetic(ast.parse(self.formula, mode="eval").body, names)


def read_listed():
    """{(ARCH, metric): Listed}"""
    with open(os.path.join(HERE, "perfmon.tsv"), encoding="utf-8") as f:
        rows = [line.rstrip("\n").split("\t") for line in f if not line.startswith("#")]
    return {(arch, name): Listed(formula, events) for arch, name, formula, events in rows[1:]}


def listing(arch, metric):
    """The line of perfmon.tsv."""
    names = {alias: e.name.replace(":one_unit", "[1]") for alias, e in metric.atoms.items()}
    events = []

    def word(m):
        constant = metric.constants.get(m.group(), m.group())
        return names.get(m.group()) or TIMES.get(constant, m.group())

    formula = re.sub(r"\b[A-Za-z_]\w*", word, metric.published).replace(" ", "")
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


# ---------------------------------------------------------------- random counts

class Counts:
    """What a socket counted in a time. Ports of an I/O stack count apart, so that the sum of their
    events is the event of all of them; the clocks of a PMU's units are one clock."""

    def __init__(self, clocks):
        self.seconds = random.uniform(0.1, 10)
        self.clocks = clocks
        self.known = {}

    def one(self, key):
        return self.known.setdefault(key, random.randrange(1, 1 << 40))

    def total(self, e):
        terms = dict(e.terms)
        ports = terms.pop("ch_mask", 0)
        key = Event(e.name, terms, e.pmu, "", False).key()
        if ports:
            return sum(self.one((key, p)) for p in range(12) if ports >> p & 1)
        if e.key() in self.clocks:
            return self.one(key) * (1 if e.one else UNITS)
        return self.one((key, 0)) if e.one else sum(self.one((key, u)) for u in range(UNITS))


# ---------------------------------------------------------------- uncored's rows

class Row:
    def __init__(self, r, aliases):
        self.name, self.absent, self.source = r["name"], r["absent"], r["source"]
        self.scale, self.counter = r["scale"], not r["denominator"]
        self.sums = [[(t["event"], t["weight"]) for t in r[k]]
                     for k in ("numerator", "denominator")]
        self.clock, self.each = r["cycles_of"], r["unscaled"] or 1
        self.aliases = aliases

    def event(self, spec):
        _, pmu, terms = spec.strip("/").split("/")
        one = pmu.endswith("_0")
        pmu = pmu[:-2] if one else pmu
        pmu = pmu[7:] if pmu.startswith("uncore_") else pmu
        words = self.aliases.get((pmu, terms), terms)
        found = {}
        name = ""
        for w in words.split(","):
            k, _, v = w.partition("=")
            if k == "name":
                name = v.upper()
            else:
                found[k] = int(v or "1", 0)
        if not found.get("umask", 1) and pmu != "iio":
            del found["umask"]
        return Event(name, found, pmu, "", one)

    def sum(self, terms, counts):
        return sum(w * (counts.seconds if "/" not in e else counts.total(self.event(e)))
                   for e, w in terms)

    def value(self, counts):
        v = self.scale * self.each * self.sum(self.sums[0], counts)
        if self.sums[1]:
            v /= self.sum(self.sums[1], counts)
        if self.clock:
            e = self.event(self.clock)
            v *= counts.seconds / (counts.total(e) / (1 if e.one else UNITS))
        return v / counts.seconds if self.counter else v


def lines_of(machine):
    where = os.path.join(TOP, "src", "topo", "machines")
    path = os.path.join(where, machine + ".txt")
    if not os.path.exists(path):
        path = os.path.join(where, "common", machine + ".txt")
    with open(path, encoding="utf-8") as f:
        for line in f:
            if line.startswith("like "):
                yield from lines_of(line.split()[1])
            yield line


def read_rows(machine):
    """The ready-made metrics of a machine, and what the kernel's names for events stand for."""
    aliases, pmu = {}, ""
    for line in lines_of(machine):
        if line.startswith("PMU "):
            pmu = re.sub(r"_?\{.*", "", line.split()[1]).replace("uncore_", "")
        m = re.match(r"\s*events/([\w-]+): (.*)", line)
        if m:
            aliases[(pmu, m.group(1))] = m.group(2).strip()
    out = subprocess.run([UNCORECTL, "list", "metrics", "--machine", machine, "--json"],
                         capture_output=True, text=True, check=True).stdout
    return [Row(r, aliases) for r in json.loads(out)["ready"]]


# ---------------------------------------------------------------- comparison

def is_power_of_ten(x):
    return x > 0 and abs(x / 10.0 ** round(math.log10(x)) - 1) < NEAR


def same(metric, rows):
    """How the rows, or their sum, give the metric: "", or what its formula lacks; None: they do
    not."""
    clocks = {e.key() for e in metric.atoms.values() if e.clock}
    # what the published value is multiplied by, of the times measured
    ways = {"": 0, "times the time": 1, "divided by the time": -1}
    factor = {}
    for _ in range(TRIALS):
        c = Counts(clocks)
        try:
            want, have = metric.value(c), sum(r.value(c) for r in rows)
        except (KeyError, ValueError, ZeroDivisionError):
            return None
        for how, power in list(ways.items()):
            x = want * c.seconds ** power / have if have else 0
            if not is_power_of_ten(x) or abs(factor.setdefault(how, x) / x - 1) > NEAR:
                del ways[how]
        if not ways:
            return None
    return min(ways)


def find(metric, rows):
    counted = [r for r in rows if not r.absent]
    for r in counted:
        how = same(metric, [r])
        if how is not None:
            return r.name, how
    counters = [r for r in counted if r.counter]
    for i, a in enumerate(counters):
        for b in counters[:i]:
            how = same(metric, [b, a])
            if how is not None:
                return "%s + %s" % (b.name, a.name), how
    return None, None


# ---------------------------------------------------------------- rows to paste

def product(node, names):
    """A formula as (factor, sums above, sums below): a sum is a dict of names and weights."""
    if isinstance(node, ast.Constant):
        return float(node.value), [], []
    if isinstance(node, ast.Name):
        return (1.0, [], []) if node.id not in names else (1.0, [{node.id: 1.0}], [])
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div)):
        (f, up, down), (g, a, b) = product(node.left, names), product(node.right, names)
        if isinstance(node.op, ast.Mult):
            return f * g, up + a, down + b
        return f / g, up + b, down + a
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        total = {}
        for f, up, down in (product(node.left, names), product(node.right, names)):
            if len(up) != 1 or down:
                raise ValueError("no sum of events")
            for k, w in up[0].items():
                total[k] = total.get(k, 0) + f * w
        return 1.0, [total], []
    raise ValueError("neither a sum nor a quotient")


def term(metric, name, weight):
    return ("IN(%s)" if weight == 1 else "TIMES(%g, %%s)" % weight) % \
        ('"%s"' % metric.atoms[name].spec())


def paste(metric, arch):
    """The rows, as far as one form fits: scale x sum / sum [x seconds per clock]."""
    lines = []
    for e in metric.atoms.values():
        more = ", .clock = true" if e.clock else ""
        if e.counters and e.counters != "0,1,2,3":
            more += ", .counters = 0x%x" % sum(1 << int(c) for c in e.counters.split(","))
        lines.append('P("%s", "perfmon %s %s"%s),' % (e.spec(), arch, e.name.split(":")[0], more))
    names = set(metric.atoms)
    try:
        factor, up, down = product(ast.parse(metric.formula.strip(), mode="eval").body, names)
    except ValueError as e:
        return lines + ["/* %s: %s */" % (metric.name, e)]
    clock = [s for s in down if len(s) == 1 and metric.atoms[next(iter(s))].clock]
    down = [s for s in down if s not in clock or len(down) == 1]
    if metric.unit == "percent":
        unit, factor = "ratio", factor / 100
    elif metric.unit == "MB/sec":
        unit, factor = "bytes", factor * 1e6
    elif metric.unit == "ns":
        unit, factor = "seconds", 1
    else:
        unit = "its unit"
    total = "_total" if not down and unit != "seconds" else ""
    text = 'M("%s_%s%s", "%s", SOCKET, "perfmon metric %s", SUM(%s)' % (
        metric.name, unit, total, unit, metric.name,
        ", ".join(term(metric, k, w) for k, w in up[0].items()))
    if abs(factor - 1) > NEAR:
        text += ", .scale = %g" % factor
    if down:
        text += ", .den = SUM(%s)" % ", ".join(term(metric, k, w) for k, w in down[0].items())
    if clock and unit == "seconds":
        text += ', .cycles_of = "%s"' % metric.atoms[next(iter(clock[0]))].spec()
    return lines + [text + ',', '  .help = "its help in our words"),   /* %s */' % metric.about]


# ---------------------------------------------------------------- main

def kind_of(metric, name, absent, listed):
    if name:
        return "equal"
    if absent:
        return "absent"
    if not listed:
        return "new"
    return "missing" if same(metric, [listed]) == "" else "different"


def compare(path, arch, events, listed):
    """Prints a line for each metric. Returns how many there are of each kind, and "unlisted"."""
    machine = MACHINES.get(os.path.basename(path)[:-len("_metrics.json")])
    rows = read_rows(machine) if machine else []
    what, arch = machine or arch, machine.upper() if machine else arch
    n = dict.fromkeys(("equal", "absent", "missing", "new", "different", "gone", "unlisted"), 0)
    seen = set()
    for m in read_metrics(path, events):
        name, how = find(m, rows)
        absent = [r for r in rows if r.absent and m.name in r.source]
        known = listed.get((arch, m.name))
        kind = kind_of(m, name, absent, known)
        n[kind] += 1
        seen.add(m.name)
        print("%s\t%s\t%s\t%s" % (what, m.name, kind, {
            "equal": "%s%s" % (name, how and ", " + how),
            "absent": absent and "%s: %s" % (absent[0].name, absent[0].absent),
        }.get(kind, m.formula)))
        if kind not in ("equal", "absent"):
            print("\n".join("\t" + line for line in paste(m, arch)))
        if not known or same(m, [known]) != "":
            n["unlisted"] += 1
            print("\tperfmon.tsv: " + listing(arch, m))
    for name in sorted(name for a, name in listed if a == arch and name not in seen):
        n["gone"] += 1
        print("%s\t%s\tgone\tof perfmon.tsv" % (what, name))
    print("# %s: %s" % (what, ", ".join(
        "%d %s" % (count, kind) for kind, count in n.items() if count) or "nothing"))
    return n


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    top, asked = sys.argv[1], set(sys.argv[2:])
    listed, open_ends, found, unknown = read_listed(), 0, set(), {}
    for path in sorted(glob.glob(os.path.join(top, "*", "metrics", "*_metrics.json"))):
        directory = os.path.dirname(os.path.dirname(path))
        arch = os.path.basename(directory)
        stem = os.path.basename(path)[:-len("_metrics.json")]
        if arch in asked or (not asked and stem in MACHINES):
            found.add(arch)
            n = compare(path, arch, read_events(directory), listed)
            open_ends += sum(n.values()) - n["equal"] - n["absent"]
        elif not asked:
            unknown[arch] = unknown.get(arch, 0) + len(list(uncore_metrics(path)))
    for arch, n in unknown.items():
        if n:
            print("%s: %d metric%s on uncore events, no machine of that name" %
                  (arch.lower(), n, "" if n == 1 else "s"))
            open_ends += 1
    if asked - found:
        sys.exit("%s has no */metrics/*_metrics.json of: %s" %
                 (top, ", ".join(sorted(asked - found))))
    if not found and not open_ends:
        sys.exit("%s has no metrics of a processor that uncored knows: is it a checkout of "
                 "github.com/intel/perfmon?" % top)
    sys.exit(1 if open_ends else 0)


if __name__ == "__main__":
    main()
