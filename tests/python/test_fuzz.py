"""The short form of the fuzzer; by hand, for an hour: fuzz/fuzz.py --seconds 3600."""
import os
import subprocess
import sys
import unittest
from pathlib import Path

FUZZ = Path(__file__).resolve().parent / "fuzz" / "fuzz.py"
CASES = int(os.environ.get("WFSM_FUZZ_CASES", "300"))


class Fuzz(unittest.TestCase):
    def test_nothing_that_a_program_does_ends_the_interpreter(self):
        ended = subprocess.run([sys.executable, str(FUZZ), "--cases", str(CASES)],
                               capture_output=True, text=True, errors="replace")
        shown = "\n".join((ended.stdout + ended.stderr).splitlines()[-60:])
        self.assertEqual(ended.returncode, 0, shown)
        self.assertRegex(ended.stdout, rf"(?m)^{CASES} cases, (\d+) of \1 callables, 0 problems$")


if __name__ == "__main__":
    unittest.main()
