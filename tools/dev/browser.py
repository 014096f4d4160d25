#===- tools/dev/browser.py - Headless Chromium, driven over a pipe ---===#
# SPDX-License-Identifier: Apache-2.0
"""The DevTools protocol on two pipes, so that nothing but Debian's package chromium is needed. For tests and pictures of pages."""

import base64
import json
import os
import shutil
import subprocess
import tempfile

FLAGS = ["--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions",
         "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage", "--hide-scrollbars"]


def find():
    """Chromium's path, or None."""
    return next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None)


class Browser:
    """One window with one page. `problems` collects what its console says, exceptions and requests for other files."""

    def __init__(self, width=1280, height=800, dark=False):
        self.profile = tempfile.mkdtemp(prefix="cupola-browser-")
        self.problems, self.events, self.number = [], [], 0
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        # Chromium reads from descriptor 3 and writes to 4.
        command = f'exec "$0" "$@" 3<&{theirs_in} 4>&{theirs_out}'
        self.process = subprocess.Popen(["bash", "-c", command, find(), *FLAGS, f"--user-data-dir={self.profile}", "about:blank"],
                                        pass_fds=(theirs_in, theirs_out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in), os.close(theirs_out)
        self.output, self.input, self.rest = os.fdopen(ours_out, "wb", 0), os.fdopen(ours_in, "rb", 0), b""
        self.session = None
        page = next(target for target in self.call("Target.getTargets")["targetInfos"] if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.output.close()                                             # the browser ends with its pipe
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.input.close()
        shutil.rmtree(self.profile, ignore_errors=True)

    #===--- The protocol ---===#

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.output.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def read(self):
        while b"\0" not in self.rest:
            piece = self.input.read(1 << 16)
            if not piece:
                raise RuntimeError("the browser ended")
            self.rest += piece
        text, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(text)
        if "method" in message:
            self.note(message["method"], message["params"])
        return message

    def note(self, method, parameters):
        self.events.append((method, parameters))
        if method == "Runtime.exceptionThrown":
            self.problems.append(json.dumps(parameters["exceptionDetails"].get("exception", {}).get("description", "exception")))
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.problems.append(json.dumps(parameters["args"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.problems.append(parameters["entry"]["text"])
        elif method == "Network.requestWillBeSent" and parameters["documentURL"] != parameters["request"]["url"]:
            self.problems.append("request for " + parameters["request"]["url"][:200])

    def until(self, method):
        """Waits for an event that was not waited for before, and returns it."""
        while True:
            for i, (name, parameters) in enumerate(self.events):
                if name == method:
                    del self.events[:i + 1]
                    return parameters
            self.read()

    #===--- What a person does ---===#

    def open(self, path):
        self.events.clear()
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        self.until("Page.loadEventFired")
        self.settle()

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", expression))
        return answer["result"].get("value")

    def settle(self):
        """Until two frames were drawn."""
        self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)
        self.settle()

    def press(self, key, text=""):
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def type(self, text):
        for letter in text:
            self.press(letter, letter)
        self.settle()

    def screenshot(self, path):
        """A .png, or a .webp that is a third as large."""
        self.settle()
        chosen = {"format": "webp", "quality": 80} if path.endswith(".webp") else {"format": "png"}
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", **chosen)["data"]))

    def traced(self, work):
        """Milliseconds of CPU that each task of the page's main thread takes while `work()` is done, the longest first. Not by the
        clock, so that other programs on the machine do not count."""
        self.settle()
        self.call("Tracing.start", transferMode="ReportEvents",
                  traceConfig={"includedCategories": ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline", "__metadata"]})
        work()
        self.settle()
        self.events.clear()
        self.call("Tracing.end")
        while not any(method == "Tracing.tracingComplete" for method, _ in self.events):
            self.read()
        events = [event for method, parameters in self.events if method == "Tracing.dataCollected" for event in parameters["value"]]
        self.events.clear()
        mains = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name" and e["args"]["name"] == "CrRendererMain"}
        tasks = [e.get("tdur", e["dur"]) / 1000 for e in events if e["name"] == "RunTask" and (e["pid"], e["tid"]) in mains and "dur" in e]
        return sorted(tasks, reverse=True)
