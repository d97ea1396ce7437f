/* The proposer's files. */
#include <stdlib.h>
#include <string.h>

#include "builtin.h"
#include "texts.h"
#include "folder.h"

typedef struct proposed {
    builtin_text *texts;
    char **drafts; /* to be freed; NULL where the text is in the answer */
    size_t count;
} proposed;

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

/* The text is in the answer, or is the draft that has the answer's digest. */
static int take_text(const place *at, const char *id, proposed *made, const char *path,
                     const json_t *one, host_error *error)
{
    const json_t *text = json_object_get(one, "text");
    const char *digest = json_string_value(json_object_get(one, "digest"));
    builtin_text *taken = &made->texts[made->count];

    *taken = (builtin_text){path, json_string_value(text), json_string_length(text)};
    if (!text && !digest)
        return host_fail(error, "the proposer's files: expected a text or a digest");
    if (!text && texts_read(at, TEXT_DRAFT, id, digest, &made->drafts[made->count],
                            &taken->length, error) != 0)
        return -1;
    if (!text)
        taken->text = made->drafts[made->count];
    made->count++;
    return 0;
}

static int take(const place *at, const char *id, proposed *made, const char *step,
                const json_t *one, host_error *error)
{
    const char *path = json_string_value(json_object_get(one, "path"));
    size_t index;

    if (!path)
        return host_fail(error, "the proposer's files: expected a path");
    if (!belongs(step, path))
        return refuse(step, path, error);
    for (index = 0; index < made->count; index++)
        if (strcmp(made->texts[index].path, path) == 0)
            return host_fail(error, "the proposer's files: %s occurs twice", path);
    return take_text(at, id, made, path, one, error);
}

static json_t *save(const place *at, const char *id, const json_t *input, const proposed *made,
                    host_error *error)
{
    json_t *digests, *edited;

    if (builtin_write(at, id, made->texts, made->count, json_object_get(input, "digests"),
                      json_is_true(json_object_get(input, "overwrite")), &digests, &edited,
                      error) != 0)
        return NULL;
    return json_pack("{s:o, s:o}", "digests", digests, "edited", edited);
}

static int take_all(const place *at, const char *id, const json_t *input, proposed *made,
                    host_error *error)
{
    const char *step = json_string_value(json_object_get(input, "step"));
    const json_t *files = json_object_get(input, "files"), *one;
    size_t index;

    made->texts = calloc(json_array_size(files) + 1, sizeof *made->texts);
    made->drafts = calloc(json_array_size(files) + 1, sizeof *made->drafts);
    if (!made->texts || !made->drafts)
        return host_fail(error, "out of memory");
    json_array_foreach(files, index, one)
    {
        if (take(at, id, made, step ? step : "", one, error) != 0)
            return -1;
    }
    return 0;
}

json_t *builtin_save(const place *at, const char *id, const json_t *input, int64_t now,
                     host_error *error)
{
    proposed made = {.count = 0};
    json_t *answer = NULL;
    size_t index;

    (void)now;
    if (take_all(at, id, input, &made, error) == 0)
        answer = save(at, id, input, &made, error);
    for (index = 0; index < made.count; index++)
        free(made.drafts[index]);
    free(made.drafts);
    free(made.texts);
    return answer;
}
