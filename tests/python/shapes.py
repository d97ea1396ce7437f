"""Types and a document that uses them, for test_shapes.py and test_pydantic.py."""
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Dict, List, Optional, Tuple, Union

try:
    from typing import Literal, TypedDict
except ImportError:
    from typing_extensions import Literal, TypedDict


class Color(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Note:
    text: str
    stars: int = 0


@dataclass
class Review:
    change: str = ""
    score: float = 0
    notes: List[Note] = field(default_factory=list)
    color: Optional[Color] = None


@dataclass
class Tree:
    name: str
    children: "List[Tree]" = field(default_factory=list)


class Change(TypedDict):
    change: str


class Verdict(TypedDict, total=False):
    verdict: Literal["good", "bad"]
    pair: Tuple[int, str]
    extra: Dict[str, Union[int, List[str]]]
    any: Any


@dataclass
class Approve:
    by: str
    stars: int


DOCUMENT = {
    "id": "review", "initial": "asked",
    "states": {
        "asked": {"invoke": {
            "src": "reviewer", "input": {"change": {"var": "context.change"}},
            "onDone": "waiting", "onError": "failed"}},
        "waiting": {"on": {"approve": {"target": "done", "guard": "may", "actions": "note"}}},
        "done": {"type": "final"}, "failed": {"type": "final"}}}
