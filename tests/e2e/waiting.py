# SPDX-License-Identifier: MIT
"""waiting.py - machines on which nothing can be counted, or not yet (key without_counters).

Under a service manager they are served without values until there is something to count; without
one the start ends. The PMU that appears counts the kernel's own clock.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import harness as h

UP = 'uncored_up{socket="%d"}'
CLOCK = re.compile(r'uncore_late_ticks_total\{socket="0",unit="0"[^}]*\}')
LOOPBACK = ["--listen", "127.0.0.1:0"]
DEFAULTS = "# what is ready-made\n"     # an empty file is none
PMU_EVENTS = 'groups = ( { name = "g"; events = [ "perf/uncore_late/ticks/" ]; } );\n'


def fill(root, files):
    for name, text in files.items():
        at = os.path.join(root, name)
        os.makedirs(os.path.dirname(at), exist_ok=True)
        with open(at, "w") as f:
            f.write(text + "\n")


def machine(family=99, flags="fpu"):
    """sysfs and proc of two sockets of one CPU each, whose processor nobody knows, without PMUs."""
    root = tempfile.mkdtemp(dir=h.path(""))
    rows = "".join("processor\t: %d\nvendor_id\t: GenuineIntel\ncpu family\t: %d\nmodel\t\t: 7\n"
                   "stepping\t: 1\nflags\t\t: %s\n\n" % (cpu, family, flags)
                   for cpu in range(2))
    files = {"cpuinfo": rows, "devices/system/cpu/online": "0-1"}
    for cpu in range(2):
        at = "devices/system/cpu/cpu%d/topology/" % cpu
        files.update({at + "physical_package_id": str(cpu), at + "core_id": "0"})
    fill(root, files)
    return root


DEAD, ALIVE = "event=0x09", "event=0x00"        # PERF_COUNT_SW_DUMMY, _CPU_CLOCK


def add_pmus(root, name="power", **events):
    """A PMU that lists these events; of the type of software events, so that the real kernel counts
    them, or does not."""
    files = {"type": "1", "cpumask": "0", "format/event": "config:0-63"}
    for event, terms in events.items():
        at = "events/" + event.replace("_", "-")
        files.update({at: terms, at + ".scale": "2.3283064365386962890625e-10",
                      at + ".unit": "Joules"})
    fill(os.path.join(root, "bus/event_source/devices", name), files)


def add_pmu(root):
    """Complete at once, as the kernel makes it. Type 1 is PERF_TYPE_SOFTWARE, 0 its CPU clock."""
    pmus = os.path.join(root, "bus/event_source/devices")
    new = os.path.join(root, "uncore_late")
    fill(new, {"type": "1", "cpumask": "0", "format/event": "config:0-63",
               "events/ticks": "event=0x00"})
    os.makedirs(pmus, exist_ok=True)
    os.rename(new, os.path.join(pmus, "uncore_late"))


def paths(root, name):
    return ["--path-sysfs", root, "--path-procfs", root, "--path-dev", os.path.join(root, "dev"),
            "--path-run", h.path("run-" + name)]


def start(name, text, *args, **env):
    """Started as by a service manager; returns when it has said READY=1."""
    n = h.Notify(name)
    u = h.Uncored("-c", h.write(name + ".conf", text), *args, ready=False,
                  env={"NOTIFY_SOCKET": n.path, **env})
    u.url = u.serving()
    n.until("READY=1")
    return u, n


def look_at_waiting(u, n, why, sockets=2):
    """Every place says that nothing is counted, and why."""
    h.wait_for("the http process answers", lambda: u.get("/-/healthy")[0] == 200)
    got = h.wait_for("it has values", lambda: "uncored_without_counters" in u.metrics() and
                     u.metrics())
    assert got["uncored_without_counters"] == "1", got
    assert [got[UP % s] for s in range(sockets)] == ["0"] * sockets, got
    assert not [k for k in got if k.startswith("uncore_")], got
    assert u.get("/-/ready")[0] == 503
    page, status = u.get("/")[2].decode(), u.status()
    assert why in status["without_counters"] and not status["ready"], status
    assert not status["simulated"] and [s["up"] for s in status["sockets"]] == [False] * sockets
    assert why in page and "SIMULATED" not in page and "Nothing: every" not in page, page
    assert any(why in line for line in n.until("STATUS=")), n.seen
    n.until("WATCHDOG=1")
    assert u.text().count(why) == 1, u.text()


def counts(u):
    h.wait_for("it counts: " + u.text(), lambda: u.get("/-/ready")[0] == 200)
    got = u.metrics()
    assert got["uncored_without_counters"] == "0" and got[UP % 0] == "1", got
    assert u.status()["without_counters"] == "" and "Nothing is counted" not in \
        u.get("/")[2].decode()
    return got


def may_count():
    """perf_event_open for a whole CPU, which the PMU of these tests needs."""
    code, _, err = h.run(h.UNCORED, "--once", "--engine", "perf", "-c", h.write(
        "may.conf", 'groups = ( { name = "g"; events = [ "perf/software/cpu-clock/" ]; } );\n'))
    if code:
        h.skip("perf may not count here: " + err)


def test_a_pmu_appears():
    may_count()
    root = machine()
    u, n = start("pmu", DEFAULTS, *paths(root, "pmu"))
    look_at_waiting(u, n, "nothing to count")
    child = u.child()
    add_pmu(root)
    got = counts(u)
    assert any(CLOCK.fullmatch(k) for k in got), got
    assert u.child() == child, "the http process lives on"
    h.wait_for("it goes on counting", lambda: u.value('uncored_samples_total{socket="0"}') >= 3)
    assert u.text().count("serving http") == 1, u.text()
    assert u.stop() == 0, u.text()


def test_a_module_appears():
    """The msr devices of a processor whose registers are known."""
    m = h.Msrfs("--processor", "nehalem-ex")
    options = m.options()
    options[1] = dev = tempfile.mkdtemp(dir=h.path(""))
    for text in (DEFAULTS, 'groups = ( { name = "g"; events = [ "wbox/CLOCKTICKS" ]; } );\n',
                 'engine = "registers";\n'):
        name = "msr%d" % len(text)
        u, n = start(name, text, *options)
        look_at_waiting(u, n, "msr module is not loaded (yet)")
        assert not os.path.exists(h.path("run-" + os.path.basename(m.at)) + "/uncored.state")
        os.symlink(m.at + "/dev/cpu", dev + "/cpu")
        got = counts(u)
        assert [k for k in got if k.startswith("uncore_wbox_clockticks_total")], got
        assert u.stop() == 0, u.text()
        os.remove(dev + "/cpu")


def test_a_check_says_that_nothing_would_be_counted():
    """It is no mistake of the file; a start ends with 69, in the same words."""
    options = ["-c", h.write("nothing.conf", DEFAULTS), *paths(machine(), "nothing")]
    code, _, said = h.run(h.UNCORED, "--once", *options)
    assert code == 69 and "nothing to count: " in said, (code, said)
    code, out, err = h.run(h.UNCORED, "--check-config", *options)
    assert (code, out) == (0, "") and err and said.endswith(err), (code, out, err, said)


def test_who_ends():
    """69 and 75 without a service manager, and where the file or the mode says so."""
    n = h.Notify("ends")
    manager = {"NOTIFY_SOCKET": n.path}
    serve, leave = 'without_counters = "serve";\n', 'without_counters = "exit";\n'
    unknown, known = machine(), machine(6)
    fill(known, {"cpuinfo": h.read(known + "/cpuinfo").replace("model\t\t: 7",
                                                                     "model\t\t: 46")})
    for root, code in ((unknown, 69), (known, 75)):
        for text, env, args in ((DEFAULTS, {}, LOOPBACK), (leave, manager, LOOPBACK),
                                (serve, {}, ["--once"]), (DEFAULTS, manager, ["--once"])):
            got, out, err = h.run(h.UNCORED, *args, "-c", h.write("ends.conf", text),
                                  *paths(root, "ends"), env=env, timeout=20)
            assert got == code and out == "", (code, text, args, got, err)
    os.mkdir(h.path("run-serve"), 0o755)
    u = h.Uncored("-c", h.write("serve.conf", serve), *paths(unknown, "serve"), ready=False)
    u.serving()
    assert "uncored.waiting" in os.listdir(h.path("run-serve"))
    assert u.stop() == 0
    assert "uncored.waiting" not in os.listdir(h.path("run-serve"))
    code, _, err = h.run(h.UNCORED, "--check-config", "-c",
                         h.write("bad.conf", 'without_counters = "stay";\n'))
    assert code == 78 and 'without_counters = "stay": it must be "serve" or "exit"' in err, err


def test_registers_that_nobody_knows():
    """Chosen by the configuration: it waits as where nobody chose, and ends where it is to end."""
    root, engine = machine(), 'engine = "registers";\n'
    why = "registers (GenuineIntel family 99 model 7), so it writes none"
    os.mkdir(h.path("run-unknown"), 0o755)
    u, n = start("unknown", engine, *paths(root, "unknown"))
    look_at_waiting(u, n, why)
    code, _, err = h.run(h.UNCORED, "--check-config", "-c", h.path("unknown.conf"),
                         *paths(root, "unknown"))
    assert code == 0 and why in err and "a reload would accept" in err, (code, err)
    u.p.send_signal(1)
    n.until("READY=1")
    h.wait_for("it is read again", lambda: "configuration read again" in u.text())
    assert u.running() and u.text().count(why) == 1, u.text()
    h.write("unknown.conf", DEFAULTS)       # the kernel's PMUs: none is there
    u.p.send_signal(1)
    h.wait_for("it has another reason", lambda: "nothing to count" in
               u.status()["without_counters"])
    assert u.stop() == 0, u.text()
    serve = engine + 'without_counters = "serve";\n'
    for text, args in ((engine, LOOPBACK), (serve, ["--once"]),
                       (serve, ["--check-config"])):      # nobody waits now
        code, out, err = h.run(h.UNCORED, *args, "-c", h.write("ends.conf", text),
                               *paths(root, "unknown"), timeout=20)
        assert code == 69 and why in err and out == "", (code, args, err)
    # the name of another processor is a mistake, and nothing to wait for
    code, out, err = h.run(h.UNCORED, *LOOPBACK, "--processor", "nehalem-ex", "-c",
                           h.write("ends.conf", serve), *paths(root, "unknown")[:4], timeout=20)
    assert code == 69 and "this machine's CPUID says" in err and out == "", (code, err)


def test_stat_does_not_wait_with_it():
    """uncorectl stat says at once what is the matter; it does not take it for a stalled uncored."""
    u, _ = start("stat", DEFAULTS, *paths(machine(), "stat"))
    h.wait_for("it has values", lambda: u.metrics().get("uncored_without_counters") == "1")
    began = time.monotonic()
    code, out, err = h.run(h.CTL, "stat", "--url", u.url, "--", "echo", "ran")
    assert code == 69 and not out, (code, out, err)
    assert "has nothing to count (yet); run uncorectl doctor" in err, err
    assert time.monotonic() - began < 10, err
    assert u.stop() == 0, u.text()


def test_plan_says_that_nothing_would_be_counted():
    root = machine()
    for more in [], ["--json"]:
        code, out, err = h.run(h.CTL, "plan", "-c", h.write("none.conf", "# defaults\n"), *more,
                               *paths(root, "plan"))
        assert code == 69 and not out and err.count("\n") == 1, (code, out, err)
        assert "uncored would count nothing here: " in err and "uncorectl doctor" in err, err


def of_this_machine(name, root, text=DEFAULTS):
    """What start, doctor and plan make of it: their exit codes, what they say, and JSON."""
    options = ["-c", h.write(name + ".conf", text), *paths(root, name)]
    code, out, err = h.run(h.UNCORED, "--once", *options)
    doctor = h.run(h.CTL, "doctor", "--json", *options)
    plan = h.run(h.CTL, "plan", *options)
    return (code, doctor[0], plan[0]), (err, doctor[1], plan[2] + plan[1]), \
        json.loads(doctor[1]), out


def nothing_there(name, root, why):
    """Start, doctor, plan, page, status and top of one opinion."""
    codes, said, doctor, out = of_this_machine(name, root)
    assert codes == (69, 69, 69) and not out, (codes, said, out)
    assert all(why in text for text in said), said
    assert doctor["without_counters"] and not doctor["counts"], doctor
    u, n = start(name + "-serves", DEFAULTS, *paths(root, name + "-serves"))
    look_at_waiting(u, n, why)
    code, out, err = h.run(h.CTL, "top", "--batch", "-r", "1", "--url", u.url)
    assert why in out + err, (code, out, err)
    assert u.stop() == 0, u.text()


def test_energy_that_never_rises():
    """Linux lists energy-psys where nothing is behind it. Alone it is nothing; whoever decides that
    has looked twice."""
    may_count()
    root = machine()
    add_pmus(root, energy_psys=DEAD)
    nothing_there("dead", root, "perf/power/energy-psys/ stood still for a second")
    # it is named: no other answer
    named = 'groups = ( { name = "g"; events = [ "perf/power/energy-psys/" ]; } );\n'
    codes, said, doctor, out = of_this_machine("named", root, named)
    assert codes[:2] == (69, 69) and not out and "stood still" in said[0], (codes, said)
    # with an event that may be 0 it has no value, and nobody waits
    also = named.replace('" ]', '", "perf/software/dummy/" ]')
    codes, said, doctor, out = of_this_machine("beside", root, also)
    assert codes == (0, 0, 0) and doctor["counts"] and not doctor["without_counters"], said
    got = h.samples(out)
    psys = '{socket="0",box="power",unit="0",event="energy-psys"'
    assert got["uncored_slot_valid" + psys + "}"] == "0", got
    assert got["uncored_slot_invalid" + psys + ',reason="no_data"}'] == "1", got
    assert got['uncored_samples_invalid_total{socket="0",reason="no_data"}'] == "0", got
    assert got['uncored_slot_valid{socket="0",box="software",unit="0",event="dummy"}'] == "1", got
    assert not [k for k in got if k.startswith("uncore_") and ("psys" in k or "power" in k)]


def test_energy_of_a_virtual_machine():
    """It may rise and is the host's all the same; it is counted where it is named."""
    may_count()
    root = machine(flags="fpu hypervisor")
    add_pmus(root, energy_pkg=ALIVE)
    nothing_there("guest-energy", root, "lists energy and sleep states alone (power)")
    add_pmus(root, "cstate_pkg", c2_residency=ALIVE)
    add_pmus(root, "msr", tsc=ALIVE)
    nothing_there("guest", root, "lists energy and sleep states alone (power, msr and cstate_pkg)")
    named = 'groups = ( { name = "g"; events = [ "perf/power/energy-pkg/" ]; } );\n'
    codes, said, _, out = of_this_machine("guest-named", root, named)
    assert codes == (0, 0, 0) and 'uncore_power_energy_pkg_total{socket="0",unit="0"}' in out, said
    add_pmu(root)                               # and what is of the uncore counts, all of it
    codes, said, _, out = of_this_machine("guest-uncore", root)
    assert codes == (0, 0, 0) and "uncore_late_ticks_total" in out and \
        "uncore_package_power_watts" in out, said


