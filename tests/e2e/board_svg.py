# SPDX-License-Identifier: MIT
"""board_svg.py - a dashboard as an SVG: its panels where Grafana has them, filled with what a
Prometheus answered. Not Grafana's own drawing: it shows what is there, and what is missing.
"""
import math
import time
from xml.sax.saxutils import escape

CELL, ROW, PAD = 50, 30, 8              # of Grafana's grid of 24 columns
COLOURS = ("#0b66c3", "#c2410c", "#15803d", "#7e22ce", "#b45309", "#0e7490", "#be123c", "#4d7c0f")
LEGENDS = 8                             # more are a number
STYLE = """
text { font: 10px sans-serif; fill: #333 } .title { font-weight: bold; font-size: 12px }
.row { font-weight: bold; font-size: 14px } .stat { font-size: 20px }
.box { fill: #fff; stroke: #bbb } .grid { stroke: #ddd } svg { background: #f4f4f4 }
"""
DECIMAL, BINARY = ("", "k", "M", "G", "T", "P"), ("", "Ki", "Mi", "Gi", "Ti", "Pi")
UNITS = {"Bps": ("B/s", 1000, DECIMAL), "bytes": ("B", 1024, BINARY),
         "hertz": ("Hz", 1000, DECIMAL), "ops": ("/s", 1000, DECIMAL),
         "watt": ("W", 1000, DECIMAL)}


def number(value, unit):
    """A value as Grafana writes it in a unit."""
    if unit == "percentunit":
        return "%.3g %%" % (100 * value)
    if unit in ("s", "dateTimeFromNow") and 0 < abs(value) < 1:
        e = min(3, math.ceil(-math.log10(abs(value)) / 3))
        return "%.3g %ss" % (value * 1000 ** e, ("", "m", "u", "n")[e])
    word, base, prefixes = UNITS.get(unit, (unit if unit == "s" else "", 1000, DECIMAL))
    e = 0
    while abs(value) >= base and e < len(prefixes) - 1:
        value, e = value / base, e + 1
    return ("%.4g %s%s" % (value, prefixes[e], word)).strip()


def text(x, y, what, kind="", anchor="start"):
    return '<text x="%.1f" y="%.1f" class="%s" text-anchor="%s">%s</text>' % (
        x, y, kind, anchor, escape(what))


def axis(low, high, unit, box):
    """Lines of the grid with their numbers."""
    x, y, w, h = box
    for i in range(5):
        at = y + h - h * i / 4
        yield '<path class="grid" d="M%.1f %.1fh%.1f"/>' % (x, at, w)
        yield text(x - 4, at + 3, number(low + (high - low) * i / 4, unit), anchor="end")


def hours(start, end, box):
    x, y, w, h = box
    for i in range(5):
        at = time.strftime("%H:%M:%S", time.gmtime(start + (end - start) * i / 4))
        yield text(x + w * i / 4, y + h + 12, at, anchor="middle")


def plot_area(box, legends):
    x, y, w, h = box
    return x + 60, y + 24, w - 74, h - 44 - 11 * legends


def curves(panel, lines, span, box):
    """lines: [(legend, [(time, value)])]"""
    start, end = span
    area = x, y, w, h = plot_area(box, min(len(lines), LEGENDS + 1))
    values = [v for _, points in lines for _, v in points]
    low = panel.low if panel.low is not None else min(values)
    high = max(values)
    high = high if high > low else low + (abs(low) or 1)
    yield from axis(low, high, panel.unit, area)
    yield from hours(start, end, area)
    for k, (name, points) in enumerate(lines):
        d, before = [], -math.inf
        for t, v in points:
            new = t - before > 1.5 * span_step(points)
            d.append("%s%.1f %.1f" % ("M" if new else "L", x + w * (t - start) / (end - start),
                                      y + h - h * (v - low) / (high - low)))
            before = t
        colour = COLOURS[k % len(COLOURS)]
        yield '<path fill="none" stroke="%s" stroke-width="1.2" d="%s"/>' % (colour, "".join(d))
        at = y + h + 24 + 11 * k
        if k < LEGENDS:
            yield '<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>' % (x - 50, at - 3, colour)
            yield text(x - 42, at, name)
        elif k == LEGENDS:
            yield text(x - 42, at, "and %d more" % (len(lines) - LEGENDS))


