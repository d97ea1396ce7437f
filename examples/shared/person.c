#include "person.h"

#include <jansson.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "print_error.h"
#include "wfsm/shown.h"

enum { LONGEST_NAME = 255 };

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

/* A signal ends it, as it is no answer; reading alone would continue. */
static int says_yes(void)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    char answer[16];

    return poll(&in, 1, -1) > 0 && fgets(answer, sizeof answer, stdin) &&
           (answer[0] == 'y' || answer[0] == 'Y');
}

int host_person_agrees(const char *question)
{
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return 1;
    shown_printf("%s [y/N]\n", question);
    if (says_yes())
        return 1;
    print_error("nothing was decided");
    return 0;
}
