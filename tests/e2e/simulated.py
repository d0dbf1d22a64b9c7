# SPDX-License-Identifier: MIT
"""simulated.py - servers of today, simulated: the program on a modelled kernel says what the model
did, and says loudly that nothing of it is measured.

The truth comes from tests/model/server_truth; the latency from the curve in the machine's text, as
it stands there.
"""
import os
import re
import shutil
import signal
import sys

import harness as h

TRUTH = os.path.join(h.BUILD, "tests/model/server_truth")
CHANNELS = 'groups = ( { name = "channels"; events = [ "perf/uncore_imc/cas_count_read/", ' \
    '"perf/uncore_imc/cas_count_write/" ]; }, "memory", "llc" );'


ALTRA = "altra2", "cmn600", "altra2_lts"
# It takes a minute to know which channels have memory.
WAITS = 'metric="memory_utilization_ratio",reason="no_data"'


def simulated(*args, conf=None, **kw):
    if conf:
        args += ("-c", h.write("simulated.conf", conf))
    return h.Uncored("--path-run", h.path("run"), *args, **kw)


def rates(u, seconds=4):
    """What each series counted by second, of what was enabled."""
    active = ['uncored_active_seconds_total{socket="%d"}' % s for s in (0, 1)]

    def counted(least):
        """All metrics, once each socket has counted for so long."""
        return h.wait_for("%g seconds" % least, lambda: next(
            (m for m in [u.metrics()] if all(float(m[k]) > least for k in active)), None))
    first = counted(0)
    last = counted(max(float(first[k]) for k in active) + seconds)
    span = [float(last[k]) - float(first[k]) for k in active]
    return {k: (float(v) - float(first[k])) / span[int(re.search(r'socket="(\d+)"', k)[1])]
            for k, v in last.items() if "_total{" in k and "socket=" in k and k in first}


def truth(machine, workload, pmu, cpu, *configs):
    code, out, err = h.run(TRUTH, machine + ".txt", workload, pmu, str(cpu), *map(hex, configs))
    assert code == 0, err
    return list(map(int, out.split()))


def close(a, b, off=1e-4):
    assert abs(a / b - 1) < off, (a, b, a / b - 1)


def curve(machine):
    """[(percent of reads, GB/s, ns)] of a text."""
    return [tuple(map(float, line.split()[1:])) for line in h.machine(machine).splitlines()
            if re.match(r"curve \d", line)]


def beside(points, percent):
    """Of the two shares of reads beside it [(GB/s, ns)], and how far it is from the first to the
    second one."""
    shares = sorted({p[0] for p in points})
    low = max(s for s in shares if s <= percent)
    high = min(s for s in shares if s >= percent)
    return [[p[1:] for p in points if p[0] == s] for s in (low, high)], \
        0 if low == high else (percent - low) / (high - low)


def most_of(points, percent):
    """GB/s"""
    (low, high), part = beside(points, percent)
    return low[-1][0] * (1 - part) + high[-1][0] * part


def latency(points, percent, gbps):
    """Between the two shares of reads beside it, at the same part of what each of them reaches."""
    (low, high), part = beside(points, percent)
    most = most_of(points, percent)

    def at(v):
        x = gbps / most * v[-1][0]
        for (x0, y0), (x1, y1) in zip(v, v[1:]):
            if x0 <= x <= x1:
                return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
        raise AssertionError((x, v))
    return at(low) * (1 - part) + at(high) * part


def test_each_channel_and_their_sum():
    """Bandwidth of every channel and of the sockets is the truth; latency is the curve's there."""
    u = simulated("--engine", "model:spr:stream", conf=CHANNELS)
    got = rates(u)
    for socket in (0, 1):
        total = {"read": 0, "write": 0}
        for unit in range(8):
            true = truth("spr", "stream", "uncore_imc_%d" % unit, 4 * socket, 0xcf05, 0xf005)
            for kind, want in zip(total, true):
                name = 'uncore_imc_cas_count_%s_total{socket="%d",unit="%d"}' % (kind, socket, unit)
                close(got[name], want)
                total[kind] += 64 * want
        for kind, want in total.items():
            close(got['uncore_memory_%s_bytes_total{socket="%d"}' % (kind, socket)], want)
        wait = 'uncore_llc_data_read_miss_latency_seconds{socket="%d"}' % socket
        shown = float(h.wait_for(wait, lambda wait=wait: u.metrics().get(wait)))
        both = total["read"] + total["write"]
        want = latency(curve("spr"), 100 * total["read"] / both, both / 1e9)
        close(shown * 1e9, want, 1e-3)
        print("# socket %d: %.2f GB/s, %.2f ns, by the curve %.2f ns"
              % (socket, both / 1e9, shown * 1e9, want))
    u.stop()


