# SPDX-License-Identifier: MIT
"""search_words.py - what `uncorectl search` names first, in the words that people type: the table
search_words.tsv, on each machine of src/topo/machines.
"""
import fcntl
import glob
import json
import os
import pty
import re
import resource
import struct
import subprocess
import sys
import termios

import harness as h

HERE = os.path.dirname(os.path.abspath(__file__))
WORDS = ["bandwidth", "memory bandwidth", "L3", "DRAM", "NUMA", "remote memory", "local remote",
         "page hit", "PCIe", "UPI", "QPI", "IO", "TOR", "cas count", "latency", "utilization",
         "throughput", "hit rate", "misses", "power"]


def rows():
    """(machine, words): what is expected first; why: it cannot be counted."""
    sets, table = {}, {}
    with open(os.path.join(HERE, "search_words.tsv")) as f:
        lines = [line.rstrip("\n").split("\t") for line in f if line.strip() and line[0] != "#"]
    for names, *rest in lines:
        if names.startswith("machines "):
            sets[names.split()[1]] = rest[0].split()
            continue
        for machine in [m for name in names.split() for m in sets.get(name, [name])]:
            assert (machine, rest[0]) not in table, (machine, rest)
            table[machine, rest[0]] = rest[1]
    return table


TABLE = rows()


def search(words, machine, *more):
    """As with --machine, which would make this tree each time."""
    root = h.shared_tree(machine)
    return h.run(h.CTL, "search", *words.split(), "--path-sysfs", root, "--path-procfs", root,
                 "--path-dev", root, *more)


def test_each_word_has_a_row_of_each_machine():
    machines = {os.path.basename(f)[:-4]
                for f in glob.glob(os.path.join(h.SRC, "src/topo/machines/*.txt"))}
    assert len(machines) > 25, machines
    assert set(TABLE) == {(m, w) for m in machines for w in WORDS}, \
        set(TABLE) ^ {(m, w) for m in machines for w in WORDS}


def test_first_hits():
    wrong = []
    for (machine, words), expected in TABLE.items():
        code, out, err = search(words, machine)
        first = re.match(r"(unit mask|\w+) +(\S+)", out)
        first = " ".join(first.groups()) if first else ""
        why = len(re.findall(r"^uncorectl: uncored itself has no metric or event of .* that "
                             r"[^:;]+(?:: .|; perf/)|"
                             r"^uncorectl: .* (?:cannot be counted here|needs a measurement): ",
                             err, re.M))
        want = expected.lstrip("- ")
        if want and first != want or (expected[0] == "-") != (why == 1) and expected[0] == "-" \
                or code != (0 if out else 78):
            wrong.append("%s: '%s' is %s, not %s (%d) %s" % (machine, words, first, expected, code,
                                                             err.strip()))
    assert not wrong, "\n" + "\n".join(wrong) + "\n%d of %d" % (len(wrong), len(TABLE))


