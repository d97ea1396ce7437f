#include "subject.h"

#include <stdlib.h>
#include <unistd.h>

#include "commits.h"
#include "shared/owner.h"
#include "shared/page.h"
#include "shared/worktree.h"
#include "shared/worktree_git.h"
#include "workspace.h"

/* The diff has new files only if a commit has them. A process that drives the task makes it itself. */
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

void subject_show(const settings *with, const task *found, const task *root)
{
    json_t *place = task_place(root);
    const char *since = git_text_of(place, task_is_feature(found) ? "branch" : "into");
    json_t *own;

    if (!json_is_object(place) || host_worktree_is_shared(place))
        return;
    own = task_is_feature(found) ? workspace_of_feature(with, found->stored.context)
                                 : json_incref(place);
    if (own && access(git_text_of(own, "root"), F_OK) == 0) {
        keep(root, own);
        show_diff(own, since);
    }
    json_decref(own);
}
