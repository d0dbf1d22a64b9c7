# SPDX-License-Identifier: MIT
"""device.py - the shipped binary on msr files: the model in another process, through FUSE.

With --virtual the model's time stands still but for "advance": then every total must equal the
ground truth to the last count. Addresses are those of the Xeon 7500 guide (323535-001): B-Box 0
counter 1 is C32/C33, its enable C20, all C00.
"""
import os
import pty
import re
import signal
import subprocess
import sys
import time

import harness as h

CONF = """interval = "200ms";
groups = (
  { name = "memory"; events = [ "bbox/IMT_VALID_OCCUPANCY", "bbox/IMT_INSERTS_ALL",
    "bbox/CONFLICTS", "wbox/CLOCKTICKS" ]; },
  { name = "links"; events = [ "rbox/NULL_IDLE,port=0", "rbox/FLITS_SENT,port=0",
    "wbox/CLOCKTICKS" ]; },
  { name = "llc"; events = [ "cbox/LLC_HITS:ALL", "cbox/LLC_MISSES:ALL" ]; }
);
"""
# ns of model time per advance: little beside a tick, so that a tick on a busy machine finds nothing
# implausible
STEP = 10_000_000
INSERTS = 'uncore_bbox_imt_inserts_all_total{socket="%d",unit="%d"}'
DATA = {("bbox", 0): 0xc33, ("bbox", 1): 0xc73}
ALL = [0xc00, 0xc20, 0xc30, 0xc32, 0xc34, 0xc36, 0xc60, 0xc70, 0xc72, 0xc74, 0xc76, 0xc80, 0x395,
       0xe00, 0xe04, 0xe24, 0xe10,
       0xe12, 0xd00, 0xd10, 0xd12, 0xde0, 0xdf0, 0xdf2]


def start(*args, conf=CONF, fs=(), **kw):
    m = h.Msrfs("--virtual", *fs)
    c = h.write("device-%d.conf" % m.pid, conf)
    return m, h.Uncored("-c", c, *m.options(), *args, **kw), c


def settle(u, ticks=2):
    """Wait until `ticks` more samples of every socket were published."""
    def count():
        got = u.metrics()
        return [float(v) for k, v in got.items() if k.startswith("uncored_samples_total")]
    before = count()
    h.wait_for("%d more samples" % ticks,
               lambda: all(b >= a + ticks for a, b in zip(before, count())))


def invalid(u):
    return {k for k in u.metrics() if k.startswith("uncored_slot_invalid")}


def expect_truth(m, u):
    """No time may pass any more in the model; every total is what its counter counted, to the last
    count."""
    settle(u)
    truth, got = m.truth(), u.metrics()
    checked = 0
    for s in (0, 1):
        for unit in (0, 1):
            assert int(got[INSERTS % (s, unit)]) == truth[(s, DATA[("bbox", unit)])][0]
            checked += 1
        # one series, though two groups name it
        assert int(got['uncore_wbox_clockticks_total{socket="%d",unit="0"}' % s]) == \
            truth[(s, 0x394)][0]
        for unit, offset in enumerate((0, 0x80, 0x40, 0xc0, 0x20, 0xa0, 0x60, 0xe0)):
            hits = int(got[
                'uncore_cbox_llc_hits_total{socket="%d",unit="%d",umask="ALL"}'
                % (s, unit)])
            assert hits == truth[(s, 0xd11 + offset)][0] and hits > 0
            checked += 1
    assert checked == 20
    assert not invalid(u), invalid(u)
    assert m.read("violations").split()[0] == "0", m.read("violations")


def test_totals_equal_the_truth():
    m, u, _ = start()
    for _ in range(4):
        m.control("advance %d" % STEP)
        settle(u, 1)
    expect_truth(m, u)
    assert u.stop() == 0


def test_a_thousand_times_a_second():
    """At the rate that is reached: ticks taken and ticks missed are all there were, and nothing is
    lost with those missed."""
    m, u, _ = start(conf=CONF.replace('interval = "200ms"',
                                      'interval = "100ms"; resolution = "1ms"'))

    def ticks():
        got = u.metrics()
        return [[float(got['%s{socket="%d"}' % (name, s)]) for name in
                 ("uncored_samples_total", "uncored_ticks_missed_total",
                  "uncored_last_sample_timestamp_seconds")] for s in (0, 1)]
    before = ticks()
    for k in range(200):
        m.control("advance 200000")
        time.sleep(0.001)
        if k == 100:                        # 0.1 s in which it cannot tick
            u.p.send_signal(signal.SIGSTOP)
            time.sleep(0.1)
            u.p.send_signal(signal.SIGCONT)
    for s, (now, then) in enumerate(zip(ticks(), before)):
        taken, missed, seconds = (a - b for a, b in zip(now, then))
        assert taken > 20 and missed > 90, (s, taken, missed)
        assert abs(taken + missed - 1000 * seconds) < 30, (s, taken, missed, seconds)
    expect_truth(m, u)
    assert u.stop() == 0


