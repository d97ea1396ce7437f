"""The prototypes of the C library, and how it is loaded. Its structs are in _structs.py, and have their
names here, too.

A test compares them with the headers in include/wfsm.
"""
import ctypes
import os
from ctypes import POINTER
from typing import Any, Dict, List, Tuple

from ._structs import *

ABI = 1

# Shorthands. The handle of a callback is `ptr`, an out-parameter `P…`. Text that is returned with a
# length is `ptr`, because it need not end with a NUL.
Pptr, Pi32, Pu64, Psize = POINTER(ptr), POINTER(i32), POINTER(u64), POINTER(size)
ERROR = ptr
JSON = [text, size]
DONE = [i64, Pi32, ERROR]
READ = [SINK, ptr, ERROR]


def handle(kind: str) -> Any:
    """A class of pointers. A call refuses the pointer of another kind."""
    return type(f"wfsm_{kind}", (ctypes.c_void_p,), {})


AGENTS, ENGINE, FUNCTIONS = handle("agents"), handle("engine"), handle("functions")
SCHEDULES = handle("schedules")
INSTANCE, MACHINE, MONITOR = handle("instance"), handle("machine"), handle("monitor")
SHOWN, STORE, CALL = handle("progress"), handle("store"), handle("call")


def answer(kind: Any) -> Tuple[Any, List[Any]]:
    return ptr, [kind, Psize]


def add(kind: Any) -> Tuple[Any, List[Any]]:
    return i32, [kind, text, CALLBACK, ptr, ERROR]


