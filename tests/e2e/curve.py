# SPDX-License-Identifier: MIT
"""curve.py - uncorectl verify --curve on a simulated Sapphire Rapids, which follows a measured
curve at the traffic that it is told of: it finds that curve's knees, and refuses where others move
memory, too.
"""
import json
import mmap
import os
import re
import signal
import struct
import subprocess
import sys
import threading
import time

import harness as h
import schema

TRAFFIC = "UNCORED_VERIFY_TRAFFIC"
CONF = 'interval = "100ms"; groups = ( %s );'
BOTH = '"memory", "llc"'
# Of src/topo/machines/spr.txt by hand. 100: 1.5 x 116.35 = 174.53 ns lies between 166.25 at 197.786
# and 178.02 at 212.454 GB/s. 67: 171.57 between 165.45 at 131.779 and 201.89 at 160.382. 51, the
# nearest to 50: 172.32 between 148.79 at 96.158 and 176.98 at 125.616.
KNEES = {"reads": (1, 208.1e9, 233.45e9), "two": (2 / 3, 136.6e9, 194.2e9),
         "one": (0.5, 120.7e9, 187.5e9)}


def tree():
    """Two sockets, which need not be like this machine."""
    root = h.path("tree")
    for n in (0, 1):
        os.makedirs("%s/devices/system/cpu/cpu%d/topology" % (root, n), exist_ok=True)
        for name, text in (("topology/physical_package_id", n), ("topology/core_id", 0),
                           ("topology/thread_siblings_list", n), ("online", 1)):
            h.write("tree/devices/system/cpu/cpu%d/%s" % (n, name), "%d\n" % text)
    for name in ("online", "present", "possible"):
        h.write("tree/devices/system/cpu/" + name, "0-1\n")
    h.write("tree/cpuinfo", "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n")
    return ["--path-sysfs", root, "--path-procfs", root]


def started(groups=BOTH, conf=CONF, machine="spr"):
    env = {TRAFFIC: h.path("traffic")}
    state = h.path("state")
    os.makedirs(state, exist_ok=True)
    u = h.Uncored("-c", h.write("curve.conf", conf % groups), "--engine",
                  "model:%s:verify" % machine, "--path-run", h.path("run"), "--path-state",
                  state, env=env)
    return u, env, state


def command(u, state, *options):
    return [h.CTL, "verify", "--curve", "--quick", "--url", u.url, "--path-state", state, *tree(),
            *options]


def measure(u, env, state, *options):
    return subprocess.run(command(u, state, *options), env=dict(os.environ, **env),
                          capture_output=True, text=True, timeout=300)


def measured(u, env, state, says):
    """What stderr says in the end. On a busy machine the model is told of some of the load late and
    at once, which looks as if others moved memory: then it is measured again, twice at most."""
    for _ in range(3):
        r = measure(u, env, state)
        if re.search(says, r.stderr) or "either others use that since" not in r.stderr:
            break
    return r


def test_the_curve_is_found():
    u, env, state = started()
    r = measured(u, env, state, "step 49 of 49")
    assert r.returncode == 0, r
    assert r.stdout.startswith("SIMULATED: "), r.stdout
    assert "kept in %s/curve.json" % state in r.stdout, r.stdout
    assert "seconds this moves as much memory on each of 2 sockets as it can" in r.stderr, r.stderr
    j = json.loads(h.read(state + "/curve.json"))
    schema.accept(schema.validator("curve"), j, "curve.json")
    assert (j["simulated"], j["processor"], j["model"]) == (True, "spr", ""), j
    assert [s["socket"] for s in j["sockets"]] == [0, 1]
    for s in j["sockets"]:
        assert s["channels_with_memory"] == 8
        for m, (share, knee, most) in zip(s["mixes"], KNEES.values(), strict=True):
            print(s["socket"], share, m["knee_bytes_per_second"] / knee - 1,
                  m["most_bytes_per_second"] / most - 1)
            assert abs(m["asked_read_ratio"] - share) < 1e-4
            assert abs(m["read_ratio"] - share) < 0.01, m
            assert abs(m["knee_bytes_per_second"] / knee - 1) < 0.05, (share, m)
            assert abs(m["most_bytes_per_second"] / most - 1) < 0.06, (share, m)
            traffic = [p["bytes_per_second"] for p in m["points"]]
            assert traffic == sorted(traffic) and len(traffic) >= 10, traffic
    # uncored takes it.
    u.p.send_signal(signal.SIGHUP)
    m = h.wait_for("knee and headroom of both are there", lambda: next(
        (m for m in [u.metrics()] if sum(k.startswith((
            "uncore_memory_knee_bytes", "uncore_memory_headroom_ratio{")) for k in m) == 4), None))
    least = min(x["knee_bytes_per_second"] for x in j["sockets"][0]["mixes"])
    assert abs(float(m['uncore_memory_knee_bytes_per_second{socket="0"}']) / least - 1) < 1e-4
    assert float(m['uncore_memory_headroom_ratio{socket="0"}']) == 1    # nothing moves
    assert u.stop() == 0


def test_it_says_how_long_it_takes():
    """With the interval by default: about three minutes, as the manual says."""
    u, env, state = started(conf='groups = ( %s );')
    args = [a for a in command(u, state) if a != "--quick"]
    with subprocess.Popen(args, env=dict(os.environ, **env), stderr=subprocess.PIPE,
                          text=True) as p:
        said = p.stderr.readline()
        p.send_signal(signal.SIGINT)
    seconds, = re.findall(r"^For about (\d+) seconds this moves", said)
    assert 160 <= int(seconds) <= 200, said
    assert not os.path.exists(state + "/curve.json")
    assert u.stop() == 0


