/* Durations such as "1h30m": from text to seconds, and back. */
#ifndef DURATION_H
#define DURATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest duration, in seconds: a little over 136 years. */
#define DURATION_MAX UINT32_MAX

/* Room for the text of any duration, with its end. */
#define DURATION_TEXT_MAX 24

/*
 * Reads one or more numbers, each with its unit: w, d, h, m or s. The parts are added
 * up, whatever their order. Answers false, and leaves *seconds alone, for any other
 * text and for a duration above DURATION_MAX.
 */
bool duration_parse(const char *text, uint32_t *seconds);

/*
 * Writes the shortest text for a duration: 5400 is "1h30m", 0 is "0s". Answers false
 * when the text does not fit into size bytes.
 */
bool duration_format(uint32_t seconds, char *text, size_t size);

#endif
