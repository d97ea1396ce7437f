"""The structs and callbacks of the C library.

A test compares them with the headers in include/wfsm.
"""
import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure
from typing import Any, Dict

text, ptr, size = ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t
i32, i64 = ctypes.c_int32, ctypes.c_int64
u32, u64 = ctypes.c_uint32, ctypes.c_uint64

NEVER = 2**63 - 1

CALLBACK: Any = CFUNCTYPE(i32, ptr, ptr)
CLOCK = CFUNCTYPE(i64, ptr)
TELL: Any = CFUNCTYPE(None, ptr, text, text)
WRITE: Any = CFUNCTYPE(None, ptr, ptr, size)
READY = CFUNCTYPE(None, ptr, i32, i32)
COMMANDS_PLAN = CFUNCTYPE(i32, ptr, ptr, POINTER(ptr), POINTER(size), ptr)
COMMANDS_ANSWER = CFUNCTYPE(i32, ptr, ptr, text, size)


class Sized(Structure):
    """A public struct. Its first member is its size."""

    def __init__(self, **members: Any):
        super().__init__(**members)
        self.size = ctypes.sizeof(self)


class Limits(Sized):
    _fields_ = [("size", size), ("max_bytes", u64), ("max_states", u32), ("max_depth", u32)]


class Diagnostic(Sized):
    _fields_ = [
        ("size", size), ("severity", i32), ("line", i32), ("column", i32), ("rule", text),
        ("message", text), ("pointer", text),
    ]


class Agent(Sized):
    _fields_ = [
        ("size", size), ("user", ptr), ("start", CALLBACK), ("poll", CALLBACK),
        ("cancel", CALLBACK), ("probe", CALLBACK),
    ]


class StepLimits(Sized):
    _fields_ = [
        ("size", size), ("selections", u32), ("rule_steps", u32), ("rule_bytes", u32),
        ("step_work", u32), ("step_bytes", u32), ("descendants", u32),
        ("descendants_in_all", u32),
    ]


class EngineOptions(Sized):
    _fields_ = [
        ("size", size), ("session", text), ("lapse_ms", i64), ("slots", u32), ("allocator", ptr),
        ("promote_ms", i64), ("limits", POINTER(StepLimits)), ("children", u32),
        ("now", i64), ("look_ms", i64),
        ("round_inputs", u32), ("round_bytes", size), ("round_ms", i64),
        ("clock", CLOCK), ("clock_user", ptr), ("cached_instances", u32),
        ("look_most_ms", i64),
    ]


class SqliteOptions(Sized):
    _fields_ = [
        ("size", size), ("synchronous", i32), ("busy_ms", i32), ("read_only", i32),
        ("must_exist", i32), ("mode", i32),
    ]


class PostgresOptions(Sized):
    _fields_ = [
        ("size", size), ("schema", text), ("tenant", text), ("clock", i32), ("connect_ms", i32),
        ("answer_ms", i32), ("create", i32), ("allow_unsafe", i32),
        ("listen", i32), ("listen_address", text),
    ]


class Head(Sized):
    _fields_ = [
        ("size", size), ("instance", text), ("machine", text), ("fingerprint", text),
        ("owner", text), ("token", text), ("tags", text), ("revision", u64),
        ("snapshot_revision", u64), ("effects", u64), ("acknowledged", u64), ("status", i32),
        ("deadline", i64), ("created", i64), ("updated", i64), ("first", u64),
        ("attributes", text),
    ]


class Row(Sized):
    _fields_ = [
        ("size", size), ("head", POINTER(Head)), ("id", text), ("instance", text),
        ("name", text), ("revision", u64), ("number", u64), ("now", i64), ("text", ptr),
        ("length", size), ("kind", i32), ("interface", i32), ("sender", text), ("part", i32),
    ]


class Condition(Sized):
    _fields_ = [
        ("size", size), ("name", text), ("comparison", i32), ("value", text),
        ("is_number", i32), ("number", ctypes.c_double),
    ]


