# SPDX-License-Identifier: MIT
"""energy.py - guests that list energy alone, as the commonest cloud machines do, with a counter
that stands still (counting_pmus.ko): the real ./bootstrap run, uncorectl doctor and uncored.

Time stands in the module unless a check lets it run, and with it what energy-psys counts.
"""
import glob
import os
import sys

import image
from guest import Daemon, Guest, h

PSYS = """family -
domain 0-1
domain 2-3
format event config:0-7
event energy-psys event=0x05
event energy-psys.scale 2.3283064365386962890625e-10
event energy-psys.unit Joules
rate 0x5 0x0 0x0 429496729600
pmu power 0"""
WATTS = 100                     # of that rate; two sockets differ by less than 1 %
NAMED = {"e": ["perf/power/energy-psys/"]}
STILL = "perf/power/energy-psys/ stood still for a second"
HOSTS = "lists energy and sleep states alone (power)"
SLOT = '{socket="%d",box="power",unit="0",event="energy-psys"'
# ./bootstrap run without what builds: the programs are there
BOOT = """mkdir -p /w/build /w/bin; cd /w; cp /bootstrap .; touch configure build/Makefile
ln -s /usr/bin/uncored /usr/bin/uncorectl build/
for p in dpkg-query make; do printf '#!/bin/sh\\necho install ok installed\\n' >bin/$p; done
printf '#!/bin/sh\\n' >configure; chmod +x configure bin/*; touch -d 2000-01-01 configure.ac
"""


MACHINES = os.path.join(h.SRC, "src/topo")


def guest(cpu):
    bash = image.need("bash", "bash")
    # beside the programs, as in a build tree: ./bootstrap run simulates one of them
    machines = {os.path.join("usr/bin", os.path.relpath(f, MACHINES)): f
                for f in glob.glob(os.path.join(MACHINES, "machines/**/*.txt"), recursive=True)}
    g = Guest(cpu, extra={"counting_pmus.ko": image.module(), "usr/bin/bash": bash,
                          "bootstrap": os.path.join(h.SRC, "bootstrap"), **machines,
                          **{library[1:]: library for library in image.libraries_of(bash)}})
    g.sh("insmod /counting_pmus.ko")
    tell(g, "clock manual", PSYS)
    g.sh(BOOT)
    return g


def tell(g, *lines):
    g.sh("cat >/proc/counting_pmus <<'END'\n%s\nEND\n" % "\n".join(lines))


def nothing(g, why):
    """Of one opinion: uncored, doctor, plan; ./bootstrap run simulates, and says so."""
    code, out, err = g.run("uncored --once")
    assert code == 69 and not out and why in err, (code, out, err)
    code, out, _ = g.run("uncorectl doctor --json")
    j = h.json.loads(out)
    assert code == 69 and why in j["why_not"] and j["without_counters"], j
    code, _, err = g.run("uncorectl plan")
    assert code == 69 and why in err, (code, err)
    u = Daemon(g, {}, settings='without_counters = "serve";', answers="/-/healthy")
    got = u.metrics()
    assert got["uncored_without_counters"] == "1" and why in u.log(), (got, u.log())
    assert u.stop() == 0, u.log()
    g.sh("cd /w; (PATH=/w/bin:$PATH bash ./bootstrap run >/tmp/run.log 2>&1; "
         "echo $? >/tmp/run.exit) & "
         "for i in $(seq 300); do wget -q -O /dev/null http://127.0.0.1:10062/-/ready 2>/dev/null "
         "&& exit 0; [ -e /tmp/run.exit ] && break; usleep 200000; done; cat /tmp/run.log; exit 1")
    log = g.sh("cat /tmp/run.log")
    assert why in log and log.index(why) < log.index("SIMULATED: what follows"), log
    assert 'engine="model"' in g.sh("wget -q -O - http://127.0.0.1:10062/metrics")
    g.sh("kill $(pidof uncored)")


def watts(metrics, socket):
    return float(metrics['uncore_system_power_watts{socket="%d",unit="0"}' % socket])


def test_a_virtual_machine():
    """Energy alone is nothing there, whether it stands or rises; where it is named it counts."""
    g = guest("Skylake-Server")
    nothing(g, HOSTS)
    g.write("/tmp/named.conf", 'groups = ( { name = "e"; events = [ "%s" ]; } );' % NAMED["e"][0])
    code, out, err = g.run("uncored --once -c /tmp/named.conf")
    assert code == 69 and not out and STILL in err, (code, out, err)
    tell(g, "clock real")
    code, out, err = g.run("uncored --once")
    assert code == 69 and HOSTS in err, (code, err)
    u = Daemon(g, NAMED)
    g.sh("sleep 2")
    got = u.metrics()
    for socket in range(2):
        assert abs(watts(got, socket) / WATTS - 1) < 0.3, got
    assert u.stop() == 0, u.log()
    g.kill()


def test_a_real_machine():
    """Of a processor for which no module is to be expected. It stands: nothing. It rises: counted;
    what stands from then on is stopped, and uncored goes on."""
    g = guest("qemu64,-hypervisor")
    nothing(g, STILL)
    tell(g, "clock real")
    u = Daemon(g, {}, settings='interval = "1s";')
    assert "Only energy and sleep states are counted" in u.log(), u.log()
    g.sh("sleep 2")
    got = u.metrics()
    assert all(got["uncored_slot_valid" + SLOT % s + "}"] == "1" for s in range(2)), got
    assert all(abs(watts(got, s) / WATTS - 1) < 0.3 for s in range(2)), got
    tell(g, "clock manual")
    got = u.until("both have stopped", lambda m: all(
        "uncored_slot_invalid" + SLOT % s + ',reason="stopped"}' in m for s in range(2)))
    assert not [k for k in got if k.startswith("uncore_system_power")], got
    assert u.stop() == 0, u.log()
    g.kill()


h.main(sys.modules[__name__], at_once=0)
