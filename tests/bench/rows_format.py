# SPDX-License-Identifier: MIT
"""rows_format.py - rendering one generation beside putting the same lines together from finished
prefixes and digits."""
import os
import statistics

from common import HERE, ROUNDS, Row, floor

SOCKETS = 4


def rows(generations=300):
    if not os.path.exists(HERE + "/floor_format"):
        got, why = [], "built without cmocka"
    else:
        got = [floor("floor_format", SOCKETS, generations) for _ in range(ROUNDS)]
        n, ours, bare = (statistics.median(g[i] for g in got) for i in range(3))
        why = "%.0f lines: %.0f us, %.0f ns a line; prefix and digits %.0f us, %.0f ns" \
            % (n, ours / 1000, ours / n, bare / 1000, bare / n)
    yield Row("rendering one generation / prefix and digits", "<= 1.2",
              [g[1] / g[2] for g in got], why,
              why="perf: a quarter goes into the shortest digits of derived values, a twelfth into "
                  "copying the ring's words, the rest "
                  "above the floor into asking of each series whether it is shown; the floor is "
                  "handed digits of known length.")
