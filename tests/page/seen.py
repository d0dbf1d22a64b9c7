# SPDX-License-Identifier: MIT
"""seen.py - what the front page shows in a browser: the rows of its charts, their numbers, and what
it says of the stream.
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../e2e"))
from harness import BUILD, wait_for             # noqa: E402

PICTURES = os.path.join(BUILD, "tests/page")
STEADY = "model:nehalem-ex:stream"      # rates that do not change
PREFIXES = {"T": 1e12, "G": 1e9, "M": 1e6, "k": 1e3, "m": 1e-3, "\u00b5": 1e-6, "n": 1e-9}

# What each row of each chart shows now: {title: {socket: text}}.
ROWS = """return Object.fromEntries([...document.querySelectorAll(".chart")].map(c => [
    c.querySelector("h3").firstChild.data, Object.fromEntries([...c.querySelectorAll(".row")].map(
        r => [r.querySelector(".who").textContent, r.querySelector("b").textContent]))]))"""
STATE = "return document.getElementById('live').textContent"
GONE = re.compile("uncored does not answer since .*:.*")


def number(text):
    """Of `38.2 GB/s`, `84.0 ns`, `60.1 %`."""
    m = re.fullmatch(r"([0-9.]+) ([TGMkm\u00b5n]?)(B/s|s|W|%)", text)
    assert m, text
    return float(m[1]) * PREFIXES.get(m[2], 1) / (100 if m[3] == "%" else 1)


def near(shown, truth):
    """Three digits are shown."""
    assert abs(number(shown) - truth) <= 0.006 * truth, (shown, truth)


def silent(b):
    said = b.log()
    assert not said, said


def charts(b):
    """The rows, once each has a value."""
    def shown():
        rows = b.run(ROWS)
        return rows if len(rows) >= 4 and all(v[0].isdigit() for r in rows.values()
                                              for v in r.values()) else None
    return wait_for("charts", shown)
