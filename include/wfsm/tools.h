/* wfsm/tools.h: machines as drawings, and as models for SPIN. Part of libwfsm-tools. */
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

/* Writes the machine as text; `format` is an enum wfsm_graph_format. On WFSM_OK *text is new,
 * UTF-8 of *length bytes and a NUL, and you free it with wfsm_text_free(). INVALID: an
 * argument is NULL, or there is no such format. SEMANTIC: the format cannot express a state,
 * which the message names. LIMIT: the machine is too large for the format. NO_MEMORY. VERSION:
 * libwfsm is of another release. */
WFSM_API int32_t wfsm_machine_graph(const wfsm_machine *machine, int32_t format, char **text,
                                    size_t *length, wfsm_error *error);
/* Frees the text that wfsm_machine_graph() made of this machine; NULL is fine. */
WFSM_API void wfsm_text_free(const wfsm_machine *machine, char *text);

#ifdef __cplusplus
}
#endif
#endif
