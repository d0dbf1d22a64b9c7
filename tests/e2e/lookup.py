# SPDX-License-Identifier: MIT
"""lookup.py - uncorectl list, describe and search: what is found by which words, and what is said
of it.
"""
import json
import os
import re
import sys

import harness as h
import schema


def test_what_another_processor_has_is_not_unknown():
    """Where this machine has nothing of the words; the example shows it."""
    at = h.tree(h.write("another.txt", "cpuinfo GenuineIntel 6 1\ncpu 0 socket 0 node 0\n"))
    other = ["--path-procfs", at, "--path-sysfs", at]
    for name in "numa_reads", "numa_home":
        code, out, err = h.run(h.CTL, "describe", name, *other)
        assert code == 78 and name in results(out)[0][1], (name, code, out, err)
        example = re.search("in parentheses, as in: uncorectl (.*)\n", err)
        assert example and " has no '%s'; " % name in err and "its words" not in err, err
        code, out, err = h.run(h.CTL, *example[1].split())
        assert code == 0 and name in out and err == "", (example[1], out, err)
    err = h.run(h.CTL, "describe", "numa reads of", *other)[2]
    assert "these contain its words:" in err, err


def test_a_list_without_hits_leads_to_that_list():
    for args, list_name in ((["machines", "zzzz"], "machines"),
                            (["machine", "latency"], "machines"),
                            (["metrics", "qqq", "-p", "ivytown"], "metrics --processor ivytown"),
                            (["boxes", "qqq", "-p", "ivytown"], "boxes --processor ivytown"),
                            (["group", "qqq", "-p", "ivytown"], "groups --processor ivytown"),
                            (["keys", "qqq"], "keys")):
        code, out, err = h.run(h.CTL, "list", *args)
        assert code == 78 and out == "" and err.endswith(
            "; see: uncorectl list %s\n" % list_name), (args, code, err)
    assert "nearest is 'genoa'" in h.run(h.CTL, "list", "machines", "genoaa")[2]


def test_ready_made_groups():
    """Each is listed with what it costs alone, which is what a configuration of its name has."""
    code, out, err = h.run(h.CTL, "list", "groups", "-p", "nehalem-ex", "--json")
    assert code == 0 and not err, err
    groups = {g["name"]: g for g in json.loads(out)}
    assert [n for n, g in groups.items() if not g["default"]] == ["writes"], groups
    # eight C-Boxes with two counters each; a ratio of each and of the socket
    assert groups["llc"]["counters"] == 16 and groups["llc"]["series"] == 9, groups["llc"]
    assert set(groups["llc"]["metrics"]) == {"llc_hit_ratio", "llc_socket_hit_ratio"}
    for name, g in groups.items():
        conf = h.write("group.conf", 'groups = [ "%s" ];\n' % name)
        plan = json.loads(h.run(h.CTL, "plan", "-c", conf, "-p", "nehalem-ex", "--json")[1])
        assert plan["series"] == g["series"], (name, plan["series"], g)
        code, out, _ = h.run(h.CTL, "describe", name, "-p", "nehalem-ex")
        assert code == 0 and all(t in out for t in g["events"] + g["metrics"]), out
        # what is shown can be typed
        assert ('groups = ( ..., "%s" )\n' % name in out) == (not g["default"]), out
    out = h.run(h.CTL, "list", "groups", "-p", "nehalem-ex")[1]
    assert [line.split()[0] for line in out.splitlines()] == list(groups), out


def test_another_name_of_a_group():
    """A configuration may call the group llc so, and /metrics then has group="cache"."""
    for machine in "nehalem-ex", "spr":
        code, out, err = h.run(h.CTL, "describe", "cache", "-p", machine)
        assert code == 0 and out.startswith("group llc, ready-made"), (out, err)
        assert out == h.run(h.CTL, "describe", "llc", "-p", machine)[1], out
        # nor is it lost by a letter, in whatever asks for it
        out = h.run(h.CTL, "describe", "cach", "-p", machine)[1]
        assert out.startswith("group     llc "), out
        with open(h.path("cach.conf"), "w", encoding="utf-8") as f:
            f.write('groups = ( "cach" );\n')
        err = h.run(h.CTL, "plan", "-c", h.path("cach.conf"), "-p", machine)[2]
        assert "no ready-made group 'cach' here; the nearest is 'cache'" in err, err


