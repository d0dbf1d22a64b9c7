"""cli.py - command lines, exit codes and messages of the contract."""
import json
import os
import socket
import sys

import harness as h

MEMORY = """
groups = ( { name = "memory"; events = [ "bbox/IMT_VALID_OCCUPANCY", "bbox/IMT_INSERTS_ALL", "bbox/CONFLICTS", "wbox/CLOCKTICKS" ]; } );
"""


def test_help_and_version():
    for program in (h.UNCORED, h.CTL):
        code, out, err = h.run(program, "--help")
        assert code == 0 and out.startswith("Usage: ") and err == "", (program, code, err)
        code, out, err = h.run(program, "--version")
        assert code == 0 and "0.1.0" in out, out


def test_usage_is_64():
    for args in (["--nonsense"], ["extra"], ["--engine", "magic"], ["--listen", "localhost:1"], ["--listen", "127.0.0.1:99999"],
                 ["--processor", "pentium"], ["--format", "xml"], ["--log-level", "loud"]):
        code, out, err = h.run(h.UNCORED, *args)
        assert code == 64 and out == "" and err, (args, code, err)
    for args in ([], ["dance"], ["list"], ["list", "cats"], ["decode", "0xd10", "--processor", "nehalem-ex"],
                 ["encode", "cbox/LLC_HITS:ALL", "--processor", "pentium"]):
        code, out, err = h.run(h.CTL, *args)
        assert code == 64 and err, (args, code, err)


def test_encode_of_the_contract():
    code, out, _ = h.run(h.CTL, "encode", "cbox0/LLC_HITS:ALL", "--processor", "nehalem-ex", "--json")
    assert code == 0
    assert json.loads(out) == {
        "processor": "nehalem-ex", "box": "cbox", "unit": 0, "counter": 0, "event": "LLC_HITS", "umask": ["ALL"],
        "control": "0xd10", "data": "0xd11", "width": 48,
        "writes": [{"space": "msr", "address": "0xd10", "register": "CB0_CR_C_MSR_PMON_EVT_SEL_0", "value": "0x400f15"}]}


def test_encode_fixed_and_pinned():
    code, out, _ = h.run(h.CTL, "encode", "wbox/CLOCKTICKS", "--processor", "nehalem-ex", "--json")
    j = json.loads(out)
    assert code == 0 and j["counter"] == "fixed" and j["control"] == "0x395" and j["data"] == "0x394", j
    # 323535-001 2.6.2.1: FLITS_SENT on QPI0 (port 1) through IPERF1, counter 3: bit 31, ev_sel 7.
    code, out, _ = h.run(h.CTL, "encode", "rbox/FLITS_SENT,port=1,iperf=1", "--counter", "3", "--processor", "nehalem-ex", "--json")
    j = json.loads(out)
    assert code == 0 and [(w["register"], w["value"]) for w in j["writes"]] == [
        ("R_MSR_PORT1_IPERF_CFG1", "0x80000000"), ("R_MSR_PMON_CTL3", "0xf")], j


def test_unknown_event_is_78_with_the_nearest():
    code, _, err = h.run(h.CTL, "encode", "cbox/LLC_HIT:ALL", "--processor", "nehalem-ex")
    assert code == 78 and "LLC_HITS" in err, err
    code, _, err = h.run(h.CTL, "describe", "IMT_FUL", "--processor", "nehalem-ex")
    assert code == 78 and err, err


def test_decode_names_register_field_event():
    code, out, _ = h.run(h.CTL, "decode", "0xd10", "0x400f15", "--processor", "nehalem-ex")
    assert code == 0 and "CB0_CR_C_MSR_PMON_EVT_SEL_0" in out and "ev_sel" in out and "LLC_HITS:ALL" in out, out
    code, out, _ = h.run(h.CTL, "decode", "0xe25", "0x80000000", "0xe16", "0xf", "--processor", "nehalem-ex", "--json")
    j = json.loads(out)
    assert code == 0 and j["events"][0]["event"] == "FLITS_SENT" and "port=1" in j["events"][0]["spec"], j


