"""Claude Code as agentd's proposer, which writes its files through `agentd mcp`. Offline: a scripted model asks for the tool.

usage: mcp_agentd.py FOLDER AGENTD
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from http.server import ThreadingHTTPServer
from pathlib import Path

from mcp_claude import PACKAGES, Model, runs
from outside import SKIPPED, Missing, environment, install, without

TOOL = "mcp__agentd__write_document"
SECTIONS = "".join(f"\n## {name}\n\nBecause.\n" for name in ("Why", "What Changes", "Impact"))
TEXTS = {"proposal": ("proposal.md", "# A login\n" + SECTIONS), "specs": ("specs/login.md", "# Login\n"),
         "tasks": ("tasks.md", "- [ ] do it\n")}
CHALLENGER = """import json, sys
json.load(sys.stdin)
json.dump({"report": "# Report\\n\\nVerdict: APPROVED\\n"}, sys.stdout)
"""


def words(messages):
    parts = [message["content"] for message in messages]
    return " ".join(part if isinstance(part, str) else "".join(one.get("text", "") for one in part) for part in parts)


class Proposer(Model):
    def say(self, asked, told):
        step = re.search(r'"step": ?"(\w+)"', words(asked["messages"])).group(1)
        path, text = TEXTS[step]
        if not told:
            return TOOL, {"change": "add-login", "path": path, "text": text}
        made = json.loads(told[-1]["content"][0]["text"] if isinstance(told[-1]["content"], list) else told[-1]["content"])
        self.seen.append(made)
        return "```json\n" + json.dumps({"files": [made], "summary": "drafted"}) + "\n```"


def project(root, agentd, claude):
    """What doc/agentd.md says."""
    subprocess.run([agentd, "init"], cwd=root, check=True, stdout=subprocess.DEVNULL)
    (root / "agentd/mcp.json").write_text(json.dumps(
        {"mcpServers": {"agentd": {"command": agentd, "args": ["mcp"]}}}), encoding="utf-8")
    (root / "challenger.py").write_text(CHALLENGER, encoding="utf-8")
    (root / "agentd/config.toml").write_text(f"""version = 1
[agents.proposer]
kind = "claude"
prompt = "{{dir}}/prompts/proposer.md"
command = [{json.dumps(claude)}, "--mcp-config", "{{dir}}/mcp.json", "--allowed-tools", "{TOOL}"]
pass_env = ["LD_LIBRARY_PATH", "ASAN_OPTIONS", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"]
[agents.challenger]
command = [{json.dumps(sys.executable)}, {json.dumps(str(root / "challenger.py"))}]
""", encoding="utf-8")


def main():
    claude = str(install(Path(sys.argv[1]), PACKAGES) / ".bin/claude")
    if not runs(claude):
        print("skipped: Claude Code does not run on this machine")
        return SKIPPED
    agentd = str(Path(sys.argv[2]).resolve())
    server = ThreadingHTTPServer(("127.0.0.1", 0), Proposer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        home = {**environment(), "HOME": scratch, "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{server.server_port}",
                "ANTHROPIC_API_KEY": "x", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
        project(root, agentd, claude)
        done = subprocess.run([agentd, "plan", "add-login", "add a login"], cwd=root, env=home, capture_output=True,
                              text=True, check=False, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
        for path, text in TEXTS.values():
            assert (root / "agentd/changes/add-login" / path).read_text(encoding="utf-8") == text, path
    drafted = {one["path"] for one in Proposer.seen}
    assert drafted == {path for path, _ in TEXTS.values()}, Proposer.seen
    print(f"\nClaude Code has written {len(TEXTS)} documents through agentd mcp")
    return 0


if __name__ == "__main__":
    os.environ.pop("CLAUDECODE", None)
    try:
        sys.exit(main())
    except Missing as problem:
        sys.exit(without(problem))
