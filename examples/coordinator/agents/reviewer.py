"""The reviewer of the demo: compiles with all warnings, analyses, and gives a verdict.

usage: reviewer.py   (the invocation comes on standard input)

Every C file of the workspace is compiled into a scratch folder; the workspace is only
read. CC names the compiler (default gcc). Its static analyser is used when it has one,
and cppcheck when it is installed. Any diagnostic asks for changes.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import protocol
from protocol import Failure, log

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wtype-limits",
            "-Wstrict-prototypes", "-Wmissing-prototypes"]
COMPILE = ["-std=c11", "-O2", "-fno-diagnostics-show-caret", *WARNINGS]
CPPCHECK = ["cppcheck", "--quiet", "--std=c11", "--enable=warning,performance,portability",
            "--template={file}:{line}:{column}: {severity}: {message} [{id}]"]
DIAGNOSTIC = re.compile(r"^(?P<file>[^:]+):(?P<line>\d+):(?:\d+:)? "
                     r"(?:fatal error|error|warning|performance|portability): "
                     r"(?P<message>.+)$")
SECONDS = 120


def main():
    return protocol.run({"strict": review, "discussion": discuss})


def discuss(invocation):
    sources = find_sources(Path(invocation["input"]["workspace"]))
    return {"text": f"I would compile {len(sources)} files with all warnings."}


def review(invocation):
    workspace = Path(invocation["input"]["workspace"])
    sources = find_sources(workspace)
    compiler = find_compiler()
    with tempfile.TemporaryDirectory(prefix="review-") as scratch:
        tools = [[*compiler, "-I.", "-c", "-o", os.path.join(scratch, "out.o")]]
        if shutil.which("cppcheck"):
            tools.append(CPPCHECK)
        diagnostics = [f for tool in tools for f in examine(tool, sources, workspace)]
    return verdict(diagnostics, sources, tools)


def find_sources(workspace):
    sources = [path.relative_to(workspace) for path in sorted(workspace.rglob("*.c"))]
    sources = [str(s) for s in sources if not any(p.startswith(".") for p in s.parts)]
    if not sources:
        raise Failure(f"no C file in {workspace}")
    return sources


def find_compiler():
    compiler = shutil.which(os.environ.get("CC", "gcc")) or shutil.which("cc")
    if compiler is None:
        raise Failure("no C compiler: neither $CC, nor gcc, nor cc")
    analyser = ["-fanalyzer"]
    probe = [compiler, *analyser, "-x", "c", "-fsyntax-only", os.devnull]
    if run_tool(probe, Path("/")).returncode != 0:
        log(f"{compiler} has no -fanalyzer: going on without")
        analyser = []
    return [compiler, *COMPILE, *analyser]


def examine(tool, sources, workspace):
    diagnostics = []
    for source in sources:
        log(f"{os.path.basename(tool[0])} {source}")
        result = run_tool([*tool, source], workspace)
        found = read_diagnostics(result.stderr)
        if result.returncode != 0 and not found:
            found = [diagnostic(source, 1, f"{tool[0]} ended with status {result.returncode}: "
                             f"{result.stderr.strip()[-300:]}")]
        for item in found:
            log(f"  {item['file']}:{item['line']}: {item['message']}")
        diagnostics += found
    return diagnostics


def run_tool(argv, folder):
    # English in every locale, because a program reads the diagnostics.
    env = {**os.environ, "LC_ALL": "C"}
    try:
        return subprocess.run(argv, cwd=folder, env=env, timeout=SECONDS, text=True,
                              errors="replace", stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise Failure(f"cannot run {argv[0]}: {problem}") from None


def read_diagnostics(output):
    matches = [DIAGNOSTIC.match(line) for line in output.splitlines()]
    return [diagnostic(m["file"], int(m["line"]), m["message"]) for m in matches if m]


def diagnostic(file, line, message):
    return {"file": file, "line": line, "message": message}


def verdict(diagnostics, sources, tools):
    must_fix = []
    for item in diagnostics:  # a diagnostic of a header is repeated for each file that includes it
        if item not in must_fix:
            must_fix.append(item)
    names = " and ".join(tool_name(tool) for tool in tools)
    return {
        "decision": "changes_requested" if must_fix else "approve",
        "must_fix": must_fix,
        "summary": f"{names} looked at {len(sources)} files: {len(must_fix)} diagnostic(s).",
    }


def tool_name(tool):
    analyser = " -fanalyzer" if "-fanalyzer" in tool else ""
    return os.path.basename(tool[0]) + analyser


if __name__ == "__main__":
    sys.exit(main())
