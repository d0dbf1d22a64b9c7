# SPDX-License-Identifier: MIT
"""bootstrap.py - the real ./bootstrap run, uncored and doctor on trees of machines: where it
simulates and how it ends. What ./bootstrap does with packages that are missing and with tests that
were skipped, with stand-ins for apt and make; how the runners of tests take a skip."""
import json
import os
import shutil
import signal
import subprocess
import sys
import urllib.request

import harness as h

def script(path, text):
    with open(path, "w") as f:
        f.write("#!/bin/bash\n" + text + "\n")
    os.chmod(path, 0o755)


class Tree:
    """A source tree that is configured, and a Debian that has everything, both by their looks
    only."""

    def __init__(self, uid=0):
        self.at, self.bin = h.path("tree"), h.path("bin")
        for d in (self.at + "/build", self.bin):
            os.makedirs(d)
        shutil.copy(os.path.join(h.SRC, "bootstrap"), self.at)
        for name in ("configure.ac", "build/Makefile"):
            open(os.path.join(self.at, name), "w").close()
        script(self.at + "/configure", "echo configure $* >>log")
        script(self.at + "/build/config.status", "echo config.status $* >>../log")
        script(self.bin + "/dpkg-query",
               'grep -qx "${!#}" "%s/missing" 2>/dev/null || echo install ok installed' % self.at)
        script(self.bin + "/apt-cache", '! grep -qx "$2" "%s/lacking"' % self.at)
        script(self.bin + "/apt-get", "echo apt-get $* >>log")
        script(self.bin + "/make", "echo CI=$CI make $* >>log")
        script(self.bin + "/sudo", '"$@"')
        script(self.bin + "/id", "echo %d" % uid)

    def text(self, name, text=None):
        with open(os.path.join(self.at, name), "r" if text is None else "w") as f:
            return f.read() if text is None else f.write(text)

    def run(self, *args):
        env = dict(os.environ, PATH=self.bin + ":" + os.environ["PATH"])
        env.pop("CI", None)
        p = subprocess.run(["bash", "./bootstrap", *args], cwd=self.at, env=env,
                           capture_output=True, text=True, timeout=6 * h.PATIENCE)
        return p.returncode, p.stdout, p.stderr


def machine(root, flags="fpu", model=7, family=99, pmus=None, **files):
    """sysfs, proc and dev of one socket in the directory `root`, with PMUs of the type of software
    events, so that the real kernel counts them."""
    files.update({"cpuinfo": "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: %d\n"
                             "model\t\t: %d\nstepping\t: 1\nflags\t\t: %s\n" % (
                                 family, model, flags),
                  "devices/system/cpu/online": "0",
                  "devices/system/cpu/cpu0/topology/physical_package_id": "0",
                  "devices/system/cpu/cpu0/topology/core_id": "0"})
    for pmu, events in (pmus or {}).items():
        at = "bus/event_source/devices/%s/" % pmu
        files.update({at + "type": "1", at + "cpumask": "0", at + "format/event": "config:0-63"})
        for event, config in events.items():
            files.update({at + "events/" + event: "event=" + config,
                          at + "events/%s.scale" % event: "2.3283064365386962890625e-10",
                          at + "events/%s.unit" % event: "Joules"})
    for name, text in files.items():
        at = os.path.join(root, name)
        os.makedirs(os.path.dirname(at), exist_ok=True)
        with open(at, "w") as f:
            f.write(text + "\n")
    return ["--path-sysfs", root, "--path-procfs=" + root, "--path-dev", root + "/dev"]


DEAD, ALIVE = "0x09", "0x00"        # PERF_COUNT_SW_DUMMY, _CPU_CLOCK
PSYS = {"power": {"energy-psys": DEAD}}
DEFAULTS = "# what is ready-made\n"


