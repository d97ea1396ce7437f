"""wfsm.agents: programs as agents, from Python."""
import os
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
from pathlib import Path

import wfsm
from wfsm import agents as wa

MACHINE = {
    "id": "m", "initial": "work", "context": {"out": None},
    "states": {
        "work": {"invoke": {
            "src": "coder", "input": {"goal": "fix"},
            "onDone": {"target": "done", "actions": {
                "type": "assign", "params": {"out": {"var": "event.data"}}}},
            "onError": {"target": "done", "actions": {
                "type": "assign", "params": {"out": {"var": "event.data"}}}}}},
        "done": {"type": "final"},
    },
}


class Lines(unittest.TestCase):
    """What a program shows while agents work."""

    def setUp(self):
        self.shown = []
        self.progress = wa.Progress(self.shown.append, now=1000)
        self.addCleanup(self.progress.close)

    def test_a_line(self):
        self.progress.line("two\nthree\0", instance="t", tone=wa.Tone.BAD, now=2500)
        self.assertEqual("".join(self.shown), "[     1.5s] t  two\\u000athree?\n")
        self.progress.live("at a terminal only")
        self.assertEqual(len(self.shown), 1)

    def test_commits_of_an_engine_and_notes(self):
        with wfsm.memory() as store, wfsm.Engine(store) as engine:
            engine.add_machine(wfsm.Machine.load(
                {"id": "m", "initial": "a", "states": {"a": {"on": {"go": "b"}}, "b": {}}}))
            self.progress.observe(engine)
            engine.start("m", "t", now=1000)
            engine.send("t", "go", now=1000)
            self.progress.note("t", "asked")
            engine.observer(lambda call: None)
        text = "".join(self.shown)
        self.assertRegex(text, r"t .*a (→|->) b +go\n")
        self.assertRegex(text, r"t .*asked\n$")

    def test_diagnostics_of_an_engine(self):
        with wfsm.memory() as store, wfsm.Engine(store, now=1000) as engine:
            engine.add_machine(wfsm.Machine.load(MACHINE))
            self.progress.observe(engine)
            engine.start("m", "t", now=1000)
            engine.run(now=1000)
            engine.run(now=62_000)
        self.assertRegex("".join(self.shown), r't .*waits for the agent "coder"')

    def test_it_outlives_the_engine_that_it_observes(self):
        with wfsm.memory() as store, wfsm.Engine(store) as engine:
            engine.add_machine(wfsm.Machine.load({"id": "m", "initial": "a", "states": {"a": {}}}))
            self.progress.observe(engine)
            self.progress.close()
            engine.start("m", "t")
        with self.assertRaises(wfsm.Closed):
            self.progress.line("more")

    def test_an_exception_of_write_is_logged(self):
        with wa.Progress(lambda text: 1 / 0) as progress, self.assertLogs("wfsm"):
            progress.line("x")


