"""The core has no global state, uses only functions on a list, and runs nothing when it is loaded.

usage: manners.py ARCHIVE     the inner build of libwfsm
"""
import re
import subprocess
import sys

# All that the core may ask of anybody: pure functions over memory and numbers. Files,
# sockets, clocks, threads, the environment, printing and ending are not among them, but for
# __assert_fail, which WF_INVARIANT() calls in builds with assertions.
ALLOWED = re.compile(
    r"(?:mem(?:chr|cmp|cpy|move|set)|str(?:n?cmp|chr|rchr|n?cpy|c?spn|len|str|nlen|pbrk)"
    r"|strto(?:d|l|ul|ll|ull)|v?snprintf|qsort|bsearch"
    r"|fmod|fmax|fmin|nextafter|round|floor|ceil|trunc|fabs|modf|frexp|ldexp|pow|sqrt|log2|log10|exp2"
    r"|__assert_fail|_GLOBAL_OFFSET_TABLE_|__stack_chk_fail|__(?:v?snprintf|mem\w+|str\w+)_chk)$"
)
# Only verification has threads, if it is asked for them.
THREADS = re.compile(r"pthread_\w+")
# Memory comes from the allocator given at creation; only base may know malloc.
HEAP = {"malloc", "calloc", "realloc", "free", "strdup", "strndup"}


def table(archive):
    command = ["objdump", "-ht", str(archive)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def diagnostics(text):
    found, thing = [], ""
    for line in text.splitlines():
        header = re.match(r"(?:.*/)?([\w.-]+\.o)(?:\]|\))?:\s+file format", line)
        if header:
            thing = header.group(1)
        if re.match(r"\s*\d+ \.(?:init_array|fini_array|ctors|dtors)\b", line):
            found.append(f"{thing}: something runs when the library is loaded or dropped")
        row = re.match(r"[0-9a-f]+ (.{7}) (\S+)\s+([0-9a-f]+)\s+(?:\.hidden )?(\S+)$", line)
        if not row:
            continue
        kind, section, size, name = row.groups()
        if section == "*UND*" and name in HEAP:
            if not thing.startswith("base_"):
                found.append(f"{thing}: uses {name} instead of the allocator")
        elif section == "*UND*" and THREADS.fullmatch(name):
            if not thing.startswith("verify_workers."):  # `jobs` asks for them
                found.append(f"{thing}: uses threads")
        elif section == "*UND*" and not name.startswith("wf") and not ALLOWED.match(name):
            found.append(f"{thing}: uses {name}")
        variable = re.match(r"\.(t?data|t?bss)(?!\.rel\.ro)", section)
        if variable and "O" in kind and int(size, 16) > 0:
            found.append(f"{thing}: global variable {name} in {section}")
    return found


def main(arguments):
    text = table(arguments[0])
    found = diagnostics(text)
    print(f"{text.count('file format')} objects, {len(found)} diagnostics")
    print("\n".join(found))
    return 1 if found or "file format" not in text else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