PROTOTYPES: Dict[str, Tuple[Any, List[Any]]] = {
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

    "wfsm_call_name": (text, [CALL]),
    "wfsm_call_instance": (text, [CALL]),
    "wfsm_call_now": (i64, [CALL]),
    "wfsm_call_params": answer(CALL),
    "wfsm_call_context": answer(CALL),
    "wfsm_call_event": answer(CALL),
    "wfsm_call_allow": (i32, [CALL, i32]),
    "wfsm_call_patch": (i32, [CALL, *JSON]),
    "wfsm_call_id": (text, [CALL]),
    "wfsm_call_lost": (i32, [CALL]),
    "wfsm_call_attempt": (i32, [CALL]),
    "wfsm_call_state": (text, [CALL]),
    "wfsm_call_input": answer(CALL),
    "wfsm_call_schema": answer(CALL),
    "wfsm_call_claimed": (i64, [CALL]),
    "wfsm_call_timeout": (i64, [CALL]),
    "wfsm_call_done": (i32, [CALL, *JSON]),
    "wfsm_call_failed": (i32, [CALL, text, text]),
    "wfsm_call_usage": (i32, [CALL, text, i64]),
    "wfsm_call_retry_after": (i32, [CALL, i64]),
    "wfsm_call_signature": (i32, [CALL, text]),
    "wfsm_call_heartbeat": (i32, [CALL]),
    "wfsm_call_gone": (i32, [CALL]),
    "wfsm_call_unsure": (i32, [CALL]),
    "wfsm_call_record": answer(CALL),
    "wfsm_call_log": answer(CALL),

    "wfsm_machine_load": (i32, [Pptr, *JSON, POINTER(Limits), ptr, ERROR]),
    "wfsm_machine_ref": (MACHINE, [MACHINE]),
    "wfsm_machine_unref": (None, [MACHINE]),
    "wfsm_machine_id": (text, [MACHINE]),
    "wfsm_machine_retention": (i32, [MACHINE, POINTER(Retention)]),
    "wfsm_machine_version": (text, [MACHINE]),
    "wfsm_machine_event": (i32, [MACHINE, text]),
    "wfsm_machine_fingerprint": (text, [MACHINE]),
    "wfsm_machine_document": answer(MACHINE),
    "wfsm_machine_state_count": (size, [MACHINE]),
    "wfsm_machine_state_path": (text, [MACHINE, size]),
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
    "wfsm_machine_graph": (i32, [MACHINE, i32, Pptr, Psize, ERROR]),
    "wfsm_text_free": (None, [MACHINE, ptr]),
    "wfsm_machine_uses": (text, [MACHINE, i32, size]),
    "wfsm_monitor_new": (i32, [Pptr, MACHINE, ERROR]),
    "wfsm_monitor_free": (None, [MONITOR]),
    "wfsm_monitor_observe": (i32, [MONITOR, POINTER(Observation), ERROR]),
    "wfsm_monitor_advance": (i32, [MONITOR, i64, ERROR]),
    "wfsm_monitor_property": (i32, [MONITOR, size, ptr]),
    "wfsm_monitor_unassumed": (text, [MONITOR]),

    "wfsm_verdict_name": (text, [i32]),
    "wfsm_verify": (i32, [Pptr, MACHINE, POINTER(VerifyOptions), ERROR]),
    "wfsm_verification_free": (None, [ptr]),
    "wfsm_verification_verdict": (i32, [ptr]),
    "wfsm_verification_bound": (text, [ptr]),
    "wfsm_verification_counts": (i32, [ptr, POINTER(VerifyCounts)]),
    "wfsm_verification_count": (size, [ptr]),
    "wfsm_verification_get": (i32, [ptr, size, POINTER(VerifyDiagnostic)]),
    "wfsm_verification_property": (i32, [ptr, size, POINTER(VerifyProperty)]),
    "wfsm_verification_coverage": (i32, [ptr, size, POINTER(VerifyCoverage)]),
    "wfsm_verification_case": (text, [ptr, size]),
    "wfsm_verification_note": (text, [ptr, size]),

    "wfsm_store_new": (i32, [Pptr, ptr, ptr, ptr, ERROR]),
    "wfsm_store_free": (None, [STORE]),
    "wfsm_memory_open": (i32, [Pptr, ptr, ERROR]),
    "wfsm_store_head": (i32, [STORE, text, POINTER(Head), ERROR]),
    "wfsm_store_records": (i32, [STORE, text, u64, u64, *READ]),
    "wfsm_store_checkpoints": (i32, [STORE, text, *READ]),
    "wfsm_store_latest_checkpoint": (i32, [STORE, text, *READ]),
    "wfsm_store_audit": (i32, [STORE, text, AUDIT_SINK, ptr, POINTER(AuditCounts), ERROR]),
    "wfsm_store_replay": (i32, [STORE, text, POINTER(Replay), ERROR]),
    "wfsm_store_diff": (i32, [STORE, text, POINTER(RevisionRange), *READ]),
    "wfsm_store_compact": (i32, [STORE, text, POINTER(Compaction), POINTER(Compacted), ERROR]),
    "wfsm_store_sweep": (i32, [STORE, POINTER(Sweep), ptr, ERROR]),
    "wfsm_store_archive": (i32, [STORE, text, STORE, i64, POINTER(Compacted), ERROR]),
    "wfsm_store_list": (i32, [STORE, POINTER(Query), *READ]),
    "wfsm_store_document": (i32, [STORE, text, *READ]),
    "wfsm_store_inbox": (i32, [STORE, text, u64, *READ]),
    "wfsm_store_post": (i32, [STORE, text, text, text, *JSON, i64, ERROR]),
    "wfsm_store_submit": (i32, [STORE, POINTER(Post), ERROR]),
    "wfsm_approve": (i32, [STORE, POINTER(Approval), i64, ERROR]),
    "wfsm_store_remove_owner": (i32, [STORE, text, ERROR]),
    "wfsm_store_remove": (i32, [STORE, text, ERROR]),
    "wfsm_store_batch": (i32, [STORE, ERROR]),
    "wfsm_store_flush": (i32, [STORE, Pu64, ERROR]),
    "wfsm_store_commit": (i32, [STORE, Pptr, size, Pi32, ERROR]),
    "wfsm_store_lapsed": (i32, [STORE, i64, *READ]),
    "wfsm_store_share": (i32, [STORE, ptr, *READ]),
    "wfsm_store_since": (i32, [STORE, ptr, *READ]),
    "wfsm_shard": (u32, [text]),
    "wfsm_store_changes": (i32, [STORE, POINTER(Changes), *READ]),
    "wfsm_store_exchange": (i32, [STORE, ptr, ERROR]),
    "wfsm_store_snapshot": (i32, [STORE, text, text, *READ]),
    "wfsm_store_cut": (i32, [STORE, text, u64, *JSON, ERROR]),
    "wfsm_store_anchor": (i32, [STORE, text, *READ]),
    "wfsm_store_seen": (i32, [STORE, text, text, Pi32, ERROR]),
    "wfsm_store_acknowledge": (i32, [STORE, text, u64, ERROR]),
    "wfsm_store_claim": (i32, [STORE, text, i64, i64, i64, ERROR]),
    "wfsm_store_owner_alive": (i32, [STORE, text, i64, ERROR]),
    "wfsm_store_disown": (i32, [STORE, text, text, ERROR]),
    "wfsm_store_own": (i32, [STORE, text, text, i64, ERROR]),

    "wfsm_outcome_name": (text, [i32]),
    "wfsm_functions_new": (i32, [Pptr, ptr, ERROR]),
    "wfsm_functions_free": (None, [FUNCTIONS]),
    "wfsm_functions_add_guard": add(FUNCTIONS),
    "wfsm_functions_add_action": add(FUNCTIONS),
    "wfsm_instance_start": (i32, [Pptr, MACHINE, POINTER(StartOptions), i64, ERROR]),
    "wfsm_instance_head": (i32, [INSTANCE, POINTER(Head)]),
    "wfsm_instance_load_at": (i32, [Pptr, STORE, text, u64, ERROR]),
    "wfsm_instance_load": (i32, [Pptr, MACHINE, STORE, FUNCTIONS, text, ERROR]),
    "wfsm_instance_set_limits": (i32, [INSTANCE, POINTER(StepLimits), ERROR]),
    "wfsm_instance_limits": (i32, [INSTANCE, POINTER(StepLimits)]),
    "wfsm_instance_free": (None, [INSTANCE]),
    "wfsm_instance_observe": (i32, [INSTANCE, CALLBACK, ptr]),
    "wfsm_instance_send": (i32, [INSTANCE, POINTER(Event), *DONE]),
    "wfsm_instance_send_number": (i32, [INSTANCE, i32, *DONE]),
    "wfsm_instance_send_many": (i32, [POINTER(SendList), i64, Psize, ERROR]),
    "wfsm_instance_advance": (i32, [INSTANCE, i64, Pi32, Pi32, ERROR]),
    "wfsm_instance_patch": (i32, [INSTANCE, *JSON, *DONE]),
    "wfsm_instance_checkpoint": (i32, [INSTANCE, POINTER(Checkpoint), *DONE]),
    "wfsm_instance_delete_checkpoint": (i32, [INSTANCE, text, *DONE]),
    "wfsm_instance_fork": (i32, [Pptr, INSTANCE, POINTER(RestorePoint), text, i64, ERROR]),
    "wfsm_instance_restore": (i32, [INSTANCE, POINTER(RestorePoint), *DONE]),
    "wfsm_instance_migrate": (i32, [Pptr, MACHINE, FUNCTIONS, *DONE]),
    "wfsm_instance_can_migrate": (i32, [INSTANCE, MACHINE, FUNCTIONS, i64, ERROR]),
    "wfsm_instance_result": (i32, [INSTANCE, POINTER(Result), *DONE]),
    "wfsm_instance_failure": (i32, [INSTANCE, POINTER(Failure), *DONE]),
    "wfsm_instance_stop": (i32, [INSTANCE, *DONE]),
    "wfsm_instance_stopped": (i32, [INSTANCE]),
    "wfsm_instance_parent": (text, [INSTANCE]),
    "wfsm_instance_budgets": (ptr, [INSTANCE, i64, Psize]),
    "wfsm_instance_failures": answer(INSTANCE),
    "wfsm_instance_retry": (i32, [INSTANCE, text, *DONE]),
    "wfsm_instance_approve": (i32, [INSTANCE, POINTER(Approval), *DONE]),
    "wfsm_instance_cancel": (i32, [INSTANCE, text, text, *DONE]),
    "wfsm_instance_claim": (i32, [INSTANCE, text, text, *DONE]),
    "wfsm_instance_id": (text, [INSTANCE]),
    "wfsm_instance_machine": (MACHINE, [INSTANCE]),
    "wfsm_instance_revision": (u64, [INSTANCE]),
    "wfsm_instance_committed": (u64, [INSTANCE]),
    "wfsm_instance_status": (i32, [INSTANCE]),
    "wfsm_instance_now": (i64, [INSTANCE]),
    "wfsm_instance_check_commit": (i32, [INSTANCE, POINTER(i32), ERROR]),
    "wfsm_instance_deadline": (i64, [INSTANCE]),
    "wfsm_instance_in": (i32, [INSTANCE, text]),
    "wfsm_instance_has_tag": (i32, [INSTANCE, text]),
    "wfsm_instance_blocked": (text, [INSTANCE]),
    "wfsm_instance_configuration": answer(INSTANCE),
    "wfsm_instance_context": answer(INSTANCE),
    "wfsm_instance_output": answer(INSTANCE),
    "wfsm_instance_invocations": answer(INSTANCE),
    "wfsm_instance_timers": answer(INSTANCE),
    "wfsm_instance_events": answer(INSTANCE),
    "wfsm_instance_record": answer(INSTANCE),
    "wfsm_instance_log": answer(INSTANCE),
    "wfsm_instance_entered": answer(INSTANCE),
    "wfsm_instance_event": answer(INSTANCE),
    "wfsm_instance_can": (i32, [INSTANCE, POINTER(Event), i64, Pi32, POINTER(Preview), ERROR]),
    "wfsm_instance_next_effect": (i32, [INSTANCE, Pptr, Psize, Pu64, ERROR]),
    "wfsm_instance_ack": (i32, [INSTANCE, u64, ERROR]),

    "wfsm_engine_new": (i32, [Pptr, STORE, POINTER(EngineOptions), ERROR]),
    "wfsm_engine_free": (i32, [ENGINE]),
    "wfsm_engine_add_machine": (i32, [ENGINE, MACHINE, ERROR]),
    "wfsm_engine_add_agent": add(ENGINE),
    "wfsm_engine_add_agent_full": (i32, [ENGINE, text, POINTER(Agent), ERROR]),
    "wfsm_engine_add_guard": add(ENGINE),
    "wfsm_engine_add_action": add(ENGINE),
    "wfsm_engine_observe": (i32, [ENGINE, CALLBACK, ptr, ERROR]),
    "wfsm_engine_on_lost": (i32, [ENGINE, CALLBACK, ptr, ERROR]),
    "wfsm_engine_on_diagnostic": (i32, [ENGINE, CALLBACK, ptr, ERROR]),
    "wfsm_engine_on_effect": (i32, [ENGINE, CALLBACK, ptr, ERROR]),
    "wfsm_engine_start": (i32, [ENGINE, text, text, *JSON, i64, ERROR]),
    "wfsm_engine_start_all": (i32, [ENGINE, Pptr, size, i64, Pi32, ERROR]),
    "wfsm_engine_adopt": (i32, [ENGINE, text, i64, ERROR]),
    "wfsm_engine_adopt_list": (i32, [ENGINE, Pptr, size, i64, Pi32, ERROR]),
    "wfsm_engine_share": (i32, [ENGINE, i64, ptr, ERROR]),
    "wfsm_engine_adopt_all": (i32, [ENGINE, i64, Psize, ERROR]),
    "wfsm_engine_send_event": (i32, [ENGINE, text, POINTER(Event), *DONE]),
    "wfsm_engine_send": (i32, [ENGINE, text, text, text, *JSON, *DONE]),
    "wfsm_engine_patch": (i32, [ENGINE, text, *JSON, *DONE]),
    "wfsm_engine_checkpoint": (i32, [ENGINE, text, text, *JSON, *DONE]),
    "wfsm_engine_delete_checkpoint": (i32, [ENGINE, text, text, *DONE]),
    "wfsm_engine_migrate": (i32, [ENGINE, text, MACHINE, *DONE]),
    "wfsm_engine_fork": (i32, [ENGINE, text, POINTER(RestorePoint), text, i64, ERROR]),
    "wfsm_engine_restore": (i32, [ENGINE, text, POINTER(RestorePoint), *DONE]),
    "wfsm_engine_result": (i32, [ENGINE, text, *JSON, *DONE]),
    "wfsm_engine_failure": (i32, [ENGINE, text, text, text, *DONE]),
    "wfsm_engine_result_full": (i32, [ENGINE, text, *JSON, POINTER(Report), *DONE]),
    "wfsm_engine_failure_full": (
        i32, [ENGINE, text, text, text, POINTER(Report), *DONE]),
    "wfsm_engine_stop": (i32, [ENGINE, text, *DONE]),
    "wfsm_engine_heartbeat": (i32, [ENGINE, text, i64, ERROR]),
    "wfsm_engine_run": (i32, [ENGINE, i64, ERROR]),
    "wfsm_engine_prepare": (i32, [ENGINE, i64, Pptr, ERROR]),
    "wfsm_engine_prepare_next": (i32, [ENGINE, Pptr, ERROR]),
    "wfsm_round_exchange": (i32, [ptr]),
    "wfsm_engine_finish": (i32, [ENGINE, ptr, i64, ERROR]),
    "wfsm_engine_idle": (i32, [ENGINE]),
    "wfsm_engine_look": (i32, [ENGINE]),
    "wfsm_engine_deadline": (i64, [ENGINE]),
    "wfsm_engine_fd": (i32, [ENGINE]),
    "wfsm_engine_working": (size, [ENGINE]),
    "wfsm_engine_limit": (i32, [ENGINE, i32, text, u32, ERROR]),
    "wfsm_engine_limit_shared": (i32, [ENGINE, i32, text, u32, ERROR]),
    "wfsm_engine_slots": (size, [ENGINE]),
    "wfsm_engine_waiting": (size, [ENGINE]),
    "wfsm_engine_can_spawn": (i32, [ENGINE, size]),
    "wfsm_engine_pool_count": (i32, [ENGINE, i32, text, Psize, Psize]),
    "wfsm_engine_rate": (i32, [ENGINE, POINTER(PoolRate), ERROR]),
    "wfsm_engine_count": (i32, [ENGINE, POINTER(EngineCounts)]),
    "wfsm_engine_metrics": (ptr, [ENGINE, Psize]),
    "wfsm_engine_pool": (ptr, [ENGINE, Psize]),
    "wfsm_engine_cancel": (i32, [ENGINE, text, text, *DONE]),
    "wfsm_engine_retry": (i32, [ENGINE, text, *DONE]),
    "wfsm_engine_await_empty": (i32, [ENGINE, POINTER(PoolWait), i64, ERROR]),
    "wfsm_engine_spawn": (i32, [ENGINE, text, *JSON, i64, ERROR]),
    "wfsm_engine_work": (ptr, [ENGINE, i32, text, Psize]),
    "wfsm_engine_instance": (INSTANCE, [ENGINE, text]),
    "wfsm_engine_release": (i32, [ENGINE, text, ERROR]),

    "wfsm_agents_add_commands": (i32, [AGENTS, text, POINTER(CommandsOptions), ERROR]),
    "wfsm_agents_add_http": (i32, [AGENTS, text, POINTER(HttpOptions), ERROR]),
    "wfsm_agents_add_process": (i32, [AGENTS, text, POINTER(ProcessOptions), ERROR]),
    "wfsm_agents_callbacks": (i32, [AGENTS, text, POINTER(Agent), ERROR]),
    "wfsm_agents_copy": (i32, [AGENTS, text, text, ERROR]),
    "wfsm_agents_describe": (ptr, [AGENTS, text, Psize]),
    "wfsm_agents_drain": (size, [AGENTS, i64]),
    "wfsm_agents_free": (None, [AGENTS]),
    "wfsm_agents_load": (i32, [AGENTS, ptr, ERROR]),
    "wfsm_agents_load_toml": (i32, [AGENTS, text, ERROR]),
    "wfsm_agents_name": (text, [AGENTS, size]),
    "wfsm_agents_new": (i32, [Pptr, ERROR]),
    "wfsm_agents_clock": (i64, [ptr]),
    "wfsm_agents_now": (i64, []),
    "wfsm_agents_register": (i32, [AGENTS, ENGINE, POINTER(AgentsOptions), ERROR]),
    "wfsm_agents_remove": (i32, [AGENTS, text, ERROR]),
    "wfsm_agents_sweep": (i32, [AGENTS, Psize, ERROR]),
    "wfsm_agents_wait": (i32, [AGENTS, i64]),
    "wfsm_agents_working": (size, [AGENTS]),
    "wfsm_owner_describe": (text, [text, ptr]),
    "wfsm_owner_state": (i32, [text]),
    "wfsm_key_make": (i32, [text, ptr, ERROR]),
    "wfsm_key_public": (i32, [text, ptr, ERROR]),
    "wfsm_vote_sign": (i32, [POINTER(Approval), text, ptr, ptr, ERROR]),
    "wfsm_vote_verify": (i32, [POINTER(Approval), ERROR]),
    "wfsm_schedule_create": (i32, [STORE, text, text, size, i64, ERROR]),
    "wfsm_schedule_next": (i32, [text, size, i64, POINTER(i64), ERROR]),
    "wfsm_schedules_free": (None, [SCHEDULES]),
    "wfsm_schedules_new": (i32, [Pptr, ENGINE, STORE, ERROR]),
    "wfsm_schedules_run": (i32, [SCHEDULES, i64, ERROR]),
    "wfsm_session_name": (text, [ptr]),
    "wfsm_owner_release": (i32, [STORE, text, ERROR]),
    "wfsm_loop_engine": (ENGINE, [ptr]),
    "wfsm_loop_free": (None, [ptr]),
    "wfsm_loop_load": (i32, [ptr, text, ERROR]),
    "wfsm_loop_new": (i32, [Pptr, STORE, ptr, ERROR]),
    "wfsm_loop_run": (i32, [ptr, ERROR]),
    "wfsm_loop_signal": (i32, [ptr]),
    "wfsm_loop_stop": (None, [ptr]),
    "wfsm_loop_take": (i32, [ptr, text, text, text, size, ERROR]),
    "wfsm_loop_watch": (i32, [ptr, i32, i32, READY, ptr, ERROR]),
    "wfsm_progress_commit": (i32, [ptr, CALL]),
    "wfsm_progress_diagnostic": (i32, [ptr, CALL]),
    "wfsm_progress_duration": (text, [i64, ptr]),
    "wfsm_progress_free": (None, [SHOWN]),
    "wfsm_progress_is_terminal": (i32, [SHOWN]),
    "wfsm_progress_is_unicode": (i32, [SHOWN]),
    "wfsm_progress_line": (None, [SHOWN, i64, text, i32, text]),
    "wfsm_progress_live": (None, [SHOWN, text]),
    "wfsm_progress_new": (i32, [Pptr, ptr, ERROR]),
    "wfsm_progress_note": (None, [ptr, text, text]),
    "wfsm_progress_transition": (None, [SHOWN, i64, ptr]),
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
    "wfsm_postgres_parameter": (size, [text, text, ptr, size]),
    "wfsm_postgres_sql": (size, [text, ptr, size]),
    "wfsm_postgres_tenant": (i32, [text, POINTER(PostgresOptions), text, ERROR]),
    "wfsm_postgres_tenant_sql": (size, [text, text, text, ptr, size]),

    "wfsm_sqlite_check_age": (i32, [text, ptr, ERROR]),
    "wfsm_sqlite_check": (i32, [text, AUDIT_SINK, ptr, ptr, ERROR]),
    "wfsm_sqlite_open": (i32, [Pptr, text, POINTER(SqliteOptions), ptr, ERROR]),
}


