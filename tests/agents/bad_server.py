"""An HTTP server on the loopback that answers like a chat service, or badly on purpose.

The first part of a request's path names the behaviour, a method of Behaviours; what is
behind it is the dialect's own path. Every request is kept.
"""
import http.server
import json
import socket
import ssl
import struct
import threading
import time

ANSWER = '{"decision":"approve","note":"größer ✓"}'


def anthropic_events(text, stop="end_turn"):
    """The events of one answer, its text in pieces of seven characters."""
    usage = {"input_tokens": 11, "cache_read_input_tokens": 4, "output_tokens": 1}
    yield "message_start", {"type": "message_start", "message": {"usage": usage}}
    yield "content_block_start", {"type": "content_block_start", "index": 0,
                                  "content_block": {"type": "text", "text": ""}}
    yield "ping", {"type": "ping"}
    for at in range(0, len(text), 7):
        yield "content_block_delta", {
            "type": "content_block_delta", "index": 0,
            "delta": {"type": "text_delta", "text": text[at:at + 7]}}
    yield "content_block_stop", {"type": "content_block_stop", "index": 0}
    yield "message_delta", {"type": "message_delta", "delta": {"stop_reason": stop},
                            "usage": {"output_tokens": 23}}
    yield "message_stop", {"type": "message_stop"}


def openai_events(text, stop="stop"):
    for at in range(0, len(text), 7):
        yield None, {"choices": [{"index": 0, "delta": {"content": text[at:at + 7]},
                                  "finish_reason": None}], "usage": None}
    yield None, {"choices": [{"index": 0, "delta": {}, "finish_reason": stop}]}
    yield None, {"choices": [], "usage": {"prompt_tokens": 15, "completion_tokens": 23}}
    yield None, "[DONE]"


def encode(events):
    text = ""
    for name, data in events:
        data = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
        text += (f"event: {name}\n" if name else "") + f"data: {data}\n\n"
    return text.encode()


