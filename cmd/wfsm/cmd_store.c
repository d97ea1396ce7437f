#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <wfsm/sqlite.h>
#include "wfsm/address.h"
#include "wfsm/commands.h"
#include "wfsm/many.h"
#include "wfsm/shown.h"
#include "wfsm/store_copy.h"
#include "wfsm/store_sql.h"

static const char help[] =
    "usage: wfsm store init [--print-sql] STORE\n"
    "       wfsm store migrate [--print-sql] STORE\n"
    "       wfsm store check STORE\n"
    "       wfsm store tenant [--print-sql] STORE ROLE NAMESPACE\n"
    "       wfsm store copy [--prefix TEXT] FROM TO [ID...]\n"
    "\n"
    "Makes, brings up to date, checks and copies stores. A store is a path, which names an\n"
    "SQLite file, or the address of a PostgreSQL server, such as\n"
    "postgresql://USER:PASSWORD@HOST/DATABASE, if wfsm was built with PostgreSQL. The schema\n"
    "that has the tables and the namespace are parameters of the address:\n"
    "postgresql://HOST/DATABASE?wfsm_schema=wfsm&wfsm_namespace=default. All other commands\n"
    "take a store in the same form.\n"
    "\n"
    "init makes a new store; an SQLite file must not exist. On a server, the role needs the\n"
    "right to create a schema, and a store that exists stays as it is. migrate brings the\n"
    "schema of a store to the version of this wfsm. check looks at an SQLite file below the\n"
    "instances: its pages, its indexes, the checksums of its rows and its age; of a server's\n"
    "store it looks at the tables only. wfsm audit does that, too, and then replays the\n"
    "journals.\n"
    "\n"
    "copy copies all instances, or the named ones: journals byte for byte, checkpoints with\n"
    "their artifacts, documents, waiting posts, and which effects are acknowledged. Nobody\n"
    "owns the copies. TO is created if it is an SQLite file that does not exist. An instance\n"
    "stays as it is in TO if it is there already. It is not copied if its owner in FROM is\n"
    "alive: stop the program first. FROM keeps everything; do not let both copies run.\n"
    "Until all are there, the copies belong to (copying), and no program adopts them. If\n"
    "copy was interrupted, run it again: it makes again what is not complete. Run one copy\n"
    "into a store at a time. Instances of an archive are not copied.\n"
    "\n"
    "tenant gives a role of the server a namespace. From then on the role sees and changes\n"
    "this namespace only. The role must be there, and the address must be that of the owner\n"
    "of the tables.\n"
    "\n"
    "  --print-sql    prints the SQL that init, migrate or tenant would run; changes nothing\n"
    "  --prefix TEXT  copies the instances whose ids begin with TEXT\n"
    "\n"
    "Exit codes: 0 success; 1 a store cannot be read or written, check has found something,\n"
    "or an instance was not copied; 64 the command line is wrong.\n";

typedef struct request {
    const char *action, *store, *to, *role, *namespace, *prefix;
    bool print_sql;
    many ids;
} request;

/* ---- init and migrate ---- */

/* `say`: prints why not. */
static bool opens(const char *address, enum address_use use, bool say)
{
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    wfsm_store *store = NULL;
    bool fine = address_open(&store, address, use, error) == WFSM_OK;
    if (!fine && say)
        cli_say_error(address, error);
    wfsm_store_free(store);
    wfsm_error_free(error);
    return fine;
}

static int init(const request *self)
{
    if (self->print_sql)
        return store_print_sql(self->store) ? CLI_OK : CLI_FAILED;
    if (address_is_file(self->store) && access(self->store, F_OK) == 0) {
        cli_say("%s: it exists already", self->store);
        return CLI_FAILED;
    }
    bool is_there = !address_is_file(self->store) && opens(self->store, ADDRESS_WRITE, false);
    if (!is_there && !opens(self->store, ADDRESS_MAKE, true))
        return CLI_FAILED;
    shown_printf("%s: %s\n", self->store,
                 is_there ? "it exists already; nothing was changed" : "made");
    return CLI_OK;
}

/* Both kinds of store have one version of the schema so far. */
static int migrate(const request *self)
{
    if (!opens(self->store, ADDRESS_WRITE, true))
        return CLI_FAILED;
    if (self->print_sql)
        shown_puts("-- the schema is up to date");
    else
        shown_printf("%s: the schema is up to date; there is nothing to do\n", self->store);
    return CLI_OK;
}

/* ---- check ---- */

