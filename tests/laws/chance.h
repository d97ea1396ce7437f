/* Repeatable random numbers: the same seed gives the same numbers everywhere. */
#ifndef TESTS_LAWS_CHANCE_H
#define TESTS_LAWS_CHANCE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct chance {
    uint64_t state;
} chance;

/* splitmix64 */
static inline uint64_t draw_bits(chance *self)
{
    uint64_t x = self->state += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}
/* 0 .. below - 1 */
static inline uint32_t draw(chance *self, uint32_t below)
{
    return (uint32_t)(draw_bits(self) >> 33) % below;
}
static inline bool draw_percent(chance *self, uint32_t percent)
{
    return draw(self, 100) < percent;
}
#define DRAW_FROM(self, list) ((list)[draw(self, sizeof(list) / sizeof *(list))])
#endif
