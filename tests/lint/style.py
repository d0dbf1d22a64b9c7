#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""style.py - what a reader stumbles over: lines wider than 100 columns, blanks at the end of one,
doubled words, a comment that stands above another function than the one it names, a choice (?:) in
a choice, two files of one name in src/. And of all files that git knows: one that has no SPDX line
and no license by REUSE.toml, and one of src/ or tests/ that no makefile names, itself or with its
folder, and that a release would lack.

It lists PATH:LINE: what. Of tables that have one row on a line, those of Markdown may be wider, and
those of the tests; so may a URL. The catalog has 120 columns for the facts of a row, and 180 for a
sentence, which stands on a line of its own. In the README nothing may be wider.
"""
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

WIDTH = 100
# A row of the catalog: its facts, and each sentence on a line of its own.
FACTS_WIDTH = 120
SENTENCE_WIDTH = 180
README = "README.md"
TABLES = "src/catalog/tables/"
# What make wrote, which stands beside its sources after a build in the tree.
BUILT = os.environ.get("made_sources", "").split()
FOLDERS = ("src", "tests", "contrib", "docs", "man", "systemd", "conf", ".ci")
ENDINGS = (".c", ".h", ".sh", ".py", ".md", ".mk", ".am", "bootstrap", "run", ".conf",
           ".service.in", ".socket", ".rules", ".yml", ".yaml", ".proto")
# What no person reads line by line: what tests are given, and the rules, whose expressions are as
# promtool takes them.
DATA = re.compile(r"tests/(?!lint/).*\.conf$|contrib/.*/rules\w*\.ya?ml$")
REUSE = "REUSE.toml"
# What may stand twice: local.mk is the makefile of a folder.
SHARED = ("local.mk",)
LITERAL = r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
COMMENT = re.compile(LITERAL + r"|(/\*.*?\*/)", re.S)
CODE = re.compile(LITERAL + r"|/\*.*?\*/", re.S)       # what of a source is none of it
# Those that no English sentence has twice, as it may have "had had".
WORDS = ("a an and as at be by for from his if into is it its not of on one or our so that the "
         "they to with we").split()
FUNCTION = re.compile(r"\n(?:[A-Za-z_][\w ]*[ *])?(\w+)\(")
NAMED = re.compile(r"/\*\s*(?:\* )?(\w+)(?:\(\))? - ")


def is_row(line):
    """Is this one row of a table in C: { ... }, [X] = { ... }, or ROW(...), whole on its line?"""
    line = re.sub(r'/\*.*?\*/', "", re.sub(LITERAL, "x", line)).strip(" \t\\")
    begin = re.match(r"(?:\[[^\]]*\] = )?\{|[A-Z][A-Z0-9_]*\(", line)
    if not begin:
        return False
    depth = 0
    for i, c in enumerate(line):
        depth += (c in "([{") - (c in ")]}")
        if not depth and i >= begin.end():
            return re.fullmatch(r"\)*,?", line[i + 1:].strip())
    return False


def is_sentence(line):
    """Is this the text of a row of the catalog, alone on its line: "...", or .help = "..."?"""
    return re.match(r'\t+ +(?:\.[a-z_]+ = )?"', line)


def too_wide(path, lines):
    for n, line in enumerate(lines, 1):
        if len(line.expandtabs(8)) <= WIDTH:
            continue
        if path != README and re.search(r"\S+://\S{60}", line):
            continue
        if path.endswith(".md") and path != README and line.startswith("|"):
            continue
        if path.endswith(".yml") and line.startswith("#   "):   # a command, to be typed whole
            continue
        if path.startswith("tests/") and path.endswith((".c", ".h")) and is_row(line):
            continue
        if path.startswith(TABLES) and path.endswith((".c", ".h")):
            widest = SENTENCE_WIDTH if is_sentence(line) else FACTS_WIDTH
            if len(line.expandtabs(8)) <= widest:
                continue
        yield n, "%d columns" % len(line.expandtabs(8))


def blanks(lines):
    yield from ((n, "blanks at the end") for n, line in enumerate(lines, 1) if line[-1:].isspace())


def prose(path, text):
    """[(number of its first line, text)] of what is written for people."""
    if path.endswith((".c", ".h")):
        for m in COMMENT.finditer(text):
            if m.group(1):
                words = re.sub(r"(?m)^\s*\*(?!/)", " ", m.group(1))
                yield text.count("\n", 0, m.start()) + 1, words
    elif path.endswith(".md"):
        yield 1, re.sub(r"(?m)^(    |\|).*$", "", text)
    else:
        for m in re.finditer(r'(?m)^(?:[ \t]*#.*\n)+|^\s*"""(?:[^"]|"(?!""))*"""', text):
            yield text.count("\n", 0, m.start()) + 1, re.sub(r"(?m)^[ \t]*#", " ", m.group())


def doubled(path, text):
    for at, part in prose(path, text):
        for m in re.finditer(r"(?<![\w%:/.'-])(\w+)(\s+)\1(?![\w%:/.('-])", part, re.I):
            if m.group(1).lower() in WORDS and m.group(1) != "A":
                yield at + part.count("\n", 0, m.start(2)), "doubled: %s %s" % (m[1], m[1])


def misplaced(path, text):
    if path.endswith((".c", ".h")):
        for m in COMMENT.finditer(text):
            named = m.group(1) and NAMED.match(m.group(1))
            below = named and FUNCTION.match(text, m.end())
            if below and below.group(1) != named.group(1):
                yield (text.count("\n", 0, m.start()) + 1,
                       "the comment of %s stands above %s" % (named.group(1), below.group(1)))


def nested(path, text):
    """Where a ? of C stands in a choice that has not ended. x ?: y chooses nothing."""
    if not path.endswith((".c", ".h")):
        return
    code = CODE.sub(lambda m: re.sub(r"[^\n]", " " if m[0][0] == "/" else "0", m[0]), text)
    inside = [False]            # of each bracket that is open: has it a choice?
    for m in re.finditer(r"[][(){};,]|\?(?!\s*:)", code):
        if m[0] in "([{":
            inside.append(False)
        elif m[0] in ")]}" and len(inside) > 1:
            inside.pop()
        elif m[0] == "?" and inside[-1]:
            yield text.count("\n", 0, m.start()) + 1, "a choice (?:) in a choice"
        if m[0] in "?;,}":
            inside[-1] = m[0] == "?"


def covered(root):
    """{pattern of REUSE.toml: what it matches}: ** is anything, * no slash."""
    with open(os.path.join(root, REUSE), "rb") as f:
        paths = [p for block in tomllib.load(f)["annotations"] for p in block["path"]]
    return {p: re.compile(re.escape(p).replace(r"\*\*", ".*").replace(r"\*", "[^/]*")).fullmatch
            for p in paths}


def known(root):
    """The files of a clone; None: there is no git, or this is none of our clones."""
    try:
        p = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others",
                            "--exclude-standard"], capture_output=True, text=True)
    except OSError:         # a folder of PATH that may not be read is EACCES
        return None
    return p.stdout.split("\0")[:-1] if p.returncode == 0 and p.stdout else None


def unlicensed(root, names):
    """{path: [(line, what)]}"""
    found, patterns, used = {}, covered(root), set()
    for path in names:
        by = [p for p, matches in patterns.items() if matches(path)]
        used.update(by)
        if not by and os.path.exists(os.path.join(root, path)):
            with open(os.path.join(root, path), "rb") as f:
                if b"SPDX-License-Identifier: " not in f.read(200):
                    found[path] = [(1, "no SPDX line")]
    idle = [(1, "no file is " + p) for p in patterns if p not in used]
    return found | ({REUSE: idle} if idle else {})


def unmade(root, names):
    """{path: [(line, what)]}"""
    def read(path):
        with open(os.path.join(root, path), encoding="utf-8") as f:
            return f.read()

    makefiles = [p for p in names if p.endswith(".mk") or p == "Makefile.am"]
    made = set(re.findall(r"[\w./-]+", " ".join(map(read, makefiles))))
    return {p: [(1, "no makefile names it")] for p in names
            if p.startswith(("src/", "tests/")) and p not in makefiles
            and not made & {p, p.removesuffix(".c"),
                            *map(str, list(pathlib.PurePath(p).parents)[:-2])}}


def files(root):
    for folder in FOLDERS:
        for at, _, names in os.walk(os.path.join(root, folder)):
            for name in names:
                yield os.path.relpath(os.path.join(at, name), root)
    yield from (f for f in os.listdir(root) if f.endswith((".md", ".am")) or f == "bootstrap")


def findings(root):
    """{path: [(line, what)]}"""
    found, named = collections.defaultdict(list), {}
    for path in sorted(files(root)):
        name = os.path.basename(path)
        if not name.endswith(ENDINGS) or path in BUILT or DATA.match(path):
            continue
        if path.startswith("src/") and name not in SHARED:
            if name in named:
                found[path].append((1, "%s has this name, too" % named[name]))
            named.setdefault(name, path)
        with open(os.path.join(root, path), encoding="utf-8") as f:
            text = f.read()
        lines = text.split("\n")
        found[path] += sorted([*too_wide(path, lines), *blanks(lines), *doubled(path, text),
                               *misplaced(path, text), *nested(path, text)])
    return found


def listed(found):
    return ["%s:%d: %s" % (path, line, what) for path in sorted(found)
            for line, what in found[path]]


PLANTED = {
    "src/a/wide.c": "/* wide.c - x. */\nint x;" + " " * 95 + "/* y */\n",
    "src/a/blanks.c": "/* blanks.c - x. */\nint x; \n\t\n\n",
    "src/a/twice.c": "/* twice.c - what the\n * the reader sees. */\n",
    "src/a/above.c": "/* above.c - x. */\n\n/*\n * good_name - x.\n */\nint bad_name(void);\n",
    "src/b/twice.c": "/* twice.c - x. */\n",
    "src/catalog/tables/lines.c": "\tE(\"%s\",\n\t  .x = \"%s\"),\n\tE(1,\n\t  \"%s\"),\n" %
                                  ("x" * 100, "x" * 140, "x" * 180),
    "src/catalog/tables/table.c": "\t{ \"NAME\", .help = \"%s\" },\n" % ("x" * 100),
    "src/a/rows.c": "\t{ \"NAME\", .help = \"%s\" },\n" % ("x" * 100),
    "tests/chosen.c": "x = a ? b : c ?\n\td : e;\nx = a ? \"b\" : c ? d : e;\n"
                      "x = a ? f(b ? c : d) : 1, y = a ? b : c ?: d;\n"
                      "x = a ? b : (c ? d : e);\nz = \"a ? b : c ? d\"; /* a ? b : c ? d */\n",
    "tests/two.c": "\t{ \"%s\" }, { \"%s\" },\n" % ("x" * 50, "y" * 50),
    "tests/code.c": "\treturn call(\"%s\");\n" % ("x" * 100),
    "tests/wide.sh": "#!/bin/sh\n# words of of it\n" + "x" * 101 + "\n",
    "systemd/a.conf": "# words\n# " + "x" * 99 + "\n",
    "tests/golden/conf/a.conf": "# " + "x" * 99 + "\n",
    "tests/wide.mk": "x = \\\n\t" + "x" * 93 + "\n",
    "tests/wide.py": "x = '" + "x" * 96 + "'\n",
    "docs/table.md": "| " + "x" * 120 + " |\n" + "y " * 50 + "y\n",
    "README.md": "| " + "x" * 96 + " |\n| " + "x" * 97 + " |\n",
    "tests/good.py": "x = 'the the'\n# https://example.org/" + "x" * 100 + "\n",
}
EXPECTED = ["README.md:2", "docs/table.md:2", "src/a/above.c:4", "src/a/blanks.c:3",
            "src/a/blanks.c:4", "src/a/rows.c:2", "src/a/twice.c:2", "src/a/wide.c:3",
            "src/b/twice.c:1", "src/catalog/tables/lines.c:5",
            "src/catalog/tables/table.c:2", "systemd/a.conf:3", "tests/chosen.c:2",
            "tests/chosen.c:4",
            "tests/code.c:2", "tests/two.c:2",
            "tests/wide.mk:3", "tests/wide.py:2", "tests/wide.sh:3", "tests/wide.sh:4"]
LICENSED = {
    "debian/rules": "#!/usr/bin/make -f\n# SPDX-License-Identifier: MIT\n",
    "debian/control": "Source: bare\n",
    "docs/a.md": "# Bare\n",
    "docs/page.png": "\0",
    "tests/corpus/a/b": "bare\n",
    "tests/text/a/b.txt": "bare: one folder too deep\n",
    REUSE: "# SPDX-License-Identifier: MIT\n[[annotations]]\n"
           'path = ["docs/*.png", "tests/corpus/**", "tests/text/*.txt"]\n',
}
MAKEFILES = {
    "Makefile.am": "-I. -Isrc\nx_SOURCES = src/a/a.c src/a/a.h\nEXTRA_DIST = tests/corpus\n",
    "tests/local.mk": "test_programs += tests/unit/test_a\n",
    "src/a/a.c": "", "src/a/a.h": "", "src/a/rows.h": "", "tests/unit/test_a.c": "",
    "tests/unit/test_b.c": "", "tests/corpus/a/b": "",
}
UNMADE = ["src/a/rows.h:1: no makefile names it", "tests/unit/test_b.c:1: no makefile names it"]
UNLICENSED = ["REUSE.toml:1: no file is tests/text/*.txt", "debian/control:1: no SPDX line",
              "docs/a.md:1: no SPDX line", "tests/text/a/b.txt:1: no SPDX line"]


def plant(root, texts, head=""):
    for path, text in texts.items():
        os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
        with open(os.path.join(root, path), "w", encoding="utf-8") as f:
            f.write(text if path.endswith(".md") else head + text)


def test_that_it_finds():
    """Each kind, planted; and no more."""
    with tempfile.TemporaryDirectory() as root:
        plant(root, PLANTED, "# a line of its own\n")
        got = [re.match(r"[^:]+:\d+", c).group() for c in listed(findings(root))]
        assert got == EXPECTED, got
    with tempfile.TemporaryDirectory() as root:
        plant(root, LICENSED)
        got = listed(unlicensed(root, list(LICENSED)))
        assert got == UNLICENSED, got
    with tempfile.TemporaryDirectory() as root:
        plant(root, MAKEFILES)
        got = listed(unmade(root, list(MAKEFILES)))
        assert got == UNMADE, got


def main():
    root = os.environ.get("top_srcdir") or os.path.join(os.path.dirname(__file__), "../..")
    test_that_it_finds()
    found, names = findings(root), known(root)
    complaints = listed(found)
    if names:
        complaints += listed(unlicensed(root, names)) + listed(unmade(root, names))
    print("\n".join([*complaints, "%d files, %d findings; %s" % (
        len(found), len(complaints),
        "licenses of %d files" % len(names) if names else "licenses: of a clone of git only")]))
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
