"""How claude, codex and gemini ask their models, and how these answer.

A dialect reads a request into an Asked, and writes calls of tools and texts as the program's
service does: server-sent events.
"""
import json
import re


class Asked:
    """One request, in terms that all three programs share."""

    def __init__(self, program):
        self.program = program
        self.prompts = []  # what people have said in this session, oldest first
        self.results = []  # of the tools that the model has called since
        self.tools = []  # names
        self.folder = None  # where the program works
        self.schema = None  # that the answer has to fit, as far as the program has such an option

    @property
    def prompt(self):
        return self.prompts[-1] if self.prompts else ""

    def times(self, words):
        """How many prompts of this session have these words."""
        return sum(words in prompt for prompt in self.prompts)

    def say(self, prompt):
        self.prompts.append(prompt)
        self.results = []


def found(pattern, text):
    match = re.search(pattern, text)
    return match.group(1).strip() if match else None


def event(name, data):
    return f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n"


def texts(parts):
    if isinstance(parts, str):
        return [parts]
    return [part["text"] for part in parts if "text" in part]


class Claude:
    """Anthropic's Messages API. `{"type": …}` names the failure of a reply that is none."""

    name = "claude"
    answers = "StructuredOutput"

    @staticmethod
    def is_for(path):
        return path.startswith("/v1/messages")

    @staticmethod
    def read(request):
        asked = Asked("claude")
        asked.tools = [tool["name"] for tool in request.get("tools", [])]
        asked.schema = next((tool["input_schema"] for tool in request.get("tools", []) if tool["name"] == Claude.answers), None)
        system = json.dumps([request.get("system"), request["messages"]], ensure_ascii=False)
        asked.folder = found(r"[Ww]orking directory: ([^\\\n]+)", system)
        for message in request["messages"]:
            if message["role"] == "user":
                Claude.read_message(asked, message["content"])
        return asked

    @staticmethod
    def read_message(asked, parts):
        for part in parts if isinstance(parts, list) else []:
            if part["type"] == "tool_result":
                asked.results.append(json.dumps(part.get("content"), ensure_ascii=False))
        for text in texts(parts):
            if not text.startswith(("<system-reminder>", "[structured-output-enforce]")):
                asked.say(text)

    @staticmethod
    def calls(step, folder):
        """The calls of tools for a step of a script."""
        word, *rest = step
        if word == "run":
            return [("Bash", {"command": rest[0], "description": "as the script says"})]
        path = f"{folder}/{rest[0]}"
        if word == "write":
            return [("Write", {"file_path": path, "content": rest[1]})]
        return [("Read", {"file_path": path}),
                ("Edit", {"file_path": path, "old_string": rest[1], "new_string": rest[2]})]

    @staticmethod
    def answer(asked, value):
        """A call of the tool for structured output, where there is one."""
        if Claude.answers in asked.tools:
            return Claude.call(Claude.answers, value)
        return Claude.text(json.dumps(value))

    @staticmethod
    def call(name, arguments):
        return Claude.stream({"type": "tool_use", "id": f"toolu_{name}", "name": name, "input": {}},
                             {"type": "input_json_delta", "partial_json": json.dumps(arguments)}, "tool_use")

    @staticmethod
    def text(text):
        return Claude.stream({"type": "text", "text": ""}, {"type": "text_delta", "text": text}, "end_turn")

    @staticmethod
    def stream(block, delta, why):
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-4-8", "content": [],
                   "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1000, "output_tokens": 1}}
        return "".join([
            event("message_start", {"message": message}),
            event("content_block_start", {"index": 0, "content_block": block}),
            event("content_block_delta", {"index": 0, "delta": delta}),
            event("content_block_stop", {"index": 0}),
            event("message_delta", {"delta": {"stop_reason": why, "stop_sequence": None}, "usage": {"output_tokens": 20}}),
            event("message_stop", {})])


