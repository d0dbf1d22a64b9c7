# SPDX-License-Identifier: MIT
"""check-reference.py - the reference page has every event, unit mask, filter key and derived
metric, and hangs together.

What must be there comes from uncorectl's lists for people and the tables of tests/catalog and
tests/plan, not from the page's own source.
"""
import functools
import html.parser
import importlib.util
import json
import os
import re
import subprocess
import sys

SRC = os.environ.get("top_srcdir", ".")
CTL = os.path.join(os.environ.get("top_builddir", "."), "uncorectl")
FAMILIES = ("nehalem-ex", "westmere-ex", "nehalem", "westmere", "ivytown")
VOID = {"meta", "input", "br"}
# what a start tag ends
IMPLIED = {"li": {"li"}, "tr": {"tr", "td", "th"}, "td": {"td", "th"}, "th": {"td", "th"}}


@functools.cache
def ctl(*args):
    return subprocess.run([CTL, *args], check=True, capture_output=True, text=True).stdout


class Page(html.parser.HTMLParser):
    """Ids, links, the text of each section and row by id; complains about tags that do not
    match."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.texts, self.loaded, self.odd = [], [], [], {}, [], []
        self.feed(text)
        self.close()
        self.texts = {i: " ".join(texts) for i, texts in self.texts.items()}
        if self.open:
            self.odd.append("left open: %s" % [t for t, _ in self.open])

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        while self.open and self.open[-1][0] in IMPLIED.get(tag, ()):
            self.open.pop()
        if "id" in attrs:
            self.ids.append(attrs["id"])
        if tag == "a":
            self.links.append(attrs["href"])
        self.loaded += [attrs[k] for k in ("src", "data", "action")
                        if k in attrs] + ([attrs["href"]] if tag == "link" else [])
        if tag not in VOID:
            self.open.append((tag, attrs.get("id")))

    def handle_endtag(self, tag):
        while self.open and self.open[-1][0] != tag and \
                self.open[-1][0] in ("li", "tr", "td", "th"):
            self.open.pop()
        if not self.open or self.open.pop()[0] != tag:
            self.odd.append("</%s> at line %d" % (tag, self.getpos()[0]))

    def handle_data(self, data):
        for _, i in self.open:
            if i:
                self.texts.setdefault(i, []).append(data)


def words_of(describe):
    """Unit masks and keys of an event as `uncorectl describe` prints them."""
    part, out = None, []
    for line in describe.splitlines():
        if not line.startswith("  "):
            part = line.split(" ")[0].rstrip(":") if line.startswith(("unit masks", "keys")) else \
                None
        elif part == "unit":
            out.append(line.split()[0])
        elif part == "keys" and not line.startswith(("  counter=", "  port=")):
            out.append(line.split("=")[0].strip() + "=")
    return out


def missing(page):
    """What the page lacks."""
    lacks = []
    for p in FAMILIES:
        for line in ctl("list", "events", "-p", p).splitlines():
            spec, text = line.split(None, 1)
            row = page.texts.get("%s-%s" % (p, spec.replace("/", "-")), "")
            lacks += [(p, spec)] if text not in row or spec.split("/")[1] not in row else []
        for line in ctl("list", "boxes", "-p", p).splitlines():
            box = line.split()[0]
            lacks += [(p, box)] if line.split(": ",
                                              1)[1] not in page.texts.get("%s-%s" % (p, box),
                                                                          "") else []
        for line in ctl("list", "metrics", "-p", p).splitlines():
            name, rest = line.split(None, 1)
            link = line[36:42].strip()
            card = page.texts.get("%s-metric-%s%s" % (p, name, "-" + link if link else ""), "")
            lacks += [(p, name)] if "uncore_" + name not in card or \
                rest.removeprefix(link).strip() not in card else []
    for p, spec in (("nehalem-ex", "cbox/LLC_HITS"), ("nehalem-ex", "rbox/XBAR_MM"),
                    ("nehalem-ex", "mbox/FVC_EV0"), ("ivytown", "ha/ADDR_OPC_MATCH"),
                    ("ivytown", "cbox/TOR_INSERTS"), ("ivytown", "qpi/CTO_COUNT"),
                    ("nehalem", "uncore/QMC_NORMAL_READS")):
        row = page.texts.get("%s-%s" % (p, spec.replace("/", "-")), "")
        wanted = words_of(ctl("describe", spec, "-p", p))
        assert wanted, spec
        lacks += [(p, spec, w) for w in wanted if " %s " % w not in " %s " % row]
    with open(os.path.join(SRC, "tests/catalog/ivytown_events.tsv")) as f:
        for box, event, umask, *_ in (line.split("\t") for line in f
                                      if line.count("\t") == 7 and not line.startswith("box\t")):
            name = {"UNC_Q_MESSAGE": "CTO_COUNT"}.get(event, event.upper().split("_", 2)[2])
            lacks += [(box, name, umask)] if umask not in ("-", "") and \
                umask.upper().replace(".", "_") not in \
                page.texts.get("ivytown-%s-%s" % (box, name), "").upper().replace(".", "_") else []
    return lacks


# Machines that must have a section, with a metric that each has by its manual.
MACHINES = {
    "Skylake-SP": "memory_read_bytes_total", "Cascade Lake": "llc_data_read_misses_total",
    "Ice Lake-SP": "llc_data_read_misses_total", "Emerald Rapids": "link_sent_data_bytes_total",
    "Granite Rapids": "memory_read_bytes_total", "Sierra Forest": "memory_read_bytes_total",
    "Haswell-EP": "memory_read_bytes_total", "Ivy Bridge-EP": "clock_hertz",
    "Nehalem-EX": "imt_latency_seconds", "Xeon 3400": "remote_read_bytes_total",
    "Zen 2": "llc_miss_latency_cycles", "Zen 5": "llc_miss_latency_seconds",
    "CMN": "clock_hertz", "DMC-620": "memory_bytes_total",
    "Xeon Max": "high_bandwidth_memory_read_bytes_total",
}
UNITS = {"bytes_total": "bytes", "seconds": "seconds", "ratio": "ratio", "hertz": "hertz",
         "cycles": "cycles"}


def described(name):
    """[(title of the machines, [words of the formula and the source])] of a metric, as
    `uncorectl describe -v` says on a machine without any PMU."""
    text = ctl("describe", name, "-v", "--path-sysfs", "/nonexistent")
    out = []
    for row in re.split(r"^uncore_\w+(?:, link \w+)?$", text, flags=re.M)[1:]:
        title = re.search(r"^available only on: (.*)$", row, re.M)[1]
        words = re.findall(r"^(?:sum of     |divided by |          \+) (?:[\d.]+ x )?(\S+)$", row,
                           re.M)
        words += re.findall(r"^cycles of   (\S+),|^source: (.*)$", row, re.M)
        out.append((title, [w for found in words
                            for w in ([found] if isinstance(found, str) else found) if w]))
    return out


def missing_of_kernel(page):
    """What the section about the kernel's PMUs lacks, of each metric of each table."""
    sections = {i: text for i, text in page.texts.items()
                if re.fullmatch(r"kernel-[^-]+", i)}
    lacks = []
    listed = ctl("list", "metrics", "-v", "-p", "nehalem-ex").split("\n\n")[1:]
    titles = {}
    for block in listed:
        title, *rows = block.strip().splitlines()
        at = [i for i, text in sections.items() if title.rstrip(":") in text]
        if len(at) != 1:
            lacks.append((title, at))
            continue
        titles[title.rstrip(":")] = at[0]
        for row in rows:
            name = row.split()[0]
            link, what = row[max(37, len(name) + 1):][:4].strip(), row[max(42, len(name) + 6):]
            card = page.texts.get("%s-metric-%s%s" % (at[0], name, "-" + link if link else ""), "")
            unit = next((u for end, u in UNITS.items() if name.endswith("_" + end)), "")
            card = " ".join(card.split())
            wanted = ["uncore_" + name, unit + " per ", *what.split("; absent: ")]
            lacks += [(at[0], name, w) for w in wanted if w.lstrip() not in card]
    names = {i.split("-metric-")[1].split("-")[0] for i in page.ids
             if i.startswith("kernel-") and "-metric-" in i}
    for name in sorted(names):
        for title, words in described(name):
            if title not in titles:     # a family of registers
                continue
            cards = " ".join(" ".join(text.split()) for i, text in page.texts.items()
                             if re.fullmatch("%s-metric-%s(-.*)?" % (titles[title], name), i))
            lacks += [(title, name, w) for w in words if w not in cards]
    with open(os.path.join(SRC, "tests/plan/ready.tsv")) as f:
        rows = [line.split("\t") for line in f if line.count("\t") == 6][1:]
    lacks += [row[:2] for row in rows if row[1].rstrip("?!") not in names]
    for machine, name in MACHINES.items():
        lacks += [(machine, name)] if not any(
            machine in text and "uncore_" + name in text for text in sections.values()) else []
    return lacks


