# SPDX-License-Identifier: MIT
"""A headless Chromium on a pipe: loads a page at a given width and colour scheme and answers
questions.

The DevTools protocol, as far as the page's tests need it: messages are JSON, each ended by a
NUL, on the file descriptors 3 (to the browser) and 4 (from it)."""

import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
TIMEOUT_S = 60


def find_browser() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """Use with `with`. Whatever the page says on its console, or fails to load, is in `said`."""

    def __init__(self, program: str) -> None:
        self.said: list[str] = []
        self.requested: list[str] = []
        self._number = 0
        self._rest = b""
        self._profile = tempfile.mkdtemp()
        to_read, self._to = os.pipe()
        self._from, from_write = os.pipe()

        def give_pipes() -> None:
            # Both may be 3 or 4 themselves: away with them first.
            ends = [os.dup(to_read), os.dup(from_write)]
            ends = [fd if fd > 4 else os.dup(os.dup(fd)) for fd in ends]
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self._process = subprocess.Popen(
            [
                program,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--hide-scrollbars",
                "--no-first-run",
                "--disable-extensions",
                "--disable-background-networking",
                f"--user-data-dir={self._profile}",
                "--remote-debugging-pipe",
                "about:blank",
            ],
            preexec_fn=give_pipes,
            close_fds=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(from_write)
        self._session = ""

    def __enter__(self) -> "Browser":
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._to)
        os.close(self._from)
        shutil.rmtree(self._profile, ignore_errors=True)

    def _receive(self, until: float) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._from], [], [], max(0.0, until - time.monotonic()))
            data = os.read(self._from, 1 << 20) if ready else b""
            if not data:
                raise TimeoutError("the browser does not answer")
            self._rest += data
        message, _, self._rest = self._rest.partition(b"\0")
        document = json.loads(message)
        self._note(document)
        return document

    def _note(self, document: dict[str, Any]) -> None:
        method, parameters = document.get("method"), document.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.said.append(parameters["exceptionDetails"]["text"])
        elif method == "Runtime.consoleAPICalled":
            self.said.append(" ".join(str(one.get("value", one)) for one in parameters["args"]))
        elif method == "Log.entryAdded":
            self.said.append(parameters["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requested.append(parameters["request"]["url"])

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._to, data) :]
        until = time.monotonic() + TIMEOUT_S
        while True:
            document = self._receive(until)
            if document.get("id") == self._number:
                if "error" in document:
                    raise RuntimeError(f"{method}: {document['error']['message']}")
                return document["result"]

    def load(self, page: Path, width: int, scheme: str, height: int = 900) -> None:
        """`scheme`: light or dark."""
        self.said.clear()
        self.requested.clear()
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        self.send(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": scheme}],
        )
        self.send("Page.navigate", url=page.resolve().as_uri())
        until = time.monotonic() + TIMEOUT_S
        while self._receive(until).get("method") != "Page.loadEventFired":
            pass
        self.ask("Promise.all([...document.images].map(image => image.decode().catch(() => 0)))")

    def ask(self, expression: str) -> Any:
        """The value of a JavaScript expression."""
        answer = self.send(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")
