"""The context of an instance, as it is given out."""
from __future__ import annotations

from typing import Any, Dict, NoReturn, Tuple


class Context(Dict[str, Any]):
    """A copy of a context, or of an object in it. An assignment to it would be lost, so it raises
    TypeError; ``dict(context)`` and ``copy.deepcopy(context)`` are dicts that can be changed."""

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("this is a copy of the context, and an assignment to it would be lost: "
                        "return the keys from an action, or call patch()")

    __setitem__ = __delitem__ = __ior__ = _refuse  # type: ignore[assignment]
    update = setdefault = pop = popitem = clear = _refuse  # type: ignore[assignment]

    def __reduce_ex__(self, _protocol: Any) -> Tuple[Any, ...]:
        return dict, (dict(self),)
