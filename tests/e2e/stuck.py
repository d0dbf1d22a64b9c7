# SPDX-License-Identifier: MIT
"""stuck.py - nobody who is stuck holds up anybody: the reader of the log, the journal, the service
manager, one of two sockets' register files, the http process, the spawner, the disk with the run
directory; each is stopped alone, and each with each other.

Meanwhile a reload is asked for. Whoever is not stopped keeps the cadence of an undisturbed twin
that runs beside it. Everything goes on by itself once they go on, and every total is the truth.
They are stopped again, and SIGTERM ends it within 5 s: registers are put back; those behind a
device that hangs are owed.

Stops of 2 s and a choice of pairs; UNCORED_TEST_LONG=1: 60 s and all pairs. UNCORED_TEST_SEED: the
choice of an earlier run.
"""
import concurrent.futures
import contextlib
import itertools
import os
import random
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
import traceback
import urllib.request

import harness as h

LONG = bool(os.environ.get("UNCORED_TEST_LONG"))
STOP = 60 if LONG else 2
FEW = 5                                 # pairs of `make check`
PARTIES = ["log", "journal", "manager", "device", "http", "spawner", "disk"]
CONF = """interval = "200ms";
groups = (
  { name = "memory"; events = [ "bbox/IMT_INSERTS_ALL", "wbox/CLOCKTICKS" ]; },
  { name = "llc"; events = [ "cbox/LLC_HITS:ALL" ]; }
);
"""
# ns of model time per advance, which stands still else: two samples may be that near, where a late
# one or a reload is followed by the next tick, and more clocks than that time has would be a reset
STEP = 100_000
INSERTS = 'uncore_bbox_imt_inserts_all_total{socket="%d",unit="0"}'
# Of these units: controls, counters' controls, boxes' and global enables.
WRITTEN = [0xc00, 0xc20, 0xc30, 0xc32, 0xc60, 0xc70, 0xc72, 0xc80, 0xd00, 0xd10]
PASSFS = os.path.join(h.BUILD, "tests/msrfs/uncore-passfs")
# Of a socket of datagrams: a line of the time for each.
RECEIVER = """import socket, sys, time
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print("ready", flush=True)
while True:
    print(time.monotonic(), s.recv(8192), flush=True)
"""
IN_NAMESPACE = ("mount --bind \"$0\" /run/systemd/journal 2>/dev/null || { "
                "mount -t tmpfs none /run && mkdir -p /run/systemd/journal && "
                "mount --bind \"$0\" /run/systemd/journal; } && exec \"$@\"")


def receiver(name, path):
    p = h.Process([sys.executable, "-c", RECEIVER, path], name)
    h.wait_for(name + " listens", lambda: "ready" in h.read(p.out))
    return p


def fill(*send):
    """Until nothing more fits. Twice: who was just stopped may have read once more."""
    for _ in range(2):
        for one in send:
            with contextlib.suppress(BlockingIOError):
                while one():
                    pass
        time.sleep(0.05)


