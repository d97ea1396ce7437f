"""wfsm.flow: states, transitions, actions, and what is refused."""
import contextlib
import importlib.util
import io
import json
import subprocess
import sys
import traceback
import unittest
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Dict, List, Optional, TypedDict

from support import ROOT, Case, wfsm

from wfsm import _flow_body, _flow_kinds, types
from wfsm.flow import Final, Flow, FlowError, Parallel, in_state

EXAMPLE = ROOT / "bindings" / "python" / "examples" / "essay_flow.py"
LIMIT = 3


@dataclass
class Remark:
    by: str
    stars: int = 1
    marks: Dict[str, Optional[int]] = field(default_factory=dict)


class Odd(Enum):
    NONE = None
    ONE = "one"


@dataclass
class Text:
    n: int = 0
    text: str = ""
    best: Optional[int] = None
    words: List[str] = field(default_factory=list)
    remarks: List[Remark] = field(default_factory=list)
    anything: Any = None
    counts: Dict[str, int] = field(default_factory=dict)
    x: float = 0.5
    odd: Odd = Odd.NONE


def add_twice(c: Text) -> None:
    """Each statement sees the one before."""
    c.n += 1
    c.n = c.n * 10


def grade(c: Text) -> None:
    if c.n > 5:
        c.text = "high"
        c.words.append(c.text)
    elif c.n > 2:
        c.text = f"{c.n} is middle"
    else:
        c.text += "!"
        pass
    c.best = c.n if c.best is None else max(c.best, c.n)


def swap(c: Text):
    return {"n": len(c.text), "text": str(c.n)}


def nested(c: Text) -> None:
    if c.best is not None:
        if c.best > 2:
            c.n = c.best
        c.best = None


def route(c: Text) -> Optional[str]:
    c.n += 1
    if c.n > 100:
        return None
    if c.best is None:
        if c.n == 1:
            return "one"
        elif c.n == 2:
            c.text = "two"
            return "many"
        return "none"
    if c.best > LIMIT:
        c.words.append("high")
        return "many"
    return "one"


class Statements(Case):
    """Functions that are called in Python, and their actions that wfsm runs."""

    CONTEXTS = [{"n": n, "text": text, "best": best} for n in (0, 1, 4, 9, 200) for text in ("", "abc")
                for best in (None, 2, 7)]

    def after(self, document, context):
        with wfsm.Machine.load(document, context=Text) as machine, wfsm.memory() as store:
            with wfsm.Instance.start(machine, store, "one", context, now=0) as instance:
                instance.send("go", now=1)
                return instance.configuration[0], instance.context_as(Text)

    def test_actions_do_what_the_function_does(self):
        for function in (add_twice, grade, nested):
            actions = _flow_body.actions_of(function, (_flow_kinds.of(Text),))
            document = {"id": "m", "initial": "a", "states": {"a": {"on": {"go": {"actions": actions}}}}}
            for context in self.CONTEXTS:
                wanted = types.convert(context, Text)
                function(wanted)
                self.assertEqual(self.after(document, context)[1], wanted, f"{function.__name__} of {context}")

    def test_a_dict_is_assigned_at_once(self):
        actions = _flow_body.actions_of(swap, (_flow_kinds.of(Text),))
        document = {"id": "m", "initial": "a", "states": {"a": {"on": {"go": {"actions": actions}}}}}
        found = self.after(document, {"n": 7, "text": "abcd"})[1]
        self.assertEqual((found.n, found.text), (4, "7"))

    def test_a_state_that_is_a_function_goes_where_it_returns(self):
        state = _flow_body.state_of(route, (_flow_kinds.of(Text),))
        document = {"id": "m", "initial": "wait", "states": {
            "wait": {"on": {"go": "route"}}, "route": state, "one": {}, "many": {}, "none": {}}}
        for context in self.CONTEXTS:
            wanted = types.convert(context, Text)
            target = route(wanted) or "route"
            self.assertEqual(self.after(document, context), (target, wanted), context)


def small() -> "Flow[Text]":
    return Flow("small", Text)


