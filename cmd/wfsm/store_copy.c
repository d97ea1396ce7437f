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
} job;

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

static void copy_all(job *self)
{
    for (size_t i = 0; i < self->ids->count; i++) {
        show_progress(self, i);
        self->results[i] = copy_instance(&self->with, self->ids->ids[i]);
        self->there += self->results[i] == COPY_THERE;
        self->refused += self->results[i] == COPY_REFUSED;
    }
    end_progress();
}

/* Children before their parents. */
static bool release_all(job *self)
{
    bool fine = true;
    for (size_t i = self->ids->count; i > 0; i--) {
        const char *id = self->ids->ids[i - 1];
        if (self->results[i - 1] != COPY_DONE)
            continue;
        if (has_lost_a_relative(self, id)) {
            cli_say("%s: %s stays " COPY_OWNER ", because its parent or a child is missing",
                    self->with.to_path, id);
            self->held++;
        } else if (copy_release(&self->with, id)) {
            self->copied++;
        } else {
            fine = false;
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

int store_copy(const char *from, const char *to, many *ids, const char *prefix)
{
    job self = {.with = {.from_path = from, .to_path = to}, .ids = ids};
    bool fine = open_both(&self.with) && find_ids(&self.with, ids, prefix);
    if (fine && ids->count > 0)
        qsort(ids->ids, ids->count, sizeof *ids->ids, compare_ids);
    self.results = cli_need(calloc(ids->count + 1, sizeof *self.results));
    fine = fine && run_job(&self);
    copy_end(&self.with);
    free(self.results);
    wfsm_store_free(self.with.to);
    wfsm_store_free(self.with.from);
    return fine ? CLI_OK : CLI_FAILED;
}
