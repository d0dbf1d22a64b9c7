# SPDX-License-Identifier: MIT
"""checkout.py - what perfmon.py and libpfm.py say of a checkout of perfmon, on small ones made
here; and the rows that perfmon.py makes.

A folder of Sapphire Rapids, of whose 44 metrics in perfmon.tsv two are published as they stand
there, and one with another code; a fourth is not there. uncored is a program that knows one row.
What has to come out is written by hand.
"""
import ctypes
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../e2e"))
import harness as h                                   # noqa: E402

PERFMON = os.path.join(h.SRC, "tests/catalog/perfmon.py")
LIBPFM = os.path.join(h.SRC, "tests/catalog/libpfm.py")
EVENTS = [{"Unit": "iMC", "EventCode": "0x05", "UMask": umask, "UMaskExt": "0x00000000",
           "EventName": "UNC_M_CAS_COUNT." + name, "Counter": "0,1,2,3", "FILTER_VALUE": "0"}
          for name, umask in (("RD", "0xcf"), ("WR", "0xf1"))] + [
          {"Unit": "iMC", "EventCode": "0x03", "UMask": "0x11", "UMaskExt": "0x00000000",
           "EventName": "UNC_M_PRE_COUNT.RD", "Counter": "0,1", "FILTER_VALUE": "0"},
          {"Unit": "CHA", "EventCode": "0x35", "UMask": "0x21", "UMaskExt": "0x00000000",
           "EventName": "UNC_CHA_TOR_INSERTS.IA_MISS", "Counter": "0,1,2,3",
           "FILTER_VALUE": "0"}]


def metric(name, unit, formula, *events):
    return {"MetricName": name, "UnitOfMeasure": unit, "BriefDescription": "what Intel says",
            "Events": [{"Name": e, "Alias": a} for a, e in zip("ab", events)], "Constants": [],
            "Formula": formula}


READ = metric("memory_bandwidth_read", "MB/sec", "(a * 64 / 1000000) / DURATIONTIMEINSECONDS",
              "UNC_M_CAS_COUNT.RD")
WRITE = metric("memory_bandwidth_write", "MB/sec", "(a * 64 / 1000000) / DURATIONTIMEINSECONDS",
               "UNC_M_CAS_COUNT.WR")
DATA = metric("upi_data_transmit_bw", "MB/sec",
              "(a * (64 / 9.0) / 1000000) / DURATIONTIMEINSECONDS", "UNC_UPI_TxL_FLITS.ALL_DATA")
PAGES = metric("memory_page_misses", "percent", "100 * a / (a + b)", "UNC_M_PRE_COUNT.RD",
               "UNC_M_CAS_COUNT.RD")
CORE = metric("cpi", "", "a / b", "CPU_CLK_UNHALTED.THREAD", "INST_RETIRED.ANY")
UPI = {"Unit": "UPI LL", "EventCode": "0x02", "UMask": "0x0f", "UMaskExt": "0x00000000",
       "EventName": "UNC_UPI_TxL_FLITS.ALL_DATA", "Counter": "0,1,2,3", "FILTER_VALUE": "0"}

ROW = {"name": "memory_read_bytes_total", "unit": "bytes", "absent": None, "source": "",
       "scale": 64,
       "numerator": [{"event": "perf/uncore_imc/event=0x05,umask=0xcf,name=x/", "weight": 1}],
       "denominator": [], "cycles_of": None, "unscaled": 0}

