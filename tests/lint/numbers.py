#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""numbers.py - what a reviewer asks of a change: how much there is to know now.

    numbers.py [SOURCE [BUILD]]

SOURCE is a tree of uncored, also one of another revision, and BUILD where it was built; the figures
that need a build are "-" without. Each figure is counted from its one source. It prints, and never
refuses: HACKING.md has the table of the last release, and a commit that raises a number says for
which feature.
"""
import collections
import glob
import json
import os
import re
import subprocess
import sys

SOURCE = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("top_srcdir", ".")
BUILD = sys.argv[2] if len(sys.argv) > 2 else "" if len(sys.argv) > 1 else \
    os.environ.get("top_builddir", ".")
STRING = r'"(?:[^"\\\n]|\\.)*"'


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as f:
        return f.read()


def without_comments(text):
    """The lines stay where they are."""
    return re.sub(r"%s|'(?:[^'\\\n]|\\.)+'|/\*.*?\*/" % STRING,
                  lambda m: m[0] if m[0][0] in "\"'" else re.sub(r"[^\n]", "", m[0]), text,
                  flags=re.S)


def functions(text):
    """(name, lines of its body): a body begins and ends with a brace in the first column. A blank
    line is free, and so is a table: `static const ... = {` to its brace."""
    lines = without_comments(text).split("\n")
    head, body, table = "", None, None
    for line in lines:
        if body is None:
            if line == "{" and "(" in head:
                body = []
            elif re.match(r"[A-Za-z_]", line):
                head = line
        elif line == "}":
            yield re.search(r"(\w+)\(", head)[1], body
            body = None
        elif table is not None:
            if line.startswith(table + "}"):
                table = None
        elif re.match(r"\s*static const .*=\s*\{?$", line) or \
                re.match(r"\s*static const .*\{[^}]*$", line):
            table = re.match(r"\s*", line)[0]
        elif line.strip():
            body.append(line)


def by_room():
    """{room: [(path, text)]} of src/; a folder of a room is of the room."""
    found = collections.defaultdict(list)
    for path in sorted(glob.glob(os.path.join(SOURCE, "src/**/*.[ch]"), recursive=True)):
        path = os.path.relpath(path, SOURCE)
        found[path.split("/")[1]].append((path, read(path)))
    assert len(found) > 10, "%s is no source of uncored" % SOURCE
    return found


def exported():
    """{room: functions that its objects show to others}; an object whose source is gone is of an
    earlier build. None: there is no build."""
    if not BUILD or not os.path.exists(os.path.join(BUILD, "libuncored.a")):
        return None
    found = collections.Counter()
    objects = [path for path in glob.glob("src/**/*.o", recursive=True, root_dir=BUILD)
               if os.path.exists(os.path.join(SOURCE, path[:-2] + ".c"))]
    out = subprocess.run(["nm", "--defined-only", "-g", "-A", *objects], cwd=BUILD, check=True,
                         text=True, capture_output=True).stdout
    found.update(re.findall(r"^src/(\w+)/.* T (?!main$)", out, re.M))
    return found


def processes(texts):
    """The programs, and what a process calls itself."""
    names = set(re.findall(r'PR_SET_NAME, "([\w-]+)"', "".join(texts)))
    for path in ["Makefile.am"] + glob.glob("src/*/local.mk", root_dir=SOURCE):
        for line in re.findall(r"^(?:s?bin|libexec|pkglibexec)_PROGRAMS \+?= (.*)", read(path),
                               re.M):
            names.update(line.split())
    return sorted(names)


def loops(texts):
    """Who begins an event loop: calls of the function that makes one of libsystemd's, and the place
    that runs libmicrohttpd's."""
    code = [without_comments(t) for t in texts]
    found = []
    for t in code:
        for maker in [name for name, body in functions(t)
                      if any("sd_event_new(" in line for line in body)]:
            static = re.search(r"^static .*\b%s\(" % maker, t, re.M)
            found += [name for where in ([t] if static else code)
                      for name, body in functions(where) for line in body
                      if re.search(r"\b%s\(" % maker, line)]
    runs = [name for t in code for name, body in functions(t)
            if any("MHD_run(" in line for line in body)]
    return sorted(found) + runs


def commands():
    table = re.search(r"\bcommands\[\] = \{\n.*?^\};", read("src/ctl/uncorectl.c"), re.S | re.M)
    return re.findall(r'^\t\{ "(\w+)"', table[0], re.M)


def formats():
    """Content types, as the compiler sees the table."""
    if not BUILD:
        return None
    out = subprocess.run([*os.environ.get("CC", "cc").split(), "-E", "-P", "-DHAVE_CONFIG_H",
                          "-I", BUILD, "-I", os.path.join(SOURCE, "src"),
                          "-I", os.path.join(BUILD, "src"), "-include", "config.h",
                          os.path.join(SOURCE, "src/expo/negotiate.c")],
                         check=True, text=True, capture_output=True).stdout
    table = re.search(r"\bcontent_types\[\w*\] = \{(.*?)\};", out, re.S)[1]
    return len(re.findall(r"%s(?:\s*%s)*" % (STRING, STRING), table))


def keys():
    if not BUILD or not os.path.exists(os.path.join(BUILD, "uncorectl")):
        return None
    out = subprocess.run([os.path.join(BUILD, "uncorectl"), "list", "keys", "--json"], check=True,
                         text=True, capture_output=True).stdout
    return len(json.loads(out)["keys"])


def said(n):
    return "-" if n is None else "%d" % n


def main():
    rooms = by_room()
    texts = [text for files in rooms.values() for _, text in files]
    shown = exported()
    lines = {room: sum(len(body) for _, text in files for _, body in functions(text))
             for room, files in rooms.items()}
    print("| room | lines inside functions | exported functions |\n|---|---:|---:|")
    for room, n in lines.items():
        print("| %s/ | %d | %s |" % (room, n, said(shown and shown[room])))
    print("| all | %d | %s |" % (sum(lines.values()), said(shown and sum(shown.values()))))
    print("\n| of | number | |\n|---|---:|---|")
    for what, names in (("processes", processes(texts)), ("event loops, run by", loops(texts)),
                        ("commands", commands())):
        print("| %s | %d | %s |" % (what, len(names), ", ".join(names)))
    print("| configuration keys | %s | |\n| formats | %s | |" % (said(keys()), said(formats())))


main()