def test_all_that_is_ready_counts():
    for machine in ("spr", "icx", "genoa", "gnr", "emr", "skx", "clx", "turin", "sprhbm",
                    "ryzen", "raphael", "hsx", "bdx", "milan", "rome", "naples",
                    *ALTRA, "clxap", "bdxde", "snbep", "skl", "adl", "tgl", "mtl", "lnl"):
        u = simulated("--engine", "model:%s:stream" % machine)
        def all_of_it(u=u):
            text = u.get("/metrics")[2].decode()
            return not any(re.match("uncored_(slot|metric)_invalid", k) and WAITS not in k
                           for k in h.samples(text)) and text
        text = h.wait_for("all of %s counts" % machine, all_of_it)
        assert ("\nuncore_package_power_watts{" in text) == (machine not in ALTRA), text
        assert "not everything" not in u.text(), u.text()
        if shutil.which("promtool"):
            path = h.write(machine + ".prom", text)
            code, out, err = h.run("sh", "-c", "promtool check metrics <" + path)
            assert (code, out, err) == (0, "", ""), (machine, code, out, err)
        u.stop()


def test_servers_of_arm():
    """Memory moves what the curve has that the text names, however many PMUs have it in parts:
    stream asks for (0.07 / 0.08 x 0.95) of the most, 3 % less on socket 1. What no line of the text
    counts is refused."""
    ours = "memory_read_bytes_total", "memory_write_bytes_total"
    of = {"ampereone": 'groups = ( "memory" );\n'}
    no_line = {"kunpeng930": {"hisi_sicl_pa"},
               "vera": {"nvidia_nvlink_c2c_pmu", "nvidia_nvclink_pmu", "nvidia_pcie_tgt_pmu_rc"}}
    for machine, like, sockets, size, kinds in (
            ("grace", "grace", (0, 1), 1, ours), ("vera", "grace", (0, 1), 1, ours),
            ("kunpeng920", "zen2", (36, 3180), 1, ours), ("kunpeng930", "spr", (0,), 1, ours),
            ("yitian710", "spr", (0,), 1, ours),
            ("ampereone", "spr", (0,), 64, [k.replace("bytes", "commands") for k in ours]),
            ("cmn700", "grace", (0,), 1, ()), ("cmns3", "grace", (0,), 1, ())):
        code, out, err = h.run(h.UNCORED, "--once", "--engine", "model:%s:stream" % machine, "-c",
                               h.write("arm.conf", 'interval = "100ms";\n' + of.get(machine, "")),
                               "--path-run", h.path("run"))
        m = h.samples(out)
        assert code == 0, (machine, err)
        assert machine == like or "\ncurve like %s\n" % like in h.machine(machine), machine
        invalid = [k for k in m if re.match("uncored_(slot|metric)_invalid", k)]
        assert {re.search('box="([^"]*)"', k)[1] for k in invalid} == no_line.get(machine, set()), \
            (machine, invalid)
        assert ("not everything" in err) == (machine in no_line), (machine, err)
        for rank, socket in enumerate(sockets if kinds else ()):
            read, write = (size * float(m['uncore_%s{socket="%d"}' % (k, socket)]) for k in kinds)
            gbps = (read + write) / 1e9 / \
                float(m['uncored_active_seconds_total{socket="%d"}' % socket])
            want = 0.83125 * most_of(curve(like), 100 * read / (read + write)) * (1 - 0.03 * rank)
            close(gbps, want, 0.02)
            print("# %s: socket %d: %.1f GB/s, by the curve %.1f" % (machine, socket, gbps, want))


