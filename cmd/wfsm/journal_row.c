#include "wfsm/journal_row.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "wfsm/print.h"
#include "wfsm/record.h"
#include "wfsm/shown.h"

void journal_states(cli_text *text, const json_t *record)
{
    static const char arrow[] = "→ ";
    const json_t *after = json_object_get(record, "configuration");
    record_joined(text, json_object_get(record, "from"), " ");
    cli_text_add(text, " ", text->length > 0 ? 1 : 0);
    cli_text_add(text, arrow, after ? sizeof arrow - 1 : 0);
    record_joined(text, after, " ");
}

static void add_phrase(cli_text *text, const char *phrase)
{
    if (text->length > 0)
        cli_text_add(text, "; ", 2);
    cli_text_add(text, phrase, strlen(phrase));
}

static void add_keys(cli_text *text, const json_t *record, const char *what)
{
    const char *key;
    json_t *value;
    json_t *object = json_object_get(record, what);
    const char *before = " ";
    if (json_object_size(object) == 0)
        return;
    add_phrase(text, what);
    json_object_foreach(object, key, value)
    {
        cli_text_add(text, before, strlen(before));
        cli_text_add(text, key, strlen(key));
        before = ", ";
    }
}

static void add_count(cli_text *text, const json_t *record, const char *what, const char *words)
{
    char phrase[80];
    size_t count = json_array_size(json_object_get(record, what));
    if (count == 0)
        return;
    snprintf(phrase, sizeof phrase, "%zu %s", count, words);
    add_phrase(text, phrase);
}

/* "timeout: no answer in time" */
static void add_failure(cli_text *text, const json_t *failure, const char *kind)
{
    const char *message = record_string(failure, "message");
    if (!failure)
        return;
    add_phrase(text, record_string(failure, kind));
    cli_text_add(text, ": ", *message ? 2 : 0);
    cli_text_add(text, message, strlen(message));
}

/* Why error.execution was raised. */
static void add_errors(cli_text *text, const json_t *errors)
{
    size_t index;
    const json_t *error;
    json_array_foreach(errors, index, error)
    {
        const char *why = json_string_value(error);
        add_phrase(text, "error: ");
        cli_text_add(text, why ? why : "?", why ? strlen(why) : 1);
    }
}

void journal_changes(cli_text *text, const json_t *record)
{
    cli_text_add(text, "", 0);
    add_failure(text, json_object_get(record, "failure"), "status");
    add_failure(text, json_object_get(record, "failed"), "class");
    add_errors(text, json_object_get(record, "errors"));
    add_keys(text, record, "set");
    add_keys(text, record, "unset");
    add_keys(text, record, "changed");
    add_count(text, record, "timers", "timers set");
    add_count(text, record, "timers_cleared", "timers gone");
    add_count(text, record, "invocations", "invocations set");
    add_count(text, record, "invocations_cleared", "invocations gone");
    add_count(text, record, "effects", "effects");
}

void journal_object(const char *instance, const wfsm_row *row)
{
    shown_fputs("{", stdout);
    if (instance) {
        shown_fputs("\"instance\": ", stdout);
        print_json_string(stdout, instance);
        shown_fputs(", ", stdout);
    }
    shown_printf("\"revision\": %" PRIu64 ", \"now\": %" PRId64 ", \"event_id\": ",
                 row->revision, row->now);
    if (row->id)
        print_json_string(stdout, row->id);
    else
        shown_fputs("null", stdout);
    shown_fputs(", \"record\": ", stdout);
    shown_text(stdout, row->text, row->length);
    shown_fputs("}", stdout);
}
