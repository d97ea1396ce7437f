/* Could each living instance be migrated? The store is read in pages, so that a million instances
 * take the memory of one page. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "wfsm/gate.h"
#include "wfsm/shown.h"
#include "wfsm/stored.h"

enum { PAGE = 1000 };

typedef struct page {
    stored_head heads[PAGE];
    size_t count;
} page;

/* What a walk needs beside the gate. */
typedef struct walk {
    gate *gate;
    stored_machines machines;
    wfsm_functions *functions;
    wfsm_error *error;
    int64_t now;
} walk;

static int32_t keep_head(void *user, const wfsm_row *row)
{
    page *to = user;
    stored_head_copy(&to->heads[to->count++], row->head);
    return WFSM_OK;
}

/* Keeps the fingerprint. */
static void note_document(gate *self, const char *fingerprint)
{
    for (size_t i = 0; i < self->document_count; i++)
        if (strcmp(self->documents[i], fingerprint) == 0)
            return;
    self->documents = cli_need(
        realloc(self->documents, (self->document_count + 1) * sizeof *self->documents));
    self->documents[self->document_count++] = cli_need(strdup(fingerprint));
}

/* Keeps the id if it is among those that changed last. */
static void note_recent(gate *self, const stored_head *head)
{
    size_t oldest = 0;
    if (self->replays == 0)
        return;
    if (self->recent_count < self->replays) {
        self->recent =
            cli_need(realloc(self->recent, (self->recent_count + 1) * sizeof *self->recent));
        self->recent[self->recent_count++] =
            (gate_recent){cli_need(strdup(head->id)), head->updated};
        return;
    }
    for (size_t i = 1; i < self->recent_count; i++)
        if (self->recent[i].updated < self->recent[oldest].updated)
            oldest = i;
    if (self->recent[oldest].updated >= head->updated)
        return;
    free(self->recent[oldest].id);
    self->recent[oldest] = (gate_recent){cli_need(strdup(head->id)), head->updated};
}

static void judge(walk *self, const stored_head *head, wfsm_instance *instance)
{
    static const gate_diagnostic stays = {.severity = GATE_ERROR, .rule = "migration"};
    gate *of = self->gate;
    int32_t status = wfsm_instance_can_migrate(instance, of->machine, self->functions,
                                               self->now, self->error);
    of->movable += status == WFSM_OK;
    of->staying += status != WFSM_OK;
    if (status != WFSM_OK)
        gate_add(of, &stays, wfsm_error_message(self->error), head->id);
}

static bool look_at(walk *self, const stored_head *head);

/* Workers continue meanwhile: one that cannot be loaded as it was listed may be gone or under another document. */
static bool look_again(walk *self, const stored_head *head)
{
    wfsm_head now = {.size = sizeof now};
    stored_head copy = {0};
    int32_t status = wfsm_store_head(self->gate->store, head->id, &now, NULL);
    bool changed = status == WFSM_OK && now.revision != head->revision;
    if (status != WFSM_NOT_FOUND && !changed) {
        cli_say_error(head->id, self->error);
        return false;
    }
    self->gate->instances--;
    self->gate->living--;
    if (!changed)
        return true;
    stored_head_copy(&copy, &now);
    bool fine = look_at(self, &copy);
    stored_head_free(&copy);
    return fine;
}

static bool try_migration(walk *self, const stored_head *head)
{
    stored_instance loaded;
    if (stored_try_load(&loaded, self->gate->store, head, &self->machines, self->error) !=
        WFSM_OK)
        return look_again(self, head);
    if (wfsm_instance_status(loaded.instance) == WFSM_DONE)
        self->gate->living--; /* it has ended meanwhile */
    else
        judge(self, head, loaded.instance);
    stored_unload(&loaded);
    return true;
}

static bool look_at(walk *self, const stored_head *head)
{
    gate *of = self->gate;
    bool same = strcmp(head->fingerprint, wfsm_machine_fingerprint(of->machine)) == 0;
    bool lives = head->status == WFSM_RUNNING;
    of->instances++;
    of->living += lives;
    of->there += lives && same;
    if (same)
        return true;
    note_document(of, head->fingerprint);
    note_recent(of, head);
    return !lives || try_migration(self, head);
}

static void show_progress(const gate *self)
{
    if (self->terminal)
        shown_fprintf(stderr, "\r\033[K%" PRIu64 " instances", self->instances);
}

/* One page behind the id `after`, which becomes the last id; "" after the last page. */
static bool walk_page(walk *self, page *of, cli_text *after)
{
    wfsm_query query = {.size = sizeof query,
                        .machine = wfsm_machine_id(self->gate->machine),
                        .after = after->length > 0 ? after->data : NULL,
                        .limit = PAGE};
    bool fine = true;
    of->count = 0;
    if (wfsm_store_list(self->gate->store, &query, keep_head, of, self->error) != WFSM_OK) {
        cli_say_error(self->gate->path, self->error);
        fine = false;
    }
    after->length = 0;
    if (fine && of->count == PAGE)
        cli_text_add(after, of->heads[PAGE - 1].id, strlen(of->heads[PAGE - 1].id));
    for (size_t i = 0; i < of->count; i++) {
        fine = fine && look_at(self, &of->heads[i]);
        stored_head_free(&of->heads[i]);
    }
    show_progress(self->gate);
    return fine;
}

static bool walk_all(walk *self)
{
    page *of = cli_need(malloc(sizeof *of));
    cli_text after = {0};
    bool fine;
    do
        fine = walk_page(self, of, &after);
    while (fine && after.length > 0);
    if (self->gate->terminal)
        shown_fprintf(stderr, "\r\033[K");
    cli_text_free(&after);
    free(of);
    return fine;
}

bool gate_instances(gate *self)
{
    struct timespec clock;
    clock_gettime(CLOCK_REALTIME, &clock);
    walk all = {.gate = self,
                .error = cli_need(wfsm_error_new(NULL)),
                .now = (int64_t)clock.tv_sec * 1000 + clock.tv_nsec / 1000000};
    bool fine =
        stored_functions(&all.functions, self->machine, all.error) == WFSM_OK && walk_all(&all);
    stored_machines_free(&all.machines);
    wfsm_functions_free(all.functions);
    wfsm_error_free(all.error);
    return fine;
}
