# SPDX-License-Identifier: MIT
"""machines.py - a machine that is a text: installed, captured, or somebody else's."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile

import harness as h

MAKE_TREE = os.path.join(h.BUILD, "tests/plan/make_tree")
TREES = re.findall(r'"(\w+)"', re.search(r"#define SYSFS_TREES(?:.*\\\n)*.*", h.read(
    os.path.join(h.SRC, "tests/plan/sysfs_tree.h")))[0])


def setup_tmp():
    """A directory that nothing else writes to, for the private ones."""
    return tempfile.mkdtemp(dir=h.path(""))


def run(*args, run_dir=None):
    at = run_dir or setup_tmp()
    result = h.run(*args, "--path-run", at)
    assert os.listdir(at) == [], os.listdir(at)
    return result


def conf():
    """The ready-made groups, whatever this machine's /etc says."""
    return h.write("machines.conf", 'listen = [ "127.0.0.1:0" ];\n')


def tree(name):
    root = tempfile.mkdtemp(prefix=name + "-", dir=h.path(""))
    code, _, err = h.run(MAKE_TREE, name + ".txt", root)
    assert code == 0, err
    return root


def answers(*at):
    """What is said of a machine: its plan, its groups, the check of a configuration."""
    yield h.run(h.CTL, "plan", "--json", "-c", conf(), *at)
    yield h.run(h.CTL, "list", "groups", "--json", *at)
    yield h.run(h.UNCORED, "--check-config", "-c", conf(), *at)


def said(answer):
    """Without the directories of files, which a sentence may name."""
    return answer[0], re.sub(r"/[^ \"(]*(?=/bus/|/devices/)", "", answer[1])


def same(one, other, name):
    for a, b in zip(one, other):
        assert said(a) == said(b), (name, a, b)


def test_installed_machines():
    """Of each machine the same is said by its name as by its files."""
    listed = json.loads(run(h.CTL, "list", "machines", "--json")[1])["machines"]
    names = {m["name"] for m in listed}
    assert set(TREES) <= names, set(TREES) - names
    for name in TREES:
        root = tree(name)
        same(answers("--machine", name), answers("--path-sysfs", root, "--path-procfs", root),
             name)


def test_other_names():
    """Names that people use, names of tables that search prints, and what is nearly one."""
    for name, machine in ("genoa", "zen4"), ("Milan", "zen3"), ("turin", "zen5"), ("umc", "zen4"), \
            ("hbm", "sprhbm"), ("GNR", "gnr"):
        a = run(h.CTL, "list", "groups", "-p", name)
        assert a[0] == 0 and a[1] == run(h.CTL, "list", "groups", "--machine", machine)[1], a
    for option in "--machine", "-p":
        code, out, err = run(h.CTL, "list", "groups", option, "gnrr")
        assert code == 64 and out == "" and "the nearest is 'gnr'" in err, err
    code, _, err = run(h.CTL, "list", "groups", "--machine", "gnr", "-p", "spr")
    assert code == 64 and "exclude each other" in err, err
    code, _, err = run(h.UNCORED, "--check-config", "--machine", "gnr", "-p", "nehalem-ex")
    assert code == 64 and "exclude each other" in err, err
    code, _, err = run(h.UNCORED, "--machine", "gnr")
    assert code == 64 and "--check-config" in err, err
    code, _, err = run(h.CTL, "top", "--machine", "gnr")
    assert code == 64 and "--machine is an option of" in err, err


def test_tags_of_search():
    """What search prints behind a result is taken by -p."""
    out = json.loads(run(h.CTL, "list", "metrics", "-v", "--json", "-p", "nehalem-ex")[1])
    tags = {t["name"] for t in out["tables"]}
    assert len(tags) > 20, tags
    for tag in sorted(tags - {"ryzen", "raphael"}):
        code, _, err = run(h.CTL, "search", "bytes", "-p", tag)
        assert "there is no processor" not in err and code in (0, 78), (tag, err)


def test_mistakes():
    """A faulty text: where, what, and 78, whoever reads it."""
    bad = h.write("bad.txt", "cpuinfo GenuineIntel 6 143 8\ncpu 0-3 socket\n  events a=b\n")
    for args in (h.CTL, "plan"), (h.UNCORED, "--check-config"):
        code, out, err = run(*args, "--machine", bad)
        assert code == 78 and out == "", (code, err)
        assert "bad.txt:2:15: the line ends where socket is expected" in err, err
        assert "bad.txt:3:3: 'events' is below no PMU" in err, err
    odd = h.path("a\nb\033[31m.txt")
    with open(odd, "w") as f:
        f.write("nothing\n")
    err = run(h.CTL, "plan", "--machine", odd)[2]
    assert "\033" not in err and "\\x0ab\\x1b[31m.txt:1:1: 'nothing' begins no line" in err, err
    many = h.write("many.txt", "cpu 0 socket 0\n" + "".join(
        "PMU p%d type=%d cpumask=-\n" % (i, i) for i in range(10000)))
    code, _, err = run(h.CTL, "plan", "--machine", many)
    assert code == 78 and "there are more than 1024 PMUs" in err, err


def test_lying_machines():
    """A mask of CPUs that are not there, bits that overlap: what the reader of files says, too."""
    for name, lines in ("mask", "0,77\n  format event=config:0-7\n"), \
            ("bits", "0\n  format event=config:0-7 umask=config:4-9\n"
                     "  events cas_count_read=event=0x4,umask=0x3 clockticks=event=0\n"):
        text = h.write(name + ".txt", "cpuinfo GenuineIntel 6 85 4\ncpu 0-3 socket 0\n"
                       "PMU uncore_imc_0 type=9 cpumask=" + lines)
        root = tempfile.mkdtemp(dir=h.path(""))
        assert h.run(MAKE_TREE, text, root)[0] == 0
        same(answers("--machine", text), answers("--path-sysfs", root, "--path-procfs", root),
             name)


def test_nothing_is_left():
    """The private directory goes however its process ends; a pipe that is closed is one way."""
    at = setup_tmp()
    with subprocess.Popen([h.CTL, "list", "events", "--machine", "cmn700", "--path-run", at],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as p:
        p.stdout.read(10)
        p.stdout.close()
        p.wait()
    h.wait_for("an empty directory", lambda: os.listdir(at) == [])
    for sig in signal.SIGKILL, signal.SIGINT, signal.SIGTERM:
        for delay in 0.0, 0.005, 0.02:
            with subprocess.Popen([h.CTL, "doctor", "--machine", "zen4", "--path-run", at],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as p:
                try:
                    p.wait(delay)
                except subprocess.TimeoutExpired:
                    p.send_signal(sig)
                p.wait()
            h.wait_for("an empty directory", lambda: os.listdir(at) == [])


h.main(sys.modules[__name__])
