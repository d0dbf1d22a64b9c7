# SPDX-License-Identifier: MIT
"""looks.py - how the front page is looked at, in a real browser: by keyboard, by pointer, by those
who see badly, on a narrow screen, without script, after the end of uncored; how soon it is there.

axe-core comes from npm (`./bootstrap check-page` fetches it).
"""
import glob
import os
import re
import signal
import sys
import time

from seen import GONE, PICTURES, ROWS, STATE, STEADY, charts, near, silent
import harness
from harness import Uncored, read, skip, wait_for, write
from browser import Browser


def test_which_host_it_is():
    """Somebody with ten tabs finds the one he means."""
    name = os.uname().nodename
    u = Uncored("--engine", STEADY)
    with Browser() as b:
        b.open(u.url + "/")
        assert b.run("return document.title") == "SIMULATED - %s - nehalem-ex - uncored" % name
        assert b.run("return document.querySelector('h1').textContent").startswith(name + " ")


# How many points each row has.
POINTS = """return [...document.querySelectorAll(".row")].map(r => [...r.querySelectorAll(
    "polyline")].flatMap(p => p.getAttribute("points").split(" ")).length)"""


def test_by_keyboard():
    u = Uncored("--engine", STEADY)
    cursors = "return [...document.querySelectorAll('.cursor')].map(c => c.getAttribute('x1'))"
    with Browser() as b:
        b.open(u.url + "/")
        charts(b)
        wait_for("three points to go back to", lambda: min(b.run(POINTS)) >= 3)
        for _ in range(20):
            b.keys("Tab")
            if b.run("return document.activeElement.id") == "view":
                break
        b.keys("ArrowLeft", "ArrowLeft")
        lines = b.run(cursors)
        assert len(lines) == 8 and len(set(lines)) == 1, lines
        assert b.run("return document.getElementById('when').textContent").startswith("at ")
        time.sleep(2.5)         # the page follows the stream, and the focus stays
        assert b.run("return document.activeElement.id") == "view"
        b.keys("Escape")
        assert b.run(cursors) == []
        b.keys("Tab")
        assert b.run("return document.activeElement.tagName") == "SUMMARY"
        time.sleep(2.5)
        assert b.run("return document.activeElement.tagName") == "SUMMARY"


