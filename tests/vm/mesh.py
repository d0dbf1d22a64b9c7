# SPDX-License-Identifier: MIT
"""mesh.py - register files of Arm's CMN-600 in the memory of a guest, which count while it stands.

The kernel's own driver, arm-cmn, finds them by the device tree, in memory that the kernel leaves
alone (no-map) and this process has mapped, too. Time stands still but for Meshes.advance(): the
guest is stopped, each counter that the driver has programmed rises, the guest goes on. So what was
counted is known to the last count.

Owns: the layout of the registers (Arm CoreLink CMN-600 Technical Reference Manual, 100180), as far
as the driver reads and writes them; the nodes of the device tree; rates.
Never: what uncored makes of it.
"""
import json
import mmap
import socket
import struct

RAM = 0x40000000                # where qemu's machine virt has its memory
AT, SIZE = 0x4c000000, 0x100000     # of the first mesh, and of each
REGION, PMU = 0x4000, 0x2000    # of a node; its PMU page
CFG, DTC, HNF, XP, RNI, RND = 2, 3, 5, 6, 0xa, 0xd
CHILDREN = 0x100                # where this file puts the list of a node's children
SPI = 100                       # the first mesh's interrupt, which never comes


class Mesh:
    """Two by two crosspoints, a home node at each, an I/O node at the first."""

    def __init__(self, memory, at, hertz):
        self.memory, self.at, self.hertz = memory, at, hertz
        self.nodes, self.counted = [], {}
        xps = [self.add(XP, x << 5 | y << 3, x + 2 * y) for y in (0, 1) for x in (0, 1)]
        cfg = self.add(CFG, 0, 0)
        self.root = cfg["base"]
        self.put(self.root + 0x8, 0x4 << 32 | 0x34)         # part 0x434
        self.children(cfg, xps)
        for i, xp in enumerate(xps):
            mine = [self.add(HNF, xp["id"], i)]
            self.put(xp["base"] + 0x8, 0x0e)                # port 0: a home node
            if i == 0:
                mine += [self.add(RND, xp["id"] | 4, 0), self.add(DTC, xp["id"] | 5, 0)]
                self.put(xp["base"] + 0x10, 0x02)           # port 1: an I/O node
            self.children(xp, mine)
        self.xps = xps
        self.dtc = next(n for n in self.nodes if n["type"] == DTC)["base"] + PMU

    def add(self, kind, number, logical):
        base = REGION * len(self.nodes)
        self.nodes.append({"type": kind, "id": number, "base": base})
        self.put(base, kind | number << 16 | logical << 32)
        return self.nodes[-1]

    def children(self, node, v):
        self.put(node["base"] + 0x80, len(v) | CHILDREN << 16)
        for i, child in enumerate(v):
            self.put(node["base"] + CHILDREN + 8 * i, child["base"])

    def get(self, at, form="<Q"):
        return struct.unpack_from(form, self.memory, self.at + at)[0]

    def put(self, at, value, form="<Q"):
        struct.pack_into(form, self.memory, self.at + at, value)

    def counts(self):
        """Does the driver let it count? Not while it reads or writes."""
        return self.get(self.dtc + 0x100, "<I") & 1

    def rate(self, node, event):
        """Of an event of a node, in each millisecond: a number of its own."""
        return self.hertz // 1000 // (3 + event) + 7 * node["id"] + event

    def advance(self, ms):
        cycles = self.get(self.dtc + 0x40) + ms * self.hertz // 1000
        self.put(self.dtc + 0x40, cycles & ((1 << 40) - 1))
        for xp in self.xps:
            config = self.get(xp["base"] + PMU + 0x210)
            for n in range(4):
                if config & 1 and config >> (4 + n) & 1:
                    self.count(xp, config, n, ms)

    def count(self, xp, config, n, ms):
        """Counter n of a crosspoint: what its input is comes in, what runs over goes on to a global
        counter."""
        select = (config >> (32 + 8 * n) & 0x3f) - 0x10
        if select < 0:
            return
        device = xp["id"] | (select >> 4) << 2 | (select >> 2 & 3)
        for node in self.nodes:
            if node["id"] != device or node["type"] not in (HNF, RND):
                continue
            event = self.get(node["base"] + PMU + (select & 3), "<B")
            more = self.rate(node, event) * ms if event else 0
            key = RNI if node["type"] == RND else node["type"], event
            self.counted[key] = self.counted.get(key, 0) + more
            value = self.get(xp["base"] + PMU + 0x220 + 2 * n, "<H") + more
            self.put(xp["base"] + PMU + 0x220 + 2 * n, value & 0xffff, "<H")
            number = config >> (16 + 4 * n) & 7
            at = self.dtc + (number // 2 * 4 + number % 2) * 4
            self.put(at, (self.get(at, "<I") + (value >> 16)) & 0xffffffff, "<I")


class Meshes:
    """path: the file that is the guest's memory from RAM on, of `size` bytes."""

    def __init__(self, path, size, monitor):
        self.monitor = monitor
        with open(path, "wb") as f:
            f.truncate(size)
        with open(path, "r+b") as f:
            self.memory = mmap.mmap(f.fileno(), size)
        self.v = [Mesh(self.memory, AT - RAM, 1500000000),
                  Mesh(self.memory, AT - RAM + SIZE, 1700000000)]

    def advance(self, ms):
        while True:
            self.monitor.do("stop")
            ready = all(m.counts() for m in self.v)
            if ready:
                for m in self.v:
                    m.advance(ms)
            self.monitor.do("cont")
            if ready:
                return


class Monitor:
    """qemu's."""

    def __init__(self, path):
        self.path, self.f = path, None

    def do(self, command):
        if not self.f:
            s = socket.socket(socket.AF_UNIX)
            s.connect(self.path)
            self.f = s.makefile("rw")
            self.f.readline()
            self.do("qmp_capabilities")
        self.f.write(json.dumps({"execute": command}) + "\n")
        self.f.flush()
        while True:
            answer = json.loads(self.f.readline())
            assert "error" not in answer, answer
            if "return" in answer:
                return


# ---------------------------------------------------------------- the device tree


class Tree:
    """A flattened device tree (Devicetree Specification 0.4, chapter 5), to which nodes are added
    below its root."""

    def __init__(self, data):
        head = struct.unpack_from(">10I", data)
        assert head[0] == 0xd00dfeed, head
        self.version, self.boot = head[5:7], head[7]
        self.reserved = data[head[4]:head[2]]
        end = struct.pack(">2I", 2, 9)
        self.struct = data[head[2]:head[2] + head[9]]
        assert self.struct.endswith(end), self.struct[-16:]
        self.struct = self.struct[:-len(end)]
        self.strings = data[head[3]:head[3] + head[8]]

    def add(self, name, properties, *inside):
        self.struct += self.node(name, properties, *inside)

    def node(self, name, properties, *inside):
        """The bytes of a node; a property is bytes, or a list of cells."""
        out = struct.pack(">I", 1) + self.padded(name.encode() + b"\0")
        for key, value in properties.items():
            if isinstance(value, list):
                value = struct.pack(">%dI" % len(value), *value)
            out += struct.pack(">3I", 3, len(value), len(self.strings)) + self.padded(value)
            self.strings += key.encode() + b"\0"
        return out + b"".join(inside) + struct.pack(">I", 2)

    @staticmethod
    def padded(data):
        return data + b"\0" * (-len(data) % 4)

    def bytes(self):
        body = self.struct + struct.pack(">2I", 2, 9)
        at = 40 + len(self.reserved)
        size = at + len(body) + len(self.strings)
        return struct.pack(">10I", 0xd00dfeed, size, at, at + len(body), 40, *self.version,
                           self.boot, len(self.strings), len(body)) + self.reserved + body + \
            self.strings


def add_meshes(data):
    """The device tree with both meshes, each of a NUMA node of its own."""
    t = Tree(data)
    t.add("reserved-memory", {"#address-cells": [2], "#size-cells": [2], "ranges": b""},
          t.node("mesh@%x" % AT, {"reg": [0, AT, 0, 2 * SIZE], "no-map": b""}))
    for i in (0, 1):
        at = AT + i * SIZE
        root = REGION * 4               # Mesh adds the crosspoints first
        t.add("pmu@%x" % at, {"compatible": b"arm,cmn-600\0", "reg": [0, at, 0, SIZE],
                              "interrupts": [0, SPI + i, 4], "arm,root-node": [root],
                              "numa-node-id": [i]})
    return t.bytes()
