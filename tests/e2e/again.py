# SPDX-License-Identifier: MIT
"""again.py - exit codes of starts that fail: 75 is what may pass by itself, so that the unit tries
again; the rest takes a person."""
import errno
import os
import re
import resource
import shutil
import signal
import sys

import harness as h

CONF = """groups = ( { name = "memory"; events = [ "bbox/IMT_VALID_OCCUPANCY",
    "wbox/CLOCKTICKS" ]; } );
"""
MODEL = ["--engine", "model:nehalem-ex", "--listen", "127.0.0.1:0"]
MEMFD_CREATE, CLONE, VFORK, EPOLL_CREATE1 = 319, 56, 58, 291         # of x86-64
FORK, SIBLING = 0x1200011, 0x8011       # first arguments of CLONE


def start(*args, argv0=(), **kw):
    """(exit code, messages) of a start that has to fail."""
    p = h.Process([*argv0, h.UNCORED, *args], "start-%d" % len(os.listdir(h.path(""))), **kw)
    return p.p.wait(h.PATIENCE), p.text()


def test_a_call_that_is_short_of_something():
    c = h.write("short.conf", CONF)
    for call, first, code, words in (
            (MEMFD_CREATE, None, errno.ENOMEM, "shared memory"),
            (MEMFD_CREATE, None, errno.EMFILE, "shared memory"),
            (CLONE, FORK, errno.EAGAIN, "cannot start the process that reads it"),
            (VFORK, None, errno.EAGAIN, "cannot start the http process"),
            (EPOLL_CREATE1, None, errno.ENFILE, "event loop")):
        if h.TSAN and call == VFORK:            # which is a fork there
            continue
        got, err = start("-c", c, *MODEL, preexec_fn=h.deny(call, code, first))
        assert got == 75 and words in err and os.strerror(code) in err, (call, code, got, err)


def test_no_spawner():
    if os.path.exists("/etc/uncored.conf"):
        h.skip("a file is read by the fork that is denied, and /etc/uncored.conf is there")
    got, err = start(*MODEL, preexec_fn=h.deny(CLONE, errno.EAGAIN, FORK))
    assert got == 75 and "cannot start the spawner: " + os.strerror(errno.EAGAIN) in err, (got, err)


def test_no_process_for_a_reload():
    """The spawner cannot leave another one behind: it says so, and asked again it tries again."""
    u = h.Process([h.UNCORED, "-c", h.write("full.conf", CONF), *MODEL], "full",
                  preexec_fn=h.deny(CLONE, errno.EAGAIN, SIBLING))
    u.serving()
    for n in (1, 2):
        u.p.send_signal(signal.SIGHUP)
        h.wait_for("it says why not", lambda n=n: u.text().count(
            "cannot start the process that checks the configuration: " +
            os.strerror(errno.EAGAIN)) == n)
    assert u.text().count("the old configuration stays in use") == 2, u.text()
    u.stop()


def test_however_few_descriptors():
    if h.SANITIZED:
        h.skip("the sanitizer's look for leaks takes descriptors, too")
    c, codes = h.write("few.conf", CONF), []
    for n in range(4, 24):
        code, _, err = h.run("prlimit", "--nofile=%d:%d" % (n, n), h.UNCORED,
                             "--once", "-c", c, *MODEL)
        if "shared libraries" not in err:       # the loader's own message
            codes.append(code)
            assert code == 0 or (code == 75 and re.search(
                "Too many open files|may open %d in all" % n, err)), (n, code, err)
    assert codes[0] == 75 and codes[-1] == 0, codes
    for n in range(4, 16):                      # one that is to serve has more
        code, err = start("-c", c, *MODEL, argv0=["prlimit", "--nofile=%d:%d" % (n, n)])
        if "shared libraries" not in err:
            assert code == 75 and re.search(
                "Too many open files|may open %d in all" % n, err), (n, code, err)
            assert not re.search("proc mounted|reinstall|TasksMax", err), (n, err)


