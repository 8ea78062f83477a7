#pragma once
#include <sqlite3.h>

// `sqlite3_config` takes a variable list of arguments, which Swift cannot call. Without the statistics SQLite asks the
// C library for memory without taking a lock of the whole process each time. It works only before SQLite's first use in
// the process.
static inline int csqlite_keep_no_memory_statistics(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
