# SPDX-License-Identifier: MIT
"""picture.py - the picture of the front page that README shows, made from a simulated server of
today whose memory's limit was measured: `make picture`. It takes two and a half minutes, because
the charts begin empty. As root the host gets a name of its own, so that the picture does not tell
where it was made."""
import base64
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../e2e"))
import harness as h             # noqa: E402
import knee                     # noqa: E402
from browser import Browser     # noqa: E402

NAMED = ["unshare", "--uts", "sh", "-c", 'hostname db17 && exec "$0" "$@"']
ROWS = 3        # of charts

u = h.Uncored("--engine", "model:spr:day", "--path-state", knee.state("state", knee.curve()),
              argv0=NAMED if os.getuid() == 0 else None)
with Browser(1100, 700) as b:
    b.open(u.url + "/")
    time.sleep(150)
    # down to the end of a row of charts, so that none is cut through
    height = b.run("window.scrollTo(0, 0);"
                   "const ends = [...document.querySelectorAll('.chart')].map("
                   "c => c.getBoundingClientRect().bottom);"
                   "return [...new Set(ends)].sort((a, b) => a - b)[arguments[0] - 1] + 8", ROWS)
    shot = b.cdp("Page.captureScreenshot", captureBeyondViewport=True, clip={
        "x": 0, "y": 0, "width": 1100, "height": height, "scale": 1})
    with open(os.path.join(h.SRC, "docs/page.png"), "wb") as f:
        f.write(base64.b64decode(shot["data"]))