def test_energy_of_a_real_machine():
    """Alone it counts, and a line says what is missing; an event beside it that is dead has no
    value."""
    may_count()
    root = machine()
    add_pmus(root, energy_pkg=ALIVE, energy_psys=DEAD)
    codes, said, doctor, out = of_this_machine("alone", root)
    assert codes == (0, 0, 0) and not doctor["without_counters"], (codes, said)
    assert all(text.count("Only energy and sleep states are counted") == 1 for text in said), said
    assert not [f for f in doctor["findings"] if f["level"] == "problem"], doctor
    got = h.samples(out)
    assert float(got['uncore_package_power_watts{socket="0",unit="0"}']) > 0, got
    assert got['uncored_slot_invalid{socket="0",box="power",unit="0",event="energy-psys",'
               'reason="no_data"}'] == "1", got
    assert got["uncored_without_counters"] == "0", got
    # a reload to what is dead is taken: once started it does not end for one
    u, n = start("reload-dead", DEFAULTS, *paths(root, "reload-dead"))
    counts(u)
    h.write("reload-dead.conf", 'groups = ( { name = "g"; events = [ "perf/power/energy-psys/" ]; '
            '} );\n')
    u.p.send_signal(1)
    h.wait_for("it is taken", lambda: "configuration read again" in u.text())
    h.wait_for("it is not valid", lambda: '"no_data"' in u.get("/metrics")[2].decode()
               .partition("uncored_slot_invalid{")[2])
    assert u.running() and u.metrics()["uncored_without_counters"] == "0" and u.stop() == 0


