# SPDX-License-Identifier: MIT
"""check_config.py - what uncored --check-config and uncorectl plan say of a configuration: its
groups, and its mistakes with file and line.
"""
import concurrent.futures
import json
import re
import sys

import harness as h


def test_plan_names_a_metric_with_its_groups():
    group = '{ name = "%s"; events = [ "wbox/CLOCKTICKS" ]; }'
    conf = h.write("clocks.conf", "groups = ( %s, %s );\n" % (group % "first", group % "second"))
    code, out, _ = h.run(h.CTL, "plan", "-c", conf, "-p", "nehalem-ex")
    assert code == 0
    assert [k.strip() for k in out.splitlines() if "  metric" in k] == [
        "metric uncore_clock_hertz from groups first, second"], out


def test_plan_says_a_metric_once():
    """Port 0 is named, port 1 has the events as well: two rows of one metric, one line."""
    conf = h.write("twice.conf", """groups = (
        { name = "a"; metrics = [ "link_utilization_ratio,port=0", "imt_latency_seconds" ];
          events = [ "rbox/FLITS_SENT,port=1", "rbox/NULL_IDLE,port=1" ]; } );""")
    code, out, err = h.run(h.CTL, "plan", "-c", conf, "-p", "nehalem-ex", "--sockets", "1")
    assert code == 0, err
    lines = [line for line in out.split("\n") if line.startswith("  metric ")]
    assert len(lines) == len(set(lines)) and \
        "  metric uncore_link_utilization_ratio from group a" in lines, out


def test_the_groups_of_a_set_take_turns():
    """numa is a set of four groups, all of which want the counters of the CHAs; memory does not."""
    for groups, rounds in ('"memory", "numa"', 4), ('"memory", "numa_home"', 1):
        conf = h.write("set.conf", "groups = ( %s );" % groups)
        code, out, err = h.run(h.UNCORED, "--check-config", "--machine", "spr", "-c", conf)
        assert code == 0 and ", %d round" % rounds in out, (out, err)
        assert ("memory in all 4 rounds; numa_reads, numa_home, numa_local_latency and "
                "numa_remote_latency in 1 of 4 rounds" in err) == (rounds > 1), err


def test_turns_of_many_groups():
    """IMT_FULL and CONFLICTS count on counter 3 of a B-Box alone. No name is cut, and none is
    missing."""
    conf = h.write("many.conf", "groups = ( %s );" % ", ".join(
        '{ name = "%s_%03d"; events = [ "bbox/%s" ]; }' %
        ("n" * 59, i, "CONFLICTS" if i % 2 else "IMT_FULL") for i in range(120)))
    code, out, err = h.run(h.UNCORED, "--check-config", "--engine", "model:nehalem-ex", "-c", conf)
    said = re.search(r"in random order, seed \w+: (.*)", err)[1]
    assert code == 0 and re.search(r"n_015 and 104 more in 1 of 2 rounds \(", said), said
    assert [int(n) for n in re.findall(r"n_(\d+)", said)] == list(range(16)), said


def test_plan_is_short_unless_asked():
    conf = h.write("llc.conf", 'groups = ( { name = "llc"; events = [ "cbox/LLC_HITS:ALL", '
                               '"cbox3/LLC_MISSES:ALL", "cbox5/LLC_MISSES:ALL" ]; } );\n')
    args = ["plan", "-c", conf, "-p", "nehalem-ex", "--sockets", "1"]

    def slots(out):
        return [line.split()[0] for line in out.splitlines() if line.startswith("    cbox")]

    code, out, err = h.run(h.CTL, *args)
    # 323535-001 2.3: eight C-Boxes; the units of LLC_MISSES are not next to each other
    assert code == 0 and slots(out) == [
        "cbox0-7/LLC_HITS:ALL", "cbox3/LLC_MISSES:ALL", "cbox5/LLC_MISSES:ALL"], (out, err)
    assert "cbox0-7/LLC_HITS:ALL " in out and "counter 0 " in out and "0xd10" not in out, out
    assert "_PMON_" not in out and "at the end" not in out, out
    for option in "-v", "--verbose":
        code, out, err = h.run(h.CTL, *args, option)
        assert code == 0 and len(slots(out)) == 10, (out, err)
        assert "0xd10      CB0_CR_C_MSR_PMON_EVT_SEL_0" in out and "at the end" in out, out
    assert h.run(h.CTL, "encode", "cbox/LLC_HITS", "-v", "-p", "nehalem-ex")[0] == 64


