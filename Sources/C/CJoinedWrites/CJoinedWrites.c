#include "CJoinedWrites.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  // Larger commits are written in several calls. SQLite's file system for Unix writes no more by one call.
  capacity = 0x1ffff,
  // What SQLite writes before each page; bytes 4 to 7 are zero except at the page that ends a commit.
  frame_header_size = 24,
  name_max = 128,
};

struct joined_system {
  sqlite3_vfs vfs;
  sqlite3_vfs *real;
  struct joined_system *next;
  char name[name_max];
};

struct joined_log {
  sqlite3_file base;
  sqlite3_file *real;  // lies behind this struct
  unsigned char *waiting;
  sqlite3_int64 offset;
  int count;
  // Whether a COMMIT runs.
  int joins;
  // Whether the page that comes next ends a commit.
  int ends_commit;
};

// MARK: the log

#define LOG(file) ((struct joined_log *)(file))
#define REAL(file) (LOG(file)->real)

// Writes what waits. After an error it is gone: SQLite rolls the transaction back and writes these pages again.
static int flush(struct joined_log *log) {
  int count = log->count;
  log->count = 0;
  log->ends_commit = 0;
  if (count == 0) return SQLITE_OK;
  return log->real->pMethods->xWrite(log->real, log->waiting, count, log->offset);
}

static int log_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  struct joined_log *log = LOG(file);
  if (!log->joins) return REAL(file)->pMethods->xWrite(REAL(file), bytes, count, offset);
  int is_next = log->count > 0 && offset == log->offset + log->count && count <= capacity - log->count;
  if (!is_next) {
    int code = flush(log);
    if (code != SQLITE_OK) return code;
    if (count > capacity) return REAL(file)->pMethods->xWrite(REAL(file), bytes, count, offset);
    log->offset = offset;
  }
  memcpy(log->waiting + log->count, bytes, (size_t)count);
  log->count += count;
  if (count == frame_header_size) {
    const unsigned char *header = bytes;
    log->ends_commit = (header[4] | header[5] | header[6] | header[7]) != 0;
    return SQLITE_OK;
  }
  return log->ends_commit ? flush(log) : SQLITE_OK;
}

static int log_close(sqlite3_file *file) {
  free(LOG(file)->waiting);
  return REAL(file)->pMethods->xClose(REAL(file));
}

static int log_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  int code = flush(LOG(file));
  return code != SQLITE_OK ? code : REAL(file)->pMethods->xRead(REAL(file), bytes, count, offset);
}

static int log_truncate(sqlite3_file *file, sqlite3_int64 size) {
  int code = flush(LOG(file));
  return code != SQLITE_OK ? code : REAL(file)->pMethods->xTruncate(REAL(file), size);
}

static int log_sync(sqlite3_file *file, int flags) {
  int code = flush(LOG(file));
  return code != SQLITE_OK ? code : REAL(file)->pMethods->xSync(REAL(file), flags);
}

static int log_size(sqlite3_file *file, sqlite3_int64 *size) {
  int code = flush(LOG(file));
  return code != SQLITE_OK ? code : REAL(file)->pMethods->xFileSize(REAL(file), size);
}

static int log_lock(sqlite3_file *file, int level) { return REAL(file)->pMethods->xLock(REAL(file), level); }
static int log_unlock(sqlite3_file *file, int level) { return REAL(file)->pMethods->xUnlock(REAL(file), level); }
static int log_check_lock(sqlite3_file *file, int *held) {
  return REAL(file)->pMethods->xCheckReservedLock(REAL(file), held);
}
static int log_control(sqlite3_file *file, int operation, void *argument) {
  return REAL(file)->pMethods->xFileControl(REAL(file), operation, argument);
}
static int log_sector(sqlite3_file *file) { return REAL(file)->pMethods->xSectorSize(REAL(file)); }
static int log_traits(sqlite3_file *file) { return REAL(file)->pMethods->xDeviceCharacteristics(REAL(file)); }

static const sqlite3_io_methods log_methods = {
    .iVersion = 1,
    .xClose = log_close,
    .xRead = log_read,
    .xWrite = log_write,
    .xTruncate = log_truncate,
    .xSync = log_sync,
    .xFileSize = log_size,
    .xLock = log_lock,
    .xUnlock = log_unlock,
    .xCheckReservedLock = log_check_lock,
    .xFileControl = log_control,
    .xSectorSize = log_sector,
    .xDeviceCharacteristics = log_traits,
};

