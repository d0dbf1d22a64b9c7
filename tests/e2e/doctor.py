# SPDX-License-Identifier: MIT
"""doctor.py - uncorectl doctor on made-up machines and on this one."""
import json
import os
import shutil
import sys

import harness as h
from made_machine import ALL_CAPS, EPYC, PERFMON, SKYLAKE_X, XEON_7500, Machine, findings, \
    may_count, one, problems


def test_good_nehalem_ex():
    m = Machine(XEON_7500)
    m.device()
    j = m.doctor(0)
    assert j["engine"] == {"engine": "registers", "auto": "registers",
                           "why": "nehalem-ex: registers through %s/cpu/N/msr"
                           % m.path("dev")}, j["engine"]
    assert j["processor"]["name"] == "nehalem-ex", j["processor"]
    assert j["processor"]["model_name"] == XEON_7500[3], j["processor"]
    assert j["sockets"] == [{"socket": 0, "cpus": 2, "reader": 0},
                            {"socket": 1, "cpus": 2, "reader": 2}], j["sockets"]
    assert problems(j) == [] and j["device"] is None and j["configuration"]["series"] > 0, j
    assert j["kernel"]["lockdown"] == "none", j["kernel"]
    assert j["kernel"]["msr_allow_writes"] == "default", j["kernel"]
    one(j, "msr device", "ok", "opened for writing")
    one(j, "kernel taint", "note", "the first register write sets it")
    one(j, "kernel driver", "ok", "is not in use")
    one(j, "other users", "ok", "none found")
    assert not findings(j, "NMI watchdog") and not findings(j, "virtual"), j["findings"]


def test_the_daemon_says_the_same():
    """The sentence of doctor is the one that uncored logs; here both find no msr device."""
    m = Machine(XEON_7500)
    j = m.doctor(69)
    code, out, err = h.run(h.UNCORED, "--once", "-c", m.path("good.conf"), *m.options())
    assert code == 75 and out == "" and j["engine"]["why"] in err, (code, err, j["engine"])


def test_plan_and_the_daemon_choose_alike():
    """One rule of the engine: a box event is planned by both or, where the kernel counts, refused
    by both in the same words."""
    def machine(processor, device=True, flags="fpu vme", lockdown="none"):
        m = Machine(processor, flags)
        if device:
            m.device(lockdown)
        m.put("box.conf", 'groups = ( { name = "b"; events = [ "bbox/IMT_FULL" ]; } );\n')
        m.put("registers.conf", 'engine = "registers";\n')
        m.put("perf.conf", 'engine = "perf";\n')
        return m

    driver = machine(XEON_7500)
    driver.pmu("uncore_cbox_0", 20, "0,2", clockticks="event=0x00")
    reach = "cannot access the registers of nehalem-ex ("
    rows = (("usable", machine(XEON_7500), (), True,
             None), ("driver bound", driver, (), False,
                     "the kernel's driver owns the counters (uncore_cbox_0)"),
            ("no device", machine(XEON_7500, device=False), (), False, reach),
            ("lockdown", machine(XEON_7500, lockdown="integrity"), (), False, reach),
            ("virtual machine", machine(XEON_7500, device=False, flags="fpu hypervisor"), (),
             False, reach),
            ("unknown processor", machine(SKYLAKE_X), (), False, None),
            ("--processor", machine(SKYLAKE_X, device=False),
             ("--processor", "nehalem-ex"), True, None),
            ("--processor, driver bound", driver, ("--processor", "nehalem-ex"), True, None))
    for name, m, more, registers, why in rows:
        def both(config):
            daemon, plan = ((p, h.run(*p, "-c", m.path(config), *m.options(), *more))
                            for p in ((h.UNCORED, "--check-config"), (h.CTL, "plan")))
            said = [[line.split(": ", 1)[1] for line in r[2].splitlines()]
                    for _, r in (daemon, plan)]
            if "uncored would count nothing here: " in plan[1][2]:
                assert plan[1][0] == 69 and config != "box.conf", (name, config, plan)
                return daemon[1][0]     # the file itself is right
            assert daemon[1][0] == plan[1][0] and said[0] == said[1], (name, config, daemon, plan)
            return daemon[1][0]

        assert both("box.conf") == (0 if registers else 78), name
        assert both("registers.conf") == (69 if name == "unknown processor" else 0), name
        assert both("good.conf") == 0 and both("perf.conf") == 0, name
        code, out, err = h.run(h.CTL, "plan", "--json", "-c", m.path("good.conf"),
                               *m.options(), *more)
        if code == 69:
            assert not registers and not out and (why or "no group") in err, (name, out, err)
            continue
        j = json.loads(out)
        assert code == 0 and err == "", (name, j)
        assert any(r["writes"] for s in j["sockets"] for r in s["rounds"]) == registers, (name, j)
        notes = [n for n in j["notes"] if "counting through the kernel" in n]
        _, text, _ = h.run(h.CTL, "plan", "-c", m.path("good.conf"), *m.options(), *more)
        assert (len(notes) == 1 and notes[0].startswith(why) if why else not notes), (name, notes)
        assert [n[6:] for n in text.splitlines()
                if n.startswith("note: ") and "counting through" in n] == notes, (name, text)
        if not more:
            engine = json.loads(h.run(h.CTL, "doctor", "--json", "-c", m.path("good.conf"),
                                      *m.options())[1])["engine"]
            assert engine["engine"] == ("registers" if registers else "perf"), (name, engine)
            assert notes in ([], [engine["why"]]), (name, engine)


