/* SPDX-License-Identifier: MIT
 * From a workload's load to what happens on a server.
 *
 * The load is the register model's, by the same numbers: a share of what the memory can do, how
 * much of that is remote and written, and how busy cores and links are. How many bytes that is, and
 * how long a miss waits meanwhile, says the measured curve of the machine.
 */
#include "model/server.h"

#include <stdio.h>
#include <string.h>

/* Inserts per cycle at which memory is as busy as it can be: the loads BUSY and STORM are at 0.95
 * of it. */
#define FULL_INSERTS   (0.080 / 0.95)
/* Bytes per ns that a link to another socket carries at most, in each direction. */
#define LINK_BYTES     18.0
#define LINE           64.0
/* Ns that a read waits longer if another socket's memory serves it. */
#define HOP            60.0
/* Of what devices move, the share that another socket's memory has. */
#define IO_REMOTE      0.25
/* The rest of what is read was fetched before anybody asked for it. */
#define DEMAND         0.4
/* Flits per ns, of 64/9 bytes, that a UPI link has a place for; of those with data in them, how
 * many there are with requests and answers beside them. */
#define UPI_CLOCK      1.3
#define UPI_PROTOCOL   1.2
#define QPI_FLITS      2.4              /* of 8 bytes of data: 9.6 GT/s */
#define UMC_CLOCK      2.4
#define L3_CLOCK       3.4              /* of an L3 of AMD, which runs with its cores */
#define DDR5_CLOCK     2.4              /* DDR5-4800 */
#define DDR4_CLOCK     1.4667           /* DDR4-2933 */
#define UMC_BYTES      16.0             /* that a channel of AMD moves in a clock */
#define TSC            2.0
#define PCU_CLOCK      1.0
#define CORES          56

/* ------------------------------------------------------------------ the curve */

/* The points of one share of reads: v[first] to v[end - 1], by rising bandwidth. */
struct run {
	unsigned first, end;
};

static bool next_run(const struct machine_point *v, unsigned n, struct run *r)
{
	r->first = r->end;
	while (r->end < n && v[r->end].read_percent == v[r->first].read_percent)
		r->end++;
	return r->first < n;
}

/* The runs at and below, at and above a share of reads, the same one beyond both ends. Returns how
 * far it is from the lower to the upper one, 0..1. */
static double neighbours(const struct machine_point *v, unsigned n, double percent,
			 struct run ret[2])
{
	struct run r = { 0, 0 };
	double low = -1, high = 1000;

	while (next_run(v, n, &r)) {
		double at = v[r.first].read_percent;

		if (at <= percent && at > low) {
			low = at;
			ret[0] = r;
		}
		if (at >= percent && at < high) {
			high = at;
			ret[1] = r;
		}
	}
	if (low < 0)
		ret[0] = ret[1];
	if (high > 100)
		ret[1] = ret[0];
	return low < 0 || high > 100 || high == low ? 0 : (percent - low) / (high - low);
}

static double between(double a, double b, double part)
{
	return a + (b - a) * part;
}

static double latency_of(const struct machine_point *v, struct run r, double gbps)
{
	unsigned i = r.first;

	while (i + 1 < r.end && v[i].gbps < gbps)
		i++;
	if (i == r.first || v[i].gbps <= gbps)
		return v[i].ns;
	return between(v[i - 1].ns, v[i].ns,
		       (gbps - v[i - 1].gbps) / (v[i].gbps - v[i - 1].gbps));
}

/* The most that the curve shows at this share of reads, in bytes per ns. */
static double most_of(const struct machine_point *curve, unsigned n, double read_percent)
{
	struct run r[2] = { { 0, 0 } };
	double part = neighbours(curve, n, read_percent, r);

	return between(curve[r[0].end - 1].gbps, curve[r[1].end - 1].gbps, part);
}

