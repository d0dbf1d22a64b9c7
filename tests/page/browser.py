# SPDX-License-Identifier: MIT
"""browser.py - a headless Chromium, driven through chromedriver's WebDriver protocol.

Only the standard library. Both listen on loopback; names of other hosts do not resolve.
"""
import base64
import json
import re
import shutil
import tempfile
import urllib.request

from harness import Process, path, read, skip, wait_for

FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         "--hide-scrollbars", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--js-flags=--expose-gc",
         "--enable-precise-memory-info",
         "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1")


class Browser:
    """A window of width x height. Ends with the test: use it in a with statement."""
    count = 0

    def __init__(self, width=1280, height=1400, dark=False):
        chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
        if not chromium or not driver:
            skip("chromium and chromium-driver are not installed")
        self.home = tempfile.mkdtemp(prefix="profile-", dir=path("."))
        # With port 0 it takes one of IPv4 and ends if the same is not free for IPv6.
        port = "0"
        while port == "0":
            Browser.count += 1
            assert Browser.count < 9, self.driver.text()
            self.driver = Process([driver, "--port=0"], "chromedriver-%d" % Browser.count,
                                  env={"HOME": self.home, "TMPDIR": self.home})
            port = wait_for("chromedriver", self.started)
        self.url = "http://127.0.0.1:%s/session" % port
        options = {"binary": chromium, "args": list(FLAGS) + ["--user-data-dir=" + self.home]}
        made = self.ask("", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.url += "/" + made["sessionId"]
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height,
                 deviceScaleFactor=1, mobile=False)
        self.cdp("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def started(self):
        """The port; "0" if it has ended, None if that is not known yet."""
        m = re.search(r"started successfully on port (\d+)", read(self.driver.out))
        return m[1] if m else None if self.driver.running() else "0"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.ask("", method="DELETE")
        finally:
            self.driver.stop()

    def ask(self, what, body=None, method="POST"):
        """The value of one WebDriver command."""
        r = urllib.request.Request(self.url + what, method=method, data=json.dumps(
            body or {}).encode() if method == "POST" else None,
            headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(r, timeout=60) as f:
            return json.load(f)["value"]

    def cdp(self, command, **params):
        return self.ask("/goog/cdp/execute", {"cmd": command, "params": params})

    def open(self, url):
        self.ask("/url", {"url": url})

    def run(self, script, *args):
        """What the body of a function returns in the page."""
        return self.ask("/execute/sync", {"script": script, "args": list(args)})

    def run_async(self, script, *args):
        """What it hands to the function that is its last argument."""
        return self.ask("/execute/async", {"script": script, "args": list(args)})

    def log(self):
        """Messages of the console since the last call; what a policy refused is among them."""
        return self.ask("/se/log", {"type": "browser"})

    def keys(self, *names):
        """Presses keys, by the names that the protocol gives them."""
        codes = {"Tab": "\ue004", "Escape": "\ue00c", "ArrowLeft": "\ue012", "End": "\ue010",
                 "Home": "\ue011"}
        actions = [{"type": t, "value": codes[n]} for n in names for t in ("keyDown", "keyUp")]
        self.ask("/actions", {"actions": [{"type": "key", "id": "k", "actions": actions}]})

    def screenshot(self, file):
        shot = self.cdp("Page.captureScreenshot", captureBeyondViewport=True)
        with open(file, "wb") as f:
            f.write(base64.b64decode(shot["data"]))
