# SPDX-License-Identifier: MIT
"""sampling_path.py - how the samplers of the shipped program run: in real time where it pays, and
without a call that could hold them up. They allocate nothing, take no lock, format and write no
text: through the msr device and PCI configuration space, with rounds, windows, distributions,
missed ticks, writes of others and registers that cannot be read; and with events of the kernel.

tests/model/forbidden_calls.c, preloaded, sees the calls of each thread.
"""
import os
import signal
import struct
import sys
import time

import harness as h

LIBRARY = os.path.abspath(os.path.join(h.BUILD, "tests/model/forbidden_calls.so"))
TICKS = 100


class Watched(h.Uncored):
    def __init__(self, conf, *args):
        if h.SANITIZED:
            h.skip("this build's allocator belongs to the sanitizers")
        if not os.path.exists(LIBRARY):
            h.skip("tests/model/forbidden_calls.so was not built")
        self.report = h.write("calls-%d" % id(self), "\0" * 4096)
        super().__init__("-c", conf, *args,
                         env={"LD_PRELOAD": LIBRARY, "FORBIDDEN_CALLS": self.report})

    def calls(self):
        """(by samplers, by others, ticks that samplers waited for, the first that a sampler
        called)"""
        with open(self.report, "rb") as f:
            s, others, waits, name = struct.unpack("QQQ40s", f.read(64))
        return s, others, waits, name.rstrip(b"\0").decode()

    def expect_none(self):
        h.wait_for("ticks of samplers", lambda: self.calls()[2] > TICKS, 3 * h.PATIENCE)
        assert self.stop() == 0
        s, others, _, name = self.calls()
        assert others > 100, "calls are not seen: %d" % others
        assert s == 0, "samplers called %d of them, first %s" % (s, name)


IVYTOWN = """interval = "50ms"; rotation = "100ms"; groups = (
  { name = "a"; resolution = "5ms"; distribution = true;
    events = [ "imc/CAS_COUNT:RD,counter=0", "imc/DCLK", "cbox/CLOCKTICKS,counter=3" ]; },
  { name = "b"; resolution = "10ms"; distribution = true;
    events = [ "imc/CAS_COUNT:WR,counter=0", "qpi/TXL_FLITS_G0:DATA,counter=0", "ubox/UCLK" ]; } );
"""


def take(m, socket, function, offset, value):
    """Writes a register of a PCI function; the buses of the sockets are told apart by their
    order."""
    at = m.at + "/sys/bus/pci/devices"
    fd = os.open(sorted(at + "/" + d + "/config" for d in os.listdir(at)
                        if d.endswith(function))[socket], os.O_RDWR)
    assert os.pwrite(fd, value.to_bytes(4, "little"), offset) == 4
    os.close(fd)


def test_registers():
    m = h.Msrfs("--processor", "ivytown")
    u = Watched(h.write("ivytown.conf", IVYTOWN), *m.options())
    h.wait_for("rounds take turns",
               lambda: u.metrics().get('uncored_group_active_seconds_total{socket="0",group="b"}',
                                       "0") != "0")
    # Two registers cannot be read; another tool takes a counter, in either space.
    m.control("fault eio 1 16:0+0xa0 on", "fault eio 0 0xc09 on")
    takes = (lambda: m.control("write 0 0xd13 0x1"), lambda: take(m, 1, "10.4", 0xd8, 0x400001))

    def noticed(socket):
        """The counter is ours again at the next check: the number of such writes stays. One that
        comes between a round's last check and its stop is overwritten: then it is made again."""
        seen = u.value('uncored_foreign_writes_total{socket="%d"}' % socket)
        if not seen:
            takes[socket]()
        return seen

    def reasons():
        return {k.rsplit('reason="', 1)[1][:-2] for k in u.metrics()
                if k.startswith("uncored_slot_invalid{")}
    h.wait_for("it is noticed", lambda: noticed(0) and noticed(1) and "read_error" in reasons(),
               60)
    u.p.send_signal(signal.SIGSTOP)
    time.sleep(0.05)
    u.p.send_signal(signal.SIGCONT)
    m.control("fault eio 1 16:0+0xa0 off", "fault offline 0 on")
    h.wait_for("ticks were missed", lambda: u.value('uncored_ticks_missed_total{socket="1"}') >= 3)
    h.wait_for("nobody answers for a socket", lambda: "offline" in reasons())
    m.control("fault offline 0 off", "fault eio 0 0xc09 off")
    u.expect_none()


