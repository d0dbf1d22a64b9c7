# SPDX-License-Identifier: MIT
"""verified.py - uncorectl verify on a real kernel: threads on the CPUs and memory on the nodes of
two sockets, and memory channels (counting_pmus.ko) that count the bytes that its load says it has
moved. What they count wrongly has to be named.
"""
import json
import os
import sys

import channels
import image
from guest import Daemon, Guest, h

LIMIT = 300.0           # seconds; a guest's are stretched

OTHER_PERF = """#!/bin/sh
for a; do shift; set -- "$@" "$(printf %s "$a" | sed s/cas_count_write/event=0x1,umask=0x1/g)"; done
exec /usr/bin/perf "$@"
"""
STATE = "/tmp/state"
VERIFY = channels.VERIFY + " --quick --json --path-state " + STATE
CPU = "Skylake-Server,-hypervisor"
EXTRA = {"usr/bin/certify.sh": os.path.join(h.SRC, "contrib/certify.sh"), **channels.EXTRA}

g = Guest(CPU, extra=EXTRA, more=channels.nodes(2))
g.sh("insmod /%s" % image.OURS)


def verify(which=channels.domains(2), path="", **how):
    """(exit code, {(metric, socket, compared with): causes}, stderr, the document)."""
    channels.begin(g, which, **how)
    d = Daemon(g, {}, "--engine perf")
    code, out, err = g.run(path + VERIFY, LIMIT)
    assert d.stop() == 0, d.log()
    said = json.loads(out) if out else {}
    found = {(x["metric"], x["socket"], x["of"]): x["causes"] for x in said.get("compared", ())}
    print("# %s" % " ".join("%s/%d:%.4f" % (x["metric"], x["socket"], x["slope"])
                            for x in said.get("compared", ())), flush=True)
    print("# perf: %s" % said.get("perf"), flush=True)
    return code, found, err, said


def served(guest=g):
    """What an uncored that begins now says of the run that was kept."""
    d = Daemon(guest, {}, "--engine perf --path-state " + STATE)
    found = {k: float(v) for k, v in d.metrics().items() if k.startswith("uncored_verified_")}
    assert d.stop() == 0, d.log()
    return found


def errors(found):
    return {k.split("{")[1]: v for k, v in found.items() if "error_ratio" in k}


def test_what_is_counted_rightly():
    nodes = g.sh("ls /sys/devices/system/node | grep -c '^node'")
    assert nodes.strip() == "2", nodes
    code, found, err, said = verify()
    assert code == 0 and not [c for c in found.values() if c != ["right"]], (code, found, err)
    assert [c["agrees"] for c in said["perf"]["compared"]] == [True] * 4, said["perf"]
    kept = errors(served())
    assert len(kept) == 4 and max(abs(v) for v in kept.values()) < 0.01, kept
    measured = g.sh("cat %s/verified.json" % STATE)
    assert set(found) == {("memory_%s_bytes_total" % metric, socket, "what was " + of)
                          for metric, of in (("read", "read"), ("write", "written"))
                          for socket in (0, 1)}, found
    of_another_machine(measured)


def of_another_machine(measured):
    """The same server with a newer microcode and BIOS, and then, as its file says, with another
    kernel: the run that was kept holds no longer."""
    other = Guest(CPU + ",ucode-rev=0x2007006", extra=dict(channels.EXTRA, verified=measured),
                  more=channels.nodes(2) + ["-smbios", "type=0,version=3.5,date=11/27/2026"])
    other.sh("insmod /%s; mkdir -p %s; cp /verified %s/verified.json"
             % (image.OURS, STATE, STATE))
    channels.begin(other, channels.domains(2))
    stale = {'uncored_verified_stale{reason="%s"}' % r: 1.0 for r in ("microcode", "bios")}
    assert served(other) == stale, (served(other), stale)
    other.sh("sed -i 's/\"kernel\": \"/&another-/' %s/verified.json" % STATE)
    stale['uncored_verified_stale{reason="kernel"}'] = 1.0
    assert served(other) == stale, (served(other), stale)
    other.kill()


def test_what_is_counted_twice():
    code, found, err, _ = verify(read=32)
    for socket in (0, 1):
        assert "twice" in found["memory_read_bytes_total", socket, "what was read"], (found, err)
        assert found["memory_write_bytes_total", socket, "what was written"] == ["right"], found
    assert code not in (0, 69), (code, err)


def test_sockets_exchanged():
    code, found, err, _ = verify(("domain 2-3", "domain 0-1"))
    for socket in (0, 1):
        for metric in "read", "write":
            causes = next(v for k, v in found.items()
                          if k[:2] == ("memory_%s_bytes_total" % metric, socket))
            assert "sockets" in causes, (found, err)
    assert code not in (0, 69), (code, err)


def test_a_wrong_formula():
    """A count stands for 192 bytes, and is of 64: an error of 2.0, printed, kept and served."""
    code, found, err, said = verify(scale="1.8310546875e-4")
    assert code == 1, (code, err)
    for c in said["compared"]:
        wrong = 2.0 if c["metric"] == "memory_read_bytes_total" else 0.0
        assert abs(c["error"] - wrong) < 0.02 and c["error_low"] <= c["error"], c
    kept = errors(served())
    assert sorted(round(v, 1) for v in kept.values()) == [0.0, 0.0, 2.0, 2.0], kept


def test_a_perf_that_disagrees():
    """Asked for writes it counts something else."""
    g.sh("mkdir -p /tmp/other")
    g.sh("chmod +x " + g.write("/tmp/other/perf", OTHER_PERF))
    code, _, err, said = verify(path="export PATH=/tmp/other:/bin:/usr/bin; ")
    wrong = {c["metric"]: c["agrees"] for c in said["perf"]["compared"]}
    assert code == 1 and wrong == {"memory_read_bytes_total": True,
                                   "memory_write_bytes_total": False}, (wrong, err)


def test_certificate():
    """contrib/certify.sh in a system that has nothing but the programs: one file, no trace."""
    channels.begin(g, channels.domains(2))
    files = "find / /tmp /run -xdev ! -path '/proc/*' ! -path '/sys/*' ! -path '/dev/*' | sort"
    before = g.sh(files)
    g.sh("cd /tmp; %s UNCORED_OPTIONS='--engine perf' certify.sh --quick "
         "-o /tmp/certificate.json /usr" % channels.TRAFFIC, LIMIT)
    after = g.sh(files)
    assert set(after.splitlines()) - set(before.splitlines()) == {"/tmp/certificate.json"}, \
        set(after.splitlines()) ^ set(before.splitlines())
    g.sh("! pidof uncored uncored-http")
    text = g.sh("cat /tmp/certificate.json")
    j = json.loads(text)
    assert len(text) < 200000 and j["exit"]["verify"] == 0, j["exit"]
    assert [c["causes"] for c in j["verify"]["compared"]] == [["right"]] * 4, j["verify"]


h.main(sys.modules[__name__], at_once=0)
