"""Agents that are programs, chat models behind HTTP, or lists of commands.

    import wfsm
    from wfsm.agents import Agents, session_name

    with wfsm.sqlite("tasks.db") as store, Agents() as agents:
        agents.load_toml("agents.toml")
        with wfsm.Engine(store, session=session_name()) as engine:
            agents.register(engine, store, runs="runs")
            while not engine.idle:
                engine.run()
                agents.wait(500)

This module loads libwfsm-agents when the first collection is made. doc/process-agents.md and
doc/http-agents.md describe what programs and models receive and how they answer; doc/agents.md
lists the keys of the TOML file. Times are milliseconds.
"""
from __future__ import annotations

import contextlib
import ctypes
import os
from enum import IntEnum
from typing import Any, Callable, Iterator, List, Mapping, Optional, Sequence, Union, cast

from . import _boundary, _ffi, _text
from ._handle import Resource
from ._run import plain, run, shield
from .engine import Engine
from .enums import Status
from .errors import NotFound, WfsmError, make
from .progress import Progress, Tone
from .store import Store


class Input(IntEnum):
    """What a program gets on its standard input."""

    DEFAULT = 0
    JSON = 1
    PROMPT = 2
    NONE = 3


class AnswerIn(IntEnum):
    """Where the result is in the output."""

    DEFAULT = 0
    JSON = 1
    LAST_BLOCK = 2


class OwnerState(IntEnum):
    """The state of an owner."""

    NONE = 0
    ALIVE = 1
    GONE = 2
    ELSEWHERE = 3


def _list(texts: Optional[Sequence[str]]) -> Any:
    """An array of texts that ends with NULL, for a member of a struct; None for no list."""
    if texts is None:
        return None
    if isinstance(texts, (str, bytes)):  # also a sequence, of its letters
        raise TypeError(f"expected a list of texts, not {texts!r}")
    encoded = [_text.name(text, "text") for text in texts]
    array: Any = (_ffi.ptr * (len(encoded) + 1))()
    for index, text in enumerate(encoded):
        array[index] = ctypes.cast(ctypes.c_char_p(text), _ffi.ptr)
    array.texts = encoded  # what it points to lives as long as it
    return array


def _pairs(pairs: Optional[Mapping[Any, str]]) -> Optional[List[str]]:
    return None if pairs is None else [f"{key}={value}" for key, value in pairs.items()]


_WRITE = 2  # WFSM_ACCESS_WRITE


@contextlib.contextmanager
def _named_for_wheels() -> Iterator[None]:
    """The libwfsm-agents of a wheel has no HTTP, because libcurl cannot be inside."""
    try:
        yield
    except WfsmError as problem:
        if not _ffi.in_wheel() or "HTTP agents are not in this build" not in problem.message:
            raise
        raise make(problem.status, "HTTP agents are not in the wheel, because they need libcurl: " +
                   _ffi.from_elsewhere("WFSM_AGENTS_LIBRARY", "wfsm-agents")) from None


