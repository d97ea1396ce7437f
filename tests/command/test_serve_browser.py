"""wfsm serve in Chromium: every button, the keyboard, a screen reader, a phone, and a server that goes.

usage: test_serve_browser.py WFSM
"""
import base64
import json
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path
from urllib.parse import quote

import test_command
from browser import Browser
from test_serve import EVIL, SHIP, Serve


@unittest.skipUnless(shutil.which("chromium"), "no chromium here")
class Chromium(Serve):
    def test_every_button(self):
        self.start("a", n=5)
        self.start("p", n=6)
        self.fine("checkpoint", self.store, "a", "first")
        self.serve()
        browser = Browser(self, self.address)
        self.assertEqual(browser.run("location.pathname + location.search"), "/")
        self.assertEqual(browser.run("document.querySelectorAll('tbody tr').length"), 2)
        browser.run("document.querySelector('[name=machine]').value = 'ship'")
        browser.press("form[role=search] button")
        self.assertIn("machine=ship", browser.run("location.search"))
        browser.go(f"http://{self.host}/instance?id=a")
        self.assertIn("<script>alert(1)", browser.run("document.querySelector('.asked pre').textContent"))
        said = "document.querySelector('.said').textContent"
        browser.press("button.yes")
        self.assertIn("ada approves", browser.run(said))
        browser.press("button.no")
        self.assertIn("ada rejects", browser.run(said))
        browser.run("document.querySelector('[name=event]').value = 'HOLD'")
        browser.press("form:has([name=event]) button")
        self.assertIn("posted for a", browser.run(said))
        browser.run("document.querySelector('form:has([value=fork]) [name=to]').value = 'copy'")
        browser.press("form:has([value=fork]) button")
        self.assertIn("copy", browser.run(said))
        browser.press("form:has([value=stop]) button")
        self.assertIn("posted for a", browser.run(said))
        browser.run("document.querySelector('form:has([value=restore]) [name=checkpoint]').value = 'first'")
        browser.press("form:has([value=restore]) button")
        self.assertTrue(browser.run(said))
        browser.press("form[action='/diff'] button")
        self.assertEqual(browser.run("location.pathname"), "/diff")
        self.assertEqual(browser.complaints(), [])

    def test_retry(self):
        document = {"wfsm": 1, "id": "r", "initial": "try", "states": {
            "try": {"invoke": {"src": "no", "onDone": "end", "onError": "end", "retry": [
                {"errors": ["exit"], "maxAttempts": 3, "intervalMs": 3600000}]}}, "end": {"type": "final"}}}
        machine = self.file(document, "r.json")
        agents = self.file('[agents.no]\ncommand = ["false"]\n', "agents.toml")
        self.fine("start", self.store, machine, "r")
        worker = subprocess.Popen([test_command.WFSM, "work", "--agents", agents, "--machines", machine, "--runs", self.folder / "runs",
                                   self.store], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(worker.wait)
        self.addCleanup(worker.kill)
        tail = subprocess.Popen([test_command.WFSM, "tail", "--json", "--last", "9", self.store, "r"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(tail.communicate)
        self.addCleanup(tail.kill)
        for line in tail.stdout:
            if '"failure"' in line:
                break
        worker.terminate()
        worker.wait(600)
        self.serve()
        browser = Browser(self, self.address)
        browser.go(f"http://{self.host}/instance?id=r")
        browser.press("form:has([value=retry]) button")
        self.assertIn("posted for r", browser.run("document.querySelector('.said').textContent"))
        self.assertEqual(self.inbox("r"), ["retry"])

    def test_two_people_at_once(self):
        """Both look at the same question; the second one decides on a page from before the first one's vote."""
        document = json.loads(json.dumps(SHIP))
        document["states"]["ask"]["invoke"]["input"]["quorum"] = 2
        self.fine("start", self.store, self.file(document, "two.json"), "a")
        windows = []
        for name in ("ada", "bob"):
            self.serve("--as", name)
            browser = Browser(self, self.address)
            browser.go(f"http://{self.host}/instance?id=a")
            browser.run("source.close()")
            windows.append((name, browser))
        for name, browser in windows:
            browser.press("button.yes")
            self.assertIn(f"{name} approves", browser.run("document.querySelector('.said').textContent"))
        agents = self.file('[agents.nobody]\ncommand = ["true"]\n', "agents.toml")
        worker = subprocess.Popen([test_command.WFSM, "work", "--agents", agents, "--machines", self.folder / "two.json",
                                   "--runs", self.folder / "runs", self.store], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(worker.wait)
        self.addCleanup(worker.kill)
        self.fine("wait", self.store, "a")
        self.assertEqual(json.loads(self.fine("show", "--json", self.store, "a"))["configuration"], ["shipped"])
        votes = [one["record"] for one in json.loads(self.fine("journal", "--json", self.store, "a")) if "verdict" in one["record"]["input"]]
        self.assertEqual([one["origin"]["sender"] for one in votes], ["ada", "bob"])

    def open_instance(self):
        self.start("a", n=5)
        self.serve()
        browser = Browser(self, self.address)
        browser.go(f"http://{self.host}/instance?id=a")
        return browser

    def test_who_writes_is_not_disturbed(self):
        browser = self.open_instance()
        browser.run("document.querySelector('[name=event]').focus()")
        browser.call("Input.insertText", text="GO")
        browser.run("document.querySelector('h1 + p, a').focus()")
        self.fine("send", self.store, "a", "HOLD")
        browser.wait("live.textContent.startsWith('There is news')")
        self.assertEqual(browser.run("document.querySelector('[name=event]').value"), "GO")
        browser.run("document.querySelector('[name=event]').value = ''; document.activeElement.blur()")
        browser.wait("document.getElementById('r2') && live.textContent.startsWith('updated')")

    def test_what_has_the_focus_and_what_was_said_stay(self):
        browser = self.open_instance()
        browser.run("document.querySelector('[name=event]').value = 'GO'")
        browser.press("form:has([name=event]) button")
        browser.run("window.link = [...document.querySelectorAll('main a, main summary')][0]; link && link.focus()")
        self.fine("send", self.store, "a", "HOLD")
        browser.wait("document.getElementById('r2')")
        self.assertIn("posted for a", browser.run("document.querySelector('.said').textContent"))
        self.assertTrue(browser.run("!window.link || (document.activeElement !== link && document.activeElement.outerHTML === link.outerHTML)"))

    def test_the_connection_comes_back(self):
        browser = self.open_instance()
        gone = self.folder / "gone.db"
        self.store.rename(gone)
        browser.wait("live.textContent === 'not connected'")
        gone.rename(self.store)
        browser.wait("live.textContent === 'connected'")

    def test_the_keyboard_alone(self):
        browser = self.open_instance()
        browser.tab_to("at.matches('button.no')")
        browser.key("Enter", 13, "\r")
        browser.until("Page.loadEventFired")
        self.assertIn("ada rejects", browser.run("document.querySelector('.said').textContent"))
        browser.tab_to("at.matches('nav a')")
        browser.key("Enter", 13, "\r")
        browser.until("Page.loadEventFired")
        browser.tab_to("at.matches('[name=machine]')")
        browser.call("Input.insertText", text="none")
        browser.key("Enter", 13, "\r")
        browser.until("Page.loadEventFired")
        self.assertIn("machine=none", browser.run("location.search"))

    def test_a_screen_reader(self):
        browser = self.open_instance()
        browser.call("Accessibility.enable")
        for page in ("/instance?id=a", "/", "/machine?name=ship", "/diff?id=a&from=1&to=1", "/none"):
            browser.go(f"http://{self.host}{page}")
            nodes = [one for one in browser.call("Accessibility.getFullAXTree")["nodes"] if not one["ignored"]]
            roles = {}
            for one in nodes:
                roles.setdefault(one["role"]["value"], []).append(one.get("name", {}).get("value", ""))
            for role in ("button", "textbox", "combobox", "spinbutton", "link", "heading", "columnheader"):
                self.assertNotIn("", [name.strip() for name in roles.get(role, [])], (page, role))
            self.assertIn("main", roles, page)
            self.assertTrue(roles["heading"], page)
            if page != "/none":
                self.assertIn("navigation", roles, page)
                self.assertIn("status", roles, page)
            if page == "/":
                self.assertIn("Instances", roles["table"])
                self.assertIn("search", roles)
            self.assertEqual(browser.run("document.documentElement.lang"), "en")
            self.assertTrue(browser.run("document.title"))

    def test_it_follows_and_survives_a_dropped_connection(self):
        self.start("a", n=5)
        self.serve("--port", 0)
        port = self.port
        browser = Browser(self, self.address)
        browser.go(f"http://{self.host}/instance?id=a")
        browser.wait("known !== null")
        self.fine("send", self.store, "a", "HOLD")
        browser.wait("document.getElementById('r2')")
        self.process.kill()
        self.process.wait(600)
        browser.wait("source.readyState === 0")  # it connects again
        self.assertEqual(port, self.port)

    def test_hostile_text(self):
        self.start(EVIL.replace("\u202e", ""), n=5)
        self.serve()
        browser = Browser(self, self.address)
        browser.go(f"http://{self.host}/instance?id={quote(EVIL.replace(chr(0x202e), ''))}")
        self.assertEqual(browser.run("document.querySelector('h1').textContent"), EVIL.replace("\u202e", ""))
        self.assertEqual(browser.run("document.querySelectorAll('main script').length"), 0)
        self.assertEqual(browser.complaints(), [])

    def test_the_keyboard_and_a_phone(self):
        self.start("a", n=5)
        self.serve()
        browser = Browser(self, self.address)
        browser.call("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=2, mobile=True)
        browser.go(f"http://{self.host}/instance?id=a")
        self.assertLessEqual(browser.run("document.documentElement.scrollWidth"), 390)
        unnamed = ("[...document.querySelectorAll('input:not([type=hidden]),select')].filter(one => !one.labels.length).length"
                   " + [...document.querySelectorAll('button')].filter(one => !one.textContent.trim()).length")
        self.assertEqual(browser.run(unnamed), 0)
        self.assertEqual(browser.run("document.querySelectorAll('[tabindex]').length"), 0)

    def picture(self, browser, name, page, width=900, height=1100):
        browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
        browser.go(f"http://{self.host}{page}")
        image = browser.call("Page.captureScreenshot", format="png")["data"]
        (Path(os.environ["WFSM_SCREENSHOTS"]) / name).write_bytes(base64.b64decode(image))

    @unittest.skipUnless("WFSM_SCREENSHOTS" in os.environ, "the pictures of doc/serve.md are made by hand: WFSM_SCREENSHOTS=doc")
    def test_pictures(self):
        document = {**SHIP, "id": "release", "context": {"version": "2.4.0"}}
        document["attributes"] = {"version": {"var": "context.version"}}
        document["states"]["ask"]["invoke"]["input"] = {"question": "Ship 2.4.0?", "changed": ["login.c", "login.md"], "people": ["ada", "bob"]}
        machine = self.file(document, "release.json")
        for id, events in (("release-2.4", ["HOLD", "GO"]), ("release-2.5", []), ("release-3.0", ["HOLD"]), ("release-3.1", ["HOLD"])):
            self.fine("start", self.store, machine, id)
            for event in events:
                self.fine("send", self.store, id, event)
        self.serve()
        browser = Browser(self, self.address)
        self.picture(browser, "serve.png", "/instance?id=release-2.4")
        self.picture(browser, "serve-list.png", "/?machine=release", height=560)
        self.picture(browser, "serve-machine.png", "/machine?name=release", height=760)
        self.picture(browser, "serve-phone.png", "/instance?id=release-2.4", width=390, height=844)


if __name__ == "__main__":
    test_command.WFSM = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
