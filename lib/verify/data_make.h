/*
 * verify/data_make.h: how the classes of data are made, for the files data_*.c. `all` are the
 * schemas that a value must fit, `wanted` is its cone; NULL: one value is enough.
 */
#ifndef WF_VERIFY_DATA_MAKE_H
#define WF_VERIFY_DATA_MAKE_H

#include <stddef.h>
#include "verify/data_classes.h"
#include "verify/schema_group.h"

enum { WF_DATA_LONGEST = 64 }; /* texts and lists */

/* The strictest bound that the schemas set; `other` if they set none. */
#define WF_GROUP_LEAST(all, member, other)                                                     \
    wf_schema_group_bound(all, offsetof(wf_schema, member), other, true)
#define WF_GROUP_MOST(all, member, other)                                                      \
    wf_schema_group_bound(all, offsetof(wf_schema, member), other, false)

/* data_alike.c. True if no rule that the cone knows tells the values apart. */
bool wf_data_alike(const wf_value *a, const wf_value *b, const wf_cone *wanted,
                   wf_arena *arena);
/* Of values that are alike it is the same. Most others have another one. */
uint64_t wf_data_hash(const wf_value *value, const wf_cone *wanted, wf_arena *arena);
/* Any two values differ: more is asked than whether it is equal to a constant. */
bool wf_data_is_unique(const wf_cone *wanted);
/* Whether a value of the context fits is known only in a state. */
bool wf_data_is_open(const wf_value *value);
/* As operators read it; NaN: it is no number. */
double wf_data_number(const wf_value *value, wf_arena *arena);

/* data_add.c. Adds a value without any check; later values are compared with it. */
void wf_data_push(wf_data_classes *data, wf_value value, const wf_cone *wanted);
/* Takes the others out. */
void wf_data_keep_first(wf_data_classes *data);
/* Adds a value that differs from all that are there. */
void wf_data_add(wf_data_classes *data, wf_value value, const wf_cone *wanted);
/* The same if it fits; ABSENT adds nothing. */
void wf_data_add_fitting(wf_data_classes *out, const wf_schema_group *all, wf_value value,
                         const wf_cone *wanted);
/* How many values are kept. */
uint32_t wf_data_most(const wf_data_classes *data);
/* The classes of a part, none yet: fewer are kept. */
wf_data_classes wf_data_inside(const wf_data_classes *out);

/* data_numbers.c, data_texts.c, data_containers.c */
void wf_data_add_numbers(wf_data_classes *out, const wf_schema_group *all,
                         const wf_cone *wanted);
void wf_data_add_strings(wf_data_classes *out, const wf_schema_group *all,
                         const wf_cone *wanted);
/* Texts that operators read as numbers. */
void wf_data_add_number_texts(wf_data_classes *out, const wf_schema_group *all,
                              const wf_cone *wanted);
/* Texts before, between and after those that a text is compared with. */
void wf_data_add_ordered_texts(wf_data_classes *out, const wf_schema_group *all,
                               const wf_cone *wanted);
void wf_data_add_objects(wf_data_classes *out, const wf_schema_group *all,
                         const wf_cone *wanted);
void wf_data_add_arrays(wf_data_classes *out, const wf_schema_group *all,
                        const wf_cone *wanted);

/* data_classes.c. The classes of one value, which may be part of another. */
void wf_data_find(wf_data_classes *out, wf_schema_group all, const wf_cone *wanted);
#endif
