/* agentd diff: what a change's specs would change in agentd/specs, by diff(1), and what its code changes
 * in the project. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agentd.h"
#include "folder.h"
#include "place.h"
#include "shared/program.h"
#include "shared/text.h"
#include "subject.h"
#include "tree.h"
#include "wfsm/shown.h"
#include "workspace.h"

typedef struct diffing {
    place at;
    const char *id;
    int is_json;
    page to; /* unless it is JSON */
    char base[256]; /* where the code begins; "" if there is none yet, or without git */
    int has_code;
} diffing;

/* One part of the diff, to a page. -1 and an error. */
typedef int part_of(const diffing *self, page *to, const char *name, host_error *error);

/* ---- a spec ---- */

/* The lines are those of the specs, which agents write. */
static void show_lines(page *to, FILE *in)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;

    while ((length = getline(&line, &room, in)) >= 0)
        page_diff_line(to, line, (size_t)length);
    free(line);
}

static int run_diff(const diffing *self, page *to, const char *const files[2], const char *spec,
                    host_error *error)
{
    char old_label[512], new_label[512];
    const char *words[] = {"diff",    "-u", "-L",     old_label, "-L",
                           new_label, "--", files[0], files[1],  NULL};
    char *shown = shown_line(spec, strlen(spec)); /* a line break in it would forge a line */
    program run;
    int status;

    (void)snprintf(old_label, sizeof old_label, "agentd/%.200s", shown ? shown : "");
    (void)snprintf(new_label, sizeof new_label, "agentd/changes/%.110s/%.200s", self->id,
                   shown ? shown : "");
    free(shown);
    if (program_start(&run, words, 1, error) != 0)
        return -1;
    show_lines(to, run.out);
    status = program_end(&run);
    return status == 0 || status == 1 ? 0 : host_fail(error, "diff failed");
}

static int diff_spec(const diffing *self, page *to, const char *spec, host_error *error)
{
    char below[512], *old, *new;
    int failed = -1;

    (void)snprintf(below, sizeof below, "agentd/%s", spec);
    old = project_path(&self->at.in, below, error);
    new = old ? change_path(&self->at.in, self->id, spec, error) : NULL;
    if (new) {
        const char *const files[2] = {access(old, F_OK) == 0 ? old : "/dev/null", new};
        failed = run_diff(self, to, files, spec, error);
    }
    free(new);
    free(old);
    return failed;
}

/* ---- the code ---- */

static int diff_code(const diffing *self, page *to, const char *name, host_error *error)
{
    json_t *now = tree_read(&self->at, error);
    int failed = now ? subject_diff_code(to, &self->at, self->id, self->base, now, error) : -1;

    (void)name;
    json_decref(now);
    return failed;
}

/* Of a change that is worked on in the project itself, the store knows where it began. */
static int find_stored_base(diffing *self)
{
    wfsm_store *store = NULL;
    wfsm_error *error = wfsm_error_new(NULL);
    change now = {.resting = 0};
    int code = place_open_store(&self->at, 1, &store, error);

    if (code == END_DONE && store && change_read(&now, store, self->id, error) == WFSM_OK)
        (void)snprintf(self->base, sizeof self->base, "%s",
                       host_stored_text(&now.stored, "base"));
    change_clear(&now);
    wfsm_store_free(store);
    wfsm_error_free(error);
    return code;
}

static int find_code(diffing *self)
{
    host_error why;
    json_t *before = tree_kept(&self->at, self->id, TREE_BEFORE);

    self->has_code = before != NULL;
    json_decref(before);
    if (!self->has_code)
        return END_DONE;
    if (workspace_read(&self->at, self->id, &why) != 0)
        return host_failed(&why, END_STORE);
    if (!workspace_is_own(&self->at))
        return find_stored_base(self);
    (void)snprintf(self->base, sizeof self->base, "%s", workspace_base(&self->at));
    return END_DONE;
}

/* ---- all ---- */

static void print_object(const char *name, char *text, size_t length)
{
    json_t *made;

    host_text_make_plain(text, length);
    made = json_pack("{s:s, s:s%}", "part", name, "diff", text, length);
    shown_json(made, stdout, JSON_COMPACT);
    shown_puts("");
    json_decref(made);
}

/* A part without a difference is not an object. */
static int print_part(diffing *self, part_of *make, const char *name, host_error *error)
{
    char *text = NULL;
    size_t length = 0;
    page to;
    int failed;

    if (!self->is_json)
        return make(self, &self->to, name, error);
    if (page_open_memory(&to, &text, &length) != 0)
        return host_fail(error, "out of memory");
    failed = make(self, &to, name, error);
    page_close(&to);
    if (!failed && length > 0)
        print_object(name, text, length);
    free(text);
    return failed;
}

static int diff_all(diffing *self)
{
    host_error why = {"diff failed"};
    json_t *paths = folder_paths(&self->at.in, self->id, &why), *path;
    size_t index;
    int failed = paths ? 0 : -1;

    json_array_foreach(paths, index,
                       path) if (!failed && folder_is_spec(json_string_value(path))) failed =
        print_part(self, diff_spec, json_string_value(path), &why);
    json_decref(paths);
    if (!failed && self->has_code)
        failed = print_part(self, diff_code, "code", &why);
    return failed ? host_failed(&why, END_STORE) : END_DONE;
}

static int check_there(const diffing *self)
{
    host_error why;
    char *folder = change_path(&self->at.in, self->id, NULL, &why);
    int there = folder && access(folder, F_OK) == 0;

    if (!folder)
        return host_failed(&why, END_USAGE);
    free(folder);
    if (there)
        return END_DONE;
    print_error("agentd/changes/%s: there is no such change", self->id);
    return END_REFUSED;
}

static int prepare(diffing *self)
{
    int code = check_there(self);

    if (code == END_DONE)
        code = find_code(self);
    if (code == END_DONE && self->has_code)
        code = place_configure(&self->at);
    return code;
}

int cmd_diff(const arguments *given)
{
    diffing self = {.id = given->id, .is_json = given->json};
    int code = place_find(&self.at);

    if (code == END_DONE)
        code = prepare(&self);
    if (code == END_DONE && !self.is_json)
        page_open(&self.to);
    if (code == END_DONE) {
        code = diff_all(&self);
        if (!self.is_json)
            page_close(&self.to);
    }
    place_clear(&self.at);
    return code;
}
