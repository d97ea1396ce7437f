#include "wfsm/machine_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "wfsm/document.h"

/* Of files. */
typedef struct names {
    char **list;
    size_t count;
} names;

static bool add_machine(machine_files *self, const char *path)
{
    wfsm_machine *machine = document_load(path);
    if (!machine)
        return false;
    self->list = cli_need(realloc(self->list, (self->count + 1) * sizeof *self->list));
    self->list[self->count++] = machine;
    return true;
}

static bool ends_in_json(const char *name)
{
    size_t length = strlen(name);
    return name[0] != '.' && length > 5 && strcmp(name + length - 5, ".json") == 0;
}

static int compare_names(const void *one, const void *two)
{
    return strcmp(*(char *const *)one, *(char *const *)two);
}

static void add_name(names *found, const char *name)
{
    found->list = cli_need(realloc(found->list, (found->count + 1) * sizeof *found->list));
    found->list[found->count++] = cli_need(strdup(name));
}

static void free_names(names *found)
{
    for (size_t i = 0; i < found->count; i++)
        free(found->list[i]);
    free(found->list);
}

static bool list_folder(names *found, const char *path)
{
    DIR *folder = opendir(path);
    if (!folder) {
        cli_say("%s: %s", path, strerror(errno));
        return false;
    }
    for (const struct dirent *entry; (entry = readdir(folder));)
        if (ends_in_json(entry->d_name))
            add_name(found, entry->d_name);
    closedir(folder);
    if (found->count == 0)
        cli_say("%s: there is no machine document (*.json) in this folder", path);
    return found->count > 0;
}

static bool add_folder(machine_files *self, const char *path)
{
    names found = {0};
    bool fine = list_folder(&found, path);
    if (fine)
        qsort(found.list, found.count, sizeof *found.list, compare_names);
    for (size_t i = 0; i < found.count && fine; i++) {
        cli_text file = {0};
        cli_text_add(&file, path, strlen(path));
        cli_text_add(&file, "/", 1);
        cli_text_add(&file, found.list[i], strlen(found.list[i]));
        fine = add_machine(self, file.data);
        cli_text_free(&file);
    }
    free_names(&found);
    return fine;
}

bool machine_files_read(machine_files *self, const char *path)
{
    struct stat about;
    bool folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
    return folder ? add_folder(self, path) : add_machine(self, path);
}

void machine_files_free(machine_files *self)
{
    for (size_t i = 0; i < self->count; i++)
        wfsm_machine_unref(self->list[i]);
    free(self->list);
    *self = (machine_files){0};
}
