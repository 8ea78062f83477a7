#pragma once
#include "RequestReader.hpp"

#include "HeadScanner.hpp"
#include "Server.hpp"

#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>

/// An answer as bytes; the head has neither `Date` nor `Connection` nor the empty line.
struct http_answer {
  std::string head;
  std::string body;
};

namespace http_door {

/// One client's connection: reads a request, hands it out, writes the answer, and begins again.
///
/// At any moment exactly one thing is under way: one read, one write, one exchange with Swift. So pipelined requests
/// wait in the socket, a slow handler holds its client back, and nothing is ever queued.
class Connection : public std::enable_shared_from_this<Connection>, public ConnectionHook {
public:
  Connection(
    Server &server, Loop &loop, Socket socket, Peer peer, Seats::Seat seat, bool is_trusted_proxy);
  ~Connection();

  /// Begins. The following are called on the loop's thread, as is everything private.
  void start();
  /// Takes the answer to the request that was handed out.
  void answer(http_answer answer, bool closes);
  /// Ends the phase that has lasted too long.
  void check_deadline(Clock::time_point now);
  /// Closes an idle connection that has had its answers. A new one may still send its first request.
  void begin_drain();
  /// Closes at once.
  void cut() { close(); }
  Loop &loop() { return loop_; }

private:
  enum class Phase { proxy_header, handshake, idle, head, body, handling, answering, lingering, closed };

  void enter(Phase phase, std::uint32_t milliseconds);
  /// Whether nothing of a request has come.
  bool waits() const;
  void read_proxy_header();
  void take_proxy_header();
  void begin();
  void begin_request(std::uint32_t idle_milliseconds);
  void read();
  void on_read(error_code error, std::size_t count);
  void take_bytes();
  void scan_head();
  void take_head();
  void invite_body();
  void read_body();
  bool hold(std::uint64_t bytes);
  void release_body();
  void hand_out();
  void refuse(http_refusal_reason reason);
  void write(http_answer answer, bool keeps);
  void linger();
  void shut_down_sending();
  void discard();
  void close();

  template <class Handler> void read_some(std::size_t size, Handler handler);
  template <class Buffers, class Handler> void write_all(const Buffers &buffers, Handler handler);

  struct HeadDeleter {
    void (*release)(void *);
    void operator()(void *head) const { release(head); }
  };

  Server &server_;
  Loop &loop_;
  Socket socket_;
  /// It must live as long as the connection, whatever the server has meanwhile.
  std::shared_ptr<asio::ssl::context> certificate_;
  std::optional<asio::ssl::stream<Socket &>> tls_;
  Peer peer_;
  /// Counts it against what its client may hold; none for a trusted proxy.
  Seats::Seat seat_;
  bool is_trusted_proxy_;
  Phase phase_ = Phase::idle;
  Clock::time_point deadline_ = Clock::time_point::max();
  Clock::time_point body_began_;
  boost::beast::flat_buffer buffer_;
  HeadScanner scanner_;
  std::optional<RequestReader> reader_;
  std::unique_ptr<void, HeadDeleter> head_;
  std::uint64_t body_bytes_ = 0;
  std::uint64_t held_bytes_ = 0;
  std::size_t discarded_ = 0;
  http_answer answer_;
  /// Whether nothing was received yet. The first request of such a client may be on its way.
  bool is_new_ = true;
  bool speaks_http10_ = false;
  bool keeps_alive_ = false;
  bool is_too_slow_ = false;
};

}  // namespace http_door

/// A request that waits for its answer.
struct http_exchange {
  std::shared_ptr<http_door::Connection> connection;
};
