"""A build backend (PEP 517) for a package of Python files, and of the libraries if it is told where
they are: WFSM_WHEEL_LIBRARIES names a folder, such as that of a build. Without it the package loads
the libraries of the system.
"""
import base64
import hashlib
import os
import re
import sysconfig
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIBRARIES = ("wfsm", "wfsm-sqlite", "wfsm-postgres", "wfsm-tools", "wfsm-agents")


def project(key):
    """A string of the table [project]; Python 3.9 has no reader for TOML."""
    text = (HERE / "pyproject.toml").read_text(encoding="utf-8").split("[project]")[1]
    return re.search(rf'^{key} = "(.*)"$', text, re.M)[1]


def libraries():
    """Those of the folder, under the names by which they look for each other."""
    folder = os.environ.get("WFSM_WHEEL_LIBRARIES")
    if not folder:
        return {}
    found = {}
    for stem in LIBRARIES:
        for path in sorted(Path(folder).rglob(f"lib{stem}.*")):
            if path.name in (f"lib{stem}.so.1", f"lib{stem}.1.dylib"):
                found.setdefault(path.name, path.read_bytes())
    if not any(name.startswith("libwfsm.") for name in found):
        raise FileNotFoundError(f"there is no libwfsm.so.1 in {folder} (WFSM_WHEEL_LIBRARIES)")
    return found


def tag():
    """The files run everywhere; libraries only on this platform."""
    if not os.environ.get("WFSM_WHEEL_LIBRARIES"):
        return "py3-none-any"
    return "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())


def files():
    name, version = project("name"), project("version")
    for library, content in libraries().items():
        yield f"{name}/lib/{library}", content
    info = f"{name}-{version}.dist-info"
    for path in sorted((HERE / name).rglob("*")):
        if path.suffix == ".py" or path.name == "py.typed":
            yield path.relative_to(HERE).as_posix(), path.read_bytes()
    yield f"{info}/METADATA", (
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        f"Summary: {project('description')}\nLicense: MIT\n"
        f"Requires-Python: {project('requires-python')}\n").encode()
    yield f"{info}/WHEEL", (
        f"Wheel-Version: 1.0\nGenerator: wfsm\n"
        f"Root-Is-Purelib: {'true' if tag().endswith('any') else 'false'}\nTag: {tag()}\n").encode()


def record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name, version = project("name"), project("version")
    wheel, record = f"{name}-{version}-{tag()}.whl", ""
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files():
            archive.writestr(path, data)
            record += record_line(path, data)
        own = f"{name}-{version}.dist-info/RECORD"
        archive.writestr(own, f"{record}{own},,\n")
    return wheel
