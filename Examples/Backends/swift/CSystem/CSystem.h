#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sqlite3.h>

// SQLite copies the text. Swift cannot write the constant that asks for it.
static inline int sqlite3_bind_copied_text(sqlite3_stmt *statement, int place, const char *text) {
  return sqlite3_bind_text(statement, place, text, -1, SQLITE_TRANSIENT);
}
