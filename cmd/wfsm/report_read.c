/* One pass over the journal. An entry of `work`: {"id", "agent", "state", "created", "attempts":
 * [{"claimed", "ended", "how"}], "ended", "how", "result"}; what is missing has not come yet. */
#include "wfsm/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/record.h"
#include "wfsm/work_ids.h"

static json_t *integer(int64_t number)
{
    return cli_need(json_integer((json_int_t)number));
}

static void count(json_t *counts, const char *key)
{
    json_int_t before = json_integer_value(json_object_get(counts, key));
    json_object_set_new(counts, key, integer(before + 1));
}

/* The path and those of its ancestors, once each. */
static void add_with_ancestors(json_t *set, const char *path)
{
    char *part = cli_need(strdup(path));
    for (char *dot = part + strlen(part); dot; dot = strrchr(part, '.')) {
        *dot = '\0';
        json_object_set_new(set, part, json_true());
    }
    free(part);
}

static json_t *paths(const json_t *list)
{
    json_t *set = cli_need(json_object());
    size_t index;
    const json_t *item;
    json_array_foreach(list, index, item)
    {
        if (json_is_string(item))
            add_with_ancestors(set, json_string_value(item));
    }
    return set;
}

/* States that became active, those that were only passed through too. */
static void count_visits(report *run, const json_t *record)
{
    size_t index;
    const json_t *transition;
    const char *path;
    json_t *value;
    json_t *before = paths(json_object_get(record, "from"));
    json_t *entered = paths(json_object_get(record, "configuration"));
    json_array_foreach(json_object_get(record, "transitions"), index, transition)
    {
        json_t *passed = paths(json_object_get(transition, "to"));
        json_object_update(entered, passed);
        json_decref(passed);
    }
    json_object_foreach(entered, path, value)
    {
        if (!json_object_get(before, path))
            count(run->visits, path);
    }
    json_decref(before);
    json_decref(entered);
}

static void count_transitions(report *run, const json_t *record)
{
    size_t index;
    const json_t *transition;
    json_array_foreach(json_object_get(record, "transitions"), index, transition)
    {
        cli_text key = {0};
        const char *from = record_string(transition, "from");
        const char *event = record_string(transition, "event");
        cli_text_add(&key, from, strlen(from));
        cli_text_add(&key, " ", 1);
        cli_text_add(&key, event, strlen(event));
        count(run->taken, key.data);
        cli_text_free(&key);
    }
}

static void follow_configuration(report *run, const json_t *record)
{
    const json_t *configuration = json_object_get(record, "configuration");
    if (!configuration)
        return;
    json_decref(run->active);
    run->active = paths(configuration);
}

static void follow_context(report *run, const json_t *record)
{
    const json_t *input = json_object_get(record, "input");
    const char *kind = record_string(input, "kind");
    if (strcmp(kind, "migrate") == 0)
        json_object_clear(run->context);
    if (strcmp(kind, "fork") == 0) {
        const json_t *source = json_object_get(input, "snapshot");
        json_object_update(run->context, json_object_get(source, "context"));
    }
    json_t *after = record_changed(run->context, record);
    json_decref(run->context);
    run->context = after;
}

static json_t *last_attempt(const json_t *work)
{
    json_t *attempts = json_object_get(work, "attempts");
    size_t size = json_array_size(attempts);
    return size > 0 ? json_array_get(attempts, size - 1) : NULL;
}

static void end_attempt(const json_t *work, int64_t now, const char *how)
{
    json_t *attempt = last_attempt(work);
    if (!attempt || json_object_get(attempt, "ended"))
        return;
    json_object_set_new(attempt, "ended", integer(now));
    json_object_set_new(attempt, "how", cli_need(json_string(how)));
}

static void end_work(json_t *work, int64_t now, const char *how)
{
    end_attempt(work, now, how);
    if (!work || json_object_get(work, "ended"))
        return;
    json_object_set_new(work, "ended", integer(now));
    json_object_set_new(work, "how", cli_need(json_string(how)));
}

/* Work is found by this, its id without the incarnation. Not all of a record has the latter. */
static void work_id(const report *run, const json_t *revision, const json_t *ordinal,
                    char id[600])
{
    snprintf(id, 600, "%s/%" JSON_INTEGER_FORMAT "/%" JSON_INTEGER_FORMAT, run->head->id,
             json_integer_value(revision), json_integer_value(ordinal));
}

static void copy_key(json_t *to, const json_t *from, const char *key)
{
    json_t *value = json_object_get(from, key);
    if (value)
        json_object_set(to, key, value);
}

static void keep_id(json_t *work, const char *id, const json_t *incarnation)
{
    char whole[640];
    snprintf(whole, sizeof whole, "%s-%" JSON_INTEGER_FORMAT, id,
             json_integer_value(incarnation));
    json_object_set_new(work, "id", cli_need(json_string(whole)));
}

/* The work of a whole id. */
static json_t *work_of(const report *run, const char *whole)
{
    char id[600];
    snprintf(id, sizeof id, "%.*s", (int)work_id_length(whole), whole);
    return json_object_get(run->work, id);
}