class Behaviours(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        length = int(self.headers.get("content-length", 0))
        body = self.rfile.read(length)
        _, behaviour, self.dialect_path = self.path.split("/", 2)
        self.asked = json.loads(body)
        with self.server.lock:
            self.number = sum(r["path"] == self.path for r in self.server.requests)
            self.server.requests.append({"behaviour": behaviour, "path": self.path,
                                         "headers": dict(self.headers), "body": self.asked,
                                         "at": time.monotonic()})
        try:
            getattr(self, behaviour)()
        except OSError:
            pass  # the client has gone
        self.close_connection = True

    # ---- how things are sent

    def event_list(self, text=ANSWER, **how):
        make = anthropic_events if "messages" in self.dialect_path else openai_events
        return list(make(text, **how))

    def events(self, text=ANSWER, **how):
        return encode(self.event_list(text, **how))

    def without_end(self, text=ANSWER):
        return encode(self.event_list(text)[:-3])

    def head(self, status=200, kind="text/event-stream", **more):
        self.send_response(status)
        self.send_header("content-type", kind)
        for name, value in more.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()

    def reply(self, body, status=200, kind="text/event-stream", **more):
        self.head(status, kind, content_length=len(body), **more)
        self.wfile.write(body)

    def fail(self, status, error_type, message, **more):
        body = json.dumps({"type": "error",
                           "error": {"type": error_type, "message": message}}).encode()
        self.reply(body, status, "application/json", **more)

    def key(self):
        return (self.headers.get("x-api-key")
                or self.headers.get("authorization", "Bearer none").split()[1])

    def reset(self):
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                   struct.pack("ii", 1, 0))
        self.connection.close()

    # ---- well behaved

    def slowly(self):
        self.head()
        body = self.events()
        for at in range(0, len(body), 100):
            self.wfile.write(body[at:at + 100])
            self.wfile.flush()
            time.sleep(250 / len(body))

    def good(self):
        self.reply(self.events("Sure!\n```json\n" + ANSWER + "\n```\n"))

    def chunked(self):
        self.head(transfer_encoding="chunked")
        body = self.events()
        for at in range(0, len(body), 100):
            piece = body[at:at + 100]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")

    def byte_by_byte(self):
        body = self.events().replace(b"\n", b"\r\n")
        self.head(content_length=len(body))
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for at in range(len(body)):
            self.wfile.write(body[at:at + 1])
            self.wfile.flush()
            if at % 50 == 0:
                time.sleep(0.001)

    def not_streamed(self):
        if "messages" in self.dialect_path:
            body = {"type": "message", "content": [{"type": "thinking", "thinking": "{}"},
                                                   {"type": "text", "text": ANSWER}],
                    "stop_reason": "end_turn",
                    "usage": {"input_tokens": 15, "output_tokens": 23}}
        else:
            body = {"choices": [{"index": 0, "message": {"content": ANSWER},
                                 "finish_reason": "stop"}],
                    "usage": {"prompt_tokens": 15, "completion_tokens": 23}}
        self.reply(json.dumps(body).encode(), kind="application/json; charset=utf-8")

    def keeps_open(self):
        """Complete, but the connection stays: nobody has to wait for its end."""
        self.head()
        self.wfile.write(self.events())
        self.wfile.flush()
        time.sleep(60)

    def reviewer(self):
        """What the coordinator's reviewer has to answer."""
        answer = {"decision": "approve", "must_fix": [], "summary": "good"}
        self.reply(self.events(f"Well. {json.dumps(answer)}"))

    # ---- badly behaved

    def slow(self):
        time.sleep(60)

    def silent(self):
        self.head()
        self.wfile.write(self.events()[:200])
        self.wfile.flush()
        time.sleep(60)

    def dripping(self):
        self.head()
        for _ in range(500):
            self.wfile.write(b": still here\n\n")
            self.wfile.flush()
            time.sleep(0.01)

    def cut_off(self):
        self.head()
        self.wfile.write(self.events()[:-300])

    def cut_chunk(self):
        self.head(transfer_encoding="chunked")
        self.wfile.write(b"1000\r\n" + self.events()[:300])

    def cut_by_reset(self):
        self.head()
        self.wfile.write(self.events()[:300])
        self.wfile.flush()
        time.sleep(0.05)
        self.reset()

    def reset_at_once(self):
        self.reset()

    def says_nothing(self):
        pass

    def length_too_long(self):
        body = self.events()[:-200]
        self.head(content_length=len(body) + 1000)
        self.wfile.write(body)

    def length_too_short(self):
        body = self.events()
        self.head(content_length=len(body) // 2)
        self.wfile.write(body)

    def huge(self):
        self.head()
        piece = self.without_end("x" * 7000)
        for _ in range(10000):
            self.wfile.write(piece)

    def huge_line(self):
        self.head()
        self.wfile.write(b"data: ")
        for _ in range(10000):
            self.wfile.write(b"x" * 65536)

    def huge_headers(self):
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        for number in range(1000000):
            self.wfile.write(b"x-%d: %s\r\n" % (number, b"y" * 1000))

    def endless(self):
        self.head()
        while True:
            self.wfile.write(b'event: ping\ndata: {"type": "ping"}\n\n' * 100)

    def wrong_type(self):
        self.reply(b"<html>please log in</html>", kind="text/html; charset=utf-8")

    def no_http(self):
        self.connection.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")

    def redirect(self):
        self.reply(b"", status=302, kind="text/plain",
                   location=f"http://127.0.0.1:{self.server.server_port}/good/v1/messages")

    def invalid_utf8(self):
        self.reply(self.events().replace("ö".encode(), b"\xff"))

    def no_json_event(self):
        self.reply(b"data: {broken\n\n")

    def no_json_answer(self):
        self.reply(self.events("I would rather not."))

    def two_answers(self):
        """Once: the first does not fit the schema; the second does."""
        self.reply(self.events('{"decision":"maybe"}' if self.number == 0 else ANSWER))

    def max_tokens(self):
        stop = "max_tokens" if "messages" in self.dialect_path else "length"
        self.reply(self.events(ANSWER, stop=stop))

    def refusal(self):
        stop = "refusal" if "messages" in self.dialect_path else "content_filter"
        self.reply(self.events(ANSWER, stop=stop))

    def done_too_early(self):
        """No reason to stop was given: the model may have been cut off."""
        self.reply(self.without_end() + b"data: [DONE]\n\n")

    def overloaded_in_stream(self):
        error = {"type": "error", "error": {"type": "overloaded_error", "message": "Busy"}}
        self.reply(self.events()[:200].rsplit(b"\n\n", 1)[0] + b"\n\n" +
                   encode([("error", error)]))

    def unauthorized(self):
        self.fail(401, "authentication_error", f"invalid key {self.key()}")

    def forbidden(self):
        self.fail(403, "permission_error", f"{self.key()} may not")

    def no_model(self):
        self.fail(404, "not_found_error", f"model: {self.asked['model']} {self.key()}")

    def rate_limit(self):
        if self.number == 0:
            self.fail(429, "rate_limit_error", "Slow down", retry_after=1)
        else:
            self.good()

    def rate_limit_date(self):
        if self.number == 0:
            self.fail(429, "rate_limit_error", "Slow down",
                      retry_after=self.date_time_string(time.time() + 2))
        else:
            self.good()

    def broken_once(self):
        if self.number == 0:
            self.reply(b"\xff\xfe no JSON", status=500, kind="text/plain")
        else:
            self.good()

    def overloaded(self):
        self.fail(529, "overloaded_error", "Overloaded \x1b[31m")

    def echo_key(self):
        """An answer with the key in it, a part of it escaped."""
        key = self.key()
        escaped = "\\u%04x" % ord(key[0]) + key[1:]
        self.reply(self.events('{"decision":"approve","note":"%s"}' % escaped))

    def echo_key_in_error(self):
        error = {"type": "error", "error": {"type": "api_error",
                                            "message": f"bad header {self.key()}!"}}
        self.reply(encode([("error", error)]))

    def echo_key_as_answer(self):
        self.reply(self.events(self.key() + " is your key"))


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, certificate=None):
        super().__init__(("127.0.0.1", 0), Behaviours)
        self.requests = []
        self.lock = threading.Lock()
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.socket = context.wrap_socket(self.socket, server_side=True)
        self.thread = threading.Thread(target=self.serve_forever, daemon=True)
        self.thread.start()

    def handle_error(self, *_):
        pass  # a client that does not trust us, or has gone

    def seen(self, behaviour):
        with self.lock:
            return [r for r in self.requests if r["behaviour"] == behaviour]

    def stop(self):
        self.shutdown()
        self.server_close()