def many_files():
    """Options for a machine of two sockets, 30 instances and three events: 180 files."""
    root = h.tree(h.write(
        "files.txt", "cpuinfo GenuineIntel 6 79 1\ncpu 0-0 socket 0\ncpu 1-1 socket 1\n"
        "PMU uncore_imc_{0-29} type=1 cpumask=0,1\n  format event=config:0-7\n"
        "  events one=event=0x0 two=event=0x1 three=event=0x2\n"))
    for i in range(30):                         # of PERF_TYPE_SOFTWARE, so that they really open
        with open("%s/bus/event_source/devices/uncore_imc_%d/type" % (root, i), "w") as f:
            f.write("1\n")
    conf = h.write("files.conf", 'interval = "50ms"; groups = ( { name = "g"; events = [ %s ]; } );'
                   % ", ".join('"perf/uncore_imc/%s/"' % e for e in ("one", "two", "three")))
    return ["--path-sysfs", root, "--path-procfs", root, "--path-run", root + "/run", "-c", conf]


def test_a_file_for_each_event():
    """With fewer it says once how many it needs, how many it may have and what is enough for a
    reload."""
    paths = many_files()

    def tried(n, *more):
        return h.run("prlimit", "--nofile=%d:%d" % (n, n), h.UNCORED, *more, *paths)

    code, out, err = tried(4096, "--once")
    if "CAP_PERFMON" in err:
        h.skip("perf events of whole CPUs are not allowed")
    series = re.findall("(?m)^uncore_imc_(?:one|two|three)_total", out)
    assert code == 0 and len(series) == 180, (code, err)
    need = 0
    for n in (40, 100, 175, 182):
        code, out, err = tried(n, "--once")
        said = re.findall(r"keeps (\d+) files open beside (\d+) others, but uncored may open (\d+) "
                          r"in all: raise LimitNOFILE= in the unit, or ulimit -n, to (\d+)", err)
        assert code == 75 and not out and len(said) == 1, (n, code, err)
        files, others, limit, enough = map(int, said[0])
        assert files == 180 and limit == n < files + others and enough > 2 * files, (n, err)
        assert err.count("LimitNOFILE") == 1 and err.count("\n") <= 3, err
        need = files + others
    code, out, err = tried(need + 8, "--once")
    assert code == 0, (need, code, err)
    code, out, err = tried(4096, "--check-config")
    assert code == 0 and "files" not in err, (code, err)
    code, out, err = h.run(h.CTL, "doctor", *paths)
    assert re.search(r"ok +open files +180 while it counts, .* the unit allows \d+", out), out


def test_a_reload_has_the_files_of_two_plans():
    """Of both at once: with one file less than these it is refused, and what counts goes on."""
    paths = many_files()
    u = h.Uncored(*paths)
    others = len(os.listdir("/proc/%d/fd" % u.pid)) - 180
    need, enough = 2 * 180 + others, 2 * 180 + 64
    most = resource.prlimit(u.pid, resource.RLIMIT_NOFILE)[1]
    assert need <= enough, others
    raise_it = "raise LimitNOFILE= in the unit, or ulimit -n, to %d" % enough
    # nor is one that has hardly any left at a loss for numbers, nor one that is short of the last
    for limit, says in (*((180 + others + n, raise_it) for n in range(8)),
                        *((need + n, raise_it) for n in range(-1, 4)),
                        (enough, "read again"), (enough, "read again")):
        before = len(u.text())
        resource.prlimit(u.pid, resource.RLIMIT_NOFILE, (limit, most))
        u.p.send_signal(signal.SIGHUP)
        h.wait_for(says, lambda before=before: re.search("reload failed|read again",
                                                         u.text()[before:]))
        assert says in u.text()[before:], u.text()
        assert len(os.listdir("/proc/%d/fd" % u.pid)) == 180 + others, u.text()
    assert u.stop() == 0


def test_however_short_a_file():
    """Of the shared memory, too: with each limit of its size it is made, or the limit is named."""
    c, code = h.write("short-file.conf", CONF), -1
    for pages in range(1, 64):
        code, _, err = h.run("prlimit", "--fsize=%d" % (pages * 4096), h.UNCORED,
                             "--once", "-c", c, *MODEL)
        if code == 0:
            break
        h.skip_tsan_bus(err)
        assert code == 69 and "File too large: raise the limit (ulimit" in err, (pages, code, err)
    assert code == 0 and pages > 2, (pages, code)


def test_the_configuration_file():
    """/proc/self/mem is a file whose first byte cannot be read: EIO."""
    assert start("-c", "/proc/self/mem", *MODEL)[0] == 75
    assert start("-c", h.path("absent.conf"), *MODEL)[0] == 78
    assert start("-c", h.path(""), *MODEL)[0] == 78
    c = h.write("closed.conf", CONF)
    prefix = []
    if os.getuid() == 0:
        prefix = ["setpriv", "--inh-caps=-all", "--bounding-set=-all"]
        os.chown(c, 65534, 65534)
        os.chmod(c, 0o600)
    else:
        os.chmod(c, 0)
    code, _, err = h.run(*prefix, h.UNCORED, "--check-config", "-c", c, *MODEL)
    assert code == 77 and "Permission denied" in err, (code, err)


