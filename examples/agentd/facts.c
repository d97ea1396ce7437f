#include "facts.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "folder.h"

static int read_report(report_facts *report, const char *file, verdict_of of, const place *at,
                       const char *id, const json_t *now, const json_t *known,
                       host_error *error)
{
    const json_t *digest = json_object_get(now, file);
    char *path;

    report->file = file;
    report->there = json_is_string(digest);
    if (!report->there)
        return 0;
    report->edited = !json_equal(digest, json_object_get(known, file));
    path = change_path(&at->in, id, file, error);
    if (!path)
        return -1;
    if (verdict_read(path, of, &report->verdict, &report->why) != 0)
        report->verdict = VERDICT_NONE;
    free(path);
    return 0;
}

int facts_read(facts *read, const place *at, const char *id, const change *known,
               host_error *error)
{
    const json_t *context = known ? known->stored.context : NULL;
    const json_t *digests = json_object_get(context, "digests");

    memset(read, 0, sizeof *read);
    read->now = folder_digests(&at->in, id, error);
    if (!read->now)
        return -1;
    read->current = folder_documents(read->now);
    read->changed = folder_changed(json_object_get(context, "challenged"), read->current);
    read->proposal = json_is_string(json_object_get(read->now, "proposal.md"));
    if (read_report(&read->challenge, "CHALLENGE.md", VERDICT_OF_CHALLENGE, at, id, read->now,
                    digests, error) != 0)
        return -1;
    return read_report(&read->review, "REVIEW.md", VERDICT_OF_REVIEW, at, id, read->now,
                       digests, error);
}

void facts_clear(facts *read)
{
    json_decref(read->now);
    json_decref(read->current);
    json_decref(read->changed);
    memset(read, 0, sizeof *read);
}

const char *facts_person(void)
{
    const struct passwd *entry = getpwuid(getuid());
    json_t *text = entry ? json_string(entry->pw_name) : NULL; /* NULL if not UTF-8 */
    const char *name = text ? entry->pw_name : "somebody";

    json_decref(text);
    return name;
}
