"""run.py (--seeds | --seconds N | --runs N) FOLDER TARGET CASES WRITE_RUN PROGRAM [OPTION ...]

Makes the seeds of TARGET from the cases of the tests, then runs its fuzzer for so many
seconds, or (--runs) on the same inputs each time, so many of them and for 20 seconds at most, or
(--seeds) the target without libFuzzer over the seeds. What it finds, and the corpus it grows,
stay in FOLDER.
"""

import argparse
import json
import pathlib
import subprocess
import sys

KEYWORDS = ["wfsm", "id", "initial", "states", "type", "parallel", "final", "history",
            "shallow", "deep", "target", "on", "always", "after", "entry", "exit", "invoke",
            "onDone", "onError", "tags", "output", "guard", "actions", "reenter", "params",
            "assign", "raise", "cancel", "log", "emit", "choose", "each", "event", "data",
            "delay", "branches", "in", "as", "index", "src", "srcs", "retry", "context",
            "schemas", "restore", "var", "literal", "throw", "length", "slice", "get", "with",
            "in_state", "$ref", "$defs", "anyOf", "not", "items", "required", "properties",
            "set", "unset", "changed", "at", "removed", "inserted"]


def stream(first, *events):
    """The first byte chooses the dialect, by its lowest bit, and the pieces."""
    lines = (f"event: {event.get('type', 'x')}\r\ndata: {json.dumps(event)}\n\n"
             for event in events)
    return first + ("".join(lines) + "data: [DONE]\n\n: end").encode()


def streams():
    def delta(text):
        return {"type": "content_block_delta", "delta": {"type": "text_delta", "text": text}}

    def choice(**more):
        return {"choices": [{"index": 0, "delta": more.pop("delta", {}), **more}]}

    stop = {"type": "message_delta", "delta": {"stop_reason": "end_turn"},
            "usage": {"output_tokens": 7}}
    usage = {"choices": [], "usage": {"prompt_tokens": 4, "completion_tokens": 5}}
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}
    yield stream(b"\x04", delta("{"), delta('"a": 1}'), stop, {"type": "message_stop"})
    yield stream(b"\x06", {"type": "message_start", "message": {"usage": {"input_tokens": 3}}},
                 delta("\u00f6\u2713"), {"type": "ping"}, error)
    yield stream(b"\x05", choice(delta={"content": "{}"}), choice(finish_reason="stop"), usage)
    yield stream(b"\x01", choice(delta={"refusal": "no"}), choice(finish_reason="length"), error)
    yield b'\x00{"type": "message", "content": [{"type": "text", "text": "a"}]}'
    yield b'\x01{"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}]}'


def schedules():
    zones = pathlib.Path("/usr/share/zoneinfo")
    for name in ("UTC", "Europe/Dublin", "America/Nuuk", "Africa/Casablanca", "Pacific/Apia", "Asia/Gaza"):
        if (zones / name).exists():
            yield (zones / name).read_bytes()
    for line in ("*/5 0-6,8 1,31 jan-mar,12 mon,7", "0 0 29 2 *", "@weekly", "59 23 31 12 5-7/2"):
        yield b"C" + line.encode()
    for rule in ("FREQ=DAILY;INTERVAL=3", "FREQ=MONTHLY;BYDAY=-1FR,2MO;BYSETPOS=-1", "FREQ=HOURLY;INTERVAL=7;COUNT=9",
                 "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", "FREQ=WEEKLY;WKST=SU;BYDAY=MO;UNTIL=20300101T000000Z",
                 "FREQ=DAILY;BYHOUR=1,2;BYMINUTE=30"):
        yield b"R" + rule.encode()
    yield {"machine": "m", "cron": ["@daily", "5 4 * * sun"], "timezone": "Europe/Berlin", "overlap": "bufferOne",
           "catchupWindow": 60000, "start": "2026-01-01T00:00:00", "end": "2027-01-01T00:00:00", "input": {"a": 1}}
    yield {"machine": "m", "rrule": "FREQ=WEEKLY;BYDAY=MO", "start": "2026-03-29T02:30:00", "timezone": "Europe/Berlin"}


def calls():
    """What clients of MCP send."""
    def line(method, number=None, **params):
        asked = {"jsonrpc": "2.0", "method": method, "params": params}
        return json.dumps(asked if number is None else {**asked, "id": number}) + "\n"

    def tool(number, name, **arguments):
        return line("tools/call", number, name=name, arguments=arguments)

    begun = line("initialize", 1, protocolVersion="2025-11-25", capabilities={"elicitation": {}})
    begun += line("notifications/initialized")
    for sent in (tool(2, "start_ship", id="a", input={"n": 1}), tool(2, "start_ship", n=1), tool("x", "send", id="a", event="GO", data={}),
                  tool(2, "state", id="a") + tool(3, "wait", id="a", state="b", timeout=1) + line("notifications/cancelled", requestId=3),
                  tool(2, "ask", id="a") + json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"action": "accept", "content": {
                      "decision": "approve", "reason": "<zz>"}}}) + "\n",
                  tool(2, "check", document={}) + tool(3, "verify", document={"id": "m"}) + tool(4, "simulate", document={}, script=""),
                  line("tools/list", 2) + line("resources/list", 3, cursor="a") + line("resources/read", 4, uri="wfsm://instance/a"),
                  line("resources/templates/list", 5) + line("tasks/list", 6) + line("tasks/get", 7, taskId="a"),
                  line("tasks/result", 8, taskId="a") + line("tasks/cancel", 9, taskId="a"),
                  line("tools/call", 2, name="start_ship", arguments={}, task={"ttl": 5}), line("ping", 3), "{", "[]\n\n"):
        for code in (b"\0", b"\1"):
            yield code + (begun + sent).encode()


