# SPDX-License-Identifier: MIT
"""knee.py - the limit of a server's memory as a curve in the state directory says, on a simulated
Sapphire Rapids: the knee for the present mix, what is left of it, and why there is none.

The workload stream reads twice as often as it writes. Knees are worked out by hand.
"""
import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import time

import jsonschema

import harness as h

# (share of reads, knee) of a Xeon 8480+ (bsc-mem/Mess-Results commit 16ab1d6).
KNEES = ((1, 208.1e9), (0.67, 137.5e9), (0.51, 120.7e9))
# 2/3 between 0.51 and 0.67: 1 / (1/120.7 + 0.97917 (1/137.5 - 1/120.7)) GB/s.
KNEE = 137.10e9
FAMILIES = ("uncore_memory_knee_bytes_per_second", "uncore_memory_headroom_ratio")


def curve(knees=KNEES, **changed):
    """The text of a curve of both sockets; without a knee: 0."""
    mixes = [{"asked_read_ratio": share, "read_ratio": share, "least_latency_seconds": 1.15e-7,
              "most_bytes_per_second": 2.3e11,
              **({"knee_bytes_per_second": knee} if knee else {}),
              "points": [{"bytes_per_second": 0, "latency_seconds": 1.15e-7}]}
             for share, knee in knees]
    return json.dumps({
        "format": "uncored-curve-1", "version": "0.1.0", "date": "2023-01-02T12:00:00Z",
        "simulated": True, "processor": "spr", "model": "",
        "sockets": [{"socket": s, "channels_with_memory": 8, "mixes": mixes} for s in (0, 1)],
        **changed})


def state(name, text=None):
    os.makedirs(h.path(name), exist_ok=True)
    if text is not None:
        h.write(name + "/curve.json", text)
    return h.path(name)


def simulated(where, workload="stream", conf=None):
    args = ("-c", h.write("knee.conf", conf)) if conf else ()
    return h.Uncored("--engine", "model:spr:" + workload, "--path-run", h.path("run"),
                     "--path-state", where, *args)


def of_knee(m):
    return {k: float(v) for k, v in m.items() if k.startswith(FAMILIES)}


def windows(u):
    """All metrics, once each socket had a whole window: a knee would be there."""
    return h.wait_for("windows", lambda: next(
        (m for m in [u.metrics()] if sum(k.startswith("uncore_llc_data_read_miss_latency_seconds{")
                                         for k in m) == 2), None))


def expect_knee(u):
    """After two samples, so that a window is whole."""
    m = {}

    def is_there():
        m.clear()
        m.update(u.metrics())
        return len(of_knee(m)) == 4
    h.wait_for("the knee is there", is_there)
    for s in (0, 1):
        knee = float(m['uncore_memory_knee_bytes_per_second{socket="%d"}' % s])
        left = float(m['uncore_memory_headroom_ratio{socket="%d"}' % s])
        assert abs(knee / KNEE - 1) < 1e-3, knee
        # stream is at (0.07 / 0.08 x 0.95) of what the curve has at most for two reads a write,
        # 193.9 GB/s, on socket 0; 3 % less on the next.
        traffic = 0.83125 * 193.9e9 * (1 - 0.03 * s)
        assert abs(left - (1 - traffic / KNEE)) < 0.02, (s, left, 1 - traffic / KNEE)


def test_the_knee_of_the_present_mix():
    u = simulated(state("good", curve()))
    expect_knee(u)
    assert "SIMULATED: Share of the traffic at the memory's knee that is left" in \
        u.get("/metrics")[2].decode()
    page = u.get("/")[2].decode()
    assert re.search(r"memory_knee_bytes_per_second\{[^>]*>137 GB/s<", page), page
    assert "\nRests on: a curve that uncorectl verify --curve measures on the machine; perf of" in \
        page, page
    u.stop()


def test_without_a_curve_nothing_is_said():
    u = simulated(state("none"))
    m = windows(u)
    assert not of_knee(m) and not any("memory_knee" in k or "headroom" in k for k in m), m
    # At a reload it is read.
    state("none", curve())
    u.p.send_signal(signal.SIGHUP)
    expect_knee(u)
    u.stop()


