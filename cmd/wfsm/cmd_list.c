#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "wfsm/commands.h"
#include "wfsm/many.h"
#include "wfsm/pace.h"
#include "wfsm/print.h"
#include "wfsm/selection.h"
#include "wfsm/shown.h"
#include "wfsm/stored.h"

static const char help[] =
    "usage: wfsm list [OPTION]… STORE\n"
    "\n"
    "Lists the instances of a store: id, machine, active states, status, revision,\n"
    "time of the last commit (UTC), tags, and for a child workflow the invocation that it\n"
    "works for. Changes nothing.\n"
    "\n"
    "  --json           one JSON array of {id, machine, configuration, status, revision,\n"
    "                   created, updated, deadline, owner, tags}; a child also has {parent};\n"
    "                   times are milliseconds\n" SELECTION_HELP
    "  --after ID       only those behind this one, in the order of ids\n"
    "  --limit N        at most so many\n"
    "  --watch          lists them again after each change, until it is interrupted, half a\n"
    "                   second later or, if it takes long, later. A terminal is cleared before\n"
    "                   each list; with --json each list is one line\n"
    "\n"
    "Exit codes: 0 success; 1 the store or an instance cannot be read; 64 the command line\n"
    "is wrong.\n";

typedef struct list_request {
    const char *store;
    selection which;
    const char *after;
    int64_t limit; /* 0: all */
    bool json, watch;
} list_request;

enum { JSON = SELECTION_OPTIONS, WATCH, AFTER, LIMIT };

/* The last is for the parents of children, where there are any. */
enum { COLUMNS = 8 };

typedef struct heads {
    stored_head *list;
    size_t count, capacity;
} heads;

static int32_t keep(void *user, const wfsm_row *row)
{
    heads *all = user;
    if (all->count == all->capacity) {
        all->capacity = all->capacity > 0 ? 2 * all->capacity : 64;
        all->list = cli_need(realloc(all->list, all->capacity * sizeof *all->list));
    }
    stored_head_copy(&all->list[all->count++], row->head);
    return WFSM_OK;
}

static bool read_heads(heads *all, wfsm_store *store, const list_request *request)
{
    wfsm_query query = selection_query(&request->which);
    query.after = request->after;
    query.limit = (uint64_t)request->limit;
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    int32_t status = wfsm_store_list(store, &query, keep, all, error);
    if (status != WFSM_OK)
        cli_say_error(request->store, error);
    wfsm_error_free(error);
    return status == WFSM_OK;
}

static void free_heads(heads *all)
{
    for (size_t i = 0; i < all->count; i++)
        stored_head_free(&all->list[i]);
    free(all->list);
}

/* "…/0123456789abcdef": the ids of children end so, and few others. */
static bool looks_like_a_child(const char *id)
{
    const char *slash = strrchr(id, '/');
    return slash && strlen(slash + 1) == 16 && strspn(slash + 1, "0123456789abcdef") == 16;
}

static bool any_children(const heads *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (looks_like_a_child(all->list[i].id))
            return true;
    return false;
}

static const char *status_of(const stored_head *head, const wfsm_instance *instance)
{
    return instance && wfsm_instance_stopped(instance) ? "stopped" : stored_status(head);
}

static void add_row(print_table *table, const stored_head *head, const wfsm_instance *instance,
                    const char *states, size_t length)
{
    char time[PRINT_TIME_BYTES];
    char *joined = print_joined(states, length, " ");
    print_table_add(table, head->id);
    print_table_add(table, head->machine);
    print_table_add(table, states ? joined : "?");
    print_table_add(table, status_of(head, instance));
    print_table_addf(table, "%" PRIu64, head->revision);
    print_table_add(table, print_time(head->updated, time));
    print_table_add(table, head->tags);
    if (table->columns == COLUMNS)
        print_table_add(table, instance ? wfsm_instance_parent(instance) : "?");
    free(joined);
}

static void print_item(FILE *out, const stored_head *head, const wfsm_instance *instance,
                       const char *states, const char *before)
{
    shown_fputs(before, out);
    shown_fputs("{\"id\": ", out);
    print_json_string(out, head->id);
    shown_fputs(", \"machine\": ", out);
    print_json_string(out, head->machine);
    shown_fputs(", \"configuration\": ", out);
    shown_fputs(states ? states : "null", out);
    shown_fprintf(out,
                  ", \"status\": \"%s\", \"revision\": %" PRIu64 ", \"created\": %" PRId64
                  ", \"updated\": %" PRId64 ", \"deadline\": ",
                  status_of(head, instance), head->revision, head->created, head->updated);
    print_json_time(out, head->deadline);
    shown_fputs(", \"owner\": ", out);
    print_json_string(out, head->owner);
    shown_fputs(", \"tags\": ", out);
    print_json_words(out, head->tags);
    shown_fprintf(out, ", \"attributes\": %s", head->attributes);
    if (instance && *wfsm_instance_parent(instance)) {
        shown_fputs(", \"parent\": ", out);
        print_json_string(out, wfsm_instance_parent(instance));
    }
    fputc('}', out);
}

