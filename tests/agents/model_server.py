"""A server on the loopback that answers as the services of claude, codex and gemini do.

The first part of the path says what happens: http://127.0.0.1:PORT/MODE is the base URL.

    ok        the answer {"verdict": "good"}
    edit      first a call of the program's own tool that writes made.txt, then the answer
    auth      the key is refused
    quota     too many requests, with Retry-After: 7 where the service has it
    context   the prompt is too long
    cut       the connection is closed without an answer

`requests` has each request as (MODE, path, headers, JSON).
"""
import http.server
import json
import threading

ANSWER = '{"verdict": "good"}'
STATUS = {"auth": 401, "quota": 429, "context": 400}


def events(*made):
    """Server-sent events, each named by its type."""
    return "".join(f"event: {data['type']}\ndata: {json.dumps(data)}\n\n" if "type" in data
                   else f"data: {json.dumps(data)}\n\n" for data in made)


# ---- Anthropic's messages ----

CLAUDE_ERRORS = {
    "auth": ("authentication_error", "invalid x-api-key"),
    "quota": ("rate_limit_error", "This request would exceed your rate limit"),
    "context": ("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
}


def claude_blocks(mode, asked):
    tools = {tool["name"] for tool in asked.get("tools", [])}
    results = [part for message in asked["messages"] if isinstance(message["content"], list)
               for part in message["content"] if part.get("type") == "tool_result"]
    if mode == "edit" and "Write" in tools and not results:
        return "tool_use", "Write", {"file_path": asked_folder(asked) + "/made.txt",
                                     "content": "made\n"}
    if "StructuredOutput" in tools and (not results or (mode == "edit" and len(results) < 2)):
        return "tool_use", "StructuredOutput", json.loads(ANSWER)
    return "text", None, f"Done. {ANSWER}"


def asked_folder(asked):
    """The working folder, which the program tells the model."""
    text = json.dumps(asked)
    for mark in ("Primary working directory: ", "Working directory: "):
        if mark in text:
            return text.split(mark)[1].split("\\n")[0]
    return "."


def claude(mode, _path, asked):
    kind, name, value = claude_blocks(mode, asked)
    block = {"type": "text", "text": ""}
    delta = {"type": "text_delta", "text": value}
    if kind == "tool_use":
        block = {"type": "tool_use", "id": f"toolu_{name}", "name": name, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(value)}
    usage = {"input_tokens": 100, "output_tokens": 1, "cache_read_input_tokens": 20,
             "cache_creation_input_tokens": 30}
    return events(
        {"type": "message_start", "message": {
            "id": "msg_1", "type": "message", "role": "assistant", "model": asked["model"],
            "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "usage": {"output_tokens": 12}, "delta": {
            "stop_reason": "tool_use" if kind == "tool_use" else "end_turn",
            "stop_sequence": None}},
        {"type": "message_stop"})


def claude_error(mode):
    kind, message = CLAUDE_ERRORS[mode]
    return {"type": "error", "error": {"type": kind, "message": message}}


# ---- OpenAI's responses ----

CODEX_ERRORS = {
    "auth": ("invalid_api_key", "Incorrect API key provided: x"),
    "quota": ("rate_limit_exceeded", "Rate limit reached. Please try again in 7s."),
    "context": ("context_length_exceeded",
                "Your input exceeds the context window of this model."),
}


def codex_item(mode, asked):
    called = any(item.get("type", "").endswith("call_output") for item in asked["input"])
    if mode == "edit" and not called:
        return codex_call({tool.get("name", tool["type"]) for tool in asked["tools"]})
    return {"type": "message", "role": "assistant", "id": "m1",
            "content": [{"type": "output_text", "text": ANSWER}]}


def codex_call(tools):
    command = "echo made > made.txt"
    if "exec_command" in tools:
        return {"type": "function_call", "call_id": "c1", "name": "exec_command",
                "arguments": json.dumps({"cmd": command})}
    if "shell_command" in tools:
        return {"type": "function_call", "call_id": "c1", "name": "shell_command",
                "arguments": json.dumps({"command": command})}
    return {"type": "function_call", "call_id": "c1", "name": "shell",
            "arguments": json.dumps({"command": ["sh", "-c", command]})}


def codex(mode, _path, asked):
    return events(
        {"type": "response.created", "response": {"id": "r1"}},
        {"type": "response.output_item.done", "output_index": 0,
         "item": codex_item(mode, asked)},
        {"type": "response.completed", "response": {"id": "r1", "usage": {
            "input_tokens": 100, "input_tokens_details": {"cached_tokens": 20},
            "output_tokens": 12, "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 112}}})


def codex_error(mode):
    code, message = CODEX_ERRORS[mode]
    return {"error": {"message": message, "type": code, "code": code, "param": None}}


# ---- Google's generateContent ----

GEMINI_ERRORS = {
    "auth": ("UNAUTHENTICATED", "API key not valid. Please pass a valid API key."),
    "quota": ("RESOURCE_EXHAUSTED", "Quota exceeded. Please retry in 7s."),
    "context": ("INVALID_ARGUMENT",
                "The input token count (1100000) exceeds the maximum number of tokens allowed"),
}


def gemini_part(mode, asked):
    called = "functionResponse" in json.dumps(asked["contents"])
    if mode == "edit" and not called:
        return {"functionCall": {"name": "write_file", "args": {
            "file_path": "made.txt", "content": "made\n"}}}
    return {"text": f"Done. {ANSWER}"}


def gemini(mode, path, asked):
    reply = {"candidates": [{"content": {"role": "model", "parts": [gemini_part(mode, asked)]},
                             "finishReason": "STOP", "index": 0}],
             "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 12,
                               "totalTokenCount": 112},
             "modelVersion": "gemini-2.5-pro"}
    return events(reply) if "stream" in path else json.dumps(reply)


def gemini_error(mode):
    status, message = GEMINI_ERRORS[mode]
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7s"}]
    return {"error": {"code": STATUS[mode], "message": message, "status": status,
                      "details": details if mode == "quota" else []}}


# ---- the server ----

def service_of(path):
    if "/messages" in path:
        return claude, claude_error
    if "/responses" in path:
        return codex, codex_error
    return gemini, gemini_error


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"

    def log_message(self, *_args):
        pass

    def send(self, status, kind, text, **headers):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.send(404, "application/json", "{}")

    do_HEAD = do_GET

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        mode, path = self.path.lstrip("/").split("/", 1)
        asked = json.loads(body or b"{}")
        self.server.requests.append((mode, path, dict(self.headers), asked))
        answer, error = service_of(path)
        if mode == "cut":
            self.close_connection = True
        elif mode in STATUS:
            self.send_error_of(mode, error(mode))
        else:
            stream = asked.get("stream") or "stream" in path or answer is codex
            self.send(200, "text/event-stream" if stream else "application/json",
                      answer(mode, path, asked))

    def send_error_of(self, mode, error):
        more = {"Retry_After": "7"} if mode == "quota" else {}
        self.send(STATUS[mode], "application/json", json.dumps(error), **more)


class Server:
    """with Server() as server: server.url("ok")"""

    def __init__(self):
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.requests = self.http.requests = []

    def __enter__(self):
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_what):
        self.http.shutdown()
        self.http.server_close()

    def url(self, mode):
        return f"http://127.0.0.1:{self.http.server_port}/{mode}"
