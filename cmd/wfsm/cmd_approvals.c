#include <stdlib.h>
#include <string.h>
#include "wfsm/asked.h"
#include "wfsm/commands.h"
#include "wfsm/many.h"
#include "wfsm/print.h"
#include "wfsm/shown.h"

static const char help[] =
    "usage: wfsm approvals [--json] STORE [ID...]\n"
    "\n"
    "Shows the invocations that ask people, in a store or in the named instances:\n"
    "the invocation, the votes so far, the digest that a vote must contain, and the input\n"
    "that the digest belongs to. Changes nothing.\n"
    "\n"
    "  --json   an array of invocations; times are milliseconds\n"
    "\n"
    "Exit codes: 0 success; 1 the instance does not exist, or the store cannot be read; 64\n"
    "the command line is wrong.\n";

static void print_votes(const json_t *asked)
{
    const json_t *vote;
    size_t index;
    char time[PRINT_TIME_BYTES];
    json_array_foreach(json_object_get(asked, "votes"), index, vote)
    {
        double at = json_number_value(json_object_get(vote, "at"));
        print_table row = {.columns = 4};
        print_table_add(&row, asked_text(vote, "by"));
        print_table_add(&row, asked_text(vote, "decision"));
        print_table_add(&row, print_time((int64_t)at, time));
        print_table_add(&row, asked_text(vote, "reason"));
        print_table_end(stdout, &row, "  vote      ");
    }
}

static void print_asked(const json_t *asked)
{
    char *input =
        cli_need(json_dumps(json_object_get(asked, "input"), JSON_COMPACT | JSON_ENCODE_ANY));
    shown_printf("%s  %s at %s\n", asked_text(asked, "id"), asked_text(asked, "src"),
                 asked_text(asked, "state"));
    shown_printf("  needs     %lld to approve, has %zu; %lld to reject, has %zu\n",
                 (long long)asked_count(asked, "quorum"), asked_votes(asked, "approve"),
                 (long long)asked_count(asked, "rejections"), asked_votes(asked, "reject"));
    print_votes(asked);
    shown_printf("  digest    %s\n  input     ", asked_text(asked, "digest"));
    print_json_pretty(stdout, input, strlen(input), "            ");
    shown_fputs("\n", stdout);
    free(input);
}

/* Of the instances with these ids, those that are there. */
static bool collect(json_t *all, wfsm_store *store, const char *path, const many *ids)
{
    bool fine = true;
    for (size_t i = 0; i < ids->count; i++) {
        stored_head head = {0};
        json_t *asked =
            stored_find(store, path, ids->ids[i], &head) ? asked_of(store, &head) : NULL;
        fine = fine && asked;
        if (asked)
            json_array_extend(all, asked);
        json_decref(asked);
        stored_head_free(&head);
    }
    return fine;
}

static void print_all(const json_t *all, bool json)
{
    const json_t *one;
    size_t index;
    if (json) {
        char *text = cli_need(json_dumps(all, JSON_INDENT(1)));
        shown_puts(text);
        free(text);
        return;
    }
    json_array_foreach(all, index, one) print_asked(one);
    if (json_array_size(all) == 0)
        shown_puts("no invocation asks people");
}

typedef struct request {
    const char *store;
    many ids;
    bool json;
} request;

static int parse(request *self, int count, char **list)
{
    static const cli_option options[] = {{"--json", false}, {NULL, false}};
    cli_args args = {.count = count, .list = list, .options = options};
    int found;
    while ((found = cli_next(&args)) != CLI_END) {
        if (found == CLI_BAD)
            return CLI_USAGE;
        if (found == 0)
            self->json = true;
        else if (!self->store)
            self->store = args.value;
        else
            many_add(&self->ids, args.value);
    }
    return self->store ? CLI_OK : cli_misused("approvals needs a store");
}

static bool show(request *self)
{
    wfsm_store *store = stored_open(self->store);
    const wfsm_query running = {.size = sizeof running, .status = WFSM_RUNNING};
    json_t *all = cli_need(json_array());
    bool fine =
        store && (self->ids.count > 0 || many_list(&self->ids, store, self->store, &running));
    fine = fine && collect(all, store, self->store, &self->ids);
    if (fine || json_array_size(all) > 0)
        print_all(all, self->json);
    json_decref(all);
    wfsm_store_free(store);
    return fine;
}

static int run(int count, char **list)
{
    request self = {.json = false};
    int code = parse(&self, count, list);
    if (code == CLI_OK)
        code = cli_finish(show(&self) ? CLI_OK : CLI_FAILED);
    many_free(&self.ids);
    return code;
}

const cli_command cmd_approvals = {"approvals", "shows the invocations that ask people", help,
                                   run};
