#!/usr/bin/python3
"""Agents of type http against a server that misbehaves on purpose.

usage: test_http_agent.py HTTP_HOST WFSM [COORDINATOR]
"""

import concurrent.futures
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from bad_server import ANSWER, Server

HOST = str(Path(sys.argv[1]).resolve())
WFSM = str(Path(sys.argv[2]).resolve())
COORDINATOR = str(Path(sys.argv[3]).resolve()) if len(sys.argv) > 3 else None
DOCUMENT = Path(__file__).resolve().parents[2] / "examples/coordinator/coordinator.json"
KEY = "sk-secret-0123456789-abcdefghij"

SCHEMA = {"type": "object", "required": ["decision"],
          "properties": {"decision": {"enum": ["approve", "reject"]}}}
RETRY = [{"errors": ["network"], "maxAttempts": 2, "intervalMs": 20},
         {"errors": ["schema"], "maxAttempts": 2, "intervalMs": 20}]


def machine(retry, more):
    end = {"type": "final"}
    result = {"type": "assign", "params": {"result": {"var": "event.data"}}}
    return {"id": "ask", "initial": "ask", "states": {
        "ask": {"invoke": {"src": "model", "input": {"question": "Is it good?"},
                           "output": SCHEMA, "retry": retry,
                           "onDone": {"target": "done", "actions": result},
                           "onError": {"target": "failed", "actions": result}, **more}},
        "done": end, "failed": end}}


class Asking(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def setUp(self):
        self.server.requests.clear()
        self.prepare()

    def prepare(self):
        scratch = tempfile.TemporaryDirectory(prefix="wfsm-http-")
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)
        self.said = ""

    def configure(self, behaviour, api, base=None, key='key_env = "TEST_KEY"', more=""):
        base = base or f"http://127.0.0.1:{self.server.server_port}"
        path = "" if api == "anthropic" else "/v1"
        (self.path / "c.toml").write_text(
            f'[agents.model]\ntype = "http"\napi = "{api}"\nmodel = "test-1"\n'
            f'base_url = "{base}/{behaviour}{path}"\n{key}\n{more}\n')

    def command(self):
        return [HOST, "c.toml", "s.db", "m.json", "t"]

    def begin(self, retry=(), invoke=None):
        (self.path / "m.json").write_text(json.dumps(machine(list(retry), invoke or {})))
        return subprocess.Popen(self.command(), cwd=self.path, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env=self.environment())

    def environment(self):
        kept = {name: value for name, value in os.environ.items()
                if not name.lower().endswith("_proxy")}
        return {**kept, "TEST_KEY": KEY, "LC_ALL": "C.UTF-8"}

    def finish(self, process):
        out, err = process.communicate(timeout=600)
        self.said = (out + err).decode()
        self.assert_no_key(out, err)
        return process.returncode

    def assert_no_key(self, *texts):
        """Nowhere: what was printed, the store with its journal, any other file."""
        files = [path.read_bytes() for path in self.path.rglob("*") if path.is_file()]
        for text in [*texts, *files]:
            self.assertNotIn(KEY.encode(), text)
            self.assertNotIn(KEY[:16].encode(), text)

    def run_it(self, *retry, **invoke):
        process = self.begin(retry, invoke)
        self.assertEqual(self.finish(process), 0, self.said)
        return self.records()

    def records(self):
        with sqlite3.connect(self.path / "s.db") as store:
            rows = store.execute("SELECT record FROM journal ORDER BY revision").fetchall()
        return [json.loads(row[0]) for row in rows]

    @staticmethod
    def failures(records):
        return [(r["failed"]["class"], r["failed"]["message"])
                for r in records if "failed" in r]

    def expect_done(self, records):
        self.assertEqual(records[-1]["configuration"], ["done"], records[-1])
        self.assertEqual(records[-1]["input"]["output"], json.loads(ANSWER))

    def expect_failure(self, failure_class, *words):
        records = self.run_it()
        self.assertEqual(records[-1]["configuration"], ["failed"], records[-1])
        ((found, message),) = self.failures(records)
        self.assertEqual(found, failure_class, message)
        for word in words:
            self.assertIn(word, message)


APIS = ("anthropic", "openai")