def test_one_of_a_boxs_pmus():
    """Messages name it: "PMU uncore_imc_3 cannot count ..."."""
    for pmu, box, machine in (("uncore_imc_3", "imc", "spr"), ("amd_umc_3", "amd_umc", "genoa"),
                              ("hisi_sccl1_ddrc0", "hisi_sccl_ddrc", "kunpeng920")):
        code, out, err = h.run(h.CTL, "describe", pmu, "--machine", machine)
        assert code == 0 and out.startswith(box + " (the kernel's PMU "), (pmu, out, err)
        assert out == h.run(h.CTL, "describe", box, "--machine", machine)[1], out
    code, out, _ = h.run(h.CTL, "describe", "uncore_imc_99", "--machine", "spr")
    assert code == 78 and out == "", out


def test_absent_for_one_reason():
    """Of all that is absent none are "of them"."""
    for word, begin in (("headroom_ratio", "1 ready-made metric is"),
                        ("imc", "2 ready-made metrics are")):
        err = h.run(h.CTL, "list", "metrics", word, "--machine", "spr")[2]
        assert err.startswith("uncorectl: %s absent from this machine because where the memory of "
                              "this machine saturates was not measured: " % begin), err


def test_keys_that_are_required():
    """323535-001 gives neither of the two registers a value that compares nothing."""
    out = h.run(h.CTL, "describe", "bbox/MSG_IN_MATCH", "-p", "nehalem-ex")[1]
    for key in "match", "mask":
        assert "  %s=... (required)  " % key in out, out
    out = h.run(h.CTL, "describe", "pcu/FREQ_BAND0_CYCLES", "-p", "ivytown")[1]
    assert "  band=...  " in out, out


def test_what_a_set_costs():
    """Its groups' counters, each once, however many turns count it."""
    for machine, name in ("gnr", "io"), ("turin", "numa"):
        out = h.run(h.CTL, "list", "groups", "--machine", machine, "--json")[1]
        groups = {g["name"]: g for g in json.loads(out)}
        parts = [groups[g]["counters"] for g in groups[name]["groups"]]
        assert groups[name]["turns"] > 1
        assert groups[name]["counters"] == sum(parts), (groups[name]["counters"], parts)


def test_processors_with_all_their_models():
    """CPUID models of the client and two-socket parts: SDM volume 3B, 18.17.2 and table 35-1."""
    _, out, _ = h.run(h.CTL, "list", "processors")
    rows = {line.split()[0]: line for line in out.splitlines()}
    assert rows["nehalem"].endswith("(family 6 model 26, 30, 31)"), out
    assert rows["westmere"].endswith("(family 6 model 37, 44)"), out


def test_describe_of_a_slip_names_the_nearest_of_all_boxes():
    for name, hint in (("LLCHIT", "nearest is cbox/LLC_HITS\n"), ("mboxx", "nearest is mbox\n"),
                       ("FLITSENT", "nearest is rbox/FLITS_SENT\n"), ("zzz", "list events")):
        for command in "describe", "search":
            code, out, err = h.run(h.CTL, command, name, "--processor", "nehalem-ex")
            assert code == 78 and out == "" and hint in err, (name, err)


def results(out):
    """Kind and name of each line of a search."""
    return [re.match("(unit mask|[a-z]+) +([^ ]+) ", line).groups() for line in out.splitlines()]


def test_describe_searches_what_is_no_exact_name():
    for name, first in (("link_utilisation", ("metric", "link_utilization_ratio")),
                        ("uncore_link_utilization", ("metric", "link_utilization_ratio")),
                        ("LLC_HIT", ("event", "cbox/LLC_HITS")),
                        ("power controller", ("box", "wbox"))):
        code, out, err = h.run(h.CTL, "describe", name, "-p", "nehalem-ex")
        assert code == 78 and results(out)[0] == first, (name, out, err)
        assert err.startswith("uncorectl: there is no '%s'; " % name), err
        code, out, _ = h.run(h.CTL, "describe", name, "-p", "nehalem-ex", "--json")
        j = json.loads(out)
        assert code == 78 and j["search"] == name, j
        assert (j["results"][0]["kind"], j["results"][0]["name"]) == first, j
        assert j["results"][0]["processors"] == ["nehalem-ex"], j


