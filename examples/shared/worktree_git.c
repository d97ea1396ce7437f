#include "worktree_git.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "files.h"
#include "program.h"

enum { MOST_WORDS = 40, MOST_OUTPUT = 4 << 20, MOST_FILES = 100, LOCK_SIZE = 4096 + 8 };

/* What a git that called the host has set, and what would lead to another repository. */
static void forget_environment(void)
{
    static const char *const names[] = {
        "GIT_DIR",        "GIT_WORK_TREE",        "GIT_INDEX_FILE",
        "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX",
        "GIT_NAMESPACE"};
    size_t index;

    for (index = 0; index < sizeof names / sizeof *names; index++)
        (void)unsetenv(names[index]);
}

const char *git_text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

int git_is_copy(const json_t *place)
{
    return strcmp(git_text_of(place, "kind"), "copy") == 0;
}

char *git_own_folder(const json_t *place)
{
    const char *root = git_text_of(place, "root");
    size_t room = strlen(root) + sizeof ".git";
    char *path = malloc(room);

    if (path)
        (void)snprintf(path, room, "%s.git", root);
    return path;
}

void git_branch_ref(const json_t *place, char ref[GIT_NAME_SIZE])
{
    (void)snprintf(ref, GIT_NAME_SIZE, "refs/heads/%s", git_text_of(place, "branch"));
}

int git_spared(const json_t *place, const char *magic, char spec[GIT_SPEC_SIZE])
{
    const char *spared = git_text_of(place, "spared");

    (void)snprintf(spec, GIT_SPEC_SIZE, "%s%s", magic, spared);
    return *spared != '\0';
}

/* ---- the lock ---- */

static void lock_path(const json_t *place, char path[LOCK_SIZE])
{
    (void)snprintf(path, LOCK_SIZE, "%s.lock", git_text_of(place, "root"));
}

void git_forget_lock(const json_t *place)
{
    char path[LOCK_SIZE];

    lock_path(place, path);
    (void)unlink(path);
}

int git_lock(const json_t *place, host_error *error)
{
    char path[LOCK_SIZE];
    int lock;

    lock_path(place, path);
    lock = open(path, O_RDWR | O_CREAT, 0666); /* inherited, on purpose */
    while (lock >= 0 && flock(lock, LOCK_EX) != 0)
        if (errno != EINTR) {
            (void)close(lock);
            lock = -1;
        }
    if (lock < 0)
        (void)host_fail(error, "%s: %s", path, strerror(errno));
    return lock;
}

void git_unlock(int lock)
{
    if (lock >= 0)
        (void)close(lock);
}

/* ---- running ---- */

/* No hooks: git must not run what an agent may have written. */
static size_t first_words(const json_t *place, git_where where, const char *own,
                          const char **words)
{
    static const char *const always[] = {
        "git",       "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c",
        "gc.auto=0", "-C"};
    size_t count = sizeof always / sizeof *always;

    memcpy(words, always, sizeof always);
    words[count++] = git_text_of(place, where == GIT_TASK ? "root" : "project");
    if (own) {
        words[count++] = "--git-dir";
        words[count++] = own;
        words[count++] = "--work-tree";
        words[count++] = git_text_of(place, "project");
    }
    return count;
}

static int run(const json_t *place, git_where where, int how, char **text, size_t *length,
               host_error *error, va_list list)
{
    const char *words[MOST_WORDS], *word;
    char *own = where == GIT_PROJECT && git_is_copy(place) ? git_own_folder(place) : NULL;
    size_t count = first_words(place, where, own, words);
    program running;
    int status = -1;

    while ((word = va_arg(list, const char *)) && count < MOST_WORDS - 1)
        words[count++] = word;
    words[count] = NULL;
    forget_environment();
    if (program_start(&running, words, how | PROGRAM_APART, error) == 0)
        status = program_finish(&running, "git", MOST_OUTPUT, text, length, error);
    free(own);
    return status;
}

