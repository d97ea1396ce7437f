"""The command wfsm from outside: start, and workers that are killed.

usage: test_work.py WFSM
"""
import contextlib
import fcntl
import http.client
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import unittest
from pathlib import Path

import test_command
from test_command import Folder, run

JOB = {"wfsm": 1, "id": "job", "initial": "work", "context": {"n": 0}, "states": {
    "work": {"invoke": {"src": "coder", "input": {"n": {"var": "context.n"}}, "onUnknown": "reattach",
                        "onDone": "end", "onError": "lost"}},
    "end": {"type": "final"}, "lost": {"type": "final"}}}
OTHER = {"wfsm": 1, "id": "other", "initial": "work", "states": {
    "work": {"invoke": {"src": "writer", "onDone": "end", "onError": "end"}}, "end": {"type": "final"}}}
WAITING = {"wfsm": 1, "id": "waiting", "initial": "a", "states": {
    "a": {"on": {"go": "b"}}, "b": {"type": "final"}}}
PARENT = {"wfsm": 1, "id": "parent", "initial": "a", "states": {
    "a": {"invoke": {"src": "machine:job", "onDone": "b", "onError": "b"}}, "b": {"type": "final"}}}
GUARDED = {"wfsm": 1, "id": "guarded", "initial": "a", "states": {
    "a": {"always": {"target": "b", "guard": "ready"}}, "b": {}}}

# It tells that it has begun, and ends when nobody holds the gate.
AGENT = """
import fcntl, json, sys
call = json.load(sys.stdin)
with open("{folder}/begun", "w") as out:
    print(call["id"], file=out, flush=True)
with open("{folder}/gate") as gate:
    fcntl.flock(gate, fcntl.LOCK_SH)
print(json.dumps({{"n": call["input"]["n"]}}))
"""