class Daemon(h.Process):
    """An uncored whose surroundings can be stopped one by one."""

    def __init__(self, name, journal=False, disk=False, hangs=False):
        self.path = h.path(name)
        os.mkdir(self.path)
        self.a, self.b, self.options = h.two_servers()
        self.pids = {"device": self.b.pid}
        self.manager = self.receiver("manager", "notify")
        env = {"NOTIFY_SOCKET": self.path + "/notify", "WATCHDOG_USEC": "1000000"}
        if hangs:                       # a thread is left
            env["ASAN_OPTIONS"] = "detect_leaks=0"
        argv0, self.journal = [], None
        if journal:
            os.mkdir(self.path + "/journal")
            self.journal = self.receiver("journal", "journal/socket")
            argv0 = ["unshare", "--mount", "sh", "-c", IN_NAMESPACE, self.path + "/journal"]
            self.ours, theirs = socket.socketpair()
            h._cleanup += self.ours.close, theirs.close
            inode = os.fstat(theirs.fileno())
            env["JOURNAL_STREAM"] = "%d:%d" % (inode.st_dev, inode.st_ino)
            write_end = theirs.fileno()
        else:
            read_end, write_end = os.pipe()
            with open(self.path + "/log", "w") as log:
                self.reader = subprocess.Popen(["cat"], stdin=read_end, stdout=log)
            os.close(read_end)
            self.pids["log"] = self.reader.pid
            self.pipe = os.open("/proc/self/fd/%d" % write_end, os.O_WRONLY | os.O_NONBLOCK)
        if disk:
            self.mount()
        port = h.free_port()
        super().__init__([*argv0, h.UNCORED, "--listen", "127.0.0.1:%d" % port,
                          "-c", h.write(name + ".conf", CONF), *self.options],
                         name, env=env, stderr=write_end)
        self.state = self.options[-1] + "/uncored.state"
        self.url = "http://127.0.0.1:%d" % port
        if not journal:
            os.close(write_end)
        h.wait_for(name + " is ready", lambda: not self.running() or
                   self.get("/-/ready")[0] == 200)
        assert self.running(), self.text()
        self.note_children()

    get, metrics, child = h.Uncored.get, h.Uncored.metrics, h.Uncored.child

    def note_children(self):
        self.pids["http"] = self.child()
        self.pids["spawner"] = h.child_of(self.pid, "uncored-spawner")

    def receiver(self, party, where):
        p = receiver(os.path.basename(self.path) + "-" + party, self.path + "/" + where)
        self.pids[party] = p.pid
        return p

    def mount(self):
        os.mkdir(self.path + "/disk")
        at = self.options[-1] = self.path + "/run"
        os.mkdir(at)
        p = h.Process([PASSFS, self.path + "/disk", at], os.path.basename(self.path) + "-disk")
        h.wait_for("the disk", lambda: os.path.ismount(at) or not p.running())
        if not p.running():
            h.skip("uncore-passfs cannot mount here: " + p.text())
        self.pids["disk"] = p.pid

    def text(self):
        """What was logged: to the pipe's reader, or to the journal."""
        return h.read(self.journal.out if self.journal else self.path + "/log")

    def feeds(self):
        """Times at which the watchdog was fed."""
        return [float(line.split()[0]) for line in h.read(self.manager.out).splitlines()
                if "WATCHDOG=1" in line]

    def stuck(self, party):
        """Its process is stopped; what it would read is full."""
        os.kill(self.pids[party], signal.SIGSTOP)
        if party == "log":
            fill(lambda: os.write(self.pipe, b"." * 4096), lambda: os.write(self.pipe, b"."))
        elif party in ("manager", "journal"):
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
                s.setblocking(False)
                where = "notify" if party == "manager" else "journal/socket"
                fill(lambda: s.sendto(b"X_OTHER=1", self.path + "/" + where))

    def goes_on(self, party):
        with contextlib.suppress(ProcessLookupError):   # the http process was replaced
            os.kill(self.pids[party], signal.SIGCONT)

    def changed(self, server, cpu):
        return [hex(r) for r, v in server.registers(cpu, WRITTEN).items() if v]


class Watched:
    """What a time brought: ticks of each socket, how late they were, how long answers took."""

    def __init__(self, d):
        self.d, self.slowest, self.began = d, 0, d.metrics()
        self.at = time.monotonic()

    def look(self):
        t = time.monotonic()
        assert self.d.get("/metrics")[0] == 200, self.d.text()
        self.slowest = max(self.slowest, time.monotonic() - t)

    def end(self):
        end = self.d.metrics()
        self.took = time.monotonic() - self.at

        def grew(name, s):
            key = name + '{socket="%d"}' % s
            return float(end[key]) - float(self.began[key])
        self.ticks = [grew("uncored_samples_total", s) for s in (0, 1)]
        self.late = [grew("uncored_tick_lateness_seconds_sum", s) /
                     max(1, grew("uncored_tick_lateness_seconds_count", s)) for s in (0, 1)]
        self.feeds = sum(self.at < t < self.at + self.took for t in self.d.feeds())
        return self


def cadence(mine, twin, stuck):
    """As the twin's, generously: the machine is busy."""
    share = mine.took / twin.took
    for s in (0, 1) if "device" not in stuck else (0,):
        least = 0.8 * twin.ticks[s] * share - 4
        assert mine.ticks[s] >= least, ("ticks", s, mine.ticks, twin.ticks, share)
        assert mine.late[s] <= 2 * twin.late[s] + 0.05, ("late", s, mine.late, twin.late)
    if "http" not in stuck:
        assert mine.slowest <= 2 * twin.slowest + 1, ("http", mine.slowest, twin.slowest)
    if "manager" not in stuck:
        # the reload gives a sampler 3 s to answer; two in a second
        least = 0.6 * twin.feeds * share - 2 - (8 if "device" in stuck else 0)
        assert mine.feeds >= least, ("fed", mine.feeds, twin.feeds)


