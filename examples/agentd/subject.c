#include "subject.h"

#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "shared/page.h"
#include "shared/program.h"
#include "shared/files.h"
#include "tree.h"
#include "workspace.h"
#include "wfsm/shown.h"

/* ---- the change's folder ---- */

static int show_file(page *to, const work *self, const char *name, host_error *error)
{
    char *path = change_path(&self->at.in, self->run.id, name, error), *text;
    size_t length;
    int done = path ? host_file_read(path, DOCUMENT_MOST, &text, &length, error) : -1;

    free(path);
    if (done != 0)
        return -1;
    page_heading(to, name);
    page_text(to, text, length);
    free(text);
    return 0;
}

static int show_report(page *to, const work *self, const report_facts *report,
                       host_error *error)
{
    return report->there ? show_file(to, self, report->file, error) : 0;
}

static int show_documents(page *to, const work *self, host_error *error)
{
    json_t *paths = folder_paths(&self->at.in, self->run.id, error), *path;
    size_t index;
    int done = paths ? 0 : -1;

    json_array_foreach(paths, index, path)
    {
        const char *name = json_string_value(path);
        if (done == 0 && json_object_get(self->found.current, name))
            done = show_file(to, self, name, error);
    }
    json_decref(paths);
    return done;
}

int subject_show_proposal(const work *self, host_error *error)
{
    page to;
    int done;

    page_open(&to);
    done = show_documents(&to, self, error);
    if (done == 0)
        done = show_report(&to, self, &self->found.challenge, error);
    page_close(&to);
    return done;
}

/* ---- the code ---- */

static int diff_new(page *to, const place *at, const char *path, host_error *error)
{
    return page_git_diff(to, workspace_root(at), error, "--no-index", "--", "/dev/null", path,
                         NULL);
}

static int is_tracked(const place *at, const char *path)
{
    const char *words[] = {"git", "-C", workspace_root(at), "ls-files", "--error-unmatch", "--",
                           path,  NULL};
    char *text;
    size_t length;

    if (program_read(words, 1 << 20, &text, &length, NULL) != 0)
        return 0;
    free(text);
    return 1;
}

/* What git does not know yet is not in its diff. */
static int diff_untracked(page *to, const place *at, const json_t *now, const json_t *before,
                          host_error *error)
{
    const char *path;
    json_t *is;
    int done = 0;

    json_object_foreach((json_t *)now, path, is)
    {
        if (done == 0 && !json_equal(is, json_object_get(before, path)) &&
            !is_tracked(at, path))
            done = diff_new(to, at, path, error);
    }
    return done;
}

static int diff_git(page *to, const place *at, const char *base, const json_t *now,
                    const json_t *before, host_error *error)
{
    if (page_git_diff(to, workspace_root(at), error, base, "--", ".", ":(exclude)agentd",
                      NULL) != 0)
        return -1;
    return diff_untracked(to, at, now, before, error);
}

static void name_one(page *to, const char *what, const char *path)
{
    shown_fprintf(to->out, "%-8s %s\n", what, path);
}

/* Without git nobody has kept the texts from before. */
static void name_all(page *to, const json_t *now, const json_t *before)
{
    const char *path;
    json_t *is;

    shown_fputs("The project is not in git: only the names of changed files are known.\n\n",
                to->out);
    json_object_foreach((json_t *)now, path, is)
    {
        if (!json_object_get(before, path))
            name_one(to, "new", path);
        else if (!json_equal(is, json_object_get(before, path)))
            name_one(to, "changed", path);
    }
    json_object_foreach((json_t *)before, path, is) if (!json_object_get(now, path))
        name_one(to, "removed", path);
}

int subject_diff_code(page *to, const place *at, const char *id, const char *base,
                      const json_t *now, host_error *error)
{
    json_t *before = tree_kept(at, id, TREE_BEFORE);
    int done = 0;

    if (*base)
        done = diff_git(to, at, base, now, before, error);
    else if (before)
        name_all(to, now, before);
    else
        shown_fputs("Nobody has recorded the files from before.\n", to->out);
    json_decref(before);
    return done;
}

int subject_show_code(const work *self, const json_t *now, host_error *error)
{
    const char *base = workspace_is_own(&self->at)
                           ? workspace_base(&self->at)
                           : host_stored_text(&self->now.stored, "base");
    page to;
    int done;

    page_open(&to);
    page_heading(&to, "What was changed since the implementation began");
    done = subject_diff_code(&to, &self->at, self->run.id, base, now, error);
    if (done == 0)
        done = show_report(&to, self, &self->found.review, error);
    page_close(&to);
    return done;
}
