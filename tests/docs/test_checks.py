"""The checks of the documentation, each against a page that is wrong."""
import sys
import tempfile
import unittest
from pathlib import Path

import blocks
import links
import test_docs


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
        TOOLS = test_docs.Tools(*sys.argv[1:6], tool_folder)
        unittest.main(argv=sys.argv[:1])