WINDOWS = """interval = "20ms"; groups = (
  { name = "w"; distribution = true; window = { event = "bbox0/IMT_INSERTS_ALL"; count = 2000000; };
    events = [ "wbox/CLOCKTICKS", "bbox/IMT_INSERTS_ALL", "bbox/IMT_VALID_OCCUPANCY" ]; } );
"""


def test_windows():
    m = h.Msrfs()
    u = Watched(h.write("windows.conf", WINDOWS), *m.options())
    h.wait_for("windows end", lambda: u.value('uncored_frozen_seconds_total{socket="0"}') > 0.01)
    u.expect_none()


PERF = """interval = "100ms"; groups = (
  { name = "p"; resolution = "1ms"; distribution = true;
    events = [ "perf/software/cpu-clock/", "perf/software/context-switches/" ]; } );
"""


def test_perf():
    conf = h.write("perf.conf", PERF)
    code, _, err = h.run(h.UNCORED, "-c", conf, "--engine", "perf",
                         "--once", "--path-run", h.path("once"))
    if code:
        h.skip("events of the kernel cannot be counted here: " + err.strip().split("\n")[-1])
    Watched(conf, "--engine", "perf", "--path-run", h.path("run")).expect_none()


def test_realtime():
    """SCHED_FIFO for the samplers alone, below 100 ms alone, and where it is permitted."""
    conf = ('interval = "990ms"; '
            'groups = ( { name = "a"; resolution = "%s"; events = [ "wbox/CLOCKTICKS" ]; } );')
    c = h.write("realtime.conf", conf.replace("990ms", "1s") % "100ms")
    u = h.Uncored("-c", c, "--engine", "model:nehalem-ex:idle")

    def policies(samplers):
        tasks = "/proc/%d/task/" % u.pid
        return {os.sched_getscheduler(int(t)) & ~os.SCHED_RESET_ON_FORK for t in os.listdir(tasks)
                if h.read(tasks + t + "/comm").startswith("sampler-") == samplers}

    def told():
        return {v for k, v in u.metrics().items() if k.startswith("uncored_sampler_realtime{")}
    assert policies(True) == policies(False) == {os.SCHED_OTHER} and told() == {"0"}
    turns = ('interval = "990ms"; rotation = "990ms"; '
             'groups = ( { name = "a"; resolution = "99ms"; events = [ "bbox/IMT_INSERTS_RD" ]; }, '
             '{ name = "b"; events = [ "bbox/IMT_INSERTS_WR" ]; } );')
    for resolution, text, fast in (("99ms", conf % "99ms", True), ("990ms", conf % "990ms", False),
                                   ("99ms by turns", turns, True)):
        before = u.text().count("configuration read again")
        h.write("realtime.conf", text)
        u.p.send_signal(signal.SIGHUP)
        h.wait_for("a reload", lambda: u.text().count("configuration read again") > before)
        fast = fast and "without real-time priority" not in u.text()
        h.wait_for("%s is told" % resolution, lambda: told() == {"1" if fast else "0"})
        assert policies(True) == {os.SCHED_FIFO if fast else os.SCHED_OTHER}, (resolution, fast)
        assert policies(False) == {os.SCHED_OTHER}
    if "without real-time priority" in u.text():
        h.skip("SCHED_FIFO is not permitted here; nobody had it")


h.main(sys.modules[__name__])
