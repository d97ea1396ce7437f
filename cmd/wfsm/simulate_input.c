#include "wfsm/simulate_input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const size_t most_line_bytes = (size_t)64 << 20;

/* The key that tells the kind, and the other keys that are allowed with it. */
typedef struct line_form {
    const char *key;
    const char *others[6];
    const char *expected;
} line_form;

static const line_form forms[] = {
    [SIM_EVENT] = {"event", {"data", "id", "origin"}, "a name of 1 to 255 bytes"},
    [SIM_ADVANCE] = {"advance", {NULL}, "whole milliseconds from 0 to 2^53"},
    [SIM_PATCH] = {"patch", {NULL}, "an object"},
    [SIM_CHECKPOINT] = {"checkpoint", {NULL}, "an id of 1 to 255 bytes"},
    [SIM_RESTORE] = {"restore", {NULL}, "an id of 1 to 255 bytes, or a revision from 1"},
    [SIM_DONE] = {"done", {"output", "usage", "signature"}, "the id of an invocation"},
    [SIM_APPROVE] = {"approve", {"id"}, "an object with invocation, by, decision and digest"},
    [SIM_FAILED] = {"failed",
                    {"class", "message", "usage", "signature", "retryAfter"},
                    "the id of an invocation"},
    [SIM_RETRY] = {"retry", {NULL}, "the id of an invocation"},
    [SIM_START] = {"start", {NULL}, "an object, or null"},
    [SIM_FIRE] = {"fire", {NULL}, "true"},
    [SIM_CLAIM] = {"claim", {NULL}, "the id of an invocation"},
};
enum { FORMS = sizeof forms / sizeof *forms, ORDINARY_FORMS = SIM_START };

enum sim_line sim_read_line(FILE *file, cli_text *line, const char **why)
{
    int byte;
    line->length = 0;
    cli_text_add(line, "", 0);
    while ((byte = getc(file)) != EOF && byte != '\n') {
        char one = (char)byte;
        cli_text_add(line, &one, 1);
        if (line->length > most_line_bytes) {
            *why = "longer than 64 MiB";
            return SIM_UNREADABLE;
        }
    }
    if (ferror(file)) {
        *why = strerror(errno);
        return SIM_UNREADABLE;
    }
    return byte == EOF && line->length == 0 ? SIM_END : SIM_LINE;
}

bool sim_line_is_blank(const cli_text *line)
{
    return strspn(line->data, " \t\r") == line->length;
}

static bool has_form(const char *key, bool by_hand, sim_kind *kind)
{
    for (int i = 0; i < (by_hand ? FORMS : ORDINARY_FORMS); i++)
        if (strcmp(forms[i].key, key) == 0) {
            *kind = (sim_kind)i;
            return true;
        }
    return false;
}

/* Which input it is; exactly one of the forms' keys must be there. */
static bool find_kind(sim_input *input, bool by_hand, char *why)
{
    const char *key;
    json_t *value;
    const char *unknown = "";
    int found = 0;
    sim_kind kind = SIM_EVENT;
    json_object_foreach(input->root, key, value)
    {
        if (has_form(key, by_hand, &kind)) {
            input->kind = kind;
            found++;
        } else if (!*unknown) {
            unknown = key;
        }
    }
    if (found != 1)
        snprintf(why, SIM_WHY_BYTES,
                 "expected one of the keys event, advance, patch, checkpoint, restore, done, "
                 "approve, retry%s and failed, found %s%.80s%s",
                 by_hand ? ", start, fire, claim" : "",
                 found > 1  ? "several"
                 : *unknown ? "\""
                            : "none",
                 found == 0 ? unknown : "", found == 0 && *unknown ? "\"" : "");
    return found == 1;
}

static bool belongs(const line_form *form, bool by_hand, const char *key)
{
    if (strcmp(key, form->key) == 0 || (by_hand && strcmp(key, "host") == 0))
        return true;
    for (int i = 0; form->others[i]; i++)
        if (strcmp(key, form->others[i]) == 0)
            return true;
    return false;
}

