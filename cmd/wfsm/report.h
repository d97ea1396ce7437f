/* report.h: the run of an instance on one page: what its journal tells, gathered in one pass
 * (report_read.c), and the parts of the page, one file each. */
#ifndef WFSM_REPORT_H
#define WFSM_REPORT_H

#include <jansson.h>
#include "wfsm/html.h"
#include "wfsm/stored.h"

typedef struct report {
    const stored_head *head;
    uint64_t from, to; /* the first and the last revision among the steps; to 0: the head's */
    cli_text
        earlier; /* a link to the steps before `from`; without it, how to get them is said */
    json_t *document; /* the machine, under which the last step was made */
    json_t *visits; /* by path: in how many steps it became active */
    json_t *active; /* by path, ancestors too */
    json_t *taken; /* by "SOURCE EVENT": how often the transition was taken */
    json_t *marks; /* by report_edge(): a list, classes for each edge of that name,
                           each class after a space */
    json_t *work; /* by invocation id, in order: see report_read.c */
    size_t most_work;   /* so many invocations are shown, the last ones; 0: all */
    json_t *context; /* after the last record read */
    cli_text steps; /* rows of the tables */
    cli_text approvals;
    int64_t began, now; /* of the first and the last record read */
    bool bad; /* a record that is not a JSON object */
} report;

/* Reads the journal. */
int32_t report_read(report *run, wfsm_store *store, wfsm_error *error);
void report_free(report *run);

/* report_page.c: what the instance is, and the rest of the page, in order. */
void report_summary(cli_text *out, const report *run);
int32_t report_body(cli_text *out, report *run, wfsm_store *store, wfsm_error *error);
/* report_chart.c: the states, nested, with what was visited and what is active. Only `document` is
 * needed. */
void report_chart(cli_text *out, const report *run);
/* What the elements of an edge have as data-edge: JSON of the path of its source, its event as records
 * name it, and the paths of its targets, joined by ", ". New, to be freed. */
char *report_edge(const char *from, const char *event, const char *to);
/* report_work.c: the invocations, and how long they took. */
void report_work(cli_text *out, const report *run);
/* report_approvals.c: a row for the vote of this record, if it has one. */
void report_approval(report *run, const wfsm_row *row, const json_t *record);
/* report_steps.c: the row of one record; `before` is the context before it. */
void report_step(report *run, const wfsm_row *row, const json_t *record, const json_t *before);
/* What failed in a step. */
void report_failures(cli_text *out, const json_t *record);
/* What changed of the context. */
void report_changes(cli_text *out, const json_t *before, const json_t *after);
#endif
