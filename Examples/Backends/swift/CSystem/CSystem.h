#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sqlite3.h>
