#pragma once
#include <stddef.h>
#include <stdint.h>

// libFuzzer's own entry: runs the flags and corpora of its command line over one function.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
