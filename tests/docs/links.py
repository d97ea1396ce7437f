"""The relative links of a page, and those that lead nowhere."""
import re
from pathlib import Path

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"#+ (.*)")
TOPS = "bench|bindings|cmd|doc|examples|include|lib|packaging|scripts|tests"
PATH = re.compile(rf"`((?:{TOPS})/[\w./-]+)(?: [^`\n]*)?`")


def without_blocks(page):
    return re.sub(r"^(`{3,}).*?^\1\s*$", "", page, flags=re.S | re.M)


def anchors(page):
    """As GitHub names headings."""
    names = set()
    for line in without_blocks(page).splitlines():
        heading = HEADING.match(line)
        if heading:
            plain = re.sub(r"[^\w\- ]", "", heading[1].lower())
            names.add(plain.replace(" ", "-"))
    return names


def broken(path):
    """The relative links of the page at `path` that lead nowhere."""
    page = path.read_text(encoding="utf-8")
    for target in LINK.findall(re.sub(r"`[^`\n]*`", "", without_blocks(page))):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = path.parent / name if name else Path(path)
        if not file.exists():
            yield target
        elif anchor and anchor not in anchors(file.read_text(encoding="utf-8")):
            yield target


def missing(path, root):
    """The files of the repository that the page names in backticks and that do not exist.
    Words in capitals stand for any name."""
    page = without_blocks(path.read_text(encoding="utf-8"))
    for name in PATH.findall(page):
        if not re.search(r"(?:^|[/_])[A-Z]{2,}(?=[/_.]|$)", name) and not (root / name).exists():
            yield name
