/* verify/verification.h: the report of a search, behind the public handle. */
#ifndef WF_VERIFY_VERIFICATION_H
#define WF_VERIFY_VERIFICATION_H

#include "logic/json.h"
#include "verify/prove.h"
#include "verify/search.h"

/* A run of the real step that meets some goals. */
typedef struct wf_test_case {
    const char *script;
    uint8_t *met; /* by point of the coverage */
} wf_test_case;

struct wfsm_verification {
    wfsm_machine *machine; /* a reference */
    wf_arena arena;        /* all texts */
    wfsm_verify_diagnostic *diagnostics;
    size_t diagnostic_count;
    uint8_t *verdicts; /* by property */
    uint8_t *vacuous;  /* by property: it holds, and what it is about never happens */
    wf_test_case *cases; /* NULL: they were not asked for */
    size_t case_count;
    wfsm_verify_coverage *coverage;
    size_t coverage_count;
    const char **notes;
    size_t note_count;
    const char *bound;
    wf_proofs proofs;
    wfsm_verify_counts counts;
    int32_t verdict;
    wf_search_diagnostic *reported; /* by diagnostic */
    /* Found over symbols, but no values were found for it: by property, and anything else. */
    uint8_t *open;
    const wf_expr *
        *culprits; /* the rules to blame: by property, and of anything else; or NULL */
    const wf_expr *other_culprit;
    uint8_t *reached; /* by property: a run of the real step has reached this `reachable` */
    uint64_t moves_left; /* of directed searches */
    bool complete; /* all was tried; only properties may be open, beside one that is violated */
    wf_json_finder finder; /* of the places that it names */
    bool open_otherwise;
    const char *unsettled; /* why a property of instances is open; NULL: none is */
    bool
        unfounded; /* the way at hand violates its property only with values that were left out */
};

/* Before wf_verification_write() and the functions of reached.c. False when out of memory. */
bool wf_verification_begin(wfsm_verification *report);
/* Writes the report of a finished search, and of the one over symbols that followed, or NULL.
 * NO_MEMORY. */
int32_t wf_verification_write(wfsm_verification *report, wf_search *from, wf_search *symbolic);

/* notes.c: what was assumed, and what was left out. `symbols`: some of it was searched over symbols. False
 * when out of memory. */
bool wf_notes_write(wfsm_verification *report, const wf_search *from, bool symbols);

/* bound_text.c: what was not tried, of two searches of a machine; "" if nothing. NULL when out of memory. Some of it
 * belongs to the searches. */
const char *wf_bound_of(const wf_search *from, const wf_search *symbolic, wf_arena *arena);

/* reached.c: sets report->reached[] for each `reachable` that the search has met, if a run of the real step
 * does. NO_MEMORY. */
int32_t wf_confirm_reached(wfsm_verification *report, wf_search *from);
/* The same of a directed search (guide.h) for each that is still open, if the first search came to a bound or
 * to its pause. */
int32_t wf_look_further(wfsm_verification *report, const wf_search *first);
/* undecided_text.c, all in the arena; NULL when out of memory, and the arena has failed. A copy: */
const char *wf_report_text(wf_arena *arena, const wf_buffer *text);
/* The rule that the values do not decide. */
const char *wf_undecided_text(const wf_search *from, const wf_undecided *found,
                              wf_arena *arena);
/* What a run depends on that was found and for which there are no values. The culprit may be NULL. `from`
 * is the first search. */
const char *wf_open_text(const wf_search *from, const wf_expr *culprit, wf_arena *arena);
/* test_cases.c: a small set of runs that meets what was met. NO_MEMORY. */
int32_t wf_test_cases_write(wfsm_verification *report, wf_search *from, wf_search *symbolic);
/* coverage_report.c: what was met, after the bound and the cases are known. False when out of
 * memory. */
bool wf_coverage_write(wfsm_verification *report, const wf_search *from,
                       const wf_search *symbolic);

/* diagnostic_text.c: the message, in the arena; NULL when out of memory. */
const char *wf_diagnostic_message(const wfsm_machine *machine,
                                  const wf_search_diagnostic *found, wf_arena *arena);
const char *wf_rule_word(uint8_t rule);
int32_t wf_rule_severity(uint8_t rule);
/* JSON pointer to the place in the document. */
const char *wf_diagnostic_pointer(const wfsm_machine *machine,
                                  const wf_search_diagnostic *found, wf_json_finder *finder,
                                  wf_arena *arena);
/* The same of a rule: of the part of the document that it stands in. */
const char *wf_reading_pointer(const wf_cones *all, const wf_reading *reading,
                               wf_json_finder *finder, wf_arena *arena);
/* A guard for people, without brackets; "" for none. NULL when out of memory. */
const char *wf_guard_text(const wf_guard *guard, wf_arena *arena);
/* The state it is about, or WF_NONE. */
uint32_t wf_diagnostic_state(const wfsm_machine *machine, const wf_search_diagnostic *found);
#endif
