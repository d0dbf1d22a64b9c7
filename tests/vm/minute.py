# SPDX-License-Identifier: MIT
"""minute.py - what is known only after the minute in which each memory channel shows whether it has
memory, on a machine of each table of the catalog that has the clock of its channels.

On Linux's own driver driver.py asks for the same.
"""
import sys

from guest import h
from live import CHANNELS, MINUTE, Live, check_metrics
from truth import AFTER_A_MINUTE, NS

WITH_CLOCK = "ivt hsx skx icx spr gnr zen5".split()


def after_a_minute(live):
    """What uncored says of a second then, while every counter runs as its event does."""
    live.say("clock running", "forget")
    d = live.counting(CHANNELS)
    live.g.sh("sleep %d" % MINUTE)
    said = live.g.json("wget -q -O - %s/api/v1/snapshot" % d.url)
    assert d.stop() == 0, d.log()
    live.truth.began(0, NS)
    return said


def test_the_use_of_memory():
    live = Live(WITH_CLOCK)
    for tree in WITH_CLOCK:
        live.become(tree)
        n = check_metrics(live, after_a_minute(live), AFTER_A_MINUTE, False)
        print("# %s: %d values after a minute" % (tree, n), flush=True)


if __name__ == "__main__":
    h.main(sys.modules[__name__], at_once=0)
