"""StateGraph: a workflow of aigentflow, driven by hand.

    graph = StateGraph("my-project", Machine.load(path_of("aigentflow")), store)
    graph.on("transition", print)
    graph.update_context(prompt="Add login page")
    graph.transition("START")

What a call has changed is stored when it returns, or nothing is changed. The instance's name in
the store is PROJECT/TASK, so a graph finds the tasks of its own project only.
"""
import copy
import logging
import uuid
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence

import wfsm
from wfsm import Instance, Machine, Outcome, Store

logger = logging.getLogger("aigentflow")
TAKEN = (Outcome.TAKEN, Outcome.ENDED)


def path_of(name: str) -> Path:
    """A document of aigentflow in this repository: "aigentflow" or "linear"."""
    return Path(__file__).resolve().parents[3] / "examples" / "aigentflow" / f"{name}.json"


def _time(ms: int) -> str:
    at = datetime.fromtimestamp(ms / 1000, timezone.utc)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _state(configuration: List[str]) -> str:
    return configuration[0].split(".")[0]


class StateGraph:
    """Without a store its tasks live in memory, as long as `graph.store`."""

    def __init__(self, project: str, machine: Machine, store: Optional[Store] = None, *,
                 max_retries: int = 3, max_concurrent_agents: int = 15,
                 functions: Optional[wfsm.Functions] = None,
                 clock: Optional[Callable[[], int]] = None):
        if not 1 <= len(project.encode()) <= 200 or "/" in project:
            raise ValueError("the name of a project is 1 to 200 bytes without a '/'")
        self.project, self.task = project, str(uuid.uuid4())
        self.store = store or wfsm.memory()
        self._machine, self._functions = machine, functions
        self._clock = clock or (lambda: int(datetime.now().timestamp() * 1000))
        self._listeners: Dict[str, List[Callable[[Any], None]]] = {}
        # Until its first change the graph lives in memory.
        self._memory: Optional[Store] = wfsm.memory()
        self._instance = self._start(self._memory, {
            "projectId": project, "taskId": self.task, "maxRetries": max_retries,
            "maxConcurrentAgents": max_concurrent_agents})

    def _start(self, store: Store, context: dict) -> Instance:
        return Instance.start(self._machine, store, f"{self.project}/{self.task}", context,
                              functions=self._functions, now=self._clock())

    def _stored(self) -> Instance:
        if self._memory is not None:
            started = self._start(self.store, self._instance.context)
            self.close()
            self._instance = started
        return self._instance

    def close(self) -> None:
        self._instance.close()
        if self._memory is not None:
            self._memory.close()
            self._memory = None

    # Queries. Changes to an answer do not change the graph.

    @property
    def state(self) -> str:
        return _state(self._instance.configuration)

    @property
    def context(self) -> dict:
        context = copy.deepcopy(self._instance.context)
        for output in [context.get("lastOutput"), *context.get("outputs", []),
                       *context["agentOutputs"].values()]:
            if isinstance(output, dict) and isinstance(output.get("timestamp"), (int, float)):
                output["timestamp"] = _time(int(output["timestamp"]))
        context["activeAgents"] = [self._agent(work) for work in self._instance.invocations
                                   if work["status"] == "running"]
        context["checkpoints"] = self.checkpoints
        return context

    @staticmethod
    def _agent(work: dict) -> dict:
        pool = work.get("pool", {})
        agent = {"id": work["id"], "type": work["src"], "phase": pool.get("phase"),
                 "startedAt": _time(work["claimed"]), "status": "running"}
        return {**agent, "featureId": pool["group"]} if "group" in pool else agent

    @property
    def history(self) -> List[dict]:
        if self._memory is not None:
            return []
        entries = (self._entry(record.data) for record in
                   self.store.records(self._instance.id))
        return [entry for entry in entries if entry is not None]

    @staticmethod
    def _entry(record: Any) -> Any:
        """The transition of a record; None if it is not of a rule."""
        given, now = record["input"], _time(record["now"])
        if given["kind"] == "restore":
            return {"from": "RECOVERING", "to": _state(record["configuration"]),
                    "event": given["event"], "timestamp": now,
                    "metadata": {"checkpointId": given["id"]}}
        taken: List[Dict[str, Any]] = record.get("transitions") or [{"to": []}]
        event = taken[0].get("event", "done.")
        if event.startswith(("done.", "error.")) or not taken[0]["to"]:
            return None
        entry = {"from": _state(record["from"]), "to": _state(taken[0]["to"]), "event": event,
                 "timestamp": now}
        return {**entry, "metadata": given["data"]} if isinstance(given.get("data"), dict) else entry

    def is_terminal(self) -> bool:
        return self._instance.has_tag("terminal")

    def is_error(self) -> bool:
        return self._instance.has_tag("error")

    def is_awaiting_input(self) -> bool:
        return self._instance.has_tag("awaiting_input")

    # Transitions.

    def transition(self, event: str, metadata: Optional[dict] = None) -> bool:
        if self._refused(event, metadata):
            return False
        instance = self._stored()
        outcome = instance.send(event, metadata, now=self._clock())
        if outcome is Outcome.FAILED:
            return self._action_failed(instance.error)
        if outcome not in TAKEN:
            return False
        entry = self._entry(instance.record)
        logger.debug("Transition: %s -> %s (%s)", entry["from"], entry["to"], entry["event"])
        self._tell_transition(entry)
        return True

    def _refused(self, event: str, metadata: Optional[dict]) -> bool:
        """True if the event would be taken. Nothing is stored."""
        if not self._instance.done:
            if self._instance.can(event, metadata, now=self._clock()):
                return False
            if self._instance.dry_run(event, metadata, now=self._clock()) is not None:
                return False  # the step fails: that is a record
            if self._instance.blocked:
                logger.debug("Guard blocked transition for event '%s'", event)
                return True
        logger.warning("No transition rule for event '%s' from state '%s'", event, self.state)
        return True

    def _action_failed(self, error: Any) -> bool:
        logger.error("Action failed for transition: %s", error.message)
        self.transition("ERROR", {"error": error.message})
        return False

    def can_transition(self, event: str) -> bool:
        return not self._instance.done and self._instance.can(event, now=self._clock())

    @property
    def valid_events(self) -> List[str]:
        """In the order of the document, which is that of the rules."""
        document = self._machine.document if self._memory is not None else \
            self.store.document(self.store.head(self._instance.id).fingerprint)
        events = [event for event in document["states"][self.state].get("on", {})
                  if self.can_transition(event)]
        if self.state == "RECOVERING" and self.checkpoints:
            events.append("RESTORE_CHECKPOINT")
        return events

    # Checkpoints.

    @property
    def checkpoints(self) -> List[dict]:
        if self._memory is not None:
            return []
        kept = self.store.checkpoints(self._instance.id)
        states = self._states({one.revision for one in kept}) if kept else {}
        return [{"id": one.id, "timestamp": _time(one.now), "artifacts": list(one.artifacts),
                 **states[one.revision]} for one in kept]

    def _states(self, revisions: set) -> Dict[int, dict]:
        """State and context at these revisions, from the journal."""
        records = self.store.records(self._instance.id)
        document = self.store.document(records[0].data["fingerprint"])
        context, found = copy.deepcopy(document["context"]), {}
        configuration: List[str] = []
        for record in records:
            configuration = record.data.get("configuration", configuration)
            context = record.context(context)
            if record.revision in revisions:
                found[record.revision] = {"state": _state(configuration),
                                          "context": copy.deepcopy(context)}
        return found

    @property
    def latest_checkpoint(self) -> Optional[dict]:
        kept = self.checkpoints
        return kept[-1] if kept else None

    def create_checkpoint(self, artifacts: Sequence[str] = ()) -> dict:
        id = str(uuid.uuid4())
        if self._stored().checkpoint(id, artifacts, now=self._clock()) == Outcome.ENDED:
            raise wfsm.Denied(wfsm.Status.DENIED, "the workflow has ended")
        made = next(one for one in self.checkpoints if one["id"] == id)
        logger.info("Checkpoint created: %s at state %s", id, self.state)
        self._tell("checkpoint", made)
        return made

    def restore_checkpoint(self, id: str) -> bool:
        found = next((one for one in self.checkpoints if one["id"] == id), None)
        if found is None:
            logger.error("Checkpoint not found: %s", id)
            return False
        if self.state == "ERROR":
            self.transition("START_RECOVERY")
        if self.state != "RECOVERING":
            return False
        self._instance.restore(id, now=self._clock())
        logger.info("Restored checkpoint: %s to state %s", id, self.state)
        self._tell_transition(self._entry(self._instance.record))
        self._tell("restore", found)
        return True

    # The context.

    def update_context(self, **updates: Any) -> None:
        """Raises BadDocument for an unknown key or a value of the wrong type."""
        context = copy.deepcopy(self._instance.context)
        if "lastOutput" in context and {"agentOutputs", "currentAgent"} & set(updates):
            context.update(updates)  # guards read the current agent's output there
            updates["lastOutput"] = context["agentOutputs"].get(context["currentAgent"])
        outcome = self._instance.patch(updates, now=self._clock())
        if outcome is Outcome.FAILED:
            assert self._instance.error is not None
            raise self._instance.error
        if outcome == Outcome.ENDED:
            raise wfsm.Denied(wfsm.Status.DENIED, "the workflow has ended")

    def increment_retry(self) -> int:
        count = self._instance.context["retryCount"] + 1
        self.update_context(retryCount=count)
        return count

    def reset_retries(self) -> None:
        self.update_context(retryCount=0)

    # The store.

    def load_state(self, task: str) -> bool:
        """Continues with a task of this project; False if there is none."""
        try:
            instance = Instance.load(self.store, f"{self.project}/{task}",
                                     functions=self._functions)
        except wfsm.NotFound:
            return False
        self.close()
        self._instance, self.task = instance, task
        self._tell("loaded", {"state": self.state, "context": self.context})
        return True

    # Listeners: transition, state:X, checkpoint, restore, loaded.

    def on(self, name: str, listener: Callable[[Any], None]) -> None:
        self._listeners.setdefault(name, []).append(listener)

    def _tell(self, name: str, what: Any) -> None:
        for listener in self._listeners.get(name, []):
            listener(copy.deepcopy(what))

    def _tell_transition(self, entry: dict) -> None:
        self._tell("transition", entry)
        if f"state:{entry['to']}" in self._listeners:
            self._tell(f"state:{entry['to']}", self.context)


def list_states(project: str, machine: Machine, store: Store) -> List[dict]:
    """All tasks of a project: projectId, taskId, state, context, history."""
    names = [head.instance for head in store.list(prefix=f"{project}/")]
    graph, found = StateGraph(project, machine, store), []
    for task in (name[len(project) + 1:] for name in names):
        if "/" not in task and graph.load_state(task):  # not the child workflow of a task
            found.append({"projectId": project, "taskId": task, "state": graph.state,
                          "context": graph.context, "history": graph.history})
    graph.close()
    return found


def delete_state(project: str, task: str, store: Store) -> None:
    """An unknown one is not an error."""
    store.remove(f"{project}/{task}")