/* What git said, as one line. */
static int failed_with(char *text, host_error *error)
{
    char *at;

    for (at = text; *at; at++)
        if (*at == '\n' || *at == '\t')
            *at = ' ';
    while (at > text && at[-1] == ' ')
        *--at = '\0';
    return host_fail(error, "git: %.400s", text);
}

int git_run(const json_t *place, git_where where, host_error *error, ...)
{
    va_list list;
    char *text = NULL;
    size_t length;
    int status;

    va_start(list, error);
    status = run(place, where, PROGRAM_ERRORS, &text, &length, error, list);
    va_end(list);
    if (status > 0)
        (void)failed_with(text, error);
    free(text);
    return status;
}

char *git_read(const json_t *place, git_where where, int other, size_t *length,
               host_error *error, ...)
{
    va_list list;
    char *text = NULL;
    int status;

    va_start(list, error);
    status = run(place, where, 0, &text, length, error, list);
    va_end(list);
    if (status == 0 || (status > 0 && status == other))
        return text;
    if (status > 0)
        (void)host_fail(error, "git has failed in %s",
                        git_text_of(place, where == GIT_TASK ? "root" : "project"));
    free(text);
    return NULL;
}

char *git_line(const json_t *place, git_where where, host_error *error, ...)
{
    va_list list;
    char *text = NULL;
    size_t length = 0;
    int status;

    va_start(list, error);
    status = run(place, where, 0, &text, &length, error, list);
    va_end(list);
    if (status == 0 && length > 0) {
        if (text[length - 1] == '\n')
            text[length - 1] = '\0';
        return text;
    }
    if (status >= 0)
        (void)host_fail(error, "git has failed in %s",
                        git_text_of(place, where == GIT_TASK ? "root" : "project"));
    free(text);
    return NULL;
}

/* ---- commits ---- */

/* Somebody who has told git no name can use the host as well. */
static int has_name(const json_t *place, git_where where)
{
    return git_run(place, where, NULL, "var", "GIT_COMMITTER_IDENT", NULL) == 0;
}

char *git_commit_tree(const json_t *place, git_where where, const char *tree,
                      const char *parent, const char *title, host_error *error)
{
    char line[80];
    size_t length = strcspn(title, "\r\n");

    (void)snprintf(line, sizeof line, "%.*s", (int)(length < 72 ? length : 72), title);
    if (!has_name(place, where)) {
        (void)setenv("GIT_AUTHOR_NAME", "wfsm", 0);
        (void)setenv("GIT_AUTHOR_EMAIL", "wfsm@localhost", 0);
        (void)setenv("GIT_COMMITTER_NAME", "wfsm", 0);
        (void)setenv("GIT_COMMITTER_EMAIL", "wfsm@localhost", 0);
    }
    if (!parent)
        return git_line(place, where, error, "commit-tree", tree, "-m", line, NULL);
    return git_line(place, where, error, "commit-tree", tree, "-p", parent, "-m", line, NULL);
}

/* The first ones; a name that is not UTF-8 is left out. */
static json_t *changed_files(const json_t *place, const char *base, const char *tree,
                             host_error *error)
{
    size_t length = 0;
    char *text = git_read(place, GIT_TASK, 0, &length, error, "diff-tree", "-r", "-z",
                          "--name-only", "--no-renames", base, tree, NULL);
    const char *at = text;
    json_t *files = text ? json_array() : NULL;

    while (files && at < text + length && json_array_size(files) < MOST_FILES) {
        json_t *name = json_string(at);
        if (name)
            json_array_append_new(files, name);
        at += strlen(at) + 1;
    }
    free(text);
    return files;
}

/* Nothing changed: the base itself is the change. */
static char *make_commit(const json_t *place, const char *base, const char *tree,
                         const char *title, host_error *error)
{
    char wanted[GIT_NAME_SIZE];
    char *same, *made = NULL;

    (void)snprintf(wanted, sizeof wanted, "%s^{tree}", base);
    same = git_line(place, GIT_TASK, error, "rev-parse", "--verify", "-q", wanted, NULL);
    if (same && strcmp(same, tree) == 0)
        made = strdup(base);
    else if (same)
        made = git_commit_tree(place, GIT_TASK, tree, base, title, error);
    free(same);
    return made;
}