def test_search():
    def search(*words):
        code, out, err = h.run(h.CTL, "search", *words)
        assert code == 0 and err == "", (words, out, err)
        return results(out)

    nehalem_ex = ["-p", "nehalem-ex"]
    # an exact name, a name with all words, a description with the others
    got = search("flits", "sent", *nehalem_ex)
    assert got[0] == ("event", "rbox/FLITS_SENT") and len(got) > 1, got
    got = search("imt", *nehalem_ex)
    names = [("IMT" in name or "imt" in name) for _, name in got]
    assert any(names) and names == sorted(names, reverse=True), got
    assert search("utilisation", *nehalem_ex) == search("Utilization", *nehalem_ex)
    assert search("memory", "-p", "ivytown")[0] == ("group", "memory")
    # every word counts; unit masks where the event alone has not all of them
    got = search("llc", "hits", "modified", *nehalem_ex)
    assert got[0] == ("unit mask", "cbox/LLC_HITS:M"), got
    # behind them what has all words but one, no unit masks; the event has two of the three
    kinds = [kind for kind, _ in got]
    assert ("event", "cbox/LLC_HITS") in got[1:] and \
        "unit mask" not in kinds[kinds.index("metric"):], got
    # a machine that uncored does not know: every processor
    os.makedirs(h.path("other"), exist_ok=True)
    h.write("other/cpuinfo", "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 1\n")
    other = ["--path-procfs", h.path("other"), "--path-sysfs", h.path("other")]
    for words, name, processors in (("IMT_FULL", "bbox/IMT_FULL", ["nehalem-ex", "westmere-ex"]),
                                    ("bounce assert", "cbox/BOUNCE_ASSERT", ["westmere-ex"]),
                                    ("r3qpi", "r3qpi", ["ivytown"])):
        code, out, _ = h.run(h.CTL, "search", words, "--json", *other)
        first = json.loads(out)["results"][0]
        assert code == 0 and (first["name"], first["processors"]) == (name, processors), first
        line = h.run(h.CTL, "search", words, *other)[1].splitlines()[0]
        assert line.endswith(" (%s)" % ", ".join(processors)), line
    code, out, err = h.run(h.CTL, "describe", "IMT_FULL", *other)
    assert code == 0 and out.startswith("bbox/IMT_FULL (Intel Xeon 7500"), (out, err)
    assert "this entry is for nehalem-ex, not for this machine" in err, err
    assert h.run(h.CTL, "search", "--", "-")[0] == 64       # no word in it


def test_describe_of_a_metric_elsewhere_is_short():
    os.makedirs(h.path("other"), exist_ok=True)
    h.write("other/cpuinfo", "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 1\n")
    other = ["--path-procfs", h.path("other"), "--path-sysfs", h.path("other")]
    code, out, err = h.run(h.CTL, "describe", "page_hit_ratio", *other)
    lines = out.splitlines()
    assert code == 0 and err == "" and len(lines) == 7, (out, err)
    assert lines[:2] == ["uncore_page_hit_ratio (ratio)", ""] and lines[3] == "", out
    assert re.fullmatch(r"  [A-Z].*\bpages?\b.*[a-z]\.", lines[2]), out
    # 323535-001 p 2-119
    assert lines[4:6] == ["formula: mbox/PAGE_HIT / "
                          "(mbox/PAGE_HIT + mbox/PAGE_MISS + mbox/PAGE_EMPTY)",
                          "source: 323535-001 p 2-119"], out
    assert lines[6].startswith("available only on: Intel Xeon 7500"), out
    assert "E7-" in lines[6], out
    _, out, _ = h.run(h.CTL, "describe", "link_utilization_ratio", *other)
    assert "formula: 1 - rbox/NULL_IDLE / rbox/FLITS_SENT\n" in out, out
    _, out, _ = h.run(h.CTL, "describe", "imt_latency_seconds", *other)
    assert "formula: 32 x bbox/IMT_VALID_OCCUPANCY / bbox/IMT_INSERTS_ALL, cycles of " \
           "wbox/CLOCKTICKS as seconds\n" in out, out
    # of its registers and of the kernel's PMUs there is a table each
    assert out.splitlines()[6].count("Xeon 7500") == 1, out
    code, out, _ = h.run(h.CTL, "describe", "page_hit_ratio", *other, "-v")
    assert code == 0 and out.count("sum of      mbox/PAGE_HIT\n") == 2, out
    j = json.loads(h.run(h.CTL, "describe", "page_hit_ratio", *other, "--json")[1])
    assert j["table"] == "nehalem-ex" and j["absent"] == lines[6], j
    # here it is as long as it was
    _, out, _ = h.run(h.CTL, "describe", "page_hit_ratio", "-p", "nehalem-ex")
    assert "sum of      mbox/PAGE_HIT\n" in out and "available only" not in out, out


