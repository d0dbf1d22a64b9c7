#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""search.py - what libFuzzer finds that the stored inputs do not reach, and how much these reach.

fuzz: builds the targets with clang's libFuzzer and sanitizers below fuzz/ of the build tree, runs
each for FUZZ_SECONDS (600), two at a time, and adds to the corpora what covers more. FUZZ_TARGETS
names some of them; FUZZ_KEEP=1 leaves the corpora as they are. It fails if one crashed or took a
minute for one input, which lies in fuzz/. The last line counts.

fuzz-coverage: builds them with clang's coverage, replays the corpora, and prints how many lines of
each parser they run. It fails below 95 %. FUZZ_VERBOSE=1 lists those that they do not run.
"""
import concurrent.futures
import glob
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.path.abspath(os.environ.get("top_srcdir") or os.path.join(os.path.dirname(__file__),
                                                                      "../.."))
CORPUS = os.path.join(SOURCE, "tests/fuzz/corpus")
SECONDS = int(os.environ.get("FUZZ_SECONDS", "600"))
INPUTS, BYTES = 60, 300000                      # the most that a corpus has
SANITIZERS = "address,undefined"
GOAL = 95                                       # percent of the lines of each parser
# Of each target: the files of its parser, and which functions in them; what is left out writes,
# or does something else with what was read. Of plan, which is no parser, none is counted.
PARSERS = {
    "accept": ("src/expo/negotiate.c", r"(?!expo_format_of|expo_content_type)"),
    "conf": ("src/conf/(conf|parse|read|scan|sampling|serving|values|metric|tree_make).c",
             "(?!run_apart|make_apart|receive|read_all|write_all|why_it_ended|has_room|"
             "conf_(parse_apart|default|library)|no_memory)"),
    "machine": ("src/topo/machine_text.c", ""),
    "cpuinfo": ("src/topo/cpuinfo.c", r"(?!cpuinfo_text|cpuinfo_has_flag)"),
    "cpulist": ("src/base/num.c", "num_next_range"),
    "curve": ("src/machine/curve.c", "take_(?!knees)|time_of|curve_parse"),
    "desc": ("src/expo/description.c", ""),
    "host": ("src/(http/host_field|daemon/host_names|base/name).c",
             r"(?!name_(distance|find|is_typo|span))"),
    "pci": ("src/topo/pci.c", ""),
    "pmu": ("src/topo/pmu.c", "(?!out_of_memory|topo_pmu_count)"),
    "request": ("src/(http/(request|grammar)|serve/routes|expo/filter).c",
                "(?!no_memory|serve_publish)"),
    "response": ("src/http/response.c", ""),
    "snapshot": ("src/(ctl/snapshot_read|base/printable).c", ""),
    "spec": ("src/spec/spec_parse.c", ""),
    "state": ("src/access/state.c", "fnv1a|get|state_(parse|free)"),
    "terms": ("src/spec/perf_terms.c", ""),
    "tree": ("src/conf/tree.c", ""),
    "verified": ("src/expo/verified.c", "(?!verified_(text|compare))"),
    "tls": ("src/http/tls.c", "(?!tls_priority|tls_begin|on_finished)"),
}
# Other files that are inputs, too.
MORE = {t: [SOURCE + "/tests/golden/conf", SOURCE + "/conf/uncored.conf"] for t in ("conf", "plan")}
MORE["machine"] = [SOURCE + "/src/topo/machines"]


def targets():
    found = sorted(os.path.basename(f)[5:-2] for f in glob.glob(SOURCE + "/tests/fuzz/fuzz_*.c"))
    wanted = os.environ.get("FUZZ_TARGETS", "").split() or found
    assert set(wanted) <= set(found) and set(found) == {*PARSERS, "plan"}, (wanted, found)
    return wanted


def tool(name):
    """clang's tools may have its version at the end."""
    version = re.search(r"version (\d+)", subprocess.run(["clang", "--version"], check=True,
                                                         capture_output=True, text=True).stdout)[1]
    return shutil.which("%s-%s" % (name, version)) or name


