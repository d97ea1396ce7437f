"""States and transitions of a chart as a machine document."""
from typing import Callable, NamedTuple

from . import _content as content, _data as data, _invoke as invoke, _mailbox as mailbox, _rules as rules, _sending as sending
from ._context import Import
from ._schema import check
from ._variables import Variables

STATES = ("state", "parallel", "final", "history")
MAX_PASSES = 30


class Names:
    """Keys and ids of the states, by their elements."""

    def __init__(self, root):
        self.key, self.path, self.elements, self.parents = {}, {root: ""}, {}, {}
        self.taken = set()
        self._collect_ids(root)
        self._give_keys(root)

    def _collect_ids(self, element):
        for child in element.all(*STATES):
            name = child.get("id")
            if name is not None:
                if not name.strip() or " " in name or len(name.encode()) > 255:
                    raise child.error("expected an id without blanks, of at most 255 bytes")
                if name in self.elements:
                    raise child.error(f"the id {name} is taken (line "
                                      f"{self.elements[name].line})")
                self.elements[name] = child
            self._collect_ids(child)

    def _give_keys(self, element):
        for number, child in enumerate(element.all(*STATES), 1):
            wish = child.get("id") or f"{child.name}-{number}"
            key = wish.replace(".", "_").lstrip("#") or "state"
            while key in self.taken or (key != child.get("id") and key in self.elements):
                key += "_"
            self.taken.add(key)
            self.key[child], self.parents[child] = key, element
            self.path[child] = f"{self.path[element]}.{key}".lstrip(".")
            self._give_keys(child)

    def inside(self, element, outer):
        """True if this is a proper descendant."""
        while element in self.parents:
            element = self.parents[element]
            if element is outer:
                return True
        return False


