/* The commands that only read: status, list. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agentd.h"
#include "facts.h"
#include "listed.h"
#include "rebuild.h"
#include "shared/owner.h"
#include "show.h"
#include "state_sync.h"
#include "summary.h"
#include "workspace.h"
#include "wfsm/shown.h"

typedef struct look {
    place at;
    wfsm_store *store; /* NULL: there is no store yet */
    wfsm_error *error;
    show show;
    int is_json;
} look;

static int look_open(look *self, int is_json)
{
    int code;

    memset(self, 0, sizeof *self);
    self->is_json = is_json;
    show_begin(&self->show, "", 0);
    self->error = wfsm_error_new(NULL);
    code = place_find(&self->at);
    return code == END_DONE ? place_open_store(&self->at, 1, &self->store, self->error) : code;
}

static void look_close(look *self)
{
    show_end(&self->show);
    wfsm_store_free(self->store);
    wfsm_error_free(self->error);
    place_clear(&self->at);
}

/* ---- for programs ---- */

static int print_object(json_t *made)
{
    if (made)
        shown_json(made, stdout, JSON_COMPACT);
    shown_puts("");
    json_decref(made);
    return made ? END_DONE : END_STORE;
}

static const char *word_or_null(const char *word)
{
    return *word ? word : NULL;
}

/* Null: no process works on it. */
static json_t *worker_of(const change *now)
{
    char text[WFSM_OWNER_TEXT_SIZE];

    if (now->resting || !host_owner_is_at_work(now->stored.owner))
        return json_null();
    wfsm_owner_describe(now->stored.owner, text);
    return json_string(text);
}

static json_t *json_of(const change *now)
{
    return json_pack("{s:s, s:s?, s:s?, s:s?, s:s?, s:I, s:I, s:I, s:b, s:o, s:s?}", "change",
                     now->id, "phase", now->has_phase ? phase_name(now->phase) : NULL,
                     "verdict", word_or_null(verdict_name(change_verdict(now))), "by",
                     word_or_null(host_stored_text(&now->stored, "by")), "description",
                     word_or_null(host_stored_text(&now->stored, "description")), "iteration",
                     (json_int_t)now->iterations, "created", (json_int_t)now->stored.created,
                     "updated", (json_int_t)now->stored.updated, "resting", now->resting,
                     "owner", worker_of(now), "step", word_or_null(now->step));
}

/* One change, with what it has taken. */
static int print_whole_json(look *self, const change *now)
{
    json_t *made = json_of(now), *more = summary_make(self->store, now, self->error);

    if (!more) {
        json_decref(made);
        return library_failed(now->id, self->error);
    }
    json_object_update(made, more);
    if (workspace_read(&self->at, now->id, NULL) == 0 && workspace_is_own(&self->at))
        json_object_set_new(made, "workspace", json_string(workspace_root(&self->at)));
    json_decref(more);
    return print_object(made);
}

static int print_file_json(const char *id, const state *read)
{
    return print_object(
        json_pack("{s:s, s:s, s:s?, s:I, s:I, s:b, s:n, s:s}", "change", id, "phase",
                  phase_name(read->phase), "verdict", word_or_null(verdict_name(read->verdict)),
                  "created", (json_int_t)read->created, "updated", (json_int_t)read->updated,
                  "resting", 1, "owner", "source", "STATE.yaml"));
}

static void print_time(const char *what, int64_t ms)
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm local;
    char text[64] = "?";

    if (localtime_r(&seconds, &local))
        (void)strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &local);
    show_line("%-11s %s", what, text);
}

/* ---- one ---- */

static void print_worker(const change *now)
{
    char text[WFSM_OWNER_TEXT_SIZE];

    if (now->resting)
        return;
    wfsm_owner_describe(now->stored.owner, text);
    if (!host_owner_is_at_work(now->stored.owner))
        (void)snprintf(text, sizeof text, "nobody: run the same command to continue");
    show_line("%-11s %s%s%s", "at work", text, *now->step ? ", at " : "", now->step);
}

static void print_edits(const look *self, const change *now)
{
    facts found;
    const json_t *path;
    size_t index;
    host_error why;

    if (now->has_phase && now->phase == PHASE_ARCHIVED)
        return;
    if (facts_read(&found, &self->at, now->id, now, &why) != 0)
        show_line("%-11s %s", "files", why.message);
    else if (now->resting &&
             json_object_size(json_object_get(now->stored.context, "challenged")) > 0)
        json_array_foreach(found.changed, index, path) show_line(
            "%-11s %s, since it was challenged",
            json_object_get(found.now, json_string_value(path)) ? "edited" : "removed",
            json_string_value(path));
    if (now->resting && found.challenge.there && found.challenge.edited)
        show_line("%-11s CHALLENGE.md, by hand", "edited");
    if (now->resting && found.review.there && found.review.edited)
        show_line("%-11s REVIEW.md, by hand", "edited");
    facts_clear(&found);
}

static void print_workspace(look *self, const change *now)
{
    if (workspace_read(&self->at, now->id, NULL) == 0 && workspace_is_own(&self->at))
        show_line("%-11s %s", "code", workspace_root(&self->at));
}

static void print_next(const change *now)
{
    static const char *const next[] = {
        [PHASE_PROPOSED] = "agentd plan %s",         [PHASE_CHALLENGED] = "agentd impl %s",
        [PHASE_REJECTED] = "agentd plan %s --again", [PHASE_IMPLEMENTING] = "agentd impl %s",
        [PHASE_COMPLETE] = "agentd archive %s",      [PHASE_ARCHIVED] = NULL};
    char line[256];

    if (!now->has_phase)
        (void)snprintf(line, sizeof line, "agentd plan %s", now->id);
    else if (next[now->phase])
        (void)snprintf(line, sizeof line, next[now->phase], now->id);
    else
        return;
    show_line("%-11s %s", "next", line);
}

