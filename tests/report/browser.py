# SPDX-License-Identifier: Apache-2.0
"""Chromium without a window, driven through a pipe; needs Python alone."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def find_browser():
    """Path of a Chromium or Chrome; None if there is none."""
    wanted = os.environ.get("CHROMIUM")
    for name in (wanted,) if wanted else NAMES:
        path = shutil.which(name)
        if path:
            return path
    return None


class BrowserError(Exception):
    """The browser refused a command or did not answer in time."""


class Browser:
    """One browser with one page. Use it in a with statement."""

    def __init__(self, path, timeout=60):
        self.timeout = timeout
        self.folder = tempfile.mkdtemp(prefix="gttf-browser-")
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()

        def connect():  # the browser reads from 3 and writes to 4
            high_in, high_out = os.dup(theirs_in), os.dup(theirs_out)
            os.dup2(high_in, 3)
            os.dup2(high_out, 4)

        self.process = subprocess.Popen(
            [path, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             # no network requests by the browser itself
             "--disable-background-networking", "--disable-quic",
             "--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-pipe",
             "--user-data-dir=" + os.path.join(self.folder, "profile"), "about:blank"],
            preexec_fn=connect, pass_fds=(3, 4), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.read_end, self.write_end = ours_in, ours_out
        self.buffer, self.number, self.events = b"", 0, []
        self.session = None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target,
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.read_end)
        os.close(self.write_end)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _message(self, deadline):
        while b"\0" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.read_end], [], [], left)[0]:
                raise BrowserError("the browser does not answer")
            data = os.read(self.read_end, 1 << 20)
            if not data:
                raise BrowserError("the browser has ended")
            self.buffer += data
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def send(self, method, **parameters):
        """Calls a method of the DevTools protocol and gives its result."""
        self.number += 1
        call = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            call["sessionId"] = self.session
        os.write(self.write_end, json.dumps(call).encode() + b"\0")
        deadline = time.monotonic() + self.timeout
        while True:
            message = self._message(deadline)
            if message.get("id") == self.number:
                if "error" in message:
                    raise BrowserError(f"{method}: {message['error']['message']}")
                return message["result"]
            self.events.append(message)

    def evaluate(self, expression):
        """Value of a JavaScript expression; promises are awaited."""
        result = self.send("Runtime.evaluate", expression=expression, awaitPromise=True,
                           returnByValue=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description", details["text"]))
        return result["result"].get("value")

    def open(self, path, width=1400, height=900, dark=False, script=True):
        """Opens a file and waits until the page says that it is ready."""
        self.events.clear()
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        self.send("Emulation.setEmulatedMedia", media="", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.send("Emulation.setScriptExecutionDisabled", value=not script)
        self.send("Page.navigate", url="file://" + os.path.abspath(path))
        deadline = time.monotonic() + self.timeout
        while time.monotonic() < deadline:
            state = self.evaluate("[document.readyState, document.documentElement?.dataset.ready,"
                                  " location.protocol]")
            if state[0] == "complete" and state[2] == "file:" and (state[1] or not script):
                return
            time.sleep(0.05)
        raise BrowserError("the page does not get ready")

    def wait(self, seconds):
        """Lets events of the browser arrive."""
        deadline = time.monotonic() + seconds
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                return
            if b"\0" in self.buffer or select.select([self.read_end], [], [], left)[0]:
                self.events.append(self._message(time.monotonic() + self.timeout))

    def mouse(self, kind, x, y, **more):
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def drag(self, x0, y0, x1, y1):
        self.mouse("mouseMoved", x0, y0)
        self.mouse("mousePressed", x0, y0, button="left", buttons=1, clickCount=1)
        self.mouse("mouseMoved", (x0 + x1) / 2, (y0 + y1) / 2, button="left", buttons=1)
        self.mouse("mouseMoved", x1, y1, button="left", buttons=1)
        self.mouse("mouseReleased", x1, y1, button="left", clickCount=1)

    def key(self, name, code):
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=name, code=name,
                      windowsVirtualKeyCode=code)

    def screenshot(self, path, clip=None, scale=1):
        """A picture of the whole page, or of clip = (x, y, width, height)."""
        parameters = {"format": "png", "captureBeyondViewport": True}
        if clip:
            parameters["clip"] = dict(zip(("x", "y", "width", "height"), clip), scale=scale)
        else:
            size = self.send("Page.getLayoutMetrics")["cssContentSize"]
            parameters["clip"] = {"x": 0, "y": 0, "width": size["width"],
                                  "height": size["height"], "scale": scale}
        data = self.send("Page.captureScreenshot", **parameters)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
