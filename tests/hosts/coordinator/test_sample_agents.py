#!/usr/bin/python3
"""The demo's agents over a copy of its sample: three rounds, for real.

usage: test_sample_agents.py SRCDIR
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

SOURCE = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
COORDINATOR = SOURCE / "examples" / "coordinator"
AGENTS = COORDINATOR / "agents"
CHANGES = COORDINATOR / "sample-changes"
NAMES = ["1-negative-sum", "2-wrapped-sum", "3-limit-first"]


def command(agent):
    argv = [sys.executable, "-B", str(AGENTS / f"{agent}.py")]
    return argv + (["--changes", str(CHANGES)] if agent == "coder" else [])


def environment(**more):
    # A make around this test must not pass its flags on to the sample's make.
    kept = {k: v for k, v in os.environ.items()
            if k not in ("CC", "CFLAGS", "LDFLAGS", "MAKEFLAGS", "MAKELEVEL")
            and not k.startswith("WFSM_")}
    return {**kept, "CODER_SECONDS": "0", **more}


class Workspace(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="wfsm-sample-")
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name) / "copy"
        shutil.copytree(COORDINATOR / "sample", self.path)

    def invocation(self, agent, ordinal, must_fix=None, **more):
        mode = "implementation" if agent == "coder" else "strict"
        given = {"mode": mode, "task": "Refuse durations that are too long", "round": 1,
                 "workspace": str(self.path), **more}
        if agent == "coder":
            given["must_fix"] = must_fix or []
        return {"id": f"task-1/{ordinal}/0", "attempt": 1, "agent": agent,
                "instance": "task-1", "state": "build", "input": given,
                "output_schema": None}

    def run_raw(self, agent, text, **env):
        return subprocess.run(command(agent), input=text, capture_output=True, timeout=600,
                              cwd=self.path, env=environment(**env), check=False)

    def ask(self, agent, ordinal, must_fix=None, **more):
        """The agent's answer, checked against its schema."""
        invocation = self.invocation(agent, ordinal, must_fix, **more)
        result = self.run_raw(agent, json.dumps(invocation).encode(),
                              WFSM_INVOCATION_ID=invocation["id"], WFSM_ATTEMPT="1",
                              WFSM_AGENT=agent)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        answer = json.loads(result.stdout)
        schema = json.loads((COORDINATOR / "schemas" / f"{agent}.json").read_text())
        self.assertEqual(mismatchs(answer, schema), [])
        return answer

    def run_tests(self, ordinal):
        """What the host does: runs the tester's commands until one fails."""
        for step in self.ask("tester", ordinal)["commands"]:
            result = subprocess.run(step["argv"], cwd=self.path, env=environment(),
                                    capture_output=True, text=True, check=False,
                                    timeout=step["timeout_ms"] / 1000)
            if result.returncode != 0:
                return result
        return result

    def source(self):
        return (self.path / "duration.c").read_text()


def expected_texts():
    """duration.c as shipped and with each change, by line numbers (unlike the coder)."""
    base = (COORDINATOR / "sample" / "duration.c").read_text().splitlines()
    texts = {None: "\n".join(base) + "\n"}
    for name in NAMES:
        out, at = [], 0
        for line in (CHANGES / f"{name}.patch").read_text().splitlines():
            if line.startswith("@@"):
                start = int(line.split()[1].split(",")[0][1:]) - 1
                out, at = out + base[at:start], start
            elif not line.startswith(("---", "+++")):
                if line[:1] != "+":
                    assert base[at] == line[1:], (name, at, line)
                    at += 1
                if line[:1] != "-":
                    out.append(line[1:])
        texts[name] = "\n".join(out + base[at:]) + "\n"
    return texts


def mismatchs(value, schema, place=""):
    """The schema's rules that a value breaks: the subset that the schemas use."""
    kinds = {"object": dict, "array": list, "string": str, "integer": int}
    if not isinstance(value, kinds[schema["type"]]):
        return [f"{place}: not of type {schema['type']}"]
    found = []
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{place}: not one of {schema['enum']}")
    if len(value) < schema.get("minLength", 0) if isinstance(value, str) else False:
        found.append(f"{place}: too short")
    if isinstance(value, list):
        if len(value) < schema.get("minItems", 0):
            found.append(f"{place}: too few")
        for i, item in enumerate(value):
            found += mismatchs(item, schema["items"], f"{place}/{i}")
    if isinstance(value, dict):
        found += [f"{place}/{k}: missing" for k in schema["required"] if k not in value]
        for key, part in value.items():
            known = schema["properties"].get(key)
            found += (mismatchs(part, known, f"{place}/{key}") if known
                      else [f"{place}/{key}: unknown"])
    return found


