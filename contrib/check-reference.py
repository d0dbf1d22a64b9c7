# SPDX-License-Identifier: MIT
"""check-reference.py - the reference page has every event, unit mask, filter key and derived
metric, and hangs together.

What must be there comes from uncorectl's lists for people and the tables of tests/catalog, not from
the page's own source.
"""
import functools
import html.parser
import importlib.util
import json
import os
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


def main():
    docs = [json.loads(ctl("list", "events", "--json", "-p", p)) for p in FAMILIES]
    spec = importlib.util.spec_from_file_location("reference",
                                                  os.path.join(SRC, "contrib/reference.py"))
    reference = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reference)
    text = reference.page(docs)
    page = Page(text)
    assert not page.odd, page.odd[:5]
    assert len(page.ids) == len(set(page.ids)), [i for i in page.ids if page.ids.count(i) > 1][:5]
    assert all(link.startswith("#") and link[1:] in page.texts
               for link in page.links), [x for x in page.links if x[1:] not in page.texts][:5]
    assert not page.loaded and "@import" not in text and "url(" not in text, page.loaded
    lacks = missing(page)
    assert not lacks, (len(lacks), lacks[:10])

    # 323535-001, 2.4.4.2: what the formula is made of, and its guard
    card = " ".join(page.texts["nehalem-ex-metric-imt_latency_seconds"].split())
    for words in ("32 ×", "bbox/IMT_VALID_OCCUPANCY bbox/IMT_INSERTS_ALL",
                  "seconds of the window wbox/CLOCKTICKS", "bbox/CONFLICTS",
                  "> 0.05", "per unit", "seconds", "gauge", "reason conflict"):
        assert words in card, (words, card)

    card = page.texts["ivytown-metric-link_sent_utilization_ratio"]
    assert "link_bytes x seconds of the window" in card and "2 per transfer" in card, card

    # the check sees what is missing, and a name is text, not markup
    docs[0]["events"] = [x for x in docs[0]["events"] if x["event"] not in ("IMT_FULL", "FRM_TYPE")]
    docs[0]["metrics"] = [m
                          for m in docs[0]["metrics"] if not any(s[1] in ("IMT_FULL", "FRM_TYPE")
                                                                 for s in reference.specs_of(m))]
    docs[0]["boxes"][0]["title"] = "<b>&"
    less = Page(reference.page(docs[:1]))
    assert ("nehalem-ex", "bbox/IMT_FULL") in missing(less)
    assert "<b>&" in less.texts["nehalem-ex-ubox"] and not less.odd
    print("%d events and metrics on %d kB" % (text.count("data-t="), len(text.encode()) // 1000))


if __name__ == "__main__":
    sys.exit(main())
