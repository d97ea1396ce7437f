/* postgres/pg_parameters.c: the parameters that wfsm adds to addresses, wfsm_schema, wfsm_namespace and wfsm_listen.
 * libpq does not know them, and gets the address without them. */
#include "pg.h"

#include <string.h>

/* Where the parameters begin, behind "?"; NULL: there are none. A password may have a "?", too. */
static const char *find_parameters(const char *address)
{
    const char *begin = strstr(address, "://"), *at;

    if (strncmp(address, "postgres://", 11) != 0 && strncmp(address, "postgresql://", 13) != 0)
        return NULL;
    begin += 3;
    at = begin + strcspn(begin, "@/");
    at = strchr(*at == '@' ? at : begin, '?');
    return at ? at + 1 : NULL;
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* %XX at the text; 0: it is none, or NUL. The text ends with a NUL. */
static char hexadecimal(const char *text)
{
    int high = digit(text[1]), low = high < 0 ? -1 : digit(text[2]);

    return low < 0 ? '\0' : (char)(high * 16 + low);
}

/* False: it is empty, too long, or malformed. */
static bool decode(const char *text, size_t length, char *out, size_t room)
{
    size_t used = 0;
    const char *end = text + length;

    while (text < end && used + 1 < room) {
        char c = *text == '%' ? hexadecimal(text) : *text;

        if (c == '\0')
            return false;
        text += *text == '%' ? 3 : 1;
        out[used++] = c;
    }
    out[used] = '\0';
    return used > 0 && text == end;
}

/* One that is wfsm's is kept. False: it is unknown, malformed, or there for the second time. */
static bool keep(const char *text, size_t length, wf_pg_parameters *found)
{
    static const char schema[] = "wfsm_schema=", tenant[] = "wfsm_namespace=",
                      listen[] = "wfsm_listen=";
    size_t schema_length = sizeof schema - 1, tenant_length = sizeof tenant - 1;

    if (length > schema_length && strncmp(text, schema, schema_length) == 0)
        return *found->schema == '\0' && decode(text + schema_length, length - schema_length,
                                                found->schema, sizeof found->schema);
    if (length > tenant_length && strncmp(text, tenant, tenant_length) == 0)
        return *found->tenant == '\0' && decode(text + tenant_length, length - tenant_length,
                                                found->tenant, sizeof found->tenant);
    if (length != sizeof listen || strncmp(text, listen, sizeof listen - 1) != 0 ||
        *found->listen)
        return false;
    *found->listen = text[length - 1];
    return *found->listen == '0' || *found->listen == '1';
}

bool wf_pg_parameters_take(const char *address, char *rest, wf_pg_parameters *found)
{
    const char *at = find_parameters(address);
    bool fine = true, first = true;

    *found = (wf_pg_parameters){.schema = ""};
    memcpy(rest, address, strlen(address) + 1);
    if (!at)
        return true;
    rest += at - address - 1;
    while (fine && *at) {
        size_t length = strcspn(at, "&");

        if (strncmp(at, "wfsm_", 5) == 0) {
            fine = keep(at, length, found);
        } else {
            *rest++ = first ? '?' : '&';
            memcpy(rest, at, length);
            rest += length;
            first = false;
        }
        at += length + (at[length] == '&');
    }
    *rest = '\0';
    return fine;
}

size_t wfsm_postgres_parameter(const char *address, const char *key, char *out, size_t room)
{
    char rest[4000];
    wf_pg_parameters found;
    const char *value = "";
    size_t length;

    if (address && key && strlen(address) < sizeof rest &&
        wf_pg_parameters_take(address, rest, &found))
        value = strcmp(key, "wfsm_schema") == 0      ? found.schema
                : strcmp(key, "wfsm_namespace") == 0 ? found.tenant
                : strcmp(key, "wfsm_listen") == 0    ? found.listen
                                                     : "";
    memset(rest, 0, sizeof rest);
    length = strlen(value);
    if (room > 0) {
        size_t most = length < room ? length : room - 1;

        memcpy(out, value, most);
        out[most] = '\0';
    }
    return length;
}
