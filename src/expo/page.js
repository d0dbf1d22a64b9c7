/* SPDX-License-Identifier: MIT */
/* page.js - what makes the front page follow the counters.
 *
 * Owns:  the charts of the last ten minutes, and the lines beside the derived values. Without it
 *        the page is a snapshot, as tables. Every number in a table is worded by page.c: once a
 *        second the page is fetched again and what differs is changed in place, so that focus,
 *        scrolling and selected text stay. A chart is made from the stream alone, which begins
 *        with the past.
 *
 * A chart asks the series of one quantity, the first of its metrics that the socket has. A total is
 * shown as its rate: its growth divided by the growth of the time for which it stands. A value that
 * is left out is a gap, with the reason. While other groups have their turn the value of the last
 * one is held, in grey.
 *
 * Indented lines go on with the line before: page_text.awk joins them, and leaves out comments.
 */
(() => {
"use strict";
const SPANS = [60, 120, 240, 600], SPARK = 60;
const LONGEST = SPANS[SPANS.length - 1];
const find = id => document.getElementById(id);
const live = find("live"), view = find("view"), patience = +live.dataset.wait;

/* What an operator looks at first: overview.h has the list. */
const sum = a => a.reduce((x, y) => x + y, 0);
const mean = a => sum(a) / a.length;
const max = a => Math.max(...a);
const quantities = live.dataset.overview.split("|").slice(1).map(line => {
	const [title, unit, word, limit, of] = line.split(";");
	return { title, unit, word, how: { sum, avg: mean, max }[word], limit, of: of.split(" ") };
});
/* What is asked of a metric of these: "a", "-a" or "a+b" names one or two, "-" is what is left of 1. */
const terms = name => name.split("+");
const family = term => "uncore_" + term.replace("-", "");

const escaped = v => v.replace(/[\\"]/g, "\\$&").replace(/\n/g, "\\n");
const labels = l => Object.entries(l).map(([k, v]) => k + '="' + escaped(v) + '"').join(",");
const make = (tag, text, cls) => {
	const e = document.createElement(tag);
	if (text) e.textContent = text;
	if (cls) e.className = cls;
	return e;
};
/* The name of this namespace looks like an address, and the page names none. */
const svg = new DOMParser().parseFromString("<svg>", "text/html").body.firstChild.namespaceURI;
const drawn = (tag, attributes, parent) => {
	const e = document.createElementNS(svg, tag);
	for (const k in attributes) e.setAttribute(k, attributes[k]);
	parent.append(e);
	return e;
};

/* 38.2 GB/s, 84.0 ns, 60.1 %: three digits, the largest prefix that leaves at least 1. */
const worded = (v, unit) => {
	if (unit == "%") return (100 * v).toFixed(1) + " %";
	const steps = unit == "s" ? [[1, ""], [1e-3, "m"], [1e-6, "\u00b5"], [1e-9, "n"]] :
		[[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]];
	const [size, prefix] = steps.find(([s]) => v >= s) || steps[steps.length - 1];
	return (v / size).toPrecision(3).replace(/e\+?(.*)/, "e$1") + " " + prefix + unit;
};
const clock = t => new Date(1000 * t).toLocaleTimeString();

/* One line: points {t: seconds of the server's clock, v: value or null, why: reason of a gap, held:
   v is the last turn's}. */
const lines = new Map();
let cursor = null, now = 0, began = 0, span = SPANS[0];

const query = (q, name) => terms(name).map(term => {
	const value = term.endsWith("_total") ? "rate(" + family(term) + "[2m])" :
		term[0] == "-" ? "1 - " + family(term) : family(term);
	return q.word + " by (instance, socket) (" + value + ")";
}).join(" + ");

/* What the panel says of the metric that feeds it, which a reload may change. */
const feed = (q, name) => {
	if (q.fed == name) return;
	q.fed = name;
	q.series.textContent = terms(name).map(family).join(", ");
	q.query.textContent = query(q, name);
	q.copy.textContent = "Copy";
};

/* What the values of a metric rest on: the table of the first socket that has it says so. */
const rests_on = name => [...new Set(terms(name).map(term => {
	const e = document.querySelector('[data-k^="' + family(term) + '{"]');
	const said = e && e.closest("tr").firstChild.title.split("\nRests on: ")[1];
	return said ? "Rests on: " + said + "." : "";
}))].join(" ");

/* The panel of a quantity, made when its first socket comes. */
const panel = q => {
	if (q.panel) return;
	const box = make("section", "", "chart"), more = make("details");
	const text = q.query = make("code"), copy = q.copy = make("button");
	box.append(make("h3", q.title));
	q.rows = box.appendChild(make("div"));
	q.scale = box.firstChild.appendChild(make("small"));
	q.axis = box.appendChild(make("div", "", "axis"));
	for (let i = 0; i < 5; i++) q.axis.append(make("span"));
	more.append(make("summary", "Series and query"));
	const what = more.appendChild(make("p"));
	q.series = what.appendChild(make("code"));
	q.rests = make("p");
	more.append(text, copy, q.rests);
	copy.type = "button";
	copy.setAttribute("aria-label", "Copy the query for " + q.title);
	copy.onclick = async () => {
		getSelection().selectAllChildren(text);
		try {
			await navigator.clipboard.writeText(text.textContent);
			copy.textContent = "Copied";
		} catch {
			copy.textContent = "Selected: copy with Ctrl+C";
		}
	};
	box.append(more);
	q.panel = box;
	const shown = quantities.filter(o => o.panel);
	view.replaceChildren(...shown.map(o => o.panel), absent);
};
const absent = make("p", "", "absent");

const line = (q, socket, name) => {
	const id = q.title + socket;
	let l = lines.get(id);
	panel(q);
	feed(q, name);
	if (l && l.name != name) {
		keep(l, { t: now, v: null, why: "another metric from here on" });
		l.before.clear();
		l.last.clear();
		l.units = [];
		l.name = name;
	}
	if (l) return l;
	l = { q, socket, name, points: [], before: new Map(), last: new Map(), units: [],
		peak: 0 };
	const row = make("div", "", "row"), head = row.appendChild(make("div"));
	head.append(make("span", "socket " + socket, "who"));
	l.value = head.appendChild(make("b"));
	l.range = head.appendChild(make("small"));
	l.range.title = "the least and the most of what is drawn";
	l.each = head.appendChild(make("div", "", "each"));
	l.each.setAttribute("role", "img");
	l.svg = drawn("svg", { viewBox: "0 0 600 60", preserveAspectRatio: "none", role: "img" }, row);
	l.svg.onpointermove = e => {
		const r = l.svg.getBoundingClientRect();
		move(now - span * (1 - (e.clientX - r.left) / r.width));
	};
	l.svg.onpointerleave = () => move(null);
	row.socket = +socket;
	const after = [...q.rows.children].find(o => o.socket > row.socket);
	q.rows.insertBefore(row, after || null);
	lines.set(id, l);
	return l;
};

/* The point that a cursor at t means: the last one before it, if it is not older than what a gap
   in the stream would be. */
const at = (l, t) => {
	const n = l.points.findIndex(o => o.t > t + .5), next = l.points[n];
	const p = l.points[n < 0 ? l.points.length - 1 : n - 1];
	if (p && next && next.held) return next;
	return p && t - p.t < patience / 1000 ? p : null;
};

/* -10 min, -2:30 min, -45 s, now */
const ago = s => !s ? "now" : s < 60 ? "-" + s + " s" :
	"-" + Math.floor(s / 60) + (s % 60 ? ":" + s % 60 : "") + " min";
const draw = () => {
	span = SPANS.find(s => now - began <= s) || LONGEST;
	for (const q of quantities.filter(q => q.panel)) {
		const all = [...lines.values()].filter(l => l.q == q);
		const seen = all.flatMap(l => l.points.filter(p => p.v != null).map(p => p.v));
		const limits = all.map(l => l.limit || 0);
		const top = q.unit == "%" ? 1 : max([...seen, ...all.map(peak), ...limits, 0]) * 1.05 || 1;
		const most = max([...all.flatMap(l => l.units.map(u => u.v)), 0]);
		q.rests.textContent = rests_on(q.fed);
		q.scale.textContent = q.unit == "%" ? "0 to 100 %" : seen.some(v => v) ?
			"0 to " + worded(top, q.unit) : "";
		[...q.axis.children].forEach((e, i) => { e.textContent = ago(span * (1 - i / 4)); });
		all.forEach(l => {
			drawLine(l, top);
			drawUnits(l, q.unit == "%" ? 1 : most || 1);
		});
	}
};
/* What a peak in the chart has to be of: the same as its line. A unit's is no peak of their sum or
   mean, and has no place on that scale. */
const peak = l => l.q.how == max || l.parts == 1 ? l.peak : 0;
const drawLine = (l, top) => {
	const x = t => (600 * (1 + (t - now) / span)).toFixed(1);
	const y = v => (58 - 56 * Math.min(v / top, 1)).toFixed(1);
	const { q, svg, points } = l, good = points.filter(p => p.v != null).map(p => p.v);
	svg.replaceChildren();
	let run = [], held = "";
	const end = () => {
		if (run.length) drawn("polyline", { points: run.join(" "), class: held }, svg);
		run = [];
	};
	points.forEach((p, i) => {
		if (p.v != null) {
			const kind = p.held || "", from = run[run.length - 1];
			if (from && kind != held) {
				end();
				run.push(from);
			}
			held = kind;
			return run.push(x(p.t) + "," + y(p.v));
		}
		end();
		const next = points[i + 1], to = next ? next.t : now;
		const gap = drawn("rect", { x: x(p.t), y: 0, height: 60, class: "gap",
			width: Math.max(1, x(to) - x(p.t)) }, svg);
		drawn("title", {}, gap).textContent = "left out: " + p.why;
	});
	end();
	if (peak(l)) drawn("line", { x1: 0, x2: 600, y1: y(l.peak), y2: y(l.peak), class: "peak" }, svg);
	if (l.limit) drawn("line", { x1: 0, x2: 600, y1: y(l.limit), y2: y(l.limit), class: "limit" }, svg);
	if (cursor != null)
		drawn("line", { x1: x(cursor), x2: x(cursor), y1: 0, y2: 60, class: "cursor" }, svg);
	/* the banner says that nobody answers; what was said last stands, as the rest of the page */
	const p = cursor != null ? at(l, cursor) : points.filter(o => !o.silent).pop();
	const none = cursor == null && l.rests ? "waits for its turn" : "no sample";
	const said = !p ? none : p.v == null ? p.why.replace("_", " ") : worded(p.v, q.unit);
	const range = good.length ? worded(Math.min(...good), q.unit) + " to " + worded(max(good), q.unit) :
		"";
	l.value.textContent = said;
	l.value.className = !p ? "" : p.v == null ? "bad" : p.held || "";
	const whose = peak(l) ? ", peak " : ", one unit of " + l.parts + " up to ";
	/* the limit is that of the present mix, and says nothing of what a cursor points at */
	const part = cursor == null && p && p.v != null ? (100 * p.v / l.limit).toFixed(0) + " % of " : "";
	const limit = l.limit ? ", " + part + "limit " + worded(l.limit, q.unit) : "";
	l.range.textContent = range + (l.peak ? whose + worded(l.peak, q.unit) : "") + limit;
	svg.setAttribute("aria-label", q.title + " of socket " + l.socket + ": " + said +
		(p && p.held ? ", of its last turn" : "") +
		(range ? ", range " + range : "") + limit);
};

/* A bar for each unit, link or I/O stack; all sockets have one scale. */
const drawUnits = (l, top) => {
	const said = l.units.map(u => u.who + ": " + worded(u.v, l.q.unit));
	while (l.each.childElementCount > l.units.length) l.each.lastChild.remove();
	l.units.forEach((u, i) => {
		const bar = l.each.children[i] || l.each.appendChild(make("i"));
		bar.style.setProperty("--v", (100 * u.v / top).toFixed(1) + "%");
		bar.title = said[i];
	});
	l.each.dataset.what = "each of " + said.length;
	l.each.setAttribute("aria-label", said.join(", "));
	l.each.hidden = !said.length;
};

/* All charts read the same time. Who leaves the cursor where it is sees that the figures stand, and
   after a while they go on. */
let rest;
const move = t => {
	cursor = t == null ? null : Math.min(now, Math.max(now - span, t));
	view.classList.toggle("parked", cursor != null);
	find("when").textContent = cursor == null ? "" : "at " + clock(cursor);
	clearTimeout(rest);
	if (cursor != null) rest = setTimeout(() => move(null), 30000);
	if (following) follows();
	draw();
};
view.onkeydown = e => {
	if (e.target != view) return;
	const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -60, PageDown: 60 }[e.key];
	if (step) move((cursor == null ? now : cursor) + step);
	else if (e.key == "Home") move(now - span);
	else if (e.key == "End") move(now);
	else if (e.key == "Escape") move(null);
	else return;
	e.preventDefault();
};
view.onblur = () => move(null);

/* Of each series of groups that take turns, what they are called. */
const groups = new Map();
const take_turns = () => document.querySelectorAll("[data-g]").forEach(e =>
	groups.set(e.dataset.k, e.dataset.g.split(" ")));

/* The value of a term: {v}, {why}, or nothing if there is none that is new: while another group
 * has its turn, a total is counted for a moment at the most, and other values stand. Where less time
 * has passed than none, another uncored counts now. */
const valued = (l, term, series, interval, rests) => {
	const total = term.endsWith("_total"), values = [];
	for (const s of series) {
		/* before its first turn, too */
		const held = rests(term, s);
		l.rests ||= held;
		if (!s.valid) return held && s.reason == "no_data" ? null : { why: s.reason };
		if (held) return null;
		if (!total) {
			values.push(term[0] == "-" ? 1 - s.value : +s.value);
			continue;
		}
		const id = term + labels(s.labels), b = l.before.get(id), seconds = s.active_seconds;
		const passed = b ? seconds - b.seconds : -1;
		if (passed >= 0 && passed < interval / 10) return null;
		l.before.set(id, { value: +s.value, seconds });
		if (passed > 0 && s.value >= b.value) values.push((s.value - b.value) / passed);
	}
	if (values.length != series.length) return null;
	const who = s => Object.entries(s.labels).filter(([k]) => k != "socket").flat().join(" ");
	return { v: l.q.how(values), units: series.map((s, i) => ({ who: who(s), v: values[i] })) };
};

/* The value of all terms, get(term) what each has: a sum has one that is new once each of
   them has one, and then whenever one of them has. */
const summed = (l, get) => {
	const all = terms(l.name);
	l.rests = false;
	const got = all.map(get);
	const bad = got.find(g => g && g.why);
	if (bad) {
		l.last.clear();
		l.units = [];
		return bad;
	}
	if (got.length == 1 && got[0]) l.units = got[0].units.length > 1 ? got[0].units : [];
	got.forEach((g, i) => g && l.last.set(all[i], g.v));
	return got.some(g => g) && l.last.size == all.length ? { v: sum([...l.last.values()]) } : null;
};

/* Nothing new: what was there stands, as far as that is because others have their turn. */
const hold = (l, t) => {
	const last = l.points[l.points.length - 1];
	if (!last || last.v == null || !l.rests) return;
	if (last.held) last.t = t;
	else keep(l, { t, v: last.v, held: "held" });
};
const keep = (l, p) => {
	const last = l.points[l.points.length - 1];
	if (last && last.v == null && p.v == null && last.why == p.why) return;
	l.points.push(p);
	while (l.points.length > 2 && l.points[1].t < now - LONGEST) l.points.shift();
};

const took = new Map(), turns = new Map();
const take = message => {
	const families = new Map(message.metrics.map(m => [m.name, m.series]));
	for (const s of message.sockets) now = Math.max(now, s.timestamp_seconds || 0);
	for (const s of message.sockets) {
		const id = String(s.socket);
		const of = name => (families.get(name) || []).filter(o => o.labels.socket == id);
		const up = of("uncored_up").some(o => +o.value);
		if (up && took.get(id) == s.publication) continue;
		took.set(id, s.publication);
		const was = turns.get(id), turn = new Map([["", s.timestamp_seconds]]);
		for (const o of of("uncored_group_active_seconds_total"))
			turn.set(o.labels.group, +o.value);
		turns.set(id, turn);
		/* do all groups of a series rest? Who has just come knows it of those that never ran */
		const passed = name => turn.get(name) - was.get(name);
		const rests = (term, o) => {
			const g = groups.get(family(term) + "{" + labels(o.labels) + "}");
			return !!g && g.every(name => was ? passed(name) < passed("") / 10 :
				turn.get(name) == 0);
		};
		for (const q of quantities) {
			const name = q.of.find(n => terms(n).every(t => of(family(t)).length));
			if (!name) {
				const gone = lines.get(q.title + id);
				if (gone) keep(gone, { t: now, v: null, why: "not counted" });
				continue;
			}
			const l = line(q, id, name), v = summed(l, t =>
				valued(l, t, of(family(t)), message.interval_seconds, rests));
			/* the peak of a sum is not the sum of peaks */
			const peaks = terms(name).length > 1 ? [] : of(family(name.endsWith("_total") ?
				name.replace("_bytes_total", "_peak_bytes_per_second") :
				name.replace(/_([a-z]+)$/, "_peak_$1"))).filter(o => o.valid);
			const limits = q.limit ? of(family(q.limit)).filter(o => o.valid) : [];
			l.limit = sum(limits.map(o => +o.value));
			l.parts = of(family(name)).length;
			l.peak = peaks.length ? max(peaks.map(o => +o.value)) : 0;
			if (v) keep(l, { t: up ? s.timestamp_seconds : now, v: v.v, why: v.why });
			else hold(l, s.timestamp_seconds);
		}
	}
	if (!began) began = now;
	find("now").hidden = false;
	const lacking = quantities.filter(q => !q.panel);
	const small = q => q.title.replace(/^[A-Z](?=[a-z])/, c => c.toLowerCase());
	absent.textContent = lacking.length ? "Not counted: " + lacking.map(small).join(", ") + ". uncorectl list groups shows what this processor can count: name a " +
		"group that has it in the configuration." : "";
};

/* What a term had at a point of the past: a number of each series, null where there was nothing new,
   "held" while others had their turn, or why there was none. */
const recalled = (l, term, series, i) => {
	const values = series.map(s => s.values[i]);
	const why = values.find(v => typeof v == "string" && v != "held");
	if (why) return { why };
	l.rests ||= values.includes("held");
	if (values.some(v => typeof v != "number")) return null;
	return { v: l.q.how(values.map(v => term[0] == "-" ? 1 - v : v)), units: [] };
};
/* The past, as uncored kept it. What is here already stays: after a while without an answer only
   what was missed is new. */
const recall = history => {
	const of = (id, name) => history.series.filter(s => s.name == name && s.labels.socket == id);
	const first = history.times[0], last = history.times[history.times.length - 1];
	if (!last) return;
	now = Math.max(now, last);
	began = Math.min(began || first, first);
	for (const id of new Set(history.series.map(s => s.labels.socket))) for (const q of quantities) {
		const name = q.of.find(n => terms(n).every(t => of(id, family(t)).length));
		if (!name) continue;
		const l = line(q, id, name), kept = l.points[l.points.length - 1];
		const series = new Map(terms(name).map(t => [t, of(id, family(t))]));
		history.times.forEach((t, i) => {
			if (kept && t < kept.t + .5) return;
			const v = summed(l, term => recalled(l, term, series.get(term), i));
			if (v) keep(l, { t, v: v.v, why: v.why });
			else hold(l, t);
		});
	}
	for (const s of history.series)
		if (!s.name.endsWith("_total"))
			past[s.name + "{" + labels(s.labels) + "}"] =
				s.values.filter(v => typeof v == "number").slice(-SPARK);
	draw();
};

/* The lines beside the derived values of the tables. */
const past = {};
const follow = message => {
	for (const m of message.metrics) {
		if (m.type != "gauge" || !m.name.startsWith("uncore_")) continue;
		for (const s of m.series) {
			if (!s.valid) continue;
			const p = past[m.name + "{" + labels(s.labels) + "}"] ||= [];
			p.push(+s.value);
			if (p.length > SPARK) p.shift();
		}
	}
};
const sparks = root => root.querySelectorAll("[data-k]").forEach(e => {
	const p = past[e.dataset.k] || [], top = max(p), low = Math.min(...p);
	if (p.length < 2) return;
	const y = v => top - low <= Math.abs(top) * .02 ? 6 : 11 - 10 * (v - low) / (top - low);
	const svg = drawn("svg", { viewBox: "0 0 59 12", width: 59, height: 12,
		"aria-hidden": true }, e);
	drawn("polyline", { points: p.map((v, i) =>
		SPARK - p.length + i + "," + y(v).toFixed(1)).join(" ") }, svg);
});

/* Makes a into b; where both have the same elements only texts and attributes change. */
const change = (a, b) => {
	if (a.nodeName != b.nodeName || a.childNodes.length != b.childNodes.length)
		return a.replaceWith(b);
	if (a.nodeType == 3 && a.data != b.data) a.data = b.data;
	for (const o of b.attributes || [])
		if (a.getAttribute(o.name) != o.value) a.setAttribute(o.name, o.value);
	for (const o of [...(a.attributes || [])])
		if (!b.hasAttribute(o.name)) a.removeAttribute(o.name);
	const nodes = [...b.childNodes];
	[...a.childNodes].forEach((o, i) => change(o, nodes[i]));
};
const say = (text, cls) => {
	live.textContent = text;
	live.className = cls;
	live.hidden = false;
};
let late, up, last = 0, following = false;
const follows = () => {
	if (!up) say("no new samples", "bad");
	else if (cursor != null) say("figures of " + clock(cursor) + ", held", "parked");
	else say("updating", "ok");
};
/* What the cards say of the sockets holds no more. */
const lost = text => {
	following = false;
	say(text, "bad");
	for (const e of document.querySelectorAll(".card > span")) {
		e.textContent = "not known";
		e.className = "bad";
	}
};
/* Nobody answers: all that is below is what was said last. */
const gone = () => {
	if (document.body.className) return;
	document.body.className = "gone";
	lost("uncored does not answer since " + clock(Date.now() / 1000) +
		". Everything below is what it said last.");
};
const wait = () => {
	clearTimeout(late);
	late = setTimeout(() => lost("no new samples"), patience);
};
const show = async () => {
	const page = await (await fetch("/")).text();
	const fresh = new DOMParser().parseFromString(page, "text/html").getElementById("tables");
	if (!fresh) throw 0;
	sparks(fresh);
	change(find("tables"), document.importNode(fresh, true));
	take_turns();
	document.body.className = "";
	following = true;
	follows();
};
const silence = why => {
	for (const l of lines.values()) keep(l, { t: now, v: null, why, silent: true });
	draw();
};
wait();
take_turns();
const events = new EventSource("/api/v1/stream?history");
events.onerror = () => {
	clearTimeout(late);
	gone();
	silence("no answer from uncored");
};
events.addEventListener("history", e => recall(JSON.parse(e.data)));
events.addEventListener("snapshot", e => {
	const message = JSON.parse(e.data);
	up = message.metrics.some(m => m.name == "uncored_up" && m.series.some(s => +s.value));
	if (up) wait();
	take(message);
	follow(message);
	if (document.hidden || Date.now() - last < 900) return;
	last = Date.now();
	draw();
	show().catch(gone);
});
})()