def build(where, cflags, *variables):
    if not os.path.exists(where + "/Makefile"):
        os.makedirs(where, exist_ok=True)
        subprocess.run([SOURCE + "/configure", "-q", "CC=clang", "CFLAGS=-g -O1 " + cflags],
                       cwd=where, check=True)
    subprocess.run(["make", "-s", "fuzz-sources"], cwd=where, check=True)
    subprocess.run(["make", "-s", "-j2", *variables, *["tests/fuzz/fuzz_" + t for t in targets()]],
                   cwd=where, check=True)


def covered(program, options, environment, *folders):
    """{file: numbers of what it covers} of all files in the folders"""
    files, covers = [], {}
    with tempfile.TemporaryDirectory() as empty:
        control = empty + ".control"
        subprocess.run([program, "-merge=1", "-set_cover_merge=1", "-max_len=16384", *options,
                        "-merge_control_file=" + control, empty, *folders], env=environment,
                       capture_output=True, check=True)
    with open(control, encoding="utf-8") as f:
        files = [next(f).rstrip("\n") for _ in range(sum(int(next(f)) for _ in range(2)))]
        for line in f:
            what, *numbers = line.split()
            if what == "FT":
                covers[files[int(numbers[0])]] = {int(n) for n in numbers[1:]}
    os.remove(control)
    return covers


