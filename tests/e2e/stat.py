# SPDX-License-Identifier: MIT
"""stat.py - uncorectl stat: what a command's time counted, on the register model as msr files whose
clock only the command moves, so that every total is known to the last count.
"""
import csv
import functools
import glob
import io
import json
import os
import re
import select
import signal
import subprocess
import sys
import time

import harness as h
import schema

STEP = 20000000         # ns of virtual time: a plausible rate even in a window of 20 ms
CLOCK = 'uncore_wbox_clockticks_total{socket="%d",unit="0"}'
INSERTS = 'uncore_bbox_imt_inserts_all_total{socket="%d",unit="%d"}'
HERTZ = 'uncore_clock_hertz{socket="%d"}'
LATENCY = 'uncore_imt_latency_cycles{socket="%d",unit="%d"}'
DATA = {0: 0xc33, 1: 0xc73}     # of INSERTS, by unit: Xeon 7500 Uncore Programming Guide, B-Box
CONTROL = 0xc32         # B-Box 0, whose bit 0 is on while INSERTS counts


def stat(*args, **kw):
    return subprocess.run([h.CTL, "stat", *args], capture_output=True, text=True,
                          timeout=3 * h.PATIENCE, **kw)   # it starts an uncored of its own


def expect_truth(said, truth, runs=1):
    """Mean of the runs, each of which began at 0. What is derived is of all the time of a run."""
    series, longer = {s["name"]: s for s in said["series"]}, []
    for socket in (0, 1):
        for unit, address in DATA.items():
            found = series[INSERTS % (socket, unit)]
            assert sum(found["values"]) == truth[(socket, address)][0], (found, truth)
            assert abs(found["mean"] - sum(found["values"]) / runs) < 1e-6, found
            assert abs(series[LATENCY % (socket, unit)]["mean"] - 160) < 0.01, series
        clock = series[CLOCK % socket]["mean"]
        assert sum(series[CLOCK % socket]["values"]) == truth[(socket, 0x394)][0], (series, truth)
        longer.append(series[HERTZ % socket]["mean"] * said["counted_seconds"] / clock)
    # the time of one socket is the longest, which the report has; another began a little later
    assert runs > 1 or (abs(min(longer) - 1) < 0.02 and max(longer) < 1.2), longer
    return series


def moved(m, then="true"):
    """A command that moves the model's clock."""
    return ["sh", "-c", "sleep 0.5; echo advance %d >%s/control; %s" % (STEP, m.at, then)]


def test_totals_equal_the_truth():
    """One run and three; of all its time, which is longer than an interval."""
    m = h.Msrfs("--virtual")
    r = stat("-g", "memory", "-o", "json", *m.options(), "--", "sh", "-c", "; ".join(
        [moved(m)[2]] * 3))
    assert r.returncode == 0 and r.stdout, r
    said = json.loads(r.stdout)
    schema.accept(schema.validator("stat"), said, "stat")
    expect_truth(said, m.truth())
    assert said["runs"] == 1 and said["beside"] is None and said["command"][0] == "sh", said
    # three times half a second by the clock, and what uncored takes to begin and end
    assert 1.5 <= said["wall_seconds"] < h.PATIENCE, said
    assert m.register(0, CONTROL) == 0, "registers are back"
    m = h.Msrfs("--virtual")
    r = stat("-g", "memory", "-r", "3", "-o", "json", *m.options(), "--", *moved(m))
    said = json.loads(r.stdout)
    series = expect_truth(said, m.truth(), 3)
    assert all(len(s["values"]) == 3 for s in series.values()), series
    assert series[CLOCK % 0]["standard_error"] < 0.01 * series[CLOCK % 0]["mean"], series


def test_a_step_of_the_clock():
    """Somebody sets the clock while the command runs: that is no part of how long it took."""
    m = h.Msrfs("--virtual")
    r = stat("-g", "memory", "-o", "json", *m.options(), "--", *moved(m),
             env={**os.environ, **h.preloaded("step")})
    assert r.returncode == 0, r
    assert 0.5 <= json.loads(r.stdout)["wall_seconds"] < h.PATIENCE, r


