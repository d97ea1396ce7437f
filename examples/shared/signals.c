/* SIGINT, SIGTERM and SIGHUP: the first asks for an orderly abort, the second ends the process. */
#include "signals.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t asked;

static void on_signal(int number)
{
    asked = 1;
    (void)signal(number, SIG_DFL);
}

void host_signals_watch(void)
{
    struct sigaction action, before;

    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal; /* without SA_RESTART: waiting ends */
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    /* Of a terminal that was closed; nohup ignores it. */
    (void)sigaction(SIGHUP, NULL, &before);
    if (before.sa_handler != SIG_IGN)
        (void)sigaction(SIGHUP, &action, NULL);
}

int host_signals_asked(void)
{
    return asked != 0;
}
