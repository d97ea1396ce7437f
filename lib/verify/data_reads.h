/*
 * verify/data_reads.h: which members of an event's data the rules of a step have read. Data that differs
 * only in other members leads to the same successors, and is not tried again in that state.
 */
#ifndef WF_VERIFY_DATA_READS_H
#define WF_VERIFY_DATA_READS_H

#include "machine/model.h"
#include "verify/data_classes.h"

typedef struct wf_data_member {
    const char *key;
    uint32_t length;
    uint64_t bits; /* of a mark: the number of its value */
} wf_data_member;

/* Of each class of the data of one event: the numbers of its members' values, in one word. */
typedef struct wf_data_marks {
    uint64_t *list; /* by class; WF_NO_MARK of what is no object */
    const wf_data_member *members;
    uint32_t member_count;
    uint64_t by_properties; /* bits of what the properties read */
} wf_data_marks;
#define WF_NO_MARK UINT64_MAX

enum { WF_SEEN_MOST = 64 };

/* The last ones that were tried in a state, each with the bits that were read. */
typedef struct wf_data_seen {
    const wf_data_marks *marks; /* NULL: everything is tried */
    struct {
        uint64_t bits, mark;
    } list[WF_SEEN_MOST];
    uint32_t count; /* of all that were tried */
    bool helps; /* one was like another */
} wf_data_seen;

/* Sets data->marks. It stays NULL if there are few classes, or too many members or values. */
void wf_data_mark(wf_data_classes *data, const wfsm_machine *machine, wf_arena *arena);
/* The bits of the members that an expression may read. */
uint64_t wf_data_read_by(const wf_data_marks *marks, const wf_expr *expr);
/* True if a class leads to the successors of one that was tried. */
bool wf_data_is_seen(wf_data_seen *seen, uint32_t number);
void wf_data_see(wf_data_seen *seen, uint32_t number, uint64_t bits);
#endif
