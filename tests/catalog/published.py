# SPDX-License-Identifier: MIT
"""published.py - does uncored make of the same counts what Intel's own formulas make of them?

perfmon.tsv is what Intel publishes: formulas over names of events, and the codes of these. Which
metric of uncored is meant to be the same quantity stands below, from the definitions of both. Each
event of a formula gets a random count on each unit of a socket. The formula is worked out here;
tests/catalog/published plans the metric on a machine with that processor, looks up the counts of
what it would open by their codes, and prints its value.

An event that a plan opens and Intel's formula does not have fails, as does a metric that is neither
equal nor, where the published constraints let no round count it, absent with a reason.
"""
import json
import os
import random
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../e2e"))
import harness as h                                   # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(h.BUILD, "tests/catalog/published")
ARCHS = ("SKX", "CLX", "ICX", "SPR", "SPRHBM", "EMR", "GNR", "SRF", "CWF")
EQUAL, ABSENT = 308, 11
WITHOUT_TABLE = {"GRR": 10}     # published for processors that uncored does not have
TRIALS = 3
NEAR = 1e-9

# ---------------------------------------------------------------- which metric, times what

MB, GB, GHZ, NS, PERCENT = 1e6, 1e9, 1e9, 1e-9, 1e-2    # in bytes, hertz, seconds, ratios
READ_AND_WRITTEN = "memory_read_bytes_total memory_write_bytes_total"
PMEM_READ, PMEM_WRITTEN = ("persistent_memory_%s_bytes_total" % w for w in ("read", "write"))
DEMAND = "llc_demand_data_read_miss"
WITH_PREFETCH = "llc_data_read_demand_plus_prefetch_miss_latency"

OURS = {                        # of several the sum
    "memory_bandwidth_read": (MB, "memory_read_bytes_total"),
    "memory_bandwidth_write": (MB, "memory_write_bytes_total"),
    "memory_bandwidth_total": (MB, READ_AND_WRITTEN),
    "Info_System_DRAM_BW_Use": (GB, READ_AND_WRITTEN),
    "pmem_memory_bandwidth_read": (MB, PMEM_READ),
    "pmem_memory_bandwidth_write": (MB, PMEM_WRITTEN),
    "pmem_memory_bandwidth_total": (MB, PMEM_READ + " " + PMEM_WRITTEN),
    "memory_extra_write_bw_due_to_directory_updates": (MB, "directory_write_bytes_total"),
    "llc_miss_local_memory_bandwidth_read": (MB, "home_local_read_bytes_total"),
    "llc_miss_local_memory_bandwidth_write": (MB, "home_local_write_bytes_total"),
    "llc_miss_remote_memory_bandwidth_read": (MB, "home_remote_read_bytes_total"),
    "llc_miss_remote_memory_bandwidth_write": (MB, "home_remote_write_bytes_total"),
    "numa_reads_addressed_to_local_dram": (PERCENT, "numa_local_read_ratio"),
    "numa_reads_addressed_to_remote_dram": (PERCENT, "numa_remote_read_ratio"),

    WITH_PREFETCH: (NS, "llc_data_read_miss_latency_seconds"),
    WITH_PREFETCH + "_for_local_requests": (NS, "numa_local_read_latency_seconds"),
    WITH_PREFETCH + "_for_remote_requests": (NS, "numa_remote_read_latency_seconds"),
    DEMAND + "_latency": (NS, "llc_data_read_miss_latency_seconds"),
    DEMAND + "_latency_for_local_requests": (NS, "numa_local_read_latency_seconds"),
    DEMAND + "_latency_for_remote_requests": (NS, "numa_remote_read_latency_seconds"),
    DEMAND + "_to_dram_latency": (NS, "dram_read_latency_seconds"),
    DEMAND + "_to_pmem_latency": (NS, "persistent_memory_read_latency_seconds"),
    "Info_System_MEM_Read_Latency": (NS, "llc_data_read_miss_latency_seconds"),
    "Info_System_MEM_DRAM_Read_Latency": (NS, "dram_read_latency_seconds"),
    "Info_System_MEM_Parallel_Reads": (1, "parallel_memory_reads"),

    "upi_data_transmit_bw": (MB, "link_sent_data_bytes_total"),
    "upi_data_receive_bw": (MB, "link_received_data_bytes_total"),
    "Info_System_UPI_Data_Transmit_BW": (MB, "link_sent_data_bytes_total"),
    "uncore_frequency": (GHZ, "clock_hertz"),
    "Info_System_Uncore_Frequency": (GHZ, "clock_hertz"),
    "Info_System_Socket_CLKS": (1, "clock_hertz"),
    "cpu_cstate_c0": (1, "c0_cores"),
    "cpu_cstate_c6": (1, "c6_cores"),

    "iio_bandwidth_read": (MB, "pcie_read_bytes_total"),
    "iio_bandwidth_write": (MB, "pcie_write_bytes_total"),
    "io_bandwidth_read": (MB, "io_read_bytes_total"),
    "io_bandwidth_write": (MB, "io_write_bytes_total"),
    "Info_System_IO_Read_BW": (GB, "io_read_bytes_total"),
    "Info_System_IO_Write_BW": (GB, "io_write_bytes_total"),
    "io_bandwidth_read_l3_miss": (MB, "io_read_miss_bytes_total"),
    "io_bandwidth_write_l3_miss": (MB, "io_write_miss_bytes_total"),
    "io_bandwidth_read_local": (MB, "io_local_read_bytes_total"),
    "io_bandwidth_read_remote": (MB, "io_remote_read_bytes_total"),
    "io_bandwidth_write_local": (MB, "io_local_write_bytes_total"),
    "io_bandwidth_write_remote": (MB, "io_remote_write_bytes_total"),
    "io_read_l3_miss": (PERCENT, "io_read_miss_ratio"),
    "io_full_write_l3_miss": (PERCENT, "io_full_write_miss_ratio"),
    "io_partial_write_l3_miss": (PERCENT, "io_partial_write_miss_ratio"),
    "io_number_of_partial_pci_writes": (1, "io_partial_writes_total"),
    "io_msi": (1, "io_interrupts_total"),
    "io_lost_fwd": (1, "io_lost_lines_total"),
}
# Skylake-SP and Cascade Lake count what devices move in the IIO, and DRAM reads in the controllers.
SKYLAKE = {
    "io_bandwidth_read": (MB, "pcie_read_bytes_total"),
    "io_bandwidth_write": (MB, "pcie_write_bytes_total"),
    "Info_System_IO_Read_BW": (GB, "pcie_write_bytes_total"),
    "Info_System_IO_Write_BW": (GB, "pcie_read_bytes_total"),
    "Info_System_MEM_DRAM_Read_Latency": (NS, "memory_read_queue_latency_seconds"),
}
READ = "io_read_hit_bytes_total io_read_miss_bytes_total"
WRITTEN = "io_write_hit_bytes_total io_write_miss_bytes_total"
ICE_LAKE = {
    "io_bandwidth_read": (MB, READ),
    "io_bandwidth_write": (MB, WRITTEN),
    "Info_System_IO_Write_BW": (GB, WRITTEN),
}
OF_ARCH = {"SKX": SKYLAKE, "CLX": SKYLAKE, "ICX": ICE_LAKE}