static void print_change(look *self, const change *now)
{
    const char *word = verdict_name(change_verdict(now));
    const char *by = host_stored_text(&now->stored, "by");
    const char *description = host_stored_text(&now->stored, "description");
    host_error what;

    show_phase(&self->show, now);
    show_line("%-11s %s", "change", now->id);
    if (*description)
        show_line("%-11s %.60s", "description", description);
    if (*word)
        show_line("%-11s %s%s%s", "verdict", word, *by ? ", by " : "", by);
    show_line("%-11s %lld", "iteration", (long long)now->iterations);
    print_time("created", now->stored.created);
    print_time("updated", now->stored.updated);
    print_worker(now);
    print_workspace(self, now);
    show_problem(now);
    print_edits(self, now);
    if (state_look(&self->at, now, &what))
        show_line("%-11s %s", "STATE.yaml", what.message);
    print_next(now);
}

/* In a clone there is STATE.yaml only. */
static int status_of_file(look *self, const char *id)
{
    host_error why;
    state read;
    int found = rebuild_read(&self->at, id, &read, &why);

    if (found < 0)
        return host_failed(&why, END_REFUSED);
    if (found == 0) {
        print_error("%s: there is no such change", id);
        return END_REFUSED;
    }
    if (self->is_json)
        return print_file_json(id, &read);
    show_phase(&self->show, &(change){.has_phase = 1, .phase = read.phase});
    show_line("%-11s %s", "change", id);
    if (read.verdict != VERDICT_NONE)
        show_line("%-11s %s", "verdict", verdict_name(read.verdict));
    print_time("created", read.created);
    print_time("updated", read.updated);
    show_line("%-11s says this; the store does not have the change yet", "STATE.yaml");
    return END_DONE;
}

static int status_of(look *self, const char *id)
{
    change now;
    host_error why;
    int32_t status;
    int code = END_DONE;

    if (change_id_check(id, &why) != 0)
        return host_failed(&why, END_USAGE);
    if (!self->store)
        return status_of_file(self, id);
    status = change_read(&now, self->store, id, self->error);
    if (status == WFSM_OK && self->is_json)
        code = print_whole_json(self, &now);
    else if (status == WFSM_OK)
        print_change(self, &now);
    else
        code = status == WFSM_NOT_FOUND ? status_of_file(self, id)
                                        : library_failed(id, self->error);
    change_clear(&now);
    return code;
}

/* ---- all ---- */

static void print_line(const char *id, const char *at, const char *said, const char *words)
{
    show_plain("%-24s  %-12s  %-14s  %.*s", id, at, said, (int)strcspn(words, "\r\n"), words);
}

static int print_row(look *self, const change *now)
{
    if (self->is_json)
        return print_object(json_of(now));
    print_line(now->id, now->has_phase ? phase_name(now->phase) : "none",
               verdict_name(change_verdict(now)),
               host_stored_text(&now->stored, "description"));
    return END_DONE;
}

/* Without STATE.yaml, or with one that cannot be read, a folder is no change yet. */
static int print_file_row(look *self, const char *id, int archived, int *rows)
{
    state read;

    if (rebuild_read(&self->at, id, &read, NULL) != 1 ||
        (!archived && read.phase == PHASE_ARCHIVED))
        return END_DONE;
    (*rows)++;
    if (self->is_json)
        return print_file_json(id, &read);
    print_line(id, phase_name(read.phase),
               read.verdict == VERDICT_NONE ? "" : verdict_name(read.verdict),
               "(as STATE.yaml says)");
    return END_DONE;
}

static int print_one(look *self, const char *id, int archived, int *rows)
{
    change now = {.resting = 0};
    int32_t status =
        self->store ? change_read(&now, self->store, id, self->error) : (int32_t)WFSM_NOT_FOUND;
    int code = END_DONE;

    if (status == WFSM_NOT_FOUND) {
        code = print_file_row(self, id, archived, rows);
    } else if (status != WFSM_OK) {
        code = library_failed(id, self->error);
    } else if (archived || !now.has_phase || now.phase != PHASE_ARCHIVED) {
        (*rows)++;
        code = print_row(self, &now);
    }
    change_clear(&now);
    return code;
}

static int print_all(look *self, int archived)
{
    json_t *ids = self->store ? change_ids(self->store, self->error) : json_array(), *id;
    size_t index;
    int code = END_DONE, rows = 0;

    if (!ids || listed_add(&self->at, ids) != 0) {
        json_decref(ids);
        return library_failed("the store", self->error);
    }
    json_array_foreach(ids, index, id) if (print_one(self, json_string_value(id), archived,
                                                     &rows) != END_DONE) code = END_STORE;
    if (rows == 0 && code == END_DONE && !self->is_json)
        show_plain("no change yet");
    json_decref(ids);
    return code;
}

int cmd_status(const arguments *given)
{
    look self;
    int code = look_open(&self, given->json);

    if (code == END_DONE)
        code = given->id ? status_of(&self, given->id) : print_all(&self, 0);
    look_close(&self);
    return code;
}

int cmd_list(const arguments *given)
{
    look self;
    int code = look_open(&self, given->json);

    if (code == END_DONE)
        code = print_all(&self, 1);
    look_close(&self);
    return code;
}