typedef struct checking {
    const char *path;
    size_t found;
} checking;

static int32_t print_found(void *user, const wfsm_audit_diagnostic *diagnostic)
{
    checking *self = user;
    self->found++;
    shown_printf("%s: %s\n", self->path, diagnostic->message);
    return WFSM_OK;
}

static int check_file(const char *path)
{
    checking self = {path, 0};
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    int32_t status = wfsm_sqlite_check(path, print_found, &self, NULL, error);
    if (status != WFSM_OK)
        cli_say_error(path, error);
    else
        shown_printf("%zu diagnostics\n", self.found);
    wfsm_error_free(error);
    return status == WFSM_OK && self.found == 0 ? CLI_OK : CLI_FAILED;
}

/* A server looks after its own pages: that it can be opened is all there is to check. */
static int check(const request *self)
{
    if (address_is_file(self->store))
        return check_file(self->store);
    if (!opens(self->store, ADDRESS_READ, true))
        return CLI_FAILED;
    shown_puts("0 diagnostics");
    return CLI_OK;
}

/* ---- tenants ---- */

static int tenant(const request *self)
{
    if (self->print_sql)
        return store_print_tenant_sql(self->store, self->role, self->namespace) ? CLI_OK
                                                                                : CLI_FAILED;
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    int32_t status = address_tenant(self->store, self->role, self->namespace, error);
    if (status != WFSM_OK)
        cli_say_error(self->store, error);
    else
        shown_printf("%s: the role %s has the namespace %s\n", self->store, self->role,
                     self->namespace);
    wfsm_error_free(error);
    return status == WFSM_OK ? CLI_OK : CLI_FAILED;
}

/* ---- the command line ---- */

static bool is(const request *self, const char *action)
{
    return strcmp(self->action, action) == 0;
}

static int take_operand(request *self, const char *value)
{
    if (!self->action)
        self->action = value;
    else if (!self->store)
        self->store = value;
    else if (is(self, "copy") && !self->to)
        self->to = value;
    else if (is(self, "tenant") && !self->role)
        self->role = value;
    else if (is(self, "tenant") && !self->namespace)
        self->namespace = value;
    else if (is(self, "copy"))
        many_add(&self->ids, value);
    else
        return cli_misused("store %s does not take %s", self->action, value);
    return CLI_OK;
}

static int check_request(const request *self)
{
    if (!self->action || (!is(self, "init") && !is(self, "migrate") && !is(self, "check") &&
                          !is(self, "tenant") && !is(self, "copy")))
        return cli_misused("store: expected init, migrate, check, tenant or copy%s%s",
                           self->action ? ", not " : "", self->action ? self->action : "");
    if (self->print_sql && (is(self, "check") || is(self, "copy")))
        return cli_misused("store %s does not take --print-sql", self->action);
    if (self->prefix && !is(self, "copy"))
        return cli_misused("store %s does not take --prefix", self->action);
    if (self->prefix && self->ids.count > 0)
        return cli_misused("store copy takes --prefix or ids, not both");
    if (!self->store || (is(self, "copy") && !self->to))
        return cli_misused("store %s needs %s", self->action,
                           is(self, "copy") ? "two stores" : "a store");
    if (is(self, "tenant") && !self->namespace)
        return cli_misused("store tenant needs a store, a role and a namespace");
    return CLI_OK;
}

static int parse(request *self, int count, char **list)
{
    static const cli_option options[] = {
        {"--print-sql", false}, {"--prefix", true}, {NULL, false}};
    cli_args args = {.count = count, .list = list, .options = options};
    int found;
    while ((found = cli_next(&args)) != CLI_END) {
        if (found == CLI_BAD ||
            (found == CLI_OPERAND && take_operand(self, args.value) != CLI_OK))
            return CLI_USAGE;
        if (found == 0)
            self->print_sql = true;
        else if (found == 1)
            self->prefix = args.value;
    }
    return check_request(self);
}

static int act(request *self)
{
    if (is(self, "init"))
        return init(self);
    if (is(self, "migrate"))
        return migrate(self);
    if (is(self, "check"))
        return check(self);
    if (is(self, "tenant"))
        return tenant(self);
    return store_copy(self->store, self->to, &self->ids, self->prefix);
}

static int run(int count, char **list)
{
    request self = {.action = NULL};
    int code = parse(&self, count, list);
    if (code == CLI_OK)
        code = cli_finish(act(&self));
    many_free(&self.ids);
    return code;
}

const cli_command cmd_store = {"store", "makes, checks and copies stores", help, run};
