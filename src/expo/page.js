/* SPDX-License-Identifier: MIT */
/* page.js - what makes the front page follow the counters.
 *
 * Owns:  the charts of the last ten minutes, and the lines beside the derived values. Without it
 *        the page is a snapshot, as tables. Every number in a table is worded by page.c: once a
 *        second the page is fetched again and what differs is changed in place, so that focus,
 *        scrolling and selected text stay. A chart is made from the stream alone.
 *
 * A chart asks the series of one quantity, the first of its metrics that the socket has. A total is
 * shown as its rate: its growth divided by the growth of the time for which it stands. A value that
 * is left out is a gap, with the reason.
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
	const [title, unit, word, of] = line.split(";");
	return { title, unit, word, how: { sum, avg: mean, max }[word], of: of.split(" ") };
});

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

/* One line: points {t: seconds of the server's clock, v: value or null, why: reason of a gap}. */
const lines = new Map();
let cursor = null, now = 0, began = 0, span = SPANS[0];

const asked = (q, name) => name.replace(/^-/, "");
const query = (q, name) => {
	const series = "uncore_" + asked(q, name);
	const value = name.endsWith("_total") ? "rate(" + series + "[2m])" :
		name[0] == "-" ? "1 - " + series : series;
	return q.how == max ? "max by (instance, socket) (" + value + ")" :
		q.word + " by (instance, socket) (" + value + ")";
};

/* What the panel says of the metric that feeds it, which a reload may change. */
const feed = (q, name) => {
	if (q.fed == name) return;
	q.fed = name;
	q.series.textContent = "uncore_" + asked(q, name);
	q.query.textContent = query(q, name);
	q.copy.textContent = "Copy";
};

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
	more.append(text, copy);
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
		l.name = name;
	}
	if (l) return l;
	l = { q, socket, name, points: [], before: new Map() };
	const row = make("div", "", "row"), head = row.appendChild(make("div"));
	head.append(make("span", "socket " + socket, "who"));
	l.value = head.appendChild(make("b"));
	l.range = head.appendChild(make("small"));
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
	let p;
	for (const o of l.points) if (o.t <= t + .5) p = o;
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
		const top = q.unit == "%" ? 1 : max([...seen, ...all.map(peak), 0]) * 1.05 || 1;
		q.scale.textContent = q.unit == "%" ? "0 to 100 %" : seen.some(v => v) ?
			"0 to " + worded(top, q.unit) : "";
		[...q.axis.children].forEach((e, i) => { e.textContent = ago(span * (1 - i / 4)); });
		all.forEach(l => drawLine(l, top));
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
	let run = [];
	const end = () => {
		if (run.length) drawn("polyline", { points: run.join(" ") }, svg);
		run = [];
	};
	points.forEach((p, i) => {
		if (p.v != null) return run.push(x(p.t) + "," + y(p.v));
		end();
		const next = points[i + 1], to = next ? next.t : now;
		const gap = drawn("rect", { x: x(p.t), y: 0, height: 60, class: "gap",
			width: Math.max(1, x(to) - x(p.t)) }, svg);
		drawn("title", {}, gap).textContent = "left out: " + p.why;
	});
	end();
	if (peak(l)) drawn("line", { x1: 0, x2: 600, y1: y(l.peak), y2: y(l.peak), class: "peak" }, svg);
	if (cursor != null)
		drawn("line", { x1: x(cursor), x2: x(cursor), y1: 0, y2: 60, class: "cursor" }, svg);
	const p = cursor == null ? points[points.length - 1] : at(l, cursor);
	const said = !p ? "no sample" : p.v == null ? p.why.replace("_", " ") : worded(p.v, q.unit);
	const range = good.length ? worded(Math.min(...good), q.unit) + " to " + worded(max(good), q.unit) :
		"";
	l.value.textContent = said;
	l.value.className = p && p.v == null ? "bad" : "";
	const whose = peak(l) ? ", peak " : ", one unit of " + l.parts + " up to ";
	l.range.textContent = range + (l.peak ? whose + worded(l.peak, q.unit) : "");
	svg.setAttribute("aria-label", q.title + " of socket " + l.socket + ": " + said +
		(range ? ", range " + range : ""));
};

