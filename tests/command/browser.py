"""Chromium without a window, for tests of pages."""
import base64
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import tempfile


class Browser:
    """Chromium, by its debugging protocol over a WebSocket."""

    def __init__(self, test, address):
        profile = tempfile.TemporaryDirectory(prefix="wfsm-chromium-", ignore_cleanup_errors=True) \
            if sys.version_info >= (3, 10) else tempfile.TemporaryDirectory(prefix="wfsm-chromium-")
        test.addCleanup(profile.cleanup)
        self.process = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
             "--disable-component-update", "--disable-sync", "--remote-debugging-port=0", "--remote-allow-origins=*",
             f"--user-data-dir={profile.name}", "about:blank"], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        test.addCleanup(self.end)
        for line in self.process.stderr:
            found = re.search(r"ws://127.0.0.1:(\d+)/", line)
            if found:
                break
        connection = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=600)
        connection.request("PUT", "/json/new?about:blank")
        target = json.loads(connection.getresponse().read())["webSocketDebuggerUrl"]
        connection.close()
        self.last, self.events = 0, []
        self.open(target)
        self.call("Page.enable")
        self.call("Runtime.enable")
        self.call("Log.enable")
        self.go(address)

    def end(self):
        self.socket.close()
        self.process.kill()
        self.process.wait(600)
        self.process.stderr.close()

    def open(self, url):
        host, port, path = re.fullmatch(r"ws://([^:]*):(\d+)(/.*)", url).groups()
        self.socket = socket.create_connection((host, int(port)), timeout=600)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        self.file = self.socket.makefile("rb")
        while self.file.readline().strip():
            pass

    def send(self, message):
        data = json.dumps(message).encode()
        length = bytes([0x80 | len(data)]) if len(data) < 126 else \
            bytes([0xFE]) + len(data).to_bytes(2, "big") if len(data) < 1 << 16 else bytes([0xFF]) + len(data).to_bytes(8, "big")
        head = bytes([0x81]) + length
        self.socket.sendall(head + b"\0\0\0\0" + data)

    def hear(self):
        data = b""
        while True:
            first, length = self.file.read(2)
            length = {126: lambda: int.from_bytes(self.file.read(2), "big"),
                      127: lambda: int.from_bytes(self.file.read(8), "big")}.get(length, lambda: length)()
            data += self.file.read(length)
            if first & 0x80:
                return json.loads(data)

    def call(self, method, **params):
        self.last += 1
        self.send({"id": self.last, "method": method, "params": params})
        while True:
            message = self.hear()
            if message.get("id") == self.last:
                return message.get("result", message)
            self.events.append(message)

    def until(self, method):
        for index, message in enumerate(self.events):
            if message.get("method") == method:
                del self.events[:index + 1]
                return message["params"]
        while True:
            message = self.hear()
            if message.get("method") == method:
                return message["params"]
            self.events.append(message)

    def go(self, address):
        self.events = [one for one in self.events if one.get("method") == "Log.entryAdded"]
        self.call("Page.navigate", url=address)
        self.until("Page.loadEventFired")

    def run(self, script):
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise AssertionError(f"{script}: {answer['exceptionDetails'].get('exception', answer['exceptionDetails'])}")
        return answer["result"].get("value")

    def press(self, selector):
        """Presses a button, and waits for the page that follows."""
        self.call("Runtime.evaluate", expression=f"window.confirm = () => true; document.querySelector({json.dumps(selector)}).click()")
        self.until("Page.loadEventFired")

    def wait(self, condition):
        """Until a condition of the page holds. It fails if that takes minutes: then it will not."""
        self.run("new Promise((done, fail) => { const end = Date.now() + 120000, look = () => { if (%s) done(); "
                 "else if (Date.now() > end) fail('it never holds'); else setTimeout(look, 50); }; look(); })" % condition)

    def key(self, name, code, text=""):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=code,
                      **({"text": text} if text and kind == "keyDown" else {}))

    def tab_to(self, condition):
        """Presses Tab until the condition holds for the element that has the focus; the elements on the way."""
        way = []
        while not self.run(f"(at => {condition})(document.activeElement)"):
            way.append(self.run("document.activeElement.outerHTML.slice(0, 80)"))
            if len(way) > 200:
                raise AssertionError(f"no Tab leads there: {way}")
            self.key("Tab", 9)
        return way

    def complaints(self):
        return [one["params"]["entry"] for one in self.events if one.get("method") == "Log.entryAdded"]
