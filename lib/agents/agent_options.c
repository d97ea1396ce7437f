/* Values of options, checked and with their defaults. */
#include "agent_config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/invariant.h"

int wfa_option_fail(wfa_option_error *wrong, const char *key, const char *format, ...)
{
    va_list arguments;

    wrong->key = key;
    wrong->why.status = WFSM_INVALID;
    va_start(arguments, format);
    (void)vsnprintf(wrong->why.message, sizeof wrong->why.message, format, arguments);
    va_end(arguments);
    return -1;
}

int wfa_option_no_memory(wfa_option_error *wrong)
{
    wrong->key = NULL;
    return wfa_no_memory(&wrong->why);
}

int wfa_option_text(const char *given, char **to, wfa_option_error *wrong)
{
    *to = given ? strdup(given) : NULL;
    return given && !*to ? wfa_option_no_memory(wrong) : 0;
}

int wfa_option_list(const char *const *given, char ***to, wfa_option_error *wrong)
{
    size_t index, number = 0;

    while (given && given[number])
        number++;
    *to = calloc(number + 1, sizeof **to);
    if (!*to)
        return wfa_option_no_memory(wrong);
    for (index = 0; index < number; index++) {
        (*to)[index] = strdup(given[index]);
        if (!(*to)[index])
            return wfa_option_no_memory(wrong);
    }
    return 0;
}

int wfa_option_names(const char *key, const char *const *given, char ***to,
                     wfa_option_error *wrong)
{
    const char *const *name;

    for (name = given; name && *name; name++)
        if (!**name || strchr(*name, '='))
            return wfa_option_fail(wrong, key, "expected names of variables, found \"%.100s\"",
                                   *name);
    return wfa_option_list(given, to, wrong);
}

int wfa_option_ms(const char *key, int64_t given, int64_t standard, int64_t *to,
                  wfa_option_error *wrong)
{
    WF_INVARIANT(standard >= 0 && standard <= WFA_MOST_MS);
    if (given < 0 || (given > WFA_MOST_MS && given != WFSM_NEVER))
        return wfa_option_fail(wrong, key, "expected milliseconds from 1 to %d", WFA_MOST_MS);
    *to = given == 0 ? standard : given;
    if (given == WFSM_NEVER)
        *to = 0;
    return 0;
}

int wfa_option_bytes(const char *key, uint64_t given, uint64_t standard, uint64_t most,
                     size_t *to, wfa_option_error *wrong)
{
    WF_INVARIANT(standard > 0 && standard <= most);
    if (given > most)
        return wfa_option_fail(wrong, key, "expected at most %llu bytes",
                               (unsigned long long)most);
    *to = (size_t)(given > 0 ? given : standard);
    return 0;
}

int wfa_option_answer(int32_t given, wfa_answer_mode standard, wfa_answer_mode *to,
                      wfa_option_error *wrong)
{
    if (given < WFSM_ANSWER_DEFAULT || given > WFSM_ANSWER_LAST_BLOCK)
        return wfa_option_fail(wrong, "answer", "expected an enum wfsm_agent_answer, found %d",
                               (int)given);
    *to = standard;
    if (given != WFSM_ANSWER_DEFAULT)
        *to = given == WFSM_ANSWER_JSON ? WFA_ANSWER_JSON : WFA_ANSWER_LAST_BLOCK;
    return 0;
}
