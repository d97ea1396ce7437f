"""_ffi.py and _structs.py say the same as the headers."""
import ctypes
import re
import unittest
from pathlib import Path

from wfsm import _ffi, agents, enums

HEADERS = Path(__file__).resolve().parents[2] / "include" / "wfsm"
NUMBERS = {
    "int32_t": _ffi.i32, "int64_t": _ffi.i64, "uint32_t": _ffi.u32, "uint64_t": _ffi.u64,
    "size_t": _ffi.size,
}
CALLBACKS = {"wfsm_callback": _ffi.CALLBACK, "wfsm_clock": _ffi.CLOCK, "wfsm_agents_tell": _ffi.TELL,
             "wfsm_loop_ready": _ffi.READY,
             "wfsm_commands_plan": _ffi.COMMANDS_PLAN,
             "wfsm_commands_answer": _ffi.COMMANDS_ANSWER, "wfsm_row_sink": _ffi.SINK, "wfsm_swept_sink": _ffi.SWEPT,
             "wfsm_audit_sink": _ffi.AUDIT_SINK, "wfsm_verify_progress": _ffi.PROGRESS}
STRUCTS = {
    "wfsm_process_options": _ffi.ProcessOptions, "wfsm_http_options": _ffi.HttpOptions,
    "wfsm_commands_options": _ffi.CommandsOptions, "wfsm_agents_options": _ffi.AgentsOptions,
    "wfsm_machine_limits": _ffi.Limits, "wfsm_diagnostic": _ffi.Diagnostic, "wfsm_agent": _ffi.Agent,
    "wfsm_engine_options": _ffi.EngineOptions, "wfsm_sqlite_options": _ffi.SqliteOptions,
    "wfsm_postgres_options": _ffi.PostgresOptions,
    "wfsm_head": _ffi.Head, "wfsm_changes": _ffi.Changes, "wfsm_row": _ffi.Row, "wfsm_query": _ffi.Query,
    "wfsm_approval": _ffi.Approval, "wfsm_audit_diagnostic": _ffi.AuditDiagnostic, "wfsm_audit_counts": _ffi.AuditCounts,
    "wfsm_commit": _ffi.Commit, "wfsm_post": _ffi.Post,
    "wfsm_start_options": _ffi.StartOptions, "wfsm_event": _ffi.Event,
    "wfsm_send_list": _ffi.SendList, "wfsm_checkpoint": _ffi.Checkpoint,
    "wfsm_preview": _ffi.Preview, "wfsm_report": _ffi.Report, "wfsm_result": _ffi.Result,
    "wfsm_failure": _ffi.Failure, "wfsm_pool_wait": _ffi.PoolWait,
    "wfsm_pool_rate": _ffi.PoolRate, "wfsm_engine_counts": _ffi.EngineCounts,
    "wfsm_observation": _ffi.Observation, "wfsm_step_limits": _ffi.StepLimits,
    "wfsm_restore_point": _ffi.RestorePoint, "wfsm_revision_range": _ffi.RevisionRange,
    "wfsm_sweep": _ffi.Sweep, "wfsm_swept": _ffi.Swept, "wfsm_retention": _ffi.Retention,
    "wfsm_compaction": _ffi.Compaction, "wfsm_compacted": _ffi.Compacted, "wfsm_replay": _ffi.Replay,
    "wfsm_verify_counts": _ffi.VerifyCounts, "wfsm_verify_options": _ffi.VerifyOptions,
    "wfsm_verify_diagnostic": _ffi.VerifyDiagnostic, "wfsm_verify_property": _ffi.VerifyProperty,
    "wfsm_verify_coverage": _ffi.VerifyCoverage,
}
# Those that are objects of Python. Only their calls take them: structs and stores hold addresses.
HANDLES = {
    "wfsm_schedules": _ffi.SCHEDULES, "wfsm_agents": _ffi.AGENTS, "wfsm_engine": _ffi.ENGINE, "wfsm_functions": _ffi.FUNCTIONS,
    "wfsm_instance": _ffi.INSTANCE, "wfsm_machine": _ffi.MACHINE, "wfsm_monitor": _ffi.MONITOR,
    "wfsm_progress": _ffi.SHOWN, "wfsm_store": _ffi.STORE, "wfsm_call": _ffi.CALL,
}
ENUMS = {
    "wfsm_status": enums.Status, "wfsm_outcome": enums.Outcome,
    "wfsm_decision": enums.Decision, "wfsm_post_kind": enums.PostKind,
    "wfsm_interface": enums.Interface,
    "wfsm_instance_status": enums.InstanceStatus, "wfsm_graph_format": enums.GraphFormat,
    "wfsm_uses": enums.Uses, "wfsm_pool_kind": enums.PoolKind,
    "wfsm_lost": enums.Lost, "wfsm_verdict": enums.Verdict, "wfsm_sqlite_sync": enums.Sync,
    "wfsm_postgres_clock": enums.PostgresClock,
}


LONG = {"text", "record", "snapshot", "checkpoint_snapshot", "artifacts", "document", "data"}