# What has to come after a published formula, and what is wrong with it.
SLIPS = {
    "Info_System_MEM_DRAM_Read_Latency": ("* T", "clocks are divided by no time"),
    "Info_System_UPI_Data_Transmit_BW": ("/ T", "bytes are divided by no time"),
    "Info_System_IO_Read_BW": ("", "what devices write on SKX and CLX, what they read later"),
    "Info_System_IO_Write_BW": ("", "what devices read on SKX and CLX, what they write later"),
    "cpu_cstate_c0": ("", "a number of cores, not a share of time"),
    "cpu_cstate_c6": ("", "a number of cores, not a share of time"),
}
# No slip: the clocks of a window, which uncored has of a second.
CORRECTED = {"Info_System_Socket_CLKS": "/ T"}
CORRECTED.update((metric, more) for metric, (more, _) in SLIPS.items())


# ---------------------------------------------------------------- what Intel publishes

class Event:
    """uncore_cha/event=0x36,umask=0x21/@0 - of one unit: uncore_cha_0/..."""

    def __init__(self, text):
        pmu, terms, counters = re.fullmatch(r"(\w+)/([^/]*)/@(\d+)", text).groups()
        self.one = pmu.endswith("_0")
        self.family = pmu[:-2] if self.one else pmu
        self.terms = {k: int(v, 0) for k, v in (t.split("=") for t in terms.split(","))}
        self.counters = counters
        self.filter = self.terms.pop("filter1", 0)