class Flows(Case):
    def run_flow(self, flow, *events, **options):
        store = self.memory()
        instance = wfsm.Instance.start(flow.machine(), store, "one", now=0, **options)
        for event, data in events:
            instance.send(event, data, now=1)
        return instance

    def test_events_with_types(self):
        flow = small()

        @flow.state
        class open:
            rate = flow.on("rate", Remark, to="closed", when=lambda c, r: r.stars > LIMIT and r.by != c.text,
                           do=lambda c, r: {"remarks": c.remarks + [r], "n": r.stars})
            note = flow.on("note", do=lambda c, e: {"text": "noted"})
            forced = flow.on("force", to="closed", when="may", do=["tell", flow.emit("forced", lambda c: c.n)])

        @flow.state
        class closed(Final):
            output = flow.value(lambda c: [r.by for r in c.remarks])

        document = flow.document()
        self.assertEqual(document["initial"], "open")
        self.assertEqual(document["assume"], {"rate": types.schema(Remark)})
        self.assertEqual(document["states"]["open"]["on"]["note"], {
            "actions": {"type": "assign", "params": {"text": "noted"}}})
        self.assertEqual(document["states"]["open"]["on"]["force"]["guard"], "may")
        functions = wfsm.Functions()
        functions.guard("may")(lambda call: False)
        functions.action("tell")(lambda call: None)
        instance = self.run_flow(flow, ("note", 1), ("rate", {"by": "ada"}), ("force", None), functions=functions)
        self.assertEqual((instance.configuration, instance.context["text"]), (["open"], "noted"))
        instance.send("rate", Remark("ada", 5), now=2)
        self.assertEqual((instance.output, instance.context["n"]), (["ada"], 5))

    def test_states_within_states(self):
        flow = small()

        @flow.state
        class both(Parallel):
            class left:
                class work:
                    go = flow.on("left", to="ready")

                class ready(Final):
                    pass

            class right:
                initial = "ready"

                class work:
                    pass

                class ready(Final):
                    """It is."""

            done = flow.finished(to="done", do=lambda c: {"n": 7})

        @flow.state
        class done(Final):
            entry = flow.actions(lambda c: {"text": f"n is {c.n}"})

        document = flow.document()
        self.assertEqual(document["states"]["both"]["states"]["right"]["states"]["ready"],
                         {"type": "final", "description": "It is."})
        instance = self.run_flow(flow, ("left", None))
        self.assertEqual((instance.done, instance.context["text"]), (True, "n is 7"))

    def test_time_and_the_root(self):
        flow = Flow("small", Text, values=Text(n=2, text="x"), initial="second", version="3")
        flow.root(flow.on("stop", to="over"))

        @flow.state
        class first:
            always = flow.always(to="over", when=lambda c: c.n > 5)

        @flow.state
        class second:
            later = flow.after(500, to="first", do=lambda c: {"n": c.n + LIMIT + 1})

        @flow.state
        class over(Final):
            pass

        flow.claim("never beyond", never=lambda c: in_state("over") and c.n > 6)
        flow.claim("it ends", leads_to={"from": lambda c: in_state("first"), "to": lambda c: in_state("over")})
        instance = self.run_flow(flow)
        self.assertEqual((instance.configuration, instance.context["text"]), (["second"], "x"))
        instance.advance(now=500)
        self.assertTrue(instance.done)
        self.assertTrue(self.run_flow(flow, ("stop", None)).done)
        self.assertEqual(flow.machine().version, "3")
        found = flow.machine().verify()
        self.assertEqual({name: one.name for name, one in found.properties.items()},
                         {"never beyond": "HOLDS", "it ends": "HOLDS"})

    def test_agents_with_types(self):
        flow = small()

        async def counter(work, input: Remark) -> Remark:
            return Remark(input.by + "!", input.stars * 2)

        @flow.state
        class working:
            count = (flow.agent(counter, input=lambda c: {"by": "x", "stars": c.n + 2}, retry=[{"maxAttempts": 2}],
                                timeout_ms=5000)
                     .done("failing", when=lambda c, r: r.stars == 4, do=lambda c, r: {"text": r.by}).done("over"))

        @flow.state
        class failing:
            work = flow.agent("broken", output=int).failed("over", do=lambda c, f: {"text": c.text + f.message})

        @flow.state
        class over(Final):
            pass

        invoke = flow.document()["states"]["working"]["invoke"]
        self.assertEqual((invoke["output"], invoke["timeoutMs"]), (types.schema(Remark), 5000))
        self.assertEqual(flow.document()["states"]["failing"]["invoke"]["output"], {"type": "integer"})
        engine = wfsm.Engine(self.memory())
        flow.add_to(engine)

        @engine.agent("broken")
        def broken(call):
            raise wfsm.AgentFailed("auth", "no key")

        task = engine.start("small", "one")
        self.assertTrue(engine.run_until_idle(timeout=600))
        self.assertEqual(task.context["text"], "x!no key")

    def test_a_context_that_is_a_typed_dict(self):
        Counted = TypedDict("Counted", {"n": int, "in": List[int]})
        flow = Flow("typed", Counted, values={"n": 1, "in": []})

        def count(c: Counted) -> None:
            c["n"] += 1
            c["in"].append(c["n"])

        @flow.state
        class counting:
            more = flow.on("more", when=lambda c, e: c["n"] < 3, do=count)
            get = flow.on("get", to="done", when=lambda c, e: e["sure"] == "yes")

        @flow.state
        class done(Final):
            output = flow.value(lambda c: {"in": c["in"]})

        instance = self.run_flow(flow, ("more", 1), ("more", 1), ("more", 1), ("get", None), ("get", {}))
        self.assertEqual(instance.context, {"n": 3, "in": [2, 3]})
        instance.send("get", {"sure": "yes"}, now=2)
        self.assertEqual(instance.output, {"in": [2, 3]})

    @unittest.skipIf(importlib.util.find_spec("pydantic") is None, "pydantic is not installed")
    def test_a_context_that_is_a_model(self):
        from pydantic import BaseModel  # pylint: disable=import-outside-toplevel

        class Model(BaseModel):
            n: int = 0
            words: List[str] = []

        flow = Flow("model", Model)

        @flow.state
        class counting:
            more = flow.on("more", Model, to="done", when=lambda c, e: e.n > c.n, do=lambda c, e: {"words": e.words})

        @flow.state
        class done(Final):
            output = flow.value(lambda c: c.words)

        self.assertEqual(self.run_flow(flow, ("more", {"n": 1})).output, [])

    def test_a_state_that_is_entered_again(self):
        flow = small()

        @flow.state
        class waiting:
            again = flow.after(10, to="waiting", do=lambda c: {"n": c.n + 1}, reenter=True)
            go = flow.on("go", to="count")

        @flow.state
        def count(c: Text) -> str:
            c.n += 1
            if c.n < 5:
                return "count"
            return "over"

        @flow.state
        class over(Final):
            output = flow.value(lambda c: c.n)

        instance = self.run_flow(flow)
        for now in (10, 20):
            instance.advance(now=now)
        self.assertEqual(instance.context["n"], 2)
        instance.send("go", now=26)
        self.assertEqual(instance.output, 5)

    def test_parts_of_the_document(self):
        flow = Flow("parts", Text, more={"budgets": {"rounds": {"limit": 2, "counts": {"states": "working"}}}})

        @flow.state
        class working:
            work = flow.agent("worker", more={"pool": {"priority": "high"}}).done(
                "working", when={">": [{"var": "budgets.rounds.left"}, 0]}, do=lambda c, _: {"n": c.n + 1},
                reenter=True).done(
                "over", do={"type": "log", "params": {"label": "ended"}})

        @flow.state
        class over(Final):
            pass

        engine = wfsm.Engine(self.memory())
        flow.add_to(engine)
        engine.agent("worker")(lambda call: None)
        task = engine.start("parts", "one")
        self.assertTrue(engine.run_until(lambda: task.done, timeout=600))
        self.assertEqual(task.context["n"], 1)
        with self.assertRaisesRegex(FlowError, "agent 'worker': the flow has a key 'src' of its own"):
            flow.agent("worker", more={"src": "x"})
        with self.assertRaisesRegex(FlowError, "flow 'm': the flow has a key 'id' of its own"):
            Flow("m", Text, more={"id": "x"}).document()

    def test_the_example(self):
        def run(*words, stdin=""):
            return subprocess.run([sys.executable, str(EXAMPLE), *words], input=stdin, capture_output=True, text=True)
        document = json.loads(run("show").stdout)
        self.assertEqual(document["context"]["rounds"], 0)
        self.assertIn("invoke person", run("draw").stdout)
        self.assertEqual(run("verify").stdout.split("\n")[0], "HOLDS")
        ended = run("run", "trees", stdin="short\n\n")
        self.assertTrue(ended.stdout.endswith(" On trees, short.\n"), ended)
        self.assertEqual(ended.stderr, "")