def test_a_curve_that_does_not_hold():
    """The others go on; the log says once why, and the metric that it has no value. What the file
    is of is no state of a socket, and has a series."""
    for name, text, says, reason in (
            ("other", curve(processor="icx"), "is of another machine", "processor"),
            ("real", curve(simulated=False), "is of a real machine", "simulated"),
            ("faulty", "{}", "curve.json: it is no curve", "unreadable"),
            ("future", curve(date="2999-01-02T12:00:00Z"), "was measured in the future, 2999-01-0",
             "unreadable"),
            ("flat", curve(knees=((1, 0), (0.67, 0), (0.5, 0))), "no traffic made its latency",
             None),
            ("one", curve(sockets=[]), "socket 0 was not measured", None)):
        u = simulated(state(name, text))
        m = windows(u)
        assert says in u.text() and "left out (reason hidden)" in u.text(), (name, u.text())
        assert u.text().count("left out (reason hidden)") == (1 if reason else 2), u.text()
        assert [k for k in m if k.startswith("uncored_curve_stale")] == (
            ['uncored_curve_stale{reason="%s"}' % reason] if reason else []), m
        assert not of_knee(m), (name, m)
        for s in (0, 1):
            for family in FAMILIES:
                assert m['uncored_metric_invalid{socket="%d",metric="%s",reason="hidden"}' %
                         (s, family[len("uncore_"):])] == "1", name
        assert any(k.startswith("uncore_memory_read_bytes_total") for k in m)
        page = re.sub(r"<[^>]+>", " ", u.get("/")[2].decode())
        assert re.search(r" hidden +The firmware .* or what was measured of its memory "
                         r"\(curve\.json\) does not hold any more\. Run  uncorectl doctor .*"
                         r"uncore_memory_headroom_ratio", page), page
        u.stop()


def test_fewer_channels_than_were_measured():
    text = json.loads(curve())
    for s in text["sockets"]:
        s["channels_with_memory"] = 7
    u = simulated(state("channels", json.dumps(text)))
    m = h.wait_for("the number of channels contradicts the curve", lambda: next((
        m for m in [u.metrics()] if all(
            'uncored_metric_invalid{socket="%d",metric="memory_headroom_ratio",reason="conflict"}'
            % s in m for s in (0, 1))), None))
    assert not of_knee(m)
    u.stop()


def test_others_may_write_to_it():
    where = state("open", curve())
    os.chmod(where + "/curve.json", 0o666)
    u = simulated(where)
    assert "curve.json: other users may write to it (mode 666)" in u.text(), u.text()
    assert not of_knee(windows(u))
    u.stop()


def test_named_by_a_group():
    """A configuration for a whole fleet names it, also where nobody has measured."""
    conf = 'groups = ( { name = "a"; metrics = [ "memory_headroom_ratio" ]; } );'
    u = simulated(state("named"), conf=conf)
    assert 'uncored_metric_invalid{socket="0",metric="memory_headroom_ratio",reason="hidden"}' \
        in u.metrics()
    assert "was not measured: sudo uncorectl verify --curve" in u.text()
    u.stop()


MEASURE = "absent on this machine: where the memory of this machine saturates was not measured: " \
    "sudo uncorectl verify --curve"
NO_LATENCY = "absent on this machine: uncored knows no memory latency in seconds on this " \
    "machine, by which its knee would be found"
NOTHING = NO_LATENCY + ", and counts no bytes of all the memory of a socket"
BY_REGISTERS = "by the registers uncored has no latency of this processor's memory that counts " \
    "beside its reads and writes"
