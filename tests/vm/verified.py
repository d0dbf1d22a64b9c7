# SPDX-License-Identifier: MIT
"""verified.py - uncorectl verify on a real kernel: threads on the CPUs and memory on the nodes of
two sockets, and memory channels (counting_pmus.ko) that count the bytes that its load says it has
moved. What they count wrongly has to be named.
"""
import json
import os
import sys

import image
from guest import Daemon, Guest, h

NODES = [word for n in (0, 1) for word in (
    "-object", "memory-backend-ram,id=m%d,size=256M" % n,
    "-numa", "node,nodeid=%d,cpus=%d-%d,memdev=m%d" % (n, 2 * n, 2 * n + 1, n))]
FAMILY = """family 4
{domains}
format event config:0-7
format umask config:8-15
event cas_count_read event=0x04,umask=0x03
event cas_count_read.scale {scale}
event cas_count_read.unit MiB
event cas_count_write event=0x04,umask=0x0c
event cas_count_write.scale 6.103515625e-5
event cas_count_write.unit MiB
traffic /tmp/traffic
moves 0x304 0x0 0x0 0 {read}
moves 0xc04 0x0 0x0 1 64
pmu uncore_imc_0 0
pmu uncore_imc_1 1"""
LIMIT = 300.0           # seconds; a guest's are stretched

OTHER_PERF = """#!/bin/sh
for a; do shift; set -- "$@" "$(printf %s "$a" | sed s/cas_count_write/event=0x1,umask=0x1/g)"; done
exec /usr/bin/perf "$@"
"""
STATE = "/tmp/state"
VERIFY = ("UNCORED_VERIFY_TRAFFIC=/tmp/traffic uncorectl verify --quick --json --path-state " +
          STATE)
PERF = image.need("perf", "linux-perf")
EXTRA = {image.OURS: image.module(), "usr/bin/certify.sh":
         os.path.join(h.SRC, "contrib/certify.sh"), "usr/bin/perf": PERF,
         **{f[1:]: f for f in image.libraries_of(PERF)}}

g = Guest("Skylake-Server,-hypervisor", extra=EXTRA, more=NODES)
g.sh("insmod /%s" % image.OURS)


def channels(domains=("domain 0-1", "domain 2-3"), read=64, scale="6.103515625e-5"):
    """Two channels on each socket whose counters count `read` bytes of what is read, and of which
    the kernel says that a count is `scale` MiB. A daemon that a failed check left ends first."""
    g.sh("[ ! -e /tmp/u10062.pid ] || [ -s /tmp/u10062.exit ] || { kill -KILL "
         "$(cat /tmp/u10062.pid); sleep 1; }; dd if=/dev/zero of=/tmp/traffic bs=1024 count=1")
    g.sh("cat >/proc/counting_pmus <<'END'\nreset\n%s\nEND\n" % FAMILY.format(
        domains="\n".join(domains), read=read, scale=scale))


def verify(*args, path="", **how):
    """(exit code, {(metric, socket, compared with): causes}, stderr, the document)."""
    channels(*args, **how)
    d = Daemon(g, {}, "--engine perf")
    code, out, err = g.run(path + VERIFY, LIMIT)
    assert d.stop() == 0, d.log()
    said = json.loads(out) if out else {}
    found = {(x["metric"], x["socket"], x["of"]): x["causes"] for x in said.get("compared", ())}
    print("# %s" % " ".join("%s/%d:%.4f" % (x["metric"], x["socket"], x["slope"])
                            for x in said.get("compared", ())), flush=True)
    print("# perf: %s" % said.get("perf"), flush=True)
    return code, found, err, said


def served():
    """What an uncored that begins now says of the run that was kept."""
    d = Daemon(g, {}, "--engine perf --path-state " + STATE)
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
    g.sh("sed -i 's/\"kernel\": \"/&another-/' %s/verified.json" % STATE)
    assert served() == {'uncored_verified_stale{reason="kernel"}': 1.0}, served()
    assert set(found) == {("memory_%s_bytes_total" % metric, socket, "what was " + of)
                          for metric, of in (("read", "read"), ("write", "written"))
                          for socket in (0, 1)}, found


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
    channels()
    files = "find / /tmp /run -xdev ! -path '/proc/*' ! -path '/sys/*' ! -path '/dev/*' | sort"
    before = g.sh(files)
    g.sh("cd /tmp; UNCORED_VERIFY_TRAFFIC=/tmp/traffic UNCORED_OPTIONS='--engine perf' "
         "certify.sh --quick -o /tmp/certificate.json /usr", LIMIT)
    after = g.sh(files)
    assert set(after.splitlines()) - set(before.splitlines()) == {"/tmp/certificate.json"}, \
        set(after.splitlines()) ^ set(before.splitlines())
    g.sh("! pidof uncored uncored-http")
    text = g.sh("cat /tmp/certificate.json")
    j = json.loads(text)
    assert len(text) < 200000 and j["exit"]["verify"] == 0, j["exit"]
    assert [c["causes"] for c in j["verify"]["compared"]] == [["right"]] * 4, j["verify"]
    with open(os.path.join(h.BUILD, "tests/vm/certificate.json"), "w") as f:
        f.write(text)


h.main(sys.modules[__name__], at_once=0)
