#include "CFaultyDisk.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const int faulty_disk_full = SQLITE_FULL;
const int faulty_disk_io_error_on_sync = SQLITE_IOERR_FSYNC;
const int faulty_disk_io_error_on_write = SQLITE_IOERR_WRITE;
const int faulty_disk_io_error_on_read = SQLITE_IOERR_READ;
const int faulty_disk_cannot_open = SQLITE_CANTOPEN;

enum { calls = 4, files_max = 64, counted_max = 256, name_max = 512 };

struct fault {
  char suffix[64];
  int skip, count, code;
};

// What of a file a power cut would leave.
struct durable {
  char name[name_max];
  unsigned char *bytes;
  sqlite3_int64 size;
};

struct counted {
  char name[name_max];
  int count[calls];
};

struct faulty_disk {
  sqlite3_vfs vfs;
  sqlite3_vfs *real;
  pthread_mutex_t mutex;
  struct fault faults[calls];
  struct durable files[files_max];
  struct counted counted[counted_max];
  void (*after_log_sync)(void *);
  void *context;
};

struct faulty_file {
  sqlite3_file base;
  faulty_disk *disk;
  char name[name_max];
  sqlite3_file *real;  // lies behind this struct
};

static int ends_in(const char *name, const char *suffix) {
  size_t a = strlen(name), b = strlen(suffix);
  return a >= b && strcmp(name + a - b, suffix) == 0;
}

// Counts a call, and gives the code that it is to fail with.
static int strike(faulty_disk *disk, enum faulty_disk_call call, const char *name) {
  int code = SQLITE_OK;
  pthread_mutex_lock(&disk->mutex);
  for (int i = 0; i < counted_max; i++) {
    struct counted *counted = &disk->counted[i];
    if (counted->name[0] == 0) snprintf(counted->name, name_max, "%s", name);
    if (strcmp(counted->name, name) == 0) {
      counted->count[call]++;
      break;
    }
  }
  struct fault *fault = &disk->faults[call];
  if (fault->count > 0 && ends_in(name, fault->suffix)) {
    if (fault->skip > 0) {
      fault->skip--;
    } else {
      fault->count--;
      code = fault->code;
    }
  }
  pthread_mutex_unlock(&disk->mutex);
  return code;
}

// Remembers a file as it is now: it has just been synced.
static int remember(struct faulty_file *file) {
  sqlite3_int64 size = 0;
  int code = file->real->pMethods->xFileSize(file->real, &size);
  if (code != SQLITE_OK) return code;
  unsigned char *bytes = malloc(size > 0 ? (size_t)size : 1);
  if (!bytes) return SQLITE_NOMEM;
  code = size > 0 ? file->real->pMethods->xRead(file->real, bytes, (int)size, 0) : SQLITE_OK;
  if (code != SQLITE_OK) {
    free(bytes);
    return code;
  }
  faulty_disk *disk = file->disk;
  pthread_mutex_lock(&disk->mutex);
  for (int i = 0; i < files_max; i++) {
    struct durable *durable = &disk->files[i];
    if (durable->name[0] == 0) snprintf(durable->name, name_max, "%s", file->name);
    if (strcmp(durable->name, file->name) == 0) {
      free(durable->bytes);
      durable->bytes = bytes;
      durable->size = size;
      break;
    }
  }
  pthread_mutex_unlock(&disk->mutex);
  return SQLITE_OK;
}

// MARK: files

#define REAL(file) (((struct faulty_file *)(file))->real)

