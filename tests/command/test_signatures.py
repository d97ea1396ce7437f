#!/usr/bin/python3
"""Votes are signed, audits check them, and evidence is checked without the store.

usage: test_signatures.py WFSM     (with WFSM_LIBRARY, WFSM_SQLITE_LIBRARY, PYTHONPATH set)
"""

import hashlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import wfsm

WFSM = str(Path(sys.argv.pop(1)).resolve())

ASK = {
    "id": "release", "initial": "ask", "states": {
        "ask": {"invoke": {"src": "person", "input": {
            "what": "Ship it?", "people": ["ada", "bob"], "quorum": 2}, "onDone": "decided"}},
        "decided": {}}}


class Signatures(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="wfsm-signatures-")
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)
        self.keys = ""
        for name in ("ada", "bob", "eve"):
            self.keys += self.good("key", f"{name}.key", name)
        (self.path / "keys").write_text("# who may sign\n\n" + self.keys)
        self.now = 1000
        self.round(lambda engine: engine.start("release", "r", now=1000))
        with wfsm.sqlite(str(self.path / "s.db")) as store:
            asked = wfsm.Instance.load(store, "r").invocations[0]
        self.invocation, self.digest = asked["id"], asked["digest"]

    def round(self, work):
        self.now += 1
        with wfsm.sqlite(str(self.path / "s.db")) as store:
            engine = wfsm.Engine(store, session=f"host{self.now}")
            engine.add_machine(wfsm.Machine.load(ASK))
            engine.adopt_all(now=self.now)
            work(engine)
            engine.run(now=self.now)
            engine.close()

    def run_it(self, *arguments, text=None):
        return subprocess.run([WFSM, *arguments], cwd=self.path, capture_output=True, text=True,
                              input=text)

    def good(self, *arguments, text=None):
        done = self.run_it(*arguments, text=text)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        return done.stdout

    def bad(self, words, *arguments, text=None):
        done = self.run_it(*arguments, text=text)
        self.assertEqual(done.returncode, 1, (arguments, done.stdout, done.stderr))
        self.assertIn(words, done.stdout + done.stderr)

    def vote(self, name, *options, key=None):
        self.good("approve", "--by", name, *options, *(("--key", key) if key else ()),
                  "s.db", self.invocation, self.digest)

    def take(self):
        self.round(lambda engine: None)

    def signed(self):
        self.vote("ada", "--reason", "läuft", key="ada.key")
        self.vote("bob", key="bob.key")
        self.take()
        return self.good("evidence", "s.db", "r")

    # ---- keys ----

    def test_a_key_is_for_its_owner_only(self):
        self.assertEqual(os.stat(self.path / "ada.key").st_mode & 0o777, 0o600)
        before = (self.path / "ada.key").read_bytes()
        self.bad("ada.key", "key", "ada.key", "ada")
        self.assertEqual(self.good("key", "--show", "ada.key", "ada"), self.keys.splitlines(True)[0])
        (self.path / "link").symlink_to("nowhere")
        self.bad("link", "key", "link", "ada")
        self.assertFalse((self.path / "nowhere").exists())
        self.assertEqual((self.path / "ada.key").read_bytes(), before)
        os.chmod(self.path / "ada.key", 0o640)
        self.bad("others can read", "approve", "--by", "ada", "--key", "ada.key", "s.db",
                 self.invocation, self.digest)
        (self.path / "no.key").write_text("wfsm-key-1 12\n")
        os.chmod(self.path / "no.key", 0o600)
        self.bad("expected a key", "approve", "--by", "ada", "--key", "no.key", "s.db",
                 self.invocation, self.digest)
        self.take()
        with wfsm.sqlite(str(self.path / "s.db")) as store:
            self.assertEqual(len(list(store.records("r"))), 1)  # nothing was posted

    # ---- audits ----

    def test_signed_votes_pass(self):
        self.signed()
        self.assertIn(" 0 diagnostics", self.good("audit", "--keys", "keys", "s.db"))
        self.good("audit", "--json", "--keys", "keys", "s.db", "r")

    def test_a_vote_that_is_not_signed_is_reported(self):
        self.vote("ada", key="ada.key")
        self.vote("bob")
        self.take()
        self.assertIn(" 0 diagnostics", self.good("audit", "s.db"))
        self.bad(f"the vote of bob on {self.invocation} is not signed",
                 "audit", "--keys", "keys", "s.db")

    def test_the_key_of_another_person_does_not_count(self):
        self.vote("ada", key="eve.key")
        self.take()
        self.bad("the vote of ada", "audit", "--keys", "keys", "s.db", "r")

    def test_a_person_without_a_key_is_reported(self):
        (self.path / "keys").write_text(self.keys.splitlines()[1] + "\n")
        self.vote("ada", key="ada.key")
        self.take()
        self.bad("not signed with a key of this person", "audit", "--keys", "keys", "s.db")

    def test_a_signature_of_another_vote_does_not_count(self):
        """Every member that is signed is covered."""
        self.signed()
        with wfsm.sqlite(str(self.path / "s.db")) as store:
            inputs = [record.data["input"] for record in store.records("r")]
        vote = next(i["data"] for i in inputs if i["kind"] == "approval")
        right = {"instance": "r", **vote}
        changes = {"invocation": self.invocation + "1", "digest": "0" * 64,
                   "decision": "reject", "by": "bob", "reason": "geht",
                   "signed": {**vote["signed"], "at": 17}}
        for key, other in changes.items():
            with self.subTest(key):
                self.assertNotEqual(right[key], other)
                self.assertFalse(self.openssl_accepts({**right, key: other}, "ada"))
        self.assertFalse(self.openssl_accepts({**right, "instance": "q"}, "ada"))
        self.assertTrue(self.openssl_accepts(right, "ada"))

    def openssl_accepts(self, vote, name):
        """A second opinion, from the page alone."""
        public = re.search(rf"^{name} (\w+)$", self.keys, re.M)[1]
        line = {"wfsm": "vote", **{key: vote.get(key) for key in (
            "instance", "invocation", "by", "decision", "digest", "reason")},
            "at": vote["signed"]["at"]}
        (self.path / "key.der").write_bytes(
            bytes.fromhex("302a300506032b6570032100" + public))
        (self.path / "message").write_text(
            json.dumps(line, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
        (self.path / "signature").write_bytes(bytes.fromhex(vote["signed"]["signature"]))
        done = subprocess.run(
            ["openssl", "pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey", "key.der",
             "-rawin", "-in", "message", "-sigfile", "signature"],
            cwd=self.path, capture_output=True)
        return done.returncode == 0

    # ---- evidence ----

    def check(self, evidence, *options):
        (self.path / "evidence.json").write_text(evidence)
        away = self.path / "away"
        away.mkdir(exist_ok=True)
        if (self.path / "s.db").exists():
            for file in self.path.glob("s.db*"):
                shutil.move(file, away / file.name)
        return self.run_it("evidence", *options, "--check", "evidence.json")

    def test_evidence_is_checked_without_the_store(self):
        done = self.check(self.signed(), "--keys", "keys")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("r: revisions 1 to 3, 2 votes, 2 of them signed\nhead ", done.stdout)

    def test_evidence_of_unsigned_votes_holds_without_keys_only(self):
        self.vote("ada")
        self.take()
        evidence = self.good("evidence", "s.db", "r")
        self.assertEqual(self.check(evidence).returncode, 0)
        done = self.check(evidence, "--keys", "keys")
        self.assertEqual(done.returncode, 1)
        self.assertIn("is not signed", done.stderr)

    def test_every_change_of_evidence_is_noticed(self):
        text = self.signed()
        right = json.loads(text)

        def changed(**members):
            return json.dumps({**right, **members})

        records = right["records"]
        cases = {
            "a record is missing": changed(records=records[:1] + records[2:]),
            "the last record is missing": changed(records=records[:-1], revision=2),
            "records change places": changed(records=[records[0], records[2], records[1]]),
            "a record is another": changed(records=[records[0].replace("Ship", "Shop"),
                                                    *records[1:]]),
            "the last record is another": changed(
                records=[*records[:-1], records[-1].replace("decided", "decidec")]),
            "the head is another": changed(head="0" * 64),
            "a vote is missing": changed(votes=right["votes"][:1]),
            "a vote is another": changed(votes=[{**right["votes"][0], "by": "eve"},
                                                right["votes"][1]]),
            "the document is another": changed(
                document=right["document"].replace("Ship", "Shop")),
            "the instance is another": changed(instance="q"),
            "no records": changed(records=[], votes=[]),
            "no evidence": "{}",
            "no JSON": "x",
            "a list": "[]",
        }
        for what, evidence in cases.items():
            with self.subTest(what):
                done = self.check(evidence, "--keys", "keys")
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertIn("evidence.json", done.stderr)
        self.assertEqual(self.check(text, "--keys", "keys", "--head", right["head"]).returncode,
                         0)
        self.assertEqual(self.check(text, "--head", "0" * 64).returncode, 1)

    def chain(self, records, **members):
        """Evidence that somebody writes again: each record names the one before, and the head fits."""
        texts, before = [], ""
        for record in records:
            texts.append(json.dumps({**record, "prev": before}, ensure_ascii=False, separators=(",", ":")))
            before = hashlib.blake2b(texts[-1].encode(), digest_size=32).hexdigest()
        return json.dumps({**self.right, "records": texts, "head": before, **members})

    def refused(self, words, evidence, *options):
        done = self.check(evidence, *options)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(words, done.stderr)

    def test_a_forged_chain_does_not_take_signatures_of_another(self):
        """The head is not known, but nobody signs what he was not asked."""
        self.right = json.loads(self.signed())
        records = [json.loads(text) for text in self.right["records"]]
        keys = ("--keys", "keys")
        self.assertEqual(self.check(self.chain(records), *keys).returncode, 0)
        asks = records[0]["invocations"][0]
        other = {**records[0], "invocations": [{**asks, "input": {**asks["input"], "what": "Sell it?"}}]}
        self.refused("revision 2: the vote of ada", self.chain([other, *records[1:]]), *keys)
        self.refused("revision 2: the vote of ada", self.chain(
            [{**records[0], "invocations": []}, *records[1:]]), *keys)
        elsewhere = {**records[0], "invocations": [{**asks, "ordinal": 2}, other["invocations"][0]]}
        self.refused("revision 2: the vote of ada", self.chain([elsewhere, *records[1:]]), *keys)

    def test_evidence_names_what_the_records_name(self):
        self.right = json.loads(self.signed())
        records = [json.loads(text) for text in self.right["records"]]
        ask = {**ASK, "id": "other"}
        fingerprint = wfsm.Machine.load(ask).fingerprint
        for members in ({"machine": "other"}, {"fingerprint": fingerprint, "document": json.dumps(ask)},
                        {"machine": "other", "fingerprint": fingerprint, "document": json.dumps(ask)}):
            self.refused("the records", self.chain(records, **members))
        self.refused(f"revision 2: the vote of ada on {self.invocation} is not of this instance",
                     self.chain(records, instance="q"))
        self.refused("no instance", self.chain(records, instance=7))

    def test_evidence_that_can_be_read_in_two_ways(self):
        text = self.signed()
        self.right = json.loads(text)
        self.refused("evidence.json:", text.replace('"evidence"', '"head": "x",\n"evidence"', 1))
        records = [json.loads(one) for one in self.right["records"]]
        twice = self.right["records"][-1].replace('"revision"', '"now":1,"revision"', 1)
        head = hashlib.blake2b(twice.encode(), digest_size=32).hexdigest()
        self.refused("revision 3: the record is not", json.dumps(
            {**self.right, "records": [*self.right["records"][:-1], twice], "head": head}))
        for first, last in ((0, 2), (-1, 1), (2, 4), (2**63 - 1, 1), ("1", 3), (1.0, 3), (1, 3.0),
                            (-2**63, 3), (1, 2**63 - 1)):
            moved = [{**one, "revision": int(first) + at} for at, one in enumerate(records)]
            for made in (records, moved):
                self.refused("evidence.json", self.chain(made, first=first, revision=last))
        for one in (None, 7, [], {}, "", "{", "[]", "7", '{"a": 1, "a": 2}'):
            self.refused("revision 3: the record is not", json.dumps(
                {**self.right, "records": [*self.right["records"][:-1], one]}))

    def test_files_that_are_no_evidence(self):
        whole = self.signed()
        for at in range(0, len(whole) - 2, 97):
            self.refused("evidence.json:", whole[:at])
        for text in ("[" * 100000, '{"evidence":' * 5000, '{"evidence":1' + "0" * 400 + "}", "{}",
                     '{"evidence":1,"records":{}}', '{"evidence":1e400}', "\0", '{"evidence":1}\0',
                     '{"evidence":1,"records":[' + ",".join(["[" * 100 + "]" * 100] * 9) + "]}"):
            self.refused("evidence.json", text)

    def test_evidence_of_a_fork(self):
        """Which begins with the question of another instance."""
        with wfsm.sqlite(str(self.path / "s.db")) as store:
            task = wfsm.Instance.load(store, "r")
            task.checkpoint("c", now=2000)
            self.invocation = task.fork("f", "c", now=2001).invocations[0]["id"]
        self.vote("ada", key="ada.key")
        self.vote("bob", key="bob.key")
        self.take()
        evidence = self.good("evidence", "s.db", "f")
        self.assertEqual(self.check(evidence, "--keys", "keys").stderr, "")

    def test_evidence_of_a_compacted_journal(self):
        """The question is in a record that is gone; the votes are not."""
        right = json.loads(self.signed())
        done = self.check(json.dumps({**right, "first": 2, "records": right["records"][1:]}),
                          "--keys", "keys")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("r: revisions 2 to 3, 2 votes, 2 of them signed", done.stdout)
        self.refused("is not of this instance", json.dumps(
            {**right, "first": 2, "records": right["records"][1:], "instance": "q"}))

    def test_what_is_missing_is_said(self):
        self.bad("nobody", "evidence", "s.db", "nobody")
        (self.path / "keys").write_text("ada 12\n")
        self.bad("keys:1: expected", "audit", "--keys", "keys", "s.db")


if __name__ == "__main__":
    unittest.main()
