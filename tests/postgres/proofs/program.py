"""The main program of a proof: its words, what it does one after the other, and what it says of planted faults."""
import signal
import sys
import time

from fleet import environment
from servers import Wrong, programs


def begin(usage, count, most, is_possible=lambda: True):
    """The paths of so many programs, how much is to be done, the seed, and the other words. It prints the seed."""
    words = sys.argv[1:]
    if len(words) < count:
        print(usage.strip(), file=sys.stderr)
        sys.exit(2)
    if not programs() or not is_possible():
        sys.exit(77)
    most = int(words[count]) if len(words) > count else most
    seed = int(words[count + 1]) if len(words) > count + 1 else int(time.time())
    print(f"seed {seed}")
    environment()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    return words[:count], most, seed, words[count + 2:]


def run(usage, most, prove, *planted, is_possible=lambda: True):
    """A proof, and then each planted fault, which must be found. What it returns is for sys.exit."""
    paths, most, seed, _more = begin(usage, 2, most, is_possible)
    try:
        fine = prove(*paths, most, seed)
        for is_found_out in planted:
            fine &= is_found_out(*paths, seed)
    except Wrong as wrong:
        print(f"seed {seed}: {wrong}")
        return 1
    return 0 if fine else 1


def judge(fault, is_found, details):
    """Says whether a planted fault was found, and returns it."""
    print(f"{fault}: {'found out' if is_found else 'NOT found out'} ({details})")
    return bool(is_found)


def counted(counts, plural=""):
    """Such as: 2 rounds, 5 takeovers."""
    return ", ".join(f"{number} {'of ' if plural else ''}{word}{plural}" for word, number in sorted(counts.items()))