/* In ns, at a share (0..1) of that. */
static double latency_at(const struct machine_point *curve, unsigned n, double read_percent,
			 double share)
{
	struct run r[2] = { { 0, 0 } };
	double part = neighbours(curve, n, read_percent, r);

	return between(latency_of(curve, r[0], share * curve[r[0].end - 1].gbps),
		       latency_of(curve, r[1], share * curve[r[1].end - 1].gbps), part);
}

/* ------------------------------------------------------------------ a load */

/* Sockets differ a little, so that a wrong label shows. */
static double part_of(const struct load *l, unsigned socket)
{
	return (1 - l->reduction[socket % 2]) * (1 - 0.03 * (socket % 8));
}

static double read_share(const struct load *l)
{
	double reads = 2 * load_reads(l);       /* twice as frequent as writes */

	return reads / (reads + load_writes(l));
}

/* Bytes that the CPUs of a socket move, and those of them that another socket's memory has. */
static double demand(const struct load *l, unsigned socket, double most)
{
	double share = l->inserts / FULL_INSERTS;

	return (share < 1 ? share : 1) * part_of(l, socket) * most;
}

static double crossing(const struct load *l, unsigned socket, double most, unsigned links)
{
	double wanted = l->remote * demand(l, socket, most);
	double room = l->link * links * LINK_BYTES * part_of(l, socket);

	return wanted < room ? wanted : room;
}

static struct server_flow flow_of(const struct load *l, const struct machine_text *m,
				  unsigned socket, unsigned n_sockets, unsigned links)
{
	double reads = read_share(l), most = most_of(m->curve, m->n_curve, 100 * reads);
	double own = demand(l, socket, most), out = crossing(l, socket, most, links), in = 0;
	double memory, share, guest = 0;

	for (unsigned s = 0; s < n_sockets; s++) {
		if (s == socket)
			continue;
		in += crossing(l, s, most, links) / (n_sockets - 1);
		guest += l->activity * part_of(l, s) / (n_sockets - 1);
	}
	memory = own - out + in;
	share = memory / most;
	return (struct server_flow){
		.read = reads * memory, .write = (1 - reads) * memory, .asked = reads * own,
		.remote_read = reads * out, .remote_write = (1 - reads) * out,
		.guest_read = reads * in, .guest_write = (1 - reads) * in,
		.latency = latency_at(m->curve, m->n_curve, 100 * reads, share),
		.miss_ratio = l->miss, .activity = l->activity * part_of(l, socket),
		.guest_activity = guest,
	};
}

void server_flows(const struct workload *w, const struct machine_text *m, unsigned n_sockets,
		  unsigned links, struct server_flow *flows)
{
	for (unsigned s = 0; s < n_sockets; s++)
		for (unsigned p = 0; p < w->n_phases; p++)
			flows[s * PHASES + p] = flow_of(&w->load[p], m, s, n_sockets,
							n_sockets > 1 ? links : 0);
}

struct server_flow server_flow_of(const struct machine_text *m, double read, double written,
				  nsec length)
{
	double reads = read + written > 0 ? read / (read + written) : 1;
	double most = most_of(m->curve, m->n_curve, 100 * reads);
	double wanted = (read + written) / (double)length;
	double memory = wanted < most ? wanted : most, share = memory / most;

	return (struct server_flow){
		.read = reads * memory, .write = (1 - reads) * memory, .asked = reads * memory,
		.latency = latency_at(m->curve, m->n_curve, 100 * reads, share),
		.miss_ratio = 0.5, .activity = share,
	};
}

/* ------------------------------------------------------------------ words */

