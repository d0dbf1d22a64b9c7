# SPDX-License-Identifier: MIT
"""rows_format.py - rendering one generation beside putting the same lines together from finished
prefixes and digits; a message of the stream beside the text, in instructions."""
import os
import statistics

from common import CODE, ROUNDS, Row, floor, instructions

SOCKETS = 4
COUNTED = 20                    # generations: under callgrind each takes fifty times as long


def messages():
    """The same series as JSON beside the text."""
    program = CODE + "/floor_format"
    ours, text = (instructions([program, str(SOCKETS), str(COUNTED)], function)
                  for function in ("snapshot_render", "text_render"))
    got, why = [], "needs valgrind, and cmocka when it was built"
    if ours and text:
        got = [ours / text]
        why = "one run each, %d generations: %.2f M and %.2f M instructions a body" % (
            COUNTED, ours / COUNTED / 1e6, text / COUNTED / 1e6)
    return Row("a message of the stream / the text, instructions", "<= 3", got, why)


def rows(generations=300):
    if not os.path.exists(CODE + "/floor_format"):
        got, why = [], "built without cmocka"
    else:
        got = [floor(CODE + "/floor_format", SOCKETS, generations) for _ in range(ROUNDS)]
        n, ours, bare = (statistics.median(g[i] for g in got) for i in range(3))
        why = "%.0f lines: %.0f us, %.0f ns a line; prefix and digits %.0f us, %.0f ns" \
            % (n, ours / 1000, ours / n, bare / 1000, bare / n)
    yield Row("rendering one generation / prefix and digits", "<= 1.2",
              [g[1] / g[2] for g in got], why,
              why="perf: a quarter goes into the shortest digits of derived values, a twelfth into "
                  "copying the ring's words, the rest "
                  "above the floor into asking of each series whether it is shown; the floor is "
                  "handed digits of known length.")
    yield messages()
