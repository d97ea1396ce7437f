/* SIGINT, SIGTERM and SIGHUP: the first asks for an orderly end, the second ends the process, or
 * is counted. */
#include "signals.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t asked;

static void on_signal(int number)
{
    asked = 1;
    (void)signal(number, SIG_DFL);
}

static void on_counted(int number)
{
    (void)number;
    if (asked < 2)
        asked++;
}

static void watch(void (*handler)(int), int flags)
{
    struct sigaction action, before;

    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    /* Of a terminal that was closed; nohup ignores it. */
    (void)sigaction(SIGHUP, NULL, &before);
    if (before.sa_handler != SIG_IGN)
        (void)sigaction(SIGHUP, &action, NULL);
}

void host_signals_watch(void)
{
    watch(on_signal, 0);
}

void host_signals_count(void)
{
    /* What a program has to say is read to its end; only poll() and sleeping end at a signal. */
    watch(on_counted, SA_RESTART);
}

int host_signals_asked(void)
{
    return asked;
}