class Run:
    """./bootstrap run with the real programs, in the tree, until it serves or ends."""

    def __init__(self, *args, uid=0, conf=DEFAULTS):
        shutil.rmtree(h.path("tree"), ignore_errors=True)
        shutil.rmtree(h.path("bin"), ignore_errors=True)
        t = Tree(uid)
        for program in (h.UNCORED, h.CTL):
            os.symlink(program, os.path.join(t.at, "build", os.path.basename(program)))
        t.text("a.conf", conf)
        self.at = t.at
        env = {"PATH": t.bin + ":" + os.environ["PATH"], "NOTIFY_SOCKET": ""}
        self.p = h.Process(["bash", "./bootstrap", "run", "-c", "a.conf", "--listen",
                            "127.0.0.1:0", *args], "run", env=env, cwd=t.at,
                           start_new_session=True)
        self.url = self.p.serving(True, 6 * h.PATIENCE)
        self.err = self.p.text()
        self.code = None if self.p.running() else self.p.p.returncode

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=h.PATIENCE) as r:
            return r.read().decode()

    def end(self):
        os.killpg(self.p.pid, signal.SIGTERM)
        self.p.p.wait(h.PATIENCE)


def simulates(*args, **kw):
    r = Run(*args, **kw)
    assert r.code is None and r.err.count("* SIMULATED: what follows") == 1, (r.code, r.err)
    assert "conf" in kw or r.err.index("nothing to count: ") < r.err.index("SIMULATED"), r.err
    h.wait_for("it counts", lambda: "uncore_" in r.get("/metrics"))
    assert 'engine="model"' in r.get("/metrics") and "SIMULATED" in r.get("/"), r.err
    status = json.loads(r.get("/api/v1/status"))
    assert status["simulated"] and status["workload"] == "day", status
    assert "a model of the server spr" in r.err, r.err
    return r


def ends(code, *args, words="", **kw):
    r = Run(*args, **kw)
    assert r.code == code and "SIMULATED" not in r.err, (code, r.code, r.err)
    assert words in r.err.splitlines()[-1], r.err
    return r.err


def may_count():
    code, _, err = h.run(h.UNCORED, "--once", "--engine", "perf", "-c", h.write(
        "may.conf", 'groups = ( { name = "g"; events = [ "perf/software/cpu-clock/" ]; } );\n'))
    if code:
        h.skip("perf may not count here: " + err)


def test_the_model_only_where_nothing_counts():
    """A machine without PMUs; one whose energy never rises; virtual machines: one with the host's
    energy, one of a processor whose registers uncored knows."""
    may_count()
    n = 0
    for what in ({}, {"pmus": PSYS}, {"flags": "fpu hypervisor", "pmus": PSYS},
                 {"flags": "fpu hypervisor", "pmus": {"power": {"energy-pkg": ALIVE}}},
                 {"flags": "fpu hypervisor", "family": 6, "model": 46}):
        n += 1
        simulates(*machine(h.path("m%d" % n), **what)).end()
    # what could count once it is loaded, permitted or configured; what does count
    ends(75, *machine(h.path("known"), family=6, model=46), words="run it again: ./bootstrap run")
    ends(69, *machine(h.path("uncore"), pmus={"uncore_x": {"ticks": "0xff"}}),
         words="uncorectl doctor; to try it on simulated")
    r = Run(*machine(h.path("real"), pmus={"power": {"energy-pkg": ALIVE, "energy-psys": DEAD}}))
    assert r.code is None and "SIMULATED" not in r.err, r.err
    h.wait_for("it counts", lambda: "uncore_package_power_watts{" in r.get("/metrics"))
    assert r.err.count("Only energy and sleep states are counted") == 1, r.err
    r.end()


def test_an_engine_that_was_asked_for_is_not_replaced():
    """Nor one in the file, of which doctor is told, as of the paths."""
    where = machine(h.path("nothing"))
    for args in (("--engine", "perf"), ("--engine=perf",), ("--engine=registers",)):
        ends(69, *where, *args)
    ends(69, *where, conf='engine = "perf";\n')


OWN = 'groups = ( { name = "mine"; metrics = [ "%s" ]; } );\n'
READ = OWN % "memory_read_bytes_total"