class Published:
    def __init__(self, arch, name, formula, events):
        self.arch, self.name = arch, name
        self.events = {}
        for e in events.split():
            key, _, text = re.match(r"(UNC_[\w.]+((?::\w+(?:=0x\w+)?)*)(?:\[\d\])?)=(.*)",
                                    e).group(1, 2, 3)
            self.events[key] = Event(text)
        self.inputs = []        # (event, of one unit) in the order of the formula

        def take(m):
            key = m.group(0) if m.group(0) in self.events else m.group(1)
            event = self.events[key]
            self.inputs.append((event, event.one or m.group(2) is not None))
            return "e[%d]" % (len(self.inputs) - 1)
        words = re.sub(r"(UNC_[\w.]+(?::\w+(?:=0x\w+)?)*)(\[\d\])?", take, formula)
        assert not re.search(r"[^-+*/() .\d\[\]eTNSCHA]", words), words
        self.formula = "(%s) %s" % (words, CORRECTED.get(name, ""))
        self.factor, ours = OF_ARCH.get(arch, {}).get(name) or OURS[name]
        self.ours = ours.split()

    def value(self, counts, units, seconds):
        """In uncored's units."""
        e = [counts.first(event) if one else counts.all(event) for event, one in self.inputs]
        names = {"e": e, "T": seconds, "NS": 1, "NCHA": units["uncore_cha"]}
        return self.factor * eval(self.formula, {"__builtins__": {}}, names)

    def countable(self):
        """Is there a counter for each event of a PMU at once, and one value for its filter?"""
        for family in {e.family for e in self.events.values()}:
            of = [e for e in self.events.values() if e.family == family]
            if not placeable([e.counters for e in of]) or len({e.filter for e in of} - {0}) > 1:
                return False
        return True


def placeable(choices, taken=""):
    if not choices:
        return True
    return any(placeable(choices[1:], taken + c) for c in choices[0] if c not in taken)


def published():
    found = []
    for line in h.read(os.path.join(HERE, "perfmon.tsv")).splitlines():
        if not line.startswith("#") and not line.startswith("arch\t"):
            found.append(line.split("\t"))
    return found


# ---------------------------------------------------------------- codes and counts

class Tree:
    """The PMUs of a machine: their units on a socket, and where the bits of terms go."""

    def __init__(self, arch):
        root = h.tree(arch.lower())
        self.devices = os.path.join(root, "bus/event_source/devices")
        self.units, self.formats = {}, {}
        for name in sorted(os.listdir(self.devices)):
            family = re.sub(r"_\d+$", "", name)
            self.units.setdefault(family, []).append(name)

    def format(self, pmu, term):
        at = os.path.join(self.devices, pmu, "format", term)
        if at not in self.formats:
            self.formats[at] = h.read(at).strip()
        return self.formats[at]

    def config(self, pmu, terms):
        """The value of `config`."""
        value = 0
        for term, bits in terms.items():
            word, _, ranges = self.format(pmu, term).partition(":")
            assert word == "config", (pmu, term)
            for r in ranges.split(","):
                low, _, high = r.partition("-")
                width = int(high or low) - int(low) + 1
                value |= (bits & (1 << width) - 1) << int(low)
                bits >>= width
            assert bits == 0, (pmu, term)
        return value


class Counts:
    """What each event of a metric counted on each unit of a socket. The units of a PMU have one
    clock, and the ports of an I/O stack together count what each of them does."""

    def __init__(self, tree, metric):
        self.tree, self.counts = tree, {}
        clocks = [e for key, e in metric.events.items() if "CLOCKTICKS" in key]
        for e in metric.events.values():
            parts = [1 << p for p in range(8)] if "ch_mask" in e.terms else [None]
            for part in parts:
                clock = random.randrange(1 << 30, 1 << 32)
                for unit in tree.units[e.family]:
                    count = clock if e in clocks else random.randrange(1 << 20, 1 << 36)
                    self.counts.setdefault(self.key(e, unit, part), count)

    def key(self, e, unit, part):
        terms = dict(e.terms, ch_mask=part) if part else e.terms
        return unit, self.tree.config(unit, terms), e.filter << 32

    def of(self, e, unit):
        mask = e.terms.get("ch_mask")
        if mask is None:
            return self.counts[self.key(e, unit, None)]
        return sum(self.counts[self.key(e, unit, 1 << p)] for p in range(8) if mask >> p & 1)

    def first(self, e):
        return self.of(e, self.tree.units[e.family][0])

    def all(self, e):
        return sum(self.of(e, unit) for unit in self.tree.units[e.family])

    def lines(self, metric):
        """Of the script; with the sums of ports that a row may ask for instead of each."""
        told = dict(self.counts)
        for e in metric.events.values():
            for mask in (0xf, 0xff) if "ch_mask" in e.terms else ():
                some = Event("%s/event=0/@0" % e.family)
                some.terms = dict(e.terms, ch_mask=mask)
                for unit in self.tree.units[e.family]:
                    told[self.key(some, unit, mask)] = self.of(some, unit)
        return ["count %s %x %x %d" % (*key, count) for key, count in told.items()]


# ---------------------------------------------------------------- comparison

