"""What a node gets as `runtime`."""
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Runtime:
    context: Any = None
    store: Any = None
    stream_writer: Any = lambda _: None
    previous: Any = None
