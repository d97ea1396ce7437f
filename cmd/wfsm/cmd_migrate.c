#include <stdlib.h>
#include <string.h>
#include "wfsm/commands.h"
#include "wfsm/document.h"
#include "wfsm/owned.h"
#include "wfsm/shown.h"

static const char help[] =
    "usage: wfsm migrate [--dry-run] [--now MS] STORE FILE [ID...]\n"
    "\n"
    "Migrates the unfinished instances of an SQLite store, or the named ones, to the\n"
    "machine document FILE, as its `migrate` says. Prints the result for each instance. For an\n"
    "instance that a running program owns, the command posts the document, and that program\n"
    "migrates it in its next run.\n"
    "\n"
    "  --dry-run  shows which instances can be migrated, and why the others cannot; changes\n"
    "             nothing\n"
    "  --now MS   the time of the input in milliseconds; the default is the clock\n"
    "\n"
    "Exit codes: 0 all of these instances have the new document; 1 some cannot be\n"
    "migrated, or the document or the store cannot be read or written; 64 the command line\n"
    "is wrong.\n";

typedef struct moving {
    const char *path;
    bool dry_run;
    int64_t now;
    wfsm_machine *machine;
    wfsm_functions *functions;
    wfsm_error *error;
    char **ids;
    size_t count, capacity;
    size_t moved, posted, there, stay;
} moving;

static void add_id(moving *self, const char *id)
{
    if (self->count == self->capacity) {
        self->capacity = self->capacity > 0 ? 2 * self->capacity : 64;
        self->ids = cli_need(realloc(self->ids, self->capacity * sizeof *self->ids));
    }
    self->ids[self->count++] = cli_need(strdup(id));
}

static int32_t keep_id(void *user, const wfsm_row *row)
{
    add_id(user, row->head->instance);
    return WFSM_OK;
}

static bool list_ids(moving *self)
{
    wfsm_query query = {.size = sizeof query,
                        .machine = wfsm_machine_id(self->machine),
                        .status = WFSM_RUNNING};
    wfsm_store *store = stored_open(self->path);
    bool fine = store && wfsm_store_list(store, &query, keep_id, self, self->error) == WFSM_OK;
    if (store && !fine)
        cli_say_error(self->path, self->error);
    wfsm_store_free(store);
    return fine;
}

static bool stays(moving *self, const char *id)
{
    self->stay++;
    shown_printf("%s stays: %s\n", id, wfsm_error_message(self->error));
    return true;
}

static bool try_one(moving *self, owned *on)
{
    int32_t status = wfsm_instance_can_migrate(on->loaded.instance, self->machine,
                                               self->functions, on->now, self->error);
    if (status != WFSM_OK)
        return stays(self, on->head.id);
    self->moved++;
    shown_printf("%s would move\n", on->head.id);
    return true;
}

static bool move_one(moving *self, owned *on)
{
    int32_t status = wfsm_instance_migrate(&on->loaded.instance, self->machine, self->functions,
                                           on->now, NULL, self->error);
    if (status != WFSM_OK)
        return stays(self, on->head.id);
    self->moved++;
    shown_printf("%s: ", on->head.id);
    owned_tell(on->loaded.instance, "moved, and is");
    return true;
}

/* The owner may have host functions that this command does not know, and decides. */
static bool post_one(moving *self, owned *on)
{
    const char *document = wfsm_machine_document(self->machine, NULL);
    if (!owned_load(on))
        return false;
    int32_t status = wfsm_instance_can_migrate(on->loaded.instance, self->machine,
                                               self->functions, on->now, self->error);
    if (status != WFSM_OK)
        return stays(self, on->head.id);
    bool fine =
        owned_post(on, WFSM_POST_MIGRATE, cli_need(json_pack("{s:s}", "document", document)));
    self->posted += fine;
    return fine;
}

static bool one(moving *self, const char *id)
{
    owned on = {.now = self->now};
    bool fine = owned_open(&on, self->path, id);
    if (fine && strcmp(on.head.fingerprint, wfsm_machine_fingerprint(self->machine)) == 0) {
        self->there++;
        shown_printf("%s is there already\n", id);
    } else if (fine) {
        fine = self->dry_run          ? owned_load(&on) && try_one(self, &on)
               : owned_elsewhere(&on) ? post_one(self, &on)
                                      : owned_take(&on) && move_one(self, &on);
    }
    owned_close(&on);
    return fine;
}

static int all(moving *self)
{
    bool fine = self->count > 0 || list_ids(self);
    for (size_t i = 0; i < self->count; i++)
        fine &= one(self, self->ids[i]);
    shown_printf("%zu %s, ", self->moved, self->dry_run ? "would move" : "moved");
    if (self->posted > 0)
        shown_printf("%zu posted, ", self->posted);
    shown_printf("%zu there already, %zu stay\n", self->there, self->stay);
    return fine && self->stay == 0 ? CLI_OK : CLI_FAILED;
}

static int parse(moving *self, int count, char **list, const char **file)
{
    static const cli_option options[] = {{"--dry-run", false}, {"--now", true}, {NULL, false}};
    cli_args args = {.count = count, .list = list, .options = options};
    int found;
    while ((found = cli_next(&args)) != CLI_END) {
        if (found == CLI_BAD || (found == 1 && !owned_time(args.value, &self->now)))
            return CLI_USAGE;
        if (found == 0)
            self->dry_run = true;
        else if (found == CLI_OPERAND && !self->path)
            self->path = args.value;
        else if (found == CLI_OPERAND && !*file)
            *file = args.value;
        else if (found == CLI_OPERAND)
            add_id(self, args.value);
    }
    return *file ? CLI_OK : cli_misused("migrate needs a store and a machine document");
}

static int run(int count, char **list)
{
    moving self = {.now = -1};
    const char *file = NULL;
    int code = parse(&self, count, list, &file);
    self.error = cli_need(wfsm_error_new(NULL));
    if (code == CLI_OK) {
        self.machine = document_load(file);
        code = CLI_FAILED;
        if (self.machine &&
            stored_functions(&self.functions, self.machine, self.error) == WFSM_OK)
            code = cli_finish(all(&self));
    }
    for (size_t i = 0; i < self.count; i++)
        free(self.ids[i]);
    free(self.ids);
    wfsm_functions_free(self.functions);
    wfsm_machine_unref(self.machine);
    wfsm_error_free(self.error);
    return code;
}

const cli_command cmd_migrate = {"migrate", "migrates instances to another document", help,
                                 run};
