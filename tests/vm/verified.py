# SPDX-License-Identifier: MIT
"""verified.py - uncorectl verify on a real kernel: threads on the CPUs and memory on the nodes of
two sockets, and memory channels (counting_pmus.ko) that count the bytes that its load says it has
moved. What they count wrongly has to be named.
"""
import json
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
event cas_count_read.scale 6.103515625e-5
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

g = Guest("Skylake-Server,-hypervisor", extra={image.OURS: image.module()}, more=NODES)
g.sh("insmod /%s" % image.OURS)


def verify(domains=("domain 0-1", "domain 2-3"), read=64):
    """(exit code, {(metric, socket, compared with): causes}), of two channels on each socket whose
    counters count `read` bytes of what is read. A daemon that a failed check left ends first."""
    g.sh("[ ! -e /tmp/u10062.pid ] || [ -s /tmp/u10062.exit ] || { kill -KILL "
         "$(cat /tmp/u10062.pid); sleep 1; }; dd if=/dev/zero of=/tmp/traffic bs=1024 count=1")
    g.sh("cat >/proc/counting_pmus <<'END'\nreset\n%s\nEND\n" % FAMILY.format(
        domains="\n".join(domains), read=read))
    d = Daemon(g, {}, "--engine perf")
    code, out, err = g.run("UNCORED_VERIFY_TRAFFIC=/tmp/traffic uncorectl verify --quick --json",
                           LIMIT)
    assert d.stop() == 0, d.log()
    said = json.loads(out) if out else {}
    found = {(x["metric"], x["socket"], x["of"]): x["causes"] for x in said.get("compared", ())}
    print("# %s" % " ".join("%s/%d:%.4f" % (x["metric"], x["socket"], x["slope"])
                            for x in said.get("compared", ())), flush=True)
    return code, found, err


def test_what_is_counted_rightly():
    nodes = g.sh("ls /sys/devices/system/node | grep -c '^node'")
    assert nodes.strip() == "2", nodes
    code, found, err = verify()
    assert code == 0 and not [c for c in found.values() if c != ["right"]], (code, found, err)
    assert set(found) == {("memory_%s_bytes_total" % metric, socket, "what was " + of)
                          for metric, of in (("read", "read"), ("write", "written"))
                          for socket in (0, 1)}, found


def test_what_is_counted_twice():
    code, found, err = verify(read=32)
    for socket in (0, 1):
        assert "twice" in found["memory_read_bytes_total", socket, "what was read"], (found, err)
        assert found["memory_write_bytes_total", socket, "what was written"] == ["right"], found
    assert code not in (0, 69), (code, err)


def test_sockets_exchanged():
    code, found, err = verify(("domain 2-3", "domain 0-1"))
    for socket in (0, 1):
        for metric in "read", "write":
            causes = next(v for k, v in found.items()
                          if k[:2] == ("memory_%s_bytes_total" % metric, socket))
            assert "sockets" in causes, (found, err)
    assert code not in (0, 69), (code, err)


h.main(sys.modules[__name__], at_once=0)
