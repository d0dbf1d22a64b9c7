# SPDX-License-Identifier: MIT
"""starting.py - uncored begins, or says in one sentence why not: addresses, permissions,
processors; what --once prints and writes, and --restore.
"""
import errno
import json
import os
import re
import socket
import subprocess
import sys
import time

import harness as h


def test_unknown_processor_gets_no_write():
    code, _, err = h.run(h.UNCORED, "--engine", "registers",
                         "--once", "--path-procfs", h.path("noproc"))
    assert code in (69, 78, 70) and err, (code, err)
    os.makedirs(h.path("fakeproc"), exist_ok=True)
    h.write("fakeproc/cpuinfo",
            "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nstepping\t: 4\n")
    code, _, err = h.run(h.UNCORED, "--engine", "registers",
                         "--once", "--path-procfs", h.path("fakeproc"))
    assert code == 69 and "perf" in err, (code, err)
    # whichever engine counts: processor="nehalem-ex" would be said of what it counts
    software = h.write("software.conf", 'groups = ( { name = "k"; events = [ '
                                        '"perf/software/cpu-clock/" ]; } );\n')
    for engine in "registers", "auto", "perf":
        code, out, err = h.run(h.UNCORED, "--engine", engine, "--once", "--processor",
                               "nehalem-ex", "--path-procfs", h.path("fakeproc"), "-c", software)
        assert (code, out) == (69, "") and "CPUID" in err, (engine, code, out, err)


def test_address_in_use_is_75():
    conf = h.write("m.conf", h.MEMORY)
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        s.listen()
        code, _, err = h.run(h.UNCORED, "-c", conf, "--engine", "model:nehalem-ex",
                             "--listen", "127.0.0.1:%d" % s.getsockname()[1])
        assert code == 75 and "cannot listen" in err, (code, err)
        assert "another program is using it" in err, err
        # A mistake of the configuration comes first: it is what the administrator has to look at.
        full = h.write("full.conf", 'groups = ( { name = "g"; events = [ "bbox/IMT_FULL", '
                                    '"bbox/CONFLICTS" ]; } );\n')
        code, _, err = h.run(h.UNCORED, "-c", full, "--engine", "model:nehalem-ex",
                             "--listen", "127.0.0.1:%d" % s.getsockname()[1])
        assert code == 78 and "IMT_FULL and CONFLICTS" in err, (code, err)
        assert "cannot listen" not in err, (code, err)
    # RFC 5737: nobody's
    code, _, err = h.run(h.UNCORED, "--engine", "model:nehalem-ex", "--listen", "192.0.2.1:0")
    assert code == 75 and "this machine has no such address" in err, (code, err)


def test_addresses_that_cover_each_other():
    port = h.free_port()
    for a, b in (("127.0.0.1", ""), ("", "[::1]"), ("0.0.0.0", "[::]"), ("127.0.0.1", "0.0.0.0"),
                 ("127.0.0.1", "127.0.0.1")):
        a, b = "%s:%d" % (a, port), "%s:%d" % (b, port)
        code, _, err = h.run(h.UNCORED, "--engine", "model:nehalem-ex", "--listen", a,
                             "--listen", b)
        assert code == 78, (code, err)
        assert "cannot listen on %s and on %s: one covers the other" % (b, a) in err, (code, err)


def test_every_address_without_ipv6():
    """A kernel that was started with ipv6.disable=1: socket(AF_INET6)."""
    p = h.Process([h.UNCORED, "--engine", "model:nehalem-ex", "--listen", ":0"], "ipv4",
                  preexec_fn=h.deny(41, errno.EAFNOSUPPORT, 10))
    url = p.serving()
    assert re.fullmatch("http://0.0.0.0:[0-9]+", url), p.text()
    assert h.fetch(url.replace("0.0.0.0", "127.0.0.1") + "/-/healthy")[0] == 200
    assert p.stop() == 0


def test_restore_without_state_is_silent():
    code, out, err = h.run(h.UNCORED, "--restore", "--path-run", h.path("norun"))
    assert (code, out, err) == (0, "", ""), (code, out, err)
    # Not to be allowed to look is another thing.
    os.mkdir(h.path("closed"), mode=0o000)
    nobody = ["setpriv", "--reuid=65534", "--regid=65534",
              "--clear-groups"] if os.getuid() == 0 else []
    code, out, err = h.run(*nobody, h.UNCORED, "--restore", "--path-run", h.path("closed"))
    if code in (126, 127):
        h.skip("user nobody cannot reach " + h.UNCORED)
    assert (code, out) == (77, ""), (code, out, err)
    assert "closed/uncored.state: cannot check whether it exists" in err, (code, out, err)


def test_once_without_room():
    """What cannot be printed is said."""
    with open("/dev/full", "w") as full:
        p = subprocess.run([h.UNCORED, "-c", h.write("room.conf", 'interval = "50ms";'),
                            "--engine", "model:nehalem-ex", "--once"],
                           stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, text=True,
                           timeout=h.PATIENCE)
    assert p.returncode == 70, (p.returncode, p.stderr)
    assert "cannot be printed: No space left on device" in p.stderr, (p.returncode, p.stderr)


