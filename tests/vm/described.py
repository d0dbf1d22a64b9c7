# SPDX-License-Identifier: MIT
"""described.py - a machine of src/topo/machines as commands for counting_pmus.ko, and at what rate
its counters run.

Never: what an event means (events.tsv); what uncored's catalog says.
"""
import re

from image import h

# What every kernel has, the guest's as well.
KERNELS_OWN = ("software", "tracepoint", "breakpoint", "kprobe", "uprobe", "cpu", "cpu_core",
               "cpu_atom")
M64 = (1 << 64) - 1
# Names with several numbers (drivers/perf of Linux): what is left of them is the PMU.
NUMBERED = re.compile(r"(hisi_s[ci]cl)(\d+)(_(?:l3c|[a-z]+))(\d+)(?:_(\d+))?|"
                      r"(cxl_pmu_mem)(\d+)\.(\d+)|(nvidia_pcie(?:_tgt)?_pmu)_(\d+)(_rc)_(\d+)")
# No guest has so many CPUs: this one has as many in the place of so many.
FEWER = {"kunpeng920": 12}


def cpus_of(text):
    """"0-3,8" as a list."""
    return [n for part in text.split(",") for first, _, last in [part.partition("-")]
            for n in range(int(first), int(last or first) + 1)]


def numbered(name):
    """("hisi_sccl_ddrc", (1, 0)) of "hisi_sccl1_ddrc0"; None: it has no such name."""
    m = NUMBERED.fullmatch(name)
    if not m:
        return None
    parts = [part for part in m.groups() if part is not None]
    return ("".join(part for part in parts if not part.isdigit()),
            tuple(int(part) for part in parts if part.isdigit()))


