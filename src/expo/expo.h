/* SPDX-License-Identifier: MIT
 * Bytes out: Prometheus text, OpenMetrics, protobuf, JSON, the front page; gzip.
 *
 * Owns:  text formats, escaping, family order; the description: everything constant about a plan
 *        (labels, HELP, layout) as one position-independent piece of memory that the http child
 *        maps read-only.
 * Never: sockets (of the network), the event loop, registers.
 * expo_describe: main thread, allocates. Everything else: http child (or main for --once).
 */
#ifndef EXPO_EXPO_H
#define EXPO_EXPO_H

#include "base/bits.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/strb.h"
#include "sample/layout.h"
#include "sample/ring.h"

struct plan;

enum expo_format { EXPO_TEXT, EXPO_OPENMETRICS, EXPO_PROTOBUF, EXPO_JSON, EXPO_STATUS, EXPO_CATALOG,
		   EXPO_EVENT, EXPO_PAGE, EXPO_FORMATS };

/* Of an answer in this format, with its version and charset; it lives for ever. */
const char *expo_content_type(enum expo_format f);
/* Content-Security-Policy of EXPO_PAGE. It names the page's script by digest, so that a browser
 * runs no other, also none that slipped into a label. page_text.sh makes the digest. */
extern const char expo_page_policy[];

/* expo_negotiate - the format of /metrics by the Accept header (NULL: none): media ranges,
 * q-values, parameters; a version that is not offered is never picked; falls back to text 0.0.4.
 * Bounded time. Protobuf has to be named: a range that fits all yields text or OpenMetrics. */
enum expo_format expo_negotiate(const char *accept);
/* expo_accepts_gzip - by Accept-Encoding (NULL: none): is gzip welcome, and no less than the plain
 * body? */
bool expo_accepts_gzip(const char *accept_encoding);

/* What had been counted before a reload. It is added to the values of the new samplers, which start
 * at 0. */
struct expo_offsets;
/* Reads the totals of an old description, so that the next one continues from them (NULL: it
 * starts at 0). A total is found again by identity and group, seconds by group, tick counters by
 * socket. NULL: out of memory, or no description. */
struct expo_offsets *expo_offsets_new(const void *old_desc, size_t len, const struct ring *rings);
void expo_offsets_free(struct expo_offsets *o);
CLEANUP_POINTER(expo_offsets_free, struct expo_offsets);

enum { EXPO_SOCKETS_MAX = 64 };

struct expo_identity {              /* what the page and build_info say */
	const char *version, *revision;
	const char *host;           /* its name, for title and head of the page; NULL: not known */
	const char *engine;         /* of the box slots: "registers", "model", "perf" */
	/* "" or a loud sentence: "SIMULATED: ..." shown on page, status, HELP of socket_info */
	const char *engine_note;
	bool simulated_perf;        /* with a note: perf events are of a model, too */
	const char *no_counters_reason; /* why nothing can be counted, shown on page and status;
	                                 * NULL: something can */
	const char *processor;      /* what it is called, or "other" */
	const char *model;          /* its name in cpuinfo; "" or NULL: it has none */
	const char *machine;        /* model, processor and sockets for people; NULL: not known */
	const char *workload;       /* of the model, or "" */
	const struct verified *verified;        /* what verify left of this machine; NULL:
	                                         * nothing */
	const struct topo_pmus *pmus;   /* whose events the catalog lists too; NULL: none */
	nsec began;                 /* ns since 1970: when the counters of the plan stood at 0 */
	bool with_created;          /* OpenMetrics text says when each counter began */
};

/* The description for a plan: malloc'ed bytes. */
int expo_describe(const struct plan *p, const struct expo_identity *id,
		  const struct expo_offsets *offsets, void **ret, size_t *ret_len, struct err *err);
/* How many rings (sockets) the description is for, and how many values each has. */
unsigned expo_desc_sockets(const void *desc);
unsigned expo_desc_values(const void *desc, unsigned socket);

/*
 * expo_renderer - renders one description; keeps the last body per format and reuses it while no
 * ring has moved and no socket has stalled.
 *
 * description and rings are borrowed. A body stays valid (immutable) until expo_body_unref().
 * Everywhere `now` is ns on the samplers' clock: a socket whose last tick is too long before it has
 * stalled, and shows none of its values (layout_stalled()). 0: no socket has.
 *
 * protobuf: &expo_protobuf; NULL in a program that renders no EXPO_PROTOBUF, and so holds no code
 * of protobuf.
 */
