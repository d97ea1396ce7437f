/* wfsm tail: looks at the store again and again, so it needs nothing of those who write it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/commands.h"
#include "wfsm/feed.h"
#include "wfsm/journal_row.h"
#include "wfsm/many.h"
#include "wfsm/pace.h"
#include "wfsm/print.h"
#include "wfsm/record.h"
#include "wfsm/shown.h"
#include "wfsm/stored.h"

static const char help[] =
    "usage: wfsm tail [--json] [--last N] STORE [ID]\n"
    "\n"
    "Shows commits as they come, one line for each: time (UTC), instance, revision, input,\n"
    "outcome, the states before and after, and other changes. With ID it ends when this\n"
    "instance has ended; otherwise, it shows all instances until it is stopped. The commits of\n"
    "an instance come in order, and none is left out but what was compacted meanwhile. The store\n"
    "is read half a second after it was written, and later if that takes long. Changes nothing.\n"
    "\n"
    "  --json     each line is a JSON object {instance, revision, now, event_id, record}; times\n"
    "             are milliseconds\n"
    "  --last N   begin with the last N commits of each instance; default: 10 with ID,\n"
    "             otherwise 0\n"
    "\n"
    "Exit codes: 0 the instance has ended; 1 the instance does not exist any more, the store\n"
    "cannot be read, or another file is in its place; 64 the command line is wrong.\n";

typedef struct tail_request {
    const char *store, *id;
    int64_t last; /* -1: not given */
    bool json;
} tail_request;

/* An instance, and the revision up to which its commits are shown. */
typedef struct followed {
    char *id;
    uint64_t revision, shown;
    bool done;
} followed;

/* In the order of ids, as a store lists them. */
typedef struct tail_list {
    followed *list;
    size_t count, capacity;
} tail_list;

static void tail_free(tail_list *all)
{
    for (size_t i = 0; i < all->count; i++)
        free(all->list[i].id);
    free(all->list);
}

static void keep(tail_list *all, const wfsm_head *head)
{
    if (all->count == all->capacity) {
        all->capacity = all->capacity > 0 ? 2 * all->capacity : 64;
        all->list = cli_need(realloc(all->list, all->capacity * sizeof *all->list));
    }
    all->list[all->count++] = (followed){.id = cli_need(strdup(head->instance)),
                                         .revision = head->revision,
                                         .done = head->status == WFSM_DONE};
}

static int32_t keep_row(void *user, const wfsm_row *row)
{
    keep(user, row->head);
    return WFSM_OK;
}

static void print_line(const char *id, const wfsm_row *row)
{
    char time[PRINT_TIME_BYTES];
    cli_text input = {0}, states = {0}, changes = {0};
    json_t *record = json_loadb(row->text, row->length, 0, NULL);
    record_input(&input, record);
    journal_states(&states, record);
    journal_changes(&changes, record);
    shown_printf("%s  %s  %" PRIu64 "  %s  %s", print_time(row->now, time), id, row->revision,
                 input.data ? input.data : "?", record_string(record, "outcome"));
    if (states.length > 0)
        shown_printf("  %s", states.data);
    if (changes.length > 0)
        shown_printf("  %s", changes.data);
    shown_fputs("\n", stdout);
    json_decref(record);
    cli_text_free(&input);
    cli_text_free(&states);
    cli_text_free(&changes);
}

typedef struct printing {
    followed *of;
    bool json;
} printing;

static int32_t print_commit(void *user, const wfsm_row *row)
{
    printing *now = user;
    if (now->json) {
        journal_object(now->of->id, row);
        shown_fputs("\n", stdout);
    } else {
        print_line(now->of->id, row);
    }
    now->of->shown = row->revision;
    return WFSM_OK;
}

/* An instance that was removed and started again begins at revision 1. */
static void go_on_from(followed *one, const followed *before, const tail_request *request,
                       bool first)
{
    uint64_t last = (uint64_t)request->last;
    if (before)
        one->shown = before->shown <= one->revision ? before->shown : 0;
    else if (first)
        one->shown = one->revision - (one->revision < last ? one->revision : last);
}

static int compare_ids(const void *left, const void *right)
{
    return strcmp(((const followed *)left)->id, ((const followed *)right)->id);
}

static followed *find(const tail_list *all, const followed *one)
{
    return all->count > 0 ? bsearch(one, all->list, all->count, sizeof *all->list, compare_ids)
                          : NULL;
}

static void go_on(tail_list *now, const tail_list *before, const tail_request *request,
                  bool first)
{
    for (size_t i = 0; i < now->count; i++)
        go_on_from(&now->list[i], find(before, &now->list[i]), request, first);
}