def span_step(points):
    return min((b[0] - a[0] for a, b in zip(points, points[1:])), default=1)


def cells(panel, lines, span, box):
    """A heat map: of counts by bucket, or of how many lines have a value of each of 24 steps."""
    start, end = span
    area = x, y, w, h = plot_area(box, 0)
    heat = {}
    if panel.buckets:
        bounds = sorted({float(name) for name, _ in lines})
        marks = [number(b, panel.unit) if b < math.inf else "more" for b in bounds]
        by_le = {float(name): dict(points) for name, points in lines}
        for t in sorted({t for _, points in lines for t, _ in points}):
            below = 0
            for i, b in enumerate(bounds):
                upto = by_le[b].get(t, below)
                heat[t, i], below = upto - below, upto
    else:
        values = [v for _, points in lines for _, v in points]
        low, high = min([panel.low or 0] + values), max(values) or 1
        bounds = [low + (high - low) * (i + 1) / 24 for i in range(24)]
        marks = [number(b, panel.unit) if i % 6 == 5 else "" for i, b in enumerate(bounds)]
        for _, points in lines:
            for t, v in points:
                i = min(23, int(24 * (v - low) / ((high - low) or 1)))
                heat[t, i] = heat.get((t, i), 0) + 1
    most = max(heat.values()) or 1
    times = sorted({t for t, _ in heat})
    wide = w * (span_step([(t, 0) for t in times]) / (end - start) if len(times) > 1 else 1)
    for (t, i), n in heat.items():
        if n > 0:
            yield '<rect x="%.1f" y="%.1f" width="%.2f" height="%.2f" fill="#d9480f" ' \
                'fill-opacity="%.2f"/>' % (x + w * (t - start) / (end - start) - wide,
                                           y + h - h * (i + 1) / len(bounds), wide,
                                           h / len(bounds) - 0.5, 0.15 + 0.85 * n / most)
    for i, mark in enumerate(marks):
        yield text(x - 4, y + h - h * (i + 0.5) / len(bounds) + 3, mark, anchor="end")
    yield from hours(start, end, area)


def table(panel, rows, box):
    """rows: [{column: text}]"""
    x, y, w, h = box
    columns = [c for c in dict.fromkeys(k for row in rows for k in row)]
    fit = int((h - 40) / 13)
    for k, column in enumerate(columns):
        at = x + PAD + (w - 2 * PAD) * k / len(columns)
        yield text(at, y + 30, column, "title")
        for n, row in enumerate(rows[:fit]):
            room = int((w - 2 * PAD) / len(columns) / 5.2)
            yield text(at, y + 44 + 13 * n, row.get(column, "")[:room])
    if len(rows) > fit:
        yield text(x + w - PAD, y + h - 3, "%d rows" % len(rows), anchor="end")


def draw(board, span, answers):
    """answers: {panel: what curves, cells or table draw; of a stat, the value or None}"""
    out, bottom = [], 0
    for p in board.rows:
        box = x, y, w, h = (PAD + CELL * p.at["x"], 24 + ROW * p.at["y"],
                            CELL * p.at["w"] - 4, ROW * p.at["h"] - 4)
        bottom = max(bottom, y + h)
        if p.kind == "row":
            out.append(text(x, y + 20, p.title, "row"))
            continue
        out.append('<rect class="box" x="%d" y="%d" width="%d" height="%d"/>' % box)
        out.append(text(x + PAD, y + 15, p.title, "title"))
        got = answers[p]
        if got is None or got == []:
            out.append(text(x + w / 2, y + h / 2 + 8, p.empty or "No data", "stat", "middle"))
        elif p.kind == "stat":
            said = p.text(got) or number(got, p.unit)
            out.append(text(x + w / 2, y + h / 2 + 12, said, "stat", "middle"))
        elif p.kind == "table":
            out += table(p, got, box)
        else:
            out += (cells if p.kind == "heatmap" else curves)(p, got, span, box)
    return ('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d">\n<style>%s</style>\n'
            '<rect width="100%%" height="100%%" fill="#f4f4f4"/>\n%s\n%s\n</svg>\n' % (
                24 * CELL + 2 * PAD, bottom + PAD, STYLE, text(PAD, 17, board.title, "row"),
                "\n".join(out)))
