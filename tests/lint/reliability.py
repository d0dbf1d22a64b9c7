#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""reliability.py - RELIABILITY.md is what tests/reliability.tsv says, and each test that is named
there exists and runs.

--write: write it (make reliability).
"""
import collections
import os
import re
import sys

os.chdir(os.environ.get("top_srcdir") or os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                                      "../.."))
ROWS, DOCUMENT = "tests/reliability.tsv", "RELIABILITY.md"
STATES = {"kept": "tests show it", "part": "tests show a part of it; the last column says what is "
          "missing", "violated": "it does not hold", "open": "nothing shows it",
          "none": "it cannot happen; the last column says why"}
HEAD = """<!-- SPDX-License-Identifier: MIT -->
# What may fail, and what happens then

`make reliability` writes this page from `%s`; `tests/lint/reliability.py` checks
that it is up to date and that each test exists. The names of tests are relative to `tests/`.

libFuzzer also searches everything that reads bytes from outside (`make fuzz`). The stored inputs,
which `make check` replays, run this share of each parser's lines (`make fuzz-coverage`,
2026-11-25; request and snapshot 2026-11-26): Accept 100 %%, certificate and key 97 %%,
configuration 95 %%, cpuinfo 100 %%, lists of CPUs 100 %%, description 100 %%, Host 100 %%, PCI
functions 98 %%, PMUs of sysfs 96 %%, request 97 %%, the snapshot as `uncorectl` reads it 98 %%,
specification 96 %%, state file 100 %%, kernel terms 99 %%. Most of what they do not reach handles
a lack of memory, and for certificate and key a libmicrohttpd without TLS.

The last search (`make fuzz`, 2026-11-23, ten minutes a target on a busy machine with two cores)
ran this many inputs, in thousands: Accept 754, configuration 190, Host 567, PCI functions 131,
PMUs of sysfs 65, cpuinfo 53,452, request 2,341, specification 9,819, state file 6,071, kernel
terms 2,107. On 2026-11-25 it ran certificate and key, 3,446, lists of CPUs, 148,177, plans, 21,
and descriptions, 321; on 2026-11-26, a minute each beside other work, the snapshot, 92, and
request with its answers past libmicrohttpd, 319. None of these inputs crashed. Before them on
2026-11-25, searches found a private key that GnuTLS read behind its end, and three descriptions
and plans, such as uncored does not write, that were rendered without a look at all of their parts;
each is mended and in the corpus.

10,000 reloads beside a scraper leave memory, descriptors and threads of both processes as they were
(`tests/e2e/soak.py`, 2026-11-25, without sanitizers):

![Memory, descriptors and threads during 10,000 reloads](docs/soak.svg)

%s

%s
"""

wrong = []


def read(at):
    with open(at, encoding="utf-8") as f:
        return f.read()


def rows():
    """[(section, [columns])]"""
    out, section = [], ""
    for at, line in enumerate(read(ROWS).splitlines(), 1):
        if line.startswith("#"):
            continue
        columns = line.split("\t")
        if columns[0] == "=":
            section = columns[1]
            continue
        if not columns[-1] or len(columns) not in (6, 7):
            wrong.append("%s:%d: not 6 columns, or 7 with a remark" % (ROWS, at))
            continue
        columns += [""] * (7 - len(columns))
        out.append((section, columns))
        check("%s:%d" % (ROWS, at), *columns)
    names = [columns[0] for _, columns in out]
    wrong.extend("%s: case %s stands there twice" % (ROWS, n) for n in set(names)
                 if names.count(n) > 1)
    wrong.extend("%s: case %d is missing" % (ROWS, n) for n in range(1, 68)
                 if str(n) not in names)
    return out


def check(at, case, injected, expected, tests, shown, state, remark):
    if state not in STATES:
        wrong.append("%s: state %s" % (at, state))
    if (state == "kept") == bool(remark):
        wrong.append("%s: a remark belongs to each state but `kept`" % at)
    if state in ("kept", "part") and not tests:
        wrong.append("%s: `%s` without a test" % (at, state))
    for test in tests.split():
        file, _, function = test.partition(":")
        try:
            text = read("tests/" + file)
        except FileNotFoundError:
            wrong.append("%s: tests/%s does not exist" % (at, file))
            continue
        if not runs(text, file, function):
            wrong.append("%s: %s does not run %s()" % (at, file, function))


def runs(text, file, function):
    """A test of Python runs by its name; one of C is defined and stands in a table, too."""
    if file.endswith(".py"):
        return re.search(r"(?m)^def %s\(" % function, text) and function.startswith("test_")
    if not re.search(r"(?m)^(?:static void|int) %s\(" % function, text):
        return False
    return function == "LLVMFuzzerTestOneInput" or \
        len(re.findall(r"\b%s\b" % function, re.sub(r"/\*.*?\*/", "", text, flags=re.S))) > 1


def document(table):
    count = collections.Counter(columns[5] for _, columns in table)
    figures = "\n".join("- **%s**: %d case%s, %s" % (s, count[s], "s"[count[s] == 1:], what)
                        for s, what in STATES.items())
    out, last = [], None
    for section, (case, injected, expected, tests, shown, state, remark) in table:
        if section != last:
            out += ["", "## " + section, "",
                    "| | injected | expected | tests | shown by | state |",
                    "|---|---|---|---|---|---|"]
            last = section
        tests = "<br>".join("`%s`" % t for t in tests.split())
        state = "**%s**: %s" % (state, remark) if remark else state
        shown = "`%s`" % shown if shown.startswith(("uncored_", "process_")) else shown
        out.append("| " + " | ".join((case, injected, expected, tests, shown, state)) + " |")
    return HEAD % (ROWS, figures, "\n".join(out).strip())


text = document(rows())
if "--write" in sys.argv and not wrong:
    with open(DOCUMENT, "w", encoding="utf-8") as f:
        f.write(text)
elif not os.path.exists(DOCUMENT) or read(DOCUMENT) != text:
    wrong.append("%s is not what %s says: make reliability" % (DOCUMENT, ROWS))
print("\n".join(wrong))
sys.exit(bool(wrong))