def test_series_of_a_scrape():
    """describe, search and encode take what /metrics shows, and the sums of stat."""
    p = ("-p", "nehalem-ex")
    for series in ("uncore_cbox_llc_hits_total", "cbox_llc_hits_total",
                   'uncore_cbox_llc_hits_total{socket="0",unit="3",umask="M:E"}',
                   'cbox_llc_hits_total{unit="3", umask="M:E"}', "sum(uncore_cbox_llc_hits_total)",
                   'sum(uncore_cbox_llc_hits_total{socket="0",umask="M:E"})'):
        code, out, _ = h.run(h.CTL, "describe", series, *p)
        assert code == 0 and out.startswith("cbox/LLC_HITS ("), (series, out)
        code, out, _ = h.run(h.CTL, "search", series, *p)
        assert code == 0 and out.startswith("event     cbox/LLC_HITS "), (series, out)
    for series in ("uncore_imt_latency_seconds", 'imt_latency_seconds{socket="0",unit="1"}',
                   "uncore_imt_latency_peak_seconds", "uncore_imt_latency_distribution_seconds"):
        code, out, _ = h.run(h.CTL, "describe", series, *p)
        assert code == 0 and out.startswith("uncore_imt_latency_seconds"), (series, out)
        code, out, _ = h.run(h.CTL, "search", series, *p)
        assert code == 0 and out.startswith("metric    imt_latency_seconds "), (series, out)
    for command in ("describe", "search"):
        code, out, _ = h.run(h.CTL, command, 'uncored_up{socket="0"}')
        assert code == 0 and "Whether uncored is sampling the socket" in out, out
    # a CAS command that reads is 0x04 with unit mask 0x03 (329468, table 2-62)
    code, out, _ = h.run(h.CTL, "encode", "UNC_M_CAS_COUNT.RD", "-p", "ivytown", "--json")
    assert code == 0 and json.loads(out)["writes"][-1]["value"] == "0x400304", out
    code, out, _ = h.run(h.CTL, "encode", 'uncore_cbox_llc_hits_total{unit="3",umask="M:E"}', *p,
                         "--json")
    assert code == 0 and json.loads(out)["unit"] == 3, out
    assert json.loads(out)["umask"] == ["M", "E"], out


def test_series_of_a_server_of_today():
    """The same where the kernel counts: of an event each unit or one; what is no event is said."""
    p = ("-p", "skx")           # two sockets of six channels
    for series, units in (("uncore_imc_cas_count_read_total", list(range(6))),
                          ("uncore_imc_cas_count_read_bytes_total", list(range(6))),
                          ('uncore_imc_cas_count_read_total{socket="0",unit="4"}', [4])):
        code, out, err = h.run(h.CTL, "encode", series, *p, "--json")
        assert code == 0, (series, err)
        j = json.loads(out)
        assert [(w["socket"], w["unit"]) for w in j["perf"]] == \
            [(s, u) for s in (0, 1) for u in units], (series, j)
        assert j["event"] == "cas_count_read", j
    for what in "uncore_memory_read_bytes_total", "zzz":
        code, out, err = h.run(h.CTL, "encode", what, *p)
        assert code == 78 and "is not an event" in err and "registers" not in err, err
    for command in ("describe", "search"):
        for series in "uncore_io_stack_info", 'uncore_io_stack_info{socket="0",pci_bus="0000:80"}':
            code, out, err = h.run(h.CTL, command, series, *p)
            assert code == 0 and "Root bus" in out, (out, err)


