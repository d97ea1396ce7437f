#include "wfsm/store_copy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "wfsm/address.h"
#include "wfsm/copy.h"
#include "wfsm/shown.h"

typedef struct job {
    copying with;
    const many *ids;
    enum copy_result *results; /* of each */
    size_t copied, there, refused, held;
    size_t group; /* instances of the next one */
} job;

/* Groups become larger while one of them is read as less than this, and smaller after more. */
enum { GROUP_BYTES = 4 << 20, FIRST_GROUP = 32 };

/* ---- families ---- */

/* The bytes of the id of the root: a child's id is its root's, "/" and 16 hexadecimal digits. */
static size_t root_length(const char *id)
{
    const char *slash = strrchr(id, '/');
    bool child =
        slash && strlen(slash + 1) == 16 && strspn(slash + 1, "0123456789abcdef") == 16;
    return child ? (size_t)(slash - id) : strlen(id);
}

static bool same_root(const char *one, const char *two)
{
    size_t length = root_length(one);
    return length == root_length(two) && memcmp(one, two, length) == 0;
}

/* A parent that runs while its child is missing would start the child again. */
static bool has_lost_a_relative(const job *self, const char *id)
{
    for (size_t i = 0; self->refused > 0 && i < self->ids->count; i++)
        if (self->results[i] == COPY_REFUSED && same_root(self->ids->ids[i], id))
            return true;
    return false;
}

/* ---- all of them ---- */

static void show_progress(const job *self, size_t done)
{
    if (isatty(STDERR_FILENO))
        shown_fprintf(stderr, "\r\033[K%zu of %zu instances", done, self->ids->count);
}

static void end_progress(void)
{
    if (isatty(STDERR_FILENO))
        shown_fprintf(stderr, "\r\033[K");
}

/* All but those that have to be copied by themselves. */
static void copy_next(job *self, size_t from, size_t count)
{
    const char *const *ids = (const char *const *)self->ids->ids + from;
    size_t bytes = copy_group(&self->with, ids, count, self->results + from);
    if (bytes > GROUP_BYTES && self->group > 1)
        self->group /= 2;
    else if (bytes < GROUP_BYTES / 2 && self->group < COPY_GROUP)
        self->group *= 2;
}

static void settle(job *self, size_t which)
{
    enum copy_result *result = &self->results[which];
    if (*result == COPY_ALONE) {
        show_progress(self, which);
        *result = copy_instance(&self->with, self->ids->ids[which]);
    }
    self->there += *result == COPY_THERE;
    self->refused += *result == COPY_REFUSED;
}

static void copy_all(job *self)
{
    size_t all = self->ids->count, done = 0;
    self->group = FIRST_GROUP;
    while (done < all) {
        size_t end = all - done < self->group ? all : done + self->group;
        show_progress(self, done);
        copy_next(self, done, end - done);
        for (; done < end; done++)
            settle(self, done);
    }
    end_progress();
}

static bool may_go(job *self, size_t which)
{
    const char *id = self->ids->ids[which];
    if (self->results[which] != COPY_DONE)
        return false;
    if (!has_lost_a_relative(self, id))
        return true;
    cli_say("%s: %s stays " COPY_OWNER ", because its parent or a child is missing",
            self->with.to_path, id);
    self->held++;
    return false;
}

static bool release(job *self, const char *const *ids, size_t count)
{
    bool released[COPY_GROUP], fine = true;
    copy_release_group(&self->with, ids, count, released);
    for (size_t i = 0; i < count; i++) {
        self->copied += released[i];
        fine = fine && released[i];
    }
    return fine;
}

/* Children before their parents. */
static bool release_all(job *self)
{
    const char *ids[COPY_GROUP];
    size_t count = 0;
    bool fine = true;
    for (size_t i = self->ids->count; i > 0; i--) {
        if (may_go(self, i - 1))
            ids[count++] = self->ids->ids[i - 1];
        if (count > 0 && (count == COPY_GROUP || i == 1)) {
            fine = release(self, ids, count) && fine;
            count = 0;
        }
    }
    return fine;
}

static bool run_job(job *self)
{
    copy_all(self);
    bool fine = release_all(self);
    shown_printf("%zu instances copied, %zu there before, %zu refused\n", self->copied,
                 self->there, self->refused + self->held);
    return fine && self->refused == 0;
}

/* ---- the stores ---- */

static bool open_to(copying *self)
{
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    int32_t status = address_open(&self->to, self->to_path, ADDRESS_MAKE, error);
    if (status != WFSM_OK)
        cli_say_error(self->to_path, error);
    wfsm_error_free(error);
    return status == WFSM_OK;
}

static bool open_both(copying *self)
{
    self->from = stored_open_to_write(self->from_path);
    return self->from && open_to(self) && copy_begin(self);
}

static bool find_ids(const copying *self, many *ids, const char *prefix)
{
    const wfsm_query query = {.size = sizeof query, .prefix = prefix};
    return ids->count > 0 || many_list(ids, self->from, self->from_path, &query);
}

static int compare_ids(const void *one, const void *two)
{
    return strcmp(*(char *const *)one, *(char *const *)two);
}

/* Each once, in the order of strcmp(). */
static void sort_ids(many *ids)
{
    size_t kept = 0;
    if (ids->count > 0)
        qsort(ids->ids, ids->count, sizeof *ids->ids, compare_ids);
    for (size_t i = 0; i < ids->count; i++)
        if (kept > 0 && strcmp(ids->ids[kept - 1], ids->ids[i]) == 0)
            free(ids->ids[i]);
        else
            ids->ids[kept++] = ids->ids[i];
    ids->count = kept;
}

int store_copy(const char *from, const char *to, many *ids, const char *prefix)
{
    job self = {.with = {.from_path = from, .to_path = to}, .ids = ids};
    bool fine = open_both(&self.with) && find_ids(&self.with, ids, prefix);
    sort_ids(ids);
    self.results = cli_need(calloc(ids->count + 1, sizeof *self.results));
    fine = fine && run_job(&self);
    copy_end(&self.with);
    free(self.results);
    wfsm_store_free(self.with.to);
    wfsm_store_free(self.with.from);
    return fine ? CLI_OK : CLI_FAILED;
}
