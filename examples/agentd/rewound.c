#include "rewound.h"

#include <stdlib.h>
#include <string.h>

#include "durable.h"
#include "folder.h"
#include "shared/context.h"
#include "texts.h"

static const char *const reports[] = {"CHALLENGE.md", "REVIEW.md"};
enum { REPORTS = sizeof reports / sizeof *reports };

/* ---- what is known ---- */

/* A workflow tells its change when it ends; until then it has newer digests. */
static json_t *known_now(const work *on)
{
    json_t *known = json_deep_copy(json_object_get(on->now.stored.context, "digests"));
    host_stored child = {.over = 0};

    if (!known)
        known = json_object();
    if (*on->now.workflow &&
        host_stored_read(&child, on->run.store, on->now.workflow, NULL) == WFSM_OK)
        (void)json_object_update(known, json_object_get(child.context, "digests"));
    host_stored_clear(&child);
    return known;
}

/* ---- documents ---- */

/* text NULL: the document is removed. */
static int replace(work *on, const char *path, const char *text, size_t length,
                   host_error *error)
{
    char *whole = change_path(&on->at.in, on->run.id, path, error);
    int done = whole ? texts_keep(&on->at, on->run.id, path, error) : -1;

    if (done == 0)
        done = text ? durable_write(whole, text, length, error) : durable_remove(whole, error);
    free(whole);
    return done;
}

/* A version of an earlier agentd, or one that was removed, is not there: then the document stays. */
static int write_version(work *on, const char *path, const char *digest, host_error *error)
{
    char *text = NULL;
    size_t length;
    int done = 0;

    if (texts_read(&on->at, TEXT_VERSION, on->run.id, digest, &text, &length, NULL) == 0)
        done = replace(on, path, text, length, error);
    free(text);
    return done;
}

static int is_edited(const rewound *self, const json_t *now, const char *path)
{
    const json_t *digest = json_object_get(now, path);

    return digest && !json_equal(digest, json_object_get(self->known, path));
}

/* A document that has the wanted text already need not be written. */
static int is_to_replace(const rewound *self, const json_t *now, const char *path,
                         const json_t *wanted)
{
    return !json_equal(wanted, json_object_get(now, path)) && !is_edited(self, now, path);
}

/* A report that was not written yet. */
static int is_to_remove(const rewound *self, const json_t *now, const char *path,
                        const json_t *wanted)
{
    return json_object_get(now, path) && !wanted && !is_edited(self, now, path);
}

static int put_documents(const rewound *self, work *on, const json_t *wanted, host_error *error)
{
    const json_t *now = on->found.now, *digest;
    const char *path;
    size_t index;
    int done = 0;

    json_object_foreach((json_t *)(uintptr_t)wanted, path, digest)
    {
        if (done == 0 && is_to_replace(self, now, path, digest))
            done = write_version(on, path, json_string_value(digest), error);
    }
    for (index = 0; index < REPORTS && done == 0; index++)
        if (is_to_remove(self, now, reports[index], json_object_get(wanted, reports[index])))
            done = replace(on, reports[index], NULL, 0, error);
    return done;
}

/* ---- code ---- */

static int is_before_code(const work *on, const char *id, const json_t *context)
{
    const char *name = json_string_value(json_object_get(context, "phase"));
    phase then;

    return strcmp(id, on->run.id) == 0 &&
           (!name || phase_named(name, &then) != 0 || then < PHASE_IMPLEMENTING);
}

/* The code stays if nothing was tested by then: agentd does not know what it was. */
static int put_code(rewound *self, work *on, const char *id, const json_t *context,
                    host_error *error)
{
    const char *tree = json_string_value(json_object_get(context, "tree"));

    if (!tree && !is_before_code(on, id, context))
        return 0;
    return workspace_back(&on->at, on->run.id, is_before_code(on, id, context) ? NULL : tree,
                          self->kept, error);
}

/* ---- both ---- */

int rewound_begin(rewound *self, work *on, const char *id, uint64_t revision)
{
    host_stored then;
    host_error why;
    int done = 0, code = REWOUND_UNKNOWN;

    memset(self, 0, sizeof *self);
    if (host_stored_read_at(&then, on->run.store, id, revision, on->run.error) == WFSM_OK) {
        self->known = known_now(on);
        done = put_documents(self, on, json_object_get(then.context, "digests"), &why);
        if (done == 0)
            done = put_code(self, on, id, then.context, &why);
        code = done == 0 ? END_DONE : host_failed(&why, END_STORE);
    }
    host_stored_clear(&then);
    return code;
}

int rewound_end(const rewound *self, work *on, const char *id)
{
    host_error why;
    json_t *now = folder_digests(&on->at.in, on->run.id, &why), *context, *digests, *digest;
    const char *path;
    int32_t status = WFSM_OK;

    if (!now)
        return host_failed(&why, END_STORE);
    context = host_context(on->run.engine, id);
    digests = json_deep_copy(json_object_get(context, "digests"));
    json_object_foreach(now, path, digest)
    {
        if (!is_edited(self, now, path))
            json_object_set(digests, path, digest);
    }
    if (!json_equal(digests, json_object_get(context, "digests")))
        status = host_context_patch(on->run.engine, id, json_pack("{s:O}", "digests", digests),
                                    on->run.error);
    json_decref(now);
    json_decref(digests);
    json_decref(context);
    return status == WFSM_OK ? END_DONE : library_failed(id, on->run.error);
}

void rewound_clear(rewound *self)
{
    json_decref(self->known);
    memset(self, 0, sizeof *self);
}

/* ---- a fork ---- */

static void take_version(work *on, json_t *texts, const char *path, const char *digest)
{
    char *text = NULL;
    size_t length;

    if (texts_read(&on->at, TEXT_VERSION, on->run.id, digest, &text, &length, NULL) == 0)
        json_object_set_new(texts, path, json_stringn(text, length));
    free(text);
}

static void take_versions(const rewound *self, work *on, json_t *texts, const json_t *wanted)
{
    const json_t *now = on->found.now, *digest;
    const char *path;
    size_t index;

    json_object_foreach((json_t *)(uintptr_t)wanted, path, digest)
    {
        if (is_to_replace(self, now, path, digest))
            take_version(on, texts, path, json_string_value(digest));
    }
    for (index = 0; index < REPORTS; index++)
        if (is_to_remove(self, now, reports[index], json_object_get(wanted, reports[index])))
            json_object_del(texts, reports[index]);
}

json_t *rewound_texts(work *on, const char *fork, host_error *error)
{
    rewound self = {.known = known_now(on)};
    json_t *texts = folder_texts(&on->at.in, on->run.id, error);
    host_stored made = {.over = 0};

    if (texts && host_stored_read(&made, on->run.store, fork, NULL) == WFSM_OK)
        take_versions(&self, on, texts, json_object_get(made.context, "digests"));
    host_stored_clear(&made);
    rewound_clear(&self);
    return texts;
}
