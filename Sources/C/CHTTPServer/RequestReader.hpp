#pragma once
#include "include/CHTTPServer.h"

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/vector_body.hpp>
#include <cstdint>
#include <vector>

namespace http_door {

/// Reads one request with Beast's parser: a head that Swift has accepted, then the body, piece by piece.
class RequestReader {
public:
  enum class Progress { needs_more, complete, body_too_large, malformed };

  /// The longest line before a chunk, and the most bytes of trailer fields.
  static constexpr std::size_t chunk_line_max = 16 * 1024;

  RequestReader();

  /// Reads the head. False when Beast does not see in it what Swift saw: then nobody knows where the body ends.
  bool begin(const http_head_verdict &verdict, const char *bytes, std::size_t count);
  /// Reads on, and says how many of these bytes belong to the request; those that were not taken must be offered again,
  /// with more.
  Progress read(const char *bytes, std::size_t count, std::size_t &taken);

  const std::vector<std::uint8_t> &body() const { return parser_.get().body(); }
  bool speaks_http10() const { return parser_.get().version() == 10; }
  bool keeps_alive() const { return parser_.keep_alive(); }

private:
  boost::beast::http::request_parser<boost::beast::http::vector_body<std::uint8_t>> parser_;
};

}  // namespace http_door
