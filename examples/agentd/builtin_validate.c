/* The format of proposal.md. */
#include <stdlib.h>

#include "builtin.h"
#include "folder.h"
#include "shared/files.h"
#include "proposal.h"

static int is_ours(const place *at, const char *id, const json_t *known, host_error *error)
{
    json_t *now = folder_digests(&at->in, id, error);
    int ours =
        json_is_string(json_object_get(now, "proposal.md")) &&
        json_equal(json_object_get(now, "proposal.md"), json_object_get(known, "proposal.md"));

    json_decref(now);
    return ours;
}

/* Only a text that an agent wrote is repaired. It goes into the answer, and the document keeps
 * it before it is saved. A person's file stays as it is: it can be understood without the
 * repair. */
static json_t *repaired_text(const place *at, const char *id, const proposal_check *check,
                             const json_t *known, host_error *error)
{
    if (json_array_size(check->repaired) == 0 || !check->text.data ||
        !is_ours(at, id, known, error))
        return json_null();
    return json_stringn(check->text.data, check->text.length);
}

static json_t *answer(const place *at, const char *id, const proposal_check *check,
                      const json_t *known, host_error *error)
{
    json_t *now = folder_digests(&at->in, id, error);
    json_t *texts = now ? folder_texts(&at->in, id, error) : NULL, *made = NULL;

    if (texts)
        made = json_pack("{s:b, s:O, s:O, s:o, s:o, s:O}", "valid",
                         json_array_size(check->problems) == 0, "problems", check->problems,
                         "repaired", check->repaired, "text",
                         repaired_text(at, id, check, known, error), "current",
                         folder_documents(now), "documents", texts);
    if (texts && !made)
        (void)host_fail(error, "out of memory");
    json_decref(texts);
    json_decref(now);
    return made;
}

static json_t *validate(const place *at, const char *id, const char *text, size_t length,
                        const json_t *known, host_error *error)
{
    proposal_check check;
    json_t *made = NULL;

    if (proposal_check_text(&check, id, text, length, at->config.required_sections, error) == 0)
        made = answer(at, id, &check, known, error);
    proposal_check_clear(&check);
    return made;
}

json_t *builtin_validate(const place *at, const char *id, const json_t *input, int64_t now,
                         host_error *error)
{
    char *path = change_path(&at->in, id, "proposal.md", error), *text = NULL;
    size_t length;
    json_t *made = NULL;

    (void)now;
    if (path && host_file_read(path, PROPOSAL_MOST_BYTES, &text, &length, error) == 0)
        made = validate(at, id, text, length, json_object_get(input, "digests"), error);
    free(text);
    free(path);
    return made;
}