class Disturber(threading.Thread):
    """Moves 10 GB/s of socket 0's memory, as the model is told of it (base/traffic.h)."""
    def __init__(self, path):
        super().__init__()
        self.path, self.ends = path, threading.Event()

    def run(self):
        with open(self.path, "r+b") as f, mmap.mmap(f.fileno(), 0) as shared:
            while not self.ends.wait(0.005):
                n, = struct.unpack_from("<Q", shared)
                struct.pack_into("<Q", shared, 0, n + 50_000_000)


def test_beside_a_disturber_it_refuses():
    u, env, state = started()
    d = Disturber(env[TRAFFIC])
    d.start()
    try:
        r = measured(u, env, state, "beside this load the simulation moves")
    finally:
        d.ends.set()
        d.join()
    assert r.returncode == 75, r
    # What moves there is no program of this machine.
    assert "beside this load the simulation moves" in r.stderr and "workload verify (--engine " \
        "model:MACHINE:verify)" in r.stderr and "nothing was kept" in r.stderr, r.stderr
    assert "stop what runs here" not in r.stderr, r.stderr
    assert not os.path.exists(state + "/curve.json")
    assert u.stop() == 0


# Traffic by a formula that is wrong.
WRONG = CONF + """
metrics = ( { name = "memory_read_bytes_total"; unit = "bytes"; per = "socket";
              numerator = ( { event = "perf/uncore_imc/cas_count_read/"; weight = %d; } ); },
            { name = "memory_write_bytes_total"; unit = "bytes"; per = "socket";
              numerator = ( { event = "perf/uncore_imc/cas_count_write/"; weight = %d; } ); } );
"""
GROUPS = '{ name = "memory"; metrics = [ "memory_read_bytes_total", ' \
    '"memory_write_bytes_total" ]; }, "llc"'


def test_a_wrong_formula_is_noticed():
    """Twice of what the load moved is counted, or a half; 64 bytes a command is right."""
    for weight, code, says in (
            (128, 75, r"uncored counts 2 times what this load moves of socket 0's memory, and "
             r"hardly anything before it: .*uncorectl verify says which count is wrong"),
            (32, 69, r"uncored counts 0\.(?:49|5) times what this load reads of socket 0's memory: "
             r"uncorectl verify says what is not counted")):
        u, env, state = started(GROUPS, WRONG % ("%s", weight, weight))
        r = measured(u, env, state, says)
        assert r.returncode == code and re.search(says + ".*nothing was kept", r.stderr), r
        assert not os.path.exists(state + "/curve.json")
        assert u.stop() == 0


def test_interrupted_it_writes_nothing():
    u, env, state = started()
    h.write("state/curve.json", "what was there\n")
    with subprocess.Popen(command(u, state), env=dict(os.environ, **env),
                          stderr=subprocess.PIPE, stdout=subprocess.PIPE) as p:
        while b"step 5 of" not in p.stderr.readline():
            pass
        began = time.time()
        p.send_signal(signal.SIGINT)
        out, _ = p.communicate(timeout=60)
    assert p.returncode == -signal.SIGINT and not out and time.time() - began < 10, (p, out)
    assert h.read(state + "/curve.json") == "what was there\n"
    assert u.stop() == 0


def test_the_clock_is_set():
    """Samples have its time: their rates would be wrong, and what waits for one waits for ever."""
    u, env, state = started()
    for by in ("1000", "-1000"):
        r = measure(u, {**env, **h.preloaded("step"), "STEP_AFTER": "4", "STEP_BY": by}, state)
        assert r.returncode == 75 and "the clock of this machine was set meanwhile" in r.stderr, r
        assert "step 1 of" in r.stderr and not os.path.exists(state + "/curve.json"), r
    assert u.stop() == 0


def test_what_cannot_be_measured():
    """Said before anything is moved."""
    see = "uncorectl describe memory_headroom_ratio"
    for groups, says, what in (
            ('"memory"', "uncored counts no memory latency here", see),
            ('"llc"', "uncored counts no reads beside writes of memory here", see),
            (BOTH + ', "memory_latency"', "takes turns between groups",
             "configure memory traffic and latency alone")):
        u, env, state = started(groups)
        r = measure(u, env, state)
        assert r.returncode == 69 and says in r.stderr and "step" not in r.stderr, r
        assert what in r.stderr, r
        assert u.stop() == 0
    # a Xeon Max
    u, env, state = started(BOTH + ', "hbm"', machine="sprhbm")
    r = measure(u, env, state)
    assert r.returncode == 69 and "of two kinds of memory, high-bandwidth memory and DDR, so" in \
        r.stderr and see in r.stderr and "step" not in r.stderr, r
    assert u.stop() == 0
    u, env, state = started()
    os.chmod(state, 0o777)
    r = measure(u, env, state)
    assert r.returncode == 69 and "other users may write to it" in r.stderr, r
    assert "step" not in r.stderr, r
    r = measure(u, env, "/proc/nix")
    assert r.returncode == 69 and "/proc/nix: cannot be created" in r.stderr, r
    os.chmod(state, 0o755)
    assert u.stop() == 0


if __name__ == "__main__":
    h.main(sys.modules[__name__])
