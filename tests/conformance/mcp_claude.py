"""Claude Code as a client of `wfsm mcp`, offline: a scripted model asks for the tools.

usage: mcp_claude.py FOLDER WFSM
"""
import json
import os
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from outside import SKIPPED, Missing, environment, install, without

PACKAGES = ["@anthropic-ai/claude-code@2.1.197"]
SHIP = {"wfsm": 1, "id": "ship", "initial": "ask", "context": {"n": 1}, "states": {
    "ask": {"on": {"HOLD": "held"}}, "held": {"type": "final"}}}
# What the model says, one after the other: a tool and its arguments.
SCRIPT = [("mcp__wfsm__start_ship", {"id": "c", "input": {"n": 9}}), ("mcp__wfsm__send", {"id": "c", "event": "HOLD"}),
          ("mcp__wfsm__state", {"id": "c"})]


def results(messages):
    return [part for message in messages if isinstance(message["content"], list) for part in message["content"]
            if part.get("type") == "tool_result"]


def events(model, turn, said):
    """What the model says: a text, or a tool and its arguments."""
    text = isinstance(said, str)
    block = {"type": "text", "text": ""} if text else {"type": "tool_use", "id": f"t{turn}", "name": said[0], "input": {}}
    delta = {"type": "text_delta", "text": said} if text else {
        "type": "input_json_delta", "partial_json": json.dumps(said[1])}
    return [
        ("message_start", {"message": {"id": "m", "type": "message", "role": "assistant", "model": model, "content": [],
                                       "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}}),
        ("content_block_start", {"index": 0, "content_block": block}), ("content_block_delta", {"index": 0, "delta": delta}),
        ("content_block_stop", {"index": 0}),
        ("message_delta", {"delta": {"stop_reason": "end_turn" if text else "tool_use", "stop_sequence": None}, "usage": {"output_tokens": 2}}),
        ("message_stop", {})]


class Model(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    seen = []

    def say(self, _asked, told):
        self.seen[:] = told if len(told) > len(self.seen) else self.seen
        return SCRIPT[len(told)] if len(told) < len(SCRIPT) else "all done"

    def log_message(self, *_):
        pass

    def answer(self, kind, data):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_HEAD(self):
        self.answer("text/plain", b"")

    do_GET = do_HEAD

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"{}")
        if "count_tokens" in self.path:
            return self.answer("application/json", b'{"input_tokens": 1}')
        told = results(asked.get("messages", []))
        said = self.say(asked, told) if any(one["name"].startswith("mcp__") for one in asked.get("tools", [])) else "all done"
        stream = "".join(f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n"
                         for name, data in events(asked.get("model"), len(told), said))
        return self.answer("text/event-stream", stream.encode())


def runs(claude):
    try:
        return subprocess.run([claude, "--version"], capture_output=True, check=False, timeout=120).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def main():
    claude = install(Path(sys.argv[1]), PACKAGES) / ".bin/claude"
    if not runs(claude):
        print("skipped: Claude Code does not run on this machine")
        return SKIPPED
    wfsm = str(Path(sys.argv[2]).resolve())
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as scratch:
        store, document, config = f"{scratch}/s.db", f"{scratch}/ship.json", f"{scratch}/mcp.json"
        Path(document).write_text(json.dumps(SHIP), encoding="utf-8")
        Path(config).write_text(json.dumps({"mcpServers": {"wfsm": {
            "command": wfsm, "args": ["mcp", "--machines", document, "--as", "claude", store],
            "env": {key: value for key, value in environment().items() if key in ("LD_LIBRARY_PATH", "ASAN_OPTIONS")}}}}), encoding="utf-8")
        subprocess.run([wfsm, "store", "init", store], check=True, stdout=subprocess.DEVNULL)
        home = {**environment(), "HOME": scratch, "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{server.server_port}", "ANTHROPIC_API_KEY": "x",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
        done = subprocess.run([claude, "--print", "--output-format", "json", "--mcp-config", config, "--strict-mcp-config",
                               "--allowedTools", *[name for name, _ in SCRIPT]], input="Start it.", env=home, cwd=scratch,
                              capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
        assert json.loads(done.stdout)["result"] == "all done", done.stdout
        assert len(Model.seen) == len(SCRIPT), Model.seen
        assert "held" in json.dumps(Model.seen[-1]), Model.seen[-1]
        shown = json.loads(subprocess.run([wfsm, "show", "--json", store, "c"], check=True, capture_output=True, text=True).stdout)
        assert (shown["status"], shown["context"]) == ("done", {"n": 9}), shown
    print(f"\nClaude Code has used {len(SCRIPT)} tools of wfsm mcp")
    return 0


if __name__ == "__main__":
    os.environ.pop("CLAUDECODE", None)
    try:
        sys.exit(main())
    except Missing as problem:
        sys.exit(without(problem))
