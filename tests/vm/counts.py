# SPDX-License-Identifier: MIT
"""counts.py - what the texts of machines say that an event counts, beside events.tsv.

The model of a server takes it from the texts. events.tsv was made from public lists of events, and
a real kernel's drivers are asked about it (live.py, driver.py). No guest is needed here.
"""
import sys

from described import Machine, h
from live import TREES
from truth import EVENTS, rows

# What no list has here: clocks by the fixed counter, what an IOMMU does, and the DSU of Arm's cores
# (its manual: BUS_ACCESS, L3D_CACHE_ALLOCATE, L3D_CACHE_REFILL, L3D_CACHE).
FIXED = ("ddr4_clock", "ddr5_clock", "clock")
DSU = {0x19: "memory_request", 0x29: "nothing", 0x2a: "l3_miss", 0x2b: "l3_lookup"}
ALONE = ("io_request", "io_interrupt", "nothing")
# The clock of DDR5 in the model is half of the data rate, as DCLK of Sapphire Rapids. DCLK of
# these is a quarter of it (docs/machines.md): one count is two of the model's. In a guest it has a
# rate of its own.
QUARTER = ("gnr", "srf", "cwf")
# ddr4_clock of the model is that of DDR4-2933; these have DDR4-2133 and DDR4-2400.
SLOWER = {"hsx": "*11/8", "bdx": "*11/9", "bdxde": "*11/9"}
# The model has one word for what the list tells apart.
ONE_WORD = {
    **dict.fromkeys(("memory_command memory*64", "die_memory*64", "memory_channels_0_to_3*64",
                     "memory_channels_4_to_7*64"), "memory_any*64"),
    **dict.fromkeys(("pcie_snooped_read*64", "pcie_non_snooped_read*64"), "pcie_read*64"),
    **dict.fromkeys(("pcie_allocating_write*64", "pcie_non_allocating_write*64",
                     "pcie_non_snooped_write*64"), "pcie_write*64"),
    "pcie_non_snooped_partial_write": "pcie_partial_write"}
# HCLK, DCLK's event without a unit mask, is half of DCLK of these: 1.1 GHz on an Emerald Rapids
# with 4400 MT/s (docs/machines.md). Nobody has published its rate on others: their texts have none.
HCLK = ("uncore_imc", (0x1, 0, 0))
HALF = ("spr", "sprhbm", "emr")
# The texts make up which way the traffic of devices goes: of these only the codes are compared.
MADE_UP = ("nvidia_pcie_pmu", "nvidia_nvlink_c2c0_pmu", "nvidia_nvlink_c2c1_pmu",
           "nvidia_cnvlink_pmu")


def in_text(tree, words):
    # In the model half of a Vera's look-ups are reads, and so half of its hits are hits of reads.
    twice = words == "ddr5_clock" and tree in QUARTER or words == "llc_hit" and tree == "vera"
    if words == "ddr4_clock":
        return words + SLOWER.get(tree, "")
    return words + "*2" if twice else ONE_WORD.get(words, words)


def listed(machine):
    """{(family, config): words} of events.tsv, as the text of the machine has them."""
    found = {}
    for trees, pmu, _, terms, counts, _, _ in rows(EVENTS):
        for f in machine.families.values():
            if machine.tree in trees.split(",") and f.name == pmu:
                found[pmu, f.encode("" if terms == "-" else terms)] = in_text(
                    machine.tree, counts)
    return found


def test_counts_are_those_of_the_lists():
    # of machines that no guest tries the list has each event, the text what the model has of them
    trees = sorted({t for row in rows(EVENTS) for t in row[0].split(",")} & set(TREES))
    n = {}
    for tree in trees:
        machine = Machine(tree)
        want = listed(machine)
        for f in machine.families.values():
            for config, words in f.counts.items():
                where = (tree, f.name, ["0x%x" % c for c in config], words)
                if f.name in MADE_UP:
                    assert (f.name, config) in want, where
                elif (f.name, config) in want:
                    assert words == want[f.name, config], where
                    n[tree] = n.get(tree, 0) + 1
                elif tree in HALF and (f.name, config) == HCLK:
                    assert words == "ddr5_clock*2", where
                elif f.name == "arm_dsu":
                    assert words == DSU[config[0]], where
                else:
                    alone = FIXED if config == (0xff, 0, 0) else ALONE
                    assert words in [in_text(tree, w) for w in alone], where
    print("# compared: " + ", ".join("%d of %s" % (v, k) for k, v in n.items()))
    assert all(n.get(tree, 0) >= 15 for tree in ("spr", "icx", "zen4")), n


if __name__ == "__main__":
    h.main(sys.modules[__name__])
