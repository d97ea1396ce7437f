#include "subject.h"

#include <stdlib.h>
#include <unistd.h>

#include "commits.h"
#include "shared/owner.h"
#include "shared/page.h"
#include "shared/worktree.h"
#include "shared/worktree_git.h"

static const json_t *place_of(const task *root)
{
    return json_object_get(json_object_get(root->stored.context, "metadata"), "place");
}

/* Its worktree; NULL if it has none. */
static json_t *feature_place(const task *one, const json_t *place)
{
    return json_pack("{s:s, s:O, s:s, s:s, s:s}", "kind", "worktree", "project",
                     json_object_get(place, "project"), "root",
                     host_stored_text(&one->stored, "worktreePath"), "folder",
                     host_stored_text(&one->stored, "worktreePath"), "branch",
                     host_stored_text(&one->stored, "branch"));
}

/* So that the diff has new files as well. Who drives the task does so himself. */
static void keep(const task *root, const json_t *place)
{
    int lock;

    if (host_owner_is_at_work(root->stored.owner))
        return;
    lock = git_lock(place, NULL);
    if (lock >= 0)
        (void)commits_keep(place, "before a person decides", NULL);
    git_unlock(lock);
}

static void show_diff(const json_t *place, const char *since)
{
    char *base = git_line(place, GIT_TASK, NULL, "merge-base", "HEAD", since, NULL);
    host_error why;
    page to;

    if (base) {
        page_open(&to);
        (void)page_git_diff(&to, git_text_of(place, "root"), &why, base, "--", NULL);
        page_close(&to);
    }
    free(base);
}

void subject_show(const task *found, const task *root)
{
    const json_t *place = place_of(root);
    const char *since = git_text_of(place, task_is_feature(found) ? "branch" : "into");
    json_t *own;

    if (!json_is_object(place) || host_worktree_is_shared(place))
        return;
    own = task_is_feature(found) ? feature_place(found, place)
                                 : json_incref((json_t *)(uintptr_t)place);
    if (own && access(git_text_of(own, "root"), F_OK) == 0) {
        keep(root, own);
        show_diff(own, since);
    }
    json_decref(own);
}
