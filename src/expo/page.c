/* SPDX-License-Identifier: MIT
 * The front page: what runs, what is wrong and why, what the derived values are now.
 * Owns:  HTML; numbers for people. Style and script are page.css and page.js.
 * http child. Nothing from elsewhere; every text that comes from outside is escaped.
 */
#include "derive/derive.h"
#include "expo/description.h"
#include "expo/overview.h"
#include "expo/page_text.h"

#include <math.h>
#include <string.h>
#include <time.h>

#define PAGE_MAX (16u << 20)
#define QUANTITY(title, unit, how, limit, of) "|" title ";" unit ";" how ";" limit ";" of

/* The script is named by its digest, and connections lead to this server only. */
const char expo_page_policy[] =
	"default-src 'none'; style-src 'unsafe-inline'; script-src '" PAGE_JS_DIGEST "'; "
	"connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
	"frame-ancestors 'none'";

#define NAMES_MAX 10                    /* of a cause, shared by the sockets */

/* What a reason means to somebody who meets it for the first time, and what to do. */
static const char *const meanings[REASON_COUNT] = {
	[REASON_FOREIGN] = "Another program reprogrammed the counter; uncored tried three times to "
		"take it back. Stop that program, then reload.",
	[REASON_RESET] = "Somebody set the counter. If this repeats, look for another program that "
		"uses it.",
	[REASON_LATE] = "The counter was read too late to rule out a wrap. If this repeats, give "
		"the service more CPU time.",
	[REASON_READ_ERROR] = "The register could not be read. Run <code>uncorectl doctor</code>.",
	[REASON_REFUSED] = "The hardware did not accept the event or filter. Run <code>uncorectl "
		"doctor</code>, or remove the event.",
	[REASON_STOPPED] = "Its clock has stood still for 10 s. Look for a program that stopped "
		"the counters, then reload.",
	[REASON_STALLED] = "The socket is not sampled any more. Look in the kernel's log for a CPU "
		"or device that does not answer. If it lasts, restart the service.",
	[REASON_OFFLINE] = "No CPU of the socket is online. Bring one online.",
	[REASON_HIDDEN] = "The firmware hides this unit, the kernel does not show all of the "
		"socket, or what was measured of its memory (curve.json) does not hold any more. "
		"Run <code>uncorectl doctor</code>, which says which, and what can be done.",
	[REASON_CONFLICT] = "The formula does not hold for the present load. Nothing to repair.",
	[REASON_NO_DATA] = "Nothing was counted, or the kernel had no free counter. If it lasts "
		"under load, stop other tools, or make the group smaller. Energy that never "
		"rises: nothing is behind that counter here.",
	[REASON_PAUSED] = "<code>uncorectl pause</code> has left the counters to another tool. "
		"uncored goes on when that ends.",
};

/* For text and for attributes in single quotes, which series are full of double ones. */
static void add_escaped(struct strb *t, const char *s)
{
	static const char special[] = "&<>'";
	static const char *const entities[] = { "&amp;", "&lt;", "&gt;", "&#39;" };

	for (; *s; s++) {
		const char *found = strchr(special, *s);

		strb_add_mem(t, s, !found);
		strb_add(t, found ? entities[found - special] : "");
	}
}

/* Takes away what was added since there were n bytes. */
static void cut(struct strb *t, size_t n)
{
	if (!t->failed)
		t->s[t->n = n] = '\0';
}

static void add_str(struct strb *t, const struct desc *d, struct desc_str s)
{
	add_escaped(t, desc_text(d, s));
}

/* Adds nothing where the text is empty. */
static void add_between(struct strb *t, const char *before, const struct desc *d,
			struct desc_str s, const char *after)
{
	if (!s.len)
		return;
	strb_add(t, before);
	add_str(t, d, s);
	strb_add(t, after);
}

/* Digits behind the point of a size. */
static int short_places(double size, bool things)
{
	if (size >= 100 || size == 0 || (things && size == floor(size)))
		return 0;
	if (size >= 10)
		return 1;
	return size >= 0.01 ? 2 : 4;
}

/* Three significant digits: 84.2, 1.23, 999; things: a whole number has no point. */
static void add_short(struct strb *t, double v, bool things)
{
	strb_addf(t, "%.*f", short_places(fabs(v), things), v);
}