class Query(Sized):
    _fields_ = [
        ("size", size), ("after", text), ("machine", text), ("tag", text), ("owner", text),
        ("status", i32), ("due", i64), ("limit", u64), ("prefix", text),
        ("undelivered", i32), ("fingerprint", text), ("shards", ptr),
        ("where", POINTER(ptr)), ("where_count", size),
    ]


class Changes(Sized):
    _fields_ = [("size", size), ("session", text), ("after", u64), ("changes", u64)]


class Approval(Sized):
    _fields_ = [
        ("size", size), ("instance", text), ("invocation", text), ("by", text),
        ("digest", text), ("decision", i32), ("reason", text), ("id", text),
        ("interface", i32), ("sender", text),
        ("signed_at", i64), ("key", text), ("signature", text),
    ]


class AuditDiagnostic(Sized):
    _fields_ = [("size", size), ("instance", text), ("revision", u64), ("message", text)]


class AuditCounts(Sized):
    _fields_ = [
        ("size", size), ("instances", u64), ("records", u64), ("snapshots", u64),
        ("checkpoints", u64), ("diagnostics", u64),
    ]


class EngineCounts(Sized):
    _fields_ = [
        ("size", size), ("rounds", u64), ("exchanges", u64), ("exchanges_failed", u64),
        ("exchanges_timed", u64), ("exchange_ms", u64), ("commits", u64), ("commits_refused", u64),
        ("attempts", u64), ("failed_network", u64), ("failed_timeout", u64), ("failed_auth", u64),
        ("failed_schema", u64), ("failed_exit", u64), ("failed_canceled", u64),
        ("failed_limit", u64), ("failed_other", u64), ("lost", u64), ("instances", u64),
        ("slots", u64), ("working", u64), ("waiting", u64), ("lease_until", i64),
    ]


class Compaction(Sized):
    _fields_ = [
        ("size", size), ("keep", u64), ("before", i64), ("archive", ptr), ("dry_run", i32),
    ]


class Swept(Sized):
    _fields_ = [
        ("size", size), ("instance", text), ("why", text), ("records", u64), ("kind", i32),
    ]


SWEPT = CFUNCTYPE(None, ptr, POINTER(Swept))


class Sweep(Sized):
    _fields_ = [
        ("size", size), ("now", i64), ("archive", ptr), ("after", text), ("limit", u64),
        ("dry_run", i32), ("tell", SWEPT), ("user", ptr),
    ]


class Retention(Sized):
    _fields_ = [("size", size), ("after_ms", i64), ("records", u64), ("removes", i32)]


class Compacted(Sized):
    _fields_ = [("size", size), ("first", u64), ("dropped", u64), ("archived", u64)]


class StartOptions(Sized):
    _fields_ = [
        ("size", size), ("id", text), ("store", ptr), ("functions", ptr), ("input", text),
        ("length", size), ("limits", POINTER(StepLimits)), ("session", text),
    ]


class Event(Sized):
    _fields_ = [("size", size), ("name", text), ("id", text), ("data", text), ("length", size),
                ("interface", i32), ("sender", text)]


class Start(Sized):
    _fields_ = [
        ("size", size), ("machine", text), ("id", text), ("input", text), ("length", size),
    ]


class SendList(Sized):
    _fields_ = [
        ("size", size), ("instances", POINTER(ptr)), ("numbers", POINTER(i32)), ("count", size),
        ("outcomes", POINTER(i32)),
    ]


class Checkpoint(Sized):
    _fields_ = [("size", size), ("id", text), ("artifacts", text), ("length", size)]


class RestorePoint(Sized):
    _fields_ = [("size", size), ("checkpoint", text), ("revision", u64), ("interface", i32),
                ("sender", text)]


class RevisionRange(Sized):
    _fields_ = [("size", size), ("first", u64), ("last", u64)]


class Preview(Sized):
    _fields_ = [("size", size), ("record", ptr), ("length", size)]