# What each machine says, and what its knee is of.
CAS = "cas_count_read/ (read) with perf/uncore_imc/cas_count_write/ (written)"
SUBCHANNELS = "cas_count_read_sch0/ + perf/uncore_imc/event=0x06,umask=0xcf"
UMC = "umc_cas_cmd_rd/ (read) with perf/amd_umc/"
SAYS = {
    "nehalem nehalem_ex westmere": (BY_REGISTERS, None),
    "adl lnl mtl skl tgl altra2 cmn600 kunpeng920 kunpeng930 yitian710": (NO_LATENCY + "\n", None),
    "altra2_lts ampereone cmn700 cmns3 ryzen zen1 zen2 zen3": (NOTHING, None),
    "raphael": ("this machine's kernel has no PMU 'amd_umc'", UMC),
    "zen4": (NO_LATENCY + "\n", UMC), "zen5 zen6": (MEASURE, UMC),
    "ivt": (MEASURE, "imc/CAS_COUNT:RD\n"),
    "snbep hsx bdx bdxde skx clx clxap cpx icx spr emr": (MEASURE, CAS),
    "sprhbm": ("found is of two kinds of memory, high-bandwidth memory and DDR\n", CAS),
    "gnr srf cwf": (MEASURE, SUBCHANNELS),
    "grace": (MEASURE, "perf/nvidia_scf_pmu/cmem_rd_data/ (read)"),
    "vera": (MEASURE, "dst_loc_cmem=1,name=cmem_bytes_rd/ (read)"),
}


def test_describe():
    """Of each machine that is installed: why, and no event of another one."""
    machines = {name for names in SAYS for name in names.split()}
    listed = json.loads(h.run(h.CTL, "list", "machines", "--json")[1])["machines"]
    assert machines == {m["name"] for m in listed}, machines ^ {m["name"] for m in listed}
    for names, (says, of) in SAYS.items():
        for machine in names.split():
            for metric, options in ("memory_headroom_ratio", ()), \
                    ("memory_knee_bytes_per_second", ("-v",)):
                at = "--machine", machine, "--path-run", h.path("run"), *options
                code, out, err = h.run(h.CTL, "describe", metric, *at)
                assert code == 0 and not err and says in out, (machine, out, err)
                assert bool(of) == ("CAS" in out.upper() or "perf/" in out), (machine, out)
                assert not of or options or of in out, (machine, out)
                j = json.loads(h.run(h.CTL, "describe", metric, "--json", *at)[1])
                assert bool(of) == bool(j["numerator"]), (machine, j)
                assert j["absent"] in out, (machine, j)


def test_a_mix_without_a_knee():
    """Where reads alone never wait so long, nothing is said of them, and describe says why. The
    workload stream reads twice as often as it writes; a curve whose 2:1 has none is of no use to
    it, but of use to others."""
    for name, knees, there in (("reads", ((1, 0), KNEES[1], KNEES[2]), True),
                               ("two", (KNEES[0], (0.67, 0), KNEES[2]), False)):
        where = state(name, curve(knees=knees))
        u = simulated(where)
        if there:
            expect_knee(u)
        else:
            h.wait_for("no knee of this mix", lambda u=u: all(
                u.metrics().get('uncored_metric_invalid{socket="%d",metric="%s",'
                                'reason="conflict"}' % (s, f[len("uncore_"):])) == "1"
                for s in (0, 1) for f in FAMILIES))
            assert not of_knee(u.metrics())
        u.stop()


def test_what_the_use_of_channels_follows_from():
    """Where nobody has published commands and clock of one run, describe says so; AMD publishes the
    share itself."""
    for machine, said in (("ivt", True), ("bdx", True), ("skx", True), ("icx", True),
                          ("spr", True), ("gnr", True), ("zen4", False)):
        for metric in "memory_channel_utilization_ratio", "memory_utilization_ratio":
            code, out, err = h.run(h.CTL, "describe", metric, "--machine", machine)
            assert code == 0, err
            assert ("no public source has commands and clock of one run" in out) == said, out


USE = ("memory_utilization_ratio", "memory_channel_utilization_ratio",
       "memory_channel_capacity_bytes_total")


