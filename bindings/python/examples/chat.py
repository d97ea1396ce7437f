"""A chat agent that uses tools, and asks a person before it uses a dangerous one.

    chat.py STORE "what is the weather in Rome?"
    chat.py STORE "delete notes.txt"            # asks
    chat.py STORE --yes ada                     # Ada allows it; --no ada does not
    chat.py STORE "thank you"

Each call of the program is a turn; the chat is in the store. Kill the program whenever you like: the next call
continues what was begun. A tool that was at work is used again with the same id, and here that does no harm.

`ask_a_model` stands in for the client of a model. It gets the messages, and returns a text, or a call of a tool.
"""
import argparse
import asyncio
from pathlib import Path

import wfsm

DANGEROUS = ["delete"]


def said(role, text):
    """Adds a message."""
    return {"type": "assign", "params": {"messages": {"merge": [
        {"var": "context.messages"}, [{"role": role, "text": text}]]}}}


ASKED_FOR = {"type": "assign", "params": {"call": {"var": "event.data.call"}}}
CHAT = wfsm.Machine.load({
    "id": "chat", "initial": "listening",
    "context": {"messages": [], "call": None, "turns": 0},
    "states": {
        "listening": {
            "tags": ["awaiting_input"],
            "on": {"message": {"target": "thinking", "actions": [
                said("user", {"var": "event.data"}), {"type": "assign", "params": {"turns": 0}}]}}},
        "thinking": {
            "entry": {"type": "assign", "params": {"turns": {"+": [{"var": "context.turns"}, 1]}}},
            "invoke": {
                "src": "model", "input": {"messages": {"var": "context.messages"}}, "timeoutMs": 60_000,
                "retry": [{"errors": ["network", "timeout"], "maxAttempts": 3, "intervalMs": 500, "backoffRate": 2}],
                "onDone": [
                    {"guard": {"===": [{"var": "event.data.call"}, None]}, "target": "listening",
                     "actions": said("agent", {"var": "event.data.text"})},
                    {"guard": {">": [{"var": "context.turns"}, 10]}, "target": "listening",
                     "actions": said("agent", "I give up: ten tools were not enough.")},
                    {"guard": {"in": [{"var": "event.data.call.tool"}, DANGEROUS]}, "target": "asking",
                     "actions": ASKED_FOR},
                    {"target": "using", "actions": ASKED_FOR}],
                "onError": {"target": "listening", "actions": said("agent", {"cat": [
                    "The model failed: ", {"var": "event.data.message"}]})}}},
        "asking": {"tags": ["awaiting_input"], "invoke": {
            "src": "person", "input": {"var": "context.call"},
            "onDone": [{"guard": {"var": "event.data.approved"}, "target": "using"},
                       {"target": "thinking", "actions": said("tool", "it is not allowed")}]}},
        "using": {"invoke": {
            "src": "tool", "input": {"var": "context.call"}, "timeoutMs": 60_000,
            "onDone": {"target": "thinking", "actions": said("tool", {"var": "event.data"})},
            "onError": {"target": "thinking", "actions": said("tool", {"cat": [
                "it failed: ", {"var": "event.data.message"}]})}}}}})


async def ask_a_model(messages):
    """Stands in for the client of a model."""
    last = messages[-1]
    words = last["text"].rstrip("?.!").split()
    if last["role"] == "user" and "weather" in words:
        return {"text": None, "call": {"tool": "weather", "argument": words[-1]}}
    if last["role"] == "user" and words[0] == "delete":
        return {"text": None, "call": {"tool": "delete", "argument": words[-1]}}
    return {"text": f"The tool says: {last['text']}." if last["role"] == "tool" else "You are welcome.", "call": None}


def weather(city):
    return f"it is sunny in {city}"


def delete(name):
    """Twice is as good as once."""
    Path(name).unlink(missing_ok=True)
    return f"{name} is gone"


TOOLS = {"weather": weather, "delete": delete}


def add_agents(engine):
    @engine.agent
    async def model(work):
        reply = await ask_a_model(work.input["messages"])
        for word in (reply["text"] or "").split():  # a model gives its text in pieces
            await work.token(word + " ")
        return reply

    @engine.agent
    def tool(call):
        return TOOLS[call.input["tool"]](call.input["argument"])


def task_of(engine, store):
    """The stored chat, taken over from a program that has ended; or a new one."""
    try:
        owner = store.head("chat-1").owner
    except wfsm.NotFound:
        return engine.start("chat", "chat-1")
    if wfsm.owner_is_dead(owner):
        store.remove_owner(owner)
    return engine.adopt("chat-1")


def vote(store, task, by, approve):
    for one in task.invocations:
        if one["src"] == "person":
            store.approve(task.id, one["id"], by=by, digest=one["digest"], approve=approve)
            return
    raise SystemExit("nobody is asked")


async def turn(store, given):
    async with wfsm.engine(store, [CHAT]) as engine:
        add_agents(engine)
        task = task_of(engine, store)
        await task.wait(lambda: task.has_tag("awaiting_input"))  # an earlier turn may still run
        async with task.stream(kinds=("token", "commit")) as events:
            if given.message is None:
                vote(store, task, given.yes or given.no, given.yes is not None)
            elif not await task.asend("message", given.message):
                raise SystemExit("answer the question first: --yes NAME or --no NAME")
            async for event in events:
                if event.kind == "token":
                    print(event.data, end="", flush=True)
                elif event.revision == task.revision and task.has_tag("awaiting_input"):
                    break
        for one in task.invocations:
            print(f"May I {one['input']['tool']} {one['input']['argument']}?", end="")
        print()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store")
    given = parser.add_mutually_exclusive_group(required=True)
    given.add_argument("message", nargs="?")
    given.add_argument("--yes", metavar="NAME")
    given.add_argument("--no", metavar="NAME")
    arguments = parser.parse_args()
    with wfsm.sqlite(arguments.store) as store:
        asyncio.run(turn(store, arguments))


if __name__ == "__main__":
    main()
