"""The structs and prototypes of the C library.

A test compares them with the headers in include/wfsm.
"""
import ctypes
import os
from ctypes import CFUNCTYPE, POINTER, Structure
from ctypes import c_char_p as text
from ctypes import c_int32 as i32
from ctypes import c_int64 as i64
from ctypes import c_size_t as size
from ctypes import c_uint32 as u32
from ctypes import c_uint64 as u64
from ctypes import c_void_p as ptr

NEVER = 2**63 - 1
ABI = 1

CALLBACK = CFUNCTYPE(i32, ptr, ptr)
CLOCK = CFUNCTYPE(i64, ptr)
TELL = CFUNCTYPE(None, ptr, text, text)
WRITE = CFUNCTYPE(None, ptr, ptr, size)
READY = CFUNCTYPE(None, ptr, i32, i32)
COMMANDS_PLAN = CFUNCTYPE(i32, ptr, ptr, POINTER(ptr), POINTER(size), ptr)
COMMANDS_ANSWER = CFUNCTYPE(i32, ptr, ptr, text, size)


class Sized(Structure):
    """A public struct. Its first member is its size."""

    def __init__(self, **members):
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
    ]


class Head(Sized):
    _fields_ = [
        ("size", size), ("instance", text), ("machine", text), ("fingerprint", text),
        ("owner", text), ("token", text), ("tags", text), ("revision", u64),
        ("snapshot_revision", u64), ("effects", u64), ("acknowledged", u64), ("status", i32),
        ("deadline", i64), ("created", i64), ("updated", i64), ("first", u64),
    ]


class Row(Sized):
    _fields_ = [
        ("size", size), ("head", POINTER(Head)), ("id", text), ("instance", text),
        ("name", text), ("revision", u64), ("number", u64), ("now", i64), ("text", ptr),
        ("length", size), ("kind", i32), ("interface", i32), ("sender", text), ("part", i32),
    ]


