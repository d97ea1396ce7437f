"""The command wfsm from outside: wfsm trace.

usage: test_trace.py WFSM COMMAND-STORE
"""
import http.server
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

import test_command
from test_command import Folder, run

KID = {"wfsm": 1, "id": "kid", "initial": "work", "states": {
    "work": {"invoke": {"src": "flaky", "retry": [{"errors": ["exit"], "maxAttempts": 3, "intervalMs": 1}],
                        "onDone": "end", "onError": "end"}},
    "end": {"type": "final"}}}
PARENT = {"wfsm": 1, "id": "parent", "initial": "outer", "states": {
    "outer": {"initial": "calling", "states": {
        "calling": {"invoke": {"src": "machine:kid", "onDone": "#end", "onError": "#end"}}}},
    "end": {"id": "end", "type": "final"}}}
RING = {"wfsm": 1, "id": "ring", "initial": "off", "restore": {}, "states": {
    "off": {"on": {"GO": "on", "END": "end"}},
    "on": {"initial": "one", "on": {"END": "end"}, "states": {"one": {"on": {"NEXT": "two"}}, "two": {"on": {"NEXT": "one"}}}},
    "end": {"type": "final"}}}
# It fails once.
AGENTS = """[agents.flaky]
command = ["sh", "-c", "if [ -e %s ]; then echo '{}'; else touch %s; exit 3; fi"]
"""
# The members that the messages of opentelemetry-proto have, as far as they are used.
VALUE = {"stringValue": str, "intValue": str}
ATTRIBUTE = {"key": str, "value": VALUE}
SPAN = {"traceId": str, "spanId": str, "parentSpanId": str, "name": str, "kind": int,
        "startTimeUnixNano": str, "endTimeUnixNano": str, "attributes": [ATTRIBUTE],
        "droppedEventsCount": int, "events": [{"timeUnixNano": str, "name": str, "attributes": [ATTRIBUTE]}],
        "links": [{"traceId": str, "spanId": str}], "status": {"code": int, "message": str}}
MESSAGE = {"resourceSpans": [{"resource": {"attributes": [ATTRIBUTE]}, "schemaUrl": str, "scopeSpans": [
    {"scope": {"name": str, "version": str}, "spans": [SPAN], "schemaUrl": str}]}]}


def fits(value, shape):
    if isinstance(shape, list):
        return isinstance(value, list) and all(fits(one, shape[0]) for one in value)
    if isinstance(shape, dict):
        return isinstance(value, dict) and all(key in shape and fits(one, shape[key])
                                               for key, one in value.items())
    return isinstance(value, shape)


def attributes(span):
    return {one["key"]: next(iter(one["value"].values())) for one in span["attributes"]}


