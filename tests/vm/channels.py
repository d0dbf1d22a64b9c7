# SPDX-License-Identifier: MIT
"""channels.py - a guest of two sockets whose memory channels (counting_pmus.ko) count what a load
says it has moved: the bytes of the file that UNCORED_VERIFY_TRAFFIC names.

Two channels on each socket. With a curve, a measured one of src/topo/machines, the memory moves no
more than that has at most, and what is read waits as long as it says: a caching agent counts that.
"""
import os
import sys

import image
from described import Machine, h

sys.path.insert(0, os.path.join(h.SRC, "tests/curves"))
import curves                                                  # noqa: E402

FILE = "/tmp/traffic"
TRAFFIC = "UNCORED_VERIFY_TRAFFIC=" + FILE
VERIFY = TRAFFIC + " uncorectl verify"
PERF = image.need("perf", "linux-perf")
# Beside uncored: what counts, and who else asks the kernel for what it counted.
EXTRA = {image.OURS: image.module(), "usr/bin/perf": PERF,
         **{f[1:]: f for f in image.libraries_of(PERF)}}
READ, WRITTEN, WAITED, PASSED = range(4)        # kinds of the module's `moves`
CHANNELS = """family 4
{domains}
format event config:0-7
format umask config:8-15
event cas_count_read event=0x04,umask=0x03
event cas_count_read.scale {scale}
event cas_count_read.unit MiB
event cas_count_write event=0x04,umask=0x0c
event cas_count_write.scale 6.103515625e-5
event cas_count_write.unit MiB
traffic {file}
moves 0x304 0x0 0x0 {READ} {read}
moves 0xc04 0x0 0x0 {WRITTEN} 64
pmu uncore_imc_0 0
pmu uncore_imc_1 1"""
# Of Skylake-SP; its clock is 1 GHz.
AGENT = """family 4
{domains}
{format}
moves 0x0 0x0 0x0 {PASSED} 1
moves 0x2135 0x4043300000000 0x0 {READ} 64
moves 0x2136 0x4043300000000 0x0 {WAITED} 64
pmu uncore_cha_0 0
{curve}"""


def nodes(cores, megabytes=256):
    """Of qemu: a node of memory for each of two sockets."""
    return [word for n in (0, 1) for word in (
        "-object", "memory-backend-ram,id=m%d,size=%dM" % (n, megabytes),
        "-numa", "node,nodeid=%d,cpus=%d-%d,memdev=m%d"
        % (n, cores * n, cores * n + cores - 1, n))]


def domains(cores):
    """The CPUs of each socket."""
    return ["domain %d-%d" % (cores * n, cores * n + cores - 1) for n in (0, 1)]


def curve_of(tree):
    """{percent of reads: [(GB/s, ns), ...]} of a machine's text, which has the source."""
    curve = {}
    for line in h.machine(tree).splitlines():
        if line.startswith("curve "):
            percent, gbps, ns = map(float, line.split()[1:])
            curve.setdefault(int(percent), []).append((gbps, ns))
    return curve


def begin(g, which, read=64, scale="6.103515625e-5", curve=None, told=False):
    """The channels are there, and nothing has been moved. which: the CPUs of each socket; read: the
    bytes that a count of reads is, which a count is said to be `scale` MiB. told: a load at a rate
    need move nothing (src/base/traffic.h). A daemon that a failed check left ends first."""
    g.sh("[ ! -e /tmp/u10062.pid ] || [ -s /tmp/u10062.exit ] || { kill -KILL "
         "$(cat /tmp/u10062.pid); sleep 1; }")
    text = CHANNELS + ("\n" + AGENT if curve else "")
    points = "\n".join("curve %d %d %d" % (percent, gbps * 1e9, ns * 1000)
                       for percent in sorted(curve or ()) for gbps, ns in curve[percent])
    files = Machine("skx").families["uncore_cha"].format
    text = text.format(format="\n".join("format %s %s" % f for f in files.items()),
                       domains="\n".join(which), scale=scale, read=read, file=FILE, curve=points,
                       **{k: globals()[k] for k in ("READ", "WRITTEN", "WAITED", "PASSED")})
    g.sh("dd if=/dev/zero of=%s bs=1024 count=1; printf '\\00%d\\0\\0\\0\\0\\0\\0\\0' >>%s"
         % (FILE, told, FILE))
    g.sh("cat >/proc/counting_pmus <<'END'\nreset\n%s\nEND\n" % text)


SHARES = 100, 67, 50    # of reads, in percent: the second load's 66.7 is between 50 and 67
NEAR = 0.05


def off(mix, points):
    """By how much the measured (least, most, knee) are wrong, as a part of the curve's own."""
    return [mix["least_latency_seconds"] / (points[0][1] * 1e-9) - 1,
            mix["most_bytes_per_second"] / (curves.most(points) * 1e9) - 1,
            mix.get("knee_bytes_per_second", 0) / (curves.knee(points) * 1e9) - 1]


def check_curve(measured, curve):
    """curve.json has the ends and knees of the curve, on both sockets."""
    assert not measured["simulated"] and measured["processor"] == "skx", measured
    assert [s["socket"] for s in measured["sockets"]] == [0, 1], measured
    for s in measured["sockets"]:
        for mix, share in zip(s["mixes"], SHARES, strict=True):
            wrong = off(mix, curve[share])
            print("# socket %d, %d %% reads: least %+.3f, most %+.3f, knee %+.3f"
                  % (s["socket"], share, *wrong), flush=True)
            assert abs(mix["read_ratio"] - share / 100) < 0.01, mix
            assert max(map(abs, wrong)) < NEAR, (share, wrong, mix)
