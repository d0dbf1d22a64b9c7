"""bench.py - the price list: what uncored costs, each figure a ratio inside one run, medians of five, beside its goal.

    python3 bench.py [PART...]        after `make`, with top_builddir set; `make bench BENCH="PART..."` does it
Exit code 1: a goal was missed.
"""
import importlib
import sys
import time

PARTS = ["device", "perf", "format", "timer", "http", "start", "growth"]


def main():
    wanted = sys.argv[1:] or PARTS
    unknown = set(wanted) - set(PARTS)
    if unknown:
        print("bench: no part %s; there are %s" % (", ".join(sorted(unknown)), ", ".join(PARTS)))
        return 64
    begun, missed = time.monotonic(), 0
    for part in wanted:
        for row in importlib.import_module("rows_" + part).rows():
            row.show()
            missed += row.state() == "missed"
    print("%d goals missed; %.0f s" % (missed, time.monotonic() - begun))
    return 1 if missed else 0


sys.exit(main())
