"""The command wfsm agents doctor, with scripts in place of the programs.

usage: test_doctor.py WFSM
"""
import json
import os
import sys
import unittest
from pathlib import Path

import test_command
from test_command import Folder, run

ANSWER = json.dumps({"is_error": False, "result": '{"ok": true}'})


def failure(words):
    return json.dumps({"is_error": True, "result": words})


class Doctor(Folder):
    def setUp(self):
        super().setUp()
        self.programs = self.folder / "bin"
        self.programs.mkdir()
        self.env = {**os.environ, "PATH": f"{self.programs}:{os.environ['PATH']}"}

    def program(self, name, version, *lines):
        path = self.programs / name
        path.write_text("\n".join(["#!/bin/sh", f'[ "$1" = --version ] && echo "{version}" && exit 0',
                                   f'printf "%s\\n" "$@" > "{self.folder}/args"',
                                   f'cat > "{self.folder}/stdin"', *lines, ""]), encoding="utf-8")
        path.chmod(0o700)

    def claude(self, said, code=0, version="2.1.197 (Claude Code)"):
        self.program("claude", version, f"cat <<'END'\n{said}\nEND", f"exit {code}")

    def doctor(self, text, *options):
        file = self.file(text, "agents.toml")
        return run("agents", "doctor", *options, file, env=self.env)

    def assert_says(self, text, code, pattern):
        done = self.doctor(text)
        self.assertRegex(done.stdout.decode(), pattern)
        self.assertEqual((done.returncode, done.stderr), (code, b""))

    def test_it_works(self):
        self.claude(ANSWER)
        self.assert_says('[agents.a]\nkind = "claude"\naccess = "write"\n', 0,
                         r"^a: ok \(claude 2\.1\.197 \(Claude Code\)\)\n$")

    def test_the_configuration_of_a_host(self):
        self.claude(ANSWER)
        done = self.doctor('max_rounds = 3\n[agents.a]\nkind = "claude"\n')
        self.assertEqual((done.returncode, done.stdout[:5]), (0, b"a: ok"))
        self.assertIn(b"agents.toml:1:1: unknown key 'max_rounds', expected agents; that is right if", done.stderr)

    def test_the_attempt_does_no_harm(self):
        """It has a prompt of its own, on stdin, and may not write."""
        self.claude(ANSWER)
        self.file("Delete everything.", "p.md")
        self.doctor('[agents.a]\nkind = "claude"\naccess = "write"\nprompt = "{dir}/p.md"\n')
        self.assertIn("dontAsk\n", (self.folder / "args").read_text(encoding="utf-8"))
        asked = (self.folder / "stdin").read_text(encoding="utf-8")
        self.assertIn("a test of the set-up", asked)
        self.assertNotIn("Delete", asked)

    def test_it_works_in_a_folder_that_is_removed(self):
        self.program("claude", "2.1.197", f'pwd > "{self.folder}/where"; mkdir a; touch a/b',
                     f"cat <<'END'\n{ANSWER}\nEND")
        self.doctor('[agents.a]\nkind = "claude"\n')
        where = (self.folder / "where").read_text(encoding="utf-8").strip()
        self.assertIn("wfsm-doctor-", where)
        self.assertFalse(os.path.exists(where))

    def test_what_is_wrong_and_what_to_do(self):
        for words, pattern in [
                ("Not logged in", r"^a: auth \(.*\): Not logged in.*; run claude and enter /login"),
                ("rate limit", r"^a: quota \(.*\): rate limit.*; wait"),
                ("Unable to connect", r"^a: network .*; look at the network"),
                ("Prompt is too long", r"^a: context .*; choose a model"),
                ("no idea", r"^a: failed .*no idea.*; look at the message")]:
            with self.subTest(words):
                self.claude(failure(words), 1)
                self.assert_says('[agents.a]\nkind = "claude"\n', 1, pattern)

    def test_a_missing_program(self):
        self.assert_says('[agents.a]\nkind = "codex"\ncommand = ["no-such-codex"]\n', 1,
                         r"^a: missing \(codex\): .*; npm install -g @openai/codex\n$")

    def test_an_old_version(self):
        self.claude(ANSWER, version="1.0.99 (Claude Code)")
        self.assert_says('[agents.a]\nkind = "claude"\n', 1,
                         r"^a: version \(claude 1\.0\.99 .*; npm install -g @anthropic-ai/claude-code\n$")
        self.assertFalse((self.folder / "args").exists())

    def test_other_agents(self):
        self.assert_says('[agents.a]\ncommand = ["sh", "x"]\n[agents.b]\ncommand = ["no-such-program"]\n'
                         '[agents.c]\ntype = "http"\napi = "openai"\nmodel = "m"\n'
                         'base_url = "http://127.0.0.1:1"\nkey_env = "NO_SUCH_KEY"\n'
                         '[agents.d]\ntype = "http"\napi = "openai"\nmodel = "m"\n'
                         'base_url = "http://127.0.0.1:1"\n', 1,
                         r"^a: not tried \(command\): the program is there\n"
                         r"b: missing \(command\): no-such-program; install it.*\n"
                         r"c: auth \(http\): the variable NO_SUCH_KEY is not set; set it to the key.*\n"
                         r"d: network \(http\): http://127\.0\.0\.1:1: Connection refused; look.*\n$")

    def test_json(self):
        self.claude(failure("Not logged in"), 1)
        done = self.doctor('[agents.a]\nkind = "claude"\n', "--json")
        found = json.loads(done.stdout)["agents"]
        self.assertEqual(done.returncode, 1)
        self.assertEqual([(one["agent"], one["kind"], one["state"], one["version"]) for one in found],
                         [("a", "claude", "auth", "2.1.197 (Claude Code)")])
        self.assertRegex(found[0]["advice"], "ANTHROPIC_API_KEY")

    def test_a_wrong_file(self):
        done = self.doctor('[agents.a]\nkind = "clod"\ncommand = ["x"]\n')
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr.decode(), r'agents\.toml:2:\d+: kind: expected "claude" or')

    def test_misuse(self):
        for arguments in [[], ["nurse"], ["doctor"], ["doctor", "a", "b"],
                          ["doctor", "--timeout", "0", "a"]]:
            done = run("agents", *arguments)
            self.assertEqual((done.returncode, done.stdout), (64, b""), arguments)


if __name__ == "__main__":
    test_command.WFSM = str(Path(sys.argv[1]).resolve())
    unittest.main(argv=sys.argv[:1])