static double memory_read(const struct server_flow *f) { return f->read; }
static double memory_write(const struct server_flow *f) { return f->write; }
static double memory_any(const struct server_flow *f) { return f->read + f->write; }
static double memory_request(const struct server_flow *f) { return (f->read + f->write) / LINE; }
/* Behind CXL is a sixteenth of what is used. */
static double cxl_read(const struct server_flow *f) { return f->read / 16; }
static double cxl_write(const struct server_flow *f) { return f->write / 16; }
/* High-bandwidth memory is nodes of its own beside the DIMMs (flat mode), used twice as much. */
static double hbm_read(const struct server_flow *f) { return 2 * f->read; }
static double hbm_write(const struct server_flow *f) { return 2 * f->write; }
static double none(const struct server_flow *f) { (void)f; return 0; }

static double l3_miss(const struct server_flow *f) { return f->asked / LINE; }
static double l3_lookup(const struct server_flow *f) { return l3_miss(f) / f->miss_ratio; }
static double llc_hit(const struct server_flow *f) { return l3_lookup(f) - l3_miss(f); }
static double l3_ns(const struct server_flow *f) { return l3_miss(f) * f->latency; }
static double l3_waiting(const struct server_flow *f) { return l3_ns(f) * L3_CLOCK; }
static double llc_miss(const struct server_flow *f) { return DEMAND * l3_miss(f); }
static double llc_read(const struct server_flow *f) { return llc_miss(f) / f->miss_ratio; }

/* Faster while cores work. */
static double clock_rate(const struct server_flow *f)
{
	return f->activity < 0.5 ? 1.4 + 2 * f->activity : 2.4;
}

/* In each clock, as many as wait. */
static double llc_waiting(const struct server_flow *f)
{
	return llc_miss(f) * f->latency * clock_rate(f);
}

/* Its memory, by whose CPUs use it. */
static double home_local_read(const struct server_flow *f) { return f->read - f->guest_read; }
static double home_local_write(const struct server_flow *f) { return f->write - f->guest_write; }
static double home_remote_read(const struct server_flow *f) { return f->guest_read; }
static double home_remote_write(const struct server_flow *f) { return f->guest_write; }

/* Its CPUs, by whose memory they use. */
static double numa_local_read(const struct server_flow *f) { return f->asked - f->remote_read; }
static double numa_local_write(const struct server_flow *f) { return home_local_write(f); }
static double numa_remote_read(const struct server_flow *f) { return f->remote_read; }
static double numa_remote_write(const struct server_flow *f) { return f->remote_write; }

/* So that the mean of both is the latency of the flow. */
static double near_latency(const struct server_flow *f)
{
	return f->latency - (f->asked > 0 ? HOP * f->remote_read / f->asked : 0);
}

static double l3_near(const struct server_flow *f) { return numa_local_read(f) / LINE; }
static double l3_far(const struct server_flow *f) { return f->remote_read / LINE; }
static double l3_near_ns(const struct server_flow *f) { return l3_near(f) * near_latency(f); }
static double l3_far_ns(const struct server_flow *f) { return l3_far(f) * (near_latency(f) + HOP); }
/* The link's clock is made up. */
static double nvclink_waiting(const struct server_flow *f) { return l3_far_ns(f) * UMC_CLOCK; }
static double l3_far_waiting(const struct server_flow *f) { return l3_far_ns(f) * clock_rate(f); }

/* What cores ask for, beside what was fetched before. */
static double llc_local_miss(const struct server_flow *f) { return DEMAND * l3_near(f); }
static double llc_remote_miss(const struct server_flow *f) { return DEMAND * l3_far(f); }
static double llc_local_prefetch(const struct server_flow *f) { return (1 - DEMAND) * l3_near(f); }
static double llc_remote_prefetch(const struct server_flow *f) { return (1 - DEMAND) * l3_far(f); }
static double llc_local_waiting(const struct server_flow *f)
{
	return llc_local_miss(f) * near_latency(f) * clock_rate(f);
}

static double llc_remote_waiting(const struct server_flow *f)
{
	return llc_remote_miss(f) * (near_latency(f) + HOP) * clock_rate(f);
}

/* Each tenth line that another socket reads is noted, by one of three. */
static double directory(const struct server_flow *f) { return f->guest_read / 10 / 3; }