class Library(ctypes.CDLL):
    """Gives each function its prototype when it is first used."""

    def __getattr__(self, name: str) -> Any:
        if name not in PROTOTYPES:
            raise AttributeError(name)
        try:
            function = super().__getattr__(name)
        except AttributeError:
            raise ImportError(
                f"{self._name} has no function {name}: it is older than this package") from None
        function.restype, function.argtypes = PROTOTYPES[name]
        return function


_own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib")
# What scripts/wheel leaves out, with what it needs.
_LEFT_OUT = {"wfsm-postgres": "libpq"}


def in_wheel() -> bool:
    """True if the package has libraries inside."""
    return os.path.exists(os.path.join(_own, f"libwfsm.so.{ABI}"))


def from_elsewhere(variable: str, stem: str) -> str:
    """What to do for a library that a wheel does not have."""
    return (f"install Debian's package lib{stem}{ABI} of the release {version()}, or build wfsm, and set "
            f"{variable} to the file lib{stem}.so.{ABI}")


def version() -> str:
    return str(lib.wfsm_version().decode())


def load(variable: str, stem: str) -> Library:
    """The library that the environment variable names, the one that is in the package, or the one
    that the system finds."""
    own = _own
    names = [f"lib{stem}.so.{ABI}", f"lib{stem}.so", f"lib{stem}.{ABI}.dylib", f"lib{stem}.dylib"]
    inside = [os.path.join(own, name) for name in names]
    names = [os.environ[variable]] if os.environ.get(variable) else (
        [path for path in inside if os.path.exists(path)] or names)
    problems = []
    for name in names:
        try:
            return Library(name)
        except OSError as problem:
            problems.append(str(problem))
    if "WFSM_PRIVATE_" in problems[0]:
        raise ImportError(
            f"lib{stem} is not of the same release as libwfsm {version()}: "
            f"{problems[0]}. Install both of one release")
    if in_wheel() and stem in _LEFT_OUT and not os.environ.get(variable):
        raise ImportError(f"the wheel has no lib{stem}, because it needs {_LEFT_OUT[stem]}: "
                          f"{from_elsewhere(variable, stem)}")
    raise ImportError(
        f"cannot load lib{stem}: {problems[0]}. Install it, or name the file with the "
        f"environment variable {variable}; pip puts the libraries into the package if "
        f"WFSM_WHEEL_LIBRARIES names the folder of a build")


