/* agentd plan: a proposal, challenged until it is approved. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "summary.h"
#include "work.h"

#include <stdlib.h>

static int refuse(const work *self, const char *instead)
{
    print_error("%s: the phase is %s; %s", self->run.id, phase_name(self->now.phase), instead);
    return END_REFUSED;
}

/* ---- a new change ---- */

/* True if there is an archive of this name, of this store or another. */
static int is_archived(const work *self)
{
    char *path = archived_path(&self->at.in, self->run.id, NULL, NULL);
    int there = path && access(path, F_OK) == 0;

    free(path);
    return there;
}

static int check_new(const work *self, const arguments *given)
{
    if (is_archived(self)) {
        print_error("%s: such a change is archived already (agentd/archive/%s)", given->id,
                    given->id);
        return END_REFUSED;
    }
    if (given->description && *given->description)
        return END_DONE;
    if (self->found.proposal ||
        json_is_string(json_object_get(self->found.now, "clarifications.md")))
        return END_DONE;
    print_error("%s: there is no such change; a new one needs a description: agentd plan %s "
                "\"what is to be done\"",
                given->id, given->id);
    return END_USAGE;
}

static int create(work *self, const arguments *given)
{
    int code = check_new(self, given);

    if (code == END_DONE)
        code = session_create(&self->run, given->description ? given->description : "");
    return code == END_DONE ? work_look(self) : code;
}

/* ---- the result ---- */

static int tell_challenged(const work *self)
{
    show_result(&self->run.show, SHOW_DONE, "Success: phase=Challenged, proposal approved");
    if (json_array_size(self->found.changed) > 0)
        show_line("edited since it was challenged; agentd plan %s --again challenges it again",
                  self->run.id);
    show_line("Ready for implementation: agentd impl %s", self->run.id);
    return END_DONE;
}

static int tell_rejected(const work *self)
{
    show_result(&self->run.show, SHOW_BAD, "Rejected: phase=Rejected, fundamental issues");
    show_line("Manual fix needed: see agentd/changes/%s/CHALLENGE.md; after it: agentd plan %s "
              "--again",
              self->run.id, self->run.id);
    return END_REJECTED;
}

static int tell_proposed(const work *self)
{
    show_result(&self->run.show, SHOW_NEEDS, "Needs work: phase=%s, manual fixes needed",
                self->now.has_phase ? phase_name(self->now.phase) : "none");
    show_problem(&self->now);
    show_line("See agentd/changes/%s; after it: agentd plan %s", self->run.id, self->run.id);
    return END_PERSON;
}

static int tell_end(const work *self)
{
    if (!self->now.has_phase)
        return tell_proposed(self);
    switch (self->now.phase) {
    case PHASE_CHALLENGED:
        return tell_challenged(self);
    case PHASE_REJECTED:
        return tell_rejected(self);
    default:
        return tell_proposed(self);
    }
}

/* ---- the run ---- */

static json_t *make_event(const work *self, const arguments *given)
{
    const report_facts *challenge = &self->found.challenge;

    return json_pack("{s:I, s:b, s:b, s:b, s:O, s:s?}", "max",
                     (json_int_t)self->at.config.planning_iterations, "again", given->again,
                     "overwrite", given->overwrite, "proposal", self->found.proposal, "changed",
                     self->found.changed, "challenge",
                     challenge->verdict == VERDICT_NONE ? NULL
                                                        : verdict_name(challenge->verdict));
}

static int go(work *self, const arguments *given)
{
    int resting = self->now.resting, code = work_needs(self, ROLE_PROPOSER);

    if (code == END_DONE)
        code = work_needs(self, ROLE_CHALLENGER);
    if (code != END_DONE)
        return code;
    show_start(&self->run.show, resting ? "Starting" : "Continuing", "planning");
    code =
        resting ? work_run(self, "plan", make_event(self, given)) : work_run(self, NULL, NULL);
    if (code != END_DONE)
        return code;
    code = tell_end(self);
    summary_show(self);
    return code;
}

static int plan(work *self, const arguments *given)
{
    if (!self->now.has_phase || self->now.phase == PHASE_PROPOSED)
        return go(self, given);
    if (self->now.phase == PHASE_CHALLENGED || self->now.phase == PHASE_REJECTED)
        return given->again ? go(self, given) : tell_end(self);
    return refuse(self, self->now.phase == PHASE_ARCHIVED
                            ? "a new change needs another id"
                            : "it is planned already; see agentd status");
}

/* A later description replaces the first one as long as it is used. */
static int describe(work *self, const arguments *given)
{
    json_t *patch;
    char *text;
    int32_t outcome, status;

    if (!given->description || !self->now.resting ||
        (self->now.has_phase && self->now.phase > PHASE_REJECTED) ||
        strcmp(given->description, host_stored_text(&self->now.stored, "description")) == 0)
        return END_DONE;
    patch = json_pack("{s:s}", "description", given->description);
    text = patch ? json_dumps(patch, JSON_COMPACT) : NULL;
    json_decref(patch);
    if (!text) {
        print_error("the description: expected text in UTF-8");
        return END_USAGE;
    }
    status = wfsm_engine_patch(self->run.engine, self->run.id, text, strlen(text),
                               self->now.stored.updated, &outcome, self->run.error);
    free(text);
    return status == WFSM_OK ? END_DONE : library_failed(self->run.id, self->run.error);
}

int cmd_plan(const arguments *given)
{
    work self;
    int code = work_open(&self, given);

    if (code == END_DONE && !self.known)
        code = create(&self, given);
    if (code == END_DONE)
        show_phase(&self.run.show, &self.now);
    if (code == END_DONE)
        code = work_take(&self, given->overwrite);
    if (code == END_DONE)
        code = describe(&self, given);
    if (code == END_DONE)
        code = plan(&self, given);
    work_close(&self);
    return code;
}
