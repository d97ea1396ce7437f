"""A shared library has the right soname and only the expected dependencies.

usage: needed.py SHARED-OBJECT SONAME ALLOWED…
"""
import re
import subprocess
import sys


def dynamic(shared_object):
    """(soname, needed libraries)"""
    command = ["readelf", "-d", str(shared_object)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    names = dict.fromkeys(("SONAME", "NEEDED"))
    for kind in names:
        names[kind] = re.findall(rf"\({kind}\).*\[(.*)\]", text)
    return names["SONAME"], names["NEEDED"]


def main(arguments):
    shared_object, soname, *allowed = arguments
    sonames, needed = dynamic(shared_object)
    extra = [name for name in needed if name.split(".so")[0] not in allowed]
    print(f"soname {sonames}, needs {needed}, which it should not: {extra}")
    return 1 if extra or sonames != [soname] or not needed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
