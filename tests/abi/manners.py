"""The core has no global state, does no I/O, reads no clock and never ends the program.

usage: manners.py ARCHIVE     the inner build of libwfsm
"""
import re
import subprocess
import sys

# What the C library offers and the core must not touch.
FORBIDDEN = re.compile(
    r"(?:(?:v?f?|d)printf|f?puts|putc(?:har)?|perror|std(?:in|out|err)"
    r"|f?open(?:at)?(?:64)?|fread|fwrite|read|write|close|unlink|rename|socket|connect"
    r"|time|clock|clock_gettime|gettimeofday|(?:gm|local)time(?:_r)?|sleep|nanosleep"
    r"|rand(?:om)?|srand(?:om)?|arc4random|getrandom|getenv|setenv|setlocale"
    r"|abort|_?exit|quick_exit|signal|sigaction|fork|system|popen|dlopen"
    r"|pthread_\w+|thrd_\w+|mtx_\w+|json_dump_?f(?:ile|d)?|json_load_?f(?:ile|d)?)$"
)
# Memory comes from the allocator given at creation; only base may know malloc.
HEAP = {"malloc", "calloc", "realloc", "free", "strdup", "strndup"}


def table(archive):
    command = ["objdump", "-t", str(archive)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def findings(text):
    found, thing = [], ""
    for line in text.splitlines():
        header = re.match(r"(?:.*/)?([\w.-]+\.o)(?:\]|\))?:\s+file format", line)
        if header:
            thing = header.group(1)
        row = re.match(r"[0-9a-f]+ (.{7}) (\S+)\s+([0-9a-f]+)\s+(?:\.hidden )?(\S+)$", line)
        if not row:
            continue
        kind, section, size, name = row.groups()
        if section == "*UND*" and FORBIDDEN.match(name):
            found.append(f"{thing}: uses {name}")
        if section == "*UND*" and name in HEAP and not thing.startswith("base_"):
            found.append(f"{thing}: uses {name} instead of the allocator")
        variable = re.match(r"\.(t?data|t?bss)(?!\.rel\.ro)", section)
        if variable and "O" in kind and int(size, 16) > 0:
            found.append(f"{thing}: global variable {name} in {section}")
    return found


def main(arguments):
    text = table(arguments[0])
    found = findings(text)
    print(f"{text.count('file format')} objects, {len(found)} findings")
    print("\n".join(found))
    return 1 if found or "file format" not in text else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
