"""The playground in Chromium: every control, hostile fragments, a large state space, a phone, the keyboard.

usage: test_page.py PLAYGROUND.HTML [--screenshot FILE] [TEST…]
"""
import base64
import json
import sys
import unittest
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "command"))
from browser import Browser  # noqa: E402

PAGE = SCREENSHOT = None
EVIL = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>\u202e\"'&`${window.hacked = 1}"
LIGHT = {"id": "light", "initial": "red", "context": {"n": 0}, "states": {
    "red": {"on": {"GO": {"target": "green", "actions": {"type": "assign", "params": {"n": {"+": [{"var": "context.n"}, 1]}}}},
                   "NEVER": {"guard": {"var": "event.data.yes"}, "target": "off"}}},
    "green": {"after": {"5000": "red"}, "on": {"STOP": "off"}}, "off": {"type": "final"}}}
ASK = {"id": "ask", "initial": "asking", "properties": {"never yes": {"never": {"in_state": "yes"}}}, "states": {
    "asking": {"invoke": {"src": "person", "input": {"people": ["ada", "bob"], "question": "Ship it?"},
                          "onDone": [{"guard": {"var": "event.data.approved"}, "target": "yes"}, {"target": "no"}]}},
    "yes": {"type": "final"}, "no": {"type": "final"}}}
HOST = {"id": "host", "initial": "a", "states": {"a": {"on": {"GO": {"guard": "may", "actions": "count", "target": "b"}}}, "b": {}}}
WORK = {"id": "work", "initial": "working", "states": {
    "working": {"invoke": {"src": "agent", "onDone": "done", "onError": "failed"}}, "done": {"type": "final"}, "failed": {"type": "final"}}}
# 6^12 states.
LARGE = {"id": "large", "type": "parallel", "states": {f"r{r}": {"initial": "s0", "states": {
    f"s{s}": {"on": {f"E{r}": f"s{(s + 1) % 6}"}} for s in range(6)}} for r in range(12)}}


def fragment(value):
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return "1" + base64.urlsafe_b64encode(packer.compress(data) + packer.flush()).decode().rstrip("=")


def shared(document, *lines):
    text = document if isinstance(document, str) else json.dumps(document, ensure_ascii=False)
    return fragment({"document": text, "lines": [json.dumps(one) for one in ({"start": None}, *lines)]})


class Page(unittest.TestCase):
    def open(self, part=""):
        if not hasattr(self, "browser"):
            self.browser = Browser(self, "about:blank")
            self.browser.call("Network.enable")
        else:
            self.browser.go("about:blank")
        self.browser.go(PAGE + ("#" + part if part else ""))
        self.wait("document.documentElement.dataset.ready")
        return self.browser

    def wait(self, condition):
        self.browser.wait(condition)

    def run_script(self, script):
        return self.browser.run(script)

    def text(self, id):
        return self.run_script(f"document.getElementById('{id}').innerText")

    def wait_text(self, id, part):
        self.wait(f"document.getElementById('{id}').innerText.includes({json.dumps(part)})")

    def click(self, selector, text=None):
        """Where there are several, the one with this text."""
        script = (f"[...document.querySelectorAll({json.dumps(selector)})].find(one => "
                  f"{json.dumps(text)} === null || one.innerText.includes({json.dumps(text)}))")
        self.assertTrue(self.run_script(f"!!{script}"), (selector, text))
        self.run_script(f"{script}.click()")

    def write(self, document):
        """As typing does, all at once."""
        text = document if isinstance(document, str) else json.dumps(document, indent=2, ensure_ascii=False)
        self.run_script(f"editor.focus(); editor.select(); document.execCommand('insertText', false, {json.dumps(text)})")
        self.wait(f"checkedText === {json.dumps(text)}")

    def type(self, text):
        self.browser.call("Input.insertText", text=text)

    def key(self, key, code=0, modifiers=0, **more):
        for kind in ("keyDown" if more else "rawKeyDown", "keyUp"):
            self.browser.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, modifiers=modifiers,
                              **(more if kind == "keyDown" else {}))

    def verdict(self, word):
        self.wait_text("verdict", word)

    def check_quiet(self):
        """Nothing was executed, nothing asked of anybody, and the policy had nothing to refuse."""
        self.assertIsNone(self.run_script("window.hacked ?? null"))
        self.assertEqual(self.browser.complaints(), [])
        asked = [one["params"]["request"]["url"] for one in self.browser.events if one.get("method") == "Network.requestWillBeSent"]
        self.assertEqual([one for one in asked if not one.startswith((PAGE, "blob:", "data:", "about:"))], [])
        thrown = [one for one in self.browser.events if one.get("method") == "Runtime.exceptionThrown"]
        self.assertEqual(thrown, [])