static double link_sent(const struct server_flow *f) { return f->remote_write + f->guest_read; }
static double link_received(const struct server_flow *f) { return f->remote_read + f->guest_write; }
static double link_busy(const struct server_flow *f)
{
	return UPI_PROTOCOL * link_sent(f) * 9 / LINE;
}
static double link_clock(const struct server_flow *f) { (void)f; return UPI_CLOCK; }
static double link_flits(const struct server_flow *f) { (void)f; return QPI_FLITS; }

static double umc_busy(const struct server_flow *f) { return (f->read + f->write) / UMC_BYTES; }
static double umc_clock(const struct server_flow *f) { (void)f; return UMC_CLOCK; }
/* Every third command finds no open row: another one is closed, and it is opened. */
static double rows_opened(const struct server_flow *f) { return memory_request(f) / 3; }
/* Every other one of these closes another page. */
static double page_miss(const struct server_flow *f) { return rows_opened(f) / 2; }
static double memory_read_cas(const struct server_flow *f) { return f->read / LINE; }
static double memory_write_cas(const struct server_flow *f) { return f->write / LINE; }
static double ddr5_clock(const struct server_flow *f) { (void)f; return DDR5_CLOCK; }
static double ddr4_clock(const struct server_flow *f) { (void)f; return DDR4_CLOCK; }
/* Half of the time that a read takes it waits in its controller. */
static double queue_waiting(const struct server_flow *f)
{
	return memory_read_cas(f) * f->latency / 2 * DDR4_CLOCK;
}

/* Devices read up to 12 GB/s and write up to 8. */
#define IO_READ  12
#define IO_WRITE 8
static double io_read(const struct server_flow *f) { return IO_READ * f->activity; }
static double io_write(const struct server_flow *f) { return IO_WRITE * f->activity; }
/* Those of other sockets. */
static double guest_io_read(const struct server_flow *f) { return IO_READ * f->guest_activity; }
static double guest_io_write(const struct server_flow *f) { return IO_WRITE * f->guest_activity; }
/* Where no CPU uses another socket's memory no device does. */
static double io_remote(const struct server_flow *f)
{
	return f->remote_read + f->guest_read > 0 ? IO_REMOTE : 0;
}

static double io_remote_read(const struct server_flow *f) { return io_remote(f) * io_read(f); }
static double io_remote_write(const struct server_flow *f) { return io_remote(f) * io_write(f); }
static double io_local_read(const struct server_flow *f) { return io_read(f) - io_remote_read(f); }
static double io_local_write(const struct server_flow *f)
{
	return io_write(f) - io_remote_write(f);
}

/* Half of it is in the last-level cache; a quarter of the writes are of a part of a line, and for
 * some of these a line is asked for first. */
static double half_read(const struct server_flow *f) { return io_read(f) / 2; }
static double full_write(const struct server_flow *f) { return io_write(f) * 3 / 4; }
static double half_full_write(const struct server_flow *f) { return full_write(f) / 2; }
static double partial_write(const struct server_flow *f) { return io_write(f) / 4; }
static double half_partial_write(const struct server_flow *f) { return partial_write(f) / 2; }
static double io_partial(const struct server_flow *f) { return partial_write(f) / LINE; }
static double io_own(const struct server_flow *f) { return partial_write(f) / LINE / 8; }
static double io_own_miss(const struct server_flow *f) { return io_own(f) / 2; }
static double local_full_write(const struct server_flow *f)
{
	return full_write(f) * (1 - io_remote(f));
}

static double remote_full_write(const struct server_flow *f)
{
	return full_write(f) * io_remote(f);
}

static double local_partial_write(const struct server_flow *f)
{
	return partial_write(f) * (1 - io_remote(f));
}

static double remote_partial_write(const struct server_flow *f)
{
	return partial_write(f) * io_remote(f);
}