json_t *git_change(const json_t *place, const char *into, const char *base, const char *tree,
                   const char *title, host_error *error)
{
    char ref[GIT_NAME_SIZE];
    char *commit = make_commit(place, base, tree, title, error);
    json_t *files = commit ? changed_files(place, base, tree, error) : NULL, *change = NULL;

    git_branch_ref(place, ref);
    if (files && git_run(place, GIT_TASK, error, "update-ref", ref, commit, NULL) == 0)
        change = json_pack("{s:s, s:s, s:s, s:s, s:O}", "into", into, "base", base, "commit",
                           commit, "tree", tree, "files", files);
    json_decref(files);
    free(commit);
    return change;
}

/* ---- the project ---- */

static void remove_lock(const json_t *place)
{
    char *own = git_own_folder(place);
    char *lock = own ? host_path_join(own, "index.lock") : NULL;

    if (lock)
        (void)unlink(lock); /* of one that was killed: nobody else has this repository */
    free(lock);
    free(own);
}

char *git_find_branch(const json_t *place)
{
    char *name = NULL;

    if (git_is_copy(place))
        return strdup("refs/heads/project");
    name = git_line(place, GIT_PROJECT, NULL, "symbolic-ref", "-q", "HEAD", NULL);
    return name ? name : strdup("HEAD");
}

/* The commit of the files of a copied folder, as they are now. */
static char *snapshot(const json_t *place, host_error *error)
{
    char *tree = NULL, *head, *kept, *made = NULL;

    remove_lock(place);
    if (git_run(place, GIT_PROJECT, error, "add", "-A", ".", NULL) == 0)
        tree = git_line(place, GIT_PROJECT, error, "write-tree", NULL);
    if (!tree)
        return NULL;
    head = git_line(place, GIT_PROJECT, NULL, "rev-parse", "--verify", "-q",
                    "refs/heads/project", NULL);
    kept = git_line(place, GIT_PROJECT, NULL, "rev-parse", "--verify", "-q",
                    "refs/heads/project^{tree}", NULL);
    if (head && kept && strcmp(kept, tree) == 0)
        made = strdup(head);
    else
        made = git_commit_tree(place, GIT_PROJECT, tree, head, "The project", error);
    if (made && git_run(place, GIT_PROJECT, error, "update-ref", "refs/heads/project", made,
                        NULL) != 0) {
        free(made);
        made = NULL;
    }
    free(kept);
    free(head);
    free(tree);
    return made;
}

char *git_project_head(const json_t *place, const char *into, host_error *error)
{
    char name[1024];

    if (git_is_copy(place))
        return snapshot(place, error);
    (void)snprintf(name, sizeof name, "%s^{commit}", into);
    return git_line(place, GIT_PROJECT, error, "rev-parse", "--verify", "-q", name, NULL);
}

void git_own_ref(const json_t *place, const char *what, const char *name,
                 char ref[GIT_REF_SIZE])
{
    (void)snprintf(ref, GIT_REF_SIZE, "refs/wfsm/%.20s/%.300s%s%.100s", what,
                   git_text_of(place, "branch"), name ? "/" : "", name ? name : "");
}

int git_forget_kept(const json_t *place, host_error *error)
{
    char below[GIT_REF_SIZE];
    size_t length = 0;
    char *names, *name, *rest = NULL;
    int status = 0;

    git_own_ref(place, "kept", NULL, below);
    names = git_read(place, GIT_PROJECT, 0, &length, error, "for-each-ref",
                     "--format=%(refname)", below, NULL);
    for (name = names ? strtok_r(names, "\n", &rest) : NULL; name && status == 0;
         name = strtok_r(NULL, "\n", &rest))
        status = git_run(place, GIT_PROJECT, error, "update-ref", "-d", name, NULL);
    free(names);
    return names && status == 0 ? 0 : -1;
}