class Editing(Page):
    def test_an_example_is_there_and_the_others_open(self):
        self.open()
        self.verdict("holds: ")
        self.assertEqual(self.text("checked"), "The document has no errors and no warnings.")
        self.assertEqual(self.run_script("document.querySelectorAll('#chart rect.now').length"), 1)
        for name in self.run_script("[...byId('example').options].map(one => one.value).filter(Boolean)"):
            self.run_script(f"byId('example').value = '{name}'; byId('example').dispatchEvent(new Event('change'))")
            self.wait(f"checkedText === examples['{name}'] && /^(holds|violated|undecided)/.test(byId('verdict').innerText)")
            self.assertIn("no errors", self.text("checked"), name)
        self.check_quiet()

    def test_errors_are_told_while_typing(self):
        self.open()
        self.write('{"id": "m", "initial": "a", "states": {"a": {"on": {"GO": "nowhere"}}}}')
        self.wait_text("checked", "1 error")
        self.assertIn("1:59: error: ", self.text("diagnostics"))
        self.assertIn("not verified", self.text("verdict"))
        self.click("#diagnostics button")
        self.assertEqual(self.run_script("[document.activeElement.id, editor.selectionStart]"), ["document", 58])
        for text in ("", "{", "[]", "nul", '{"id": 1}', "\0", "{" * 5000, "[" * 100000):
            self.write(text)
            self.wait_text("checked", "error")
        self.write(LIGHT)
        self.wait_text("checked", "no errors")
        self.verdict("holds")
        self.check_quiet()

    def offers(self):
        return self.run_script("byId('offers').hidden ? [] : [...byId('offers').children].map(one => one.firstChild.data)")

    def test_completion_with_the_keyboard(self):
        self.open()
        self.write('{"id": "m", "states": {"a": {}, "b": {}}}')
        self.run_script("editor.focus(); editor.setSelectionRange(10, 10)")
        self.type(', "')
        self.type("ini")
        self.key(" ", 32, 2)
        self.assertEqual(self.offers()[0], "initial")
        self.key("Enter", 13)
        self.type("\"")
        self.assertEqual(self.offers(), ["a", "b"])
        self.key("ArrowDown", 40)
        self.assertEqual(self.run_script("editor.getAttribute('aria-activedescendant')"), "offer-1")
        self.key("Enter", 13)
        self.assertEqual(self.run_script("editor.value"), '{"id": "m", "initial": "b", "states": {"a": {}, "b": {}}}')
        self.run_script("editor.setSelectionRange(45, 45)")
        self.key(" ", 32, 2)
        self.assertIn("invoke", self.offers())
        self.key("Escape", 27)
        self.assertEqual(self.offers(), [])
        self.wait_text("checked", "0 errors, 3 warnings")  # nothing leads to a
        self.key("Tab", 9)
        self.assertNotEqual(self.run_script("document.activeElement.id"), "document")
        self.check_quiet()


