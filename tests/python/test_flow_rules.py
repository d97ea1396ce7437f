"""wfsm.flow: expressions mean the same in Python and as rules."""
import importlib.util
import json
import os
import random
import unittest

import flow_expressions
from flow_expressions import Context, Generator, Statements
from support import Case, wfsm

from wfsm import _flow_body, _flow_kinds, types

SEED = int(os.environ.get("WFSM_FLOW_SEED", "23"))
EXPRESSIONS = int(os.environ.get("WFSM_FLOW_EXPRESSIONS", "1500"))
KINDS = (_flow_kinds.of(Context),)
FAILED = "an exception"


def plain(value):
    """As JSON has it, where 2.0 is 2."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return value


def shown_as_json(value):
    return json.dumps(plain(json.loads(json.dumps(value, default=types.plain))))


def by_python(function, context):
    try:
        return plain(function(types.convert(context, Context)))
    except (ZeroDivisionError, LookupError, OverflowError, ValueError):
        return FAILED


def document(rule):
    """An event computes the value."""
    assign = {"type": "assign", "params": {"out": rule}}
    failed = {"type": "assign", "params": {"out": FAILED}}
    return {"id": "one", "initial": "a", "context": {**types.plain(Context()), "out": None},
            "states": {"a": {"on": {"go": {"actions": assign}, "error.execution": {"actions": failed}}}}}


class Rules(Case):
    def module(self, text):
        """The functions of a file."""
        path = self.folder() / "written.py"
        path.write_text("from flow_expressions import *\n" + text, encoding="utf-8")
        spec = importlib.util.spec_from_file_location("written", path)
        made = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(made)
        return made

    def by_rule(self, rule, contexts):
        try:
            machine = wfsm.Machine.load(document(rule))
        except wfsm.BadDocument as constant:
            self.assertRegex(str(constant), "always fails|can only fail|cannot be evaluated", json.dumps(rule))
            return None
        values = []
        with machine, wfsm.memory() as store:
            for number, context in enumerate(contexts):
                with wfsm.Instance.start(machine, store, f"i{number}", context, now=0) as instance:
                    instance.send("go", now=1)
                    values.append(plain(instance.context["out"]))
        return values

    def test_random_expressions_mean_the_same(self):
        chance = random.Random(SEED)
        generator = Generator(chance)
        texts = [generator.any(chance.randint(1, 4)) for _ in range(EXPRESSIONS)]
        made = self.module("found = [\n" + "".join(f"    lambda c: {text},\n" for text in texts) + "]\n")
        compared = failed = 0
        for text, function in zip(texts, made.found):
            rule = _flow_body.value_of(function, KINDS)
            contexts = [flow_expressions.context(chance) for _ in range(4)]
            answers = self.by_rule(rule, contexts)
            if answers is None:
                continue
            for context, answer in zip(contexts, answers):
                wanted = by_python(function, context)
                failed += wanted == FAILED
                compared += 1
                self.assertEqual(json.dumps(wanted), json.dumps(answer), f"{text}\n{json.dumps(rule)}\n{context}")
        self.assertGreater(compared, 3.5 * EXPRESSIONS)
        self.assertGreater(compared, 2 * failed)

    def functions(self, bodies):
        texts = ["\n".join(lines) for lines in bodies]
        return self.module("".join(f"def f{number}(c):\n{text}\n" for number, text in enumerate(texts)))

    def after(self, machine, context):
        """What the event leaves behind: the context as an object of Python, whether an action failed, and where."""
        given = {**context, "failed": 0}
        with wfsm.memory() as store, wfsm.Instance.start(machine, store, "i", given, now=0) as instance:
            instance.send("go", now=1)
            left = dict(instance.context)
            return bool(left.pop("failed")), types.convert(left, Context), instance.configuration[0]

    def compare(self, body, function, machine, chance):
        """How many contexts were compared, of those for which Python raises nothing."""
        same = 0
        for _ in range(3):
            given = flow_expressions.context(chance)
            wanted, returned, raised = types.convert(given, Context), None, False
            try:
                returned = function(wanted)
            except (ZeroDivisionError, LookupError, OverflowError, ValueError):
                raised = True
            failed, left, state = self.after(machine, given)
            shown = "\n".join(body) + f"\n{given}"
            # A condition that decides nothing is not asked.
            self.assertIn(failed, (raised, raised and "return" not in shown), shown)
            if raised:  # a condition that fails is false, and what follows it is done
                continue
            self.assertEqual(shown_as_json(wanted), shown_as_json(left), shown)
            self.assertEqual(state, returned or "a", shown)
            same += 1
        return same

    def machine(self, **state):
        failed = {"actions": {"type": "assign", "params": {"failed": {"+": [{"var": "context.failed"}, 1]}}}}
        document = {"id": "one", "initial": "a", "context": {**types.plain(Context()), "failed": 0},
                    "on": {"error.execution": failed}, "states": {"one": {}, "two": {}, "three": {}, **state}}
        try:
            return wfsm.Machine.load(document)
        except wfsm.BadDocument as constant:
            self.assertRegex(str(constant), "always fails|can only fail|cannot be evaluated", document)
            return None

    def test_random_actions_mean_the_same(self):
        chance = random.Random(SEED)
        writer = Statements(chance)
        bodies = [writer.block(2, "    ") for _ in range(EXPRESSIONS // 3)]
        made, same = self.functions(bodies), 0
        for number, body in enumerate(bodies):
            function = getattr(made, f"f{number}")
            machine = self.machine(a={"on": {"go": {"actions": _flow_body.actions_of(function, KINDS)}}})
            same += machine is not None and self.compare(body, function, machine, chance)
        self.assertGreater(same, EXPRESSIONS // 2)

    def test_random_states_decide_the_same(self):
        chance = random.Random(SEED)
        writer = Statements(chance)
        bodies = [[*(writer.block(1, "    ") if chance.random() < 0.5 else []), *writer.deciding(2, "    ")]
                  for _ in range(EXPRESSIONS // 3)]
        made, same = self.functions(bodies), 0
        for number, body in enumerate(bodies):
            function = getattr(made, f"f{number}")
            state = _flow_body.state_of(function, KINDS)
            machine = self.machine(a={"on": {"go": "f"}}, f=state)
            wrapped = lambda context, function=function: function(context) or "f"
            same += machine is not None and self.compare(body, wrapped, machine, chance)
        self.assertGreater(same, EXPRESSIONS // 2)


if __name__ == "__main__":
    unittest.main()
