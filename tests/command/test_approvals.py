#!/usr/bin/python3
"""People who vote from other processes, while their host runs, is killed, or does not exist.

usage: test_approvals.py WFSM PERSON_HOST [ROUNDS]
"""

import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

WFSM, HOST = (str(Path(name).resolve()) for name in sys.argv[1:3])
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 3

RELEASE = {
    "id": "release", "initial": "prepare", "context": {"files": None, "refused": []},
    "states": {
        "prepare": {"invoke": {
            "src": "digests", "input": {"files": ["a.txt", "b.txt"]},
            "onDone": {"target": "ask", "actions": {
                "type": "assign", "params": {"files": {"var": "event.data.files"}}}}}},
        "ask": {
            "invoke": {"src": "person", "input": {
                "what": "Ship it?", "files": {"var": "context.files"},
                "people": ["ada", "bob", "eve"], "quorum": 2},
                "onDone": [{"guard": {"var": "event.data.approved"}, "target": "shipped",
                            "actions": {"type": "assign",
                                        "params": {"answer": {"var": "event.data"}}}},
                           {"target": "dropped"}]},
            "after": {"60000": "dropped"},
            "on": {"EDITED": "prepare", "error.approval": {"actions": {
                "type": "assign", "params": {"refused": {"merge": [
                    {"var": "context.refused"}, [{"var": "event.data.reason"}]]}}}}}},
        # What comes too late is journalled, too.
        "shipped": {"on": {"END": "end"}}, "dropped": {"on": {"END": "end"}},
        "end": {"type": "final"}}}


class Voting(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="wfsm-approvals-")
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)
        (self.path / "a.txt").write_text("first\n")
        (self.path / "b.txt").write_text("second\n")
        self.document(RELEASE)
        self.hosts = []

    def document(self, machine):
        (self.path / "m.json").write_text(json.dumps(machine))

    def begin(self, **environment):
        host = subprocess.Popen([HOST, "s.db", "m.json", "r", "."], cwd=self.path,
                                env={**os.environ, **environment},
                                stderr=subprocess.PIPE)
        self.addCleanup(self.end, host)
        return host

    @staticmethod
    def end(host):
        if host.poll() is None:
            host.kill()
        if not host.stderr.closed:
            host.communicate()

    def wfsm(self, *arguments):
        return subprocess.run([WFSM, *arguments], cwd=self.path, capture_output=True,
                              text=True, env={**os.environ, "LC_ALL": "C.UTF-8"}, timeout=600)

    def sql(self, statement):
        if not (self.path / "s.db").exists():
            return []
        with sqlite3.connect(self.path / "s.db", timeout=600) as store:
            try:
                return store.execute(statement).fetchall()
            except sqlite3.OperationalError:
                return []  # not made yet

    def records(self):
        return [json.loads(row[0]) for row in
                self.sql("SELECT record FROM journal ORDER BY revision")]

    def approvals(self):
        return [r for r in self.records() if r["input"]["kind"] == "approval"]

    def verdicts(self):
        return [r["input"]["verdict"] for r in self.approvals()]

    def wait(self, what):
        limit = time.monotonic() + 600
        while time.monotonic() < limit:
            found = what()
            if found:
                return found
            time.sleep(0.01)
        return self.fail(self.wfsm("journal", "s.db", "r").stdout)

    def wait_verdict(self, count):
        return self.wait(lambda: len(self.verdicts()) >= count and self.verdicts())

    def asked(self):
        """What is asked now: its id and its digest."""
        def look():
            done = self.wfsm("approvals", "--json", "s.db")
            return done.returncode == 0 and json.loads(done.stdout)
        (one,) = self.wait(look)
        return one["id"], one["digest"]

    def vote(self, how, by, invocation, digest, *more, code=0):
        done = self.wfsm(how, "--by", by, *more, "s.db", invocation, digest)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def finish(self, host):
        self.post("END")
        self.wait(lambda: host.poll() is not None)
        self.assertEqual(host.returncode, 0)
        audit = self.wfsm("audit", "s.db")
        self.assertEqual(audit.returncode, 0, audit.stdout + audit.stderr)

    def post(self, event):
        subprocess.run([HOST, "s.db", "r", event], cwd=self.path, check=True)

    def state(self):
        return [r for r in self.records() if "configuration" in r][-1]["configuration"]


