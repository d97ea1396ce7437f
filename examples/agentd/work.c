#include "work.h"

#include <string.h>

#include "state_sync.h"

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

int work_open(work *self, const arguments *given)
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
    return code == END_DONE ? work_look(self) : code;
}

void work_close(work *self)
{
    facts_clear(&self->found);
    change_clear(&self->now);
    session_close(&self->run);
    place_clear(&self->at);
}

int work_needs(const work *self, agent_role role)
{
    host_error why;

    if (agentd_config_need(&self->at.config, role, &why) == 0)
        return END_DONE;
    return host_failed(&why, END_USAGE);
}

/* ---- text that a person has written ---- */

static int send_verdict(work *self, const report_facts *report, const char *event)
{
    json_t *data = json_pack("{s:s, s:O, s:O, s:s}", "verdict", verdict_name(report->verdict),
                             "digest", json_object_get(self->found.now, report->file),
                             "current", self->found.current, "by", facts_person());
    int code = session_send(&self->run, event, data);

    if (code == END_REFUSED)
        return END_DONE; /* it does not apply in this phase */
    if (code == END_DONE)
        show_line("%s says %s, by hand: taken as the word of %s", report->file,
                  verdict_name(report->verdict), facts_person());
    return code;
}

/* A valid verdict that agentd has not written is a person's decision. */
static int take_verdict(work *self, const report_facts *report, const char *event)
{
    if (!report->there || !report->edited)
        return END_DONE;
    if (report->verdict != VERDICT_NONE)
        return send_verdict(self, report, event);
    print_error("%s", report->why.message);
    print_error(
        "%s was edited by hand, and its verdict cannot be understood; nothing is assumed",
        report->file);
    return END_PERSON;
}

static int take_verdicts(work *self)
{
    int implementing = self->now.has_phase && self->now.phase >= PHASE_IMPLEMENTING;
    int code;

    if (!self->now.resting || !self->now.has_phase || self->now.phase == PHASE_ARCHIVED)
        return END_DONE;
    code = implementing ? take_verdict(self, &self->found.review, "review_edited")
                        : take_verdict(self, &self->found.challenge, "challenge_edited");
    if (code == END_DONE) /* a rejection is another step away */
        code = session_drive(&self->run);
    return code == END_DONE ? work_look(self) : code;
}

int work_take(work *self)
{
    int code = self->now.stored.ended ? END_DONE : session_take(&self->run);

    if (code == END_DONE)
        code = state_sync(&self->at, &self->now, 1);
    return code == END_DONE ? take_verdicts(self) : code;
}

int work_run(work *self, const char *event, json_t *data)
{
    int code = event ? session_send(&self->run, event, data) : END_DONE;

    if (code == END_DONE)
        code = session_drive(&self->run);
    return code == END_DONE ? work_look(self) : code;
}