class Rounds(Workspace):
    """What the demo shows (001-17, 001-18, 001-31, 001-32, 001-34, 001-35)."""

    def test_links_in_the_place_of_the_coder_s_files(self):
        precious = self.path.parent / "precious"
        precious.write_text("precious")
        (self.path / ".coder").mkdir()
        for name in ("lock", "new"):
            (self.path / ".coder" / name).symlink_to(precious)
            result = self.run_raw("coder", json.dumps(self.invocation("coder", 1)).encode())
            self.assertEqual(result.returncode == 0, name == "new", result.stderr.decode())
            self.assertEqual(precious.read_text(), "precious")
            (self.path / ".coder" / name).unlink(missing_ok=True)

    def test_one_round_fails_review_one_fails_tests_the_third_passes(self):
        self.assertNotEqual(self.run_tests(0).returncode, 0, "the sample has no bug")

        self.ask("coder", 1)
        self.assertEqual(self.source(), expected_texts()[NAMES[0]])
        verdict = self.ask("reviewer", 2)
        self.assertEqual(verdict["decision"], "changes_requested")
        self.assertEqual({item["file"] for item in verdict["must_fix"]}, {"duration.c"})
        self.assertIn("always false", verdict["must_fix"][0]["message"])
        line = verdict["must_fix"][0]["line"]
        self.assertIn("total < 0", self.source().splitlines()[line - 1])

        must_fix = [{"source": "review", **item} for item in verdict["must_fix"]]
        self.ask("coder", 3, must_fix)
        self.assertEqual(self.source(), expected_texts()[NAMES[1]])
        verdict = self.ask("reviewer", 4)
        self.assertEqual((verdict["decision"], verdict["must_fix"]), ("approve", []))
        result = self.run_tests(5)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn('FAIL "7102w"', result.stdout)

        self.ask("coder", 6, [{"source": "test", "message": "make check: status 2"}])
        self.assertEqual(self.source(), expected_texts()[NAMES[2]])
        self.assertEqual(self.ask("reviewer", 7)["decision"], "approve")
        result = self.run_tests(8)
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn(" 0 failed", result.stdout)


class Coder(Workspace):
    def test_the_must_fix_list_decides_which_change_is_next(self):
        self.ask("coder", 1)
        self.ask("coder", 2, [{"source": "test", "message": "make check: status 2"}])
        self.assertEqual(self.source(), expected_texts()[NAMES[2]])

    def test_an_unexpected_diagnostic_of_the_review_is_answered_too(self):
        self.ask("coder", 1)
        self.ask("coder", 2, [{"source": "review", "message": "memory leak"}])
        self.assertEqual(self.source(), expected_texts()[NAMES[2]])

    def test_an_invalid_answer_of_the_tester_is_no_reason_to_change_code(self):
        self.ask("coder", 1)
        answer = self.ask("coder", 2, [{"source": "schema", "message": "no commands"}])
        self.assertEqual(answer["changed_files"], [])
        self.assertEqual(self.source(), expected_texts()[NAMES[0]])

    def test_the_same_invocation_again_changes_nothing_and_answers_the_same(self):
        first = self.ask("coder", 1)
        self.assertEqual(self.ask("coder", 1), first)
        self.assertEqual(self.source(), expected_texts()[NAMES[0]])

    def test_no_change_left_is_a_failure(self):
        test = [{"source": "test", "message": "make check: status 2"}]
        self.ask("coder", 1)
        self.ask("coder", 2, test)
        text = json.dumps(self.invocation("coder", 3, test)).encode()
        result = self.run_raw("coder", text)
        self.assertEqual((result.returncode, result.stdout), (1, b""))
        self.assertIn(b"no further change", result.stderr)
        self.assertEqual(self.source(), expected_texts()[NAMES[2]])

    def test_a_file_that_somebody_else_changed_is_left_alone(self):
        text = self.source().replace("total += number * unit;", "total += unit * number;")
        (self.path / "duration.c").write_text(text)
        result = self.run_raw("coder", json.dumps(self.invocation("coder", 1)).encode())
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"does not fit", result.stderr)
        self.assertEqual(self.source(), text)


class Roundtable(Workspace):
    def test_each_has_something_to_say_and_touches_nothing(self):
        # 001-13, 001-14
        before = {path: path.read_bytes() for path in self.path.rglob("*") if path.is_file()}
        for agent, mode, word in (("coder", "proposal", "try"), ("reviewer", "discussion", "files"),
                                  ("tester", "discussion", "make check")):
            with self.subTest(agent=agent):
                invocation = self.invocation(agent, 1, mode=mode)
                result = self.run_raw(agent, json.dumps(invocation).encode())
                self.assertEqual(result.returncode, 0, result.stderr.decode())
                self.assertIn(word, json.loads(result.stdout)["text"])
        after = {path: path.read_bytes() for path in self.path.rglob("*") if path.is_file()}
        self.assertEqual(before, after)


