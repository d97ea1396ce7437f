/* verify/verification.h: the report of a search, behind the public handle. */
#ifndef WF_VERIFY_VERIFICATION_H
#define WF_VERIFY_VERIFICATION_H

#include "verify/search.h"

struct wfsm_verification {
    wfsm_machine *machine; /* a reference */
    wf_arena arena;        /* all texts */
    wfsm_verify_diagnostic *diagnostics;
    size_t diagnostic_count;
    uint8_t *verdicts; /* by property */
    const char **notes;
    size_t note_count;
    const char *bound;
    wfsm_verify_counts counts;
    int32_t verdict;
};

/* Writes the report of a finished search. NO_MEMORY. */
int32_t wf_verification_write(wfsm_verification *report, wf_search *from);

/* diagnostic_text.c: the message, in the arena; NULL when out of memory. */
const char *wf_diagnostic_message(const wfsm_machine *machine,
                                  const wf_search_diagnostic *found, wf_arena *arena);
const char *wf_rule_word(uint8_t rule);
int32_t wf_rule_severity(uint8_t rule);
/* JSON pointer to the place in the document. */
const char *wf_diagnostic_pointer(const wfsm_machine *machine,
                                  const wf_search_diagnostic *found, wf_arena *arena);
/* The state it is about, or WF_NONE. */
uint32_t wf_diagnostic_state(const wfsm_machine *machine, const wf_search_diagnostic *found);
#endif