EXPECTED = """\
spr	memory_bandwidth_read	equal	memory_read_bytes_total
spr	upi_data_transmit_bw	missing	(a * (64 / 9.0) / 1000000) / DURATIONTIMEINSECONDS
	P("perf/uncore_upi/event=0x02,umask=0x0f,name=txl_flits_all_data/",
	  "perfmon SPR UNC_UPI_TxL_FLITS.ALL_DATA"),
	M("upi_data_transmit_bw_bytes_total", "bytes", SOCKET,
	  "perfmon SPR metric upi_data_transmit_bw",
	  SUM(IN("perf/uncore_upi/event=0x02,umask=0x0f,name=txl_flits_all_data/")),
	  .scale = 64.0 / 9,
	  .help = "its help in our words"),   /* what Intel says */
	perf_published.tsv: metric	upi_data_transmit_bw_bytes_total	bytes	\
upi_data_transmit_bw	-	-	its help in our words
spr	memory_page_misses	new	100 * a / (a + b)
	P("perf/uncore_imc/event=0x03,umask=0x11,name=pre_count_rd/",
	  "perfmon SPR UNC_M_PRE_COUNT.RD", .counters = 0x3),
	P("perf/uncore_imc/event=0x05,umask=0xcf,name=cas_count_rd/",
	  "perfmon SPR UNC_M_CAS_COUNT.RD"),
	M("memory_page_misses_ratio", "ratio", SOCKET,
	  "perfmon SPR metric memory_page_misses",
	  SUM(IN("perf/uncore_imc/event=0x03,umask=0x11,name=pre_count_rd/")),
	  .den = SUM(IN("perf/uncore_imc/event=0x03,umask=0x11,name=pre_count_rd/"),
	    IN("perf/uncore_imc/event=0x05,umask=0xcf,name=cas_count_rd/")),
	  .help = "its help in our words"),   /* what Intel says */
	perf_published.tsv: metric	memory_page_misses_ratio	ratio	\
memory_page_misses	-	-	its help in our words
	perfmon.tsv: SPR	memory_page_misses	\
100*UNC_M_PRE_COUNT.RD/(UNC_M_PRE_COUNT.RD+UNC_M_CAS_COUNT.RD)	\
UNC_M_PRE_COUNT.RD=uncore_imc/event=0x03,umask=0x11/@01 \
UNC_M_CAS_COUNT.RD=uncore_imc/event=0x05,umask=0xcf/@0123
spr	memory_bandwidth_write	different	(a * 64 / 1000000) / DURATIONTIMEINSECONDS
	P("perf/uncore_imc/event=0x05,umask=0xf1,name=cas_count_wr/",
	  "perfmon SPR UNC_M_CAS_COUNT.WR"),
	M("memory_bandwidth_write_bytes_total", "bytes", SOCKET,
	  "perfmon SPR metric memory_bandwidth_write",
	  SUM(IN("perf/uncore_imc/event=0x05,umask=0xf1,name=cas_count_wr/")), .scale = 64,
	  .help = "its help in our words"),   /* what Intel says */
	perf_published.tsv: metric	memory_bandwidth_write_bytes_total	bytes	\
memory_bandwidth_write	-	-	its help in our words
	perfmon.tsv: SPR	memory_bandwidth_write	(UNC_M_CAS_COUNT.WR*64/1000000)/T	\
UNC_M_CAS_COUNT.WR=uncore_imc/event=0x05,umask=0xf1/@0123
""".splitlines()


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(content)
    return path


def compare(name, metrics, *archs, rows=(ROW,)):
    """(exit code, lines) on a checkout with these metrics."""
    root = h.path(name)
    write(os.path.join(root, "SPR/metrics/sapphirerapids_metrics.json"),
          json.dumps({"Metrics": metrics}))
    write(os.path.join(root, "SPR/events/sapphirerapids_uncore.json"),
          json.dumps({"Events": EVENTS + [UPI]}))
    program = write(os.path.join(root, "uncorectl"), "#!/bin/sh\ncat '%s'\n" % write(
        os.path.join(root, "rows"), json.dumps({"ready": list(rows)})))
    os.chmod(program, 0o755)
    code, out, err = h.run(sys.executable, "-B", PERFMON, root, *archs,
                           env={"UNCORECTL": program})
    assert err == "", err
    return code, out.splitlines()


def test_each_kind():
    code, lines = compare("kinds", [READ, DATA, PAGES, WRITE, CORE])
    assert code == 1, code
    found = [line for line in lines if "\tgone\t" not in line]
    for have, want in zip(found, EXPECTED):
        assert have == want, "%s\nnot\n%s" % (have, want)
    assert found[len(EXPECTED):] == \
        ["# spr: 1 equal, 1 missing, 1 new, 1 different, 41 gone, 2 unlisted"], found
    gone = [line for line in lines if "\tgone\t" in line]
    assert len(gone) == 41 and "spr\tuncore_frequency\tgone\tof perfmon.tsv" in gone, gone
    assert not any(line.startswith("spr\tmemory_bandwidth_read\tgone") for line in gone)


