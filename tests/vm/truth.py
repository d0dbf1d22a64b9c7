# SPDX-License-Identifier: MIT
"""truth.py - what uncored has to say of a machine whose counters run as events.tsv says.

A metric is a formula of quantities, the same for every processor; which events count a quantity
there, and how much of it a count is, says events.tsv. Both come from public lists of events and
not from src/catalog.
"""
import fractions
import os

from described import h

EVENTS = os.path.join(h.SRC, "tests/vm/events.tsv")
READY = os.path.join(h.SRC, "tests/plan/ready.tsv")
NS = 10 ** 9

# metric: numerator, denominator, clock; "seconds" is the window
METRICS = {
    "memory_read_bytes_total": ("memory_read",),
    "memory_write_bytes_total": ("memory_write",),
    "memory_bytes_total": ("memory",),
    "memory_commands_total": ("memory_command",),
    "memory_command_read_bytes_total": ("memory_read_command",),
    "persistent_memory_read_bytes_total": ("pmem_read",),
    "persistent_memory_write_bytes_total": ("pmem_write",),
    "high_bandwidth_memory_read_bytes_total": ("hbm_read",),
    "high_bandwidth_memory_write_bytes_total": ("hbm_write",),
    "memory_command_write_bytes_total": ("memory_write_command",),
    "memory_requests_total": ("memory_request",),
    "memory_request_bytes_total": ("memory_request*64",),
    "remote_memory_requests_total": ("remote_memory_request",),
    "memory_read_commands_total": ("memory_read_cas",),
    "memory_write_commands_total": ("memory_write_cas",),
    "cxl_read_bytes_total": ("cxl_read",),
    "cxl_write_bytes_total": ("cxl_write",),
    "cxl_partial_writes_total": ("cxl_partial_write",),
    "home_read_bytes_total": ("home_read",),
    "home_write_bytes_total": ("home_write",),
    "home_requests_total": ("home_request",),
    "home_remote_request_ratio": ("home_remote_request", "home_request"),
    "memory_channels_0_to_3_bytes_total": ("memory_channels_0_to_3",),
    "memory_channels_4_to_7_bytes_total": ("memory_channels_4_to_7",),
    "die_memory_bytes_total": ("die_memory",),
    "remote_read_bytes_total": ("remote_read",),
    "remote_write_bytes_total": ("remote_write",),
    "io_read_bytes_total": ("io_read",),
    "io_write_bytes_total": ("io_write",),
    "pcie_read_bytes_total": ("pcie_read",),
    "pcie_write_bytes_total": ("pcie_write",),
    "pcie_snooped_read_bytes_total": ("pcie_snooped_read",),
    "pcie_non_snooped_read_bytes_total": ("pcie_non_snooped_read",),
    "pcie_allocating_write_bytes_total": ("pcie_allocating_write",),
    "pcie_non_allocating_write_bytes_total": ("pcie_non_allocating_write",),
    "pcie_non_snooped_write_bytes_total": ("pcie_non_snooped_write",),
    "pcie_non_snooped_partial_writes_total": ("pcie_non_snooped_partial_write",),
    "pcie_partial_writes_total": ("pcie_partial_write",),
    "link_sent_data_bytes_total": ("link_sent",),
    "link_received_data_bytes_total": ("link_received",),
    "link_received_drs_data_bytes_total": ("link_received_drs",),
    "link_sent_utilization_ratio": ("link_busy", "link_flits"),
    "link_clock_hertz": ("link_clock", "seconds"),
    "clock_hertz": ("clock", "seconds"),
    "memory_controller_clock_hertz": ("umc_clock", "seconds"),
    "memory_utilization_ratio": ("moved", "capacity"),
    "memory_channel_utilization_ratio": ("moved", "capacity"),
    "memory_channel_capacity_bytes_total": ("capacity",),
    "llc_data_reads_total": ("llc_read",),
    "llc_data_read_misses_total": ("llc_miss",),
    "llc_data_read_miss_ratio": ("llc_miss", "llc_read"),
    "llc_data_read_miss_latency_seconds": ("llc_waiting", "llc_miss", "clock"),
    "llc_lookups_total": ("l3_lookup",),
    "llc_misses_total": ("l3_miss",),
    "llc_miss_ratio": ("l3_miss", "l3_lookup"),
    "llc_miss_latency_cycles": ("l3_waiting", "l3_request"),
    "llc_miss_latency_seconds": ("l3_ns*1/1000000000", "l3_request"),
    "nvlink_c2c0_read_bytes_total": ("nvlink_c2c0_read",),
    "nvlink_c2c0_write_bytes_total": ("nvlink_c2c0_write",),
    "nvlink_c2c1_read_bytes_total": ("nvlink_c2c1_read",),
    "nvlink_c2c1_write_bytes_total": ("nvlink_c2c1_write",),
    "cnvlink_read_bytes_total": ("cnvlink_read",),
    "cnvlink_write_bytes_total": ("cnvlink_write",),
    "llc_socket_hit_ratio": ("llc_hit", "llc_lookup"),
    "imt_latency_cycles": ("imt_waiting", "imt_insert"),
    "imt_latency_seconds": ("imt_waiting", "imt_insert", "clock"),
    "package_power_watts": ("energy_package", "seconds"),
    "dram_power_watts": ("energy_dram", "seconds"),
    "cores_power_watts": ("energy_cores", "seconds"),
    "gpu_power_watts": ("energy_gpu", "seconds"),
    "system_power_watts": ("energy_system", "seconds"),
}
METRICS.update(("%s_%s_%s_bytes_total" % (of, where, what), ("%s_%s_%s" % (of, where, what),))
               for of in ("numa", "home", "io") for where in ("local", "remote")
               for what in ("read", "write"))