def test_plan_of_a_configuration_for_the_model():
    """uncored counts it on the processor that the engine names; uncorectl said that no processor is
    known."""
    def conf(engine):
        return h.write("model.conf", 'engine = "%s";\ngroups = ( { name = "a"; events = [ '
                                     '"imc/CAS_COUNT:RD" ]; } );\n' % engine)

    code, out, err = h.run(h.CTL, "plan", "-c", conf("model:ivytown:idle"))
    assert code == 0 and out.startswith("processor ivytown, "), (out, err)
    code, out, err = h.run(h.CTL, "plan", "-c", conf("model:nix"))
    assert code == 78 and out == "", (out, err)
    assert "model.conf:1: engine: there is no processor 'nix'" in err, (out, err)
    code, out, err = h.run(h.CTL, "plan", "-c", conf("model:ivytown"), "-p", "nehalem-ex")
    assert code == 78 and "nehalem-ex has no box 'imc'" in err, err


def test_a_bound_that_is_the_boxs():
    # 329468-002 p 173: R3QPI's counters rise by up to 8 bits a cycle; a clock by one; p 21: 5 bits
    # of threshold.
    conf = h.write("bound.conf", 'groups = ( { name = "g"; events = [ "r3qpi0/RXR_INSERTS:DRS", '
                                 '"r3qpi0/CLOCKTICKS" ]; } );\n')
    args = ["plan", "-c", conf, "--processor", "ivytown"]
    lines = {line.split()[0]: line for line in h.run(h.CTL, *args)[1].splitlines()
             if line.startswith("    r3qpi0/")}
    assert "at most 255 per cycle (the box's maximum)" in lines["r3qpi0/RXR_INSERTS:DRS"], lines
    assert lines["r3qpi0/CLOCKTICKS"].endswith("at most 1 per cycle"), lines
    slots = json.loads(h.run(h.CTL, *args, "--json")[1])["sockets"][0]["rounds"][0]["slots"]
    assert [(s["max_increment"], s["max_increment_of"]) for s in slots] == \
        [(255, "box"), (1, "event")], slots


def test_a_good_check_raises_no_alarm():
    """What the ready-made groups leave out is nobody's mistake; what a group of one's own would
    show with one more event is said, calmly."""
    for processor in "nehalem-ex", "nehalem", "westmere-ex", "ivytown":
        for text in "# defaults\n", 'groups = [ "memory" ];':
            code, out, err = h.run(h.UNCORED, "--check-config", "-c", h.write("good.conf", text),
                                   "-p", processor)
            assert code == 0 and len(out.splitlines()) == 1 and not err, (processor, out, err)
            assert "missing" not in out and "add " not in out, out
    conf = h.write("own.conf", 'groups = ( { name = "m"; events = [ "bbox/IMT_INSERTS_ALL", '
                   '"bbox/IMT_VALID_OCCUPANCY" ]; } );')
    code, out, err = h.run(h.UNCORED, "--check-config", "-c", conf, "-p", "nehalem-ex")
    assert code == 0 and "(add wbox/CLOCKTICKS to group m)" in out, out


def test_cpus_of_another_machine():
    conf = h.write("cpus.conf", 'cpus = "0,99";\n')
    for args in ((h.UNCORED, "--check-config", "-p", "ivytown", "-c", conf),
                 (h.CTL, "plan", "-p", "ivytown", "--sockets", "2", "-c", conf)):
        code, out, err = h.run(*args)
        assert code == 0 and "The CPUs that the key `cpus` names are not checked" in out + err, err


def test_refusal_explains_itself():
    conf = h.write("full.conf", 'groups = ( { name = "g"; events = [ "bbox/IMT_FULL", '
                                '"bbox/CONFLICTS" ]; } );\n')
    for program, args in ((h.CTL, ["plan"]), (h.UNCORED, ["--check-config"])):
        code, _, err = h.run(program, *args, "-c", conf, "--processor", "nehalem-ex")
        assert code == 78, (code, err)
        for words in ("full.conf:1", "IMT_FULL and CONFLICTS both count only on counter 3",
                      "another group"):
            assert words in err, err


