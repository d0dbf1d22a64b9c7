#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""render.py - the column "verified" of README's table, and the table of this directory, from the
certificates beside this script.

    docs/verified/render.py            exit 1 if they say something else
    docs/verified/render.py --write    changes them

A certificate is what contrib/certify.sh leaves. It counts only if it was measured: on no model, in
no virtual machine, behind a kernel without modules of others, and with an error for each metric.
"""
import datetime
import glob
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
README = os.path.join(HERE, "../../README.md")
NOBODY = "nobody yet"
BEGIN, END = "<!-- made by render.py -->", "<!-- end -->"
HEAD = "| file | processor | day | Linux | microcode | found |\n" + "|---" * 6 + "|\n"
MOST = 200000               # bytes
UNSURE = "background", "noisy"          # causes: others moved memory meanwhile
TAINT_OUT_OF_TREE = 1 << 12
# How a row of the table begins, and the machines that it is about: processors, by their label
# `processor`, or those that have a PMU; in the last row all others.
ROWS = (("Xeon Scalable, Xeon 6", "skx clx cpx icx icx-d spr emr gnr gnr-d srf cwf"),
        ("Xeon E5; E7 v2 to v4", "snbep ivytown hsx bdx bdxde"),
        ("Xeon 7500, first E7", "nehalem-ex westmere-ex"),
        ("Nehalem, Westmere", "nehalem westmere"),
        ("EPYC 8004, 9004, 9005, Zen 6, Ryzen 7000", "zen4 zen5 zen6"),
        ("EPYC 7001 to 7003, Ryzen to 5000", "zen1 zen2 zen3"),
        ("Intel Core, Xeon E", "snb tgl mtl lnl"),
        ("NVIDIA Grace, Vera", "grace vera"),
        ("Kunpeng 920, hip09", "tsv110 hip09"),
        ("AmpereOne", "ampereone"),
        ("Yitian 710", re.compile("^PMU ali_drw", re.M)),
        ("Arm servers with CMN or DMC-620", re.compile("^PMU arm_(cmn|dmc620)", re.M)),
        ("any other", re.compile("")))


def why_not(j, size):
    """Why this is no measurement; None: it is one."""
    if j.get("format") != "uncored-certificate-1" or "verify" not in j or "doctor" not in j:
        return "it is no certificate"
    verify, doctor = j["verify"], j["doctor"]
    if size >= MOST:
        return "it is too large"
    if verify["simulated"] is not False:
        return "it is simulated"
    if doctor["processor"]["hypervisor"]:
        return "it is of a virtual machine"
    tainted = doctor["kernel"]["tainted"]
    if tainted is None or tainted & TAINT_OUT_OF_TREE:
        return "its kernel has modules that are none of Linux's"
    if not errors(verify):
        return "nothing of it was compared with the load, or others disturbed it"
    return None


def errors(verify):
    """{metric: (the largest error of its sockets, with the interval; is it right on all?)}"""
    found = {}
    for c in verify["compared"]:
        if "error" not in c or c["causes"][0] in UNSURE:
            continue
        far = max(abs(c["error_low"]), abs(c["error_high"]), abs(c["error"]))
        before, right = found.get(c["metric"], (0, True))
        found[c["metric"]] = max(before, far), right and c["causes"] == ["right"]
    return found


def others_wrong(verify):
    """What was compared with no traffic, such as a latency, and is wrong on a socket."""
    return sorted({c["metric"] for c in verify["compared"]
                   if "error" not in c and c["causes"][0] not in ("right", *UNSURE)})


def row_of(j):
    """The number of the row of the table."""
    name, machine = j["doctor"]["processor"]["name"], j["verify"].get("machine", "")
    return next(number for number, (_, of) in enumerate(ROWS) if (
        name in of.split() if isinstance(of, str) else of.search(machine)))


def said_of(j):
    """What it says of a machine, and no more."""
    said = []
    for metric, (far, right) in sorted(errors(j["verify"]).items()):
        word = metric.removesuffix("_bytes_total").replace("_", " ")
        said.append("%s %s %.1f %%" % (word, "within" if right else "WRONG by", 100 * far))
    said += [metric.removesuffix("_seconds").replace("_", " ") + " WRONG"
             for metric in others_wrong(j["verify"])]
    if not all(c["agrees"] for c in j["verify"].get("perf", {}).get("compared", ())):
        said.append("perf disagrees")
    return ", ".join(said)


def line_of(path, j):
    """Its row of the table of this directory."""
    verify, name = j["verify"], os.path.basename(path)
    day = datetime.datetime.fromtimestamp(verify["timestamp_seconds"], datetime.timezone.utc)
    return "| [%s](%s) | %s | %s | %s | %s | %s |" % (
        name, name, re.sub(r"[|\[\]]", " ", verify["processor"]), day.strftime("%F"),
        verify["kernel"], verify["microcode"], said_of(j))


def cell_of(all_of_row):
    """How many machines, and the largest error of all."""
    if not all_of_row:
        return NOBODY
    found = [e for j in all_of_row for e in errors(j["verify"]).values()]
    agree = all(c["agrees"] for j in all_of_row
                for c in j["verify"].get("perf", {}).get("compared", ()))
    others = any(others_wrong(j["verify"]) for j in all_of_row)
    if not agree or others or not all(right for _, right in found):
        return "%d: WRONG" % len(all_of_row)
    return "%d: %.1f %%" % (len(all_of_row), 100 * max(far for far, _ in found))


def read(paths):
    """[(path, certificate)]; ends the program at one that is no measurement."""
    found = []
    for path in sorted(paths):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        j = json.loads(text)
        why = why_not(j, len(text.encode()))
        if why:
            sys.exit("%s: %s: it does not belong here" % (path, why))
        found.append((path, j))
    return found


def rendered(readme, certificates):
    """README with the column of these certificates."""
    lines = readme.split("\n")
    for number, (row, _) in enumerate(ROWS):
        at = [i for i, line in enumerate(lines) if line.startswith("| " + row) and
              line.count("|") == 5]
        if len(at) != 1:
            sys.exit("README.md has %d rows of %s" % (len(at), row))
        cell = cell_of([j for _, j in certificates if row_of(j) == number])
        lines[at[0]] = "%s| %s |" % (lines[at[0]].rsplit("|", 2)[0], cell)
    return "\n".join(lines)


def listed(page, certificates):
    """This directory's README with its table."""
    head, rest = page.split(BEGIN)
    table = "".join(line_of(path, j) + "\n" for path, j in certificates)
    return head + BEGIN + "\n" + (HEAD + table if table else "There is none yet.\n") + END + \
        rest.split(END)[1]


def main():
    certificates = read(glob.glob(os.path.join(HERE, "*.json")))
    good = True
    for path, make in (README, rendered), (os.path.join(HERE, "README.md"), listed):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        want = make(text, certificates)
        if want == text:
            continue
        if sys.argv[1:] == ["--write"]:
            with open(path, "w", encoding="utf-8") as f:
                f.write(want)
        else:
            good = False
            print("%s says something else than the certificates: docs/verified/render.py --write"
                  % os.path.relpath(path))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
