"""The SCXML suites of others, on libwfsm: npm's @scion-scxml/test-framework.

usage: scxml_suite.py FOLDER [NAME…]

FOLDER is where the package is unpacked, once; names select cases and show more. Every case
is imported, run and compared with what its author expects; then run once more by an instance
that is stored and loaded again after every input. declined.json says which cases
need a feature that wfsm does not want, and which: one of them that passes fails this test, as
does any other that does not. A case that invokes sessions is played by the router, and then by
routers that take over from each other after a few rounds. outside.py tells what happens without npm or a registry.
"""
import contextlib
import json
import sys
import traceback
from pathlib import Path

import outside
import wfsm
from wfsm.scxml import ScxmlError, Sessions, load_documents

PACKAGE = "@scion-scxml/test-framework@2.0.16"
DECLINED = Path(__file__).with_name("declined.json")
CASES = 330
# A case by hand that has not ended by then never will; the clock is not the real one.
PATIENCE = 120_000
# Cases that are made for a person to look at: where they end, or that they never begin.
BY_HAND = {"w3c-ecma/test307": ["final"], "w3c-ecma/test415": ["final"],
           "w3c-ecma/test230": ["final"], "w3c-ecma/test250": ["final"],
           "w3c-ecma/test301": "rejected"}


class Case:
    def __init__(self, root, path):
        self.path = path
        self.name = str(path.relative_to(root))[:-len(".scxml")].replace(".txml", "")
        script = path.with_suffix(".json")
        self.by_hand = self.name in BY_HAND or not script.exists()
        self.script = {"initialConfiguration": BY_HAND.get(self.name, ["pass"]), "events": []} \
            if self.by_hand else json.loads(script.read_text(encoding="utf-8"))

    def run(self):
        """What is wrong, or None. ScxmlError: it cannot be imported."""
        return self.follow(self.script)

    def legacy(self):
        """What is wrong with W3C's answer, where the author found another one better."""
        script = self.script.get("legacySemantics")
        return script and self.follow(script)

    def follow(self, script):
        expected = script["initialConfiguration"]
        try:
            documents = load_documents(self.path)
        except ScxmlError:
            if expected == "rejected":
                return None
            raise
        if len(documents) > 1:
            return self.play(documents, script, Family) or \
                self.play(documents, script, Adopted)
        return self.play(documents, script, Run) or self.play(documents, script, Reloaded)

    def play(self, documents, script, kind):
        with wfsm.memory() as store, contextlib.closing(kind(documents, store)) as run:
            if self.by_hand:
                run.until(PATIENCE)
            problem = run.compare("at first", script["initialConfiguration"])
            for event in script["events"]:
                problem = problem or run.event(event)
        return problem


class Run:
    """One instance, with time that is only counted."""

    def __init__(self, documents, store):
        self.documents, self.store = documents, store
        self.ids, self.now = dict(ids(documents[0])), 0
        self.start()

    def start(self):
        self.instance = wfsm.Instance.start(
            wfsm.Machine.load(self.documents[0]), self.store, "session", now=0)

    def settled(self):
        """An input is done."""

    @property
    def deadline(self):
        return self.instance.deadline

    @property
    def configuration(self):
        return self.instance.configuration

    def advance(self):
        self.instance.advance(self.now)

    def send(self, name, data):
        self.instance.send(name, data, now=self.now)

    def close(self):
        self.instance.close()

    def until(self, goal):
        while self.deadline is not None and self.deadline <= goal:
            self.now = max(self.now, self.deadline)
            self.advance()
            self.settled()

    def event(self, step):
        goal = self.now + step.get("after", 0)
        self.until(goal)
        self.now, event = goal, step["event"]
        if event["name"]:  # without one, only time passes
            self.send(event["name"], event.get("data"))
            self.settled()
        return self.compare(f"after {event['name']}", step["nextConfiguration"])

    def compare(self, when, expected):
        found = sorted(self.ids[path] for path in self.configuration)
        if found != sorted(expected):
            return f"{when}: expected {sorted(expected)}, found {found}"
        return None


class Reloaded(Run):
    def settled(self):
        self.instance.close()
        self.instance = wfsm.Instance.load(self.store, "session")