class Query(Sized):
    _fields_ = [
        ("size", size), ("after", text), ("machine", text), ("tag", text), ("owner", text),
        ("status", i32), ("due", i64), ("limit", u64), ("prefix", text),
        ("undelivered", i32),
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


class Compaction(Sized):
    _fields_ = [
        ("size", size), ("keep", u64), ("before", i64), ("archive", ptr), ("dry_run", i32),
    ]


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
    _fields_ = [("size", size), ("checkpoint", text), ("revision", u64)]


class RevisionRange(Sized):
    _fields_ = [("size", size), ("first", u64), ("last", u64)]


class Preview(Sized):
    _fields_ = [("size", size), ("record", ptr), ("length", size)]


class PoolWait(Sized):
    _fields_ = [
        ("size", size), ("kind", i32), ("name", text), ("instance", text), ("event", text),
        ("event_id", text),
    ]


class Observation(Sized):
    _fields_ = [
        ("size", size), ("configuration", text), ("configuration_length", size),
        ("context", text), ("context_length", size), ("event", text), ("event_length", size),
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
        ("progress", PROGRESS), ("user", ptr),
    ]


class VerifyDiagnostic(Sized):
    _fields_ = [
        ("size", size), ("severity", i32), ("rule", text), ("property", text),
        ("message", text), ("state", text), ("pointer", text), ("line", i32),
        ("column", i32), ("steps", i32), ("replayed", i32), ("trace", text),
        ("script", text), ("start", text),
    ]


class WatchedProperty(Sized):
    _fields_ = [
        ("size", size), ("name", text), ("kind", text), ("description", text),
        ("watched", i32), ("message", text),
    ]


class VerifyProperty(Sized):
    _fields_ = [
        ("size", size), ("name", text), ("kind", text), ("description", text),
        ("verdict", i32),
    ]


SINK = CFUNCTYPE(i32, ptr, POINTER(Row))
AUDIT_SINK = CFUNCTYPE(i32, ptr, POINTER(AuditDiagnostic))


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
        ("max_output_bytes", u64), ("max_log_bytes", u64),
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


def _call(*arguments):
    return CFUNCTYPE(i32, ptr, *arguments, ptr)


# The members of a store's vtable, in their order.
STORE_CALLS = {
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
OPTIONAL_CALLS = {
    "cut": _call(text, u64, text, size),
    "anchor": _call(text, SINK, ptr),
    "view": _call(i32),
    "transaction": _call(i32),
    "changes": _call(POINTER(Changes), SINK, ptr),
}


class StoreVtable(Sized):
    _fields_ = [("size", size), *STORE_CALLS.items(), *OPTIONAL_CALLS.items()]


# Shorthands. A handle is `ptr`, an out-parameter `P…`. Text that is returned with a
# length is `ptr`, because it need not end with a NUL.
Pptr, Pi32, Pu64, Psize = POINTER(ptr), POINTER(i32), POINTER(u64), POINTER(size)
ERROR = ptr
JSON = [text, size]
DONE = [i64, Pi32, ERROR]
READ = [SINK, ptr, ERROR]
ANSWER = (ptr, [ptr, Psize])
ADD = (i32, [ptr, text, CALLBACK, ptr, ERROR])

PROTOTYPES = {
    "wfsm_status_name": (text, [i32]),
    "wfsm_version": (text, []),
    "wfsm_text_escape": (size, [i32, text, size, ptr, size]),
    "wfsm_abi_version": (i32, []),
    "wfsm_build_option": (text, [size]),
    "wfsm_digest": (i32, [text, size, ptr]),
    "wfsm_error_new": (ptr, [ptr]),
    "wfsm_error_free": (None, [ERROR]),
    "wfsm_error_status": (i32, [ERROR]),
    "wfsm_error_message": (text, [ERROR]),
    "wfsm_error_pointer": (text, [ERROR]),
    "wfsm_error_line": (i32, [ERROR]),
    "wfsm_error_column": (i32, [ERROR]),
    "wfsm_error_set": (i32, [ERROR, i32, text]),

    "wfsm_call_name": (text, [ptr]),
    "wfsm_call_instance": (text, [ptr]),
    "wfsm_call_now": (i64, [ptr]),
    "wfsm_call_params": ANSWER,
    "wfsm_call_context": ANSWER,
    "wfsm_call_event": ANSWER,
    "wfsm_call_allow": (i32, [ptr, i32]),
    "wfsm_call_patch": (i32, [ptr, *JSON]),
    "wfsm_call_id": (text, [ptr]),
    "wfsm_call_lost": (i32, [ptr]),
    "wfsm_call_attempt": (i32, [ptr]),
    "wfsm_call_state": (text, [ptr]),
    "wfsm_call_input": ANSWER,
    "wfsm_call_schema": ANSWER,
    "wfsm_call_claimed": (i64, [ptr]),
    "wfsm_call_timeout": (i64, [ptr]),
    "wfsm_call_done": (i32, [ptr, *JSON]),
    "wfsm_call_failed": (i32, [ptr, text, text]),
    "wfsm_call_usage": (i32, [ptr, text, i64]),
    "wfsm_call_retry_after": (i32, [ptr, i64]),
    "wfsm_call_signature": (i32, [ptr, text]),
    "wfsm_call_heartbeat": (i32, [ptr]),
    "wfsm_call_gone": (i32, [ptr]),
    "wfsm_call_unsure": (i32, [ptr]),
    "wfsm_call_record": ANSWER,
    "wfsm_call_log": ANSWER,

    "wfsm_machine_load": (i32, [Pptr, *JSON, POINTER(Limits), ptr, ERROR]),
    "wfsm_machine_ref": (ptr, [ptr]),
    "wfsm_machine_unref": (None, [ptr]),
    "wfsm_machine_id": (text, [ptr]),
    "wfsm_machine_version": (text, [ptr]),
    "wfsm_machine_event": (i32, [ptr, text]),
    "wfsm_machine_fingerprint": (text, [ptr]),
    "wfsm_machine_document": ANSWER,
    "wfsm_machine_state_count": (size, [ptr]),
    "wfsm_machine_state_path": (text, [ptr, size]),
    "wfsm_machine_check": (i32, [Pptr, *JSON, ptr, ERROR]),
    "wfsm_diagnostics_count": (size, [ptr]),
    "wfsm_diagnostics_get": (i32, [ptr, size, POINTER(Diagnostic)]),
    "wfsm_diagnostics_free": (None, [ptr]),
    "wfsm_builder_new": (i32, [Pptr, text, ptr, ERROR]),
    "wfsm_builder_free": (None, [ptr]),
    "wfsm_builder_state": (i32, [ptr, text, text, ERROR]),
    "wfsm_builder_set": (i32, [ptr, text, text, *JSON, ERROR]),
    "wfsm_builder_on": (i32, [ptr, text, text, *JSON, ERROR]),
    "wfsm_builder_machine": (i32, [ptr, Pptr, ERROR]),
    "wfsm_machine_graph": (i32, [ptr, i32, Pptr, Psize, ERROR]),
    "wfsm_text_free": (None, [ptr, ptr]),
    "wfsm_machine_uses": (text, [ptr, i32, size]),
    "wfsm_monitor_new": (i32, [Pptr, ptr, ERROR]),
    "wfsm_monitor_free": (None, [ptr]),
    "wfsm_monitor_observe": (i32, [ptr, POINTER(Observation), ERROR]),
    "wfsm_monitor_property": (i32, [ptr, size, ptr]),

    "wfsm_verdict_name": (text, [i32]),
    "wfsm_verify": (i32, [Pptr, ptr, POINTER(VerifyOptions), ERROR]),
    "wfsm_verification_free": (None, [ptr]),
    "wfsm_verification_verdict": (i32, [ptr]),
    "wfsm_verification_bound": (text, [ptr]),
    "wfsm_verification_counts": (i32, [ptr, POINTER(VerifyCounts)]),
    "wfsm_verification_count": (size, [ptr]),
    "wfsm_verification_get": (i32, [ptr, size, POINTER(VerifyDiagnostic)]),
    "wfsm_verification_property": (i32, [ptr, size, POINTER(VerifyProperty)]),
    "wfsm_verification_note": (text, [ptr, size]),

    "wfsm_store_new": (i32, [Pptr, ptr, ptr, ptr, ERROR]),
    "wfsm_store_free": (None, [ptr]),
    "wfsm_memory_open": (i32, [Pptr, ptr, ERROR]),
    "wfsm_store_head": (i32, [ptr, text, POINTER(Head), ERROR]),
    "wfsm_store_records": (i32, [ptr, text, u64, u64, *READ]),
    "wfsm_store_checkpoints": (i32, [ptr, text, *READ]),
    "wfsm_store_latest_checkpoint": (i32, [ptr, text, *READ]),
    "wfsm_store_audit": (i32, [ptr, text, AUDIT_SINK, ptr, POINTER(AuditCounts), ERROR]),
    "wfsm_store_diff": (i32, [ptr, text, POINTER(RevisionRange), *READ]),
    "wfsm_store_compact": (i32, [ptr, text, POINTER(Compaction), POINTER(Compacted), ERROR]),
    "wfsm_store_archive": (i32, [ptr, text, ptr, i64, POINTER(Compacted), ERROR]),
    "wfsm_store_list": (i32, [ptr, POINTER(Query), *READ]),
    "wfsm_store_document": (i32, [ptr, text, *READ]),
    "wfsm_store_inbox": (i32, [ptr, text, u64, *READ]),
    "wfsm_store_post": (i32, [ptr, text, text, text, *JSON, i64, ERROR]),
    "wfsm_store_submit": (i32, [ptr, POINTER(Post), ERROR]),
    "wfsm_approve": (i32, [ptr, POINTER(Approval), i64, ERROR]),
    "wfsm_store_remove_owner": (i32, [ptr, text, ERROR]),
    "wfsm_store_remove": (i32, [ptr, text, ERROR]),
    "wfsm_store_batch": (i32, [ptr, ERROR]),
    "wfsm_store_flush": (i32, [ptr, Pu64, ERROR]),
    "wfsm_store_commit": (i32, [ptr, Pptr, size, Pi32, ERROR]),
    "wfsm_store_lapsed": (i32, [ptr, i64, *READ]),
    "wfsm_store_changes": (i32, [ptr, POINTER(Changes), *READ]),
    "wfsm_store_exchange": (i32, [ptr, ptr, ERROR]),
    "wfsm_store_snapshot": (i32, [ptr, text, text, *READ]),
    "wfsm_store_cut": (i32, [ptr, text, u64, *JSON, ERROR]),
    "wfsm_store_anchor": (i32, [ptr, text, *READ]),
    "wfsm_store_seen": (i32, [ptr, text, text, Pi32, ERROR]),
    "wfsm_store_acknowledge": (i32, [ptr, text, u64, ERROR]),
    "wfsm_store_claim": (i32, [ptr, text, i64, i64, i64, ERROR]),
    "wfsm_store_owner_alive": (i32, [ptr, text, i64, ERROR]),
    "wfsm_store_disown": (i32, [ptr, text, text, ERROR]),
    "wfsm_store_own": (i32, [ptr, text, text, i64, ERROR]),

    "wfsm_outcome_name": (text, [i32]),
    "wfsm_functions_new": (i32, [Pptr, ptr, ERROR]),
    "wfsm_functions_free": (None, [ptr]),
    "wfsm_functions_add_guard": ADD,
    "wfsm_functions_add_action": ADD,
    "wfsm_instance_start": (i32, [Pptr, ptr, POINTER(StartOptions), i64, ERROR]),
    "wfsm_instance_head": (i32, [ptr, POINTER(Head)]),
    "wfsm_instance_load_at": (i32, [Pptr, ptr, text, u64, ERROR]),
    "wfsm_instance_load": (i32, [Pptr, ptr, ptr, ptr, text, ERROR]),
    "wfsm_instance_set_limits": (i32, [ptr, POINTER(StepLimits), ERROR]),
    "wfsm_instance_limits": (i32, [ptr, POINTER(StepLimits)]),
    "wfsm_instance_free": (None, [ptr]),
    "wfsm_instance_observe": (i32, [ptr, CALLBACK, ptr]),
    "wfsm_instance_send": (i32, [ptr, POINTER(Event), *DONE]),
    "wfsm_instance_send_number": (i32, [ptr, i32, *DONE]),
    "wfsm_instance_send_many": (i32, [POINTER(SendList), i64, Psize, ERROR]),
    "wfsm_instance_advance": (i32, [ptr, i64, Pi32, Pi32, ERROR]),
    "wfsm_instance_patch": (i32, [ptr, *JSON, *DONE]),
    "wfsm_instance_checkpoint": (i32, [ptr, POINTER(Checkpoint), *DONE]),
    "wfsm_instance_delete_checkpoint": (i32, [ptr, text, *DONE]),
    "wfsm_instance_fork": (i32, [Pptr, ptr, POINTER(RestorePoint), text, i64, ERROR]),
    "wfsm_instance_restore": (i32, [ptr, POINTER(RestorePoint), *DONE]),
    "wfsm_instance_migrate": (i32, [Pptr, ptr, ptr, *DONE]),
    "wfsm_instance_can_migrate": (i32, [ptr, ptr, ptr, i64, ERROR]),
    "wfsm_instance_result": (i32, [ptr, POINTER(Result), *DONE]),
    "wfsm_instance_failure": (i32, [ptr, POINTER(Failure), *DONE]),
    "wfsm_instance_stop": (i32, [ptr, *DONE]),
    "wfsm_instance_stopped": (i32, [ptr]),
    "wfsm_instance_parent": (text, [ptr]),
    "wfsm_instance_budgets": (ptr, [ptr, i64, Psize]),
    "wfsm_instance_failures": ANSWER,
    "wfsm_instance_retry": (i32, [ptr, text, *DONE]),
    "wfsm_instance_approve": (i32, [ptr, POINTER(Approval), *DONE]),
    "wfsm_instance_cancel": (i32, [ptr, text, text, *DONE]),
    "wfsm_instance_claim": (i32, [ptr, text, text, *DONE]),
    "wfsm_instance_id": (text, [ptr]),
    "wfsm_instance_machine": (ptr, [ptr]),
    "wfsm_instance_revision": (u64, [ptr]),
    "wfsm_instance_committed": (u64, [ptr]),
    "wfsm_instance_status": (i32, [ptr]),
    "wfsm_instance_now": (i64, [ptr]),
    "wfsm_instance_check_commit": (i32, [ptr, POINTER(i32), ERROR]),
    "wfsm_instance_deadline": (i64, [ptr]),
    "wfsm_instance_in": (i32, [ptr, text]),
    "wfsm_instance_has_tag": (i32, [ptr, text]),
    "wfsm_instance_blocked": (text, [ptr]),
    "wfsm_instance_configuration": ANSWER,
    "wfsm_instance_context": ANSWER,
    "wfsm_instance_output": ANSWER,
    "wfsm_instance_invocations": ANSWER,
    "wfsm_instance_timers": ANSWER,
    "wfsm_instance_events": ANSWER,
    "wfsm_instance_record": ANSWER,
    "wfsm_instance_log": ANSWER,
    "wfsm_instance_can": (i32, [ptr, POINTER(Event), i64, Pi32, POINTER(Preview), ERROR]),
    "wfsm_instance_next_effect": (i32, [ptr, Pptr, Psize, Pu64, ERROR]),
    "wfsm_instance_ack": (i32, [ptr, u64, ERROR]),

    "wfsm_engine_new": (i32, [Pptr, ptr, POINTER(EngineOptions), ERROR]),
    "wfsm_engine_free": (i32, [ptr]),
    "wfsm_engine_add_machine": (i32, [ptr, ptr, ERROR]),
    "wfsm_engine_add_agent": ADD,
    "wfsm_engine_add_agent_full": (i32, [ptr, text, POINTER(Agent), ERROR]),
    "wfsm_engine_add_guard": ADD,
    "wfsm_engine_add_action": ADD,
    "wfsm_engine_observe": (i32, [ptr, CALLBACK, ptr, ERROR]),
    "wfsm_engine_on_lost": (i32, [ptr, CALLBACK, ptr, ERROR]),
    "wfsm_engine_on_diagnostic": (i32, [ptr, CALLBACK, ptr, ERROR]),
    "wfsm_engine_on_effect": (i32, [ptr, CALLBACK, ptr, ERROR]),
    "wfsm_engine_start": (i32, [ptr, text, text, *JSON, i64, ERROR]),
    "wfsm_engine_start_all": (i32, [ptr, Pptr, size, i64, Pi32, ERROR]),
    "wfsm_engine_adopt": (i32, [ptr, text, i64, ERROR]),
    "wfsm_engine_adopt_all": (i32, [ptr, i64, Psize, ERROR]),
    "wfsm_engine_send_event": (i32, [ptr, text, POINTER(Event), *DONE]),
    "wfsm_engine_send": (i32, [ptr, text, text, text, *JSON, *DONE]),
    "wfsm_engine_patch": (i32, [ptr, text, *JSON, *DONE]),
    "wfsm_engine_checkpoint": (i32, [ptr, text, text, *JSON, *DONE]),
    "wfsm_engine_delete_checkpoint": (i32, [ptr, text, text, *DONE]),
    "wfsm_engine_migrate": (i32, [ptr, text, ptr, *DONE]),
    "wfsm_engine_fork": (i32, [ptr, text, POINTER(RestorePoint), text, i64, ERROR]),
    "wfsm_engine_restore": (i32, [ptr, text, POINTER(RestorePoint), *DONE]),
    "wfsm_engine_result": (i32, [ptr, text, *JSON, *DONE]),
    "wfsm_engine_failure": (i32, [ptr, text, text, text, *DONE]),
    "wfsm_engine_result_full": (i32, [ptr, text, *JSON, POINTER(Report), *DONE]),
    "wfsm_engine_failure_full": (
        i32, [ptr, text, text, text, POINTER(Report), *DONE]),
    "wfsm_engine_stop": (i32, [ptr, text, *DONE]),
    "wfsm_engine_heartbeat": (i32, [ptr, text, i64, ERROR]),
    "wfsm_engine_run": (i32, [ptr, i64, ERROR]),
    "wfsm_engine_prepare": (i32, [ptr, i64, Pptr, ERROR]),
    "wfsm_round_exchange": (i32, [ptr]),
    "wfsm_engine_finish": (i32, [ptr, ptr, i64, ERROR]),
    "wfsm_engine_idle": (i32, [ptr]),
    "wfsm_engine_deadline": (i64, [ptr]),
    "wfsm_engine_fd": (i32, [ptr]),
    "wfsm_engine_working": (size, [ptr]),
    "wfsm_engine_limit": (i32, [ptr, i32, text, u32, ERROR]),
    "wfsm_engine_slots": (size, [ptr]),
    "wfsm_engine_waiting": (size, [ptr]),
    "wfsm_engine_can_spawn": (i32, [ptr, size]),
    "wfsm_engine_pool_count": (i32, [ptr, i32, text, Psize, Psize]),
    "wfsm_engine_pool": (ptr, [ptr, Psize]),
    "wfsm_engine_cancel": (i32, [ptr, text, text, *DONE]),
    "wfsm_engine_retry": (i32, [ptr, text, *DONE]),
    "wfsm_engine_await_empty": (i32, [ptr, POINTER(PoolWait), i64, ERROR]),
    "wfsm_engine_spawn": (i32, [ptr, text, *JSON, i64, ERROR]),
    "wfsm_engine_work": (ptr, [ptr, i32, text, Psize]),
    "wfsm_engine_instance": (ptr, [ptr, text]),
    "wfsm_engine_release": (i32, [ptr, text, ERROR]),

    "wfsm_agents_add_commands": (i32, [ptr, text, POINTER(CommandsOptions), ERROR]),
    "wfsm_agents_add_http": (i32, [ptr, text, POINTER(HttpOptions), ERROR]),
    "wfsm_agents_add_process": (i32, [ptr, text, POINTER(ProcessOptions), ERROR]),
    "wfsm_agents_callbacks": (i32, [ptr, text, POINTER(Agent), ERROR]),
    "wfsm_agents_copy": (i32, [ptr, text, text, ERROR]),
    "wfsm_agents_describe": (ptr, [ptr, text, Psize]),
    "wfsm_agents_drain": (size, [ptr, i64]),
    "wfsm_agents_free": (None, [ptr]),
    "wfsm_agents_load": (i32, [ptr, ptr, ERROR]),
    "wfsm_agents_load_toml": (i32, [ptr, text, ERROR]),
    "wfsm_agents_name": (text, [ptr, size]),
    "wfsm_agents_new": (i32, [Pptr, ERROR]),
    "wfsm_agents_clock": (i64, [ptr]),
    "wfsm_agents_now": (i64, []),
    "wfsm_agents_register": (i32, [ptr, ptr, POINTER(AgentsOptions), ERROR]),
    "wfsm_agents_remove": (i32, [ptr, text, ERROR]),
    "wfsm_agents_sweep": (i32, [ptr, Psize, ERROR]),
    "wfsm_agents_wait": (i32, [ptr, i64]),
    "wfsm_agents_working": (size, [ptr]),
    "wfsm_owner_describe": (text, [text, ptr]),
    "wfsm_owner_state": (i32, [text]),
    "wfsm_key_make": (i32, [text, ptr, ERROR]),
    "wfsm_key_public": (i32, [text, ptr, ERROR]),
    "wfsm_vote_sign": (i32, [POINTER(Approval), text, ptr, ptr, ERROR]),
    "wfsm_vote_verify": (i32, [POINTER(Approval), ERROR]),
    "wfsm_session_name": (text, [ptr]),
    "wfsm_owner_release": (i32, [ptr, text, ERROR]),
    "wfsm_loop_engine": (ptr, [ptr]),
    "wfsm_loop_free": (None, [ptr]),
    "wfsm_loop_load": (i32, [ptr, text, ERROR]),
    "wfsm_loop_new": (i32, [Pptr, ptr, ptr, ERROR]),
    "wfsm_loop_run": (i32, [ptr, ERROR]),
    "wfsm_loop_signal": (i32, [ptr]),
    "wfsm_loop_stop": (None, [ptr]),
    "wfsm_loop_take": (i32, [ptr, text, text, text, size, ERROR]),
    "wfsm_loop_watch": (i32, [ptr, i32, i32, READY, ptr, ERROR]),
    "wfsm_progress_commit": (i32, [ptr, ptr]),
    "wfsm_progress_diagnostic": (i32, [ptr, ptr]),
    "wfsm_progress_duration": (text, [i64, ptr]),
    "wfsm_progress_free": (None, [ptr]),
    "wfsm_progress_is_terminal": (i32, [ptr]),
    "wfsm_progress_is_unicode": (i32, [ptr]),
    "wfsm_progress_line": (None, [ptr, i64, text, i32, text]),
    "wfsm_progress_live": (None, [ptr, text]),
    "wfsm_progress_new": (i32, [Pptr, ptr, ERROR]),
    "wfsm_progress_note": (None, [ptr, text, text]),
    "wfsm_progress_transition": (None, [ptr, i64, ptr]),
    "wfsm_settings_check": (i32, [ptr, ERROR]),
    "wfsm_settings_folder": (text, [ptr]),
    "wfsm_settings_free": (None, [ptr]),
    "wfsm_settings_open": (i32, [Pptr, text, ERROR]),
    "wfsm_settings_root": (ptr, [ptr]),
    "wfsm_table_bool": (i32, [ptr, text, Pi32, ERROR]),
    "wfsm_table_fail": (i32, [ptr, text, text, ERROR]),
    "wfsm_table_has": (i32, [ptr, text]),
    "wfsm_table_int": (i32, [ptr, text, i64, i64, POINTER(i64), ERROR]),
    "wfsm_table_key": (text, [ptr, size]),
    "wfsm_table_path": (i32, [ptr, text, Pptr, ERROR]),
    "wfsm_table_require": (i32, [ptr, text, ERROR]),
    "wfsm_table_string": (i32, [ptr, text, Pptr, ERROR]),
    "wfsm_table_strings": (i32, [ptr, text, Pptr, Psize, ERROR]),
    "wfsm_table_table": (i32, [ptr, text, Pptr, ERROR]),

    "wfsm_postgres_init": (i32, [text, POINTER(PostgresOptions), ERROR]),
    "wfsm_postgres_open": (i32, [Pptr, text, POINTER(PostgresOptions), ptr, ERROR]),
    "wfsm_postgres_sql": (size, [text, ptr, size]),

    "wfsm_sqlite_check_age": (i32, [text, ptr, ERROR]),
    "wfsm_sqlite_check": (i32, [text, AUDIT_SINK, ptr, ptr, ERROR]),
    "wfsm_sqlite_open": (i32, [Pptr, text, POINTER(SqliteOptions), ptr, ERROR]),
}


class Library(ctypes.CDLL):
    """Gives each function its prototype when it is first used."""

    def __getattr__(self, name):
        if name not in PROTOTYPES:
            raise AttributeError(name)
        try:
            function = super().__getattr__(name)
        except AttributeError:
            raise ImportError(
                f"{self._name} has no function {name}: it is older than this package") from None
        function.restype, function.argtypes = PROTOTYPES[name]
        return function


def load(variable, stem):
    """The library that the environment variable names, or the one that the system finds."""
    names = [os.environ[variable]] if os.environ.get(variable) else [
        f"lib{stem}.so.{ABI}", f"lib{stem}.so", f"lib{stem}.{ABI}.dylib", f"lib{stem}.dylib"]
    problems = []
    for name in names:
        try:
            return Library(name)
        except OSError as problem:
            problems.append(str(problem))
    if "WFSM_PRIVATE_" in problems[0]:
        raise ImportError(
            f"lib{stem} is not of the same release as libwfsm {lib.wfsm_version().decode()}: "
            f"{problems[0]}. Install both of one release")
    raise ImportError(
        f"cannot load lib{stem}: {problems[0]}. Install it, or name the file with the "
        f"environment variable {variable}")


def check_abi(version, abi):
    """Fails unless the library has the ABI that this package was made for."""
    if abi != ABI:
        raise ImportError(
            f"libwfsm {version} has the ABI {abi}; this package was made for the ABI {ABI}")


lib = load("WFSM_LIBRARY", "wfsm")
check_abi(lib.wfsm_version().decode(), lib.wfsm_abi_version())
_postgres = []
_sqlite = []
_tools = []
_agents = []


def sqlite():
    """The companion library with the SQLite store, loaded when it is first needed."""
    if not _sqlite:
        _sqlite.append(load("WFSM_SQLITE_LIBRARY", "wfsm-sqlite"))
    return _sqlite[0]


def postgres():
    """The companion library with the PostgreSQL store, likewise."""
    if not _postgres:
        _postgres.append(load("WFSM_POSTGRES_LIBRARY", "wfsm-postgres"))
    return _postgres[0]


def tools():
    """The companion library that draws, watches and verifies, likewise. It must be of the
    same release as libwfsm."""
    if not _tools:
        _tools.append(load("WFSM_TOOLS_LIBRARY", "wfsm-tools"))
    return _tools[0]


def agents():
    """The companion library that runs programs and models as agents, likewise."""
    if not _agents:
        _agents.append(load("WFSM_AGENTS_LIBRARY", "wfsm-agents"))
    return _agents[0]