def test_once_formats():
    conf = h.write("m.conf", 'interval = "200ms";\n' + h.MEMORY)
    base = [h.UNCORED, "-c", conf, "--engine", "model:nehalem-ex:stream", "--once"]
    code, text, err = h.run(*base)
    assert code == 0 and "SIMULATED" in err, err
    series = h.samples(text)
    assert 'uncore_imt_latency_cycles{socket="0",unit="0"}' in series, sorted(series)
    code, om, _ = h.run(*base, "--format", "openmetrics")
    assert code == 0 and om.endswith("# EOF\n")
    assert {x for x in h.samples(om) if "_created" not in x} == set(series)
    code, out, _ = h.run(*base, "--format", "json")
    assert code == 0 and json.loads(out)


def test_every_write_is_in_the_trace():
    conf = h.write("trace.conf", 'interval = "100ms";\n' + h.MEMORY)
    code, out, _ = h.run(h.CTL, "plan", "-c", conf, "--processor", "nehalem-ex",
                         "--sockets", "1", "--json")
    planned = [(w["address"], w["register"])
               for w in json.loads(out)["sockets"][0]["rounds"][0]["writes"]]
    code, _, err = h.run(h.UNCORED, "-c", conf, "--engine", "model:nehalem-ex",
                         "--once", "--log-level", "debug")
    written = [tuple(line.split()[i] for i in (3, 5)) for line in err.splitlines()
               if line.startswith("socket 0: W")]
    assert code == 0 and written[:len(planned)] == planned and len(planned) > 8, (written, planned)


def test_perf_events_beside_the_model():
    # The model has two sockets; perf events count on those that this machine really has.
    conf = h.write("beside.conf", 'interval = "100ms";\ngroups = ( { name = "both"; events = [ '
                                  '"wbox/CLOCKTICKS",\n'
                   '"perf/software/cpu-clock/", "perf/software/context-switches/" ]; } );\n')
    # Somebody wakes on every CPU, as a CPU may run one process or none for the whole interval.
    naps = [subprocess.Popen([sys.executable, "-c", "import os, time\n"
                              "os.sched_setaffinity(0, {%d})\nprint('awake', flush=True)\n"
                              "while True: time.sleep(0.005)" % cpu], stdout=subprocess.PIPE)
            for cpu in sorted(os.sched_getaffinity(0))]
    try:
        assert all(nap.stdout.readline() for nap in naps)
        began = time.monotonic_ns()
        code, out, err = h.run(h.UNCORED, "-c", conf, "--engine", "model:nehalem-ex", "--once")
    finally:
        for nap in naps:
            nap.kill()
            nap.communicate()
    took = time.monotonic_ns() - began
    if code == 77:
        h.skip("no perf events are permitted here: " + err.strip())
    got = h.samples(out)
    assert code == 0, (code, err)
    assert 'uncore_wbox_clockticks_total{socket="1",unit="0"}' in got, (code, err)
    helps = dict(x.split(None, 3)[2:] for x in out.splitlines() if x.startswith("# HELP "))
    assert helps["uncore_wbox_clockticks_total"].startswith("SIMULATED: "), helps
    assert helps["uncore_clock_hertz"].startswith("SIMULATED: "), helps
    assert "SIMULATED" not in helps["uncore_software_cpu_clock_total"], "this one is real"
    clock = {k: int(v) for k, v in got.items() if k.startswith("uncore_software_cpu_clock_total")}
    switches = {k: int(v) for k, v in got.items()
                if k.startswith("uncore_software_context_switches_total")}
    assert clock and len(clock) == len(switches), (clock, switches)
    assert all(0 < v < took for v in clock.values()), (clock, took)
    assert all(switches.values()), switches


def test_no_permission_for_perf_is_one_sentence():
    if os.getuid() != 0 or int(h.read("/proc/sys/kernel/perf_event_paranoid")) < 1:
        h.skip("wants root, to become nobody, and kernel.perf_event_paranoid of at least 1")
    conf = h.write("denied.conf",
                   'groups = ( { name = "g"; events = [ "perf/software/cpu-clock/" ]; } );\n')
    for at in (os.path.dirname(conf), os.path.dirname(os.path.dirname(conf))):
        os.chmod(at, 0o755)
    code, out, err = h.run("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", h.UNCORED,
                           "-c", conf, "--engine",
                           "perf", "--once")
    if code in (126, 127):
        h.skip("user nobody cannot reach " + h.UNCORED)
    lines = [x for x in err.splitlines() if "perf/software" in x]
    assert code == 77 and out == "" and len(lines) == 1 and "CAP_PERFMON" in lines[0], (code, err)


def test_model_needs_a_known_name():
    code, _, err = h.run(h.UNCORED, "--engine", "model:pentium", "--once")
    assert code == 78 and "pentium" in err, (code, err)
    code, _, err = h.run(h.UNCORED, "--engine", "model:nehalem-ex:lazy", "--once")
    assert code in (69, 78) and "lazy" in err, (code, err)


h.main(sys.modules[__name__])