METRICS.update(("memory_channel_%s_ratio" % what, ("memory_" + what, "umc_clock"))
               for what in ("cas", "activate", "precharge"))
METRICS.update(("memory_channel_%s_cas_ratio" % what, ("memory_%s_cas" % what, "memory_cas"))
               for what in ("read", "write"))
METRICS.update(("numa_%s_reads_total" % where, ("numa_%s_reads" % where,))
               for where in ("local", "remote"))
METRICS.update(("numa_%s_read_ratio" % where, ("numa_%s_reads" % where, "numa_reads"))
               for where in ("local", "remote"))
METRICS.update(("page_%s_ratio" % what, ("page_" + what, "page_access"))
               for what in ("hit", "miss", "empty"))
METRICS.update(("io_%s_%s_bytes_total" % (what, way), ("io_%s_%s" % (what, way),))
               for what in ("read", "write") for way in ("hit", "miss"))
METRICS.update({
    "dram_read_latency_seconds": ("llc_dram_waiting", "llc_dram_miss", "clock"),
    "directory_write_bytes_total": ("directory_write",),
    "io_partial_writes_total": ("io_partial",),
    "io_read_miss_ratio": ("io_read_miss", "io_read"),
    "io_full_write_miss_ratio": ("io_full_write_miss", "io_full_write"),
    "io_partial_write_miss_ratio": ("io_partial_miss", "io_partial"),
    "io_interrupts_total": ("io_interrupt",), "io_lost_lines_total": ("io_lost",),
})
METRICS.update(("numa_%s_read_latency_seconds" % where,
                ("l3_%s_ns*1/1000000000" % where_l3, "l3_%s_request" % where_l3))
               for where, where_l3 in (("local", "near"), ("remote", "far")))
# Where no event counts the quantities of the formula above: as many as wait, in each clock.
ALSO = {
    "llc_miss_latency_seconds": (("llc_waiting", "llc_miss", "cmem_clock"),
                                 ("llc_waiting", "llc_miss", "clock")),
    "numa_local_read_latency_seconds": (("llc_local_waiting", "llc_local_miss", "clock"),),
    "numa_remote_read_latency_seconds": (("nvclink_waiting", "nvclink_read", "nvclink_clock"),
                                         ("l3_far_waiting", "l3_far_request", "clock"),
                                         ("llc_remote_waiting", "llc_remote_miss", "clock")),
}
METRICS.update({
    "persistent_memory_read_latency_seconds": ("llc_pmem_waiting", "llc_pmem_miss", "clock"),
    "memory_read_queue_latency_seconds": ("queue_waiting", "queue_insert", "ddr4_clock"),
    "c0_cores": ("c0_cores", "pcu_clock"), "c6_cores": ("c6_cores", "pcu_clock"),
})
# The clock of a socket's power control units, whatever their number, is that of the first.
OF_FIRST = {"pcu_clock"}
METRICS.update(("package_c%d_ratio" % c, ("c%d" % c, "tsc")) for c in (2, 3, 6, 7, 8, 9, 10))


