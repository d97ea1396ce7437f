#include "journal.h"

#include <stdio.h>
#include <string.h>

#include <wfsm/agents.h>
#include "wfsm/shown.h"

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static const json_t *first(const json_t *object, const char *key)
{
    return json_array_get(json_object_get(object, key), 0);
}

const char *journal_event(const json_t *record)
{
    const json_t *input = json_object_get(record, "input");
    const char *taken = text_of(first(record, "transitions"), "event");

    if (strcmp(text_of(input, "kind"), "start") == 0)
        return "task_received";
    /* All failures are handled by one wildcard, so the outcome says more. */
    if (strcmp(taken, "error.invoke.*") == 0)
        return text_of(json_object_get(record, "set"), "outcome");
    if (*taken)
        return taken;
    return *text_of(input, "event") ? text_of(input, "event") : text_of(input, "kind");
}

/* ---- the table ---- */

enum { AGENTS = 16 };

typedef struct tally {
    char agent[HOST_STATE_SIZE];
    int invocations, attempts;
} tally;

typedef struct table {
    int64_t begun;
    char state[HOST_STATE_SIZE]; /* after the last row */
    tally agents[AGENTS];
    size_t agent_count;
} table;

/* The answer of a probe that the agent is still at work. */
static int is_reattached(const json_t *record)
{
    return strcmp(text_of(json_object_get(record, "input"), "kind"), "probe") == 0 &&
           strcmp(text_of(record, "outcome"), "taken") == 0;
}

static tally *tally_of(table *self, const char *agent)
{
    size_t index = 0;

    while (index < self->agent_count && strcmp(self->agents[index].agent, agent) != 0)
        index++;
    if (index == AGENTS)
        return NULL;
    if (index == self->agent_count) {
        (void)snprintf(self->agents[index].agent, HOST_STATE_SIZE, "%s", agent);
        self->agent_count++;
    }
    return &self->agents[index];
}

/* A record has the input of an invocation when it is made. An invocation that runs is a new attempt,
 * unless a probe has found it. */
static void count_work(table *self, const json_t *record)
{
    const json_t *one;
    size_t index;

    json_array_foreach(json_object_get(record, "invocations"), index, one)
    {
        tally *agent = tally_of(self, text_of(one, "agent"));
        if (!agent || strcmp(agent->agent, "workspace") == 0) /* the host itself */
            continue;
        agent->invocations += json_object_get(one, "input") != NULL;
        agent->attempts +=
            !is_reattached(record) && strcmp(text_of(one, "status"), "running") == 0;
    }
}

static void print_work(const table *self)
{
    size_t index;

    shown_printf("\n%-12s  %11s  %8s\n", "agent", "invocations", "attempts");
    for (index = 0; index < self->agent_count; index++)
        if (self->agents[index].attempts + self->agents[index].invocations > 0)
            shown_printf("%-12s  %11d  %8d\n", self->agents[index].agent,
                         self->agents[index].invocations, self->agents[index].attempts);
}

/* How often and why work was retried (001-55, 001-56). */
static void add_retry(const json_t *record, char *notes, size_t room)
{
    const json_t *one;
    size_t index;

    json_array_foreach(json_object_get(record, "invocations"), index, one)
    {
        size_t used = strlen(notes);
        const char *reason = text_of(one, "retry_reason");
        int running = strcmp(text_of(one, "status"), "running") == 0;
        if (running)
            (void)snprintf(notes + used, room - used, "%s%s %s, attempt %.0f", used ? "; " : "",
                           text_of(one, "agent"),
                           is_reattached(record) ? "is still at work" : "starts",
                           json_number_value(json_object_get(one, "attempt")));
        used = strlen(notes);
        if (*reason)
            (void)snprintf(notes + used, room - used, "%sretry_count %.0f, retry_reason %s",
                           used ? "; " : "",
                           json_number_value(json_object_get(one, "retry_count")), reason);
    }
}

