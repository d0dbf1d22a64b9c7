#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What Intel publishes of a processor's uncore, beside the rows that uncored has.

    tests/catalog/perfmon.py DIR [ARCH...]
    tests/catalog/perfmon.py --rows [-]

The second writes src/catalog/tables/perf_published.c (-: prints it), if perfmon.tsv and what
perf_published.tsv says of it make rows, and leaves it as it is if not. The first compares:
DIR is a checkout of github.com/intel/perfmon, ARCH a folder of it (SPR); none: those that uncored
knows. For each metric whose inputs are uncore events alone one line:

    equal       the row that gives it
    absent      the row that says why nobody can count it
    missing     no row, though perfmon.tsv has it
    new         neither a row, nor in perfmon.tsv
    different   no row, and perfmon.tsv has another formula or other codes
    gone        only perfmon.tsv has it

Below missing, new and different ones stand the rows that count it, and a line of perf_published.tsv
from which --rows makes them: somebody has to find names and sentences. Below what perfmon.tsv lacks
or has otherwise stands its line for that file. A folder that uncored has no machine for is one
line, if it has such metrics. Exit 1: not all is equal or absent, and listed so; or a folder has no
machine, or nothing is there to compare; or what is published or said of it makes no rows.

Equal means: the published formula and the row give the same on random counts, each in its unit
(MB/sec and bytes, percent and a ratio). UNCORECTL names the program, if it is not in build/."""

import glob
import json
import os
import random
import re
import subprocess
import sys

from perfmon_read import UNITS, Event, listing, read_events, read_listed, read_metrics, \
    uncore_metrics
from perfmon_rows import MADE, Words, Wrong, paste, published_rows

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..")
UNCORECTL = os.environ.get("UNCORECTL") or os.path.join(
    os.environ.get("top_builddir", os.path.join(TOP, "build")), "uncorectl")

TRIALS = 50
NEAR = 1e-9


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
        self.unit, self.scale, self.counter = r["unit"], r["scale"], not r["denominator"]
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


def path_of(machine):
    """None: uncored has none of that name."""
    where = os.path.join(TOP, "src", "topo", "machines")
    paths = [os.path.join(where, part, machine + ".txt") for part in ("", "common")]
    return next((path for path in paths if os.path.exists(path)), None)


def lines_of(machine):
    with open(path_of(machine), encoding="utf-8") as f:
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

# A published unit in uncored's; where none is said, what the unit of a row is published in.
FACTORS = {"MB/sec": 1e6, "GB/sec": 1e9, "GHz": 1e9, "ns": 1e-9, "percent": 1e-2}
UNSAID = {"bytes": (1e6, 1e9), "hertz": (1, 1e9), "seconds": (1e-9,)}


def factors(metric, row):
    return (FACTORS.get(metric.unit, 1),) if metric.unit else UNSAID.get(row.unit, (1,))


def same(metric, rows, factors_=(1,)):
    """How the rows, or their sum, give the metric times one of these factors: "", or what its
    formula lacks; None: they do not."""
    clocks = {e.key() for e in metric.atoms.values() if e.clock}
    # what the published value is multiplied by, of the times measured
    ways = [(how, power, f) for f in factors_ for how, power in (
        ("", 0), ("times the time", 1), ("divided by the time", -1))]
    for _ in range(TRIALS):
        c = Counts(clocks)
        try:
            want, have = metric.value(c), sum(r.value(c) for r in rows)
        except (KeyError, ValueError, ZeroDivisionError):
            return None
        ways = [(how, power, f) for how, power, f in ways
                if have and abs(want * f * c.seconds ** power / have - 1) < NEAR]
        if not ways:
            return None
    return min(ways)[0]


def find(metric, rows):
    counted = [r for r in rows if not r.absent]
    for r in counted:
        how = same(metric, [r], factors(metric, r))
        if how is not None:
            return r.name, how
    counters = [r for r in counted if r.counter]
    for i, a in enumerate(counters):
        for b in counters[:i]:
            how = same(metric, [b, a], factors(metric, a)) if a.unit == b.unit else None
            if how is not None:
                return "%s + %s" % (b.name, a.name), how
    return None, None


# ---------------------------------------------------------------- main

def kind_of(metric, name, absent, listed):
    if name:
        return "equal"
    if absent:
        return "absent"
    if not listed:
        return "new"
    return "missing" if same(metric, [listed]) == "" else "different"


def compare(words, machine, arch, path, events, listed):
    """Prints a line for each metric. Returns how many there are of each kind, and "unlisted"."""
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
        }.get(kind, m.published)))
        if kind not in ("equal", "absent"):
            try:
                print("\n".join("\t" + line for line in paste(words, m, arch)))
            except Wrong as e:
                print("\t/* %s: %s */" % (m.name, e))
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
    try:
        words = Words()
        if sys.argv[1] == "--rows":
            text = published_rows(words)
            if sys.argv[2:] == ["-"]:
                sys.stdout.write(text)
                return
            with open(MADE, "w", encoding="utf-8") as f:
                f.write(text)
            return
    except Wrong as e:
        sys.exit("perf_published.tsv: %s" % e)
    except KeyError as e:
        sys.exit("perf_published.tsv: it names %s, and has no line of it" % e)
    machines = {stem: arch.lower() for arch, stem in words.stems.items() if path_of(arch.lower())}
    top, asked = sys.argv[1], set(sys.argv[2:])
    listed, open_ends, found, unknown = read_listed(), 0, set(), {}
    for path in sorted(glob.glob(os.path.join(top, "*", "metrics", "*_metrics.json"))):
        directory = os.path.dirname(os.path.dirname(path))
        arch = os.path.basename(directory)
        stem = os.path.basename(path)[:-len("_metrics.json")]
        if arch in asked or (not asked and stem in machines):
            found.add(arch)
            n = compare(words, machines.get(stem), arch, path, read_events(directory),
                        listed)
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