def test_missing_module():
    m = Machine(XEON_7500)
    j = m.doctor(69)
    assert j["engine"]["engine"] == "perf", j["engine"]
    assert "msr module is not loaded" in j["engine"]["why"], j["engine"]
    assert "msr module is not loaded" in j["why_not"], \
        ("the first line says what is to be mended, not what is lacking because of it", j)
    one(j, "msr device", "problem", "the msr module is not loaded", "modprobe msr")
    assert j["kernel"]["msr_module"] is False and j["kernel"]["lockdown"] is None, j["kernel"]
    m.put("sys/module/msr/parameters/allow_writes", "default\n")
    one(m.doctor(69), "msr device", "problem", "though the msr module is loaded", "udevadm")
    m.put("registers.conf", 'engine = "registers";\n')
    j = m.doctor(69, "registers.conf")
    assert j["engine"]["engine"] == "registers" and "msr" in j["why_not"], j["why_not"]


def test_the_kernels_driver_beside_uncored():
    """Loaded after uncored began to count with registers, whose lock only that engine takes."""
    m = Machine(XEON_7500)
    m.device()
    m.pmu("uncore_cbox_0", 20, "0,2", llc_hits="event=0x15")
    one(m.doctor(0), "kernel driver", "note", "(uncore_cbox_0 ...) and may program", "modprobe -r")
    m.process(4711, "uncored")
    m.put("run/uncored.lock", "4711\n")
    one(m.doctor(0), "kernel driver", "problem",
        "(uncore_cbox_0 ...) while uncored (process 4711) counts", "modprobe -r")


def test_a_drop_in_that_keeps_others_away():
    """As installed, under whatever name; an address of this machine alone is no contradiction, nor
    is what systemd listens on."""
    def packaged(name):
        with open(os.path.join(h.SRC, "systemd", name)) as f:
            return f.read()
    m = Machine(XEON_7500)
    m.device()
    m.put("others.conf", 'listen = [ "127.0.0.1:10062", "[::1]:1", "unix:/run/x", '
          '"10.1.2.3:10062", "*:80", ":81", "0.0.0.0:82", "[::]:83" ];\n')
    m.put("here.conf", 'listen = [ "127.0.0.2:10062", "[::1]:1", "unix:/run/x" ];\n')
    assert not findings(m.doctor(0, "others.conf"), "listen")
    m.drop_in("bound.conf", packaged("bound.conf"))
    assert not findings(m.doctor(0, "others.conf"), "listen")
    m.drop_in("zz.conf", packaged("loopback.conf"))
    assert not findings(m.doctor(0, "here.conf"), "listen")
    assert not findings(m.doctor(0), "listen")
    found = findings(m.doctor(0, "others.conf"), "listen")
    said = ["no other machine reaches %s: %s drops its packets (IPAddressDeny=any)"
            % (a, m.path("systemd/system/uncored.service.d/zz.conf"))
            for a in ("10.1.2.3:10062", "*:80", ":81", "0.0.0.0:82", "[::]:83")]
    assert [f["text"] for f in found] == said, found
    assert all(f["level"] == "note" and "systemctl daemon-reload" in f["todo"] for f in found)
    m.drop_in("us.conf", "[Service]\nIPAddressAllow=10.0.0.0/8\n")
    assert not findings(m.doctor(0, "others.conf"), "listen")
    os.remove(m.path("systemd/system/uncored.service.d/us.conf"))
    m.drop_in("a.conf", packaged("socket.conf"))
    assert not findings(m.doctor(0, "others.conf"), "listen")


