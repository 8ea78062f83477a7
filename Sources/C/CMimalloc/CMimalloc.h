#pragma once
#include <mimalloc.h>
#include <stdlib.h>

// Whether `malloc` is mimalloc's: a sanitizer puts its own before it.
static inline bool mimalloc_serves_malloc(void) {
  void *block = malloc(64);
  bool is_its_own = block != NULL && mi_is_in_heap_region(block);
  free(block);
  return is_its_own;
}
