/* clean: removes worktrees, branches and logs of tasks that have ended. Work that is not merged or
 * not committed is kept, unless --force is given. */
#include "aigentflow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <wfsm/agents.h>
#include "shared/files.h"
#include "shared/run_logs.h"
#include "shared/worktree.h"
#include "shared/worktree_git.h"
#include "show_task.h"
#include "tasks.h"
#include "wfsm/address.h"
#include "wfsm/shown.h"

enum { MS_OF_DAY = 86400000 };

typedef struct cleaner {
    const arguments *given;
    const settings *with;
    wfsm_store *store;
    json_t *repository; /* of the task that is cleaned, as a place of worktree_git.h */
    json_t *tasks, *worktrees, *branches, *kept;
    json_t *busy; /* epics of tasks that have not ended */
    size_t logs;
} cleaner;

static void keep(cleaner *self, const char *what, const char *why)
{
    json_array_append_new(self->kept, json_pack("{s:s, s:s}", "what", what, "why", why));
}

/* A name that judged.h tells of. */
static void forget_ref(const cleaner *self, const char *what, const char *branch)
{
    char ref[400];

    (void)snprintf(ref, sizeof ref, "refs/wfsm/%s/%.300s", what, branch);
    if (*branch)
        (void)git_run(self->repository, GIT_PROJECT, NULL, "update-ref", "-d", ref, NULL);
}

/* ---- one feature ---- */

/* An agent names the path: only what is in the folder for worktrees is ours to remove. */
static int is_ours(const cleaner *self, const char *path)
{
    size_t length = strlen(self->with->worktrees);

    return strncmp(path, self->with->worktrees, length) == 0 && path[length] == '/' &&
           !strstr(path, "/../") && access(path, F_OK) == 0;
}

static int git_remove(const cleaner *self, const char *path)
{
    if (!self->given->force)
        return git_run(self->repository, GIT_PROJECT, NULL, "worktree", "remove", path, NULL);
    return git_run(self->repository, GIT_PROJECT, NULL, "worktree", "remove", "--force",
                   "--force", path, NULL);
}

static void remove_worktree(cleaner *self, const char *path)
{
    if (!is_ours(self, path))
        return;
    if (git_remove(self, path) == 0)
        json_array_append_new(self->worktrees, json_string(path));
    else
        keep(self, path, "it is no worktree, or has changes that are not committed");
}

static int has_branch(const cleaner *self, const char *name)
{
    char whole[400];

    (void)snprintf(whole, sizeof whole, "refs/heads/%.350s", name);
    return *name && *name != '-' &&
           git_run(self->repository, GIT_PROJECT, NULL, "show-ref", "--verify", "--quiet",
                   whole, NULL) == 0;
}

static void remove_branch(cleaner *self, const char *name)
{
    if (!has_branch(self, name))
        return;
    forget_ref(self, "judged", name);
    forget_ref(self, "accepted", name);
    if (git_run(self->repository, GIT_PROJECT, NULL, "branch", "--quiet",
                self->given->force ? "-D" : "-d", name, NULL) == 0)
        json_array_append_new(self->branches, json_string(name));
    else
        keep(self, name, "it is not merged, or its worktree is kept");
}

static void clean_feature(cleaner *self, const task *one)
{
    remove_worktree(self, host_stored_text(&one->stored, "worktreePath"));
    remove_branch(self, host_stored_text(&one->stored, "branch"));
}

/* ---- one task ---- */

static const char *epic_of(const task *one)
{
    const char *id = json_string_value(
        json_object_get(json_object_get(one->stored.context, "epicContext"), "epicId"));

    return id ? id : "";
}

static void clean_merge(cleaner *self, const char *epic)
{
    char path[4096], branch[300];

    if (!*epic)
        return;
    (void)snprintf(path, sizeof path, "%.3500s/%.255s/.merge", self->with->worktrees, epic);
    (void)snprintf(branch, sizeof branch, "aigentflow-merge/%.255s", epic);
    remove_worktree(self, path);
    remove_branch(self, branch);
    (void)snprintf(path, sizeof path, "%.3500s/%.255s", self->with->worktrees, epic);
    (void)rmdir(path); /* if it is empty */
}

/* All of it is in one folder beside it: what was not brought to the project is nowhere else. */
static void clean_copy(cleaner *self, const json_t *place)
{
    const char *root = git_text_of(place, "root");
    host_error why = {""};

    if (!is_ours(self, root))
        return;
    if (host_worktree_remove(place, 1, &why) == 0)
        json_array_append_new(self->worktrees, json_string(root));
    else
        keep(self, root, why.message);
}

static void clean_place(cleaner *self, const task *one)
{
    const json_t *place = task_place(one);
    const json_t *landing = json_object_get(task_metadata(one), "landing");
    int is_safe = self->given->force || strcmp(git_text_of(landing, "status"), "landed") == 0;

    if (!json_is_object(place) || host_worktree_is_shared(place))
        return;
    if (git_is_copy(place) && is_safe)
        clean_copy(self, place);
    else if (git_is_copy(place))
        keep(self, git_text_of(place, "root"), "it was not brought to the project");
    else {
        remove_worktree(self, git_text_of(place, "root"));
        remove_branch(self, git_text_of(place, "branch"));
        if (!has_branch(self, git_text_of(place, "branch")))
            (void)git_forget_kept(place, NULL);
        git_forget_lock(place);
    }
}

static char *repository_of(const cleaner *self, const task *one)
{
    const json_t *place = task_place(one);

    return git_is_copy(place) ? git_own_folder(place) : strdup(self->with->project);
}

