/* SPDX-License-Identifier: MIT */
#include "ctl/search_words.h"

#include "base/bits.h"

#include <string.h>

/* Each line: words that mean the same. */
static const char *const same[] = {
	"bandwidth throughput bytes traffic",
	"memory mem dram ddr imc umc",
	"llc l3 slc",
	"remote numa",
	"link links upi qpi xgmi nvlink c2c",
	"io iio pcie pci",
	"utilization util busy",
	"miss misses",
	"hit hits",
	"ratio rate",
	"power watts energy",
};

#define MEMORY_BYTES "memory_read_bytes_total", "memory_write_bytes_total", "memory_bytes_total", \
	"memory_channels_0_to_3_bytes_total", "memory_channels_4_to_7_bytes_total", \
	"die_memory_bytes_total", "memory_request_bytes_total"
#define REMOTE_SHARE "numa_remote_read_ratio", "home_remote_read_ratio", "remote_read_ratio", \
	"home_remote_write_ratio", "home_remote_request_ratio"
#define REMOTE_BYTES "home_remote_read_bytes_total", "remote_read_bytes_total", \
	"numa_remote_read_bytes_total", "home_remote_write_bytes_total", \
	"remote_write_bytes_total", "numa_remote_write_bytes_total", "remote_memory_requests_total"
#define REMOTE_LATENCY "numa_remote_read_latency_seconds"
#define DEVICE_BYTES "pcie_read_bytes_total", "pcie_write_bytes_total", \
	"pcie_snooped_read_bytes_total", "pcie_allocating_write_bytes_total", \
	"io_read_bytes_total", "io_write_bytes_total"
#define LINK_BYTES "link_sent_data_bytes_total", "link_received_data_bytes_total", \
	"link_received_drs_data_bytes_total", "nvlink_c2c0_read_bytes_total", \
	"nvlink_c2c0_write_bytes_total"
#define MISS_LATENCY "llc_data_read_miss_latency_seconds", "llc_miss_latency_seconds", \
	"llc_miss_latency_cycles"
#define LINKS "links", "link_sent_data_bytes_total"
#define TELLS_REMOTE "tells local memory from remote"

static const struct search_question questions[] = {
	{ "bandwidth", { MEMORY_BYTES }, { "io_read_bytes_total" },
	  "counts the bytes of its memory" },
	{ "memory bandwidth", { MEMORY_BYTES }, { "memory_requests_total" },
	  "counts the bytes of its memory" },
	{ "memory", { "memory", MEMORY_BYTES, "memory_requests_total" }, { NULL },
	  "counts the traffic of its memory" },
	{ "llc", { "llc", "llc_lookups_total", "llc_misses_total" }, { NULL },
	  "counts requests to its last-level cache" },
	{ "remote", { "numa", REMOTE_SHARE, REMOTE_BYTES }, { LINKS }, TELLS_REMOTE },
	{ "local remote", { REMOTE_SHARE, REMOTE_BYTES, REMOTE_LATENCY }, { LINKS },
	  TELLS_REMOTE },
	{ "remote memory", { REMOTE_BYTES, REMOTE_SHARE, REMOTE_LATENCY }, { LINKS },
	  TELLS_REMOTE },
	{ "remote memory bandwidth", { REMOTE_BYTES }, { LINKS }, TELLS_REMOTE },
	{ "page hit", { "page_hit_ratio", "page_miss_ratio", "imc/PRE_COUNT", "mbox/PAGE_HIT",
			"memory_channel_activate_ratio" },
	  { NULL }, "tells whether an access to memory found its page open" },
	{ "io", { "pcie", "io", DEVICE_BYTES }, { NULL }, "counts the traffic of devices" },
	{ "io bandwidth", { DEVICE_BYTES }, { NULL }, "counts the traffic of devices" },
	{ "link", { "links", LINK_BYTES }, { NULL }, "counts traffic between sockets" },
	{ "link bandwidth", { LINK_BYTES }, { NULL }, "counts traffic between sockets" },
	{ "tor", { "cbox/TOR_INSERTS", "cbox/TOR_OCCUPANCY", "llc_data_read_misses_total",
		   "llc_data_read_miss_latency_seconds" }, { NULL },
	  "counts requests in a TOR, the table of requests of Intel's C-Boxes and CHAs" },
	{ "cas count", { "imc/CAS_COUNT", "perf/uncore_imc/cas_count_read/",
			 "perf/uncore_imc/cas_count_write/", "perf/uncore_imc/cas_count_read_sch0/",
			 "perf/uncore_imc/cas_count_write_sch0/", "uncore/DRAM_READ_CAS",
			 "uncore/DRAM_WRITE_CAS", "umc memory_read_bytes_total",
			 "umc memory_write_bytes_total" }, { NULL },
	  "counts the column commands (CAS) of its memory" },
	{ "latency", { "latency", MISS_LATENCY, "imt_latency_seconds",
		       "home_local_latency_seconds" },
	  { NULL }, "measures how long a request takes" },
	{ "memory latency", { "latency", MISS_LATENCY, "imt_latency_seconds",
			      "home_local_latency_seconds" },
	  { NULL }, "measures how long a request takes" },
	{ "llc latency", { MISS_LATENCY }, { NULL }, "measures how long a request takes" },
	{ "utilization", { "memory_utilization_ratio", "link_utilization_ratio",
			   "link_sent_utilization_ratio", "memory_channel_utilization_ratio" },
	  { NULL }, "says which share of what a part can do is in use" },
	{ "hit rate", { "llc_socket_hit_ratio", "llc_hit_ratio", "llc_data_read_miss_ratio",
			"llc_miss_ratio" },
	  { NULL }, "tells hits of its last-level cache from misses" },
	{ "llc hit rate", { "llc_socket_hit_ratio", "llc_hit_ratio", "llc_data_read_miss_ratio",
			    "llc_miss_ratio" },
	  { NULL }, "tells hits of its last-level cache from misses" },
	{ "misses", { "llc_misses_total", "cbox/LLC_MISSES", "llc_socket_miss_ratio",
		      "llc_data_read_misses_total", "perf/cpu/cache-misses/" },
	  { NULL }, "counts misses of its last-level cache" },
	{ "llc misses", { "llc_misses_total", "cbox/LLC_MISSES", "llc_socket_miss_ratio",
			  "llc_data_read_misses_total" },
	  { NULL }, "counts misses of its last-level cache" },
	{ "power", { "power", "package_power_watts" }, { NULL }, "measures power" },
};