def stream(like, links, rank, sockets):
    """What `stream` does on a socket in a second, by its numbers in src/model/workload.c: its CPUs
    move 0.07 / 0.08 x 0.95 of the most of the curve, two thirds of it reads, a fifth of it of the
    other socket's memory, but no more than a quarter of the links carries, of 18 GB/s each; half of
    the cores work; 3 % less of all on socket 1."""
    points, less = curve(like), [1, 0.97]
    most = most_of(points, 200 / 3)
    crossing = min(0.2 * 0.83125 * most, 0.25 * 18 * links) if sockets > 1 else 0
    out, into = crossing * less[rank], crossing * less[1 - rank]
    own = 0.83125 * most * less[rank]
    memory = own - out + into
    return {"memory": memory * 1e9, "guest": into * 1e9, "reads": own * 2 / 3 * 1e9 / 64,
            "far": out / own, "sent": (out / 3 + into * 2 / 3) * 1e9,
            "received": (out * 2 / 3 + into / 3) * 1e9, "active": 0.5 * less[rank],
            "power": 80 + 250 * 0.5 * less[rank],
            "seconds": latency(points, 200 / 3, memory) * 1e-9}


# What each metric is then, of a socket in a second; units together of a total, of power and of what
# links and channels are used.
TRUTH_OF = {
    "llc_lookups_total": lambda f: f["reads"] / 0.4,
    "llc_misses_total": lambda f: f["reads"],
    "llc_miss_ratio": lambda f: 0.4,
    "package_power_watts": lambda f: f["power"],
    # the clock of the L3 is 3.4 GHz
    "llc_miss_latency_cycles": lambda f: f["seconds"] * 3.4e9,
    "link_sent_data_bytes_total": lambda f: f["sent"],
    "memory_channels_0_to_3_bytes_total": lambda f: f["memory"] / 2,
    "memory_channels_4_to_7_bytes_total": lambda f: f["memory"] / 2,
    "die_memory_bytes_total": lambda f: f["memory"],
    "memory_bytes_total": lambda f: f["memory"],
    "memory_commands_total": lambda f: f["memory"] / 64,
    "memory_requests_total": lambda f: f["memory"] / 64,
    "memory_controller_clock_hertz": lambda f: 2.4e9,
    # it is faster the more cores work, up to half of them
    "clock_hertz": lambda f: 1.4e9 + 2e9 * f["active"],
    "io_read_bytes_total": lambda f: 12e9 * f["active"],
    "io_write_bytes_total": lambda f: 8e9 * f["active"],
    "memory_read_bytes_total": lambda f: f["memory"] * 2 / 3,
    "memory_write_bytes_total": lambda f: f["memory"] / 3,
    # two fifths of the reads are asked for by cores, and the others fetched before
    "llc_data_reads_total": lambda f: f["reads"],
    "llc_data_read_misses_total": lambda f: 0.4 * f["reads"],
    "llc_data_read_miss_ratio": lambda f: 0.4,
    "llc_data_read_miss_latency_seconds": lambda f: f["seconds"],
    "home_local_read_bytes_total": lambda f: (f["memory"] - f["guest"]) * 2 / 3,
    "home_local_write_bytes_total": lambda f: (f["memory"] - f["guest"]) / 3,
    "home_remote_read_bytes_total": lambda f: f["guest"] * 2 / 3,
    "home_remote_write_bytes_total": lambda f: f["guest"] / 3,
    # another socket's memory takes 60 ns more
    "numa_local_reads_total": lambda f: 0.4 * f["reads"] * (1 - f["far"]),
    "numa_local_read_latency_seconds": lambda f: f["seconds"] - 60e-9 * f["far"],
    "numa_remote_reads_total": lambda f: 0.4 * f["reads"] * f["far"],
    "numa_remote_read_latency_seconds": lambda f: f["seconds"] + 60e-9 * (1 - f["far"]),
    "memory_read_queue_latency_seconds": lambda f: f["seconds"] / 2,
    # 16 bytes in each clock
    "memory_channel_utilization_ratio": lambda f: f["memory"] / 16 / f["ddr4_clock"],
    # a third of the requests opens a page, half of these close another one
    "page_hit_ratio": lambda f: 2 / 3,
    "page_empty_ratio": lambda f: 1 / 6,
    "page_miss_ratio": lambda f: 1 / 6,
    "link_received_data_bytes_total": lambda f: f["received"],
    "link_received_drs_data_bytes_total": lambda f: f["received"],
    # nine flits are a line, and a fifth as many have no data
    "link_sent_utilization_ratio": lambda f: 1.2 * f["sent"] * 9 / 64 / f["slots"],
    "link_clock_hertz": lambda f: 1.3e9,
    "pcie_read_bytes_total": lambda f: 12e9 * f["active"],
    "pcie_write_bytes_total": lambda f: 8e9 * f["active"],
    # a quarter of the bytes are parts of lines
    "pcie_partial_writes_total": lambda f: 2e9 * f["active"] / 64,
    "pcie_snooped_read_bytes_total": lambda f: 6e9 * f["active"],
    "pcie_non_snooped_read_bytes_total": lambda f: 6e9 * f["active"],
    "pcie_allocating_write_bytes_total": lambda f: 8e9 / 3 * f["active"],
    "pcie_non_snooped_write_bytes_total": lambda f: 8e9 / 3 * f["active"],
    "pcie_non_allocating_write_bytes_total": lambda f: 8e9 / 3 * f["active"],
    "pcie_non_snooped_partial_writes_total": lambda f: 2e9 * f["active"] / 64,
    "dram_power_watts": lambda f: 4 + f["memory"] / 8e9,
    "cores_power_watts": lambda f: f["power"] * 3 / 4,
    "gpu_power_watts": lambda f: f["power"] / 20,
    "system_power_watts": lambda f: f["power"] * 3 / 2,
    "package_c2_ratio": lambda f: 0.1 * (1 - f["active"]),
    "package_c6_ratio": lambda f: 0.8 * (1 - f["active"]) ** 3,
    **{"package_c%d_ratio" % n: lambda f: 0 for n in (3, 7, 8, 9, 10)},
    "persistent_memory_read_bytes_total": lambda f: 0,
    "persistent_memory_write_bytes_total": lambda f: 0,
}
# Of links, five slots in two clocks of UPI; of DDR4-2933, DDR4-2400 and DDR4-2133.
CLOCKS = {"clxap": {"slots": 1.3e9 * 5 / 2, "ddr4_clock": 1.4667e9}, "snbep": {"slots": 2.4e9},
          "bdxde": {"ddr4_clock": 1.2e9}, "bdx": {"ddr4_clock": 1.2e9},
          "hsx": {"ddr4_clock": 1.0667e9}}


