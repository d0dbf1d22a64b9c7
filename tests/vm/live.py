# SPDX-License-Identifier: MIT
"""live.py - what uncored says beside what was counted, on a real kernel with PMUs that count.

counting_pmus.ko (module/) makes the PMUs of a machine of src/topo/machines in a guest. For totals
its clock stands still but for one step while uncored counts, so that they are known to the last
count. For what is derived, each counter runs while perf says that its event does.
"""
import fractions
import json
import re
import sys

from described import Machine
from guest import Daemon, Guest, h, image
from truth import NS, Truth, is_total, of_default, on_request

STEP = 400000000        # ns that the module's clock moves
AFTER = 500000000       # ns of real time after the first event began to count, of a second
SHORT = 'interval = "400ms"; groups = ( %s );'
ALONE = '{ name = "asked"; metrics = [ "%s" ]; }'
# Of a quotient of two counts, beyond half a count of each: uncored spreads what perf counted over
# the window, and takes the nearest whole number. A gauge is exported to 20 binary digits.
EXACT = 2 ** -20 + 1e-9
HALF = fractions.Fraction(1, 2)
TREES = "nehalem westmere nehalem_ex snbep ivt hsx bdx bdxde skx clx clxap cpx icx spr sprhbm " \
    "emr gnr srf cwf skl tgl adl mtl lnl zen1 zen2 zen3 zen4 zen5 zen6 cmn600 cmn700 cmns3 " \
    "grace vera kunpeng920 kunpeng930 ampereone yitian710 ryzen raphael altra2 altra2_lts".split()
CPUS = 24               # that the largest of them has
FEW = 4                 # instances of a PMU, where an encoding is one for all
CHANNELS = 'groups = ( "channels" );'
MINUTE = 62             # seconds from which it is known which channels have memory, and a sample