static double io_lost(const struct server_flow *f) { return io_write(f) / LINE / 1e5; }

static double io_request(const struct server_flow *f) { return (io_read(f) + io_write(f)) / LINE; }
static double io_interrupt(const struct server_flow *f) { return io_request(f) / 1000; }

/* In joules: 80 to 330 W, and 4 W and an eighth of one for each GB/s. */
static double energy_package(const struct server_flow *f)
{
	return (80 + 250 * f->activity) * 1e-9;
}

static double energy_dram(const struct server_flow *f)
{
	return (4 + (f->read + f->write) / 8) * 1e-9;
}

/* Of the package: its cores have three quarters, a GPU a twentieth; with what is beside it the
 * system has half as much again. */
static double energy_cores(const struct server_flow *f) { return energy_package(f) * 3 / 4; }
static double energy_gpu(const struct server_flow *f) { return energy_package(f) / 20; }
static double energy_system(const struct server_flow *f) { return energy_package(f) * 3 / 2; }

/* Of a socket's cores, in each clock. */
static double pcu_clock(const struct server_flow *f) { (void)f; return PCU_CLOCK; }
static double c0_cores(const struct server_flow *f) { return PCU_CLOCK * CORES * f->activity; }
static double c6_cores(const struct server_flow *f)
{
	return PCU_CLOCK * CORES * (1 - f->activity) * (1 - f->activity);
}

static double tsc(const struct server_flow *f) { (void)f; return TSC; }
static double c2(const struct server_flow *f) { return TSC * 0.10 * (1 - f->activity); }
static double c6(const struct server_flow *f)
{
	double idle = 1 - f->activity;

	return TSC * 0.80 * idle * idle * idle;
}