/* With the largest prefix that leaves at least 1. */
static void add_prefixed(struct strb *t, double v, const char *unit)
{
	static const struct { double size; const char *prefix; } steps[] = {
		{ 1e15, "P" }, { 1e12, "T" }, { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" },
		{ 1, "" }, { 1e-3, "m" }, { 1e-6, "µ" }, { 1e-9, "n" },
	};
	bool seconds = strcmp(unit, "s") == 0;

	for (size_t i = 0; i < COUNT(steps); i++) {
		bool usable = seconds ? steps[i].size <= 1 : steps[i].size >= 1;

		if (usable && fabs(v) >= steps[i].size) {
			add_short(t, v / steps[i].size, steps[i].size == 1);
			strb_addf(t, "%s%s%s", *steps[i].prefix || *unit ? " " : "",
				  steps[i].prefix, unit);
			return;
		}
	}
	add_short(t, v, false);
	strb_addf(t, " %s", unit);
}

static void add_number(struct strb *t, const char *unit, double v)
{
	static const char *const symbols[][2] = {
		{ "seconds", "s" }, { "bytes", "B" }, { "hertz", "Hz" }, { "joules", "J" },
		{ "watts", "W" }, { "bytes_per_second", "B/s" },
	};

	if (strcmp(unit, "ratio") == 0) {
		add_short(t, 100 * v, false);
		strb_add(t, " %");
		return;
	}
	for (size_t i = 0; i < COUNT(symbols); i++)
		if (strcmp(unit, symbols[i][0]) == 0)
			unit = symbols[i][1];
	add_prefixed(t, v, unit);
}

static void add_head(struct strb *t, const struct expo_view *v)
{
	static const char *const paths[] = {
		"/metrics", "/api/v1/status", "/api/v1/snapshot", "/api/v1/stream",
		"/api/v1/catalog", "/-/healthy", "/-/ready" };
	const struct desc *d = v->desc;

	strb_addf(t, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
		  "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
		  "<link rel=\"icon\" href=\"data:,\">"
		  "<title>%s", d->note.len ? "SIMULATED - " : "");
	add_between(t, "", d, d->host, " - ");
	add_between(t, "", d, d->processor, " - ");
	strb_add(t, "uncored</title>\n<style>\n");
	strb_add(t, page_css);
	strb_add(t, "</style></head>\n<body><main>\n<h1>");
	add_between(t, "", d, d->host, " ");
	add_between(t, "<small>uncored ", d, d->version, "");
	add_between(t, " (", d, d->revision, ")");
	strb_add(t, "</small></h1>\n");
	add_between(t, "<p>", d, d->machine, "</p>\n");
	strb_add(t, "<nav>");
	for (size_t i = 0; i < COUNT(paths); i++)
		strb_addf(t, "<a href=\"%s\">%s</a>", paths[i], paths[i]);
	strb_add(t, "</nav>\n");
	add_between(t, "<p class=\"loud\">", d, d->note, "</p>\n");
	add_between(t, "<p class=\"warn\">", d, d->uncounted, ".</p>\n");
	strb_add(t, "<section id=\"now\" hidden><h2>The last ten minutes "
		 "<small>Red: no valid value; point at it for the reason. "
		 "<span id=\"when\"></span></small></h2>\n"
		 "<div id=\"view\" class=\"view\" tabindex=\"0\" role=\"group\" aria-label=\""
		 "Charts: arrow keys move the cursor, Escape takes it away\"></div></section>\n"
		 "<div id=\"tables\">\n");
	add_between(t, "<p class=\"warn bad\">Nothing is counted: ", d, d->no_counters_reason,
		    "</p>\n");
	if (!v->words[d->sockets.n][D_CONFIG_OK])
		strb_add(t, "<p class=\"warn bad\">The last reload failed; the old configuration "
			 "is still in use. <code>uncored --check-config</code> "
			 "names every mistake, then <code>systemctl reload uncored</code>.</p>\n");
}

/* The value is what comes next: the end of a <dd> may be left out. */
static void add_row(struct strb *t, const char *name)
{
	strb_addf(t, "<dt>%s</dt><dd>", name);
}

static void add_text_row(struct strb *t, const char *name, const char *text)
{
	add_row(t, name);
	add_escaped(t, text);
}

static void add_time(struct strb *t, uint64_t wall)
{
	time_t seconds = (time_t)(wall / NSEC_PER_SEC);
	char text[64];
	struct tm tm;

	if (gmtime_r(&seconds, &tm) && strftime(text, sizeof(text), "%F %T", &tm))
		strb_addf(t, "%s.%03u UTC", text, (unsigned)(wall % NSEC_PER_SEC / NSEC_PER_MSEC));
}

/* What a socket does, in a word; invalid: how many of its slots are. */
static const char *card_word(const struct expo_view *v, uint32_t socket, unsigned invalid)
{
	if (view_stalled(v, socket))
		return "stalled";
	if (view_paused(v))
		return "paused";
	if (!v->words[socket][W_UP])
		return "no sample yet";
	if (!invalid)
		return "counting";
	if (invalid < desc_sockets(v->desc)[socket].n_slots)
		return "counting in part";
	return "not counting";
}

static void add_card(struct strb *t, const struct expo_view *v, uint32_t i)
{
	const struct desc *d = v->desc;
	const struct desc_socket *s = &desc_sockets(d)[i];
	const uint64_t *w = v->words[i];
	unsigned invalid = 0;

	for (uint32_t k = 0; k < s->n_slots; k++)
		invalid += view_slot_reason(v, i, k) != REASON_NONE;
	strb_addf(t, "<div class=\"card\"><b>socket %u</b> <span class=\"%s\">%s</span><dl>", s->id,
		  w[W_UP] && !invalid ? "ok" : "bad", card_word(v, i, invalid));
	add_text_row(t, "processor", desc_text(d, d->processor));
	if (d->model.len)
		add_text_row(t, "model", desc_text(d, d->model));
	add_text_row(t, "engine", desc_text(d, s->engine));
	add_row(t, "reading CPU");
	strb_addf(t, (uint32_t)w[W_CPU] == UINT32_MAX ? "none" : "%u", (uint32_t)w[W_CPU]);
	add_row(t, "slots");
	strb_addf(t, "%u", s->n_slots);
	if (invalid)
		strb_addf(t, ", <span class=\"bad\">%u invalid</span>", invalid);
	if (v->publications[i]) {
		add_row(t, "last read took");
		add_number(t, "seconds", (double)w[W_DURATION] / (double)NSEC_PER_SEC);
		add_row(t, "sampled at");
		add_time(t, w[W_NOW_WALL]);
	}
	strb_add(t, "</dl></div>\n");
}

/* Why a slot, or behind the slots a metric, is left out; REASON_NONE: it is not. */
static enum reason cause_of(const struct expo_view *v, uint32_t i, uint32_t k)
{
	const struct desc_socket *s = &desc_sockets(v->desc)[i];
	bool slot = k < s->n_slots;
	enum reason reason = slot ? view_slot_reason(v, i, k) :
			     view_metric_reason(v, i, k - s->n_slots);

	return v->publications[i] ? reason : REASON_NONE;
}

/* The first of what a cause leaves out on a socket. Returns how many there are. */
static unsigned add_left_out(struct strb *t, const struct expo_view *v, uint32_t i, unsigned cause)
{
	const struct desc *d = v->desc;
	const struct desc_socket *s = &desc_sockets(d)[i];
	const struct desc_metric *m = desc_metrics(d) + s->first_metric;
	unsigned n = 0, most = 1 + NAMES_MAX / d->sockets.n;

	for (uint32_t k = 0; k < s->n_slots + s->n_metrics; k++) {
		if (cause_of(v, i, k) != cause || n++ >= most)
			continue;
		if (n == 1)
			strb_addf(t, "socket %u<br>", s->id);
		strb_add(t, "<code>");
		add_str(t, d, k < s->n_slots ? desc_slots(d)[s->first_slot + k] :
			desc_series(d)[m[k - s->n_slots].series].prefix);
		strb_add(t, "</code><br>");
	}
	if (n > most)
		strb_addf(t, "and %u more<br>", n - most);
	return n;
}

static void add_invalid(struct strb *t, const struct expo_view *v)
{
	unsigned all = 0, sampled = 0;
	size_t begun;

	strb_add(t, "<h2>Invalid now</h2>\n");
	begun = t->n;
	strb_add(t, "<div class=\"wide\" tabindex=\"0\"><table><tr><th>reason</th>"
		 "<th>what to do</th><th>left out</th></tr>\n");
	for (unsigned cause = REASON_NONE + 1; cause < REASON_COUNT; cause++) {
		size_t row = t->n;
		unsigned n = 0;

		strb_addf(t, "<tr><td class=\"bad\">%s</td><td>%s</td><td class=\"name\">",
			  reason_name((enum reason)cause),
			  meanings[cause]);
		for (uint32_t i = 0; i < v->desc->sockets.n; i++)
			n += add_left_out(t, v, i, cause);
		strb_add(t, "</td></tr>\n");
		if (n == 0)
			cut(t, row);
		all += n;
	}
	strb_add(t, "</table></div>\n");
	if (all == 0)
		cut(t, begun);
	for (uint32_t i = 0; i < v->desc->sockets.n; i++)
		sampled += v->words[i][W_UP] != 0;
	if (sampled < v->desc->sockets.n)
		strb_addf(t, "<p class=\"bad\">%u of %u sockets not sampled: whether their "
			  "counters count is not known.</p>\n",
			  v->desc->sockets.n - sampled, v->desc->sockets.n);
	else if (all == 0)
		strb_add(t, "<p class=\"ok\">Nothing: every counter is valid.</p>\n");
}

/* A label, but not socket, which all values of a group have. */
static void add_label(struct strb *t, const struct desc *d, const struct desc_label *l)
{
	if (strcmp(desc_text(d, l->name), "socket") == 0)
		return;
	strb_add(t, "<small>");
	add_str(t, d, l->name);
	strb_add_char(t, ' ');
	add_str(t, d, l->value);
	strb_add(t, "</small> ");
}

/* data-g: where groups take turns, those whose time shows when a metric is derived, as page.js asks
 * for it. */
static void add_turns(struct strb *t, const struct desc *d, uint32_t i, const struct desc_metric *m)
{
	const uint32_t *members = &desc_members(d)[m->first_group];
	const char *before = "' data-g='";

	for (uint32_t n = 0; n < m->n_groups; n++) {
		strb_add(t, before);
		add_str(t, d, desc_groups(d)[desc_sockets(d)[i].first_group + members[n]].name);
		before = " ";
	}
}

/* One value with its labels; data-k is its series, as page.js spells it. Grey: it is that of the
 * last turn of its groups. */
static void add_value(struct strb *t, const struct expo_view *v, uint32_t i, uint32_t k)
{
	const struct desc *d = v->desc;
	const struct desc_metric *m = &desc_metrics(d)[desc_sockets(d)[i].first_metric + k];
	const struct desc_series *s = &desc_series(d)[m->series];
	enum reason reason = view_metric_reason(v, i, k);
	bool turns = desc_sockets(d)[i].n_rounds > 1;
	bool held = turns && !desc_has(&desc_members(d)[m->first_round], m->n_rounds,
				       v->words[i][W_ROUND]);

	strb_addf(t, "<span class=\"v%s%s\" data-k='", reason == REASON_CONFLICT ? " bad" : "",
		  held ? " held" : "");
	add_str(t, d, s->prefix);
	cut(t, t->n - 1);               /* the space that ends it */
	if (turns)
		add_turns(t, d, i, m);
	strb_add(t, "'>");
	for (uint32_t l = s->labels.first; l < s->labels.first + s->labels.n; l++)
		add_label(t, d, &desc_labels(d)[l]);
	if (m->stack)
		add_between(t, "<small>", d, desc_stacks(d)[m->stack - 1].names, "</small> ");
	if (reason)
		strb_addf(t, "<i>%s</i>", reason_name(reason));
	else
		add_number(t, desc_text(d, desc_families(d)[m->family].unit), view_number(v, s));
	strb_add(t, "</span>");
}

/* ", round 2 of 4, running" */
static void add_rounds(struct strb *t, const struct desc *d, const struct desc_socket *s,
		       const struct desc_group *g, uint64_t now)
{
	if (g->n_rounds == s->n_rounds)
		strb_addf(t, ", in all %u rounds", s->n_rounds);
	else if (g->n_rounds > 1)
		strb_addf(t, ", in %u of %u rounds", g->n_rounds, s->n_rounds);
	else
		strb_addf(t, ", round %u of %u", desc_members(d)[g->first_round] + 1, s->n_rounds);
	if (desc_has(&desc_members(d)[g->first_round], g->n_rounds, now))
		strb_add(t, ", running");
	else
		strb_add(t, ", grey: held since its last turn");
}

/* The values of a group; a metric of several is shown once, in the first. Returns whether it has
 * any: else nothing is written. */
static bool add_group(struct strb *t, const struct expo_view *v, uint32_t i, uint32_t g)
{
	const struct desc *d = v->desc;
	const struct desc_socket *s = &desc_sockets(d)[i];
	const struct desc_group *group = &desc_groups(d)[s->first_group + g];
	const struct desc_series *seconds = &desc_series(d)[group->active_series];
	uint32_t family = UINT32_MAX;
	size_t begun = t->n;

	add_between(t, "<h3>", d, group->name, "");
	strb_addf(t, " <small>socket %u, %u event%s", s->id, group->n, group->n == 1 ? "" : "s");
	if (s->n_rounds > 1)
		add_rounds(t, d, s, group, v->words[i][W_ROUND]);
	strb_add(t, ", counted for ");
	add_number(t, "seconds",
		   (double)(view_word(v, seconds) + seconds->offset) / (double)NSEC_PER_SEC);
	strb_add(t, "</small></h3>\n");
	for (uint32_t k = 0; k < s->n_metrics; k++) {
		const struct desc_metric *m = &desc_metrics(d)[s->first_metric + k];

		if (m->group != g)
			continue;
		if (family == UINT32_MAX)
			strb_add(t, "<div class=\"wide\" tabindex=\"0\"><table class=\"m\">\n");
		if (m->family != family) {
			const struct desc_family *f = &desc_families(d)[m->family];

			strb_add(t, family == UINT32_MAX ? "<tr><td class=\"name\"" :
				 "</td></tr>\n<tr><td class=\"name\"");
			if (desc_series(d)[f->first].socket == i) {     /* once is enough */
				strb_add(t, " title='");
				add_str(t, d, f->help);
				add_between(t, "\nRests on: ", d, m->rests, "");
				strb_add_char(t, '\'');
			}
			add_between(t, ">", d, m->name, "</td><td>");
		}
		family = m->family;
		add_value(t, v, i, k);
	}
	if (family == UINT32_MAX) {
		cut(t, begun);
		return false;
	}
	strb_add(t, "</td></tr>\n</table></div>\n");
	return true;
}

char *page_render(const struct expo_view *v, size_t *ret_n)
{
	const struct desc *d = v->desc;
	bool any = false;
	struct strb t;

	strb_init(&t, PAGE_MAX);
	add_head(&t, v);
	strb_add(&t, "<div class=\"cards\">\n");
	for (uint32_t i = 0; i < d->sockets.n; i++)
		add_card(&t, v, i);
	strb_add(&t, "</div>\n");
	add_invalid(&t, v);
	strb_add(&t, "<h2>Derived values of the last window</h2>\n");
	for (uint32_t i = 0; i < d->sockets.n; i++)
		for (uint32_t g = 0; g < desc_sockets(d)[i].n_groups; g++)
			any |= add_group(&t, v, i, g);
	if (!any)
		strb_add(&t, "<p>None: these groups count events alone.</p>\n");
	strb_addf(&t, "<footer>Sampled every %s. An open page follows the stream: charts show up "
		  "to ten minutes, lines beside values the last 60 windows. Exact totals are at "
		  "<a href=\"/metrics\">/metrics</a>.</footer>\n</div></main>\n"
		  "<div id=\"live\" data-wait=\"%lld\" hidden ",
		  nsec_text(d->interval).s,
		  (long long)(3 * (d->interval > NSEC_PER_SEC ? d->interval :
				   NSEC_PER_SEC) / NSEC_PER_MSEC));
	strb_add(&t, "data-overview=\"" OVERVIEW(QUANTITY) "\"></div>\n<script>");
	strb_add(&t, page_js);
	strb_add(&t, "</script></body></html>\n");
	*ret_n = t.n;
	return strb_take(&t);
}
