"""A build backend (PEP 517) for a package of Python files only."""
import base64
import hashlib
import re
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def project(key):
    """A string of the table [project]; Python 3.9 has no reader for TOML."""
    text = (HERE / "pyproject.toml").read_text(encoding="utf-8").split("[project]")[1]
    return re.search(rf'^{key} = "(.*)"$', text, re.M)[1]


def files():
    name, version = project("name"), project("version")
    info = f"{name}-{version}.dist-info"
    for path in sorted((HERE / name).rglob("*")):
        if path.suffix == ".py" or path.name == "py.typed":
            yield path.relative_to(HERE).as_posix(), path.read_bytes()
    yield f"{info}/METADATA", (
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        f"Summary: {project('description')}\nLicense: MIT\n"
        f"Requires-Python: {project('requires-python')}\n").encode()
    yield f"{info}/WHEEL", (
        b"Wheel-Version: 1.0\nGenerator: wfsm\nRoot-Is-Purelib: true\nTag: py3-none-any\n")


def record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name, version = project("name"), project("version")
    wheel, record = f"{name}-{version}-py3-none-any.whl", ""
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files():
            archive.writestr(path, data)
            record += record_line(path, data)
        own = f"{name}-{version}.dist-info/RECORD"
        archive.writestr(own, f"{record}{own},,\n")
    return wheel
