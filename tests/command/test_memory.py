#!/usr/bin/python3
"""Every command of wfsm, once, under valgrind: sanitizers do not see what was never set.

usage: test_memory.py WFSM VALGRIND PERSON_HOST
"""

import json
import re
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

WFSM, VALGRIND, HOST = (str(Path(name).resolve()) for name in sys.argv[1:4])
WATCHED = [VALGRIND, "--quiet", "--error-exitcode=99", "--leak-check=full",
           "--errors-for-leak-kinds=definite", WFSM]

MACHINE = {
    "id": "ask", "initial": "ask", "context": {"n": 0},
    "properties": {"bounded": {"never": {">": [{"var": "context.n"}, 3]}}},
    "states": {
        "ask": {"invoke": {"src": "person", "input": {"what": "Now?", "people": ["ada", "bob"],
                                                      "quorum": 2}, "onDone": "end"},
                "on": {"GO": "end", "EDITED": {"actions": {
                    "type": "assign", "params": {"n": 1}}}}},
        "end": {"type": "final"}}}

# What each is run with; a name in brackets is filled in below.
LINES = """
check m.json
graph m.json
graph --format dot m.json
simulate m.json
verify m.json
verify --json m.json
verify --junit --output out.xml m.json
verify --sarif m.json
verify --tests tests m.json
verify --html m.json
gate m.json s.db
gate --json m2.json s.db
gate --sarif m2.json s.db
gate --html m2.json s.db
crash-test m.json script
list s.db
list --json s.db
show s.db r
show --json s.db r
journal s.db r
journal --json s.db r
audit s.db
approvals s.db
approvals --json s.db
approvals s.db r
key ada.key ada
approve --by ada --key ada.key s.db [invocation] [digest]
reject --by bob --reason no s.db [invocation] [digest]
checkpoint s.db r kept
checkpoints s.db r
checkpoints --json s.db r
restore s.db r kept
restore --by ada s.db r kept
fork s.db r other
fork --by ada s.db r another
show --at 1 s.db r
diff s.db r 1 2
report s.db r
evidence s.db r
post s.db r EDITED {"n":1}
send s.db r EDITED {"n":1}
answer s.db r [invocation] 1
cancel s.db r [invocation]
retry s.db r [invocation]
stop s.db other
stop --all --dry-run s.db
retry --machine none s.db
post --all --id many s.db EDITED {"n":1}
tail s.db none
list --where n=1 --limit 2 s.db
send --all --dry-run s.db GO
wait --timeout 1 s.db r
mcp --machines m.json s.db
serve none.db
trace s.db
migrate s.db m2.json --dry-run
migrate s.db m2.json
compact s.db r
archive s.db r a.db
sweep --dry-run s.db
sweep --archive a2.db s.db
start s.db m.json started
schedule next schedule.json
schedule add s.db sch schedule.json
schedule update s.db sch schedule.json
schedule pause s.db sch
schedule resume s.db sch
schedule trigger s.db sch
schedules s.db
schedules --json s.db
store init new.db
store init --print-sql s.db
store check s.db
store migrate s.db
store copy s.db copied.db
store tenant s.db role ns
work s.db --machines m.json --agents missing.toml
work s.db --machines m.json --agents missing.toml --metrics 127.0.0.1:0
work s.db --machines m.json --agents agents.toml --metrics 192.0.2.1:9
agents doctor missing.toml
agents doctor agents.toml
agents doctor --json agents.toml
completion bash
"""


class Commands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="wfsm-memory-")
        cls.addClassCleanup(scratch.cleanup)
        cls.path = Path(scratch.name)
        (cls.path / "m.json").write_text(json.dumps(MACHINE))
        (cls.path / "m2.json").write_text(json.dumps({**MACHINE, "version": "2"}))
        (cls.path / "agents.toml").write_text('[agents.x]\ncommand = ["true"]\n')
        (cls.path / "schedule.json").write_text('{"machine": "m", "cron": "0 9 * * 1-5", "timezone": "Europe/Berlin"}')
        (cls.path / "script").write_text('{"event": "EDITED"}\n{"event": "GO"}\n')
        host = subprocess.Popen([HOST, "s.db", "m.json", "r", "."], cwd=cls.path)
        limit = time.monotonic() + 600
        while not (asked := cls.asked()) and time.monotonic() < limit:
            time.sleep(0.05)
        host.kill()
        host.wait()
        cls.names = {"invocation": asked[0]["id"], "digest": asked[0]["digest"]}

    @classmethod
    def asked(cls):
        done = subprocess.run([WFSM, "approvals", "--json", "s.db"], cwd=cls.path,
                              capture_output=True, text=True)
        return done.returncode == 0 and json.loads(done.stdout)

    def watched(self, line):
        words = [re.sub(r"\[(\w+)\]", lambda found: self.names[found[1]], word)
                 for word in line.split()]
        with open(self.path / "script", encoding="utf-8") as script:
            return subprocess.run(WATCHED + words, cwd=self.path, stdin=script,
                                  capture_output=True, text=True)

    def test_every_command(self):
        for line in LINES.split("\n"):
            with self.subTest(line):
                done = self.watched(line) if line else None
                if done:
                    self.assertNotIn("==", done.stderr[:4000], line)
                    self.assertIn(done.returncode, (0, 1), done.stderr)

    def commands(self):
        text = subprocess.run([WFSM, "--help"], capture_output=True, text=True).stdout
        return re.findall(r"^  ([a-z-]+) +[a-z]", text, re.M)

    def test_none_is_left_out(self):
        tried = {line.split()[0] for line in LINES.split("\n") if line}
        self.assertEqual(sorted(set(self.commands()) - tried - {"wfsm"}), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
