#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""named.py - a comment in C names only files and functions that exist: `name.c`, `function()`."""
import glob
import os
import pathlib
import re
import sys

os.chdir(os.environ.get("top_srcdir") or os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                                      "../.."))
# Of Linux, PCM and systemd, which comments quote; made by a build.
FOREIGN = {"arm-cmn.c", "uncore_nhmex.c", "uncore_snb.c", "uncore_snbep.c", "uncore.c",
           "i915_pmu.c", "parse-events.c", "perf_event.h", "intel-family.h", "amd.c", "cputype.h",
           "bsp_init_amd", "types.h", "revision.h",
           "layout_hash.h", "config.h", "sd_notify"}
LITERAL = r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
COMMENT = re.compile(LITERAL + r"|(/\*.*?\*/)", re.S)
FILE = re.compile(r"(?<![\w.*-])(?:[\w-]+/)*([\w-]+\.(?:c|h|py|sh))(?![\w(])")
FUNCTION = re.compile(r"\b([a-z_]\w*)\(\)")

source = {f: pathlib.Path(f).read_text(encoding="utf-8")
          for room in ("src", "tests") for f in glob.glob(room + "/**/*.[ch]", recursive=True)}
files = {os.path.basename(f) for f in glob.glob("**/*", recursive=True)}
words = {w for t in source.values()
         for w in re.findall(r"\w+", COMMENT.sub(lambda m: "" if m[1] else m[0], t))}
gone = []
for f, text in sorted(source.items()):
    for comment in COMMENT.finditer(text):
        for names, known in (FILE, files), (FUNCTION, words):
            gone += ["%s:%d: %s does not exist" % (f, text.count("\n", 0, comment.start(1)) + 1 +
                                                   comment[1].count("\n", 0, m.start()), m[1])
                     for m in names.finditer(comment[1] or "") if m[1] not in known | FOREIGN]
print("\n".join(gone))
sys.exit(bool(gone))
