// SPDX-License-Identifier: GPL-2.0 OR MIT
/* counting.h - what the files of counting_pmus.ko share; commands.c says what that is. */
#ifndef COUNTING_H
#define COUNTING_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>

#define MAX_DOMAINS 32
#define MAX_RULES 96
#define MAX_RATES 160
#define MAX_FLOWS 8
#define MAX_FILES 512
#define MAX_COUNTERS 64
#define MAX_EVENTS 64		/* of one domain of an instance at the same time */
#define MAX_LINE 4096

struct rule {			/* for events from first to last, by the bits of config in mask */
	u64 first, last, mask, value;
};

struct rate {
	u64 config[3], hertz;
};

struct flow {			/* how much of what one count of an encoding stands for */
	u64 config[3];
	unsigned int kind, amount;
};

struct family {			/* PMUs with the same files and counters */
	struct list_head node;
	unsigned int counters, width;
	bool known, fixed, free, filtered, any_cpu;
	u64 fixed_event;		/* the config that the fixed counter counts */
	struct rule counter[MAX_RULES], filter[MAX_RULES];
	struct rate rate[MAX_RATES];
	struct flow flow[MAX_FLOWS];
	unsigned int n_counter, n_filter, n_rate, n_flow, n_format, n_event, n_domains, n_boxes;
	struct attribute *format[MAX_FILES + 1], *event[MAX_FILES + 1];
	struct cpumask domain[MAX_DOMAINS];
	int reader[MAX_DOMAINS];	/* the CPU that counts for it, or -1 */
	struct attribute_group format_group, event_group;
};

struct box {			/* one instance: a PMU of the kernel */
	struct list_head node;
	struct pmu pmu;
	struct family *family;
	struct platform_device *parent; /* or NULL */
	unsigned int index, stolen, width;
	int refused;
	u64 jumped;
	struct perf_event *on[MAX_DOMAINS][MAX_EVENTS];
	struct attribute *file[3];
	struct attribute_group file_group;
	const struct attribute_group *groups[4];
};

struct text_file {
	struct device_attribute attr;
	char *text;
};

struct record {			/* of an event, also when it is closed */
	struct list_head node;
	char name[64];
	unsigned int domain;
	u64 config[3], hertz, count;
	const struct flow *flow;	/* or NULL: it counts time */
	bool open;
};

extern struct mutex configuration;	/* families, boxes, the line that is being written */
extern raw_spinlock_t lock;		/* time, counters, records */
extern atomic_t open_events;
extern const struct pmu counting_pmu;

/* clock.c; with the lock held: clock_added(), clock_read(), record_new(), record_again() */
u64 now(void);
void clock_init(void);
void clock_exit(void);
void clock_added(void);
void clock_read(void);
bool clock_runs_with_events(void);
u64 heard(const struct family *f, u64 config, u64 config1);
u64 hertz_of(const struct box *b, unsigned int domain, const u64 *c);
u64 shown(const struct perf_event *e);
void take(struct perf_event *e);
struct record *record_new(const struct box *b, unsigned int domain, u64 config, u64 config1,
			  u64 config2);
struct record *record_again(const struct box *b, unsigned int domain, u64 config, u64 config1,
			    u64 config2);
void records_show(struct seq_file *s);

/* machine.c */
int domain_of(const struct family *f, int cpu);
int cpu_comes(unsigned int cpu);
int cpu_goes(unsigned int cpu);
struct family *family_described(void);
struct box *box_described(const char *words);

/* traffic.c; flow_of() and flown() with the lock held */
void traffic_forget(void);
const struct flow *flow_of(const struct family *f, const u64 *config);
u64 flown(const struct flow *w, const struct box *b, unsigned int domain);

/* curve.c; with the lock held, but for do_curve() and curve_forget() */
void curve_forget(void);
bool curve_is_there(void);
u64 curve_most(unsigned int permille);
u64 curve_latency(unsigned int permille, u64 by_second);

/* registers.c */
bool made_any(void);

/* The commands; commands.c says what their words are. */
int do_family(char *words);
int do_domain(char *words);
int do_format(char *words);
int do_event(char *words);
int do_counter(char *words);
int do_filter(char *words);
int do_rate(char *words);
int do_traffic(char *words);
int do_moves(char *words);
int do_others(char *words);
int do_curve(char *words);
int do_pmu(char *words);
int do_device(char *words);
int do_made(char *words);
int do_registers(char *words);
int do_refuse(char *words);
int do_steal(char *words);
int do_width(char *words);
int do_jump(char *words);
int do_clock(char *words);
int do_advance(char *words);
int do_arm(char *words);
int do_forget(char *words);
int do_reset(char *words);

static inline struct box *box_of(const struct perf_event *e)
{
	return container_of(e->pmu, struct box, pmu);
}

static inline struct record *record_of(const struct perf_event *e)
{
	return e->pmu_private;
}

#endif