class Agents(Resource):
    """A collection of named agents. Close it after the engine that it is registered on. An
    engine that is freed later keeps the collection alive."""

    _kind = "collection of agents"
    _pointers = _ffi.AGENTS

    def __init__(self) -> None:
        self._once()
        pointer = _ffi.ptr()
        self._lib = _ffi.agents()
        run(self._lib.wfsm_agents_new, ctypes.byref(pointer))
        super().__init__(pointer, self._lib.wfsm_agents_free)

    def add_process(self, name: str, command: Sequence[str] = (), *, prompt: Optional[str] = None,
                    input: Input = Input.DEFAULT, answer: AnswerIn = AnswerIn.DEFAULT,
                    folder: Optional[str] = None, env: Optional[Mapping[str, str]] = None,
                    pass_env: Sequence[str] = (),
                    exit_classes: Optional[Mapping[int, str]] = None, timeout_ms: int = 0,
                    grace_ms: int = 0, max_output_bytes: int = 0,
                    max_log_bytes: int = 0, kind: Optional[str] = None,
                    may_write: bool = False, model: Optional[str] = None) -> None:
        """Adds a program, which is started once for each attempt. 0 means the default. The time
        limit ``wfsm.NEVER`` means no limit. `exit_classes` gives exit codes a failure class. Of
        this process's environment it gets the variables that every program needs, and those that
        `pass_env` names. With the `kind` "claude", "codex" or "gemini" it is a coding agent, whose
        flags and output the library knows; its default `command` is the program of that name,
        `may_write` lets it edit files, and `model` is its model. AlreadyExists, InvalidArgument.
        `name` is what documents call it. `prompt` is a text with marks such as {input}
        (doc/process-agents.md), `input` says what comes on standard input, and `answer` what of the
        output is the answer. It works in `folder`, with the variables `env`. `timeout_ms` limits an
        attempt (default 600,000), `grace_ms` the time from SIGTERM to SIGKILL (5,000),
        `max_output_bytes` standard output (1 MiB) and `max_log_bytes` standard error (64 MiB)."""
        lists = [_list(command), _list(_pairs(env)), _list(_pairs(exit_classes)), _list(pass_env)]
        as_member = [None if one is None else ctypes.cast(one, _ffi.Pptr) for one in lists]
        options = _ffi.ProcessOptions(
            command=as_member[0], prompt=_text.optional(prompt, "prompt"), input=input,
            answer=answer, folder=_text.optional(folder, "folder"), env=as_member[1],
            exit_classes=as_member[2], pass_env=as_member[3], timeout_ms=timeout_ms, grace_ms=grace_ms,
            max_output_bytes=max_output_bytes, max_log_bytes=max_log_bytes,
            kind=_text.optional(kind, "kind"), model=_text.optional(model, "model"),
            access=_WRITE if may_write else 0)
        with self._using() as pointer:
            run(self._lib.wfsm_agents_add_process, pointer, _text.name(name),
                ctypes.byref(options))

    def add_http(self, name: str, api: str, model: str, **options: Any) -> None:
        """Adds a chat model; `api` is "anthropic" or "openai". The other options have the names of
        the members of ``wfsm_http_options``: base_url, key_env, key_file, prompt, system, answer,
        whole, max_tokens_name, max_tokens, price_input, price_output, ca_file, connect_timeout_ms,
        idle_timeout_ms, timeout_ms, max_output_bytes, max_reply_bytes. AlreadyExists,
        InvalidArgument. `name` is what documents call it, and `model` the service's name of the
        model. `options` are described in wfsm/agents.h and doc/http-agents.md."""
        known = {key for key, *_ in _ffi.HttpOptions._fields_} - {"size", "api", "model"}
        unknown = sorted(set(options) - known)
        if unknown:
            raise TypeError(f"add_http() has no option {unknown[0]!r}; "
                            f"expected one of {', '.join(sorted(known))}")
        texts = {key: _text.name(value, key) if isinstance(value, str) else value
                 for key, value in options.items()}
        made = _ffi.HttpOptions(api=_text.name(api, "api"), model=_text.name(model, "model"),
                                **texts)
        with self._using() as pointer:
            run(self._lib.wfsm_agents_add_http, pointer, _text.name(name), ctypes.byref(made))

    def add_commands(self, name: str, *, timeout_ms: int = 0, max_output_bytes: int = 0,
                     all: bool = False, pass_env: Sequence[str] = ()) -> None:
        """Adds an agent that runs the commands which its input names: ``{"folder": …, "commands":
        [{"argv": […]}, …]}``; all of them, or up to the first that fails. AlreadyExists,
        InvalidArgument. `name` is what documents call it. With `all`, a command that fails ends
        nothing. `timeout_ms` limits a command without a limit of its own, and
        `max_output_bytes` what it may write (0: the defaults), and `pass_env` is that of ``add_process``."""
        options = _ffi.CommandsOptions(timeout_ms=timeout_ms, all=bool(all),
                                       max_output_bytes=max_output_bytes,
                                       pass_env=ctypes.cast(_list(pass_env), _ffi.Pptr))
        with self._using() as pointer:
            run(self._lib.wfsm_agents_add_commands, pointer, _text.name(name),
                ctypes.byref(options))

    def load_toml(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Adds the agents of a TOML file, one for each table ``[agents.NAME]``. The message of an
        exception names file, line and column; after one, no agent was added. `path` is that of the
        file."""
        with self._using() as pointer:
            run(self._lib.wfsm_agents_load_toml, pointer, _text.path(path))

    def copy(self, name: str, copy: str) -> None:
        """Adds the agent `name` again as `copy`. NotFound, AlreadyExists."""
        with self._using() as pointer:
            run(self._lib.wfsm_agents_copy, pointer, _text.name(name), _text.name(copy))

    def remove(self, name: str) -> None:
        """Removes an agent that is not registered yet. NotFound, Busy. `name` is its name."""
        with self._using() as pointer:
            run(self._lib.wfsm_agents_remove, pointer, _text.name(name))

    @property
    def names(self) -> List[str]:
        """The names of the agents, in the order in which they were added."""
        found: List[str] = []
        with self._using() as pointer:
            while (name := self._lib.wfsm_agents_name(pointer, len(found))) is not None:
                found.append(name.decode())
        return found

    def describe(self, name: str) -> Mapping[str, Any]:
        """The settings in force of an agent, under the names of the TOML keys. NotFound. `name` is
        its name."""
        length = _ffi.size()
        with self._using() as pointer:
            text = self._lib.wfsm_agents_describe(pointer, _text.name(name),
                                                  ctypes.byref(length))
            if not text:
                raise NotFound(Status.NOT_FOUND, f"there is no agent {name}")
            return cast(Mapping[str, Any], _text.decode(text, length.value))

    def register(self, engine: Engine, store: Store, *, runs: Optional[str] = None,
                 folder: Optional[str] = None,
                 tell: Optional[Callable[[str, str], None]] = None) -> None:
        """Adds all agents to an engine on this store. `runs` is the folder for the files of
        programs and commands, one for each store. Programs without a folder of their own run in
        `folder`. `tell` is called with an instance and a line about what a model does. Programs
        that nobody is waiting for any more are stopped. `engine` and `store` are these."""
        Engine._of(engine, "engine"), Store._of(store, "store")
        callback = _ffi.TELL() if tell is None else _teller(tell)
        options = _ffi.AgentsOptions(runs=_text.optional(runs, "runs"),
                                     folder=_text.optional(folder, "folder"), tell=callback)
        # The engine first, as when it calls its agents, and after the round that is out: who waits
        # for that may not hold the store.
        with engine._changing() as target, store._lending() as stored, self._using() as pointer:
            options.store = stored
            self._own_handle().callbacks.append(callback)
            engine._own_handle().borrow(self._own_handle())
            with _named_for_wheels():
                run(self._lib.wfsm_agents_register, pointer, target, ctypes.byref(options))
        engine._knows_agents = False  # the library has added some

    def wait(self, milliseconds: int) -> int:
        """Waits until a program or a call has something new, or the time is over. Returns how many
        have ended. 0 does not wait. It may return early. `milliseconds` is that time."""
        with self._using() as pointer:
            return int(self._lib.wfsm_agents_wait(pointer, milliseconds))

    @property
    def working(self) -> int:
        """The number of programs and calls that are at work."""
        with self._using() as pointer:
            return int(self._lib.wfsm_agents_working(pointer))

    def drain(self, milliseconds: int) -> int:
        """Waits until the programs that were told to stop have ended. Returns how many run.
        `milliseconds` is the longest time."""
        with self._using() as pointer:
            return int(self._lib.wfsm_agents_drain(pointer, milliseconds))

    def sweep(self) -> int:
        """Stops the programs of an earlier process that nobody is waiting for. Returns how
        many."""
        stopped = _ffi.size()
        with self._using() as pointer:
            run(self._lib.wfsm_agents_sweep, pointer, ctypes.byref(stopped))
        return stopped.value


def _teller(tell: Callable[[str, str], None]) -> Any:
    plain(tell, "tell")

    def call(_user: Any, instance: Optional[bytes], line: Optional[bytes]) -> None:
        tell((instance or b"").decode(), (line or b"").decode("utf-8", "replace"))
    return shield(_ffi.TELL, "tell of agents", call)


def session_name() -> str:
    """A name for an engine of this process. Every program on the same host, also one in C, can
    tell from the name whether the process still exists."""
    made = ctypes.create_string_buffer(256)
    return str(_ffi.agents().wfsm_session_name(made).decode())


def owner_state(owner: str) -> OwnerState:
    """The state of the owner of this name. `owner` is the name of a session."""
    return OwnerState(_ffi.agents().wfsm_owner_state(_text.name(owner, "owner")))


def owner_describe(owner: str) -> str:
    """The owner in words: "process 42 on HOST". `owner` is the name of a session."""
    made = ctypes.create_string_buffer(272)
    return str(_ffi.agents().wfsm_owner_describe(_text.name(owner, "owner"), made).decode(
        "utf-8", "replace"))


def release_owner(store: Store, instance: str) -> None:
    """Frees an instance whose owner is a process of this host that was killed. `instance` is its
    id, and `store` where it is."""
    with Store._of(store, "store")._using() as pointer:
        run(_ffi.agents().wfsm_owner_release, pointer, _text.name(instance))


__all__ = ["Agents", "AnswerIn", "Input", "OwnerState", "Progress", "Tone", "owner_describe",
           "session_name", "owner_state", "release_owner"]


_boundary.around(globals())
