"""What nodes return and call."""
import hashlib
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from langgraph.config import get_config
from langgraph.errors import GraphInterrupt

N = TypeVar("N")


class RetryPolicy(NamedTuple):
    initial_interval: float = 0.5
    backoff_factor: float = 2.0
    max_interval: float = 128.0
    max_attempts: int = 3
    jitter: bool = True
    retry_on: Any = Exception


@dataclass
class Interrupt:
    value: Any
    id: str


@dataclass
class Overwrite:
    value: Any


class Send:
    def __init__(self, node, arg):
        self.node, self.arg = node, arg


@dataclass(frozen=True)
class Command(Generic[N]):
    graph: Any = None
    update: Any = None
    resume: Any = None
    goto: Any = ()

    PARENT: ClassVar[str] = "__parent__"

    def _update_as_tuples(self):
        if isinstance(self.update, dict):
            return list(self.update.items())
        return [] if self.update is None else [("__root__", self.update)]


def interrupt(value):
    """Ends the node with GraphInterrupt, or returns what the graph was resumed with."""
    conf = get_config()["configurable"]
    scratchpad = conf["__pregel_scratchpad"]
    index = scratchpad.interrupt_counter()
    if index < len(scratchpad.resume):
        return scratchpad.resume[index]
    given = scratchpad.get_null_resume(True)
    if given is not None:
        scratchpad.resume.append(given)
        conf["__pregel_send"]([("__resume__", scratchpad.resume)])
        return given
    id = hashlib.md5(conf["checkpoint_ns"].encode()).hexdigest()
    raise GraphInterrupt((Interrupt(value, id),))