def test_equal_in_its_unit():
    """A million bytes in MB/sec; where no unit is said, or a thousand million."""
    for unit, divisor, want in (
            ("MB/sec", "1000000", "equal"), ("MB/sec", "1000000000", "different"),
            ("MB/sec", "1000", "different"), ("GB/sec", "1000000000", "equal"),
            ("", "1000000", "equal"), ("", "1000000000", "equal"), ("", "1000", "different")):
        code, lines = compare("unit", [dict(READ, UnitOfMeasure=unit, Formula=READ[
            "Formula"].replace("1000000", divisor))], "SPR")
        assert code == 1 and lines[0].split("\t")[2] == want, (unit, divisor, lines[0])


def test_an_opcode_without_a_name_is_said():
    code, lines = compare("opcode", [metric("reads", "per second", "a / DURATIONTIMEINSECONDS",
                                            "UNC_CHA_TOR_INSERTS.IA_MISS:filter1=0x40233")], "SPR")
    assert code == 1 and lines[1] == \
        "\t/* reads: UNC_CHA_TOR_INSERTS.IA_MISS:filter1=0x40233: its filter's opcode 0x201 has " \
        "no name: add it to OPCODES of perfmon_rows.py */", lines


def test_a_reason_is_no_miss():
    """Absent rows name the metrics that nobody can count."""
    absent = dict(ROW, name="upi_bytes", absent="nobody can", numerator=[],
                  source="perfmon SPR metric upi_data_transmit_bw")
    code, lines = compare("absent", [READ, DATA], "SPR", rows=(ROW, absent))
    assert code == 1 and lines[1] == \
        "spr\tupi_data_transmit_bw\tabsent\tupi_bytes: nobody can", lines
    assert lines[-1] == "# spr: 1 equal, 1 absent, 42 gone", lines


def test_a_folder_without_a_machine_is_said():
    """Grand Ridge: its metrics on uncore events are counted, not those of its cores."""
    root = h.path("unknown")
    for folder, stem, metrics in (("GRR", "grandridge", [READ, PAGES, CORE]),
                                  ("ADL", "alderlake", [CORE])):
        write(os.path.join(root, folder, "metrics", stem + "_metrics.json"),
              json.dumps({"Metrics": metrics}))
    line = "grr: 2 metrics on uncore events, no machine of that name"
    code, out, err = h.run(sys.executable, "-B", PERFMON, root)
    assert (code, out, err) == (1, line + "\n", ""), (code, out, err)
    code, lines = compare("unknown", [READ])
    assert code == 1 and lines[-1] == line, lines
    assert any(each.startswith("# spr: 1 equal") for each in lines), lines


def test_nothing_to_compare_is_no_success():
    root = h.path("nothing")
    os.makedirs(root)
    code, out, err = h.run(sys.executable, "-B", PERFMON, root)
    assert code == 1 and out == "" and "is it a checkout of" in err, (code, out, err)
    compare("nothing", [READ], "SPR")
    code, out, err = h.run(sys.executable, "-B", PERFMON, root, "TYPO", "GNR")
    assert code == 1 and out == "" and err.endswith(" of: GNR, TYPO\n"), (code, out, err)


# ---------------------------------------------------------------- rows that are made

OCCUPANCY, INSERTS = ("UNC_CHA_TOR_%s.IA_MISS:filter1=0x40432" % w
                      for w in ("OCCUPANCY", "INSERTS"))
