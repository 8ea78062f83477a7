#include "RequestReader.hpp"

namespace http_door {

using boost::beast::http::error;

RequestReader::RequestReader() { parser_.eager(true); }

bool RequestReader::begin(
  const http_head_verdict &verdict, const char *bytes, std::size_t count) {
  parser_.header_limit(static_cast<std::uint32_t>(count + 1));
  parser_.body_limit(verdict.body_limit);
  boost::system::error_code failure;
  const auto taken = parser_.put(boost::asio::buffer(bytes, count), failure);
  return !failure && taken == count && parser_.is_header_done()
    && parser_.chunked() == verdict.is_chunked
    && parser_.content_length().value_or(0) == verdict.content_length;
}

RequestReader::Progress RequestReader::read(
  const char *bytes, std::size_t count, std::size_t &taken) {
  taken = 0;
  while (!parser_.is_done() && taken < count) {
    boost::system::error_code failure;
    const auto step = parser_.put(boost::asio::buffer(bytes + taken, count - taken), failure);
    taken += step;
    if (failure == error::body_limit) return Progress::body_too_large;
    if (failure && failure != error::need_more) return Progress::malformed;
    if (failure || step == 0) {
      return count - taken > chunk_line_max ? Progress::malformed : Progress::needs_more;
    }
  }
  return parser_.is_done() ? Progress::complete : Progress::needs_more;
}

}  // namespace http_door
