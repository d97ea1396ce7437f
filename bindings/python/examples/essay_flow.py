"""A text is written by an agent, checked, and approved by a person: essay.py as a flow.

    essay_flow.py show              the document
    essay_flow.py draw              a drawing for Mermaid
    essay_flow.py verify            prove what it claims
    essay_flow.py run TOPIC         write, and ask on the terminal
"""
import json
import sys
from dataclasses import dataclass, field
from typing import List, Optional

import wfsm
from wfsm.flow import Decision, Failure, Final, Flow, in_state

ROUNDS = 3


@dataclass
class Essay:
    """The context."""

    topic: str = ""
    text: str = ""
    rounds: int = 0
    remarks: List[str] = field(default_factory=list)
    approved: bool = False
    problem: Optional[str] = None


@dataclass
class Draft:
    """What the writer gets."""

    topic: str
    remarks: List[str]


flow = Flow("essay", Essay)


def writer(call: wfsm.Call, input: Draft) -> str:
    """A model would think here."""
    return f"On {input.topic}{''.join(', ' + one for one in input.remarks)}."


def judge(c: Essay, decision: Decision) -> None:
    c.approved = decision.approved
    if decision.reason is not None:
        c.remarks.append(decision.reason)


def give_up(c: Essay, failure: Failure) -> None:
    c.problem = failure.message


@flow.state
class writing:
    """An agent writes."""

    write = (flow.agent(writer, input=lambda c: {"topic": c.topic, "remarks": c.remarks})
             .done("check", do=lambda c, text: {"text": text, "rounds": c.rounds + 1})
             .failed("given_up", do=give_up))


@flow.state
def check(c: Essay) -> Optional[str]:
    """An empty text is not shown to people."""
    if not c.text or len(c.text) > 10_000:
        return "given_up"
    return "asking"


@flow.state
class asking:
    """A person decides, within a day."""

    tags = "awaiting_input"
    ask = (flow.person(input=lambda c: {"what": f"Print {c.topic}?", "text": c.text})
           .done("printed", when=lambda c, decision: decision.approved, do=judge)
           .done("writing", when=lambda c, decision: c.rounds < ROUNDS, do=judge)
           .done("given_up"))
    late = flow.after(24 * 3_600_000, to="given_up")


@flow.state
class printed(Final):
    entry = flow.actions(flow.emit("print", lambda c: {"text": c.text}))
    output = flow.value(lambda c: c.text)


@flow.state
class given_up(Final):
    output = flow.value(lambda c: c.problem or "too late, or too many rounds")


flow.claim("printed only if approved", never=lambda c: in_state("printed") and not c.approved)
flow.claim("no endless rewriting", always=lambda c: c.rounds <= ROUNDS)


def run(topic: str) -> None:
    with wfsm.memory() as store:
        engine = wfsm.Engine(store)
        flow.add_to(engine)
        task = engine.start("essay", "essay-1", Essay(topic))
        while engine.run_until(lambda: task.done or task.has_tag("awaiting_input")) and not task.done:
            [asked] = task.invocations
            reason = input(f"{wfsm.escape_text(asked['input']['text'])} (Enter, or a remark) ")
            store.approve(task.id, asked["id"], by="me", digest=asked["digest"], approve=not reason,
                          reason=reason or None)
            engine.run()
        print(wfsm.escape_text(str(task.output)))


def main(words: List[str]) -> Optional[str]:
    command = words[0] if words else ""
    if command == "show":
        print(json.dumps(flow.document(), indent=2))
    elif command == "draw":
        print(flow.machine().graph(), end="")
    elif command == "verify":
        found = flow.machine().verify()
        print(found.verdict.name, *found.properties, sep="\n")
        return None if found else "violated"
    elif command == "run" and len(words) == 2:
        run(words[1])
    else:
        return __doc__
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
