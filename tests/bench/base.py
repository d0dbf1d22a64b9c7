# SPDX-License-Identifier: MIT
"""base.py - parts of the price list measured with another revision too, in turn: A B A B ...

    make bench BASE=REV BENCH="plan format"

The revision is built in a worktree below the build directory, which stays there for the next time
(git worktree remove --force build/bench-REV). Rows and floors are those of this tree; uncored,
uncored-http, uncorectl and what links their code are the revision's. A turn has one round of each
row; a figure is the median of the turns. The part `plan` counts instructions, which are the same
each time: it has one turn.
"""
import json
import os
import shlex
import statistics
import subprocess
import sys

from common import h, number

TURNS = 5
# Which a row runs and which have code of uncored in them.
MADE = ["all", "tests/bench/floor_format"]


def call(argv, at, log):
    code = subprocess.run(argv, cwd=at, stdin=subprocess.DEVNULL, stdout=log,
                          stderr=subprocess.STDOUT).returncode
    if code:
        raise SystemExit("bench: %s ended with %d: %s" % (" ".join(argv), code, log.name))


def configured():
    """The options of this build."""
    said = h.run(os.path.join(h.BUILD, "config.status"), "--config")[1]
    return shlex.split(said)


def build(rev):
    """The build directory of a revision."""
    code, sha, err = h.run("git", "-C", h.SRC, "rev-parse", "--verify", "--short=12",
                           rev + "^{commit}")
    if code:
        raise SystemExit("bench: BASE=%s: %s" % (rev, err.strip()))
    tree = os.path.abspath(os.path.join(h.BUILD, "bench-" + sha.strip()))
    made = os.path.join(tree, "build")
    print("building %s in %s" % (rev, made), flush=True)
    with open(tree + ".log", "w") as log:
        if not os.path.exists(tree):
            call(["git", "-C", os.path.abspath(h.SRC), "worktree", "prune"], "/", log)
            call(["git", "-C", os.path.abspath(h.SRC), "worktree", "add", "--detach", tree,
                  sha.strip()], "/", log)
        if not os.path.exists(os.path.join(made, "Makefile")):
            os.makedirs(made, exist_ok=True)
            call(["autoreconf", "-fi"], tree, log)
            call(["../configure", *configured()], made, log)
        call(["make", *MADE], made, log)
    return made


def turn(parts, made):
    """{what: (median, unit)} of one round, with the programs of this directory; None: those of this
    build. Without a figure a row is left out."""
    env = dict(os.environ, BENCH_ROUNDS="1", **({"BENCH_BUILD": made} if made else {}))
    out = subprocess.run([sys.executable, "-B", os.path.join(os.path.dirname(__file__), "bench.py"),
                          "--json", *parts], env=env, stdout=subprocess.PIPE).stdout
    rows = json.loads(out.splitlines()[-1])
    return {r["what"]: (r["median"], r["unit"]) for r in rows if r["median"] is not None}


def compare(rev, parts):
    made = build(rev)
    got = {}                                    # what: [(here, there)]
    units = {}
    for k in range(TURNS):
        if not parts:
            break
        print("turn %d of %d" % (k + 1, TURNS), flush=True)
        mine, theirs = turn(parts, None), turn(parts, made)
        for what, (value, unit) in mine.items():
            units[what] = unit
            if what in theirs:
                got.setdefault(what, []).append((value, theirs[what][0]))
        parts = [part for part in parts if part != "plan"]
    print("%-76s %10s %10s %6s" % ("medians of %d turns" % TURNS, "here", rev[:10], "ratio"))
    for what, pairs in got.items():
        here, there = (statistics.median(p[i] for p in pairs) for i in (0, 1))
        print("%-76s %10s %10s %6s" % (what, number(here) + units[what],
                                       number(there) + units[what],
                                       "%.2f" % (here / there) if there else "-"))
