#include "check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool tk_holds(tk_kit *kit, bool fine, const char *format, ...)
{
    va_list arguments;
    kit->checks++;
    if (fine || *kit->message)
        return fine;
    va_start(arguments, format);
    vsnprintf(kit->message, sizeof kit->message, format, arguments);
    va_end(arguments);
    return false;
}

bool tk_status(tk_kit *kit, const char *what, int32_t wanted, int32_t got)
{
    return tk_holds(kit, wanted == got, "%s: expected %s, got %s", what,
                    wfsm_status_name(wanted), wfsm_status_name(got));
}

bool tk_number(tk_kit *kit, const char *what, uint64_t wanted, uint64_t got)
{
    return tk_holds(kit, wanted == got, "%s: expected %" PRIu64 ", got %" PRIu64, what, wanted,
                    got);
}

bool tk_time(tk_kit *kit, const char *what, int64_t wanted, int64_t got)
{
    return tk_holds(kit, wanted == got, "%s: expected %" PRId64 ", got %" PRId64, what, wanted,
                    got);
}

bool tk_string(tk_kit *kit, const char *what, const char *wanted, const char *got)
{
    return tk_holds(kit, strcmp(wanted, got) == 0, "%s: expected \"%.120s\", got \"%.120s\"",
                    what, wanted, got);
}

static int line_length(const char *line)
{
    return (int)strcspn(line, "\n");
}

bool tk_lines(tk_kit *kit, const char *what, const char *wanted, const char *got)
{
    const char *line = wanted, *other = got;
    for (size_t i = 0; wanted[i] && wanted[i] == got[i]; i++)
        if (wanted[i] == '\n') {
            line = wanted + i + 1;
            other = got + i + 1;
        }
    return tk_holds(kit, strcmp(wanted, got) == 0, "%s: expected \"%.*s\", got \"%.*s\"", what,
                    line_length(line) < 150 ? line_length(line) : 150, line,
                    line_length(other) < 150 ? line_length(other) : 150, other);
}

wfsm_store *tk_open(tk_kit *kit, int32_t which)
{
    wfsm_store *opened = NULL;
    int32_t status = kit->options->open(kit->options->user, which, &opened, kit->error);
    tk_holds(kit, status == WFSM_OK && opened, "the store cannot be opened: %s, %s",
             wfsm_status_name(status), wfsm_error_message(kit->error));
    return status == WFSM_OK ? opened : NULL;
}

void tk_reopen(tk_kit *kit)
{
    wfsm_store_free(kit->store);
    kit->store = tk_open(kit, 0);
}
