# SPDX-License-Identifier: MIT
"""svg.py - curves as an SVG that reads in dark and light: panels side by side, logarithmic x; y is
linear from 0, or logarithmic too where the curves span more than a decade."""
import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 300, 250, 52, 44, 14, 70
LABEL = 30                      # what a number below the axis takes
STYLE = """
text { font: 11px sans-serif; fill: #333 } .title { font-weight: bold; font-size: 13px }
.axis { stroke: #777; fill: none } .grid { stroke: #7774; fill: none }
.c0 { stroke: #0b66c3; fill: none } .c1 { stroke: #c2410c; fill: none }
.d0 { fill: #0b66c3 } .d1 { fill: #c2410c }
@media (prefers-color-scheme: dark) {
text { fill: #ccc } .c0 { stroke: #6cb2ff } .c1 { stroke: #ff9a5c }
.d0 { fill: #6cb2ff } .d1 { fill: #ff9a5c }
}
"""


def round_up(x):
    """The next 1, 2 or 5 times a power of ten."""
    ten = 10 ** math.floor(math.log10(x))
    return next(m * ten for m in (1, 2, 5, 10) if m * ten >= x)


def y_ticks(low, high, logarithmic=False):
    """Where the lines of a panel's grid lie; the first is the axis."""
    if low > 0 and (logarithmic or high / low > 10):
        return [10.0 ** e
                for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]
    return [round_up(high) * i / 4 for i in range(5)]


def panel(curve, x0, logarithmic):
    title, x_label, y_label, lines = curve
    xs = sorted({x for line in lines.values() for x, _ in line})
    ys = [y for line in lines.values() for _, y in line]
    ticks = y_ticks(min(ys), max(ys), logarithmic)
    span = math.log(xs[-1] / xs[0]) or 1
    w, h = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def part(y):
        return math.log(y / ticks[0]) / math.log(ticks[-1] / ticks[0]) if ticks[0] else \
            y / ticks[-1]

    def at(x, y):
        return x0 + LEFT + w * math.log(x / xs[0]) / span, TOP + h * (1 - part(y))

    out = ['<text class="title" x="%g" y="16">%s</text>' % (x0 + LEFT, escape(title)),
           '<text x="%g" y="34">%s</text>' % (x0 + LEFT, escape(y_label))]
    for y in ticks:
        out.append('<path class="%s" d="M%g %.1fh%g"/>'
                   % ("axis" if y == ticks[0] else "grid", x0 + LEFT, at(xs[0], y)[1], w))
        out.append('<text x="%g" y="%.1f" text-anchor="end">%g</text>'
                   % (x0 + LEFT - 5, at(xs[0], y)[1] + 4, y))
    for x, after in zip(xs, xs[1:] + [math.inf]):
        if after < math.inf and at(after, ticks[0])[0] - at(x, ticks[0])[0] < LABEL:
            continue
        out.append('<text x="%.1f" y="%d" text-anchor="middle">%g</text>'
                   % (at(x, ticks[0])[0], TOP + h + 16, x))
    out.append('<text x="%.1f" y="%d" text-anchor="middle">%s</text>'
               % (x0 + LEFT + w / 2, TOP + h + 32, escape(x_label)))
    for k, (name, line) in enumerate(lines.items()):
        points = [at(x, y) for x, y in line]
        out.append('<path class="c%d" stroke-width="1.8" d="M%s"/>'
                   % (k, "L".join("%.1f %.1f" % p for p in points)))
        out += ['<circle class="d%d" cx="%.1f" cy="%.1f" r="3"/>' % (k, *p) for p in points]
        y = TOP + h + 47 + 14 * k
        out.append('<circle class="d%d" cx="%g" cy="%d" r="4"/><text x="%g" y="%d">%s</text>' % (
            k, x0 + LEFT + 4, y - 4, x0 + LEFT + 14, y, escape(name)))
    return out


def draw(curves, logarithmic=False):
    """curves: (title, x label, y label, {name: [(x, y)]}), at most two lines each. logarithmic: y,
    however little it spans."""
    body = [line for i, c in enumerate(curves) for line in panel(c, i * WIDTH, logarithmic)]
    return ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d">\n'
            '<style>%s</style>\n%s\n</svg>\n' % (
        WIDTH * len(curves), HEIGHT, WIDTH * len(curves), STYLE, "\n".join(body)))