class Votes(Voting):
    def test_a_quorum(self):
        host = self.begin()
        invocation, digest = self.asked()
        shown = self.wfsm("approvals", "s.db", "r").stdout
        self.assertIn(f"{invocation}  person at ask\n  needs     2 to approve, has 0; 1 to "
                      "reject, has 0\n", shown)
        self.assertIn(f"  digest    {digest}\n", shown)
        done = self.vote("approve", "ada", invocation, digest[:8], "--reason", "fine")
        self.assertEqual(done.stdout, f"posted: ada approves {invocation}\n")
        self.assertEqual(self.wait_verdict(1), ["counted"])
        self.assertIn("vote      ada  approve", self.wfsm("approvals", "s.db").stdout)
        self.vote("approve", "bob", invocation, digest)
        self.assertEqual(self.wait_verdict(2), ["counted", "decided"])
        self.assertEqual(self.state(), ["shipped"])
        answer = self.approvals()[-1]["set"]["answer"]
        self.assertTrue(answer["approved"])
        self.assertEqual([v["by"] for v in answer["votes"]], ["ada", "bob"])
        self.assertEqual(self.wfsm("approvals", "s.db").stdout, "no invocation asks people\n")
        self.finish(host)

    def test_a_rejection(self):
        host = self.begin()
        invocation, digest = self.asked()
        self.vote("reject", "eve", invocation, digest, "--reason", "not yet")
        self.assertEqual(self.wait_verdict(1), ["decided"])
        self.assertEqual(self.state(), ["dropped"])
        self.finish(host)

    def test_each_bad_vote(self):
        host = self.begin()
        invocation, digest = self.asked()
        refused = []

        def expect(verdict, how, by, *what):
            done = self.vote(how, by, *what, code=1)
            self.assertIn("it is going to be refused", done.stderr)
            refused.append(verdict)
            self.wait(lambda: len([v for v in self.verdicts() if v != "counted"])
                      == len(refused))
        expect("changed", "approve", "ada", invocation, "0" * 64)
        expect("changed", "approve", "ada", invocation, digest[:7])
        expect("unknown", "approve", "ada", "r/77/1", digest)
        expect("not_asked", "approve", "mallory", invocation, digest)
        self.vote("approve", "ada", invocation, digest)
        self.wait(lambda: "counted" in self.verdicts())
        expect("twice", "approve", "ada", invocation, digest)
        expect("twice", "reject", "ada", invocation, digest)
        self.assertEqual(self.state(), ["ask"])
        self.vote("reject", "bob", invocation, digest)
        self.wait(lambda: "decided" in self.verdicts())
        refused.append("decided")
        expect("late", "approve", "eve", invocation, digest)
        expect("twice", "approve", "bob", invocation, digest)
        self.assertEqual([v for v in self.verdicts() if v != "counted"], refused)
        context = json.loads(self.wfsm("show", "--json", "s.db", "r").stdout)["context"]
        self.assertEqual(context["refused"],  # those while the document listened
                         ["changed", "changed", "unknown", "not_asked", "twice", "twice"])
        self.finish(host)

    def test_what_cannot_be_posted(self):
        host = self.begin()
        invocation, digest = self.asked()
        for operands in (["other/1/1", digest], ["nonsense", digest], ["", digest]):
            done = self.vote("approve", "ada", *operands, code=1)
            self.assertEqual(done.stdout, "")
        self.assertEqual(self.vote("approve", "ada", invocation, digest, "--id", "p1").stderr, "")
        done = self.vote("approve", "bob", invocation, digest, "--id", "p1", code=1)
        self.assertIn("p1", done.stderr)
        self.assertEqual(self.wfsm("approve", "s.db", invocation).returncode, 64)
        self.wait_verdict(1)
        self.assertEqual(self.verdicts(), ["counted"])
        self.end(host)