def test_groups_that_take_turns():
    """A rate is that of the time in which its group counted, and says how much that was; what had
    no turn was not counted."""
    c = h.write("turns.conf", 'interval = "50ms"; rotation = "50ms"; '
                'groups = [ "memory", "writes", "llc", "links" ];')
    steady = ["--engine", "model:nehalem-ex:stream"]
    read = r'([0-9.e+]+) GB/s  uncore_memory_command_read_bytes_total\{socket="0",unit="0"\}(.*)'
    alone = re.search(read, stat("-g", "memory", *steady, "--", "sleep", "1").stderr)
    turns = re.search(read, stat("-c", c, *steady, "--", "sleep", "2").stderr)
    assert alone[2] == "" and abs(float(turns[1]) / float(alone[1]) - 1) < 0.02, (alone, turns)
    assert 10 < int(re.fullmatch(r"  \((\d+) %\)", turns[2])[1]) < 90, (alone[0], turns[0])
    said = json.loads(stat("-c", c, "-o", "json", *steady, "--", "sleep", "2").stdout)
    schema.accept(schema.validator("stat"), said, "stat")
    for s in said["series"]:
        if s["name"].startswith("uncore_memory_command_read_bytes_total{socket=\"0\",unit=\"0\""):
            assert abs(s["mean"] / s["active_seconds"] / float(alone[1]) / 1e9 - 1) < 0.02, s
            assert s["active_seconds"] < 0.9 * said["counted_seconds"], s
    # beside one that has counted for a while: of the run alone
    u = h.Uncored("-c", c, "--engine", "model:nehalem-ex:stream", "--path-run", h.path("run-turns"))
    h.wait_for("a second", lambda: u.value('uncored_active_seconds_total{socket="0"}') > 1)
    beside = re.search(read, stat("--url", u.url, "--", "sleep", "1").stderr)
    assert abs(float(beside[1]) / float(alone[1]) - 1) < 0.02, (alone, beside)
    assert 10 < int(re.fullmatch(r"  \((\d+) %\)", beside[2])[1]) < 90, beside[0]
    assert u.stop() == 0
    # an hour's turn: the others had none
    h.write("turns.conf", h.read(c).replace('rotation = "50ms"', 'rotation = "1h"'))
    text = stat("-c", c, *steady, "--", "true").stderr
    assert "not counted" in text and not re.search(r"^ +0 ", text, re.M), text
    turns = re.search(r"Some had no turn: the groups take (\d+) turns of 3600 s each\. "
                      r"Count for (\d+) s or longer\.", text)
    assert turns and int(turns[2]) == 3600 * int(turns[1]) > 3600, text
    assert "no turn" not in stat("-g", "memory", *steady, "--", "true").stderr


def test_what_is_known_later():
    """Which channels have memory shows after a minute (VALIDITY in uncored(8)): until then the use
    of all together is not known, and the report says how long it takes."""
    run = ("-M", "memory_utilization_ratio", "--engine", "model:spr")
    text = stat(*run, "--", "true").stderr
    late = [line for line in text.splitlines() if "uncore_memory_utilization_ratio" in line]
    assert late and all(line.endswith("(no_data: known after 60 s)") for line in late), text
    said = json.loads(stat(*run, "-o", "json", "--", "true").stdout)
    schema.accept(schema.validator("stat"), said, "stat")
    assert {s["known_after_seconds"] for s in said["series"] if s["mean"] is None} == {60}, said


READS = "perf/uncore_imc/cas_count_read/"


