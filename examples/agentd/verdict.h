/* The verdict of CHALLENGE.md and REVIEW.md, as their authors write it:
 *
 *     Verdict: APPROVED                   ## Verdict
 *     **Verdict:** NEEDS_REVISION
 *     - verdict: `REJECTED`               NEEDS_CHANGES
 *
 * A line that begins with the word "verdict" and a colon, in any case and Markdown style; or a
 * heading of this one word, with the verdict on the next line that is not blank. Text inside a
 * code fence (```) or an HTML comment is not a verdict. The verdict itself is in capitals, and
 * alone on its line. A file must have exactly one. None, several (even if they agree), another
 * word or lower case are errors, and nothing is assumed. */
#ifndef AGENTD_VERDICT_H
#define AGENTD_VERDICT_H

#include <stddef.h>

#include "shared/error.h"

typedef enum verdict {
    VERDICT_NONE,
    VERDICT_APPROVED,
    VERDICT_NEEDS_REVISION,
    VERDICT_REJECTED,
    VERDICT_NEEDS_CHANGES,
    VERDICT_MAJOR_ISSUES
} verdict;

enum { VERDICTS = VERDICT_MAJOR_ISSUES + 1 };

/* The verdicts that a report may have. */
typedef enum verdict_of {
    VERDICT_OF_CHALLENGE, /* APPROVED, NEEDS_REVISION, REJECTED */
    VERDICT_OF_REVIEW     /* APPROVED, NEEDS_CHANGES, MAJOR_ISSUES */
} verdict_of;

/* A longer report is refused. */
enum { VERDICT_MOST_BYTES = 4 * 1024 * 1024 };

/* "APPROVED", …; "" for none. */
const char *verdict_name(verdict which);
/* -1 when no verdict has this name, letter by letter; "" is none. */
int verdict_named(const char *name, verdict *which);

/* The verdict in a text. `name` is what the errors call it: NAME:LINE. */
int verdict_find(const char *name, const char *text, size_t length, verdict_of of,
                 verdict *found, host_error *error);
/* The same of a file. */
int verdict_read(const char *path, verdict_of of, verdict *found, host_error *error);

#endif
