# SPDX-License-Identifier: MIT
"""Rows of src/catalog/tables that count what Intel publishes: those of one metric, and all of
perf_published.c, which is made of perfmon.tsv and perf_published.tsv."""

import ast
import copy
import os
import re
import textwrap
from fractions import Fraction

from perfmon_read import FILTER, HERE, read_listed

WORDS = os.path.join(HERE, "../../src/catalog/tables/perf_published.tsv")
MADE = WORDS[:-len("tsv")] + "c"
WIDTH = 99 - 16         # of a row, which is indented by two tabs and may end with a comma
SENTENCE = 180 - 34     # of a sentence, which stands on a line of its own
OPCODES = {0x202: "drd"}        # of a CHA's filter
FLAGS = {term for term, _, mask in FILTER if mask == 1}


class Wrong(Exception):
    """What is published, or said of it, makes no row."""


# ---------------------------------------------------------------- formulas

def product(node):
    """A formula as (factor, sums above, sums below): a sum is a dict of names and weights. A row is
    of one socket (NS)."""
    if isinstance(node, ast.Constant):
        return Fraction(node.value), [], []
    if isinstance(node, ast.Name):
        return Fraction(1), [{node.id: 1}] if node.id != "NS" else [], []
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div)):
        (f, up, down), (g, a, b) = product(node.left), product(node.right)
        if isinstance(node.op, ast.Mult):
            return f * g, up + a, down + b
        return f / g, up + b, down + a
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        total = {}
        for f, up, down in (product(node.left), product(node.right)):
            if len(up) != 1 or down:
                raise Wrong("no sum of events")
            for k, w in up[0].items():
                total[k] = total.get(k, 0) + f * w
        return Fraction(1), [total], []
    raise Wrong("neither a sum nor a quotient")


class Form:
    """A metric, or a part of it, in the one form of a row: scale x sum / sum [x seconds per clock].
    A sum is [(event, weight)]."""

    def __init__(self, metric, unit, part="-"):
        self.scale, up, down = product(ast.parse(metric.formula.strip(), mode="eval").body)
        self.clock = None
        for s in [s for s in down if unit == "seconds" and len(s) == 1]:
            e = metric.atoms.get(next(iter(s)))
            if e and e.clock and (e.one or {"NCHA": 1} in up):
                down.remove(s)
                self.clock = copy.copy(e)
                self.clock.one = True           # the units of a PMU have one clock
                if not e.one:
                    up.remove({"NCHA": 1})
        time = up if self.clock else down       # that of a clock, or of a rate: each row has it
        if {"T": 1} in time:
            time.remove({"T": 1})
        constants = unique(k for s in up + down for k in s if k not in metric.atoms)
        if constants:
            raise Wrong("%s: a row has no %s here" % (metric.formula, ", ".join(constants)))
        if len(up) != 1 or len(down) > 1:
            raise Wrong("not one sum, nor one divided by another")
        self.above, self.below = ([(metric.atoms[k], w) for s in sums for k, w in s.items()]
                                  for sums in (up, down))
        if part == "numerator":
            self.scale, self.below = Fraction(1), []
        elif part != "-":
            self.above = [(e, w) for e, w in self.above if part in re.split(r"[._]", e.name)]
        if not self.above:
            raise Wrong("%s: no %s" % (metric.formula, part))
        self.to_base_unit(unit)

    def to_base_unit(self, unit):
        """Published are percent, and nanoseconds, GHz or millions of bytes, of which a count is
        taken to be 1 to 999; other counts as they are."""
        if unit == "ratio":
            self.scale /= 100
        elif unit in ("bytes", "hertz", "seconds"):
            while self.scale < 1:
                self.scale *= 1000
            while self.scale >= 1000:
                self.scale /= 1000

    def inputs(self):
        """In the order of a group."""
        return ([self.clock] if self.clock else []) + [e for e, _ in self.below + self.above]

    def text(self, spec):
        """All of it, with events as this function writes them: forms are equal if these are."""
        def terms(events):
            return " + ".join("%g x %s on counters %s" % (w, spec(e), e.counters)
                              for e, w in events)
        return "%s x (%s) / (%s), clock %s" % (
            self.scale, terms(self.above), terms(self.below), self.clock and spec(self.clock))


