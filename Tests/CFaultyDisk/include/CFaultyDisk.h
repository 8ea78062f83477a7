// A disk that fails on demand, for tests: a SQLite file system (VFS) over the platform's own.
//
// It also remembers of each file what was synced last, so that a test can ask what a power cut would have left.
#pragma once
#include <stdint.h>

typedef struct faulty_disk faulty_disk;

// What can fail.
enum faulty_disk_call {
  faulty_disk_read,
  faulty_disk_write,
  faulty_disk_sync,
  faulty_disk_open,
};

// Registers a disk under a name that is kept for ever; NULL when there is no memory.
faulty_disk *faulty_disk_make(const char *name);

// After `skip` more calls of that kind on files whose names end so, the next `count` calls fail with SQLite's `code`.
// Replaces the fault of that kind that was planned before.
void faulty_disk_fail(faulty_disk *disk, enum faulty_disk_call call, const char *suffix, int skip, int count,
                      int code);

// How many more planned faults of that kind have not struck yet.
int faulty_disk_faults_left(faulty_disk *disk, enum faulty_disk_call call);

// How many calls of that kind on files whose names end so have been made.
int faulty_disk_calls(faulty_disk *disk, enum faulty_disk_call call, const char *suffix);

// Called after each successful sync of a file whose name ends in `-wal`, on the thread that synced.
void faulty_disk_after_log_sync(faulty_disk *disk, void (*call)(void *), void *context);

// Writes the database at `path` and its log as they were synced last to `copy`, which must not be there.
// 0 when it went well.
int faulty_disk_power_cut(faulty_disk *disk, const char *path, const char *copy);

// Runs SQL on the file at `path` by a connection of its own; `answer` gets the rows, columns separated by `|`.
// The result is SQLite's code.
int faulty_disk_run_sql(const char *path, const char *sql, char *answer, int capacity);

// SQLite's codes that tests plan, whose arithmetic Swift does not import.
extern const int faulty_disk_full;
extern const int faulty_disk_io_error_on_sync;
extern const int faulty_disk_io_error_on_write;
extern const int faulty_disk_io_error_on_read;
extern const int faulty_disk_cannot_open;
