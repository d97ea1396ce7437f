"""What a wheel with the libraries of others needs of the system, and the command in it."""
import os
import re
import shutil
import subprocess
import sys
import unittest
import zipfile
from pathlib import Path
from unittest import mock

from support import ROOT, Case, wfsm

SOURCE = ROOT / "bindings" / "python"
sys.path.insert(0, str(SOURCE))
import build_wheel  # noqa: E402
import bundle  # noqa: E402

C = os.environ.get("CC", "cc")


def newest_symbol(path):
    """By objdump, where bundle.py asks readelf."""
    table = subprocess.run(["objdump", "-T", str(path)], check=True, text=True, capture_output=True)
    found = [tuple(map(int, word.strip("()").split("_")[1].split(".")[:2]))
             for line in table.stdout.splitlines() if "*UND*" in line
             for word in line.split() if word.strip("()").startswith("GLIBC_2")]
    return max(found, default=(0, 0))


@unittest.skipUnless(shutil.which(C) and shutil.which("readelf"), "needs a C compiler and binutils")
class Bundle(Case):
    def built(self, name, text, *options):
        folder = self.folder()
        (folder / "x.c").write_text(text)
        subprocess.run([C, "-shared", "-fPIC", f"-Wl,-soname,{name}", "-o", str(folder / name),
                        str(folder / "x.c"), *map(str, options)], check=True, env=self.plain())
        return folder / name

    @staticmethod
    def plain():
        return {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}

    def test_the_tag_follows_the_newest_symbol(self):
        old = self.built("libold.so", "int one(void) { return 1; }")
        new = self.built("libnew.so", "int close_range(unsigned a, unsigned b, int c);\n"
                                      "int two(void) { return close_range(3, 4, 0); }")
        self.assertEqual(bundle.glibc([old]), (2, 17))
        self.assertEqual(bundle.glibc([old, new]), newest_symbol(new))
        self.assertRegex(bundle.tag([old, new]), r"^manylinux_2_34_\w+$")

    def test_packed_relocations_are_refused(self):
        with mock.patch.object(bundle, "versions", lambda path: {"GLIBC_ABI_DT_RELR", "GLIBC_2.36"}):
            with self.assertRaisesRegex(bundle.NotPortable, "libx.so asks for GLIBC_ABI_DT_RELR: "
                                                            "configure with -Dportable=true"):
                bundle.glibc([Path("libx.so")])

    def test_what_a_library_needs_comes_with_it(self):
        other = self.built("libother.so.7", "int one(void) { return 1; }")
        beside = self.built("libx.so", "int one(void); int two(void) { return one(); }", other,
                            "-Wl,-rpath,$ORIGIN")
        with mock.patch.object(bundle, "system_library", lambda name: other):
            self.assertEqual(bundle.with_what_they_need({"libx.so": beside}),
                             {"libx.so": beside, "libother.so.7": other})

    def test_a_library_that_would_not_find_its_neighbour_is_refused(self):
        other = self.built("libother.so.7", "int one(void) { return 1; }")
        lost = self.built("libx.so", "int one(void); int two(void) { return one(); }", other)
        with self.assertRaisesRegex(bundle.NotPortable, "libx.so does not look for libother.so.7"):
            bundle.with_what_they_need({"libx.so": lost})

    def test_a_library_of_others_that_needs_one_more_is_refused(self):
        third = self.built("libthird.so.1", "int one(void) { return 1; }")
        other = self.built("libother.so.7", "int one(void); int two(void) { return one(); }", third)
        beside = self.built("libx.so", "int two(void); int three(void) { return two(); }", other,
                            "-Wl,-rpath,$ORIGIN", "-Wl,--allow-shlib-undefined")
        with mock.patch.object(bundle, "system_library", lambda name: other):
            with self.assertRaisesRegex(bundle.NotPortable, "libother.so.7 needs libthird.so.1"):
                bundle.with_what_they_need({"libx.so": beside})

    def test_a_library_that_is_not_installed_is_named(self):
        with self.assertRaisesRegex(bundle.NotPortable, "libnowhere.so.3 is not installed"):
            bundle.system_library("libnowhere.so.3")

    def test_a_folder_without_the_command_is_refused(self):
        folder = self.folder()
        (folder / "libwfsm.so.1").symlink_to(os.environ["WFSM_LIBRARY"])
        with mock.patch.dict(os.environ, WFSM_WHEEL_LIBRARIES=str(folder), WFSM_WHEEL_PORTABLE="1"):
            with self.assertRaisesRegex(FileNotFoundError, "there is no program wfsm in "):
                build_wheel.build_wheel(self.folder())


class Editable(Case):
    def test_it_names_the_folder_of_the_sources(self):
        folder = self.folder()
        with zipfile.ZipFile(folder / build_wheel.build_editable(folder)) as archive:
            self.assertEqual(archive.read("wfsm.pth").decode(), f"{SOURCE}\n")
            record = archive.read(f"wfsm-{wfsm.__version__}.dist-info/RECORD").decode()
            self.assertEqual({line.split(",")[0] for line in record.splitlines()},
                             set(archive.namelist()))

    def test_the_metadata_has_the_page_for_an_index(self):
        head, _, page = build_wheel.metadata().partition("\n\n")
        self.assertEqual(page, (SOURCE / "README.md").read_text(encoding="utf-8"))
        self.assertIn("Keywords: workflow,state machine,durable execution,agents\n", head)
        self.assertIn("Classifier: Typing :: Typed\n", head)
        holder = re.search(r"Copyright \(c\) \d+ (.+)", (ROOT / "LICENSE").read_text(encoding="utf-8"))[1]
        self.assertIn(f"Author: {holder}\n", head)


class Command(Case):
    def run_it(self, path):
        return subprocess.run([sys.executable, "-m", "wfsm", "list", "a b"], text=True,
                              env={**os.environ, "PATH": str(path)}, capture_output=True)

    def test_it_is_the_installed_one(self):
        folder = self.folder()
        (folder / "wfsm").write_text('#!/bin/sh\nfor word; do echo "[$word]"; done; exit 3\n')
        (folder / "wfsm").chmod(0o755)
        done = self.run_it(folder)
        self.assertEqual((done.stdout, done.returncode), ("[list]\n[a b]\n", 3))

    def test_without_one_it_says_so(self):
        done = self.run_it(self.folder())
        self.assertEqual(done.returncode, 1)
        self.assertIn("the command wfsm is neither in this package nor on PATH", done.stderr)


if __name__ == "__main__":
    unittest.main()
