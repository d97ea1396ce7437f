/* selection.h: the instances of a store that a command is about, by what their heads say. */
#ifndef WFSM_SELECTION_H
#define WFSM_SELECTION_H

#include "wfsm/cli.h"

typedef struct selection {
    const char *machine, *tag, *owner;
    cli_text project; /* with the slash behind it */
    int32_t status; /* enum wfsm_instance_status; 0: any */
    wfsm_condition conditions[WFSM_ATTRIBUTES];
    const wfsm_condition *where[WFSM_ATTRIBUTES];
    size_t where_count;
    bool given; /* one of the options was */
} selection;

/* The first options of a command that selects; its own begin at SELECTION_OPTIONS. */
#define SELECTION_LIST                                                                         \
    {"--machine", true}, {"--tag", true}, {"--status", true}, {"--owner", true},               \
        {"--project", true},                                                                   \
    {                                                                                          \
        "--where", true                                                                        \
    }
enum { SELECTION_OPTIONS = 6 };

#define SELECTION_HELP                                                                         \
    "  --machine NAME   only instances of this machine\n"                                      \
    "  --tag TAG        only those with an active state that has this tag\n"                   \
    "  --status STATUS  only those that are running, or done\n"                                \
    "  --owner NAME     only those of this owner; \"\" is nobody\n"                            \
    "  --project NAME   only those whose ids begin with NAME/\n"                               \
    "  --where WHAT     only those with such an attribute: NAME=VALUE, and so on with\n"       \
    "                   !=, <, <=, > and >= (may be repeated: all of them)\n"

/* Takes one of the options. False after printing an error. */
bool selection_take(selection *self, int option, const char *value);
/* The query borrows from the selection. */
wfsm_query selection_query(const selection *self);
void selection_free(selection *self);
#endif
