"""Runnables: what has invoke() and ainvoke()."""
import asyncio
import inspect

from .config import RunnableConfig, var_child_runnable_config

__all__ = ["Runnable", "RunnableCallable", "RunnableConfig", "coerce_to_runnable",
           "var_child_runnable_config"]
INJECTED = {"config": "", "runtime": "", "writer": "stream_writer", "store": "store"}


class Runnable:
    name = None

    def invoke(self, input, config=None):
        raise NotImplementedError

    async def ainvoke(self, input, config=None):
        return await asyncio.to_thread(self.invoke, input, config)


def is_async(function):
    return (inspect.iscoroutinefunction(function)
            or inspect.iscoroutinefunction(getattr(function, "__call__", None)))


class RunnableCallable(Runnable):
    """A function, with `config`, `runtime`, `writer` and `store` if it has such parameters."""

    def __init__(self, func, afunc=None, name=None):
        self.func, self.afunc, self.name = func, afunc, name
        known = inspect.signature(func or afunc).parameters
        self._injected = [key for key in INJECTED if key in known]

    def _more(self, config):
        runtime = config["configurable"].get("__pregel_runtime")
        return {key: {"config": config, "runtime": runtime}.get(key) or getattr(runtime, INJECTED[key])
                for key in self._injected}

    def invoke(self, input, config=None):
        if self.func is None:
            raise TypeError(f'No synchronous function provided to "{self.name}".')
        return self.func(input, **self._more(config))

    async def ainvoke(self, input, config=None):
        if self.afunc is None:
            return await super().ainvoke(input, config)
        return await self.afunc(input, **self._more(config))


def coerce_to_runnable(thing, *, name=None, trace=True):
    del trace
    if isinstance(thing, Runnable):
        return thing
    if not callable(thing):
        raise TypeError(f"Expected a Runnable or a function, not {type(thing).__name__}")
    name = name or getattr(thing, "__name__", None)
    if is_async(thing):
        return RunnableCallable(None, thing, name)
    return RunnableCallable(thing, None, name)
