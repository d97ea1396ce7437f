"""Signed votes (Ed25519, by libsodium).

    from wfsm.sign import sign_vote

    vote = {"by": "ada", "digest": asked["digest"]}
    signed = sign_vote("ada.key", "release-7", asked["id"], **vote)
    store.approve("release-7", asked["id"], **vote, signed=signed)

A signature shows that the owner of a key gave exactly this vote: it covers the instance, the
invocation, the voter's name, the digest of what was asked, the decision, the reason and the time.
wfsm keeps it with the vote and does not check it when it counts the vote. If you have the journal and
the public keys, you can check it: ``verify_vote``, or ``wfsm audit --keys``.

This module loads libwfsm-agents with the first call. In a build without libsodium every call raises
InvalidArgument.
"""
from __future__ import annotations

import ctypes
import os
from typing import Optional, Union

from . import _boundary, _ffi, _text
from ._run import run
from .store import Signed

_KEY_SIZE, _SIGNATURE_SIZE = 65, 129
_Path = Union[str, "os.PathLike[str]"]


def make_key(path: _Path) -> str:
    """Makes a key, and writes its secret part to the new file `path`, which only its owner can
    read. Returns the public part. AlreadyExists: there is such a file, or a link."""
    return _public("wfsm_key_make", path)


def public_key(path: _Path) -> str:
    """The public part of the key in the file `path`. Denied: others can read the file."""
    return _public("wfsm_key_public", path)


def sign_vote(path: _Path, instance: str, invocation: str, *, by: str, digest: str,
              approve: bool = True, reason: Optional[str] = None,
              at: Optional[int] = None) -> Signed:
    """Signs a vote with the key in the file `path`. Give the same to ``Store.approve``, with what
    this returns as `signed`. `at` is the time of the signature in milliseconds, by default now.
    `instance`, `invocation`, `by`, `digest`, `approve` and `reason` are those of
    ``Store.approve``."""
    key = ctypes.create_string_buffer(_KEY_SIZE)
    signature = ctypes.create_string_buffer(_SIGNATURE_SIZE)
    vote = _text.approval(instance, invocation, by, digest, approve, reason)
    vote.signed_at = _text.time_or_now(at)
    run(_ffi.agents().wfsm_vote_sign, ctypes.byref(vote), _text.path(path), key, signature)
    return Signed(vote.signed_at, key.value.decode(), signature.value.decode())


def verify_vote(instance: str, invocation: str, *, by: str, digest: str, signed: Signed,
                approve: bool = True, reason: Optional[str] = None) -> None:
    """Raises Denied if the signature is not that of ``signed.key`` for exactly this vote. Whose key
    it is, the caller must know. `instance`, `invocation`, `by`, `digest`, `approve` and `reason`
    are those of ``Store.approve``, and `signed` comes from ``sign_vote``."""
    vote = _text.approval(instance, invocation, by, digest, approve, reason, signed=signed)
    run(_ffi.agents().wfsm_vote_verify, ctypes.byref(vote))


def _public(call: str, path: _Path) -> str:
    key = ctypes.create_string_buffer(_KEY_SIZE)
    run(getattr(_ffi.agents(), call), _text.path(path), key)
    return key.value.decode()


__all__ = ["Signed", "make_key", "public_key", "sign_vote", "verify_vote"]


_boundary.around(globals())
