#include "wfsm/copy.h"

#include <stdlib.h>
#include <string.h>

/* Longer than a batch takes; should the command be killed, others wait for so long. */
enum { LAPSE_MS = 30000 };

/* ---- begin and end ---- */

bool copy_begin(copying *self)
{
    self->error = cli_need(wfsm_error_new(NULL));
    owned_name(self->name);
    int32_t status = wfsm_store_owner_alive(self->to, COPY_OWNER, INT64_MAX, self->error);
    if (status != WFSM_OK)
        cli_say_error(self->to_path, self->error);
    return status == WFSM_OK;
}

static int32_t count_head(void *user, const wfsm_row *row)
{
    (void)row;
    ++*(size_t *)user;
    return WFSM_OK;
}

/* The row of the owner stays while something is unfinished. */
void copy_end(copying *self)
{
    const wfsm_query query = {.size = sizeof query, .owner = COPY_OWNER, .limit = 1};
    size_t left = 0;
    if (self->error) {
        wfsm_store_remove_owner(self->from, self->name, NULL);
        if (wfsm_store_list(self->to, &query, count_head, &left, NULL) == WFSM_OK && left == 0)
            wfsm_store_remove_owner(self->to, COPY_OWNER, NULL);
    }
    wfsm_error_free(self->error);
}

int32_t copy_stay_alive(copying *self)
{
    int64_t until = owned_clock() + LAPSE_MS;
    if (until - self->alive < LAPSE_MS / 3)
        return WFSM_OK;
    self->alive = until;
    return wfsm_store_owner_alive(self->from, self->name, until, self->error);
}

bool copy_release(copying *self, const char *id)
{
    int32_t status = wfsm_store_disown(self->to, id, COPY_OWNER, self->error);
    if (status != WFSM_OK)
        cli_say_error(self->to_path, self->error);
    return status == WFSM_OK;
}

/* ---- what is there already ---- */

static int32_t read_head(wfsm_store *store, const char *id, stored_head *head,
                         wfsm_error *error)
{
    wfsm_head found = {.size = sizeof found};
    int32_t status = wfsm_store_head(store, id, &found, error);
    if (status == WFSM_OK)
        stored_head_copy(head, &found);
    return status;
}

bool copy_same_head(const stored_head *here, const wfsm_head *there)
{
    return strcmp(here->token, there->token) == 0 && strcmp(here->tags, there->tags) == 0 &&
           strcmp(here->attributes, there->attributes) == 0 &&
           strcmp(here->machine, there->machine) == 0 &&
           strcmp(here->fingerprint, there->fingerprint) == 0 &&
           here->revision == there->revision &&
           here->snapshot_revision == there->snapshot_revision && here->first == there->first &&
           here->effects == there->effects && here->acknowledged == there->acknowledged &&
           here->status == there->status && here->deadline == there->deadline &&
           here->created == there->created && here->updated == there->updated;
}

/* *whole: all of the instance is there, as it is here. */
static int32_t compare(copying *self, const char *id, bool *whole)
{
    stored_head here = {0};
    wfsm_head there = {.size = sizeof there};
    *whole = false;
    int32_t status = read_head(self->from, id, &here, self->error);
    if (status == WFSM_OK)
        status = wfsm_store_head(self->to, id, &there, self->error);
    if (status == WFSM_OK && copy_same_head(&here, &there))
        status = copy_same_posts(self, id, whole);
    stored_head_free(&here);
    return status;
}

static int32_t digest_record(void *user, const wfsm_row *row)
{
    return wfsm_digest(row->text, row->length, user);
}

/* The journal there begins with the one here: it was copied before, and has perhaps gone on. */
static int32_t continues(copying *self, const char *id, bool *same)
{
    char token[WFSM_DIGEST_SIZE] = "";
    stored_head here = {0};
    int32_t status = read_head(self->from, id, &here, self->error);
    if (status == WFSM_OK)
        status = wfsm_store_records(self->to, id, here.revision, here.revision, digest_record,
                                    token, self->error);
    *same = status == WFSM_OK && strcmp(token, here.token) == 0;
    stored_head_free(&here);
    return status == WFSM_NOT_FOUND ? WFSM_OK : status;
}

/* ---- one instance ---- */

static enum copy_result refuse(const copying *self, const char *path)
{
    cli_say_error(path, self->error);
    return COPY_REFUSED;
}

static int32_t write_journal(copying *self, copy_source *source)
{
    copy_writing *at = copy_writing_new(self);
    int32_t status = copy_write(at, source);
    if (status == WFSM_OK)
        status = copy_flush(at);
    if (status == WFSM_OK)
        status = source->answer;
    copy_writing_free(at);
    if (status == WFSM_OK && source->head.acknowledged > 0)
        status = wfsm_store_acknowledge(self->to, source->head.id, source->head.acknowledged,
                                        self->error);
    return status;
}

static enum copy_result write_all(copying *self, const char *id)
{
    copy_source source;
    bool whole = false;
    int32_t status = copy_read_source(&source, self->from, id, self->error);
    if (status == WFSM_OK)
        status = write_journal(self, &source);
    if (status == WFSM_OK)
        status = copy_posts_of(self, id);
    if (status == WFSM_OK)
        status = compare(self, id, &whole);
    copy_source_free(&source);
    if (status != WFSM_OK) {
        cli_say("%s: %s cannot be copied: %s", self->from_path, id,
                wfsm_error_message(self->error));
        return COPY_REFUSED;
    }
    if (!whole)
        cli_say("%s: %s changed while it was copied; copy it again", self->from_path, id);
    return whole ? COPY_DONE : COPY_REFUSED;
}

/* What an earlier copy has left is either all of it or is made again. */
static enum copy_result finish(copying *self, const char *id)
{
    bool whole = false;
    int32_t status = compare(self, id, &whole);
    if (status == WFSM_OK && whole)
        return COPY_DONE;
    if (status == WFSM_OK)
        status = wfsm_store_remove(self->to, id, self->error);
    return status == WFSM_OK ? write_all(self, id) : refuse(self, self->to_path);
}

static enum copy_result meet(copying *self, const char *id)
{
    bool same = false;
    int32_t status = continues(self, id, &same);
    if (status != WFSM_OK)
        return refuse(self, self->to_path);
    if (!same)
        cli_say("%s: there is another instance %s already; it stays as it is", self->to_path,
                id);
    return same ? COPY_THERE : COPY_REFUSED;
}

static enum copy_result copy_owned(copying *self, const char *id)
{
    stored_head there = {0};
    int32_t status = read_head(self->to, id, &there, self->error);
    bool unfinished = status == WFSM_OK && strcmp(there.owner, COPY_OWNER) == 0;
    stored_head_free(&there);
    if (status == WFSM_NOT_FOUND)
        return write_all(self, id);
    if (status != WFSM_OK)
        return refuse(self, self->to_path);
    return unfinished ? finish(self, id) : meet(self, id);
}

enum copy_result copy_instance(copying *self, const char *id)
{
    enum copy_result result = COPY_REFUSED;
    int32_t status = copy_stay_alive(self);
    if (status == WFSM_OK)
        status = wfsm_store_own(self->from, id, self->name, owned_clock(), self->error);
    if (status == WFSM_NOT_FOUND)
        cli_say("%s: there is no instance %s", self->from_path, id);
    else if (status != WFSM_OK)
        cli_say_error(self->from_path, self->error);
    else
        result = copy_owned(self, id);
    if (status == WFSM_OK)
        wfsm_store_disown(self->from, id, self->name, NULL);
    return result;
}