static void note_entry(report *run, const json_t *entry, int64_t now)
{
    char id[600];
    work_id(run, json_object_get(entry, "revision"), json_object_get(entry, "ordinal"), id);
    json_t *work = json_object_get(run->work, id);
    if (!work) {
        work = cli_need(json_pack("{s:I s:[]}", "created", (json_int_t)now, "attempts"));
        json_object_set_new(run->work, id, work);
    }
    keep_id(work, id, json_object_get(entry, "incarnation"));
    copy_key(work, entry, "agent");
    copy_key(work, entry, "state");
    copy_key(work, entry, "input");
    copy_key(work, entry, "retry_reason");
    json_t *attempts = json_object_get(work, "attempts");
    json_int_t attempt = json_integer_value(json_object_get(entry, "attempt"));
    if (strcmp(record_string(entry, "status"), "running") == 0 &&
        (size_t)attempt > json_array_size(attempts)) {
        end_attempt(work, now, "lost");
        json_array_append_new(attempts,
                              cli_need(json_pack("{s:I}", "claimed", (json_int_t)now)));
    }
}

/* Tokens and the like, over all attempts. */
static void add_usage(json_t *work, const json_t *usage)
{
    const char *name;
    json_t *amount;
    json_t *sums = json_object_get(work, "usage");
    if (!work || !json_is_object(usage))
        return;
    if (!sums) {
        sums = cli_need(json_object());
        json_object_set_new(work, "usage", sums);
    }
    json_object_foreach((json_t *)usage, name, amount)
    {
        json_int_t before = json_integer_value(json_object_get(sums, name));
        json_object_set_new(sums, name,
                            integer(before + (json_int_t)json_number_value(amount)));
    }
}

/* What ended it by itself: an agent's result, or the last vote that was needed. */
static void follow_answer(report *run, const json_t *record, int64_t now)
{
    const json_t *input = json_object_get(record, "input");
    const char *kind = record_string(input, "kind");
    json_t *work = work_of(run, record_string(input, "invocation"));
    add_usage(work, json_object_get(input, "usage"));
    if (work && strcmp(kind, "result") == 0 && !json_object_get(record, "failed")) {
        end_work(work, now, "done");
        copy_key(work, input, "output");
    }
    if (strcmp(record_string(input, "verdict"), "decided") == 0) {
        const json_t *vote = json_object_get(input, "data");
        work = work_of(run, record_string(vote, "invocation"));
        end_work(work, now, "decided");
    }
}

static void follow_work(report *run, const json_t *record, int64_t now)
{
    size_t index;
    const json_t *item;
    const json_t *failed = json_object_get(record, "failed");
    const json_t *which = json_object_get(failed, "invocation");
    char id[600];
    follow_answer(run, record, now);
    work_id(run, json_array_get(which, 0), json_array_get(which, 1), id);
    if (failed)
        end_attempt(json_object_get(run->work, id), now, record_string(failed, "class"));
    json_array_foreach(json_object_get(record, "invocations"), index, item)
        note_entry(run, item, now);
    json_array_foreach(json_object_get(record, "invocations_cleared"), index, item)
    {
        work_id(run, json_array_get(item, 0), json_array_get(item, 1), id);
        json_t *work = json_object_get(run->work, id);
        const char *how = record_string(last_attempt(work), "how");
        end_work(work, now, *how ? how : "withdrawn");
    }
}

static int32_t read_record(void *user, const wfsm_row *row)
{
    report *run = user;
    json_t *record = json_loadb(row->text, row->length, JSON_ALLOW_NUL, NULL);
    if (!json_is_object(record)) {
        run->bad = true;
        json_decref(record);
        return WFSM_OK;
    }
    json_t *before = cli_need(json_copy(run->context));
    if (run->began < 0)
        run->began = row->now;
    run->now = row->now;
    count_visits(run, record);
    count_transitions(run, record);
    follow_configuration(run, record);
    follow_context(run, record);
    follow_work(run, record, row->now);
    report_approval(run, row, record);
    if (row->revision >= run->from && (run->to == 0 || row->revision <= run->to))
        report_step(run, row, record, before);
    json_decref(before);
    json_decref(record);
    return WFSM_OK;
}

/* A journal that was cut begins with the context of its anchor. */
static int32_t read_anchor(void *user, const wfsm_row *row)
{
    report *run = user;
    json_t *snapshot = json_loadb(row->text, row->length, JSON_ALLOW_NUL, NULL);
    json_object_update(run->context, json_object_get(snapshot, "context"));
    json_decref(snapshot);
    return WFSM_OK;
}

static int32_t read_document(void *user, const wfsm_row *row)
{
    report *run = user;
    run->document = json_loadb(row->text, row->length, 0, NULL);
    return WFSM_OK;
}

int32_t report_read(report *run, wfsm_store *store, wfsm_error *error)
{
    run->began = -1;
    run->visits = cli_need(json_object());
    run->active = cli_need(json_object());
    run->taken = cli_need(json_object());
    run->work = cli_need(json_object());
    run->context = cli_need(json_object());
    int32_t status =
        wfsm_store_document(store, run->head->fingerprint, read_document, run, error);
    if (status == WFSM_OK && run->head->first > 1)
        status = wfsm_store_anchor(store, run->head->id, read_anchor, run, error);
    if (status == WFSM_OK)
        status = wfsm_store_records(store, run->head->id, run->head->first, run->head->revision,
                                    read_record, run, error);
    if (status == WFSM_OK && (run->bad || !json_is_object(run->document)))
        status =
            wfsm_error_set(error, WFSM_CORRUPT, "a record or the document is not an object");
    return status;
}

void report_free(report *run)
{
    json_decref(run->document);
    json_decref(run->visits);
    json_decref(run->active);
    json_decref(run->taken);
    json_decref(run->work);
    json_decref(run->context);
    cli_text_free(&run->steps);
    cli_text_free(&run->approvals);
    cli_text_free(&run->earlier);
    *run = (report){0};
}