struct expo_renderer;
extern const struct expo_encoder expo_protobuf;
struct expo_body {
	char *bytes;
	size_t n;
	unsigned refs;
	struct expo_body *gzip;     /* the same compressed; NULL until somebody asks for it */
};
/*
 * expo_renderer_new - of a description and the values that it describes, all borrowed until
 * expo_renderer_free().
 *
 * rings     one for each socket of the description
 * daemon    the daemon's own values; NULL: it has none
 *
 * Returns 0, or -EBADMSG (the description is damaged, or the rings are of another one) or -ENOMEM
 * with a sentence.
 */
int expo_renderer_new(const void *desc, size_t len, const struct ring *rings,
		      const struct ring *daemon, const struct expo_encoder *protobuf,
		      struct expo_renderer **ret, struct err *err);
void expo_renderer_free(struct expo_renderer *r);
/* NULL: out of memory. */
struct expo_body *expo_render(struct expo_renderer *r, enum expo_format f, nsec now);
/*
 * A selection of series: of some groups (group[]), of some families (name[]), or both.
 *
 * With groups, a series without a group is not selected. A filter refers to the description of the
 * renderer and has to be freed before it.
 */
struct expo_filter;
/* everything; NULL: out of memory */
struct expo_filter *expo_filter_new(const struct expo_renderer *r);
void expo_filter_free(struct expo_filter *f);
/* expo_filter_add - adds an argument of the request; other names than these two are ignored.
 * -ENOENT: there is no such group or family; err is a sentence for the client. */
int expo_filter_add(struct expo_filter *f, const char *argument, const char *value,
		    struct err *err);
bool expo_filter_empty(const struct expo_filter *f);
/* expo_render_filtered - a body of /metrics (text, OpenMetrics, protobuf) that the renderer does
 * not keep. NULL: out of memory. */
struct expo_body *expo_render_filtered(struct expo_renderer *r, enum expo_format f,
				       const struct expo_filter *filter, nsec now);
/* expo_body_gzip - the body as gzip, compressed at the first call. Returns a new reference; NULL:
 * out of memory. */
struct expo_body *expo_body_gzip(struct expo_body *b);
void expo_body_unref(struct expo_body *b);
/*
 * The stream: EXPO_EVENT is the snapshot as a server-sent event. expo_mark_sent(): the body that
 * was rendered last has been sent. expo_unsent(): how many sockets have published or stalled since;
 * in ret_of, how many sockets have not stalled.
 */
unsigned expo_unsent(struct expo_renderer *r, nsec now, unsigned *ret_of);
void expo_mark_sent(struct expo_renderer *r);
/* What the http process says of itself, from now on: D_LISTENERS, D_DROPPED, and all from D_HTTP
 * on; borrowed. Of these only another number of listeners makes a body anew: the count of requests
 * would with each. */
void expo_note_http(struct expo_renderer *r, const uint64_t words[D_VALUES]);
nsec expo_interval(const struct expo_renderer *r);
/*
 * What the front page draws: metrics that the overview names, first, and all that are gauges.
 *
 * Each has a number below expo_drawn_count(), as long as the renderer lives. expo_drawn_new() is
 * called once for a renderer, before the others; false: out of memory, and then there are none.
 */
struct expo_drawn {
	nsec at;                    /* when its socket ticked last, on the samplers' clock; 0: it
	                             * has not yet */
	enum reason reason;         /* why there is no value; REASON_NONE: there is one */
	double value;
	double counted;             /* of a total: seconds in which it was counted; else NAN */
	double turns;               /* seconds in which its groups ran; NAN: it takes no turns */
};
bool expo_drawn_new(struct expo_renderer *r);
unsigned expo_drawn_count(const struct expo_renderer *r);
/* Name and labels, as in the text formats; it lives as long as the description. */
const char *expo_drawn_key(const struct expo_renderer *r, unsigned i);
/* The members `name` and `labels` of a JSON object, as the snapshot has them. */
void expo_drawn_names(const struct expo_renderer *r, unsigned i, struct strb *t);
/* All of them, now; ret has room for expo_drawn_count(). */
void expo_drawn_read(struct expo_renderer *r, nsec now, struct expo_drawn *ret);
/* Every socket has published its first sample, and none has stalled. */
bool expo_ready(struct expo_renderer *r, nsec now);

/* Names and versions of the libraries that it was built with, for --version. */
const char *expo_library(void);

#endif
