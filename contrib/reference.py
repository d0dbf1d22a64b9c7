#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""reference.py - a page about every event and derived metric, made of the catalog's JSON.

    uncorectl list events --json -p nehalem-ex >nehalem-ex.json
    uncorectl list metrics --json -v -p nehalem-ex >kernel.json
    reference.py nehalem-ex.json [MORE.json ...] [kernel.json] >reference.html

One section for each processor and box, and one for the machines that are counted through the
kernel; one file that loads nothing else. `make reference` does it for all processors.
"""
import html
import json
import sys

STYLE = """
:root{color-scheme:light dark;--fg:#1b1f24;--dim:#5c6773;--bg:#f7f8fa;--card:#fff;--line:#dde2e8;
 --hit:#0b6bcb;--warn:#8a5300;--chip:#eef2f7}
@media(prefers-color-scheme:dark){:root{--fg:#e6e9ee;--dim:#97a3b0;--bg:#12161b;--card:#1a2027;
 --line:#2d3641;--hit:#6cb2ff;--warn:#e8b565;--chip:#232b35}}
*{box-sizing:border-box}html{scroll-padding-top:4rem}
 body{margin:0;background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif}
a{color:var(--hit);text-decoration:none}a:hover{text-decoration:underline}
 code{font:13px/1.4 ui-monospace,monospace}small,.dim{color:var(--dim)}
.page{display:grid;grid-template-columns:14rem minmax(0,1fr);max-width:90rem;margin:0 auto}
.side{position:sticky;top:0;align-self:start;height:100vh;overflow-y:auto;padding:1.2rem 1rem;
 border-right:1px solid var(--line);font-size:14px}
.side b{display:block;margin:.9rem 0 .1rem}.side a{display:block;padding:.05rem 0 .05rem .8rem}
.side b a{padding:0}
main{padding:0 1.5rem 5rem;min-width:0}
.find{position:sticky;top:0;z-index:1;background:var(--bg);padding:.8rem 0;
 border-bottom:1px solid var(--line)}
.find input{font:inherit;width:100%;padding:.45rem .8rem;border:1px solid var(--line);
 border-radius:.5rem;background:var(--card);color:inherit}
h1{font-size:1.6rem;margin:1.4rem 0 .3rem}
h2{font-size:1.45rem;margin:3rem 0 .2rem;padding-top:1rem;border-top:3px solid var(--hit)}
h3{font-size:1.15rem;margin:2.2rem 0 .3rem}h3 code{font-size:1.1rem}
h4{font-size:.95rem;margin:1.4rem 0 .4rem;color:var(--dim)}
.facts{display:flex;flex-wrap:wrap;gap:.3rem .4rem;margin:.4rem 0 .8rem;padding:0;list-style:none}
.facts li,.chip{background:var(--chip);border-radius:.4rem;padding:.05rem .5rem;font-size:13.5px}
.wide{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:.5rem;
 margin:.5rem 0}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.4rem .8rem;border-top:1px solid var(--line);vertical-align:top}
tr:first-child>th{border-top:0}th{color:var(--dim);font-weight:600;font-size:.85rem}
td table{margin:.3rem 0}td td,td th{padding:.1rem .6rem .1rem 0;border:0;font-size:14px}
.regs td:not(:last-child){white-space:nowrap}.ev>tbody>tr>td:first-child{width:22rem}
.ev>tbody>tr>td:last-child{width:13rem}.ev code b{font-weight:700;font-size:14px}
.ev small,.metric small{display:block;overflow-wrap:anywhere}
p{margin:.2rem 0}details{margin:.2rem 0}summary{cursor:pointer;color:var(--hit);font-size:14px}
.warn{color:var(--warn)}
.metrics{display:grid;grid-template-columns:repeat(auto-fill,minmax(26rem,1fr));gap:.7rem}
.metric{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.7rem .9rem}
.f{display:flex;align-items:center;flex-wrap:wrap;gap:.4rem;margin:.5rem 0;
 font:12.5px/1.5 ui-monospace,monospace;overflow-wrap:anywhere}
.q{display:inline-flex;flex-direction:column;text-align:center}
.q span+span{border-top:1px solid var(--fg)}.none{display:none}
@media(max-width:60rem){.page{display:block}.side{position:static;height:auto;border:0;columns:2}}
"""

SCRIPT = """
const box=document.getElementById('find'),rows=[...document.querySelectorAll('[data-t]')],
 parts=[...document.querySelectorAll('section.box')];
const said=document.getElementById('said');
box.addEventListener('input',()=>{
 const words=box.value.toLowerCase().split(/\\s+/).filter(Boolean);let n=0;
 for(const r of rows){
  const hit=words.every(w=>r.dataset.t.includes(w));r.classList.toggle('none',!hit);n+=hit}
 for(const p of parts)
  p.classList.toggle('none',words.length>0&&!p.querySelector('[data-t]:not(.none)'));
 said.textContent=words.length?n+' found':'';
});
"""


def e(text):
    return html.escape(str(text))


def plural(n, word):
    return "%d %s%s" % (n, word, "" if n == 1 else "s")


def event_id(processor, box, event):
    return "%s-%s-%s" % (processor, box, event)


def metric_id(processor, m):
    return "%s-metric-%s%s" % (processor, m["name"], "-" + m["link"] if m["link"] else "")


# ---------------------------------------------------------------------- events

def counters(event, box):
    if event["counters"] == "fixed":
        return "the fixed counter"
    if len(event["counters"]) == box["counters"]:
        return "any counter" if box["counters"] > 1 else "counter 0"
    return "counter%s %s only" % ("" if len(event["counters"]) == 1 else "s",
                                  ", ".join(map(str, event["counters"])))


def code(event):
    if event["code"]:
        return "code <code>%s</code>" % e(event["code"])
    ways = event["encoding"]["places"]
    return "code %s" % " or ".join("<code>%s</code>" % e(c)
                                   for c in dict.fromkeys(p["code"] for p in ways)) if ways else ""


def where(event, box):
    lines = [counters(event, box), code(event)]
    lines.append("at most %d per cycle%s%s" % (event["max_increment"],
                                               " (the box's maximum)" if event["max_increment"] ==
                                               box["max_increment"] else "",
                                               ", unit masks add up" if event["increments"] ==
                                               "add" else ""))
    if event["count_stands_for"] > 1:
        lines.append("one count stands for %d" % event["count_stands_for"])
    if event["always_runs"]:
        lines.append("a clock: it always runs")
    return "<br>".join(x for x in lines if x)


def umasks(event):
    rule = {"one": "one of", "several": "one or several of"}[event["umasks_combine"]]
    dflt = "; %s if none is given" % event["default_umask"] if event["default_umask"] else ""
    out = ["<details><summary>%s</summary><p class=dim>%s these%s</p><table>"
           % (plural(len(event["umasks"]), "unit mask"), rule, e(dflt))]
    for u in event["umasks"]:
        more = "".join(" <span class=chip>also %s</span>" % e(a) for a in u["aliases"])
        more += " <span class=chip>port %s</span>" \
            % ", ".join(map(str, u["ports"])) if u["ports"] else ""
        more += "<p class=warn>%s</p>" % e(u["disputed"]) if u["disputed"] else ""
        out.append("<tr><td><code>%s</code><td class=dim><code>%s</code><td>%s%s"
                   % (e(u["name"]), e(u["value"]), e(u["help"] or ""), more))
    return "".join(out) + "</table></details>"


def key_values(k):
    if k["form"] == "word":
        return "one of " + ", ".join("<code>%s</code>" % e(w["name"]) for w in k["words"])
    n = k["bits"][0] - k["bits"][1] + 1 + k.get("shift", 0)
    text = "%s to %s" % ((hex(k["min"]), hex((1 << n) - 1))
                         if k["form"] == "hex" else (k["min"], (1 << n) - 1))
    text += ", default <code>%s</code>" % e(k["default"]
                                            if k["form"] == "hex" else
                                            int(k["default"],
                                                16)) if not k["required"] else ", required"
    return text + (", or <code>%s</code>" % e(k["word"]["name"]) if "word" in k else "") + \
        (", needs <code>%s</code>" % e(k["needs"]) if "needs" in k else "")


def keys(event):
    pin = event["encoding"]["pin"]
    if not event["keys"] and not pin:
        return ""
    out = ["<details><summary>%s</summary><table>"
           % plural(len(event["keys"]) + bool(pin), "filter key")]
    for k in event["keys"]:
        out.append("<tr><td><code>%s=</code><td>%s<td>%s"
                   % (e(k["name"]), key_values(k), e(k["help"] or "")))
    if pin:
        out.append("<tr><td><code>%s=</code><td>from %d<td>Pins the %s; else the planner chooses" %
                   (e(pin["key"]), pin["first"], e(pin["what"] or "place")))
    return "".join(out) + "</table></details>"


def event_row(processor, event, box, used):
    name = "%s/%s" % (event["box"], event["event"])
    words = [name, event["family"], event["help"], *event["aliases"],
             *(u["name"] for u in event["umasks"])]
    out = ["<tr id='%s' data-t='%s'>"
           % (e(event_id(processor, event["box"], event["event"])), e(" ".join(words).lower()))]
    out.append("<td><code><span class=dim>%s/</span><b>%s</b></code><small><code>%s</code></small>"
               %
               (e(event["box"]), e(event["event"]), e(event["family"])))
    if event["aliases"]:
        out.append("<small>also %s</small>" % e(", ".join(event["aliases"])))
    out.append("<td><p>%s.</p>" % e(event["help"]))
    out.append("<p class=dim>%s</p>" % e(event["note"]) if event["note"] else "")
    out.append("<p class=warn>Disputed: %s</p>" % e(event["disputed"]) if event["disputed"] else "")
    out.append(umasks(event) if event["umasks"] else "")
    out.append(keys(event))
    if used:
        links = ["<a href='#%s'>%s</a>" % (e(metric_id(processor, m)), e(m["family"]))
                 for m in used]
        some = "in " + ", ".join(links) if len(links) <= 3 else \
            "<details><summary>in %d derived metrics</summary>%s</details>" % (len(links),
                                                                               ", ".join(links))
        out.append("<div class=dim>%s</div>" % some)
    out.append("<small>%s</small><td>%s" % (e(event["source"]), where(event, box)))
    return "".join(out)


# ---------------------------------------------------------------------- derived metrics

def spec_event(spec):
    """("cbox", "LLC_LOOKUP") of cbox/LLC_LOOKUP:ANY,state=1; None of a word."""
    if "/" not in spec:
        return None
    box, event = spec.split("/", 1)
    return box, event.split(":")[0].split(",")[0]


def term(processor, t, known):
    if t["event"].startswith("perf/"):
        text = "<span>%s</span>" % e(t["event"])
    elif "/" in t["event"]:
        box, event = spec_event(t["event"])
        event = known[box, event]["event"]
        text = "<a href='#%s'>%s</a>" % (e(event_id(processor, box, event)), e(t["event"]))
    else:
        text = {"seconds": "seconds of the window"}.get(t["event"],
                                                        "%s x seconds of the window" % t["event"])
    return text if t["weight"] == 1 else "%.15g &times; %s" % (t["weight"], text)


def total(processor, terms, known):
    return " + ".join(term(processor, t, known) for t in terms)


def quotient(processor, m, known):
    top = total(processor, m["numerator"], known)
    if not m["denominator"]:
        return "<span>%s</span>" % top
    return "<span class=q><span>%s</span><span>%s</span></span>" \
        % (top, total(processor, m["denominator"], known))


def formula(processor, m, known):
    out = ["1 &minus; "] if m["complement"] else []
    if m["scale"] != 1:
        out.append("<span>%.15g &times;</span>" % m["scale"])
    out.append(quotient(processor, m, known))
    if m["cycles_of"]:
        clock = total(processor, [{"event": m["cycles_of"], "weight": 1}], known)
        out.append("<span>&times;</span><span class=q><span>seconds of the "
                   "window</span><span>%s</span></span>" % clock)
    if m["clamp"]:
        out.append("<span class=dim>, kept within 0 and 1</span>")
    return "<div class=f>%s</div>" % "".join(out)


def constants_of(m, constants):
    names = dict.fromkeys(t["event"] for t in m["numerator"] + m["denominator"])
    return "".join("<small>%s: %s</small>" % (e(c["name"]), e(c["help"])) for c in constants
                   if c["name"] in names)


def absent_card(m):
    """Of a metric that nobody can count on the machines of its table."""
    return "<p class=warn>Absent: %s</p>" % e(m["absent"])


def metric_card(processor, m, known, constants):
    words = [m["family"], m["help"], m["link"] or "", m["unit"]]
    out = ["<div class=metric id='%s' data-t='%s'>"
           % (e(metric_id(processor, m)), e(" ".join(words).lower()))]
    out.append("<code><b>%s</b></code>%s" % (e(m["family"]),
                                             " <span class=chip>link=\"%s\"</span>"
                                             % e(m["link"]) if m["link"] else ""))
    out.append("<p>%s.</p>%s%s" % (e(m["help"]),
                                   absent_card(m) if m.get("absent") else
                                   formula(processor, m, known), constants_of(m, constants)))
    out.append("<small>each count in the kernel's .scale and .unit</small>" if m["scaled"] else "")
    out.append("<small>%.15g for each count where a kernel has no .scale</small>"
               % m["unscaled"] if m["unscaled"] else "")
    if m["guard"]:
        g = dict(m["guard"], complement=False)
        out.append("<p class=warn>Left out (reason conflict) while</p><div class=f>%s<span>&gt; "
                   "%.15g</span></div>" %
                   (quotient(processor, g, known), g["max"]))
    out.append("<p class=warn>Disputed: %s</p>" % e(m["disputed"]) if m["disputed"] else "")
    out.append("<span class=chip>%s</span> <span class=chip>per %s</span> <span "
               "class=chip>%s</span><small>%s</small></div>" %
               (e(m["unit"]), e(m["per"]), e(m["type"]), e(m["source"])))
    return "".join(out)


def specs_of(m):
    guard = m["guard"] or {"numerator": [], "denominator": []}
    terms = m["numerator"] + m["denominator"] + guard["numerator"] + guard["denominator"]
    return [s for s in map(spec_event,
                           [t["event"] for t in terms] +
                           ([m["cycles_of"]] if m["cycles_of"] else [])) if s]


# ---------------------------------------------------------------------- boxes and processors

def address(box, unit, row):
    bank = box["units"][unit]["banks"][row["bank"]]
    at = int(bank["base"], 16) + int(row["offset"], 16)
    return "%#x" % at if box["space"] == "msr" else \
        "%d:%d+%#x" % (bank["device"], bank["function"], at)


def registers(box):
    out = ["<details><summary>registers of unit 0</summary><table class=regs>"]
    for r in box["registers"]:
        many = " (%d, each %+d)" % (r["count"], r["step"]) if r["count"] > 1 and r["step"] else ""
        fields = ", ".join("%s %s"
                           % (f["name"], "%d:%d" % tuple(f["bits"]) if f["bits"][0] != f["bits"][1]
                              else f["bits"][0]) for f in r["fields"])
        out.append("<tr><td><code>%s</code><td><code>%s</code>%s<td class=dim>%s<td>%s" %
                   (e(r["name"].replace("%u", "0").replace("%n", str(r["first"]))),
                    e(address(box, 0, r)), many, e(r["role"].replace("_", " ")), e(fields)))
    return "".join(out) + "</table></details>"


def box_facts(box):
    facts = [plural(len(box["units"]), "unit") + " a socket",
             "%s of %d bits" % (plural(box["counters"], "counter"),
                                box["width"]) if box["counters"] else ""]
    if box["fixed"]:
        facts.append("a fixed counter of %d bits" % box["fixed"]["width"])
    facts.append({"msr": "model specific registers",
                  "pci": "PCI configuration space"}[box["space"]])
    facts.append("keys of every event: counter%s"
                 % "".join(", " + k for k in ("threshold", "edge", "invert") if box["control"][k]))
    if box["ports"]:
        facts.append("port=0 to %d required" % (len(box["ports"]["values"]) - 1))
    facts.append("clock <code>%s</code>" % e(box["clock"]) if box["clock"] else "")
    return "<ul class=facts>%s</ul>" % "".join("<li>%s" % f for f in facts if f)


def box_section(doc, box, known, home, users):
    p = doc["processor"]
    mine = [m for m in doc["metrics"] if home[id(m)] == box["name"]]
    out = ["<section class=box id='%s-%s'><h3><code>%s</code> %s</h3>"
           % (e(p), e(box["name"]), e(box["name"]), e(box["title"]))]
    out.append(box_facts(box))
    if box["ports"]:
        out.append("<p class=dim>Ports: %s</p>"
                   % ", ".join("%d %s" % (v["port"],
                                          e(" = ".join(filter(None, (v["name"], v["link"])))))
                               for v in box["ports"]["values"]))
    out.append(registers(box))
    if mine:
        out.append("<h4>Derived metrics</h4><div class=metrics>%s</div>"
                   % "".join(metric_card(p, m, known, doc["constants"]) for m in mine))
    out.append("<h4>Events</h4><div class=wide><table class=ev><tr><th>event, exported "
               "as<th>counts<th>where")
    for event in doc["events"]:
        if event["box"] == box["name"]:
            out.append(event_row(p, event, box,
                                 users.get(event_id(p, event["box"], event["event"]), [])))
    return "".join(out) + "</table></div><small>%s</small></section>" % e(box["source"])


def processor_section(doc):
    p = doc["processor"]
    known = {(v["box"], name): v for v in doc["events"] for name in [v["event"], *v["aliases"]]}
    home = {id(m): specs_of(m)[0][0] for m in doc["metrics"]}
    users = {}
    for m in doc["metrics"]:
        for box, event in dict.fromkeys(specs_of(m)):
            users.setdefault(event_id(p, box, known[box, event]["event"]), []).append(m)
    models = ", ".join("family %d model %d" % (i["family"], i["model"]) for i in doc["ids"])
    out = ["<section id='%s'><h2>%s</h2><p class=dim>%s; %s; %s, %s, %s</p>" % (
        e(p), e(doc["title"]), e(p), e(models), plural(len(doc["boxes"]), "kind") + " of box",
        plural(len(doc["events"]), "event"),
        plural(len(doc["metrics"]), "derived metric"))]
    for g in doc["groups"]:
        out.append("<p>Counted without a configuration, group <b>%s</b>: %s</p>" %
                   (e(g["name"]), ", ".join("<code>%s</code>" % e(s) for s in g["events"])))
    for box in doc["boxes"]:
        out.append(box_section(doc, box, known, home, users))
    return "".join(out) + "</section>"


def table_section(t):
    """The machines of one table of the kernel's PMUs."""
    name = "kernel-" + t["name"]
    cards = "".join(metric_card(name, m, {}, []) for m in t["metrics"])
    return "<section class=box id='%s'><h3><code>%s</code> %s</h3><div class=metrics>%s</div>" \
        "</section>" % (e(name), e(t["name"]), e(t["title"]), cards)


def kernel_section(tables):
    if not tables:
        return ""
    return "".join([
        "<section id=kernel><h2>Through the kernel</h2><p class=dim>Ready-made metrics of ",
        "events of the kernel's PMUs. An event is written as for <code>perf stat -e</code>; ",
        "<code>uncorectl doctor</code> says which of them a machine has.</p>",
        *map(table_section, tables), "</section>"])


def page(docs):
    tables = [t for doc in docs for t in doc.get("tables", [])]
    docs = [doc for doc in docs if "tables" not in doc]
    side = ["<nav class=side><b>uncored</b><small>events and metrics</small>"]
    for doc in docs:
        side.append("<b><a href='#%s'>%s</a></b>" % (e(doc["processor"]), e(doc["processor"])))
        side += ["<a href='#%s-%s'>%s <small>%d</small></a>"
                 % (e(doc["processor"]), e(b["name"]), e(b["name"]),
                    b["events"]) for b in doc["boxes"]]
    if tables:
        side.append("<b><a href='#kernel'>through the kernel</a></b>")
        side += ["<a href='#kernel-%s'>%s <small>%d</small></a>"
                 % (e(t["name"]), e(t["name"]), len(t["metrics"])) for t in tables]
    return "".join([
        "<!DOCTYPE html><html lang=en><head><meta charset=utf-8><meta name=viewport "
        "content='width=device-width,initial-scale=1'>",
        "<title>uncored: events and metrics</title><style>", STYLE,
        "</style></head><body><div class=page>", *side, "</nav><main>",
        "<h1>Events and metrics of uncored</h1><p>Everything that the register families can count, "
        "and what is derived from it; and what is ready for machines that the kernel counts on. ",
        "An event is written <code>box[unit]/EVENT[:UMASK]...[,key[=value]]...</code>; "
        "see uncored.conf(5). ",
        "This page is made of <code>uncorectl list events --json</code> and ",
        "<code>uncorectl list metrics --json -v</code>.</p>",
        "<div class=find><input id=find type=search placeholder='words of a name or of its "
        "meaning' aria-label='find'><small id=said></small></div>",
        *map(processor_section, docs), kernel_section(tables), "</main></div><script>", SCRIPT,
        "</script></body></html>\n"])


def main(files):
    if not files:
        sys.exit(__doc__)
    docs = []
    for name in files:
        with open(name) as f:
            docs.append(json.load(f))
    sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write(page(docs))


if __name__ == "__main__":
    main(sys.argv[1:])