def test_nobody_waits_elsewhere():
    """Only where all events are such that cannot stand still a start looks twice."""
    may_count()
    for more, waits in (({}, True), ({"uncore_late": ALIVE}, False)):
        root = machine()
        add_pmus(root, energy_pkg=ALIVE)
        for name, event in more.items():
            add_pmus(root, name, ticks=event)
        took = []
        for _ in range(3):
            began = time.monotonic()
            code, _, err = h.run(h.CTL, "plan", "-c", h.write("waits.conf", DEFAULTS),
                                 *paths(root, "waits"))
            took.append(time.monotonic() - began)
            assert code == 0, err
        assert (min(took) >= 1) == waits, (more, took)


def test_a_mistake_is_no_wait():
    """What no machine change cures ends as ever."""
    n = h.Notify("mistake")
    code, _, err = h.run(h.UNCORED, *LOOPBACK, "-c",
                         h.write("mistake.conf", 'groups = ( { name = "g"; events = '
                                 '[ "nobox/NOTHING" ]; } );\n'), *paths(machine(), "mistake"),
                         env={"NOTIFY_SOCKET": n.path}, timeout=20)
    assert code == 78 and "nobox" in err, (code, err)


def test_reload():
    may_count()
    root = machine()
    u, n = start("reload", DEFAULTS, *paths(root, "reload"))
    look_at_waiting(u, n, "nothing to count")
    ok = "uncored_config_last_reload_successful"
    h.write("reload.conf", "interval = 7;\n")
    u.p.send_signal(1)
    n.until("RELOADING=1")
    n.until("READY=1")
    h.wait_for("a mistake is told", lambda: u.value(ok) == 0)
    assert "interval is a number" in u.text() and "reload failed" in u.text(), u.text()
    assert u.get("/-/healthy")[0] == 200 and u.get("/-/ready")[0] == 503
    h.write("reload.conf", PMU_EVENTS)          # no PMU of this name: a mistake, too
    u.p.send_signal(1)
    n.until("READY=1")
    h.wait_for("it is told", lambda: "uncore_late" in u.text() and u.value(ok) == 0)
    h.write("reload.conf", 'interval = "500ms";\n')
    u.p.send_signal(1)
    n.until("READY=1")
    h.wait_for("it is taken", lambda: u.value(ok) == 1)
    look_at_waiting(u, n, "nothing to count")
    assert u.status()["interval_seconds"] == 0.5
    h.write("reload.conf", PMU_EVENTS)
    add_pmu(root)
    u.p.send_signal(1)
    counts(u)
    assert u.status()["sockets"][0]["groups"][0]["name"] == "g"
    h.write("reload.conf", "# defaults\n")
    u.p.send_signal(1)                          # and as ever while it counts
    h.wait_for("it is read again", lambda: "configuration read again: " in u.text())
    assert u.value(ok) == 1 and u.stop() == 0