class GoodAnswers(Asking):
    def test_both_dialects(self):
        for behaviour in ("good", "chunked", "byte_by_byte", "not_streamed", "keeps_open"):
            for api in APIS:
                with self.subTest(behaviour=behaviour, api=api):
                    self.setUp()
                    self.configure(behaviour, api)
                    begun = time.monotonic()
                    self.expect_done(self.run_it())
                    self.assertLess(time.monotonic() - begun, 40)
                    self.assertIn("model: asked", self.said)

    def test_what_is_sent(self):
        for api, path, key in (("anthropic", "/good/v1/messages", ("x-api-key", KEY)),
                               ("openai", "/good/v1/chat/completions",
                                ("authorization", "Bearer " + KEY))):
            with self.subTest(api=api):
                self.setUp()
                (self.path / "p.md").write_text("Look at {input}.")
                (self.path / "s.md").write_text("You review.")
                self.configure("good", api, more='prompt = "{dir}/p.md"\n'
                                                 'system = "{dir}/s.md"\nmax_tokens = 77')
                self.expect_done(self.run_it())
                (asked,) = self.server.seen("good")
                self.assertEqual(asked["path"], path)
                headers = {name.lower(): value for name, value in asked["headers"].items()}
                self.assertEqual(headers[key[0]], key[1])
                body = asked["body"]
                self.assertEqual(body["model"], "test-1")
                self.assertIs(body["stream"], True)
                self.assertEqual(body["max_tokens"], 77)
                prompt = body["messages"][-1]["content"]
                self.assertIn('Look at {"question":"Is it good?"}.', prompt)
                self.assertIn(json.dumps(SCHEMA, separators=(",", ":")), prompt)
                system = body.get("system") or body["messages"][0]["content"]
                self.assertEqual(system, "You review.")

    def test_a_key_from_a_file(self):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(KEY + "\n")
            file.flush()
            self.configure("good", "openai", key=f'key_file = "{file.name}"')
            self.expect_done(self.run_it())
        (asked,) = self.server.seen("good")
        self.assertEqual(asked["headers"]["authorization"], "Bearer " + KEY)

    def test_no_key(self):
        self.configure("good", "openai", key="")
        self.expect_done(self.run_it())
        (asked,) = self.server.seen("good")
        self.assertNotIn("authorization", asked["headers"])

    def test_a_key_that_is_not_there(self):
        self.configure("good", "openai", key='key_env = "NO_SUCH_KEY"')
        self.assertEqual(self.finish(self.begin()), 2)
        self.assertIn("agents.model: the environment variable NO_SUCH_KEY, which holds the "
                      "key, is not set", self.said)


# behaviour, class, words of the message, more configuration
BAD = [
    ("slow", "timeout", ["timed out"], "timeout_ms = 200"),
    ("silent", "timeout", ["nothing has come for 200 ms"], "idle_timeout_ms = 200"),
    ("dripping", "timeout", ["timed out"], "timeout_ms = 300\nidle_timeout_ms = 200"),
    ("cut_off", "network", ["ended before the answer did"], ""),
    ("cut_chunk", "network", ["transfer closed"], ""),
    ("cut_by_reset", "network", ["reset"], ""),
    ("reset_at_once", "network", ["reset"], ""),
    ("says_nothing", "network", ["Empty reply"], ""),
    ("length_too_long", "network", ["with 1000 bytes"], ""),
    ("length_too_short", "network", ["ended before the answer did"], ""),
    ("huge", "schema", ["the answer is longer than 50000 bytes"], "max_output_bytes = 50000"),
    ("huge_line", "schema", ["is longer than"], "max_output_bytes = 50000"),
    ("huge_headers", "schema", ["longer than allowed"], "max_reply_bytes = 100000"),
    ("endless", "schema", ["longer than allowed"], "max_reply_bytes = 1000000"),
    ("wrong_type", "other", ["found text/html"], ""),
    ("no_http", "network", [], ""),
    ("redirect", "other", ["HTTP status 302"], ""),
    ("invalid_utf8", "schema", ["invalid UTF-8"], ""),
    ("no_json_event", "schema", ["an event of the stream is not JSON"], ""),
    ("no_json_answer", "schema", ["the answer: expected a JSON object"], ""),
    ("max_tokens", "schema", ["cut off by the service"], ""),
    ("refusal", "other", ["cut off by the service"], ""),
    ("done_too_early", "network", ["ended before the answer did"], ""),
    ("overloaded_in_stream", "network", ["overloaded_error: Busy"], ""),
    ("unauthorized", "auth", ["HTTP status 401"], ""),
    ("forbidden", "auth", ["HTTP status 403", "permission_error", "****"], ""),
    ("no_model", "other", ["HTTP status 404", "model: test-1 ****"], ""),
    ("rate_limit", "network", ["HTTP status 429", "Slow down", "not again before 1 s"], ""),
    ("broken_once", "network", ["HTTP status 500"], ""),
    ("overloaded", "network", ["HTTP status 529, overloaded_error"], ""),
    ("echo_key", "other", ["the answer holds the key"], ""),
    ("echo_key_in_error", "network", ["bad header ****"], ""),
    ("echo_key_as_answer", "schema", ["the answer"], ""),
]