def test_what_is_listed_can_be_encoded():
    """The first event of each box and PMU, as list events prints it: names that end in digits, of
    several numbers, of one instance."""
    for machine in "zen3", "zen5", "spr", "grace", "kunpeng920", "cmns3", "skl":
        root = h.shared_tree(machine)
        where = ("--path-sysfs", root, "--path-procfs", root)
        listed = json.loads(h.run(h.CTL, "list", "events", *where, "--json")[1])
        first = {}
        for e in listed["perf"]:
            first.setdefault(e["spec"][:e["spec"].rindex("/", 0, -1)], e["spec"])
        assert len(first) > 2, (machine, first)
        for spec in first.values():
            code, out, err = h.run(h.CTL, "encode", spec, *where)
            assert code == 0 or "needs a value" in err, (machine, spec, out, err)


def test_what_is_listed_is_counted_there():
    """Register families whose kernel has its own driver: each line of list metrics and events is
    taken by --check-config of the same machine; what the registers have is a list away."""
    for machine, family in ("nehalem_ex", "nehalem-ex"), ("nehalem", "nehalem"), ("ivt", "ivytown"):
        on = "--machine", machine
        for what in "metrics", "events":
            code, out, err = h.run(h.CTL, "list", what, *on)
            names = [line.split()[0] for line in out.splitlines()]
            assert code == 0 and len(names) > 2, (machine, what, code, out, err)
            note = "uncorectl list %s -p %s\n" % (what, family)
            assert err.count(note) == 1, (machine, err)
            key = "metrics" if what == "metrics" else "events"
            conf = h.write("listed.conf", "groups = (%s);\n" % ", ".join(
                '{ name = "g%d"; %s = [ "%s" ]; }' % (i, key, name)
                for i, name in enumerate(names)))
            code, out, err = h.run(h.UNCORED, "--check-config", "-c", conf, *on)
            refused = [line for line in err.splitlines() if "counts through registers" in line or
                       "needs uncore" in line or "no metric" in line]
            assert not refused, (machine, what, refused)
            listed = json.loads(h.run(h.CTL, "list", what, *on, "--json")[1])
            assert listed[what] == [], (machine, what)
            assert len(json.loads(h.run(h.CTL, *note.split()[1:], "--json")[1])[what]) > 10
        assert any(e["spec"] in names for e in listed["perf"])


def test_boxes_are_those_that_count_there():
    """Where the kernel counts they are its PMUs, as the machine's text has them."""
    for machine, box, line in (
            ("icx", "imc", "imc 12 units a socket, 4 counters, 3 named events: PMU uncore_imc"),
            ("grace", "nvidia_pcie_pmu", "nvidia_pcie_pmu 1 unit a socket, 6 counters, 15 named "
             "events: PMU nvidia_pcie_pmu"),
            ("zen4", "amd_umc", "amd_umc 12 units a socket, 4 counters, 0 named events: PMU "
             "amd_umc"),
            ("nehalem_ex", "cbox", "cbox 2 units a socket, 6 counters, 0 named events: PMU "
             "uncore_cbox")):
        code, out, err = h.run(h.CTL, "list", "boxes", "--machine", machine)
        lines = [" ".join(one.split()) for one in out.splitlines()]
        assert code == 0 and line in lines, (machine, lines, err)
        assert not any(re.match("(software|cpu|msr|armv8_pmuv3) ", one) for one in lines), lines
        assert ("uncorectl list boxes -p nehalem-ex\n" in err) == (machine == "nehalem_ex"), err
        j = json.loads(h.run(h.CTL, "list", "boxes", "--machine", machine, "--json")[1])
        schema.accept(schema.validator("catalog", "boxes"), j, machine)
        assert j["boxes"] == [] and box in [p["name"] for p in j["pmus"]], j
    code, out, err = h.run(h.CTL, "list", "boxes", "upi", "--machine", "icx")
    assert out.splitlines()[-1].startswith("upi ") and "imc" not in out, (out, err)
    j = json.loads(h.run(h.CTL, "list", "boxes", "-p", "nehalem-ex", "--json")[1])
    assert len(j["boxes"]) == 7 and j["pmus"] == [], j


def test_box_of_the_kernel():
    """Where the kernel counts, the box is its PMU, and not that of an older processor's registers:
    as the text of icx has it, beside what Intel publishes of Ice Lake-SP."""
    for name in "imc", "uncore_imc":
        code, out, err = h.run(h.CTL, "describe", name, "--machine", "icx")
        assert code == 0 and err == "" and "Ivytown" not in out, (out, err)
        assert out.startswith("imc (the kernel's PMU uncore_imc)\n\nunits: 12 on each socket\n"
                              "counters of each unit: 4\nevents:\n"), out
        assert "perf/uncore_imc/cas_count_read/ " in out and "cha" not in out, out
    j = json.loads(h.run(h.CTL, "describe", "amd_umc", "--machine", "zen4", "--json")[1])
    assert j["units"] == 12 and "amd_umc/umc_cas_cmd_rd" in [e["spec"] for e in j["events"]], j
    assert "C-Box" in h.run(h.CTL, "describe", "cbox", "-p", "nehalem-ex")[1]


