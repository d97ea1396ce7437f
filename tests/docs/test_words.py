"""Words and phrases that wfsm does not use: private words, and English that a native writer
would not write.

usage: test_words.py ROOT

words.json is the data:
  words       never used, in text and in identifiers; with what to write instead
  phrases     not used in text; with what to write instead
  places      files and folders that are searched
  unrevised   files whose phrases are not looked at, with the reason
  exceptions  [{"file", "word", "reason"}]: where a word may stay. One that is no longer
              needed is an error
"""
import json
import re
import sys
from pathlib import Path

KINDS = {".md", ".1", ".h", ".hpp", ".c", ".cpp", ".py", ".sh", ".build", ".toml", ".pyi", ""}


def pattern(word):
    """The word, or its plural, not within another word. `_` separates the words of a name,
    and a phrase may continue on the next line of a comment."""
    plural = word[:-1] + "(?:y|ies)" if word.endswith("y") else word + "(?:e?s)?"
    return re.compile(rf"(?<![A-Za-z]){plural}(?![A-Za-z])".replace(" ", r"\s+(?:\*\s+|#\s+)?"),
                      re.IGNORECASE)


def files(root, places):
    for place in places:
        path = root / place
        if not path.exists():
            yield path
        for file in [path] if path.is_file() else sorted(path.rglob("*")):
            if file.is_file() and file.suffix in KINDS and "__pycache__" not in file.parts:
                yield file


def uses(text, words):
    """[(line, word)] of the words that the text has."""
    found = []
    lower = text.lower()
    for word in words:
        if word.split()[0].rstrip("y") not in lower:
            continue  # much quicker than the pattern
        for match in pattern(word).finditer(text):
            found.append((text.count("\n", 0, match.start()) + 1, word))
    return sorted(found)


def problems(root, data):
    allowed = {(e["file"], e["word"]) for e in data["exceptions"]}
    used = set()
    for path in files(root, data["places"]):
        name = str(path.relative_to(root))
        if not path.exists():
            yield f"{name}: no such file or folder; correct `places` in words.json"
            continue
        words = {**data["words"], **({} if name in data["unrevised"] else data["phrases"])}
        for line, word in uses(path.read_text(encoding="utf-8"), words):
            if (name, word) in allowed:
                used.add((name, word))
            else:
                yield f'{name}:{line}: "{word}"; write: {words[word]}'
        for line, word in uses(name, data["words"]):
            yield f'{name}: "{word}" in the name of a file; write: {data["words"][word]}'
    for name, word in sorted(allowed - used):
        yield f'{name}: the exception for "{word}" is no longer needed'


def main(arguments):
    root = Path(arguments[0])
    data = json.loads((root / "tests/docs/words.json").read_text(encoding="utf-8"))
    found = list(problems(root, data))
    print(*found, f"{len(found)} problems", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
