"""The stripped shared library is not larger than its limit, so that somebody looks at its growth.

usage: size.py SHARED-OBJECT MOST-BYTES
"""
import subprocess
import sys
import tempfile
from pathlib import Path


def stripped(shared_object):
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "stripped.so")
        subprocess.run(["strip", "-o", str(copy), str(shared_object)], check=True)
        return copy.stat().st_size


def main(arguments):
    shared_object, most = arguments[0], int(arguments[1])
    size = stripped(shared_object)
    print(f"{size} bytes, {most} allowed: see doc/performance.md, The size of the library")
    return 0 if 0 < size <= most else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
