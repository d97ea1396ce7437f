"""The examples that are killed, asked over HTTP, and run cell by cell. approval.py is in test_example.py."""
import ast
import asyncio
import contextlib
import importlib
import inspect
import io
import json
import os
import signal
import subprocess
import sys
import unittest
from unittest import mock

from support import ROOT, Case, wfsm

EXAMPLES = ROOT / "bindings" / "python" / "examples"


class Pipeline(Case):
    def command(self, folder, seconds):
        return [sys.executable, str(EXAMPLES / "pipeline.py"), str(folder), "--pieces", "12",
                "--seconds", seconds]

    def test_what_is_stored_is_not_done_again(self):
        folder = self.folder() / "work"
        first = subprocess.Popen(self.command(folder, "0.2"), text=True, stdout=subprocess.PIPE)
        self.addCleanup(first.stdout.close)
        begun = [first.stdout.readline().split()[-1] for _ in range(9)]
        first.send_signal(signal.SIGKILL)
        first.wait()
        begun += [line.split()[-1] for line in first.stdout.read().splitlines()]
        ended = subprocess.run(self.command(folder, "0"), text=True, capture_output=True, timeout=100)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        *again, last = ended.stdout.splitlines()
        again = [line.split()[-1] for line in again]
        self.assertEqual(last, "done 719400")  # the sum of 0 to 1,199
        self.assertEqual(json.loads((folder / "result.json").read_text()), {"total": 719400})
        self.assertEqual(set(begun) | set(again), {f"piece-{number:03}" for number in range(12)})
        self.assertLess(len(again), 12)  # the first slots had ended
        self.assertEqual(len(set(again)), len(again))


class Survey(Case):
    def test_a_thousand_documents(self):
        folder = self.folder()
        for number in range(1000):
            text = "word " * (number % 7) + ("unreadable" if number in (5, 500) else "")
            (folder / f"d{number:04}.txt").write_text(text, encoding="utf-8")
        command = [sys.executable, str(EXAMPLES / "map_documents.py"), str(folder), str(folder / "survey.db")]
        first = subprocess.Popen([*command, "--seconds", "0.05"], text=True, stderr=subprocess.PIPE)
        self.addCleanup(first.stderr.close)
        for _ in range(3):
            first.stderr.readline()
        first.send_signal(signal.SIGKILL)
        first.wait()
        ended = subprocess.run([*command, "--seconds", "0"], text=True, capture_output=True, timeout=100)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(json.loads(ended.stdout), {
            "documents": 1000, "words": sum(number % 7 for number in range(1000) if number not in (5, 500)),
            "failed": ["d0005.txt", "d0500.txt"]})
        self.assertLess(int(ended.stderr.split()[0]), 1000)  # what was stored is not asked about again


class Chat(Case):
    def say(self, *words, code=0):
        ended = subprocess.run([sys.executable, str(EXAMPLES / "chat.py"), "chat.db", *words], text=True,
                               capture_output=True, timeout=100, cwd=self.place)
        self.assertEqual(ended.returncode, code, ended.stderr)
        return (ended.stdout or ended.stderr).strip()

    def test_a_dangerous_tool_is_asked_about(self):
        self.place = self.folder()
        notes = self.place / "notes.txt"
        notes.touch()
        self.assertEqual(self.say("what is the weather in Rome?"), "The tool says: it is sunny in Rome.")
        for vote, answer, left in (("--no", "it is not allowed", True), ("--yes", "notes.txt is gone", False)):
            self.assertEqual(self.say("delete notes.txt"), "May I delete notes.txt?")
            self.assertIn("answer the question first", self.say("hello", code=1))
            self.assertTrue(notes.exists())
            self.assertEqual(self.say(vote, "ada"), f"The tool says: {answer}.")
            self.assertEqual(notes.exists(), left)
        self.assertIn("nobody is asked", self.say("--yes", "ada", code=1))
        with wfsm.sqlite(self.place / "chat.db") as store:
            self.assertEqual(store.audit(), [])


