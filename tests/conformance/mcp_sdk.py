"""`wfsm mcp` with the protocol's own SDK and inspector, from npm.

usage: mcp_sdk.py FOLDER WFSM
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from outside import Missing, install, tool, without

PACKAGES = ["@modelcontextprotocol/sdk@1.32.2", "@modelcontextprotocol/inspector@0.15.0"]
SHIP = {"wfsm": 1, "id": "ship", "initial": "ask", "context": {"n": 1}, "states": {
    "ask": {"invoke": {"src": "person", "input": {"question": "Ship it?"}, "onDone": "yes", "onError": "yes"}},
    "yes": {"type": "final"}}}


def inspect(modules, wfsm, arguments, *words):
    done = subprocess.run([tool("node"), modules / "inspector/cli/build/cli.js", "--cli", wfsm, *arguments, *words],
                          capture_output=True, text=True, check=True, timeout=300)
    return json.loads(done.stdout)


def main():
    folder, wfsm = Path(sys.argv[1]), str(Path(sys.argv[2]).resolve())
    modules = install(folder, PACKAGES) / "@modelcontextprotocol"
    with tempfile.TemporaryDirectory() as scratch:
        store, document = f"{scratch}/s.db", f"{scratch}/ship.json"
        Path(document).write_text(json.dumps(SHIP), encoding="utf-8")
        subprocess.run([wfsm, "store", "init", store], check=True, stdout=subprocess.DEVNULL)
        done = subprocess.run([tool("node"), Path(__file__).with_name("mcp_client.mjs"), modules / "sdk", wfsm, store, document],
                              capture_output=True, text=True, check=True, timeout=300)
        seen = json.loads(done.stdout)
        assert seen["server"] == "wfsm" and "start_ship" in seen["tools"], seen
        assert (seen["started"], seen["read"], seen["created"]) == (["ask"], "one", "two"), seen
        assert len(seen["asked"]) == 1 and "Ship it?" in seen["asked"][0], seen
        assert seen["voted"].startswith("posted: ada approves"), seen
        assert (seen["status"], seen["tasks"]) == ("input_required", ["one", "two"]), seen
        assert "wfsm://journal/one" in seen["resources"], seen
        arguments = ["mcp", "--machines", document, store]
        tools = inspect(modules, wfsm, arguments, "--method", "tools/list")["tools"]
        assert sorted(one["name"] for one in tools) == seen["tools"], tools
        shown = inspect(modules, wfsm, arguments, "--method", "tools/call", "--tool-name", "state", "--tool-arg", "id=one")
        assert shown["structuredContent"]["id"] == "one", shown
        read = inspect(modules, wfsm, arguments, "--method", "resources/list")
        assert len(read["resources"]) == 5, read
    print(f"\nthe protocol's SDK and inspector: {len(seen['tools'])} tools, elicitation, tasks and resources agree")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Missing as problem:
        sys.exit(without(problem))
