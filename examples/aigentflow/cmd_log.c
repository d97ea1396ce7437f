/* log: what the agents of a task write, as it comes. */
#include "aigentflow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared/files.h"
#include "shared/follow.h"
#include "shared/owner.h"
#include "shared/signals.h"
#include "tasks.h"
#include "wfsm/address.h"

/* An invocation may have a prompt of a million characters. */
enum { MOST_INVOCATION = 64 << 20 };

typedef struct looking {
    const settings *with;
    wfsm_store *store;
    const task *found;
} looking;

/* Nothing more comes when nobody drives it. */
static int is_over(void *user)
{
    const looking *self = user;
    task now;
    int over = -1;

    if (task_read(&now, self->store, self->with, self->found->id) == END_FINE)
        over = !task_is_unfinished(&now) || !host_owner_is_at_work(now.stored.owner);
    task_clear(&now);
    return over;
}

/* The invocation is in a file beside it, which ends with .in (doc/process-agents.md). */
static json_t *invocation_of(const looking *self, const char *file)
{
    const char *dot = strrchr(file, '.');
    char name[1024], *path, *text = NULL;
    json_t *invocation = NULL;
    size_t length = 0;
    host_error why;

    (void)snprintf(name, sizeof name, "%.*s.in", dot ? (int)(dot - file) : 0, file);
    path = host_path_join(self->with->logs, name);
    if (path && host_file_read(path, MOST_INVOCATION, &text, &length, &why) == 0)
        invocation = json_loadb(text, length, 0, NULL);
    free(text);
    free(path);
    return invocation;
}

static void describe(void *user, const char *file, char *words, size_t size)
{
    json_t *one = invocation_of(user, file);
    const char *agent = json_string_value(json_object_get(one, "agent"));
    const char *feature =
        json_string_value(json_object_get(json_object_get(one, "input"), "featureId"));

    (void)snprintf(words, size, "%.60s%s%.80s", agent ? agent : "", feature ? " of " : "",
                   feature ? feature : "");
    json_decref(one);
}

static int any(const task *one)
{
    (void)one;
    return 1;
}

static int follow(const arguments *given, const settings *with, wfsm_store *store)
{
    task found;
    int code = task_find(&found, store, with, given, any, "there is no such task");
    looking self = {with, store, &found};
    const host_following what = {.folder = with->logs,
                                 .id = found.id,
                                 .children = !task_is_feature(&found),
                                 .is_json = given->json,
                                 .is_over = is_over,
                                 .describe = describe,
                                 .user = &self};

    if (code == END_FINE && host_follow(&what) < 0)
        code = END_STORE;
    task_clear(&found);
    return code;
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
        code = follow(given, with, store);
    wfsm_store_free(store);
    wfsm_error_free(error);
    return code;
}