def test_events_and_metrics_of_options():
    """What is named is counted, beside a group as well, by a model of the kernel's PMUs and of
    registers; and nothing else is."""
    def families(*args):
        r = stat("-o", "json", *args, "--", "true")
        assert r.returncode == 0, (args, r)
        return {s["name"].split("{")[0] for s in json.loads(r.stdout)["series"]}

    spr = ["--engine", "model:spr"]
    assert families("-M", "clock_hertz", *spr) == {"uncore_clock_hertz"}
    two = families("-M", "clock_hertz", "-M", "memory_read_bytes_total", *spr)
    assert two == {"uncore_clock_hertz", "uncore_memory_read_bytes_total"}, two
    memory = families("-g", "memory", *spr)
    assert families("-g", "memory", "-M", "clock_hertz", *spr) == memory | {"uncore_clock_hertz"}
    # CAS_COUNT.RD counts lines, which is what the metric is made of
    assert "uncore_memory_read_bytes_total" in families("-e", READS, *spr)
    old = families("-e", "wbox/CLOCKTICKS", "--event", "bbox/IMT_INSERTS_ALL", "--engine",
                   "model:nehalem-ex")
    assert {"uncore_wbox_clockticks_total", "uncore_bbox_imt_inserts_all_total"} <= old, old
    assert not any("cbox" in name for name in old), old
    # what was copied from /metrics, of an event or a metric: of its unit alone, on each socket
    copied = ['uncore_imc_cas_count_read_total{socket="0", unit="1"}',
              'uncore_clock_hertz{socket="1",unit="0"}']
    r = stat("-o", "json", "-e", copied[0], "-e", copied[1], *spr, "--", "true")
    names = {s["name"] for s in json.loads(r.stdout)["series"]}
    assert names == {'uncore_%s{socket="%d",unit="%d"}' % (family, socket, unit)
                     for family, unit in (("imc_cas_count_read_total", 1),
                                          ("imc_cas_count_read_bytes_total", 1), ("clock_hertz", 0))
                     for socket in (0, 1)}, names
    # "_total" is its end, whatever stands before; NVIDIA has such events
    total = "uncore_nvidia_scf_pmu_cmem_wr_total_bytes_total"
    assert total in families("-e", total, "--engine", "model:grace")
    # which is an event's other name, and no series
    assert "uncore_wbox_clockticks_total" in families("-e", "uncore_clock", "--engine",
                                                      "model:nehalem-ex")
    # a machine that somebody has captured counts as the one that it was; groups of its own
    other = ["--machine", h.write("host17.txt", h.machine("spr")), "--engine", "model"]
    assert families(*other) == families(*spr)
    both = ["-e", READS, "-M", "clock_hertz"]
    assert families(*both, *other) == families(*both, *spr)
    r = stat("-g", "memroy", *other, "--", "true")
    assert r.returncode == 78 and "the nearest is 'memory'" in r.stderr, r


def test_mistakes_name_their_option():
    """Each by the text of its option, whichever others there are; uncored was not started."""
    wrong = ["-e", "perf/uncore_imc/cas_count_reed/", "-M", "fooo", "-e", "uncore_fooo_total"]
    for right in [], ["-g", "memory,llc"], ["-e", READS], ["-M", "clock_hertz"], \
            ["-g", "memory", "-M", "clock_hertz", "-e", READS]:
        r = stat(*right, *wrong, "--engine", "model:spr", "--", "true")
        assert r.returncode == 78 and r.stdout == "", r
        assert [line.partition(": ")[2].partition(": ")[0] for line in r.stderr.splitlines()] == [
            "--event perf/uncore_imc/cas_count_reed/", "--metric fooo",
            "--event uncore_fooo_total"], (right, r.stderr)
    for metric in "clock_hertz", "uncore_clock_hertz":
        r = stat("-e", metric, "--engine", "model:spr", "--", "true")
        assert r.returncode == 78 and r.stderr.endswith("uncorectl stat -M clock_hertz\n"), r
        assert stat(*r.stderr.split()[-2:], "--engine", "model:spr", "--", "true").returncode == 0
    # what the simulated kernel cannot count is known before it starts, too
    r = stat("-e", READS, "-e", "perf/uncore_imc/event=0x99,name=x/", "--engine", "model:spr",
             "--", "true")
    assert r.returncode == 78 and r.stderr.startswith(
        "uncorectl: --event perf/uncore_imc/event=0x99,name=x/: PMU uncore_imc_0, event "), r
    r = stat("-g", "memory,lcl", "-M", "clock_hertz", "--engine", "model:spr", "--", "true")
    assert r.returncode == 78 and r.stderr == \
        "uncorectl: --groups: there is no ready-made group 'lcl' here; the nearest is 'llc'\n", r
    r = stat("-g", "memory,l lc", "--engine", "model:spr", "--", "true")
    assert r.returncode == 78 and r.stderr == 'uncorectl: --groups: group name "l lc": expected ' \
        'at most 64 letters, digits, "_", "-" and "."\n', r
    r = stat(*["-M", "clock_hertz"] * 65, "--engine", "model:spr", "--", "true")
    assert r.returncode == 64 and "--metric may be given 64 times" in r.stderr, r


