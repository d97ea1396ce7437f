"""The build backend (PEP 517) of the source distribution.

meson-python makes the tarball. The wheel is that of scripts/wheel, of those parts whose libraries are
installed: meson-python's own would move the libraries away from the command that looks for them.
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "bindings" / "python"
# libcurl, libpq and libmicrohttpd need too many libraries of others to have them all in a wheel.
OPTIONS = ["-Dportable=true", "-Dbuildtype=release", "-Dtests=disabled", "-Dhosts=disabled",
           "-Dsqlite=enabled", "-Dexamples=enabled", "-Dpostgres=disabled", "-Dhttp=disabled",
           "-Dserve=disabled"]


def _missing(**modules):
    """Packages of an index for the programs that are not installed."""
    return [package for program, package in modules.items() if not shutil.which(program)]


def get_requires_for_build_wheel(config_settings=None):
    return _missing(meson="meson", ninja="ninja")


def get_requires_for_build_sdist(config_settings=None):
    return ["meson-python", *_missing(meson="meson", ninja="ninja")]


def build_sdist(sdist_directory, config_settings=None):
    import mesonpy
    return mesonpy.build_sdist(sdist_directory, config_settings)


def _meson(*arguments, **environment):
    subprocess.run(["meson", *arguments], check=True, stdout=sys.stderr, cwd=ROOT,
                   env={**os.environ, **environment})


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    sys.path.insert(0, str(PACKAGE))
    import build_wheel as package
    with tempfile.TemporaryDirectory() as build:
        _meson("setup", build, *OPTIONS)
        _meson("compile", "-C", build)
        _meson("install", "-C", build, "--no-rebuild", DESTDIR=f"{build}/files")
        os.environ.update(WFSM_WHEEL_LIBRARIES=f"{build}/files", WFSM_WHEEL_PORTABLE="1")
        return package.build_wheel(wheel_directory)
