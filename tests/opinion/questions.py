"""What a rule may ask of a value, whatever the value is, and values that answer it either way."""
import random

from expressions import var

NUMBERS = [5, -4, 0, 0.5]
TEXTS = ["b", "job.b", "5", ""]


def comparisons(of):
    for constant in [*NUMBERS, *TEXTS, None, True]:
        for operator in ("<", ">", "<=", ">="):
            yield {operator: [of, constant]}
    for constant in [*NUMBERS, *TEXTS, None, True, "12", 10]:
        for operator in ("===", "!==", "==", "!="):
            yield {operator: [of, constant]}
    for operator in ("<", ">="):
        yield {operator: ["c", of]}
        yield {operator: [2, of]}
    yield {"<": [1, of, 2]}
    yield {"<=": ["a", of, "b"]}
    yield {">": [of, "2024-02-01"]}


def numbers(of):
    yield {"===": [{"*": [of, 2]}, 11]}
    yield {">": [{"+": [of, 1]}, 6]}
    yield {"<": [{"-": [of]}, -4]}
    yield {"===": [{"-": [of, 0.5]}, 5]}
    yield {"===": [{"%": [of, 3]}, 2]}
    yield {"===": [{"/": [of, 2]}, 1.25]}
    yield {"===": [{"+": [of]}, 5]}
    yield {"===": [{"min": [of, 3]}, 2.5]}
    yield {">": [{"max": [of, 3]}, 3]}
    yield {"===": [{"try": [{"+": [of, 0]}, "none"]}, "none"]}


def texts(of):
    yield {"===": [{"length": [of]}, 3]}
    yield {">": [{"length": [{"cat": [of]}]}, 4]}
    yield {"in": ["ob", of]}
    yield {"in": [of, "job.b is a job"]}
    yield {"in": [of, ["b", "job.b", 5, None]]}
    yield {"===": [{"substr": [of, 0, 3]}, "job"]}
    yield {"===": [{"substr": [of, -2]}, ".b"]}
    yield {"===": [{"substr": [of, 4]}, "b.z"]}
    yield {"===": [{"cat": [of, ".z"]}, "job.b.z"]}
    yield {"===": [{"cat": ["<", of, ">"]}, "<5>"]}
    yield {"<": [{"cat": ["a", of]}, "ab"]}


def kinds(of):
    yield {"!": [of]}
    yield {"!!": [of]}
    yield {"===": [{"??": [of, "nothing"]}, "nothing"]}
    yield {"if": [of, {"===": [of, 5]}, False]}
    yield {"and": [{"!!": [of]}, {"!==": [of, "b"]}, {"!==": [of, 5]}]}
    yield {"===": [of, []]}
    yield {"==": [of, [5]]}


def lists(of):
    yield {"some": [of, {">": [var(""), 4]}]}
    yield {"all": [of, {"===": [var(""), "b"]}]}
    yield {"none": [of, {"===": [var("k"), 1]}]}
    yield {">": [{"length": [{"filter": [of, {">": [var(""), 1]}]}]}, 1]}
    yield {"===": [{"reduce": [of, {"+": [var("accumulator"), var("current")]}, 0]}, 8]}
    yield {"in": [5, {"map": [of, {"+": [var(""), 1]}]}]}
    yield {"===": [{"get": [of, "k"]}, 5]}
    yield {">": [{"get": [of, 0, 0]}, 0]}
    yield {"===": [{"cat": [{"get": [of, "k", "none"]}]}, "none"]}


