# SPDX-License-Identifier: MIT
"""counts.py - what the texts of machines say that an event counts, beside events.tsv.

The model of a server takes it from the texts. events.tsv was made from public lists of events, and
a real kernel's drivers are asked about it (live.py, driver.py). No guest is needed here.
"""
import sys

from described import Machine, h
from live import TREES
from truth import EVENTS, rows

# What no list has here: the memory's clock by the fixed counter, and what an IOMMU does.
FIXED = ("ddr4_clock", "ddr5_clock")
ALONE = ("io_request", "io_interrupt", "nothing")
# The clock of DDR5 in the model is half of the data rate, as DCLK of Sapphire Rapids. DCLK of
# these is a quarter of it (docs/machines.md): one count is two of the model's. In a guest it has a
# rate of its own.
QUARTER = ("gnr", "srf", "cwf")
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
    return words + "*2" if twice else words


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
                else:
                    alone = FIXED if config == (0xff, 0, 0) else ALONE
                    assert words in [in_text(tree, w) for w in alone], where
    print("# compared: " + ", ".join("%d of %s" % (v, k) for k, v in n.items()))
    assert all(n.get(tree, 0) >= 15 for tree in ("spr", "icx", "zen4")), n


if __name__ == "__main__":
    h.main(sys.modules[__name__])
