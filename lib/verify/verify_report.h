/* verify/verify_report.h: what was found, for those who asked. */
#ifndef WF_TOOLS_VERIFY_REPORT_H
#define WF_TOOLS_VERIFY_REPORT_H

#include "verify/verify_explore.h"

struct wfsm_verification {
    wfsm_machine *machine; /* a reference */
    wf_arena arena;        /* all texts */
    wfsm_verify_finding *findings;
    size_t finding_count;
    uint8_t *verdicts; /* by property */
    const char **notes;
    size_t note_count;
    const char *bound;
    wfsm_verify_counts counts;
    int32_t verdict;
};

/* Writes the report of an exploration that is over. NO_MEMORY. */
int32_t wf_report_write(wfsm_verification *report, wf_exploration *from);

/* verify_words.c: what a notice says, in the arena; NULL when out of memory. */
const char *wf_words_of(const wfsm_machine *machine, const wf_notice *notice, wf_arena *arena);
const char *wf_rule_word(uint8_t rule);
int32_t wf_rule_severity(uint8_t rule);
/* The place in the document. */
const char *wf_pointer_of(const wfsm_machine *machine, const wf_notice *notice,
                          wf_arena *arena);
/* The state it is about, or WF_NONE. */
uint32_t wf_notice_state(const wfsm_machine *machine, const wf_notice *notice);
#endif