def test_a_file_for_a_server():
    """A laptop has no counters for its groups, and is not what it is for: it is tried for the
    simulated server. What does not fit that, either, is a mistake of the file."""
    may_count()
    nothing = machine(h.path("laptop"))
    r = simulates(*nothing, conf=READ)
    for socket in "01":
        own = 'uncored_group_active_seconds_total{socket="%s",group="mine"}' % socket
        h.wait_for(own, lambda own=own: own in r.get("/metrics"))
    assert "a.conf:" not in r.err, r.err
    r.end()
    simulates(*machine(h.path("guest"), flags="fpu hypervisor", pmus=PSYS), conf=READ).end()
    for wrong, said in (OWN % "memory_raed_bytes_total", "a.conf:1: "), \
            ('groups = ( { name = "g"; events = [ "perf/uncore_none/x/" ]; } );\n', "a.conf:1: "), \
            ("groups = (\n{;\n", "a.conf:2: "):
        err = ends(78, *nothing, conf=wrong, words="once that is mended, run it again: ./bootstrap")
        assert said in err and "tried for a simulated server" in err, err
    # a machine that counts something refuses what it lacks
    err = ends(78, *machine(h.path("counts"), pmus={"power": {"energy-pkg": ALIVE}}), conf=READ)
    assert "simulated server" not in err and "a.conf:1: " in err, err


def test_other_ends_are_said_as_what_they_are():
    known = {"family": 6, "model": 46}
    locked = machine(h.path("locked"), **known, **{
        "kernel/security/lockdown": "none [integrity] confidentiality", "dev/cpu/0/msr": ""})
    ends(64, "--no-such-option", words="build/uncored --help")
    ends(78, conf="interval = 7;\n", words="./bootstrap run -c a.conf --listen")
    ends(77, *locked, words="uncorectl doctor; to try it on simulated counters: ./bootstrap run "
                            "--engine=model:spr:day")
    err = ends(77, *locked, "--log-level", "debug", uid=1000,
               words="as root: sudo ./bootstrap run -c a.conf")
    assert "--engine=model:" in err, err


def test_the_run_directory_is_ours():
    """Not a name below /tmp, which anybody may have made; both starts have the same."""
    r = simulates(*machine(h.path("ours")))
    where = r.at + "/build/run-0"
    assert ("--path-run\0%s\0" % where) in h.read("/proc/%d/cmdline" % r.p.pid)
    assert os.stat(where).st_mode & 0o777 == 0o700 and \
        not [name for name in os.listdir("/tmp") if name.startswith("run-0")]
    r.end()


SUITE = """# TOTAL: %d
# PASS:  %d
# SKIP:  %d
# XFAIL: 0
# FAIL:  %d
# XPASS: 0
# ERROR: 1

SKIP: systemd-analyze cannot rate
SKIP systemd/check-unit.sh (exit status: 77)
# PASS:  7
ok 3 - test_smi # SKIP no perf/msr/smi/ here
SKIP: tests/e2e/perf_real.py 3 - test_smi # SKIP no perf/msr/smi/ here
"""


def test_the_last_line_counts():
    t = Tree()
    t.text("suite", SUITE % (300, 295, 1, 3))
    for code in (0, 2):
        script(t.bin + "/make", "case $* in *check*) echo CI=$CI >>log; cp suite "
                                "build/test-suite.log; exit %d ;; esac" % code)
        rc, out, err = t.run("check")
        assert rc == code, (rc, out, err)
        assert out.splitlines()[-1] == "295 passed, 4 failed, 1 skipped", (rc, out, err)
        assert out.count("SKIP: ") == 2 and "SKIP systemd/check-unit.sh" in out, out
        assert "perf_real.py 3 - test_smi # SKIP no perf" in out, out
    assert t.text("log") == "CI=true\n" * 2
    # a test that does not compile; no count of before
    script(t.bin + "/make", "case $* in *check*) exit 2 ;; esac")
    rc, out, err = t.run("check")
    assert rc == 1 and "passed" not in out and "did not come to an end" in err, (rc, out, err)


