# SPDX-License-Identifier: MIT
"""curve.py - uncorectl verify --curve on a real kernel whose memory channels (counting_pmus.ko)
follow a measured curve: it finds that curve's ends and knees where nobody else uses the memory, and
refuses where somebody does.

The load is told (src/base/traffic.h): where threads of a guest get a part of a CPU, no rate can be
kept. verified.py has loads that move.
"""
import re
import sys

import channels
from channels import curves
from guest import Daemon, Guest, h

CORES = 4               # of a socket; with fewer, uncored alone is a tenth of them
LIMIT = 600.0           # seconds; a guest's are stretched
STATE = "/tmp/state"
CURVE = channels.VERIFY + " --curve --path-state " + STATE
BESIDE = """pids=
for i in $(seq %d); do
	(while :; do :; done) & pids="$pids $!"
done
%s
r=$?
[ -z "$pids" ] || kill $pids
exit $r
"""
TREE = "skx"            # whose curve it is, measured on a Xeon Gold 5218

g = Guest("Skylake-Server,-hypervisor", cores=CORES, extra=channels.EXTRA,
          more=channels.nodes(CORES))
g.sh("insmod /%s" % channels.image.OURS)


def daemon():
    return Daemon(g, {}, "--engine perf --path-state " + STATE, settings='interval = "200ms";')


def measure(others=0, busy=0, **how):
    """(exit code, stdout, stderr). others: bytes by second that somebody else reads of socket 1's
    memory; busy: how many CPUs somebody else uses; how: of channels.begin."""
    g.sh("rm -rf " + STATE)
    channels.begin(g, channels.domains(CORES), curve=channels.curve_of(TREE), told=True,
                   **how)
    g.sh("echo others 1 %d >/proc/counting_pmus" % others)
    d = daemon()
    code, out, err = g.run(BESIDE % (busy, CURVE), LIMIT)
    assert d.stop() == 0, d.log()
    return code, out, err


def left(m):
    """{socket: (knee in bytes by second, share of it that is left)}, once each has both."""
    series = ('uncore_memory_knee_bytes_per_second{socket="%d"}',
              'uncore_memory_headroom_ratio{socket="%d"}')
    found = {s: tuple(float(m[x % s]) for x in series) for s in (0, 1)
             if all(x % s in m for x in series)}
    return len(found) == 2 and found


def test_alone_it_finds_the_curve():
    code, out, err = measure()
    assert code == 0 and "SIMULATED" not in out, (code, out, err)
    j = g.json("cat %s/curve.json" % STATE)
    channels.check_curve(j, channels.curve_of(TREE))
    # Nor would any curve do.
    other = channels.curve_of("spr")
    for mix, share in zip(j["sockets"][0]["mixes"], channels.SHARES, strict=True):
        like = curves.nearest(other, share)[0]
        assert min(map(abs, channels.off(mix, other[like]))) > channels.NEAR, (share, mix)
    # An uncored that begins now has it, while somebody reads a half of what memory can.
    half = 10 ** 9 * curves.most(channels.curve_of(TREE)[100]) / 2
    g.sh("for s in 0 1; do echo others $s %d; done >/proc/counting_pmus" % half)
    d = daemon()
    served = h.wait_for("the knee is there", lambda: left(d.metrics()), 60)
    assert d.stop() == 0, d.log()
    for s in j["sockets"]:
        knee, free = served[s["socket"]]
        assert abs(knee / s["mixes"][0]["knee_bytes_per_second"] - 1) < 0.01, (served, s)
        assert abs(free - (1 - half / knee)) < 0.05, (served, half)


def refused(says, **how):
    code, out, err = measure(**how)
    assert code == 75 and not out, (code, out, err)
    said = err.splitlines()[-1]
    print("# " + said, flush=True)
    assert re.search(says, said) and said.endswith("nothing was kept"), (says, said)
    assert g.run("[ -e %s/curve.json ]" % STATE)[0] == 1


def test_beside_other_traffic_it_refuses():
    refused("^uncorectl: others move (9|10)[.][0-9] GB/s of socket 1's memory: stop what runs "
            "here, and try again; ", others=10 ** 10)


def test_beside_other_programs_it_refuses():
    """They use CPUs, and no memory."""
    refused("^uncorectl: other processes use [0-9]+ % of the CPUs: stop what runs here, and try "
            "again; ", busy=CORES)


def test_a_wrong_formula_is_noticed():
    """A read is said to be 128 bytes."""
    refused("^uncorectl: uncored counts 2 times what this load moves of socket [01]'s memory, and "
            "hardly anything before it: .*uncorectl verify says which count is wrong; ",
            scale="1.220703125e-4")


h.main(sys.modules[__name__], at_once=0)