def test_names_in_each_command():
    """What encode takes stat and a configuration take, too, and count the same: cas_count_read is
    event 0x05, unit mask 0xcf on Sapphire Rapids, umc_cas_cmd.rd event 0x0a, rdwrmask 1 (Linux
    amdzen4/memory-controller.json)."""
    for machine, spec, series in (
            ("spr", "cas_count_read", "uncore_imc_cas_count_read_total"),
            ("spr", "UNC_M_CAS_COUNT.RD", "uncore_imc_cas_count_read_total"),
            ("genoa", "umc_cas_cmd_rd", "uncore_amd_umc_umc_cas_cmd_rd_total"),
            ("genoa", "perf/amd_umc/umc_cas_cmd_rd/", "uncore_amd_umc_umc_cas_cmd_rd_total"),
            ("genoa", "perf/amd_umc_3/umc_cas_cmd.rd/", "uncore_amd_umc_umc_cas_cmd_rd_total"),
            ("ivytown", "DCLK", "uncore_imc_dclk_total"),
            ("nehalem-ex", "LLC_HITS:M", "uncore_cbox_llc_hits_total")):
        on = ("-p" if machine in ("ivytown", "nehalem-ex") else "--machine", machine)
        code, out, err = h.run(h.CTL, "encode", spec, *on)
        assert code == 0, (spec, out, err)
        code, out, err = h.run(h.CTL, "stat", "-o", "csv", "--engine", "model:" + machine, "-e",
                               spec, "--", "true")
        assert code == 0 and series in out, (spec, out, err)
        conf = h.write("names.conf", 'groups = ( { name = "g"; events = [ "%s" ]; } );' % spec)
        code, out, err = h.run(h.CTL, "plan", "-c", conf, *on)
        assert code == 0, (spec, out, err)
    for spec, says in (("perf/amd_umc/umc_cas_cmd_rf/", "no event or term 'umc_cas_cmd_rf'"),
                       ("local_or_remote", '"local_or_remote" is not an event; expected box/'),
                       ("seconds", '"seconds" is not an event; expected box/'),
                       ("umc_cas_cmd_rf", "the nearest is 'amd_umc/umc_cas_cmd_rd'")):
        conf = h.write("names.conf", 'groups = ( { name = "g"; events = [ "%s" ]; } );' % spec)
        code, out, err = h.run(h.CTL, "plan", "-c", conf, "--machine", "genoa")
        assert code == 78 and says in err, (spec, err)


