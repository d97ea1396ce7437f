/* agentd archive: the specs become the project's, the change moves. */
#include <string.h>

#include "work.h"

static int tell_archived(const work *self)
{
    show_result(&self->run.show, SHOW_DONE,
                "Archived: phase=Archived, merged to agentd/specs/");
    show_line("The change is in agentd/archive/%s", self->run.id);
    return END_DONE;
}

static int tell_end(const work *self)
{
    if (self->now.phase == PHASE_ARCHIVED)
        return tell_archived(self);
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

static int archive(work *self, const arguments *given)
{
    int code, resting = self->now.resting;

    if (self->now.has_phase && self->now.phase == PHASE_ARCHIVED) {
        code = resting ? END_DONE : work_run(self, NULL, NULL);
        return code == END_DONE ? tell_archived(self) : code;
    }
    if (!self->now.has_phase || self->now.phase != PHASE_COMPLETE)
        return refuse(self);
    if (resting && json_array_size(self->found.changed) > 0 && !given->accept)
        return refuse_changed(self);
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
        code = work_take(&self);
    if (code == END_DONE)
        code = archive(&self, given);
    work_close(&self);
    return code;
}
