/* simulate_input.h: the lines that `wfsm simulate` reads. */
#ifndef WFSM_SIMULATE_INPUT_H
#define WFSM_SIMULATE_INPUT_H

#include <jansson.h>
#include <stdio.h>
#include <wfsm/wfsm.h>
#include "wfsm/cli.h"

typedef enum sim_kind {
    SIM_EVENT,
    SIM_ADVANCE,
    SIM_PATCH,
    SIM_CHECKPOINT,
    SIM_RESTORE,
    SIM_DONE,
    SIM_APPROVE,
    SIM_FAILED,
    SIM_RETRY,
    SIM_START, /* these by hand only */
    SIM_FIRE,
    SIM_CLAIM
} sim_kind;

typedef struct sim_input {
    sim_kind kind;
    const char *name; /* of the event; id of the checkpoint or invocation */
    uint64_t revision; /* to restore, if there is no name */
    const char *id;   /* of the event or the approval, or NULL */
    int32_t interface; /* of the event; 0: not given */
    const char *sender; /* of the event, or NULL */
    const char *failure_class;
    int64_t ms;       /* of advance */
    char *json;       /* data, patch, output or the start's input, or NULL */
    char *usage;      /* with an answer, JSON; these three are optional */
    const char *signature, *message;
    int64_t retry_after;
    wfsm_approval vote; /* of approve, without its id */
    json_t *host;     /* by hand: answers of the host in the order of the calls, or NULL */
    json_t *root;     /* owns the strings */
} sim_input;

/* Virtual time ends where doubles stop counting. */
#define SIM_LAST_MS ((int64_t)1 << 53)

enum sim_line { SIM_LINE, SIM_END, SIM_UNREADABLE };
/* Reads up to a line break or the end into `line`, without the break. UNREADABLE: too long,
 * or an error of the file; *why says which. */
enum sim_line sim_read_line(FILE *file, cli_text *line, const char **why);
/* True if it is only white space. */
bool sim_line_is_blank(const cli_text *line);

/* False: `why` says what is wrong and what was expected. */
enum { SIM_WHY_BYTES = 300 };
bool sim_input_parse(sim_input *input, const cli_text *line, char why[SIM_WHY_BYTES]);
/* The same for --by-hand: a line may also start, fire, and have the host's answers. */
bool sim_input_parse_by_hand(sim_input *input, const cli_text *line, char why[SIM_WHY_BYTES]);
void sim_input_free(sim_input *input);
#endif