def test_spread_of_repeats():
    """Counts of 1, 2 and 3 steps: the mean is that of 2, the standard error 1 / sqrt(3)."""
    m = h.Msrfs("--virtual")
    at = h.path("turn")
    r = stat("-g", "memory", "-r", "3", "-o", "csv", *m.options(), "--", "sh", "-c",
             'sleep 0.5; echo x >>%s; echo advance $(wc -l <%s)00000000 >%s/control'
             % (at, at, m.at))
    rows = {row["series"]: row for row in csv.DictReader(io.StringIO(r.stdout))}
    clock = rows[CLOCK % 0]
    mean, error = float(clock["mean"]), float(clock["standard_error"])
    assert abs(mean / m.truth()[(0, 0x394)][0] - 1 / 3) < 1e-9, (clock, m.truth())
    assert abs(error / (mean / 2) - 3 ** -0.5) < 1e-3, (mean, error)
    assert clock["type"] == "counter" and clock["runs"] == "3", clock


def test_the_commands_own_output_and_exit():
    m = h.Msrfs("--virtual")
    options = ["-g", "memory", *m.options()]
    r = stat(*options, "--", *moved(m, "cat; echo out; echo err >&2; exit 7"), input="in\n")
    assert r.returncode == 7 and r.stdout == "in\nout\n", r
    assert "err\n" in r.stderr and CLOCK % 1 in r.stderr, r
    # for programs the report alone is on standard output
    r = stat(*options, "-o", "json", "--", *moved(m, "echo out"))
    assert json.loads(r.stdout)["exit_code"] == 0 and "out\n" in r.stderr, r
    r = stat(*options, "--", "sh", "-c", "kill -KILL $$")
    assert r.returncode == 128 + 9, r
    r = stat(*options, "--", "/nonexistent/program")
    assert r.returncode == 127 and "/nonexistent/program" in r.stderr, r
    assert all(m.register(cpu, CONTROL) == 0 for cpu in (0, 8))