class Codex:
    """OpenAI's Responses API."""

    name = "codex"

    @staticmethod
    def is_for(path):
        return path.startswith("/v1/responses")

    @staticmethod
    def read(request):
        asked = Asked("codex")
        asked.tools = [tool.get("name") or tool["type"] for tool in request.get("tools", [])]
        asked.schema = ((request.get("text") or {}).get("format") or {}).get("schema")
        for item in request["input"]:
            if item["type"].endswith("call_output"):
                asked.results.append(json.dumps(item["output"], ensure_ascii=False))
            elif item["type"] == "message" and item["role"] == "user":
                Codex.read_message(asked, "".join(texts(item["content"])))
        return asked

    @staticmethod
    def read_message(asked, text):
        if text.startswith("<environment_context>"):
            asked.folder = found(r"<cwd>([^<]+)</cwd>", text)
        elif not text.startswith("<"):
            asked.say(text)

    @staticmethod
    def patch(rest):
        path, *texts_ = rest
        lines = [f"*** Add File: {path}", *("+" + line for line in texts_[0].splitlines())]
        if len(texts_) == 2:
            lines = [f"*** Update File: {path}", "@@", f"-{texts_[0]}", f"+{texts_[1]}"]
        return "\n".join(["apply_patch <<'EOF'", "*** Begin Patch", *lines, "*** End Patch", "EOF"])

    @staticmethod
    def calls(step, folder):
        del folder
        word, *rest = step
        command = rest[0] if word == "run" else Codex.patch(rest)
        return [("exec_command", {"cmd": command, "login": False})]

    @staticmethod
    def answer(asked, value):
        del asked
        return Codex.text(json.dumps(value))

    @staticmethod
    def call(name, arguments):
        return Codex.stream({"type": "function_call", "call_id": f"call_{name}", "name": name, "arguments": json.dumps(arguments)})

    @staticmethod
    def text(text):
        return Codex.stream({"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": text}]})

    @staticmethod
    def stream(item):
        usage = {"input_tokens": 1000, "input_tokens_details": None, "output_tokens": 20, "output_tokens_details": None, "total_tokens": 1020}
        return "".join([event("response.created", {"response": {"id": "resp_1"}}),
                        event("response.output_item.done", {"output_index": 0, "item": item}),
                        event("response.completed", {"response": {"id": "resp_1", "usage": usage}})])

    @staticmethod
    def failure(code, message):
        """A reply that begins well, and fails."""
        return event("response.created", {"response": {"id": "resp_1"}}) + event(
            "response.failed", {"response": {"id": "resp_1", "error": {"code": code, "message": message}}})


class Gemini:
    """Google's Gemini API."""

    name = "gemini"

    @staticmethod
    def is_for(path):
        return path.startswith("/v1beta/models/")

    @staticmethod
    def read(request):
        asked = Asked("gemini")
        asked.tools = [one["name"] for tool in request.get("tools", []) for one in tool.get("functionDeclarations", [])]
        asked.folder = found(r"Workspace Directories:\*\*\\n\s+- ([^\\]+)", json.dumps(request["contents"]))
        for content in request["contents"]:
            for part in content["parts"]:
                if "functionResponse" in part:
                    asked.results.append(json.dumps(part["functionResponse"].get("response"), ensure_ascii=False))
                elif content.get("role", "user") == "user" and not part.get("text", "<").startswith("<"):
                    asked.say(part["text"])
        return asked

    @staticmethod
    def calls(step, folder):
        word, *rest = step
        if word == "run":
            return [("run_shell_command", {"command": rest[0]})]
        path = f"{folder}/{rest[0]}"
        if word == "write":
            return [("write_file", {"file_path": path, "content": rest[1]})]
        return [("replace", {"file_path": path, "instruction": "as the script says", "old_string": rest[1], "new_string": rest[2]})]

    @staticmethod
    def answer(asked, value):
        del asked
        return Gemini.text(f"Here it is.\n\n```json\n{json.dumps(value)}\n```\n")

    @staticmethod
    def call(name, arguments):
        return Gemini.stream({"functionCall": {"name": name, "args": arguments}})

    @staticmethod
    def text(text):
        return Gemini.stream({"text": text})

    @staticmethod
    def reply(part):
        return {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
                "usageMetadata": {"promptTokenCount": 1000, "candidatesTokenCount": 20, "totalTokenCount": 1020}}

    @staticmethod
    def stream(part):
        return f"data: {json.dumps(Gemini.reply(part))}\n\n"

    @staticmethod
    def chooses_model(path):
        """It asks a small model how hard a prompt is, and wants JSON at once."""
        return ":generateContent" in path

    @staticmethod
    def choice():
        return json.dumps(Gemini.reply({"text": json.dumps({"complexity_reasoning": "small", "complexity_score": 1})}))


DIALECTS = [Claude, Codex, Gemini]