# Further phrases of performance engineers; "-": one line says that nobody counts it there. Written
# like the table, before any of them was tried.
FURTHER = """
spr zen5 grace	memory read bandwidth	metric memory_read_bytes_total
zen5 nehalem_ex	memory write bandwidth	metric memory_write_bytes_total
cmn700	memory write bandwidth	-
skx zen4	ram bandwidth	metric memory_read_bytes_total
zen2	mem bw	metric memory_channels_0_to_3_bytes_total
icx	membw	metric memory_read_bytes_total
gnr zen4	memory controller	group memory
gnr	DRAM read	metric memory_read_bytes_total
srf	memory channel	group channels
zen4 skx	memory saturation	metric memory_utilization_ratio
spr zen4 grace	saturated	metric memory_utilization_ratio
spr zen4	bottleneck	metric memory_utilization_ratio
nehalem_ex	bottleneck	metric link_utilization_ratio
grace zen2	memory utilization	-
spr hsx	remote latency	group numa_remote_latency
zen4 srf	remote latency	-
vera	remote latency	group numa_remote_latency
spr	interconnect	group links
zen4	infinity fabric	metric link_sent_data_bytes_total
vera	cross socket traffic	event perf/nvidia_nvclink_pmu/in_rd_req/
icx	cross socket traffic	metric link_sent_data_bytes_total
zen2	socket to socket	group links
nehalem_ex	UPI utilization	metric link_utilization_ratio
zen5	UPI utilization	-
grace	gpu bandwidth	metric nvlink_c2c0_read_bytes_total
gnr	PCIe read	metric pcie_read_bytes_total
cmn700	PCIe write	metric io_write_bytes_total
zen5	nvme	group pcie
spr	network card	group pcie
spr	DDIO hit rate	metric io_read_miss_ratio
skx	ddio	-
ivt	IO latency	metric io_read_latency_cycles
icx	IO latency	-
spr	cache misses	metric llc_data_read_misses_total
ivt cmn700	last level cache misses	metric llc_misses_total
grace	SLC hit rate	metric llc_miss_ratio
zen2	L3 miss rate	metric llc_miss_ratio
kunpeng930 vera	L3 misses	metric llc_socket_hit_ratio
spr	LLC-load-misses	metric llc_data_read_misses_total
cmn700	uncore frequency	metric clock_hertz
zen4	uncore frequency	-
ivt	mesh frequency	metric clock_hertz
spr	power consumption	group power
zen2	rapl	group power
grace	rapl	-
zen4	dram power	-
icx	c-state	group cstates
gnr	c6 residency	metric package_c6_ratio
spr	directory	metric directory_write_bytes_total
zen5	activates	metric memory_channel_activate_ratio
zen4	row buffer hits	metric memory_channel_activate_ratio
nehalem_ex	occupancy	metric imt_occupancy_entries
srf	reads and writes	group memory
skx	how much of the memory is remote	metric numa_remote_reads_total
spr	queue depth	event perf/uncore_imc_free_running/rpq_cycles/
icx zen4	queue depth	-
grace	queue depth	event perf/nvidia_scf_pmu/cmem_rd_outstanding/
cmn700	queue depth	event perf/arm_cmn/hnf_qos_pocq_occupancy_all/
nehalem_ex	queue depth	metric imt_occupancy_entries
yitian710	queue depth	event perf/arm_cmn_0/hnf_qos_pocq_occupancy_all/
yitian710	coherence	event perf/arm_cmn_0/hnf_snp_sent/
spr	remote bandwidth	metric home_remote_read_bytes_total
zen5	remote bandwidth	metric numa_remote_read_bytes_total
hsx bdx	remote bandwidth	metric home_remote_read_bytes_total
bdxde	remote bandwidth	-
spr zen5	dimm	group memory
spr icx grace	read write ratio	group memory
zen4	read write ratio	metric memory_channel_read_cas_ratio
cmn700	read write ratio	-
spr icx zen4 grace	write bandwidth	metric memory_write_bytes_total
cmn700	write bandwidth	-
spr icx	cache coherency	group coherence
zen4 grace	cache coherency	-
cmn700	cache coherency	event perf/arm_cmn/hnf_snp_sent/
spr icx zen4 grace	ddr5	group memory
cmn700	ddr5	metric memory_requests_total
icx hsx	row buffer	metric page_hit_ratio
spr grace cmn700	row buffer	-
zen4	row buffer	metric memory_channel_activate_ratio
icx hsx	bank conflict	metric page_miss_ratio
spr grace cmn700	bank conflict	-
zen4	bank conflict	metric memory_channel_precharge_ratio
spr icx zen4 grace	mesh traffic	-
cmn700	mesh traffic	event perf/arm_cmn/mxp_e_dat_txflit_valid/
spr icx zen4 cmn700	nvlink	-
grace	nvlink	metric nvlink_c2c0_read_bytes_total
vera	nvlink	event perf/nvidia_nvlink_c2c_pmu/in_rd_req/
spr icx zen4	gpu	metric pcie_read_bytes_total
spr zen4	refresh	-
spr zen4 cmn700	credits	-
spr grace	ring	-
zen4 cmn700	cxl bandwidth	-
"""