def test_registers_of_another_user():
    """Nobody chose an engine and the kernel's driver is not there: it is the permission that is
    missing, whatever else is said."""
    paths = machine("nehalem_ex", "")
    dev = paths[paths.index("--path-dev") + 1]
    for cpu in range(4):
        os.makedirs("%s/cpu/%d" % (dev, cpu))
        with open("%s/cpu/%d/msr" % (dev, cpu), "w"):
            pass
        if os.getuid() == 0:
            os.chown("%s/cpu/%d/msr" % (dev, cpu), 65534, 65534)
        os.chmod("%s/cpu/%d/msr" % (dev, cpu), 0o600 if os.getuid() == 0 else 0)
    prefix = ["setpriv", "--inh-caps=-all", "--bounding-set=-all"] if os.getuid() == 0 else []
    for conf in ("# defaults\n", CONF):
        code, _, err = h.run(*prefix, h.UNCORED, "-c", h.write("user.conf", conf), *paths)
        assert code == 77 and "cannot access the registers of " in err, (conf, code, err)
        assert "uncorectl doctor says what to do" in err, (conf, code, err)
        assert "try again" not in err, (conf, code, err)
    code, _, err = h.run(*prefix, h.UNCORED, "-c", h.write("user.conf", "nonsense = 1;"), *paths)
    assert code == 78, (code, err)


def machine(name, flags):
    """The tree of a machine whose kernel's uncore driver is not loaded."""
    root = h.tree(name)
    pmus = root + "/bus/event_source/devices"
    for pmu in os.listdir(pmus):
        if pmu.startswith(("uncore", "power", "amd")):
            shutil.rmtree(os.path.join(pmus, pmu))
            continue
        # else its number may be that of this machine's uprobes, which take CAP_SYS_ADMIN
        with open(os.path.join(pmus, pmu, "type"), "w") as f:
            f.write("9999\n")
    with open(root + "/cpuinfo") as f:
        text = f.read().rstrip("\n")
    with open(root + "/cpuinfo", "w") as f:
        f.write(text + "\nflags\t\t: fpu msr %s sse2\n\n" % flags)
    return ["--path-sysfs", root, "--path-procfs", root, "--path-dev", root + "/dev",
            "--path-run", root + "/run",
            "--listen", "127.0.0.1:0"]


def test_a_module_that_is_missing():
    empty = ["-c", h.write("empty.conf", "# defaults\n")]
    boxes = ["-c", h.write("boxes.conf", CONF)]
    imc = ["-c", h.write("imc.conf", 'groups = ( { name = "g"; events = [ '
                                     '"perf/uncore_imc/cas_count_read/" ]; } );')]
    wrong = ["-c", h.write("wrong.conf", "nonsense = 1;")]
    forbidden = ""
    msr, driver = "the msr module is not loaded", "the kernel's uncore driver is not loaded"
    for name, args, code, words in (
            ("nehalem_ex", [*empty], 75, msr), ("nehalem_ex", [*boxes], 75, msr),
            ("nehalem_ex", [*boxes, "--engine", "registers"], 75, msr),
            ("nehalem_ex", wrong, 78, "nonsense"),
            # it asks for no module
            ("nehalem_ex", [*boxes, "--engine", "perf"], 78, "perf engine"),
            ("skx", empty, 75, driver), ("skx", imc, 75, driver), ("zen4", empty, 75, driver),
            ("skx", [*boxes, "--engine", "registers"], 69, "so it writes none"),
            ("skx", wrong, 78, "nonsense")):
        got, err = start(*args, *machine(name, ""))
        if got == 77 and "perf_event_paranoid" in err and os.geteuid() != 0:
            forbidden = err
            continue
        assert got == code and words in err, (name, args, got, err)
        # A guest has neither, however long it waits.
        got, err = start(*args, *machine(name, "hypervisor"))
        assert got != 75 and "try again" not in err, (name, args, got, err)
    if forbidden:
        h.skip("the rest is good, but not all could be tried without a permission: " +
               forbidden.strip())


h.main(sys.modules[__name__])
