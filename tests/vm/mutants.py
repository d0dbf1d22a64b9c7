# SPDX-License-Identifier: MIT
"""mutants.py - live.py's comparison can fail: code, unit mask, filter or scale of every row that is
ready is changed, and noticed.

A configuration has the rows as its own, some inputs changed. What is made of these must differ from
the truth; all else must not. Several uncored run at once; no counter is short.
"""
import re
import sys

from described import h
from live import Live
from truth import NS, of_default

# One for each table of the catalog.
INTEL = "nehalem nehalem_ex snbep hsx clx icx sprhbm gnr srf skl tgl mtl lnl".split()
OTHERS = "zen1 zen2 zen3 zen4 zen5 zen6 cmn600".split()
AT_ONCE = 4             # a PMU of the module takes 64 events, amd_df has 16 in a group
MOST = 2                # instances of a PMU: an encoding is one for all
NEAR = 20               # what a count is worth, times what half a second has fewer of
CODES = "event", "type", "csource", "inc_sel"


def counts(machine, text):
    """Has the machine this event? A group names what any machine with its PMUs may have, by the
    kernel's name for it: perf/power/energy-gpu/."""
    _, pmu, terms, _ = text.split("/")
    return any((pmu == f.name or pmu in f.boxes) and ("=" in terms or terms in f.events)
               for f in machine.families.values())


class Spec:
    """perf/PMU/TERMS/, where an event's name is written as its terms."""

    def __init__(self, machine, text):
        self.text, (_, self.pmu, terms, _) = text, text.split("/")
        self.family = next(f for f in machine.families.values()
                           if self.pmu == f.name or self.pmu in f.boxes)
        name = re.search(r"name=(\w+)", terms)
        self.scale = 1.0
        if terms in self.family.events:
            self.scale = float(self.family.events.get(terms + ".scale", 1)) * (
                1048576 if self.family.events.get(terms + ".unit") == "MiB" else 1)
            name, terms = None, self.family.events[terms]
        self.name = name[1] if name else re.sub(r"\W", "_", text.split("/")[2])
        self.terms = {k: int(v or "1", 0) for k, _, v in
                      (t.partition("=") for t in terms.split(",") if not t.startswith("name="))}

    def written(self, change=()):
        terms = dict(self.terms, **dict(change))
        return "perf/%s/%s,name=%s/" % (self.pmu, ",".join(
            "%s=0x%x" % t for t in terms.items()), self.name)

    def other(self, term):
        """A value of the term with which the event is another one, that no list knows."""
        for bit in range(16):
            value = self.terms[term] ^ 1 << bit
            terms = ",".join("%s=0x%x" % t for t in dict(self.terms, **{term: value}).items())
            try:
                config = self.family.encode(terms)
            except AssertionError:      # no such bit
                continue
            if config not in self.family.rates:
                return value
        raise AssertionError((self.text, term))


class Rows:
    """The groups and metrics that are ready on a machine, as a configuration."""

    def __init__(self, lv, tree):
        paths = "--path-sysfs /trees/{0} --path-procfs /trees/{0}".format(tree)
        machine = lv.machines[tree]
        ready = lv.g.json("uncorectl list metrics --json " + paths)["ready"]
        groups = lv.g.json("uncorectl list groups --json " + paths)
        self.metrics = [m for m in ready if not m["absent"] and m["name"] in of_default(tree)]
        self.events = [[Spec(machine, e) for e in g["events"] if counts(machine, e)]
                       for g in groups
                       if g["default"] and set(g["metrics"]) & {m["name"] for m in self.metrics}]
        self.specs = {e.text: e for g in self.events for e in g}

    def inputs(self, m):
        guard = m["guard"] or {"numerator": [], "denominator": []}
        found = {i["event"] for s in (m, guard) for side in ("numerator", "denominator")
                 for i in s[side]} | {m["cycles_of"]}
        return found - {None, "seconds"}

    def changed(self, change):
        """The metrics that are made of what is changed: {(event, term): value}."""
        return {m["name"] for m in self.metrics if self.inputs(m) & {e for e, _ in change}}

    def mutants(self):
        """Every change of one term. A filter is one of a box, so it is one of all its events."""
        for group in self.events:
            found = []
            for e in group:
                for term in e.terms:
                    change = {(o.text, term): o.other(term) for o in group
                              if o is e or (term.startswith("filter") and o.pmu == e.pmu and
                                            term in o.terms)}
                    if change not in found:
                        found.append(change)
            yield from found

    def runs(self):
        """The same, together where no metric is changed by two of them."""
        packed = []
        for change in self.mutants():
            run = next((r for r in packed if not self.changed(r) & self.changed(change)), None)
            if run is None:
                packed.append(change)
            else:
                run.update(change)
        return packed

    def name(self, i):
        return "row%d_%s" % (i, "seconds" if self.metrics[i]["cycles_of"] else "ratio")

    def text(self, change, scale=1):
        """A configuration: {(event, term): value}. What is a total is given by second, so that it
        does not matter how long it counted."""
        def write(e):
            return '"%s"' % self.specs[e].written(
                {t: v for (of, t), v in change.items() if of == e}.items()) \
                if e in self.specs else '"%s"' % e

        def inputs(side):
            return "( %s )" % ", ".join(
                ("{ event = %s; weight = %r; }" % (write(i["event"]), float(i["weight"])))
                if i["weight"] != 1 else write(i["event"]) for i in side)

        metrics = []
        for i, m in enumerate(self.metrics):
            first = self.specs[m["numerator"][0]["event"]]
            times = scale * float(m["scale"]) * (first.scale if m["scaled"] else 1)
            text = 'name = "%s"; per = "%s"; scale = %r; numerator = %s; denominator = %s;' % (
                self.name(i), m["per"], times, inputs(m["numerator"]),
                inputs(m["denominator"]) if m["denominator"] else '( "seconds" )')
            if m["cycles_of"]:
                text += " cycles_of = %s;" % write(m["cycles_of"])
            if m["clamp"] or m["bounded"]:
                text += " clamp = true;"
            if m["guard"]:
                text += " guard = { numerator = %s; denominator = %s; max = %r; };" % (
                    inputs(m["guard"]["numerator"]), inputs(m["guard"]["denominator"]),
                    m["guard"]["max"])
            metrics.append("{ %s }" % text)
        groups = ['{ name = "g%d"; events = [ %s ]; }' % (i, ", ".join(write(e.text) for e in g))
                  for i, g in enumerate(self.events)]
        return 'interval = "500ms";\ngroups = (\n%s );\nmetrics = (\n%s );\n' \
            % (",\n".join(groups), ",\n".join(metrics))


