#include "prompt.h"

#include <stdlib.h>
#include <string.h>

#include "epic_order.h"
#include "shared/files.h"

/* The limit in the machine document. */
enum { MOST_PROMPT = 1000000, MOST_EPIC = 16 << 20, MOST_FEATURES = 1000, MOST_ID = 64 };

static void *refuse(const char *what, const char *why)
{
    print_error("%s: %s", what, why);
    return NULL;
}

static char *read_text(const arguments *given)
{
    char *text = NULL;
    size_t length;
    host_error why;

    if (given->operand)
        return strdup(given->operand);
    if (host_file_read(given->prompt_file, MOST_PROMPT, &text, &length, &why) != 0) {
        print_error("%s", why.message);
        return NULL;
    }
    if (strlen(text) == length)
        return text;
    free(text);
    return refuse(given->prompt_file, "expected text, found a NUL byte");
}

static int is_utf8(const char *text)
{
    json_t *value = json_string(text);

    json_decref(value);
    return value != NULL;
}

static const char *check_prompt(const char *text)
{
    if (text[strspn(text, " \t\r\n")] == '\0')
        return "expected words, found nothing";
    if (strlen(text) > MOST_PROMPT)
        return "expected at most 1,000,000 bytes";
    return is_utf8(text) ? NULL : "expected UTF-8";
}

char *prompt_read(const arguments *given)
{
    char *text;
    const char *wrong;

    if (!given->operand == !given->prompt_file)
        return refuse("the task is missing", "expected either a prompt or --prompt-file");
    text = read_text(given);
    wrong = text ? check_prompt(text) : NULL;
    if (!wrong)
        return text;
    free(text);
    return refuse("the prompt", wrong);
}

/* ---- epics ---- */

/* It is also the name of a branch and of a folder. */
static int is_id(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789-_";

    return text && *text && strlen(text) <= MOST_ID && strspn(text, letters) == strlen(text);
}

static const char *check_feature(json_t *feature, json_t *known)
{
    const char *id = json_string_value(json_object_get(feature, "featureId"));

    if (!is_id(id))
        return "featureId: expected 1 to 64 letters, digits, - and _";
    if (json_object_get(known, id))
        return "featureId: there is another feature of this id";
    json_object_set_new(known, id, json_true());
    if (!json_is_string(json_object_get(feature, "name")))
        return "name: expected a text";
    return NULL;
}

static int check_features(const char *path, json_t *features)
{
    json_t *known = json_object(), *feature;
    const char *wrong = NULL;
    size_t index;

    json_array_foreach(features, index, feature)
    {
        wrong = check_feature(feature, known);
        if (wrong)
            break;
    }
    json_decref(known);
    if (wrong)
        print_error("%s: feature %zu: %s", path, index + 1, wrong);
    return wrong ? -1 : epic_order(path, features);
}

int epic_may_be_called(const char *name)
{
    return is_id(name);
}

static const char *check_epic(const json_t *epic, const char *task)
{
    const json_t *features = json_object_get(epic, "features");
    const json_t *parallel = json_object_get(epic, "parallelFeatures");
    const json_t *id = json_object_get(epic, "epicId");

    if (!json_is_array(features) || json_array_size(features) == 0)
        return "features: expected a list with at least one";
    if (json_array_size(features) > MOST_FEATURES)
        return "features: expected at most 1,000";
    if (parallel && (!json_is_integer(parallel) || json_integer_value(parallel) < 1))
        return "parallelFeatures: expected a whole number from 1";
    if (id && !is_id(json_string_value(id)))
        return "epicId: expected 1 to 64 letters, digits, - and _";
    if (!id && task && !is_id(task))
        return "it has no epicId, so --id is its name: expected 1 to 64 letters, digits, - and _";
    return NULL;
}

static json_t *check_read(json_t *epic, const char *path, const char *task)
{
    const char *wrong = check_epic(epic, task);

    if (wrong)
        print_error("%s: %s", path, wrong);
    if (wrong || check_features(path, json_object_get(epic, "features")) != 0) {
        json_decref(epic);
        return NULL;
    }
    if (!json_object_get(epic, "parallelFeatures"))
        json_object_set_new(epic, "parallelFeatures", json_integer(5));
    return epic;
}

json_t *epic_read(const char *path, const char *task)
{
    json_error_t wrong;
    host_error why;
    size_t length;
    char *text;
    json_t *epic;

    if (host_file_read(path, MOST_EPIC, &text, &length, &why) != 0)
        return refuse("--epic", why.message);
    epic = json_loadb(text, length, JSON_REJECT_DUPLICATES, &wrong);
    free(text);
    if (!epic)
        print_error("%s:%d:%d: %s", path, wrong.line, wrong.column, wrong.text);
    return epic ? check_read(epic, path, task) : NULL;
}
