"""wfsm.play: the test cases of a verification, with guards and actions of the host."""
import json
import unittest

from support import ROOT, Case, wfsm

FILES = sorted((ROOT / "tests" / "cases" / "verify").glob("*.json"))
SHIPPED = ["examples/embed/review.json", "examples/coordinator/coordinator.json",
           "examples/agentd/plan.json", "examples/aigentflow/linear.json"]


class Given:
    """A host that answers what the lines of a script say."""

    def __init__(self, machine):
        self.functions, self.answers, self.asked = wfsm.Functions(), [], []
        for name in machine.guards:
            self.functions.guard(name)(lambda call, name=name: self.take(name))
        for name in machine.actions:
            self.functions.action(name)(lambda call, name=name: self.take(name))

    def take(self, name):
        answer = self.answers.pop(0)
        if answer == "fail":
            raise RuntimeError("it fails")
        self.asked.append((name, json.dumps(answer)))
        return answer


class Play(Case):
    def seen(self, machine, found):
        """What the cases do, from the records of real instances: transitions, and answers."""
        taken, asked = set(), set()
        for script in found.cases:
            host, lines = Given(machine), script.splitlines()
            played = wfsm.play(lines, machine, functions=host.functions)
            for text in lines:
                host.answers = list(json.loads(text).get("host", ()))
                _, instance = next(played)
                self.assertEqual([], host.answers)
                for one in instance.record.get("transitions", ()):
                    taken.add((one["from"], one.get("event", ""), ", ".join(one["to"])))
            played.close()
            asked.update(host.asked)
        return taken, asked

    def check_coverage(self, machine, found):
        taken, asked = self.seen(machine, found)
        for one in found.coverage:
            if one.taken:
                self.assertIn((one.state, one.event, one.target), taken)
            for answer, was in (("true", one.was_true), ("false", one.was_false)):
                if was and one.guard in machine.guards:
                    self.assertIn((one.guard, answer), asked)

    def test_the_cases_take_every_transition_that_can_be_taken(self):
        for path in FILES:
            case = json.loads(path.read_text("utf-8"))
            arguments = case.get("arguments", [])
            inputs = [json.loads(arguments[i + 1]) for i, word in enumerate(arguments)
                      if word == "--input"]
            with self.subTest(path.name):
                machine = wfsm.Machine.load(case["document"])
                found = machine.verify(cases=True, inputs=inputs or None, max_states=20000,
                                       punctual="--punctual" in arguments,
                                       restores="--restores" in arguments,
                                       open="--open" in arguments)
                self.check_coverage(machine, found)

    def test_of_shipped_documents_too(self):
        for name in SHIPPED:
            with self.subTest(name):
                machine = wfsm.Machine.load(ROOT / name)
                found = machine.verify(cases=True)
                self.check_coverage(machine, found)
                self.assertLessEqual(len(found.cases), len(found.coverage))
                self.assertFalse([one for one in found.coverage if one.taken is None and
                                  not one.branch])

    def test_without_being_asked_there_are_none(self):
        self.assertEqual((), wfsm.Machine.load(ROOT / SHIPPED[0]).verify().cases)

    def test_the_hosts_own_guards_decide(self):
        """Whatever the script says of them."""
        document = {"id": "m", "initial": "a", "context": {"n": 0}, "states": {
            "a": {"on": {"GO": [{"guard": "ready", "target": "b"}, {"target": "c"}]}},
            "b": {"type": "final"}, "c": {"type": "final"}}}
        machine = wfsm.Machine.load(document)
        found = machine.verify(cases=True)
        guard = [one for one in found.coverage if one.guard == "ready"]
        self.assertEqual([(True, True)], [(one.was_true, one.was_false) for one in guard])
        self.assertEqual(2, len(found.cases))
        for answer, end in ((True, ["b"]), (False, ["c"])):
            functions = wfsm.Functions()
            functions.guard("ready")(lambda call, answer=answer: answer)
            for script in found.cases:
                for _, instance in wfsm.play(script, machine, functions=functions):
                    last = instance.configuration
                self.assertEqual(end, last)

    def test_a_guard_that_is_never_false(self):
        document = {"id": "m", "initial": "a", "context": {"n": 0}, "states": {
            "a": {"on": {"GO": [{"guard": {"<": [{"var": "context.n"}, 1]}, "target": "b"},
                                {"target": "c"}]}},
            "b": {"type": "final"}, "c": {"type": "final"}}}
        first, second = wfsm.Machine.load(document).verify().coverage
        self.assertEqual((True, True, False), (first.taken, first.was_true, first.was_false))
        self.assertEqual((False, None, None), (second.taken, second.was_true, second.was_false))
        self.assertEqual((first.guard, first.target), ("context.n < 1", "b"))

    def test_branches_of_choose_are_covered(self):
        document = {"id": "m", "initial": "a", "context": {"n": 0}, "states": {
            "a": {"on": {"GO": {"target": "b", "actions": {"type": "choose", "params": {
                "branches": [{"guard": {"var": "event.data.x"}, "actions": {
                    "type": "assign", "params": {"n": 1}}}]}}}}},
            "b": {"on": {"BACK": {"guard": {"===": [{"var": "context.n"}, 1]}, "target": "a"}}}}}
        machine = wfsm.Machine.load(document)
        found = machine.verify(cases=True)
        branch = [one for one in found.coverage if one.branch]
        self.assertEqual([(None, True, True, "a", "GO")],
                         [(one.taken, one.was_true, one.was_false, one.state, one.event)
                          for one in branch])
        self.assertEqual({1, 0}, {instance.context["n"] for script in found.cases
                                  for _, instance in wfsm.play(script, machine)})

    def test_a_line_that_it_does_not_know(self):
        machine = wfsm.Machine.load(ROOT / SHIPPED[0])
        with self.assertRaises(ValueError):
            list(wfsm.play('{"start": null}\n{"jump": 1}\n', machine))


if __name__ == "__main__":
    unittest.main()