def test_lockdown():
    m = Machine(XEON_7500)
    m.device(lockdown="integrity")
    j = m.doctor(69)
    one(j, "lockdown", "problem", "integrity", "Secure Boot")
    assert "lockdown (integrity)" in j["device"] and "lockdown" in j["engine"]["why"], j
    m.device(allow_writes="off")
    j = m.doctor(69)
    one(j, "lockdown", "ok", "none")
    one(j, "allow_writes", "problem", "off", "msr.allow_writes=on")


def test_kernel_driver_bound():
    m = Machine(XEON_7500)
    m.device()
    for unit in range(2):
        m.pmu("uncore_cbox_%d" % unit, 20 + unit, "0,2", clockticks="event=0x00")
    j = m.doctor(0)
    assert j["engine"]["engine"] == "perf" and "uncore_cbox_0" in j["engine"]["why"], j["engine"]
    one(j, "kernel driver", "note", "uncore_cbox_0", "modprobe -r intel-uncore")
    one(j, "not counted", "note", "nehalem-ex")
    box = [p for p in j["pmus"] if p["box"] == "cbox"]
    assert box == [{"box": "cbox", "first": "uncore_cbox_0", "instances": 2, "uncore": True,
                    "events": 1, "cpumask": [0, 2],
                    "odd_files": 0}], j["pmus"]
    assert problems(j) == [], j["findings"]


def test_unknown_processor_with_uncore_pmus():
    m = Machine(SKYLAKE_X)
    for channel in range(6):
        m.pmu("uncore_imc_%d" % channel, 30 + channel, "0,2",
              cas_count_read="event=0x04,umask=0x03")
    m.pmu("uncore_odd", 40, "0-", x="event=0x01")
    m.put("sys/bus/event_source/devices/uncore_imc_3/events/garbled", "event=\x01\n")
    j = m.doctor(0)
    assert j["engine"]["engine"] == "perf", j["engine"]
    assert j["engine"]["why"].startswith("Skylake-SP: counting through the kernel"), j["engine"]
    assert j["processor"]["name"] == "skx" and j["configuration"]["series"] > 0, j
    one(j, "uncore PMU", "ok", "imc: 6 instances, CPU 0,2, 1 named event")
    odd = [f["text"] for f in findings(j, "odd PMU", "note")]
    assert len(odd) == 2 and "uncore_odd is left out: " in odd[0], odd
    assert "uncore_odd/cpumask" in odd[0], odd
    assert "uncore_imc_3: 1 file" in odd[1] and "events/garbled" in odd[1], odd
    one(j, "msr device", "ok", "not needed")
    one(j, "lockdown", "ok")


def test_permission():
    """What a file says of permissions decides nothing: an event is opened. Real ones:
    tests/vm/permissions.py."""
    m = Machine(SKYLAKE_X, caps=0)
    m.pmu("uncore_imc_0", 30, "0,2", cas_count_read="event=0x04,umask=0x03")
    for caps, paranoid in ((PERFMON, 2), (PERFMON, 3), (0, 0), (0, 1), (0, 4), (ALL_CAPS, 4)):
        m.put("proc/self/status", "Name:\tx\nCapEff:\t%016x\n" % caps)
        m.put("proc/sys/kernel/perf_event_paranoid", "%d\n" % paranoid)
        j = m.doctor(0)
        assert j["privileges"]["perf_allowed"] == may_count(), (caps, paranoid, j["privileges"])
        assert j["kernel"]["perf_event_paranoid"] == paranoid, j["kernel"]
        if may_count():
            one(j, "perf", "ok", "tried with perf/software/cpu-clock/ on CPU")
        if not caps:
            one(j, "privileges", "note", "none of CAP_SYS_ADMIN", "sudo")
    os.unlink(m.path("proc/sys/kernel/perf_event_paranoid"))
    assert m.doctor(0)["privileges"]["perf_allowed"] == may_count()


