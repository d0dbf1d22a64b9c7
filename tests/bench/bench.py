# SPDX-License-Identifier: MIT
"""bench.py - the price list: what uncored costs, each figure a ratio inside one run, medians of
five, beside its goal.

    python3 bench.py [--report DIRECTORY | --base REV | --json] [PART...]
after `make`, with top_builddir set. `make bench BENCH="PART..."` measures parts, `make
bench-report` everything, into BENCHMARKS.md, `make bench BASE=REV BENCH="PART..."` also another
revision (base.py). --json: the last line has all figures. A part that cannot be measured is said so
and leaves the others alone. Exit code 1: a goal was missed, or a part failed (of a report: only the
latter).
"""
import importlib
import json
import sys
import time
import traceback

import base
import report
import rows_growth
import rows_plan
from common import Row, h

PARTS = ["device", "perf", "format", "timer", "http", "start", "growth", "plan", "server",
         "store"]


def measure(part, rows):
    """Appends the part's rows as they are measured; false: it broke off."""
    try:
        for row in importlib.import_module("rows_" + part).rows():
            row.show()
            rows.append(row)
    except Exception as e:
        traceback.print_exc(file=sys.stdout)
        rows.append(Row("the rest of the part \"%s\"" % part, "", [],
                        "could not be measured: %s" % e))
        rows[-1].show()
        return False
    return True


def main():
    args = sys.argv[1:]
    option = args.pop(0) if args[:1] and args[0].startswith("--") else None
    value = args.pop(0) if option in ("--report", "--base") else None
    wanted = args or PARTS
    unknown = set(wanted) - set(PARTS)
    if unknown:
        print("bench: no part %s; there are %s" % (", ".join(sorted(unknown)), ", ".join(PARTS)))
        return 64
    if option == "--base":
        base.compare(value, wanted)
        return 0
    load, begun, rows = h.read("/proc/loadavg").split()[0], time.monotonic(), []
    whole = all([measure(part, rows) for part in wanted])
    missed = sum(row.state() == "missed" for row in rows)
    print("%d goals met, %d missed; %.0f s"
          % (sum(row.state() == "met" for row in rows), missed, time.monotonic() - begun))
    if option == "--report":
        report.write(rows, rows_growth.CURVES, rows_plan.CURVES, load, value)
    if option == "--json":
        print(json.dumps([{"what": row.what, "unit": row.unit,
                           "median": row.median() if row.values else None} for row in rows]))
    return 0 if whole and (option or not missed) else 1


sys.exit(main())
