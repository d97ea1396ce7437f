"""The checks of this folder can fail: each is run on a bad example."""
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import circles
import headers
import ladder
import listed
import manners
import needed
import null
import parameters
import symbols

COMPILER = os.environ.get("CC_COMMAND", "cc").split()


def tree(folder, files):
    for name, text in files.items():
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Path(folder).resolve()


def archive(folder, sources):
    """An archive of objects named like those of the inner build."""
    objects = []
    for name, text in sources.items():
        source = Path(folder, name + ".c")
        source.write_text(text, encoding="utf-8")
        objects.append(f"{source}.o")
        subprocess.run([*COMPILER, "-c", "-fPIC", "-o", objects[-1], source], check=True)
    result = Path(folder, "libinner.a")
    subprocess.run(["ar", "crs", result, *objects], check=True)
    return result


class Bad(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name


class Includes(Bad):
    def climbs(self, files):
        root = tree(self.folder, {"lib/step/step.h": "", "lib/base/text.h": "", **files})
        return len(ladder.climbing_includes(root / "lib"))

    def test_downwards_is_fine(self):
        self.assertEqual(0, self.climbs({
            "lib/step/a.c": '#include "base/text.h"\n#include "step.h"\n#include <math.h>\n'
                            '#include "wfsm/machine.h"\n',
        }))

    def test_upwards(self):
        self.assertEqual(1, self.climbs({"lib/base/a.c": '#include "step/step.h"\n'}))

    def test_upwards_by_a_relative_path(self):
        self.assertEqual(1, self.climbs({"lib/base/a.h": '  # include "../step/step.h"\n'}))

    def test_upwards_by_a_public_header(self):
        self.assertEqual(2, self.climbs({
            "lib/base/a.c": "#include <wfsm/engine.h>\n#include <wfsm/wfsm.h>\n"}))

    def test_verify_stands_beside_the_store(self):
        self.assertEqual(2, self.climbs({
            "lib/store/store.h": "",
            "lib/verify/a.c": '#include "store/store.h"\n#include "wfsm/instance.h"\n'
                             '#include "step/step.h"\n'}))

    def test_a_companion_sees_public_headers_only(self):
        self.assertEqual(1, self.climbs({
            "lib/sqlite/own.h": "",
            "lib/sqlite/a.c": '#include "base/text.h"\n#include "wfsm/store.h"\n'
                              '#include "own.h"\n#include <sqlite3.h>\n'}))

    def test_hosts_see_public_headers_only(self):
        root = tree(self.folder, {
            "lib/base/text.h": "", "examples/host/run.h": "",
            "examples/a/a.c": '#include "base/text.h"\n#include "../../lib/base/text.h"\n'
                              '#include "host/run.h"\n#include <wfsm/wfsm.h>\n'})
        self.assertEqual(2, len(ladder.inner_includes(root / "examples", root / "lib")))


class Calls(Bad):
    def test_upwards(self):
        rows = ladder.symbols(archive(self.folder, {
            "base_text": "int wf_step(void); int wf_text(void) { return wf_step(); }",
            "step_run": "int wf_text(void); int wf_step(void) { return wf_text(); }"}))
        self.assertEqual(["base_text.c.o: base may not use wf_step of step"],
                         ladder.climbing_calls(rows))


class Circles(Bad):
    SOURCES = {
        "base_a": "int b(void); int a(void); int a(void) { return b(); }",
        "base_b": "int c(void); int b(void); int b(void) { return c(); }",
        "base_c": "int a(void); int d(void); int c(void); int c(void) { return a() + d(); }",
        "base_d": "int d(void); int d(void) { return 0; }",
        "base_e": "int a(void); int e(void); int e(void) { return a(); }",
        "step_f": "int g(void); int f(void); int f(void) { return g(); }",
        "step_g": "int f(void); int g(void); int g(void) { return f(); }"}

    def found(self, recursions):
        graph = circles.calls(ladder.symbols(archive(self.folder, self.SOURCES)))
        return [line for line in circles.circles_of_calls(graph, recursions)
                if not line.startswith(" ")]

    def test_circles_of_any_length(self):
        self.assertEqual(["base/a base/b base/c: call each other in a circle",
                          "step/f step/g: call each other in a circle"], self.found({}))

    def test_a_listed_recursion_is_fine(self):
        self.assertEqual(["base/a base/b base/c: call each other in a circle"],
                         self.found({("step/f", "step/g"): "why"}))

    def test_a_list_that_is_too_long(self):
        self.assertEqual(["base/a base/b base/c: call each other in a circle",
                          "base/a base/d: listed, but no circle any more"],
                         self.found({("step/f", "step/g"): "why", ("base/a", "base/d"): "why"}))

    def test_recursions_are_pairs_with_a_reason(self):
        for files, reason in circles.RECURSIONS.items():
            self.assertEqual(sorted(files), list(files)[:2])
            self.assertTrue(reason.endswith("."), reason)

    def test_companions_are_parts_of_their_own(self):
        folder = Path(self.folder, "sqlite")
        folder.mkdir()
        graph = circles.calls(ladder.symbols(archive(folder, {"base_a": self.SOURCES["base_d"]})))
        self.assertEqual(["sqlite/base_a"], list(graph))

    def test_headers(self):
        root = tree(self.folder, {
            "lib/base/a.h": '#include "base/b.h"\n#include <stddef.h>\n',
            "lib/base/b.h": '#include "c.h"\n', "lib/base/c.h": '#include <wfsm/d.h>\n',
            "include/wfsm/d.h": '#include "base/b.h"\n', "lib/base/e.c": '#include "base/a.h"\n'})
        found = circles.circles_of_includes(circles.includes(root))
        self.assertEqual(1, len(found))
        self.assertNotIn("a.h", found[0])
        self.assertTrue(found[0].endswith("include each other in a circle"))


class Manners(Bad):
    def test_each_offence_is_seen(self):
        found = manners.diagnostics(manners.table(archive(self.folder, {
            "base_good": "#include <stdlib.h>\nextern const char *const names[2];\n"
                         'const char *const names[2] = {"a", "b"};\n'
                         "void *get(void); void *get(void) { return malloc(1); }",
            "step_bad": "#include <stdio.h>\n#include <stdlib.h>\nstatic int calls;\n"
                        'void *f(void); void *f(void) { printf("%d", ++calls); '
                        "return malloc(1); }"
                        "__attribute__((constructor)) static void early(void) { calls = 1; }"})))
        self.assertEqual(4, len(set(found)), found)
        self.assertTrue(all(line.startswith("step_bad.c.o: ") for line in found), found)


class Symbols(unittest.TestCase):
    HEADER = """
        #define WFSM_API __attribute__((visibility("default")))
        /* WFSM_API int in_comment(void); */
        extern "C" {
        typedef int (*callback)(void *user);
        struct table { int (*run)(int); };
        static inline int twice(int a) { if (a) { return 2 * a; } return 0; }
        WFSM_API const char *
        wfsm_name(int (*f)(int));
        int wfsm_forgotten(void);
        }
    """

    def test_what_a_header_declares(self):
        self.assertEqual(({"wfsm_name"}, {"wfsm_forgotten"}), symbols.functions(self.HEADER))

    def test_what_a_version_script_lists(self):
        text = ("WFSM_0 {\nglobal:\n  a;\n  b;\nlocal:\n *;\n};\nWFSM_1 { global: c; } WFSM_0;\n"
                "WFSM_PRIVATE_0_1_0 {\nglobal:\n  wf_d;\n};\n")
        self.assertEqual({"a", "b", "c"}, symbols.listed(text))
        self.assertEqual({"wf_d"}, symbols.listed(text, "WFSM_PRIVATE_0_1_0"))

    def test_private_symbols_are_declared_listed_exported_and_used(self):
        names, rows, node = {"wf_a"}, {("wf_a", "WFSM_PRIVATE_1_0_0")}, "WFSM_PRIVATE_1_0_0"
        self.assertEqual([], symbols.private_differences(names, names, rows, rows, node))
        for i in range(4):
            sets = [names, names, rows, rows]
            sets[i] = set()
            self.assertEqual(1, len(symbols.private_differences(*sets, node)), i)
        other = {("wf_a", "WFSM_PRIVATE_2_0_0")}
        self.assertEqual(1, len(symbols.private_differences(names, names, rows, other, node)))

    def test_all_three_must_agree(self):
        agree = {"wfsm_a"}
        self.assertEqual([], symbols.differences(agree, set(), agree, agree))
        for sets in ((set(), agree, agree), (agree, set(), agree), (agree, agree, set())):
            self.assertEqual(1, len(symbols.differences(sets[0], set(), *sets[1:])))
        self.assertEqual(1, len(symbols.differences(agree, {"wfsm_b"}, agree, agree)))


class Others(Bad):
    def test_a_source_that_nobody_builds(self):
        root = tree(self.folder, {"lib/base/a.c": "", "lib/base/b.c": "", "tests/data/c.json": "",
                                  "lib/base/arena.h": "/* a.c, b.c */"})
        targets = [{"target_sources": [{"sources": [f"{root}/lib/base/a.c"]}]}]
        tree(self.folder, {"build/meson-info/intro-targets.json": json.dumps(targets)})
        self.assertEqual(1, listed.main([str(root), f"{root}/build"]))
        (root / "lib/base/b.c").unlink()
        self.assertEqual(0, listed.main([str(root), f"{root}/build"]))

    def test_two_sources_of_one_name(self):
        root = tree(self.folder, {"lib/base/a.c": "", "lib/step/b.c": "", "tests/step/a.c": ""})
        self.assertEqual([], listed.twice(root))
        (root / "lib/step/b.c").rename(root / "lib/step/a.c")
        self.assertEqual(2, len(listed.twice(root)))

    def test_a_source_that_no_header_explains(self):
        root = tree(self.folder, {"a.c": "", "b_1.c": "", "c.c": "", "d.c": "",
                                  "first.h": "/* a.c, b_*.c and c.h */\n/* d.c */\n"})
        self.assertEqual([str(root / "d.c")], listed.unexplained(root, "first.h"))

    def test_a_header_that_needs_another(self):
        root = tree(self.folder, {"wfsm/a.h": "size_t f(void);\n", "wfsm/b.h": "int g(void);\n"})
        arguments = [str(root), "c", "c11", *COMPILER]
        self.assertEqual(1, headers.main(arguments))
        (root / "wfsm/a.h").unlink()
        self.assertEqual(0, headers.main(arguments))

    def test_a_call_with_seven_parameters(self):
        six = "int32_t a, int32_t b, int32_t (*c)(int x, int y), int d, int e, int f"
        call = "WFSM_API int32_t wfsm_x_y(%s);\n/* WFSM_API int wfsm_z(a, b, c, d, e, f, g); */"
        tree(self.folder, {"wfsm/x.h": call % six})
        self.assertEqual(0, parameters.main(self.folder))
        tree(self.folder, {"wfsm/x.h": call % (six + ", int g")})
        self.assertEqual(1, parameters.main(self.folder))
        tree(self.folder, {"wfsm/x.h": "", "wfsm/store.h": call % (six + ", int g")})
        self.assertEqual(0, parameters.main(self.folder))
        inline = "static inline int32_t wfsm_x_y(%s)\n{\n    return 0;\n}\n"
        tree(self.folder, {"wfsm/x.h": inline % six})
        self.assertEqual(0, parameters.main(self.folder))
        tree(self.folder, {"wfsm/x.h": inline % (six + ", int g")})
        self.assertEqual(1, parameters.main(self.folder))

    def test_a_call_that_does_not_accept_null(self):
        tree(self.folder, {"wfsm/x.h": "WFSM_API int32_t wfsm_a(const wfsm_x *x, int32_t y);\n"
                                       "WFSM_API int64_t wfsm_b(wfsm_x *x);\n"
                                       "WFSM_API const char *wfsm_c(wfsm_x *x, size_t *length);\n"})
        source = ("int wfsm_a(int *x, int y) { return 2 + y; } long wfsm_b(long *x) { return %s; }"
                  "char *wfsm_c(char *x, unsigned long *length) { %s; return x; }")
        for one, other, expected in (("x ? *x : 0", "*length = 0", 0), ("x ? *x : 0", "", 1),
                                     ("x ? *x : 1", "*length = 0", 1),
                                     ("*(volatile long *)x", "*length = 0", 1)):
            library = f"{self.folder}/{abs(hash((one, other)))}.so"
            Path(self.folder, "a.c").write_text(source % (one, other))
            subprocess.run([*COMPILER, "-shared", "-fPIC", "-o", library, f"{self.folder}/a.c"],
                           check=True)
            self.assertEqual(expected, null.main(self.folder, library))

    def test_a_library_that_needs_too_much(self):
        source = Path(self.folder, "a.c")
        source.write_text("double cos(double); double f(double a) { return cos(a); }")
        library = f"{self.folder}/liba.so"
        subprocess.run([*COMPILER, "-shared", "-fPIC", "-Wl,-soname,liba.so.0", "-o", library,
                        source, "-lm"], check=True)
        self.assertEqual(0, needed.main([library, "liba.so.0", "libc", "libm"]))
        self.assertEqual(1, needed.main([library, "liba.so.0", "libc"]))
        self.assertEqual(1, needed.main([library, "liba.so.1", "libc", "libm"]))


if __name__ == "__main__":
    unittest.main()