def headers():
    # The testkit is for programmers in C; the package does not load it.
    paths = [path for path in sorted(HEADERS.glob("*.h")) if path.name != "testkit.h"]
    text = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def parameter(text, typed=False):
    """The ctypes type of a parameter or member, by its C declaration. Those of calls are `typed`:
    each kind of handle has a class."""
    words = re.sub(r"\*\s+(?=\*)", "*", re.sub(r"\bconst\b", " ", text))
    match = re.fullmatch(r"\s*(\w+)\s*(\**)\s*\w*(\[\w*\])?\s*", words)
    kind, stars = match[1], match[2]
    if kind in CALLBACKS:
        return CALLBACKS[kind]
    if kind in NUMBERS:
        return ctypes.POINTER(NUMBERS[kind]) if stars else NUMBERS[kind]
    if kind == "char" and stars == "*" and "const" not in text:
        return _ffi.ptr  # memory to be freed, not text to be read
    if kind == "char":
        return _ffi.text if stars == "*" else ctypes.POINTER(_ffi.ptr)
    if kind in STRUCTS and stars == "*":
        return ctypes.POINTER(STRUCTS[kind])
    if kind in HANDLES and stars == "*" and typed:
        return HANDLES[kind]
    return _ffi.ptr if stars == "*" else ctypes.POINTER(_ffi.ptr)


def prototypes():
    pattern = r"WFSM_API\s+([\w\s]+?\**)\s*(wfsm_\w+)\s*\(([^;]*)\)\s*;"
    for result, name, arguments in re.findall(pattern, headers()):
        types = [] if arguments.strip() == "void" else [
            parameter(one, typed=True) for one in arguments.split(",")]
        yield name, result.replace("const", "").strip(), types


def result_type(result, types):
    if result == "void":
        return None
    if result.replace(" ", "") == "char*":
        # Text with a length need not end with a NUL.
        return _ffi.ptr if ctypes.POINTER(_ffi.size) in types else _ffi.text
    return NUMBERS.get(result) or HANDLES.get(result.rstrip(" *"), _ffi.ptr)


class Prototypes(unittest.TestCase):
    def test_every_function_of_the_headers_is_declared_alike(self):
        found = {name: (result_type(result, types), types)
                 for name, result, types in prototypes()}
        self.assertGreater(len(found), 90)
        self.assertEqual(sorted(found), sorted(_ffi.PROTOTYPES))
        for name, expected in found.items():
            with self.subTest(name):
                self.assertEqual(tuple(_ffi.PROTOTYPES[name]), expected)

    def test_structs_have_the_members_of_the_headers(self):
        for name, struct in STRUCTS.items():
            with self.subTest(name):
                body = re.search(r"typedef struct %s \{(.*?)\}" % name, headers(), re.S)[1]
                members = []
                for line in filter(None, (part.strip() for part in body.split(";"))):
                    line = re.sub(r"\*\s*const\s*", "*", line)
                    kind, names = re.match(r"((?:const )?\w+ \**)(.*)", line, re.S).groups()
                    members += [(one.strip(" *"), parameter(kind + "x"))
                                for one in names.split(",")]
                # Of text that comes with a length only the address is taken.
                if name in ("wfsm_row", "wfsm_commit", "wfsm_post", "wfsm_preview"):
                    members = [(m, _ffi.ptr if m in LONG else t) for m, t in members]
                self.assertEqual(members, list(struct._fields_))

    def test_the_vtable_has_the_calls_of_the_header(self):
        body = re.search(r"typedef struct wfsm_store_vtable \{(.*?)\n\}", headers(), re.S)[1]
        found = re.findall(r"(\w+) \(\*(\w+)\)\(([^)]*)\)", body)
        names = [name for _, name, _ in found]
        self.assertEqual(["cut", "anchor", "view", "transaction", "changes", "fd", "exchange",
                          "lapsed", "permits", "share", "rates", "since"], names[-12:])
        calls = {**_ffi.STORE_CALLS, **_ffi.OPTIONAL_CALLS}
        self.assertEqual(list(calls), names[:-7])
        for result, name, arguments in found[:-7]:
            with self.subTest(name):
                types = [parameter(one) for one in arguments.split(",")]
                if name == "commit":  # an array of pointers
                    types[1] = ctypes.POINTER(ctypes.POINTER(_ffi.Commit))
                kind = calls[name]
                self.assertEqual(types, list(kind._argtypes_))
                self.assertEqual(result_type(result, types), kind._restype_)

    def test_enums_have_the_numbers_of_the_headers(self):
        for name, numbers in ENUMS.items():
            with self.subTest(name):
                body = re.search(r"enum %s \{(.*?)\}" % name, headers(), re.S)[1]
                found = {key: int(value)
                         for key, value in re.findall(r"WFSM_(\w+) =\s*(\d+)", body)}
                self.assertEqual(found, {member.name: member.value for member in numbers})

    def test_enums_of_agents_have_the_numbers_of_the_headers(self):
        for name, prefix, numbers in (("process_input", "INPUT", agents.Input),
                                      ("agent_answer", "ANSWER", agents.AnswerIn),
                                      ("owner_state", "OWNER", agents.OwnerState)):
            body = re.search(r"enum wfsm_%s \{(.*?)\}" % name, headers(), re.S)[1]
            found = {key: int(value)
                     for key, value in re.findall(r"WFSM_%s_(\w+) = (\d+)" % prefix, body)}
            self.assertEqual(found, {member.name: member.value for member in numbers})

    def test_statuses_and_outcomes_have_the_library_s_words(self):
        for status in enums.Status:
            self.assertEqual(_ffi.lib.wfsm_status_name(status).decode(), status.name)

    def test_a_library_of_another_abi_is_refused_with_a_sentence(self):
        with self.assertRaisesRegex(ImportError, "libwfsm 9.9 has the ABI 9; .* the ABI 1"):
            _ffi.check_abi("9.9", 9)

    def test_a_missing_library_says_how_to_name_it(self):
        with self.assertRaisesRegex(ImportError, "WFSM_NO_SUCH_VARIABLE"):
            _ffi.load("WFSM_NO_SUCH_VARIABLE", "wfsm-no-such-library")


if __name__ == "__main__":
    unittest.main()
