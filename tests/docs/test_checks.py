"""The checks of the documentation, each on a wrong page."""
import sys
import tempfile
import unittest
from pathlib import Path

import blocks
import calls
import links
import table
import test_docs
import test_words


class Parsing(unittest.TestCase):
    def test_blocks_with_languages_lines_and_marks(self):
        page = ("text\n<!-- test: file a.json -->\n<!-- test: skip why not -->\n```json\n{}\n```\n"
                "````\n```\nnot a fence\n````\n")
        first, second = blocks.blocks(page)
        self.assertEqual((first.language, first.line, first.text), ("json", 4, "{}\n"))
        self.assertEqual(first.marks, {"file": "a.json", "skip": "why not"})
        self.assertEqual((second.language, second.text), ("", "```\nnot a fence\n"))

    def test_what_is_lost_or_open_is_an_error(self):
        for page in ("```json\n{}\n", "<!-- test: skip x -->\ntext\n```c\n```\n",
                     "<!-- test: nonsense -->\n```c\n```\n"):
            with self.subTest(page), self.assertRaises(ValueError):
                list(blocks.blocks(page))

    def test_commands(self):
        self.assertEqual(blocks.commands("$ a \\\n  b\nout\n$ c\n"),
                         [["a \\\n  b\n", "out\n"], ["c\n", ""]])
        with self.assertRaises(ValueError):
            blocks.commands("out\n")

    def test_dots_stand_for_anything(self):
        self.assertTrue(blocks.fits("a … c\n…\nz\n", "a b c\n1\n2\nz"))
        self.assertTrue(blocks.fits("a\n…\n", "a\n"))
        self.assertTrue(blocks.fits("", ""))
        for expected, output in (("a … c\n", "a b d\n"), ("a\n", "a\nb\n"), ("a\n", ""),
                                 ("", "a\n"), ("a.\n", "ab\n")):
            self.assertFalse(blocks.fits(expected, output), (expected, output))



class Words(unittest.TestCase):
    DATA = {"words": {"deed": "effect", "story": "trace"}, "phrases": {"go on": "continue"},
            "places": ["a.h"], "unrevised": {}, "exceptions": []}

    def problems(self, text, **data):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "a.h").write_text(text, encoding="utf-8")
            return list(test_words.problems(Path(folder), {**self.DATA, **data}))

    def test_words_in_text_and_names_with_their_plurals(self):
        for text in ("a deed", "Deeds", "wf_deed(x)", "stories", "go\n * on", "WF_STORY"):
            self.assertEqual(len(self.problems(text)), 1, text)
        self.assertEqual(self.problems("indeed, history, ago once, going on"), [])

    def test_phrases_are_not_looked_at_where_a_page_waits_for_its_revision(self):
        self.assertEqual(self.problems("go on", unrevised={"a.h": "later"}), [])
        self.assertEqual(len(self.problems("a deed", unrevised={"a.h": "later"})), 1)

    def test_exceptions_are_used_and_places_exist(self):
        allowed = [{"file": "a.h", "word": "deed", "reason": "why"}]
        self.assertEqual(self.problems("a deed", exceptions=allowed), [])
        self.assertIn("no longer needed", self.problems("", exceptions=allowed)[0])
        self.assertIn("no such file", self.problems("", places=["b.h"])[0])



class Calls(unittest.TestCase):
    CODE = {"lib/a/a.c": "int32_t wf_a(int x)\n{\n    return helper(x);\n}\n"
                         "static int32_t helper(int x)\n{\n    return table[x].go(x);\n}\n",
            "lib/b/b.c": "static void other(void)\n{\n    wf_a(1);\n}\n\n"
                         "static const kind table[] = {\n    {other},\n};\n"
                         "void wf_b(const kind *kind)\n{\n    table->go(1);\n}\n"}

    def problems(self, page):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in self.CODE.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True)
                path.write_text(text, encoding="utf-8")
            page = calls.updated(Path(folder), page)
            return list(calls.problems(Path(folder), page))

    def test_calls_directly_by_static_functions_tables_and_members(self):
        self.assertEqual(self.problems("```calls\nwf_b x.c\n  wf_a x.c\n```\n"), [])
        self.assertEqual(self.problems("```calls\nwf_b x.c\n  wf_a x.c  (table->go)\n```\n"), [])
        self.assertEqual(self.problems("`wf_a()` in `lib/a/a.c`\n"), [])

    def test_what_is_gone_is_named(self):
        for page in ("```calls\nwf_c x.c\n```\n", "```calls\nwf_a x.c\n  wf_b x.c\n```\n",
                     "```calls\nwf_b x.c\n  wf_a x.c  (no.member)\n```\n", "`wf_c()`\n",
                     "`lib/c/c.c`\n"):
            self.assertEqual(len(self.problems(page)), 1, page)


