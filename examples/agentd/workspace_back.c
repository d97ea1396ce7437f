/* A workspace goes back to files that were bound (workspace_bind()). */
#include "workspace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared/worktree.h"
#include "workspace_parts.h"

/* ---- git's names ---- */

/* The commit with the files of this digest, and the one that it began at. */
static void name_kept(const place *at, const char *digest, char commit[GIT_REF_SIZE],
                      char base[GIT_REF_SIZE])
{
    char name[WFSM_DIGEST_SIZE + 8];

    (void)snprintf(name, sizeof name, "%s.base", digest);
    git_own_ref(workspace_place(at), "kept", digest, commit);
    git_own_ref(workspace_place(at), "kept", name, base);
}

static int set_ref(const place *at, const char *ref, const char *commit, host_error *error)
{
    return git_run(workspace_place(at), GIT_PROJECT, error, "update-ref", ref, commit, NULL) ==
                   0
               ? 0
               : -1;
}

int workspace_name_bound(const place *at, const char *digest, host_error *error)
{
    char commit[GIT_REF_SIZE], base[GIT_REF_SIZE];

    name_kept(at, digest, commit, base);
    if (set_ref(at, base, git_text_of(workspace_change(at), "base"), error) != 0)
        return -1;
    return set_ref(at, commit, git_text_of(workspace_change(at), "commit"), error);
}

/* ---- back ---- */

static char *parse(const place *at, const char *name, const char *end)
{
    char wanted[GIT_REF_SIZE + 8];

    (void)snprintf(wanted, sizeof wanted, "%s%s", name, end);
    return git_line(workspace_place(at), GIT_PROJECT, NULL, "rev-parse", "--verify", "-q",
                    wanted, NULL);
}

/* The change with the files of this digest. NULL without an error if git does not have them any more. */
static json_t *change_with(const place *at, const char *tree, host_error *error)
{
    char commit_name[GIT_REF_SIZE], base_name[GIT_REF_SIZE];
    char *files, *base;
    json_t *made = NULL;
    int lock;

    name_kept(at, tree, commit_name, base_name);
    files = parse(at, commit_name, "^{tree}");
    base = parse(at, base_name, "");
    *error->message = '\0';
    lock = files && base ? git_lock(workspace_place(at), error) : -1;
    if (lock >= 0)
        made = git_change(workspace_place(at), git_text_of(workspace_change(at), "into"), base,
                          files, git_text_of(at->work, "title"), error);
    git_unlock(lock);
    free(base);
    free(files);
    return made;
}

static int put_back(const place *at, const char *id, json_t *change, const char *tree,
                    host_error *error)
{
    json_t *made = host_worktree_prepare(workspace_place(at), change, error);

    if (workspace_set_change(at, made) != 0 ||
        json_object_set_new(at->work, "tree", tree ? json_string(tree) : json_null()) != 0)
        return -1;
    return workspace_keep(at, id, error);
}

static int keep_now(const place *at, char kept[GIT_REF_SIZE], host_error *error)
{
    const char *commit;

    if (workspace_record(at, error) != 0)
        return -1;
    commit = git_text_of(workspace_change(at), "commit");
    git_own_ref(workspace_place(at), "kept", commit, kept);
    return set_ref(at, kept, commit, error);
}

int workspace_back(const place *at, const char *id, const char *tree, char kept[GIT_REF_SIZE],
                   host_error *error)
{
    json_t *change = NULL;
    char *before;
    int done;

    *kept = '\0';
    if (!workspace_is_own(at) || !json_is_object(workspace_change(at)))
        return 0;
    if (host_worktree_make(workspace_place(at), error) != 0 || keep_now(at, kept, error) != 0)
        return -1;
    before = strdup(git_text_of(workspace_change(at), "tree"));
    if (tree)
        change = change_with(at, tree, error);
    if (!tree || change)
        done = put_back(at, id, change, tree, error);
    else
        done = *error->message ? -1 : 0;
    if (before && strcmp(before, git_text_of(workspace_change(at), "tree")) == 0)
        *kept = '\0';
    json_decref(change);
    free(before);
    return done;
}
