#include "listed.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static int has(const json_t *ids, const char *id)
{
    const json_t *one;
    size_t index;

    json_array_foreach(ids, index, one) if (strcmp(json_string_value(one), id) == 0) return 1;
    return 0;
}

/* A folder that is not there has no changes. */
static int add_folder(json_t *ids, const char *path)
{
    DIR *folder = path ? opendir(path) : NULL;
    struct dirent *entry;
    int failed = 0;

    while (folder && !failed && (entry = readdir(folder)) != NULL)
        if (change_id_check(entry->d_name, NULL) == 0 && !has(ids, entry->d_name))
            failed = json_array_append_new(ids, json_string(entry->d_name));
    if (folder)
        (void)closedir(folder);
    return failed ? -1 : 0;
}

static int compare(const void *one, const void *other)
{
    return strcmp(json_string_value(*(json_t *const *)one),
                  json_string_value(*(json_t *const *)other));
}

static int sort(json_t *ids)
{
    size_t count = json_array_size(ids), index;
    json_t **list = calloc(count + 1, sizeof *list), *one;

    if (!list)
        return -1;
    json_array_foreach(ids, index, one) list[index] = json_incref(one);
    qsort(list, count, sizeof *list, compare);
    (void)json_array_clear(ids);
    for (index = 0; index < count; index++)
        json_array_append_new(ids, list[index]);
    free(list);
    return 0;
}

int listed_add(const place *at, json_t *ids)
{
    static const char *const folders[] = {"agentd/changes", "agentd/archive"};
    size_t index;
    int failed = 0;

    for (index = 0; index < 2 && !failed; index++) {
        char *path = project_path(&at->in, folders[index], NULL);
        failed = add_folder(ids, path);
        free(path);
    }
    return failed ? -1 : sort(ids);
}