static int file_close(sqlite3_file *file) { return REAL(file)->pMethods->xClose(REAL(file)); }
static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  struct faulty_file *ours = (struct faulty_file *)file;
  int code = strike(ours->disk, faulty_disk_read, ours->name);
  return code != SQLITE_OK ? code : REAL(file)->pMethods->xRead(REAL(file), bytes, count, offset);
}
static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  struct faulty_file *ours = (struct faulty_file *)file;
  int code = strike(ours->disk, faulty_disk_write, ours->name);
  return code != SQLITE_OK ? code : REAL(file)->pMethods->xWrite(REAL(file), bytes, count, offset);
}
static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
  return REAL(file)->pMethods->xTruncate(REAL(file), size);
}
static int file_sync(sqlite3_file *file, int flags) {
  struct faulty_file *ours = (struct faulty_file *)file;
  int code = strike(ours->disk, faulty_disk_sync, ours->name);
  if (code == SQLITE_OK) code = REAL(file)->pMethods->xSync(REAL(file), flags);
  if (code == SQLITE_OK) code = remember(ours);
  if (code == SQLITE_OK && ours->disk->after_log_sync && ends_in(ours->name, "-wal")) {
    ours->disk->after_log_sync(ours->disk->context);
  }
  return code;
}
static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  return REAL(file)->pMethods->xFileSize(REAL(file), size);
}
static int file_lock(sqlite3_file *file, int level) { return REAL(file)->pMethods->xLock(REAL(file), level); }
static int file_unlock(sqlite3_file *file, int level) {
  return REAL(file)->pMethods->xUnlock(REAL(file), level);
}
static int file_check_lock(sqlite3_file *file, int *held) {
  return REAL(file)->pMethods->xCheckReservedLock(REAL(file), held);
}
static int file_control(sqlite3_file *file, int operation, void *argument) {
  return REAL(file)->pMethods->xFileControl(REAL(file), operation, argument);
}
static int file_sector(sqlite3_file *file) { return REAL(file)->pMethods->xSectorSize(REAL(file)); }
static int file_traits(sqlite3_file *file) {
  return REAL(file)->pMethods->xDeviceCharacteristics(REAL(file));
}
static int file_map(sqlite3_file *file, int page, int size, int extend, void volatile **memory) {
  return REAL(file)->pMethods->xShmMap(REAL(file), page, size, extend, memory);
}
static int file_shared_lock(sqlite3_file *file, int offset, int count, int flags) {
  return REAL(file)->pMethods->xShmLock(REAL(file), offset, count, flags);
}
static void file_barrier(sqlite3_file *file) { REAL(file)->pMethods->xShmBarrier(REAL(file)); }
static int file_unmap(sqlite3_file *file, int delete) {
  return REAL(file)->pMethods->xShmUnmap(REAL(file), delete);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector,
    .xDeviceCharacteristics = file_traits,
    .xShmMap = file_map,
    .xShmLock = file_shared_lock,
    .xShmBarrier = file_barrier,
    .xShmUnmap = file_unmap,
};

// MARK: the file system

#define DISK(vfs) ((faulty_disk *)(vfs))

static int disk_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out) {
  struct faulty_file *ours = (struct faulty_file *)file;
  memset(ours, 0, sizeof *ours);
  int code = name ? strike(DISK(vfs), faulty_disk_open, name) : SQLITE_OK;
  if (code != SQLITE_OK) return code;
  ours->disk = DISK(vfs);
  ours->real = (sqlite3_file *)&ours[1];
  snprintf(ours->name, name_max, "%s", name ? name : "(temporary)");
  code = DISK(vfs)->real->xOpen(DISK(vfs)->real, name, ours->real, flags, out);
  if (code == SQLITE_OK) ours->base.pMethods = &methods;
  return code;
}

static int disk_delete(sqlite3_vfs *vfs, const char *name, int sync_directory) {
  faulty_disk *disk = DISK(vfs);
  int code = disk->real->xDelete(disk->real, name, sync_directory);
  pthread_mutex_lock(&disk->mutex);
  for (int i = 0; code == SQLITE_OK && i < files_max; i++) {
    if (strcmp(disk->files[i].name, name) == 0) disk->files[i].size = 0;
  }
  pthread_mutex_unlock(&disk->mutex);
  return code;
}