def tables(of):
    """Of lists of objects."""
    yield {"some": [of, {">": [var("k"), 1]}]}
    yield {"all": [of, {"and": [{">=": [var("k"), 1]}, {"!==": [var("b"), "b"]}]}]}
    yield {"none": [of, {"in": ["job", var("b")]}]}
    yield {"===": [{"length": [{"filter": [of, {"<": [var("k"), 3]}]}]}, 2]}
    yield {"===": [{"reduce": [{"map": [of, var("k")]}, {"+": [var("accumulator"), var("current")]}, 0]}, 6]}
    yield {"in": ["b", {"map": [of, var("b")]}]}
    yield {">": [{"get": [{"get": [of, 0]}, "k"]}, 4]}
    yield {"some": [of, {"===": [var("k"), var("b")]}]}
    yield {"some": [of, {"!": [var("k")]}]}
    yield {"and": [{"some": [of, {"===": [var("k"), 1]}]}, {"some": [of, {">": [var("k"), 2]}]}]}
    yield {"and": [{"!!": [of]}, {"none": [of, {"!!": [var("k")]}]}]}


def fields(of):
    """Of the value and the context, or of the value twice."""
    yield {"===": [of, var("context.t")]}
    yield {"<": [var("context.t"), of]}
    yield {">": [of, var("context.n")]}
    yield {"in": [of, var("context.l")]}
    yield {"===": [{"substr": [of, 0, 5]}, var("context.t")]}
    yield {"and": [{">": [of, "a"]}, {"<": [of, "b"]}]}
    yield {"and": [{">": [of, 5.2]}, {"<": [of, 5.7]}]}
    yield {"and": [{"in": [".", of]}, {"!==": [{"substr": [of, 0, 3]}, "job"]}]}
    yield {"===": [{"get": [{"literal": {"b": 1, "job.b": 2, "5": 3}}, of, 0]}, 2]}


def spread(of):
    """The operands are the elements of one, or there is one only."""
    for operator in ("+", "max", "min", "cat", "merge"):
        yield {"==": [{operator: of}, 5]}
    yield {"in": [3, {"merge": [of, [2]]}]}
    yield {"===": [{"-": of}, 4]}
    yield {">": [{"length": [{"merge": [of, of]}]}, 3]}


def parts(of):
    yield {"===": [{"get": [{"with": [of, "k", 2]}, "k"]}, 2]}
    yield {"===": [{"length": [{"slice": [of, 1]}]}, 1]}
    yield {"===": [{"slice": [of, 0, -2]}, "job"]}
    yield {"===": [{"get": [of, 1]}, 5]}
    yield {"some": [of, {"in": ["ob", var("")]}]}
    yield {"none": [of, {"===": [{"length": [var("")]}, 2]}]}
    yield {"all": [of, {"<": [var(""), "b"]}]}


def paths(of):
    """With keys that are asked for by their names."""
    path = of.get("var")
    yield {"===": [{"val": ["context", "r", of]}, 2]}
    yield {"===": [var({"cat": ["context.r.", of]}), 2]}
    yield {"===": [{"try": [{"throw": of}, var("type")]}, "b"]}
    if not isinstance(path, str):
        return
    yield {"exists": path.split(".")}
    yield {"===": [{"length": [{"missing": [path]}]}, 1]}
    yield {"===": [{"val": [*path.split("."), "k"]}, 5]}
    yield {"===": [var(path + ".0"), 5]}
    yield {">": [var(path + ".k", 3), 2]}


def relations(of, other):
    """Of two values from outside."""
    for operator in ("===", "!==", "==", "<", "<=", ">"):
        yield {operator: [of, other]}
    yield {"in": [of, other]}
    yield {"in": [other, of]}
    yield {"in": [of, [other, "b"]]}
    yield {">": [{"+": [of, other]}, 10]}
    yield {"===": [{"-": [of, other]}, 0.5]}
    yield {"<": [{"*": [of, other]}, -2]}
    yield {"===": [{"%": [of, other]}, 1]}
    yield {"===": [{"max": [of, other]}, 5]}
    yield {"===": [{"cat": [of, other]}, "job.b"]}
    yield {"===": [{"cat": [of, ".b"]}, other]}
    yield {"===": [{"substr": [of, 0, 3]}, {"substr": [other, 0, 3]}]}
    yield {"===": [{"length": [of]}, {"length": [other]}]}
    yield {"===": [{"length": [of]}, other]}
    yield {"===": [{"get": [of, other]}, 5]}
    yield {"some": [of, {"===": [var(""), {"val": [[2], "context", "t"]}]}]}
    if "var" in other:
        yield {"some": [of, {"===": [var(""), {"val": [[2], *other["var"].split(".")]}]}]}
    yield {"and": [{"!!": [of]}, {"!": [other]}]}
    yield {"and": [{"<": [of, other]}, {">": [of, 4]}]}
    yield {"and": [{"===": [of, other]}, {"!==": [other, "b"]}, {"<": ["a", of]}]}
    yield {"or": [{"===": [of, "b"]}, {"===": [other, "job.b"]}]}