def countable():
    """A machine whose uncore PMU is the kernel's software PMU, so that its events really count."""
    m = Machine(SKYLAKE_X)
    m.put("sys/devices/system/cpu/online", "0\n")
    m.pmu("uncore_imc_0", 1, "0", cas_count_read="event=0x0", cas_count_write="event=0x0")
    m.put("m.conf", 'interval = "100ms";\ngroups = ( { name = "m"; '
          'events = [ "perf/uncore_imc/cas_count_read/" ]; } );\n')
    return m


def test_doctor_says_what_uncored_does():
    """As root and as a user without capabilities, with one, and under a filter."""
    m = countable()
    if os.getuid() != 0 or not may_count():
        h.skip("not root, or perf may not count here")
    for at in (m.at, os.path.dirname(m.at), os.path.dirname(os.path.dirname(m.at))):
        os.chmod(at, 0o755)
    as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    if h.run(*as_nobody, h.CTL, "--version")[0]:
        h.skip("user nobody cannot run " + h.CTL)
    perf_event_open, eperm = 298, 1             # of x86-64
    one_cap = ["--inh-caps=-all,+perfmon", "--ambient-caps=-all,+perfmon"]
    for who in ([], as_nobody, [*as_nobody, *one_cap]):
        for before in (None, h.deny(perf_event_open, eperm)):
            end = ["-c", m.path("m.conf"), "--path-sysfs", m.path("sys"), "--path-run",
                   m.path("run")]
            code, _, err = h.run(*who, h.UNCORED, "--once", "--engine", "perf", *end,
                                 before=before)
            said, out, _ = h.run(*who, h.CTL, "doctor", "--json", *end, before=before)
            j = json.loads(out)
            assert (code, said) in ((0, 0), (77, 69)), (who, before, code, err, said, out)
            assert j["privileges"]["perf_allowed"] == (code == 0), (who, j["privileges"])
            if code:
                assert j["why_not"] in err, (err, j["why_not"])
                text = one(j, "perf", "problem")
                assert ("a seccomp filter" in text["text"]) == bool(before), text
                assert before is None or "paranoid" not in json.dumps(text), text
            else:
                one(j, "perf", "ok", "tried with perf/uncore_imc_0/cas_count_read/ on CPU 0")
            assert not before or code == 77, (who, code, err)


def test_a_file_that_lies():
    """The sysctl's file shows another level than the kernel has: nothing changes."""
    m = countable()
    if os.getuid() != 0 or not shutil.which("unshare") or not may_count():
        h.skip("not root, or unshare (util-linux) is missing, or perf may not count here")
    end = [h.CTL, "doctor", "--json", "-c", m.path("m.conf"), "--path-sysfs", m.path("sys")]
    cap = "--inh-caps=-all,+perfmon --ambient-caps=-all,+perfmon"
    for at in (m.at, os.path.dirname(m.at), os.path.dirname(os.path.dirname(m.at))):
        os.chmod(at, 0o755)
    for who in ("", "setpriv --reuid=65534 --regid=65534 --clear-groups " + cap):
        truth = h.run("sh", "-c", who + " \"$@\"", "sh", *end)[:2]
        for lie in (-1, 2, 4):
            script = ("mount --bind %s /proc/sys/kernel/perf_event_paranoid && exec %s \"$@\""
                      % (h.write("lie", "%d\n" % lie), who))
            code, out, err = h.run("unshare", "-m", "sh", "-c", script, "sh", *end)
            if "mount:" in err or "unshare:" in err:
                h.skip("no mount namespace here: " + err)
            assert code == truth[0], (who, lie, code, out, err)
            now, before = (json.loads(o)["privileges"]["perf_allowed"] for o in (out, truth[1]))
            assert now == before, (who, lie)


def test_virtual_machine_with_nothing():
    m = Machine(EPYC, flags="fpu hypervisor lahf_lm")
    j = m.doctor(69)
    one(j, "virtual", "note", "virtual machine")
    one(j, "uncore PMU", "problem", "none", "on the host")
    one(j, "other PMUs", "ok", "msr")
    assert problems(j) == ["uncore PMU"], j["findings"]
    m.put("tsc.conf", 'groups = ( { name = "t"; events = [ "perf/msr/tsc/" ]; } );\n')
    j = m.doctor(0, "tsc.conf")
    assert problems(j) == [] and "t: 2 events" in one(j, "groups", "ok")["text"], j["findings"]


