/* agentd archive: the specs become the project's, the change moves. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tree.h"
#include "work.h"
#include "workspace.h"

static int tell_archived(const work *self)
{
    host_error why;

    if (workspace_remove(&self->at, self->run.id, &why) != 0)
        print_error("%s; `agentd clean` removes it", why.message);
    show_result(&self->run.show, SHOW_DONE,
                "Archived: phase=Archived, merged to agentd/specs/");
    show_line("The change is in agentd/archive/%s", self->run.id);
    return END_DONE;
}

static int tell_end(const work *self)
{
    if (self->now.phase == PHASE_ARCHIVED) {
        tree_forget(&self->at, self->run.id);
        return tell_archived(self);
    }
    show_result(&self->run.show, SHOW_NEEDS, "Not archived: phase=Complete, nothing was moved");
    show_problem(&self->now);
    show_line("`agentd archive %s` tries again; --overwrite replaces specs of the same name",
              self->run.id);
    return END_REFUSED;
}

static int refuse(const work *self)
{
    if (!self->known)
        print_error("%s: there is no such change", self->run.id);
    else
        print_error("%s: the phase is %s; only what is Complete is archived (agentd %s %s)",
                    self->run.id, self->now.has_phase ? phase_name(self->now.phase) : "none",
                    self->now.has_phase && self->now.phase >= PHASE_CHALLENGED &&
                            self->now.phase != PHASE_REJECTED
                        ? "impl"
                        : "plan",
                    self->run.id);
    return END_REFUSED;
}

static int refuse_changed(const work *self)
{
    const json_t *path;
    size_t index;

    print_error("%s: edited since it was approved:", self->run.id);
    json_array_foreach(self->found.changed, index, path)
        print_error("  %s", json_string_value(path));
    print_error("`agentd archive %s --accept` archives it as it is", self->run.id);
    return END_REFUSED;
}

/* A file that has changed since the review is not archived. */
static int refuse_moved(const work *self, const json_t *moved)
{
    const json_t *path;
    size_t index;

    print_error("%s: changed since it was tested and reviewed:", self->run.id);
    json_array_foreach(moved, index, path) print_error("  %s", json_string_value(path));
    print_error(
        "`agentd impl %s --review` has it tested and reviewed again; `agentd approve %s` "
        "approves it as it is",
        self->run.id, self->run.id);
    return END_REFUSED;
}

/* The files that are not as they were reviewed; NULL and an error. */
static json_t *find_moved(const work *self, host_error *error)
{
    const char *tree = host_stored_text(&self->now.stored, "tree");

    return tree_moved(&self->at, self->run.id, tree, error);
}

static int check_tree(const work *self)
{
    host_error why;
    json_t *moved = find_moved(self, &why);
    int code = moved ? END_DONE : host_failed(&why, END_STORE);

    if (moved && json_array_size(moved) > 0)
        code = refuse_moved(self, moved);
    json_decref(moved);
    return code;
}

static int check(const work *self, const arguments *given)
{
    int code = work_has_proposal(self);

    if (code != END_DONE)
        return code;
    if (json_array_size(self->found.changed) > 0 && !given->accept)
        return refuse_changed(self);
    return check_tree(self);
}

static int archive(work *self, const arguments *given)
{
    int code, resting = self->now.resting;

    if (self->now.has_phase && self->now.phase == PHASE_ARCHIVED) {
        code = resting ? END_DONE : work_run(self, NULL, NULL);
        return code == END_DONE ? tell_archived(self) : code;
    }
    if (!self->now.has_phase || self->now.phase != PHASE_COMPLETE)
        return refuse(self);
    code = resting ? check(self, given) : END_DONE;
    if (code != END_DONE)
        return code;
    show_start(&self->run.show, resting ? "Starting" : "Continuing", "archive");
    code = resting
               ? work_run(self, "archive", json_pack("{s:b}", "overwrite", given->overwrite))
               : work_run(self, NULL, NULL);
    return code == END_DONE ? tell_end(self) : code;
}

int cmd_archive(const arguments *given)
{
    work self;
    int code = work_open(&self, given);

    if (code == END_DONE && !self.known)
        code = refuse(&self);
    if (code == END_DONE)
        show_phase(&self.run.show, &self.now);
    if (code == END_DONE)
        code = work_take(&self, given->accept);
    if (code == END_DONE)
        code = archive(&self, given);
    work_close(&self);
    return code;
}