def computed(of):
    """What an assignment may make of it."""
    yield {"+": [of, 1]}
    yield {"-": [of]}
    yield {"*": [of, 2]}
    yield {"/": [of, 2]}
    yield {"%": [of, 5]}
    yield {"min": [of, 5]}
    yield {"cat": [of, ".b"]}
    yield {"cat": ["j", of]}
    yield {"substr": [of, 0, 5]}
    yield {"substr": [of, -1]}
    yield {"length": [of]}
    yield {"if": [{"<": [of, 3]}, of, 5]}
    yield {"if": [{"===": [of, "b"]}, "job.b", of]}
    yield {"??": [of, 5]}
    yield {"try": [{"+": [of, 0.5]}, of]}
    yield {"get": [of, "k", of]}
    yield {"get": [of, 0]}
    yield {"k": of, "b": 5}
    yield [of, 5]
    yield {"filter": [of, {">": [var(""), 1]}]}
    yield {"map": [of, {"+": [var(""), 1]}]}
    yield {"merge": [of, 5]}
    yield {"===": [of, 5]}
    yield {"and": [of, 5]}
    yield {"or": [of, "b"]}
    yield {"get": [{"literal": {"a": 5, "b": "job.b", "5": "b"}}, of, 0]}


KINDS = (comparisons, numbers, texts, kinds, lists, tables, fields, spread, parts, paths)


def questions(of):
    for kind in KINDS:
        yield from kind(of)


def pair(kind, seed, *of):
    """Two questions together."""
    chosen = random.Random(seed)
    one, two = chosen.sample(list(kind(*of)), 2)
    return chosen.choice([{"and": [one, two]}, {"and": [one, {"!": [two]}]}, {"or": [one, two]},
                          {"!": [{"or": [one, two]}]}, {"if": [one, two, False]}, {"===": [one, two]}])


# Most are no constants of the questions, but between them, or beside them.
VALUES = [
    0, 1, -1, 2, 2.5, 3, 4, 4.75, 5, 5.5, -5, 7, 10, 11, 12, 0.25, -0.5, 1.5, 100, 1e21, 8,
    "", "a", "aa", "b", "c", "A", "job", "job.", "job.a", "job.b", "job.b.z", "job.c", "jobs", "x.y", "5", "5.5", "5.0",
    " 5", "-5", "0", "0x10", "12.0", "true", "null", "é", "~", "abc", "abcdef", "2024-02-29", "zz.b", "the job.b",
    True, False, None,
    [], [1], [5], ["b"], [1, 5, 2], [3, 5], ["job.b"], [{"k": 1}], ["a"], ["job.a"], ["b", "job.b"], [5.5], [7, "b"], ["éa"], [0.5], [0, 3],
    [6, 1, 2], [None], [True, "c"],
    [{"k": 1}, {"k": 5}], [{"k": 2, "b": "b"}], [{"k": 1, "b": "job.b"}, {"k": 3}], [{"k": 0}, {"k": 6}, {"k": 0.5}], [{}],
    {}, {"k": 1}, {"k": 5}, {"b": 5}, {"k": 0.5}, {"k": 2, "b": 7}, {"b": "job.b"}, {"b": "éa"}, {"k": "b"}]