def test_by_pointer():
    """One cursor in all charts, wherever the pointer is; none when it has left."""
    u = Uncored("--engine", STEADY)
    cursors = "return [...document.querySelectorAll('.cursor')].map(c => +c.getAttribute('x1'))"
    with Browser() as b:
        b.open(u.url + "/")
        charts(b)
        for where in (0.25, 0.75):
            x, y = b.run("const r = document.querySelectorAll('.row svg')[2]."
                         "getBoundingClientRect(); return [r.x + r.width * arguments[0], "
                         "r.y + r.height / 2]", where)
            b.cdp("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
            # of 600; it stays at its time while the minute that is shown goes on
            lines = wait_for("cursors", lambda: b.run(cursors))
            assert len(lines) == 8 and len(set(lines)) == 1, lines
            assert abs(lines[0] - 600 * where) < 60, (where, lines)
            assert b.run("return document.getElementById('when').textContent").startswith("at ")
        b.cdp("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
        wait_for("no cursor", lambda: b.run(cursors) == [])
        silent(b)


def test_a_parked_cursor_says_what_stands():
    """While the figures are of one moment the page does not say that they are new; a cursor that
    nobody moves any more lets go."""
    u = Uncored("--engine", STEADY)
    state = STATE
    colours = "return [...new Set([...document.querySelectorAll('.row b, #live')].map(e => " \
              "getComputedStyle(e).color))]"
    with Browser() as b:
        b.open(u.url + "/")
        charts(b)
        wait_for("updating", lambda: b.run(state) == "updating")
        free = b.run(colours)
        x, y = b.run("const r = document.querySelectorAll('.row svg')[2].getBoundingClientRect();"
                     "return [r.x + r.width / 2, r.y + r.height / 2]")
        b.cdp("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        for _ in range(4):
            wait_for("it says so", lambda: re.fullmatch("figures of .*, held", b.run(state)))
            looks = b.run(colours)
            assert len(looks) == 1 and looks[0] not in free, (free, looks)
            time.sleep(1)
        wait_for("updating again", lambda: b.run(state) == "updating", 40)
        assert b.run(colours) == free, (free, b.run(colours))
        assert b.run("return document.querySelectorAll('.cursor').length") == 0
        silent(b)


def test_a_cursor_after_the_end():
    """Who looks back while nobody answers still reads that nobody does."""
    u = Uncored("--engine", STEADY)
    state = "return document.getElementById('live').textContent"
    cursors = "return document.querySelectorAll('.cursor').length"
    with Browser() as b:
        b.open(u.url + "/")
        charts(b)
        wait_for("updating", lambda: b.run(state) == "updating")
        u.stop()
        said = wait_for("the end", lambda: GONE.match(b.run(state)))[0]
        x, y = b.run("const r = document.querySelectorAll('.row svg')[2].getBoundingClientRect();"
                     "return [r.x + r.width / 2, r.y + r.height / 2]")
        for at, n in ((x, y), 8), ((1, 1), 0):
            b.cdp("Input.dispatchMouseEvent", type="mouseMoved", x=at[0], y=at[1])
            wait_for("the cursor", lambda: b.run(cursors) == n)
            assert b.run(state) == said, (at, b.run(state))


def test_nothing_counts_after_the_end():
    """Whoever looks at the page does not read that a socket counts where nobody answers: one banner
    says so, over the last figures, and nothing of the page has a colour any more."""
    grey = "return [...document.querySelectorAll('main')].map(e => getComputedStyle(e).filter)"
    banner = "const r = document.getElementById('live').getBoundingClientRect();" \
             "return [r.x, r.y, r.width, document.documentElement.clientWidth, " \
             "document.querySelector('h1').getBoundingClientRect().y >= r.bottom]"
    cards = "return [...document.querySelectorAll('.card > span')].map(" \
            "e => e.className + ' ' + e.textContent)"
    options = ["--engine", STEADY, "--listen", "127.0.0.1:%d" % harness.free_port()]
    u = Uncored(*options)
    with Browser() as b:
        b.open("http://" + options[-1] + "/")
        charts(b)
        wait_for("counting", lambda: b.run(cards) == ["ok counting"] * 2)
        assert b.run(grey) == ["none"], b.run(grey)
        u.stop()
        wait_for("nobody knows", lambda: b.run(cards) == ["bad not known"] * 2 and
                 GONE.match(b.run(STATE)) and b.run(grey) == ["grayscale(1)"])
        x, y, width, whole, free = b.run(banner)
        assert (x, y, width) == (0, 0, whole) and free, (x, y, width, whole, free)
        text = b.run("return document.body.innerText")
        assert len(re.findall("answer|not updating|no new", text)) == 1, text
        assert all(v[0].isdigit() for r in b.run(ROWS).values() for v in r.values()), b.run(ROWS)
        b.screenshot(os.path.join(PICTURES, "end.png"))
        u = Uncored(*options)
        wait_for("counting again", lambda: b.run(cards) == ["ok counting"] * 2)
        wait_for("colours", lambda: b.run(grey) == ["none"] and b.run(STATE) == "updating")
    u.stop()


def test_without_script():
    """What the server writes is a whole page: a table with values, and no chart."""
    u = Uncored("--engine", STEADY)
    wait_for("a window of each", lambda: sum(k.startswith("uncore_llc_socket_hit_ratio{")
                                             for k in u.metrics()) == 2)
    with Browser() as b:
        b.cdp("Emulation.setScriptExecutionDisabled", value=True)
        b.open(u.url + "/")
        dom = b.cdp("DOM.getDocument", depth=-1)["root"]
        page = b.cdp("DOM.getOuterHTML", nodeId=dom["nodeId"])["outerHTML"]
        assert not re.search('class="chart"', page) and "Invalid now" in page
        shown = dict(re.findall(r'<span class="v" data-k="(uncore_llc_socket_hit_ratio[^"]*)">'
                                r'([^<]*)</span>', page))
        assert len(shown) == 2, page[:9000]
        for key, text in shown.items():
            near(text, u.value(key.replace("&quot;", '"')))
        box = b.cdp("DOM.getBoxModel", nodeId=b.cdp(
            "DOM.querySelector", nodeId=dom["nodeId"], selector="[data-k]")["nodeId"])
        assert box["model"]["width"] > 0, "it is seen"
        hidden = b.cdp("DOM.querySelector", nodeId=dom["nodeId"], selector="#now[hidden]")
        assert hidden["nodeId"], "no empty frame for charts"
        silent(b)


def test_narrow_and_dark():
    u = Uncored("--engine", "model:nehalem-ex:day")
    for name, width, dark in (("narrow", 360, False), ("dark", 1280, True)):
        with Browser(width, 1400, dark) as b:
            b.open(u.url + "/")
            charts(b)
            time.sleep(3)
            assert b.run("return document.documentElement.scrollWidth") <= width, name
            silent(b)
            b.screenshot(os.path.join(PICTURES, name + ".png"))


def axe():
    """The script of axe-core."""
    found = glob.glob(os.path.join(PICTURES, "node_modules/axe-core/axe.min.js"))
    if not found:
        skip("axe-core is not installed: ./bootstrap check-page")
    return read(found[0])


def nobody_is_kept_out(b):
    b.run("for (const d of document.querySelectorAll('details')) d.open = true")
    b.run(axe())
    found = b.run_async("const done = arguments[0]; axe.run().then(r => done("
                        "[r.passes.length, r.violations.filter(v => "
                        "['serious', 'critical'].includes(v.impact)).map(v => [v.id, "
                        "v.help, v.nodes.slice(0, 3).map(n => n.html)])]))")
    assert found[0] > 10, "axe-core did not look"
    assert found[1] == [], found[1]


LOOKS = ((1280, False), (1280, True), (360, False))


def test_nobody_is_kept_out():
    """axe-core finds nothing serious, whichever way the page is looked at."""
    axe()
    u = Uncored("--engine", STEADY)
    for width, dark in LOOKS:
        with Browser(width, 1400, dark) as b:
            b.open(u.url + "/")
            charts(b)
            nobody_is_kept_out(b)


def test_nobody_is_kept_out_of_what_is_invalid():
    """The same while registers cannot be read, and after a reload that failed."""
    axe()
    m = harness.Msrfs("--virtual")
    conf = write("invalid.conf", 'interval = "200ms"; groups = [ "memory", "llc" ];')
    u = Uncored("-c", conf, *m.options())
    for unit in (0xc33, 0xc73):         # data registers of both B-Boxes
        m.control("fault eio 0 0x%x on" % unit, "fault eio 1 0x%x on" % unit)
    write("invalid.conf", "groups = nonsense;")
    os.kill(u.p.pid, signal.SIGHUP)
    wait_for("the page says so", lambda: b"The last reload failed" in u.get("/")[2])
    for width, dark in LOOKS:
        with Browser(width, 1400, dark) as b:
            b.open(u.url + "/")
            wait_for("it follows", lambda: b.run(STATE) == "updating")
            rows = "return [...document.querySelectorAll('td.bad')].map(t => " \
                   "t.parentNode.textContent)"
            wait_for("what is invalid: %s" % b.run(rows), lambda: any(
                "read_error" in r and "Run uncorectl doctor" in r and
                "bbox0/IMT_INSERTS_ALL" in r for r in b.run(rows)))
            assert b.run("return document.documentElement.scrollWidth") <= width, width
            # a register that is read but counts nothing, and none that can be read: no scale
            wait_for("a scale of the ratio alone", lambda: b.run(
                "return [...document.querySelectorAll('.chart h3 small')].map(e => "
                "e.textContent)") == ["", "", "0 to 100 %"])
            nobody_is_kept_out(b)
            silent(b)
            b.screenshot(os.path.join(PICTURES, "invalid%s-%d.png" % ("-dark" * dark, width)))


def test_first_paint():
    """Beside an empty page of the same server, in turn; the smallest of nine each, on a busy
    machine of up to 45: a page that takes too long is never faster than that."""
    u = Uncored("--engine", STEADY)
    times = {"/": [], "/-/healthy": []}
    with Browser() as b:
        for turn in range(45):
            if turn >= 9 and min(times["/"]) <= 2 * min(times["/-/healthy"]):
                break
            for where, seen in times.items():
                b.open(u.url + where)
                seen.append(wait_for("a paint", lambda: b.run(
                    "const p = performance.getEntriesByName('first-contentful-paint');"
                    "return p.length ? p[0].startTime : 0")))
    page, empty = min(times["/"]), min(times["/-/healthy"])
    print("# first contentful paint: %.0f ms, %.0f ms of an empty page: %.2f times as much"
          % (page, empty, page / empty))
    assert 0 < page <= 2 * empty, times


def test_ten_minutes():
    """Memory of the page, garbage collected, after two minutes and after ten."""
    if not os.environ.get("UNCORED_TEST_LONG"):
        skip("takes ten minutes: make check-long")
    u = Uncored("--engine", "model:nehalem-ex:day")
    used = []
    with Browser() as b:
        b.open(u.url + "/")
        for seconds in (120, 480, 120):
            time.sleep(seconds)
            b.cdp("HeapProfiler.collectGarbage")
            used.append(b.cdp("Runtime.getHeapUsage")["usedSize"] / 1e6)
        silent(b)
    print("# heap after 2, 10 and 12 minutes: %.2f, %.2f, %.2f MB" % tuple(used))
    # 4,800 points of 8 lines are kept, about 1 MB
    assert used[1] < used[0] + 3 and used[2] < used[1] + 0.5, used


if __name__ == "__main__":
    harness.main(sys.modules[__name__], at_once=2)
