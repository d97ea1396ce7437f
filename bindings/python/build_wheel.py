"""A build backend (PEP 517) for a package of Python files, and of the libraries if it is told where
they are: WFSM_WHEEL_LIBRARIES names a folder, such as that of a build. Without it the package loads
the libraries of the system. With WFSM_WHEEL_PORTABLE, too, the wheel holds the command and the libraries
of others that these need (scripts/wheel).
"""
import base64
import hashlib
import os
import re
import sysconfig
import zipfile
from pathlib import Path

import bundle

HERE = Path(__file__).resolve().parent
# pip puts the path of its own Python into the first line.
COMMAND = b"#!python\nfrom wfsm.__main__ import main\nmain()\n"
LIBRARIES = ("wfsm", "wfsm-sqlite", "wfsm-postgres", "wfsm-tools", "wfsm-agents")


def project(key):
    """A string of the table [project]; Python 3.9 has no reader for TOML."""
    text = (HERE / "pyproject.toml").read_text(encoding="utf-8").split("[project]")[1]
    return re.search(rf'^{key} = "(.*)"$', text, re.M)[1]


def strings(key):
    """An array of strings of that table."""
    text = (HERE / "pyproject.toml").read_text(encoding="utf-8").split("[project]")[1]
    return re.findall(r'"(.+?)"', re.search(rf"^{key} = \[(.*?)\]", text, re.M | re.S)[1])


def author():
    """The holder of the copyright."""
    text = (HERE / "pyproject.toml").read_text(encoding="utf-8")
    return re.search(r'^authors = \[\{name = "(.+)"\}\]', text, re.M)[1]


def portable():
    return bool(os.environ.get("WFSM_WHEEL_PORTABLE"))


def libraries():
    """Those of the folder, by the names under which they look for each other."""
    folder = os.environ.get("WFSM_WHEEL_LIBRARIES")
    if not folder:
        return {}
    found = {}
    for stem in LIBRARIES:
        for path in sorted(Path(folder).rglob(f"lib{stem}.*")):
            if path.name in (f"lib{stem}.so.1", f"lib{stem}.1.dylib"):
                found.setdefault(path.name, path)
    if not any(name.startswith("libwfsm.") for name in found):
        raise FileNotFoundError(f"there is no libwfsm.so.1 in {folder} (WFSM_WHEEL_LIBRARIES)")
    return bundle.with_what_they_need({**found, **command(folder)}) if portable() else found


def command(folder):
    """The command, and what it alone is linked with."""
    inside = {name: path for name in ("wfsm", "libwfsm-testkit.so.1")
              for path in Path(folder).rglob(name) if path.is_file()}
    if "wfsm" not in inside:
        raise FileNotFoundError(f"there is no program wfsm in {folder} (WFSM_WHEEL_LIBRARIES)")
    return inside


def tag():
    """The files run everywhere; libraries only on this platform."""
    if portable():
        return "py3-none-" + bundle.tag(libraries().values())
    if not os.environ.get("WFSM_WHEEL_LIBRARIES"):
        return "py3-none-any"
    return "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())


def metadata():
    """What an index shows, the page included."""
    return (f"Metadata-Version: 2.1\nName: {project('name')}\nVersion: {project('version')}\n"
            f"Summary: {project('description')}\nAuthor: {author()}\nLicense: MIT\n"
            f"Keywords: {','.join(strings('keywords'))}\n"
            + "".join(f"Classifier: {line}\n" for line in strings("classifiers"))
            + f"Requires-Python: {project('requires-python')}\n"
            "Description-Content-Type: text/markdown\n\n"
            + (HERE / "README.md").read_text(encoding="utf-8"))


def files():
    name, version = project("name"), project("version")
    info = f"{name}-{version}.dist-info"
    for library, path in libraries().items():
        yield f"{name}/lib/{library}", path.read_bytes()
        if portable() and bundle.licences(path):
            yield f"{info}/licenses/{library}.txt", bundle.licences(path).read_bytes()
    if portable():
        yield f"{name}-{version}.data/scripts/wfsm", COMMAND
    for path in sorted((HERE / name).rglob("*")):
        if path.suffix == ".py" or path.name == "py.typed":
            yield path.relative_to(HERE).as_posix(), path.read_bytes()
    yield from described()
    yield f"{info}/WHEEL", (
        f"Wheel-Version: 1.0\nGenerator: wfsm\n"
        f"Root-Is-Purelib: {'true' if tag().endswith('any') else 'false'}\nTag: {tag()}\n").encode()


def described():
    """The metadata and the entry points, such as the plugin of pytest."""
    info = f"{project('name')}-{project('version')}.dist-info"
    yield f"{info}/METADATA", metadata().encode()
    yield f"{info}/entry_points.txt", entry_points().encode()


def write_metadata(folder):
    """For a package of the system, which has no wheel: what importlib.metadata, and so pytest, reads."""
    for path, data in described():
        (Path(folder) / path).parent.mkdir(parents=True, exist_ok=True)
        (Path(folder) / path).write_bytes(data)


def entry_points():
    """The table [project.entry-points.pytest11], as an installed package has it."""
    text = (HERE / "pyproject.toml").read_text(encoding="utf-8").split("[project.entry-points.pytest11]")[1]
    return "[pytest11]\n" + "".join(f"{name} = {place}\n" for name, place in re.findall(r'^(\w+) = "(.*)"$', text, re.M))


def record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def write(wheel, contents):
    """A wheel of the contents, with the list of them that pip wants."""
    record = ""
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in contents:
            archive.writestr(entry(path, 0o755 if path.endswith("/wfsm") else 0o644), data)
            record += record_line(path, data)
        own = f"{project('name')}-{project('version')}.dist-info/RECORD"
        archive.writestr(entry(own, 0o644), f"{record}{own},,\n")


def entry(path, mode):
    """Without the time, so that the same files make the same wheel."""
    info = zipfile.ZipInfo(path)
    info.external_attr = (0o100000 | mode) << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    wheel = f"{project('name')}-{project('version')}-{tag()}.whl"
    write(Path(wheel_directory) / wheel, files())
    return wheel


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """For `pip install -e`: a path to this folder. The libraries are those of the system, or what
    WFSM_LIBRARY and the like name."""
    name = project("name")
    wheel = f"{name}-{project('version')}-py3-none-any.whl"
    info = [(path, data) for path, data in files() if ".dist-info/" in path]
    write(Path(wheel_directory) / wheel, [(f"{name}.pth", f"{HERE}\n".encode()), *info])
    return wheel