static bool has_only_known_keys(const sim_input *input, bool by_hand, char *why)
{
    const line_form *form = &forms[input->kind];
    const char *key;
    json_t *value;
    json_object_foreach(input->root, key, value)
    {
        if (belongs(form, by_hand, key))
            continue;
        int used =
            snprintf(why, SIM_WHY_BYTES, "unknown key \"%.80s\" beside \"%s\"", key, form->key);
        for (int i = 0; form->others[i]; i++)
            used += snprintf(why + used, SIM_WHY_BYTES - (size_t)used, "%s%s",
                             i == 0                ? ", expected "
                             : form->others[i + 1] ? ", "
                                                   : " or ",
                             form->others[i]);
        return false;
    }
    return true;
}

static bool is_name(const json_t *value)
{
    size_t length = json_string_length(value);
    return json_is_string(value) && length >= 1 && length <= 255;
}

static bool read_ms(sim_input *input, const json_t *value)
{
    double ms = json_number_value(value);
    if (!(ms >= 0 && ms <= (double)SIM_LAST_MS))
        return false;
    input->ms = json_is_integer(value) ? json_integer_value(value) : (int64_t)ms;
    return input->ms <= SIM_LAST_MS && (double)input->ms == ms;
}

static bool read_revision(sim_input *input, const json_t *value)
{
    json_int_t revision = json_integer_value(value);
    input->revision = revision > 0 ? (uint64_t)revision : 0;
    return revision > 0;
}

static int32_t decision_of(const char *word)
{
    if (word && strcmp(word, "approve") == 0)
        return WFSM_APPROVE;
    return word && strcmp(word, "reject") == 0 ? WFSM_REJECT : 0;
}

static bool read_vote(sim_input *input, const json_t *value)
{
    const json_t *reason = json_object_get(value, "reason");
    size_t keys = reason ? 5 : 4;
    input->vote = (wfsm_approval){
        .size = sizeof input->vote,
        .invocation = json_string_value(json_object_get(value, "invocation")),
        .by = json_string_value(json_object_get(value, "by")),
        .digest = json_string_value(json_object_get(value, "digest")),
        .decision = decision_of(json_string_value(json_object_get(value, "decision"))),
        .reason = json_string_value(reason)};
    return input->vote.invocation && input->vote.by && input->vote.digest &&
           input->vote.decision != 0 && (!reason || json_is_string(reason)) &&
           json_object_size(value) == keys;
}

static bool read_subject(sim_input *input, char *why)
{
    const line_form *form = &forms[input->kind];
    json_t *value = json_object_get(input->root, form->key);
    input->name = json_string_value(value);
    bool invocation = input->kind == SIM_DONE || input->kind == SIM_FAILED ||
                      input->kind == SIM_RETRY || input->kind == SIM_CLAIM;
    bool fine;
    if (input->kind == SIM_ADVANCE)
        fine = json_is_number(value) && read_ms(input, value);
    else if (input->kind == SIM_PATCH)
        fine = json_is_object(value);
    else if (input->kind == SIM_APPROVE)
        fine = read_vote(input, value);
    else if (input->kind == SIM_START)
        fine = json_is_object(value) || json_is_null(value);
    else if (input->kind == SIM_FIRE)
        fine = json_is_true(value);
    else if (input->kind == SIM_RESTORE && json_is_integer(value))
        fine = read_revision(input, value);
    else
        fine = json_is_string(value) && (invocation || is_name(value));
    if (!fine)
        snprintf(why, SIM_WHY_BYTES, "\"%s\": expected %s", form->key, form->expected);
    return fine;
}

static bool read_id(sim_input *input, char *why)
{
    const json_t *id = json_object_get(input->root, "id");
    input->id = json_string_value(id);
    if (!id || is_name(id))
        return true;
    snprintf(why, SIM_WHY_BYTES, "\"id\": expected a string of 1 to 255 bytes");
    return false;
}

static int32_t interface_of(const char *word)
{
    static const char *const words[] = {"engine", "post", "command", "page", "api"};
    for (int32_t i = 0; word && i < 5; i++)
        if (strcmp(words[i], word) == 0)
            return WFSM_INTERFACE_ENGINE + i;
    return 0;
}

static bool read_origin(sim_input *input, char *why)
{
    const json_t *origin = json_object_get(input->root, "origin");
    const json_t *sender = json_object_get(origin, "sender");
    if (!origin)
        return true;
    input->interface = interface_of(json_string_value(json_object_get(origin, "interface")));
    input->sender = json_string_value(sender);
    if (input->interface != 0 && (!sender || json_is_null(sender) || is_name(sender)) &&
        json_object_size(origin) == (sender ? 2 : 1))
        return true;
    snprintf(why, SIM_WHY_BYTES,
             "\"origin\": expected an interface (engine, post, command, page or api), and "
             "perhaps a sender");
    return false;
}

