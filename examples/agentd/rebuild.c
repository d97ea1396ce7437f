#include "rebuild.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int read_at(char *path, state *read, host_error *error)
{
    int there = path && access(path, F_OK) == 0;
    int done = there ? state_file_read(path, read, error) : 0;

    free(path);
    return done != 0 ? -1 : there;
}

int rebuild_read(const place *at, const char *id, state *read, host_error *error)
{
    int found = read_at(change_path(&at->in, id, "STATE.yaml", error), read, error);

    if (found == 0)
        found = read_at(archived_path(&at->in, id, "STATE.yaml", error), read, error);
    if (found == 1 && strcmp(read->change_id, id) != 0)
        found = host_fail(error, "STATE.yaml of %s is that of another change, %s", id,
                          read->change_id);
    return found;
}

/* ---- both must agree ---- */

static const report_facts *report_of(const work *self, const state *read)
{
    return read->phase >= PHASE_IMPLEMENTING ? &self->found.review : &self->found.challenge;
}

static int check_verdict(const work *self, const state *read)
{
    const report_facts *report = report_of(self, read);

    if (read->verdict == VERDICT_NONE || read->verdict == report->verdict)
        return END_DONE;
    print_error("%s: STATE.yaml says %s with %s, and %s says %s", self->run.id,
                phase_name(read->phase), verdict_name(read->verdict), report->file,
                report->verdict == VERDICT_NONE ? "no verdict" : verdict_name(report->verdict));
    print_error(
        "bring them back as they were; or remove STATE.yaml, and `agentd plan %s` begins "
        "with the proposal",
        self->run.id);
    return END_REFUSED;
}

/* ---- the record ---- */

static json_t *make_event(const work *self, const state *read)
{
    int implemented = read->verdict != VERDICT_NONE || self->found.review.there;

    return json_pack("{s:s, s:s?, s:O, s:O, s:b, s:s?}", "phase", phase_name(read->phase),
                     "verdict",
                     read->verdict == VERDICT_NONE ? NULL : verdict_name(read->verdict),
                     "digests", self->found.now, "current", self->found.current, "implemented",
                     implemented, "tree", *read->tree ? read->tree : NULL);
}

static int make_record(work *self, const state *read)
{
    int code = session_create(&self->run, "");

    if (code == END_DONE)
        code = work_run(self, "rebuilt", make_event(self, read));
    if (code != END_REFUSED)
        return code;
    print_error("%s: STATE.yaml says %s with the verdict %s, which cannot be", self->run.id,
                phase_name(read->phase), verdict_name(read->verdict));
    return END_REFUSED;
}

int rebuild(work *self)
{
    state read;
    host_error why;
    int found = rebuild_read(&self->at, self->run.id, &read, &why), code;

    if (found < 0)
        print_error("%s; it is not used", why.message);
    if (found < 1 || read.phase == PHASE_ARCHIVED)
        return END_DONE;
    code = check_verdict(self, &read);
    if (code == END_DONE)
        code = make_record(self, &read);
    if (code == END_DONE)
        print_error("%s: the store did not have it; it is rebuilt from STATE.yaml: phase=%s",
                    self->run.id, phase_name(read.phase));
    return code;
}
