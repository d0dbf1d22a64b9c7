# SPDX-License-Identifier: MIT
"""picture.py - the picture of the front page that README shows, made from the register model:
`make picture`. It takes two and a half minutes, because the charts begin empty."""
import base64
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../e2e"))
import harness as h             # noqa: E402
from browser import Browser     # noqa: E402

u = h.Uncored("-c", h.write("picture.conf", 'groups = [ "memory", "llc", "links" ];'),
              "--engine", "model:nehalem-ex:day")
with Browser(1100, 700) as b:
    b.open(u.url + "/")
    time.sleep(150)
    # down to the last chart and what is said below it, so that none is cut through
    height = b.run("window.scrollTo(0, 0);"
                   "return document.querySelector('.absent').getBoundingClientRect().bottom + 8")
    shot = b.cdp("Page.captureScreenshot", captureBeyondViewport=True, clip={
        "x": 0, "y": 0, "width": 1100, "height": height, "scale": 1})
    with open(os.path.join(h.SRC, "docs/page.png"), "wb") as f:
        f.write(base64.b64decode(shot["data"]))