static bool read_class(sim_input *input, char *why)
{
    static const char *const classes[] = {"network", "timeout",  "auth",  "schema",
                                          "exit",    "canceled", "limit", "other"};
    const json_t *value = json_object_get(input->root, "class");
    input->failure_class = value ? json_string_value(value) : "other";
    for (size_t i = 0; input->failure_class && i < sizeof classes / sizeof *classes; i++)
        if (strcmp(classes[i], input->failure_class) == 0)
            return true;
    snprintf(
        why, SIM_WHY_BYTES,
        "\"class\": expected network, timeout, auth, schema, exit, canceled, limit or other");
    return false;
}

static bool refuse(char *why, const char *key, const char *expected)
{
    snprintf(why, SIM_WHY_BYTES, "\"%s\": expected %s", key, expected);
    return false;
}

/* The keys that are allowed with an answer. */
static bool read_beside(sim_input *input, char *why)
{
    const json_t *usage = json_object_get(input->root, "usage");
    const json_t *signature = json_object_get(input->root, "signature");
    const json_t *message = json_object_get(input->root, "message");
    const json_t *after = json_object_get(input->root, "retryAfter");
    if (usage && !json_is_object(usage))
        return refuse(why, "usage", "an object of whole numbers");
    if (signature && json_string_length(signature) == 0)
        return refuse(why, "signature", "a string that is not empty");
    if (message && !json_is_string(message))
        return refuse(why, "message", "a string");
    if (after && (!json_is_integer(after) || json_integer_value(after) < 0 ||
                  json_integer_value(after) > SIM_LAST_MS))
        return refuse(why, "retryAfter", "whole milliseconds from 0 to 2^53");
    if (usage)
        input->usage = cli_need(json_dumps(usage, JSON_COMPACT));
    input->signature = json_string_value(signature);
    input->message = json_string_value(message);
    input->retry_after = after ? json_integer_value(after) : 0;
    return true;
}

static void read_json(sim_input *input)
{
    static const char *const keys[] = {[SIM_EVENT] = "data",
                                       [SIM_PATCH] = "patch",
                                       [SIM_DONE] = "output",
                                       [SIM_START] = "start",
                                       [SIM_CLAIM] = NULL};
    const char *key = keys[input->kind];
    const json_t *value = key ? json_object_get(input->root, key) : NULL;
    if (value && !(input->kind == SIM_START && json_is_null(value)))
        input->json = cli_need(json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY));
}

static bool read_host(sim_input *input, char *why)
{
    input->host = json_object_get(input->root, "host");
    if (!input->host || json_is_array(input->host))
        return true;
    snprintf(why, SIM_WHY_BYTES, "\"host\": expected a list of answers");
    return false;
}

static bool parse(sim_input *input, const cli_text *line, bool by_hand, char *why)
{
    json_error_t error;
    *input = (sim_input){0};
    input->root =
        json_loadb(line->data, line->length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (!input->root) {
        snprintf(why, SIM_WHY_BYTES, "column %d: %s", error.column, error.text);
        return false;
    }
    if (!json_is_object(input->root)) {
        snprintf(why, SIM_WHY_BYTES, "expected a JSON object");
        return false;
    }
    if (!find_kind(input, by_hand, why) || !has_only_known_keys(input, by_hand, why) ||
        !read_subject(input, why) || !read_id(input, why) || !read_origin(input, why) ||
        !read_class(input, why) || !read_beside(input, why) || !read_host(input, why))
        return false;
    read_json(input);
    return true;
}

bool sim_input_parse(sim_input *input, const cli_text *line, char why[SIM_WHY_BYTES])
{
    return parse(input, line, false, why);
}

bool sim_input_parse_by_hand(sim_input *input, const cli_text *line, char why[SIM_WHY_BYTES])
{
    return parse(input, line, true, why);
}

void sim_input_free(sim_input *input)
{
    free(input->json);
    free(input->usage);
    json_decref(input->root);
    *input = (sim_input){0};
}
