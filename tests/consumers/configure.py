"""A library that is missing when the build is configured: what needs it is left out, and asking
for it is an error. Either way one sentence says what to install.

usage: configure.py SOURCE-ROOT
"""
import os
import subprocess
import sys
import tempfile
import unittest

# option: what its sentence has to name
NEEDS = {"sqlite": "libsqlite3-dev", "postgres": "libpq-dev", "examples": "libjansson-dev",
         "agents": "libtomlplusplus-dev"}


class Configure(unittest.TestCase):
    def meson(self, *options):
        """With a pkg-config that finds nothing."""
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(["meson", "setup", folder + "/build", ROOT, *options],
                                  env={**os.environ, "PKG_CONFIG_LIBDIR": folder},
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  check=False)
        return done.returncode, done.stdout

    def test_what_is_missing_is_left_out_and_named(self):
        code, out = self.meson("-Dtests=disabled", "-Dpython=disabled")
        self.assertEqual(code, 0, out)
        for option, package in NEEDS.items():
            self.assertIn(package, out)
            self.assertIn(f"-D{option}=disabled", out)

    def test_what_was_asked_for_is_an_error(self):
        for option, package in NEEDS.items():
            code, out = self.meson("-Dtests=disabled", "-Dpython=disabled", f"-D{option}=enabled")
            self.assertNotEqual(code, 0, out)
            self.assertRegex(out, f"ERROR: Feature {option} cannot be enabled:.*{package}")

    def test_hosts_without_their_libraries(self):
        code, out = self.meson("-Dtests=disabled", "-Dpython=disabled", "-Dhosts=enabled")
        self.assertNotEqual(code, 0, out)
        self.assertRegex(out, "ERROR: Feature hosts cannot be enabled:.*libwfsm-agents")

    def test_what_was_left_out_is_not_asked_for(self):
        options = [f"-D{option}=disabled" for option in NEEDS]
        code, out = self.meson("-Dtests=disabled", "-Dpython=disabled", *options)
        self.assertEqual(code, 0, out)
        for package in NEEDS.values():
            self.assertNotIn(package, out)


if __name__ == "__main__":
    ROOT = sys.argv.pop(1)
    unittest.main()
