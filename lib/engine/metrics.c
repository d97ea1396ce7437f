/* engine/metrics.c: the numbers of an engine, as a struct and as text for Prometheus. */
#include <wfsm/metrics.h>

#include <inttypes.h>

#include "base/sized.h"
#include "engine/engine.h"

static wfsm_engine_counts counts_of(const wfsm_engine *engine)
{
    const wf_engine_tally *past = &engine->tally;
    const uint64_t *failed = past->commits.failed;

    return (wfsm_engine_counts){.rounds = past->rounds,
                                .exchanges = past->exchanges,
                                .exchanges_failed = past->exchanges_failed,
                                .exchanges_timed = past->timed,
                                .exchange_ms = past->timed_ms,
                                .commits = past->commits.stored,
                                .commits_refused = past->commits.refused,
                                .attempts = past->attempts,
                                .failed_network = failed[WF_CLASS_NETWORK],
                                .failed_timeout = failed[WF_CLASS_TIMEOUT],
                                .failed_auth = failed[WF_CLASS_AUTH],
                                .failed_schema = failed[WF_CLASS_SCHEMA],
                                .failed_exit = failed[WF_CLASS_EXIT],
                                .failed_canceled = failed[WF_CLASS_CANCELED],
                                .failed_limit = failed[WF_CLASS_LIMIT],
                                .failed_other = failed[WF_CLASS_OTHER],
                                .lost = past->lost,
                                .instances = engine->entry_count,
                                .slots = engine->slots,
                                .working = engine->working,
                                .waiting = engine->waiting,
                                .lease_until = engine->alive};
}

int32_t wfsm_engine_count(const wfsm_engine *engine, wfsm_engine_counts *counts)
{
    wfsm_engine_counts full;

    if (!engine || !counts)
        return WFSM_INVALID;
    full = counts_of(engine);
    return wf_struct_give(counts, &full, sizeof full, sizeof(size_t)) ? WFSM_OK : WFSM_INVALID;
}

/* ---- the text ---- */

/* Milliseconds as seconds. */
static void write_seconds(wf_buffer *out, uint64_t ms)
{
    wf_buffer_format(out, "%" PRIu64 ".%03u", ms / 1000, (unsigned)(ms % 1000));
}

static void describe(wf_buffer *out, const char *name, const char *type, const char *help)
{
    wf_buffer_format(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void write_one(wf_buffer *out, const char *name, const char *type, const char *help,
                      uint64_t number)
{
    describe(out, name, type, help);
    wf_buffer_format(out, "%s %" PRIu64 "\n", name, number);
}

static void write_failures(wf_buffer *out, const wf_tally *commits)
{
    static const char name[] = "wfsm_attempt_failures_total";

    describe(out, name, "counter", "Attempts of agents that have failed, by class.");
    for (uint32_t i = 0; i < WF_CLASSES; i++)
        wf_buffer_format(out, "%s{class=\"%s\"} %" PRIu64 "\n", name, wf_class_name(i),
                         commits->failed[i]);
}

/* Each bucket of Prometheus contains those before it. */
static void write_times(wf_buffer *out, const wf_engine_tally *past)
{
    static const char name[] = "wfsm_exchange_duration_seconds";
    uint64_t within = 0;

    describe(out, name, "histogram", "How long the store took for the commits of a round.");
    for (int i = 0; i < WF_LATENCIES; i++) {
        within += past->within[i];
        wf_buffer_format(out, "%s_bucket{le=\"", name);
        write_seconds(out, wf_latencies[i]);
        wf_buffer_format(out, "\"} %" PRIu64 "\n", within);
    }
    wf_buffer_format(out, "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n%s_sum ", name, past->timed,
                     name);
    write_seconds(out, past->timed_ms);
    wf_buffer_format(out, "\n%s_count %" PRIu64 "\n", name, past->timed);
}

static void write_past(wf_buffer *out, const wf_engine_tally *past)
{
    write_one(out, "wfsm_rounds_total", "counter", "Rounds of the engine.", past->rounds);
    write_one(out, "wfsm_exchanges_total", "counter", "Rounds that have asked the store.",
              past->exchanges);
    write_one(out, "wfsm_exchanges_failed_total", "counter",
              "Rounds that the store has refused or not answered.", past->exchanges_failed);
    write_times(out, past);
    write_one(out, "wfsm_commits_total", "counter", "Commits that are stored.",
              past->commits.stored);
    write_one(out, "wfsm_commits_refused_total", "counter",
              "Commits that the store has refused or not answered.", past->commits.refused);
    write_one(out, "wfsm_attempts_total", "counter", "Agents started.", past->attempts);
    write_failures(out, &past->commits);
    write_one(out, "wfsm_instances_lost_total", "counter",
              "Instances that others have taken or removed.", past->lost);
}

static void write_now(wf_buffer *out, const wfsm_engine *engine)
{
    static const char lease[] = "wfsm_lease_until_timestamp_seconds";

    write_one(out, "wfsm_instances_owned", "gauge", "Instances of this engine.",
              engine->entry_count);
    write_one(out, "wfsm_slots", "gauge", "Invocations at work at once, at most.",
              engine->slots);
    write_one(out, "wfsm_slots_used", "gauge", "Invocations at work.", engine->working);
    write_one(out, "wfsm_queue_length", "gauge", "Invocations that wait.", engine->waiting);
    describe(out, lease, "gauge", "When the lease on the instances lapses.");
    wf_buffer_format(out, "%s ", lease);
    write_seconds(out, (uint64_t)engine->alive);
    wf_buffer_text(out, "\n");
}

const char *wfsm_engine_metrics(wfsm_engine *engine, size_t *length)
{
    wf_buffer *out = engine ? &engine->answer : NULL;

    if (length)
        *length = 0;
    if (!engine)
        return NULL;
    wf_buffer_clear(out);
    write_past(out, &engine->tally);
    write_now(out, engine);
    if (length && !out->failed)
        *length = out->length;
    return out->failed ? NULL : out->data;
}
