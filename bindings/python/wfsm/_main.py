"""Refuses sub-interpreters, before anything else of the package is loaded.

A callback of the library runs in the main interpreter, wherever the call was made. In another one it
would use objects of both.
"""
import ctypes

# What a Python that is not CPython does not have, it needs no protection from.
_api = getattr(ctypes, "pythonapi", None)
if _api is not None and hasattr(_api, "PyInterpreterState_Main"):
    _main, _this = _api.PyInterpreterState_Main, _api.PyInterpreterState_Get
    _main.restype = _this.restype = ctypes.c_void_p
    if _main() != _this():
        raise ImportError("wfsm works in the main interpreter only, and this is a sub-interpreter: "
                          "use a thread or a process")
