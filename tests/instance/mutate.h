/* All wrong variants of one place of a JSON text. */
#ifndef TESTS_INSTANCE_MUTATE_H
#define TESTS_INSTANCE_MUTATE_H

#include "base/buffer.h"
#include "logic/value.h"

/* Replaces *out by the text with its n-th mutation (from 0); false when there are no more. */
bool mutate(const wf_value *value, size_t n, wf_buffer *out);
#endif
