/* SPDX-License-Identifier: MIT
 * Text to plain structs, every leaf with file:line.
 *
 * Owns:  the syntax of libconfig files; durations and numbers.
 * Never: whether an event exists, which machine this is.
 * Pure but for conf_file_read(); parses bytes. The only user of libconfig.
 */
#ifndef CONF_CONF_H
#define CONF_CONF_H

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/nsec.h"
#include "catalog/metric_row.h"
#include "spec/spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum conf_engine { CONF_AUTO, CONF_REGISTERS, CONF_PERF, CONF_MODEL };
extern const char *const conf_engine_names[];
struct conf_engine_choice {
	enum conf_engine kind;
	char processor[32];         /* model:PROCESSOR, "" if not given */
	char workload[32];          /* model:PROCESSOR:WORKLOAD, "" if not given */
};
/* "auto", "registers", "perf", "model[:PROCESSOR[:WORKLOAD]]"; -EINVAL otherwise. */
int conf_engine_parse(const char *text, struct conf_engine_choice *ret);

/* How often the counters of a group are read. */
struct conf_resolution {
	struct where where;         /* line 0: not given, the interval's or the file's holds */
	nsec every;                 /* > 0; the interval is a multiple of it */
	bool unread;                /* of a faulty file: another one was meant, which could not be
	                             * read */
};

/* distribution = true, false or { buckets = ( ... ); counters = false or ( ... ); } */
#define CONF_BOUNDS 11              /* with +Inf, twelve buckets */
struct conf_bounds {
	unsigned n;                 /* 0: the usual ones of the unit */
	double at[CONF_BOUNDS];     /* rising */
};
struct conf_distribution {
	enum { CONF_BY_DEFAULT, CONF_OFF, CONF_ON } wanted;
	bool counters;              /* of a group: of the rate of each counter, too */
	struct conf_bounds metric, counter;
};

/* window = { event = "..."; count = N; }: all counters stop once `event` was counted so
 * often. */
struct conf_overflow_window {
	struct where where, count_where;
	struct spec event;
	uint64_t count;             /* at least 1 */
};

struct conf_group {
	struct where where;
	struct conf_resolution resolution;
	struct conf_distribution distribution;
	char *name;
	struct spec *specs;
	unsigned n_specs;
	struct spec *metrics;       /* names, in `event`; keys: unit, port, link */
	unsigned n_metrics;
	bool ready_made;            /* the name of one alone: no events or metrics of its own */
	bool metrics_only;          /* of a ready-made group: see plan_group */
	bool apart;                 /* likewise: see cat_group */
	const struct cat_set *set;  /* likewise */
	bool has_overflow_window;
	struct conf_overflow_window overflow_window;
	bool faulty;                /* something of it could not be read */
};

/* A row of `metrics`. */
struct conf_metric {
	struct cat_metric row;      /* whole, but for what was complained of if `faulty` is set */
	struct where where;
	struct conf_distribution distribution;
	enum { CONF_PER_UNIT = 1, CONF_PER_SOCKET } per;        /* also in `row` */
	bool faulty;
};

/* Whose file a socket file is, and who else may connect. */
struct conf_socket {
	char *owner, *group;        /* a name or a number; NULL: those of the daemon */
	struct where owner_where, group_where;
	struct conf_permission {
		unsigned mode;          /* of chmod() */
		unsigned owner, group;  /* the numbers; -1: those of the daemon. Of
		                         * listening_names() */
	} permission;
};

/* Who may pause counting for another tool: root, unless it is forbidden, and a group. */
struct conf_pause {
	bool forbidden;
	char *group;                    /* a name or a number; NULL: nobody else */
	unsigned group_number;          /* -1: none. Of listening_names() */
	struct where where;             /* file NULL: the key is not there */
};

/* How what is served at addresses is encrypted. */
enum { CONF_TLS_CERT, CONF_TLS_KEY, CONF_TLS_CA, CONF_TLS_FILES };
struct conf_tls {
	char *path[CONF_TLS_FILES]; /* absolute; NULL: none */
	struct where where[CONF_TLS_FILES];
	enum { CONF_TLS_NO_CLIENT_CERT = 1, CONF_TLS_VERIFY } client_auth;
	enum { CONF_TLS12 = 1, CONF_TLS13 } min_version;
};

/* What to do on a machine on which nothing can be counted. */
enum conf_no_counters { CONF_NO_COUNTERS_DEFAULT, CONF_NO_COUNTERS_SERVE, CONF_NO_COUNTERS_EXIT };