# The machine, whose curve its memory follows, links of a socket, groups, metrics.
ZEN = "llc_lookups_total llc_misses_total llc_miss_ratio llc_miss_latency_cycles " \
    "package_power_watts "
MEMORY = "memory_read_bytes_total memory_write_bytes_total "
LLC = "clock_hertz llc_data_read_misses_total llc_data_read_miss_latency_seconds "
POWER = "package_power_watts dram_power_watts package_c2_ratio package_c3_ratio " \
    "package_c6_ratio package_c7_ratio"
SERVERS = [
    *((m, "zen2", 4, '"llc", "links", "power"', ZEN + "link_sent_data_bytes_total")
      for m in ("zen3", "zen2")),
    *((m, "zen2", 4, '{ name = "half"; metrics = [ "%s" ]; }' % half, half)
      for m in ("zen3", "zen2") for half in (
          "memory_channels_0_to_3_bytes_total", "memory_channels_4_to_7_bytes_total")),
    ("zen1", "zen2", 0, '"llc", "memory", "power"', ZEN + "die_memory_bytes_total"),
    *((m, "zen2", 0, groups, metrics) for m in ALTRA
      for groups, metrics in (
          ('"mesh"', "clock_hertz llc_lookups_total llc_misses_total llc_miss_ratio"),
          ('"io"', "io_read_bytes_total io_write_bytes_total"),
          ('{ name = "asked"; metrics = [ "memory_requests_total" ]; }', "memory_requests_total"))),
    *((m, "zen2", 0, '"memory"',
       "memory_bytes_total memory_commands_total memory_controller_clock_hertz")
      for m in ALTRA[:2]),
    ("clxap", "skx", 6, '"memory", "llc", "links", "power", "cstates"',
     MEMORY + LLC + "llc_data_reads_total llc_data_read_miss_ratio link_sent_data_bytes_total "
     "link_received_data_bytes_total link_sent_utilization_ratio link_clock_hertz " + POWER),
    *(("clxap", "skx", 6, '"%s"' % group, metrics) for group, metrics in (
        ("pcie", "pcie_read_bytes_total pcie_write_bytes_total"),
        ("pmem", "persistent_memory_read_bytes_total persistent_memory_write_bytes_total"),
        ("numa_home", "home_local_read_bytes_total home_local_write_bytes_total "
         "home_remote_read_bytes_total home_remote_write_bytes_total"),
        ("numa_local", "numa_local_reads_total numa_local_read_latency_seconds"),
        ("numa_remote", "numa_remote_reads_total numa_remote_read_latency_seconds"),
        ("read_queue", "memory_read_queue_latency_seconds"))),
    *((m, m if m in "bdxde bdx hsx" else "skx", 2, '"%s"' % group, metrics)
      for group, machines, metrics in (
          ("pages", "skx bdx clxap bdxde snbep", "page_hit_ratio page_empty_ratio page_miss_ratio"),
          ("channels", "clxap bdxde bdx hsx", "memory_channel_utilization_ratio"))
      for m in machines.split()),
    ("bdxde", "bdxde", 0, '"memory", "llc", "power", "cstates"',
     MEMORY + LLC + "llc_data_reads_total llc_data_read_miss_ratio " + POWER),
    ("snbep", "skx", 2, '"memory", "llc", "links", "power", "cstates"',
     MEMORY + LLC + "link_sent_data_bytes_total link_received_drs_data_bytes_total "
     "link_sent_utilization_ratio cores_power_watts " + POWER),
    *((m, "skx", 2, '{ name = "one"; metrics = [ "%s" ]; }' % metric, metric)
      for m, metrics in (("bdxde", "pcie_read_bytes_total pcie_write_bytes_total "
                          "pcie_partial_writes_total"),
                         ("snbep", "llc_data_reads_total pcie_snooped_read_bytes_total "
                          "pcie_non_snooped_read_bytes_total pcie_allocating_write_bytes_total "
                          "pcie_non_snooped_write_bytes_total "
                          "pcie_non_allocating_write_bytes_total "
                          "pcie_non_snooped_partial_writes_total"))
      for metric in metrics.split()),
    *((m, like, 0, '"memory", "power", "cstates"' + (m != "lnl") * ', "clock"',
       MEMORY + (m != "lnl") * "clock_hertz " + "package_power_watts cores_power_watts "
       "gpu_power_watts system_power_watts package_c2_ratio package_c6_ratio " + more)
      for m, like, more in (
          ("skl", "skx", "dram_power_watts package_c3_ratio package_c7_ratio"),
          ("tgl", "skx", "dram_power_watts package_c3_ratio package_c7_ratio package_c8_ratio "
           "package_c9_ratio package_c10_ratio"),
          ("adl", "spr", "package_c3_ratio package_c8_ratio package_c10_ratio"),
          ("mtl", "spr", "package_c3_ratio package_c8_ratio package_c10_ratio"),
          ("lnl", "grace", "package_c3_ratio package_c10_ratio"))),
]