class Collection(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def work(self, collection, **options):
        with wfsm.memory() as store, wfsm.Engine(store, session=wa.session_name()) as engine:
            collection.register(engine, store, runs=str(self.folder / "runs"), **options)
            engine.add_machine(wfsm.Machine.load(MACHINE))
            task = engine.start("m", "t")
            end = time.monotonic() + 600
            while not engine.idle and time.monotonic() < end:
                engine.run()
                collection.wait(100)
            return task.context["out"]

    def test_a_program(self):
        with wa.Agents() as collection:
            collection.add_process("coder", ["sh", "-c", 'cat >&2; echo "{\\"x\\": \\"$X\\"}"'],
                                   env={"X": "é"})
            self.assertEqual(self.work(collection), {"x": "é"})

    def environment_of(self, add):
        """What the program of the agent that `add` adds has in its environment."""
        others = {"WFSM_TEST_KEY": "secret", "WFSM_TEST_OTHER": "another", "LD_PRELOAD": "",
                  "PYTHONPATH": "/nowhere", "http_proxy": "http://x", "LC_TIME": "C"}
        with unittest.mock.patch.dict(os.environ, others), wa.Agents() as collection:
            add(collection)
            return self.work(collection)

    ENV = [sys.executable, "-I", "-c", "import json, os; print(json.dumps(dict(os.environ)))"]
    KNOWN = {"HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER",
             "WFSM_INVOCATION_ID", "WFSM_ATTEMPT", "WFSM_AGENT", "WFSM_RUN"}

    def test_the_environment_is_empty_but_for_what_is_named(self):
        found = self.environment_of(lambda to: to.add_process("coder", self.ENV))
        self.assertEqual({name for name in found if not name.startswith("LC_")} - self.KNOWN, set())
        self.assertEqual((found["LC_TIME"], found["WFSM_AGENT"]), ("C", "coder"))
        found = self.environment_of(lambda to: to.add_process(
            "coder", self.ENV, env={"MY": "own"}, pass_env=["WFSM_TEST_KEY", "WFSM_TEST_NOT_SET"]))
        self.assertEqual({name for name in found if not name.startswith("LC_")} - self.KNOWN,
                         {"MY", "WFSM_TEST_KEY"})
        self.assertEqual((found["MY"], found["WFSM_TEST_KEY"]), ("own", "secret"))

    def test_pass_env_is_a_list_of_names(self):
        with wa.Agents() as collection:
            for wrong, raised in (([""], wfsm.InvalidArgument), (["A=B"], wfsm.InvalidArgument),
                                  (["A\0B"], ValueError), ([7], TypeError), ("HOME", TypeError)):
                with self.subTest(pass_env=wrong), self.assertRaises(raised):
                    collection.add_process("x", ["true"], pass_env=wrong)
                with self.subTest(commands=wrong), self.assertRaises(raised):
                    collection.add_commands("x", pass_env=wrong)
            with self.assertRaises(TypeError):
                collection.add_process("x", "true")
            self.assertEqual(collection.names, [])

    def test_a_program_of_the_working_folder_is_not_found_by_accident(self):
        trap = self.folder / "coder-of-nobody"
        trap.write_text("#!/bin/sh\necho '{\"trapped\":1}'\n")
        trap.chmod(0o755)
        for path in ("", ".", "::", f".:{os.environ['PATH']}", f"{os.environ['PATH']}:"):
            with self.subTest(path=path), unittest.mock.patch.dict(os.environ, {"PATH": path}), \
                    wa.Agents() as collection:
                collection.add_process("coder", ["coder-of-nobody"], folder=str(self.folder))
                out = self.work(collection, folder=str(self.folder))
                self.assertIn("coder-of-nobody", out["message"])
        with wa.Agents() as collection:
            collection.add_process("coder", ["./coder-of-nobody"], folder=str(self.folder))
            self.assertEqual(self.work(collection), {"trapped": 1})

    def test_run_files_are_the_owner_s(self):
        with wa.Agents() as collection:
            collection.add_process("coder", ["echo", "1"])
            self.work(collection)
        files = list((self.folder / "runs").rglob("*"))
        self.assertEqual((self.folder / "runs").stat().st_mode & 0o777, 0o700)
        self.assertEqual({file.stat().st_mode & 0o077 for file in files}, {0})
        (self.folder / "real").mkdir()
        (self.folder / "runs").rename(self.folder / "old")
        (self.folder / "runs").symlink_to(self.folder / "real")
        with wa.Agents() as collection:
            collection.add_process("coder", ["echo", "1"])
            with self.assertRaisesRegex(wfsm.WfsmError, "runs: .*symbolic link"):
                self.work(collection)

    def test_an_exit_code_has_its_class(self):
        with wa.Agents() as collection:
            collection.add_process("coder", ["sh", "-c", "exit 75"],
                                   exit_classes={75: "network"})
            self.assertEqual(self.work(collection)["class"], "network")

    def test_a_file(self):
        path = self.folder / "agents.toml"
        path.write_text('[agents.coder]\ncommand = ["echo", "{\\"a\\":1}"]\n')
        with wa.Agents() as collection:
            collection.load_toml(path)
            self.assertEqual(collection.names, ["coder"])
            self.assertEqual(collection.describe("coder")["command"], ["echo", '{"a":1}'])
            self.assertEqual(self.work(collection), {"a": 1})

    def test_an_unknown_key_is_an_error_with_its_place(self):
        path = self.folder / "agents.toml"
        path.write_text('[agents.coder]\ncommand = ["x"]\npromt = "p.md"\n')
        with wa.Agents() as collection:
            with self.assertRaisesRegex(wfsm.WfsmError, r"agents.toml:3:1: unknown key 'promt', "
                                                        "expected answer, command"):
                collection.load_toml(path)
            self.assertEqual(collection.names, [])

    def test_commands(self):
        with wa.Agents() as collection:
            collection.add_commands("coder", all=True)
            out = self.work(collection)  # its input names no commands
            self.assertIn("commands", out["message"])

    def test_models_and_their_options(self):
        with wa.Agents() as collection:
            collection.add_http("reviewer", "openai", "m", base_url="http://127.0.0.1:1/v1")
            self.assertEqual(collection.describe("reviewer")["base_url"],
                             "http://127.0.0.1:1/v1")
            with self.assertRaisesRegex(TypeError, "no option 'promt'"):
                collection.add_http("other", "openai", "m", promt="x")
            with self.assertRaisesRegex(wfsm.InvalidArgument, 'api: expected "anthropic"'):
                collection.add_http("other", "soap", "m")

    def test_copies(self):
        with wa.Agents() as collection:
            collection.add_process("a", ["true"])
            collection.copy("a", "b")
            collection.remove("a")
            self.assertEqual(collection.names, ["b"])
            with self.assertRaises(wfsm.NotFound):
                collection.describe("a")
            with self.assertRaises(wfsm.AlreadyExists):
                collection.copy("b", "b")

    def test_the_engine_keeps_it(self):
        with wfsm.memory() as store, wfsm.Engine(store) as engine:
            collection = wa.Agents()
            collection.add_process("coder", ["true"])
            collection.register(engine, store, runs=str(self.folder / "runs"))
            self.assertEqual((collection.working, collection.sweep(), collection.drain(0)),
                             (0, 0, 0))
            collection.close()
            engine.run()

    def test_owners(self):
        self.assertEqual(wa.owner_state(wa.session_name()), wa.OwnerState.ALIVE)
        self.assertEqual(wa.owner_state(wa.session_name() + "0"), wa.OwnerState.GONE)
        self.assertEqual(wa.owner_state("engine"), wa.OwnerState.ELSEWHERE)
        self.assertIn(f"process {os.getpid()} on ", wa.owner_describe(wa.session_name()))
        with wfsm.memory() as store:
            wa.release_owner(store, "none")

    def test_a_missing_library_is_a_sentence(self):
        done = subprocess.run(
            [sys.executable, "-c", "import wfsm.agents as a; a.Agents()"], text=True,
            env={**os.environ, "WFSM_AGENTS_LIBRARY": "/no/such.so"}, capture_output=True,
            check=False)
        self.assertRegex(done.stderr, "ImportError: cannot load libwfsm-agents: .*Install it, or "
                                      "name the file with the environment variable "
                                      "WFSM_AGENTS_LIBRARY")


if __name__ == "__main__":
    unittest.main()
