#include "forked.h"

#include <stdio.h>
#include <string.h>

#include <wfsm/base.h>
#include "prompt.h"

enum { NAME_SIZE = 80 };

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

/* An epic that has no name of its own is called like its task. Folders and branches bear it. */
static void name_epic(const char *id, char name[NAME_SIZE])
{
    char digest[WFSM_DIGEST_SIZE];

    (void)snprintf(name, NAME_SIZE, "%.64s", id);
    if (epic_may_be_called(id))
        return;
    (void)wfsm_digest(id, strlen(id), digest);
    (void)snprintf(name, NAME_SIZE, "fork-%.16s",
                   strrchr(digest, ':') ? strrchr(digest, ':') + 1 : digest);
}

/* A path that somebody has chosen stays. */
static void place_feature(json_t *feature, const settings *with, const char *old,
                          const char *name)
{
    const char *id = text_of(feature, "featureId");
    json_t *path = json_sprintf("%s/%s/%s", with->worktrees, old, id);

    if (json_equal(path, json_object_get(feature, "worktreePath")))
        json_object_set_new(feature, "worktreePath",
                            json_sprintf("%s/%s/%s", with->worktrees, name, id));
    json_decref(path);
}

static json_t *own_epic(const json_t *context, const settings *with, const char *id)
{
    char name[NAME_SIZE];
    json_t *epic = json_deep_copy(json_object_get(context, "epicContext")), *feature;
    size_t index;

    name_epic(id, name);
    json_array_foreach(json_object_get(epic, "features"), index, feature)
        place_feature(feature, with, text_of(epic, "epicId"), name);
    json_object_set_new(epic, "epicId", json_string(name));
    return epic;
}

json_t *forked_patch(const json_t *context, const settings *with, const char *id)
{
    json_t *patch;

    if (!*text_of(context, "taskId") || strcmp(text_of(context, "taskId"), id) == 0)
        return NULL;
    patch = json_pack("{s:s}", "taskId", id);
    if (patch && json_is_object(json_object_get(context, "epicContext")))
        json_object_set_new(patch, "epicContext", own_epic(context, with, id));
    return patch;
}
