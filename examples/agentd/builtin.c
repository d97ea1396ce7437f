#include "builtin.h"

#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "tree.h"
#include "workspace.h"

typedef struct entry {
    const char *name;
    builtin_work run;
} entry;

static const entry entries[] = {
    {"look", builtin_look},         {"save", builtin_save},       {"report", builtin_report},
    {"validate", builtin_validate}, {"archive", builtin_archive},
};

static builtin_work find_work(const char *name)
{
    size_t index;

    for (index = 0; index < sizeof entries / sizeof *entries; index++)
        if (strcmp(entries[index].name, name) == 0)
            return entries[index].run;
    return NULL;
}

static int32_t tell(wfsm_call *call, json_t *answer)
{
    char *text = json_dumps(answer, JSON_COMPACT);
    int32_t status = text ? wfsm_call_done(call, text, strlen(text))
                          : wfsm_call_failed(call, "other", "out of memory");

    free(text);
    json_decref(answer);
    return status;
}

static int32_t fail(wfsm_call *call, const host_error *why)
{
    json_t *text = json_string(why->message); /* NULL if it is not UTF-8 */
    int32_t status =
        wfsm_call_failed(call, "other", text ? why->message : "a name is not UTF-8");

    json_decref(text);
    return status;
}

static int32_t start(void *user, wfsm_call *call)
{
    const place *at = user;
    builtin_work run = find_work(wfsm_call_name(call));
    size_t length;
    const char *text = wfsm_call_input(call, &length);
    json_t *input = text ? json_loadb(text, length, 0, NULL) : NULL, *answer = NULL;
    const char *id = json_string_value(json_object_get(input, "change"));
    host_error why = {"the input names no change"};

    if (run && id)
        answer = run(at, id, input, wfsm_call_now(call), &why);
    json_decref(input);
    return answer ? tell(call, answer) : fail(call, &why);
}

int32_t builtin_add(wfsm_engine *engine, const place *at, wfsm_error *error)
{
    size_t index;
    int32_t status = WFSM_OK;

    for (index = 0; status == WFSM_OK && index < sizeof entries / sizeof *entries; index++)
        status = wfsm_engine_add_agent(engine, entries[index].name, start, (void *)at, error);
    return status;
}

/* ---- look ---- */

static json_t *list_specs(const json_t *texts)
{
    json_t *specs = json_array(), *text;
    const char *path;

    json_object_foreach((json_t *)texts, path, text) if (folder_is_spec(path))(void)
        json_array_append_new(specs, json_string(path));
    return specs;
}

json_t *builtin_moved(const place *at, const char *id, const json_t *input, host_error *error)
{
    const char *tree = json_string_value(json_object_get(input, "tree"));

    return tree ? tree_moved(at, id, tree, error) : json_array();
}

/* The tree that the checks have kept, and what was changed since. */
static int add_tree(json_t *answer, const place *at, const char *id, host_error *error)
{
    json_t *list = tree_kept(at, id, TREE_TESTED), *moved;
    char digest[WFSM_DIGEST_SIZE];
    int done = list ? tree_digest(list, digest, error)
                    : host_fail(error, "agentd/.state/trees: the list of %s is gone", id);

    json_decref(list);
    moved = done == 0 ? tree_moved(at, id, digest, error) : NULL;
    if (!moved)
        return -1;
    if (json_array_size(moved) > 0 && workspace_restore(at, error) != 0) {
        json_decref(moved);
        return -1;
    }
    if (json_object_set_new(answer, "tree", json_string(digest)) != 0) {
        json_decref(moved);
        return host_fail(error, "out of memory");
    }
    return json_object_set_new(answer, "moved", moved) == 0 ? 0
                                                            : host_fail(error, "out of memory");
}

json_t *builtin_look(const place *at, const char *id, const json_t *input, int64_t now,
                     host_error *error)
{
    json_t *texts = folder_texts(&at->in, id, error);
    json_t *digests = texts ? folder_digests(&at->in, id, error) : NULL, *answer = NULL;

    (void)now;
    if (digests)
        answer = json_pack("{s:O, s:o, s:o}", "documents", texts, "edited",
                           folder_edited(json_object_get(input, "digests"), digests), "specs",
                           list_specs(texts));
    if (digests && !answer)
        (void)host_fail(error, "out of memory");
    if (answer && json_is_true(json_object_get(input, "tree")) &&
        add_tree(answer, at, id, error) != 0) {
        json_decref(answer);
        answer = NULL;
    }
    json_decref(digests);
    json_decref(texts);
    return answer;
}
