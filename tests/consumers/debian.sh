# Run in a new Debian with the packages installed, by scripts/deb --try: each way to use them.
cd "$(mktemp -d)"

# With pkg-config, shared.
cc -std=c11 /consumers/program.c $(pkg-config --cflags --libs wfsm-sqlite wfsm) -o shared
./shared | grep approved
rm consumer.db*

# Static, but for what Debian has of others.
cc -std=c11 /consumers/program.c $(pkg-config --cflags wfsm) \
    -l:libwfsm-sqlite.a -l:libwfsm.a -lsqlite3 -lm -o static
! ldd static | grep wfsm
./static | grep approved
rm consumer.db*

# As plain as can be.
cc /consumers/program.c -lwfsm-sqlite -lwfsm -o plain
./plain | grep approved
rm consumer.db*

# CMake.
cmake -S /consumers/cmake -B made
cmake --build made
made/program | grep approved

# Python, and the command.
python3 - <<'PYTHON'
import wfsm
machine = wfsm.Machine.load('{"id": "m", "initial": "a", "states": {"a": {"on": {"go": "b"}}, "b": {"type": "final"}}}')
with wfsm.sqlite("python.db") as store:
    with wfsm.Instance.start(machine, store, "one") as one:
        one.send("go")
        print(one.configuration)
PYTHON
# Verification, from Python and from C.
python3 - <<'PYTHON'
import importlib.metadata
import wfsm
wfsm.memory()
[plugin] = [one for one in importlib.metadata.entry_points(group="pytest11") if one.name == "wfsm"]
assert plugin.value == "wfsm.pytest_plugin", plugin
assert importlib.metadata.version("wfsm") == wfsm.__version__
used = {line.split()[-1] for line in open("/proc/self/maps") if "libwfsm" in line}
assert used and all(path.startswith("/usr/lib/") and "python" not in path for path in used), used
PYTHON
python3 -c 'import wfsm; assert wfsm.Machine.load("""{"id": "m", "initial": "a", "states": {"a": {"type": "final"}}}""").verify()'
pkg-config --libs wfsm-tools | grep -- '-lwfsm-tools.*-lwfsm *$'
wfsm list python.db | grep one
python3 -m wfsm list python.db | grep one
wfsm audit python.db
zcat -f /usr/share/man/man1/wfsm.1* | grep -q wfsm
echo "everything built and ran"