def untrue(machine, like, links, groups, metrics):
    """Values of a run that are not the truth: [(metric, value, truth)]. As a total stands for the
    time between two reads, a read that was held up for a few ms is more than two in a hundred."""
    conf = h.write("truth.conf", 'interval = "200ms"; groups = ( %s );' % groups)
    code, out, err = h.run(h.UNCORED, "--once", "--engine", "model:%s:stream" % machine, "-c",
                           conf, "--path-run", h.path("run"))
    m = h.samples(out)
    assert code == 0 and "not everything" not in err, (machine, err)
    sockets = sorted(int(s) for s in re.findall(r'^uncored_up{socket="(\d+)"', out, re.M))
    found = []
    for rank, socket in enumerate(sockets):
        flow = {**stream(like, links, rank, len(sockets)), **CLOCKS.get(machine, {})}
        span = float(m['uncored_active_seconds_total{socket="%d"}' % socket])
        for metric in metrics.split():
            got = [float(v) for k, v in m.items()
                   if re.match(r'uncore_%s{socket="%d"[,}]' % (metric, socket), k)]
            assert got, (machine, metric, err)
            if re.search("_total$|_watts$|_utilization_ratio$", metric):
                got = [sum(got) / (span if metric.endswith("_total") else 1)]
            want = TRUTH_OF[metric](flow)
            found += [(metric, v, want) for v in got if not abs(v - want) <= 0.02 * want]
    return found