# ---------------------------------------------------------------- names

def intels_name(e):
    """UNC_CHA_TOR_INSERTS.IA_MISS"""
    return re.split(r"[:\[]", e.name)[0]


def short_name(e):
    """TOR_INSERTS.IA_MISS, with what its filter lets pass: TOR_INSERTS.IA_MISS_DRD_LOCAL"""
    name = re.sub(r"^UNC_[A-Z0-9]+_", "", intels_name(e))
    if ":filter1=" in e.name:
        loc, rem = ("filter_%s" % w in e.terms for w in ("loc", "rem"))
        opcode = e.terms.get("filter_opc0", 0)
        if opcode not in OPCODES:
            raise Wrong("%s: its filter's opcode 0x%x has no name: add it to OPCODES of %s" % (
                e.name, opcode, os.path.basename(__file__)))
        name += "_" + OPCODES[opcode].upper()
        name += "_LOCAL" if loc and not rem else "_REMOTE" if rem and not loc else ""
    return name


# ---------------------------------------------------------------- one row

class Alone(str):
    """Stands on a line of its own."""


def literal(text, before=""):
    """A sentence in C; $NAME in it is a macro."""
    said = []
    for w in re.split(r"(\$[A-Z_]+) *", text):
        if w.startswith("$"):
            said.append(w[1:])
        elif len(w) > SENTENCE:
            said.append('"%s"' % ' "\n    "'.join(textwrap.wrap(w, WIDTH)))
        elif w:
            said.append('"%s"' % w)
    return Alone(before + " ".join(said))


def lay(head, items):
    """The lines of HEAD(item, item), as many items on each as fit; the last one has no comma."""
    lines, line, depth = [], head + "(", 1
    for i, item in enumerate(items):
        text = item + ("," if i < len(items) - 1 else ")")
        if line and (isinstance(item, Alone) or len(line) + 1 + len(text) > WIDTH):
            lines.append(line)
            line = ""
        line += text if line.endswith("(") else " " + text if line else "  " * depth + text
        if isinstance(item, Alone):
            lines.append(line)
            line = ""
        else:
            depth += re.sub(r'"[^"]*"', "", item).count("(") - item.count(")")
    return lines + ([line] if line else [])


def sum_of(events, say, before=""):
    """SUM(IN(a), TIMES(2, b)), as items."""
    items = [("IN(%s)" if w == 1 else "TIMES(%g, %%s)" % w) % say(e) for e, w in events]
    items[0] = before + "SUM(" + items[0]
    items[-1] += ")"
    return items


def event_row(words, e, archs, say, counters=4):
    """archs: that publish it; say: how a row names an event; counters: of a unit of its PMU"""
    name = intels_name(e) + (", filter 0x%x" % e.register if e.register else "")
    items = [say(e), '"perfmon %s %s"' % (words.named(archs), name)]
    if intels_name(e) in words.own:
        items.append('.published = "%s"' % short_name(e))
    if e.clock:
        items.append(".clock = true")
    mask = sum(1 << int(c) for c in e.counters.split(",")) if e.counters else 0
    if mask and mask & (1 << counters) - 1 != (1 << counters) - 1:
        items.append(".counters = 0x%x" % mask)
    return lay("P", items)


def metric_row(name, unit, source, form, say, disputed, about):
    items = ['"%s"' % name, '"%s"' % unit, "SOCKET", '"%s"' % source, *sum_of(form.above, say)]
    if form.scale != 1:
        items.append(".scale = " + (str(form.scale) if form.scale.denominator == 1 else
                                    "%d.0 / %d" % form.scale.as_integer_ratio()))
    if form.below:
        items += sum_of(form.below, say, ".den = ")
    if form.clock:
        items.append(".cycles_of = " + say(form.clock))
    if disputed != "-":
        items.append(literal(disputed, ".disputed = "))
    return lay("M", items + [literal(about, ".help = ")])


