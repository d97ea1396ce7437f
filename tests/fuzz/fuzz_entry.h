#ifndef TESTS_FUZZ_ENTRY_H
#define TESTS_FUZZ_ENTRY_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer's entry points, which each target defines or shares. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *two,
                                 size_t two_size, uint8_t *out, size_t room, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
#endif