def main():
    docs = [json.loads(ctl("list", "events", "--json", "-p", p)) for p in FAMILIES]
    spec = importlib.util.spec_from_file_location("reference",
                                                  os.path.join(SRC, "contrib/reference.py"))
    docs.append(json.loads(ctl("list", "metrics", "--json", "-v", "-p", "nehalem-ex")))
    reference = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reference)
    text = reference.page(docs)
    page = Page(text)
    assert not page.odd, page.odd[:5]
    assert len(page.ids) == len(set(page.ids)), [i for i in page.ids if page.ids.count(i) > 1][:5]
    assert all(link.startswith("#") and link[1:] in page.texts
               for link in page.links), [x for x in page.links if x[1:] not in page.texts][:5]
    assert not page.loaded and "@import" not in text and "url(" not in text, page.loaded
    lacks = missing(page) + missing_of_kernel(page)
    assert not lacks, (len(lacks), lacks[:10])

    # 323535-001, 2.4.4.2: what the formula is made of, and its guard
    card = " ".join(page.texts["nehalem-ex-metric-imt_latency_seconds"].split())
    for words in ("32 ×", "bbox/IMT_VALID_OCCUPANCY bbox/IMT_INSERTS_ALL",
                  "seconds of the window wbox/CLOCKTICKS", "bbox/CONFLICTS",
                  "> 0.05", "per unit", "seconds", "gauge", "reason conflict"):
        assert words in card, (words, card)

    card = page.texts["ivytown-metric-link_sent_utilization_ratio"]
    assert "link_bytes x seconds of the window" in card and "2 per transfer" in card, card

    card = page.texts["kernel-icx-metric-memory_read_bytes_total"]
    assert "perf/uncore_imc/cas_count_read/" in card and ".scale" in card, card

    # the check sees what is missing, and a name is text, not markup
    docs[0]["events"] = [x for x in docs[0]["events"] if x["event"] not in ("IMT_FULL", "FRM_TYPE")]
    docs[0]["metrics"] = [m
                          for m in docs[0]["metrics"] if not any(s[1] in ("IMT_FULL", "FRM_TYPE")
                                                                 for s in reference.specs_of(m))]
    docs[0]["boxes"][0]["title"] = "<b>&"
    less = Page(reference.page(docs[:1]))
    assert ("nehalem-ex", "bbox/IMT_FULL") in missing(less)
    assert "<b>&" in less.texts["nehalem-ex-ubox"] and not less.odd
    table = next(t for t in docs[-1]["tables"] if t["name"] == "skx")
    table["metrics"] = [m for m in table["metrics"] if m["name"] != "clock_hertz"]
    less = missing_of_kernel(Page(reference.page(docs)))
    assert ("kernel-skx", "clock_hertz", "hertz per ") in less, less
    print("%d events and metrics on %d kB" % (text.count("data-t="), len(text.encode()) // 1000))


if __name__ == "__main__":
    sys.exit(main())
