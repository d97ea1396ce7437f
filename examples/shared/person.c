#include "person.h"

#include <jansson.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "print_error.h"
#include "signals.h"
#include "wfsm/shown.h"

enum { LONGEST_NAME = 255, PAUSE_MS = 100 };

static int is_name(const char *text)
{
    json_t *read = text && *text && strlen(text) <= LONGEST_NAME ? json_string(text) : NULL;

    json_decref(read); /* NULL if it is not UTF-8 */
    return read != NULL;
}

/* A service or a container may have no $USER. */
const char *host_person(void)
{
    const char *user = getenv("USER");
    const struct passwd *entry = user && *user ? NULL : getpwuid(getuid());

    if (entry)
        user = entry->pw_name;
    return is_name(user) ? user : NULL;
}

int host_person_is_agent(void)
{
    return getenv("WFSM_INVOCATION_ID") != NULL;
}

/* 0: a signal came instead. */
static int is_answered(void)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    int ready = 0;

    while (ready == 0 && !host_signals_asked())
        ready = poll(&in, 1, PAUSE_MS);
    return ready > 0;
}

int host_person_agrees(const char *question)
{
    char answer[16];

    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return 1;
    shown_printf("%s [y/N]\n", question);
    if (is_answered() && fgets(answer, sizeof answer, stdin) &&
        (answer[0] == 'y' || answer[0] == 'Y'))
        return 1;
    print_error("nothing was decided");
    return 0;
}