OPEN = "its help in our words"
UNIT_OF = {"percent": "ratio", "MB/sec": "bytes", "ns": "seconds"}


def paste(words, metric, arch):
    """The rows of a metric that none counts, and its line of perf_published.tsv: names and
    sentences are for somebody to find."""
    def say(e):
        return '"%s"' % words.spec(e)
    unit = UNIT_OF.get(metric.unit, "its unit")
    try:
        form = Form(metric, unit)
    except Wrong as e:
        form, why = None, e
    lines = []
    inputs = form.inputs() if form else metric.atoms.values()
    for e in {words.spec(e): e for e in inputs}.values():
        lines += ended(event_row(words, e, [arch], say), ",")
    if not form:
        return lines + ["/* %s: %s */" % (metric.name, why)]
    name = "%s_%s%s" % (metric.name, unit,
                        "" if form.below or unit == "seconds" else "_total")
    row = metric_row(name, unit, words.source_of([(metric.name, [arch])]), form, say, "-",
                     OPEN)
    return lines + ended(row, ",   /* %s */" % metric.about) + [
        "perf_published.tsv: " + "\t".join(("metric", name, unit, metric.name, "-", "-", OPEN))]


def ended(lines, end):
    return lines[:-1] + [lines[-1] + end]


# ---------------------------------------------------------------- perf_published.tsv

# Columns of a line of each kind.
KINDS = {"arch": 4, "pmu": 4, "event": 2, "set": 2, "table": 4, "group": 5, "metric": 6,
         "absent": 3}


class Words:
    """What somebody decided and worded."""

    def __init__(self):
        lines = {kind: [] for kind in KINDS}
        with open(WORDS, encoding="utf-8") as f:
            for n, line in enumerate(f, 1):
                kind, *columns = line.rstrip("\n").split("\t")
                if line.startswith("#") or line == "\n":
                    continue
                if len(columns) != KINDS.get(kind):
                    raise Wrong("line %d: no line of %s" % (n, ", ".join(KINDS)))
                lines[kind].append(columns)
        self.stems = {arch: stem for arch, stem, _, _ in lines["arch"]}
        self.ids = {arch: ["{ %s, %s, %s, 0 }" % (family, m, m) for m in models.split()]
                    for arch, _, family, models in lines["arch"]}
        self.pmus = {(name, arch): (int(counters), source)
                     for name, counters, archs, source in lines["pmu"] for arch in archs.split()}
        self.sets, self.tables = lines["set"], lines["table"]
        self.groups = {name: more for name, *more in lines["group"]}
        self.metrics = lines["metric"]
        self.absent = {(m, table): why for metrics, tables, why in lines["absent"]
                       for m in metrics.split() for table in tables.split()}
        self.archs = list(self.stems)
        self.own = dict(lines["event"])         # what we call events otherwise than Intel

    def named(self, archs):
        """ICX, SPR; of more than five that follow each other the first and the last."""
        first = self.archs.index(archs[0]) if archs[5:] else 0
        if archs[5:] and self.archs[first:first + len(archs)] == archs:
            return "%s to %s" % (archs[0], archs[-1])
        return ", ".join(archs)

    def source_of(self, published):
        """[(metric, ARCHs)]"""
        by = {}
        for metric, archs in published:
            by.setdefault(self.named(archs), []).append(metric)
        return "; ".join("perfmon %s metric%s %s" % (archs, "s" * bool(m[1:]), ", ".join(m))
                         for archs, m in by.items())

    def own_name(self, e):
        return self.own.get(intels_name(e)) or re.sub(r"\W", "_", short_name(e)).lower()

    def spec(self, e):
        terms = ",".join(("%s=%d" if k in FLAGS else "%s=0x%02x") % (k, v)
                         for k, v in e.terms.items())
        return "perf/uncore_%s%s/%s,name=%s/" % (
            e.pmu, "_0" if e.one else "", terms, self.own_name(e))


