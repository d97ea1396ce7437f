/* The proposer's files. */
#include <stdlib.h>
#include <string.h>

#include "builtin.h"
#include "folder.h"

/* The files that belong to a step. A reproposal may have any of them. */
static int belongs(const char *step, const char *path)
{
    int any = strcmp(step, "reproposal") == 0;

    if (strcmp(path, "proposal.md") == 0)
        return any || strcmp(step, "proposal") == 0;
    if (strcmp(path, "tasks.md") == 0)
        return any || strcmp(step, "tasks") == 0;
    return folder_is_spec(path) && (any || strcmp(step, "specs") == 0);
}

/* The agent may have written anything, so the message has only a short, printable part. */
static int refuse(const char *step, const char *path, host_error *error)
{
    char shown[61];
    size_t index;

    for (index = 0; index < sizeof shown - 1 && path[index]; index++)
        shown[index] = (unsigned char)path[index] < ' ' ? '?' : path[index];
    shown[index] = '\0';
    return host_fail(error, "the proposer's files (%s): expected %s, found '%s'", step,
                     strcmp(step, "proposal") == 0 ? "proposal.md"
                     : strcmp(step, "tasks") == 0  ? "tasks.md"
                     : strcmp(step, "specs") == 0  ? "specs/NAME.md"
                                                   : "proposal.md, specs/NAME.md or tasks.md",
                     shown);
}

static int take(builtin_text *texts, size_t count, const char *step, const json_t *one,
                host_error *error)
{
    const json_t *text = json_object_get(one, "text");
    const char *path = json_string_value(json_object_get(one, "path"));
    size_t index;

    if (!path || !text)
        return host_fail(error, "the proposer's files: expected a path and a text");
    if (!belongs(step, path))
        return refuse(step, path, error);
    for (index = 0; index < count; index++)
        if (strcmp(texts[index].path, path) == 0)
            return host_fail(error, "the proposer's files: %s occurs twice", path);
    texts[count] = (builtin_text){path, json_string_value(text), json_string_length(text)};
    return 0;
}

static json_t *save(const place *at, const char *id, const json_t *input,
                    const builtin_text *texts, size_t count, host_error *error)
{
    json_t *digests, *edited;

    if (builtin_write(at, id, texts, count, json_object_get(input, "digests"),
                      json_is_true(json_object_get(input, "overwrite")), &digests, &edited,
                      error) != 0)
        return NULL;
    return json_pack("{s:o, s:o}", "digests", digests, "edited", edited);
}

json_t *builtin_save(const place *at, const char *id, const json_t *input, int64_t now,
                     host_error *error)
{
    const char *step = json_string_value(json_object_get(input, "step"));
    const json_t *files = json_object_get(input, "files"), *one;
    builtin_text *texts = calloc(json_array_size(files) + 1, sizeof *texts);
    json_t *answer = NULL;
    size_t index, count = 0;

    (void)now;
    json_array_foreach(files, index, one)
    {
        if (!texts || take(texts, count, step ? step : "", one, error) != 0)
            break;
        count++;
    }
    if (texts && count == json_array_size(files))
        answer = save(at, id, input, texts, count, error);
    free(texts);
    return answer;
}