def test_configuration():
    m = Machine(XEON_7500)
    m.device()
    m.put("bad.conf", 'groups = ( { name = "g"; events = [ "bbox/NO", "cbox/NEITHER" ]; } );\n')
    j = m.doctor(69, "bad.conf")
    assert len(j["configuration"]["mistakes"]) == 2, j["configuration"]
    assert "bad.conf:1" in j["configuration"]["mistakes"][0], j["configuration"]
    one(j, "configuration", "problem", "2 mistakes",
        "uncored --check-config -c " + m.path("bad.conf"))
    one(m.doctor(69, "absent.conf"), "configuration", "problem", "absent.conf")
    m.put("model.conf", 'engine = "model:nehalem-ex";\n')
    j = m.doctor(69, "model.conf")
    assert "selects a model" in j["why_not"], j
    one(j, "engine", "problem", "registers")
    one(j, "model", "note", "SIMULATED hardware: register model of nehalem-ex, workload stream")
    m.put("model.conf", 'engine = "model:spr";\n')
    j = m.doctor(69, "model.conf")
    assert "selects a model" in j["why_not"], j
    one(j, "model", "note", "SIMULATED hardware: a model of the server spr, workload day")
    planned = json.loads(h.run(h.CTL, "plan", "--json", "-c", m.path("model.conf"))[1])["series"]
    one(j, "model", "note", "It has %d series." % planned)
    for name, words in (("sprr", "there is no processor 'sprr' and no machine of this name"),
                        ("ivt", "counts")):
        m.put("model.conf", 'engine = "model:%s";\n' % name)
        j = m.doctor(69, "model.conf")
        one(j, "model", "problem", words)
        assert findings(j, "model")[0]["text"] in j["why_not"], j
    with open(m.path("latin.conf"), "wb") as f:
        f.write(b'caf\xe9 = "\xe9";\n')
    assert m_runs(m, "latin.conf")["configuration"]["mistakes"], "a mistake in Latin-1"
    os.mkfifo(m.path("fifo.conf"))
    one(m.doctor(69, "fifo.conf"), "configuration", "problem", "not a regular file")
    code, _, err = h.run(h.CTL, "plan", "-p", "nehalem-ex", "-c", m.path("fifo.conf"), timeout=10)
    assert code == 78 and "not a regular file" in err, (code, err)


def m_runs(m, config):
    code, out, _ = h.run(h.CTL, "doctor", "--json", "-c", m.path(config), *m.options())
    assert code == 69, code
    return json.loads(out)


def test_other_users():
    m = Machine(XEON_7500)
    m.device()
    m.process(50, "pcm-sensor-serv")
    m.process(51, "java", perf_fds=3)
    m.process(52, "uncored")
    m.process(53, "cat")
    m.put("run/uncored.lock", "52\n")
    j = m.doctor(0)
    assert j["users"]["processes"] == \
        [{"pid": 50, "name": "pcm-sensor-serv", "perf_events": 0, "tool": "Intel PCM"},
         {"pid": 51, "name": "java", "perf_events": 3, "tool": None}], j["users"]
    assert j["users"]["uncored"] == 52 and j["users"]["complete"], j["users"]
    texts = " ".join(f["text"] for f in findings(j, "other users", "note"))
    for words in ("uncored is already running (process 52)",
                  "process 50 (pcm-sensor-serv, part of Intel PCM)",
                  "process 51 (java) has 3 perf events"):
        assert words in texts, texts
    m.put("run/uncored.lock", "53\n")       # left by one that ended
    m.put("proc/54/comm", "secret\n")
    m.put("proc/54/fd", "")                 # cannot be listed
    j = m.doctor(0)
    assert j["users"]["uncored"] is None and j["users"]["unseen"] == 1, j["users"]
    assert not j["users"]["complete"], j["users"]
    assert findings(j, "other users", "unseen"), j["findings"]