class Killed(Workspace):
    def test_killed_at_any_instant_and_started_again_ends_the_same(self):
        review = [{"source": "review", "message": "[-Wtype-limits]"}]
        for delay in (0, 0.03, 0.06, 0.09, 0.12, 0.15, 0.2, 0.3):
            with self.subTest(delay=delay):
                self.start_over()
                self.ask("coder", 1)
                self.kill_coder_after(delay, self.invocation("coder", 2, review))
                self.assertIn(self.source(), [expected_texts()[n] for n in NAMES[:2]])
                answer = self.ask("coder", 2, review)
                self.assertEqual(answer["changed_files"], ["duration.c"])
                self.assertEqual(self.source(), expected_texts()[NAMES[1]])

    def test_two_at_once_for_one_invocation_do_not_disturb_each_other(self):
        text = json.dumps(self.invocation("coder", 1)).encode()
        both = [self.start_coder(text, "0.3") for _ in range(2)]
        for coder in both:
            self.assertEqual(coder.wait(timeout=600), 0)
        self.assertEqual(self.source(), expected_texts()[NAMES[0]])

    def test_one_that_outlived_its_host_does_not_undo_what_came_later(self):
        late = self.start_coder(json.dumps(self.invocation("coder", 1)).encode(), "3")
        self.wait_for_notes()
        self.ask("coder", 2, [{"source": "test", "message": "make check: status 2"}])
        self.assertEqual(late.wait(timeout=600), 1)
        self.assertEqual(self.source(), expected_texts()[NAMES[2]])

    def start_over(self):
        shutil.rmtree(self.path)
        shutil.copytree(COORDINATOR / "sample", self.path)

    def start_coder(self, text, seconds):
        coder = subprocess.Popen(command("coder"), stdin=subprocess.PIPE, cwd=self.path,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                 env=environment(CODER_SECONDS=seconds))
        self.addCleanup(self.end, coder)
        coder.stdin.write(text)
        coder.stdin.close()
        return coder

    def kill_coder_after(self, delay, invocation):
        coder = self.start_coder(json.dumps(invocation).encode(), "0.2")
        time.sleep(delay)
        self.end(coder)

    @staticmethod
    def end(coder):
        if coder.poll() is None:
            coder.send_signal(signal.SIGKILL)
        coder.wait()

    def wait_for_notes(self):
        for _ in range(200):
            if (self.path / ".coder" / "notes.json").exists():
                return
            time.sleep(0.05)
        self.fail("the coder wrote no notes")


class BadInput(Workspace):
    def test_an_invocation_that_is_not_understood_ends_with_status_2(self):
        for agent in ("coder", "reviewer", "tester"):
            good = self.invocation(agent, 1)
            given = good["input"]
            for text, message in (
                (b"", "not one JSON object"),
                (b"{", "not one JSON object"),
                (b"\xff\xfe", "not one JSON object"),
                (b"[1]", "not a JSON object"),
                (b"[" * 100000, "not one JSON object"),
                ({**good, "id": 7}, "id: expected a text"),
                ({**good, "input": None}, "input: expected an object"),
                ({**good, "input": {**given, "mode": "poetry"}}, "input.mode: expected"),
                ({**good, "input": {**given, "workspace": "here"}}, "input.workspace"),
                ({**good, "input": {**given, "workspace": "/no/such"}}, "input.workspace"),
            ):
                with self.subTest(agent=agent, message=message):
                    self.refused(agent, text, message)

    def test_a_must_fix_list_that_is_none_ends_with_status_2(self):
        for bad in ("text", ["text"], [{"source": "test"}], [{"message": "m"}]):
            with self.subTest(must_fix=bad):
                self.refused("coder", self.invocation("coder", 1, bad), "expected")

    def test_another_id_in_the_environment_ends_with_status_2(self):
        self.refused("tester", self.invocation("tester", 1), "differ",
                     WFSM_INVOCATION_ID="another")

    def refused(self, agent, text, message, **env):
        text = text if isinstance(text, bytes) else json.dumps(text).encode()
        result = self.run_raw(agent, text, **env)
        self.assertEqual((result.returncode, result.stdout), (2, b""))
        self.assertIn(message, result.stderr.decode())
        self.assertEqual(self.source(), expected_texts()[None])


class Unable(Workspace):
    def test_nothing_to_review_and_nothing_to_run_are_failures(self):
        for path in [*self.path.glob("*.c"), self.path / "Makefile"]:
            path.unlink()
        for agent, message in (("reviewer", b"no C file"), ("tester", b"Makefile")):
            text = json.dumps(self.invocation(agent, 1)).encode()
            result = self.run_raw(agent, text)
            self.assertEqual((result.returncode, result.stdout), (1, b""))
            self.assertIn(message, result.stderr)

    def test_code_that_does_not_compile_is_sent_back(self):
        (self.path / "duration.c").write_text("int f(void) { return x; }\n")
        verdict = self.ask("reviewer", 1)
        self.assertEqual(verdict["decision"], "changes_requested")
        messages = [item["message"] for item in verdict["must_fix"]]
        self.assertTrue(any("undeclared" in text for text in messages), messages)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
