/* The spans of one journal: a span begins and ends with a record. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/record.h"
#include "wfsm/trace.h"

/* The names of spans within a trace are "state REVISION PATH" and "attempt REVISION/ORDINAL/ATTEMPT". */
typedef struct walk {
    char trace[TRACE_ID_BYTES];
    json_t *root, *spans;
    json_t *states; /* path: {"part", "since"} of those that are active */
    json_t *
        work; /* "REVISION/ORDINAL": what the journal says of an invocation that is outstanding */
    json_t *parent; /* of the first record; NULL: this is no child */
    json_t *source; /* the input of the first record if it is a fork */
    const trace_export *asked;
    bool readable, first;
    trace_answer answer; /* the worst one of the sink */
} walk;

/* ---- messages ---- */

static void give(walk *self)
{
    trace_answer answer = self->asked->sink(self->asked->user, self->spans);
    self->answer = answer > self->answer ? answer : self->answer;
    json_array_clear(self->spans);
}

static void add_span(walk *self, json_t *span)
{
    json_array_append_new(self->spans, span);
    if (json_array_size(self->spans) == TRACE_SPANS && self->answer != TRACE_AWAY)
        give(self);
}

/* ---- states ---- */

/* The part that a state of this path is in: the nearest ancestor, or the root. */
static const char *part_above(const walk *self, const char *path)
{
    char *above = cli_need(strdup(path));
    char *dot = strrchr(above, '.');
    const char *part = "";
    if (dot) {
        *dot = '\0';
        part = record_string(json_object_get(self->states, above), "part");
    }
    free(above);
    return part;
}

static void enter(walk *self, const char *path, int64_t now, json_int_t revision)
{
    cli_text part = {0};
    char number[48];
    snprintf(number, sizeof number, "state %" JSON_INTEGER_FORMAT " ", revision);
    cli_text_add(&part, number, strlen(number));
    cli_text_add(&part, path, strlen(path));
    json_object_set_new(self->states, path,
                        cli_need(json_pack("{s:s s:I s:s}", "part", part.data, "since",
                                           (json_int_t)now, "above", part_above(self, path))));
    cli_text_free(&part);
}

/* Adds the path and those of its ancestors, which come first. */
static void add_with_ancestors(json_t *paths, const char *path)
{
    for (const char *dot = strchr(path, '.'); dot; dot = strchr(dot + 1, '.')) {
        char *above = cli_need(strndup(path, (size_t)(dot - path)));
        json_object_set_new(paths, above, json_true());
        free(above);
    }
    json_object_set_new(paths, path, json_true());
}

/* Of a state that was entered before the journal begins, nobody knows since when it was active. */
static void note_entered(walk *self, const json_t *record)
{
    json_t *paths = cli_need(json_object()), *state;
    const json_t *from = json_object_get(record, "from");
    const char *path;
    for (size_t i = 0; i < json_array_size(from); i++)
        add_with_ancestors(paths, json_string_value(json_array_get(from, i)));
    json_object_foreach(paths, path, state)
    {
        json_object_set_new(self->states, path, cli_need(json_pack("{s:s}", "part", "")));
    }
    json_decref(paths);
}

static void leave(walk *self, const char *path, const json_t *state, int64_t now)
{
    if (!json_object_get(state, "since"))
        return;
    json_t *span = trace_span(self->trace, record_string(state, "part"),
                              record_string(state, "above"), path);
    trace_set_times(span, json_integer_value(json_object_get(state, "since")), now);
    trace_set_text(span, "wfsm.state", path);
    add_span(self, span);
}

/* Of a state that was left and entered again in one step, nothing is seen. */
static void take_configuration(walk *self, const json_t *configuration, int64_t now,
                               json_int_t revision)
{
    json_t *active = cli_need(json_object()), *state;
    const char *path;
    void *next;
    for (size_t i = 0; i < json_array_size(configuration); i++)
        add_with_ancestors(active, json_string_value(json_array_get(configuration, i)));
    json_object_foreach_safe(self->states, next, path, state)
    {
        if (json_object_get(active, path))
            continue;
        leave(self, path, state, now);
        json_object_del(self->states, path);
    }
    json_object_foreach(active, path, state)
    {
        if (!json_object_get(self->states, path))
            enter(self, path, now, revision);
    }
    json_decref(active);
}

/* ---- agents ---- */

static void work_key(char key[48], const json_t *revision, const json_t *ordinal)
{
    snprintf(key, 48, "%" JSON_INTEGER_FORMAT "/%" JSON_INTEGER_FORMAT,
             json_integer_value(revision), json_integer_value(ordinal));
}

/* "INSTANCE/REVISION/ORDINAL-INCARNATION" names the work "REVISION/ORDINAL". */
static bool is_about(const json_t *input, const char *key)
{
    const char *id = record_string(input, "invocation");
    const char *slash = strrchr(id, '/');
    while (slash && slash > id && *--slash != '/')
        continue;
    size_t length = strlen(key);
    return slash && *slash == '/' && strncmp(slash + 1, key, length) == 0 &&
           (slash[1 + length] == '-' || slash[1 + length] == '\0');
}