class Worker:
    def __init__(self, test, *arguments):
        self.process = subprocess.Popen([test_command.WFSM, "work", *map(str, arguments)],
                                        cwd=test.folder, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)
        self.said = []
        test.addCleanup(self.end)

    def end(self):
        self.process.kill()
        self.process.wait(600)
        self.process.stdout.close()

    def until(self, pattern):
        """Reads what it prints up to a line that matches."""
        for line in self.process.stdout:
            self.said.append(line)
            if re.search(pattern, line):
                return line
        raise AssertionError(f"{pattern} was not printed: {self.said}")

    def ends(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.said += self.process.stdout.readlines()
        return self.process.wait(600)


class Work(Folder):
    def setUp(self):
        super().setUp()
        self.store = self.folder / "s.db"
        self.fine("store", "init", self.store)
        os.mkfifo(self.folder / "begun")
        # For reading and writing, so that it never ends.
        self.begun = open(os.open(self.folder / "begun", os.O_RDWR), encoding="utf-8")
        self.addCleanup(self.begun.close)
        self.gate = self.file(b"", "gate").open()
        self.addCleanup(self.gate.close)
        self.job = self.file(JOB, "job.json")
        agent = self.file(AGENT.format(folder=self.folder), "agent.py")
        self.agents = self.file(f'[agents.coder]\ncommand = ["{sys.executable}", "{agent}"]\n', "a.toml")

    def fine(self, *arguments):
        done = run(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        return done.stdout.decode()

    def failed(self, pattern, *arguments, code=1):
        done = run(*arguments, cwd=self.folder)
        self.assertEqual(done.returncode, code, arguments)
        self.assertRegex((done.stdout + done.stderr).decode(), pattern)

    def hold(self):
        fcntl.flock(self.gate, fcntl.LOCK_EX)

    def let_go(self):
        fcntl.flock(self.gate, fcntl.LOCK_UN)

    def begun_by(self, count):
        return [self.begun.readline().rstrip("\n") for _ in range(count)]

    def start(self, *ids, machine=None):
        for one in ids:
            self.fine("start", self.store, machine or self.job, one)

    def heads(self):
        return {head["id"]: head for head in json.loads(self.fine("list", "--json", self.store))}

    def worker(self, *more, agents=None, machines=None):
        return Worker(self, self.store, *more, "--machines", machines or self.job, "--agents",
                      agents or self.agents)

    def ended(self, *ids):
        heads = self.heads()
        for one in ids:
            self.assertEqual((heads[one]["configuration"], heads[one]["status"], heads[one]["owner"]),
                             (["end"], "done", ""), heads[one])
        self.assertRegex(self.fine("audit", self.store), r": 0 diagnostics\n$")


class Start(Work):
    def test_an_instance_that_nobody_owns(self):
        self.assertEqual(self.fine("start", "--input", '{"n": 7}', "--now", 1000, self.store, self.job, "t"),
                         "revision 1: t started at work\n")
        head = self.heads()["t"]
        self.assertEqual((head["owner"], head["status"], head["created"]), ("", "running", 1000))
        shown = json.loads(self.fine("show", "--json", self.store, "t"))
        self.assertEqual(shown["context"], {"n": 7})
        self.failed("there is an instance 't' already", "start", self.store, self.job, "t")

    def test_what_is_wrong_is_named(self):
        self.failed("none.db", "start", self.folder / "none.db", self.job, "t")
        self.failed("none.json", "start", self.store, self.folder / "none.json", "t")
        self.failed("^wfsm: t: ", "start", "--input", "[1]", self.store, self.job, "t")
        self.failed("^wfsm: t: .*ready", "start", self.store, self.file(GUARDED, "g.json"), "t")
        self.failed("255 bytes", "start", self.store, self.job, "x" * 300)
        self.assertEqual(self.heads(), {})
        for line in ([], ["a"], ["a", "b"], ["a", "b", "c", "d"], ["--now", "x", "a", "b", "c"]):
            self.failed("^wfsm: ", "start", *line, code=64)


class Workers(Work):
    def test_instances_from_before_and_from_after(self):
        self.start("before")
        worker = self.worker("--name", "first")
        worker.until("before  work → end")
        self.start("after")
        worker.until("takes after")
        worker.until("after  work → end")
        self.assertEqual(worker.ends(), 0)
        self.ended("before", "after")

    def test_what_the_documents_keep_no_longer(self):
        kept = {**WAITING, "id": "kept", "retention": {"afterMs": 0, "then": "archive"}}
        brief = {**WAITING, "retention": {"afterMs": 0, "then": "remove"}}
        for name, machine in (("k", kept), ("w", brief), ("runs", brief)):
            self.start(name, machine=self.file(machine, f"{machine['id']}.json"))
        for name in ("k", "w"):
            self.fine("send", self.store, name, "go")
        worker = self.worker("--sweep", 1, "--archive", self.folder / "old.db")
        worker.until("has archived k")
        worker.until("has removed w")
        self.assertEqual(worker.ends(), 0)
        self.assertEqual(list(self.heads()), ["runs"])
        self.assertEqual([one["id"] for one in json.loads(self.fine("list", "--json", self.folder / "old.db"))], ["k"])

    def test_a_signal_gives_all_up(self):
        self.hold()
        self.start("t")
        worker = self.worker("--name", "first")
        first = self.begun_by(1)
        self.assertRegex(self.heads()["t"]["owner"], "/first-[0-9a-f]{16}/")
        self.assertEqual(worker.ends(signal.SIGINT), 0)
        self.assertEqual((self.heads()["t"]["owner"], self.heads()["t"]["status"]), ("", "running"))
        other = self.worker()
        self.assertEqual(self.begun_by(1), first)
        self.let_go()
        other.until("t  work → end")
        self.assertEqual(other.ends(), 0)
        self.ended("t")

    def test_killed_and_taken_over_and_nothing_runs_twice(self):
        """The programs of a killed worker continue, and the other one waits for them."""
        self.hold()
        ids = [f"t{i}" for i in range(12)]
        self.start(*ids)
        one, two = self.worker("--slots", 12), self.worker("--slots", 12)
        begun = self.begun_by(len(ids))
        owners = {head["owner"] for head in self.heads().values()}
        self.assertNotIn("", owners)
        mine = [head["id"] for head in self.heads().values()
                if re.search(rf"/{one.process.pid}:", head["owner"])]
        killed, left = (one, two) if mine else (two, one)
        taken = mine or [head["id"] for head in self.heads().values()]
        killed.process.kill()
        for _ in taken:
            left.until(rf"takes t\d+ over from process {killed.process.pid} on ")
        self.let_go()
        left_to_end = {one for one in ids}
        while left_to_end:
            line = left.until(r"t\d+  work → (end|lost)")
            self.assertIn("→ end", line)
            left_to_end.discard(re.search(r"t\d+", line)[0])
        self.assertEqual(left.ends(), 0)
        self.ended(*ids)
        self.assertEqual(len(set(begun)), len(ids))
        self.assertEqual({invocation.split("/")[0] for invocation in begun}, set(ids))
        os.set_blocking(self.begun.fileno(), False)
        self.assertRaises(BlockingIOError, os.read, self.begun.fileno(), 1)

    def test_stopped_beyond_its_lease_and_fenced(self):
        machine = self.file(WAITING, "w.json")
        self.start("w", machine=machine)
        one = self.worker("--lapse", "600", machines=machine)
        one.until("takes w")
        one.process.send_signal(signal.SIGSTOP)
        two = self.worker("--lapse", "600", machines=machine)
        two.until(f"takes w over from process {one.process.pid} on ")
        one.process.send_signal(signal.SIGCONT)
        one.until("has lost w")
        self.fine("post", self.store, "w", "go")
        two.until("w  a → b")
        self.assertEqual((one.ends(), two.ends()), (0, 0))
        self.assertEqual(self.heads()["w"]["status"], "done")

    def test_only_what_it_has_agents_for(self):
        other = self.file(OTHER, "other.json")
        writer = self.file('[agents.writer]\ncommand = ["echo", "{}"]\n', "w.toml")
        self.start("o", machine=other)
        self.start("t")
        one = self.worker(other)
        one.until(r"^leaves other \([0-9a-f]{12}\) alone: it needs the agent writer, ")
        one.until("t  work → end")
        self.assertEqual(self.heads()["o"]["owner"], "")
        two = self.worker(other, agents=writer)
        two.until("^leaves job .* it needs the agent coder, ")
        two.until("o  work → end")
        self.assertEqual((one.ends(), two.ends()), (0, 0))
        self.ended("o", "t")

    def test_a_version_that_needs_more_is_left_alone(self):
        other = dict(OTHER, id="job", version="2")
        self.start("o", machine=self.file(other, "other.json"))
        self.start("t")
        worker = self.worker()
        worker.until(r"leaves job \([0-9a-f]{12}\) alone: it needs the agent writer, ")
        worker.until("t  work → end")
        self.assertEqual(worker.ends(), 0)
        self.assertEqual(self.heads()["o"]["owner"], "")

    def test_many_are_not_named(self):
        machine = self.file(WAITING, "w.json")
        self.start(*(f"w{i}" for i in range(25)), machine=machine)
        worker = self.worker(machines=machine)
        worker.until("^takes 25 instances$")
        worker.end()
        other = self.worker(machines=machine)
        other.until(f"^takes 25 instances over from process {worker.process.pid} on ")
        self.assertEqual(other.ends(), 0)

    def test_children_need_their_machine(self):
        parent = self.file(PARENT, "parent.json")
        self.failed("leaves parent .* it needs the agent machine:job, ", "work", self.store, "--machines",
                    parent, "--agents", self.agents)
        self.start("p", machine=parent)
        self.make_folder()
        worker = self.worker(machines=self.folder / "machines")
        worker.until("p  a → b")
        self.assertEqual(worker.ends(), 0)
        self.assertEqual(self.heads()["p"]["status"], "done")

    def make_folder(self):
        (self.folder / "machines").mkdir()
        for name in ("parent.json", "job.json"):
            (self.folder / "machines" / name).write_bytes((self.folder / name).read_bytes())

    def test_a_copy_does_not_take_what_a_worker_has(self):
        self.hold()
        self.start("t")
        worker = self.worker()
        self.begun_by(1)
        self.failed("instance 't' is owned by '.*', which is alive until ", "store", "copy", self.store,
                    self.folder / "t.db")
        self.assertEqual(json.loads(self.fine("list", "--json", self.folder / "t.db")), [])
        self.let_go()
        worker.until("t  work → end")
        self.assertEqual(worker.ends(), 0)
        self.fine("store", "copy", self.store, self.folder / "t.db")

    def test_workers_on_a_file_share_a_limit(self):
        self.hold()
        self.start("t", "u", "v")
        workers = [self.worker("--share", "agent:coder=1") for _ in range(2)]
        self.begun_by(1)
        with contextlib.closing(sqlite3.connect(self.store)) as file:
            self.assertEqual(file.execute("SELECT sum(count) FROM permit").fetchone(), (1,))
        self.let_go()
        self.begun_by(2)
        while not all(head["status"] == "done" for head in self.heads().values()):
            time.sleep(0.05)
        self.assertEqual([worker.ends() for worker in workers], [0, 0])
        self.ended("t", "u", "v")

    def test_a_copy_keeps_a_parent_without_its_child_back(self):
        self.hold()
        parent = self.file(PARENT, "parent.json")
        self.start("p", machine=parent)
        both = self.worker(parent)
        self.begun_by(1)
        self.assertEqual(both.ends(), 0)
        other = self.worker()  # it has the child only
        self.begun_by(1)
        copy = self.folder / "t.db"
        self.failed("p stays \\(copying\\), because its parent or a child is missing\n"
                    "|0 instances copied, 0 there before, 2 refused", "store", "copy", self.store, copy)
        self.assertEqual({head["id"]: head["owner"] for head in json.loads(self.fine("list", "--json", copy))},
                         {"p": "(copying)"})
        self.assertEqual(other.ends(), 0)
        self.assertRegex(self.fine("store", "copy", self.store, copy), "^2 instances copied, 0 there")
        self.assertRegex(self.fine("audit", copy), r": 0 diagnostics\n$")
        self.assertEqual({head["owner"] for head in json.loads(self.fine("list", "--json", copy))}, {""})

    def test_what_is_wrong_is_named(self):
        bad = self.file('[agents.coder]\ncommand = ["x"]\ncomand = 1\n', "bad.toml")
        machines = ["--machines", self.job]
        self.failed("bad.toml:3:1: unknown key 'comand'", "work", self.store, *machines, "--agents", bad)
        self.failed("none.toml", "work", self.store, *machines, "--agents", "none.toml")
        self.failed("none.json", "work", self.store, "--machines", "none.json", "--agents", self.agents)
        (self.folder / "empty").mkdir()
        self.failed("no machine document", "work", self.store, "--machines", "empty", "--agents", self.agents)
        self.failed("none.db", "work", "none.db", *machines, "--agents", self.agents)
        self.failed("no machine whose agents", "work", self.store, "--machines",
                    self.file(OTHER, "other.json"), "--agents", self.agents)
        self.failed("needs the guard ready", "work", self.store, "--machines",
                    self.file(GUARDED, "g.json"), "--agents", self.agents)
        for line in (["a"], ["a", "--machines", "b"], ["--machines", "b", "--agents", "c"],
                     ["a", "--machines", "b", "--agents", "c", "--slots", "0"],
                     ["a", "--machines", "b", "--agents", "c", "--name", "x/y"],
                     ["a", "--machines", "b", "--agents", "c", "--lapse", "-1"],
                     ["a", "--machines", "b", "--agents", "c", "--share", "agent:x"],
                     ["a", "--machines", "b", "--agents", "c", "--share", "agent:=1"],
                     ["a", "--machines", "b", "--agents", "c", "--share", "colour:x=1"],
                     ["a", "--machines", "b", "--agents", "c", "--share", "agent:x=0"],
                     *(["a", "--machines", "b", "--agents", "c", "--metrics", address] for address in (
                         "", "x", "-1", "65536", "999999", "127.0.0.1:", ":9464", "localhost:9464", "1.2.3:4:5", "::1:1",
                         "[::1", "[]:1", "9464x", "127.0.0.1:9464/metrics"))):
            self.failed("^wfsm: ", "work", *line, code=64)


class Metrics(Work):
    def get(self, path="/metrics", method="GET", body=None):
        connection = http.client.HTTPConnection(self.address, timeout=600)
        self.addCleanup(connection.close)
        connection.request(method, path, body)
        answer = connection.getresponse()
        return answer.status, answer.getheader("Content-Type"), answer.read().decode()

    def numbers(self):
        status, content, text = self.get()
        self.assertEqual((status, content), (200, "text/plain; version=0.0.4; charset=utf-8"))
        return {name: float(number) for name, number in
                (line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))}

    def counting(self, *more, address="0", **files):
        worker = self.worker("--metrics", address, *more, **files)
        self.address = re.search("http://(.*)/metrics$", worker.until("^metrics: ")).group(1)
        return worker

    def test_what_a_worker_does(self):
        self.hold()
        self.start("a", "b")
        worker = self.counting("--slots", 1)
        self.begun_by(1)
        now = self.numbers()
        self.assertEqual([now[name] for name in ("wfsm_slots", "wfsm_slots_used", "wfsm_queue_length",
                                                 "wfsm_instances_owned", "wfsm_attempts_total")], [1, 1, 1, 2, 1])
        self.assertEqual((now['wfsm_agent_working{agent="coder"}'], now['wfsm_agent_waiting{agent="coder"}']), (1, 1))
        self.assertGreater(now["wfsm_lease_until_timestamp_seconds"], 1.7e9)
        self.assertGreater(now["wfsm_rounds_total"], 0)
        self.let_go()
        self.begun_by(1)
        worker.until("b .*end")
        after = self.numbers()
        self.assertEqual((after["wfsm_slots_used"], after["wfsm_queue_length"], after["wfsm_attempts_total"]), (0, 0, 2))
        self.assertEqual((after['wfsm_agent_working{agent="coder"}'], after['wfsm_agent_waiting{agent="coder"}']), (0, 0))
        # Of each: a claim and a result.
        self.assertEqual(after["wfsm_commits_total"], 4)
        self.assertEqual(after["wfsm_commits_refused_total"], 0)
        self.assertEqual(after["wfsm_exchange_duration_seconds_count"], after["wfsm_exchanges_total"])
        self.assertEqual(after['wfsm_exchange_duration_seconds_bucket{le="+Inf"}'], after["wfsm_exchanges_total"])
        self.assertEqual(worker.ends(), 0)

    def test_failures_by_class(self):
        agents = self.file('[agents.coder]\ncommand = ["false"]\n', "false.toml")
        self.start("a", "b")
        worker = self.counting(agents=agents)
        worker.until("lost")
        worker.until("lost")
        failures = {name: number for name, number in self.numbers().items() if "failures" in name}
        self.assertEqual(len(failures), 8)
        self.assertEqual({name for name, number in failures.items() if number},
                         {'wfsm_attempt_failures_total{class="exit"}'})
        self.assertEqual(failures['wfsm_attempt_failures_total{class="exit"}'], 2)

    def test_what_else_is_asked(self):
        self.counting()
        self.assertEqual(self.get("/")[0], 404)
        self.assertEqual(self.get(method="POST", body="x" * 100000)[0], 405)
        self.assertEqual(self.get(method="HEAD")[::2], (200, ""))
        taken = self.address.rsplit(":", 1)[1]
        self.assertTrue(self.address.startswith("127.0.0.1:"))
        done = run("work", self.store, "--machines", self.job, "--agents", self.agents, "--metrics", taken)
        self.assertEqual((done.returncode, done.stderr.decode()),
                         (1, f"wfsm: --metrics: {taken} cannot be served\n"))

    def test_half_a_request_holds_up_nothing(self):
        worker = self.counting()
        host, port = self.address.split(":")
        for _ in range(20):
            silent = socket.create_connection((host, int(port)))
            self.addCleanup(silent.close)
            silent.sendall(b"GET /metrics HTTP/1.1\r\nHost:")
        self.start("a")
        self.begun_by(1)
        worker.until("a .*end")
        self.assertEqual(self.numbers()["wfsm_attempts_total"], 1)
        self.assertEqual(worker.ends(), 0)

    def test_another_address(self):
        self.counting(address="[::1]:0" if socket.has_ipv6 and os.path.exists("/proc/net/if_inet6") else "127.0.0.2:0")
        self.assertRegex(self.address, r"^(\[::1\]|127.0.0.2):\d+$")
        self.assertEqual(self.numbers()["wfsm_slots"], 15)


if __name__ == "__main__":
    test_command.WFSM = str(Path(sys.argv[1]).resolve())
    unittest.main(argv=sys.argv[:1])
