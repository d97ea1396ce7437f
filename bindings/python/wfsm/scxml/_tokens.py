"""ECMAScript as tokens."""
import re
from typing import Any, NamedTuple

from ._errors import Illegal, Unsupported

_TOKEN = re.compile(r"""
    (?P<space>[\s\ufeff]+|//[^\n]*|/\*.*?\*/)
  | (?P<number>0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
  | (?P<name>[^\W\d][\w$]*|\$[\w$]*)
  | (?P<string>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")
  | (?P<sign>>>>=|\.\.\.|===|!==|>>>|<<=|>>=|\*\*=|&&=|\|\|=|\?\?=|=>|==|!=|<=|>=|&&|\|\||\?\?
      |\?\.(?!\d)|\+\+|--|\+=|-=|\*=|/=|%=|&=|\|=|\^=|<<|>>|\*\*|[-+*/%=<>!?:,.;(){}\[\]&|^~`])
""", re.X | re.S)

_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|(\r\n|.))", re.S)
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0",
             "\n": "", "\r": "", "\r\n": "", "\u2028": "", "\u2029": ""}

EXACT = 2**53


class Token(NamedTuple):
    kind: str  # number, string, name, sign, end
    value: Any
    first_of_line: bool


def _escaped(match):
    code = match[1] or match[2] or match[3]
    if code is None:
        if match[4] in "xu":
            raise Illegal("a bad escape in a string")
        return _CONTROLS.get(match[4], match[4])
    if int(code, 16) > 0x10ffff:
        raise Illegal("a bad escape in a string")
    return chr(int(code, 16))


def _string(text):
    value = _ESCAPE.sub(_escaped, text[1:-1])
    try:  # two halves written as escapes are one character
        value = value.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise Unsupported("half of a surrogate pair in a string") from None
    if "\0" in value:
        raise Unsupported("the character 0 in a string")
    return value


def number(text):
    """The value of a number's text. Refuses what JSON or a double cannot hold."""
    if text[:2].lower() in ("0x", "0o", "0b"):
        return exact(int(text, 0), text)
    return exact(int(text) if text.isdigit() and len(text) < 400 else float(text), text)


def exact(value, text):
    if value != value or abs(value) == float("inf") or (
            value == int(value) and abs(value) > EXACT):
        raise Unsupported(f"the number {text[:30]} is beyond 2^53")
    return int(value) if value == int(value) else value


def tokens(text):
    """All tokens and an end."""
    found, place, fresh = [], 0, True
    while place < len(text):
        match = _TOKEN.match(text, place)
        if not match:
            raise Illegal(f"unexpected character {text[place]!r}")
        place = match.end()
        kind, value = match.lastgroup, match[0]
        if kind == "space":
            fresh = fresh or "\n" in value
            continue
        if kind == "number":
            value = number(value)
        elif kind == "string":
            value = _string(value)
        found.append(Token(kind, value, fresh))
        fresh = False
    return found + [Token("end", "the end", True)]