REFUSED = {
    # what stands behind `lambda c:`, and what the message says
    "c.n // 2": "// is not supported in a flow",
    "c.n ** 2": r"\*\* is not supported in a flow",
    "c.best > 2": "c.best may be None here, and a comparison needs float or int: test it with 'is not None' first",
    "c.n == True": "int and bool cannot be compared in a flow",
    "c.anything == 1": "any type and int cannot be compared in a flow",
    "c.remarks == []": "Remark|object|cannot be compared",
    "[1] == (1,)": "list and tuple cannot be compared",
    "c.n is 3": "'is' is only for None in a flow: use ==",
    "c.wrong": "Text has no member 'wrong'",
    "c.remarks[0].wrong": "Remark has no member 'wrong'",
    "c['n']": "Text has no member 'n': write .n",
    "unknown > c.n": "the name 'unknown' is not known",
    "c.text.upper()": r".upper\(\) is not supported in a flow",
    "print(c.n)": r"print\(\) is not supported in a flow",
    "f'{c.x}'": "c.x may be float, and a text needs int or str",
    "f'{c.n:3}'": "a format or a conversion in an f-string is not supported",
    "c.text + c.n": r"c.n may be int, and \+ of a text needs str",
    "c.n + c.text": r"c.text may be str, and \+ needs float or int",
    "c.text[::2]": "a slice with a step is not supported",
    "c.words[c.n]": "only a dict with a key, and a list with a constant index or slice",
    "[a for a in c.words for b in c.words]": "only 'for NAME in LIST' is supported in a flow, once",
    "any(c.remarks)": "may be Remark, which is always true in Python",
    "sum(c.x for w in c.words)": r"sum\(\) is only for lists of int",
    "{c.text: 1}": "the keys of a dict in a flow are constant texts",
    "c.words in {'a'}": "c.words may be list, which is in no set",
    "c.n in {1, True}": "cannot be compared in a flow",
    "len({1, 2})": "Set is not supported in a flow",
    "c.odd is None": "Odd has a member whose value is None: compare it with ==",
    "'\\0'": r"U\+0000 and halves of surrogate pairs are in no text of a document",
    "'\\ud800'": r"U\+0000 and halves of surrogate pairs",
    "Remark()": r"Remark\(\): missing a required argument: 'by'",
    "Remark('a', star=1)": "got an unexpected keyword argument 'star'",
    "Remark(1)": "1 may be int, and Remark has str there",
    "Checked('a')": "Checked makes its objects in a way of its own",
    "max(c.words)": "c.words: a list of numbers is needed here, not of str",
    "any('a' in r.marks for r in c.remarks)": "'in' needs a list, a text, or a dict whose values are never None",
    "{1, 2}": "Set is not supported in a flow",
    "(lambda: 1)()": "is not supported in a flow",
    "(y := c.n)": ":= is not supported in a flow",
    "c.remarks[0] and 1": "may be Remark, which is always true in Python: compare it with None",
    "c.counts.get('a', c.words[0])": r"the default of .get\(\) is a constant or a member",
    "sorted(c.words, key=len)": r"keywords and \* in a call are not supported",
    "c.x % 2": "c.x may be float, and % needs int",
    "c.anything.a": "has no member|which has no member",
    "c.n < INFINITE": "inf is no number of JSON",
    "c.n < 9007199254740993": "9007199254740993 is no number of JSON, or not exact there",
    "object": "a value of the type type has no form in JSON",
}