static int disk_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
  return DISK(vfs)->real->xAccess(DISK(vfs)->real, name, flags, result);
}
static int disk_full_path(sqlite3_vfs *vfs, const char *name, int capacity, char *path) {
  return DISK(vfs)->real->xFullPathname(DISK(vfs)->real, name, capacity, path);
}
static int disk_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
  return DISK(vfs)->real->xRandomness(DISK(vfs)->real, count, bytes);
}
static int disk_sleep(sqlite3_vfs *vfs, int microseconds) {
  return DISK(vfs)->real->xSleep(DISK(vfs)->real, microseconds);
}
static int disk_time(sqlite3_vfs *vfs, double *day) {
  return DISK(vfs)->real->xCurrentTime(DISK(vfs)->real, day);
}
static int disk_error(sqlite3_vfs *vfs, int capacity, char *text) {
  return DISK(vfs)->real->xGetLastError(DISK(vfs)->real, capacity, text);
}

faulty_disk *faulty_disk_make(const char *name) {
  sqlite3_initialize();
  faulty_disk *disk = calloc(1, sizeof *disk);
  if (!disk) return NULL;
  pthread_mutex_init(&disk->mutex, NULL);
  disk->real = sqlite3_vfs_find(NULL);
  disk->vfs.iVersion = 1;
  disk->vfs.szOsFile = (int)sizeof(struct faulty_file) + disk->real->szOsFile;
  disk->vfs.mxPathname = disk->real->mxPathname;
  disk->vfs.zName = strdup(name);
  disk->vfs.xOpen = disk_open;
  disk->vfs.xDelete = disk_delete;
  disk->vfs.xAccess = disk_access;
  disk->vfs.xFullPathname = disk_full_path;
  disk->vfs.xRandomness = disk_randomness;
  disk->vfs.xSleep = disk_sleep;
  disk->vfs.xCurrentTime = disk_time;
  disk->vfs.xGetLastError = disk_error;
  sqlite3_vfs_register(&disk->vfs, 0);
  return disk;
}

void faulty_disk_fail(faulty_disk *disk, enum faulty_disk_call call, const char *suffix, int skip, int count,
                      int code) {
  pthread_mutex_lock(&disk->mutex);
  struct fault *fault = &disk->faults[call];
  snprintf(fault->suffix, sizeof fault->suffix, "%s", suffix);
  fault->skip = skip;
  fault->count = count;
  fault->code = code;
  pthread_mutex_unlock(&disk->mutex);
}

int faulty_disk_faults_left(faulty_disk *disk, enum faulty_disk_call call) {
  pthread_mutex_lock(&disk->mutex);
  int count = disk->faults[call].count;
  pthread_mutex_unlock(&disk->mutex);
  return count;
}

int faulty_disk_calls(faulty_disk *disk, enum faulty_disk_call call, const char *suffix) {
  int count = 0;
  pthread_mutex_lock(&disk->mutex);
  for (int i = 0; i < counted_max && disk->counted[i].name[0]; i++) {
    if (ends_in(disk->counted[i].name, suffix)) count += disk->counted[i].count[call];
  }
  pthread_mutex_unlock(&disk->mutex);
  return count;
}

void faulty_disk_after_log_sync(faulty_disk *disk, void (*call)(void *), void *context) {
  disk->context = context;
  disk->after_log_sync = call;
}

static int write_file(const char *path, const struct durable *durable) {
  FILE *file = fopen(path, "wbx");
  if (!file) return 1;
  size_t size = durable ? (size_t)durable->size : 0;
  int failed = fwrite(durable ? durable->bytes : NULL, 1, size, file) != size;
  return fclose(file) != 0 || failed;
}

int faulty_disk_power_cut(faulty_disk *disk, const char *path, const char *copy) {
  static const char *const suffixes[] = {"", "-wal"};
  int failed = 0;
  pthread_mutex_lock(&disk->mutex);
  for (int s = 0; s < 2; s++) {
    char from[name_max], to[name_max];
    snprintf(from, sizeof from, "%s%s", path, suffixes[s]);
    snprintf(to, sizeof to, "%s%s", copy, suffixes[s]);
    const struct durable *found = NULL;
    for (int i = 0; i < files_max; i++) {
      if (ends_in(disk->files[i].name, from)) found = &disk->files[i];
    }
    failed |= write_file(to, found);
  }
  pthread_mutex_unlock(&disk->mutex);
  return failed;
}
