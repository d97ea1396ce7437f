#include "check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool tk_holds(tk_suite *suite, bool fine, const char *format, ...)
{
    va_list arguments;
    suite->checks++;
    if (fine || *suite->message)
        return fine;
    va_start(arguments, format);
    vsnprintf(suite->message, sizeof suite->message, format, arguments);
    va_end(arguments);
    return false;
}

bool tk_status(tk_suite *suite, const char *what, int32_t wanted, int32_t got)
{
    return tk_holds(suite, wanted == got, "%s: expected %s, got %s", what,
                    wfsm_status_name(wanted), wfsm_status_name(got));
}

bool tk_number(tk_suite *suite, const char *what, uint64_t wanted, uint64_t got)
{
    return tk_holds(suite, wanted == got, "%s: expected %" PRIu64 ", got %" PRIu64, what,
                    wanted, got);
}

bool tk_time(tk_suite *suite, const char *what, int64_t wanted, int64_t got)
{
    return tk_holds(suite, wanted == got, "%s: expected %" PRId64 ", got %" PRId64, what,
                    wanted, got);
}

bool tk_string(tk_suite *suite, const char *what, const char *wanted, const char *got)
{
    return tk_holds(suite, strcmp(wanted, got) == 0, "%s: expected \"%.120s\", got \"%.120s\"",
                    what, wanted, got);
}

bool tk_said(tk_suite *suite, const char *what, const wfsm_error *error, int32_t status,
             const char *const words[])
{
    const char *message = wfsm_error_message(error);
    bool fine = tk_holds(suite, wfsm_error_status(error) == status,
                         "%s: the answer is %s, but the error says %s", what,
                         wfsm_status_name(status), wfsm_status_name(wfsm_error_status(error)));
    for (; *words && fine; words++)
        fine = tk_holds(suite, strstr(message, *words) != NULL,
                        "%s: the error does not name \"%.80s\", but says: %.200s", what, *words,
                        message);
    return fine;
}

static int line_length(const char *line)
{
    return (int)strcspn(line, "\n");
}

bool tk_lines(tk_suite *suite, const char *what, const char *wanted, const char *got)
{
    const char *line = wanted, *other = got;
    for (size_t i = 0; wanted[i] && wanted[i] == got[i]; i++)
        if (wanted[i] == '\n') {
            line = wanted + i + 1;
            other = got + i + 1;
        }
    return tk_holds(suite, strcmp(wanted, got) == 0, "%s: expected \"%.*s\", got \"%.*s\"",
                    what, line_length(line) < 150 ? line_length(line) : 150, line,
                    line_length(other) < 150 ? line_length(other) : 150, other);
}

wfsm_store *tk_open(tk_suite *suite, int32_t which)
{
    wfsm_store *opened = NULL;
    int32_t status = suite->options->open(suite->options->user, which, &opened, suite->error);
    tk_holds(suite, status == WFSM_OK && opened, "the store cannot be opened: %s, %s",
             wfsm_status_name(status), wfsm_error_message(suite->error));
    return status == WFSM_OK ? opened : NULL;
}

void tk_reopen(tk_suite *suite)
{
    wfsm_store_free(suite->store);
    suite->store = tk_open(suite, 0);
}