/* Does a line of words that mean the same have this one? */
static bool has_word(const struct query *line, const struct query *q, unsigned word)
{
	for (unsigned k = 0; k < line->n; k++)
		if (query_same_word(line, k, q, word))
			return true;
	return false;
}

void search_words_of(const struct query *q, struct search_words *ret)
{
	for (unsigned i = 0; i < q->n; i++)
		ret->of[i] = (uint32_t)BIT(i);
	query_add(&ret->all, q->text);
	for (unsigned i = 0; i < COUNT(same); i++) {
		struct query line = { .n = 0 };
		uint32_t stands_for = 0;
		unsigned before = ret->all.n;

		query_add(&line, same[i]);
		for (unsigned k = 0; k < q->n; k++)
			if (has_word(&line, q, k))
				stands_for |= (uint32_t)BIT(k);
		if (!stands_for)
			continue;
		query_add(&ret->all, same[i]);
		for (unsigned k = before; k < ret->all.n; k++)
			ret->of[k] = stands_for;
	}
}

uint32_t search_words_found(const struct search_words *w, const char *text)
{
	uint32_t found = query_found(&w->all, text), ret = 0;

	for (unsigned i = 0; i < w->all.n; i++)
		if (found & BIT(i))
			ret |= w->of[i];
	return ret;
}

static bool mean_the_same(const struct query *a, unsigned i, const struct query *b, unsigned k)
{
	if (query_same_word(a, i, b, k))
		return true;
	for (unsigned n = 0; n < COUNT(same); n++) {
		struct query line = { .n = 0 };

		query_add(&line, same[n]);
		if (has_word(&line, a, i) && has_word(&line, b, k))
			return true;
	}
	return false;
}

/* Has b for each word of a one that means the same? */
static bool covers(const struct query *a, const struct query *b)
{
	for (unsigned i = 0; i < a->n; i++) {
		bool any = false;

		for (unsigned k = 0; k < b->n && !any; k++)
			any = mean_the_same(a, i, b, k);
		if (!any)
			return false;
	}
	return true;
}

const struct search_question *search_question_of(const struct query *q)
{
	for (unsigned i = 0; i < COUNT(questions); i++) {
		struct query words = { .n = 0 };

		query_add(&words, questions[i].words);
		if (covers(q, &words) && covers(&words, q))
			return &questions[i];
	}
	return NULL;
}
