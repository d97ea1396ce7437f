"""wfsm mcp from outside: a client that keeps to the protocol, and clients that do not.

usage: test_mcp.py WFSM
"""
import json
import random
import os
import subprocess
import sys
import unittest

import test_command
from test_command import Folder, run

SHIP = {"wfsm": 1, "id": "ship", "description": "Ships an order.", "initial": "ask", "context": {"n": 1},
        "schemas": {"context": {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]}},
        "states": {"ask": {"on": {"HOLD": "held"}, "invoke": {
            "src": "person", "input": {"question": "Ship it?\u202e", "n": {"var": "context.n"}},
            "onDone": [{"guard": {"var": "event.data.approved"}, "target": "shipped"}, {"target": "dropped"}],
            "onError": "dropped"}},
            "held": {"on": {"GO": "ask"}},
            "shipped": {"type": "final", "output": {"var": "context.n"}},
            "dropped": {"type": "final", "tags": "error"}}}
COUNT = {"wfsm": 1, "id": "count", "initial": "work", "states": {
    "work": {"invoke": {"src": "counter", "onDone": "end", "onError": "end"}}, "end": {"type": "final"}}}


class Server:
    def __init__(self, test, *arguments):
        self.process = subprocess.Popen([test_command.WFSM, "mcp", *map(str, arguments)], cwd=test.folder,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.last = 0
        test.addCleanup(self.kill)

    def kill(self):
        self.process.kill()
        self.process.wait(600)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except BrokenPipeError:
                pass

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def say(self, message):
        self.raw(json.dumps(message).encode() + b"\n")

    def hear(self):
        return json.loads(self.process.stdout.readline())

    def ask(self, method, **params):
        self.last += 1
        self.say({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})
        return self.last

    def get(self, method, **params):
        """The result, or the error."""
        id = self.ask(method, **params)
        answer = self.hear()
        assert answer["jsonrpc"] == "2.0" and answer["id"] == id, answer
        return answer.get("result", answer.get("error"))

    def greet(self, revision="2025-11-25", **capabilities):
        result = self.get("initialize", protocolVersion=revision, capabilities=capabilities,
                          clientInfo={"name": "test", "version": "1"})
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return result

    def call(self, tool, **arguments):
        return self.get("tools/call", name=tool, arguments=arguments)

    def ends(self):
        self.process.stdin.close()
        return self.process.wait(600)


class Mcp(Folder):
    def setUp(self):
        super().setUp()
        self.store = self.folder / "s.db"
        self.fine("store", "init", self.store)
        self.ship = self.file(SHIP, "ship.json")

    def fine(self, *arguments):
        done = run(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode()

    def server(self, *more, elicitation=True, revision="2025-11-25"):
        made = Server(self, "--machines", self.ship, "--as", "ada", *more, self.store)
        made.greeting = made.greet(revision, **({"elicitation": {}} if elicitation else {}))
        return made


class Protocol(Mcp):
    def test_revisions(self):
        for asked, given, tasks in (("2025-11-25", "2025-11-25", True), ("2025-06-18", "2025-06-18", False),
                                    ("1999-01-01", "2025-11-25", True)):
            greeting = self.server(revision=asked).greeting
            self.assertEqual(greeting["protocolVersion"], given)
            self.assertEqual("tasks" in greeting["capabilities"], tasks)

    def test_nothing_before_initialize(self):
        server = Server(self, self.store)
        self.assertEqual(server.get("tools/list")["code"], -32600)
        self.assertEqual(server.get("ping"), {})
        server.greet()
        self.assertIn("one initialize", server.get("initialize", protocolVersion="2025-11-25")["message"])

    def test_what_is_no_message(self):
        server = self.server()
        for line, code in ((b"{", -32700), (b"[]", -32600), (b"1", -32600), (b"null", -32600), (b'{"a":1,"a":2}', -32700),
                           (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600), (b'{"id":1,"method":"ping"}', -32600),
                           (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600), (b'{"jsonrpc":"2.0","id":1}', -32600),
                           (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32600), (b"\xff\xfe", -32700),
                           (b"[" * 100000, -32700), (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600),
                           (b'{"jsonrpc":"2.0","id":1,"method":"no/such"}', -32601),
                           (b'{"jsonrpc":"2.0","id":1,"method":"tools/call"}', -32602),
                           (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm"}}', -32602)):
            server.raw(line + b"\n")
            self.assertEqual(server.hear()["error"]["code"], code, line[:80])
        server.raw(b"\n   \n\r\n")
        server.say({"jsonrpc": "2.0", "id": 99, "result": {"action": "accept"}})  # nobody has asked
        server.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 12345}})
        self.assertEqual(server.get("ping"), {})
        self.assertEqual(server.ends(), 0)

    HOSTILE = [None, True, -1, 0, 1e300, 2**60, "", "x", "--help", "--", "../../etc/passwd", "a/b/c", "\u202e\u001b[2J",
               "\ud83d\ude00" * 300, "x" * 70000, "' OR 1=1", "%s%n", [], {}, [[]], {"a": {"b": [1]}}, "t", "ship", "file:///x",
               "wfsm://instance/t", "2025-11-25", "%00", "{", "\\"]
    METHODS = ["ping", "tools/list", "tools/call", "tasks/list", "tasks/get", "tasks/result", "tasks/cancel", "resources/list",
               "resources/read", "resources/templates/list", "initialize", "no/such", "", "elicitation/create", "logging/setLevel"]
    TOOLS = ["start_ship", "send", "state", "list", "ask", "check", "verify", "simulate", "none", ""]
    FIELDS = ["id", "event", "data", "input", "state", "document", "invocation", "cursor", "taskId", "uri", "name", "arguments",
              "task", "limit", "machine", "script", "after", "protocolVersion", "capabilities", "_meta"]

    def hostile_params(self, rng):
        fields = {rng.choice(self.FIELDS): rng.choice(self.HOSTILE) for _ in range(rng.randrange(5))}
        arguments = {rng.choice(self.FIELDS): rng.choice(self.HOSTILE) for _ in range(rng.randrange(4))}
        return {**fields, **({"name": rng.choice(self.TOOLS), "arguments": arguments} if rng.random() < 0.5 else {})}

    def test_a_client_that_lies(self):
        """Anything in any field, answers to questions that nobody has put, and two requests of one id: each request
        has an answer, and the server and the store stay."""
        self.fine("start", self.store, self.ship, "t")
        server, rng, count = self.server(), random.Random(24), 600
        questions = 0
        for number in range(count):
            server.say({"jsonrpc": "2.0", "id": rng.randrange(5), "result": rng.choice(self.HOSTILE)})
            server.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": rng.choice(self.HOSTILE)}})
            method = rng.choice(self.METHODS)
            params = self.hostile_params(rng)
            if number % 20 == 0:
                method, params = "tools/call", {"name": "ask", "arguments": {"id": "t"}}
            elif method == "tasks/result" or (method == "tools/call" and params.get("name") == "ask"):
                params.pop("taskId", None)  # it may wait for ever, as it should
            id = f"r{number}"
            server.say({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
            answer = server.hear()
            while answer.get("method") == "elicitation/create":
                questions += 1
                server.say({"jsonrpc": "2.0", "id": answer["id"], "result": rng.choice(self.HOSTILE)})
                answer = server.hear()
            self.assertEqual(answer["id"], id, (method, params))
            self.assertTrue(("result" in answer) != ("error" in answer), answer)
        self.assertEqual(server.get("ping"), {})
        self.assertEqual(server.ends(), 0)
        self.assertIn("0 diagnostics", self.fine("audit", self.store))
        self.assertGreaterEqual(questions, count // 20)
        print(f"{count} requests, {questions} questions")

    def test_a_message_that_is_too_long(self):
        server = self.server()
        server.raw(b'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":"')
        for _ in range(9):
            server.raw(b"x" * (1 << 20))
        server.raw(b'"}}\n')
        self.assertIn("more than 8388608 bytes", server.hear()["error"]["message"])
        self.assertEqual(server.get("ping"), {})

    def test_a_client_that_goes(self):
        server = self.server()
        server.ask("tools/call", name="start_ship", arguments={"id": "a"})
        server.ask("tools/call", name="wait", arguments={"id": "a", "state": "held", "timeoutMs": 3600000})
        server.raw(b'{"jsonrpc":')
        self.assertEqual(server.ends(), 0)
        self.assertEqual(json.loads(self.fine("list", "--json", self.store))[0]["id"], "a")

    def test_a_store_that_is_not_there(self):
        server = Server(self, "--machines", self.ship, self.folder / "none.db")
        server.greet()
        self.assertTrue(server.call("list")["isError"])
        self.assertTrue(server.call("start_ship", id="a")["isError"])
        self.assertFalse((self.folder / "none.db").exists())

    def test_a_worker_that_ends(self):
        """Nothing is at work then, and no client would know."""
        server = Server(self, "--machines", self.ship, "--agents", self.folder / "none.toml", self.store)
        self.assertEqual(server.process.wait(600), 1)
        said = server.process.stderr.read().decode()
        self.assertIn("none.toml", said)
        self.assertIn("the worker has ended, and the server with it", said)

    def test_the_command_line(self):
        for line, code in (((), 64), ((self.store, self.store), 64), (("--agents", "a.toml", self.store), 64),
                           (("--machines", self.file({"id": 1}, "bad.json"), self.store), 1)):
            done = run("mcp", *line)
            self.assertEqual((done.returncode, done.stdout), (code, b""), line)


class Tools(Mcp):
    def test_the_list(self):
        tools = {one["name"]: one for one in self.server().get("tools/list")["tools"]}
        self.assertEqual(sorted(tools), ["ask", "check", "list", "send", "simulate", "start_ship", "state", "stop", "verify", "wait"])
        start = tools["start_ship"]
        self.assertIn("Ships an order.", start["description"])
        self.assertEqual(start["inputSchema"]["properties"]["input"], {"type": "object", "properties": {"n": {"type": "number"}}})
        self.assertEqual(start["execution"], {"taskSupport": "optional"})
        reading = self.server("--read-only")
        self.assertEqual(sorted(one["name"] for one in reading.get("tools/list")["tools"]),
                         ["check", "list", "simulate", "state", "verify", "wait"])
        self.assertEqual(reading.call("start_ship", id="a")["code"], -32602)
        self.assertEqual(reading.call("stop", id="a")["code"], -32602)

    def test_a_workflow_from_start_to_end(self):
        server = self.server()
        started = server.call("start_ship", id="a", input={"n": 7})
        self.assertEqual((started["isError"], started["structuredContent"]["context"]), (False, {"n": 7}))
        self.assertTrue(server.call("start_ship", id="a")["isError"])
        self.assertTrue(server.call("start_ship", id="b", input={"n": "no number"})["isError"])
        self.assertEqual(server.call("start_ship", id="b", input=[1])["content"][0]["text"], "input: expected an object")
        self.assertEqual(server.call("wait", id="a")["structuredContent"]["configuration"], ["ask"])  # it asks
        self.assertEqual(server.call("send", id="a", event="HOLD", eventId="e1")["structuredContent"]["configuration"], ["held"])
        self.assertTrue(server.call("send", id="a", event="HOLD", eventId="e1")["isError"])
        self.assertTrue(server.call("send", id="a", event="NO")["isError"])
        waited = server.call("wait", id="a", timeoutMs=1)
        self.assertEqual((waited["isError"], waited["structuredContent"]["configuration"]), (False, ["held"]))
        self.assertEqual(server.call("send", id="a", event="GO", data={"x": 1})["structuredContent"]["configuration"], ["ask"])
        self.assertIn('"ada"', json.dumps(json.loads(self.fine("journal", "--json", self.store, "a"))[1]))
        self.assertEqual(server.call("state", id="a")["structuredContent"]["id"], "a")
        self.assertTrue(server.call("state", id="none")["isError"])
        self.assertTrue(server.call("state", id="--json")["isError"])  # an id, and no option
        self.assertEqual([one["id"] for one in json.loads(server.call("list", machine="ship")["content"][0]["text"])], ["a"])
        self.assertTrue(server.call("wait", id="a", timeoutMs=0)["isError"])

    def test_wrong_arguments(self):
        """A model can correct what a result says. Before 2025-11-25 it was an error of the protocol."""
        wrong = (("start_ship", {}, "id is missing"), ("start_ship", {"id": 5}, "id: expected a text that is not empty"),
                 ("start_ship", {"id": "a", "n": 5}, "there is no argument n"), ("state", {"id": "a", "x\u202e": 1}, "there is no argument x"),
                 ("send", {"id": "a"}, "event is missing"), ("list", {"limit": 0}, "limit: expected 1 to 1000"),
                 ("list", {"limit": "5"}, "limit: expected 1 to 1000"), ("wait", {"id": "a", "timeoutMs": 0}, "timeoutMs: expected 1 to 3600000"),
                 ("simulate", {"document": {}, "script": {}}, "script: expected a list of objects"))
        for revision in ("2025-11-25", "2025-06-18"):
            server = self.server(revision=revision)
            for tool, arguments, said in wrong:
                answer = server.call(tool, **arguments)
                text = answer["content"][0]["text"] if revision == "2025-11-25" else answer["message"]
                self.assertIn(said, text, (revision, tool))
                self.assertEqual(answer.get("isError", answer.get("code")), True if revision == "2025-11-25" else -32602)
            self.assertEqual(server.call("none")["code"], -32602)
            self.assertEqual(server.get("tools/call", name="state", arguments=[])["code"], -32602)
        self.assertEqual(json.loads(self.fine("list", "--json", self.store)), [])

    def test_a_list_has_pages(self):
        for id in ("a", "b", "c"):
            self.fine("start", self.store, self.ship, id)
        server = self.server()
        for arguments, ids in (({"limit": 2}, ["a", "b"]), ({"limit": 2, "after": "b"}, ["c"]), ({"after": "c"}, [])):
            self.assertEqual([one["id"] for one in json.loads(server.call("list", **arguments)["content"][0]["text"])], ids)

    def test_a_question_that_is_cancelled(self):
        self.fine("start", self.store, self.ship, "a")
        server = self.server()
        asks = server.ask("tools/call", name="ask", arguments={"id": "a"})
        question = server.hear()
        server.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": asks}})
        self.assertEqual(server.hear(), {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": question["id"]}})
        server.say({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {"decision": "approve"}}})
        self.assertEqual(server.get("ping"), {})
        self.assertEqual(server.ends(), 0)
        self.assertEqual(json.loads(self.fine("show", "--json", self.store, "a"))["inbox"], [])

    def test_a_person_decides(self):
        server = self.server()
        server.call("start_ship", id="a", input={"n": 7})
        for answer, said in (({"action": "decline"}, "nothing"), ({"action": "cancel"}, "nothing"), ({"action": "accept"}, "nothing"),
                             ({"action": "accept", "content": {"decision": "whatever"}}, "nothing"), (None, "nothing"),
                             ({"action": "accept", "content": {"decision": "reject", "reason": "not yet"}}, "ada rejects")):
            server.ask("tools/call", name="ask", arguments={"id": "a"})
            question = server.hear()
            self.assertEqual(question["method"], "elicitation/create")
            self.assertIn("Ship it?", question["params"]["message"])
            self.assertIn('"n": 7', question["params"]["message"])
            self.assertNotIn("\u202e", question["params"]["message"])
            server.say({"jsonrpc": "2.0", "id": question["id"], **({"result": answer} if answer else {"error": {"code": 1, "message": "x"}})})
            self.assertIn(said, server.hear()["result"]["content"][0]["text"])
        (post,) = json.loads(self.fine("show", "--json", self.store, "a"))["inbox"]
        self.assertEqual(post["event"], "approval")
        self.assertIn("does not ask", server.call("ask", id="a", invocation="x")["content"][0]["text"])
        mute = self.server(elicitation=False)
        self.assertIn("cannot ask a person", mute.call("ask", id="a")["content"][0]["text"])

    def test_documents_are_examined(self):
        server = self.server()
        self.assertFalse(server.call("check", document=SHIP)["isError"])
        bad = server.call("check", document=json.dumps({"id": "x"}))
        self.assertEqual((bad["isError"], "missing-key" in bad["content"][0]["text"]), (True, True))
        self.assertTrue(server.call("check", document="{")["isError"])
        self.assertTrue(server.call("check", document=1)["isError"])
        self.assertIn("holds", server.call("verify", document=SHIP)["content"][0]["text"])
        played = server.call("simulate", document=SHIP, script=[{"event": "HOLD"}, {"event": "GO"}])
        self.assertEqual([json.loads(line)["configuration"] for line in played["content"][0]["text"].splitlines()],
                         [["ask"], ["held"], ["ask"]])
        self.assertTrue(server.call("simulate", document=SHIP, script=["x"])["isError"])

    def test_calls_do_not_wait_for_each_other(self):
        server = self.server()
        server.call("start_ship", id="a")
        waits = server.ask("tools/call", name="wait", arguments={"id": "a", "state": "held", "timeoutMs": 3600000})
        # it asks a person, so the wait is over at once
        self.assertEqual(server.hear()["id"], waits)
        server.call("send", id="a", event="HOLD")
        waits = server.ask("tools/call", name="wait", arguments={"id": "a", "state": "shipped", "timeoutMs": 3600000})
        self.assertEqual(server.get("ping"), {})
        server.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": waits}})
        self.assertEqual(server.get("ping"), {})
        self.assertEqual(server.ends(), 0)

    def test_too_many_at_once(self):
        server = self.server()
        server.call("start_ship", id="a")
        server.call("send", id="a", event="HOLD")
        for _ in range(64):
            server.ask("tools/call", name="wait", arguments={"id": "a", "timeoutMs": 3600000})
        self.assertIn("64 calls are running", server.call("state", id="a")["message"])
        self.assertEqual(server.ends(), 0)


class Tasks(Mcp):
    def task(self, server, id):
        return server.get("tools/call", name="start_ship", arguments={"id": id}, task={"ttl": 60000})

    def test_a_task_is_an_instance(self):
        server = self.server()
        task = self.task(server, "t")["task"]
        self.assertEqual((task["taskId"], task["status"], task["statusMessage"]), ("t", "input_required", "at ask"))
        self.assertEqual(self.task(server, "t")["code"], -32602)
        self.assertEqual(server.ends(), 0)
        again = self.server()  # after a restart
        self.assertEqual(again.get("tasks/get", taskId="t"), task)
        again.call("send", id="t", event="HOLD")
        self.assertEqual(again.get("tasks/get", taskId="t")["status"], "working")
        self.assertEqual(again.get("tasks/get", taskId="none")["code"], -32602)
        self.assertEqual(again.get("tools/call", name="state", arguments={"id": "t"}, task={})["code"], -32601)
        self.assertEqual(again.get("tasks/none", taskId="t")["code"], -32601)
        old = self.server(revision="2025-06-18")
        self.assertEqual(old.get("tasks/get", taskId="t")["code"], -32601)

    def test_the_list_says_who_asks(self):
        server = self.server()
        self.task(server, "t")
        self.task(server, "u")
        server.call("send", id="u", event="HOLD")
        self.fine("start", self.store, self.ship, "t/1")
        tasks = {one["taskId"]: one["status"] for one in server.get("tasks/list")["tasks"]}
        self.assertEqual(tasks, {"t": "input_required", "t/1": "input_required", "u": "working"})

    def test_a_result_asks(self):
        agents = self.file("", "a.toml")
        server = self.server("--agents", agents)
        for id, answer, status in (("t", {"action": "accept", "content": {"decision": "approve"}}, "done"),
                                   ("u", {"action": "decline"}, "stopped")):
            self.task(server, id)
            waits = server.ask("tasks/result", taskId=id)
            question = server.hear()
            self.assertEqual(question["method"], "elicitation/create")
            self.assertEqual(question["params"]["_meta"], {"io.modelcontextprotocol/related-task": {"taskId": id}})
            self.assertIn("Ship it?", question["params"]["message"])
            server.say({"jsonrpc": "2.0", "id": question["id"], "result": answer})
            if status == "stopped":  # it waits for somebody else to decide, or for its end
                self.fine("stop", self.store, id)
            result = server.hear()
            self.assertEqual((result["id"], result["result"]["structuredContent"]["status"]), (waits, status))
        self.assertEqual(server.ends(), 0)

    def test_pages(self):
        for number in range(101):
            self.fine("start", self.store, self.ship, f"t{number:03}")
        server = self.server()
        first = server.get("tasks/list")
        self.assertEqual((len(first["tasks"]), first["nextCursor"]), (100, "t099"))
        second = server.get("tasks/list", cursor=first["nextCursor"])
        self.assertEqual(([one["taskId"] for one in second["tasks"]], "nextCursor" in second), (["t100"], False))
        resources = server.get("resources/list")
        self.assertEqual((len(resources["resources"]), resources["nextCursor"]), (201, "t099"))
        self.assertEqual(len(server.get("resources/list", cursor="t099")["resources"]), 2)

    def test_with_a_worker(self):
        agents = self.file('[agents.counter]\ncommand = ["sh", "-c", "echo 1"]\n', "a.toml")
        server = self.server("--machines", self.file(COUNT, "count.json"), "--agents", agents, elicitation=False)
        self.assertEqual(server.get("tools/call", name="start_count", arguments={"id": "c"}, task={})["task"]["taskId"], "c")
        result = server.get("tasks/result", taskId="c")
        self.assertEqual((result["isError"], result["structuredContent"]["status"]), (False, "done"))
        self.assertEqual(result["_meta"], {"io.modelcontextprotocol/related-task": {"taskId": "c"}})
        self.task(server, "t")
        waits = server.ask("tasks/result", taskId="t")
        cancels = server.ask("tasks/cancel", taskId="t")
        answers = {answer["id"]: answer["result"] for answer in (server.hear(), server.hear())}
        self.assertTrue(answers[waits]["isError"])
        self.assertEqual(answers[waits]["structuredContent"]["status"], "stopped")
        self.assertIn(answers[cancels]["status"], ("cancelled", "input_required"))
        self.assertEqual(server.get("tasks/get", taskId="t")["status"], "cancelled")
        self.assertEqual(server.get("tasks/cancel", taskId="t")["code"], -32602)
        self.assertEqual(server.ends(), 0)


class Resources(Mcp):
    def test_resources(self):
        self.fine("start", self.store, self.ship, "shop/\u00fc b")
        server = self.server()
        uris = [one["uri"] for one in server.get("resources/list")["resources"]]
        self.assertEqual(uris, ["wfsm://document/ship", "wfsm://state/shop%2F%C3%BC%20b", "wfsm://journal/shop%2F%C3%BC%20b"])
        texts = [server.get("resources/read", uri=uri)["contents"][0]["text"] for uri in uris]
        self.assertEqual(json.loads(texts[0]), SHIP)
        self.assertEqual(json.loads(texts[1])["id"], "shop/\u00fc b")
        self.assertEqual(json.loads(texts[2])[0]["revision"], 1)
        self.assertEqual(len(server.get("resources/templates/list")["resourceTemplates"]), 2)
        for uri in ("wfsm://state/none", "wfsm://state/", "file:///etc/passwd", "wfsm://document/../x", "wfsm://state/%00",
                    "wfsm://state/%zz", "wfsm://state/%", "wfsm://state/--help"):
            self.assertEqual(server.get("resources/read", uri=uri)["code"], -32002, uri)
        self.assertEqual(server.get("resources/read")["code"], -32602)


if __name__ == "__main__":
    test_command.WFSM = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
