#include "loop_signals.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

enum { SIGNALS = 2 };

static const int numbers[SIGNALS] = {SIGINT, SIGTERM};
static struct sigaction before[SIGNALS];
static atomic_flag is_handled = ATOMIC_FLAG_INIT;
static volatile sig_atomic_t caught;

static void catch_signal(int number)
{
    caught = number;
}

int wfa_signals_begin(void)
{
    /* The second one ends the process, as it would without a loop. Waiting ends at a signal, but what
     * a callback reads is read to its end. */
    struct sigaction action = {.sa_handler = catch_signal,
                               .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    int i;

    if (atomic_flag_test_and_set(&is_handled))
        return -1;
    caught = 0;
    (void)sigemptyset(&action.sa_mask);
    for (i = 0; i < SIGNALS; i++) {
        (void)sigaction(numbers[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            (void)sigaction(numbers[i], &action, NULL);
    }
    return 0;
}

void wfa_signals_end(void)
{
    int i;

    for (i = 0; i < SIGNALS; i++)
        (void)sigaction(numbers[i], &before[i], NULL);
    atomic_flag_clear(&is_handled);
}

int wfa_signals_caught(void)
{
    return caught;
}
