# SPDX-License-Identifier: MIT
"""device_disturbed.py - the shipped binary on msr files, while something goes wrong: other tools,
CPUs that go, registers that do not answer, another processor.
"""
import os
import re
import signal
import sys
import time

import harness as h
from device_files import ALL, CONF, INSERTS, STEP, expect_truth, invalid, settle, start


def test_foreign_write_is_flagged_and_survived():
    # What is foreign is ours again at the next tick: one lasts for several looks.
    m, u, _ = start(conf=CONF.replace('"200ms"', '"2s"'))
    m.control("advance %d" % STEP)
    settle(u)
    good = int(u.metrics()[INSERTS % (0, 0)])
    m.control("write 0 0xc32 0x19")                     # another tool: IMT_INSERTS_WR, enabled
    m.control("advance %d" % STEP)
    key = ('uncored_slot_invalid{socket="0",box="bbox",unit="0",event="IMT_INSERTS_ALL",'
           'reason="foreign"}')
    got = h.wait_for("the slot is flagged", lambda: next(
        (got for got in [u.metrics()] if key in got), None))
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


h.main(sys.modules[__name__])
