# SPDX-License-Identifier: MIT
"""trees.py - machines of src/topo/machines with as many CPUs, sockets and caches as the parts that
are sold.

The texts there have a few CPUs, which is enough to see that a plan is right. What it costs depends
on how many there are. Each cpumask is made anew for the larger machine: the first CPU of each
socket, that of each last-level cache, or all CPUs, as the text has it.
"""
import re

from common import h


def lines(name, whole=True):
    """A text, with what it is like."""
    for line in h.machine(name).split("\n"):
        if line.startswith("like "):
            yield from lines(line.split()[1], False)
        elif whole or not line.startswith("cpuinfo"):
            yield line


def cpus_of(mask):
    for part in mask.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


class Layout:
    """[(socket, first CPU, last CPU)] of each line `cpu`."""

    def __init__(self, parts):
        self.parts = parts
        self.sockets = sorted({s for s, _, _ in parts})
        self.firsts = [min(a for s, a, _ in parts if s == socket) for socket in self.sockets]

    def count(self):
        return 1 + max(b for _, _, b in self.parts)


def mask(text, old, new):
    """The cpumask of the machine `old`, of the machine `new`."""
    cpus = list(cpus_of(text))
    if cpus == old.firsts:
        return ",".join(map(str, new.firsts))
    if cpus == [a for _, a, _ in old.parts]:
        return ",".join(str(a) for _, a, _ in new.parts)
    if cpus == list(range(old.count())):
        return "0-%d" % (new.count() - 1)
    return ",".join(str(new.firsts[old.firsts.index(cpu)]) for cpu in cpus)


def grown(name, sockets, parts, cpus, times=1):
    """Text of the machine `name`, with so many sockets of so many parts (caches, on AMD's) of so
    many CPUs, each of which says its die and, as every server does, who shares its cache; each
    socket is a node, where the text has nodes. times: so many times the instances of each PMU that
    has a number."""
    text = list(lines(name))
    cpu = [re.match(r"cpu (\d+)-(\d+) socket (\d+)(.*)", line) for line in text]
    old = Layout([(int(m[3]), int(m[1]), int(m[2])) for m in cpu if m])
    new = Layout([(s, (s * parts + p) * cpus, (s * parts + p + 1) * cpus - 1)
                  for s in range(sockets) for p in range(parts)])
    rest = next(m[4] for m in cpu if m)
    rest += "".join(word for word in (" die 0", " llc") if word.split()[0] not in rest.split())
    out = [line for line in text if line.startswith(("cpuinfo", "release"))]
    out += ["cpu %d-%d socket %d%s" % (a, b, s, re.sub(r"node \d+", "node %d" % s, rest))
            for s, a, b in new.parts]
    kind = 1000
    for line in text:
        if line.startswith(("cpu", "release", "#")):
            continue
        m = re.match(r"PMU (\S+) type=(\d+) cpumask=(\S+)(.*)", line)
        if m and m[3] != "-":
            pmu = m[1]
            pmu = re.sub(r"\{0-(\d+)\}",
                         lambda n: "{0-%d}" % (max(1, times * (int(n[1]) + 1)) - 1), pmu)
            line = "PMU %s type=%d cpumask=%s%s" % (pmu, kind, mask(m[3], old, new), m[4])
            kind += 4096
        out.append(line)
    return "\n".join(out) + "\n"


def make(text):
    """Its directory: sysfs and procfs."""
    return h.tree(h.write("tree.txt", text))
