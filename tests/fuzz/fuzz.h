/* SPDX-License-Identifier: MIT
 * What every fuzz target offers, to libFuzzer and to replay.c. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#endif