def test_accidents_of_a_parser():
    """libconfig reads the file in a process that has nothing of this one: where it ends, or hangs,
    the wait goes on, and the watchdog is fed."""
    ok = "uncored_config_last_reload_successful"
    root = machine()
    u, n = start("accidents", DEFAULTS, *paths(root, "accidents"), WATCHDOG_USEC="400000",
                 **h.preloaded("spoil"))
    look_at_waiting(u, n, "nothing to count")

    def hup(text):
        h.write("accidents.conf", text)
        before = len(u.text())
        u.p.send_signal(1)
        n.until("RELOADING=1")
        return before
    with open(os.path.join(h.SRC, "tests/fuzz/corpus/conf/libconfig_aborts"),
              encoding="utf-8") as f:
        aborts = f.read()
    before = hup(aborts)
    n.until("READY=1")
    assert "libconfig ended the process that reads it (signal 6)" in u.text()[before:], u.text()
    h.wait_for("it is told", lambda: u.value(ok) == 0)
    before = hup('accident = "hang";\n')
    fed = time.monotonic()
    for _ in range(5):                          # one second of the ten that it has
        n.until("WATCHDOG=1")
    assert time.monotonic() - fed < 5
    pid = h.wait_for("it is read apart", lambda: h.child_of(u.pid, "uncored-check"))
    h.wait_for("it has no capability", lambda: re.search(r"CapEff:\s+0+\n", h.read(
        "/proc/%d/status" % pid)))
    n.until("READY=1")
    assert "did not finish within 10 s" in u.text()[before:], u.text()
    hup(DEFAULTS)
    n.until("READY=1")
    h.wait_for("it is taken", lambda: u.value(ok) == 1)
    look_at_waiting(u, n, "nothing to count")
    assert u.stop() == 0, u.text()