def test_use_of_other_memory():
    """What nobody knows of Xeon Max, of MRDIMM and of Arm servers is said of all three."""
    arm = r"^absent on this machine: (no public source says how [^;]+ relates to the data rate " \
        r"of its memory|(Grace|Vera)'s PMUs count all channels of a socket's memory as one)$"
    for machines, says in (
            ("gnr", r"^disputed: above 6400 MT/s, as of memory with multiplexed ranks \(MRDIMM\), "
             r"no public source says .*: left out there \(conflict\)$"),
            ("srf cwf", r"^disputed: above 8000 MT/s no public source says .*: left out there "
             r"\(conflict\)$"),
            ("altra2 cmn600 ampereone yitian710 kunpeng920 kunpeng930 grace vera", arm),
            ("sprhbm", None)):
        for machine in machines.split():
            for metric in USE:
                hbm = "high_bandwidth_" + metric
                out = h.run(h.CTL, "describe", metric, "--machine", machine)[1]
                assert re.search(says or "^beside it, uncore_%s is absent on this machine: no "
                                 "public source says what a channel of the high-bandwidth memory "
                                 "moves in a count of its clock$" % hbm, out, re.M), (machine, out)
                assert ("absent" in out) == (says in (arm, None)), (machine, out)
                out = h.run(h.CTL, "describe", metric, "--machine", "spr")[1]
                assert "high_bandwidth" not in out and "absent" not in out, out
                assert h.run(h.CTL, "describe", hbm, "--machine", "sprhbm")[0] == 0, hbm


# By the lists of events: a clock of the memory is in none of them, or not said to be one.
NO_USE = {
    "skl tgl adl mtl lnl": "no public source says how a clock that this processor's PMUs count "
                           "relates to the data rate of its memory",
    "nehalem westmere": "no public source says how the clock of the uncore, the only one that is "
                        "counted, relates to the data rate of its memory",
    "nehalem_ex": "the memory of a Xeon 7500 or E7 is behind buffers, and no public source says "
                  "what the link to them moves in a clock",
    "zen1 zen2 zen3 ryzen": "no public source names an event that counts a clock of this "
                            "processor's memory",
    "raphael": "this machine's kernel has no PMU 'amd_umc'",
    "cmn700 cmns3": "the mesh counts requests to its memory, and no clock of it",
}


def test_why_nobody_knows_the_use_of_channels():
    """Each of the three, as text and for a program: one reason and no other machine's row."""
    for machines, why in NO_USE.items():
        for machine in machines.split():
            for metric in USE:
                at = metric, "--machine", machine
                out = h.run(h.CTL, "describe", *at)[1]
                assert out.splitlines()[-1] == "absent on this machine: " + why, (machine, out)
                assert "available" not in out, (machine, out)
                assert json.loads(h.run(h.CTL, "describe", "--json", *at)[1])["absent"] == why, at
            err = h.run(h.CTL, "search", "memory", "utilization", "--machine", machine)[2]
            assert re.match("uncorectl: 'memory utilization' cannot be counted here: %s$" %
                            re.escape(why), err, re.M), (machine, err)


def test_who_has_the_use_of_channels():
    """On a machine of which uncored knows nothing: those that count it."""
    unknown = h.write("unknown.txt", "cpuinfo GenuineIntel 6 1 1\ncpu 0-1 socket 0\n")
    for metric in USE:
        out = h.run(h.CTL, "describe", metric, "--machine", unknown)[1]
        has = re.search(r"^available only on: (.*)", out, re.M)[1]
        assert "Ice Lake-SP" in has and "Zen 4" in has, has
        assert not re.search("DMC-620|Kunpeng|AmpereOne|Yitian|Grace|Vera|Core|Zen 3", has), has
    out = h.run(h.CTL, "describe", "high_bandwidth_" + USE[0], "--machine", "icx")[1]
    assert re.search(r"^absent, as on: Intel Xeon Max", out, re.M), out


def test_memory_behind_buffers():
    """That of an E7, whoever counts; describe says so of each of the three, and a program reads
    it."""
    for like, model in (("ivt", "E7-4890 v2 @ 2.80GHz"), ("hsx", "E7-8890 v3 @ 2.50GHz"),
                        ("bdx", "E7-8890 v4 @ 2.20GHz")):
        e7 = h.write(like + ".txt", "model Intel(R) Xeon(R) CPU %s\nlike %s\n" % (model, like))
        for metric in USE:
            at = metric, "--machine", e7
            out = h.run(h.CTL, "describe", *at)[1]
            assert re.search("^absent on this machine: the memory of a Xeon E7 v2 .*is behind "
                             "buffers, and no public source says what the link to them moves",
                             out, re.M), (like, out)
            assert json.loads(h.run(h.CTL, "describe", "--json", *at)[1])["absent"] in out, at


