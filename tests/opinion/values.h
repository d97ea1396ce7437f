/* Random JSON that is not taken from a document: by a shape, which the generator gives for the data
 * of each event and each result, and which is no schema.
 *   {"k": "num"}, {"k": "int", "lo": 0, "hi": 9}, {"k": "str"}, {"k": "name"}, {"k": "bool"},
 *   {"k": "any"},
 *   {"k": "list", "of": SHAPE}, {"k": "obj", "f": {NAME: SHAPE}} */
#ifndef TESTS_OPINION_VALUES_H
#define TESTS_OPINION_VALUES_H

#include <jansson.h>
#include "laws/chance.h"

json_t *value_of(const json_t *shape, chance *random);
double value_number(chance *random);
json_t *value_text(chance *random);
/* Of a person. */
const char *value_name(chance *random);
/* A number as JSON writes it best. */
json_t *value_json(double number);
/* Something like `old`: a neighbour, a longer or a shorter one. */
json_t *value_near(const json_t *old, chance *random);

/* A number between two others, halfway in the order of the doubles; one of them if there is none. */
double value_between(double low, double high);

#endif