CLASSES = """from dataclasses import dataclass
from test_flow import Remark

@dataclass
class Checked:
    a: str
    def __post_init__(self):
        self.a += "!"
"""


class Refused(Case):
    def module(self, text):
        path = self.folder() / "written.py"
        path.write_text(text, encoding="utf-8")
        spec = importlib.util.spec_from_file_location("written", path)
        made = importlib.util.module_from_spec(spec)
        with contextlib.redirect_stderr(io.StringIO()):  # "is" with a constant is a SyntaxWarning
            spec.loader.exec_module(made)
        return made, path

    def refused(self, text, function, *arguments):
        made, path = self.module(text)
        with self.assertRaises(FlowError) as caught:
            function(made.f, (_flow_kinds.of(Text), *arguments))
        self.assertEqual(caught.exception.filename, str(path))
        self.assertTrue(str(caught.exception).startswith(f"{path}:{caught.exception.line}: "))
        return caught.exception.line, str(caught.exception)

    def test_expressions_that_cannot_compile_name_the_place(self):
        for text, message in REFUSED.items():
            with self.subTest(text):
                line, said = self.refused(f"INFINITE = float('inf')\n{CLASSES}\nf = (\n    lambda c:\n    {text})\n", _flow_body.value_of)
                self.assertEqual(line, 5 + CLASSES.count("\n"))
                self.assertRegex(said, message)

    def test_statements_that_cannot_compile(self):
        for body, line, message in (
                ("c.n = 1\n    for w in c.words:\n        c.n += 1", 3, "'for w in c.words:': an action assigns"),
                ("n = 1", 2, "n is no member of the context"),
                ("c.n = c.text", 2, "c.text may be str, and the context has int there"),
                ("c.n = c.best", 2, "c.best may be None, and the context has int there"),
                ("c.remarks[0].by = 'x'", 2, "is no member of the context that is always there"),
                ("if c.best is not None:\n        c.best = None\n        c.n = c.best + 1", 4, "c.best may be None here"),
                ("return {'m': 1}", 2, "Text has no member 'm'"),
                ("return c.n", 2, "what is assigned is a dict")):
            with self.subTest(body):
                found = self.refused(f"def f(c):\n    {body}\n", _flow_body.actions_of)
                self.assertEqual(found[0], line)
                self.assertIn(message, found[1])

    def test_states_that_cannot_compile(self):
        for body, line, message in (
                ("return c.text", 2, "a state returns the name of the next one"),
                ("if c.n:\n        return 'a'\n    c.n = 1", 4, "assignments stand at its beginning, or right before"),
                ("if c.n:\n        c.n = 1\n        if c.n:\n            return 'a'", 2, "returns in the end of its block"),
                ("if c.n:\n        return 'a'\n    else:\n        return 'b'\n    return 'c'", 6, "never reached")):
            with self.subTest(body):
                found = self.refused(f"def f(c):\n    {body}\n", _flow_body.state_of)
                self.assertEqual(found[0], line)
                self.assertIn(message, found[1])

    def test_functions_whose_source_is_not_certain(self):
        kinds = (_flow_kinds.of(Text),)
        made, _ = self.module("f, g = (lambda c: c.n), (lambda c: c.n)\n")
        self.assertEqual(_flow_body.value_of(made.g, kinds), {"var": "context.n"})
        made, _ = self.module("f, g = (lambda c: c.n), (lambda c: c.text)\n")
        self.assertEqual(_flow_body.value_of(made.g, kinds), {"var": "context.text"})
        made, _ = self.module("f, g = (lambda c: c.n if 0 else 1), (lambda c: (lambda: c.text)) if 0 else lambda c: c.text\n")
        self.assertEqual(_flow_body.value_of(made.g, kinds), {"var": "context.text"})
        made, path = self.module("f = lambda c: c.n\n")
        path.write_text("f = lambda c: c.text\n", encoding="utf-8")
        with self.assertRaisesRegex(FlowError, ":1: the source is not what was loaded"):
            _flow_body.value_of(made.f, kinds)
        for other in (eval("lambda c: c.n"), len, wfsm.Functions):
            with self.assertRaises(FlowError):
                _flow_body.value_of(other, kinds)
        self.refused("def f(c, e, more):\n    return 1\n", _flow_body.value_of, _flow_kinds.of(Any))
        self.refused("def f(c=1):\n    return 1\n", _flow_body.value_of)

    def test_the_traceback_has_one_frame_of_the_package(self):
        names = []
        try:
            small().on("go", to="x", when=lambda c, e: c.n // 2)
        except FlowError as wrong:
            names = [frame.filename for frame in traceback.extract_tb(wrong.__traceback__)]
        self.assertEqual([name == __file__ for name in names], [True, False])

    def test_flows_that_make_no_sense(self):
        flow = small()
        for wrong in (lambda: Flow("m", int), lambda: flow.person("ada"), lambda: flow.claim("p", sometimes=1),
                      lambda: flow.claim("p"), lambda: [flow.on("e", int), flow.on("e", str)]):
            with self.assertRaises(FlowError):
                wrong()

        class state:
            number = 3

        with self.assertRaisesRegex(FlowError, r"state\.number: a state has transitions, .*; this is int"):
            flow.state(state)
        with self.assertRaisesRegex(wfsm.BadDocument, "unknown target"):
            flow.state(lost)
            flow.machine()
        with self.assertRaisesRegex(FlowError, "two states 'lost'"):
            flow.state(lost)
        with self.assertRaises(RuntimeError):
            in_state("lost")


def lost(c: Text) -> str:
    return "nowhere"


if __name__ == "__main__":
    unittest.main()
