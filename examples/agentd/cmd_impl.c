/* agentd impl: implemented and reviewed until it is approved. */
#include <stdlib.h>
#include <string.h>

#include "tree.h"
#include "summary.h"
#include "work.h"
#include "workspace.h"

static int refuse(const work *self)
{
    const char *id = self->run.id;

    if (!self->known)
        print_error("%s: there is no such change; `agentd plan %s \"…\"` comes first", id, id);
    else if (!self->now.has_phase || self->now.phase == PHASE_PROPOSED)
        print_error("%s: the phase is %s; `agentd plan %s` comes first", id,
                    self->now.has_phase ? "Proposed" : "none", id);
    else if (self->now.phase == PHASE_REJECTED)
        print_error(
            "%s: the phase is Rejected; fix the proposal and run `agentd plan %s --again` first",
            id, id);
    else
        print_error("%s: the phase is Archived; a new change needs another id", id);
    return END_REFUSED;
}

/* ---- the result ---- */

static int tell_complete(const work *self)
{
    show_result(&self->run.show, SHOW_DONE, "Success: phase=Complete, ready to archive");
    show_line("Next: agentd archive %s   (agentd impl %s --review reviews it once more)",
              self->run.id, self->run.id);
    return END_DONE;
}

static int tell_implementing(const work *self)
{
    int major = change_verdict(&self->now) == VERDICT_MAJOR_ISSUES;

    if (major)
        show_result(&self->run.show, SHOW_BAD,
                    "Major issues: phase=Implementing, significant problems found");
    else
        show_result(&self->run.show, SHOW_NEEDS,
                    "Needs work: phase=Implementing, manual fixes needed");
    show_problem(&self->now);
    if (workspace_is_own(&self->at))
        show_line("The code is in %s", workspace_root(&self->at));
    show_line("See agentd/changes/%s/REVIEW.md; `agentd impl %s` continues", self->run.id,
              self->run.id);
    return END_PERSON;
}

static int tell_end(const work *self)
{
    return self->now.phase == PHASE_COMPLETE ? tell_complete(self) : tell_implementing(self);
}

/* ---- the run ---- */

static json_t *make_event(const work *self, const arguments *given, const char *base)
{
    const report_facts *review = &self->found.review;

    return json_pack("{s:I, s:b, s:b, s:b, s:b, s:O, s:O, s:s?, s:s?}", "max",
                     (json_int_t)self->at.config.implementation_iterations, "sequential",
                     self->at.config.sequential_implementation, "again", given->again,
                     "overwrite", given->overwrite, "accept", given->accept, "changed",
                     self->found.changed, "current", self->found.current, "base", base,
                     "review",
                     review->verdict == VERDICT_NONE ? NULL : verdict_name(review->verdict));
}

static void list_changed(const work *self)
{
    const json_t *path;
    size_t index;

    json_array_foreach(self->found.changed, index, path)
        print_error("  %s", json_string_value(path));
}

/* Only what was challenged is implemented. */
static int refuse_changed(const work *self)
{
    print_error("%s: edited since it was approved:", self->run.id);
    list_changed(self);
    print_error(
        "`agentd plan %s --again` has it challenged, `agentd impl %s --accept` takes it "
        "as it is",
        self->run.id, self->run.id);
    return END_REFUSED;
}

/* What the project was before anybody implemented anything: for the diff that a person sees. */
static int keep_before(const work *self)
{
    char digest[WFSM_DIGEST_SIZE];
    host_error why;

    if (self->now.phase != PHASE_CHALLENGED)
        return END_DONE;
    if (tree_keep(&self->at, self->run.id, TREE_BEFORE, digest, &why) == 0)
        return END_DONE;
    return host_failed(&why, END_STORE);
}

static int make_workspace(const work *self)
{
    host_error why;

    if (workspace_make(&self->at, self->run.id, &why) == 0)
        return END_DONE;
    return host_failed(&why, END_STORE);
}

static int begin(work *self, const arguments *given)
{
    char *base = tree_commit(&self->at);
    int code = keep_before(self);

    if (code == END_DONE)
        code = work_run(self, "impl", make_event(self, given, base));
    free(base);
    return code;
}

static int go(work *self, const arguments *given)
{
    int resting = self->now.resting, code = work_has_proposal(self);

    if (code == END_DONE)
        code = work_needs(self, ROLE_IMPLEMENTER);
    if (code == END_DONE)
        code = work_needs(self, ROLE_REVIEWER);
    if (code == END_DONE)
        code = make_workspace(self);
    if (code != END_DONE)
        return code;
    show_start(&self->run.show, resting ? "Starting" : "Continuing", "implementation");
    code = resting ? begin(self, given) : work_run(self, NULL, NULL);
    if (code == END_REFUSED)
        print_error("%s: `impl` is not taken in this state", self->run.id);
    if (code != END_DONE)
        return code;
    code = tell_end(self);
    summary_show(self);
    return code;
}

static int impl(work *self, const arguments *given)
{
    if (!self->now.has_phase)
        return refuse(self);
    switch (self->now.phase) {
    case PHASE_CHALLENGED:
        if (self->found.proposal && json_array_size(self->found.changed) > 0 && !given->accept)
            return refuse_changed(self);
        return go(self, given);
    case PHASE_IMPLEMENTING:
        return go(self, given);
    case PHASE_COMPLETE:
        return given->again || !self->now.resting ? go(self, given) : tell_complete(self);
    default:
        return refuse(self);
    }
}

int cmd_impl(const arguments *given)
{
    work self;
    int code = work_open_to_implement(&self, given);

    if (code == END_DONE && !self.known)
        code = refuse(&self);
    if (code == END_DONE)
        show_phase(&self.run.show, &self.now);
    if (code == END_DONE)
        code = work_take(&self, given->overwrite);
    if (code == END_DONE)
        code = impl(&self, given);
    work_close(&self);
    return code;
}