static bool print_heads(FILE *out, const heads *all, wfsm_store *store,
                        const list_request *request)
{
    static const char *const titles[COLUMNS] = {"ID",       "MACHINE", "STATE", "STATUS",
                                                "REVISION", "UPDATED", "TAGS",  "PARENT"};
    print_table table = {.columns = any_children(all) ? COLUMNS : COLUMNS - 1};
    stored_machines known = {0};
    bool fine = true, json = request->json;
    const char *between = request->watch ? ", " : ",\n ";
    for (size_t i = 0; i < table.columns && !json; i++)
        print_table_add(&table, titles[i]);
    shown_fputs(json ? "[" : "", out);
    for (size_t i = 0; i < all->count; i++) {
        stored_instance loaded;
        size_t length = 0;
        const char *states = NULL;
        if (stored_load_known(&loaded, store, &all->list[i], &known))
            states = wfsm_instance_configuration(loaded.instance, &length);
        else
            fine = false;
        if (json)
            print_item(out, &all->list[i], states ? loaded.instance : NULL, states,
                       i == 0 ? "" : between);
        else
            add_row(&table, &all->list[i], states ? loaded.instance : NULL, states, length);
        stored_unload(&loaded);
    }
    stored_machines_free(&known);
    if (json)
        shown_fputs("]\n", out);
    else
        print_table_end(out, &table, "");
    return fine;
}

static int parse(list_request *request, int count, char **list)
{
    static const cli_option options[] = {SELECTION_LIST,     {"--json", false},
                                         {"--watch", false}, {"--after", true},
                                         {"--limit", true},  {NULL, false}};
    cli_args args = {.count = count, .list = list, .options = options};
    int found;
    while ((found = cli_next(&args)) != CLI_END) {
        if (found == CLI_BAD || (found >= 0 && found < SELECTION_OPTIONS &&
                                 !selection_take(&request->which, found, args.value)))
            return CLI_USAGE;
        if (found == LIMIT && !many_number("--limit", args.value, &request->limit))
            return CLI_USAGE;
        if (found == JSON)
            request->json = true;
        else if (found == WATCH)
            request->watch = true;
        else if (found == AFTER)
            request->after = args.value;
        else if (found == CLI_OPERAND && request->store)
            return cli_misused("list takes one store");
        else if (found == CLI_OPERAND)
            request->store = args.value;
    }
    return request->store ? CLI_OK : cli_misused("list needs a store");
}

static bool list_once(wfsm_store *store, const list_request *request)
{
    heads all = {0};
    bool fine = read_heads(&all, store, request) && print_heads(stdout, &all, store, request);
    free_heads(&all);
    return fine;
}

/* The status follows from the revision. */
static bool same_heads(const heads *now, const heads *before)
{
    bool same = now->count == before->count;
    for (size_t i = 0; same && i < now->count; i++)
        same = strcmp(now->list[i].id, before->list[i].id) == 0 &&
               strcmp(now->list[i].token, before->list[i].token) == 0 &&
               strcmp(now->list[i].owner, before->list[i].owner) == 0;
    return same;
}

/* The list is made first and shown at once, so that a terminal does not flicker. */
static bool show_again(const heads *all, wfsm_store *store, const list_request *request)
{
    char *text = NULL;
    size_t length = 0;
    FILE *made = cli_need(open_memstream(&text, &length));
    bool fine = print_heads(made, all, store, request);
    fine = fclose(made) == 0 && fine;
    if (isatty(STDOUT_FILENO))
        shown_printf("\033[H\033[J");
    shown_text(stdout, text, length);
    shown_fputs(request->json ? "" : "\n", stdout);
    free(text);
    return fine;
}

static bool watch(wfsm_store *store, const list_request *request)
{
    pace next = {.path = request->store};
    heads shown = {0};
    bool first = true, fine = true;
    while (fine) {
        heads now = {0};
        fine = pace_begin(&next) && read_heads(&now, store, request);
        if (fine && (first || !same_heads(&now, &shown)))
            fine = show_again(&now, store, request) && fflush(stdout) == 0;
        free_heads(&shown);
        shown = now;
        first = false;
        fine = fine && pace_wait(&next);
    }
    free_heads(&shown);
    return false; /* only a failure ends it */
}

static int list_store(const list_request *request)
{
    wfsm_store *store = stored_open(request->store);
    bool fine = store && (request->watch ? watch : list_once)(store, request);
    wfsm_store_free(store);
    return cli_finish(fine ? CLI_OK : CLI_FAILED);
}

static int run(int count, char **list)
{
    list_request request = {0};
    int code = parse(&request, count, list);
    if (code == CLI_OK)
        code = list_store(&request);
    selection_free(&request.which);
    return code;
}

const cli_command cmd_list = {"list", "lists the instances of a store", help, run};