def test_names_that_intel_publishes():
    """github.com/intel/perfmon, SPR: TOR_INSERTS is event 0x35, IA_MISS_DRD_REMOTE unit mask 0x01
    and its extension 0xc8177e, bits 15:8 and 63:32 of the kernel's config."""
    name, spr = "UNC_CHA_TOR_INSERTS.IA_MISS_DRD_REMOTE", ("--machine", "spr")
    spec = "perf/uncore_cha/event=0x35,umask=0xc8177e01,name=tor_inserts_ia_miss_drd_remote/"
    for typed in (name, name.lower(), "cha/" + name, "cha/TOR_INSERTS:IA_MISS_DRD_REMOTE",
                  "uncore_cha/" + name, spec):
        code, out, err = h.run(h.CTL, "encode", typed, *spr, "--json")
        j = json.loads(out)
        assert code == 0 and err == "" and j["spec"] == spec, (typed, out, err)
        assert {p["config"] for p in j["perf"]} == {"0xc8177e00000135"}, (typed, out)
    code, out, _ = h.run(h.CTL, "describe", name, *spr)
    assert code == 0 and out.startswith(spec + "\n"), out
    assert "used by uncore_numa_remote_reads_total\n" in out, out
    assert out.endswith(name + "\n"), out
    code, out, _ = h.run(h.CTL, "describe", name.replace("INSERTS", "OCCUPANCY"), *spr, "--json")
    assert code == 0 and json.loads(out)["counters"] == [0], out
    # of another machine
    code, out, _ = h.run(h.CTL, "describe", name, "--machine", "zen4")
    assert code == 0 and "available only on: icx, icx-d, spr, emr, gnr" in out, out
    # one port of it: all processors of a model that differ by stepping have it, no metric does
    code, out, _ = h.run(h.CTL, "describe", "UNC_IIO_DATA_REQ_OF_CPU.MEM_READ.PART2", "--machine",
                         "zen4")
    assert code == 0 and "available only on: cpx, clx, skx, icx, " in out, out
    assert ",ch_mask=0x4,fc_mask=" in out and "used by" not in out, out
    assert "iio/data_req_of_cpu_mem_read_part2 " in h.run(h.CTL, "search", "mem_read part2",
                                                          *spr)[1]
    code, out, err = h.run(h.CTL, "encode", name, "--machine", "zen4")
    assert code == 78 and "here" in err, err
    # several boxes
    code, _, err = h.run(h.CTL, "encode", "CLOCKTICKS", *spr)
    assert code == 78 and '"CLOCKTICKS" may be imc/dclk, upi/clockticks, ' in err, err
    described = h.run(h.CTL, "describe", "CLOCKTICKS", *spr)
    assert described == (78, "", err), (described, err)
    # a box that this machine has comes before one of another of its like, hbm
    for alone in "CAS_COUNT.RD", "CAS_COUNT:RD":
        code, out, err = h.run(h.CTL, "describe", alone, *spr)
        assert (code, err) == (0, "") and out.startswith("perf/uncore_imc/cas_count_read/"), out
    # and on one of high-bandwidth memory alone it is that, although the other's row comes first
    alone = h.write("hbm.txt", """cpuinfo GenuineIntel 6 143 8
cpu 0-3 socket 0
like kernel_intel
PMU uncore_hbm_{0-31} type=400 cpumask=0
  format event=config:0-7 umask=config:8-15
""")
    code, out, err = h.run(h.CTL, "describe", "CAS_COUNT.RD", "--machine", alone)
    assert (code, err) == (0, "") and out.startswith("perf/uncore_hbm/event=0x05,"), \
        (out, err)
    code, _, err = h.run(h.CTL, "encode", "CLOCKTICKS", "-p", "ivytown")
    assert code == 78 and " may be ubox/CLOCKTICKS, cbox/CLOCKTICKS, " in err, err
    assert name in h.run(h.CTL, "list", "events", *spr)[1]
    assert "cha/tor_inserts_ia_miss_drd_remote " in h.run(h.CTL, "search", name, *spr)[1]


def test_list_of_a_word_or_box():
    def lines(*args):
        code, out, err = h.run(h.CTL, "list", *args, "-p", "nehalem-ex")
        assert code == 0 and err == "", (args, out, err)
        return out.splitlines()

    events = lines("events")
    assert lines("events", "bbox") == [line for line in events if line.startswith("bbox/")]
    assert lines("events", "IMT_FULL") == [line for line in events
                                           if line.startswith("bbox/IMT_FULL ")]
    # 323535-001 2.6 has two events with "flits" in their names; descriptions count too
    assert {line.split()[0] for line in lines("events", "flits")} >= {"rbox/FLITS_SENT"}
    for what in "boxes", "events", "metrics":
        j = json.loads("\n".join(lines(what, "--json")))
        few = json.loads("\n".join(lines(what, "mbox", "--json")))
        assert 0 < len(few[what]) < len(j[what]), (what, len(few[what]))
        assert set(few) == set(j), what
        if what != "boxes":
            assert len(lines(what, "mbox")) >= len({m.get("name", m.get("event"))
                                                    for m in few[what]})
    # the formula names the box: pages are opened and closed by the M-Box's DRAM commands
    metrics = {line.split()[0] for line in lines("metrics", "mbox")}
    assert "page_hit_ratio" in metrics and "imt_full_ratio" not in metrics, metrics
    assert [line.split()[0] for line in lines("boxes", "cache")] == ["cbox"]
    for what in "boxes", "events", "metrics":
        for word, hint in (("zzz", "nothing called"), ("invert", "search 'invert'")):
            if (what, word) == ("events", "invert"):
                continue
            code, out, err = h.run(h.CTL, "list", what, word, "-p", "nehalem-ex")
            assert code == 78 and out == "" and (word != "zzz" or hint in err), (what, word, err)
    assert h.run(h.CTL, "list", "processors", "ivytown")[0] == 64
    for what, plural in (("event", "events"), ("metric", "metrics"), ("box", "boxes"),
                         ("group", "groups"), ("key", "keys")):
        assert lines(what) == lines(plural), what
    assert h.run(h.CTL, "list", "machine") == h.run(h.CTL, "list", "machines")
    assert h.run(h.CTL, "list", "processor") == h.run(h.CTL, "list", "processors")