def test_offers_what_the_machine_has():
    """The words of a mistake are of the machine that is asked about."""
    conf = h.write("nosuch.conf", 'groups = ( "nosuch" );\n')
    for machine, has in ("spr", False), ("sprhbm", True):
        code, _, err = h.run(h.UNCORED, "--check-config", "-c", conf, "-p", machine)
        words = re.search("the choices are (.*)\n", err).group(1).replace(" and ", ", ").split(", ")
        assert code == 78 and ("hbm" in words) == has and "memory" in words, (machine, err)
    conf = h.write("empty.conf", 'groups = ( { name = "g"; } );\n')
    code, _, err = h.run(h.UNCORED, "--check-config", "-c", conf, "-p", "spr")
    assert code == 78 and "uncorectl list events" in err and "bbox" not in err, err


def test_check_config():
    conf = h.write("good.conf", h.MEMORY)
    code, out, err = h.run(h.UNCORED, "--check-config", "-c", conf, "--processor", "nehalem-ex")
    # Of each of two B-Boxes three events and three metrics (occupancy, latency in cycles and in
    # seconds), and the clock and its frequency: 2 x (3 + 3) + 2.
    assert code == 0 and err == "", (code, out, err)
    assert out.startswith("1 group, 1 round, 14 series on 1 socket"), out
    conf = h.write("lacking.conf", """groups = (
        { name = "links"; events = [ "rbox/NULL_IDLE,port=0" ]; },
        { name = "imt"; events = [ "bbox/IMT_FULL" ]; } );""")
    code, out, err = h.run(h.UNCORED, "--check-config", "-c", conf, "--engine", "model:nehalem-ex")
    # the port, and IMT_FULL in each of two B-Boxes
    assert out.startswith("2 groups, 1 round, 3 series on each of 2 sockets; "
                          "with one event more: "), out
    for words in ("link_utilization_ratio (add rbox/FLITS_SENT to group links)",
                  "imt_full_ratio (add bbox/IMT_INSERTS_ALL to group imt)"):
        assert words in out and out.count("\n") == 1, out
    # one of two groups is enough
    conf = h.write("twice.conf", """groups = ( { name = "a"; events = [ "bbox/IMT_FULL" ]; },
        { name = "b"; events = [ "bbox/IMT_FULL", "rbox/NULL_IDLE,port=0" ]; } );""")
    out = h.run(h.UNCORED, "--check-config", "-c", conf, "--engine", "model:nehalem-ex")[1]
    assert out.count("imt_full_ratio") == 1 and "to group a" in out, out
    assert "link_utilization_ratio (add rbox/FLITS_SENT to group b)" in out, out
    # Four turns: 323535-001 Table 2-24 has an occupancy of each on counter 0. All lack IMT_FULL, of
    # which "memory" says nothing; what a says, b and c do not say again, but b lacks it for more.
    conf = h.write("thrice.conf", 'groups = ( "memory"' + "".join(
        ', { name = "%s"; events = [ "bbox/IMT_INSERTS_ALL", "bbox/%s" ]; }' % of for of in
        (("a", "DRSQ_OCCUPANCY"), ("b", "TF_ALL"), ("c", "SNPOQ_OCCUPANCY"))) + " );\n")
    out = h.run(h.UNCORED, "--check-config", "-c", conf, "-p", "nehalem-ex")[1]
    assert [s for s in out.rstrip().replace(": ", "; ").split("; ") if "IMT_FULL" in s] == \
        ["imt_full_ratio (add bbox/IMT_FULL to group a)",
         "tf_all_latency_cycles (add bbox/IMT_FULL to group b)"], out
    conf = h.write("bad.conf", 'intervall = "1s";\nrotation = 5;\ngroups = ( { name = "g"; '
                               'events = [ "bbox/NO" ]; } );\n')
    code, out, err = h.run(h.UNCORED, "--check-config", "-c", conf, "--processor", "nehalem-ex")
    assert code == 78 and out == "" and "bad.conf:1" in err and "interval" in err, err
    assert "bad.conf:2" in err, err
    # a clock is an event of a box; one mistake is one line
    conf = h.write("clock.conf", 'metrics = ( { name = "x_ratio"; numerator = ( "bbox/IMT_FULL" ); '
                   'denominator = ( "bbox/IMT_FULL" ); cycles_of = "LLC_HITS"; } );\n')
    code, out, err = h.run(h.UNCORED, "--check-config", "-c", conf, "--processor", "nehalem-ex")
    assert code == 78 and err.count("\n") == 1, err
    assert "clock.conf:1: \"LLC_HITS\" is no clock with its box, which cycles_of needs" in err, err
    code, _, err = h.run(h.UNCORED, "--check-config", "-c", h.path("absent.conf"))
    assert code == 78 and "absent.conf" in err, err
    code, _, err = h.run(h.UNCORED, "--check-config", "-c", "/dev/zero")
    assert code == 78, (code, err)


