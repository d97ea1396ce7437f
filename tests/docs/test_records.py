"""doc/records.md names every key that a record or snapshot can have.

usage: test_records.py ROOT RECORD-WRITING-SOURCE…
"""
import re
import sys
from pathlib import Path

import links

WRITTEN = re.compile(
    r'(?:(?:wf_write_key|wf_write_string|write_int)\(out, |\{)"(\w+)"(?:, AT)?')


def main(arguments):
    root = Path(arguments[0])
    page = links.without_blocks((root / "doc" / "records.md").read_text(encoding="utf-8"))
    told = set(re.findall(r"`(\w+)`", page))
    written = set()
    for name in arguments[1:]:
        written |= set(WRITTEN.findall(Path(name).read_text(encoding="utf-8")))
    missing = sorted(written - told)
    print(f"{len(written)} keys are written; not in doc/records.md: {missing}")
    return 1 if missing or len(written) < 30 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
