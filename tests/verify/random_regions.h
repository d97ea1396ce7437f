/* tests/verify/random_regions.h: random documents with a parallel state, whose regions touch each
 * other in some way, or do not. */
#ifndef RANDOM_REGIONS_H
#define RANDOM_REGIONS_H

#include <stdbool.h>
#include <stdint.h>
#include "base/buffer.h"

/* The same document for the same number. `touch`: in how many of 100 places a region may touch what
 * is not its own. `returns`: it has histories, and transitions with several targets, and its parallel
 * state is left and entered again from anywhere. */
void write_random_regions(wf_buffer *out, uint32_t number, uint32_t touch, bool returns);
#endif