class Stepping(Page):
    def test_events_timers_and_undo(self):
        self.open(shared(LIGHT))
        self.wait_text("state", "red; 0 ms")
        self.assertEqual(self.run_script("[...document.querySelectorAll('#events .enabled')].map(one => one.innerText)"), ["GO"])
        self.click("#events button", "GO")
        self.wait_text("state", "green; 0 ms")
        self.assertIn('"n": 1', self.text("context"))
        self.assertEqual(self.run_script("[...document.querySelectorAll('#chart rect.now')].map(one => one.dataset.state)"), ["green"])
        self.assertIn("5000 ms", self.text("fire"))
        self.run_script("byId('ms').value = '1000'")
        self.click("#wait button")
        self.wait_text("state", "green; 1000 ms")
        self.click("#fire")
        self.wait_text("state", "red; 5000 ms")
        self.run_script("byId('event').value = 'NEVER'; byId('data').value = '{\"yes\": true}'")
        self.click("#send button")
        self.wait_text("state", "off (it has ended)")
        self.assertTrue(self.run_script("byId('fire').disabled && byId('send').elements[0].disabled"))
        self.click("#undo")
        self.wait_text("state", "red; 5000 ms")
        self.click("#steps button", "green")
        self.assertIn("green", self.text("state"))
        self.run_script("byId('line').value = '{\"patch\": {\"n\": 41}}'")
        self.click("#other button")
        self.wait_text("context", "41")
        self.run_script("byId('line').value = '{\"nothing\": 1}'")
        self.click("#other button")
        self.wait_text("refused", "expected one of the keys")
        self.run_script("byId('input').value = '{\"n\": 7}'")
        self.click("#restart")
        self.wait_text("context", "7")
        self.run_script("byId('data').value = '{'")
        self.click("#send button")
        self.assertIn("not JSON", self.text("refused"))
        self.check_quiet()

    def test_buttons_pressed_fast(self):
        self.open(shared({"id": "m", "initial": "a", "states": {"a": {"on": {"GO": "b"}}, "b": {"on": {"GO": "a"}}}}))
        self.wait_text("events", "GO")
        self.run_script("for (let i = 0; i < 5; i++) document.querySelector('#events button').click()")
        self.wait("answers.length === 6")
        self.assertEqual(self.run_script("answers.map(one => one.configuration[0]).join('')"), "ababab")
        self.check_quiet()

    def test_guards_and_actions_of_a_host(self):
        self.open(shared(HOST))
        self.wait_text("answering", "may, count")
        self.click("#events button", "GO")
        self.wait_text("state", "blocked")
        self.click("#undo")
        self.wait("answers.length === 1")
        self.run_script("byId('host').value = '[tru'")
        self.click("#events button", "GO")
        self.assertIn("not JSON", self.text("refused"))
        for said, state in (("[false]", "a; 0 ms"), ('[true, {"n": 1}]', "b; 0 ms")):
            self.run_script(f"byId('host').value = {json.dumps(said)}")
            number = self.run_script("answers.length")
            self.click("#events button", "GO")
            self.wait(f"answers.length === {number + 1}")
            self.assertIn(state, self.text("state"))
        self.check_quiet()

    def test_agents_and_people(self):
        self.open(shared(WORK))
        self.wait_text("agents", "agent in working")
        self.click("#agents button", "Failed")
        self.wait_text("state", "failed (it has ended)")
        self.click("#undo")
        self.wait_text("agents", "agent in working")
        self.click("#agents button", "Done")
        self.wait_text("state", "done (it has ended)")
        for word, end in (("Approve", "yes"), ("Reject", "no")):
            self.open(shared(ASK))
            self.wait_text("agents", "person in asking")
            self.assertIn("Ship it?", self.text("agents"))
            self.click("#agents button", word)
            self.wait("answers.length === 2")
            self.assertEqual(self.run_script("answers[1].configuration[0]"), end)
        self.check_quiet()


class Verifying(Page):
    def test_a_violation_is_stepped_through(self):
        self.open(shared(ASK))
        self.verdict("violated: ")
        self.assertIn("never: never yes: violated", self.text("properties"))
        self.click("#found button", "Step through it")
        self.wait_text("state", "yes (it has ended)")
        self.assertIn("violated: never yes", self.text("state"))
        self.check_quiet()

    def test_a_large_state_space_ends_at_the_limit_and_blocks_nothing(self):
        self.open(shared(LARGE))
        self.verdict("Not everything was tried: ")
        self.assertRegex(self.text("verdict"), r"^undecided: 20\d\d\d states")
        self.run_script("byId('states').value = '200000'; byId('states').dispatchEvent(new Event('change'))")
        self.assertEqual(self.text("verdict"), "Verifying …")
        self.click("#events button", "E3")
        self.wait_text("state", "r3.s1")
        self.assertEqual(self.text("verdict"), "Verifying …")  # and the step is taken meanwhile
        self.write(LIGHT)  # ends it
        self.verdict("holds: ")
        self.check_quiet()


    def test_workers_that_do_not_answer_are_ended(self):
        self.open(shared(LIGHT))
        self.wait_text("checked", "no errors")
        self.run_script("window.good = byId('worker').textContent")
        for source, seconds, said in (("onmessage = () => {};", 0.2, "it took longer than 0.2 seconds"),
                                      ("onmessage = () => { throw new Error('of the worker'); };", 20, "of the worker")):
            self.run_script(f"quick.stop(''); Runner.address = null; byId('worker').textContent = {json.dumps(source)}; quick.seconds = {seconds}")
            self.write({**LIGHT, "description": said})
            self.wait_text("checked", said)
        self.run_script("quick.stop(''); Runner.address = null; byId('worker').textContent = window.good; quick.seconds = 20")
        self.write(LIGHT)
        self.wait_text("checked", "no errors")
        self.verdict("holds")

    def test_what_traps_is_told(self):
        """With a module that does nothing else."""
        self.open(shared(LIGHT))
        self.verdict("holds")
        done = self.run_script("""quick.run(["check", "--json", FILE], "[".repeat(3 << 20)).then(one => one.code)""")
        self.assertIn(done, (0, 1))
        done = self.run_script("""(async () => {
            const broken = new WebAssembly.Module(Uint8Array.from([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0,
                5, 3, 1, 0, 1, 7, 19, 2, 6, 95, 115, 116, 97, 114, 116, 0, 0, 6, 109, 101, 109, 111, 114, 121, 2, 0,
                10, 5, 1, 3, 0, 0, 11]));
            quick.stop("");
            const good = module;
            module = broken;
            const answer = await quick.run(["check", FILE], "");
            quick.stop("");
            module = good;
            return answer;
        })()""")
        self.assertEqual(done["code"], -1)
        self.assertIn("it ended: ", done["err"])
        self.write(ASK)
        self.verdict("violated")