class PoolWait(Sized):
    _fields_ = [
        ("size", size), ("kind", i32), ("name", text), ("instance", text), ("event", text),
        ("event_id", text),
    ]


class PoolRate(Sized):
    _fields_ = [
        ("size", size), ("kind", i32), ("shared", i32), ("name", text), ("per_ms", i64),
        ("count", u32),
    ]


class Observation(Sized):
    _fields_ = [
        ("size", size), ("configuration", text), ("configuration_length", size),
        ("context", text), ("context_length", size), ("event", text), ("event_length", size),
        ("entered", text), ("entered_length", size), ("now", i64),
    ]


class Report(Sized):
    _fields_ = [
        ("size", size), ("usage", text), ("usage_length", size), ("signature", text),
        ("retry_after", i64), ("descendants", ctypes.c_uint64),
    ]


class Result(Sized):
    _fields_ = [
        ("size", size), ("invocation", text), ("output", text), ("length", size),
        ("report", POINTER(Report)),
    ]


class Failure(Sized):
    _fields_ = [
        ("size", size), ("invocation", text), ("failure_class", text), ("message", text),
        ("report", POINTER(Report)),
    ]


class VerifyCounts(Sized):
    _fields_ = [
        ("size", size), ("states", u64), ("moves", u64), ("depth", u64), ("edges", u64),
        ("memory", u64), ("key_bytes", u64), ("waiting", u64),
        ("changes", u64),
    ]


PROGRESS = CFUNCTYPE(i32, ptr, POINTER(VerifyCounts))


class VerifyOptions(Sized):
    _fields_ = [
        ("size", size), ("max_states", u64), ("max_memory", u64), ("bound", u64),
        ("punctual", i32), ("restores", i32), ("first", i32), ("open", i32), ("inputs", text), ("inputs_length", size),
        ("progress", PROGRESS), ("user", ptr), ("fairness", i32), ("cases", i32),
        ("machines", POINTER(ptr)), ("machine_count", size), ("jobs", u32), ("no_reduction", i32),
    ]


class VerifyDiagnostic(Sized):
    _fields_ = [
        ("size", size), ("severity", i32), ("rule", text), ("property", text),
        ("message", text), ("state", text), ("pointer", text), ("line", i32),
        ("column", i32), ("steps", i32), ("replayed", i32), ("trace", text),
        ("script", text), ("start", text),
    ]


class VerifyCoverage(Sized):
    _fields_ = [
        ("size", size), ("state", text), ("event", text), ("guard", text), ("pointer", text),
        ("line", i32), ("column", i32), ("branch", i32), ("taken", i32), ("was_true", i32),
        ("was_false", i32), ("target", text),
    ]


class WatchedProperty(Sized):
    _fields_ = [
        ("size", size), ("name", text), ("kind", text), ("description", text),
        ("watched", i32), ("message", text),
    ]


class VerifyProperty(Sized):
    _fields_ = [
        ("size", size), ("name", text), ("kind", text), ("description", text),
        ("verdict", i32), ("vacuous", i32),
    ]


SINK = CFUNCTYPE(i32, ptr, POINTER(Row))
AUDIT_SINK = CFUNCTYPE(i32, ptr, POINTER(AuditDiagnostic))


class Replay(Sized):
    _fields_ = [
        ("size", size), ("machine", ptr), ("sink", AUDIT_SINK), ("user", ptr), ("records", u64),
        ("revision", u64), ("diverged", i32),
    ]


class Commit(Sized):
    _fields_ = [
        ("size", size), ("instance", text), ("base", u64), ("owner", text), ("token", text),
        ("event_id", text), ("inbox", u64), ("record", ptr), ("record_length", size),
        ("snapshot", ptr), ("snapshot_length", size), ("checkpoint", text),
        ("checkpoint_snapshot", ptr), ("checkpoint_length", size), ("artifacts", ptr),
        ("artifacts_length", size), ("checkpoint_deleted", text), ("machine", text),
        ("fingerprint", text), ("document", ptr), ("document_length", size), ("tags", text),
        ("status", i32), ("deadline", i64), ("now", i64), ("effects", u64), ("previous", text),
        ("acknowledged", u64), ("gives_up", i32), ("by_hand", i32),
        ("attributes", text),
    ]


