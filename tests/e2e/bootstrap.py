# SPDX-License-Identifier: MIT
"""bootstrap.py - ./bootstrap run and check with stand-ins for apt, make and the programs: what they
do with each exit code, with packages that are missing, and with tests that were skipped; and how
the runners of tests take a skip."""
import json
import os
import shutil
import subprocess
import sys

import harness as h

NOTHING = {"counts": False, "processor": {"register_family": False, "hypervisor": False},
           "pmus": [{"box": "msr", "uncore": False}]}


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

    def uncored(self, text, doctor=NOTHING):
        """A program for which the arguments are in the file args, a line each time."""
        self.text("doctor.json", json.dumps(doctor, indent=2))
        script(self.at + "/build/uncored", 'echo "$*" >>args\n' + text)
        script(self.at + "/build/uncorectl", 'echo "$*" >>asked\ncat doctor.json\nexit 69')

    def run(self, *args):
        env = dict(os.environ, PATH=self.bin + ":" + os.environ["PATH"])
        env.pop("CI", None)
        p = subprocess.run(["bash", "./bootstrap", *args], cwd=self.at, env=env,
                           capture_output=True, text=True, timeout=6 * h.PATIENCE)
        return p.returncode, p.stdout, p.stderr


def run(code, *args, doctor=NOTHING, uid=0):
    """./bootstrap run where uncored ends with the code, and the model with 0: (exit code, what was
    said, its starts)."""
    shutil.rmtree(h.path("tree"), ignore_errors=True)
    shutil.rmtree(h.path("bin"), ignore_errors=True)
    t = Tree(uid)
    t.uncored("case $* in *model:*) exit 0 ;; esac\nexit %d" % code, doctor)
    rc, _, err = t.run("run", *args)
    return rc, err, t.text("args").splitlines()


def test_the_model_only_where_nothing_counts():
    rc, err, starts = run(69)
    assert rc == 0 and "SIMULATED" in err and len(starts) == 2, (rc, err, starts)
    assert "model" not in starts[0] and "model:nehalem-ex:day" in starts[1], starts
    vm = dict(NOTHING, processor={"register_family": True, "hypervisor": True})
    assert run(69, doctor=vm)[0] == 0
    for doctor in (dict(NOTHING, counts=True),
                   dict(NOTHING, pmus=[{"box": "uncore_imc", "uncore": True}]),
                   dict(NOTHING, processor={"register_family": True, "hypervisor": False}),
                   {"counts": False}):
        rc, err, starts = run(69, doctor=doctor)
        assert rc == 69 and "SIMULATED" not in err, (doctor, rc, err, starts)
        assert "uncorectl doctor" in err and len(starts) == 1, (doctor, rc, err, starts)


def test_an_engine_that_was_asked_for_is_not_replaced():
    for args in (("--engine", "perf"), ("--engine=registers",), ("--eng", "perf"), ("--e=perf",),
                 ("-c", "my.conf", "--engine", "perf")):
        rc, err, starts = run(69, *args)
        assert rc == 69 and "SIMULATED" not in err and len(starts) == 1, (args, rc, err, starts)
    # in the file: what doctor says of it then
    rc, err, starts = run(69, "-c",
                          "my.conf",
                          doctor=dict(NOTHING, engine={"engine": "perf",
                                                       "why": "engine perf, as configured"}))
    assert rc == 69 and "SIMULATED" not in err and len(starts) == 1, (rc, err, starts)


def test_other_ends_are_said_as_what_they_are():
    for code, words in ((64, "--help"), (70, ""), (75, "./bootstrap run -c my.conf"),
                        (77, "./bootstrap run --engine=model:nehalem-ex:day"),
                        (78, "./bootstrap run -c my.conf"), (143, "")):
        rc, err, starts = run(code, "-c", "my.conf")
        assert rc == code and "SIMULATED" not in err and "sudo" not in err, (code, rc, err, starts)
        assert words in err and len(starts) == 1, (code, rc, err, starts)
    rc, err, _ = run(77, "-c", "my file", uid=1000)
    assert rc == 77 and "sudo ./bootstrap run -c my\\ file;" in err, err
    assert "--engine=model:" in err, err


def test_doctor_is_asked_about_the_same_configuration():
    run(69, "-c", "a.conf", "--path-sysfs", "/s", "--path-dev=/d", "--log-level", "debug")
    with open(h.path("tree/asked")) as f:
        assert f.read() == "doctor --json -c a.conf --path-sysfs /s --path-dev=/d\n"


def test_the_run_directory_is_ours():
    """Not a name below /tmp, which anybody may have made; both starts have the same."""
    where = h.path("tree/build/run-0")
    for start in run(69)[2]:
        assert "--path-run " + where in start, start
    assert os.stat(where).st_mode & 0o777 == 0o700


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
    for name, without, with_ci in (("skips", 77, 1), ("part", 0, 1), ("other", 77, 77)):
        assert outcome("run.sh", [h.path(name)], "")[0] == without, name
        assert outcome("run.sh", [h.path(name)], "true")[0] == with_ci, name
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