PUBLISHED = "arch	metric	formula	events\n" + "".join(
    arch + """	latency	(1000000000*(%(occ)s/%(ins)s)/(UNC_CHA_CLOCKTICKS/(NCHA*NS)))*T	\
%(occ)s=uncore_cha/event=0x36,umask=0x21,filter1=0x40432/@0 \
%(ins)s=uncore_cha/event=0x35,umask=0x21,filter1=0x40432/@0123 \
UNC_CHA_CLOCKTICKS=uncore_cha/event=0x00/@0123
""" % {"occ": OCCUPANCY, "ins": INSERTS} + arch + """	share	\
100*UNC_M_A.RD/(UNC_M_A.RD+UNC_M_A.WR)	\
UNC_M_A.RD=uncore_imc/event=0x04,umask=0x3/@0123 UNC_M_A.WR=uncore_imc/event=0x04,umask=0xc/@01
""" for arch in ("SKX", "CLX")) + """\
CLX	pairs	(UNC_M_B.HIT/2)/T	UNC_M_B.HIT=uncore_imc/event=0x09/@0123
CLX	some	((UNC_M_B.HIT+UNC_M_A.RD)*64/1000000)/T	\
UNC_M_B.HIT=uncore_imc/event=0x09/@0123 UNC_M_A.RD=uncore_imc/event=0x04,umask=0x3/@0123
"""
WORDS = """\
arch	SKX	skylakex	6	85
arch	CLX	cascadelakex	6	85 87
pmu	cha	4	SKX CLX	skx_uncore_chabox
pmu	imc	4	SKX	skx_uncore_imc
pmu	imc	4	CLX	clx_uncore_imc; $DISCOVERY
event	UNC_M_B.HIT	bee
set	numa	$NUMA_HELP
table	a-b	SKX CLX	slow quick alone	Two processors
group	slow	numa	$NUMA_HOW_LONG	latency_seconds	How long it takes
group	quick	-	-	reads_total share_ratio bee_bytes_total	What it moves
group	alone	-	-	pairs_total	It has one event
metric	reads_total	reads	share	numerator	-	How many reads
metric	share_ratio	ratio	share	-	-	The share of reads
metric	latency_seconds	seconds	latency	-	It is disputed	How long: $DEMAND_ALONE
metric	bee_bytes_total	bytes	some+SKX	HIT	-	Bytes of bees
metric	pairs_total	pairs	pairs+SKX	-	-	Pairs of bees
metric	cannot_reads	reads	share	numerator	-	What nobody counts
absent	cannot_reads	a-b	nobody can
"""
MADE = """\
#define CHA_CLOCKTICKS "perf/uncore_cha_0/event=0x00,name=clockticks/"
#define CHA_TOR_INSERTS_IA_MISS_DRD_LOCAL \\
	"perf/uncore_cha/event=0x35,umask=0x21,filter_opc0=0x202,filter_loc=1,filter_nm=1," \\
	"filter_not_nm=1,name=tor_inserts_ia_miss_drd_local/"
#define CHA_TOR_OCCUPANCY_IA_MISS_DRD_LOCAL \\
	"perf/uncore_cha/event=0x36,umask=0x21,filter_opc0=0x202,filter_loc=1,filter_nm=1," \\
	"filter_not_nm=1,name=tor_occupancy_ia_miss_drd_local/"
#define IMC_A_RD "perf/uncore_imc/event=0x04,umask=0x03,name=a_rd/"
#define IMC_A_WR "perf/uncore_imc/event=0x04,umask=0x0c,name=a_wr/"
#define IMC_BEE "perf/uncore_imc/event=0x09,name=bee/"

static const struct cat_set numa = {
	"numa", NUMA_HELP
};

const struct cat_perf cat_perf_a_b = {
	.name = "a-b",
	.title = "Two processors",
	.vendor = INTEL, .sets = true,
	.one_filter = TEXTS("uncore_cha"),
	IDS({ 6, 85, 85, 0 }, { 6, 87, 87, 0 }),
	PMUS(
		{ "uncore_cha", 4, SNBEP_C "skx_uncore_chabox" },
		{ "uncore_imc", 4, SNBEP_C "skx_uncore_imc, clx_uncore_imc; " DISCOVERY }),
	EVENTS(
		P(CHA_CLOCKTICKS, "perfmon SKX, CLX UNC_CHA_CLOCKTICKS", .clock = true),
		P(CHA_TOR_INSERTS_IA_MISS_DRD_LOCAL,
		  "perfmon SKX, CLX UNC_CHA_TOR_INSERTS.IA_MISS, filter 0x40432"),
		P(CHA_TOR_OCCUPANCY_IA_MISS_DRD_LOCAL,
		  "perfmon SKX, CLX UNC_CHA_TOR_OCCUPANCY.IA_MISS, filter 0x40432",
		  .counters = 0x1),
		P(IMC_A_RD, "perfmon SKX, CLX UNC_M_A.RD"),
		P(IMC_A_WR, "perfmon SKX, CLX UNC_M_A.WR", .counters = 0x3),
		P(IMC_BEE, "perfmon SKX, CLX UNC_M_B.HIT", .published = "B.HIT")),
	GROUPS(
		G("slow", TEXTS(CHA_CLOCKTICKS, CHA_TOR_INSERTS_IA_MISS_DRD_LOCAL,
		    CHA_TOR_OCCUPANCY_IA_MISS_DRD_LOCAL), .metrics_only = true, .on_request = true,
		  .set = &numa, .part = NUMA_HOW_LONG,
		  .help = "How long it takes"),
		G("quick", TEXTS(IMC_A_RD, IMC_A_WR, IMC_BEE), .metrics_only = true,
		  .on_request = true,
		  .help = "What it moves"),
		G("alone", TEXTS(IMC_BEE), .metrics_only = true, .on_request = true,
		  .help = "It has one event")),
	METRICS(
		M("reads_total", "reads", SOCKET, "perfmon SKX, CLX metric share",
		  SUM(IN(IMC_A_RD)),
		  .help = "How many reads"),
		M("share_ratio", "ratio", SOCKET, "perfmon SKX, CLX metric share",
		  SUM(IN(IMC_A_RD)), .den = SUM(IN(IMC_A_RD), IN(IMC_A_WR)),
		  .help = "The share of reads"),
		M("latency_seconds", "seconds", SOCKET, "perfmon SKX, CLX metric latency",
		  SUM(IN(CHA_TOR_OCCUPANCY_IA_MISS_DRD_LOCAL)),
		  .den = SUM(IN(CHA_TOR_INSERTS_IA_MISS_DRD_LOCAL)), .cycles_of = CHA_CLOCKTICKS,
		  .disputed = "It is disputed",
		  .help = "How long: " DEMAND_ALONE),
		M("bee_bytes_total", "bytes", SOCKET, "perfmon CLX metric some", SUM(IN(IMC_BEE)),
		  .scale = 64,
		  .help = "Bytes of bees"),
		M("pairs_total", "pairs", SOCKET, "perfmon CLX metric pairs", SUM(IN(IMC_BEE)),
		  .scale = 1.0 / 2,
		  .help = "Pairs of bees"),
		ABSENT("cannot_reads", "reads",
		  "nobody can",
		  "perfmon SKX, CLX metric share",
		  "What nobody counts")),
};
"""
TABLES = os.path.join(h.SRC, "src/catalog/tables")