class Sharing(Page):
    def test_a_shared_page_is_the_same_elsewhere(self):
        self.open(shared(LIGHT, {"event": "GO"}))
        self.wait_text("state", "green")
        self.write({**LIGHT, "description": "ä 🚦"})
        self.wait_text("state", "green")
        self.click("#share")
        self.wait_text("shared", "op")  # copied, or to be copied
        part = self.run_script("location.hash.slice(1)")
        self.open(part)
        self.wait_text("state", "green")
        self.assertEqual(json.loads(self.run_script("editor.value"))["description"], "ä 🚦")
        self.check_quiet()

    def test_fragments_that_are_none(self):
        bomb = fragment(b'{"document": "' + b" " * (64 << 20) + b'", "lines": ["{}"]}')
        good = shared(LIGHT)
        for part in ("x", "1", "1!", "2" + good[1:], good[:30], good[:-9] + "AAAA", "1" + "A" * 1500000, bomb, fragment(b"{"),
                     fragment(b"\xff\xfe"), fragment([]), fragment(None), fragment({"document": 1, "lines": []}), fragment({"document": ""}),
                     fragment({"document": "", "lines": []}), fragment({"document": "", "lines": ["x"]}),
                     fragment({"document": "", "lines": ["{}"] * 5000}), fragment({"document": "", "lines": [{"start": None}]}),
                     fragment({"document": "", "lines": ["null"]}), "<script>window.hacked=1</script>", "javascript:window.hacked=1"):
            self.open(part)
            self.assertIn("cannot be read: ", self.text("wrong"), part[:60])
            self.wait_text("checked", "no errors")
        self.verdict("holds")
        self.check_quiet()

    def test_mutated_fragments(self):
        """Each is refused, or has a document and steps."""
        self.open()
        read, refused = self.run_script("""(async good => {
            let seed = 1, read = 0, refused = 0;
            const below = most => (seed = (seed * 1664525 + 1013904223) >>> 0, Math.floor(seed / 4294967296 * most));
            const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
            for (let i = 0; i < 2000; i++) {
                const at = 1 + below(good.length - 1), cut = below(3), more = Array.from({ length: below(3) }, () => letters[below(64)]).join("");
                try {
                    const found = await readFragment(good.slice(0, at) + more + good.slice(at + cut));
                    if (typeof found.document !== "string" || !found.lines.every(one => typeof JSON.parse(one) === "object")) return [-1, -1];
                    read++;
                } catch (error) {
                    if (!(error instanceof Error)) return [-2, -2];
                    refused++;
                }
            }
            return [read, refused];
        })(%s)""" % json.dumps(shared(LIGHT, {"event": "GO"})))
        self.assertEqual(read + refused, 2000)
        self.assertGreater(read, 10)
        self.assertGreater(refused, 1000)
        self.check_quiet()

    def test_hostile_documents(self):
        named = {"id": "m" + EVIL, "initial": "a", "description": EVIL, "context": {EVIL: EVIL, "__proto__": {"x": 1}}, "properties": {
            EVIL[:200]: {"never": {"in_state": "b"}}}, "states": {
                "a": {"on": {"E" + EVIL: "b"}, "entry": {"type": "log", "params": {"label": EVIL, "value": EVIL}},
                      "invoke": {"src": "s" + EVIL, "input": {EVIL: EVIL}}}, "b": {}}}
        self.open(shared(named))
        self.verdict("violated")
        self.click("#events button", "E</script>")
        self.wait_text("state", "b")
        self.assertNotIn("\u202e", self.run_script("document.querySelector('main').innerText"))
        keys = {"id": "m", "initial": EVIL.replace(".", "_"), "states": {EVIL.replace(".", "_"): {"on": {"*": {"target": []}}}}}
        deep = "{\"id\": \"m\", \"states\": " + "{\"a\": {\"states\": " * 20000
        loop = {"id": "m", "initial": "a", "states": {"a": {"always": "b"}, "b": {"always": "a"}}}
        for document in (keys, deep, EVIL, loop, {"__proto__": 1, "constructor": {"prototype": {}}}, {"id": "m", "states": {"__proto__": {}}}):
            self.open(shared(document, {"event": "toString"}, {"event": "__proto__"}))
            self.wait("byId('checked').innerText !== ''")
        for path in sorted((HERE.parent / "cases/hostile").glob("*.json"))[::8]:
            self.open(shared(json.loads(path.read_text(encoding="utf-8"))["machine"]))
            self.wait("/^(holds|violated|undecided|Not verified|The document has)/.test(byId('verdict').innerText)")
        self.assertEqual(self.run_script("document.querySelectorAll('img, iframe, object, a, script[src]').length"), 0)
        self.write(LIGHT)
        self.verdict("holds")
        self.check_quiet()