class Quota:
    """A control group whose processes have that share of one CPU, of version 1 or 2; a skip where
    none can be made. It does not hold real-time threads, and version 1 does not even admit them: a
    test takes CAP_SYS_NICE away first."""

    def __init__(self, share):
        self.us = int(100000 * share)
        for line in h.read("/proc/mounts").splitlines():
            where, kind, options = line.split()[1:4]
            if kind == "cgroup2" or kind == "cgroup" and "cpu" in options.split(","):
                self.at = os.path.join(where, "uncored-test-%d" % os.getpid())
                if self.make(kind == "cgroup2"):
                    h._cleanup.append(lambda: os.rmdir(self.at))
                    return
        h.skip("no control group with a quota of CPU time can be made here")

    def make(self, two):
        try:
            os.mkdir(self.at)
            if two:
                self.put("cpu.max", "%d 100000" % self.us)
            else:
                self.put("cpu.cfs_period_us", "100000")
                self.put("cpu.cfs_quota_us", str(self.us))
            return True
        except OSError:
            if os.path.isdir(self.at):
                os.rmdir(self.at)
            return False

    def put(self, name, value):
        with open(os.path.join(self.at, name), "w") as f:
            f.write(value)

    def take(self, *pids):
        for pid in pids:
            self.put("cgroup.procs", str(pid))

    def throttled(self):
        """In how many periods its processes had to wait."""
        with open(os.path.join(self.at, "cpu.stat")) as f:
            return int(re.search(r"nr_throttled (\d+)", f.read())[1])

    def end(self, *pids):
        """Lets them go, to where groups of that kind begin."""
        for pid in pids:
            with open(os.path.join(os.path.dirname(self.at), "cgroup.procs"), "w") as f:
                f.write(str(pid))


def test_a_twentieth_of_a_cpu():
    """Ticks that it has no time for are counted as missed; what counters count meanwhile is not
    lost. Quotas do not hold for real-time threads, so it may have none, as in a container."""
    quota = Quota(0.05)
    m, u, _ = start(conf=CONF.replace('interval = "200ms"',
                                      'interval = "100ms"; resolution = "1ms"'),
                    argv0=["setpriv", "--bounding-set", "-sys_nice"])

    def ticks():
        got = u.metrics()
        return [[float(got["%s{socket=\"%d\"}" % (name, s)]) for s in (0, 1)] for name in
                ("uncored_samples_total", "uncored_ticks_missed_total")]
    before = ticks()
    quota.take(u.pid, u.child())
    for _ in range(100):
        m.control("advance 200000")
        time.sleep(0.02)
    after = ticks()
    throttled = quota.throttled()
    quota.end(u.pid, u.child())
    for taken, missed in zip(*[[a - b for a, b in zip(*pair)] for pair in zip(after, before)]):
        assert missed > taken > 0 and taken + missed > 1500, (taken, missed)
    assert throttled >= 10, throttled
    expect_truth(m, u)
    assert u.stop() == 0


def test_registers_are_put_back():
    m = h.Msrfs("--virtual")
    before = [m.registers(cpu, ALL) for cpu in (0, 8)]
    c = h.write("back.conf", CONF)
    u = h.Uncored("-c", c, *m.options())
    assert [m.registers(cpu, ALL) for cpu in (0, 8)] != before
    assert u.stop() == 0
    assert [m.registers(cpu, ALL) for cpu in (0, 8)] == before
    assert not os.path.exists(m.options()[-1] + "/uncored.state")
    said = re.search(r"(\d+) of (\d+) registers hold again what was found in them", u.text())
    assert said and said[1] == said[2] and int(said[1]) > 40, u.text()


def test_signals_that_mean_nothing():
    """They end a program that does not know them; with it go the counts, and registers stay
    changed."""
    m, u, c = start()
    for s in ("USR1", "USR2", "ALRM", "VTALRM", "PROF", "IO", "PWR", "STKFLT", "XCPU", "XFSZ",
              "RTMIN", "RTMAX"):
        before = u.value('uncored_samples_total{socket="0"}')
        u.p.send_signal(getattr(signal, "SIG" + s))
        h.wait_for("it goes on after SIG" + s,
                   lambda: not u.running() or u.value('uncored_samples_total{socket="0"}') > before)
        assert u.running(), s
    assert m.register(0, 0xc00) and u.stop(signal.SIGQUIT) == 0
    assert m.register(0, 0xc00) == 0 and m.register(1, 0xc00) == 0
    # A limit of file size is a sentence, not an end without a word.
    code, _, err = h.run("prlimit", "--fsize=8192", h.UNCORED, "--listen", "127.0.0.1:0",
                         "-c", c, *m.options())
    h.skip_tsan_bus(err)
    assert code == 69 and "File too large" in err, (code, err)


