"""A parser for the expressions of ECMAScript, and for scripts that are assignments."""
from functools import lru_cache
from typing import Any, NamedTuple

from ._errors import Illegal, Unsupported
from ._tokens import tokens

MAX_DEPTH = 100

# How strongly an operator binds its left operand.
BINARY = {
    "??": 2, "||": 2, "&&": 3, "|": 4, "^": 5, "&": 6,
    "==": 7, "!=": 7, "===": 7, "!==": 7,
    "<": 8, ">": 8, "<=": 8, ">=": 8, "instanceof": 8, "in": 8,
    "<<": 9, ">>": 9, ">>>": 9, "+": 10, "-": 10, "*": 11, "/": 11, "%": 11, "**": 12,
}
PREFIX, POSTFIX = 13, 15
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "**=", "<<=", ">>=", ">>>=", "&=", "|=",
               "^=", "&&=", "||=", "??="}
CONSTANTS = {"true": True, "false": False, "null": None, "undefined": None}

# Words that begin legal syntax which is not an expression over data.
BEYOND = {"function": "functions", "new": "new", "class": "classes", "delete": "delete",
          "void": "void", "this": "this", "super": "super", "async": "functions",
          "await": "await", "yield": "yield", "import": "import"}
RESERVED = {"break", "case", "catch", "const", "continue", "debugger", "default", "do",
            "else", "enum", "export", "extends", "finally", "for", "if", "return", "switch",
            "throw", "try", "var", "let", "while", "with"} | {"in", "instanceof", "typeof"}


class Node(NamedTuple):
    """Kinds: constant, name (value); array, object (value: keys), member (container, key),
    call (callee, arguments…), unary, binary (value: the operator), conditional."""

    kind: str
    value: Any = None
    parts: tuple = ()
    depth: int = 1


def node(kind, value=None, *parts):
    depth = 1 + max((part.depth for part in parts), default=0)
    if depth > MAX_DEPTH:
        raise Unsupported(f"an expression of more than {MAX_DEPTH} levels")
    return Node(kind, value, parts, depth)


class Statement(NamedTuple):
    """An assignment: a location, the operator (=, += …, push), and a value."""

    location: Node
    operator: str
    value: Node


