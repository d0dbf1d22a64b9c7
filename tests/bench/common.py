# SPDX-License-Identifier: MIT
"""common.py - what all parts of the price list share: a row, CPU time of threads, the events of the
benchmarks."""
import os
import re
import shutil
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("top_srcdir", "."), "tests/e2e"))
import harness as h  # noqa: E402

HERE = os.path.join(h.BUILD, "tests/bench")     # of the floors
ROUNDS = int(os.environ.get("BENCH_ROUNDS", 5))
CODE = HERE                                     # of the programs with uncored's code in them
if os.environ.get("BENCH_BUILD"):               # of another revision (base.py)
    h.UNCORED, h.HTTP, h.CTL = (os.path.join(os.environ["BENCH_BUILD"], os.path.basename(at))
                                for at in (h.UNCORED, h.HTTP, h.CTL))
    CODE = os.path.join(os.environ["BENCH_BUILD"], "tests/bench")

# Every counter of a Xeon 7500: U 1, C 8 x 6, B 2 x 4, S 2 x 4, R 16, M 2 x 6, W 4 and the fixed
# one: 98 a socket.
EVENTS = (["ubox/WOKEN"] +
          ["cbox/TRANS_" + q for q in ("IRQ", "IPQ", "VIQ", "MAF", "RWRF", "RSPF")] +
          ["bbox/" + e for e in ("IMT_VALID_OCCUPANCY", "IMT_INSERTS_ALL", "IMT_NE_CYCLES",
                                 "CONFLICTS")] +
          ["sbox/PKTS_" + e for e in ("SENT_SNP", "SENT_NDR", "RCVD_NDR", "RCVD_SNP")] +
          ["rbox/%s,port=%d" % (e, p) for p in range(8) for e in ("NULL_IDLE", "FLITS_SENT")] +
          ["mbox/" + e for e in ("CYCLES", "PAGE_HIT", "PAGE_MISS", "PAGE_EMPTY",
                                 "BBOX_CMDS_ALL", "REFRESH")] +
          ["wbox/" + e for e in ("CLOCKTICKS", "PROCHOT", "TM1_ON:ALL", "C_CYCLES_TURBO:ALL",
                                 "RATIO_CHANGE_ABORT:ALL")])
# The same box by box, of one unit each: the first n make n counters.
TEN = ["wbox/CLOCKTICKS", "bbox0/IMT_VALID_OCCUPANCY", "bbox0/IMT_INSERTS_ALL",
       "bbox0/IMT_NE_CYCLES", "bbox0/CONFLICTS",
       "sbox0/PKTS_SENT_SNP", "sbox0/PKTS_SENT_NDR", "cbox0/TRANS_IRQ", "rbox/NULL_IDLE,port=0",
       "rbox/FLITS_SENT,port=0"]


def conf(events, interval, settings=""):
    """A configuration file with one group; settings: more of the group's."""
    return h.write("bench.conf",
                   'interval = "%s"; groups = ( { name = "g"; events = [ %s ]; %s } );\n' %
                   (interval, ", ".join('"%s"' % e for e in events), settings))


class Row:
    """One line of the price list: a measured figure for each round beside its goal. The median
    counts."""

    def __init__(self, what, goal, values, detail="", unit="", why=""):
        """goal: "<= 1.3", ">= 0.9", or "" where none is set; why: what a profile said of a miss."""
        self.what, self.goal, self.values, self.detail, self.unit, self.why = what, goal, \
            list(values), detail, unit, why

    def median(self):
        return statistics.median(self.values)

    def state(self):
        """met, missed, absent, or "" without a goal."""
        if not self.values:
            return "absent"
        if not self.goal:
            return ""
        op, limit = self.goal.split()[:2]
        m = round(self.median(), 3)
        return "met" if (m <= float(limit) if op == "<=" else m >= float(limit)) else "missed"

    def measured(self):
        if not self.values:
            return "absent"
        v = sorted(self.values)
        return "%s%s [%s..%s]" % (number(self.median()), self.unit, number(v[0]), number(v[-1]))

    def show(self):
        print("%-6s %-74s %-22s goal %-9s %s" % (self.state(), self.what, self.measured(),
                                                 self.goal or "-", self.detail), flush=True)
        if self.state() == "missed" and self.why:
            print("       why: " + self.why)


def number(x):
    """Three digits that mean something."""
    return "%.0f" % x if abs(x) >= 100 else "%.1f" % x if abs(x) >= 10 else \
        "%.2f" % x if abs(x) >= 0.1 else "%.4f" % x


def percentile(v, p):
    return sorted(v)[int(p * (len(v) - 1))]


def threads(pid):
    """{name: ns on a CPU} of the threads of a process."""
    out = {}
    for task in os.listdir("/proc/%d/task" % pid):
        at = "/proc/%d/task/%s/" % (pid, task)
        name = h.read(at + "comm").strip()
        out[name] = int(h.read(at + "schedstat").split()[0])
    return out


def cpu(*pids):
    """ns on a CPU of these processes, threads that have ended included: the clock that
    clock_getcpuclockid() names."""
    return sum(time.clock_gettime_ns(~pid << 3 | 2) for pid in pids)


def samplers(pid):
    """ns on a CPU of all sampler threads."""
    return sum(ns for name, ns in threads(pid).items() if name.startswith("sampler-"))


def sampler_policy(pid, socket=0):
    """Priority of SCHED_FIFO that the sampler of a socket runs with; 0: it has the ordinary
    policy."""
    for task in os.listdir("/proc/%d/task" % pid):
        if h.read("/proc/%d/task/%s/comm" % (pid, task)).strip() == "sampler-%d" % socket:
            if os.sched_getscheduler(int(task)) & ~os.SCHED_RESET_ON_FORK == os.SCHED_FIFO:
                return os.sched_getparam(int(task)).sched_priority
    return 0


def floor(name, *args, timeout=60, env=None):
    """Numbers that a floor prints."""
    code, out, err = h.run(os.path.join(HERE, name), *map(str, args), timeout=timeout, env=env)
    if code:
        raise AssertionError("%s %s: %s" % (name, " ".join(map(str, args)), err.strip()))
    return [float(x) for x in out.split()]


def instructions(command, function=None):
    """User-space instructions inside a function of a command, with what it calls, or in all of it,
    as callgrind counts them; 0: valgrind or the command is not here."""
    if not shutil.which("valgrind") or not os.path.exists(command[0]):
        return 0
    out = h.write("callgrind.out", "")
    part = ["--toggle-collect=" + function] if function else []
    code, _, err = h.run("valgrind", "--tool=callgrind", *part, "--callgrind-out-file=" + out,
                         *command, timeout=600)
    if code:
        raise AssertionError("callgrind of %s: exit code %d: %s" % (" ".join(command), code, err))
    return int(re.search(r"^(?:summary|totals): (\d+)", h.read(out), re.M).group(1))