class Content(Voting):
    def test_a_file_that_changed(self):
        host = self.begin()
        invocation, digest = self.asked()
        self.vote("approve", "ada", invocation, digest, "--folder", ".")
        self.wait_verdict(1)
        (self.path / "b.txt").write_text("other\n")
        done = self.vote("approve", "bob", invocation, digest, "--folder", ".", code=1)
        self.assertIn("./b.txt: this is not what the invocation asks", done.stderr)
        self.assertEqual(self.wait_verdict(2), ["counted", "changed"])
        self.post("EDITED")
        self.wait(lambda: self.asked()[0] != invocation)
        again, fresh = self.asked()
        self.assertNotEqual(fresh, digest)
        self.vote("approve", "bob", invocation, digest, code=1)  # what he saw is gone
        self.assertEqual(self.wait_verdict(3)[2], "late")
        self.vote("approve", "bob", again, digest, code=1)
        self.assertEqual(self.wait_verdict(4)[3], "changed")
        for by in ("ada", "bob"):
            self.vote("approve", by, again, fresh, "--folder", ".")
        self.assertEqual(self.wait_verdict(6)[4:], ["counted", "decided"])
        self.assertEqual(self.state(), ["shipped"])
        self.finish(host)


class Time(Voting):
    def test_votes_wait_for_a_host(self):
        host = self.begin()
        invocation, digest = self.asked()
        self.end(host)
        self.vote("approve", "ada", invocation, digest)
        self.vote("approve", "bob", invocation, digest)
        self.assertEqual(self.verdicts(), [])
        host = self.begin()
        self.assertEqual(self.wait_verdict(2), ["counted", "decided"])
        self.finish(host)

    def test_the_deadline_and_its_default(self):
        soon = json.loads(json.dumps(RELEASE))
        soon["states"]["ask"]["after"] = {"3600000": "dropped"}
        self.document(soon)
        host = self.begin()
        invocation, digest = self.asked()
        self.end(host)
        host = self.begin(AHEAD_MS="3600000")  # it has passed while nobody was there
        self.wait(lambda: self.state() == ["dropped"])
        self.vote("approve", "ada", invocation, digest, code=1)
        self.assertEqual(self.wait_verdict(1), ["late"])
        self.finish(host)


class Kills(Voting):
    """The host is killed again and again while people vote: each vote is taken once."""

    def test_kills(self):
        for seed in range(ROUNDS):
            with self.subTest(seed=seed):
                self.setUp()
                self.one_round(random.Random(seed))

    def one_round(self, chance):
        many = json.loads(json.dumps(RELEASE))
        people = [f"p{n}" for n in range(8)]
        many["states"]["ask"]["invoke"]["input"].update(people=people, quorum=8)
        self.document(many)
        host = self.begin()
        invocation, digest = self.asked()
        votes = people + chance.sample(people, 4) + ["mallory", "mallory"]
        chance.shuffle(votes)
        posting = [subprocess.Popen(
            [WFSM, "approve", "--by", by, "--id", f"vote-{n}", "s.db", invocation, digest],
            cwd=self.path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for n, by in enumerate(votes)]
        life = 0.2  # longer and longer: a slow host must wait for its predecessor to lapse
        while any(p.poll() is None for p in posting) or len(self.verdicts()) < len(votes):
            time.sleep(chance.random() * 0.08)
            self.end(host)
            host = self.begin()
            time.sleep(life * chance.random())
            life *= 1.1
        found = self.approvals()
        self.assertEqual(sorted(r["input"]["id"] for r in found),
                         sorted(f"vote-{n}" for n in range(len(votes))))
        verdicts = [r["input"]["verdict"] for r in found]
        self.assertEqual(verdicts.count("counted"), 7)
        self.assertEqual(verdicts.count("decided"), 1)
        self.assertEqual(verdicts.count("twice"), 4)
        # Who was not asked is late once it is decided.
        self.assertEqual(verdicts.count("not_asked") + verdicts.count("late"), 2)
        self.assertEqual(self.state(), ["shipped"])
        self.finish(host)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
