#include "work.h"

#include <string.h>
#include <unistd.h>

#include "rebuild.h"
#include "state_sync.h"
#include "workspace.h"

/* ---- opening ---- */

int work_look(work *self)
{
    int32_t status;
    host_error why;

    change_clear(&self->now);
    facts_clear(&self->found);
    status = change_read(&self->now, self->run.store, self->run.id, self->run.error);
    if (status != WFSM_OK && status != WFSM_NOT_FOUND)
        return library_failed(self->run.id, self->run.error);
    self->known = status == WFSM_OK;
    if (facts_read(&self->found, &self->at, self->run.id, self->known ? &self->now : NULL,
                   &why) != 0)
        return host_failed(&why, END_STORE);
    return END_DONE;
}

static int is_implemented(const work *self)
{
    return self->known && self->now.has_phase &&
           (self->now.phase == PHASE_IMPLEMENTING || self->now.phase == PHASE_COMPLETE);
}

static int is_archived(const work *self)
{
    return self->known && self->now.has_phase && self->now.phase == PHASE_ARCHIVED;
}

/* What the commit of the change is called. */
static const char *title_of(const work *self)
{
    const char *words = host_stored_text(&self->now.stored, "description");

    return *words ? words : "agentd";
}

static int open_workspace(work *self, int implements)
{
    int begins =
        implements && self->known && self->now.has_phase && self->now.phase == PHASE_CHALLENGED;
    host_error why = {""};
    int done;

    if (begins || is_implemented(self))
        done = workspace_open(&self->at, self->run.id, title_of(self), begins, &why);
    else /* proposals are written in the project */
        done = is_archived(self) ? workspace_read(&self->at, self->run.id, &why) : 0;
    return done == 0 ? END_DONE : host_failed(&why, END_STORE);
}

static int open_parts(work *self, const arguments *given, int implements)
{
    host_error why;
    int code;

    memset(self, 0, sizeof *self);
    if (change_id_check(given->id, &why) != 0)
        return host_failed(&why, END_USAGE);
    code = place_find(&self->at);
    if (code == END_DONE)
        code = place_configure(&self->at);
    if (code == END_DONE)
        code = session_open(&self->run, &self->at, given->id);
    if (code == END_DONE)
        code = work_look(self);
    if (code == END_DONE && !self->known)
        code = rebuild(self);
    if (code == END_DONE)
        code = open_workspace(self, implements);
    return code == END_DONE ? session_add_agents(&self->run) : code;
}

int work_open(work *self, const arguments *given)
{
    return open_parts(self, given, 0);
}

int work_open_to_implement(work *self, const arguments *given)
{
    return open_parts(self, given, 1);
}

void work_close(work *self)
{
    facts_clear(&self->found);
    change_clear(&self->now);
    session_close(&self->run);
    place_clear(&self->at);
}

static int has_folder(const work *self)
{
    char *path = change_path(&self->at.in, self->run.id, NULL, NULL);
    int is = path && access(path, F_OK) == 0;

    free(path);
    return is;
}

int work_has_proposal(const work *self)
{
    if (self->found.proposal)
        return END_DONE;
    print_error(
        "agentd/changes/%s%s is gone; put it back (git may have it), or plan another change",
        self->run.id, has_folder(self) ? "/proposal.md: the file" : ": the folder");
    return END_REFUSED;
}

int work_needs(const work *self, agent_role role)
{
    host_error why;

    if (agentd_config_need(&self->at.config, role, &why) == 0)
        return END_DONE;
    return host_failed(&why, END_USAGE);
}

/* ---- reports that somebody has edited ---- */

/* Anybody can write a file: it adds to what the agents read, and decides nothing. */
static int take_notes(work *self, const report_facts *report)
{
    json_t *data = json_pack("{s:s, s:O}", "file", report->file, "digest",
                             json_object_get(self->found.now, report->file));
    int code = session_send(&self->run, "report_edited", data);

    if (code == END_REFUSED)
        return END_DONE; /* it does not matter in this phase */
    if (code == END_DONE)
        show_line("%s was edited; its verdict is the recorded one", report->file);
    return code;
}

static int refuse_verdict(const work *self, const report_facts *report)
{
    verdict recorded = change_verdict(&self->now);

    if (report->verdict == VERDICT_NONE)
        print_error("%s", report->why.message);
    print_error("%s was edited: it says %s, and %s is recorded. A file decides nothing",
                report->file,
                report->verdict == VERDICT_NONE ? "no verdict" : verdict_name(report->verdict),
                recorded == VERDICT_NONE ? "no verdict" : verdict_name(recorded));
    print_error("`agentd approve %s` and `agentd reject %s \"REASON\"` record your decision; "
                "--overwrite has the report written again",
                self->run.id, self->run.id);
    return END_WAITS;
}

static int take_report(work *self, const report_facts *report, int overwrite)
{
    if (!report->there || !report->edited)
        return END_DONE;
    if (report->verdict != VERDICT_NONE && report->verdict == change_verdict(&self->now))
        return take_notes(self, report);
    return overwrite ? END_DONE : refuse_verdict(self, report);
}

int work_own(work *self)
{
    int code = self->now.stored.ended ? END_DONE : session_take(&self->run);

    return code == END_DONE ? state_sync(&self->at, &self->now, 1) : code;
}

int work_take(work *self, int overwrite)
{
    int code = work_own(self);
    int implementing = self->now.has_phase && self->now.phase >= PHASE_IMPLEMENTING;

    if (code != END_DONE || !self->now.resting || !self->now.has_phase ||
        self->now.phase == PHASE_ARCHIVED)
        return code;
    code = take_report(self, implementing ? &self->found.review : &self->found.challenge,
                       overwrite);
    return code == END_DONE ? work_look(self) : code;
}

int work_run(work *self, const char *event, json_t *data)
{
    int code = event ? session_send(&self->run, event, data) : END_DONE;

    if (code == END_DONE)
        code = session_drive(&self->run);
    return code == END_DONE ? work_look(self) : code;
}