static void add_usage(json_t *span, json_t *usage)
{
    static const char *const known[][2] = {{"input_tokens", "gen_ai.usage.input_tokens"},
                                           {"output_tokens", "gen_ai.usage.output_tokens"}};
    const char *name;
    json_t *amount;
    json_object_foreach(usage, name, amount)
    {
        cli_text key = {0};
        cli_text_add(&key, "wfsm.usage.", 11);
        cli_text_add(&key, name, strlen(name));
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (strcmp(name, known[i][0]) == 0)
                trace_set_number(span, known[i][1], json_integer_value(amount));
        trace_set_number(span, key.data, json_integer_value(amount));
        cli_text_free(&key);
    }
}

/* How the attempt ended: with a result, with a failure, or because nobody wants it any more. */
static void add_end(json_t *span, const json_t *record, const char *key)
{
    const json_t *input = json_object_get(record, "input");
    const json_t *failed = json_object_get(record, "failed");
    bool about = is_about(input, key);
    if (about)
        add_usage(span, json_object_get(input, "usage"));
    if (failed) {
        trace_set_text(span, "error.type", record_string(failed, "class"));
        trace_set_failure(span, record_string(failed, "message"));
    } else if (!about) {
        trace_set_text(span, "wfsm.ended", "withdrawn");
    }
}

/* A child workflow is no agent of the GenAI conventions. */
static void add_agent(const walk *self, json_t *span, const char *agent)
{
    const json_t *known = json_object_get(self->asked->models, agent);
    if (strncmp(agent, "machine:", 8) == 0)
        return;
    trace_set_client(span);
    trace_set_text(span, "gen_ai.operation.name", "invoke_agent");
    trace_set_text(span, "gen_ai.agent.name", agent);
    trace_set_text(span, "gen_ai.provider.name", record_string(known, "provider"));
    trace_set_text(span, "gen_ai.request.model", record_string(known, "model"));
}

/* "{gen_ai.operation.name} {gen_ai.agent.name}" */
static json_t *attempt_span(const walk *self, const char *part, const char *above,
                            const char *agent)
{
    bool child = strncmp(agent, "machine:", 8) == 0;
    cli_text name = {0};
    cli_text_add(&name, "invoke_agent ", child ? 0 : 13);
    cli_text_add(&name, agent, strlen(agent));
    json_t *span = trace_span(self->trace, part, above, name.data ? name.data : "");
    cli_text_free(&name);
    return span;
}

static void end_attempt(walk *self, const char *key, const json_t *entry, const json_t *record,
                        int64_t now)
{
    char part[100];
    const char *agent = record_string(entry, "agent");
    json_int_t attempt = json_integer_value(json_object_get(entry, "attempt"));
    json_int_t since = json_integer_value(json_object_get(entry, "claimed"));
    snprintf(part, sizeof part, "attempt %s/%" JSON_INTEGER_FORMAT, key, attempt);
    json_t *span = attempt_span(
        self, part,
        record_string(json_object_get(self->states, record_string(entry, "state")), "part"),
        agent);
    trace_set_times(span, since, now);
    add_agent(self, span, agent);
    trace_set_number(span, "wfsm.attempt", attempt);
    add_end(span, record, key);
    add_span(self, span);
}

static bool runs(const json_t *entry)
{
    return strcmp(record_string(entry, "status"), "running") == 0;
}

/* An entry that changed has the members that identify it, and those that changed. */
static void take_entry(walk *self, json_t *entry, const json_t *record, int64_t now)
{
    char key[48];
    work_key(key, json_object_get(entry, "revision"), json_object_get(entry, "ordinal"));
    json_t *before = json_object_get(self->work, key);
    json_t *merged = before ? cli_need(json_copy(before)) : cli_need(json_object());
    json_object_update(merged, entry);
    if (before && runs(before) &&
        (!runs(merged) ||
         !json_equal(json_object_get(before, "attempt"), json_object_get(merged, "attempt"))))
        end_attempt(self, key, before, record, now);
    json_object_set_new(self->work, key, merged);
}

/* Before the states are left: an attempt is part of the state that asked for it. */
static void take_work(walk *self, const json_t *record, int64_t now)
{
    const json_t *gone = json_object_get(record, "invocations_cleared");
    for (size_t i = 0; i < json_array_size(gone); i++) {
        char key[48];
        const json_t *pair = json_array_get(gone, i);
        work_key(key, json_array_get(pair, 0), json_array_get(pair, 1));
        const json_t *entry = json_object_get(self->work, key);
        if (entry && runs(entry))
            end_attempt(self, key, entry, record, now);
        json_object_del(self->work, key);
    }
}

static void take_entries(walk *self, const json_t *record, int64_t now)
{
    const json_t *entries = json_object_get(record, "invocations");
    for (size_t i = 0; i < json_array_size(entries); i++)
        take_entry(self, json_array_get(entries, i), record, now);
}

/* ---- the instance ---- */