/* Both are in the order of ids, and have none in common. `added` is empty then. */
static void merge(tail_list *all, tail_list *added)
{
    size_t i = all->count, j = added->count, to = i + j;
    if (j == 0)
        return;
    all->list = cli_need(realloc(all->list, to * sizeof *all->list));
    all->count = all->capacity = to;
    while (j > 0)
        all->list[--to] = i > 0 && strcmp(all->list[i - 1].id, added->list[j - 1].id) > 0
                              ? all->list[--i]
                              : added->list[--j];
    added->count = 0;
}

/* Replaces the instances that are known, and inserts the others in the order of their ids. */
static void take_changed(tail_list *all, tail_list *changed)
{
    size_t added = 0;
    for (size_t i = 0; i < changed->count; i++) {
        followed *known = find(all, &changed->list[i]);
        if (known) {
            free(known->id);
            *known = changed->list[i];
        } else {
            changed->list[added++] = changed->list[i];
        }
    }
    changed->count = added;
    merge(all, changed);
}

static int32_t read_heads(tail_list *now, feed *from, wfsm_store *store,
                          const tail_request *request, wfsm_error *error)
{
    wfsm_head head = {.size = sizeof head};
    if (!request->id)
        return feed_look(from, store, keep_row, now, error);
    from->whole = true;
    int32_t status = wfsm_store_head(store, request->id, &head, error);
    if (status == WFSM_OK)
        keep(now, &head);
    return status;
}

static int32_t print_new(wfsm_store *store, tail_list *all, bool json, wfsm_error *error)
{
    int32_t status = WFSM_OK;
    for (size_t i = 0; i < all->count && status == WFSM_OK; i++) {
        followed *one = &all->list[i];
        printing now = {one, json};
        if (one->shown < one->revision)
            status = wfsm_store_records(store, one->id, one->shown + 1, one->revision,
                                        print_commit, &now, error);
        one->shown = one->revision;
    }
    return status;
}

typedef struct tail {
    wfsm_store *store;
    const tail_request *request;
    feed from;
    tail_list all;
} tail;

/* Shows what has come since the last look. */
static int32_t look(tail *self, bool first, wfsm_error *error)
{
    tail_list now = {0};
    int32_t status = read_heads(&now, &self->from, self->store, self->request, error);
    if (status == WFSM_OK) {
        go_on(&now, &self->all, self->request, first);
        status = print_new(self->store, &now, self->request->json, error);
    }
    if (self->from.whole) {
        tail_free(&self->all);
        self->all = now;
    } else {
        take_changed(&self->all, &now);
        free(now.list);
    }
    return status;
}

static bool is_over(const tail *self)
{
    return self->request->id && self->all.count == 1 && self->all.list[0].done;
}

static int32_t follow(wfsm_store *store, const tail_request *request, bool *gone,
                      wfsm_error *error)
{
    pace next = {.path = request->store};
    tail self = {.store = store, .request = request};
    bool there = pace_begin(&next);
    int32_t status = look(&self, true, error);
    if (status == WFSM_OK && !request->id)
        cli_say("%s: waiting for commits; it has %zu instances", request->store,
                self.all.count);
    while (there && status == WFSM_OK && fflush(stdout) == 0 && !is_over(&self)) {
        there = pace_wait(&next) && pace_begin(&next);
        if (there)
            status = look(&self, false, error);
    }
    tail_free(&self.all);
    *gone = !there;
    return status;
}

static int parse(tail_request *request, int count, char **list)
{
    static const cli_option options[] = {{"--json", false}, {"--last", true}, {NULL, false}};
    cli_args args = {.count = count, .list = list, .options = options};
    int found;
    while ((found = cli_next(&args)) != CLI_END) {
        if (found == CLI_BAD)
            return CLI_USAGE;
        if (found == 0)
            request->json = true;
        else if (found == 1 && !many_number("--last", args.value, &request->last))
            return CLI_USAGE;
        else if (found == CLI_OPERAND && !request->store)
            request->store = args.value;
        else if (found == CLI_OPERAND && !request->id)
            request->id = args.value;
        else if (found == CLI_OPERAND)
            return cli_misused("tail does not take %s", args.value);
    }
    if (request->last < 0)
        request->last = request->id ? 10 : 0;
    return request->store ? CLI_OK : cli_misused("tail needs a store");
}

static int run(int count, char **list)
{
    tail_request request = {.last = -1};
    int code = parse(&request, count, list);
    if (code != CLI_OK)
        return code;
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    wfsm_store *store = stored_open(request.store);
    bool gone = false;
    int32_t status = store ? follow(store, &request, &gone, error) : WFSM_OK;
    if (status == WFSM_NOT_FOUND)
        cli_say("%s: there is no instance %s", request.store, request.id);
    else if (status != WFSM_OK)
        cli_say_error(request.store, error);
    wfsm_store_free(store);
    wfsm_error_free(error);
    return cli_finish(store && !gone && status == WFSM_OK ? CLI_OK : CLI_FAILED);
}

const cli_command cmd_tail = {"tail", "shows commits as they come", help, run};
