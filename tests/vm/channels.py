# SPDX-License-Identifier: MIT
"""channels.py - a guest of two sockets whose memory channels (counting_pmus.ko) count what a load
says it has moved: the bytes of the file that UNCORED_VERIFY_TRAFFIC names. Two channels on each
socket.
"""
import image

FILE = "/tmp/traffic"
TRAFFIC = "UNCORED_VERIFY_TRAFFIC=" + FILE
VERIFY = TRAFFIC + " uncorectl verify"
PERF = image.need("perf", "linux-perf")
# Beside uncored: what counts, and who else asks the kernel for what it counted.
EXTRA = {image.OURS: image.module(), "usr/bin/perf": PERF,
         **{f[1:]: f for f in image.libraries_of(PERF)}}
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
moves 0x304 0x0 0x0 0 {read}
moves 0xc04 0x0 0x0 1 64
pmu uncore_imc_0 0
pmu uncore_imc_1 1"""


def nodes(cores):
    """Of qemu: a node of memory for each of two sockets."""
    return [word for n in (0, 1) for word in (
        "-object", "memory-backend-ram,id=m%d,size=256M" % n,
        "-numa", "node,nodeid=%d,cpus=%d-%d,memdev=m%d"
        % (n, cores * n, cores * n + cores - 1, n))]


def domains(cores):
    """The CPUs of each socket."""
    return ["domain %d-%d" % (cores * n, cores * n + cores - 1) for n in (0, 1)]


def begin(g, which, read=64, scale="6.103515625e-5"):
    """The channels are there, and nothing has been moved. which: the CPUs of each socket; read: the
    bytes that a count of reads is, which a count is said to be `scale` MiB. A daemon that a failed
    check left ends first."""
    g.sh("[ ! -e /tmp/u10062.pid ] || [ -s /tmp/u10062.exit ] || { kill -KILL "
         "$(cat /tmp/u10062.pid); sleep 1; }")
    g.sh("dd if=/dev/zero of=%s bs=1024 count=1" % FILE)
    text = CHANNELS.format(domains="\n".join(which), scale=scale, read=read, file=FILE)
    g.sh("cat >/proc/counting_pmus <<'END'\nreset\n%s\nEND\n" % text)