def test_further_phrases():
    wrong = []
    for line in FURTHER.split("\n")[1:-1]:
        machines, words, expected = line.split("\t")
        for machine in machines.split():
            _, out, err = search(words, machine)
            first = re.match(r"(\w+) +(\S+)", out)
            why = re.findall("^uncorectl: (?:uncored itself has no metric|.* cannot be counted|"
                             ".* needs a measurement|.* has nothing of)", err, re.M)
            if (" ".join(first.groups()) != expected) if expected != "-" else len(why) != 1:
                wrong.append((machine, words, expected, out[:60], err))
    assert not wrong, "\n".join(map(str, wrong))


def test_what_has_to_be_measured_first():
    """Which share of its memory's traffic is left is known once its knee was measured."""
    for words in "memory utilization", "saturation":
        _, out, err = search(words, "spr")
        assert out.startswith("metric    memory_utilization_ratio ") and \
            re.search("^uncorectl: memory_headroom_ratio needs a measurement: .*"
                      "sudo uncorectl verify --curve$", err, re.M), (words, out, err)
    for words in "headroom", "memory limit":
        _, out, err = search(words, "spr")
        assert out.startswith("metric    memory_headroom_ratio ") and \
            "sudo uncorectl verify --curve" in err, (words, out, err)
    for words in "memory utilization", "utilization":
        err = search(words, "grace")[2]
        assert re.match("uncorectl: memory_headroom_ratio needs a measurement: .*"
                        "sudo uncorectl verify --curve\n$", err), (words, err)
    assert "verify" not in search("memory utilization", "zen2")[2]


def test_what_libpfm4_may_have():
    """Where Intel's lists have an event (spr: UNC_M_PRE_COUNT.RD), nobody says there is none:
    libpfm4's name of it counts."""
    for machine in "spr", "emr", "gnr":
        err = search("page hit", machine)[2]
        assert re.match("uncorectl: uncored itself has no metric or event of this machine that "
                        "tells whether", err), (machine, err)


def test_what_the_kernel_counts_by_numbers():
    """An event of Intel's lists that has no row: perfmon SPR, EMR UNC_M_PRE_COUNT.RD and .WR, GNR,
    SRF, CWF UNC_M_ACT_COUNT.ALL, ADL to LNL UNC_M_DRAM_PAGE_HIT_RD, _WR, UNC_M_CAS_COUNT_RD, _WR,
    MTL UNC_M_PRE_COUNT_PAGE_MISS, UNC_HAC_CBO_TOR_ALLOCATION.ALL."""
    for machines, words, events in (
            ("adl lnl", "page hit", ["uncore_imc 0x1c", "uncore_imc 0x1f"]),
            ("mtl", "page hit", ["uncore_imc 0x27"]), ("tgl", "page hit", []),
            ("adl mtl lnl", "cas count", ["uncore_imc 0x22", "uncore_imc 0x23"]),
            ("mtl", "TOR", ["uncore_hac_cbox 0x835"]),
            ("bdxde", "NUMA", []),
            ("spr sprhbm emr", "page hit", ["uncore_imc 0x1103", "uncore_imc 0x2203"]),
            ("gnr srf cwf", "page hit", ["uncore_imc 0xf702"])):
        for machine in machines.split():
            err = search(words, machine)[2]
            found = []
            for spec in re.findall(r"perf/\S+/", err):
                code, out, why = h.run(h.CTL, "encode", spec, "--machine", machine)
                assert code == 0, (machine, spec, why)
                found.append(" ".join(re.search(r": PMU (\w+)_0 .* config (\S+)", out).groups()))
            assert found == events and "has no metric or event" in err, (machine, words, err)