def test_where_it_listens_in_a_reload():
    """What only a restart changes is named for a file that is taken, and for no other; what TLS
    changes, at once."""
    conf = 'without_counters = "serve";\n%s\nlisten = [ "127.0.0.1:%d" ];\n'
    c = h.write("listens.conf", conf % ("", 0))
    u = h.Process([h.UNCORED, "-c", c, *paths(machine(), "listens")], "listens")
    at = u.serving().replace("http", "", 1) + "/"

    def hup(text, words):
        h.write("listens.conf", text)
        before = len(u.text())
        u.p.send_signal(1)
        h.wait_for("it says: " + words, lambda: words in u.text()[before:] or not u.running())
        return u.text()[before:]
    for wrong in conf % (PMU_EVENTS.strip(), 1), conf % ("interval = 7;", 1):
        assert "needs a restart" not in hup(wrong, "reload failed")
    assert "listens.conf:3: a change of `listen` needs a restart" in \
        hup(conf % ("", 1), "read again")
    if shutil.which("openssl"):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ed25519", "-nodes", "-subj", "/CN=x",
                        "-keyout", h.path("x.key"), "-out", h.path("x.crt")], check=True,
                       capture_output=True)
        block = 'tls_server_config = { cert_file = "%s"; key_file = "%s"; };' % (
            h.path("x.crt"), h.path("x.key"))
        assert "tls_server_config was added: https%s is served with TLS now\n" % at in \
            hup(conf % (block, 0), "read again")
        assert "tls_server_config was removed: http%s is served without TLS now\n" % at in \
            hup(conf % ("", 0), "read again")
    assert u.stop() == 0


