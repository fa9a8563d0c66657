"""A real browser with nothing but the standard library: Chromium's own protocol over a pipe.

python -m tests.site.browser FOLDER URL ...      pictures of pages, desktop and phone, and what is wrong with them
"""

import base64
import contextlib
import json
import os
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

FLAGS = [
    *"--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking".split(),
    *"--disable-component-update --disable-sync --disable-default-apps --disable-domain-reliability --no-pings".split(),
    *"--disable-dev-shm-usage --hide-scrollbars --mute-audio".split(),
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",  # nothing can leave this machine
]
SIZES = {"desktop": (1280, 900), "phone": (390, 844)}
NAMES = ("chromium", "chromium-browser", "google-chrome")

STARTED = """
import os, sys
into, out = [os.dup2(int(n), 100 + k) for k, n in enumerate(sys.argv[1:3])]
os.dup2(into, 3)
os.dup2(out, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""  # Chromium listens on 3 and speaks on 4

LOOK = r"""(() => {
  const sign = /\\\(|\\\[|\$\$|\\(frac|dot|ddot|tau|mathsf|mathbf|operatorname|begin|left|lambda|sqrt|cdot)\b/
  const found = {formula_errors: [], broken_images: [], raw_formulas: [], too_wide: []}
  const roots = [document.body]           // and open shadow roots: notebooks draw in them
  while (roots.length) {
    const root = roots.pop()
    for (const e of root.querySelectorAll(".katex-error")) found.formula_errors.push(e.textContent)
    for (const i of root.querySelectorAll("img")) if (i.complete && !i.naturalWidth) found.broken_images.push(i.src)
    const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT)
    for (let n = walk.nextNode(); n; n = walk.nextNode()) {
      if (n.nodeType === Node.ELEMENT_NODE) { if (n.shadowRoot) roots.push(n.shadowRoot); continue }
      const e = n.parentElement
      const exempt = "script,style,code,pre,noscript,template,annotation,textarea,marimo-tex"
      if (e && sign.test(n.data) && !e.closest(exempt))
        found.raw_formulas.push(n.data.trim().slice(0, 80))
    }
  }
  const d = document.documentElement
  if (d.scrollWidth > d.clientWidth) {
    found.too_wide.push(`page: ${d.scrollWidth} > ${d.clientWidth}`)
    for (const e of document.body.querySelectorAll("*"))
      if (e.getBoundingClientRect().right > d.clientWidth + 1 && found.too_wide.length < 5)
        found.too_wide.push(`${e.tagName} ${e.className}`)
  }
  return found
})()"""


def program():
    """The Chromium of this machine, if it has one."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One Chromium: `with Browser() as browser: page = browser.page("phone")`."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs_in, self.out = os.pipe()
        self.into, theirs_out = os.pipe()
        words = [program(), *FLAGS, "--remote-debugging-pipe", f"--user-data-dir={self.folder.name}", "about:blank"]
        self.process = subprocess.Popen(
            [sys.executable, "-c", STARTED, str(theirs_in), str(theirs_out), *words],
            pass_fds=(theirs_in, theirs_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self.number, self.rest, self.answers, self.listeners = 0, b"", {}, {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError, TimeoutError, RuntimeError):
            self.send("Browser.close", timeout=5)
        self.process.kill()
        self.process.wait(10)
        os.close(self.out)
        os.close(self.into)
        self.folder.cleanup()

    def turn(self, seconds):
        """Take in what arrives, for at most so long."""
        if select.select([self.into], [], [], max(0, seconds))[0]:
            data = os.read(self.into, 1 << 20)
            if not data:
                raise OSError("Chromium has gone")
            *whole, self.rest = (self.rest + data).split(b"\0")
            for message in map(json.loads, whole):
                if "id" in message:
                    self.answers[message["id"]] = message
                elif listener := self.listeners.get(message.get("sessionId")):
                    listener(message["method"], message["params"])

    def write(self, number, method, session, params):
        message = {"id": number, "method": method, "params": params} | ({"sessionId": session} if session else {})
        os.write(self.out, json.dumps(message).encode() + b"\0")

    def send(self, method, session=None, timeout=30, **params):
        """Ask, and wait for the answer."""
        self.number += 1
        number, end = self.number, time.monotonic() + timeout
        self.write(number, method, session, params)
        while number not in self.answers:
            if time.monotonic() > end:
                raise TimeoutError(method)
            self.turn(end - time.monotonic())
        answer = self.answers.pop(number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def page(self, size="desktop", height=None):
        return Page(self, size, height)


class Page:
    """A page in a context of its own."""

    def __init__(self, browser, size, height):
        self.browser, self.requests, self.errors, self.loaded, self.addresses = browser, [], [], False, {}
        self.context = browser.send("Target.createBrowserContext")["browserContextId"]
        target = browser.send("Target.createTarget", url="about:blank", browserContextId=self.context)["targetId"]
        self.session = browser.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        browser.listeners[self.session] = self.hear
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.send(f"{domain}.enable")
        self.send("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=False, flatten=True)
        self.resize(size, height)

    def resize(self, size, height=None):
        """Show it on another screen."""
        width, usual = SIZES[size]
        shape = {"width": width, "height": height or usual, "deviceScaleFactor": 1, "mobile": size == "phone"}
        self.send("Emulation.setDeviceMetricsOverride", **shape)

    def send(self, method, **params):
        return self.browser.send(method, self.session, **params)

    def hear(self, method, what):
        match method:
            case "Target.attachedToTarget":  # frames and workers tell their requests, too
                self.browser.listeners[what["sessionId"]] = self.hear
                self.browser.write(10**9 + len(self.browser.listeners), "Network.enable", what["sessionId"], {})
            case "Page.loadEventFired":
                self.loaded = True
            case "Network.requestWillBeSent":
                self.requests.append(what["request"]["url"])
                self.addresses[what["requestId"]] = what["request"]["url"]
            case "Network.webSocketCreated":
                self.requests.append(what["url"])
            case "Network.responseReceived" if what["response"]["status"] >= 400:
                self.errors.append(f"{what['response']['status']}: {what['response']['url']}")
            case "Network.loadingFailed" if not what.get("canceled"):
                self.errors.append(f"{what['errorText']}: {self.addresses.get(what['requestId'])}")
            case "Runtime.consoleAPICalled" if what["type"] in ("error", "assert"):
                self.errors.append(" ".join(str(a.get("value", a.get("description"))) for a in what["args"]))
            case "Runtime.exceptionThrown":
                details = what["exceptionDetails"]
                self.errors.append(details.get("exception", {}).get("description", details["text"]))
            case "Log.entryAdded" if what["entry"]["level"] == "error":
                self.errors.append(what["entry"]["text"])

    def rest(self, seconds):
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.browser.turn(left)

    def run(self, script):
        """The value of a JavaScript expression."""
        answer = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description"))
        return answer["result"].get("value")

    def wait(self, script, seconds=60):
        """Until a JavaScript expression is true."""
        end = time.monotonic() + seconds
        while not self.run(f"Boolean({script})"):
            if time.monotonic() > end:
                raise TimeoutError(script)
            self.rest(0.1)

    def open(self, url, ready=None):
        """Load a page, and wait until an expression is true."""
        self.loaded = False
        self.send("Page.navigate", url=url)
        end = time.monotonic() + 30
        while not self.loaded:
            if time.monotonic() > end:
                raise TimeoutError(url)
            self.browser.turn(0.2)
        if ready:
            self.wait(ready)
        self.run("document.fonts.ready.then(() => 1)")
        self.rest(0.1)

    def picture(self, path):
        size = self.send("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 16000), "scale": 1}
        data = self.send("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)["data"]
        Path(path).write_bytes(base64.b64decode(data))

    def problems(self):
        """What is wrong, by kind; empty when all is well."""
        found = self.run(LOOK)
        home = ("data", "blob", "about", "file")
        away = {u for u in self.requests if urlsplit(u).scheme not in home and urlsplit(u).hostname != "127.0.0.1"}
        found |= {"away": sorted(away), "errors": sorted(set(self.errors))}
        return {kind: what for kind, what in found.items() if what}

    def close(self):
        self.browser.send("Target.disposeBrowserContext", browserContextId=self.context)


def main(out, *urls):
    Path(out).mkdir(parents=True, exist_ok=True)
    with Browser() as browser:
        for url in urls:
            name = re.sub(r"\W+", "_", urlsplit(url).path.strip("/")) or "index"
            for size in SIZES:
                page = browser.page(size)
                page.open(url)
                page.picture(f"{out}/{name}_{size}.png")
                print(url, size, json.dumps(page.problems(), ensure_ascii=False), flush=True)
                page.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
