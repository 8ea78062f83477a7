#include "Connection.hpp"

// The header that a proxy sends before the first request (PROXY protocol).
namespace http_door {

namespace {
constexpr std::size_t proxy_read_size = 4 * 1024;
}  // namespace

void Connection::read_proxy_header() {
  socket_.async_read_some(
    buffer_.prepare(proxy_read_size), [self = shared_from_this()](error_code error, std::size_t count) {
      if (self->phase_ == Phase::closed) return;
      if (error) return self->close();
      self->buffer_.commit(count);
      self->take_proxy_header();
    });
}

void Connection::take_proxy_header() {
  const auto bytes = buffer_.data();
  const auto header = server_.callbacks.read_proxy_header(
    server_.callbacks.context, static_cast<const std::uint8_t *>(bytes.data()), bytes.size());
  if (header.taken == 0) return read_proxy_header();
  // A trusted proxy that does not keep to what was agreed: whoever its client is, we do not know.
  if (header.taken < 0) return close();
  buffer_.consume(static_cast<std::size_t>(header.taken));
  if (header.names_client) {
    peer_.rename(header);
    // The proxy itself is exempt, its client is not, unless that is another proxy.
    if (!server_.callbacks.trusts(server_.callbacks.context, peer_.address->data())) {
      auto taken = server_.seats.take(*peer_.address, server_.share());
      if (!taken) {
        server_.connection_turned_away();
        // Under TLS nothing can be said before the handshake.
        return server_.tls() ? close() : refuse(http_refusal_too_many_connections);
      }
      seat_ = std::move(*taken);
    }
  }
  begin();
}

}  // namespace http_door
