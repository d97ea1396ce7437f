"""The wheel that `pip install bindings/python` makes, and the numbers of the version."""
import os
import re
import subprocess
import sys
import unittest
import zipfile
from unittest import mock

from support import ROOT, Case, wfsm

SOURCE = ROOT / "bindings" / "python"
sys.path.insert(0, str(SOURCE))
import build_wheel  # noqa: E402


class Package(Case):
    def test_the_wheel_holds_the_whole_package_and_works(self):
        folder = self.folder()
        wheel = folder / build_wheel.build_wheel(folder)
        with zipfile.ZipFile(wheel) as archive:
            self.assertIsNone(archive.testzip())
            archive.extractall(folder / "site")
            record = archive.read(f"wfsm-{wfsm.__version__}.dist-info/RECORD").decode()
            names = set(archive.namelist())
        self.assertEqual({line.split(",")[0] for line in record.splitlines()}, names)
        sources = {path.relative_to(SOURCE).as_posix()
                   for path in (SOURCE / "wfsm").rglob("*.py")}
        self.assertLessEqual(sources | {"wfsm/py.typed"}, names)
        shown = subprocess.run(
            [sys.executable, "-c", "import wfsm; print(wfsm.__file__, wfsm.memory().list())"],
            env={**os.environ, "PYTHONPATH": str(folder / "site")},
            capture_output=True, text=True)
        self.assertEqual(shown.stdout, f"{folder / 'site' / 'wfsm' / '__init__.py'} []\n",
                         shown.stderr)

    def test_a_wheel_with_the_libraries_needs_nothing_else(self):
        folder, build = self.folder(), self.folder()
        for variable, stem in (("", "wfsm"), ("SQLITE_", "wfsm-sqlite"), ("TOOLS_", "wfsm-tools"),
                               ("AGENTS_", "wfsm-agents")):
            built = os.environ.get(f"WFSM_{variable}LIBRARY")
            if built:
                (build / f"lib{stem}.so.1").symlink_to(built)
        with mock.patch.dict(os.environ, WFSM_WHEEL_LIBRARIES=str(build)):
            wheel = folder / build_wheel.build_wheel(folder)
        self.assertNotIn("none-any", wheel.name)
        installed = subprocess.run(
            [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps",
             "--disable-pip-version-check", "--target", str(folder / "site"), str(wheel)],
            capture_output=True, text=True)
        if installed.returncode:
            with zipfile.ZipFile(wheel) as archive:  # a Python without pip
                archive.extractall(folder / "site")
        environment = {key: value for key, value in os.environ.items()
                       if not key.startswith(("WFSM_", "LD_LIBRARY_PATH", "PYTHONPATH"))}
        shown = subprocess.run(
            [sys.executable, "-c",
             "import wfsm; print(wfsm._ffi.lib._name)\n"
             "machine = wfsm.Machine.load({'id': 'm', 'initial': 'a', 'states': {'a': {}}})\n"
             "print(wfsm.sqlite('tasks.db').list(), 'a' in machine.graph())"],
            env={**environment, "PYTHONPATH": str(folder / "site")}, cwd=folder,
            capture_output=True, text=True)
        self.assertEqual(shown.stdout.splitlines(),
                         [str(folder / "site" / "wfsm" / "lib" / "libwfsm.so.1"), "[] True"],
                         shown.stderr)

    def test_a_wheel_says_what_to_install_for_postgresql(self):
        folder, build = self.folder(), self.folder()
        (build / "libwfsm.so.1").symlink_to(os.environ["WFSM_LIBRARY"])
        with mock.patch.dict(os.environ, WFSM_WHEEL_LIBRARIES=str(build)):
            wheel = folder / build_wheel.build_wheel(folder)
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder / "site")
        environment = {key: value for key, value in os.environ.items() if not key.startswith("WFSM_")}
        environment["PYTHONPATH"] = str(folder / "site")

        def ask(**more):
            return subprocess.run([sys.executable, "-c", "import wfsm; print(len(wfsm.postgres_sql()))"],
                                  env={**environment, **more}, capture_output=True, text=True)

        said = ask()
        if said.returncode:  # the system has none
            self.assertIn(
                "ImportError: the wheel has no libwfsm-postgres, because it needs libpq: install Debian's "
                f"package libwfsm-postgres1 of the release {wfsm.__version__}, or build wfsm, and set "
                "WFSM_POSTGRES_LIBRARY to the file libwfsm-postgres.so.1\n", said.stderr)
        built = os.environ.get("WFSM_POSTGRES_LIBRARY")
        if built:
            said = ask(WFSM_POSTGRES_LIBRARY=built)
            self.assertGreater(int(said.stdout or 0), 1000, said.stderr)

    def test_a_wheel_says_what_to_install_for_http(self):
        from wfsm import agents, errors
        for inside, expected in ((False, "not in this build: x"), (
                True, "HTTP agents are not in the wheel, because they need libcurl: install Debian's "
                      f"package libwfsm-agents1 of the release {wfsm.__version__}, or build wfsm, and set "
                      "WFSM_AGENTS_LIBRARY to the file libwfsm-agents.so.1")):
            with mock.patch("wfsm._ffi.in_wheel", return_value=inside):
                with self.assertRaises(wfsm.StoreError) as raised, agents._named_for_wheels():
                    raise errors.make(wfsm.Status.IO, "HTTP agents are not in this build: x")
            self.assertTrue(str(raised.exception).endswith(expected), raised.exception)

    def test_a_folder_without_the_libraries_is_refused(self):
        with mock.patch.dict(os.environ, WFSM_WHEEL_LIBRARIES=str(self.folder())):
            with self.assertRaisesRegex(FileNotFoundError, "there is no libwfsm.so.1 in "):
                build_wheel.build_wheel(self.folder())

    def test_one_version_everywhere(self):
        meson = (ROOT / "meson.build").read_text(encoding="utf-8")
        version = re.search(r"version: '([0-9.]+)'", meson)[1]
        header = (ROOT / "include/wfsm/base.h").read_text(encoding="utf-8")
        self.assertIn('dynamic = ["version"]', (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
        abi = re.search(r"abi_major = '(\d+)'", meson)[1]
        self.assertEqual({abi, re.search(r"WFSM_ABI_VERSION (\d+)", header)[1]},
                         {str(wfsm._ffi.ABI)})
        self.assertEqual({wfsm.__version__, wfsm.library_version(),
                          build_wheel.project("version")}, {version})

    def test_what_is_public_is_documented(self):
        for name in wfsm.__all__:
            with self.subTest(name):
                self.assertTrue(hasattr(wfsm, name))
                if callable(getattr(wfsm, name)):
                    self.assertTrue(getattr(wfsm, name).__doc__)


if __name__ == "__main__":
    unittest.main()