class Trace(Folder):
    def setUp(self):
        super().setUp()
        self.store = self.folder / "s.db"
        self.fine("store", "init", self.store)

    def fine(self, *arguments):
        done = run(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        return done.stdout.decode()

    def spans(self, *arguments):
        """By trace, each a list of spans."""
        found = []
        for line in self.fine("trace", *arguments).splitlines():
            message = json.loads(line)
            self.assertTrue(fits(message, MESSAGE), line)
            spans = message["resourceSpans"][0]["scopeSpans"][0]["spans"]
            self.assertLessEqual(len({span["traceId"] for span in spans}), 1)
            self.assertEqual(len({span["spanId"] for span in spans}), len(spans))
            for span in spans:
                self.assertRegex(span["traceId"] + span["spanId"], "^[0-9a-f]{48}$")
                self.assertLessEqual(int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"]))
            found.append(spans)
        return found

    def work(self):
        """A parent and its child, whose agent fails once."""
        once = self.folder / "once"
        agents = self.file(AGENTS % (once, once), "agents.toml")
        parent, kid = self.file(PARENT, "parent.json"), self.file(KID, "kid.json")
        self.fine("start", self.store, parent, "p")
        worker = subprocess.Popen([test_command.WFSM, "work", self.store, "--machines", parent, kid, "--agents", agents,
                                   "--runs", self.folder / "runs"], stdout=subprocess.DEVNULL)
        self.fine("tail", self.store, "p")
        worker.terminate()
        worker.wait()

    def test_a_parent_its_child_and_two_attempts(self):
        self.work()
        parent, kid = self.spans(self.store)
        named = {span["name"]: span for span in parent}
        self.assertEqual(sorted(named), ["end", "machine:kid", "outer", "outer.calling", "parent"])
        self.assertNotIn("parentSpanId", named["parent"])
        for inner, outer in (("outer", "parent"), ("outer.calling", "outer"), ("end", "parent"),
                             ("machine:kid", "outer.calling")):
            self.assertEqual(named[inner]["parentSpanId"], named[outer]["spanId"], inner)
        self.assertEqual([event["name"].split()[0] for event in named["parent"]["events"]],
                         ["start", "claim", "result"])
        root = kid[-1]
        self.assertEqual(root["links"], [{"traceId": parent[0]["traceId"],
                                          "spanId": named["machine:kid"]["spanId"]}])
        first, second = [span for span in kid if span["name"] == "invoke_agent flaky"]
        self.assertEqual((first["kind"], first["status"]["code"], attributes(first)["error.type"]), (3, 2, "exit"))
        self.assertNotIn("status", second)
        self.assertEqual((attributes(first)["wfsm.attempt"], attributes(second)["wfsm.attempt"]), ("1", "2"))
        self.assertEqual(attributes(second)["gen_ai.agent.name"], "flaky")
        self.assertNotIn("gen_ai.agent.name", attributes(named["machine:kid"]))

    def test_exporting_again_changes_nothing(self):
        self.work()
        self.assertEqual(self.spans(self.store), self.spans(self.store))
        self.assertEqual(len(self.spans("--service", "x", self.store, "p")), 1)
        self.assertIn('{"key":"service.name","value":{"stringValue":"x"}}',
                      self.fine("trace", "--service=x", self.store, "p"))

    def test_what_goes_on_has_no_span_yet(self):
        machine = self.file({"wfsm": 1, "id": "m", "initial": "a", "states": {
            "a": {"on": {"GO": "b"}}, "b": {"on": {"GO": "c"}}, "c": {"type": "final"}}})
        self.fine("start", self.store, machine, "i")
        self.assertEqual(self.spans(self.store), [[]])
        self.fine("send", self.store, "i", "GO")
        [[left]] = self.spans(self.store)
        self.assertEqual(left["name"], "a")
        self.fine("send", self.store, "i", "GO")
        [[again, *_, root]] = self.spans(self.store)
        self.assertEqual((again, root["name"]), (left, "m"))
        self.assertEqual(left["parentSpanId"], root["spanId"])

    def test_a_fork_is_linked(self):
        self.fine("start", self.store, self.file(RING, "ring.json"), "i")
        self.fine("fork", self.store, "i", "f")
        for name in "if":
            self.fine("send", self.store, name, "END")
        fork, source = (spans[-1] for spans in self.spans(self.store))
        self.assertEqual(fork["links"], [{"traceId": source["traceId"], "spanId": source["spanId"]}])

    def test_a_journal_that_was_compacted(self):
        """What is left has the same spans as before. Of a state that was entered before, there is none."""
        self.fine("start", self.store, self.file(RING, "ring.json"), "i")
        for event in ["GO"] + ["NEXT"] * 150 + ["END"]:
            self.fine("send", self.store, "i", event)
        [before] = self.spans(self.store)
        self.fine("compact", "--keep", "20", self.store, "i")
        [after] = self.spans(self.store)
        known = {span["spanId"]: (span["name"], span["startTimeUnixNano"], span["endTimeUnixNano"]) for span in before}
        self.assertGreater(len(after), 10)
        for span in after:
            self.assertEqual(known[span["spanId"]], (span["name"], span["startTimeUnixNano"], span["endTimeUnixNano"]))
        self.assertNotIn("on", [span["name"] for span in after])

    @unittest.skipUnless("WFSM_LIBRARY" in os.environ, "under sanitizers, Python cannot load the library")
    def test_a_long_journal_goes_out_in_parts(self):
        sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings" / "python"))
        import wfsm
        with wfsm.sqlite(str(self.store), synchronous="normal") as store:
            long = wfsm.Instance.start(wfsm.Machine.load(RING), store, "i", now=1)
            for event in ["GO"] + ["NEXT"] * 10100 + ["END"]:
                long.send(event, now=1)
        lines = self.fine("trace", self.store).splitlines()
        found = [json.loads(line)["resourceSpans"][0]["scopeSpans"][0]["spans"] for line in lines]
        self.assertEqual([len(spans) for spans in found], [1000] * 10 + [len(found[-1])])
        every = [span for spans in found for span in spans]
        self.assertEqual(len({span["spanId"] for span in every}), len(every))
        self.assertEqual((len(every[-1]["events"]), every[-1]["droppedEventsCount"]), (10000, 103))

    @unittest.skipUnless("WFSM_LIBRARY" in os.environ, "under sanitizers, Python cannot load the library")
    def test_what_is_removed_meanwhile_is_left_out(self):
        """More is printed than a pipe takes, so the rest is removed before it is read."""
        sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings" / "python"))
        import wfsm
        machine = wfsm.Machine.load({**RING, "retention": {"afterMs": 0, "then": "remove"}})
        with wfsm.sqlite(str(self.store), synchronous="normal") as store:
            for number in range(300):
                wfsm.Instance.start(machine, store, f"i{number}", now=1).send("END", now=2)
            tracing = subprocess.Popen([test_command.WFSM, "trace", self.store], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
            first = tracing.stdout.readline()
            self.assertEqual(len(store.sweep(now=10)), 300)
            rest, said = tracing.communicate()
        self.assertTrue(first)
        self.assertLess(len(rest.splitlines()), 299)
        self.assertEqual((tracing.returncode, said), (0, ""))

    def test_the_models_of_agents(self):
        self.work()
        models = self.file('[agents.flaky]\ntype = "http"\napi = "anthropic"\nmodel = "m-1"\nbase_url = "http://127.0.0.1:1"\n',
                           "models.toml")
        kid = self.spans("--agents", models, self.store)[1]
        for span in kid:
            if span["name"] == "invoke_agent flaky":
                self.assertEqual((attributes(span)["gen_ai.provider.name"], attributes(span)["gen_ai.request.model"]),
                                 ("anthropic", "m-1"))
        done = run("trace", "--agents", self.folder / "none.toml", self.store)
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn("none.toml", done.stderr.decode())

    def collector(self, taken, answer, port=0):
        """The address of one that keeps what it takes, and answers with answer[0], which may be a function of the
        spans, and the text answer[1]."""
        class Collector(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                status = answer[0]
                if callable(status):
                    status = status(json.loads(body)["resourceSpans"][0]["scopeSpans"][0]["spans"])
                taken.append((self.path, self.headers["Content-Type"], body, status))
                self.send_response(status)
                self.end_headers()
                self.wfile.write("".join(answer[1:]).encode())

            def log_message(self, *_):
                pass
        server = http.server.HTTPServer(("127.0.0.1", port), Collector)
        self.addCleanup(server.server_close)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_port}/v1/traces"

    def test_a_collector(self):
        taken, answer = [], [200]
        url = self.collector(taken, answer)
        self.work()
        self.assertEqual(self.fine("trace", "--otlp", url, self.store), "")
        self.assertEqual([one[:2] for one in taken], [("/v1/traces", "application/json")] * 2)
        self.assertEqual([one[2] for one in taken], self.fine("trace", self.store).splitlines())
        answer[0] = 503
        done = run("trace", "--otlp", url, self.store)
        self.assertEqual(done.returncode, 1)
        self.assertIn("the collector answered 503", done.stderr.decode())
        done = run("trace", "--otlp", "file:///etc/passwd", self.store)
        self.assertEqual(done.returncode, 1)

    def test_what_a_collector_refuses_holds_up_nothing(self):
        """OTLP says which messages are sent again."""
        taken, answer = [], [lambda spans: 400 if "bad" in [span["name"] for span in spans] else 200]
        url = self.collector(taken, answer)
        bad = {**RING, "id": "bad"}
        for name, machine in (("a", RING), ("b", bad), ("c", RING)):
            self.fine("start", self.store, self.file(machine, machine["id"] + ".json"), name)
            self.fine("send", self.store, name, "END")
        done = run("trace", "--otlp", url, self.store)
        self.assertEqual(done.returncode, 1)
        self.assertEqual([one[3] for one in taken], [200, 400, 200])
        with sqlite3.connect(self.store) as store:
            store.execute("update journal set record = '[' where instance = (select key from instance where id = 'b')")
        taken.clear()
        self.assertEqual(run("trace", "--otlp", url, self.store).returncode, 1)
        self.assertEqual([one[3] for one in taken], [200, 200])
        for status, tries in ((429, 1), (503, 1), (500, 2), (302, 2)):
            taken.clear()
            answer[0] = status
            self.assertEqual(run("trace", "--otlp", url, self.store).returncode, 1)
            self.assertEqual([one[3] for one in taken], [status] * tries)

    def test_a_partial_success(self):
        taken, answer = [], [200, '{"partialSuccess": {"rejectedSpans": "2", "errorMessage": "too old"}}']
        self.fine("start", self.store, self.file(RING, "ring.json"), "i")
        done = run("trace", "--otlp", self.collector(taken, answer), self.store)
        self.assertEqual(done.returncode, 1)
        self.assertIn("the collector has rejected 2 spans: too old", done.stderr.decode())
        answer[1] = '{"partialSuccess": {}}'
        self.fine("trace", "--otlp", self.collector(taken, answer), self.store)

    def test_live_what_is_refused_holds_up_nothing(self):
        taken, answer = [], [lambda spans: 400 if "bad" in [span["name"] for span in spans] else 200]
        server = self.serve(self.collector(taken, answer))
        ring, bad = self.file(RING, "ring.json"), self.file({**RING, "id": "bad"}, "bad.json")
        for name, machine in (("a", bad), ("b", ring)):
            self.fine("start", self.store, machine, name)
            self.fine("send", self.store, name, "END")
        while "ring" not in [span["name"] for span in self.exported(taken)]:
            time.sleep(0.05)
        server.terminate()
        server.wait()
        self.assertEqual([one[3] for one in taken if "bad" in json.dumps(one[2])].count(400), 1)

    def until(self, lines, words):
        for line in lines:
            if words in line:
                return
        self.fail(f"{words} was not said")

    def test_live(self):
        """A worker's spans come as they end; while the collector is away, none is lost and the work continues."""
        taken, answer = [], [503]
        url = self.collector(taken, answer)
        once = self.folder / "once"
        agents = self.file(AGENTS % (once, once), "agents.toml")
        kid, parent = self.file(KID, "kid.json"), self.file(PARENT, "parent.json")
        worker = subprocess.Popen([test_command.WFSM, "work", "--machines", kid, "--agents", agents, "--otlp", url,
                                   self.store, parent], cwd=self.folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True)
        self.addCleanup(worker.kill)
        self.until(worker.stderr, "exports spans from now on")
        self.fine("start", self.store, parent, "p")
        self.fine("wait", self.store, "p")
        while not taken:
            time.sleep(0.05)
        refused = len(taken)
        answer[0] = 200
        expected = {span["spanId"] for spans in self.spans(self.store) for span in spans}
        found = []
        while {span["spanId"] for span in found} != expected:
            time.sleep(0.1)
            found = self.exported(taken[refused:])
        worker.terminate()
        said = worker.communicate()
        self.assertEqual(worker.returncode, 0, said)
        self.assertIn("the collector answered 503", said[1])
        self.assertEqual(len(found), len(expected))
        self.assertTrue(all(fits(json.loads(one[2]), MESSAGE) for one in taken))

    @staticmethod
    def exported(taken):
        """The spans that a collector has accepted, with their traces."""
        return [span for one in taken if one[3] == 200 for span in
                json.loads(one[2])["resourceSpans"][0]["scopeSpans"][0]["spans"]]

    def serve(self, url, *more):
        server = subprocess.Popen([test_command.WFSM, "serve", "--otlp", url, *more, self.store], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True)
        for last in (server.stdout.close, server.stderr.close, server.wait, server.kill):
            self.addCleanup(last)
        self.assertTrue(server.stdout.readline().startswith("http://127.0.0.1:"))
        self.until(server.stderr, "exports spans from now on")
        return server

    def wait_for(self, taken, names):
        while sorted(span["name"] for span in self.exported(taken)) != names:
            time.sleep(0.05)

    def test_serve_exports_live(self):
        """While nothing listens at the collector's address, nothing is lost, and what was sent is not sent again."""
        machine = self.file({"wfsm": 1, "id": "m", "initial": "a", "states": {
            "a": {"on": {"GO": "b"}}, "b": {"on": {"GO": "c"}}, "c": {"type": "final"}}})
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        server = self.serve(f"http://127.0.0.1:{port}/v1/traces")
        self.fine("start", self.store, machine, "i")
        self.fine("send", self.store, "i", "GO")
        self.until(server.stderr, f"http://127.0.0.1:{port}/v1/traces: ")
        self.assertIsNone(server.poll())
        taken = []
        self.collector(taken, [200], port)
        self.wait_for(taken, ["a"])
        self.fine("send", self.store, "i", "GO")
        self.wait_for(taken, ["a", "b", "c", "m"])
        server.terminate()
        self.assertEqual(server.wait(), 0)
        live = self.exported(taken)
        self.assertTrue(all(fits(json.loads(one[2]), MESSAGE) for one in taken))
        self.assertEqual(sorted(span["name"] for span in live), ["a", "b", "c", "m"])
        # Exported again, each span is the same.
        taken.clear()
        self.fine("trace", "--otlp", f"http://127.0.0.1:{port}/v1/traces", self.store)
        self.assertEqual(*(sorted(map(json.dumps, spans)) for spans in (live, self.exported(taken))))

    def test_serve_sends_what_is_there_when_it_ends(self):
        """A span that has ended right before the signal is not lost. What ended before the server began is not its own."""
        machine = self.file({"wfsm": 1, "id": "m", "initial": "a", "states": {
            "a": {"on": {"GO": "b"}}, "b": {"type": "final"}}})
        self.fine("start", self.store, machine, "before")
        self.fine("send", self.store, "before", "GO")
        taken = []
        server = self.serve(self.collector(taken, [200]))
        self.fine("start", self.store, machine, "i")
        self.fine("send", self.store, "i", "GO")
        server.terminate()
        self.assertEqual(server.wait(), 0)
        [expected] = self.spans(self.store, "i")
        self.assertEqual(sorted(span["spanId"] for span in self.exported(taken)),
                         sorted(span["spanId"] for span in expected))

    @staticmethod
    def children(process):
        return [int(one) for one in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(
            encoding="ascii").split()]

    def kill_exporter(self, process, taken):
        """It is started again, and exports."""
        machine = self.file({"wfsm": 1, "id": "m", "initial": "a", "states": {"a": {"type": "final"}}}, "m.json")
        [exporter] = self.children(process)
        os.kill(exporter, signal.SIGKILL)
        self.until(process.stderr, "the exporter of spans was ended by signal 9; it starts again in 1 s")
        self.until(process.stderr, "exports spans from now on")
        self.assertNotEqual(self.children(process), [exporter])
        self.fine("start", self.store, machine, "after")
        self.wait_for(taken, ["a", "m"])
        process.terminate()
        self.assertEqual(process.wait(), 0)

    def test_an_exporter_that_was_killed_starts_again(self):
        taken = []
        url = self.collector(taken, [200])
        self.kill_exporter(self.serve(url), taken)

    def test_an_exporter_of_a_worker_that_was_killed_starts_again(self):
        taken = []
        agents, kid = self.file("", "agents.toml"), self.file({"id": "k", "initial": "a", "states": {"a": {}}}, "k.json")
        worker = subprocess.Popen([test_command.WFSM, "work", "--machines", kid, "--agents", agents, "--otlp",
                                   self.collector(taken, [200]), self.store], cwd=self.folder,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for last in (worker.stderr.close, worker.wait, worker.kill):
            self.addCleanup(last)
        self.until(worker.stderr, "exports spans from now on")
        self.kill_exporter(worker, taken)

    def test_serve_names_models(self):
        once = self.folder / "once"
        agents = self.file(AGENTS % (once, once) + '[agents.m]\ntype = "http"\napi = "anthropic"\nmodel = "m-1"\n'
                           'base_url = "http://127.0.0.1:1"\n', "agents.toml")
        machine = self.file({"id": "m", "initial": "a", "states": {"a": {
            "invoke": {"src": "m", "id": "w", "onError": "b", "onDone": "b"}}, "b": {"type": "final"}}})
        taken = []
        self.serve(self.collector(taken, [200]), "--agents", agents)
        self.fine("start", self.store, machine, "i")
        worker = subprocess.Popen([test_command.WFSM, "work", "--machines", machine, "--agents", agents, self.store],
                                  cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for last in (worker.wait, worker.terminate):
            self.addCleanup(last)
        self.fine("wait", self.store, "i")
        self.wait_for(taken, ["a", "b", "invoke_agent m", "m"])
        [span] = [one for one in self.exported(taken) if one["name"] == "invoke_agent m"]
        self.assertEqual((attributes(span)["gen_ai.provider.name"], attributes(span)["gen_ai.request.model"]),
                         ("anthropic", "m-1"))

    def test_follow_prints(self):
        machine = self.file({"id": "m", "initial": "a", "states": {"a": {"on": {"go": "b"}}, "b": {"type": "final"}}})
        follower = subprocess.Popen([test_command.WFSM, "trace", "--follow", self.store], stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True)
        self.addCleanup(follower.stderr.close)
        self.addCleanup(follower.stdout.close)
        self.addCleanup(follower.wait)
        self.addCleanup(follower.kill)
        self.until(follower.stderr, "exports spans from now on")
        self.fine("start", self.store, machine, "m1")
        self.fine("send", self.store, "m1", "go")
        seen = []
        while len(seen) < 3:
            message = json.loads(follower.stdout.readline())
            seen += message["resourceSpans"][0]["scopeSpans"][0]["spans"]
        self.assertEqual(sorted(one["spanId"] for one in seen),
                         sorted(one["spanId"] for one in self.spans(self.store)[0]))
        follower.terminate()
        self.assertEqual(follower.wait(), 0)

    def test_what_is_wrong_is_told(self):
        for arguments, code, why in (
                ([], 64, "trace needs a store"), ([self.folder / "none.db"], 1, "none.db"),
                ([self.store, "none"], 1, "there is no instance none"), (["--x", self.store], 64, "--x"),
                (["--follow", self.store, "x"], 64, "one store"), (["--follow", self.folder / "none.db"], 1, "none.db")):
            done = run("trace", *arguments)
            self.assertEqual((done.returncode, done.stdout), (code, b""), arguments)
            self.assertIn(why, done.stderr.decode())


if __name__ == "__main__":
    test_command.WFSM, test_command.STORE_MAKER = map(os.path.abspath, sys.argv[1:3])
    unittest.main(argv=sys.argv[:1], verbosity=1)