static void add_set(const json_t *record, char *notes, size_t room)
{
    const json_t *set = json_object_get(record, "set");
    const char *outcome = text_of(set, "outcome");
    const char *round = text_of(set, "roundOutcome");
    const json_t *number = json_object_get(set, "round");
    size_t used = strlen(notes);

    if (json_number_value(number) > 0)
        (void)snprintf(notes + used, room - used, "%sround %.0f", used ? "; " : "",
                       json_number_value(number));
    used = strlen(notes);
    if (*outcome)
        (void)snprintf(notes + used, room - used, "%soutcome %s", used ? "; " : "", outcome);
    else if (*round)
        (void)snprintf(notes + used, room - used, "%s%s", used ? "; " : "", round);
}

static void print_row(table *self, const json_t *record, int64_t now)
{
    char from[HOST_STATE_SIZE], to[HOST_STATE_SIZE], notes[512] = "",
                                                     moved[2 * HOST_STATE_SIZE + 8];
    char since[WFSM_DURATION_SIZE];
    int goes = host_record_states(record, from, to) && strcmp(from, to) != 0;

    add_set(record, notes, sizeof notes);
    add_retry(record, notes, sizeof notes);
    if (goes)
        (void)snprintf(moved, sizeof moved, "%s -> %s", *from ? from : "null", to);
    else
        (void)snprintf(moved, sizeof moved, "%s", self->state);
    if (goes)
        (void)snprintf(self->state, sizeof self->state, "%s", to);
    shown_printf("%4.0f  %8s  %-20s  %-*s%s%s\n",
                 json_number_value(json_object_get(record, "revision")),
                 wfsm_progress_duration(now - self->begun, since), moved, *notes ? 24 : 0,
                 journal_event(record), *notes ? "  " : "", notes);
}

static int32_t take_record(void *user, const wfsm_row *row)
{
    table *self = user;
    json_t *record = json_loadb(row->text, row->length, 0, NULL);

    if (!record)
        return WFSM_CORRUPT;
    if (row->revision == 1)
        self->begun = row->now;
    print_row(self, record, row->now);
    count_work(self, record);
    json_decref(record);
    return WFSM_OK;
}

int32_t journal_print(wfsm_store *store, const char *id, wfsm_error *error)
{
    table self = {0};
    int32_t status;

    shown_printf("%4s  %8s  %-20s  %-24s  %s\n", "rev", "time", "state", "event", "notes");
    status = wfsm_store_records(store, id, 1, UINT64_MAX, take_record, &self, error);
    if (status == WFSM_OK)
        print_work(&self);
    return status;
}

/* ---- for programs ---- */

static json_t *make_row(const json_t *record)
{
    char from[HOST_STATE_SIZE], to[HOST_STATE_SIZE];
    int moved = host_record_states(record, from, to);

    return json_pack("{s:O?, s:O?, s:s, s:s*, s:s*, s:O*, s:O*}", "revision",
                     json_object_get(record, "revision"), "at", json_object_get(record, "now"),
                     "event", journal_event(record), "from", moved && *from ? from : NULL, "to",
                     moved ? to : NULL, "set", json_object_get(record, "set"), "invocations",
                     json_object_get(record, "invocations"));
}

static int32_t take_row(void *user, const wfsm_row *row)
{
    json_t *record = json_loadb(row->text, row->length, 0, NULL);
    json_t *made = record ? make_row(record) : NULL;

    (void)user;
    if (made) {
        shown_json(made, stdout, JSON_COMPACT);
        shown_printf("\n");
    }
    json_decref(made);
    json_decref(record);
    return made ? WFSM_OK : WFSM_CORRUPT;
}

int32_t journal_print_json(wfsm_store *store, const char *id, wfsm_error *error)
{
    return wfsm_store_records(store, id, 1, UINT64_MAX, take_row, NULL, error);
}