# The example of the contract, to the letter but for where its lines end.
EXAMPLE = """
interval = "1s";             // the default; 1ms .. ; durations and big numbers are strings
rotation = "1s";
freeze   = false;
takeover = false;
listen   = [ "127.0.0.1:10062" ];
engine   = "auto";
groups = (
  { name = "memory"; events = [ "bbox/IMT_VALID_OCCUPANCY", "bbox/IMT_INSERTS_ALL",
    "bbox/IMT_NE_CYCLES", "bbox/CONFLICTS" ]; },
  { name = "links";  metrics = [ "link_utilization_ratio" ]; },
  "cache"                    // a ready-made group of this processor
);
metrics = ( { name = "imt_latency_cycles"; unit = "cycles"; per = "unit";
              scale = 32.0;  // also: cycles_of, complement, clamp, help
              numerator = ( "bbox/IMT_VALID_OCCUPANCY" );
              denominator = ( { event = "bbox/IMT_INSERTS_ALL"; weight = 1; } );
              guard = { numerator = ( "bbox/CONFLICTS" ); denominator = ( "bbox/IMT_INSERTS_ALL" );
                  max = 0.05; }; } );
"""


def test_example_of_the_contract():
    conf = h.write("example.conf", EXAMPLE)
    code, out, err = h.run(h.UNCORED, "--check-config", "-c", conf, "--processor", "nehalem-ex")
    assert (code, err) == (0, "") and out.startswith("3 groups, 1 round, "), (code, out, err)
    code, out, _ = h.run(h.CTL, "plan", "-c", conf, "--processor", "nehalem-ex",
                         "--sockets", "3", "--json")
    j = json.loads(out)
    assert code == 0 and [s["socket"] for s in j["sockets"]] == [0, 1, 2], out
    for s in j["sockets"]:
        (r,) = s["rounds"]
        # two events of 8 ports, two of 8 slices of the last-level cache
        assert r["groups"] == ["memory", "links", "cache"]
        assert len(r["slots"]) == 4 * 2 + 2 * 8 + 2 * 8
        phases = [w["phase"] for w in r["writes"]]
        assert phases == sorted(phases, key=["stop", "select", "enable_counter", "enable_box",
                                             "enable_global"].index)
        assert len({(w["phase"], w["address"]) for w in r["writes"]}) == len(r["writes"])
        assert {"imt_latency_cycles", "link_utilization_ratio",
                "llc_socket_hit_ratio"} <= set(r["metrics"])
    slot = j["sockets"][0]["rounds"][0]["slots"][2]
    assert (slot["event"], slot["unit"], slot["counter"], slot["control"],
            slot["data"]) == ("IMT_INSERTS_ALL", 0, 1, "0xc32", "0xc33")
    # 2^48 increments of 1 at 2.67 GHz x 1.25
    assert abs(slot["safe_interval_seconds"] - 2 ** 48 / (2.67e9 * 1.25)) < 1, slot


def test_every_mistake_at_once():
    conf = h.write("all.conf", 'intervall = "1s";\ninterval = 5;\ngroups = ( { name = "g"; '
                               'events = [ "cbox/NIX",\n'
                   '"bbox/IMT_FULL", "bbox/CONFLICTS" ]; } );\n')
    for program, args in ((h.UNCORED, ["--check-config"]), (h.UNCORED, ["--once"]),
                          (h.CTL, ["plan"])):
        code, out, err = h.run(program, *args, "-c", conf, "--processor", "nehalem-ex")
        assert code == 78 and out == "", (program, args, code, err)
        lines = err.splitlines()
        assert len(lines) == 4, err
        for line, number, word in zip(lines, (1, 2, 3, 3),
                                      ("intervall", "quotes", "NIX", "counter 3")):
            assert "all.conf:%d: " % number in line and word in line, (line, number, word)


