# SPDX-License-Identifier: MIT
"""rows_plan.py - what it costs to plan, on machines as large as those that are sold: user-space
instructions of `uncored --check-config` in all, as callgrind counts them, and how they grow.
"""
import os

import trees
from common import Row, h, instructions

M = 1e6
# (what, goal in millions of instructions, arguments of trees.grown())
MACHINES = [
    ("Ice Lake, 2 x 80 CPUs", 20, ("icx", 2, 1, 80)),
    ("Granite Rapids, 2 x 256 CPUs", 80, ("gnr", 2, 1, 256)),
    ("Sapphire Rapids, 8 x 120 CPUs", 120, ("spr", 8, 1, 120)),
    ("Genoa, 2 x 192 CPUs", 20, ("zen4", 2, 12, 16)),
    ("Turin, 2 x 256 CPUs", 20, ("zen5", 2, 16, 16)),
]
# every event of every instance: the slots grow with the PMUs
COUNTED = ", ".join('"perf/uncore_%s/%s/"' % (pmu, event) for pmu, event in (
    ("cha", "event=0x1,name=ticks"), ("cha", "event=0x35,umask=0x1,name=inserts"),
    ("iio", "event=0x1,name=ticks"), ("imc", "event=0x1,name=ticks")))
SLOTS = 'groups = ( { name = "g"; events = [ %s ]; } );\n' % COUNTED
WHY = ("callgrind: reading sysfs (each file of format/ and events/ of each instance, each CPU's "
       "topology) and resolving the terms of each instance are most of what is left.")


def cost(machine, text=None):
    """Instructions of --check-config, and how many PMUs there are."""
    root = trees.make(trees.grown(*machine))
    command = [h.UNCORED, "--check-config", "--path-sysfs", root, "--path-procfs", root]
    if text:
        command += ["-c", h.write("slots.conf", text)]
    return instructions(command), len(os.listdir(root + "/bus/event_source/devices"))


def growth(what, small, large, text=None):
    one, two = cost(small, text), cost(large, text)
    return Row("plan, growth: " + what, "<= 2.1", [two[0] / one[0]] if one[0] else [],
               "%.1f M, %.1f M instructions; %d and %d PMUs"
               % (one[0] / M, two[0] / M, one[1], two[1]), why=WHY)


def rows():
    loader = instructions([h.UNCORED, "--version"])
    for what, goal, machine in MACHINES:
        n, pmus = cost(machine)
        yield Row("plan: " + what, "<= %d" % goal, [n / M] if n else [],
                  "%d PMUs; the loader alone %.1f M" % (pmus, loader / M), " M", WHY)
    yield growth("Ice Lake, twice the CPUs", ("icx", 2, 1, 80), ("icx", 2, 1, 160))
    yield growth("Sapphire Rapids, twice the sockets", ("spr", 4, 1, 120), ("spr", 8, 1, 120))
    yield growth("Granite Rapids, twice the PMUs and slots", ("gnr", 2, 1, 256),
                 ("gnr", 2, 1, 256, 2), SLOTS)
