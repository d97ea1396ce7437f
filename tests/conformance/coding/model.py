"""A model that does what a script says, behind the interfaces of three services.

A script is a list of rules. The first rule whose words are all in the prompt, and whose program
asks, answers: with its steps one after the other, and when a prompt has had its last one, with
the rule after it. Faults come before any step, one for each request.
"""
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from dialects import DIALECTS, Gemini


class Fault:
    """A reply that is none: an HTTP status and what stands in it, or a stream that fails."""

    def __init__(self, status, body, headers=None):
        self.status, self.headers = status, headers or {}
        self.body = body if isinstance(body, str) else json.dumps(body)


class Rule:
    """`words` (texts of the prompt) get `steps`: ("write", PATH, TEXT), ("replace", PATH, OLD, NEW),
    ("run", COMMAND), ("say", TEXT) and ("answer", VALUE). The last one ends the turn; its VALUE can
    be a function of what was asked."""

    def __init__(self, words, *steps, program=None, faults=(), times=None):
        self.words = [words] if isinstance(words, str) else words
        self.steps, self.program, self.faults = steps, program, list(faults)
        self.times = times  # how many turns it answers; None: all
        self.turns = 0  # that it has ended

    def fits(self, asked):
        return self.turns != self.times and self.program in (None, asked.program) and all(
            word in asked.prompt for word in self.words)

    def reply(self, dialect, asked):
        """The reply to this request, or a Fault."""
        if self.faults:
            return self.faults.pop(0)
        calls = [call for step in self.steps[:-1] for call in dialect.calls(step, asked.folder)]
        if len(asked.results) < len(calls):
            return dialect.call(*calls[len(asked.results)])
        self.turns += 1
        word, value = self.steps[-1]
        if word == "say":
            return dialect.text(value)
        return dialect.answer(asked, value(asked) if callable(value) else value)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, kind, text, status=200, headers=None):
        data = text.encode()
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def do_HEAD(self):
        self.send("text/plain", "")

    def do_GET(self):
        self.send("application/json", '{"models": [], "data": []}')

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"] or 0)) or b"{}")
        if "count_tokens" in self.path or "countTokens" in self.path:
            return self.send("application/json", '{"input_tokens": 1, "totalTokens": 1}')
        if Gemini.chooses_model(self.path):
            return self.send("application/json", Gemini.choice())
        dialect = next((one for one in DIALECTS if one.is_for(self.path)), None)
        if dialect is None:
            return self.send("application/json", "{}", 404)
        reply = self.server.model.reply(dialect, dialect.read(request))
        if isinstance(reply, Fault):
            kind = "text/event-stream" if reply.status == 200 else "application/json"
            return self.send(kind, reply.body, reply.status, reply.headers)
        return self.send("text/event-stream", reply)


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A program that ends closes what it has asked for."""


class Model:
    def __init__(self, *rules):
        self.rules, self.asked, self.lost = list(rules), [], []
        self.lock = threading.Lock()
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.model = self
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def reply(self, dialect, asked):
        with self.lock:
            self.asked.append(asked)
            rule = next((one for one in self.rules if one.fits(asked)), None)
            if rule is None:
                self.lost.append(asked)
                return dialect.text("The script has nothing to say to this.")
            return rule.reply(dialect, asked)

    def of(self, words):
        """The requests with these words in their prompt."""
        return [asked for asked in self.asked if words in asked.prompt]
