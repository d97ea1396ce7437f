"""The proposer of the demo: a proposal, a spec of examples, the tasks."""

import sys

import protocol
import spec

# What it thinks of by itself, and what it adds when it is asked.
FIRST = [("Hello World", "hello-world"), ("10 reasons", "10-reasons")]
ASKED = {"empty": ("", "untitled"), "punctuation": ("...", "untitled"),
         "spaces": ("Two  spaces", "two-spaces")}


def proposal(given, more=""):
    return {"path": "proposal.md", "text": f"""# {given["change"]}

## Why

{given["description"]}

## What Changes

A function `slug(title)` beside `shorten()` in titles.py, with tests.{more}

## Impact

Nothing that is there changes.
"""}


def write_proposal(given):
    known = "clarifications.md" in given["documents"]
    return {"files": [proposal(given)],
            "summary": "a proposal" + (", after reading clarifications.md" if known else "")}


def write_specs(given):
    return {"files": [{"path": "specs/slug.md", "text": spec.write(FIRST)}],
            "summary": f"a spec with {len(FIRST)} examples"}


def write_tasks(given):
    return {"files": [{"path": "tasks.md", "text": "# Tasks\n\n- [ ] slug() in titles.py\n"
                                                   "- [ ] a test for each example\n"}],
            "summary": "two tasks"}


def propose_again(given):
    documents = given["documents"]
    examples = spec.read(documents["specs/slug.md"])
    report = documents["CHALLENGE.md"]
    for point in protocol.points(report) + protocol.words_of_a_person(report):
        examples += [example for word, example in ASKED.items()
                     if word in point and example not in examples]
    return {"files": [proposal(given, "\nTitles without a letter become `untitled`."),
                      {"path": "specs/slug.md", "text": spec.write(examples)}],
            "summary": f"a spec with {len(examples)} examples"}


sys.exit(protocol.run({"proposal": write_proposal, "specs": write_specs,
                       "tasks": write_tasks, "reproposal": propose_again}))
