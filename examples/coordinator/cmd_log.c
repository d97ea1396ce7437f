/* coordinator log: what agents and commands write, as it comes, until the task is over. */
#include "coordinator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "logs.h"
#include "shared/files.h"
#include "shared/signals.h"
#include "task.h"
#include "wfsm/address.h"
#include "wfsm/shown.h"

enum { PAUSE_MS = 200 };

/* A file, and how much of it was shown. */
typedef struct follower {
    char *name;
    long shown;
} follower;

typedef struct followers {
    follower *list;
    size_t count;
    char last[256]; /* the file of the last line */
} followers;

static long *shown_of(followers *self, const char *name)
{
    follower *longer;
    size_t index;

    for (index = 0; index < self->count; index++)
        if (strcmp(self->list[index].name, name) == 0)
            return &self->list[index].shown;
    longer = realloc(self->list, (self->count + 1) * sizeof *longer);
    if (!longer)
        return NULL;
    self->list = longer;
    longer[self->count] = (follower){strdup(name), 0};
    return longer[self->count].name ? &longer[self->count++].shown : NULL;
}

static void show_name(followers *self, const char *name)
{
    if (strcmp(self->last, name) == 0)
        return;
    (void)snprintf(self->last, sizeof self->last, "%s", name);
    shown_printf("==> %s <==\n", name);
}

static void show_more(followers *self, const char *name, FILE *in, long *shown)
{
    char block[4096];
    size_t length;

    if (fseek(in, *shown, SEEK_SET) != 0)
        return;
    while ((length = fread(block, 1, sizeof block, in)) > 0) {
        show_name(self, name);
        shown_text(stdout, block, length);
        *shown += (long)length;
    }
    (void)fflush(stdout);
}

/* stdout and stderr; the other files are the library's own. */
static int is_output(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot && (strcmp(dot, ".out") == 0 || strcmp(dot, ".log") == 0);
}

static void show_file(followers *self, const char *folder, const char *name)
{
    long *shown = is_output(name) ? shown_of(self, name) : NULL;
    char *path = shown ? host_path_join(folder, name) : NULL;
    FILE *in = path ? fopen(path, "r") : NULL;

    if (in) {
        show_more(self, name, in, shown);
        (void)fclose(in);
    }
    free(path);
}

static void show_all(followers *self, const settings *with, const char *id)
{
    log_list list;
    size_t index;

    if (logs_read(&list, with->logs, id) != 0)
        return;
    for (index = 0; index < list.count; index++)
        show_file(self, with->logs, list.names[index]);
    logs_clear(&list);
}

/* -1: it cannot be read, an error was printed. */
static int is_over(wfsm_store *store, const char *id, wfsm_error *error)
{
    task found;
    int over = -1;

    if (host_stored_read(&found, store, id, error) == WFSM_OK)
        over = found.over;
    else
        (void)library_failed(id, error);
    host_stored_clear(&found);
    return over;
}

/* What was written before the end is shown as well: it is looked at once more after that. */
static int follow(const settings *with, wfsm_store *store, const char *id, wfsm_error *error)
{
    const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000L};
    followers self = {.list = NULL};
    int over = 0;

    while (!over && !host_signals_asked()) {
        over = is_over(store, id, error);
        if (over >= 0)
            show_all(&self, with, id);
        if (!over)
            (void)nanosleep(&pause, NULL);
    }
    while (self.count > 0)
        free(self.list[--self.count].name);
    free(self.list);
    return over < 0 ? END_STORE : END_FINE;
}

int cmd_log(const arguments *given, const settings *with)
{
    wfsm_error *error = wfsm_error_new(NULL);
    wfsm_store *store = NULL;
    int code;

    host_signals_watch();
    if (address_open(&store, with->store, ADDRESS_READ, error) != WFSM_OK)
        code = library_failed("the store", error);
    else
        code = follow(with, store, given->id, error);
    wfsm_store_free(store);
    wfsm_error_free(error);
    return code;
}
