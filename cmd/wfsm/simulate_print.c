#include "wfsm/simulate_print.h"
#include "wfsm/work_ids.h"

#include <inttypes.h>
#include <string.h>
#include "wfsm/shown.h"

static void print_string(FILE *out, const char *text, size_t length)
{
    json_t *string = cli_need(json_stringn(text, length));
    shown_json(string, out, JSON_ENCODE_ANY);
    json_decref(string);
}

/* What the library wrote is printed as it is, so that numbers keep their digits. */
static void print_json(FILE *out, const char *key, const char *json, const char *otherwise)
{
    shown_fprintf(out, ", \"%s\": ", key);
    shown_fputs(json ? json : otherwise, out);
}

static void print_list(FILE *out, const char *key, const cli_text *items)
{
    shown_fprintf(out, ", \"%s\": [", key);
    shown_fputs(items->data, out);
    shown_fputs("]", out);
}

static void print_invocation(FILE *out, const json_t *invocation)
{
    static const char *const keys[] = {"id", "src", "state", "status"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *value = json_string_value(json_object_get(invocation, keys[i]));
        shown_fprintf(out, "%s\"%s\": ", i == 0 ? "{" : ", ", keys[i]);
        size_t length = !value ? 0 : i == 0 ? work_id_length(value) : strlen(value);
        print_string(out, value ? value : "", length);
    }
    fputc('}', out);
}

static void print_invocations(FILE *out, wfsm_instance *instance)
{
    size_t length = 0, index;
    const char *text = instance ? wfsm_instance_invocations(instance, &length) : NULL;
    json_t *list = text ? json_loadb(text, length, 0, NULL) : NULL;
    const json_t *invocation;
    shown_fputs(", \"invocations\": [", out);
    json_array_foreach(list, index, invocation)
    {
        shown_fputs(index > 0 ? ", " : "", out);
        print_invocation(out, invocation);
    }
    fputc(']', out);
    json_decref(list);
}

/* Only of machines that have any. */
static void print_budgets(FILE *out, const sim_run *sim)
{
    size_t length = 0;
    const char *budgets =
        sim->instance ? wfsm_instance_budgets(sim->instance, sim->now, &length) : NULL;
    if (length > 2)
        shown_fprintf(out, ", \"budgets\": %s", budgets); /* compact */
}

static void print_deadline(FILE *out, const wfsm_instance *instance)
{
    int64_t deadline = instance ? wfsm_instance_deadline(instance) : WFSM_NEVER;
    if (deadline == WFSM_NEVER)
        shown_fputs(", \"deadline\": null", out);
    else
        shown_fprintf(out, ", \"deadline\": %" PRId64, deadline);
}

static void print_error(FILE *out, const sim_answer *answer)
{
    if (answer->status == WFSM_OK)
        return;
    shown_fprintf(out, ", \"error\": {\"status\": \"%s\", \"message\": ",
                  wfsm_status_name(answer->status));
    print_string(out, answer->message.data, answer->message.length);
    if (answer->pointer.length > 0) {
        shown_fputs(", \"pointer\": ", out);
        print_string(out, answer->pointer.data, answer->pointer.length);
    }
    fputc('}', out);
}

static void print_properties(FILE *out, const sim_watch *watch)
{
    cli_text pending = {0}, unwatched = {0};
    if (!watch->monitor)
        return;
    sim_watch_names(watch, WFSM_WATCHED_PENDING, &pending);
    sim_watch_names(watch, WFSM_WATCHED_UNKNOWN, &unwatched);
    shown_fprintf(out, ", \"properties\": {\"violated\": [%s], \"pending\": [%s]",
                  watch->violated.data, pending.length > 0 ? pending.data : "");
    if (unwatched.length > 0)
        shown_fprintf(out, ", \"unwatched\": [%s]", unwatched.data);
    if (watch->unassumed) {
        shown_fputs(", \"unassumed\": ", out);
        print_string(out, watch->unassumed, strlen(watch->unassumed));
    }
    fputc('}', out);
    cli_text_free(&pending);
    cli_text_free(&unwatched);
}

bool sim_print(FILE *out, sim_run *sim)
{
    wfsm_instance *instance = sim->instance;
    size_t length = 0;
    shown_fprintf(out, "{\"revision\": %" PRIu64 ", \"result\": \"%s\"",
                  instance ? wfsm_instance_revision(instance) : 0, sim->answer.result);
    print_json(out, "configuration",
               instance ? wfsm_instance_configuration(instance, &length) : NULL, "[]");
    print_json(out, "context", instance ? wfsm_instance_context(instance, &length) : NULL,
               "{}");
    print_list(out, "effects", &sim->answer.effects);
    print_list(out, "log", &sim->answer.log);
    print_invocations(out, instance);
    print_budgets(out, sim);
    print_deadline(out, instance);
    shown_fprintf(out, ", \"done\": %s",
                  instance && wfsm_instance_status(instance) == WFSM_DONE ? "true" : "false");
    print_properties(out, &sim->watch);
    print_error(out, &sim->answer);
    shown_fputs("}\n", out);
    return fflush(out) == 0 && !ferror(out);
}