class Family(Run):
    """A session and those that it invokes, with the router."""

    lives = due = 0

    def router(self):
        self.lives += 1
        return Sessions(self.store, self.documents, session=f"life {self.lives}", now=self.now)

    def start(self):
        self.sessions = self.router()
        self.sessions.start("session", now=0)

    @property
    def deadline(self):
        return self.sessions.deadline

    @property
    def configuration(self):
        """The engine has no instance that has ended."""
        with contextlib.closing(wfsm.Instance.load(self.store, "session")) as found:
            return found.configuration

    def advance(self):
        self.sessions.run(self.now)

    def send(self, name, data):
        with contextlib.suppress(wfsm.NotFound):  # it has ended
            self.sessions.send("session", name, data, now=self.now)
        self.due = self.now
        self.until(self.now)

    def close(self):
        self.sessions.close()


class Adopted(Family):
    """Each engine makes a few rounds, one to four, and another one takes over."""

    @property
    def deadline(self):
        return self.due

    def advance(self):
        for _ in range(1 + self.lives % 4):
            self.sessions.round(self.now)
            self.due = self.sessions.deadline
            if self.due is None or self.due > self.now:
                return

    def settled(self):
        self.sessions.close()
        self.sessions = self.router()
        self.sessions.adopt(now=self.now)


def ids(state, path=""):
    for key, child in state.get("states", {}).items():
        below = f"{path}.{key}".lstrip(".")
        yield below, child.get("id", below)
        yield from ids(child, below)


def cases(root):
    """All but the children of invocations, which others name."""
    return [Case(root, path) for path in sorted(root.glob("*/*.scxml"))
            if "sub1" not in path.name]


def judge(case, declined):
    """(verdict, words)."""
    try:
        problem = case.run()
        if problem and case.legacy():
            return "FAILED", f"legacySemantics {case.legacy()}"
    except ScxmlError as found:
        problem = str(found)
    except Exception:  # pylint: disable=broad-except
        problem = traceback.format_exc().splitlines()[-1]
    reason = declined.get(case.name)
    if problem is None:
        return ("FAILED", f"passes, but is declined: {reason}") if reason else ("pass", "")
    return ("declined", reason) if reason else ("FAILED", problem)


VERDICTS = ("pass", "declined", "FAILED")


def numbers(found):
    return [sum(verdict == each for _, verdict, _ in found) for each in VERDICTS]


def summary(found):
    """The lines at the end: scripts/test shows them, too."""
    w3c = [each for each in found if each[0].startswith("w3c")]
    print(f"\n{PACKAGE:44} {'pass':>8} {'declined':>8} {'failed':>8}")
    for name, part in (("SCION", [each for each in found if each not in w3c]),
                       ("W3C", w3c), ("together", found)):
        print(f"{f'{name}, {len(part)} cases':44} "
              + " ".join(f"{number:8}" for number in numbers(part)))
    reasons = [words for _, verdict, words in found if verdict == "declined"]
    for reason in sorted(set(reasons), key=lambda each: -reasons.count(each)):
        print(f"{reasons.count(reason):4} declined: {reason}")
    for name, verdict, words in found:
        if verdict == "FAILED":
            print(f"FAILED {name}: {words}")


def table(found):
    """Prints it; how many failed."""
    width = max(len(name) for name, _, _ in found)
    for name, verdict, words in found:
        print(f"{name:{width}}  {verdict:8}  {words}".rstrip())
    summary(found)
    return numbers(found)[-1]


def main(words):
    folder, names = Path(words[0]), words[1:]
    try:
        root = outside.fetch(PACKAGE, folder) / "test"
    except outside.Missing as problem:
        return outside.without(problem)
    declined = json.loads(DECLINED.read_text(encoding="utf-8"))
    found = [case for case in cases(root) if not names or case.name in names]
    failed = table([(case.name, *judge(case, declined)) for case in found])
    if names:
        return int(failed > 0)
    unknown = set(declined) - {case.name for case in found}
    for name in sorted(unknown):
        print(f"FAILED {name}: declined, but there is no such case")
    if len(found) != CASES:
        print(f"FAILED: expected {CASES} cases, found {len(found)}")
    return int(failed > 0 or bool(unknown) or len(found) != CASES)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