def factor(text):
    """("memory_read", 64) of "memory_read*64"."""
    name, _, times = text.partition("*")
    return name, fractions.Fraction(times or 1)


def formula(metric, known):
    """The first of which all quantities are known."""
    for of in (METRICS[metric], *ALSO.get(metric, ())):
        if all(factor(what)[0] in known for what in of):
            return of
    return METRICS[metric]


def rows(path):
    with open(path) as f:
        for line in f:
            if not line.startswith("#"):
                yield line.rstrip("\n").split("\t")


# A socket's is known only after the minute in which a channel shows whether it has memory. What
# needs a curve is no formula: curve.py measures one.
AFTER_A_MINUTE = {"memory_utilization_ratio"}
FIRST = "first"         # unit of a socket
# Clocks of memory, which moves 8 bytes twice in each (JESD79). Xeon 6 counts every second one.
CLOCKS = ("ddr3_clock", "ddr4_clock", "ddr5_clock", "umc_clock")
EVERY_SECOND = ("gnr", "srf", "cwf")


def made(tree, counted):
    """{quantity: [(what it is made of, bytes in one)]}: what the channels moved, and what they
    could have moved. AMD counts the clocks in which a channel was busy, Xeon 6 has a count of all
    commands."""
    each = 32 if tree in EVERY_SECOND else 16
    capacity = [(clock, each) for clock in CLOCKS if clock in counted]
    for moved in ([("umc_busy", each)], [("memory_any", 1)],
                  [("memory_read", 1), ("memory_write", 1)]):
        if capacity and all(what in counted for what, _ in moved):
            return {"moved": moved, "capacity": capacity}
    return {}


# PMUs that count once more what others of the machine count, of which the metrics are made.
AGAIN = {("icx", "uncore_imc_free_running")}


def of_default(tree):
    """The metrics that are ready without a configuration."""
    return {r[1] for r in rows(READY) if tree in r[0].split(",") and r[1][-1] not in "?!"
            and r[1] not in AFTER_A_MINUTE}


def on_request(tree):
    """Those that a configuration may name, where a list says what a PMU here counts for them. Of
    sets it is not said of all: tests/catalog/published.py has these beside Intel's formulas."""
    known = {"seconds"}
    for trees, pmu, _, _, counts, *_ in rows(EVENTS):
        if tree in trees.split(",") and (tree, pmu) not in AGAIN:
            known.update(factor(what)[0] for what in counts.split(" "))
    known.update(made(tree, known))
    named = {r[1][:-1] for r in rows(READY) if tree in r[0].split(",") and r[1][-1] == "?"}
    return sorted(m for m in named - AFTER_A_MINUTE if m in METRICS and
                  all(factor(what)[0] in known for what in formula(m, known)))


def is_total(metric):
    return metric.endswith("_total")