def describe(where, *options):
    """On the machine spr.txt, of which a real one has a curve."""
    code, out, err = h.run(h.CTL, "describe", "memory_headroom_ratio", "--machine", "spr",
                           "--path-run", h.path("run"), "--path-state", where, *options)
    assert code == 0, err
    return out


def test_describe_says_where_there_is_none():
    none = "at which no traffic made the latency 1.5 times the least, or beyond it: "
    real = dict(simulated=False, processor="spr", model="")
    out = describe(state("part", curve(knees=((1, 0), KNEES[1], KNEES[2]), **real)))
    assert "left out on this machine while its mix is one " + none + \
        "socket 0, 100 % reads; socket 1, 100 % reads (conflict)\n" in out, out
    said = json.loads(describe(h.path("part"), "--json"))["left_out"]
    assert none in said and "socket 1, 100 % reads" in said, said
    out = describe(state("whole", curve(**real)))
    assert "left out on" not in out and "absent" not in out, out
    assert "\nrests on: a curve that was measured on this machine on 2023-01-02\n" in out, out
    out = describe(state("others", curve(**dict(real, processor="icx"))))
    assert "absent on this machine: " in out and "is of another machine" in out, out
    out = describe(state("future", curve(**dict(real, date="2999-01-02T12:00:00Z"))))
    assert "absent on this machine: " in out and "in the future, 2999-01-02T12:00:00Z: set" in out
    out = describe(state("later", curve(**dict(real, kernel="6.1.0", microcode="0xd"))))
    assert "absent on this machine: since " in out and "later/curve.json was measured something " \
        "has changed, microcode: measure again: sudo uncorectl verify --curve" in out, out


def test_by_registers():
    """A Xeon E5 v2: traffic is of its channels, latency of its home agents."""
    clock = 'uncored_active_seconds_total{socket="0"}'

    def bytes_of(m):
        return sum(float(v) for k, v in m.items() if 'socket="0"' in k and k.startswith(
            ("uncore_memory_read_bytes_total", "uncore_memory_write_bytes_total")))

    where = state("registers", curve(processor="ivytown", knees=((1, 400e9),)))
    u = h.Uncored("--engine", "model:ivytown:stream", "--path-run", h.path("run"),
                  "--path-state", where)
    before = h.wait_for("the knee of registers", lambda: next(
        (m for m in [u.metrics()] if len(of_knee(m)) == 4), None))
    after = h.wait_for("another sample", lambda: next(
        (m for m in [u.metrics()] if m[clock] != before[clock]), None))
    rate = (bytes_of(after) - bytes_of(before)) / (float(after[clock]) - float(before[clock]))
    left = float(after['uncore_memory_headroom_ratio{socket="0"}'])
    assert rate > 1e9 and abs(left - (1 - rate / 400e9)) < 0.02, (left, rate)
    knee = float(after['uncore_memory_knee_bytes_per_second{socket="0"}'])
    assert abs(knee / 400e9 - 1) < 1e-5, knee
    assert len([k for k in after if k.startswith("uncore_") and 'socket="0"' in k]) <= 100
    u.stop()


def test_why_registers_have_none():
    for processor, says in (("nehalem-ex", "absent: by the registers uncored has no latency of "),
                            ("ivytown", "1 less their traffic / the traffic at the knee")):
        code, out, err = h.run(h.CTL, "describe", "memory_headroom_ratio", "--processor", processor)
        assert code == 0 and says in out, (processor, out, err)
    assert "\nrests on: a curve that uncorectl verify --curve measures on the machine\n" in out, out
    own = state("own", curve(simulated=False, processor="ivytown", model=""))
    out = h.run(h.CTL, "describe", "memory_headroom_ratio", "--machine", "ivt", "--path-run",
                h.path("run"), "--path-state", own)[1]
    assert "\nrests on: a curve that was measured on this machine on 2023-01-02\n" in out, out


