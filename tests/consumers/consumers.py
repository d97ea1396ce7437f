"""Programs outside the tree, built in the ways that strangers build them.

usage: consumers.py cmake|plain|agents|hosts  ROOT BUILD-FOLDER "COMPILER"
       consumers.py subproject   ROOT
       consumers.py onefile      ROOT WFSM.C "COMPILER"
"""
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIP = 77


def run(*command, **more):
    done = subprocess.run([str(part) for part in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **more)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def install(build, prefix):
    """Moved there as a whole: the paths in the .pc files go along."""
    run("meson", "install", "-C", build, "--no-rebuild", "--destdir", prefix)
    for path in prefix.rglob("*.pc"):
        text = path.read_text(encoding="utf-8")
        lines = [re.sub(r"=/", f"={prefix}/", line) for line in text.splitlines(keepends=True)]
        path.write_text("".join(lines), encoding="utf-8")


def folders(prefix, pattern):
    return ":".join(sorted({str(path.parent) for path in prefix.rglob(pattern)}))


def check(output):
    print(output, end="")
    if "approved" not in output:
        sys.exit("the program did not come to its end")


def cmake(work, root, build, _):
    if not shutil.which("cmake"):
        print("no cmake")
        sys.exit(SKIP)
    install(build, work / "prefix")
    shutil.copytree(Path(root) / "tests/consumers", work / "host")
    env = {**os.environ, "PKG_CONFIG_PATH": folders(work / "prefix", "*.pc")}
    run("cmake", "-S", work / "host/cmake", "-B", work / "made", env=env)
    run("cmake", "--build", work / "made", env=env)
    libraries = {"LD_LIBRARY_PATH": folders(work / "prefix", "*.so.[0-9]")}
    check(run(work / "made/program", cwd=work, env={**os.environ, **libraries}))


def plain(work, root, build, compiler):
    install(build, work / "prefix")
    libraries = folders(work / "prefix", "libwfsm.so")
    env = {**os.environ, "LIBRARY_PATH": libraries, "LD_LIBRARY_PATH": libraries,
           "C_INCLUDE_PATH": str(next((work / "prefix").rglob("wfsm.h")).parent.parent)}
    run(*compiler.split(), Path(root) / "tests/consumers/program.c", "-lwfsm-sqlite", "-lwfsm",
        "-o", work / "program", env=env)
    check(run(work / "program", cwd=work, env=env))


def agents(work, root, build, compiler):
    """examples/embed/agents.c as its guide says, and its test with the program made of it."""
    install(build, work / "prefix")
    env = {**os.environ, "PKG_CONFIG_PATH": folders(work / "prefix", "*.pc"),
           "LD_LIBRARY_PATH": folders(work / "prefix", "*.so.[0-9]")}
    flags = run("pkg-config", "--cflags", "--libs", "wfsm-agents", "wfsm-sqlite", env=env).split()
    embed = Path(root) / "examples/embed"
    run(*compiler.split(), embed / "agents.c", *flags, "-o", work / "agents", env=env)
    print(run(sys.executable, Path(root) / "tests/agents/test_example.py", work / "agents",
              embed / "note.json", env=env))


TASK = """[agents.coder]
command = ["python3", "-B", "{data}/agents/coder.py", "--changes", "{data}/sample-changes"]
[agents.reviewer]
command = ["python3", "-B", "{data}/agents/reviewer.py"]
[agents.tester]
command = ["python3", "-B", "{data}/agents/tester.py"]
"""


def hosts(work, root, build, compiler):
    """An installed host away from the source tree: it finds its machine document."""
    del root, compiler
    install(build, work / "prefix")
    program = next((work / "prefix").rglob("bin/coordinator"))
    data = program.parent.parent / "share/wfsm/coordinator"
    env = {**os.environ, "LD_LIBRARY_PATH": folders(work / "prefix", "*.so.[0-9]"),
           "LC_ALL": "C"}
    (work / "coordinator.toml").write_text(TASK.replace("{data}", str(data)), encoding="utf-8")
    (work / "project").mkdir()
    out = subprocess.run([program, "run", "--workspace", work / "project", "--task", "say hello"],
                         cwd=work, env=env, text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, check=False).stdout
    print(out, end="")
    if "plan" not in out or not (work / "coordinator.db").exists():
        sys.exit("the host did not begin its task")
    for name in ("agentd", "aigentflow", "coordinator"):
        page = work / "prefix"
        run(program.with_name(name), "--help", env=env)
        if not list(page.rglob(f"man1/{name}.1")):
            sys.exit(f"no manual page of {name}")


def subproject(work, root):
    host = work / "host"
    shutil.copytree(Path(root) / "tests/consumers/subproject", host)
    shutil.copy(Path(root) / "tests/consumers/program.c", host)
    (host / "subprojects").mkdir()
    (host / "subprojects/wfsm").symlink_to(root, target_is_directory=True)
    # As a release, whose size has a limit: assertions are off.
    run("meson", "setup", host / "made", host, "-Doptimization=2", "-Ddebug=false",
        "-Db_ndebug=true")
    run("meson", "compile", "-C", host / "made", "program")
    check(run(host / "made/program", cwd=work))
    if platform.machine() == "x86_64":
        built = next((host / "made/subprojects/wfsm/lib").glob("libwfsm.so.[0-9]*[0-9]"))
        run(sys.executable, Path(root) / "tests/abi/size.py", built, "550000")


def onefile(work, root, source, compiler):
    """As a stranger has it: two files beside the own one, and no build system."""
    compiler = [*compiler.split(), "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    whole = "wfsm_verify(" in Path(source).with_suffix(".h").read_text(encoding="utf-8")
    run(Path(root) / "scripts/amalgamate", *([] if whole else ["--core"]), work, cwd="/")
    for name in ("wfsm.c", "wfsm.h"):
        if (work / name).read_bytes() != Path(source).with_name(name).read_bytes():
            sys.exit(f"scripts/amalgamate does not write the {name} of the build")
    for name in ("tests/consumers/program.c", "examples/embed/step.c"):
        text = (Path(root) / name).read_text(encoding="utf-8")
        text = text.replace("#include <wfsm/wfsm.h>", '#include "wfsm.h"')
        (work / Path(name).name).write_text(text.replace("#include <wfsm/sqlite.h>\n", ""),
                                            encoding="utf-8")
    run(*compiler, "-fsyntax-only", "wfsm.c", cwd=work)
    run(*compiler, "-DWFSM_SQLITE", "-c", "wfsm.c", cwd=work)
    for name in ("step", "program"):
        run(*compiler, "-DWFSM_SQLITE", name + ".c", "wfsm.o", "-lsqlite3", "-lm", "-o", name, cwd=work)
    print(run(work / "step"), end="")
    check(run(work / "program", cwd=work))
    core(work, root, compiler)


def core(work, root, compiler):
    """libwfsm alone: a program runs, and nothing of verification is in it."""
    run(Path(root) / "scripts/amalgamate", "--core", work / "core", cwd="/")
    run(*compiler, "-I", work / "core", "step.c", work / "core/wfsm.c", "-lm", "-o", "core-step",
        cwd=work)
    run(work / "core-step")
    for file in ("core/wfsm.c", "core/wfsm.h"):
        if "wfsm_verify" in (work / file).read_text(encoding="utf-8"):
            sys.exit(f"{file} has something of verification")


def main(kind, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        globals()[kind](Path(folder), *arguments)


if __name__ == "__main__":
    main(*sys.argv[1:])