class Truth:
    """Of a machine (described.Machine), whose families get their rates here."""

    def __init__(self, machine):
        self.m = machine
        self.counters = {}      # quantity: [(family, config, factor)]
        self.named = {}         # (PMU, event): config; the kernel's names where no list has them
        for f in machine.families.values():
            self.named.update(((f.name, name), f.encode(terms)) for name, terms in f.events.items()
                              if "=" in terms and "?" not in terms)
        for trees, pmu, event, terms, counts, hertz, _ in rows(EVENTS):
            if machine.tree not in trees.split(","):
                continue
            for f in machine.families.values():
                if f.name != pmu or not self._names(f, event):
                    continue
                config = f.encode("" if terms == "-" else terms)
                f.rates[config] = int(hertz)
                self.named[pmu, event] = config
                if (machine.tree, pmu) in AGAIN:
                    continue
                for what in counts.split(" "):
                    name, times = factor(what)
                    self.counters.setdefault(name, []).append((f, config, times))
        for quantity, of in made(machine.tree, self.counters).items():
            self.counters[quantity] = [(f, config, times * each) for what, each in of
                                       for f, config, times in self.counters[what]]

    def _names(self, f, event):
        """Of lines with one name, an instance that lacks what others name does not count it."""
        return event in f.events or not any(event in other.events for other in self.of_name(f.name))

    def of_name(self, name):
        return [f for f in self.m.families.values() if f.name == name]

    def began(self, t0, t1):
        """The time that counters ran between, in ns of the module's clock."""
        self.t0, self.t1 = t0, t1

    def count(self, f, index, domain, config):
        """What one counter counted."""
        hertz = f.hertz(index, domain, config)
        return hertz * self.t1 // NS - hertz * self.t0 // NS

    def units(self, f, socket):
        """(unit, index, domain) of the counters of a family on a socket. Where an instance counts
        once for each die or cache of the socket, these are numbered side by side."""
        here = [d for d, of in enumerate(self.m.sockets_of(f)) if of == socket]
        if f.mask == "-":
            here = [0]
        for index in f.boxes.values():
            for rank, domain in enumerate(here):
                yield index * len(here) + rank, index, domain

    def places(self, quantity, socket, unit):
        """(family, config, factor, index, domain) of the counters of a quantity. unit: None: all of
        the socket; FIRST: the first one."""
        found = [(u, (f, config, each, index, domain))
                 for f, config, each in self.counters[factor(quantity)[0]]
                 for u, index, domain in self.units(f, socket)]
        if unit == FIRST:
            unit = min(u for u, _ in found)
        return [place for u, place in found if unit is None or u == int(unit)]

    def counted(self, quantity, socket, unit):
        return factor(quantity)[1] * sum(
            each * self.count(f, index, domain, config)
            for f, config, each, index, domain in self.places(quantity, socket, unit))

    def parts(self, metric, unit):
        """[(quantity, unit)] of numerator, denominator and clock. All boxes of a socket run with
        the clock of the first; another PMU may have one counter for all, as the time stamp counter
        is."""
        num, den, clock = (formula(metric, self.counters) + ("", ""))[:3]
        got = [(num, FIRST if num == "clock" and unit is None else unit)]
        if den:
            one, other = self.counters[factor(num)[0]], self.counters.get(den)
            if den in OF_FIRST:
                unit = FIRST
            got.append((den, unit if den == "seconds" or unit is None or
                        one[0][0].name == other[0][0].name else FIRST))
        return got + ([(clock, FIRST)] if clock else [])

    def value(self, metric, socket, unit):
        """A Fraction. What is given by second takes a window of one (began())."""
        (num, num_unit), *others = self.parts(metric, unit)
        v = self.counted(num, socket, num_unit)
        for quantity, of_unit in others:
            if quantity != "seconds":
                v /= self.counted(quantity, socket, of_unit)
        return v

    def counters_of(self, metric, socket, unit):
        """For each part that counters count: [(family, index, domain, config)]."""
        return [[(f, index, domain, config)
                 for f, config, _, index, domain in self.places(quantity, socket, of_unit)]
                for quantity, of_unit in self.parts(metric, unit) if quantity != "seconds"]

    def a_count(self, metric, socket, unit):
        """What one count more or less of every counter makes of the value, as a part of it."""
        return sum(len(part) / sum(self.count(*c) for c in part)
                   for part in self.counters_of(metric, socket, unit))

    def is_quotient(self, metric, socket, unit):
        """Of counts of one instance, which perf counts together and thus for the same time, and of
        nothing else?"""
        parts = self.counters_of(metric, socket, unit)
        return len(parts) == len(formula(metric, self.counters)) == 2 and \
            len({c[:3] for part in parts for c in part}) == 1