def rows(name, published, words):
    """(exit code, perf_published.c, which was "before", complaint) of these two files."""
    root = h.path(name)
    for script in ("perfmon.py", "perfmon_read.py", "perfmon_rows.py"):
        write(os.path.join(root, "tests/catalog", script),
              h.read(os.path.join(h.SRC, "tests/catalog", script)))
    write(os.path.join(root, "tests/catalog/perfmon.tsv"), published)
    write(os.path.join(root, "src/catalog/tables/perf_published.tsv"), words)
    made = write(os.path.join(root, "src/catalog/tables/perf_published.c"), "before")
    code, out, err = h.run(sys.executable, "-B", os.path.join(root, "tests/catalog/perfmon.py"),
                           "--rows")
    assert out == "", out
    return code, h.read(made), err


def test_rows_of_two_processors():
    code, out, err = rows("rows", PUBLISHED, WORDS)
    assert (code, err) == (0, ""), (code, err)
    have = out[out.index("#define"):].splitlines()
    for line, want in zip(have, MADE.splitlines()):
        assert line == want, "%s\nnot\n%s" % (line, want)
    assert len(have) == len(MADE.splitlines()), out


def test_words_read_twice():
    """The second time they are the same."""
    script = "import perfmon_rows as p; p.Words(); w = p.Words(); print(w.named(w.archs), *w.archs)"
    out = h.run(sys.executable, "-B", "-c", script, env={"PYTHONPATH": os.path.dirname(PERFMON)})
    assert tuple(out) == (0, "SKX to CWF SKX CLX ICX SPR SPRHBM EMR GNR SRF CWF\n", ""), out