def test_kill_9_and_restore():
    m, u, c = start()
    u.stop(signal.SIGKILL)
    assert m.register(0, 0xc32) & 1
    code, _, err = h.run(h.UNCORED, "--restore", *m.options())
    assert code == 0 and "did not exit cleanly" in err, (code, err)
    assert all(v == 0 for v in m.registers(0, ALL).values()), m.registers(0, ALL)
    assert all(v == 0 for v in m.registers(8, ALL).values())
    # Without --restore in between the next start does the same, and counts.
    u = h.Uncored("-c", c, *m.options())
    u.stop(signal.SIGKILL)
    u = h.Uncored("-c", c, *m.options())
    assert u.stop() == 0
    assert all(v == 0 for v in m.registers(0, ALL).values())


def test_once_that_is_ended_puts_registers_back():
    """Wherever the signal comes: it ends by it, prints nothing, and leaves nothing."""
    m = h.Msrfs("--virtual")
    c = h.write("once.conf", CONF.replace("200ms", "20s"))
    for sig in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        p = h.Process([h.UNCORED, "--once", "-c", c, *m.options()], "once-%d" % sig)
        h.wait_for("it counts", lambda: m.register(8, 0xc32) & 1)
        assert p.stop(sig) == -sig, p.text()
        assert all(v == 0 for cpu in (0, 8) for v in m.registers(cpu, ALL).values()), sig
        assert not os.path.exists(m.options()[-1] + "/uncored.state") and h.read(p.out) == ""
    # A signal that is ignored, as for what a shell runs in the background, ends nothing.
    p = h.Process([h.UNCORED, "--once", "-c", c, *m.options()], "once-ignored",
                  preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    h.wait_for("it counts", lambda: m.register(8, 0xc32) & 1)
    p.p.send_signal(signal.SIGINT)
    time.sleep(0.2)
    assert p.running() and m.register(8, 0xc32) & 1, p.text()
    assert p.stop(signal.SIGTERM) == -signal.SIGTERM


# Says what it got of each signal, at its end.
COUNTS = """
import os, signal, sys
out = open(sys.argv[1], "w", buffering=1)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGTERM])
print("ready", file=out)
while True:
    got = signal.sigwaitinfo([signal.SIGINT, signal.SIGTERM]).si_signo
    print(signal.Signals(got).name, file=out)
    if got == signal.SIGTERM:
        sys.exit()
"""


def test_a_terminals_signal_comes_once():
    """What a terminal sends to all of its foreground reaches the command of --once without us: it
    is not passed on. What is sent to uncored alone is."""
    said = h.write("signals.txt", "")
    c = h.write("terminal.conf", CONF)
    uncored, terminal = pty.fork()
    if not uncored:
        os.execv(h.UNCORED, [h.UNCORED, "--once", "-c", c, "--engine", "model:nehalem-ex", "--",
                             sys.executable, "-c", COUNTS, said])
    try:
        h.wait_for("the command runs", lambda: h.read(said) == "ready\n")
        # uncored hears of it when the command has heard already: two that wait would be one
        os.kill(uncored, signal.SIGSTOP)
        os.write(terminal, b"\x03")
        h.wait_for("the command has it", lambda: h.read(said) == "ready\nSIGINT\n")
        os.kill(uncored, signal.SIGTERM)
        os.kill(uncored, signal.SIGCONT)
        h.wait_for("the command ends", lambda: "SIGTERM" in h.read(said))
        assert h.read(said) == "ready\nSIGINT\nSIGTERM\n", h.read(said)
    finally:
        os.kill(uncored, signal.SIGKILL)
        os.waitpid(uncored, 0)
        os.close(terminal)


def test_once_into_a_pipe_that_nobody_reads():
    """As any filter it ends by SIGPIPE without a word, but first registers come back."""
    m = h.Msrfs("--virtual")
    reader, writer = os.pipe()
    os.close(reader)
    p = subprocess.run([h.UNCORED, "--once", "-c", h.write("pipe.conf", CONF), *m.options()],
                       stdin=subprocess.DEVNULL, stdout=writer,
                       stderr=subprocess.PIPE, text=True, timeout=h.PATIENCE)
    os.close(writer)
    assert p.returncode == -signal.SIGPIPE and "printed" not in p.stderr, (p.returncode, p.stderr)
    assert all(v == 0 for cpu in (0, 8) for v in m.registers(cpu, ALL).values())
    assert not os.path.exists(m.options()[-1] + "/uncored.state")


def test_hup_while_it_starts_is_a_reload():
    m = h.Msrfs("--virtual")
    os.kill(m.pid, signal.SIGSTOP)          # the start hangs in its first look at this machine
    try:
        u = h.Uncored("-c", h.write("hup.conf", CONF), *m.options(), ready=False)
        h.wait_for("it runs",
                   lambda: int(re.search(r"SigBlk:\s+(\w+)",
                                         h.read("/proc/%d/status" % u.pid)).group(1), 16) & 1)
        u.p.send_signal(signal.SIGHUP)
    finally:
        os.kill(m.pid, signal.SIGCONT)
    h.wait_for("it starts, then reads again",
               lambda: "serving" in u.text() and "read again" in u.text())
    assert u.stop() == 0


def test_not_ready_before_the_first_sample():
    """The registers hang when the first of them has been written: everything is answered, and
    nothing shown as counted."""
    m = h.Msrfs("--virtual")
    c = h.write("hang.conf", CONF)
    for _ in range(20):                     # until it is caught before a first sample
        port, before = h.free_port(), len(m.read("writes"))
        u = h.Process([h.UNCORED, "--listen", "127.0.0.1:%d" % port, "-c", c, *m.options()], "hang")
        while len(m.read("writes")) == before and u.running():
            pass
        os.kill(m.pid, signal.SIGSTOP)
        try:
            url = "http://127.0.0.1:%d" % port
            ready = h.fetch(url + "/-/ready")[0]
            alive, got = h.fetch(url + "/-/healthy")[0], \
                h.samples(h.fetch(url + "/metrics")[2].decode())
        finally:
            os.kill(m.pid, signal.SIGCONT)
        h.wait_for("it counts", lambda: h.fetch(url + "/-/ready")[0] == 200)
        assert u.stop() == 0 and alive == 200
        if ready != 200 and "1" not in (v for k, v in got.items() if k.startswith("uncored_up")):
            break
    assert ready == 503
    assert not [k for k in got if k.startswith("uncore_") or "last_sample_timestamp" in k], got
    assert {v for k, v in got.items()
            if k.startswith(("uncored_slot_valid", "uncored_up"))} == {"0"}, got
    assert {k.split('reason="')[1] for k in got
            if k.startswith("uncored_slot_invalid")} == {'no_data"}'}


WINDOW = """interval = "100ms";
groups = ( { name = "w"; window = { event = "bbox1/IMT_INSERTS_ALL"; count = 100000; };
  events = [ "wbox/CLOCKTICKS", "bbox/IMT_INSERTS_ALL", "cbox/LLC_MISSES:ALL" ]; } );
"""
# 323535-001 2.1.3: who stopped the counters; 2.1.2 e: the counter of the window is preloaded.
STATUS = [0xc01, 0xc43, 0xcc3, 0xc61, 0xc73]


def test_exact_windows_and_kill_9_in_one():
    m, u, _ = start(conf=WINDOW)
    rest = None
    for k in range(1, 6):
        m.control("advance %d" % STEP)
        settle(u)
        got, truth = u.metrics(), m.truth()
        for s in (1, 0):
            inserts = int(got['uncore_bbox_imt_inserts_all_total{socket="%d",unit="1"}'
                              % s])
            assert inserts == truth[(s, 0xc73)][0]
            assert int(got['uncore_wbox_clockticks_total{socket="%d",unit="0"}' % s]) == \
                truth[(s, 0x394)][0]
        rest = inserts - 100000 if rest is None else rest
        # one window in each step
        assert inserts == k * (100000 + rest) and 0 <= rest < 100, (k, inserts, rest)
    assert not invalid(u), invalid(u)
    # The next one is over, and nobody has seen it yet.
    os.kill(u.p.pid, signal.SIGSTOP)
    m.control("advance %d" % STEP)
    assert m.register(0, 0xc00) == 0x80000000 and m.register(0, 0xc01) & 0x40000004 == 0x40000004
    assert m.register(0, 0xc61) == 2 and m.register(0, 0xc73) == rest
    u.stop(signal.SIGKILL)
    code, _, err = h.run(h.UNCORED, "--restore", *m.options())
    assert code == 0 and "did not exit cleanly" in err, (code, err)
    for cpu in (0, 8):
        left = m.registers(cpu, ALL + STATUS)
        assert all(v == 0 for v in left.values()), left
    assert m.read("violations").split()[0] == "0", m.read("violations")


def test_what_stops_counters_is_refused_beside_others():
    m = h.Msrfs("--virtual")
    # C-Box 0 counter 0 counts for somebody
    m.control("write 0 0xd10 0x400114", "write 0 0xd00 0x1", "write 0 0xc00 0x10000000")
    c = h.write("beside.conf", WINDOW.replace("cbox/", "cbox3/"))
    code, _, err = h.run(h.UNCORED, "-c", c, "--listen", "127.0.0.1:0", *m.options())
    assert code == 69 and "ending a window would stop cbox0 counter 0," in err, (code, err)
    c = h.write("freeze.conf", "freeze = true;\n" + CONF.replace("cbox/", "cbox3/"))
    code, _, err = h.run(h.UNCORED, "-c", c, "--listen", "127.0.0.1:0", *m.options())
    assert code == 69 and "freeze = true would stop cbox0 counter 0," in err, (code, err)
    assert m.registers(0, [0xd10, 0xd00, 0xc00]) == {0xd10: 0x400114, 0xd00: 1, 0xc00: 0x10000000}


def test_the_child_ends_with_its_parent():
    m, u, _ = start()
    child = u.child()
    u.stop(signal.SIGKILL)

    def gone():
        try:
            return h.read("/proc/%d/stat" % child).rsplit(")", 1)[1].split()[0] in "ZX"
        except FileNotFoundError:
            return True
    h.wait_for("the http process ends", gone)


def test_second_instance_names_the_first():
    m, u, c = start()
    code, _, err = h.run(h.UNCORED, "-c", c, "--listen", "127.0.0.1:0", *m.options())
    assert code == 75 and str(u.pid) in err, (code, err)
    settle(u)
    assert not invalid(u)


def test_foreign_write_is_flagged_and_survived():
    m, u, _ = start()
    m.control("advance %d" % STEP)
    settle(u)
    good = int(u.metrics()[INSERTS % (0, 0)])
    m.control("write 0 0xc32 0x19")                     # another tool: IMT_INSERTS_WR, enabled
    m.control("advance %d" % STEP)
    key = ('uncored_slot_invalid{socket="0",box="bbox",unit="0",event="IMT_INSERTS_ALL",'
           'reason="foreign"}')
    h.wait_for("the slot is flagged", lambda: key in u.metrics())
    got = u.metrics()
    assert INSERTS % (0, 0) not in got and INSERTS % (0, 1) in got
    assert got['uncored_foreign_writes_total{socket="0"}'] == "1"
    assert got['uncored_foreign_writes_total{socket="1"}'] == "0"
    h.wait_for("it is armed again", lambda: key not in u.metrics())
    # never down, never with counts that were not ours
    assert int(u.metrics()[INSERTS % (0, 0)]) == good
    base = m.truth()[(0, 0xc33)][0]
    m.control("advance %d" % STEP)
    settle(u)
    assert int(u.metrics()[INSERTS % (0, 0)]) == good + m.truth()[(0, 0xc33)][0] - base
    assert u.stop() == 0


def test_read_error_keeps_the_base():
    m, u, _ = start()
    m.control("fault eio 0 0xc33 on", "advance %d" % STEP)
    key = ('uncored_slot_invalid{socket="0",box="bbox",unit="0",event="IMT_INSERTS_ALL",'
           'reason="read_error"}')
    h.wait_for("the read error shows", lambda: key in u.metrics())
    assert INSERTS % (0, 1) in u.metrics()
    m.control("fault eio 0 0xc33 off", "advance %d" % STEP)
    settle(u)
    assert key not in u.metrics()
    assert int(u.metrics()[INSERTS % (0, 0)]) == m.truth()[(0, 0xc33)][0]
    assert u.value('uncored_read_errors_total{socket="0"}') >= 1


def test_offline_cpu_is_replaced():
    m, u, _ = start()
    m.control("advance %d" % STEP)
    settle(u)
    m.control("online 0 0", "advance %d" % STEP)
    info = re.compile(r'uncored_socket_info\{socket="0",processor="nehalem-ex",(model="[^"]+",)?'
                      r'engine="registers",cpu="1"\}')
    h.wait_for("CPU 1 reads socket 0", lambda: any(info.fullmatch(k) for k in u.metrics()))
    settle(u)
    assert int(u.metrics()[INSERTS % (0, 0)]) == m.truth()[(0, 0xc33)][0]
    assert not invalid(u), invalid(u)
    assert u.stop() == 0
    assert all(v == 0 for v in m.registers(1, ALL).values())


def test_a_storm_of_offline_cpus():
    """The CPU that reads goes, again and again, while it is scraped: each time another one takes
    over, no descriptor is left open, and nothing is lost."""
    m, u, _ = start(conf=re.sub('interval = "[^"]*"', 'interval = "10ms"', CONF))
    settle(u)
    info = re.compile(r'uncored_socket_info\{socket="0",.*cpu="(\d+)"\}')
    fds, readers = os.listdir("/proc/%d/fd" % u.pid), set()
    for i in range(1000 if os.environ.get("UNCORED_TEST_LONG") else 200):
        m.control("online %d 1" % (1 - i % 2), "online %d 0" % (i % 2), "advance 100000")
        time.sleep(0.015)
        if i % 8 < 2:
            readers |= {info.fullmatch(k).group(1) for k in u.metrics() if info.fullmatch(k)}
    settle(u)
    assert {"0", "1"} <= readers, readers
    h.wait_for("no descriptor more", lambda: len(os.listdir("/proc/%d/fd" % u.pid)) <= len(fds))
    assert int(u.metrics()[INSERTS % (0, 0)]) == m.truth()[(0, 0xc33)][0]
    assert not invalid(u), invalid(u)
    assert u.stop() == 0, u.text()
    assert all(v == 0 for v in m.registers(2, ALL).values())


def test_a_socket_that_is_gone_is_flagged():
    m, u, _ = start(fs=("--cores", "2"))
    m.control("online 2 0", "online 3 0")
    h.wait_for("socket 1 is offline",
               lambda: any('socket="1"' in k and 'reason="offline"' in k for k in invalid(u)))
    got = u.metrics()
    assert INSERTS % (0, 0) in got and INSERTS % (1, 0) not in got
    # its sampler ticks, and sees that nothing can be read
    assert got['uncored_up{socket="1"}'] == "1"
    m.control("online 2 1", "online 3 1", "advance %d" % STEP)
    h.wait_for("socket 1 is back", lambda: not invalid(u))
    assert int(u.metrics()[INSERTS % (1, 0)]) == m.truth()[(1, 0xc33)][0]


def test_a_socket_goes_while_a_reload_swaps():
    """All CPUs of socket 1 go at some moment of a reload, and come back after it. The other socket
    counts on, whichever configuration is in use; this one, too, when it is back."""
    m, u, c = start(fs=("--cores", "2"))
    other = CONF.replace('"rbox/NULL_IDLE,port=0", ', "")
    for i in range(12):
        ends = u.text().count("read again") + u.text().count("reload failed")
        h.write(os.path.basename(c), (other, CONF)[i % 2])
        u.p.send_signal(signal.SIGHUP)
        time.sleep(i * 0.004)
        m.control("online 2 0", "online 3 0")
        h.wait_for("the reload has an end", lambda: not u.running() or ends <
                   u.text().count("read again") + u.text().count("reload failed"))
        assert u.running(), u.text()
        assert "modprobe" not in u.text(), u.text()
        h.wait_for("socket 1 is offline", lambda: any('socket="1"' in k and 'reason="offline"' in k
                                                      for k in invalid(u)))
        m.control("advance %d" % STEP)
        settle(u)
        assert int(u.metrics()[INSERTS % (0, 0)]) == m.truth()[(0, 0xc33)][0], i
        m.control("online 2 1", "online 3 1")
        h.wait_for("socket 1 is back", lambda: not invalid(u))
        before = int(u.metrics()[INSERTS % (1, 0)])
        counted = m.truth()[(1, 0xc33)][0]
        m.control("advance %d" % STEP)
        settle(u)
        assert int(u.metrics()[INSERTS % (1, 0)]) - before == m.truth()[(1, 0xc33)][0] - counted
    assert u.stop() == 0
    assert all(v == 0 for socket in (0, 1) for v in m.registers(2 * socket, ALL).values())


def test_taken_counter_is_refused_or_taken_over():
    m = h.Msrfs("--virtual")
    # B-Box 0 counter 1 counts for somebody
    m.control("write 0 0xc32 0x19", "write 0 0xc20 0x2", "write 0 0xc00 0x10000000")
    c = h.write("taken.conf", CONF)
    code, _, err = h.run(h.UNCORED, "-c", c, "--listen", "127.0.0.1:0", *m.options())
    assert code == 69 and "bbox0 counter 1" in err and "takeover" in err, (code, err)
    assert m.register(0, 0xc32) == 0x19 and m.register(0, 0xc30) == 0
    c = h.write("taken2.conf", "takeover = true;\n" + CONF)
    u = h.Uncored("-c", c, *m.options())
    assert m.register(0, 0xc32) == 0xf
    assert u.stop() == 0
    assert (m.register(0, 0xc32), m.register(0, 0xc20),
            m.register(0, 0xc00)) == (0x19, 0x2, 0x10000000)


def test_bystanders_keep_counting():
    m = h.Msrfs("--virtual")
    # M-Box 0 counter 5 counts cycles for somebody else (inc_sel 1B), before, during and after.
    # Its clock is 4/3 GHz: 30 ms are a whole number of them.
    step = 30_000_000
    m.control("write 0 0xcba 0x3601", "write 0 0xca0 0x20", "write 0 0xc00 0x10000000",
              "advance %d" % step)
    first = m.register(0, 0xcbb)
    assert first > 0
    c = h.write("bystander.conf", CONF)
    u = h.Uncored("-c", c, *m.options())
    m.control("advance %d" % step)
    settle(u)
    second = m.register(0, 0xcbb)
    assert u.stop() == 0
    m.control("advance %d" % step)
    third = m.register(0, 0xcbb)
    assert second == 2 * first and third == 3 * first, (first, second, third)
    assert m.register(0, 0xcba) == 0x3601 and m.register(0, 0xc00) == 0x10000000


def test_reload_keeps_totals_exact():
    m, u, c = start()
    m.control("advance %d" % STEP)
    settle(u)
    before = {k: v for k, v in u.metrics().items()
              if k.startswith("uncore_bbox_imt_inserts")}
    h.write(os.path.basename(c), CONF.replace('"rbox/NULL_IDLE,port=0", ', ""))
    u.p.send_signal(signal.SIGHUP)
    h.wait_for("the reload is through", lambda: "read again" in u.text())
    h.wait_for("samples after it",
               lambda: u.get("/-/ready")[0] == 200 and before.items() <= u.metrics().items())
    m.control("advance %d" % STEP)
    settle(u)
    got, truth = u.metrics(), m.truth()
    for unit in (0, 1):
        assert int(got[INSERTS % (0, unit)]) == truth[(0, DATA[("bbox", unit)])][0]
    assert not any("null_idle" in k for k in got)
    assert m.register(0, 0xe12) == 0 or m.register(0, 0xe10) == 0        # its counter went back
    # A bad edit: named with its line, and nothing is lost.
    h.write(os.path.basename(c), CONF.replace("bbox/CONFLICTS", "bbox/CONFLICT"))
    u.p.send_signal(signal.SIGHUP)
    h.wait_for("the reload is refused",
               lambda: u.metrics().get("uncored_config_last_reload_successful") == "0")
    assert "CONFLICTS" in u.text() and ":4:" in u.text(), u.text()
    m.control("advance %d" % STEP)
    settle(u)
    assert int(u.metrics()[INSERTS % (0, 0)]) == m.truth()[(0, 0xc33)][0]
    assert u.stop() == 0
    assert all(v == 0 for v in m.registers(0, ALL).values())


def test_lockdown_is_one_clear_sentence():
    m = h.Msrfs("--virtual")
    m.control("fault write_eperm 0 on", "fault write_eperm 1 on")
    c = h.write("eperm.conf", CONF)
    code, _, err = h.run(h.UNCORED, "-c", c, "--listen", "127.0.0.1:0", *m.options())
    assert code == 77 and "lockdown" in err, (code, err)
    assert len([line for line in err.splitlines() if "lockdown" in line]) == 1, err


def test_no_device():
    c = h.write("nodev.conf", CONF)
    m = h.Msrfs("--virtual")
    options = m.options()
    options[1] = h.path("nodev")
    code, _, err = h.run(h.UNCORED, "-c", c, "--engine", "registers",
                         "--listen", "127.0.0.1:0", *options)
    assert code == 75 and "modprobe msr" in err, (code, err)


def test_rotation_on_the_device():
    conf = CONF.replace('"bbox/CONFLICTS", ', "").replace(
        "groups = (", 'groups = ( { name = "full"; events = [ "bbox/IMT_FULL" ]; }, { name = '
                      '"conf"; events = [ "bbox/CONFLICTS" ]; },')
    m, u, _ = start(conf='rotation = "400ms";\n' + conf)
    rounds = u.metrics()['uncored_rounds{socket="0"}']
    assert rounds == "2", rounds
    for _ in range(10):
        m.control("advance %d" % STEP)
        settle(u, 1)
    settle(u, 6)
    got, truth = u.metrics(), m.truth()
    names = {"full": "uncore_bbox_imt_full_total", "conf": "uncore_bbox_conflicts_total"}
    both = sum(int(got['%s{socket="0",unit="0"}' % n]) for n in names.values())
    # the two share counter 3: nothing is lost between them
    assert both == truth[(0, 0xc37)][0] and both > 0
    active = [float(got['uncored_group_active_seconds_total{socket="0",group="%s"}' % g])
              for g in names]
    assert all(a > 0.2 for a in active), active
    # each has the time of its turns, without that in which the model's clock stood
    for g, event in (("full", "IMT_FULL"), ("conf", "CONFLICTS")):
        own = [float(v) for k, v in got.items() if 'event="%s"' % event in k and
               k.startswith('uncored_slot_active_seconds_total{socket="0",box="bbox",unit="0"')]
        group = float(got['uncored_group_active_seconds_total{socket="0",group="%s"}' % g])
        assert len(own) == 1 and 0 < own[0] <= group, (own, group)



def test_another_known_processor_under_a_running_daemon():
    """A guest was moved to a processor with other registers, which uncored knows as well: a reload
    is refused, and what is counted goes on under the old name."""
    m = h.Msrfs("--virtual")
    options = m.options_apart()
    cpuinfo, conf = options[5] + "/cpuinfo", h.write("known.conf", CONF)
    u = h.Uncored("-c", conf, *options)
    settle(u)
    was, writes = h.read(cpuinfo), len(m.read("writes"))
    other = re.sub(r"(?m)^(model\s+: )46$", r"\g<1>47", was)      # Westmere-EX
    assert other != was
    with open(cpuinfo, "w") as f:
        f.write(other)
    u.p.send_signal(signal.SIGHUP)
    h.wait_for("the reload is refused", lambda: "reload failed" in u.text() or
               "configuration read again" in u.text())
    assert "the processor has changed (now GenuineIntel family 6 model 47)" in u.text(), u.text()
    assert len(m.read("writes")) == writes, m.read("writes")[writes:]
    m.control("advance %d" % STEP)
    settle(u)
    assert int(u.metrics()[INSERTS % (0, 0)]) == m.truth()[(0, 0xc33)][0]
    with open(cpuinfo, "w") as f:
        f.write(was)
    u.p.send_signal(signal.SIGHUP)
    h.wait_for("the next is taken", lambda: "configuration read again" in u.text())
    assert u.stop() == 0, u.text()


# CPUID of a real ZXD D4600 (hwloc's tests/hwloc/x86/Zhaoxin-CentaurHauls-ZXD-4600): the numbers
# are those of a Nehalem.
ZXD = """processor	: 0
vendor_id	: CentaurHauls
cpu family	: 6
model		: 31
model name	: ZXD D4600@1800MHz
stepping	: 14

"""


def test_a_processor_of_another_vendor():
    """Families and models are each vendor's own numbers: nothing is written, whatever asks for it,
    also where the numbers are those of the registers that are there."""
    m = h.Msrfs("--virtual")
    options = m.options_apart()
    conf = h.write("vendor.conf", "# defaults\n")
    for text in ZXD, ZXD.replace("31", "46"):
        with open(options[5] + "/cpuinfo", "w") as f:
            f.write(text)
        for engine in ("auto", "registers", "perf"):
            h.run(h.UNCORED, "--once", "-c", conf, *options, "--engine", engine)
            assert not m.read("writes"), (engine, m.read("writes"))
        code, _, err = h.run(h.UNCORED, "--once", "-c", conf, *options, "--engine", "registers")
        assert code == 69 and "CentaurHauls family 6 model" in err, (code, err)
        out = h.run(h.CTL, "doctor", "-c", conf, *options)[1]
        assert "CentaurHauls" in out and "nehalem" not in out, out


def test_a_reload_where_the_processor_is_named():
    """With --path-dev, --processor may name another one than CPUID: a reload is no change of it."""
    m = h.Msrfs("--virtual")
    options = m.options_apart()
    with open(options[5] + "/cpuinfo") as f:
        was = f.read()
    with open(options[5] + "/cpuinfo", "w") as f:
        f.write(re.sub(r"(?m)^(model\s+: )46$", r"\g<1>85", was))       # Skylake-SP
    u = h.Uncored("-c", h.write("named.conf", CONF), *options, "-p", "nehalem-ex")
    settle(u)
    u.p.send_signal(signal.SIGHUP)
    h.wait_for("an answer to the reload", lambda: "reload failed" in u.text() or
               "configuration read again" in u.text())
    assert "reload failed" not in u.text(), u.text()
    m.control("advance %d" % STEP)
    expect_truth(m, u)
    assert u.stop() == 0, u.text()


def test_another_processor_under_a_running_daemon():
    """A guest was moved: no register answers any more, and CPUID says another model. Slots say so,
    nothing is written again and again, a reload writes nothing under the old name, and what cannot
    be put back is owed until the guest is back."""
    m = h.Msrfs("--virtual")
    options = m.options_apart()
    cpuinfo, run = options[5] + "/cpuinfo", options[-1]
    u = h.Uncored("-c", h.write("moved.conf", CONF), *options)
    settle(u)
    was, writes = h.read(cpuinfo), len(m.read("writes"))
    other = re.sub(r"(?m)^(model\s+: )\d+$", r"\g<1>85", was)      # Skylake-SP
    assert other != was
    m.control("fault eio 0 on", "fault eio 1 on")
    with open(cpuinfo, "w") as f:
        f.write(other)
    slots = sum(k.startswith("uncored_slot_valid") for k in u.metrics())
    h.wait_for("nothing is valid", lambda: len(invalid(u)) == slots)
    lines, samples = u.text().count("\n"), u.value('uncored_samples_total{socket="0"}')
    time.sleep(3)
    assert all('reason="read_error"' in k for k in invalid(u)), invalid(u)
    assert u.value('uncored_samples_total{socket="0"}') - samples >= 8, "it does not tick"
    assert u.text().count("\n") - lines <= 4, u.text()
    u.p.send_signal(signal.SIGHUP)
    h.wait_for("the reload is refused", lambda: "reload failed" in u.text())
    assert "does not know this processor's registers (GenuineIntel family 6 model 85)" \
        in u.text(), u.text()
    assert len(m.read("writes")) == writes, m.read("writes")[writes:]
    assert u.stop() == 70 and os.path.exists(run + "/uncored.state"), u.text()
    m.control("fault eio 0 off", "fault eio 1 off")
    code, _, err = h.run(h.UNCORED, "--restore", *options)
    assert code == 69 and len(m.read("writes")) == writes, (code, err)
    with open(cpuinfo, "w") as f:
        f.write(was)
    code, _, err = h.run(h.UNCORED, "--restore", *options)
    assert code == 0 and not any(any(m.registers(cpu, ALL).values()) for cpu in (0, 8)), (code, err)


if __name__ == "__main__":
    h.main(sys.modules[__name__])
