"""The tables of doc/records.md are those of lib/step/durable.c, and that describes every member.
What doc/internals.md quotes of it is there.

usage: durable.py ROOT PROGRAM            compare
       durable.py ROOT PROGRAM --update   rewrite the tables of the page

PROGRAM is tests/store/durable_tables. A table of the page stands between
`<!-- table: NAME -->` and `<!-- end -->`. People write its last column, the meaning.
"""
import re
import subprocess
import sys
from pathlib import Path

# Members of what an instance keeps that the table need not have, and why.
OTHERS = {
    ("wf_timer", "stamp"): "not stored",
    ("wf_invocation", "stamp"): "not stored",
    ("wf_effect", "stamp"): "not stored",
    ("wf_repeat", "stamp"): "not stored",
    ("wf_spent", "stamp"): "not stored",
    ("wf_invocation", "priority"): "follows from `pool`",
    ("wf_extras", "singles"): "the kind `instance`",
    ("wf_extras", "timers"): "a kind", ("wf_extras", "ledger"): "a kind",
    ("wf_extras", "outbox"): "a kind", ("wf_extras", "repeats"): "a kind",
    ("wf_extras", "budgets"): "a kind",
    ("wf_extras", "histories"): "a form of its own: store/decode_states.c",
    ("wf_extras", "own_keys"): "the context: store/decode_context.c",
    ("wf_extras", "slots"): "the context", ("wf_extras", "slot_capacity"): "not stored",
    ("wf_extras", "limited"): "follows from `limits`",
    ("wf_extras", "limits"): "machine/limit_table.c",
}
KINDS = ["wf_singles", "wf_timer", "wf_invocation", "wf_effect", "wf_repeat", "wf_spent"]


def members(text, struct):
    """The names of the members of a struct."""
    body = re.search(r"typedef struct %s \{(.*?)\n\} %s;" % (struct, struct), text, re.S).group(1)
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
    found = []
    for declaration in body.split(";"):
        names = re.sub(r"^\s*(?:const\s+)?\w+\s", "", declaration.strip() + " ")
        found += [re.sub(r"\[.*", "", name).strip(" *") for name in names.split(",")]
    return [name for name in found if name]


def undescribed(root):
    """Members that the table lacks."""
    header = (root / "lib/step/snapshot.h").read_text(encoding="utf-8")
    table = (root / "lib/step/durable.c").read_text(encoding="utf-8")
    rows = set(re.findall(r"AT\((\w+), (\w+)\)", table))
    lists = set(re.findall(r"offsetof\((wf_extras), (\w+)\)", table))
    wrong = []
    for struct in KINDS + ["wf_extras"]:
        for name in members(header, struct):
            if (struct, name) in rows | lists or (struct, name) in OTHERS:
                continue
            wrong.append(f"lib/step/durable.c has no row for {struct}.{name}")
    return wrong


def plain(text):
    return re.sub(r"\s+", " ", text).strip()


def misquoted(root):
    """Blocks of doc/internals.md that are not in the source that they come from."""
    page = (root / "doc/internals.md").read_text(encoding="utf-8")
    found = re.findall(r"<!-- from: (\S+) -->\n```c\n(.*?)```", page, re.S)
    wrong = [f"doc/internals.md: {source} does not have: {plain(block)}" for source, block in found
             if plain(block) not in plain((root / source).read_text(encoding="utf-8"))]
    return wrong if found else ["doc/internals.md quotes no source"]


def tables(program):
    out = subprocess.run([program], stdout=subprocess.PIPE, check=True, encoding="utf-8").stdout
    return {part.split("\n", 1)[0]: part.split("\n", 1)[1] for part in out.split("## ")[1:]}


def meanings(table):
    """What the page says of each key: the last column."""
    return dict(re.findall(r"^\| `(\w+)` \|.*\| ([^|]+) \|$", table, re.M))


def with_meanings(table, told, wrong):
    """The table of the program with the column that people write."""
    lines = []
    for line in table.rstrip("\n").split("\n"):
        key = re.match(r"\| `(\w+)` \|", line)
        if key and key.group(1) not in told:
            wrong.append(f"doc/records.md does not say what `{key.group(1)}` means")
        if line.startswith("|---"):
            line += "---|"
        elif line.startswith("| key"):
            line += " meaning |"
        elif key:
            line += f" {told.get(key.group(1), '')} |"
        lines.append(line)
    return "\n".join(lines) + "\n"


def main():
    root, program = Path(sys.argv[1]), sys.argv[2]
    page = root / "doc/records.md"
    text = page.read_text(encoding="utf-8")
    want = tables(program)
    wrong = undescribed(root) + misquoted(root)
    used = re.findall(r"<!-- table: (\w+) -->", text)
    wrong += [f"doc/records.md has no table {name}" for name in want if name not in used]
    new = text
    for name in used:
        def table(found, name=name):
            told = meanings(found.group(2))
            return (found.group(1) + "\n" + with_meanings(want[name], told, wrong) + "\n"
                    + found.group(3))
        new = re.sub(r"(<!-- table: %s -->\n)(.*?)(<!-- end -->)" % name, table, new, flags=re.S)
    if "--update" in sys.argv:
        page.write_text(new, encoding="utf-8")
    elif new != text:
        wrong.append("the tables of doc/records.md differ: run tests/docs/durable.py --update")
    print("\n".join(wrong) or f"{len(want)} tables, every member is described")
    sys.exit(1 if wrong else 0)


main()
