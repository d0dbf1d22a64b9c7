# SPDX-License-Identifier: MIT
"""planted.py - a wrong order, address or instance in uncored is noticed by the comparison of
live.py and driver.py.

Each is planted in a copy of one source file, which is linked in place of the right one with the
compiler that was configured. A copy without a change must pass.
"""
import os
import sys

from driver import SPECS, Nehalem
from guest import configuration, h
from live import Live, check_events, check_metrics
from truth import of_default

TREE = "skx"
MAKEFILE = """include Makefile
planted:
	$(COMPILE) -c -o $(AT).o $(AT).c
	$(LINK:planted=$(AT)) $(AT).o $(uncored_OBJECTS) $(uncored_LDADD) $(LIBS)
"""
# name: source, what stands there, what is planted
PERF = {
    "nothing": ("src/access/counting_perf.c", "", ""),
    "values of a group in the wrong order": (
        "src/access/counting_perf.c", "m->last = m->before + c->buf->value[i];",
        "m->last = m->before + c->buf->value[g->n - 1 - i];"),
    "two values of a group for one": (
        "src/access/counting_perf.c", "m->last = m->before + c->buf->value[i];",
        "m->last = m->before + c->buf->value[i | 1 < g->n ? i | 1 : i];"),
    "a swapped instance": (
        "src/lower/lower_perf.c", "? 0 : (unsigned)v->number,", "? 0 : (unsigned)v->number ^ 1,"),
    "a swapped socket": (
        "src/lower/lower_perf.c", "perf_serves(to->t, v->pmu->cpumask[c])",
        "!perf_serves(to->t, v->pmu->cpumask[c])"),
}
REGISTERS = {
    "nothing": (
        "src/catalog/tables/nehalem_uncore.c", "", ""),
    "counters at a wrong address": (
        "src/catalog/tables/nehalem_uncore.c", "0x3b0,", "0x3b1,"),
    "control registers at a wrong address": (
        "src/catalog/tables/nehalem_uncore.c", "0x3c0,", "0x3c1,"),
    "a global enable at a wrong address": (
        "src/catalog/tables/nehalem_uncore.c", "0x391,", "0x392,"),
}


def build(number, source, old, new):
    """The program with that change."""
    with open(os.path.join(h.SRC, source)) as f:
        text = f.read()
    assert not old or text.count(old) == 1, (source, old)
    at = os.path.abspath(h.write("planted%d.c" % number, text.replace(old, new) if old else text))
    at = at[:-2]
    code, out, err = h.run("make", "-s", "-C", h.BUILD, "-f",
                           os.path.abspath(h.write("planted.mk", MAKEFILE)), "planted", "AT=" + at,
                           env={"MAKEFLAGS": "", "MFLAGS": "", "MAKELEVEL": "0"})
    assert code == 0, out + err
    return at


def each(plants, boot, check):
    """All of them are noticed but the first, which is none."""
    names = {"planted/%d" % i: build(i, *p) for i, p in enumerate(plants.values())}
    guest = boot(names)
    for at, what in zip(names, plants):
        try:
            check(guest, "/" + at)
            why = None
        except (AssertionError, StopIteration) as e:
            why = repr(e)
        assert (why is not None) == (what != "nothing"), (what, why)
        print("# %s: %s" % (what, why[:140] if why else "right"), flush=True)
    guest.g.kill()


def perf_is_right(live, program):
    live.program = program
    said, _, _ = live.step()
    assert check_metrics(live, said, of_default(TREE)) + check_events(live, said) > 100


def registers_are_right(n, program):
    n.exact(n.once(configuration({"all": SPECS}), program))


def boot_perf(more):
    live = Live([TREE], cores=4, more=more)
    live.become(TREE)
    return live


def test_planted_where_perf_counts():
    each(PERF, boot_perf, perf_is_right)


def test_planted_where_registers_count():
    each(REGISTERS, lambda more: Nehalem(None, more), registers_are_right)


if __name__ == "__main__":
    h.main(sys.modules[__name__], at_once=0)
