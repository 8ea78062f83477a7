#pragma once
#include <zlib.h>

// Macros that Swift cannot call. 16 added to the largest window asks for gzip (RFC 1952) and nothing else.
static inline int czlib_start_reading_gzip(z_stream *stream) { return inflateInit2(stream, 16 + MAX_WBITS); }
static inline int czlib_start_writing_gzip(z_stream *stream) {
  return deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
}