def script_of(metrics, tree):
    """What published.c reads, and for each metric the values that have to come out."""
    script, expected = [], []
    units = {family: len(names) for family, names in tree.units.items()}
    for m in metrics:
        trials = []
        for _ in range(TRIALS):
            counts, length = Counts(tree, m), random.randrange(10 ** 8, 10 ** 10)
            trials.append((counts, length))
        expected.append([m.value(c, units, length / 1e9) for c, length in trials])
        for ours in m.ours:
            script.append("metric " + ours)
            for counts, length in trials:
                script += ["forget", *counts.lines(m), "window %d" % length]
    return script, expected


def windows(out):
    """[(planned, [lines of a window])] of each `metric` of a script."""
    found = []
    for line in out.splitlines():
        if line == "planned" or line.startswith("refused "):
            found.append((line, [[]]))
        elif line == "done":
            found[-1][1].append([])
        else:
            found[-1][1][-1].append(line)
    return found


def value_of(ours, lines):
    """The socket's; or a sentence."""
    values = [float(line.split()[1]) for line in lines if line.startswith("value ")]
    if len(values) != len(lines) or not values:
        return "; ".join(sorted(set(lines))[:2]) or "no series"
    if ours.endswith("_total"):
        return sum(values)
    return values[0] if len(set(values)) == 1 else "units differ: %s" % values[:4]


def difference(m, parts, expected):
    """parts: of each of its metrics the windows. "": they are equal."""
    for trial, want in enumerate(expected):
        have = [value_of(ours, of[trial]) for ours, (_, of) in zip(m.ours, parts)]
        words = [v for v in have if isinstance(v, str)]
        if words:
            return words[0]
        if abs(sum(have) / want - 1) > NEAR:
            return "%.17g instead of %.17g" % (sum(have), want)
    return ""


def rows_of(arch):
    """uncored's ready-made metrics of this machine, by name."""
    code, out, err = h.run(h.CTL, "list", "metrics", "--machine", arch.lower(), "--json")
    assert code == 0, err
    return {r["name"]: r for r in json.loads(out)["ready"]}


def says_slip(m, rows):
    """Does each row that gives the published metric say what is wrong with it, if something is?"""
    return m.name not in SLIPS or all(
        re.search(r"\b%s\b" % m.name, rows[name]["disputed"] or "") for name in m.ours)


def compare(arch, published_rows):
    """How many are equal, and absent with a reason; prints the others."""
    metrics = [Published(*row) for row in published_rows]
    script, expected = script_of(metrics, Tree(arch))
    p = subprocess.run([PROGRAM, arch.lower() + ".txt"], input="\n".join(script) + "\n", text=True,
                       capture_output=True, env=dict(os.environ, top_srcdir=h.SRC))
    assert p.returncode == 0, (p.stderr, p.stdout[-300:])
    answers, rows, equal, absent = iter(windows(p.stdout)), rows_of(arch), 0, 0
    for m, want in zip(metrics, expected):
        parts = [next(answers) for _ in m.ours]
        refused = [planned for planned, _ in parts if planned != "planned"]
        why = rows.get(m.ours[0], {}).get("absent")
        what = refused[0] if refused else difference(m, parts, want)
        if not what and not says_slip(m, rows):
            what = "no row says what is wrong with what is published"
        if not what:
            equal += 1
        elif refused and why and not m.countable():
            absent += 1
            print("%s %s: absent: %s" % (arch, m.name, why))
        else:
            print("%s %s is not %s: %s" % (arch, m.name, " + ".join(m.ours), what))
    print("%s: of %d published %d equal, %d absent with a reason, %d not reached"
          % (arch, len(metrics), equal, absent, len(metrics) - equal - absent))
    return equal, absent


def test_published_metrics():
    rows = published()
    equal = absent = 0
    random.seed("published")
    for arch in ARCHS:
        a, b = compare(arch, [row for row in rows if row[0] == arch])
        equal += a
        absent += b
    for name, (more, why) in SLIPS.items():
        what = "compared with what is published %s" % more if more else "compared as published"
        print("slip of %s: %s; %s" % (name, why, what))
    for arch, n in WITHOUT_TABLE.items():
        assert sum(row[0] == arch for row in rows) == n, arch
        print("%s: %d published, not reached: uncored has no table of this processor" % (arch, n))
    left = len(rows) - sum(WITHOUT_TABLE.values())
    print("%d = %d equal + %d absent with a reason" % (left, equal, absent))
    assert left == EQUAL + ABSENT, left
    assert (equal, absent) == (EQUAL, ABSENT), (equal, absent)


if __name__ == "__main__":
    h.main(sys.modules[__name__])