class Everybody(Page):
    def test_a_phone_and_a_screen_reader(self):
        self.open(shared(ASK))
        self.browser.call("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=2, mobile=True)
        self.open(shared(ASK))
        self.verdict("violated")
        self.assertLessEqual(self.run_script("document.documentElement.scrollWidth"), 390)
        unnamed = ("[...document.querySelectorAll('input,select,textarea')].filter(one => !one.labels.length).length"
                   " + [...document.querySelectorAll('button')].filter(one => !one.textContent.trim()).length")
        self.assertEqual(self.run_script(unnamed), 0)
        self.assertEqual(self.run_script("document.querySelectorAll('[tabindex]:not([tabindex=\"0\"])').length"), 0)
        self.assertGreaterEqual(self.run_script("document.querySelectorAll('[role=status]').length"), 3)

    def test_the_policy(self):
        self.open()
        policy = self.run_script("document.querySelector('meta[http-equiv]').content")
        for part in ("default-src 'none'", "base-uri 'none'", "form-action 'none'", "'wasm-unsafe-eval'"):
            self.assertIn(part, policy)
        self.assertNotIn("unsafe-inline", policy)
        self.assertNotIn("'unsafe-eval'", policy)
        for script in ("eval('1')", "fetch('http://127.0.0.1:1/')", "document.body.append(Object.assign(document.createElement('img'), {src: 'http://127.0.0.1:1/'}))"):
            self.run_script(f"(async () => {{ {script}; }})().catch(() => 0)")
        self.assertNotEqual(self.browser.complaints(), [])

    def test_everything_without_a_mouse(self):
        self.open(shared(LIGHT))
        self.wait_text("state", "red")
        self.run_script("document.querySelector('#events button').focus()")
        self.key("Enter", 13, text="\r")
        self.wait_text("state", "green")
        order = []
        self.run_script("document.activeElement.blur(); byId('example').focus()")
        for _ in range(40):
            order.append(self.run_script("document.activeElement.id || document.activeElement.closest('[id]')?.id"))
            self.key("Tab", 9)
        for id in ("share", "document", "chart", "restart", "undo", "event", "data", "ms", "fire", "line", "steps", "context", "states", "verify"):
            self.assertIn(id, order)

    @unittest.skipUnless("--screenshot" in sys.argv, "with --screenshot FILE")
    def test_screenshot(self):
        self.open()
        self.browser.call("Emulation.setDeviceMetricsOverride", width=1280, height=860, deviceScaleFactor=1, mobile=False)
        self.run_script("byId('example').value = 'approval'; byId('example').dispatchEvent(new Event('change'))")
        self.wait_text("agents", "writer in writing")
        self.run_script("document.querySelector('#agents input').value = '{\"text\": \"Once\"}'")
        self.click("#agents button", "Done")
        self.wait_text("state", "waiting")
        self.wait("/^(holds|violated|undecided)/.test(byId('verdict').innerText)")
        image = self.browser.call("Page.captureScreenshot", format="png")["data"]
        Path(SCREENSHOT).write_bytes(base64.b64decode(image))


if __name__ == "__main__":
    arguments = sys.argv[1:]
    PAGE = Path(arguments.pop(0)).resolve().as_uri()
    if arguments[:1] == ["--screenshot"]:
        SCREENSHOT = arguments[1]
        arguments = arguments[2:]
    unittest.main(argv=[sys.argv[0], *arguments], verbosity=2)