def test_nmi_watchdog_only_where_it_matters():
    m = Machine(SKYLAKE_X)
    m.pmu("cpu", 4, None, cycles="event=0x3c")
    m.put("cpu.conf", 'groups = ( { name = "c"; events = [ "perf/cpu/cycles/" ]; } );\n')
    m.put("tsc.conf", 'groups = ( { name = "t"; events = [ "perf/msr/tsc/" ]; } );\n')
    one(m.doctor(0, "cpu.conf"), "NMI watchdog", "note", "one counter of each core")
    assert not findings(m.doctor(0, "tsc.conf"), "NMI watchdog")


def test_taint():
    m = Machine(XEON_7500)
    m.device()
    m.put("proc/sys/kernel/tainted", "4612\n")      # bits 2, 9, 12
    one(m.doctor(0), "kernel taint", "note", "flag S is set")
    m.put("proc/sys/kernel/tainted", "4608\n")      # bits 9, 12
    one(m.doctor(0), "kernel taint", "note", "flag S is not set")


def test_unreadable_machine():
    m = Machine(XEON_7500)
    os.unlink(m.path("sys/devices/system/cpu/online"))
    j = m.doctor(69)
    assert "devices/system/cpu/online" in j["why_not"] and problems(j) == ["processor"], j


def test_nothing_is_written():
    m = Machine(XEON_7500)
    m.device()

    def state():
        return sorted((at, f, os.stat(os.path.join(at, f)).st_mtime_ns)
                      for at, _, files in os.walk(m.at) for f in files)
    before = state()
    m.doctor(0)
    assert state() == before and not os.path.exists(m.path("run"))


def test_series_of_groups_and_of_locations():
    """AmpereOne has eight memory controllers, each the device of a node: a clock and a location of
    each. Where a CMN is it does not say."""
    for machine, says, of_groups in (
            ("ampereone", "16 series, 8 of which say where units and devices are", 8),
            ("cmn700", "14 series", 14)):
        first = h.run(h.CTL, "doctor", "--machine", machine)[1].split("\n")[0]
        assert first == "uncored would count here: perf engine, " + says, first
        groups = json.loads(h.run(h.CTL, "list", "groups", "--json", "--machine", machine)[1])
        assert sum(g["series"] for g in groups if g["default"]) == of_groups, groups


def test_usage():
    code, _, err = h.run(h.CTL, "doctor", "-p", "nehalem-ex")
    assert code == 64 and "--processor" in err, (code, err)
    code, _, err = h.run(h.CTL, "doctor", "me")
    assert code == 64, (code, err)
    assert "69 nothing would be counted" in h.run(h.CTL, "--help")[1]


def test_this_machine():
    code, out, err = h.run(h.CTL, "doctor", "--json")
    assert code in (0, 69) and err == "", (code, err)
    j = json.loads(out)
    with open("/proc/cpuinfo") as f:
        cpuinfo = dict(line.split(":", 1) for line in f.read().split("\n\n")[0].splitlines()
                       if ":" in line)
    facts = {k.strip(): v.strip() for k, v in cpuinfo.items()}
    if "cpu family" in facts:
        assert (j["processor"]["family"], j["processor"]["model"]) == \
            (int(facts["cpu family"]), int(facts["model"])), j["processor"]
        assert facts["model name"] in findings(j, "processor")[0]["text"], j["findings"]
    with open("/proc/sys/kernel/perf_event_paranoid") as f:
        assert j["kernel"]["perf_event_paranoid"] == int(f.read()), j["kernel"]
    devices = "/sys/bus/event_source/devices"
    names = os.listdir(devices) if os.path.isdir(devices) else []
    assert sum(p["instances"] for p in j["pmus"]) <= len(names) and (findings(j, "odd PMU") or
           sum(p["instances"] for p in j["pmus"]) == len(names)), (names, j["pmus"])
    assert sum(s["cpus"] for s in j["sockets"]) == os.cpu_count(), j["sockets"]
    conf = h.write("none.conf", "# defaults\n")
    expected = h.run(h.CTL, "doctor", "-c", conf)[0]
    code, _, err = h.run(h.UNCORED, "--once", "-c", conf)
    assert code == 0 or code in (69, 77), (code, err)
    assert expected == 0 or code != \
        0, "doctor says that nothing would be counted, and uncored counted"


h.main(sys.modules[__name__])
