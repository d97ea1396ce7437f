"""The command wfsm from outside: its help, its manual page and its completions say the same.

usage: test_help.py WFSM MANUAL
"""
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

WFSM = MANUAL = None


def run(*arguments):
    return subprocess.run([WFSM, *arguments], capture_output=True, text=True, timeout=600)


def commands():
    return re.findall(r"^  ([a-z-]+) +[a-z]", run("--help").stdout, re.MULTILINE)


def options(command):
    return set(re.findall(r"^  --([a-z-]+)", run(command, "--help").stdout, re.MULTILINE))


def completed_by_bash(script, *words):
    """What bash offers for the last word."""
    line = " ".join(f"'{word}'" for word in words)
    test = f"{script}\nCOMP_WORDS=({line}) COMP_CWORD={len(words) - 1}\n_wfsm\n" \
           'printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", test], capture_output=True, text=True, check=True)
    return done.stdout.split()


class Help(unittest.TestCase):
    def test_the_manual_has_every_option(self):
        manual = Path(MANUAL).read_text(encoding="utf-8")
        self.assertGreater(len(commands()), 30)
        missing = [command for command in commands()
                   if not re.search(rf"(?m)^\.Cm .*\b{command}\b", manual)]
        missing += [f"{command} --{option}" for command in commands() for option in options(command)
                    if f"Fl Fl {option}" not in manual]
        self.assertEqual(missing, [])

    def test_bash_completes_what_the_help_names(self):
        script = run("completion", "bash").stdout
        self.assertEqual(completed_by_bash(script, "wfsm", "ta"), ["tail"])
        for command in commands():
            self.assertEqual(set(completed_by_bash(script, "wfsm", command, "--")),
                             {"--" + option for option in options(command) | {"help"}}, command)

    def test_bash_completes_files(self):
        script = run("completion", "bash").stdout
        self.assertIn(WFSM, completed_by_bash(script, "wfsm", "check", WFSM[:-1]))

    def test_the_other_shells_can_read_theirs(self):
        for shell in "zsh", "fish":
            script = run("completion", shell).stdout
            for command in commands():
                self.assertIn(command, script)
            if shutil.which(shell):
                subprocess.run([shell, "-n"], input=script, text=True, check=True)

    def test_a_shell_that_it_does_not_know(self):
        for arguments, why in (([], "needs a shell: bash, zsh or fish"),
                               (["csh"], "no completion for csh: the shells are bash, zsh and fish")):
            done = run("completion", *arguments)
            self.assertEqual((done.returncode, done.stdout), (64, ""))
            self.assertIn(why, done.stderr)


if __name__ == "__main__":
    WFSM, MANUAL = str(Path(sys.argv[1]).resolve()), sys.argv[2]
    unittest.main(argv=sys.argv[:1], verbosity=1)