def truth(d):
    """Counting goes on with what happened meanwhile, to the last count."""
    h.wait_for("ready again: " + d.text()[-2000:], lambda: d.get("/-/ready")[0] == 200)
    for m in (d.a, d.b):
        m.control("advance %d" % STEP)
    for s, m in enumerate((d.a, d.b)):
        h.wait_for("the truth", lambda s=s, m=m:
                   d.metrics().get(INSERTS % s) == str(m.truth()[(s, 0xc33)][0]))
    got = d.metrics()
    for s in (0, 1):
        assert got['uncored_resets_total{socket="%d"}' % s] == "0"


def the_end(d, stuck):
    """Within 5 s; what cannot be put back is owed, and paid later."""
    owed = "device" in stuck
    for party in stuck:
        d.stuck(party)
    time.sleep(0.5)
    d.end()
    assert not d.changed(d.a, 0), d.changed(d.a, 0)
    for party in stuck:
        d.goes_on(party)
    code = d.p.wait(h.PATIENCE)
    assert code == (70 if {"device", "disk"} & set(stuck) else 0), (code, d.text()[-2000:])
    assert bool(d.changed(d.b, 8)) == owed and os.path.exists(d.state) == bool(code)
    code, _, err = h.run(h.UNCORED, "--restore", *d.options)
    assert code == 0 and not d.changed(d.b, 8) and not os.path.exists(d.state), (code, err)


LOST = "messages lost because nobody read the log"


def said_of_the_reload(stuck):
    """Sooner or later: what nobody reads is lost, but for a reload that waits for the disk."""
    if "device" in stuck and not LONG:
        return ""                       # or it is refused, as in a long stop
    if {"log", "journal"} & set(stuck) and "disk" not in stuck:
        return LOST
    if "device" in stuck:
        return "is stalled and cannot switch"
    return "the spawner does not answer" if "spawner" in stuck else "configuration read again"


def reload_is_over(d, stuck):
    """One of both is not stuck, and says so."""
    if "manager" in stuck:
        return d.metrics()["uncored_log_lines_lost_total"] != "0"
    return "READY=1" in h.read(d.manager.out).partition("RELOADING=1")[2]


def trial(stuck, twin):
    name = "-".join(stuck)
    d = Daemon(name, journal="journal" in stuck, disk="disk" in stuck,
               hangs="device" in stuck)
    for m in (d.a, d.b):
        m.control("advance %d" % STEP)
    mine, beside = Watched(d), Watched(twin)
    told = said_of_the_reload(stuck)
    for party in stuck:
        d.stuck(party)
    time.sleep(0.5)                     # the sampler is in a read
    d.p.send_signal(signal.SIGHUP)
    end = time.monotonic() + STOP
    while time.monotonic() < end:
        if "http" not in stuck:
            mine.look()
        beside.look()
        time.sleep(0.2)
    assert d.running(), d.text()[-2000:]
    if told == LOST:
        h.wait_for("the reload is over", lambda: reload_is_over(d, stuck))
    if "http" in stuck:                 # nobody else tells
        for party in stuck:
            d.goes_on(party)
        h.wait_for("it serves again", lambda: not d.running() or d.get("/-/ready")[0] == 200)
        assert d.running(), d.text()[-2000:]
    mine.end()
    beside.end()
    for party in stuck:
        d.goes_on(party)
    cadence(mine, beside, stuck)
    truth(d)
    h.wait_for("%s: %s" % (told, d.text()[-2000:]), lambda: told in d.text())
    before = len(d.feeds())
    h.wait_for("the watchdog is fed", lambda: len(d.feeds()) > before)
    d.note_children()
    the_end(d, stuck)


def look_what_is_missing():
    if os.getuid() != 0:
        h.skip("only root has a mount namespace of its own")
    if not os.path.exists(PASSFS):
        h.skip("uncore-passfs was not built: libfuse3 is not installed")
    code, _, err = h.run("unshare", "--mount", "true")
    if code:
        h.skip("no mount namespace can be made here: " + err.strip())