def test_as_a_shell_runs_it():
    """A script without #!, also beside another uncored; and whoever starts us ignores the ends of
    children."""
    script = h.write("script", "exit $1\n")
    os.chmod(script, 0o755)
    u = h.Uncored("--engine", "model:nehalem-ex", "--path-run", h.path("run-shell"))
    for where in ["--engine", "model:nehalem-ex"], ["--url", u.url]:
        r = stat(*where, "--", script, "7")
        assert r.returncode == 7 and "1 run of" in r.stderr, (where, r)
        r = stat(*where, "--", script, "7",
                 preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        assert r.returncode == 7 and "1 run of" in r.stderr, (where, r)
    assert u.stop() == 0


def test_once_ends_as_its_command():
    """uncored --once -- COMMAND: the codes of a shell and a script without #!, as stat has them."""
    script = h.write("once-script", "exit $1\n")
    os.chmod(script, 0o755)
    for command, code in (([script, "7"], 7), (["sh", "-c", "kill -KILL $$"], 128 + 9),
                          (["/etc/passwd"], 126), (["/tmp"], 126), (["/no/such/program"], 127),
                          (["nosuchprogram"], 127)):
        for chld in signal.SIG_DFL, signal.SIG_IGN:
            as_starter = functools.partial(signal.signal, signal.SIGCHLD, chld)
            p = subprocess.run([h.UNCORED, "--once", "--engine", "model:nehalem-ex", "--",
                                *command], capture_output=True, text=True, preexec_fn=as_starter)
            assert p.returncode == code, (command, chld, p.returncode, p.stderr)
            assert ("cannot be run" in p.stderr) == (code in (126, 127)), (command, p.stderr)
            assert bool(p.stdout) != ("cannot be run" in p.stderr), (command, p.stdout[:100])


def lives(group):
    """Has the process group a process?"""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_interrupted():
    """As by a terminal: the command ends, and what it counted is told. SIGTERM is handed on."""
    for sig, group in (signal.SIGINT, True), (signal.SIGTERM, False):
        m = h.Msrfs("--virtual")
        p = subprocess.Popen([h.CTL, "stat", "-g", "memory", *m.options(), "--", "sleep",
                              "1000"], stderr=subprocess.PIPE, text=True, start_new_session=True)
        h.wait_for("it counts", lambda: m.register(8, CONTROL) & 1)
        time.sleep(0.2)
        if group:
            os.killpg(p.pid, sig)
        else:
            p.send_signal(sig)
        _, err = p.communicate(timeout=h.PATIENCE)
        assert p.returncode == 128 + sig and CLOCK % 0 in err, (sig, p.returncode, err)
        assert m.register(0, CONTROL) == 0, "registers are back"
        h.wait_for("nothing that it started runs", lambda p=p: not lives(p.pid))


def test_beside_one_that_runs():
    """In whole intervals around the command: at least what it moved. Its gauges are left out."""
    m = h.Msrfs("--virtual")
    u = h.Uncored("-c", h.write("beside.conf", 'interval = "100ms"; groups = [ "memory" ];'),
                  *m.options())
    before = m.truth()
    r = stat("-o", "json", "--url", u.url, "--", *moved(m, "exit 3"))
    assert r.returncode == 3, r
    said, truth = json.loads(r.stdout), m.truth()
    schema.accept(schema.validator("stat"), said, "beside")
    series = {s["name"]: s for s in said["series"]}
    for socket in (0, 1):
        for unit, address in DATA.items():
            assert series[INSERTS % (socket, unit)]["mean"] == \
                truth[(socket, address)][0] - before[(socket, address)][0], series
    assert said["beside"] == u.url and LATENCY % (0, 0) not in series, said
    r = stat("--url", u.url, "--", "true")
    assert "rounded up to whole intervals of the running uncored" in r.stderr, r
    assert "Gauges are left out: " in r.stderr and "stop it and run uncorectl stat" in r.stderr, r
    r = stat("--url", u.url, "--", "/no/such/program")
    assert r.returncode == 127 and "run of" not in r.stderr, r
    assert u.stop() == 0


def test_beside_one_that_is_paused():
    """It says at once what it waits for, and only once."""
    m = h.Msrfs("--virtual")
    u = h.Uncored("-c", h.write("held.conf", 'interval = "100ms"; groups = [ "memory" ];'),
                  *m.options())
    holder = subprocess.Popen([h.CTL, "pause", *m.options()[-2:], "1h"], stderr=subprocess.PIPE)
    assert b"paused" in holder.stderr.readline()
    p = subprocess.Popen([h.CTL, "stat", "--url", u.url, "--", "true"], stderr=subprocess.PIPE,
                         text=True)
    assert select.select([p.stderr], [], [], 5)[0], "it says nothing"
    said = p.stderr.readline()
    assert u.url + " is paused, its counters are left to another tool" in said, said
    holder.terminate()
    holder.communicate()
    rest = p.communicate(timeout=h.PATIENCE)[1]
    assert p.returncode == 0 and "paused" not in rest and INSERTS % (0, 0) in rest, rest
    assert u.stop() == 0


def test_without_a_socket_0():
    """The kernel numbers packages as it likes: here from 1 on."""
    m = h.Msrfs("--virtual")
    options = m.options_apart()
    names = glob.glob(options[3] + "/devices/system/cpu/cpu*/topology/physical_package_id")
    assert len(names) == 16, names
    for name in names:
        with open(name) as f:
            number = int(f.read())
        with open(name, "w") as f:
            f.write("%d\n" % (number + 1))
    options = ["-g", "memory", *options, "--"]
    r = stat("-o", "json", *options, "sleep", "0.5")
    said = json.loads(r.stdout)
    assert {s["name"] for s in said["series"]} >= {CLOCK % 1, CLOCK % 2}, said
    assert 0.5 <= said["counted_seconds"] <= said["wall_seconds"] < h.PATIENCE, said
    r = stat(*options, *moved(m))
    m2 = re.search(r"1 run of (\d+\.\d+) s; (\d+\.\d+) s of wall time:", r.stderr)
    assert m2 and 0.5 <= float(m2[1]) <= float(m2[2]), r
    rate = [line for line in r.stderr.splitlines() if CLOCK % 1 in line][0].split()
    assert rate[2].endswith("/s") and float(rate[1]) > 0, rate


def test_many_arguments():
    """As many as the kernel takes."""
    code, out, err = h.run(h.CTL, "stat", "--engine", "model:nehalem-ex", "--", "echo",
                           *["x"] * 10000)
    assert code == 0 and out == "x " * 9999 + "x\n", (code, out[:80], err)


def test_where_a_program_is_found():
    """Without PATH, with an empty one, and where only a file that may not be run has its name."""
    here, model = h.path("here"), ["--engine", "model:nehalem-ex", "--"]
    os.mkdir(here)
    with open(os.path.join(here, "passwd"), "w") as f:
        f.write("#!/bin/sh\nexit 7\n")
    for path, name, code in ((None, "true", 0), ("/usr/bin:/bin", "true", 0),
                             ("", "true", 127),
                             (here + ":/nowhere", "passwd", 126)):
        env = {k: v for k, v in os.environ.items() if k != "PATH"}
        if path is not None:
            env["PATH"] = path
        p = subprocess.run([h.CTL, "stat", *model, name], env=env, text=True,
                           capture_output=True)
        assert p.returncode == code and ("run of" in p.stderr) == (code == 0), (path, p)


def test_without_standard_files():
    """What the command and uncored say to each other is in no file of the user's."""
    r = subprocess.run(["sh", "-c", 'exec "$0" "$@" 2>&-', h.CTL, "stat", "--engine",
                        "model:nehalem-ex", "--", "echo", "HELLO"], stdout=subprocess.PIPE,
                       text=True, timeout=h.PATIENCE)
    assert r.returncode == 0 and r.stdout == "HELLO\n", r
    r = subprocess.run(["sh", "-c", 'exec "$0" "$@" <&- >&-', h.CTL, "stat", "--engine",
                        "model:nehalem-ex", "--", "true"], stderr=subprocess.PIPE, text=True,
                       timeout=h.PATIENCE)
    assert r.returncode == 0 and "1 run of" in r.stderr, r


def test_what_is_wrong():
    for args, code, what in (
            (["-C", "0", "--", "true"], 64, "counters belong to a socket, not to a CPU"),
            (["-r", "3"], 64, "--repeat runs a command again, and there is none"),
            (["-r", "3", "-I", "100", "--", "true"], 64, "leave out one of them"),
            (["-I", "5", "--", "true"], 64, "--interval needs a number of milliseconds "
             "from 10 to 86400000, not '5'"),
            (["-o", "json", "-x", ";", "--", "true"], 64, "--field-separator is of CSV"),
            (["-x", "", "--", "true"], 64, "--field-separator needs text"),
            (["-o", "file", "--", "true"], 64, "to write to a file: -o csv >file"),
            (["-o", "xml", "--", "true"], 64, "--output is json or csv, not xml"),
            (["-g", "memory", "-c", "x", "--", "true"], 64, "name one of them"),
            (["-g", "memory", "--url", "http://127.0.0.1:1", "--", "true"], 64,
             "--url names a running uncored, which has its own groups; --groups starts another"),
            (["--machine", "spr", "--", "true"], 64, "but simulated: add --engine model"),
            (["--machine", "spr", "--engine", "perf", "--", "true"], 64, "add --engine model"),
            (["--engine", "model", "--url", "http://127.0.0.1:1", "--", "true"], 64, "--engine"),
            # no other uncored instead, whatever this machine can count
            (["--url", "http://127.0.0.1:1", "--", "true"], 69,
             "uncorectl: http://127.0.0.1:1 cannot be reached: "),
            (["-r", "0", "--", "true"], 64, "repeat"),
            (["--engine", "model:nehalem-ex", "--", "/no/such/program"], 127,
             "'/no/such/program' cannot be run: No such file or directory"),
            (["--engine", "model:nehalem-ex", "--", "nosuchprogram"], 127,
             "'nosuchprogram' cannot be run: No such file or directory"),
            (["--engine", "model:nehalem-ex", "--", "/etc/passwd"], 126,
             "'/etc/passwd' cannot be run: Permission denied"),
            (["--engine", "model:nehalem-ex", "--", "/tmp"], 126,
             "'/tmp' cannot be run: Permission denied"),
            (["--engine", "model:nehalem-ex", "--", ""], 126, "cannot be run"),
            (["-g", "nosuch", "--engine", "model:nehalem-ex", "--", "true"], 78,
             "uncorectl: --groups: there is no ready-made group 'nosuch' here; the choices are "),
            (["-g", "memroy", "--engine", "model:nehalem-ex", "--", "true"], 78,
             "--groups: there is no ready-made group 'memroy' here; the nearest is 'memory'"),
            (["-g", "memory,links,memory", "--engine", "model:nehalem-ex", "--", "true"], 78,
             "--groups: 'memory' is named twice"),
            (["-g", "memory,", "--engine", "model:nehalem-ex", "--", "true"], 78,
             "--groups: a name is empty in 'memory,'"),
            (["-g", "nosuch", "-g", "memory", "--engine", "model:nehalem-ex", "--", "true"], 78,
             "--groups: there is no ready-made group 'nosuch' here"),
            (["-g", "memory", "-g", "links,memory", "--engine", "model:nehalem-ex", "--", "true"],
             78, "--groups: 'memory' is named twice"),
            (["-M", "clock_hertz", "-c", "x", "--", "true"], 64, "--metric and --config both"),
            (["-e", READS, "--url", "http://127.0.0.1:1", "--", "true"], 64,
             "--url names a running uncored, which has its own groups; --event starts another"),
            (["-e", "cycles", "--engine", "model:spr", "--", "true"], 78,
             "or perf/PMU/TERMS/, for example perf/uncore_imc/cas_count_read/; uncorectl search"),
            (["-e", "x\"\\", "--engine", "model:spr", "--", "true"], 78,
             'uncorectl: --event x"\\: "x"\\": """ is not allowed in the name of an event')):
        r = stat(*args)
        assert r.returncode == code and what in r.stderr and "run of" not in r.stderr, (args, r)
        assert "/dev/fd" not in r.stderr, r
    r = stat("--engine", "model:nehalem-ex", "--", "true")
    assert r.returncode == 0 and "SIMULATED" in r.stderr, r
    r = stat("-g", "memory", "-g", "llc", "--engine", "model:nehalem-ex", "--", "true")
    assert r.returncode == 0 and "imt_latency" in r.stderr and "llc_hit_ratio" in r.stderr, r
    # in a file, too: a column that no measurement has
    r = stat("--engine", "model:nehalem-ex", "-o", "csv", "--", "true")
    rows = list(csv.DictReader(io.StringIO(r.stdout)))
    assert r.returncode == 0 and rows and all(row["simulated"] == "SIMULATED" for row in rows), r


h.main(sys.modules[__name__])
