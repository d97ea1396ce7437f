"""Stores on a PostgreSQL server."""
from __future__ import annotations

import ctypes
from typing import Any, Callable, Optional

from . import _boundary, _ffi, _text
from ._run import run
from .enums import PostgresClock
from .store import Store


def _postgres_options(schema: Optional[str], tenant: Optional[str], clock: str, **more: int) -> Any:
    if clock not in ("server", "host"):
        raise ValueError(f'clock is "server" or "host", not {clock!r}')
    return _ffi.PostgresOptions(
        schema=_text.optional(schema, "schema"), tenant=_text.optional(tenant, "tenant"),
        clock=PostgresClock["POSTGRES_" + clock.upper() + "_CLOCK"], **more)


def postgres(address: str, *, schema: Optional[str] = None, tenant: Optional[str] = None,
             clock: str = "server", connect_ms: int = 0, answer_ms: int = 0,
             create: bool = False, allow_unsafe: bool = False) -> Store:
    """The store on a PostgreSQL server: ``postgres://USER@HOST/DATABASE``, or words KEY=VALUE.

    The address may name the schema and the namespace, too: ``?wfsm_schema=a&wfsm_namespace=b``.
    `schema` has the tables, "wfsm" if nobody says; `create` makes them if there are none. Stores with
    another `tenant` see nothing of this one; without it, it is that of the role, or "default" if the
    role has none. `clock` says whose clock decides whether a lease has lapsed: the "server"'s, or the
    "host"'s. `connect_ms` and `answer_ms` are how long to wait for a connection and
    for an answer; 0 means the defaults, 10 and 30 seconds. `allow_unsafe` admits a server that
    may lose what it has acknowledged. doc/postgres.md describes the store.

    `address` is either form.
    """
    options = _postgres_options(schema, tenant, clock, connect_ms=connect_ms,
                                answer_ms=answer_ms, create=create, allow_unsafe=allow_unsafe)
    pointer = _ffi.ptr()
    run(_ffi.postgres().wfsm_postgres_open, ctypes.byref(pointer), _text.name(address, "address"),
        ctypes.byref(options), None)
    return Store(pointer)


def postgres_init(address: str, *, schema: Optional[str] = None, allow_unsafe: bool = False) -> None:
    """Makes the tables of a PostgreSQL store, unless they are there. `address`, `schema` and
    `allow_unsafe` are those of ``postgres``."""
    options = _postgres_options(schema, None, "server", allow_unsafe=allow_unsafe)
    run(_ffi.postgres().wfsm_postgres_init, _text.name(address, "address"), ctypes.byref(options))


def _written(write: Callable[..., int], *names: bytes) -> str:
    length = write(*names, None, 0)
    if not length:
        raise ValueError("the name of a schema or role has 1 to 63 bytes, a namespace 1 to 255")
    made = ctypes.create_string_buffer(length + 1)
    write(*names, made, length + 1)
    return made.value.decode()


def postgres_sql(schema: str = "wfsm") -> str:
    """What ``postgres_init`` runs, for people who run migrations themselves. `schema` gets the
    tables."""
    return _written(_ffi.postgres().wfsm_postgres_sql, _text.name(schema, "schema"))


def postgres_tenant(address: str, role: str, tenant: str, *, schema: Optional[str] = None) -> None:
    """Gives a role of the server a namespace, which it then sees and changes, and no other one.

    The address is that of the owner of the tables.

    `role` is the role, `tenant` the namespace, and `schema` where the tables are.

    `address` is as for ``postgres``.
    """
    options = _postgres_options(schema, tenant, "server")
    run(_ffi.postgres().wfsm_postgres_tenant, _text.name(address, "address"), ctypes.byref(options),
        _text.name(role, "role"))


def postgres_tenant_sql(role: str, tenant: str, *, schema: str = "wfsm") -> str:
    """What ``postgres_tenant`` runs. `role`, `tenant` and `schema` are the same."""
    return _written(_ffi.postgres().wfsm_postgres_tenant_sql, _text.name(schema, "schema"),
                    _text.name(tenant, "tenant"), _text.name(role, "role"))


_boundary.around(globals())
