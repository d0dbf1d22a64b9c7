# SPDX-License-Identifier: MIT
"""rows_plan.py - what it costs to plan, on machines as large as those that are sold: user-space
instructions of `uncored --check-config` in all, as callgrind counts them, and how they grow.
"""
import functools
import os

import trees
from common import HERE, Row, floor, h, instructions

M = 1e6
# (what, goal in millions of instructions, arguments of trees.grown())
MACHINES = [
    ("Ice Lake, 2 x 80 CPUs", 20, ("icx", 2, 1, 80)),
    ("Granite Rapids, 2 x 256 CPUs", 80, ("gnr", 2, 1, 256)),
    ("Sapphire Rapids, 8 x 120 CPUs", 120, ("spr", 8, 1, 120)),
    ("Genoa, 2 x 192 CPUs", 20, ("zen4", 2, 12, 16)),
    ("Turin, 2 x 256 CPUs", 20, ("zen5", 2, 16, 16)),
]
WHY = ("callgrind: reading sysfs (each file of format/ and events/ of each instance, each CPU's "
       "topology) and resolving the terms of each instance are most of what is left.")
CURVES = []             # (title, x label, y label, {name: [(x, median)]})
TOGETHER = 4            # events of a unit, which has as many counters
# A PMU whose counters no table knows: any number of events is one group, in one round.
UNKNOWN = """cpuinfo GenuineIntel 6 143 8
cpu 0-1 socket 0
PMU uncore_made_{0-63} type=1000 cpumask=0
  format event=config:0-7
"""


@functools.lru_cache(None)
def tree(machine):
    return trees.make(machine if machine == UNKNOWN else trees.grown(*machine))


def pmus(machine):
    return len(os.listdir(tree(machine) + "/bus/event_source/devices"))


def events(n):
    """A configuration of n events of every instance of three PMUs: the slots grow with both."""
    groups = []
    for first in range(0, n, TOGETHER):
        specs = ['"perf/uncore_%s/event=0x1,umask=%d,name=e%d/"' % (pmu, k, k)
                 for pmu in ("cha", "iio", "imc") for k in range(first, min(n, first + TOGETHER))]
        groups.append('{ name = "g%d"; events = [ %s ]; }' % (first, ", ".join(specs)))
    return "groups = ( %s );\n" % ", ".join(groups)


def one_group(n):
    """A configuration of one group, n events of every instance of UNKNOWN's."""
    return 'groups = ( { name = "g"; events = [ %s ]; } );\n' % ", ".join(
        '"perf/uncore_made/event=%d,name=e%d/"' % (k, k) for k in range(n))


@functools.lru_cache(None)
def cost(machine, n=0):
    """Instructions of --check-config, without a configuration or with n events of each unit."""
    root = tree(machine)
    command = [h.UNCORED, "--check-config", "--path-sysfs", root, "--path-procfs", root]
    if n:
        command += ["-c", h.write("events.conf", (one_group if machine == UNKNOWN else events)(n))]
    return instructions(command)


def growth(what, small, large):
    """Arguments of cost()."""
    one, two = cost(*small), cost(*large)
    return Row("plan, growth: " + what, "<= 2.1", [two / one] if one else [],
               "%.1f M, %.1f M instructions; %d and %d PMUs"
               % (one / M, two / M, pmus(small[0]), pmus(large[0])), why=WHY)


def units(machine):
    """How many units of a machine have the events of events()."""
    names = os.listdir(tree(machine) + "/bus/event_source/devices")
    counted = [n for n in names if n.rpartition("_")[0] in ("uncore_cha", "uncore_iio",
                                                            "uncore_imc")]
    return len(counted) * machine[1]


def curve(title, x_label, points):
    """points: [(x, arguments of cost())]"""
    CURVES.append((title, x_label, "million instructions",
                   {"uncored --check-config": [(x, cost(*a) / M) for x, a in points]}))


def rows():
    loader = instructions([h.UNCORED, "--version"])
    for what, goal, machine in MACHINES:
        n = cost(machine)
        command = [HERE + "/floor_sysfs", tree(machine)]
        yield Row("plan: " + what, "<= %d" % goal, [n / M] if n else [],
                  "%d PMUs; the loader alone %.1f M, reading the same %d files %.1f M"
                  % (pmus(machine), loader / M, floor("floor_sysfs", tree(machine))[0],
                     instructions(command) / M), " M", WHY)
    icx = [(2 * n, (("icx", 2, 1, n),)) for n in (20, 40, 80, 160)]
    gnr = [(("gnr", 2, 1, 256, part), 2) for part in (0.25, 0.5, 1, 2)]
    spr = [(("spr", 8, 1, 120), n) for n in (1, 2, 4, 8)]
    yield growth("Ice Lake, twice the CPUs", icx[2][1], icx[3][1])
    yield growth("Sapphire Rapids, twice the sockets", (("spr", 4, 1, 120),),
                 (("spr", 8, 1, 120),))
    yield growth("Granite Rapids, twice the PMUs and slots", gnr[2], gnr[3])
    yield growth("Sapphire Rapids, twice the events of each unit", spr[2], spr[3])
    yield growth("twice the events of one round, 8192 slots", (UNKNOWN, 64), (UNKNOWN, 128))
    if cost(*spr[0]):
        curve("CPUs", "CPUs of an Ice Lake, two sockets", icx)
        curve("PMUs", "PMUs of a Granite Rapids, 2 x 256", [(pmus(a[0]), a) for a in gnr])
        curve("Events", "events on Sapphire Rapids, 8 x 120",
              [(n * units(m), (m, n)) for m, n in spr])