def requests():
    """What clients of wfsm serve send. The secrets are those of fuzz_serve.c."""
    head = (f"HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nCookie: wfsm_8080={'b' * 64}\r\n"
            "Origin: http://127.0.0.1:8080\r\n")
    for path in ("/", "/?where=n%3E0&where=n%3C9&status=running&after=a&stuck=1&waits=ada&tag=early&state=a.c", "/instance?id=a&to=1&said=0",
                 "/instance?id=%3Czz%3E", "/machine?name=ship", "/diff?id=a&from=1&to=2", "/events/", "/events/instance?id=a", "/metrics",
                 "/style.css", "/page.js", "/nothing", "/?token=" + "a" * 64, "/?machine=%3Czz%3E&owner=-&project=%3Czz%3E"):
        yield f"GET {path} {head}\r\n".encode()
    for fields in ("action=post&event=GO&data=null", "action=approve&invocation=a%2F1%2F1&digest=" + "0" * 64 + "&reason=%3Czz%3E",
                   "action=stop&sure=1", "action=restore&revision=1", "action=fork&revision=1&new=%3Czz%3E", "action=retry&invocation=x",
                   "action=%3Czz%3E"):
        body = f"form={'c' * 64}&id=a&{fields}"
        yield (f"POST /act {head}Content-Type: application/x-www-form-urlencoded\r\n"
               f"Content-Length: {len(body)}\r\n\r\n{body}").encode()
    yield b"GET / HTTP/1.0\r\n\r\n"


def texts(cases, target):
    def load(name):
        return json.loads((cases / name).read_text(encoding="utf-8"))

    if target == "machine":
        for path in sorted(cases.glob("machine/*.json")):
            yield path.read_bytes()
        for path in sorted((cases.parent / "step/cases").glob("*.json")):
            for case in json.loads(path.read_text(encoding="utf-8")):
                if isinstance(case, dict) and "machine" in case:
                    yield case["machine"]
    elif target == "verify":
        for path in sorted([*cases.glob("verify/*.json"), *cases.glob("opinion/*.json")]):
            yield json.loads(path.read_text(encoding="utf-8"))["document"]
    elif target == "jsonlogic":
        for name in ("logic/jsonlogic.json", "logic/operands.json", "logic/wfsm.json"):
            yield from (case for case in load(name) if isinstance(case, dict))
    elif target == "schema":
        for case in load("logic/schema.json"):
            for fit in case.get("fits", []):
                yield {"schema": case["schema"], "value": fit}
            for mismatch in case.get("mismatchs", []):
                yield {"schema": case["schema"], "value": mismatch.get("value")}
    elif target == "stream":
        yield from streams()
    elif target == "schedule":
        yield from schedules()
    elif target == "mcp":
        yield from calls()
    elif target == "serve":
        yield from requests()
    elif target == "json":
        for path in sorted(cases.glob("*/*.json")):
            yield path.read_bytes()[:4096]
        yield from ([1.5e-7, -0.0, "\u00e9\ud83d\ude00\n", {"": {}}], "x", 1e22, None)


def make_seeds(target, cases, write_run, folder):
    folder.mkdir(parents=True, exist_ok=True)
    if target in ("snapshot", "record"):
        other = folder.parent / "unused"
        other.mkdir(exist_ok=True)
        order = [folder, other] if target == "snapshot" else [other, folder]
        subprocess.run([write_run, *map(str, order)], check=True)
        return
    for number, text in enumerate(texts(cases, target)):
        if not isinstance(text, bytes):
            text = json.dumps(text, separators=(",", ":")).encode()
        (folder / f"{number}.json").write_bytes(text)


def fuzz(program, folder, seconds, options):
    words = folder / "words"
    words.write_text("".join(f'"\\"{word}\\""\n' for word in KEYWORDS), encoding="utf-8")
    (folder / "corpus").mkdir(exist_ok=True)
    # New inputs go to the first folder. A crash must not end with 77, meson's "skipped".
    return [program, f"-max_total_time={seconds}", "-error_exitcode=1", "-timeout=10",
            "-timeout_exitcode=1", "-rss_limit_mb=2048", f"-dict={words}",
            "-print_final_stats=1", f"-artifact_prefix={folder}/", *options,
            str(folder / "corpus"), str(folder / "seeds")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", action="store_true")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--runs", type=int)
    for name in ("folder", "target", "cases", "write_run", "program"):
        parser.add_argument(name)
    given, options = parser.parse_known_args()
    folder = pathlib.Path(given.folder).resolve() / given.target
    make_seeds(given.target, pathlib.Path(given.cases), given.write_run, folder / "seeds")
    if given.seeds:
        command = [given.program, *map(str, sorted((folder / "seeds").iterdir()))]
    else:
        if given.runs is not None:
            options += [f"-runs={given.runs}", "-seed=1"]
        command = fuzz(given.program, folder, given.seconds, options)
    sys.exit(subprocess.run(command, check=False).returncode != 0)


main()