class Asgi:
    """A client of an ASGI application: its lifespan, and one request after the other."""

    def __init__(self, app):
        self.app, self.inbox, self.said = app, asyncio.Queue(), asyncio.Queue()

    async def __aenter__(self):
        self.task = asyncio.create_task(self.app(
            {"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}, self.inbox.get, self.said.put))
        await self.inbox.put({"type": "lifespan.startup"})
        assert (await self.said.get())["type"] == "lifespan.startup.complete"
        return self

    async def __aexit__(self, *_):
        await self.inbox.put({"type": "lifespan.shutdown"})
        await self.task

    async def ask(self, method, path, body=None, headers=()):
        sent, data = [], b"" if body is None else json.dumps(body).encode()

        asked = iter([{"type": "http.request", "body": data, "more_body": False}])

        async def receive():
            for one in asked:
                return one
            return await asyncio.get_running_loop().create_future()  # the client stays

        async def send(message):
            sent.append(message)

        await self.app({"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1",
                        "method": method, "path": path, "raw_path": path.encode(), "query_string": b"",
                        "root_path": "", "scheme": "http", "headers": list(headers), "client": None,
                        "server": ("test", 80)}, receive, send)
        text = b"".join(one.get("body", b"") for one in sent[1:])
        return sent[0]["status"], json.loads(text) if text[:1] == b"{" else text.decode()


class Service(Case):
    def setUp(self):
        super().setUp()
        sys.path.insert(0, str(EXAMPLES))
        self.addCleanup(sys.path.remove, str(EXAMPLES))
        try:
            self.service = importlib.import_module("service")
        except ModuleNotFoundError as problem:
            self.skipTest(f"{problem.name} is not installed")

    async def asked(self, client):
        """Waits for the commit that asks, which the engine of the service tells."""
        task = self.service.app.state.engine.instance("r-1")
        await task.wait(lambda: task.in_state("asked"))
        return (await client.ask("GET", "/reviews/r-1"))[1]

    def test_a_review_survives_a_restart_of_the_service(self):
        path = self.folder() / "reviews.db"

        async def first():
            async with Asgi(self.service.app) as client:
                self.assertEqual(await client.ask("POST", "/reviews", {"id": "r-1", "topic": "bees"}),
                                 (202, {"id": "r-1"}))
                self.assertEqual((await client.ask("POST", "/reviews", {"id": "r-1", "topic": "x"}))[0], 409)
                self.assertEqual((await client.ask("GET", "/reviews/none"))[0], 404)
                return await self.asked(client)

        async def second(shown):
            async with Asgi(self.service.app) as client:
                again = await self.asked(client)
                self.assertEqual(again, shown)
                given = {"by": "ada", "digest": again["questions"][0]["digest"], "approve": True}
                self.assertEqual((await client.ask("POST", "/reviews/r-1/vote", given))[0], 202)
                task = self.service.app.state.engine.instance("r-1")
                await task.wait()
                for known, left in ((None, ["1", "2", "3"]), (b"2", ["3"])):
                    headers = [] if known is None else [(b"last-event-id", known)]
                    status, text = await client.ask("GET", "/reviews/r-1/events", headers=headers)
                    events = [line.split()[1] for line in text.splitlines() if line.startswith("id: ")]
                    self.assertEqual((status, events), (200, left))
                return (await client.ask("GET", "/reviews/r-1"))[1]["state"]

        with mock.patch.dict(os.environ, REVIEWS=str(path)):
            shown = asyncio.run(first())
            self.assertEqual(shown["questions"][0]["text"], "a text about bees")
            self.assertEqual(asyncio.run(second(shown)), ["published"])


class Page(Case):
    def test_the_route_of_the_page_is_that_of_the_service(self):
        page = (ROOT / "doc" / "python-streaming.md").read_text(encoding="utf-8")
        [route] = [one for one in page.split("```") if one.startswith("py\nasync def tail")]
        self.assertIn(route[3:], (EXAMPLES / "service.py").read_text(encoding="utf-8"))


class Notebook(Case):
    def test_its_cells_print_what_it_shows(self):
        notebook = json.loads((EXAMPLES / "review.ipynb").read_text(encoding="utf-8"))
        names = {}

        async def run_all():
            for cell in notebook["cells"]:
                if cell["cell_type"] != "code":
                    continue
                printed = io.StringIO()
                compiled = compile("".join(cell["source"]), "cell", "exec",
                                   flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
                with contextlib.redirect_stdout(printed):
                    running = eval(compiled, names)
                    if inspect.isawaitable(running):
                        await running
                shown = "".join("".join(one["text"]) for one in cell["outputs"])
                self.assertEqual(printed.getvalue(), shown)

        asyncio.run(run_all())
        self.assertTrue(names["task"].__class__ is wfsm.EngineInstance)

    def test_it_is_of_the_format_4(self):
        notebook = json.loads((EXAMPLES / "review.ipynb").read_text(encoding="utf-8"))
        self.assertEqual(notebook["nbformat"], 4)
        for cell in notebook["cells"]:
            self.assertIn(cell["cell_type"], ("markdown", "code"))
            self.assertTrue(all(isinstance(line, str) for line in cell["source"]))


if __name__ == "__main__":
    unittest.main()