class Table(unittest.TestCase):
    PAGE = "## What to run\n\n| changed | run | seconds |\n|---|---|---|\n{}\n## More\n"

    def problems(self, *rows):
        with tempfile.TemporaryDirectory() as folder:
            for part in ("lib/a", "cmd/b", "examples", "bindings"):
                (Path(folder) / part).mkdir(parents=True)
            found = table.problems(Path(folder), self.PAGE.format("\n".join(rows)), {"a"})
            return [line for line in found if "include" not in line and "doc" not in line and
                    "scripts" not in line]

    def test_parts_have_rows_and_suites_exist(self):
        good = ["| `lib/a` | `--suite a` | 1 |", "| `cmd/b` | `--suite a` | 1 |"]
        self.assertEqual(self.problems(*good), [])
        self.assertEqual(len(self.problems(good[0])), 1)
        self.assertEqual(len(self.problems(*good, "| `lib/a` | `--suite c` | 1 |")), 1)
        self.assertEqual(len(self.problems(*good, "| `lib/c` | `--suite a` | 1 |")), 1)

    def test_seconds_of_tests_side_by_side(self):
        tests = [{"suites": ["a"], "duration": 8.0}, {"suites": ["a"], "duration": 2.0},
                 {"suites": ["a", "long"], "duration": 900.0}]
        self.assertEqual(table.seconds("`--suite a`", tests), 4)
        page = table.with_seconds(self.PAGE.format("| x | `--suite a` | 0 |"), tests)
        self.assertIn("| x | `--suite a` | 4 |", page)


class Pages(unittest.TestCase):
    def problems(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "page.md"
            path.write_text(text, encoding="utf-8")
            page = test_docs.Page(TOOLS, path, Path(folder))
            return list(page.problems())

    def assertWrong(self, text):
        self.assertEqual(len(self.problems(text)), 1, text)

    def test_a_good_page(self):
        self.assertEqual(self.problems(
            '# A page\n[here](#a-page) [there](page.md) [out](https://example.org/)\n'
            '```json\n{"id": "m", "initial": "a", "states": {"a": {}}}\n```\n'
            '```console\n$ echo a b\na …\n```\n'
            '```c\n#include <wfsm/sqlite.h>\nint main(void) { return wfsm_version()[0] == 0; }\n```\n'
            '```python\nprint(6 * 7)\n```\n<!-- test: prints -->\n```text\n42\n```\n'
            '<!-- test: output of echo drawn -->\n```mermaid\ndrawn\n```\n'), [])

    def test_links(self):
        self.assertWrong("[x](nowhere.md)\n")
        self.assertWrong("# A\n[x](#b)\n")
        self.assertEqual(list(links.LINK.findall("[a](b) [c](d#e)")), ["b", "d#e"])

    def test_named_files(self):
        self.assertWrong("`lib/nowhere/x.c`\n")
        self.assertWrong("`scripts/nothing --all`\n")
        self.assertEqual(self.problems("`lib/base/arena.c` `scripts/test --all` `lib/PART/NAME.c` "
                                       "`tests/PART/test_NAME.c` `other/x.c`\n"), [])

    def test_json(self):
        self.assertWrong("```json\n{\n```\n")
        self.assertWrong('```json\n{"a": 1, "a": 2}\n```\n')
        self.assertWrong('```json\n{"id": "m", "initial": "b", "states": {"a": {}}}\n```\n')
        self.assertWrong('```json\n{"machine": {"id": "m", "initial": "a", "states": {"a": {}}},'
                         '"steps": [[null, {"configuration": ["b"]}]]}\n```\n')

    def test_programs(self):
        self.assertWrong("```c\nint main(void) { return 1; }\n```\n")
        self.assertWrong("```c\nint main(void) { return x; }\n```\n")
        self.assertWrong("```console\n$ echo a\nb\n```\n")
        self.assertWrong("```python\nraise ValueError\n```\n")
        self.assertWrong("```python\nprint(1)\n```\n<!-- test: prints -->\n```text\n2\n```\n")
        self.assertWrong("<!-- test: output of echo a -->\n```mermaid\nb\n```\n")
        self.assertWrong("<!-- test: same as examples/embed/embed.c -->\n```c\nx\n```\n")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as tool_folder:
        TOOLS = test_docs.Tools(*sys.argv[1:8], tool_folder)
        unittest.main(argv=sys.argv[:1])