class Family:
    """PMUs that a line of the text describes; boxes: {kernel's name: index}, in the order of those
    of all lines with the name (Machine) where their names have several numbers or addresses."""

    def __init__(self, name, mask):
        base, _, instances = name.rstrip("}").partition("{")
        numbers = []
        for part in instances.split(",") if instances else []:
            m = re.fullmatch(r"(\d+)-(\d+)", part)
            numbers += list(map(str, range(int(m[1]), int(m[2]) + 1))) if m else [part]
        # those of an order have a place in it
        self.order = {base + n: (numbered(base + n) or (0, (int(n, 16),)))[1] for n in numbers
                      if numbered(base + n) or len(n) > 3}
        self.name, self.mask = base.rstrip("_"), mask
        self.boxes = {base + n: int(n) if n.isdigit() else 0 for n in numbers or [""]}
        self.instance = {base + n: n for n in numbers or [""]}
        if numbers and numbered(base + numbers[0]):
            self.name = numbered(base + numbers[0])[0]
        self.format, self.events, self.file, self.words, self.rules = {}, {}, "", ["-"], []
        self.device = self.node = None
        self.rates, self.domains, self.counts = {}, [], {}

    def take(self, line):
        kind, _, rest = line.partition(" ")
        if kind in ("format", "events"):
            getattr(self, kind).update(w.split("=", 1) for w in rest.split())
        elif kind in ("counters", "filters"):
            for w in rest.split():
                m = re.fullmatch(r"(\w+)(?:-(\w+))?(?:/(\w+))?:(\w+)", w)
                if m:
                    self.rules.append("%s %s %s %s %s" % (kind[:-1], m[1], m[2] or m[1],
                                                          m[3] or "0xff", m[4]))
                elif w != "+":
                    self.words = self.words + [w] if kind == "counters" else self.words
            if kind == "counters" and self.words[0] == "-":
                self.words = self.words[1:]
            if kind == "filters":
                self.words.append("filtered")
        elif kind == "counts":     # on the model of a server: counts.py compares them
            config, _, words = rest.partition(" ")
            config = [int(c, 0) for c in config.split(",")]
            self.counts[tuple((config + [0, 0])[:3])] = words
        elif kind == "device":
            self.device, _, node = rest.split()
            self.node = int(node)
        elif kind == "die":     # root buses: no guest has them
            pass
        elif line.startswith(("events/", "format/")):
            name, text = line.split(": ", 1)
            kind, _, name = name.partition("/")
            getattr(self, kind)[name] = text
        elif re.match(r"\w+: ", line):
            self.file = line.replace(":", "", 1)
        else:
            raise ValueError(line)

    def encode(self, terms):
        """(config, config1, config2) of "event=0x4,umask=0x3", by the files of format/."""
        config = [0, 0, 0]
        for term in filter(None, terms.split(",")):
            name, _, value = term.partition("=")
            value = int(value or "1", 0)
            if name in ("config", "config1", "config2"):
                config[int(name[6:] or 0)] |= value
                continue
            word, _, ranges = self.format[name].partition(":")
            for bits in ranges.split(","):
                first, _, last = bits.partition("-")
                n = int(last or first) - int(first) + 1
                config[int(word[6:] or 0)] |= (value & ((1 << n) - 1)) << int(first)
                value >>= n
            assert value == 0, terms
        return tuple(config)

    def commands(self, counters):
        """counters: as many as there are; or no event is refused."""
        yield "family " + " ".join((self.words if counters else ["-"]) +
                                   ["any"] * (self.mask == "-"))
        for d in self.domains:
            yield "domain " + d
        for files in "format", "events":
            for name, text in getattr(self, files).items():
                yield "%s %s %s" % (files.rstrip("s"), name, text)
        yield from self.rules
        for config, hertz in self.rates.items():
            yield "rate 0x%x 0x%x 0x%x %d" % (*config, hertz)

    def registration(self, driver):
        """driver: PMUs of the uncore are its own, and get registers; but for the free-running."""
        for name, i in self.boxes.items():
            file = self.file.replace("{}", self.instance[name])
            if not driver or not name.startswith("uncore"):
                yield ("pmu %s %d %s" % (name, i, file)).rstrip()
                if self.device:
                    yield "device %s %s %d" % (
                        name, self.device.replace("{}", self.instance[name]), self.node)
            elif "free" not in self.words:
                yield "made %s %d" % (name, i)

    def hertz(self, index, domain, config):
        """As hertz_of() of the module."""
        mix = 1
        for c in config:
            mix = _mix(mix, c)
        base = self.rates.get(config, 0) or 1000003 + (mix >> 40)
        mix = _mix(_mix(mix, index), domain)
        return base + (base >> 12) * (mix >> 54)


def _mix(a, b):
    a = ((a ^ b) * 0x9e3779b97f4a7c15) & M64
    return a ^ (a >> 29)