// The log of a connection if it lies in such a file system, else NULL.
static struct joined_log *log_of(sqlite3 *database) {
  sqlite3_file *file = NULL;
  if (sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file) != SQLITE_OK) return NULL;
  return file && file->pMethods == &log_methods ? LOG(file) : NULL;
}

void joined_writes_begin(sqlite3 *database) {
  struct joined_log *log = log_of(database);
  if (log) log->joins = 1;
}

void joined_writes_end(sqlite3 *database) {
  struct joined_log *log = log_of(database);
  if (!log) return;
  log->joins = 0;
  // Something is left only of a COMMIT that failed. No page of it counts.
  log->count = 0;
  log->ends_commit = 0;
}

// MARK: the file system

#define BELOW(vfs) (((struct joined_system *)(vfs))->real)

static int system_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out) {
  if (!(flags & SQLITE_OPEN_WAL)) return BELOW(vfs)->xOpen(BELOW(vfs), name, file, flags, out);
  struct joined_log *log = LOG(file);
  memset(log, 0, sizeof *log);
  log->real = (sqlite3_file *)&log[1];
  log->waiting = malloc(capacity);
  if (!log->waiting) return SQLITE_NOMEM;
  int code = BELOW(vfs)->xOpen(BELOW(vfs), name, log->real, flags, out);
  // SQLite closes a file that failed to open if it has methods.
  if (code == SQLITE_OK || log->real->pMethods) {
    log->base.pMethods = &log_methods;
  } else {
    free(log->waiting);
  }
  return code;
}

static int system_delete(sqlite3_vfs *vfs, const char *name, int syncs_folder) {
  return BELOW(vfs)->xDelete(BELOW(vfs), name, syncs_folder);
}
static int system_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
  return BELOW(vfs)->xAccess(BELOW(vfs), name, flags, result);
}
static int system_full_path(sqlite3_vfs *vfs, const char *name, int room, char *path) {
  return BELOW(vfs)->xFullPathname(BELOW(vfs), name, room, path);
}
static int system_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
  return BELOW(vfs)->xRandomness(BELOW(vfs), count, bytes);
}
static int system_sleep(sqlite3_vfs *vfs, int microseconds) { return BELOW(vfs)->xSleep(BELOW(vfs), microseconds); }
static int system_time(sqlite3_vfs *vfs, double *day) { return BELOW(vfs)->xCurrentTime(BELOW(vfs), day); }
static int system_error(sqlite3_vfs *vfs, int room, char *text) {
  return BELOW(vfs)->xGetLastError(BELOW(vfs), room, text);
}

// They are never unregistered: connections use them until the process ends.
static struct joined_system *first_system;
static pthread_mutex_t systems_mutex = PTHREAD_MUTEX_INITIALIZER;

static const char *find_or_register(const char *name) {
  sqlite3_vfs *real = sqlite3_vfs_find(name);
  if (!real) return NULL;
  for (struct joined_system *known = first_system; known; known = known->next) {
    if (known->real == real) return known->name;
  }
  struct joined_system *system = calloc(1, sizeof *system);
  if (!system) return NULL;
  int length = snprintf(system->name, name_max, "joined-%s", real->zName);
  size_t real_size = (size_t)real->szOsFile + sizeof(struct joined_log);
  system->real = real;
  system->vfs = (sqlite3_vfs){
      // No loading of extensions, no replacing of system calls: only version 1 is needed.
      .iVersion = 1,
      .szOsFile = (int)real_size,
      .mxPathname = real->mxPathname,
      .zName = system->name,
      .xOpen = system_open,
      .xDelete = system_delete,
      .xAccess = system_access,
      .xFullPathname = system_full_path,
      .xRandomness = system_randomness,
      .xSleep = system_sleep,
      .xCurrentTime = system_time,
      .xGetLastError = system_error,
  };
  if (length >= name_max || sqlite3_vfs_register(&system->vfs, 0) != SQLITE_OK) {
    free(system);
    return NULL;
  }
  system->next = first_system;
  first_system = system;
  return system->name;
}

const char *joined_writes_over(const char *name) {
  if (sqlite3_initialize() != SQLITE_OK) return NULL;
  pthread_mutex_lock(&systems_mutex);
  const char *found = find_or_register(name);
  pthread_mutex_unlock(&systems_mutex);
  return found;
}
