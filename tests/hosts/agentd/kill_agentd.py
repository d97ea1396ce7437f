#!/usr/bin/python3
"""agentd, killed with -9 at random times until it has been killed often enough.

usage: kill_agentd.py AGENTD WFSM [KILLS [SEED [agents]]]

One change after the other goes through plan, impl and archive, with a revision and a
resolution on the way; each command is said again until it ends by itself. After each the change
is compared with one that nobody disturbed: the same journals of the change and of its two
workflows, the same files. Its code is in the project, whose branch has one commit more, and
nothing is left of its workspace. No agent's work was paid for twice, none of its processes is left,
nothing half written lies about, STATE.yaml says what the store says, and the audit finds
nothing. Prints its counts.

With `agents` the agents are killed with it, as when the machine fails: what was at work is done
again, and a command may end for a person; said again, it comes to the same files all the same.
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from processes import ends  # noqa: E402

AGENTD, WFSM = (str(Path(name).resolve()) for name in sys.argv[1:3])
KILLS = int(sys.argv[3]) if len(sys.argv) > 3 else 25
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(1 << 32)
WITH_AGENTS = sys.argv[5:6] == ["agents"]

AGENT = r"""#!/bin/sh
given=$(cat)
echo "$WFSM_INVOCATION_ID $WFSM_ATTEMPT $$" >> "$PROJECT/paid"
sleep $SECONDS_OF_WORK
case "$given" in
*'"step":"proposal"'*) cat <<'END'
{"files":[{"path":"proposal.md","text":"# c\n\n## why:\n\nx\n\n## What Changes\n\nx\n\n## Impact\n\nx\n"}]}
END
;;
*'"step":"specs"'*) cat <<'END'
{"files":[{"path":"specs/a.md","text":"# a\n"},{"path":"specs/b.md","text":"# b\n"}]}
END
;;
*'"step":"tasks"'*) echo '{"files":[{"path":"tasks.md","text":"- [ ] it"}]}' ;;
*'"step":"reproposal"'*) cat <<'END'
{"files":[{"path":"specs/a.md","text":"# a\n\nBetter.\n"},{"path":"tasks.md","text":"- [ ] more\n"}]}
END
;;
*'"step":"challenge"'*'"iteration":0'*) echo '{"report":"Verdict: NEEDS_REVISION"}' ;;
*'"step":"challenge"'*) echo '{"report":"Verdict: APPROVED"}' ;;
*'"step":"review"'*'"iteration":0'*) echo '{"report":"Verdict: NEEDS_CHANGES"}' ;;
*'"step":"review"'*) echo '{"report":"Verdict: APPROVED"}' ;;
*'"role":"implementer"'*) printf '%s' "$given" | sed 's/.*"change":"\([^"]*\)".*/\1\n/' > code.txt
    echo '{"summary":"done"}' ;;