class Table:
    """Rows that ARCHs have in common."""

    def __init__(self, words, listed, columns):
        self.words, self.listed = words, listed
        self.name, archs, groups, self.title = columns
        self.archs = archs.split()
        # what the lists of an ARCH have
        self.known = {arch: {known_as(e) for (a, _), m in listed.items() if a == arch
                             for e in m.atoms.values()} for arch in self.archs}
        self.events = {}        # spec: (event, ARCHs)
        self.groups = {}        # name: specs
        wanted = [self.line_of(m) for m, table in words.absent if table == self.name]
        for g in groups.split():
            _, _, metrics, _ = words.groups[g]
            self.groups[g] = self.specs(metrics.replace("(", "").replace(")", "").split())
            wanted += [self.line_of(m) for m in metrics.split() if not m.startswith("(")]
        self.metrics = [self.metric(line) for line in words.metrics if line in wanted]

    def line_of(self, name):
        """That of a metric which one of the ARCHs publishes."""
        lines = [line for line in self.words.metrics if line[0] == name and any(
            (arch, re.match(r"\w+", entry)[0]) in self.listed
            for entry in line[2].split() for arch in self.archs)]
        if len(lines) != 1:
            raise Wrong("table %s: it has %d lines of %s that name what its ARCHs publish" % (
                self.name, len(lines), name))
        return lines[0]

    def specs(self, metrics):
        """The events of a group."""
        found = {}
        for name in metrics:
            _, form, _, also = self.metric(self.line_of(name))
            for e in form.inputs():
                spec = self.words.spec(e)
                self.events.setdefault(spec, (e, [a for a in self.archs if a in also or
                                                  known_as(e) in self.known[a]]))
                found[spec] = True
        return list(found)

    def metric(self, line):
        """(line, form, [(published, ARCHs)], ARCHs whose lists have the events, by our word)"""
        name, unit, entries, part, _, _ = line
        first, published, also = None, [], []
        for entry in entries.split():
            metric, *marks = re.split(r"(?=[+-])", entry)
            also += [m[1:] for m in marks if m[0] == "+"]
            archs = [a for a in self.archs if (a, metric) in self.listed and "-" + a not in marks]
            published += [(metric, archs)] if archs else []
            for arch in archs:
                form = Form(self.listed[arch, metric], unit, part)
                first = first or (arch, form)
                texts = [f.text(self.words.spec) for f in (first[1], form)]
                if texts[0] != texts[1]:
                    raise Wrong("table %s: %s is not one row: of %s it is %s, of %s %s" % (
                        self.name, name, first[0], texts[0], arch, texts[1]))
        if not first:
            raise Wrong("table %s: every ARCH that publishes %s is left out" % (self.name, name))
        have = {a for _, archs in published for a in archs}
        for arch in [a for a in self.archs if a not in have]:
            for e in first[1].inputs():
                self.look_for(arch, e, arch in also, name)
        return line, first[1], published, also

    def look_for(self, arch, e, also, name):
        """Refuses an ARCH that has not this event, with these codes, in another metric; also: we
        say that it has."""
        others = [k for k in self.known[arch] if k[0] == intels_name(e)]
        if known_as(e) not in others and (others or not also):
            raise Wrong("table %s: %s is not published of %s, nor its event %s with these codes" % (
                self.name, name, arch, e.name))

    def pmu(self, name):
        """Counters and source."""
        of = [self.words.pmus[name, arch] for arch in self.archs]
        if len({counters for counters, _ in of}) > 1:
            raise Wrong("table %s: units of %s differ in counters" % (self.name, name))
        return of[0][0], ", ".join(unique(source for _, source in of))

    def text(self, names):
        def say(e):
            return names[self.words.spec(e)]
        yield "const struct cat_perf cat_perf_%s = {" % self.name.replace("-", "_")
        yield '\t.name = "%s",' % self.name
        yield '\t.title = "%s",' % self.title
        yield "\t.vendor = INTEL, .sets = true,"
        if any(e.register for e, _ in self.events.values()):
            yield '\t.one_filter = TEXTS("uncore_cha"),'
        ids = unique(i for a in self.archs for i in self.words.ids[a])
        yield from ("\t" + line for line in ended(lay("IDS", ids), ","))
        used = {e.pmu for e, _ in self.events.values()}
        pmus = {p: self.pmu(p) for p in unique(p for p, _ in self.words.pmus) if p in used}
        yield from rows("PMUS", [['{ "uncore_%s", %d, %s }' % (p, counters, literal(
            "$SNBEP_C " + source))] for p, (counters, source) in pmus.items()])
        yield from rows("EVENTS", [event_row(self.words, e, archs, say, pmus[e.pmu][0])
                                   for e, archs in self.events.values()])
        yield from rows("GROUPS", [self.group_row(g, [names[s] for s in specs])
                                   for g, specs in self.groups.items()])
        yield from rows("METRICS", [self.metric_row(m, say) for m in self.metrics])
        yield "};"

    def group_row(self, name, specs):
        set_, part, _, about = self.words.groups[name]
        specs[0] = "TEXTS(" + specs[0]
        specs[-1] += ")"
        return lay("G", ['"%s"' % name, *specs, ".metrics_only = true", ".on_request = true"] +
                   ([".set = &" + set_] if set_ != "-" else []) +
                   ([str(literal(part, ".part = "))] if part != "-" else []) +
                   [literal(about, ".help = ")])

    def metric_row(self, found, say):
        (name, unit, _, _, disputed, about), form, published, _ = found
        why = self.words.absent.get((name, self.name))
        source = self.words.source_of(published)
        if why:
            return lay("ABSENT", ['"%s"' % name, '"%s"' % unit, literal(why),
                                  '"%s"' % source, literal(about)])
        return metric_row(name, unit, source, form, say, disputed, about)


