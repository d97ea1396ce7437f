"""The SQL that doc/postgres.md lists for compatible servers is what lib/postgres sends.

usage: servers.py ROOT
"""
import re
import sys
from pathlib import Path

# Texts that are SQL; the others are messages, names and parameters of libpq.
STATEMENT = re.compile(r"SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|GRANT|FROM|WHERE|LISTEN|NOTIFY|DEALLOCATE|JOIN|"
                       r"ORDER|COLLATE|CASE|ON CONFLICT|WITH|LIMIT|NULL|PRIMARY|ENABLE|\(1\)|AND|clock|=")
# A word of a message.
NO_WORDS = {"ROLE"}
ROWS = {
    "words": r"\b[A-Z]{2,}\b",
    "functions": r"\b[a-z_]+(?=\()",
    "settings of a transaction": r"set_config\('(\w+)'",
    "settings that are read": r"current_setting\('(\w+)'",
    "catalogs": r"\bpg_catalog\.(\w+)",
    "types": r"\b(?:text|bigint|boolean|oid)\b(?:\[\])?",
}


def texts(path):
    """The string literals of a C file that are SQL, joined where they follow each other."""
    code = re.sub(r"/\*.*?\*/|'\\?.'", " ", path.read_text(encoding="utf-8"), flags=re.S)
    code = re.sub(r'\\\n', " ", code)
    for run in re.findall(r'(?:"(?:[^"\\]|\\.)*"\s*(?:[A-Z_]+\s*(?=["]))?)+', code):
        text = " ".join(re.findall(r'"((?:[^"\\]|\\.)*)"', run)).replace('\\n', " ").replace('\\"', '"')
        if STATEMENT.search(text) and "expected" not in text and "the role" not in text:
            yield text


def sent(root):
    found = {row: set() for row in ROWS}
    for path in sorted((root / "lib/postgres").glob("*.[ch]")):
        for text in texts(path):
            plain = re.sub(r"'[^']*'", "''", text)
            for row, pattern in ROWS.items():
                quoted = row.startswith("settings")
                found[row] |= set(re.findall(pattern, text if quoted else plain))
    found["words"] -= NO_WORDS
    return found


def listed(root):
    page = (root / "doc/postgres.md").read_text(encoding="utf-8")
    section = page[page.index("## Compatible servers"):]
    section = section[:section.index("\n## ", 5)]
    rows = re.findall(r"^\| ([a-z ]+) \| (.*) \|$", section, re.M)
    return {name: set(re.findall(r"`([^`]+)`", text)) for name, text in rows}


def main():
    root = Path(sys.argv[1])
    want, have, wrong = sent(root), listed(root), 0
    for row, names in want.items():
        for name in sorted(names ^ have.get(row, set())):
            wrong += 1
            print(f"doc/postgres.md, compatible servers, {row}: {name} is",
                  "missing" if name in names else "there, and lib/postgres does not send it")
    print(f"{sum(map(len, want.values()))} names, {wrong} diagnostics")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