def test_what_makes_no_row_is_refused():
    """What one of two processors has otherwise, or does not have; and mistyped lines."""
    other = "SKX	other	UNC_M_B.HIT/T	UNC_M_B.HIT=uncore_imc/event=0x08/@0123\n"
    one_row, no_line = "share_ratio is not one row", "line 19: no line of arch, pmu,"
    for published, words, why in (
            (PUBLISHED.replace("umask=0x21", "umask=0x31", 1), WORDS,
             "table a-b: latency_seconds is not one row: of SKX it is 1 x (1 x perf/uncore_cha/"),
            (PUBLISHED.replace("/@01\n", "/@0123\n", 1), WORDS, one_row),
            (PUBLISHED.replace("100*UNC", "50*UNC", 1), WORDS, one_row),
            (PUBLISHED + other, WORDS,
             "table a-b: bee_bytes_total is not published of SKX, nor its event UNC_M_B.HIT with"),
            (PUBLISHED, WORDS.replace("some+SKX", "some"), "bee_bytes_total is not published"),
            (PUBLISHED, WORDS.replace("some+SKX", "nothing"),
             "it has 0 lines of bee_bytes_total that name what its ARCHs publish"),
            (PUBLISHED, WORDS.replace("some+SKX", "some+SKX-CLX"),
             "every ARCH that publishes bee_bytes_total is left out"),
            (PUBLISHED, WORDS.replace("	HIT	", "	MISS	"), ": no MISS"),
            (PUBLISHED.replace("+UNC_M_A.WR", "-UNC_M_A.WR"), WORDS, "neither a sum nor a"),
            (PUBLISHED.replace("B.HIT/2", "B.HIT/NCHA"), WORDS, ": a row has no NCHA here"),
            (PUBLISHED.replace("/(NCHA*NS)", ""), WORDS, ": a row has no T here"),
            (PUBLISHED.replace("B.HIT/2)/T", "B.HIT/2)*T"), WORDS, ": a row has no T here"),
            (PUBLISHED.replace("B.HIT/2", "B.HIT/X"), WORDS, ": a row has no X here"),
            (PUBLISHED.replace("0x40432", "0x40232"), WORDS,
             "filter1=0x40232: its filter's opcode 0x201 has no name: add it to OPCODES of"),
            (PUBLISHED, WORDS.replace("slow quick", "quick"), "no table has latency_seconds, slow"),
            (PUBLISHED, WORDS.replace("slow quick", "slow fast"), "names 'fast', and has no line"),
            (PUBLISHED, WORDS.replace("imc\t4\tSKX", "imc\t2\tSKX"), "units of imc differ"),
            (PUBLISHED, WORDS + "metrics	x\n", no_line),
            (PUBLISHED, WORDS + "set	x\n", no_line)):
        code, out, err = rows("refused", published, words)
        assert code == 1 and out == "before" and why in err and "Traceback" not in err, \
            (why, out, err)


def test_what_an_arch_lacks_is_said():
    """A machine in src/topo/machines, though its rows are made; or what Linux calls a unit."""
    root = h.path("lacks")
    rows("lacks", PUBLISHED, WORDS)
    write(os.path.join(root, "DIR/SKX/metrics/skylakex_metrics.json"),
          json.dumps({"Metrics": [READ]}))
    write(os.path.join(root, "DIR/SKX/events/skylakex_uncore.json"),
          json.dumps({"Events": [dict(EVENTS[0], Unit="NEW")]}))
    for args, want in (((), (1, "skx: 1 metric on uncore events, no machine of that name\n", "")),
                       (("SKX",), (1, "", "UNC_M_CAS_COUNT.RD counts in NEW: add what Linux calls "
                                          "that to PMUS of perfmon_read.py\n"))):
        have = h.run(sys.executable, "-B", os.path.join(root, "tests/catalog/perfmon.py"),
                     os.path.join(root, "DIR"), *args)
        assert tuple(have) == want, have


