/*
 * logic/schema.h: a subset of JSON Schema 2020-12, compiled: type, enum, const, properties,
 * required, additionalProperties, items, prefixItems, min/maxItems, uniqueItems,
 * min/maxLength (code points), minimum, maximum, exclusive ones, multipleOf,
 * min/maxProperties, anyOf, oneOf, allOf, not, $defs with local $ref. Annotations (title,
 * description, default, examples, $comment, $schema, $id, format, deprecated, readOnly,
 * writeOnly) are ignored; any other keyword is a load error.
 */
#ifndef WF_LOGIC_SCHEMA_H
#define WF_LOGIC_SCHEMA_H

#include "base/error.h"
#include "logic/value.h"
#include "base/private.h"

typedef struct wf_schema wf_schema;

/* Compiles into the arena; values of `source` are borrowed (they must live as long). */
WF_PRIVATE_API int32_t wf_schema_compile(const wf_schema **out, const wf_value *source,
                                         wf_arena *arena, const wf_place *place,
                                         wfsm_error *error);
/* WFSM_OK or WFSM_SEMANTIC; the error names the place in the instance, what was expected
 * there and the place in the schema. WFSM_LIMIT when it takes too many steps. */
WF_PRIVATE_API int32_t wf_schema_check(const wf_schema *schema, const wf_value *value,
                                       wfsm_error *error);
/* The same in at most *steps steps, without an error; *steps is what is left of them, 0 when they do
 * not suffice. */
int32_t wf_schema_check_within(const wf_schema *schema, const wf_value *value, uint32_t *steps);
/* Why a member of an object does not fit. */
int32_t wf_schema_explain(const wf_schema *schema, const wf_member *member, wfsm_error *error);
/* The schema of one top-level key of an object schema. *forbidden is set when such a key is
 * not allowed; NULL means anything goes. */
WF_PRIVATE_API const wf_schema *wf_schema_key(const wf_schema *schema, const char *key,
                                              size_t length, bool *forbidden);
/* As it was written. */
const wf_value *wf_schema_source(const wf_schema *schema);
#endif