class Live:
    """A guest with these machines."""

    def __init__(self, trees, cores=CPUS // 2, counters=True, most=0, driver=False,
                 more=()):
        """driver: the uncore is the kernel's own driver's, with registers; more: {name: file}."""
        self.program = "uncored"
        self.machines, self.driver = {t: Machine(t, most) for t in trees}, driver
        self.truths = {t: Truth(m) for t, m in self.machines.items()}
        extra = dict(more, **{image.OURS: image.module()})
        for t, m in self.machines.items():
            extra["trees/%s/commands" % t] = m.commands(counters, driver)
            extra.update(("trees/%s/%s" % (t, name), text) for name, text in m.files().items())
        # the kernel's own perf/msr has real counts
        self.g = Guest("Skylake-Server,-hypervisor", cores=cores,
                       append="initcall_blacklist=msr_init", extra=extra)
        self.g.sh("insmod /%s; for t in /trees/*; do ln -s /sys/bus $t/bus; done" % image.OURS)

    def become(self, tree):
        """The PMUs of another machine."""
        self.tree, self.truth = tree, self.truths[tree]
        self.g.sh("cat /trees/%s/commands >/proc/counting_pmus" % tree)

    def events(self):
        """{word: number of the first line}, [(PMU, domain, config, hertz, count)]"""
        lines = self.g.sh("cat /proc/counting_pmus").splitlines()
        words = lines[0].split()
        state = {k: int(v) for k, v in zip(words[::2], words[1::2])}
        found = []
        for line in lines[1:]:
            name, domain, c0, c1, c2, hertz, count, _ = line.split()
            found.append((name, int(domain), (int(c0, 16), int(c1, 16), int(c2, 16)), int(hertz),
                          int(count)))
        return state, found

    def say(self, *commands):
        """Commands of the module."""
        self.g.sh("(%s) >/proc/counting_pmus" % "; ".join("echo " + c for c in commands))

    def once(self, args=""):
        """What uncored says of a second."""
        code, out, err = self.g.run(
            "{2} --once --format json --path-sysfs /trees/{0} --path-procfs /trees/{0} {1}".format(
                self.tree, args, self.program))
        assert code == 0, err
        return json.loads(out), err

    def step(self, args="", after=AFTER):
        """What uncored says of a window in which the clock moved once. On a machine that is busy
        it may move at the wrong time, and that is tried again."""
        for wait in (after, after, after // 2, 3 * after // 2):
            self.say("clock manual", "forget", "arm %d %d" % (wait, STEP))
            said, err = self.once(args)
            state, events = self.events()
            # all at the end of the window, and once more when uncored stops; the kernel's driver
            # reads a register also when its event goes
            again = self.driver and sum(e[0].startswith("uncore_") for e in events)
            if not state["late"] and state["reads"] == 2 * len(events) + again:
                break
            print("# %s: the clock moved at the wrong time: %s, %d events"
                  % (self.tree, state, len(events)), flush=True)
        self.truth.began(state["time"] - STEP, state["time"])
        return said, events, err

    def run(self, args=""):
        """What uncored says of a second in which every counter runs while its event does."""
        self.say("clock running", "forget")
        said, err = self.once(args)
        self.truth.began(0, NS)
        return said, self.events()[1], err

    def counting(self, settings):
        """An uncored that goes on."""
        return Daemon(self.g, {}, "--path-sysfs /trees/%s --path-procfs /trees/%s"
                      % (self.tree, self.tree), settings=settings)


def series(said, name):
    """(labels, value) of a family."""
    for family in said["metrics"]:
        if family["name"] == name:
            for s in family["series"]:
                assert s["valid"], (name, s)
                yield s["labels"], s["value"]


def check_metrics(live, said, names, step=True):
    """Number of values of these metrics, on all sockets. step: of a window in which the clock moved
    once. Without that what is given by second, or made of counters that perf counts one after the
    other, cannot be told from what is wrong by a count, and is left to run()."""
    n, sockets = 0, {s for _, s, _, _ in live.truth.m.cpus}
    for metric in sorted(names):
        seen = set()
        for labels, value in series(said, "uncore_" + metric):
            socket, unit = int(labels["socket"]), labels.get("unit")
            seen.add(socket)
            if step and not is_total(metric) and not live.truth.is_quotient(metric, socket, unit):
                continue
            true = live.truth.value(metric, socket, unit)
            off = abs(float(fractions.Fraction(value) / true - 1))
            counts = live.truth.a_count(metric, socket, unit)
            assert off == 0 or not is_total(metric) or value == int(true + HALF), \
                (live.tree, metric, labels, value, float(true))
            assert is_total(metric) or off < (counts / 2 if step else 2 * counts) + EXACT, \
                (live.tree, metric, labels, value, float(true), off)
            n += 1
        assert seen == sockets, "%s: %s is there of sockets %s" % (live.tree, metric, seen)
    return n


def check_events(live, said):
    """The series of events that have a name, each of one counter; their number."""
    n = 0
    for (pmu, name), config in live.truth.named.items():
        families = live.truth.of_name(pmu)
        base = "uncore_%s_%s" % (pmu.replace("uncore_", ""), re.sub(r"\W", "_", name))
        scale = float(families[0].events.get(name + ".scale", 0))
        for end, each in (("_total", 1), ("_bytes_total", scale * 1048576),
                          ("_joules_total", scale)):
            for labels, value in series(said, base + end):
                f, index, domain = next(
                    (f, i, d) for f in families
                    for u, i, d in live.truth.units(f, int(labels["socket"]))
                    if u == int(labels["unit"]))
                true = live.truth.count(f, index, domain, config) * each
                assert value == true or each != 1 and abs(value / true - 1) < 1e-12, (
                    live.tree, base + end, labels, value, true)
                n += 1
    return n


def groups_on_request(tree):
    """{name: metrics} of the ready-made groups that a configuration turns on, as uncored says."""
    code, out, err = h.run(h.CTL, "list", "groups", "--machine", tree, "--json")
    assert code == 0, err
    return {g["name"]: g["metrics"] for g in json.loads(out)
            if not g["default"] and not g.get("groups")}


def check_asked(live, group, metrics):
    """Those that need a configuration: group, or a part of its text."""
    n, args = 0, "-c " + live.g.write("/tmp/asked.conf", SHORT % group)
    for step in (True, False):
        these = [m for m in metrics if is_total(m) == step]
        if these:
            said = live.step(args, AFTER // 3)[0] if step else live.run(args)[0]
            n += check_metrics(live, said, these, step)
    return n


def check_default(live, tree):
    live.become(tree)
    names = of_default(tree)
    totals = set(filter(is_total, names))
    said, events, _ = live.step()
    n_totals = check_metrics(live, said, totals) + check_events(live, said)
    quotients = check_metrics(live, said, names - totals)
    others = check_metrics(live, live.run()[0], names - totals, False)
    print("# %s: %d events, %d totals, %d derived values, %d of them with the clock stopped"
          % (tree, len(events), n_totals, others, quotients), flush=True)
    return n_totals, others, quotients


def test_metrics_equal_the_truth():
    live = Live(TREES)
    totals, others, quotients = map(sum, zip(*(check_default(live, t) for t in TREES)))
    print("# %d values of metrics of %d machines: %d totals, %d derived values, %d of them with "
          "the clock stopped" % (totals + others, len(TREES), totals, others, quotients))
    live.g.kill()


def check_on_request(live, tree):
    live.become(tree)
    n, left = 0, set(on_request(tree))
    for group, metrics in groups_on_request(tree).items():
        n += check_asked(live, '"%s"' % group, sorted(left.intersection(metrics)))
        left.difference_update(metrics)
    n += sum(check_asked(live, ALONE % metric, [metric]) for metric in sorted(left))
    print("# %s: %d values on request, %d metrics of no ready-made group" % (tree, n, len(left)),
          flush=True)
    return n


def test_metrics_on_request():
    trees = [t for t in TREES if on_request(t)]
    live = Live(trees, most=FEW)
    print("# %d values on request of %d machines"
          % (sum(check_on_request(live, t) for t in trees), len(trees)))
    live.g.kill()


if __name__ == "__main__":
    h.main(sys.modules[__name__], at_once=0)