def test_top_shows_the_share():
    """In a terminal of 120 columns; traffic / knee as above."""
    u = simulated(state("top", curve()))
    expect_knee(u)
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    with subprocess.Popen([h.CTL, "top", "--repeat", "3", "--url", u.url], stdin=side,
                          stdout=side, env=dict(os.environ, TERM="xterm")) as p:
        assert p.wait(timeout=60) == 0
    text = os.read(main, 1 << 20).decode()
    os.close(side)
    os.close(main)
    shares = [int(n) for n in re.findall(r"  of the limit 137 GB/s +(\d+) %", text)]
    assert shares and all(100 < n < 130 for n in shares), (shares, text)
    assert not re.search("Memory read  .*\r\n +of the limit", text), text
    # In lines for programs, too, of the second sample that both sockets have.
    out = h.run(h.CTL, "top", "--batch", "--repeat", "2", "--url", u.url)[1]
    shares = re.findall(r'written"=(\S+) B/s "Memory read and written, of the limit"=(\S+) ratio ',
                        out)
    assert len(shares) >= 2 and out.count("of the limit") == len(shares), out
    for traffic, share in shares:
        assert abs(float(share) - float(traffic) / KNEE) < 0.002, (shares, KNEE)
    u.stop()


def test_seconds_beyond_the_knee():
    """As the tutorial asks for them. The workload bursty has 25 ms of 0.95 of the most traffic in
    each 50: half of the time, but for a sample of 10 ms at an end of each burst."""
    tutorial = h.read(os.path.join(h.SRC, "docs/tutorial.md"))
    query, = re.findall(r"^    (increase\(uncore_memory_headroom\S+ \* 0\.01)$", tutorial, re.M)
    conf, = re.findall(r"^    groups = [^;]*; resolution[^}]*headroom_ratio[^}]*\};[^}]*\} \);$",
                       tutorial, re.M)
    u = simulated(state("bursty", curve()), "bursty", conf)
    below = re.compile(r'uncore_memory_headroom_distribution_ratio_bucket\{.*le="0\.0"')
    h.wait_for("both have samples", lambda: [
        float(v) > 0 for k, v in u.metrics().items() if below.match(k)] == [True, True])
    scrapes = []
    while len(scrapes) < 11:
        m = u.metrics()
        at = float(m['uncored_last_sample_timestamp_seconds{socket="0"}'])
        if not scrapes or at > scrapes[-1][0]:
            scrapes.append((at, m))
        time.sleep(0.2)
    u.stop()
    span = scrapes[-1][0] - scrapes[0][0]
    series = "".join(
        "      - series: '%s'\n        values: '%s'\n" % (name, " ".join(
            m[name] for _, m in scrapes))
        for name in scrapes[0][1] if below.match(name))
    assert series.count("series") == 2, series
    # promtool takes the scrapes for one a second.
    asked = "abs(%s - %g) <= bool %g" % (query.replace("[1m]", "[10s]"), span / 2,
                                         span / 0.05 * 0.01)
    test = h.write("promtool.yml", """rule_files: []
evaluation_interval: 1s
tests:
  - interval: 1s
    input_series:
%s    promql_expr_test:
      - expr: '%s'
        eval_time: 10s
        exp_samples: [ { labels: '{le="0.0", socket="0"}', value: 1 },
                       { labels: '{le="0.0", socket="1"}', value: 1 } ]
""" % (series, asked))
    code, out, err = h.run("promtool", "test", "rules", test)
    assert code == 0, (asked, out, err)


def test_schema():
    with open(os.path.join(h.SRC, "contrib/schema/curve.schema.json")) as f:
        schema = json.load(f)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(curve()), schema)
    for wrong in (curve(format="uncored-curve-2"), curve(sockets=[{"socket": 0}]),
                  curve(knees=((1.5, 1e9),)), curve(more=1), curve(kernel=6)):
        try:
            jsonschema.validate(json.loads(wrong), schema)
        except jsonschema.ValidationError:
            continue
        raise AssertionError("the schema takes " + wrong)


if __name__ == "__main__":
    h.main(sys.modules[__name__])
