/* logic/schema_tree.h: a compiled JSON Schema. Private to lib/logic/schema_*.c. */
#ifndef WF_LOGIC_SCHEMA_TREE_H
#define WF_LOGIC_SCHEMA_TREE_H

#include "logic/schema.h"
#include "base/names.h"
#include "base/private.h"

/* Bits of `types`, by wf_type; and one more. */
enum { WF_INTEGER_TYPE = 7 };

typedef struct wf_bound {
    bool set;
    double value;
} wf_bound;

typedef struct wf_schema_list {
    const wf_schema *const *list;
    uint32_t count;
    bool set;
} wf_schema_list;

typedef struct wf_schema_property {
    const wf_member *source; /* the key and its hash */
    const wf_schema *schema;
} wf_schema_property;

struct wf_schema {
    const wf_value *source;
    const wf_place *place;   /* in the schema's document */
    wf_schema *before;       /* all schemas of the document, the last one first */
    bool never;              /* the schema `false` */
    bool unique;
    uint8_t types; /* bits; 0: any */
    const wf_value *options; /* enum */
    const wf_value *constant;
    const wf_value *required;
    wf_bound minimum, maximum, above, below, multiple;
    wf_bound min_length, max_length, min_items, max_items, min_members, max_members;
    const wf_schema_property *properties;
    uint32_t property_count;
    const uint32_t *property_table; /* open addressing, numbers + 1; NULL: there are few */
    uint32_t property_mask; /* of the table: its size - 1 */
    const wf_schema *additional, *items, *negated, *reference;
    const wf_value *reference_text;
    wf_schema_list prefix, any, one, all;
};

/* The property of that name, or NULL. */
WF_PRIVATE_API const wf_schema *wf_schema_find(const wf_schema *schema, const char *key,
                                               size_t length, uint32_t hash);

/* What it says of a member, and of an element; NULL: nothing. */
static inline const wf_schema *wf_schema_of_member(const wf_schema *schema, const char *key,
                                                   size_t length)
{
    const wf_schema *own = wf_schema_find(schema, key, length, wf_hash(key, length));
    return own ? own : schema->additional;
}

static inline const wf_schema *wf_schema_of_element(const wf_schema *schema, uint32_t index)
{
    return index < schema->prefix.count ? schema->prefix.list[index] : schema->items;
}

/* schema_ref.c: after all schemas are compiled. */
int32_t wf_schema_link(const wf_schema *root, wf_schema *last, wfsm_error *error);

/* schema_text.c: short descriptions for messages, cut to fit. */
enum { WF_FOUND_BYTES = 100, WF_EXPECTED_BYTES = 300 };
void wf_describe_value(const wf_value *value, char out[WF_FOUND_BYTES]);
void wf_describe_options(const wf_value *options, char out[WF_EXPECTED_BYTES]);
void wf_describe_types(uint8_t types, char out[WF_EXPECTED_BYTES]);
#endif