def check_abi(version: str, abi: int) -> None:
    """Fails unless the library has the ABI that this package was made for."""
    if abi != ABI:
        raise ImportError(
            f"libwfsm {version} has the ABI {abi}; this package was made for the ABI {ABI}")


lib: Any = load("WFSM_LIBRARY", "wfsm")
check_abi(version(), lib.wfsm_abi_version())
_postgres: List[Library] = []
_sqlite: List[Library] = []
_tools: List[Library] = []
_agents: List[Library] = []


def sqlite() -> Any:
    """The companion library with the SQLite store, loaded when it is first needed."""
    if not _sqlite:
        _sqlite.append(load("WFSM_SQLITE_LIBRARY", "wfsm-sqlite"))
    return _sqlite[0]


def postgres() -> Any:
    """The companion library with the PostgreSQL store, likewise."""
    if not _postgres:
        _postgres.append(load("WFSM_POSTGRES_LIBRARY", "wfsm-postgres"))
    return _postgres[0]


def tools() -> Any:
    """The companion library that draws, watches and verifies, likewise. It must be of the
    same release as libwfsm."""
    if not _tools:
        _tools.append(load("WFSM_TOOLS_LIBRARY", "wfsm-tools"))
    return _tools[0]


def agents() -> Any:
    """The companion library that runs programs and models as agents, likewise."""
    if not _agents:
        _agents.append(load("WFSM_AGENTS_LIBRARY", "wfsm-agents"))
    return _agents[0]
