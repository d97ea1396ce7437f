"""What `meson install` puts down is enough to build and run a program.

usage: installed.py BUILD-FOLDER "COMPILER" PACKAGE…
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAMS = {
    "wfsm": """
        #include <string.h>
        #include <wfsm/wfsm.h>
        int main(void) { return strcmp(wfsm_version(), VERSION) != 0; }
    """,
    "wfsm-tools": """
        #include <string.h>
        #include <wfsm/tools.h>
        #include <wfsm/verify.h>
        static const char text[] =
            "{\\"id\\": \\"m\\", \\"initial\\": \\"a\\", \\"states\\": {\\"a\\": {\\"type\\": \\"final\\"}}}";
        int main(void)
        {
            wfsm_machine *machine = NULL;
            wfsm_verification *found = NULL;
            char *drawing = NULL;
            size_t length = 0;
            if (wfsm_machine_load(&machine, text, sizeof text - 1, NULL, NULL,
                                  NULL) != WFSM_OK ||
                wfsm_verify(&found, machine, NULL, NULL) != WFSM_OK ||
                wfsm_machine_graph(machine, WFSM_DOT, &drawing, &length, NULL) != WFSM_OK)
                return 1;
            int holds = wfsm_verification_verdict(found) == WFSM_HOLDS;
            holds = holds && strncmp(drawing, "digraph", 7) == 0;
            wfsm_text_free(machine, drawing);
            wfsm_verification_free(found);
            wfsm_machine_unref(machine);
            return !holds;
        }
    """,
    "wfsm-testkit": """
        #include <wfsm/testkit.h>
        static int32_t open_memory(void *user, int32_t which, wfsm_store **store,
                                   wfsm_error *error)
        {
            (void)user, (void)which;
            return wfsm_memory_open(store, NULL, error);
        }
        int main(void)
        {
            wfsm_testkit_store_options memory = {.size = sizeof memory, .open = open_memory};
            wfsm_testkit_counts counts = {.size = sizeof counts};
            return wfsm_testkit_store(&memory, NULL, NULL, &counts, NULL) != WFSM_OK ||
                   counts.failed > 0 || counts.passed == 0;
        }
    """,
    "wfsm-agents": """
        #include <string.h>
        #include <wfsm/agents.h>
        int main(void)
        {
            static const char *const command[] = {"true", NULL};
            wfsm_process_options options = {.size = sizeof options, .command = command};
            wfsm_agents *agents = NULL;
            char text[WFSM_DURATION_SIZE];
            int32_t status = wfsm_agents_new(&agents, NULL);
            if (status == WFSM_OK)
                status = wfsm_agents_add_process(agents, "a", &options, NULL);
            wfsm_agents_free(agents);
            return status != WFSM_OK || strcmp(wfsm_progress_duration(1500, text), "1.5s") != 0 ||
                   wfsm_agents_load_toml(NULL, "x", NULL) != WFSM_INVALID;
        }
    """,
    "wfsm-postgres": """
        #include <wfsm/postgres.h>
        int main(void)
        {
            wfsm_store *store = NULL;
            return wfsm_postgres_open(&store, "host=/none", NULL, NULL, NULL) != WFSM_IO ||
                   store != NULL || wfsm_postgres_sql(NULL, NULL, 0) == 0;
        }
    """,
    "wfsm-sqlite": """
        #include <wfsm/sqlite.h>
        int main(void)
        {
            wfsm_store *store = NULL;
            return wfsm_sqlite_open(&store, "/", NULL, NULL, NULL) == WFSM_OK || store != NULL;
        }
    """,
}


def run(*command, **more):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, **more).stdout


def pkg_config(root, *arguments):
    places = sorted({str(path.parent) for path in root.rglob("*.pc")})
    env = {**os.environ, "PKG_CONFIG_PATH": ":".join(places), "PKG_CONFIG_SYSROOT_DIR": str(root)}
    return run("pkg-config", *arguments, env=env).split()


def static_flags(root, package):
    """Our libraries from their archives, what they stand on as it comes."""
    own = pkg_config(root, "--libs", package)
    outer = {
        name
        for flag in own if flag.startswith("-lwfsm")
        for name in pkg_config(root, "--print-requires-private", flag[2:])
    }
    flags = [f"-l:lib{flag[2:]}.a" if flag.startswith("-lwfsm") else flag for flag in own]
    flags += pkg_config(root, "--libs", *sorted(outer)) if outer else []
    if package == "wfsm-agents":
        flags.append("-lstdc++")
    return flags + ["-lm"]


def try_package(root, compiler, package, static):
    version = " ".join(pkg_config(root, "--modversion", package))
    source, program = root / "program.c", str(root / "program")
    source.write_text(f'#define VERSION "{version}"\n' + PROGRAMS[package], encoding="utf-8")
    headers = pkg_config(root, "--cflags", package)
    flags = static_flags(root, package) if static else pkg_config(root, "--libs", package)
    run(*compiler, "-std=c11", "-o", program, str(source), *headers, *flags)
    libraries = ":".join(sorted({str(path.parent) for path in root.rglob("*.so.[0-9]")}))
    run(program, env={**os.environ, "LD_LIBRARY_PATH": "" if static else libraries})
    print(f"{package} {version} {'static' if static else 'shared'}: built and ran")


def main(arguments):
    build, compiler, *packages = arguments
    with tempfile.TemporaryDirectory() as folder:
        run("meson", "install", "-C", build, "--no-rebuild", "--destdir", folder)
        for package in packages:
            for static in (False, True):
                try_package(Path(folder), compiler.split(), package, static)
    return 0 if packages else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
