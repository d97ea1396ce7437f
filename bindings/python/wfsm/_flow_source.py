"""The source of a function, as a tree of Python's own grammar."""
from __future__ import annotations

import ast
import builtins
import functools
import inspect
import linecache
import warnings
from typing import Any, Callable, Dict, Iterator, List, NoReturn, Tuple, TypeVar, Union, cast

F = TypeVar("F", bound=Callable[..., Any])
Node = Union[ast.FunctionDef, ast.Lambda]
# Beyond all lines of a file.
_MARK = 1_000_000


class FlowError(TypeError):
    """Python that cannot become a part of a document. `filename` and `line` say where it stands."""

    def __init__(self, message: str, filename: str = "", line: int = 0):
        super().__init__(f"{filename}:{line}: {message}" if filename else message)
        self.filename: str = filename
        self.line: int = line


class _File:
    """A whole file, because the lines of a lambda alone are often no complete statement."""

    def __init__(self, filename: str, text: str):
        self.filename, self.text = filename, text
        self.tree = ast.parse(text, filename)
        self.nodes: Dict[int, List[Node]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.FunctionDef, ast.Lambda)):
                self.nodes.setdefault(_first_line(node), []).append(node)
        self.codes = {(one.co_firstlineno, _shape(one)) for one in _codes(_compiled(self.tree, filename))}

    def candidates(self, code: Any) -> List[Node]:
        """The functions that may be this one; none if the source is not what was loaded."""
        if (code.co_firstlineno, _shape(code)) not in self.codes:
            return []
        return [node for node in self.nodes.get(code.co_firstlineno, ()) if code.co_name == (
            "<lambda>" if isinstance(node, ast.Lambda) else node.name)]

    def same_code(self, code: Any, found: List[Node]) -> List[Node]:
        """The one of the lambdas on one line that compiles to this code. Each gets a line of its own for that."""
        places = [(node, node.lineno, node.end_lineno) for node in found]
        try:
            for number, node in enumerate(found):
                node.lineno = node.end_lineno = _MARK + number
            compiled = list(_codes(_compiled(self.tree, self.filename)))
        finally:
            for node, line, end in places:
                node.lineno, node.end_lineno = line, end
        made = {one.co_firstlineno: _shape(one) for one in compiled}
        return [node for number, node in enumerate(found) if made.get(_MARK + number) == _shape(code)][:1]


_files: Dict[str, _File] = {}


def _file(filename: str, module: Dict[str, Any]) -> _File:
    text = "".join(linecache.getlines(filename, module))
    if not text:
        raise FlowError("the source of this function cannot be read: flows are written in a file", filename, 1)
    known = _files.get(filename)
    if known is None or known.text != text:
        known = _files[filename] = _File(filename, text)
    return known


def _compiled(tree: ast.Module, filename: str) -> Any:
    with warnings.catch_warnings():  # they came when the file was loaded
        warnings.simplefilter("ignore")
        return compile(tree, filename, "exec", dont_inherit=True)


def _codes(code: Any) -> Iterator[Any]:
    """The code of all functions within."""
    for one in code.co_consts:
        if hasattr(one, "co_code"):
            yield one
            yield from _codes(one)


def _shape(code: Any) -> Tuple[Any, ...]:
    """What two codes have in common that do the same at the same place."""
    constants = [_constant(one) for one in code.co_consts]
    return code.co_name, code.co_code, code.co_names, code.co_varnames, code.co_freevars, repr(constants)


def _constant(one: Any) -> Any:
    """The order of a set may change when a file is loaded."""
    if isinstance(one, frozenset):
        return sorted(map(repr, one))
    return _shape(one) if hasattr(one, "co_code") else one


def _first_line(node: Node) -> int:
    """As co_firstlineno has it: decorators are a part of a function."""
    if isinstance(node, ast.Lambda):
        return node.lineno
    return min([node.lineno, *(one.lineno for one in node.decorator_list)])


def trimmed(function: F) -> F:
    """A function of the package that raises FlowError as if it had found the fault itself: the frames of the
    compiler would hide the line of the flow."""
    @functools.wraps(function)
    def entry(*arguments: Any, **named: Any) -> Any:
        try:
            return function(*arguments, **named)
        except FlowError as wrong:
            found = wrong.with_traceback(None)
        raise found
    return cast(F, entry)


class Source:
    """A function with its tree, and the values of the names that are not its own."""

    def __init__(self, function: Callable[..., Any]):
        if not inspect.isfunction(function):
            raise FlowError(f"expected a function or a lambda, not {type(function).__name__}")
        self.function = function
        self.filename: str = function.__code__.co_filename
        self.node = self._find()

    def _find(self) -> Node:
        code = self.function.__code__
        file = _file(self.filename, self.function.__globals__)
        found = file.candidates(code)
        if len({ast.dump(node) for node in found}) > 1:
            found = file.same_code(code, found)
        if found:
            return found[0]
        raise FlowError("the source is not what was loaded, or the function was made by another one",
                        self.filename, code.co_firstlineno)

    def fail(self, node: ast.AST, message: str) -> NoReturn:
        """Raises the error for this part."""
        raise FlowError(message, self.filename, getattr(node, "lineno", self.node.lineno))

    @property
    def parameters(self) -> List[str]:
        """Their names. Only plain parameters without defaults are allowed."""
        wanted = self.node.args
        if wanted.vararg or wanted.kwarg or wanted.kwonlyargs or wanted.defaults:
            self.fail(self.node, "parameters with defaults, * or ** are not supported")
        return [one.arg for one in [*wanted.posonlyargs, *wanted.args]]

    def outside(self, name: str, node: ast.AST) -> Any:
        """The value that a name has outside of the function."""
        cells = zip(self.function.__code__.co_freevars, self.function.__closure__ or ())
        for own, cell in cells:
            if own == name:
                return self._filled(cell, node)
        for known in (self.function.__globals__, vars(builtins)):
            if name in known:
                return known[name]
        return self.fail(node, f"the name {name!r} is not known")

    def _filled(self, cell: Any, node: ast.AST) -> Any:
        try:
            return cell.cell_contents
        except ValueError:  # it is assigned later
            self.fail(node, "this name has no value yet")