def test_refusal_explains_itself():
    conf = h.write("full.conf", 'groups = ( { name = "g"; events = [ "bbox/IMT_FULL", "bbox/CONFLICTS" ]; } );\n')
    for program, args in ((h.CTL, ["plan"]), (h.UNCORED, ["--check-config"])):
        code, _, err = h.run(program, *args, "-c", conf, "--processor", "nehalem-ex")
        assert code == 78, (code, err)
        for words in ("full.conf:1", "IMT_FULL and CONFLICTS both count only on counter 3", "another group"):
            assert words in err, err


def test_check_config():
    conf = h.write("good.conf", MEMORY)
    code, out, err = h.run(h.UNCORED, "--check-config", "-c", conf, "--processor", "nehalem-ex")
    assert code == 0 and out == "", (code, out, err)
    conf = h.write("bad.conf", 'intervall = "1s";\nrotation = 5;\ngroups = ( { name = "g"; events = [ "bbox/NO" ]; } );\n')
    code, out, err = h.run(h.UNCORED, "--check-config", "-c", conf, "--processor", "nehalem-ex")
    assert code == 78 and out == "" and "bad.conf:1" in err and "interval" in err and "bad.conf:2" in err, err
    code, _, err = h.run(h.UNCORED, "--check-config", "-c", h.path("absent.conf"))
    assert code == 78 and "absent.conf" in err, err
    code, _, err = h.run(h.UNCORED, "--check-config", "-c", "/dev/zero")
    assert code == 78, (code, err)


def test_unsafe_interval_is_78():
    conf = h.write("slow.conf", 'interval = "1h";\n' + MEMORY.replace("bbox/CONFLICTS", "cbox/OCCUPANCY_IRQ"))
    code, _, err = h.run(h.UNCORED, "--check-config", "-c", conf, "--processor", "nehalem-ex")
    # OCCUPANCY_IRQ: 24 a cycle at 2.67 GHz x 1.25: 2^48 lasts 3514 s, so 1757 s is the largest interval.
    assert code == 78 and "OCCUPANCY_IRQ" in err and "1757" in err, err


def test_unknown_processor_gets_no_write():
    code, _, err = h.run(h.UNCORED, "--engine", "registers", "--once", "--path-procfs", h.path("noproc"))
    assert code in (69, 78, 70) and err, (code, err)
    os.makedirs(h.path("fakeproc"), exist_ok=True)
    h.write("fakeproc/cpuinfo", "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nstepping\t: 4\n")
    code, _, err = h.run(h.UNCORED, "--engine", "registers", "--once", "--path-procfs", h.path("fakeproc"))
    assert code == 69 and "perf" in err, (code, err)
    code, _, err = h.run(h.UNCORED, "--engine", "registers", "--once", "--processor", "nehalem-ex", "--path-procfs",
                         h.path("fakeproc"))
    assert code == 69 and "CPUID" in err, (code, err)


def test_address_in_use_is_69():
    conf = h.write("m.conf", MEMORY)
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        s.listen()
        code, _, err = h.run(h.UNCORED, "-c", conf, "--engine", "model:nehalem-ex", "--listen", "127.0.0.1:%d" % s.getsockname()[1])
    assert code == 69 and "cannot listen" in err, (code, err)


def test_restore_without_state_is_silent():
    code, out, err = h.run(h.UNCORED, "--restore", "--path-run", h.path("norun"))
    assert (code, out, err) == (0, "", ""), (code, out, err)


def test_once_formats():
    conf = h.write("m.conf", 'interval = "200ms";\n' + MEMORY)
    base = [h.UNCORED, "-c", conf, "--engine", "model:nehalem-ex:stream", "--once"]
    code, text, err = h.run(*base)
    assert code == 0 and "SIMULATED" in err, err
    series = h.samples(text)
    assert 'uncore_imt_latency_cycles{socket="0",unit="0",group="memory"}' in series, sorted(series)
    code, om, _ = h.run(*base, "--format", "openmetrics")
    assert code == 0 and om.endswith("# EOF\n")
    assert set(h.samples(om)) == set(series)
    code, out, _ = h.run(*base, "--format", "json")
    assert code == 0 and json.loads(out)


def test_model_needs_a_known_name():
    code, _, err = h.run(h.UNCORED, "--engine", "model:pentium", "--once")
    assert code == 78 and "pentium" in err, (code, err)
    code, _, err = h.run(h.UNCORED, "--engine", "model:nehalem-ex:lazy", "--once")
    assert code in (69, 78) and "lazy" in err, (code, err)


h.main(sys.modules[__name__])
