#include "Connection.hpp"

// How a connection ends after its last answer.
namespace http_door {

namespace {
constexpr std::size_t discard_read_size = 64 * 1024;
/// How much of a refused request is read and thrown away, so that its sender gets to see the refusal.
constexpr std::size_t discard_max = 64 * 1024 * 1024;
}  // namespace

/// Says that nothing more comes, and reads on for a while: closing a socket with unread bytes in it makes the system
/// reset the connection, and the client would lose the answer that it was about to read.
void Connection::linger() {
  enter(Phase::lingering, server_.settings.linger_deadline);
  if (!tls_) return shut_down_sending();
  tls_->async_shutdown([self = shared_from_this()](error_code error) {
    if (self->phase_ == Phase::closed) return;
    if (!error) return self->close();
    self->shut_down_sending();
  });
}

void Connection::shut_down_sending() {
  error_code error;
  socket_.shutdown(Socket::shutdown_send, error);
  if (error) return close();
  discard();
}

void Connection::discard() {
  buffer_.clear();
  socket_.async_read_some(
    buffer_.prepare(discard_read_size),
    [self = shared_from_this()](error_code error, std::size_t count) {
      if (self->phase_ == Phase::closed) return;
      self->discarded_ += count;
      if (error || self->discarded_ > discard_max) return self->close();
      self->discard();
    });
}

}  // namespace http_door