def test_each_metric_is_the_truth():
    for row in SERVERS:
        wrong = untrue(*row)
        for _ in range(2):
            wrong = wrong and untrue(*row)      # this machine was busy, or it is so again
        assert not wrong, (row[0], wrong)


def test_what_fits_beside_a_set_counts_all_the_time():
    """The four groups of numa want the counters of the CHAs, memory and links do not: each turn
    counts these, and their totals are the truth of all of the time."""
    turn = 0.2
    u = simulated("--engine", "model:spr:stream", conf='interval = "100ms"; rotation = "200ms"; '
                  'groups = ( "memory", "numa", "links" );')
    status = {g["name"]: g for g in u.status()["sockets"][0]["groups"]}
    assert status["memory"]["rounds"] == status["links"]["rounds"] == [0, 1, 2, 3], status
    assert status["numa_home"]["rounds"] == [status["numa_home"]["round"]], status
    h.wait_for("every group of numa had turns", lambda: all(
        u.value('uncored_group_active_seconds_total{socket="%d",group="%s"}' % (s, g)) > turn
        for s in (0, 1) for g in status if g.startswith("numa_")))
    got = rates(u)
    now = u.metrics()
    for socket in (0, 1):
        def active(name):
            return float(now[name % socket])
        whole = active('uncored_active_seconds_total{socket="%d"}')
        for group in "memory", "links":
            its = active('uncored_group_active_seconds_total{socket="%%d",group="%s"}' % group)
            assert abs(its - whole) < turn, (group, its, whole)
        parts = sum(active('uncored_group_active_seconds_total{socket="%%d",group="%s"}' % g)
                    for g in status if g.startswith("numa_"))
        assert abs(parts - whole) < turn, (parts, whole)
        total = {"read": 0, "write": 0}
        for unit in range(8):
            true = truth("spr", "stream", "uncore_imc_%d" % unit, 4 * socket, 0xcf05, 0xf005)
            for kind, want in zip(total, true):
                total[kind] += 64 * want
        for kind, want in total.items():
            close(got['uncore_memory_%s_bytes_total{socket="%d"}' % (kind, socket)], want, 1e-3)
    assert not any(k.startswith("uncored_slot_active_seconds_total") and 'box="imc"' in k
                   for k in now), now
    assert not any(k.startswith("uncored_metric_active_seconds_total") and
                   'metric="memory_read_bytes_total"' in k for k in now), now
    assert any(k.startswith("uncored_metric_active_seconds_total") and "numa_" in k
               for k in now), now
    page = u.get("/")[2].decode()
    for said in "<h3>memory <small>socket 0, 16 events, in all 4 rounds, running", \
            "<h3>numa_home <small>socket 0, 224 events, round 2 of 4, ", \
            "class=\"v\" data-k='uncore_memory_read_bytes_total{socket=\"0\"}' data-g='memory'", \
            "'uncore_home_local_read_bytes_total{socket=\"0\"}' data-g='numa_home'":
        assert said in page, (said, page)
    u.stop()


def test_whose_turns_a_metric_has():
    """IMT_FULL counts in one of two rounds, the clock in both: the quotient is derived in the turns
    of the first."""
    u = simulated("--engine", "model:nehalem-ex", conf="groups = ( %s );" % ", ".join(
        '{ name = "%s"; events = [ "%s" ]; }' % g for g in (
            ("full", "bbox/IMT_FULL"), ("conflicts", "bbox/CONFLICTS"),
            ("clock", "bbox/IMT_INSERTS_ALL\", \"wbox/CLOCKTICKS"))))
    status = {g["name"]: g["rounds"] for g in u.status()["sockets"][0]["groups"]}
    assert status == {"full": [0], "conflicts": [1], "clock": [0, 1]}, status
    page = u.get("/")[2].decode()
    for said in "'uncore_imt_full_ratio{socket=\"0\",unit=\"1\"}' data-g='full'>", \
            "'uncore_clock_hertz{socket=\"0\"}' data-g='clock'>":
        assert said in page, (said, page)
    u.stop()