static int clean_parts(cleaner *self, const task *one)
{
    task_list features;
    size_t index;
    int code = tasks_of(&features, self->store, self->with, one->id);

    for (index = 0; code == END_FINE && index < features.count; index++)
        clean_feature(self, &features.all[index]);
    tasks_clear(&features);
    if (code != END_FINE)
        return code;
    clean_merge(self, epic_of(one));
    clean_place(self, one);
    self->logs += host_run_logs_delete(self->with->logs, one->id, 1);
    json_array_append_new(self->tasks, json_string(one->id));
    return END_FINE;
}

static int clean_task(cleaner *self, const task *one)
{
    char *repository = repository_of(self, one);
    int code = END_STORE;

    self->repository = json_pack("{s:s*}", "project", repository);
    if (repository && self->repository)
        code = clean_parts(self, one);
    else
        print_error("out of memory");
    if (repository && access(repository, F_OK) == 0)
        (void)git_run(self->repository, GIT_PROJECT, NULL, "worktree", "prune", NULL);
    json_decref(self->repository);
    free(repository);
    return code;
}

/* ---- which tasks ---- */

static int has_ended(const task *one)
{
    return strcmp(one->state, "COMPLETED") == 0 || one->stored.ended;
}

static int is_old(const cleaner *self, const task *one)
{
    return wfsm_agents_now() - one->stored.updated >= self->with->keep_days * MS_OF_DAY;
}

static int is_meant(const cleaner *self, const task *one)
{
    if (self->given->operand)
        return strcmp(self->given->operand, one->id) == 0;
    return is_old(self, one);
}

static void note_busy(cleaner *self, const task_list *list)
{
    size_t index;

    for (index = 0; index < list->count; index++)
        if (!has_ended(&list->all[index]))
            json_object_set_new(self->busy, epic_of(&list->all[index]),
                                json_string(list->all[index].id));
}

static int is_busy(cleaner *self, const task *one)
{
    const char *epic = epic_of(one);

    if (!*epic || !json_object_get(self->busy, epic))
        return 0;
    keep(self, one->id, "a task of the same epic has not ended");
    return 1;
}

static int clean_all(cleaner *self, const task_list *list)
{
    size_t index;
    int code = END_FINE;

    note_busy(self, list);
    for (index = 0; code == END_FINE && index < list->count; index++) {
        const task *one = &list->all[index];
        if (has_ended(one) && is_meant(self, one) && !is_busy(self, one))
            code = clean_task(self, one);
    }
    return code;
}

/* ---- the command ---- */

static void print_list(const char *what, const json_t *list)
{
    const json_t *one;
    size_t index;

    json_array_foreach(list, index, one)
        shown_printf("removed %s %s\n", what, json_string_value(one));
}

static int print_done(const cleaner *self)
{
    const json_t *one;
    size_t index;

    print_list("the worktree", self->worktrees);
    print_list("the branch", self->branches);
    json_array_foreach(self->kept, index, one)
        shown_printf("kept %s: %s\n", json_string_value(json_object_get(one, "what")),
                     json_string_value(json_object_get(one, "why")));
    if (json_array_size(self->tasks) == 0)
        shown_puts("nothing to remove: no task has ended long enough ago");
    else
        shown_printf("removed %zu files of agents; tasks that have ended: %zu\n", self->logs,
                     json_array_size(self->tasks));
    return END_FINE;
}

static int print_done_json(const cleaner *self)
{
    return show_json(json_pack("{s:O, s:O, s:O, s:I, s:O}", "tasks", self->tasks, "worktrees",
                               self->worktrees, "branches", self->branches, "logs",
                               (json_int_t)self->logs, "kept", self->kept));
}

static int check_operand(const cleaner *self)
{
    task found;
    int code = END_FINE;

    if (!self->given->operand)
        return code;
    code = task_read(&found, self->store, self->with, self->given->operand);
    if (code == END_FINE && (task_is_feature(&found) || !has_ended(&found))) {
        print_error("%s: expected a task that has ended; it is at %s", found.id, found.state);
        code = END_OTHER;
    }
    task_clear(&found);
    return code;
}

static int clean(cleaner *self)
{
    task_list list = {NULL, 0};
    int code = check_operand(self);

    if (code == END_FINE)
        code = tasks_read(&list, self->store, self->with, 0, NULL);
    if (code == END_FINE)
        code = clean_all(self, &list);
    tasks_clear(&list);
    if (code != END_FINE)
        return code;
    return self->given->json ? print_done_json(self) : print_done(self);
}

static int clean_store(const arguments *given, const settings *with)
{
    wfsm_error *error = wfsm_error_new(NULL);
    cleaner self = {.given = given,
                    .with = with,
                    .tasks = json_array(),
                    .worktrees = json_array(),
                    .branches = json_array(),
                    .kept = json_array(),
                    .busy = json_object()};
    int code;

    if (address_open(&self.store, with->store, ADDRESS_READ, error) != WFSM_OK)
        code = library_failed("the store", error);
    else
        code = clean(&self);
    wfsm_store_free(self.store);
    json_decref(self.tasks);
    json_decref(self.worktrees);
    json_decref(self.branches);
    json_decref(self.kept);
    json_decref(self.busy);
    wfsm_error_free(error);
    return code;
}

int cmd_clean(const arguments *given, const settings *with)
{
    if (given->operand || host_store_is_made(with->store))
        return clean_store(given, with);
    return show_no_task(given, json_pack("{s:[], s:[], s:[], s:i, s:[]}", "tasks", "worktrees",
                                         "branches", "logs", 0, "kept"));
}
