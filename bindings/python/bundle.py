"""What a wheel with the libraries inside needs of the system, read from the files.

A wheel says by its tag (PEP 600) which C library it needs: manylinux_2_36 is glibc 2.36 or later. The
number is that of the newest symbol that a file of the wheel asks for. Libraries that are not part of the
C library are copied into the wheel.
"""
import platform
import re
import subprocess
from pathlib import Path

# They belong to the C library, which a process can have only once.
OF_THE_SYSTEM = re.compile(r"(libc|libm|libdl|librt|libpthread|ld-linux.*)\.so\.\d+$")
GLIBC = re.compile(r"GLIBC_(\d+)\.(\d+)(\.\d+)?$")


class NotPortable(Exception):
    """A file that cannot be in such a wheel, and why."""


def read(option, path):
    return subprocess.run(["readelf", "-W", option, str(path)], check=True, text=True,
                          capture_output=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}).stdout


def needed(path):
    """The names of the libraries that the file is linked with."""
    return re.findall(r"\(NEEDED\).*\[(.+)\]", read("--dynamic", path))


def finds_its_neighbours(path):
    return re.search(r"\((?:RUNPATH|RPATH)\).*\[\$ORIGIN\]", read("--dynamic", path)) is not None


def versions(path):
    """The versions of symbols that the file asks others for, such as GLIBC_2.34."""
    text = read("--version-info", path).partition("Version needs section")[2]
    return set(re.findall(r"Name: (\S+)", text))


def system_library(name):
    """Where the linker of this system finds a library."""
    cache = subprocess.run(["/sbin/ldconfig", "-p"], check=True, text=True, capture_output=True).stdout
    found = re.findall(rf"^\s*{re.escape(name)} \(.*\) => (.+)$", cache, re.M)
    if not found:
        raise NotPortable(f"{name} is not installed")
    return Path(found[0])


def with_what_they_need(files):
    """The files, by their names in the wheel, and the libraries of others that they need."""
    found = dict(files)
    for name, path in files.items():
        for other in needed(path):
            if other in found or OF_THE_SYSTEM.match(other):
                continue
            if not finds_its_neighbours(path):
                raise NotPortable(f"{name} does not look for {other} beside itself: "
                                  f"configure with -Dportable=true")
            found[other] = system_library(other)
            foreign = [n for n in needed(found[other]) if not OF_THE_SYSTEM.match(n)]
            if foreign:
                raise NotPortable(f"{other} needs {', '.join(foreign)}, and would not look for it "
                                  f"in the wheel")
    return found


def glibc(paths):
    """The oldest glibc that has all symbols that the files ask for, as (2, 36)."""
    oldest = (2, 17)  # The first that has a tag.
    for path in paths:
        for version in versions(path):
            numbers = GLIBC.match(version)
            if numbers:
                oldest = max(oldest, (int(numbers[1]), int(numbers[2])))
            elif version.startswith("GLIBC_ABI"):
                raise NotPortable(f"{path} asks for {version}: configure with -Dportable=true")
    return oldest


def tag(paths):
    """The platform's tag of a wheel with these files."""
    major, minor = glibc(paths)
    return f"manylinux_{major}_{minor}_{platform.machine()}"


def licences(path):
    """What Debian says of the licence of a library, or None."""
    owner = subprocess.run(["dpkg", "-S", str(path.resolve()), f"/usr{path.resolve()}"],
                           text=True, capture_output=True).stdout.partition(":")[0]
    text = Path("/usr/share/doc") / owner / "copyright"
    return text if owner and text.exists() else None