class BadAnswers(Asking):
    def test_each(self):
        """Several at once: most of the time nobody does anything."""
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            running = [(case[0], api, pool.submit(self.one, api, *case))
                       for case in BAD for api in APIS]
            for behaviour, api, result in running:
                with self.subTest(behaviour=behaviour, api=api):
                    result.result()
        self.assertEqual(len(self.server.requests), len(running))

    @classmethod
    def one(cls, api, behaviour, failure_class, words, more):
        case = cls("test_each")
        case.prepare()
        try:
            case.configure(behaviour, api, more=more)
            case.expect_failure(failure_class, *words)
        finally:
            case.doCleanups()

    def test_refused(self):
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            self.configure("good", "openai", f"http://127.0.0.1:{closed.getsockname()[1]}")
            self.expect_failure("network", "Failed to connect")

    def test_no_such_host(self):
        self.configure("good", "openai", "https://no-such-host.invalid")
        self.expect_failure("network", "no-such-host.invalid")

    def test_nobody_answers_the_connection(self):
        with socket.socket() as full:
            full.bind(("127.0.0.1", 0))
            full.listen(0)
            port = full.getsockname()[1]
            waiting = []
            for _ in range(3):  # its queue is full, the next one gets no answer
                waiting.append(socket.socket())
                waiting[-1].setblocking(False)
                waiting[-1].connect_ex(("127.0.0.1", port))
            self.configure("good", "openai", f"http://127.0.0.1:{port}",
                           more="connect_timeout_ms = 300")
            self.expect_failure("timeout")
            for each in waiting:
                each.close()


class Proxies(Asking):
    """The environment names a proxy for everything. It must hear nothing of this machine."""

    def environment(self):
        proxy = f"http://127.0.0.1:{self.proxy.getsockname()[1]}"
        names = ["http_proxy", "https_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY"]
        return {**super().environment(), **dict.fromkeys(names, proxy)}

    def prepare(self):
        super().prepare()
        self.proxy = socket.create_server(("127.0.0.1", 0))
        self.proxy.setblocking(False)
        self.addCleanup(self.proxy.close)

    def asked(self):
        try:
            self.proxy.accept()[0].close()
        except BlockingIOError:
            return False
        return True

    def test_this_machine(self):
        port = self.server.server_port
        for host in ["127.0.0.1", "localhost", "LocalHost", "127.1", "2130706433",
                     "[::ffff:127.0.0.1]"]:
            with self.subTest(host=host):
                self.configure("good", "openai", f"http://{host}:{port}")
                self.expect_done(self.run_it())
                self.assertFalse(self.asked())
                (self.path / "s.db").unlink()

    def test_another_machine(self):
        """The test can fail: what is not this machine goes to the proxy, encrypted."""
        self.configure("good", "openai", "https://no-such-host.invalid",
                       more="connect_timeout_ms = 300\ntimeout_ms = 300")
        self.run_it()
        self.assertTrue(self.asked())


class Redirects(Asking):
    def test_the_key_goes_no_further(self):
        """To another machine, to http, to another port: the key is sent once."""
        for api in APIS:
            self.server.requests.clear()
            self.configure("redirect", api)
            self.expect_failure("other", "HTTP status 302")
            self.assertEqual(len(self.server.requests), 1)
            (self.path / "s.db").unlink()


class Retries(Asking):
    def test_a_mismatch_is_asked_again_with_the_error(self):
        for api in APIS:
            with self.subTest(api=api):
                self.setUp()
                self.configure("two_answers", api)
                records = self.run_it(*RETRY)
                self.expect_done(records)
                ((failure_class, message),) = self.failures(records)
                self.assertEqual(failure_class, "schema")
                first, second = [r["body"]["messages"][-1]["content"]
                                 for r in self.server.seen("two_answers")]
                self.assertNotIn("could not be used", first)
                self.assertIn("could not be used: " + message, second)

    def test_no_more_often_than_the_document_says(self):
        self.configure("no_json_answer", "openai")
        records = self.run_it(*RETRY)
        self.assertEqual([c for c, _ in self.failures(records)], ["schema", "schema"])
        self.assertEqual(len(self.server.seen("no_json_answer")), 2)

    def test_a_server_that_breaks_once(self):
        self.configure("broken_once", "anthropic")
        records = self.run_it(*RETRY)
        self.expect_done(records)
        second = self.server.seen("broken_once")[1]["body"]["messages"][-1]["content"]
        self.assertNotIn("could not be used", second)


