// A SQLite file system (VFS) that writes the pages of a commit to the log by one call.
//
// SQLite writes each page of the log by two calls: 24 bytes that describe the page, then the page. During a COMMIT
// they wait in memory until the page that ends it, and go to the file together, before SQLite syncs it or tells
// readers of it. All other files and calls go to the file system below unchanged.
//
// Nothing waits outside of a COMMIT. Pages of a transaction that was rolled back would otherwise be written later, over
// what another process has committed meanwhile.
#pragma once

#include <sqlite3.h>

// Registers such a file system over the one of that name, once per process; NULL is the platform's own.
// Returns its name, which stays valid; NULL if there is no file system of that name, or no memory.
const char *joined_writes_over(const char *name);

// Called before a COMMIT of this connection, and after it, whatever its result. Other file systems ignore both.
void joined_writes_begin(sqlite3 *database);
void joined_writes_end(sqlite3 *database);