def text_of(tree):
    """The text, with as many CPUs as a guest has."""
    def fewer(m):
        return m[1] + re.sub(r"\d+", lambda n: str(int(n[0]) // FEWER[tree]), m[2])

    text = h.machine(tree)
    if tree in FEWER:
        text = re.sub(r"(?m)(^cpu |cpumask=|associated_cpus: )([\d,-]+)", fewer, text)
    return text


class Machine:
    """A text of src/topo/machines; families: {name without numbers: Family}. Where lines have the
    same name, as of each socket of an AMD processor, they are "amd_umc", "amd_umc#". most: of the
    instances of a family; 0: all."""

    def __init__(self, tree, most=0):
        self.tree, self.cpus, self.families, self.cpuinfo = tree, [], {}, None
        self.nodes = {}         # the CPUs of each
        self._read(tree)
        for f in self.families.values():
            f.boxes = dict(list(f.boxes.items())[:most or None])
        self._rank()
        for f in self.families.values():
            f.domains = list(self._domains(f.mask))

    def _rank(self):
        """Of boxes that are told by several numbers, or by addresses."""
        order = {}
        for f in self.families.values():
            order.setdefault(f.name, []).extend(f.order[box] for box in f.boxes if box in f.order)
        for f in self.families.values():
            for box in f.order.keys() & f.boxes.keys():
                f.boxes[box] = sum(other < f.order[box] for other in order[f.name])

    def _read(self, tree):
        family = None
        for line in text_of(tree).splitlines():
            kind, _, rest = line.partition(" ")
            if kind == "cpuinfo":
                self.cpuinfo = self.cpuinfo or rest.split()
            elif kind == "cpu":
                m = re.match(r"(\S+) socket (\d+)(?: die (\d+))?(?: node (\d+))?( llc)?", rest)
                self.cpus.append((cpus_of(m[1]), int(m[2]), m[3], bool(m[5])))
                if m[4]:
                    self.nodes.setdefault(int(m[4]), []).extend(cpus_of(m[1]))
            elif kind == "like":
                self._read(rest)
            elif kind == "PMU":
                m = re.match(r"(\S+) type=\S+ cpumask=(\S+)", rest)
                family = Family(m[1], m[2])
                key = family.name
                while key in self.families:
                    key += "#"
                if family.name not in KERNELS_OWN:
                    self.families[key] = family
            elif line.startswith("  "):
                family.take(line[2:])
            else:
                assert not line or line.startswith(("#", "curve ", "pci ")), line

    def socket_of(self, cpu):
        return next(socket for cpus, socket, _, _ in self.cpus if cpu in cpus)

    def sockets_of(self, f):
        """That of the device of a family's instances; or, where the CPU that serves them counts
        for its own, of each domain."""
        if f.node is not None and len(f.domains) == 1:
            return [self.socket_of(self.nodes[f.node][0])]
        return [self.socket_of(cpus_of(cpus)[0]) for cpus in f.domains]

    def n_cpus(self):
        return 1 + max(cpu for cpus, _, _, _ in self.cpus for cpu in cpus)

    def _domains(self, mask):
        """The CPUs that each CPU of the mask counts for: up to the next one, or to the end of its
        socket."""
        first = cpus_of(mask) if mask != "-" else [0]
        for i, cpu in enumerate(first):
            last = self.n_cpus() - 1
            while mask != "-" and (self.socket_of(last) != self.socket_of(cpu) or
                                   (first[i + 1:] and last >= first[i + 1])):
                last -= 1
            yield "%d-%d" % (cpu, last)

    def commands(self, counters=True, driver=False):
        return "\n".join(["reset", "clock manual"] + [
            c for f in self.families.values()
            for c in list(f.commands(counters)) + list(f.registration(driver))]) + "\n"

    def files(self):
        """{file of a made-up /sys and /proc: text}, but for the PMUs."""
        if self.cpuinfo[0] == "arm":
            info = "CPU implementer\t: %s\nCPU architecture: 8\nCPU part\t: %s\n" \
                % tuple(self.cpuinfo[1:3])
        else:
            info = "vendor_id\t: %s\ncpu family\t: %s\nmodel\t\t: %s\nstepping\t: %s\n" \
                % tuple(self.cpuinfo)
        files, cores = {"cpuinfo": "processor\t: 0\n" + info}, {}
        files["devices/system/cpu/online"] = "0-%d\n" % (self.n_cpus() - 1)
        for node, cpus in self.nodes.items():
            files["devices/system/node/node%d/cpulist" % node] = ",".join(map(str, cpus)) + "\n"
        for cpus, socket, die, llc in self.cpus:
            for cpu in cpus:
                at = "devices/system/cpu/cpu%d/" % cpu
                cores[socket] = cores.get(socket, -1) + 1
                files[at + "topology/physical_package_id"] = "%d\n" % socket
                files[at + "topology/core_id"] = "%d\n" % cores[socket]
                if die:
                    files[at + "topology/die_id"] = die + "\n"
                if llc:
                    files[at + "cache/index3/shared_cpu_list"] = "%d-%d\n" % (cpus[0], cpus[-1])
        return files
