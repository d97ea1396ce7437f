/* logic/schema_compile.h: reading keywords. Private to lib/logic/schema_*.c. */
#ifndef WF_LOGIC_SCHEMA_COMPILE_H
#define WF_LOGIC_SCHEMA_COMPILE_H

#include "logic/schema_tree.h"

typedef struct wf_schema_compiler {
    wf_arena *arena;
    wfsm_error *error;
    wf_schema *last;
} wf_schema_compiler;

/* Reads the value of a keyword into the schema's member at an offset. */
typedef int32_t wf_schema_reader(wf_schema_compiler *c, wf_schema *out, const wf_value *value,
                                 const wf_place *at, size_t offset);

typedef struct wf_schema_keyword {
    const char *name;
    wf_schema_reader *read; /* NULL: an annotation */
    size_t offset;
} wf_schema_keyword;

/* One schema. */
int32_t wf_schema_read(wf_schema_compiler *c, const wf_value *source, const wf_place *place,
                       const wf_schema **out);
/* schema_place.c. Places of schemas outlive the compilation: messages of the checker name them. */
const wf_place *wf_schema_below(wf_schema_compiler *c, const wf_place *up, const char *key,
                                size_t length, size_t index);
int32_t wf_schema_full(const wf_schema_compiler *c);
int32_t wf_schema_expected(const wf_schema_compiler *c, const wf_place *at, const char *what);
void *wf_schema_at(wf_schema *schema, size_t offset);

/* schema_values.c: keywords whose values are plain. */
wf_schema_reader wf_read_number, wf_read_multiple, wf_read_count, wf_read_boolean;
wf_schema_reader wf_read_value, wf_read_options, wf_read_required, wf_read_type;
wf_schema_reader wf_read_reference;
#endif
