#include "wfsm/address.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wfsm/sqlite.h>
#ifdef WFSM_HAVE_POSTGRES
#include <wfsm/postgres.h>
#endif

/* ---- which store ---- */

/* The part of the address after its scheme; NULL if it has none and is a path. */
static const char *behind_scheme(const char *address)
{
    static const char *const schemes[] = {"postgres://", "postgresql://"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (strncmp(address, schemes[i], strlen(schemes[i])) == 0)
            return address + strlen(schemes[i]);
    return NULL;
}

bool address_is_file(const char *address)
{
    return *address != '@' && !behind_scheme(address);
}

/* ---- passwords ---- */

/* Addresses with passwords, for address_open(). */
typedef struct secret {
    struct secret *next;
    char *address, *shown;
} secret;
static secret *secrets;

static const char hidden[] = "***";

/* Replaces the bytes from..to of a text; NULL: out of memory. Frees it. */
static char *replace(char *text, size_t from, size_t to)
{
    size_t length = strlen(text), more = sizeof hidden - 1;
    char *made = malloc(length - (to - from) + more + 1);
    if (made) {
        memcpy(made, text, from);
        memcpy(made + from, hidden, more);
        memcpy(made + from + more, text + to, length - to + 1);
    }
    free(text);
    return made;
}

/* Between the first ':' behind the scheme and the last '@', so that a password with '/', '?' or '@' in
 * it is hidden whole, too. */
static char *hide_user(char *text)
{
    const char *begin = behind_scheme(text);
    const char *colon = strchr(begin, ':'), *at = strrchr(begin, '@');
    if (!colon || !at || at < colon)
        return text;
    return replace(text, (size_t)(colon + 1 - text), (size_t)(at - text));
}

/* The values of the parameters password and sslpassword. */
static char *hide_parameters(char *text)
{
    static const char key[] = "password=";
    size_t place = 0;
    const char *found;
    while (text && (found = strstr(text + place, key))) {
        place = (size_t)(found - text) + strlen(key);
        text = replace(text, place, place + strcspn(text + place, "&"));
    }
    return text;
}

static secret *find_secret(const char *address)
{
    secret *found = secrets;
    while (found && strcmp(found->shown, address) != 0 && strcmp(found->address, address) != 0)
        found = found->next;
    return found;
}

static void free_secret(secret *self)
{
    if (self) {
        free(self->address);
        free(self->shown);
    }
    free(self);
}

static const char *keep(secret *made)
{
    if (!made || !made->address || !made->shown) {
        free_secret(made);
        return NULL;
    }
    made->next = secrets;
    secrets = made;
    return made->shown;
}

static const char *add_secret(const char *address, char *shown)
{
    secret *made = calloc(1, sizeof *made);
    if (made)
        *made = (secret){.address = strdup(address), .shown = shown};
    else
        free(shown);
    return keep(made);
}

const char *address_hide(const char *address)
{
    if (!behind_scheme(address))
        return address;
    const secret *found = find_secret(address);
    if (found)
        return found->shown;
    char *shown = strdup(address);
    if (shown)
        shown = hide_user(shown);
    if (shown)
        shown = hide_parameters(shown);
    if (!shown || strcmp(shown, address) != 0)
        return shown ? add_secret(address, shown) : NULL;
    free(shown);
    return address;
}

/* ---- files with addresses ---- */

enum { MOST_ADDRESS = 4096 };

/* The first line of the file. */
static int32_t read_line(const char *path, char *line, wfsm_error *error)
{
    FILE *file = fopen(path, "r");
    bool found = file && fgets(line, MOST_ADDRESS, file);
    const char *why = !file || ferror(file) ? strerror(errno) : "it is empty";
    if (file)
        fclose(file);
    if (!found)
        return wfsm_error_set(error, WFSM_IO, why);
    line[strcspn(line, "\r\n")] = '\0';
    return WFSM_OK;
}

static int32_t read_address(const char *name, const char **text, wfsm_error *error)
{
    char line[MOST_ADDRESS];
    int32_t status = read_line(name + 1, line, error);
    if (status != WFSM_OK)
        return status;
    if (!behind_scheme(line))
        return wfsm_error_set(error, WFSM_INVALID,
                              "its first line is not the address of a server, postgresql://…");
    if (!add_secret(line, strdup(name)))
        return wfsm_error_set(error, WFSM_NO_MEMORY, "out of memory");
    *text = find_secret(name)->address;
    return WFSM_OK;
}

int32_t address_text(const char *address, const char **text, wfsm_error *error)
{
    const secret *known = find_secret(address);
    if (!known && *address == '@')
        return read_address(address, text, error);
    *text = known ? known->address : address;
    return WFSM_OK;
}

/* "--archive=" in front of an address. */
static size_t option_length(const char *argument)
{
    const char *equals = strncmp(argument, "--", 2) == 0 ? strchr(argument, '=') : NULL;
    return equals ? (size_t)(equals + 1 - argument) : 0;
}

/* Other processes can read the block where the arguments were. */
static void overwrite(char *argument, const char *shown)
{
    size_t room = strlen(argument), length = strlen(shown);
    memset(argument, 0, room);
    memcpy(argument, shown, length < room ? length : room);
}

static bool hide_argument(char **argument)
{
    size_t option = option_length(*argument);
    const char *shown = address_hide(*argument + option);
    if (!shown || shown == *argument + option)
        return shown != NULL;
    char *made = malloc(option + strlen(shown) + 1);
    if (!made)
        return false;
    memcpy(made, *argument, option);
    memcpy(made + option, shown, strlen(shown) + 1);
    overwrite(*argument + option, shown);
    *argument = made;
    return true;
}

bool address_hide_all(int count, char **list)
{
    for (int i = 0; i < count; i++)
        if (!hide_argument(&list[i]))
            return false;
    return true;
}

/* ---- opening ---- */

static int32_t open_server(wfsm_store **store, const char *address, enum address_use use,
                           wfsm_error *error)
{
#ifdef WFSM_HAVE_POSTGRES
    const wfsm_postgres_options options = {.size = sizeof options,
                                           .create = use == ADDRESS_MAKE};
    return wfsm_postgres_open(store, address, &options, NULL, error);
#else
    (void)store, (void)address, (void)use;
    return wfsm_error_set(error, WFSM_DENIED, "this wfsm was built without PostgreSQL");
#endif
}

static int32_t open_file(wfsm_store **store, const char *path, enum address_use use,
                         wfsm_error *error)
{
    const wfsm_sqlite_options options = {.size = sizeof options,
                                         .read_only = use == ADDRESS_READ,
                                         .must_exist = use != ADDRESS_MAKE};
    return wfsm_sqlite_open(store, path, &options, NULL, error);
}

int32_t address_open(wfsm_store **store, const char *address, enum address_use use,
                     wfsm_error *error)
{
    if (address_is_file(address))
        return open_file(store, address, use, error);
    const char *text;
    int32_t status = address_text(address, &text, error);
    return status == WFSM_OK ? open_server(store, text, use, error) : status;
}

int32_t address_tenant(const char *address, const char *role, const char *tenant,
                       wfsm_error *error)
{
    if (address_is_file(address))
        return wfsm_error_set(error, WFSM_INVALID, "a file has no roles");
#ifdef WFSM_HAVE_POSTGRES
    const wfsm_postgres_options options = {.size = sizeof options, .tenant = tenant};
    const char *text;
    int32_t status = address_text(address, &text, error);
    return status == WFSM_OK ? wfsm_postgres_tenant(text, &options, role, error) : status;
#else
    (void)role, (void)tenant;
    return wfsm_error_set(error, WFSM_DENIED, "this wfsm was built without PostgreSQL");
#endif
}