def renew(corpus, covers):
    """Keeps what has a name of its own, and of the others those that add most, first to the edges
    of the program (eight numbers each, for how often it went there), then to the numbers."""
    digest = {f: hashlib.sha1(pathlib.Path(f).read_bytes()).hexdigest() for f in covers}
    named = {f for f in glob.glob(corpus + "/*") if not re.fullmatch("[0-9a-f]{40}",
                                                                      os.path.basename(f))}
    others, kept, done, edges = set(covers) - named, [], set(), set()
    total = sum(map(os.path.getsize, named))
    for f in named & set(covers):
        done |= covers[f]
    edges = {n // 8 for n in done}
    while others and len(named) + len(kept) < INPUTS:
        best = max(others, key=lambda f: (len({n // 8 for n in covers[f] - done} - edges),
                                          len(covers[f] - done), -os.path.getsize(f), digest[f]))
        others.remove(best)
        if not covers[best] - done:
            break
        if total + os.path.getsize(best) <= BYTES:
            kept.append(digest[best])
            total += os.path.getsize(best)
            done |= covers[best]
            edges |= {n // 8 for n in covers[best]}
            if not os.path.exists(os.path.join(corpus, digest[best])):
                shutil.copyfile(best, os.path.join(corpus, digest[best]))
    for f in set(glob.glob(corpus + "/*")) - named:
        if os.path.basename(f) not in kept:
            os.remove(f)


def dictionary(where):
    """A file with the words of conf.dict and with every key, which all have an entry in the manual
    page: .It Ic owner , group."""
    page = pathlib.Path(SOURCE, "man/uncored.conf.5").read_text()
    entries = " ".join(re.findall(r"(?m)^\.It Ic ([a-z_ ,]+?)(?: Pq .*)?$", page))
    keys = ['"%s = "' % k for k in dict.fromkeys(entries.replace(",", " ").split())]
    words = pathlib.Path(SOURCE, "tests/fuzz/conf.dict").read_text()
    pathlib.Path(where + ".dict").write_text(words + "\n".join(keys) + "\n")
    return where + ".dict"


def search_one(where, target):
    """(a line about it, did it crash?)"""
    corpus, found = os.path.join(CORPUS, target), where + "/found-" + target
    program = where + "/tests/fuzz/fuzz_" + target
    shutil.rmtree(found, ignore_errors=True)
    os.makedirs(found)
    options = ["-timeout=60", "-rss_limit_mb=2048", "-artifact_prefix=%s/crash-%s-" % (where,
                                                                                       target)]
    if target in ("conf", "plan"):
        options.append("-dict=" + dictionary(found))
    before = len(os.listdir(corpus))
    environment = dict(os.environ, top_srcdir=SOURCE)
    p = subprocess.run([program, "-max_total_time=%d" % SECONDS, "-print_final_stats=1", *options,
                        found, corpus, *[d for d in MORE.get(target, []) if os.path.isdir(d)]],
                       env=environment, capture_output=True, text=True,
                       errors="replace")
    runs = re.search(r"number_of_executed_units: *(\d+)", p.stderr)
    if p.returncode:
        return "%-9s crashed: %s" % (target, p.stderr[-2000:]), True
    if os.environ.get("FUZZ_KEEP"):
        return "%-9s %9s executions" % (target, runs[1] if runs else "?"), False
    renew(corpus, covered(program, options, environment, corpus, found))
    return "%-9s %9s executions, %d inputs, %d of them new" % (
        target, runs[1] if runs else "?", len(os.listdir(corpus)),
        len(os.listdir(corpus)) - before), False


def search():
    where = os.path.abspath("fuzz")
    build(where, "-fsanitize=fuzzer-no-link,%s -fno-sanitize-recover=undefined" % SANITIZERS,
          "CPPFLAGS=-DFUZZ_SEARCH", "LDFLAGS=-fsanitize=fuzzer," + SANITIZERS)
    crashed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for line, bad in pool.map(lambda t: search_one(where, t), targets()):
            print(line, flush=True)
            crashed += bad
    print("%d passed, %d failed, 0 skipped" % (len(targets()) - crashed, crashed))
    return crashed


def llvm_cov(what, where, target):
    return subprocess.run([tool("llvm-cov"), what, where + "/tests/fuzz/fuzz_" + target,
                           "-instr-profile=%s/%s.data" % (where, target)], check=True,
                          capture_output=True, text=True).stdout


def path_of(name):
    return os.path.relpath(os.path.normpath(name), SOURCE)


def count_lines(where, target):
    """(lines of the parser, those that were not run)"""
    files, functions = PARSERS[target]
    wanted = set()
    for f in json.loads(llvm_cov("export", where, target))["data"][0]["functions"]:
        path, name = path_of(f["filenames"][0]), f["name"].split(":")[-1]
        if re.fullmatch(files, path) and re.match(functions, name):
            wanted.update((path, n) for n in range(f["regions"][0][0], f["regions"][0][2] + 1))
    path, missed = None, set()
    for row in llvm_cov("show", where, target).split("\n"):
        head, line = re.fullmatch("(/.*):", row), re.match(r" *(\d+)\| *([\d.]*)[kMG]?\|", row)
        if head:
            path = path_of(head[1])
        elif line and not line[2]:
            wanted.discard((path, int(line[1])))        # no code
        elif line and line[2] == "0" and (path, int(line[1])) in wanted:
            missed.add((path, int(line[1])))
    if os.environ.get("FUZZ_VERBOSE"):
        print("\n".join("%s:%d" % m for m in sorted(missed)))
    return len(wanted), len(missed)


def coverage():
    where = os.path.abspath("fuzz-coverage")
    build(where, "-fprofile-instr-generate -fcoverage-mapping")
    low = 0
    for t in [t for t in targets() if t in PARSERS]:
        raw = "%s/%s.raw" % (where, t)
        subprocess.run([where + "/tests/fuzz/fuzz_" + t, os.path.join(CORPUS, t),
                        *MORE.get(t, [])], check=True, stdout=subprocess.DEVNULL,
                       env=dict(os.environ, top_srcdir=SOURCE, LLVM_PROFILE_FILE=raw))
        subprocess.run([tool("llvm-profdata"), "merge", "-o", "%s/%s.data" % (where, t), raw],
                       check=True)
        lines, missed = count_lines(where, t)
        share = 100 * (lines - missed) / max(lines, 1)
        low += share < GOAL
        print("%-9s %5.1f %% of %4d lines of %s" % (t, share, lines, PARSERS[t][0]), flush=True)
    return low


if __name__ == "__main__":
    sys.exit(1 if (search if sys.argv[1:] == ["fuzz"] else coverage)() else 0)
