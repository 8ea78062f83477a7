#pragma once
// A C interface over Boost.Beast and Asio: an HTTP/1.1 server that reads one bounded request at a time off each
// connection and writes one answer. Everything that judges a request head stands in Swift; here are sockets, TLS,
// framing and deadlines.
//
// Every callback is made on one of the server's own threads, must be quick and must not throw. An exchange is handed
// out by `receive` and must be given back exactly once, by `http_exchange_answer`, before `http_server_destroy`.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct http_server http_server;
typedef struct http_exchange http_exchange;
typedef struct http_answer http_answer;

/// Why the connection itself refuses a request. Swift has a code for each.
typedef enum http_refusal_reason {
  http_refusal_malformed = 1,
  http_refusal_chunk_malformed,
  http_refusal_incomplete,
  http_refusal_head_too_large,
  http_refusal_target_too_long,
  http_refusal_body_too_large,
  http_refusal_too_slow,
  http_refusal_busy,
  http_refusal_too_many_connections,
} http_refusal_reason;

/// The other end of a connection. The text lives as long as the callback.
typedef struct http_peer {
  const char *host;
  uint16_t port;
  bool is_encrypted;
} http_peer;

/// What Swift found in a request head.
typedef struct http_head_verdict {
  /// The head itself; null when it is refused, and then the answer has been filled. Owned by the connection until
  /// `receive` or `release_head` takes it.
  void *head;
  /// The most bytes that the body may have.
  uint64_t body_limit;
  /// The declared length, 0 when there is none.
  uint64_t content_length;
  bool is_chunked;
  bool expects_continue;
} http_head_verdict;

/// What Swift found at the beginning of a connection from a proxy.
typedef struct http_proxy_header {
  /// How many bytes belong to it; 0 when more are needed, -1 when it is none.
  int64_t taken;
  /// Whether it names the client, by the following.
  bool names_client;
  uint8_t client[16];
  uint16_t port;
} http_proxy_header;

typedef struct http_callbacks {
  void *context;
  /// Whether an address (16 bytes, IPv4 in the clothes of IPv6) is that of a proxy that is trusted.
  bool (*trusts)(void *context, const uint8_t *address);
  /// Reads the header by which a proxy names its client. The bytes are all that have come so far.
  http_proxy_header (*read_proxy_header)(void *context, const uint8_t *bytes, size_t count);
  /// Judges a complete head, `CRLF CRLF` included. Fills the answer when it refuses.
  http_head_verdict (*check_head)(
    void *context, const uint8_t *bytes, size_t count, http_peer peer, http_answer *answer);
  /// Lets go of a head whose request never became whole.
  void (*release_head)(void *head);
  /// Takes a whole request: the head (now owned by the callee), the body (to be copied), the exchange to be answered,
  /// and the number of the loop on whose thread the call is made.
  void (*receive)(
    void *context, uint32_t loop, void *head, const uint8_t *body, size_t count, http_peer peer,
    http_exchange *exchange);
  /// Fills the answer to a request that the connection refuses.
  void (*refuse)(void *context, http_refusal_reason reason, http_peer peer, http_answer *answer);
  /// Made once: no connection is left. `was_forced` when some had to be cut at the end of the drain.
  void (*drained)(void *context, bool was_forced);
} http_callbacks;

typedef struct http_server_settings {
  const char *address;
  uint16_t port;
  /// A socket that listens already, and takes the place of address and port; -1 without one. The server closes
  /// it at its end.
  int32_t listening_descriptor;
  /// PEM files; both null for a server without TLS.
  const char *certificate_chain_file;
  const char *private_key_file;
  /// How many loops, each with a thread of its own.
  uint32_t threads;
  uint32_t connections_max;
  /// The share of the connections, in percent, that one address may hold; of IPv6 the first 64 bits.
  uint32_t connection_share_percent;
  /// Whether connections from proxies begin with a header that names their client.
  bool reads_proxy_header;
  uint64_t head_bytes_max;
  /// Bytes of bodies beyond the first 64 KiB of each that all connections together may hold.
  uint64_t held_body_bytes_max;
  /// Milliseconds for the whole phase, however busy the connection is.
  uint32_t handshake_deadline;
  uint32_t head_deadline;
  uint32_t body_deadline;
  uint32_t answer_deadline;
  uint32_t idle_deadline;
  uint32_t linger_deadline;
  /// Bodies and answers have their deadline and one second more for each so many bytes.
  uint32_t bytes_per_second_min;
} http_server_settings;

typedef enum http_failure_kind {
  http_failure_none = 0,
  http_failure_address,
  http_failure_certificate,
} http_failure_kind;

/// Why a server could not be opened.
typedef struct http_failure {
  http_failure_kind kind;
  char message[256];
} http_failure;

typedef struct http_statistics {
  uint64_t connections_open;
  uint64_t connections_accepted;
  /// Those that were turned away, because their address held its share or because there was no room.
  uint64_t connections_turned_away;
  uint64_t requests_received;
  uint64_t held_body_bytes;
} http_statistics;

/// Binds and listens, accepts nothing yet. Null on failure.
http_server *http_server_open(
  const http_server_settings *settings, const http_callbacks *callbacks, http_failure *failure);
/// The port that was bound.
uint16_t http_server_port(const http_server *server);
/// Starts the threads and accepts. False when no thread could be made.
bool http_server_start(http_server *server);
/// Gives the connections that begin from now on another certificate; open ones go on. False on failure, and then the
/// old one stays. May be called from any thread.
bool http_server_replace_certificate(
  http_server *server, const char *certificate_chain_file, const char *private_key_file,
  http_failure *failure);
/// Stops accepting, lets running exchanges end, cuts what is left after so many milliseconds. May be called from any
/// thread.
void http_server_stop(http_server *server, uint32_t drain_milliseconds);
/// How many threads this machine can run at the same time; at least 1.
uint32_t http_processors(void);
/// Calls a function on the thread of a loop (they are numbered from 0), soon: once for each call of this. May be called
/// from any thread. A call that is not yet made when the server is destroyed is never made.
void http_server_run(http_server *server, uint32_t loop, void (*run)(void *argument), void *argument);
/// What is going on. May be called from any thread.
http_statistics http_server_statistics(const http_server *server);
/// Ends the threads and frees everything. Every exchange must have been answered.
void http_server_destroy(http_server *server);

/// Sends the answer: a head without `Connection`, `Date` and the empty line, and a body; both are copied. Frees the
/// exchange. On the thread of the connection's loop the sending begins before this returns.
void http_exchange_answer(
  http_exchange *exchange, const uint8_t *head, size_t head_count, const uint8_t *body,
  size_t body_count, bool closes);

/// Fills the answer of a refusal; both parts are copied.
void http_answer_fill(
  http_answer *answer, const uint8_t *head, size_t head_count, const uint8_t *body,
  size_t body_count);

/// Reads a request that is wholly in memory exactly as a connection does, for the fuzzer: the head that Swift judged
/// so, then the bytes behind it, offered `step` at a time. Says how many of them belong to it; -1 when it is refused,
/// -2 when it is unfinished. `body_count` is the size of its body.
int64_t http_read_request(
  http_head_verdict verdict, const uint8_t *head, size_t head_count, const uint8_t *rest,
  size_t rest_count, size_t step, uint64_t *body_count);

#ifdef __cplusplus
}
#endif
