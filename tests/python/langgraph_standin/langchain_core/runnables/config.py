"""The configuration of the runnable that is at work."""
from contextvars import ContextVar
from typing import Any, Dict

RunnableConfig = Dict[str, Any]
var_child_runnable_config: ContextVar = ContextVar("child_runnable_config", default=None)