def trials(rows):
    """All side by side: they wait most of their time."""
    look_what_is_missing()
    twin, wrong = Daemon("twin"), []
    with concurrent.futures.ThreadPoolExecutor(len(rows) if LONG else 3) as pool:
        for row, done in [(row, pool.submit(trial, row, twin)) for row in rows]:
            try:
                done.result()
            except Exception:
                wrong.append("%s: %s" % (" and ".join(row), traceback.format_exc()))
    assert not wrong, "%d of %d:\n%s" % (len(wrong), len(rows), "\n".join(wrong))
    assert twin.stop() == 0
    print("%d trials" % len(rows))


def test_the_end_while_a_reload_hangs():
    """It waits for the disk, and nobody reads the signal. Nothing is put back: all is owed."""
    look_what_is_missing()
    d = Daemon("reload", disk=True)
    watched = Watched(d)
    d.stuck("disk")
    d.p.send_signal(signal.SIGHUP)
    time.sleep(2)
    watched.look()
    assert min(watched.end().ticks) > 5 and "read again" not in d.text(), (watched.ticks, d.text())
    d.end()
    assert d.changed(d.a, 0) and d.changed(d.b, 8)
    d.goes_on("disk")
    assert d.p.wait(h.PATIENCE) == 70 and "a disk or a register hangs" in d.text(), d.text()
    code, _, err = h.run(h.UNCORED, "--restore", *d.options)
    assert code == 0 and "did not exit cleanly" in err, (code, err)
    assert not d.changed(d.a, 0) + d.changed(d.b, 8) and not os.path.exists(d.state)


def test_certificates_on_a_disk_that_hangs():
    """Their files are looked at once a second. It counts, serves and feeds its watchdog meanwhile,
    and ends within 5 s."""
    look_what_is_missing()
    if not shutil.which("openssl"):
        h.skip("openssl is not installed")
    disk, at = h.path("certificates"), h.path("mounted")
    os.mkdir(disk)
    os.mkdir(at)
    code, _, err = h.run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                         "ec_paramgen_curve:P-256", "-nodes", "-keyout", disk + "/key", "-out",
                         disk + "/crt", "-days", "30", "-subj", "/CN=localhost")
    assert code == 0, err
    fs = h.Process([PASSFS, disk, at], "certificates-disk")
    h.wait_for("the disk", lambda: os.path.ismount(at) or not fs.running())
    if not fs.running():
        h.skip("uncore-passfs cannot mount here: " + fs.text())
    manager = receiver("certificates-manager", h.path("certificates-notify"))
    c = h.write("certificates.conf", 'interval = "200ms"; tls_server_config = '
                '{ cert_file = "%s/crt"; key_file = "%s/key"; };\n' % (at, at))
    u = h.Process([h.UNCORED, "-c", c, "--listen", "127.0.0.1:0", "--engine", "model:nehalem-ex",
                   "--path-run", h.path("run-certificates")], "certificates",
                  env={"NOTIFY_SOCKET": h.path("certificates-notify"),
                       "WATCHDOG_USEC": "1000000"})
    url = u.serving()
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE

    def samples():
        with urllib.request.urlopen(url + "/metrics", timeout=10, context=trusting) as r:
            return float(h.samples(r.read().decode())['uncored_samples_total{socket="0"}'])

    def feeds():
        return h.read(manager.out).count("WATCHDOG=1")
    h.wait_for("it is fed", feeds)
    os.kill(fs.pid, signal.SIGSTOP)
    time.sleep(1.5)                     # it hangs in them
    before, ticks = feeds(), samples()
    time.sleep(STOP)
    assert feeds() - before >= STOP and samples() - ticks >= 3 * STOP, \
        (before, feeds(), ticks, samples())
    u.end()
    os.kill(fs.pid, signal.SIGCONT)
    assert u.p.wait(h.PATIENCE) == 70, u.text()


def test_each_alone():
    trials([(party,) for party in PARTIES])


def test_pairs():
    """Messages go either to the log's reader or to the journal."""
    seed = int(os.environ.get("UNCORED_TEST_SEED") or time.time())
    print("UNCORED_TEST_SEED=%d" % seed)
    rows = [row for row in itertools.combinations(PARTIES, 2) if row != ("log", "journal")]
    trials(rows if LONG else random.Random(seed).sample(rows, FEW))


h.main(sys.modules[__name__])