#define PART(name, rate) { name, rate, false }
#define EACH(name, rate) { name, rate, true }
static const struct server_word words[] = {
	PART("memory_read", memory_read), PART("memory_write", memory_write),
	PART("memory_any", memory_any), PART("memory_request", memory_request),
	PART("hbm_read", hbm_read), PART("hbm_write", hbm_write),
	PART("pmem_read", none), PART("pmem_write", none),      /* none is fitted */
	PART("llc_pmem_miss", none), PART("llc_pmem_waiting", none),
	PART("nothing", none), PART("c3", none), PART("c7", none),
	PART("c8", none), PART("c9", none), PART("c10", none),
	PART("llc_read", llc_read), PART("llc_miss", llc_miss), PART("llc_waiting", llc_waiting),
	PART("l3_lookup", l3_lookup), PART("l3_miss", l3_miss), PART("l3_request", l3_miss),
	PART("llc_lookup", l3_lookup), PART("llc_hit", llc_hit),
	PART("l3_ns", l3_ns), PART("l3_waiting", l3_waiting),
	PART("l3_near_request", l3_near), PART("l3_near_ns", l3_near_ns),
	PART("l3_far_request", l3_far), PART("l3_far_ns", l3_far_ns),
	PART("l3_far_waiting", l3_far_waiting),
	EACH("nvclink_clock", umc_clock), PART("nvclink_read", l3_far),
	PART("nvclink_waiting", nvclink_waiting),
	PART("numa_local_read", numa_local_read), PART("numa_local_write", numa_local_write),
	PART("numa_remote_read", numa_remote_read), PART("numa_remote_write", numa_remote_write),
	PART("home_local_read", home_local_read), PART("home_local_write", home_local_write),
	PART("home_remote_read", home_remote_read), PART("home_remote_write", home_remote_write),
	PART("llc_local_miss", llc_local_miss), PART("llc_remote_miss", llc_remote_miss),
	PART("llc_local_prefetch", llc_local_prefetch),
	PART("llc_remote_prefetch", llc_remote_prefetch),
	PART("llc_local_waiting", llc_local_waiting),
	PART("llc_remote_waiting", llc_remote_waiting),
	PART("llc_dram_miss", llc_miss), PART("llc_dram_waiting", llc_waiting),
	PART("directory_home", directory), PART("directory_table", directory),
	PART("directory_mesh", directory),
	PART("home_read", memory_read), PART("home_write", memory_write),
	PART("home_request", memory_request), PART("home_remote_request", l3_far),
	PART("remote_memory_request", l3_far),
	PART("cxl_read", cxl_read), PART("cxl_write", cxl_write), PART("cxl_partial_write", none),
	PART("link_sent", link_sent), PART("link_received", link_received),
	PART("link_received_drs", link_received),
	PART("link_busy", link_busy), EACH("link_clock", link_clock),
	EACH("link_flits", link_flits),
	PART("pcie_read", io_read), PART("pcie_write", io_write),
	PART("pcie_partial_write", io_partial),
	PART("io_read", io_read), PART("io_write", io_write),
	PART("guest_io_read", guest_io_read), PART("guest_io_write", guest_io_write),
	PART("io_local_read", io_local_read), PART("io_local_write", io_local_write),
	PART("io_remote_read", io_remote_read), PART("io_remote_write", io_remote_write),
	PART("io_read_hit", half_read), PART("io_read_miss", half_read),
	PART("io_full_write", full_write), PART("io_full_write_hit", half_full_write),
	PART("io_full_write_miss", half_full_write), PART("io_partial_write", partial_write),
	PART("io_partial_write_hit", half_partial_write),
	PART("io_partial_write_miss", half_partial_write),
	PART("io_own", io_own), PART("io_own_miss", io_own_miss),
	PART("io_local_full_write", local_full_write),
	PART("io_remote_full_write", remote_full_write),
	PART("io_local_partial_write", local_partial_write),
	PART("io_remote_partial_write", remote_partial_write),
	PART("io_lost_forward", io_lost), PART("io_lost_invalid", io_lost),
	EACH("pcu_clock", pcu_clock), PART("c0_cores", c0_cores), PART("c6_cores", c6_cores),
	PART("io_request", io_request), PART("io_interrupt", io_interrupt),
	EACH("clock", clock_rate), EACH("cmem_clock", clock_rate),
	EACH("umc_clock", umc_clock), PART("umc_busy", umc_busy),
	PART("memory_cas", memory_request), PART("memory_activate", rows_opened),
	PART("memory_precharge", rows_opened),
	PART("page_empty", rows_opened),        /* and the misses, which are taken off it */
	PART("page_miss", page_miss),
	PART("memory_read_cas", memory_read_cas), PART("memory_write_cas", memory_write_cas),
	EACH("ddr5_clock", ddr5_clock), EACH("ddr4_clock", ddr4_clock),
	PART("queue_insert", memory_read_cas), PART("queue_waiting", queue_waiting),
	PART("energy_package", energy_package), PART("energy_dram", energy_dram),
	PART("energy_cores", energy_cores), PART("energy_gpu", energy_gpu),
	PART("energy_system", energy_system),
	EACH("tsc", tsc), EACH("c2", c2), EACH("c6", c6),
};

static bool is_word(const char *at, const struct server_word *w)
{
	size_t n = strlen(w->name);

	return strncmp(at, w->name, n) == 0 && strchr("* ", at[n]);
}

const struct server_word *server_word(const char *text, double *ret_each)
{
	double times = 1, of = 1;

	for (const struct server_word *w = words; w < words + COUNT(words); w++)
		if (is_word(text, w)) {
			sscanf(text + strlen(w->name), "*%lf/%lf", &times, &of);
			*ret_each = times / of;
			return w;
		}
	return NULL;
}

bool server_also(const char *text, const struct server_word *w)
{
	const char *at = text;

	while ((at = strchr(at, ' ')))
		if (is_word(++at, w) && strncmp(at + strlen(w->name), "*-", 2) != 0)
			return true;
	return false;
}