class Chart(Import):
    """A chart. `child` says where it comes from, and whether another one invokes it."""

    def __init__(self, child, names, variables, settings):
        super().__init__(names.elements, variables, child.folder, settings.warn)
        root = child.root
        self.root, self.names = root, names
        self.identity, self.files, self.given = child.machine, child.files, child.given
        self.ignore_foreign = settings.ignore_foreign
        self.invoked, self.children_found = child.invoked, []
        self.invokes = invoke.collect(names)
        self.has_sessions = bool(self.invoked or self.invokes)
        self.late = root.get("binding") == "late"
        self.logic.null_model = root.get("datamodel") == "null"
        if self.has_sessions:
            self.logic.event, self.logic.name = mailbox.members(), root.get("name")

    # ---- states ----

    def machine(self):
        root = self.root
        check(root)
        self.check_root()
        data.declare(self, self.data_elements(root))
        for one in self.invokes:
            invoke.prepare(self, one)
        eager = self.data_elements(root, deep=not self.late)
        entry = data.initial_blocks(self, eager)
        for script in root.all("script"):
            check(script)
            entry.append(content.script_actions(self, script))
        found = {"id": self.identity, "wfsm": 1}
        if root.get("initial") is not None:
            found["initial"] = self.targets(root, root.get("initial"), root)
        found["context"] = self.context
        if any(entry):
            found["entry"] = [each for each in entry if each]
        if self.has_sessions:
            self.context.update(mailbox.context(self.invokes, self.invoked))
            found["on"] = mailbox.transitions(self.invokes)
        self.transitions(root, found)
        found.update(self.children(root))
        if self.counts_sends:
            self.context[sending.COUNTER] = 0
        if not self.context:
            del found["context"]
        return found

    def check_root(self):
        root = self.root
        if root.name != "scxml":
            raise root.error("expected <scxml>")
        for attribute, known in (("version", ("1.0",)), ("binding", ("early", "late")),
                                 ("datamodel", ("ecmascript", "null"))):
            if root.get(attribute) not in known + (None,):
                raise root.error(f"{attribute}=\"{root.get(attribute)}\": expected "
                                 + " or ".join(known))
        if not root.all(*STATES):
            raise root.error("expected a state")
        if root.get("datamodel") == "null":
            for element in self.data_elements(root):
                raise element.error("the null data model has no data")

    def data_elements(self, element, deep=True):
        found = []
        for child in element.children:
            if child.name == "datamodel":
                check(child)
                found += child.children
            elif deep and child.name in STATES:
                found += self.data_elements(child)
        return found

    def children(self, element):
        states = {self.names.key[child]: self.state(child) for child in element.all(*STATES)}
        return {"states": states} if states else {}

    def state(self, element):
        check(element)
        found = {}
        if element.get("id") and self.names.path[element] != element.get("id"):
            found["id"] = element.get("id")
        if element.name == "history":
            return {**found, **self.history(element)}
        if element.name != "state":
            found["type"] = element.name
        self.initial(element, found)
        self.blocks(element, found)
        self.transitions(element, found)
        mine = [one for one in self.invokes if one.element in element.children]
        if mine:
            found["invoke"] = [invoke.convert(self, one) for one in mine]
        for output in element.all("donedata"):
            check(output)
            found["output"] = content.done_data(self, output).rule
        found.update(self.children(element))
        if all(child.name == "history" for child in element.all(*STATES)) and "states" in found:
            raise element.error("none of its states can be entered")
        return found

    def blocks(self, element, found):
        late = data.late_block(self, element, self.names.key[element]) if self.late else []
        late += [one.ticket() for one in self.invokes if one.element in element.children]
        for name, key, before in (("onentry", "entry", late), ("onexit", "exit", [])):
            blocks = before + [self.block(child) for child in element.all(name)]
            blocks = [each for each in blocks if each]
            if blocks:
                found[key] = blocks[0] if len(blocks) == 1 else blocks

    def block(self, element):
        check(element)
        return content.block(self, element)

    # ---- initial and history ----

    def initial(self, element, found):
        inner = element.all("initial")
        if element.get("initial") is not None:
            if inner:
                raise inner[0].error("either the attribute or the element")
            found["initial"] = self.targets(element, element.get("initial"), element)
        elif inner:
            check(inner[0])
            found["initial"] = self.default(inner[0], element)
        if "initial" in found and not element.all(*STATES):
            raise element.error("there are no states that could be initial")

    def default(self, element, within):
        """The one transition of <initial> or <history>."""
        transitions = element.all("transition")
        if len(transitions) != 1:
            raise element.error("expected one <transition>")
        check(transitions[0])
        if transitions[0].get("event") or transitions[0].get("cond"):
            raise transitions[0].error("neither event nor cond is possible here")
        target = self.targets(transitions[0], transitions[0].get("target"), within)
        actions = content.block(self, transitions[0])
        return {"target": target, "actions": actions} if actions else target

    def history(self, element):
        kind = element.get("type") or "shallow"
        if kind not in ("shallow", "deep"):
            raise element.error(f"type=\"{kind}\": expected shallow or deep")
        found = {"type": "history", "history": kind}
        if element.children:
            default = self.default(element, self.names.parents[element])
            targets = element.children[0].get("target").split()
            if any(self.names.elements[each].name == "history" for each in targets):
                raise element.error("the default of a history is no history")
            found["target"] = default
        return found

    def targets(self, element, text, within=None):
        names = (text or "").split()
        if not names:
            raise element.error("expected the id of a state")
        for name in names:
            if name not in self.names.elements:
                raise element.error(f"there is no state {name}")
            if within is not None and not self.names.inside(self.names.elements[name], within):
                raise element.error(f"{name} does not lie inside")
        return "#" + names[0] if len(names) == 1 else ["#" + name for name in names]

    # ---- transitions ----

    def transitions(self, element, found):
        for child in element.all("transition"):
            check(child)
            transition = self.transition(child, element)
            events = child.get("event")
            if events is None:
                found.setdefault("always", []).append(transition)
                continue
            descriptors = [self.descriptor(child, each) for each in events.split()]
            if self.has_sessions:
                descriptors = mailbox.aliases(descriptors)
            if not descriptors:
                raise child.error("expected an event")
            event = descriptors[0] if len(descriptors) == 1 else descriptors
            found.setdefault("on", []).append({"event": event, **transition})

    @staticmethod
    def descriptor(element, text):
        """SCXML's foo means foo and everything below it."""
        if text in ("*", "."):
            return "*"
        text = text[:-2] if text.endswith(".*") else text.rstrip(".")
        if "*" in text:
            raise element.error(f"event=\"{text}\": * can only stand at the end, behind a dot")
        return text + ".*" if text else "*"

    def transition(self, element, source):
        found = {}
        if element.get("target") is not None:
            found["target"] = self.targets(element, element.get("target"))
            if self.leaves(element, source):
                found["reenter"] = True
        elif not (element.attributes or element.children):
            raise element.error("expected an event, a cond or a target")
        guard = self.guard(element)
        if self.has_sessions:
            guard = mailbox.guarded(guard)
        if guard is not None:
            found["guard"] = guard
        actions = content.block(self, element)
        if actions:
            found["actions"] = actions
        return found

    def leaves(self, element, source):
        """True if `reenter` has to be written. It need not be where a target is certainly
        outside, because then the source is left anyway."""
        kind = element.get("type") or "external"
        if kind not in ("external", "internal"):
            raise element.error(f"type=\"{kind}\": expected external or internal")
        targets = [self.names.elements[name] for name in element.get("target").split()]
        if source is self.root:
            return False
        compound = source.name == "state" and source.all(*STATES)
        if kind == "internal" and compound and all(
                each.name == "history" or self.names.inside(each, source)
                for each in targets):
            return False
        return all(self.may_lie_within(each, source) for each in targets)

    def may_lie_within(self, target, source):
        """A history leads to states inside its parent."""
        inside = self.names.inside
        if target.name == "history":
            parent = self.names.parents[target]
            return parent is source or inside(parent, source) or inside(source, parent)
        return target is source or inside(target, source)


class Settings(NamedTuple):
    warn: Callable
    ignore_foreign: bool = False


def convert(child, settings):
    """The machine documents: the chart's, and then those of the charts that it invokes."""
    check(child.root)
    names, variables = Names(child.root), Variables()
    for left in range(MAX_PASSES, 0, -1):  # until the types of its data are known
        variables.changed, warnings = False, []
        chart = Chart(child, names, variables, settings._replace(warn=warnings.append))
        found = chart.machine()
        if not variables.changed:
            break
        if left == 2:
            variables.types = dict.fromkeys(variables.types, rules.ANY)
    for warning in warnings:
        settings.warn(warning)
    documents = [found]
    for each in chart.children_found:
        documents += convert(each, settings)
    return documents
