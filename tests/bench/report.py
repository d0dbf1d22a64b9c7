# SPDX-License-Identifier: MIT
"""report.py - BENCHMARKS.md and its plot: the price list beside its goals, with the machine it was
measured on."""
import os
import platform
import re
import textwrap
import time

import svg
from common import ROUNDS, h, number

HEAD = """<!-- SPDX-License-Identifier: MIT -->
# What uncored costs

Each figure is a ratio taken inside one run: what is compared runs in the same seconds or in turn,
so that a slow or busy machine affects both alike. Median of {rounds} [lowest..highest]. The floors
are small C programs in `tests/bench/`, each the least that the same work can cost: libmicrohttpd
with one static buffer, a loop of preads, a loop of perf group reads, a bare timer, finished
prefixes and digits. Absolute figures are this machine's.

`make bench` measures all of it, `make bench BENCH="device http"` parts, `make bench-report` writes
this page anew.

"""

TAIL = """
## How it was measured

- **msr path**: uncored as it is shipped, on plain files in memory in the place of `/dev/cpu/N/msr`;
  a preloaded library (`wide_msr.c`) gives each register 8 bytes of its own. A real register costs
  the access to the hardware on top, for everybody alike. The bare loop preads the counters of the
  same file at the same ticks, half an interval apart, on the same CPU; uncored also compares all
  its control registers ten times a second, which the ratio includes.
- **Scrapes**: servers on CPU 0, `load.c` on CPU 1, keep-alive connections. CPU is that of all
  processes of the server. uncored samples the 392 counters of four sockets once a second meanwhile.
  The servers have four turns each in a round. A new generation each second: five pairs of servers
  scraped once a second, all in the same seconds, the http process alone, after the first four
  scrapes, in which its memory grows, without what it took in as many seconds before: its history.
- **node_exporter, collectd**: as Debian ships them, default collectors; collectd with cpu, memory,
  load, interface, disk, processes, vmem, df, irq. One connection, per line of their own exposition.
- **Lateness**: seen from outside, when the first register of a tick is read; a bare timer runs
  beside the static floor under the same scrapes, in turn.
- **Start**: from fork to the end of the first reply that has every socket, polled by a C client; a
  ratio is that of the medians of seven starts in turn.
- **Memory**: Pss of smaps_rollup while 200 connections are open and scraping. Pss counts of a page
  that several processes have a part for each, so it depends on what else runs. Where it is that of
  all processes, uncored runs from copies of its programs and libraries (but the C library, which
  every process has): that is its memory where nothing else has them loaded, and the most that it
  can be. Beside it, Pss_Anon: what is no page of a file.
"""


def first_line(*argv):
    try:
        code, out, err = h.run(*argv)
        return (out or err).splitlines()[0].strip()
    except (OSError, IndexError):
        return "absent"


def debian(package):
    try:
        return h.run("dpkg-query", "-W", "-f", "${Version}", package)[1] or "absent"
    except OSError:
        return "unknown"


def machine(load):
    """[(what, which)]"""
    info = h.read("/proc/cpuinfo")
    name, mhz = (re.search(r"%s\s*: (.*)" % k, info) for k in ("model name", "cpu MHz"))
    config = h.read(os.path.join(h.BUILD, "config.status"))
    flags = re.search(r'S\["CFLAGS"\]="([^"]*)"', config)
    return [("processor", "%s, %s MHz, %d CPUs%s" % (
                name.group(1) if name else platform.machine(), mhz.group(1) if mhz else "?",
                os.cpu_count(),
                ", a virtual machine" if " hypervisor" in info else "")),
            ("kernel", platform.release()),
            ("load average when it began", load),
            ("compiler", "%s, %s" % (first_line(*os.environ.get("CC", "cc").split(), "--version"),
                                     flags.group(1) if flags else "")),
            ("uncored", ", ".join(h.run(h.UNCORED, "--version")[1].split("\n")).strip(", ")),
            ("libc", " ".join(platform.libc_ver())),
            ("peers", "prometheus-node-exporter %s, collectd-core %s, %s" % (
                debian("prometheus-node-exporter"), debian("collectd-core"),
                first_line("perf", "--version"))),
            ("measured", time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()))]


def table(head, lines):
    return "".join("| " + " | ".join(line) + " |\n" for line in [head, ["---"] * len(head)] + lines)


def growth(head, image, curves):
    out = "\n%s\n\n![%s](docs/%s)\n" % (head, image[0], image[1])
    for title, x_label, y_label, lines in curves:
        xs = [x for x, _ in next(iter(lines.values()))]
        out += "\n" + table(["%s: %s" % (title, x_label)] + ["%d" % x for x in xs],
                            [["%s, %s" % (name, y_label)] + [number(y) for _, y in line]
                             for name, line in lines.items()])
    return out


def item(text):
    """One of a list, in lines of at most 100 columns."""
    return textwrap.fill(text, 100, initial_indent="- ", subsequent_indent="  ",
                         break_long_words=False, break_on_hyphens=False) + "\n"


def write(rows, curves, planning, load, directory):
    """curves: of sampling and serving; planning: of what a plan costs."""
    missed = [r for r in rows if r.state() == "missed"]
    text = HEAD.format(rounds=ROUNDS) + "## The machine\n\n" + \
        table(["", ""], [list(m) for m in machine(load)])
    text += "\n## The price list\n\n%d goals met, %d missed.\n\n" \
        % (sum(r.state() == "met" for r in rows), len(missed))
    text += table(["what", "goal", "measured", "", "in figures"],
                  [[r.what, r.goal or "-", r.measured(),
                    "**missed**" if r.state() == "missed" else r.state(), r.detail] for r in rows])
    if missed:
        text += "\n## What is missed, and why\n\n" + \
            "".join(item("**%s**: %s" % (r.what, r.why or "not yet explained.")) for r in missed)
    text += growth("## Growth\n\nTicks of 10 ms on the msr path; medians of %d windows." % ROUNDS,
                   ("Growth of cost", "growth.svg"), curves)
    text += growth("## Planning\n\nUser-space instructions of `uncored --check-config`, with the "
                   "loader.", ("Cost of planning", "planning.svg"), planning) + TAIL
    with open(os.path.join(directory, "BENCHMARKS.md"), "w") as f:
        f.write(text)
    for name, drawn in (("growth", curves), ("planning", planning)):
        with open(os.path.join(directory, "docs", name + ".svg"), "w") as f:
            f.write(svg.draw(drawn, planning is drawn))