def known_as(e):
    return intels_name(e), e.key(), e.counters


def unique(items):
    return list(dict.fromkeys(items))


def rows(name, members):
    yield "\t%s(" % name
    for i, lines in enumerate(members):
        end = "," if i < len(members) - 1 else "),"
        yield from ("\t\t" + line for line in "\n".join(ended(lines, end)).split("\n"))


HEAD = """\
/* SPDX-License-Identifier: MIT
 * made by tests/catalog/perfmon.py --rows from tests/catalog/perfmon.tsv and
 * src/catalog/tables/perf_published.tsv; do not edit
 *
 * What Intel publishes (github.com/intel/perfmon, ARCH/metrics) beside the tables of each
 * generation: in sets, which a configuration turns on. A CHA has four counters, and these metrics
 * want up to 38 events of it: each group fits one round, and the groups of a set take turns.
 */
#include "catalog/tables/perf_intel.h"

/* Events; where one name has several codes, with the first of perfmon's ARCHs that has these. */"""


def define(name, spec_):
    text = " \\\n\t".join('"%s"' % part for part in re.findall(r".{1,87}(?:,|$)", spec_))
    line = "#define %s %s" % (name, text)
    return line if len(line) <= 100 else "#define %s \\\n\t%s" % (name, text)


def published_rows(words):
    """The text of perf_published.c."""
    listed = read_listed()
    tables = [Table(words, listed, columns) for columns in words.tables]
    unused = set(words.groups) - {g for t in tables for g in t.groups} | \
        {line[0] for line in words.metrics} - {m[0][0] for t in tables for m in t.metrics}
    if unused:
        raise Wrong("no table has %s" % ", ".join(sorted(unused)))
    by_name = {}            # PMU_NAME: {spec: ARCH}
    for table in tables:
        for s, (e, _) in table.events.items():
            name = "%s_%s" % (e.pmu, words.own_name(e))
            by_name.setdefault(name.upper(), {}).setdefault(s, table.archs[0])
    macros = {s: name + ("_" + arch if len(specs) > 1 else "")
              for name, specs in by_name.items() for s, arch in specs.items()}
    lines = [HEAD] + [define(name, s) for s, name in macros.items()] + [""]
    for name, about in words.sets:
        lines += ["static const struct cat_set %s = {" % name,
                  '\t"%s", %s' % (name, literal(about)), "};"]
    for table in tables:
        lines += ["", *table.text(macros)]
    return "\n".join(lines) + "\n"