def test_the_check_before_a_reload():
    """The unit asks --check-config whether the reload has failed: it says of every file what the
    daemon does with it."""
    m = h.Msrfs("--processor", "nehalem-ex")
    options = m.options()
    options[1] = tempfile.mkdtemp(dir=h.path(""))       # without the msr devices
    run = options[options.index("--path-run") + 1]
    os.mkdir(run, 0o755)
    box = 'groups = ( { name = "g"; events = [ "wbox/CLOCKTICKS" ]; } );\n'
    ok = "uncored_config_last_reload_successful"

    def check(text, *more):
        conf = h.write("check.conf", text)
        return h.run(h.UNCORED, "--check-config", "-c", conf, *options, *more)
    assert check(box)[0] == 78
    u, n = start("check", DEFAULTS, *options)
    look_at_waiting(u, n, "msr module is not loaded (yet)")
    for text, code in (("interval = 7;\n", 78), (box, 0), ('interval = "2s";\n', 0),
                       ('without_counters = "exit";\n' + box, 78), (box + "\n", 0)):
        h.write("check.conf", text)
        u.p.send_signal(1)
        n.until("READY=1")
        h.wait_for("the daemon has an opinion", lambda: u.value(ok) == (code == 0))
        got, _, err = check(text)
        assert got == code and (code or text[0] == "i" or "not loaded (yet)" in err), \
            (text, got, err)
    assert check('interval = "1s"; ' + box, "-p", "nehalem")[0] == 78   # of another machine
    os.symlink(m.at + "/dev/cpu", options[1] + "/cpu")
    h.wait_for("it counts", lambda: u.get("/-/ready")[0] == 200)
    os.remove(options[1] + "/cpu")
    assert check(box)[0] == 78
    assert u.stop() == 0, u.text()
    assert "uncored.waiting" not in os.listdir(run)


def test_the_http_process_dies():
    root = machine()
    u, n = start("dies", DEFAULTS, *paths(root, "dies"))
    child = u.child()
    os.kill(child, 9)
    h.wait_for("another one serves", lambda: u.get("/-/healthy")[0] == 200 and u.child() != child)
    look_at_waiting(u, n, "nothing to count")
    assert u.stop() == 0


def test_a_reload_while_the_http_process_is_gone():
    """It is started again 2 s after its third end; a reload comes in that time, or before the end
    is noticed. The next life, which waits as well or counts, must serve again."""
    may_count()
    for text, unnoticed in (("", False), (PMU_EVENTS, False), ("", True), (PMU_EVENTS, True)):
        root = machine()
        name = "gone%d%d" % (len(text), unnoticed)
        u, n = start(name, DEFAULTS, *paths(root, name))
        look_at_waiting(u, n, "nothing to count")
        for left in reversed(range(3)):
            child = h.wait_for("it has an http process", u.child)
            if unnoticed and not left:
                u.p.send_signal(19)
            os.kill(child, 9)
            h.wait_for("it is gone", lambda: u.child() != child)
        if text:
            add_pmu(root)
        h.write(name + ".conf", text)
        n.seen.clear()
        u.p.send_signal(1)
        u.p.send_signal(18)
        n.until("READY=1")
        h.wait_for("it serves", lambda: u.running() and u.get("/-/healthy")[0] == 200)
        if text:
            counts(u)
        assert u.text().count("the http process ended") == 3, u.text()
        assert u.stop() == 0, u.text()


h.main(sys.modules[__name__])