class Parser:
    def __init__(self, text):
        self.tokens, self.place, self.level = tokens(text), 0, 0

    @property
    def token(self):
        return self.tokens[self.place]

    def take(self):
        self.place += 1
        return self.tokens[self.place - 1]

    def at(self, *signs):
        return self.token.kind == "sign" and self.token.value in signs

    def accept(self, *signs):
        return self.take().value if self.at(*signs) else None

    def expect(self, sign):
        if not self.accept(sign):
            raise Illegal(f"expected {sign}, found {self.token.value}")

    # ---- expressions ----

    def expression(self, strength=0):
        self.level += 1
        if self.level > MAX_DEPTH:
            raise Unsupported(f"an expression of more than {MAX_DEPTH} levels")
        left = self.postfix(self.operand())
        while True:
            operator = self.token.value
            own = BINARY.get(operator) if self.token.kind in ("sign", "name") else None
            if own is None or own <= strength:
                break
            self.take()
            left = node("binary", operator, left,
                        self.expression(own - 1 if operator == "**" else own))
        if strength < 1 and self.accept("?"):
            then = self.expression()
            self.expect(":")
            left = node("conditional", None, left, then, self.expression())
        self.level -= 1
        return left

    def whole(self):
        """Parses the whole text as an expression."""
        found = self.expression()
        if self.at("=>"):
            raise Unsupported("functions are not supported")
        if self.token.kind == "sign" and self.token.value in ASSIGNMENTS:
            raise Unsupported("an assignment inside an expression: expressions change nothing")
        if self.at(","):
            raise Unsupported("the comma operator is not supported")
        if self.accept(";") and self.token.kind == "end":
            return found
        if self.token.kind != "end":
            raise Illegal(f"unexpected {self.token.value}")
        return found

    def operand(self):
        token = self.take()
        if token.kind in ("number", "string"):
            return node("constant", token.value)
        if token.kind == "name":
            return self.word(token.value)
        if token.kind == "end":
            raise Illegal("unexpected end")
        return self.sign(token.value)

    def word(self, word):
        if word == "typeof":
            return node("unary", "typeof", self.expression(PREFIX))
        if word in BEYOND:
            raise Unsupported(f"{BEYOND[word]}: not supported in expressions")
        if word in RESERVED:
            raise Illegal(f"unexpected {word}")
        if word in CONSTANTS:
            return node("constant", CONSTANTS[word])
        return node("name", word)

    def sign(self, sign):
        if sign == "(":
            found = self.parenthesis()
            self.expect(")")
            return found
        if sign == "[":
            return node("array", None, *self.items("]"))
        if sign == "{":
            return self.members()
        if sign in ("!", "-", "+", "~"):
            return node("unary", sign, self.expression(PREFIX))
        if sign in ("++", "--"):
            raise Unsupported(f"{sign} inside an expression: expressions change nothing")
        if sign in ("/", "/="):
            raise Unsupported("regular expressions are not supported")
        if sign == "`":
            raise Unsupported("template strings are not supported")
        if sign == "...":
            raise Unsupported("... is not supported")
        raise Illegal(f"unexpected {sign}")

    def parenthesis(self):
        if self.at(")"):
            raise Unsupported("functions are not supported")
        found = self.expression()
        if self.at(",") or (self.token.kind == "sign" and self.token.value in ASSIGNMENTS):
            raise Unsupported(f"{self.token.value} inside an expression")
        return found

    def items(self, end):
        found = []
        while not self.accept(end):
            if self.at(","):
                raise Unsupported("arrays with holes are not supported")
            found.append(self.expression())
            if not self.at(end):
                self.expect(",")
        return found

    def members(self):
        keys, values = [], []
        while not self.accept("}"):
            token = self.take()
            if token.kind not in ("name", "string", "number"):
                if token.value in ("[", "..."):
                    raise Unsupported("computed keys of an object are not supported")
                raise Illegal(f"unexpected {token.value}")
            short = token.kind == "name" and self.at(",", "}")
            if self.at("("):
                raise Unsupported("functions are not supported")
            keys.append(str(token.value))
            if short:
                values.append(node("name", token.value))
            else:
                self.expect(":")
                values.append(self.expression())
            if not self.at("}"):
                self.expect(",")
        return node("object", tuple(keys), *values)

    def postfix(self, left):
        while True:
            if self.accept("."):
                token = self.take()
                if token.kind != "name":
                    raise Illegal(f"unexpected {token.value}")
                left = node("member", None, left, node("constant", token.value))
            elif self.accept("["):
                left = node("member", None, left, self.expression())
                self.expect("]")
            elif self.accept("("):
                left = node("call", None, left, *self.items(")"))
            elif self.at("++", "--") and not self.token.first_of_line and self.level:
                raise Unsupported(
                    f"{self.token.value} inside an expression: expressions change nothing")
            elif self.at("?."):
                raise Unsupported("?. is not supported: members of nothing are undefined here")
            else:
                return left

    # ---- scripts ----

    def script(self):
        """Parses the whole text as assignments."""
        found = []
        while self.token.kind != "end":
            if self.accept(";"):
                continue
            found += self.statement()
            if self.at(*ASSIGNMENTS):
                raise Unsupported("an assignment inside an expression")
            if not self.at(";") and not self.token.first_of_line:
                raise Illegal(f"unexpected {self.token.value}")
        return found

    def statement(self):
        if self.token.value in ("var", "let", "const") and self.token.kind == "name":
            self.take()
            return self.declarations()
        if self.token.kind == "name" and self.token.value in RESERVED | set(BEYOND):
            raise Unsupported(f"{self.token.value}: a script can only assign values")
        step = self.accept("++", "--")
        location = self.postfix(self.operand())
        step = step or (not self.token.first_of_line and self.accept("++", "--"))
        if step:
            return [Statement(location, step[0] + "=", node("constant", 1))]
        if self.token.kind == "sign" and self.token.value in ASSIGNMENTS:
            return [Statement(location, self.take().value, self.expression())]
        return [self.pushed(location)]

    def declarations(self):
        found = []
        while True:
            token = self.take()
            if token.kind != "name":
                raise Unsupported("a script can only assign values to names")
            name = self.word(token.value)
            value = self.expression() if self.accept("=") else None
            found.append(Statement(name, "=" if value else "var", value))
            if not self.accept(","):
                return found

    def pushed(self, call):
        """`list.push(value)` is an assignment, too."""
        if call.kind == "call" and len(call.parts) == 2 and call.parts[0].kind == "member":
            container, key = call.parts[0].parts
            if key.kind == "constant" and key.value == "push":
                return Statement(container, "push", call.parts[1])
        raise Unsupported("a script can only assign values")


@lru_cache(maxsize=20000)  # a chart is processed several times
def parse(text):
    """The tree of an expression. Illegal, Unsupported."""
    return Parser(text).whole()


def parse_script(text):
    """The assignments of a script. Illegal, Unsupported."""
    return Parser(text).script()
