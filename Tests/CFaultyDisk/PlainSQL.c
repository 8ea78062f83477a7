// SQL beside the store: what a person with the database in his hands would do.
#include "CFaultyDisk.h"

#include <sqlite3.h>
#include <stdio.h>


struct answer {
  char *text;
  int capacity, length;
};

static int add_row(void *context, int count, char **values, char **names) {
  (void)names;
  struct answer *answer = context;
  for (int i = 0; i < count; i++) {
    int room = answer->capacity - answer->length;
    int written = snprintf(answer->text + answer->length, (size_t)room, "%s%s", values[i] ? values[i] : "NULL",
                           i + 1 < count ? "|" : "\n");
    if (written >= room) return 1;
    answer->length += written;
  }
  return 0;
}

int faulty_disk_run_sql(const char *path, const char *sql, char *answer, int capacity) {
  sqlite3 *database = NULL;
  struct answer rows = {answer, capacity, 0};
  if (capacity > 0) answer[0] = 0;
  int code = sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
  if (code == SQLITE_OK) sqlite3_busy_timeout(database, 5000);
  if (code == SQLITE_OK) code = sqlite3_exec(database, sql, add_row, &rows, NULL);
  sqlite3_close(database);
  return code;
}
