#include <inttypes.h>
#include <stdio.h>
#include <wfsm/compact.h>
#include "wfsm/commands.h"
#include "wfsm/many.h"
#include "wfsm/owned.h"
#include "wfsm/shown.h"

static const char help[] =
    "usage: wfsm archive [--before MS] [--now MS] [--dry-run] STORE FILE [ID...]\n"
    "\n"
    "Moves all instances that have ended, or the named ones, from an SQLite store to\n"
    "another one, which is created if it does not exist. Journal, checkpoints and document\n"
    "are moved too. An instance stays if some of its effects are not acknowledged, or if\n"
    "its parent has not ended. You can read, audit and fork an instance in the archive.\n"
    "Its owner there is (archive), so no program adopts it.\n"
    "\n"
    "  --before MS  only instances whose last commit was before this time, in milliseconds\n"
    "  --now MS     the time, to find owners whose lapse is over; the default is the clock\n"
    "  --dry-run    shows which instances would be moved; changes nothing\n"
    "\n"
    "Exit codes: 0 success; 1 a named instance cannot be moved, or a store cannot be read\n"
    "or written; 64 the command line is wrong.\n";

typedef struct archiving {
    const char *path, *archive_path;
    int64_t before, now;
    bool dry_run;
    wfsm_store *store, *archive;
    wfsm_error *error;
    many ids;
    bool named; /* by the user: then one that cannot move is a failure */
    uint64_t moved;
} archiving;

static bool move(archiving *self, const char *id)
{
    wfsm_compacted done = {.size = sizeof done};
    int32_t status =
        wfsm_store_archive(self->store, id, self->archive, self->now, &done, self->error);
    if (status == WFSM_DENIED && !self->named) {
        shown_printf("%s: stays: %s\n", id, wfsm_error_message(self->error));
        return true;
    }
    if (status != WFSM_OK) {
        cli_say_error(self->path, self->error);
        return false;
    }
    self->moved++;
    shown_printf("%s: moved, %" PRIu64 " records\n", id, done.dropped);
    return true;
}

/* Named ones that run are tried, and refused with the reason. */
static bool one(archiving *self, const char *id)
{
    stored_head head = {0};
    bool fine = stored_find(self->store, self->path, id, &head);
    bool wanted = fine && (self->before == 0 || head.updated < self->before);
    if (wanted && self->dry_run) {
        bool can = head.status == WFSM_DONE && head.acknowledged == head.effects;
        shown_printf("%s: %s\n", id,
                     can                        ? "would move"
                     : head.status != WFSM_DONE ? "stays, it has not ended"
                                                : "stays, effects of it are not acknowledged");
        self->moved += can;
        fine = can || !self->named;
    } else if (wanted) {
        fine = move(self, id);
    }
    stored_head_free(&head);
    return fine;
}

static bool all(archiving *self)
{
    wfsm_query query = {.size = sizeof query, .status = WFSM_DONE};
    self->named = self->ids.count > 0;
    bool fine = self->named || many_list(&self->ids, self->store, self->path, &query);
    for (size_t i = 0; i < self->ids.count; i++)
        fine &= one(self, self->ids.ids[i]);
    shown_printf("%" PRIu64 " instances %s\n", self->moved,
                 self->dry_run ? "would move" : "have moved");
    return fine;
}

static int parse(archiving *self, int count, char **list)
{
    static const cli_option options[] = {
        {"--before", true}, {"--now", true}, {"--dry-run", false}, {NULL, false}};
    cli_args args = {.count = count, .list = list, .options = options};
    int found;
    while ((found = cli_next(&args)) != CLI_END) {
        if (found == CLI_BAD || (found == 1 && !owned_time(args.value, &self->now)) ||
            (found == 0 && !many_number("--before", args.value, &self->before)))
            return CLI_USAGE;
        if (found == 2)
            self->dry_run = true;
        else if (found == CLI_OPERAND && !self->path)
            self->path = args.value;
        else if (found == CLI_OPERAND && !self->archive_path)
            self->archive_path = args.value;
        else if (found == CLI_OPERAND)
            many_add(&self->ids, args.value);
    }
    return self->archive_path ? CLI_OK : cli_misused("archive needs a store and another one");
}

static bool archive(archiving *self)
{
    self->store = self->dry_run ? stored_open(self->path) : stored_open_to_write(self->path);
    if (self->now < 0)
        self->now = owned_clock();
    return self->store &&
           (self->dry_run || many_open_archive(&self->archive, self->archive_path, false)) &&
           all(self);
}

static int run(int count, char **list)
{
    archiving self = {.now = -1};
    int code = parse(&self, count, list);
    self.error = cli_need(wfsm_error_new(NULL));
    if (code == CLI_OK)
        code = cli_finish(archive(&self) ? CLI_OK : CLI_FAILED);
    wfsm_store_free(self.archive);
    wfsm_store_free(self.store);
    wfsm_error_free(self.error);
    many_free(&self.ids);
    return code;
}

const cli_command cmd_archive = {"archive", "moves ended instances to another store", help,
                                 run};