def test_keys_of_the_configuration():
    """Those of uncored.conf(5), each with its place, to people and to programs."""
    code, out, err = h.run(h.CTL, "list", "keys")
    lines = {line.split()[0]: line for line in out.splitlines()}
    assert code == 0 and err == "" and len(lines) == len(out.splitlines()), (code, err)
    rows = {k["name"]: k for k in json.loads(h.run(h.CTL, "list", "keys", "--json")[1])["keys"]}
    assert list(rows) == list(lines), set(rows) ^ set(lines)
    with open(os.path.join(h.SRC, "man/uncored.conf.5")) as f:
        page = re.findall(r"^\.It Ic ([a-z_ ,]+)", f.read(), re.M)
    named = {word for entry in page for word in re.findall("[a-z_]+", entry)}
    assert {name.split(".")[-1] for name in rows} == named, named
    assert lines["interval"].endswith("(duration from 1ms, default 1s)"), lines["interval"]
    assert lines["groups.window.count"].endswith("(whole number)")
    assert lines["tls_server_config.min_version"].endswith("(TLS12 or TLS13, default TLS12)")
    assert rows["metrics.per"]["choices"] == ["unit", "socket"], rows["metrics.per"]
    assert (rows["listen"]["most"], rows["listen"]["default"]) == (64, "127.0.0.1:10062")
    assert rows["rotation"]["least"] == "1ms" and "default" not in rows["groups"]
    assert h.run(h.CTL, "list", "keys", "histogram", "shown")[0] == 64      # one word
    found = h.run(h.CTL, "list", "keys", "histograms")[1].splitlines()
    assert [line.split()[0] for line in found] == ["groups.distribution"], found
    assert h.run(h.CTL, "list", "keys", "zzz")[0] == 78


def used_by(event):
    """What describe says that an event is used by, in text and in JSON."""
    args = ["describe", event, "-p", "nehalem-ex"]
    metrics = json.loads(h.run(h.CTL, *args, "--json")[1])["metrics"]
    text = re.findall(r"^used by uncore_(\w+)$", h.run(h.CTL, *args)[1], re.M)
    assert text == metrics[:6], (text, metrics)
    return metrics


def test_describe_of_an_event_names_each_metric_once():
    # 323535-001 2.5.4.3: data responses of each link of the S-Box by an event of its own
    for event in "FLITS_SENT_DRS", "PKTS_RCVD_DRS_FROM_R", "PKTS_RCVD_DRS_FROM_B":
        names = used_by("sbox/" + event)
        assert "link_drs_utilization_ratio" in names and len(set(names)) == len(names), names
    # 2.4.6: where conflicts are many the inserts say nothing, and no latency is derived of them
    assert "imt_latency_seconds" in used_by("bbox/CONFLICTS")


def test_describe_of_a_box():
    # 323535-001 2.4: two B-Boxes, each with four counters of 48 bits
    code, out, err = h.run(h.CTL, "describe", "BBOX", "-p", "nehalem-ex")
    assert code == 0 and err == "", err
    for words in ("bbox (Intel Xeon 7500", "home agent", "units: 2 on each socket",
                  "4 of 48 bits", "registers: MSRs", "  IMT_FULL ", "source: 323535-001"):
        assert words in out, (words, out)
    code, out, _ = h.run(h.CTL, "describe", "imc", "-p", "ivytown")
    assert code == 0 and "PCI configuration space" in out and "fixed one" in out, out
    j = json.loads(h.run(h.CTL, "describe", "bbox", "-p", "nehalem-ex", "--json")[1])
    assert j["name"] == "bbox" and j["processor"] == "nehalem-ex", j
    assert "IMT_FULL" in j["events"], j


h.main(sys.modules[__name__])
