/* instance/call.h: the inside of a wfsm_call. Its maker fills in the members that apply. */
#ifndef WF_INSTANCE_CALL_H
#define WF_INSTANCE_CALL_H

#include <wfsm/call.h>
#include "base/buffer.h"
#include "logic/value.h"

enum wf_answer {
    WF_ANSWER_NONE,
    WF_ANSWER_ALLOW,  /* yes */
    WF_ANSWER_PATCH,  /* text */
    WF_ANSWER_DONE,   /* text */
    WF_ANSWER_FAILED, /* failure class and text */
    WF_ANSWER_GONE,
    WF_ANSWER_UNSURE
};

/* A text is written into its buffer when it is first read. */
typedef struct wf_call_text {
    const wf_value *value; /* NULL: this accessor does not apply */
    wf_buffer buffer;
} wf_call_text;

enum wf_call_kind {
    WF_CALL_GUARD,
    WF_CALL_ACTION,
    WF_CALL_AGENT,
    WF_CALL_OBSERVER,
    WF_CALL_LOST
};

struct wfsm_call {
    int kind;         /* enum wf_call_kind */
    unsigned allowed; /* bit set of 1 << enum wf_answer; setters refuse the others. Made
                         from the kind; the engine changes it for probes and cancels */
    const wfsm_allocator *allocator;
    const char *name, *instance, *id, *state;
    int64_t now, claimed, timeout;
    int32_t attempt;
    int32_t lost; /* enum wfsm_lost */
    wf_call_text params, context, event, input, schema;
    const char *record, *log;
    size_t record_length, log_length;
    int answer; /* enum wf_answer */
    bool unusable; /* the answer was none, and counts as a failure until there is another */
    int32_t yes;
    uint32_t failure_class; /* enum wf_class */
    bool alive;             /* the agent gave a heartbeat */
    int64_t retry_after;    /* ms */
    wf_buffer usage;        /* entries: an int64_t, and the name with its NUL */
    wf_buffer signature;    /* with its NUL, or empty */
    wf_buffer text;         /* patch, result or message; checked to be JSON by its user */
};

void wf_call_init(wfsm_call *call, int kind, const wfsm_allocator *allocator);
void wf_call_fini(wfsm_call *call);
/* Prepares for the next callback: drops the answer and the texts, and keeps the values and the
 * memory. */
void wf_call_clear(wfsm_call *call);
/* Adds to usage as it is kept in a call; NO_MEMORY leaves it as it was. */
int32_t wf_usage_add(wf_buffer *usage, const char *name, int64_t amount);
/* Usage, as it is kept in a call, as a JSON object; appends nothing if there is none. */
void wf_usage_write(wf_buffer *out, const wf_buffer *usage);
#endif