# What the documents say: perfmon JKT, SNB to LNL; Linux' lists of amdzen1 to amdzen3 and of CMN,
# drivers/perf/arm-cmn.c, ampere_cspmu.c; SDM 3B 19; 323535-001; arch/x86/events/rapl.c.
REASONS = """
skl tgl adl mtl lnl ryzen raphael	NUMA	made for one socket
skl tgl adl mtl lnl ryzen raphael	UPI	made for one socket
bdxde	local remote	no link to another socket
zen1 zen2 zen3	remote memory	data fabric
snbep	NUMA	reads and writes of all sockets together
cmn700 altra2	NUMA	mesh
cmn700 altra2	UPI	behind a gateway of the mesh (cxra, cxha, ccra, ccha, ccla)
nehalem westmere	QPI	what waits
skl tgl	page hit	counts bytes of its memory alone
zen1 zen2 zen3 ryzen grace vera	page hit	commands to its DRAM
cmn700 cmns3	page hit	requests to memory, no commands
altra2 cmn600	page hit	DMC-620
altra2 cmn600	cas count	memory_commands_total
zen1 zen2 zen3	cas count	commands to its DRAM
tgl adl mtl lnl	PCIe	whoever asks
nehalem_ex	IO	I/O hub
skl adl nehalem nehalem_ex	TOR	Intel publishes no event of it
zen2 zen5 cmn700 ampereone grace	TOR	no processor of Intel's
skl	L3	UNC_CBO_CACHE_LOOKUP
tgl adl mtl lnl	hit rate	no event of the slices
adl mtl lnl	misses	no event of the slices
skl	latency	UNC_ARB_TRK_OCCUPANCY
tgl adl mtl lnl	latency	no formula
kunpeng920	page hit	act_cmd
kunpeng930	page hit	bytes and of the clock
kunpeng920	PCIe	from hip09 on
kunpeng930	IO	hisi_pcie
kunpeng920 kunpeng930	UPI	protocol adapters
kunpeng920	cas count	flux_rcmd
kunpeng920 kunpeng930	latency	what waits
cmn700 altra2	latency	no public source gives a formula
cmn700	memory bandwidth	no size of the mesh's requests
nehalem nehalem_ex cmn700 ampereone grace	power	no PMU of its energy
ampereone	L3	uncored has a table of its memory controllers alone
"""


def test_reasons():
    """One line that says what is so on this machine, not only that nothing is found."""
    for line in REASONS.split("\n")[1:-1]:
        machines, words, why = line.split("\t")
        for machine in machines.split():
            err = search(words, machine)[2]
            assert re.match("uncorectl: uncored itself has no metric or event of this machine "
                            "that [^:;]+: .*%s.*\n$" % re.escape(why), err), (machine, words, err)


def without(machine, pmus):
    """The machine's text without the PMUs whose names begin so."""
    with open(os.path.join(h.SRC, "src/topo/machines/%s.txt" % machine)) as f:
        text = f.read()
    return h.write(machine + ".txt", re.sub(r"^PMU (%s).*\n(  .*\n)*" % pmus, "", text, flags=re.M))


def test_a_guest_without_the_pmus_is_told_no_reason_that_is_none():
    """Two sockets have links, perfmon ADL has page hits and CAS, MTL requests in a TOR, whatever
    PMUs the kernel has."""
    for machine, pmus, words, why in (
            ("hsx", "uncore", "remote", "has no PMU 'uncore_ha'"),
            ("bdx", "uncore", "remote", "has no PMU 'uncore_ha'"),
            ("hsx", "uncore_(ha|cbox)", "remote", "has no PMU 'uncore_ha'"),
            ("adl", "uncore", "page hit", "its page open\n"),
            ("adl", "uncore", "cas count", "of its memory\n"),
            ("mtl", "uncore", "TOR", "CHAs\n"),
            ("adl", "uncore", "TOR", "Intel publishes no event of it")):
        err = h.run(h.CTL, "search", *words.split(), "--machine", without(machine, pmus))[2]
        assert why in err, (machine, pmus, words, err)


def test_what_only_others_have():
    """A machine without it says so, and whose it is."""
    _, out, err = search("hbm bandwidth", "zen4")
    assert "has nothing of 'hbm bandwidth'" in err and "(" in out.splitlines()[0], (out, err)


