#include "Server.hpp"

#include <algorithm>

namespace http_door {

Peer::Peer(const Socket &socket, bool is_encrypted) : is_encrypted(is_encrypted) {
  error_code error;
  const auto endpoint = socket.remote_endpoint(error);
  // A connection that is already gone has no address any more; its first read will find that out.
  if (error) return;
  auto found = endpoint.address();
  if (found.is_v4()) {
    address = asio::ip::make_address_v6(asio::ip::v4_mapped, found.to_v4()).to_bytes();
  } else {
    address = found.to_v6().to_bytes();
    if (found.to_v6().is_v4_mapped()) {
      found = asio::ip::make_address_v4(asio::ip::v4_mapped, found.to_v6());
    }
  }
  host = found.to_string();
  port = endpoint.port();
}

void Peer::rename(const http_proxy_header &header) {
  Address bytes;
  std::copy(std::begin(header.client), std::end(header.client), bytes.begin());
  const asio::ip::address_v6 named(bytes);
  address = bytes;
  host = named.is_v4_mapped() ? asio::ip::make_address_v4(asio::ip::v4_mapped, named).to_string()
                              : named.to_string();
  port = header.port;
}

}  // namespace http_door
