"""What `wfsm verify` and `wfsm simulate` say of a document."""
import argparse
import json
import subprocess
import tempfile
from pathlib import Path

TIME = 120 # seconds, for what hangs


def arguments_of(usage):
    """Of a test that asks verify of documents by their numbers."""
    parser = argparse.ArgumentParser(usage=usage)
    parser.add_argument("wfsm")
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--show", action="store_true")
    return parser


def run(wfsm, document, lines, *arguments):
    """arguments: the command and its options. The document is given as a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "document.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        done = subprocess.run([wfsm, *arguments, str(path)], input=lines, capture_output=True,
                              text=True, timeout=TIME)
    if done.returncode not in (0, 1, 2, 3):
        raise RuntimeError(f"{arguments}: {done.returncode} {done.stderr}")
    return done


def verify(wfsm, document, *options):
    """The report, as --json writes it."""
    done = run(wfsm, document, "", "verify", "--json", *options)
    if not done.stdout.startswith("{"):
        raise ValueError(f"verify: {done.stderr}")
    return json.loads(done.stdout)


def violated_by(wfsm, document, script):
    """The names of the properties that a run violates."""
    lines = script if isinstance(script, str) else "".join(json.dumps(s) + "\n" for s in script)
    done = run(wfsm, document, lines, "simulate", "--by-hand", "--properties")
    if done.returncode not in (0, 3):
        raise ValueError(f"simulate: {done.stderr}")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return {name for answer in answers for name in answer["properties"]["violated"]}