def test_groups_have_a_sentence_and_metrics_unit_and_group():
    for machine in sorted({m for m, _ in TABLE}):
        root = h.shared_tree(machine)
        groups = json.loads(h.run(h.CTL, "list", "groups", "--json", "--path-sysfs", root,
                                  "--path-procfs", root)[1])
        assert groups, (machine, groups)
        for g in groups:    # it promises what is there
            assert g["name"] != "numa" or ("how long" in g["help"]) == \
                any("latency" in m for m in g["metrics"]), (machine, g)
        for words in {g["name"] for g in groups}:
            out = search(words, machine, "--json")[1]
            for r in json.loads(out)["results"] if out else []:
                if r["kind"] == "group":
                    assert not re.match("counts|A ready-made group", r["help"]), (machine, r)
                if r["kind"] == "metric":
                    assert r["unit"] and r["unit"] in r["name"], (machine, r)
    for words in "bandwidth", "memory bandwidth", "membw":
        found = [r["name"] for r in json.loads(search(words, "spr", "--json")[1])["results"][:3]]
        assert found == ["memory_read_bytes_total", "memory_write_bytes_total",
                         "memory_utilization_ratio"], (words, found)
    first = json.loads(search("bandwidth", "spr", "--json")[1])["results"][0]
    assert (first["unit"], first["group"]) == ("bytes", "memory"), first
    assert " bytes, group memory: " in search("bandwidth", "spr")[1].splitlines()[0]


def test_words_that_mean_the_same_find_the_same():
    for same in (("memory bandwidth", "DRAM throughput", "imc bytes"), ("L3", "LLC", "SLC"),
                 ("NUMA", "remote"), ("UPI", "QPI", "xGMI", "link"), ("PCIe", "IIO", "I/O", "IO")):
        for machine in "spr", "zen4", "cmn700":
            firsts = {(search(w, machine)[1] + "\n").splitlines()[0] for w in same}
            assert len(firsts) == 1, (machine, same, firsts)


def test_all_words_but_one_come_after_all_of_them():
    p = ("-p", "nehalem-ex")
    code, out, err = h.run(h.CTL, "search", "llc", "hits", "modified", *p)
    lines = out.splitlines()
    assert code == 0 and lines[0].startswith("unit mask cbox/LLC_HITS:M "), (out, err)
    assert any(line.startswith("event     cbox/LLC_HITS ") for line in lines[1:]), out
    code, out, err = h.run(h.CTL, "search", "memory", "gizmo", *p)
    assert code == 0 and "memory_" in out and "all words but one" in err, (code, out, err)
    assert h.run(h.CTL, "search", "gizmo", "gadget", *p)[0] == 78


def test_one_line_for_all_machines():
    os.makedirs(h.path("none"), exist_ok=True)
    h.write("none/cpuinfo", "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 1\n")
    none = ["--path-procfs", h.path("none"), "--path-sysfs", h.path("none")]
    out = h.run(h.CTL, "search", "bandwidth", *none)[1]
    names = [tuple(re.match(r"(unit mask|\w+) +(\S+)", line).groups()) for line in out.splitlines()]
    assert len(names) == len(set(names)) > 5, names
    first = out.splitlines()[0]
    assert names[0] == ("metric", "memory_read_bytes_total") and "spr" in first and \
        "umc" in first, out


def terminal(columns, *args):
    """The lines on a terminal of so many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    p = subprocess.Popen([h.CTL, *args], stdout=theirs, stderr=subprocess.DEVNULL)
    os.close(theirs)
    out = b""
    while True:
        try:
            more = os.read(ours, 65536)
        except OSError:
            break
        if not more:
            break
        out += more
    os.close(ours)
    assert p.wait() == 0
    return out.decode().replace("\r\n", "\n").splitlines()


def test_lines_fit_the_terminal():
    for columns in 80, 132:
        lines = terminal(columns, "search", "memory", "--machine", "spr")
        assert lines and max(map(len, lines)) <= columns, (columns, lines)
        assert any(line.endswith("...") for line in lines), lines
    whole = h.run(h.CTL, "search", "memory", "--machine", "spr")[1].splitlines()
    assert len(whole) == len(lines) and not any(line.endswith("...") for line in whole), whole


def test_a_word_is_not_felt():
    def best(words, machine):
        times = []
        for _ in range(5):
            start = resource.getrusage(resource.RUSAGE_CHILDREN)
            assert search(words, machine)[0] in (0, 78)
            end = resource.getrusage(resource.RUSAGE_CHILDREN)
            times.append(end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime)
        return min(times)

    took = {m: best("page hit", m) for m in ("spr", "gnr", "nehalem_ex")}
    assert max(took.values()) < 0.3, took


h.main(sys.modules[__name__])
