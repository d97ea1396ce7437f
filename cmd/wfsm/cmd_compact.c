#include <inttypes.h>
#include <stdio.h>
#include <wfsm/compact.h>
#include "wfsm/commands.h"
#include "wfsm/many.h"
#include "wfsm/shown.h"

static const char help[] =
    "usage: wfsm compact [--keep N] [--before MS] [--archive FILE] [--dry-run] STORE [ID...]\n"
    "\n"
    "Drops the oldest records of all instances of a store, or of the named ones,\n"
    "that are no longer needed. The oldest record that stays is the anchor. The state\n"
    "after it is stored with it, and an audit begins there. Records that loading needs\n"
    "stay, and so do the checkpoints. Records are replayed before they are dropped, as in\n"
    "an audit; if this reports an error, the journal is left unchanged. State and revision\n"
    "do not change, so programs may be working on the store. SQLite reuses the space;\n"
    "sqlite3 STORE VACUUM returns it to the system.\n"
    "\n"
    "  --keep N        at least the last N records stay\n"
    "  --before MS     drops only records of steps before this time, in milliseconds\n"
    "  --archive FILE  copies the records to another store before they are dropped. It is\n"
    "                  created if it does not exist, and must have all that was dropped "
    "before\n"
    "  --dry-run       shows what would be dropped; changes nothing\n"
    "\n"
    "Exit codes: 0 success; 1 some journals could not be compacted, or a store cannot be\n"
    "read or written; 64 the command line is wrong.\n";

typedef struct compacting {
    const char *path, *archive_path;
    wfsm_compaction wanted;
    wfsm_store *store, *archive;
    wfsm_error *error;
    many ids;
    uint64_t dropped, instances;
} compacting;

static bool one(compacting *self, const char *id)
{
    wfsm_compacted done = {.size = sizeof done};
    int32_t status = wfsm_store_compact(self->store, id, &self->wanted, &done, self->error);
    if (status != WFSM_OK) {
        cli_say_error(self->path, self->error);
        return false;
    }
    self->dropped += done.dropped;
    self->instances += done.dropped > 0;
    if (done.dropped == 0)
        return true;
    shown_printf("%s: %" PRIu64 " records %s, the journal begins at revision %" PRIu64 "\n", id,
                 done.dropped, self->wanted.dry_run ? "would go" : "are gone", done.first);
    return true;
}

static bool all(compacting *self)
{
    wfsm_query query = {.size = sizeof query};
    bool fine = self->ids.count > 0 || many_list(&self->ids, self->store, self->path, &query);
    for (size_t i = 0; i < self->ids.count; i++)
        fine &= one(self, self->ids.ids[i]);
    shown_printf("%" PRIu64 " records of %" PRIu64 " instances %s\n", self->dropped,
                 self->instances, self->wanted.dry_run ? "would go" : "are gone");
    return fine;
}

static int take(compacting *self, int option, const char *value)
{
    int64_t keep = 0;
    if (option == 0 && !many_number("--keep", value, &keep))
        return CLI_USAGE;
    if (option == 0)
        self->wanted.keep = (uint64_t)keep;
    if (option == 1 && !many_number("--before", value, &self->wanted.before))
        return CLI_USAGE;
    if (option == 2)
        self->archive_path = value;
    if (option == 3)
        self->wanted.dry_run = 1;
    return CLI_OK;
}

static int parse(compacting *self, int count, char **list)
{
    static const cli_option options[] = {{"--keep", true},
                                         {"--before", true},
                                         {"--archive", true},
                                         {"--dry-run", false},
                                         {NULL, false}};
    cli_args args = {.count = count, .list = list, .options = options};
    int found;
    while ((found = cli_next(&args)) != CLI_END) {
        if (found == CLI_BAD || (found >= 0 && take(self, found, args.value) != CLI_OK))
            return CLI_USAGE;
        if (found == CLI_OPERAND && self->path)
            many_add(&self->ids, args.value);
        else if (found == CLI_OPERAND)
            self->path = args.value;
    }
    return self->path ? CLI_OK : cli_misused("compact needs a store");
}

static bool compact(compacting *self)
{
    bool dry = self->wanted.dry_run == 1;
    self->store = dry ? stored_open(self->path) : stored_open_to_write(self->path);
    if (!self->store)
        return false;
    if (self->archive_path && !many_open_archive(&self->archive, self->archive_path, dry))
        return false;
    self->wanted.archive = self->archive;
    return all(self);
}

static int run(int count, char **list)
{
    compacting self = {.wanted = {.size = sizeof self.wanted}};
    int code = parse(&self, count, list);
    self.error = cli_need(wfsm_error_new(NULL));
    if (code == CLI_OK)
        code = cli_finish(compact(&self) ? CLI_OK : CLI_FAILED);
    wfsm_store_free(self.archive);
    wfsm_store_free(self.store);
    wfsm_error_free(self.error);
    many_free(&self.ids);
    return code;
}

const cli_command cmd_compact = {"compact", "drops old records that are not needed", help, run};
