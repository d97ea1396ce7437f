#include "alone.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "coordinator.h"
#include "shared/worktree.h"

int alone_hold(const json_t *place, int *held)
{
    const char *project = host_worktree_folder(place);

    *held = -1;
    if (!host_worktree_is_shared(place))
        return END_FINE;
    *held = open(project, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*held >= 0 && flock(*held, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        print_error("%s: another task is at work there, and workspace = \"shared\" allows one",
                    project);
        alone_release(*held);
        *held = -1;
        return END_STORE;
    }
    return END_FINE;
}

void alone_release(int held)
{
    if (held >= 0)
        (void)close(held);
}

static int is_in_the_way(const json_t *place, const char *id, wfsm_store *store,
                         wfsm_error *error)
{
    task found;
    int is_same = 0;

    if (host_stored_read(&found, store, id, error) == WFSM_OK)
        is_same =
            host_worktree_is_shared(json_object_get(found.context, "place")) &&
            strcmp(host_stored_text(&found, "workspace"), host_worktree_folder(place)) == 0;
    host_stored_clear(&found);
    return is_same;
}

int alone_check(const json_t *place, const char *id, wfsm_store *store, wfsm_error *error)
{
    task_ids ids;
    size_t index;
    int code = END_FINE;

    if (!host_worktree_is_shared(place))
        return END_FINE;
    if (task_ids_read(&ids, store, 1, error) != WFSM_OK)
        code = library_failed("the store", error);
    for (index = 0; index < ids.count && code == END_FINE; index++) {
        const char *other = ids.list[index];
        if ((id && strcmp(other, id) == 0) || !is_in_the_way(place, other, store, error))
            continue;
        print_error("%s: %s is not over yet, and workspace = \"shared\" allows one task: "
                    "`coordinator resume %s` or `coordinator abort %s`",
                    host_worktree_folder(place), other, other, other);
        code = END_STORE;
    }
    task_ids_clear(&ids);
    return code;
}