def test_an_engine_that_cannot_be_read_is_one_mistake():
    # Whatever the machine would make of the events: nobody knows which was meant to count them.
    for engine in ('"modell:nehalem-ex"', "5"):
        conf = h.write("engine.conf", 'engine = %s;\ngroups = ( { name = "g"; events = [ '
                                      '"wbox/CLOCKTICKS", "bbox/IMT_FULL" ]; } );\n' % engine)
        for program, mode in ((h.UNCORED, "--check-config"), (h.UNCORED, "--once"),
                              (h.CTL, "plan")):
            code, out, err = h.run(program, mode, "-c", conf)
            assert code == 78 and out == "" and err.count("\n") == 1, (program, mode, code, err)
            assert "engine.conf:1: engine " in err, (program, mode, code, err)


def test_engine_of_the_file():
    for engine, word in (("model:pentium", "pentium"), ("model:nehalem-ex:lazy", "lazy")):
        conf = h.write("engine.conf", '\nengine = "%s";\n' % engine)
        for mode in ("--check-config", "--once"):
            code, out, err = h.run(h.UNCORED, mode, "-c", conf)
            assert code == 78 and out == "", (engine, mode, code, err)
            assert "engine.conf:2: engine: " in err and word in err, (engine, mode, code, err)


def test_default_groups_fit():
    # One round and at most 100 series of a socket, the daemon's own among them; `plan` knows how
    # many are not the daemon's.
    conf = h.write("nothing.conf", "# defaults\n")
    processors = ("nehalem-ex", "westmere-ex", "nehalem", "westmere", "ivytown")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        pages = pool.map(lambda p: h.run(h.UNCORED, "-c", conf, "--engine", "model:" + p, "--once"),
                         processors)
    for processor, (code, page, _) in zip(processors, pages):
        lines = [x for x in page.splitlines() if not x.startswith("#")]
        assert code == 0 and lines, (processor, code)
        code, out, _ = h.run(h.CTL, "plan", "-c", conf, "--processor", processor,
                             "--sockets", "2", "--json")
        plan = json.loads(out)
        assert code == 0 and [len(s["rounds"]) for s in plan["sockets"]] == [1, 1], out
        assert plan["series"] == sum(x.startswith("uncore_")
                                     for x in lines), (processor, plan["series"], page)
        for one in "01":
            n = sum('socket="%s"' % one in x for x in lines)
            assert 0 < n <= 100, (processor, n)


def test_unsafe_interval_is_78():
    conf = h.write("slow.conf",
                   'interval = "1h";\n' + h.MEMORY.replace("bbox/CONFLICTS", "cbox/OCCUPANCY_IRQ"))
    code, _, err = h.run(h.UNCORED, "--check-config", "-c", conf, "--processor", "nehalem-ex")
    # OCCUPANCY_IRQ: 24 a cycle at 2.67 GHz x 1.25: 2^48 lasts 3514 s, so 1757 s is the largest
    # interval.
    assert code == 78 and "OCCUPANCY_IRQ" in err and "1757" in err, err


def test_more_files_than_the_unit_allows():
    """A file for each event: 8 sockets x 128 units x 64 events are 65536, twice as many during a
    reload, and 64 of uncored itself; one event less is 129088."""
    root = h.tree(h.write("files.txt", "cpuinfo GenuineIntel 6 79 1\n" + "".join(
        "cpu %d-%d socket %d\n" % (n, n, n) for n in range(8)) +
        "PMU uncore_many_{0-127} type=20 cpumask=0-7\n  format event=config:0-7\n"))
    for n in 63, 64:
        conf = h.write("many.conf", 'groups = ( { name = "many"; events = [ %s ]; } );' % ", ".join(
            '"perf/uncore_many/event=%d,name=e%d/"' % (i, i) for i in range(n)))
        code, out, err = h.run(h.UNCORED, "--check-config", "-c", conf, "--path-sysfs", root,
                               "--path-procfs", root, timeout=120)
        assert code == 0 and "%d series on each of 8 sockets" % (n * 128) in out, (out, err)
        assert err == ("uncored: counting this keeps 65536 files open, and twice as many during a "
                       "reload: the unit allows 131072; set LimitNOFILE=131136 (systemctl edit "
                       "uncored)\n" if n == 64 else ""), err


h.main(sys.modules[__name__])