class Post(Sized):
    _fields_ = [
        ("size", size), ("instance", text), ("id", text), ("name", text), ("data", ptr),
        ("length", size), ("now", i64), ("kind", i32), ("interface", i32), ("sender", text),
    ]


class ProcessOptions(Sized):
    _fields_ = [
        ("size", size), ("command", POINTER(ptr)), ("prompt", text), ("input", i32),
        ("answer", i32), ("folder", text), ("env", POINTER(ptr)),
        ("pass_env", POINTER(ptr)), ("exit_classes", POINTER(ptr)), ("timeout_ms", i64), ("grace_ms", i64),
        ("max_output_bytes", u64), ("max_log_bytes", u64), ("kind", text), ("access", i32),
        ("model", text),
    ]


class HttpOptions(Sized):
    _fields_ = [
        ("size", size), ("api", text), ("model", text), ("base_url", text), ("key_env", text),
        ("key_file", text), ("prompt", text), ("system", text), ("answer", i32),
        ("whole", i32), ("max_tokens_name", text), ("max_tokens", i64),
        ("price_input", i64), ("price_output", i64), ("ca_file", text),
        ("connect_timeout_ms", i64), ("idle_timeout_ms", i64), ("timeout_ms", i64),
        ("max_output_bytes", u64), ("max_reply_bytes", u64),
    ]


class CommandsOptions(Sized):
    _fields_ = [
        ("size", size), ("timeout_ms", i64), ("max_output_bytes", u64), ("all", i32),
        ("plan", COMMANDS_PLAN), ("answer", COMMANDS_ANSWER), ("user", ptr),
        ("pass_env", POINTER(ptr)),
    ]


class ProgressOptions(Sized):
    _fields_ = [
        ("size", size), ("now", i64), ("descriptor", i32), ("write", WRITE), ("user", ptr),
    ]


class AgentsOptions(Sized):
    _fields_ = [
        ("size", size), ("runs", text), ("folder", text), ("store", ptr), ("tell", TELL),
        ("user", ptr),
    ]


def _call(*arguments: Any) -> Any:
    return CFUNCTYPE(i32, ptr, *arguments, ptr)


# The members of a store's vtable, in their order.
STORE_CALLS: Dict[str, Any] = {
    "commit": _call(POINTER(POINTER(Commit)), size, POINTER(i32)),
    "head": _call(text, POINTER(Head)),
    "records": _call(text, u64, u64, SINK, ptr),
    "snapshot": _call(text, text, SINK, ptr),
    "checkpoints": _call(text, SINK, ptr),
    "list": _call(POINTER(Query), SINK, ptr),
    "document": _call(text, SINK, ptr),
    "seen": _call(text, text, POINTER(i32)),
    "post": _call(POINTER(Post)),
    "inbox": _call(text, u64, SINK, ptr),
    "acknowledge": _call(text, u64),
    "owner_alive": _call(text, i64),
    "claim": _call(text, i64, i64, i64),
    "own": _call(text, text, i64),
    "disown": _call(text, text),
    "remove": _call(text),
    "close": CFUNCTYPE(None, ptr),
}
# Those that may be NULL follow. A store in Python has none of cut, anchor, view, fd and exchange.
OPTIONAL_CALLS: Dict[str, Any] = {
    "cut": _call(text, u64, text, size),
    "anchor": _call(text, SINK, ptr),
    "view": _call(i32),
    "transaction": _call(i32),
    "changes": _call(POINTER(Changes), SINK, ptr),
}


class StoreVtable(Sized):
    _fields_ = [("size", size), *STORE_CALLS.items(), *OPTIONAL_CALLS.items(),
                ("searches", i32)]
