# SPDX-License-Identifier: MIT
"""The rows of src/catalog/tables that say what Intel publishes."""

import ast

NEAR = 1e-9


def product(node, names):
    """A formula as (factor, sums above, sums below): a sum is a dict of names and weights."""
    if isinstance(node, ast.Constant):
        return float(node.value), [], []
    if isinstance(node, ast.Name):
        return (1.0, [], []) if node.id not in names else (1.0, [{node.id: 1.0}], [])
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div)):
        (f, up, down), (g, a, b) = product(node.left, names), product(node.right, names)
        if isinstance(node.op, ast.Mult):
            return f * g, up + a, down + b
        return f / g, up + b, down + a
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        total = {}
        for f, up, down in (product(node.left, names), product(node.right, names)):
            if len(up) != 1 or down:
                raise ValueError("no sum of events")
            for k, w in up[0].items():
                total[k] = total.get(k, 0) + f * w
        return 1.0, [total], []
    raise ValueError("neither a sum nor a quotient")


def term(metric, name, weight):
    return ("IN(%s)" if weight == 1 else "TIMES(%g, %%s)" % weight) % \
        ('"%s"' % metric.atoms[name].spec())


def paste(metric, arch):
    """The rows, as far as one form fits: scale x sum / sum [x seconds per clock]."""
    lines = []
    for e in metric.atoms.values():
        more = ", .clock = true" if e.clock else ""
        if e.counters and e.counters != "0,1,2,3":
            more += ", .counters = 0x%x" % sum(1 << int(c) for c in e.counters.split(","))
        lines.append('P("%s", "perfmon %s %s"%s),' % (e.spec(), arch, e.name.split(":")[0], more))
    names = set(metric.atoms)
    try:
        factor, up, down = product(ast.parse(metric.formula.strip(), mode="eval").body, names)
    except ValueError as e:
        return lines + ["/* %s: %s */" % (metric.name, e)]
    clock = [s for s in down if len(s) == 1 and metric.atoms[next(iter(s))].clock]
    down = [s for s in down if s not in clock or len(down) == 1]
    if metric.unit == "percent":
        unit, factor = "ratio", factor / 100
    elif metric.unit == "MB/sec":
        unit, factor = "bytes", factor * 1e6
    elif metric.unit == "ns":
        unit, factor = "seconds", 1
    else:
        unit = "its unit"
    total = "_total" if not down and unit != "seconds" else ""
    text = 'M("%s_%s%s", "%s", SOCKET, "perfmon metric %s", SUM(%s)' % (
        metric.name, unit, total, unit, metric.name,
        ", ".join(term(metric, k, w) for k, w in up[0].items()))
    if abs(factor - 1) > NEAR:
        text += ", .scale = %g" % factor
    if down:
        text += ", .den = SUM(%s)" % ", ".join(term(metric, k, w) for k, w in down[0].items())
    if clock and unit == "seconds":
        text += ', .cycles_of = "%s"' % metric.atoms[next(iter(clock[0]))].spec()
    return lines + [text + ',', '  .help = "its help in our words"),   /* %s */' % metric.about]
