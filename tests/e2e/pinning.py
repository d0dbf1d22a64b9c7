# SPDX-License-Identifier: MIT
"""pinning.py - the CPUs that sample: `cpus`, what is bound to them, and what metrics say of it."""
import errno
import os
import re
import sys

import harness as h

CLOCKS = 'interval = "100ms";\ngroups = ( { name = "g"; events = [ "wbox/CLOCKTICKS" ]; } );\n'
REAL = 'interval = "100ms";\n' \
    'groups = ( { name = "g"; events = [ "perf/software/cpu-clock/" ]; } );\n'
PINNED = 'uncored_sampler_pinned{socket="0"}'


def cpu_of(u, socket):
    """The label of uncored_socket_info."""
    rows = [k for k in u.metrics() if k.startswith('uncored_socket_info{socket="%d"' % socket)]
    return re.search(r'cpu="(\d*)"', rows[0]).group(1)


def test_registers_are_read_there():
    m = h.Msrfs()
    c = h.write("pins.conf", CLOCKS + 'cpus = "13, 3";\n')
    u = h.Uncored("-c", c, *m.options())
    assert (cpu_of(u, 0), cpu_of(u, 1)) == ("3", "13")
    assert [s["cpu"] for s in u.status()["sockets"]] == [3, 13]
    rows = [line.split() for line in m.read("writes").splitlines()]
    assert {(r[0], r[1]) for r in rows} == {("0", "3"), ("1", "13")}, rows
    assert u.metrics()[PINNED] == "0", "a thread is not bound by the numbers of another tree"
    m.control("online 3 0")
    h.wait_for("the lowest core takes over", lambda: cpu_of(u, 0) == "0")
    m.control("online 3 1")
    h.write("pins.conf", CLOCKS + 'cpus = "4,8";\n')
    u.p.send_signal(1)
    h.wait_for("a reload moves them", lambda: (cpu_of(u, 0), cpu_of(u, 1)) == ("4", "8"))
    h.write("pins.conf", CLOCKS)
    u.p.send_signal(1)
    h.wait_for("and back", lambda: (cpu_of(u, 0), cpu_of(u, 1)) == ("0", "8"))
    h.write("pins.conf", CLOCKS + 'cpus = "4,5";\n')
    u.p.send_signal(1)
    h.wait_for("a mistake is refused", lambda: "reload failed" in u.text())
    assert "CPU 4 and CPU 5 are both on socket 0" in u.text(), u.text()
    assert (cpu_of(u, 0), cpu_of(u, 1)) == ("0", "8") and u.stop() == 0


def test_mistakes():
    """Both sockets of the model have eight CPUs."""
    for value, words in (("0,16", "CPU 16 does not exist"), ("0", "no CPU of socket 1 is named"),
                         ("8", "no CPU of socket 0 is named"),
                         ("0,7", "CPU 0 and CPU 7 are both on socket 0"),
                         ("0,0", "CPU 0 and CPU 0 are both on socket 0"),
                         ("0,8,9", "CPU 8 and CPU 9 are both on socket 1"),
                         ("0-8", "expected the number of a CPU"), ("0,", "expected the number"),
                         ("0,8192", "expected the number"), ("0,-1", "expected the number"),
                         ("0 1", "expected the number")):
        c = h.write("mistake.conf", '\ncpus = "%s";\n' % value)
        code, _, err = h.run(h.UNCORED, "--engine", "model", "-c", c, "--check-config")
        assert code == 78 and "mistake.conf:2: cpus" in err and words in err, (value, code, err)
    c = h.write("right.conf", 'cpus = " 15 ,0";\n')
    for args, said in ((["--engine", "model"], ""),
                       (["--processor", "nehalem-ex"], "`cpus` names are not checked")):
        code, _, err = h.run(h.UNCORED, *args, "-c", c, "--check-config")
        assert code == 0 and err.count("cpus") == bool(said) and said in err, (args, code, err)
    # a machine that is elsewhere has other CPUs
    code, _, err = h.run(h.CTL, "plan", "--processor", "ivytown", "-c",
                         h.write("else.conf", 'cpus = "77,99";\n'))
    assert code == 0, (code, err)


def threads(u):
    """{name: its number}"""
    at = "/proc/%d/task" % u.pid
    return {h.read("%s/%s/comm" % (at, t)).strip(): int(t) for t in os.listdir(at)}


def allowed(u, name):
    """CPUs that the thread may run on"""
    return os.sched_getaffinity(threads(u)[name])


def real(name, text, **kw):
    """On this machine's kernel."""
    c = h.write(name + ".conf", text)
    p = h.Process([h.UNCORED, "--listen", "127.0.0.1:0", "--engine", "perf", "-c", c], name, **kw)
    url = p.serving(may_end=True)
    if not url and p.p.poll() in (69, 77):
        h.skip("perf may not count here: " + p.text())
    assert url, p.text()
    p.__class__ = h.Uncored
    p.url = url
    h.wait_for("it is ready", lambda: p.get("/-/ready")[0] == 200)
    return p


def last_cpu():
    """The highest CPU of this machine that we may run on, if it has one socket."""
    packages = {h.read("/sys/devices/system/cpu/cpu%d/topology/physical_package_id" % c)
                for c in os.sched_getaffinity(0)}
    if len(packages) != 1:
        h.skip("this machine has more than one socket")
    return max(os.sched_getaffinity(0))


def test_the_thread_runs_there():
    cpu = last_cpu()
    u = real("real", REAL + 'cpus = "%d";\n' % cpu)
    assert allowed(u, "sampler-0") == {cpu}, threads(u)
    assert cpu_of(u, 0) == str(cpu) and u.metrics()[PINNED] == "1"
    # a PMU without a cpumask is counted by the CPU that its events are opened on
    assert "counted on CPU %d alone" % cpu in u.get("/metrics")[2].decode()
    assert u.stop() == 0


def test_one_that_cannot_be_bound():
    """sched_setaffinity is system call 203."""
    cpu = last_cpu()
    u = real("unbound", REAL + 'cpus = "%d";\n' % cpu, preexec_fn=h.deny(203, errno.EINVAL))
    h.wait_for("it samples", lambda: u.value('uncored_samples_total{socket="0"}') >= 3)
    assert u.metrics()[PINNED] == "0", u.metrics()
    assert int(cpu_of(u, 0)) in os.sched_getaffinity(u.pid)
    assert u.text().count("cannot bind its sampler to the CPU") == 1, u.text()
    assert u.stop() == 0


def test_one_that_must_not_be_bound():
    """As under the unit: the thread is elsewhere, and the series does not follow it."""
    cpu = last_cpu()
    u = real("barred", REAL + 'cpus = "%d";\n' % cpu, preexec_fn=h.deny(203, errno.EPERM))
    os.sched_setaffinity(threads(u)["sampler-0"], {0})
    seen = u.value('uncored_samples_total{socket="0"}')
    h.wait_for("it samples", lambda: u.value('uncored_samples_total{socket="0"}') >= seen + 3)
    assert allowed(u, "sampler-0") == {0}, (threads(u), allowed(u, "sampler-0"))
    assert u.metrics()[PINNED] == "0", u.metrics()
    assert cpu_of(u, 0) == str(cpu), "the CPU through which it reads"
    assert u.text().count("systemd/bound.conf permits it") == 1, u.text()
    assert u.stop() == 0


h.main(sys.modules[__name__])