def test_the_rows_are_made():
    """perf_published.c is what perfmon.py makes of the two files."""
    code, out, err = h.run(sys.executable, "-B", PERFMON, "--rows", "-")
    assert (code, err) == (0, ""), (code, err)
    assert out == h.read(os.path.join(TABLES, "perf_published.c")), \
        "run tests/catalog/perfmon.py --rows"


def test_a_processor_is_a_few_lines():
    """Diamond Rapids, as if it published what Granite Rapids does: its model is beside that of
    Granite Rapids everywhere, and but for the sources no row changes."""
    published = h.read(os.path.join(h.SRC, "tests/catalog/perfmon.tsv"))
    published += "".join(line.replace("GNR", "DMR", 1) for line in published.splitlines(True)
                         if line.startswith("GNR\t"))
    words = h.read(os.path.join(TABLES, "perf_published.tsv"))
    words = words.replace("\tGNR SRF", "\tGNR DMR SRF").replace(" GNR", " GNR DMR")
    code, out, err = rows("dmr", published, words.replace(
        "arch\tSRF", "arch\tDMR\tdiamondrapids\t19\t1\narch\tSRF"))
    assert (code, err) == (0, ""), (code, err)
    assert '"perfmon GNR, DMR, SRF, CWF UNC_P_CLOCKTICKS"' in out, out
    assert '"perfmon ICX to CWF UNC_CHA_TOR_INSERTS.IO_RFO"' in out, out
    out, made = (re.sub(r'"perfmon [^"]*"', "", " ".join(text.split()))
                 for text in (out, h.read(os.path.join(TABLES, "perf_published.c"))))
    model = " { 6, 174, 174, 0 },"
    assert made.count(model) > 1 and out == made.replace(model, model + " { 19, 1, 1, 0 },") \
        .replace(model[:-1] + ")", model + " { 19, 1, 1, 0 })"), out


def test_names_that_libpfm_has_otherwise():
    """libpfm4 (lib/events/intel_skx_unc_*_events.h) reads ACT_COUNT.RD as Intel does, sets 0x3b in
    the filter of a TOR's events, and has unit mask 0xa1 for TOTAL_M, as its own LOCAL_M."""
    try:
        ctypes.CDLL("libpfm.so.4")
    except OSError:
        h.skip("this machine has no libpfm4, which ./bootstrap check-pfm puts there")
    root = h.path("libpfm")
    skylake = [
        {"Unit": "iMC", "EventCode": "0x01", "UMask": "0x01", "EventName": "UNC_M_ACT_COUNT.RD"},
        {"Unit": "CHA", "EventCode": "0x35", "UMask": "0x14", "FILTER_VALUE": "0",
         "EventName": "UNC_CHA_TOR_INSERTS.IO_HIT"},
        {"Unit": "CHA", "EventCode": "0x37", "UMask": "0x01",
         "EventName": "UNC_CHA_LLC_VICTIMS.TOTAL_M"},
        {"Unit": "CHA", "EventCode": "0x00", "UMask": "0x00", "EventName": "UNC_CHA_NOBODYS"}]
    other = [{"Unit": "iMC", "EventCode": "0x01", "UMask": "0x01", "EventName": "UNC_M_NOBODYS"}]
    for folder in "SKX CLX HSX BDX JKT IVT ICX SPR EMR GNR".split():
        write(os.path.join(root, folder, "events/%s_uncore.json" % folder.lower()),
              json.dumps({"Events": skylake if folder == "SKX" else other}))
    code, out, err = h.run(sys.executable, LIBPFM, root)
    assert (code, err) == (0, ""), (code, err)
    assert [line for line in out.splitlines() if line.startswith('"')] == [
        '"skx_unc_cha::UNC_C_LLC_VICTIMS:TOTAL_M",', '"skx_unc_cha::UNC_C_TOR_INSERTS:IO_HIT",']
    assert "2 of 3." in out, out


if __name__ == "__main__":
    h.main(sys.modules[__name__])
