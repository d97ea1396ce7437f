/* coordinator clean: removes worktrees, branches and logs of tasks that have ended. */
#include "coordinator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "each_task.h"
#include "shared/run_logs.h"
#include "shared/worktree.h"
#include "wfsm/shown.h"

enum { DAY = 24 * 60 * 60 * 1000 };

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

/* A change that the project does not have. */
static int is_unlanded(const task *found)
{
    const json_t *change = json_object_get(found->context, "change");
    const json_t *landed = json_object_get(found->context, "landed");

    return json_is_object(change) &&
           strcmp(text_of(change, "commit"), text_of(change, "base")) != 0 &&
           strcmp(text_of(landed, "status"), "landed") != 0;
}

static int has_told; /* else the command says that nothing was due */

/* What happened, for people or for programs. */
static void tell(const settings *with, const char *id, const char *key, const char *what,
                 const char *words)
{
    json_t *made;

    has_told = 1;
    if (!with->is_json) {
        shown_printf("%s: %s %s\n", id, what, words);
        return;
    }
    made = json_pack("{s:s, s:s}", "task", id, key, what);
    if (made)
        shown_json(made, stdout, JSON_COMPACT);
    shown_printf("\n");
    json_decref(made);
}

static int remove_place(const arguments *given, const settings *with, const task *found,
                        const char *id)
{
    static const char why_kept[] = "is kept, because the project does not have its change";
    const json_t *place = json_object_get(found->context, "place");
    const char *root = text_of(place, "root");
    int is_copy = strcmp(text_of(place, "kind"), "copy") == 0;
    int kept = is_unlanded(found) && !given->force;
    host_error why;

    if (!*root || access(root, F_OK) != 0)
        return END_FINE;
    if (kept && is_copy) {
        tell(with, id, "kept", root, why_kept);
        return END_FINE;
    }
    if (host_worktree_remove(place, !kept, &why) != 0) {
        print_error("%s: %s", id, why.message);
        return END_OTHER;
    }
    tell(with, id, "removed", root, "is removed");
    if (kept)
        tell(with, id, "kept", text_of(place, "branch"), why_kept);
    return END_FINE;
}

static void remove_logs(const settings *with, const char *id)
{
    size_t count = host_run_logs_delete(with->logs, id, 0);
    char text[32];

    (void)snprintf(text, sizeof text, "%zu log files", count);
    if (count > 0)
        tell(with, id, "removed", text, "are removed");
}

static int is_at_work(const task *found)
{
    int32_t owner = wfsm_owner_state(found->owner);

    return !found->over || found->awaiting || owner == WFSM_OWNER_ALIVE;
}

static int clean_read(const arguments *given, const settings *with, const task *found,
                      const char *id)
{
    int64_t age = wfsm_agents_now() - found->updated;
    int code;

    if (is_at_work(found)) {
        if (given->id)
            print_error("%s: it has not ended", id);
        return given->id ? END_OTHER : END_FINE;
    }
    if (!given->id && age < with->keep_days * DAY)
        return END_FINE;
    code = remove_place(given, with, found, id);
    if (code == END_FINE)
        remove_logs(with, id);
    return code;
}

static int clean_one(const arguments *given, const settings *with, wfsm_store *store,
                     const char *id, wfsm_error *error)
{
    task found;
    int code;

    if (host_stored_read(&found, store, id, error) == WFSM_OK)
        code = clean_read(given, with, &found, id);
    else
        code = library_failed(id, error);
    host_stored_clear(&found);
    return code;
}

int cmd_clean(const arguments *given, const settings *with)
{
    int code = each_task(given, with, 0, NULL, clean_one);

    if (code == END_FINE && !has_told && !with->is_json && host_store_is_made(with->store))
        shown_puts("nothing to remove: no task has ended long enough ago");
    return code;
}