/* All charts read the same time. Who leaves the cursor where it is sees that the figures stand, and
   after a while they go on. */
let rest;
const move = t => {
	cursor = t == null ? null : Math.min(now, Math.max(now - span, t));
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

/* The value of a quantity: {v}, {why}, or nothing if there is none that is new: while another group
 * has its turn, a total is counted for a moment at the most. Where less time has passed than none,
 * another uncored counts now. */
const valued = (l, name, series, interval) => {
	const total = name.endsWith("_total"), values = [];
	for (const s of series) {
		if (!s.valid) return { why: s.reason };
		if (!total) {
			values.push(name[0] == "-" ? 1 - s.value : +s.value);
			continue;
		}
		const id = labels(s.labels), b = l.before.get(id), seconds = s.active_seconds;
		const passed = b ? seconds - b.seconds : -1;
		if (passed >= 0 && passed < interval / 10) return null;
		l.before.set(id, { value: +s.value, seconds });
		if (passed > 0 && s.value >= b.value) values.push((s.value - b.value) / passed);
	}
	return values.length == series.length ? { v: l.q.how(values) } : null;
};

const keep = (l, p) => {
	const last = l.points[l.points.length - 1];
	if (last && last.v == null && p.v == null && last.why == p.why) return;
	l.points.push(p);
	while (l.points.length > 2 && l.points[1].t < now - LONGEST) l.points.shift();
};

const took = new Map();
const take = message => {
	const families = new Map(message.metrics.map(m => [m.name, m.series]));
	for (const s of message.sockets) now = Math.max(now, s.timestamp_seconds || 0);
	for (const s of message.sockets) {
		const id = String(s.socket);
		const of = name => (families.get(name) || []).filter(o => o.labels.socket == id);
		const up = of("uncored_up").some(o => +o.value);
		if (up && took.get(id) == s.publication) continue;
		took.set(id, s.publication);
		for (const q of quantities) {
			const name = q.of.find(n => of("uncore_" + asked(q, n)).length);
			if (!name) {
				const gone = lines.get(q.title + id);
				if (gone) keep(gone, { t: now, v: null, why: "not counted" });
				continue;
			}
			const series = of("uncore_" + asked(q, name)), l = line(q, id, name);
			const v = valued(l, name, series, message.interval_seconds);
			const peaks = of("uncore_" + (name.endsWith("_total") ?
				name.replace("_bytes_total", "_peak_bytes_per_second") :
				name.replace(/_([a-z]+)$/, "_peak_$1"))).filter(o => o.valid);
			l.parts = series.length;
			l.peak = peaks.length ? max(peaks.map(o => +o.value)) : 0;
			if (v) keep(l, { t: up ? s.timestamp_seconds : now, v: v.v, why: v.why });
		}
	}
	if (!began) began = now;
	find("now").hidden = false;
	const lacking = quantities.filter(q => !q.panel);
	absent.textContent = lacking.length ? "Not counted: " + lacking.map(q => q.title.toLowerCase())
		.join(", ") + ". uncorectl list groups shows what this processor can count: name a " +
		"group that has it in the configuration." : "";
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
	else if (cursor != null) say("figures of " + clock(cursor), "");
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
	following = true;
	follows();
};
const silence = why => {
	for (const l of lines.values()) keep(l, { t: now, v: null, why });
	draw();
};
wait();
const events = new EventSource("/api/v1/stream");
events.onerror = () => {
	clearTimeout(late);
	lost("not updating");
	silence("no answer from uncored");
};
events.addEventListener("snapshot", e => {
	const message = JSON.parse(e.data);
	up = message.metrics.some(m => m.name == "uncored_up" && m.series.some(s => +s.value));
	if (up) wait();
	take(message);
	follow(message);
	if (document.hidden || Date.now() - last < 900) return;
	last = Date.now();
	draw();
	show().catch(() => lost("not updating"));
});
})()
