"""examples/embed/agents.c: a program and a model, from the start to the end and over a kill.

usage: test_example.py PROGRAM MACHINE
"""
import http.server
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

WRITER = """#!/bin/sh
cat > asked.txt
echo "begun" >> starts.txt
while [ -e wait ]; do sleep 0.02; done
echo 'Here it is:'
echo '{"text": "It falls."}'
"""


class Model(http.server.BaseHTTPRequestHandler):
    """A chat completion that streams its verdict."""
    asked = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.asked.append((self.path, json.loads(body)))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for piece in ('I say {"verdict":', ' "good"}'):
            event = {"choices": [{"index": 0, "delta": {"content": piece}}]}
            self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
        end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
        self.wfile.write(f"data: {json.dumps(end)}\n\ndata: [DONE]\n\n".encode())

    def log_message(self, *_):
        pass


class Example(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "writer").write_text(WRITER, encoding="utf-8")
        (self.folder / "writer").chmod(0o755)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        Model.asked.clear()

    def start(self):
        url = f"http://127.0.0.1:{self.server.server_port}/v1"
        return subprocess.Popen(
            [PROGRAM, MACHINE, "notes.db", url, "./writer"], cwd=self.folder, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={**os.environ, "LC_ALL": "C", "no_proxy": "127.0.0.1"})

    def finish(self, program):
        out, _ = program.communicate(timeout=20)
        self.assertEqual(program.returncode, 0, out)
        self.assertEqual(json.loads(out.splitlines()[-1]),
                         {"subject": "rain", "text": "It falls.", "verdict": "good"})
        return out

    def test_from_start_to_end(self):
        out = self.finish(self.start())
        lines = [line.split("] ", 1)[1] for line in out.splitlines()[:-1]]
        self.assertEqual([line for line in lines if "->" in line or "writing" in line],
                         ["n1  writing  start", "n1  writing -> reviewing  done.invoke.writing",
                          "n1  reviewing -> done  done.invoke.reviewing"], out)
        self.assertIn("n1      reviewer: asked", lines)
        asked = (self.folder / "asked.txt").read_text(encoding="utf-8")
        self.assertTrue(asked.startswith('Write about {"subject":"rain"}. End with {'), asked)
        path, body = Model.asked[0]
        self.assertEqual(path, "/v1/chat/completions")
        self.assertIn("It falls.", body["messages"][-1]["content"])
        self.assertIn('"verdict":"good"', self.finish(self.start()))
        self.assertEqual(len(Model.asked), 1)

    def test_over_a_kill(self):
        (self.folder / "wait").touch()
        program = self.start()
        while not (self.folder / "starts.txt").exists():
            self.assertIsNone(program.poll())
            time.sleep(0.01)
        program.send_signal(signal.SIGKILL)
        program.communicate()
        program = self.start()
        (self.folder / "wait").unlink()
        self.finish(program)
        self.assertEqual((self.folder / "starts.txt").read_text(encoding="utf-8"), "begun\n")


if __name__ == "__main__":
    PROGRAM, MACHINE = map(os.path.abspath, sys.argv[1:])
    unittest.main(argv=sys.argv[:1])