def test_counters_that_always_run():
    """Of a controller's own counters, which nobody enables: what its channels' together say."""
    conf = h.write("free.conf", 'groups = ( { name = "f"; events = [ '
                   '"perf/uncore_imc_free_running/read/", "perf/uncore_imc_free_running/write/", '
                   '"perf/uncore_imc/cas_count_read/", "perf/uncore_imc/cas_count_write/" ]; } );')
    code, out, err = h.run(h.UNCORED, "--engine", "model:icx:stream", "-c", conf, "--once",
                           "--path-run", h.path("run"))
    assert code == 0, err
    for socket in (0, 1):
        for kind in "read", "write":
            free, channels = (sum(map(float, re.findall(
                r'^uncore_imc_%s_bytes_total{socket="%d",.*} (\S+)$' % (name + kind, socket), out,
                re.M))) for name in ("free_running_", "cas_count_"))
            close(free, channels, 1e-3)


def test_it_is_said_loudly():
    u = simulated("--engine", "model:spr")
    assert "SIMULATED hardware: a model of the server spr, workload day" in u.text(), u.text()
    status = u.status()
    assert status["simulated"] is True and status["engine"] == "model", status
    assert status["workload"] == "day", status
    page = u.get("/")[2].decode()
    assert "<title>SIMULATED" in page and "server spr" in page
    text = u.get("/metrics")[2].decode()
    assert text.count('engine="model"') == 2, text
    helps = dict(re.findall(r"# HELP (\S+) (.*)", text))
    assert helps["uncored_socket_info"].startswith("SIMULATED hardware: "), helps
    quiet = [name for name, said in helps.items()
             if name.startswith("uncore_") and not said.startswith("SIMULATED: ")]
    assert not quiet, quiet
    code, out, _ = h.run(h.CTL, "top", "--batch", "-r", "1", "--url", u.url)
    assert code == 0 and "SIMULATED" in out, out
    code, out, err = h.run(h.CTL, "stat", "--url", u.url, "sleep", "0.1")
    assert code == 0 and "SIMULATED" in out + err, (out, err)
    code, out, err = h.run(h.CTL, "stat", "--engine", "model:spr", "-g", "memory", "--", "sleep",
                           "0.1")
    assert code == 0 and "SIMULATED" in out + err and "memory_read_bytes" in out + err, (out, err)
    conf = h.write("spr.conf", 'engine = "model:spr";')
    out = h.run(h.CTL, "doctor", "-c", conf)[1]
    assert "model" in out and "measures nothing" in out, out
    code, out, err = h.run(h.CTL, "plan", "-c", conf)
    assert code == 0 and "imc0-7/cas_count_read" in out, (out, err)
    u.stop()


def test_a_reload_and_an_end():
    """The same model goes on through a reload, with its files; they go when it ends."""
    os.mkdir(h.path("run"), 0o700)
    conf = h.write("again.conf", 'engine = "model:spr:idle"; groups = [ "memory" ];')
    u = simulated("-c", conf)
    made = [n for n in os.listdir(h.path("run")) if os.path.isdir(h.path("run") + "/" + n)]
    assert len(made) == 1, made
    h.write("again.conf", 'engine = "model:spr:idle"; groups = [ "memory", "power" ];')
    read = 'uncore_memory_read_bytes_total{socket="0"}'
    before = float(h.wait_for("it reads", lambda: u.metrics().get(read)))
    u.p.send_signal(1)
    h.wait_for("the reload", lambda: any("package_power_watts" in k for k in u.metrics()))
    assert u.value(read) >= before
    h.write("again.conf", 'engine = "model:icx"; groups = [ "memory" ];')
    u.p.send_signal(1)
    h.wait_for("the refusal", lambda: "restart uncored" in u.text())
    assert u.stop() == 0, u.text()
    h.wait_for("its files are gone", lambda: not os.path.exists(h.path("run") + "/" + made[0]))


