"""agentd mcp: a proposer that writes its files through it, and clients that do not keep to the protocol.

usage: test_mcp.py AGENTD WFSM
"""

import json
import subprocess
import sys
import unittest

from case import AGENTD, ID, Case

# A proposer that knows nothing but the protocol: it drafts each file by the tool, and answers with digests.
PROPOSER = r"""
import json, subprocess, sys
call = json.load(sys.stdin)
step, change = call["input"]["step"], call["input"]["change"]
sections = "".join(f"\n## {name}\n\nBecause.\n" for name in ("Why", "What Changes", "Impact"))
files = {"proposal": {"proposal.md": "# A login\n" + sections},
         "specs": {"specs/login.md": "# Login\n", "specs/logout.md": "# Logout\n"},
         "tasks": {"tasks.md": "- [ ] do it\n"}}[step]
server = subprocess.Popen([AGENTD, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
def get(id, method, **params):
    print(json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}), file=server.stdin, flush=True)
    return json.loads(server.stdout.readline())["result"]
get(1, "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "p", "version": "1"})
answer = []
for path, text in files.items():
    made = get(2, "tools/call", name="write_document", arguments={"change": change, "path": path, "text": text})
    answer.append(made["structuredContent"])
other = get(3, "tools/call", name="list_documents", arguments={"change": "another"})
assert other["isError"] and "only" in other["content"][0]["text"], other
MISTAKE
json.dump({"files": answer, "summary": "drafted"}, sys.stdout)
"""


class Client:
    def __init__(self, test, project, *words):
        self.process = subprocess.Popen([AGENTD, "mcp", *words], cwd=project.root, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        test.addCleanup(self.end)

    def end(self):
        self.process.stdin.close()
        self.process.wait(600)
        self.process.stdout.close()
        self.process.stderr.close()

    def raw(self, data):
        self.process.stdin.write(data + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def get(self, method, **params):
        answer = self.raw(json.dumps({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).encode())
        return answer.get("result", answer.get("error"))

    def call(self, tool, **arguments):
        return self.get("tools/call", name=tool, arguments=arguments)


class Proposed(Case):
    def proposed(self, mistake=""):
        project = self.project()
        script = project.root / "proposer.py"
        script.write_text(PROPOSER.replace("AGENTD", repr(AGENTD)).replace("MISTAKE", mistake))
        config = project.agentd / "config.toml"
        text = config.read_text()
        begin = text.index("command", text.index("[agents.proposer]"))
        config.write_text(text[:begin] + f"command = {json.dumps([sys.executable, str(script)])}" +
                          text[text.index("\n", begin):])
        return project

    def test_files_are_written_through_mcp(self):
        # 003-61
        project = self.proposed()
        project.run("plan", ID, "add a login")
        self.phase(project, "Challenged", "APPROVED")
        self.assertEqual((project.change() / "specs/logout.md").read_text(), "# Logout\n")
        self.assertEqual((project.change() / "tasks.md").read_text(), "- [ ] do it\n")
        drafts = project.agentd / ".state/drafts" / ID
        self.assertEqual(len(list(drafts.iterdir())), 4)
        project.run("clean", ID)
        self.assertFalse(drafts.exists())

    def test_an_answer_names_what_was_drafted(self):
        for mistake in ('answer[0]["digest"] = "0" * 64', 'answer[0]["digest"] = "../" * 21 + "x"',
                        'open(f"agentd/.state/drafts/{change}/" + answer[0]["digest"], "w").write("other")'):
            project = self.proposed(mistake)
            project.run("plan", ID, "add a login", code=1)
            self.assertFalse((project.change() / "proposal.md").exists(), mistake)

    def test_a_file_of_another_step_is_refused(self):
        project = self.proposed('answer[0]["path"] = "tasks.md"')
        project.run("plan", ID, "add a login", code=1)
        self.assertIn("expected proposal.md", project.out + project.errors)


class Served(Case):
    def setUp(self):
        self.planned_project = self.planned()
        self.client = Client(self, self.planned_project)
        self.client.get("initialize", protocolVersion="2025-06-18", capabilities={},
                        clientInfo={"name": "t", "version": "1"})

    def said(self, result):
        return json.loads(result["content"][0]["text"])

    def test_tools(self):
        tools = {one["name"]: one for one in self.client.get("tools/list")["tools"]}
        self.assertEqual(set(tools), {"list", "status", "list_documents", "read_document", "write_document"})
        self.assertEqual(tools["read_document"]["inputSchema"]["required"], ["change", "path"])
        self.assertFalse(tools["write_document"]["annotations"]["readOnlyHint"])
        self.assertEqual([one["change"] for one in self.said(self.client.call("list"))["changes"]], [ID])
        self.assertEqual(self.said(self.client.call("status", change=ID))["changes"][0]["verdict"], "APPROVED")
        paths = self.said(self.client.call("list_documents", change=ID))["documents"]
        self.assertEqual(paths, ["proposal.md", "specs/login.md", "tasks.md", "CHALLENGE.md"])
        read = self.client.call("read_document", change=ID, path="specs/login.md")
        self.assertEqual(read["structuredContent"]["text"],
                         (self.planned_project.change() / "specs/login.md").read_text())

    def test_a_draft_is_not_a_document(self):
        before = (self.planned_project.change() / "tasks.md").read_text()
        made = self.said(self.client.call("write_document", change=ID, path="tasks.md", text="- [ ] more\n"))
        self.assertEqual(set(made), {"path", "digest"})
        self.assertEqual((self.planned_project.change() / "tasks.md").read_text(), before)

    def test_the_format_is_checked_at_once(self):
        made = self.client.call("write_document", change=ID, path="proposal.md", text="# A\n\n## Why\n\nx\n")
        self.assertTrue(made["isError"])
        self.assertIn("What Changes", made["content"][0]["text"])

    def test_no_tool_leads_elsewhere(self):
        for path in ("../x.md", "specs/../../x.md", "/etc/passwd", "STATE.yaml", "CHALLENGE.md", "specs/.md"):
            made = self.client.call("write_document", change=ID, path=path, text="x")
            self.assertTrue(made["isError"], path)
            made = self.client.call("read_document", change=ID, path=path)
            self.assertEqual(made["isError"], path != "CHALLENGE.md", path)
        for change in ("..", "a/b", "-x", "nobody\n"):
            self.assertTrue(self.client.call("write_document", change=change, path="tasks.md", text="x")["isError"])
            self.assertTrue(self.client.call("status", change=change)["isError"], change)

    def test_a_server_for_one_change(self):
        self.planned_project.run("plan", "second", "another")
        client = Client(self, self.planned_project, ID)
        self.assertTrue(client.call("status", change="second")["isError"])
        self.assertEqual([one["change"] for one in self.said(client.call("list"))["changes"]], [ID])

    def test_what_is_no_request(self):
        for data, code in ((b"{", -32700), (b"[]", -32600), (b'{"jsonrpc":"1.0","id":1,"method":"x"}', -32600),
                           (b'{"jsonrpc":"2.0","id":1,"method":"x"}', -32601),
                           (b'{"jsonrpc":"2.0","id":1,"method":"tools/call"}', -32602),
                           (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"status"}}', -32602),
                           (b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}', -32602),
                           (b'"' + b"x" * (9 << 20) + b'"', -32600)):
            self.assertEqual(self.client.raw(data)["error"]["code"], code, data[:80])
        for arguments in ({"change": 7}, {"change": ""}, {"change": ID, "path": None}):
            self.assertEqual(self.client.call("read_document", **arguments)["code"], -32602)
        self.assertEqual(self.client.get("ping"), {})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