class Costs(Asking):
    def test_tokens_and_their_price(self):
        for behaviour in ("good", "not_streamed"):
            for api in APIS:
                with self.subTest(api=api, behaviour=behaviour):
                    self.setUp()
                    self.configure(behaviour, api,
                                   more="price_input = 3000000\nprice_output = 15000000")
                    last = self.run_it()[-1]
                    self.assertEqual(last["input"]["usage"], {
                        "input_tokens": 15, "output_tokens": 23, "tokens": 38,
                        "micros": 15 * 3 + 23 * 15})

    def test_a_failure_costs_too(self):
        self.configure("max_tokens", "openai")
        records = self.run_it()
        (failure,) = [r["input"] for r in records if r["input"]["kind"] == "failure"]
        self.assertEqual(failure["usage"]["tokens"], 38)
        self.assertNotIn("micros", failure["usage"])

    def test_tokens_draw_on_the_budget(self):
        document = machine([], {})
        document["budgets"] = {"tokens": {"limit": 37}, "micros": {"limit": 1000}}
        document["states"]["done"] = {"on": {"error.budget.tokens": "over"}}
        document["states"]["over"] = {"type": "final"}
        self.configure("good", "openai", more="price_input = 3000000\nprice_output = 15000000")
        (self.path / "m.json").write_text(json.dumps(document))
        done = subprocess.run(self.command(), cwd=self.path, capture_output=True, timeout=600,
                              env=self.environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.records()[-1]["configuration"], ["over"])
        shown = json.loads(subprocess.run(
            [WFSM, "show", "--json", "s.db", "t"], cwd=self.path, capture_output=True,
            check=True).stdout)
        self.assertEqual(shown["budgets"]["tokens"]["used"], 38)
        self.assertEqual(shown["budgets"]["micros"]["left"], 1000 - 15 * 3 - 23 * 15)

    def test_the_server_says_when(self):
        for behaviour in ("rate_limit", "rate_limit_date"):
            with self.subTest(behaviour=behaviour):
                self.setUp()
                self.configure(behaviour, "anthropic")
                self.expect_done(self.run_it(*RETRY))
                first, second = [r["at"] for r in self.server.seen(behaviour)]
                self.assertGreater(second - first, 0.9)
                self.assertLess(second - first, 60)


class Certificates(Asking):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="wfsm-certificate-")
        pem = Path(cls.folder.name) / "server.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days",
                        "2", "-subj", "/CN=localhost", "-addext",
                        "subjectAltName=DNS:localhost", "-keyout", pem, "-out",
                        cls.folder.name + "/certificate.pem"], check=True,
                       stderr=subprocess.DEVNULL)
        cls.certificate = cls.folder.name + "/certificate.pem"
        pem.write_text(pem.read_text() + Path(cls.certificate).read_text())
        cls.server = Server(certificate=str(pem))

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.folder.cleanup()

    def base(self, host):
        return f"https://{host}:{self.server.server_port}"

    def test_a_certificate_nobody_knows(self):
        self.configure("good", "openai", self.base("localhost"))
        self.expect_failure("auth", "cannot be trusted", "certificate")
        self.assertEqual(self.server.seen("good"), [])

    def test_one_that_is_known(self):
        self.configure("good", "openai", self.base("localhost"),
                       more=f'ca_file = "{self.certificate}"')
        self.expect_done(self.run_it())

    def test_another_host(self):
        self.configure("good", "openai", self.base("127.0.0.1"),
                       more=f'ca_file = "{self.certificate}"')
        self.expect_failure("auth", "cannot be trusted")
        self.assertEqual(self.server.seen("good"), [])


