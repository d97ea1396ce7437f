"""What a call of ``invoke`` sends to the thread."""
from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Tuple

from ._langgraph_codec import Codec
from ._langgraph_document import FAILED, IDLE, INTERRUPTED, RUNNING
from ._langgraph_plan import Plan
from ._langgraph_step import is_open
from ._langgraph_task import Answer
from ._langgraph_types import error, is_a

#: Name, data, and an id if it may be sent again.
Event = Optional[Tuple[str, Dict[str, Any], Optional[str]]]
Options = Mapping[str, Any]


def asked(context: Mapping[str, Any]) -> List[str]:
    """The ids of the open questions."""
    return [one["id"] for task in context["__tasks__"] if is_open(task)
            for one in task.get("interrupts", ())]


def _resume(options: Options, **more: Any) -> Dict[str, Any]:
    return {"writes": [], "goto": [], "sends": [], "run": dict(options), **more}


def _answers(codec: Codec, resume: Any, ids: List[str]) -> Dict[str, Any]:
    """One answer, or answers by the ids of the questions."""
    if isinstance(resume, dict) and resume and all(key in ids for key in resume):
        return {"resume_map": codec.encode(resume)}
    if resume is not None and len(ids) > 1:
        raise RuntimeError("When there are multiple pending interrupts, you must specify the interrupt id "
                           "when resuming.")
    return {"resume": codec.encode(resume)}


def _command(plan: Plan, codec: Codec, context: Mapping[str, Any], command: Any, options: Options) -> Event:
    found = Answer(plan, codec, tuple(plan.channels))
    found.take(command)
    if found.parents:
        raise error("InvalidUpdateError")("There is no parent graph")
    answer = found.json()
    if command.resume is None and not any(answer.values()):
        raise error("EmptyInputError")("Received empty Command input")
    return "resume", _resume(options, **{**answer, **_answers(codec, command.resume, asked(context))}), None


def event(plan: Plan, codec: Codec, context: Mapping[str, Any], place: str, input: Any,
          options: Options) -> Event:
    """None: nothing is sent, and what is due continues. `place` is the state that the thread is in."""
    if input is not None and not is_a(input, "Command"):
        return "input", {"input": codec.encode(input), "run": dict(options)}, None
    if context["__checkpoint__"] is None:
        raise error("EmptyInputError")("the thread has not begun, and there is no input")
    if input is not None:
        made = _command(plan, codec, context, input, options)
        cut_off = place == RUNNING and input.resume is not None
        return None if cut_off else made  # the answer was taken before the process ended
    return None if place in (IDLE, RUNNING) else ("resume", _resume(options), None)


def nested(codec: Codec, context: Mapping[str, Any], place: str, input: Any, options: Options,
           task: Mapping[str, Any], attempt: int) -> Event:
    """For a graph that is a node of another one. The ids keep an answer from being given twice when the
    node is started again."""
    if context["__run__"].get("task") != task["id"]:
        return "input", {"input": codec.encode(input), "run": dict(options)}, None
    if place in (INTERRUPTED, FAILED) and task.get("resumed"):
        answers = task.get("answers") or {}
        more = {"resume_map": answers} if answers else {"resume": (task["resume"] or [None])[-1]}
        return "resume", _resume(options, **more), f"{task['id']}/{task['resumed']}"
    if place == FAILED and attempt > 1:
        return "resume", _resume(options), f"{task['id']}/{task.get('resumed', 0)}/{attempt}"
    return None