*) exit 1 ;;
esac
"""
ROLES = ("proposer", "challenger", "implementer", "reviewer")


class Violation(Exception):
    pass


def hold(holds, what):
    if not holds:
        raise Violation(what)


class World:
    def __init__(self, path):
        self.path, self.rng = path, random.Random(SEED)
        self.kills = self.changes = self.records = self.work = self.commands = self.again = 0
        self.killed = {"plan": 0, "impl": 0, "archive": 0}
        self.store = path / "agentd/.state/agentd.db"
        subprocess.run([AGENTD, "init"], cwd=path, check=True, stdout=subprocess.DEVNULL)
        config = 'version = 1\n[checks]\ntest = ["true"]\nscan = []\nignore = ["paid"]\n'
        for role in ROLES:
            # Some are at work when agentd is killed.
            text = AGENT.replace("$SECONDS_OF_WORK", "0.05" if WITH_AGENTS else "0")
            (path / role).write_text(text.replace("$PROJECT", str(path)))
            (path / role).chmod(0o755)
            config += f'[agents.{role}]\ncommand = ["{path / role}"]\ngrace_ms = 500\n'
        (path / "agentd/config.toml").write_text(config)
        self.git("init", "-q", "-b", "main")
        (path / ".gitignore").write_text("/agentd/\n/paid\n")
        self.git("add", "-A")
        self.git("commit", "-qm", "one")

    def git(self, *words):
        done = subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words],
                              cwd=self.path, capture_output=True, text=True, check=False)
        hold(done.returncode == 0, f"{words}: {done.stderr}")
        return done.stdout

    def start(self, command, name):
        words = [command, name] + (["what is wanted"] if command == "plan" else [])
        self.commands += 1
        return subprocess.Popen([AGENTD, *words], cwd=self.path, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)

    def kill(self, process):
        agents = []
        if WITH_AGENTS:
            process.send_signal(signal.SIGSTOP)
            tasks = Path(f"/proc/{process.pid}/task/{process.pid}/children")
            agents = tasks.read_text().split() if tasks.exists() else []
        process.kill()
        for agent in agents:
            try:
                os.killpg(int(agent), signal.SIGKILL)
            except OSError:
                pass

    def disturbed(self, command, name, kills):
        """A command that is killed ends with -9, one that is not with 0."""
        process = self.start(command, name)
        most = min(kills, self.kills + self.rng.randint(1, 6))
        longest = 0.04 if command == "archive" else self.rng.uniform(0.05, 0.6)
        while self.kills < most:
            try:
                process.wait(timeout=self.rng.uniform(0, longest))
                break
            except subprocess.TimeoutExpired:
                self.kill(process)
                process.communicate()
                if process.returncode == 0:
                    break
                self.kills += 1
                self.killed[command] += 1
                process = self.start(command, name)
        told = process.communicate(timeout=600)[0]
        while WITH_AGENTS and process.returncode == 1:
            self.again += 1
            process = self.start(command, name)
            told = process.communicate(timeout=600)[0]
        hold(process.returncode == 0, f"{name}: {command}: {process.returncode}: {told}")

    def go(self, name, kills=0):
        for command in ("plan", "impl", "archive"):
            self.disturbed(command, name, kills)

    def clear_specs(self):
        """The specs of the change before are the same: nothing would have to be copied."""
        for file in (self.path / "agentd/specs").iterdir():
            file.unlink()

    # ---- what is there in the end ----

    def tell(self, *arguments):
        done = subprocess.run([WFSM, *arguments], cwd=self.path, capture_output=True, text=True,
                              timeout=600, check=False)
        hold(done.returncode == 0, done.stdout + done.stderr)
        return done.stdout

    def journal(self, instance):
        rows = json.loads(self.tell("journal", "--json", str(self.store), instance))
        return [row["record"] for row in rows]

    def instances(self, name):
        """The change, and the last child of each of its workflows."""
        found = {}
        for one in json.loads(self.tell("list", "--json", str(self.store))):
            if one["id"] == name or one["id"].startswith(name + "/"):
                if one["configuration"]:
                    found[one["machine"]] = one["id"]
        return found

    def files(self, name):
        places = [self.path / "agentd/archive" / name, self.path / "agentd/specs"]
        return {str(file.relative_to(place)): file.read_text() for place in places
                for file in place.rglob("*") if file.is_file() and file.name != "STATE.yaml"}

    def look(self, name):
        told = {}
        for machine, instance in self.instances(name).items():
            records = self.journal(instance)
            told[machine] = trace(records)
            self.check_journal(name, records)
        return told, self.files(name)

    def check_journal(self, name, records):
        self.records += len(records)
        timers = [r["input"]["number"] for r in records if r["input"]["kind"] == "timer"]
        hold(len(timers) == len(set(timers)), f"{name}: a timer fired twice")
        answers = [r["input"]["invocation"] for r in records if r["input"]["kind"] == "result"]
        hold(len(answers) == len(set(answers)), f"{name}: an invocation was answered twice")

    def check(self, name, expected):
        told, files = self.look(name)
        for machine, wanted in ({} if WITH_AGENTS else expected[0]).items():
            hold(told.get(machine) == wanted, f"{name}: {machine}: another trace\n"
                                              f"{told.get(machine)}\n{wanted}")
        hold(files == expected[1], f"{name}: other files: {files}\n{expected[1]}")
        hold(not (self.path / "agentd/changes" / name).exists(), f"{name}: is left in changes")
        state = (self.path / "agentd/archive" / name / "STATE.yaml").read_text()
        hold("phase: Archived\n" in state, f"{name}: STATE.yaml: {state}")
        lines = [line.split() for line in (self.path / "paid").read_text().splitlines()]
        paid = [line for line in lines if line[0].startswith(name + "/")]
        work = [line[0] for line in paid]
        hold(WITH_AGENTS or len(work) == len(set(work)), f"{name}: work was paid for twice: {work}")
        for line in paid:
            hold(ends(line[2]), f"{name}: process {line[2]} is left")
        left = [str(file) for file in (self.path / "agentd").rglob(".*.new")]
        left += [str(file) for file in (self.path / "agentd/.archiving").glob("*")]
        hold(not left, f"{name}: left behind: {left}")
        self.check_code(name)
        self.tell("audit", str(self.store))
        self.work += len(paid)
        self.changes += 1


    def check_code(self, name):
        hold(self.git("show", "HEAD:code.txt") == name + "\n", f"{name}: its code is not merged")
        commits = len(self.git("log", "--format=%s", "main").splitlines())
        hold(commits == self.changes + 2, f"{name}: {commits} commits")
        left = self.git("status", "--porcelain") + self.git("branch", "--list", "wfsm/*")
        left += "".join(self.git("worktree", "list").splitlines(True)[1:])
        left += " ".join(file.name for file in (self.path / "agentd/.worktrees").iterdir()
                         if file.name not in (".gitignore", ".lock"))
        hold(not left, f"{name}: left behind: {left}")


def trace(records):
    """Inputs and states, without ids of invocations, times, claims and probes."""
    told = []
    for record in records:
        given = record["input"]
        if given["kind"] in ("event", "timer", "result", "failure"):
            output = json.loads(json.dumps(given.get("output")))
            if isinstance(output, dict):
                output.pop("tree", None)  # code.txt has the name of the change
                for result in (output.get("results") or (output.get("checks") or {})
                               .get("results", [])):
                    result.pop("duration_ms", None)
            told.append((given["kind"], given.get("event"), output,
                         record.get("configuration")))
    return told


def main():
    with tempfile.TemporaryDirectory(prefix="agentd-kills-") as scratch:
        world = World(Path(scratch))
        begin = time.monotonic()
        try:
            world.go("reference")
            expected = world.look("reference")
            hold(set(expected[0]) == {"lifecycle", "plan", "impl"}, str(expected[0].keys()))
            world.check("reference", expected)
            while world.kills < KILLS:
                name = f"change-{world.changes}"
                world.clear_specs()
                world.go(name, KILLS)
                world.check(name, expected)
        except Violation as found:
            print(f"seed {SEED}, kill {world.kills}: {found}")
            if os.environ.get("KEEP"):
                os.system(f"cp -a {scratch} {os.environ['KEEP']}")
            return 1
        print(f"{world.kills} kills ({world.killed}) in {time.monotonic() - begin:.0f} s, seed "
              f"{SEED}: {world.changes} changes, {world.commands} commands, {world.records} "
              f"records, {world.work} agents, {world.again} ends for a person, 0 violations")
    return 0


if __name__ == "__main__":
    sys.exit(main())