RUN = """cat >/tmp/m{i}.conf <<'END-OF-FILE'
{text}
END-OF-FILE
mkdir -p /tmp/run{i}
(uncored --once -c /tmp/m{i}.conf --path-run /tmp/run{i} --path-sysfs /trees/{tree} \
	--path-procfs /trees/{tree} >/tmp/m{i}.out 2>/tmp/m{i}.err; echo $? >/tmp/m{i}.code) &
"""
ANSWER = "echo mutant $(cat /tmp/m{i}.code); head -c 2000 /tmp/m{i}.err >&2; " \
    "grep '^uncore_row' /tmp/m{i}.out || true\n"


def all_at_once(lv, tree, texts):
    """{series: value} of uncored with each of these configurations."""
    n = range(len(texts))
    script = "".join(RUN.format(i=i, tree=tree, text=texts[i]) for i in n) + "wait\n" + \
        "".join(ANSWER.format(i=i) for i in n)
    _, out, err = lv.g.run(script, patience=600)
    answers = out.split("mutant ")[1:]
    assert len(answers) == len(texts) and all(a.startswith("0\n") for a in answers), (tree, err)
    return [h.samples(a[2:]) for a in answers]


def differs(lv, said, name, metric, socket):
    """Is a value of this row on the socket another than the metric's true one, or not there?"""
    found = 0
    for key, value in said.items():
        m = re.match(r'uncore_%s\{socket="%d"(?:,unit="(\d+)")?' % (name, socket), key)
        if not m:
            continue
        found += 1
        off = abs(float(value) / float(lv.truth.value(metric, socket, m[1])) - 1)
        if off > NEAR * lv.truth.a_count(metric, socket, m[1]):
            return True
    return not found


def check_tree(lv, tree):
    """(mutants, those that were noticed) of a machine."""
    lv.become(tree)
    lv.say("clock running")
    lv.truth.began(0, NS)
    rows = Rows(lv, tree)
    runs = [({}, 1), ({}, 2)] + [(c, 1) for c in rows.runs()]
    tried = noticed = 0
    for at in range(0, len(runs), AT_ONCE):
        lv.say("forget")
        some = runs[at:at + AT_ONCE]
        texts = [rows.text(*r) for r in some]
        for (change, scale), said in zip(some, all_at_once(lv, tree, texts)):
            for i, m in enumerate(rows.metrics):
                wrong = scale != 1 or m["name"] in rows.changed(change)
                seen = differs(lv, said, rows.name(i), m["name"], 0)
                tried, noticed = tried + wrong, noticed + (wrong and seen)
                if wrong != seen:
                    print("# %s: %s of %s, scale x %d: %s" % (
                        tree, m["name"], change, scale, "not noticed" if wrong else
                        "wrong without a reason: %s" %
                        {k: v for k, v in said.items() if rows.name(i) in k}), flush=True)
                assert wrong or not seen, (tree, m["name"])
    print("# %s: %d mutants in %d runs, %d noticed" % (tree, tried, len(runs), noticed), flush=True)
    return tried, noticed


def check_trees(trees, cores):
    lv = Live(trees, cores=cores, counters=False, most=MOST)
    found = [check_tree(lv, tree) for tree in trees]
    lv.g.kill()
    tried, noticed = map(sum, zip(*found))
    print("# %d of %d mutants noticed" % (noticed, tried))
    assert tried == noticed > 0


def test_every_change_of_intel_is_noticed():
    check_trees(INTEL, 4)


def test_every_change_of_others_is_noticed():
    check_trees(OTHERS, 12)


if __name__ == "__main__":
    h.main(sys.modules[__name__], at_once=0)