class Ends(Asking):
    def test_a_call_is_gone_with_its_host(self):
        self.configure("silent", "anthropic")
        process = self.begin(RETRY, {"onUnknown": "retry"})
        limit = time.monotonic() + 600
        while not self.server.seen("silent") and time.monotonic() < limit:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        self.finish(process)
        self.configure("good", "anthropic")
        records = self.run_it(*RETRY, onUnknown="retry")
        self.expect_done(records)
        self.assertIn("gone", [r["input"].get("answer") for r in records])

    def test_signs_of_life(self):
        self.configure("dripping", "anthropic", more="timeout_ms = 1500")
        records = self.run_it(heartbeatMs=500)
        self.assertIn("timed out", self.failures(records)[0][1])  # not for want of a sign
        self.setUp()
        self.configure("silent", "anthropic")
        records = self.run_it(heartbeatMs=500)
        ((failure_class, message),) = self.failures(records)
        self.assertEqual(failure_class, "timeout")
        self.assertNotIn("timed out", message)

    def test_an_answer_is_seen_as_it_comes(self):
        self.configure("slowly", "anthropic")
        self.expect_done(self.run_it())
        self.assertRegex(self.said, r"model: \d+ bytes of an answer after \d+\.\d+s")

    def test_the_time_limit_of_the_document(self):
        self.configure("silent", "anthropic")
        begun = time.monotonic()
        records = self.run_it(timeoutMs=200)
        self.assertEqual([c for c, _ in self.failures(records)], ["timeout"])
        self.assertLess(time.monotonic() - begun, 40)


class Searching(Asking):
    """Nothing that comes out of a store says the key, whatever the service said."""

    OUTPUTS = (["report"], ["journal"], ["journal", "--json"], ["show"], ["show", "--json"],
               ["checkpoints"], ["approvals"])

    def everything(self, instance):
        for command in self.OUTPUTS:
            yield command, self.output(*command, "s.db", instance)
        for command in (["list"], ["list", "--json"], ["audit"]):
            yield command, self.output(*command, "s.db")
        with sqlite3.connect(self.path / "s.db") as store:
            yield "dump", "\n".join(store.iterdump()).encode()

    def output(self, *command):
        done = subprocess.run([WFSM, *command], cwd=self.path, capture_output=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout + done.stderr

    def assert_clean(self, instance):
        for command, text in self.everything(instance):
            with self.subTest(output=command):
                self.assertTrue(text)
                self.assert_no_key(text)


class Keys(Searching):
    def test_in_every_output_of_a_store(self):
        for behaviour in ("good", "two_answers", "unauthorized", "forbidden", "no_model",
                          "echo_key", "echo_key_in_error", "echo_key_as_answer"):
            for api in APIS:
                with self.subTest(behaviour=behaviour, api=api):
                    self.setUp()
                    self.configure(behaviour, api)
                    self.run_it(*RETRY)
                    self.assert_clean("t")

    def test_the_search_finds_one(self):
        self.configure("good", "openai")
        self.run_it()
        (self.path / "found").write_text("x" + KEY)
        with self.assertRaises(AssertionError):
            self.assert_no_key()

    def test_with_a_file_for_a_key_and_a_host_that_is_killed(self):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(KEY + "\n")
            file.flush()
            self.configure("silent", "anthropic", key=f'key_file = "{file.name}"')
            process = self.begin(RETRY, {"onUnknown": "retry"})
            limit = time.monotonic() + 600
            while not self.server.seen("silent") and time.monotonic() < limit:
                time.sleep(0.01)
            process.kill()
            self.finish(process)
            self.assert_clean("t")


@unittest.skipUnless(COORDINATOR, "no coordinator")
class Coordinator(Searching):
    def test_a_model_as_reviewer(self):
        (self.path / "project").mkdir()
        self.configure("reviewer", "anthropic")
        text = (self.path / "c.toml").read_text().replace("agents.model", "agents.reviewer")
        for name, answer in (
                ("coder", '{"summary":"did it","changed_files":["a.txt"]}'),
                ("tester", '{"commands":[{"argv":["true"]}],"summary":"it is true"}')):
            text += f"[agents.{name}]\ncommand = [\"echo\", '{answer}']\n"
        (self.path / "c.toml").write_text(
            f'machine = "{DOCUMENT}"\nstore = "s.db"\nlogs = "logs"\n{text}')
        process = subprocess.Popen(
            [COORDINATOR, "run", "--config", "c.toml", "--task", "Do it", "--workspace",
             "project"], cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=self.environment())
        self.assertEqual(self.finish(process), 0, self.said)
        self.assertIn("approved after 1 of 5 rounds", self.said)
        self.assertIn("reviewer: asked", self.said)
        self.assertEqual(len(self.server.seen("reviewer")), 1)
        self.assert_clean("task-1")
        for command in (["list"], ["status", "task-1"], ["history", "task-1"]):
            self.assert_no_key(subprocess.run(
                [COORDINATOR, *command, "--config", "c.toml"], cwd=self.path, check=True,
                capture_output=True, env=self.environment()).stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