struct conf {
	struct arena *arena;        /* owns it, and all that it points to */
	uint64_t hash;              /* conf_hash() of its bytes, by who read them */
	nsec interval, rotation;    /* rotation is already rounded up to a multiple of interval */
	struct conf_resolution resolution;      /* of groups that name none, the processor's default
	                                         * ones too */
	nsec peak_window;           /* how far back a peak looks */
	bool freeze, takeover;
	enum conf_no_counters without_counters;
	bool with_created;          /* OpenMetrics text says when each counter began */
	struct conf_engine_choice engine;
	struct where engine_where, interval_where, cpus_where;
	unsigned *cpus;             /* that sample, as written: one of each socket */
	unsigned n_cpus;            /* 0: the default ones */
	char **listen;              /* ADDR:PORT or unix:PATH as written, checked for form */
	unsigned n_listen;
	struct where listen_where;
	bool listen_given;
	struct conf_socket socket;  /* of each unix:PATH */
	struct where socket_where;
	struct conf_tls tls;
	struct conf_pause pause;
	char *hosts;                /* names that requests may be for, as written, but without a
	                             * last dot; a blank before each; NULL: none */
	struct conf_group *groups;
	unsigned n_groups;
	bool groups_given;          /* false: the processor's default groups apply */
	struct conf_metric *metrics;
	unsigned n_metrics;
	const char *file;           /* that every `where` borrows */
	bool faulty;                /* what is left of a file with mistakes: to find more of them,
	                             * never to count */
	bool group_name_unread;     /* of these: the name of a group could not be read */
};

/*
 * A file becomes a configuration in two steps, each of which finds mistakes. They go to d, each
 * with file:line, an unknown key with the nearest known one; all of them, as far as the text can be
 * read: while it is malformed (quotes, brackets, doubled keys, @include), only those mistakes are
 * known.
 *
 * name        for messages; copied
 * text, len   the bytes; at most CONF_MAX, and not white space alone: a comment is enough
 */
#define CONF_MAX (1u << 20)
struct conf_tree;
#define CONF_TREE_MAX ((size_t)64 << 20)        /* bytes; a file of CONF_MAX makes fewer */
/*
 * conf_tree_parse - what libconfig reads in the text, which may be malformed.
 *
 * libconfig ends its process where memory is short, and may do so, or hang, by a defect. apart: in
 * a process that is forked for it. What counts, or waits for something to count, does not fork: a
 * process that is made for it (daemon/reload_check.h) does this, and leaves the tree.
 *
 * Returns 0 and *ret, *ret_size bytes to be freed with free(), or with a sentence in d: -EINVAL: a
 * mistake, or such a defect; -ETIMEDOUT: it took longer than 12 s; -ENOMEM; -errno: no process.
 */
int conf_tree_parse(const char *name, const char *text, size_t len, bool apart,
		    struct conf_tree **ret, size_t *ret_size, struct diags *d);
/*
 * conf_read - the configuration of a tree, which may have come from anywhere.
 *
 * Returns 0 and *ret (release with conf_free()), or -EINVAL; -ENOMEM: the same, and some mistakes
 * may not have been found. For later rooms, which look for mistakes of theirs, *ret is then the
 * configuration without what was complained of, which has its default, with `faulty` set; NULL
 * where nothing could be read, or the engine could not, on which all depends that later rooms say.
 */
int conf_read(const char *name, const struct conf_tree *tree, size_t size, struct conf **ret,
	      struct diags *d);
/* conf_parse_apart - both, with libconfig in a process of its own. */
int conf_parse_apart(const char *name, const char *text, size_t len, struct conf **ret,
		     struct diags *d);
/* conf_file_read - a whole file, at most CONF_MAX bytes, to be freed. It must be a regular one that
 * not everybody may write to. Returns 0, or -errno (-ENOENT: absent) with a sentence that names the
 * file. */
int conf_file_read(const char *path, char **ret, size_t *ret_len, struct err *err);
/* conf_hash - a number below 2^48, which a double holds, of these bytes: FNV-1a of 64 bits, whose
 * upper 16 are folded into the others (draft-eastlake-fnv). The same in every build. */
uint64_t conf_hash(const char *text, size_t len);
/* conf_default - what holds without a file; NULL: out of memory. */
struct conf *conf_default(void);
void conf_free(struct conf *c);
CLEANUP_POINTER(conf_free, struct conf);

/* Name and version of the library behind it, for --version. */
const char *conf_library(void);

#endif