def test_who_removes_the_files_holds_nothing():
    """uncored-machine has nothing of what uncored inherited, and no signal ends it before."""
    os.mkdir(h.path("run"), 0o700)
    u = simulated("--engine", "model:spr:idle", argv0=["bash", "-c", 'exec "$@" 99>&2', "bash"])
    guard = h.child_of(u.pid, "uncored-machine")
    assert os.path.exists("/proc/%d/fd/99" % u.pid)
    assert len(os.listdir("/proc/%d/fd" % guard)) == 1
    files = [n for n in os.listdir(h.path("run")) if n.startswith("machine-")]
    for n in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        os.kill(guard, n)
    assert h.child_of(u.pid, "uncored-machine") == guard and len(files) == 1
    u.stop(signal.SIGKILL)
    h.wait_for("its files are gone", lambda: not set(files) & set(os.listdir(h.path("run"))))


def test_few_descriptors_leave_no_files():
    for n in range(5, 12):
        h.run("prlimit", "--nofile=%d:%d" % (n, n), h.CTL, "list", "groups", "--machine", "gnr",
              "--path-run", h.path(""))
        h.wait_for("its files are gone: %d" % n, lambda: not [
            f for f in os.listdir(h.path("")) if f.startswith("machine-")])


def test_what_no_line_counts_is_refused():
    """With that reason, by the check as by the start, and never 0: events of a configuration, and
    one that is ready."""
    says = "no line `counts` of the simulated machine's text says what it counts"
    for event in "perf/uncore_m2m/event=0x22,name=x/", "perf/software/context-switches/":
        conf = h.write("m2m.conf", 'groups = ( { name = "a"; events = [ "%s" ]; } );' % event)
        for mode in "--once", "--check-config":
            got, out, err = h.run(h.UNCORED, "--engine", "model:spr", "-c", conf, mode,
                                  "--path-run", h.path("run"))
            assert got == 78 and says in err and not out, (event, mode, got, err)
            assert "uncored: %s:1: PMU " % conf in err, err
    lines = [x for x in h.machine("spr").splitlines() if "0xf005" not in x]
    text = h.write("less.txt", "\n".join(lines) + "\n")
    u = simulated("--engine", "model", "--machine", text)
    assert "not everything in the default groups can be counted: PMU uncore_imc_0" in u.text()
    m = h.wait_for("both sockets read", lambda: next((m for m in [u.metrics()] if sum(
        k.startswith("uncore_memory_read_bytes_total") and float(v) > 0
        for k, v in m.items()) == 2), None))
    assert not any(k.startswith("uncore_memory_write_bytes_total") for k in m), m
    assert 'uncored_metric_invalid{socket="0",metric="memory_write_bytes_total",' \
        'reason="refused"}' in m, [k for k in m if "invalid{" in k]
    u.stop()


def test_events_are_no_files():
    """A set of Granite Rapids counts 1,538 events on a socket, and a shell allows 1,024 files."""
    args = ["--engine", "model:gnr", "-c", h.write("numa.conf", 'groups = ( "numa" );')]
    code, out, err = h.run("prlimit", "--nofile=100:100", h.UNCORED, *args, "--once",
                           "--path-run", h.path("run"))
    assert code == 0 and "uncore_home_local_read_bytes_total" in out, (code, err)
    code, _, err = h.run(h.UNCORED, *args, "--check-config")
    assert code == 0 and "files" not in err, err


def test_names():
    for args, code, says in (
            (("--engine", "model:sprr"), 78, "the nearest is 'spr'"),
            (("--engine", "model:nix"), 78, "no processor 'nix' and no machine"),
            (("--engine", "model:ivt"), 78, "nothing of what its events count"),
            (("--engine", "model:spr:nix"), 78, "idle, stream, bursty, day, rotation and verify"),
            (("--engine", "model:spr", "--machine", "icx"), 64, "name two machines"),
            (("--machine", "icx"), 64, "--check-config, or --engine model")):
        got, out, err = h.run(h.UNCORED, *args, "--once", "--path-run", h.path("run"))
        assert got == code and says in err and not out, (args, got, err)


if __name__ == "__main__":
    h.main(sys.modules[__name__])
