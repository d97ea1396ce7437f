/* CHALLENGE.md and REVIEW.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin.h"
#include "shared/text.h"
#include "verdict.h"
#include "workspace.h"

static int add(host_text *to, const char *text)
{
    return host_text_add(to, text, strlen(text));
}

/* ---- the results of the project's checks ---- */

static int add_command(host_text *to, const json_t *result)
{
    const json_t *argv = json_object_get(result, "argv"), *word;
    size_t index;
    int done = add(to, "- `");

    json_array_foreach(argv, index, word)
    {
        if (done == 0 && index > 0)
            done = add(to, " ");
        if (done == 0)
            done = add(to, json_string_value(word));
    }
    return done == 0 ? add(to, "`: ") : done;
}

/* In a code fence, so that no line of it counts as a verdict. The fence is longer than any in
 * the text. */
static int add_tail(host_text *to, const char *tail)
{
    size_t length = strlen(tail), index;
    int done = add(to, "\n\n  ```text\n");

    for (index = 0; done == 0 && index < length; index++) {
        if (index == 0 || tail[index - 1] == '\n')
            done = add(to, "  ");
        if (done == 0)
            done = host_text_add(to, tail[index] == '`' ? "'" : &tail[index], 1);
    }
    if (done == 0 && length > 0 && tail[length - 1] != '\n')
        done = add(to, "\n");
    return done == 0 ? add(to, "  ```\n") : done;
}

static int add_result(host_text *to, const json_t *result)
{
    const json_t *code = json_object_get(result, "exit_code");
    const char *reason = json_string_value(json_object_get(result, "reason"));
    const char *tail = json_string_value(json_object_get(result, "tail"));
    int passed = json_is_integer(code) && json_integer_value(code) == 0;

    if (add_command(to, result) != 0 || add(to, reason ? reason : "?") != 0)
        return -1;
    return passed || !tail || !*tail ? add(to, "\n") : add_tail(to, tail);
}

static int add_checks(host_text *to, const json_t *checks)
{
    const json_t *results = json_object_get(checks, "results"), *one;
    size_t index;

    if (!json_is_object(checks))
        return 0;
    if (add(to, "\n## Checks\n\n") != 0)
        return -1;
    json_array_foreach(results, index, one) if (add_result(to, one) != 0) return -1;
    return json_array_size(results) > 0 ? 0 : add(to, "No tests and no scan are known.\n");
}

/* ---- the report ---- */

static int make_text(host_text *to, const json_t *input)
{
    const char *text = json_string_value(json_object_get(input, "text"));

    if (!text)
        text = "# Review\n\nThe project's own checks fail; no reviewer was asked.\n\n"
               "Verdict: NEEDS_CHANGES\n";
    if (add(to, text) != 0)
        return -1;
    if (to->length > 0 && to->data[to->length - 1] != '\n' && add(to, "\n") != 0)
        return -1;
    return add_checks(to, json_object_get(input, "checks"));
}

/* The message may quote an agent, cut in the middle of a character. */
static const char *told(const host_error *why)
{
    json_t *text = json_string(why->message);
    const char *message = text ? why->message : "the verdict has an unknown form";

    json_decref(text);
    return *message ? message : NULL;
}

static int of_review(const builtin_text *text)
{
    return strcmp(text->path, "REVIEW.md") == 0;
}

/* What tests and reviewers have written into the change's workspace is no part of the change. */
static json_t *save(const place *at, const char *id, const json_t *input,
                    const builtin_text *text, host_error *error)
{
    json_t *digests, *edited, *answer, *moved = builtin_moved(at, id, input, error);
    char name[CHANGE_ID_MOST + 64];
    verdict found = VERDICT_NONE;
    host_error why = {""};

    if (!moved)
        return NULL;
    if (builtin_write(at, id, text, 1, json_object_get(input, "digests"),
                      json_is_true(json_object_get(input, "overwrite")), &digests, &edited,
                      error) != 0) {
        json_decref(moved);
        return NULL;
    }
    (void)snprintf(name, sizeof name, "agentd/changes/%s/%s", id, text->path);
    (void)verdict_find(name, text->text, text->length,
                       of_review(text) ? VERDICT_OF_REVIEW : VERDICT_OF_CHALLENGE, &found,
                       &why);
    if (of_review(text) && workspace_restore(at, error) != 0) {
        json_decref(digests);
        json_decref(edited);
        json_decref(moved);
        return NULL;
    }
    answer = json_pack(
        "{s:o, s:o, s:o, s:s?, s:s?}", "digests", digests, "edited", edited, "moved", moved,
        "verdict", found == VERDICT_NONE ? NULL : verdict_name(found), "message", told(&why));
    if (!answer)
        (void)host_fail(error, "out of memory");
    return answer;
}

json_t *builtin_report(const place *at, const char *id, const json_t *input, int64_t now,
                       host_error *error)
{
    const char *file = json_string_value(json_object_get(input, "file"));
    host_text made = {.data = NULL};
    json_t *answer = NULL;

    (void)now;
    if (!file || (strcmp(file, "CHALLENGE.md") != 0 && strcmp(file, "REVIEW.md") != 0))
        (void)host_fail(error, "expected CHALLENGE.md or REVIEW.md");
    else if (make_text(&made, input) != 0)
        (void)host_fail(error, "out of memory");
    else
        answer = save(at, id, input, &(builtin_text){file, made.data, made.length}, error);
    host_text_free(&made);
    return answer;
}