/* "PARENT/REVISION/ORDINAL-INCARNATION" of the work that this instance does. */
static void link_to_parent(walk *self)
{
    const char *id = record_string(self->parent, "invocation");
    char *owner = cli_need(strdup(id)), part[100];
    char *ordinal = strrchr(owner, '/');
    wfsm_head head = {.size = sizeof head};
    if (ordinal)
        *ordinal++ = '\0';
    char *revision = ordinal ? strrchr(owner, '/') : NULL;
    if (revision)
        *revision++ = '\0';
    if (revision && wfsm_store_head(self->asked->store, owner, &head, NULL) == WFSM_OK) {
        char trace[TRACE_ID_BYTES];
        trace_id(trace, owner, head.created);
        snprintf(part, sizeof part, "attempt %.30s/%.*s/%" JSON_INTEGER_FORMAT, revision,
                 (int)strcspn(ordinal, "-"), ordinal,
                 json_integer_value(json_object_get(self->parent, "attempt")));
        trace_add_link(self->root, trace, part);
    }
    free(owner);
}

/* To the instance that this one was forked from, if it is still there. */
static void link_to_source(walk *self)
{
    const char *id = record_string(self->source, "source");
    wfsm_head head = {.size = sizeof head};
    char trace[TRACE_ID_BYTES];
    if (wfsm_store_head(self->asked->store, id, &head, NULL) != WFSM_OK)
        return;
    trace_id(trace, id, head.created);
    trace_add_link(self->root, trace, "");
}

static void take_first(walk *self, const json_t *record)
{
    json_t *input = json_object_get(record, "input");
    const char *kind = record_string(input, "kind");
    if (strcmp(kind, "fork") == 0)
        self->source = json_incref(input);
    self->parent = json_incref(json_object_get(input, "parent"));
    note_entered(self, record);
}

static void take_record(walk *self, const json_t *record, const wfsm_row *row)
{
    cli_text input = {0};
    json_int_t revision = (json_int_t)row->revision;
    const json_t *configuration = json_object_get(record, "configuration");
    if (self->first)
        take_first(self, record);
    self->first = false;
    record_input(&input, record);
    trace_add_event(self->root, input.data ? input.data : "?", row->now, revision,
                    record_string(record, "outcome"));
    cli_text_free(&input);
    take_work(self, record, row->now);
    if (configuration)
        take_configuration(self, configuration, row->now, revision);
    take_entries(self, record, row->now);
}

static int32_t take_row(void *user, const wfsm_row *row)
{
    walk *self = user;
    json_t *record = json_loadb(row->text, row->length, 0, NULL);
    self->readable = self->readable && record;
    if (record)
        take_record(self, record, row);
    json_decref(record);
    return self->answer == TRACE_AWAY ? WFSM_FAILED : WFSM_OK;
}

static void end_root(walk *self, const stored_head *head)
{
    json_t *state;
    const char *path;
    if (head->status != WFSM_DONE)
        return;
    json_object_foreach(self->states, path, state)
    {
        leave(self, path, state, head->updated);
    }
    trace_set_times(self->root, head->created, head->updated);
    trace_set_text(self->root, "wfsm.instance", head->id);
    trace_set_text(self->root, "wfsm.machine", head->machine);
    trace_set_text(self->root, "wfsm.fingerprint", head->fingerprint);
    trace_set_number(self->root, "wfsm.revision", (json_int_t)head->revision);
    add_span(self, json_incref(self->root));
}

/* A damaged record is refused: it will not be another one. */
static trace_answer tell(const walk *self, const stored_head *head, int32_t status,
                         const wfsm_error *error)
{
    if (status == WFSM_NOT_FOUND)
        return TRACE_TAKEN; /* the instance was removed meanwhile */
    if (status != WFSM_OK)
        cli_say_error(self->asked->path, error);
    else
        cli_say("%s: a record of %s is malformed", self->asked->path, head->id);
    return status == WFSM_OK || status == WFSM_CORRUPT ? TRACE_REFUSED : TRACE_AWAY;
}

static void give_last(walk *self, const stored_head *head)
{
    if (self->parent)
        link_to_parent(self);
    if (self->source)
        link_to_source(self);
    end_root(self, head);
    if (self->answer != TRACE_AWAY)
        give(self);
}

static trace_answer read_journal(walk *self, const stored_head *head)
{
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    int32_t status = wfsm_store_records(self->asked->store, head->id, head->first,
                                        head->revision, take_row, self, error);
    if (self->answer != TRACE_AWAY && (status != WFSM_OK || !self->readable))
        self->answer = tell(self, head, status, error);
    else if (self->answer != TRACE_AWAY)
        give_last(self, head);
    wfsm_error_free(error);
    return self->answer;
}

trace_answer trace_instance(const trace_export *asked, const stored_head *head)
{
    walk self = {.asked = asked, .readable = true, .first = true};
    trace_id(self.trace, head->id, head->created);
    self.root = trace_span(self.trace, "", NULL, head->machine);
    self.spans = cli_need(json_array());
    self.states = cli_need(json_object());
    self.work = cli_need(json_object());
    trace_answer answer = read_journal(&self, head);
    json_decref(self.spans);
    json_decref(self.parent);
    json_decref(self.source);
    json_decref(self.root);
    json_decref(self.states);
    json_decref(self.work);
    return answer;
}
