/* wfsm/tools.h: pictures of machines, and what a machine asks of its host. */
#ifndef WFSM_TOOLS_H
#define WFSM_TOOLS_H

#include <wfsm/machine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a machine can be written as. */
enum wfsm_graph_format {
    WFSM_MERMAID = 1, /* stateDiagram-v2 */
    WFSM_DOT = 2,     /* Graphviz */
    WFSM_PROMELA = 3  /* a model for SPIN, of charts without data: doc/verification.md */
};

/* The machine as text; *text is new, freed by wfsm_text_free(). SEMANTIC, with the state: this
 * format cannot say it. LIMIT: it is too large for it. Since 0.1. */
WFSM_API int32_t wfsm_machine_graph(const wfsm_machine *machine, int32_t format, char **text,
                                    size_t *length, wfsm_error *error);
/* Frees what wfsm_machine_graph() made of this machine; NULL is fine. */
WFSM_API void wfsm_text_free(const wfsm_machine *machine, char *text);

/* Kinds of names. */
enum wfsm_uses {
    WFSM_USES_GUARDS = 1, /* host guards */
    WFSM_USES_ACTIONS = 2, /* host functions among the actions */
    WFSM_USES_AGENTS = 3  /* whom it may invoke */
};

/* The index-th name that the document uses of a kind, each once; NULL beyond the last.
 * Borrowed for the life of the machine. Since 0.1. */
WFSM_API const char *wfsm_machine_uses(const wfsm_machine *machine, int32_t kind, size_t index);

#ifdef __cplusplus
}
#endif
#endif
