# SPDX-License-Identifier: MIT
"""mesh.py - register files of Arm's CMN-600 and CMN-700 in the memory of a guest, which count while
it stands.

The kernel's own driver, arm-cmn, finds them by the device tree, in memory that the kernel leaves
alone (no-map) and this process has mapped, too. Time stands still but for Meshes.advance(): the
guest is stopped, each counter that the driver has programmed rises, the guest goes on. So what was
counted is known to the last count.

Owns: the layout of the registers (Arm's Technical Reference Manuals of CMN-600, 100180, and of
CMN-700, 102308), as far as the driver reads and writes them; the nodes of the device tree; rates.
Never: what uncored makes of it.
"""
import json
import mmap
import socket
import struct

RAM = 0x40000000                # where qemu's machine virt has its memory
AT, SIZE = 0x4c000000, 0x100000     # of the first mesh, and of each
REGION, PMU = 0x4000, 0x2000    # of a node; its PMU page
DTM = 0x200                     # of a crosspoint's PMU page, for each two of its ports
CFG, DTC, HNF, XP, RND = 2, 3, 5, 6, 0xd
CONNECTED = {HNF: 0x0e, RND: 0x02, DTC: 0x0a}   # what a crosspoint says of its port
CHILDREN = 0x100                # where this file puts the list of a node's children
SPI = 100                       # the first of the interrupts, which never come


class Mesh:
    """Three by two crosspoints with a home node each; the first has DEVICES. (Of two by two the
    driver takes an id to have a bit for each of X and Y, where hardware has two.)"""

    def __init__(self, memory, at, hertz):
        self.memory, self.at, self.hertz = memory, at, hertz
        self.nodes, self.counted = [], {}
        cfg = self.add(CFG, 0, 0)
        self.put(cfg["base"] + 0x8, (self.PART & 0xf00) << 24 | self.PART & 0xff)
        self.xps = [self.add(XP, x << 5 | y << 3, x + 3 * y) for y in range(2) for x in range(3)]
        self.children(cfg, self.xps)
        for i, xp in enumerate(self.xps):
            self.children(xp, [self.device(xp, *d) for d in self.devices(i)])
        self.dtcs = [n["base"] + PMU for n in self.nodes if n["type"] == DTC]
        self.describe(cfg)

    def devices(self, i):
        """Type, port, device number and logical number of what is at crosspoint i."""
        return self.DEVICES if i == 0 else [(HNF, 0, 0, 10 + i)]

    def device(self, xp, kind, port, number, logical):
        node = self.add(kind, xp["id"] | port << self.DEVICE_BITS | number, logical)
        node["at"] = xp, port, number
        if number == 0:
            self.put(xp["base"] + 0x8 + 8 * port, CONNECTED[kind])
        return node

    def add(self, kind, number, logical):
        base = self.ROOT + REGION * len(self.nodes)
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
        return self.get(self.dtcs[0] + 0x100, "<I") & 1

    def rate(self, node, event):
        """Of an event of a node, in each millisecond: a number of its own."""
        return self.hertz // 1000 // (3 + event) + 7 * node["id"] + event

    def per_ms(self, kind, event, number=None):
        """Of all nodes of a kind, or of one, each once."""
        return sum(self.rate(n, event) for n in self.nodes
                   if n["type"] == kind and number in (None, n["id"]))

    def advance(self, ms):
        for dtc in self.dtcs:
            cycles = self.get(dtc + 0x40) + ms * self.hertz // 1000
            self.put(dtc + 0x40, cycles & ((1 << 40) - 1))
        for i, xp in enumerate(self.xps):
            for dtm in range(self.DTMS):
                at = xp["base"] + PMU + DTM * dtm
                config = self.get(at + 0x210)
                for n in range(4):
                    if config & 1 and config >> (4 + n) & 1:
                        self.count((xp, dtm), at, config, n, ms, self.dtcs[self.domain(i)])

    def count(self, of, at, config, n, ms, dtc):
        """Counter n of a crosspoint's DTM: what its input is comes in, what runs over goes on to a
        global counter of its DTC."""
        select = (config >> (32 + 8 * n) & 0x3f) - 0x10
        if select < 0:
            return
        xp, dtm = of
        device = xp, (select >> 4) + 2 * dtm, select >> 2 & 3
        for node in self.nodes:
            if node.get("at") != device or node["type"] not in (HNF, RND):
                continue
            event = self.get(node["base"] + PMU + (select & 3), "<B")
            more = self.rate(node, event) * ms if event else 0
            key = node["type"], event
            self.counted[key] = self.counted.get(key, 0) + more
            value = self.get(at + 0x220 + 2 * n, "<H") + more
            self.put(at + 0x220 + 2 * n, value & 0xffff, "<H")
            number = config >> (16 + 4 * n) & 7
            to = dtc + (number // 2 * 4 + number % 2) * 4
            self.put(to, (self.get(to, "<I") + (value >> 16)) & 0xffffffff, "<I")


class CMN600(Mesh):
    """Two ports a crosspoint, node ids with a bit of port and two of device. The first port of the
    first crosspoint has two home nodes, the second an I/O node: three devices to four counters."""

    PART, COMPATIBLE, INTERRUPTS = 0x434, b"arm,cmn-600\0", 1
    ROOT, DEVICE_BITS, DTMS = 0x10000, 2, 1
    DEVICES = (HNF, 0, 0, 0), (HNF, 0, 1, 1), (RND, 1, 0, 0), (DTC, 1, 1, 0)

    def describe(self, cfg):
        pass

    def domain(self, i):
        return 0


class CMN700(Mesh):
    """Up to four ports here: node ids with two bits of port and one of device, and four counters
    more for the third port and the fourth. The root is at the start. There are two DTCs, and a
    crosspoint says which is its."""

    PART, COMPATIBLE, INTERRUPTS = 0x43c, b"arm,cmn-700\0", 2
    ROOT, DEVICE_BITS, DTMS = 0, 1, 2
    DEVICES = (HNF, 0, 0, 0), (HNF, 0, 1, 1), (RND, 1, 0, 0), (HNF, 2, 0, 2), (DTC, 3, 0, 0)

    def devices(self, i):
        return [*super().devices(i), *([(DTC, 3, 0, 1)] if i == 3 else [])]

    def describe(self, cfg):
        self.put(cfg["base"] + 0x900, 1 << 63)          # a DTM for each two ports
        for i, xp in enumerate(self.xps):
            self.put(xp["base"] + 0x960, self.domain(i))

    def domain(self, i):
        return i // 3


KINDS = (CMN600, 1500000000), (CMN700, 1700000000)     # of each socket, and its hertz


class Meshes:
    """path: the file that is the guest's memory from RAM on, of `size` bytes."""

    def __init__(self, path, size, monitor):
        self.monitor = monitor
        with open(path, "wb") as f:
            f.truncate(size)
        with open(path, "r+b") as f:
            self.memory = mmap.mmap(f.fileno(), size)
        self.v = [kind(self.memory, AT - RAM + i * SIZE, hertz)
                  for i, (kind, hertz) in enumerate(KINDS)]

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
    first = SPI
    for i, (kind, _) in enumerate(KINDS):
        at = AT + i * SIZE
        interrupts = [cell for n in range(kind.INTERRUPTS) for cell in (0, first + n, 4)]
        first += kind.INTERRUPTS
        properties = {"compatible": kind.COMPATIBLE, "reg": [0, at, 0, SIZE],
                      "interrupts": interrupts, "numa-node-id": [i]}
        if kind is CMN600:
            properties["arm,root-node"] = [kind.ROOT]
        t.add("pmu@%x" % at, properties)
    return t.bytes()