def test_the_build_with_libpfm4():
    """Beside the other, strictly; configured so whatever is installed, and not each time."""
    t = Tree()
    os.mkdir(t.at + "/build-pfm")
    t.text("missing", "libpfm4-dev\n")
    t.text("suite", SUITE % (3, 2, 1, 0))
    script(t.bin + "/make", 'echo make "$@" >>log\n'
           "case $* in *quickcheck) cp suite build-pfm/test-suite.log ;; esac")
    script(t.at + "/configure", "pwd >>../log; echo configure $* >>../log; touch Makefile")
    script(t.at + "/build-pfm/config.status", "")
    rc, out, err = t.run("check-pfm")
    assert rc == 0 and out.splitlines()[-1] == "2 passed, 1 failed, 1 skipped", (rc, out, err)
    log = t.text("log").splitlines()
    assert log[1].endswith("recommends libpfm4-dev") and log[2] == t.at + "/build-pfm", log
    assert log[3] == "configure --prefix=/usr --with-libpfm", log
    assert all("-C build-pfm" in made and "-Werror" in made for made in log[4:]), log
    assert len(log) == 6 and log[5].endswith(" quickcheck"), log
    t.run("check-pfm", "CC=cc")
    assert "configure --prefix=/usr --with-libpfm CC=cc" in t.text("log"), t.text("log")
    t.text("log", "")
    t.run("check-pfm")
    assert "configure" not in t.text("log"), t.text("log")


def test_a_package_that_the_release_lacks():
    t = Tree()
    t.text("missing", "valgrind\nlinux-perf\ncurl\n")
    t.text("lacking", "valgrind\n")
    t.text("suite", SUITE % (3, 2, 1, 0))
    script(t.bin + "/make",
           "case $* in *check*) echo CI=$CI >>log; cp suite build/test-suite.log ;; esac")
    rc, _, err = t.run("check")
    log = t.text("log").splitlines()
    assert rc == 0 and "has no package valgrind;" in err, (rc, err)
    assert log[0].startswith("apt-get update") and log[1].startswith("apt-get install"), log
    assert log[1].endswith("recommends curl linux-perf"), log
    assert log[-1] == "CI=", log                                    # what needs it may be skipped


def test_configure_runs_again_after_an_installation():
    if not os.path.exists("/var/lib/dpkg/status"):
        h.skip("this is no Debian")
    t = Tree()
    t.run("build")
    assert "config.status" not in t.text("log"), t.text("log")
    os.utime(t.at + "/build/config.status", (0, 0))
    t.run("build")
    assert "config.status --recheck\nconfig.status\n" in t.text("log"), t.text("log")


def outcome(runner, test, ci, path=None):
    """What a runner of tests makes of a test."""
    with open(h.path("log"), "w+") as log:
        env = dict(os.environ, CI=ci, PATH=path or os.environ["PATH"])
        rc = subprocess.run(["/bin/bash", os.path.join(h.SRC, "tests", runner), *test], env=env,
                            stdout=log, stderr=log).returncode
        log.seek(0)
        return rc, log.read()


def test_what_is_not_installed_fails_where_it_should_be():
    script(h.path("skips"), 'echo "SKIP: jq is not installed"; exit 77')
    script(h.path("part"), 'echo "skipped: promtool is not installed"')
    script(h.path("other"), 'echo "SKIP: one CPU"; exit 77')
    for name, without, with_ci in (
            ("skips", "ok 1 - skips # SKIP jq is not installed", "not ok 1"),
            ("part", "ok 1 - part", "not ok 1"),
            ("other", "ok 1 - other # SKIP one CPU", "ok 1 - other # SKIP one CPU")):
        for ci, result in ("", without), ("true", with_ci):
            last = outcome("run.sh", [h.path(name)], ci)[1].splitlines()[-1]
            assert last.startswith(result), (name, ci, last)
    planned = h.write("planned.py", 'print("1..2\\nok 1 - a # SKIP promtool is not installed\\n'
                                    'ok 2 - b # SKIP one CPU")\n')
    whole = h.write("whole.py", 'print("SKIP: perf is not installed"); raise SystemExit(77)\n')
    for ci, ok in (("", "ok"), ("true", "not ok")):
        lines = outcome("run-py.sh", [planned], ci)[1].splitlines()
        assert lines[1].startswith(ok + " 1 - a"), (ci, lines)
        assert lines[2] == "ok 2 - b # SKIP one CPU", (ci, lines)
        assert ("# SKIP" in lines[1]) == (ok == "ok"), (ci, lines)
        assert outcome("run-py.sh", [whole], ci)[1].splitlines()[2].startswith(ok + " 1 - "), ci
        # a machine without python3, whatever configure found
        assert outcome("run-py.sh", [planned], ci,
                       "/nowhere")[1].splitlines()[1].startswith(ok + " 1 - planned.py"), ci


h.main(sys.modules[__name__])
