#include "Connection.hpp"

#include <boost/asio/write.hpp>

namespace http_door {

namespace {
constexpr std::size_t head_read_size = 4 * 1024;
constexpr std::size_t body_read_size = 64 * 1024;
/// How long a connection that was accepted just before the drain may take to send its first request. If it were closed
/// at once, its client would lose a call at each restart.
constexpr auto drain_of_new = std::chrono::seconds(2);
/// What a body may have without counting against the memory that all bodies share: a flood of large ones must not keep
/// out the small ones of which most traffic consists.
constexpr std::uint64_t unheld_body_bytes = 64 * 1024;
}  // namespace

Connection::Connection(
  Server &server, Loop &loop, Socket socket, Peer peer, Seats::Seat seat, bool is_trusted_proxy)
  : server_(server), loop_(loop), socket_(std::move(socket)), peer_(std::move(peer)),
    seat_(std::move(seat)), is_trusted_proxy_(is_trusted_proxy),
    buffer_(server.settings.head_bytes_max + RequestReader::chunk_line_max + 2 * body_read_size),
    head_(nullptr, HeadDeleter{server.callbacks.release_head}) {
  server_.connection_began();
}

Connection::~Connection() { close(); }

void Connection::start() {
  loop_.watch(*this);
  error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  if (!server_.settings.reads_proxy_header || !is_trusted_proxy_) return begin();
  enter(Phase::proxy_header, server_.settings.handshake_deadline);
  read_proxy_header();
}

void Connection::begin() {
  certificate_ = server_.tls();
  if (!certificate_) return begin_request(server_.settings.head_deadline);
  tls_.emplace(socket_, *certificate_);
  enter(Phase::handshake, server_.settings.handshake_deadline);
  // What came behind a proxy's header is the beginning of the handshake.
  tls_->async_handshake(
    asio::ssl::stream_base::server, buffer_.data(),
    [self = shared_from_this()](error_code error, std::size_t count) {
      if (self->phase_ == Phase::closed) return;
      self->buffer_.consume(count);
      // Before we have answered, nobody can send more than the beginning.
      if (error || self->buffer_.size() > 0) return self->close();
      self->begin_request(self->server_.settings.head_deadline);
    });
}

void Connection::enter(Phase phase, std::uint32_t milliseconds) {
  phase_ = phase;
  deadline_ = Clock::now() + std::chrono::milliseconds(milliseconds);
  if (server_.is_draining && waits()) deadline_ = std::min(deadline_, Clock::now() + drain_of_new);
}

bool Connection::waits() const {
  return phase_ == Phase::idle || phase_ == Phase::handshake || phase_ == Phase::proxy_header;
}

void Connection::check_deadline(Clock::time_point now) {
  if (now < deadline_) return;
  const auto keeps_itself = shared_from_this();
  if (phase_ != Phase::head && phase_ != Phase::body) return close();
  // The read under way ends with an error, and its handler answers that the request came too slowly.
  is_too_slow_ = true;
  deadline_ = now + std::chrono::milliseconds(server_.settings.linger_deadline);
  error_code ignored;
  socket_.cancel(ignored);
}

void Connection::begin_drain() {
  if (!waits()) return;
  if (!is_new_) return close();
  deadline_ = std::min(deadline_, Clock::now() + drain_of_new);
}

void Connection::close() {
  if (phase_ == Phase::closed) return;
  phase_ = Phase::closed;
  deadline_ = Clock::time_point::max();
  error_code ignored;
  socket_.close(ignored);
  release_body();
  head_.reset();
  seat_.leave();
  if (is_linked()) unlink();
  server_.connection_ended();
}

// MARK: Reading

template <class Handler> void Connection::read_some(std::size_t size, Handler handler) {
  const auto space = buffer_.prepare(size);
  if (tls_) {
    tls_->async_read_some(space, std::move(handler));
  } else {
    socket_.async_read_some(space, std::move(handler));
  }
}

void Connection::begin_request(std::uint32_t idle_milliseconds) {
  scanner_ = HeadScanner();
  reader_.reset();
  enter(Phase::idle, idle_milliseconds);
  if (buffer_.size() > 0) return take_bytes();
  // An idle connection keeps no more than a small buffer.
  if (buffer_.capacity() > 2 * head_read_size) {
    buffer_ = boost::beast::flat_buffer(buffer_.max_size());
  }
  read();
}

void Connection::read() {
  read_some(
    phase_ == Phase::body ? body_read_size : head_read_size,
    [self = shared_from_this()](error_code error, std::size_t count) {
      self->on_read(error, count);
    });
}

void Connection::on_read(error_code error, std::size_t count) {
  if (phase_ == Phase::closed) return;
  if (is_too_slow_) return refuse(http_refusal_too_slow);
  if (!error) {
    buffer_.commit(count);
    return take_bytes();
  }
  const bool has_ended = error == asio::error::eof || error == asio::ssl::error::stream_truncated;
  if (!has_ended || phase_ == Phase::idle) return close();
  // The client may have closed its sending side only, and then it can still read the answer.
  refuse(http_refusal_incomplete);
}

void Connection::take_bytes() {
  if (phase_ == Phase::idle) enter(Phase::head, server_.settings.head_deadline);
  if (phase_ == Phase::head) return scan_head();
  read_body();
}

void Connection::scan_head() {
  const auto bytes = buffer_.data();
  const auto limit = server_.settings.head_bytes_max;
  const auto progress = scanner_.advance(static_cast<const char *>(bytes.data()), bytes.size());
  if (progress == HeadScanner::Progress::malformed) return refuse(http_refusal_malformed);
  const auto size =
    progress == HeadScanner::Progress::complete ? scanner_.end() : bytes.size() + 1;
  if (size - scanner_.start() > limit) {
    return refuse(
      scanner_.is_in_request_line() ? http_refusal_target_too_long : http_refusal_head_too_large);
  }
  if (progress == HeadScanner::Progress::needs_more) return read();
  take_head();
}

void Connection::take_head() {
  const auto *bytes = static_cast<const char *>(buffer_.data().data()) + scanner_.start();
  const auto count = scanner_.end() - scanner_.start();
  http_answer refusal;
  const auto verdict = server_.callbacks.check_head(
    server_.callbacks.context, reinterpret_cast<const std::uint8_t *>(bytes), count,
    peer_.view(), &refusal);
  if (verdict.head == nullptr) return write(std::move(refusal), false);
  head_.reset(verdict.head);
  reader_.emplace();
  if (!reader_->begin(verdict, bytes, count)) return refuse(http_refusal_malformed);
  speaks_http10_ = reader_->speaks_http10();
  keeps_alive_ = reader_->keeps_alive();
  buffer_.consume(scanner_.end());
  body_bytes_ = 0;
  body_began_ = Clock::now();
  enter(Phase::body, server_.settings.body_deadline);
  const bool has_body = verdict.is_chunked || verdict.content_length > 0;
  if (has_body && verdict.expects_continue && buffer_.size() == 0) return invite_body();
  read_body();
}

void Connection::invite_body() {
  static constexpr std::string_view invitation = "HTTP/1.1 100 Continue\r\n\r\n";
  write_all(
    asio::buffer(invitation), [self = shared_from_this()](error_code error, std::size_t) {
      if (self->phase_ == Phase::closed) return;
      if (self->is_too_slow_) return self->refuse(http_refusal_too_slow);
      if (error) return self->close();
      self->read();
    });
}

void Connection::read_body() {
  using Progress = RequestReader::Progress;
  const auto bytes = buffer_.data();
  std::size_t taken = 0;
  const auto progress =
    reader_->read(static_cast<const char *>(bytes.data()), bytes.size(), taken);
  buffer_.consume(taken);
  body_bytes_ += taken;
  if (progress == Progress::malformed) return refuse(http_refusal_chunk_malformed);
  if (progress == Progress::body_too_large) return refuse(http_refusal_body_too_large);
  if (!hold(body_bytes_)) return refuse(http_refusal_busy);
  if (progress == Progress::complete) return hand_out();
  // Who sends at the least allowed rate always has the first seconds in hand.
  deadline_ = body_began_ + std::chrono::milliseconds(server_.settings.body_deadline)
    + std::chrono::seconds(body_bytes_ / std::max(1U, server_.settings.bytes_per_second_min));
  read();
}

/// Counts the body against what all bodies may hold together.
bool Connection::hold(std::uint64_t bytes) {
  if (bytes <= unheld_body_bytes + held_bytes_) return true;
  const auto more = bytes - unheld_body_bytes - held_bytes_;
  held_bytes_ += more;
  return server_.held_body_bytes.fetch_add(more) + more <= server_.settings.held_body_bytes_max;
}

void Connection::release_body() {
  reader_.reset();
  server_.held_body_bytes.fetch_sub(std::exchange(held_bytes_, 0));
}

// MARK: Answering

void Connection::hand_out() {
  is_new_ = false;
  phase_ = Phase::handling;
  deadline_ = Clock::time_point::max();
  server_.requests.fetch_add(1);
  auto *exchange = new http_exchange{shared_from_this()};
  const auto &body = reader_->body();
  server_.callbacks.receive(
    server_.callbacks.context, loop_.number, head_.release(), body.data(), body.size(),
    peer_.view(), exchange);
  // No more than its writing may have begun: what has been written is told later, by this loop.
  reader_.reset();
}

void Connection::answer(http_answer answer, bool closes) {
  if (phase_ == Phase::closed) return;
  release_body();
  write(std::move(answer), keeps_alive_ && !closes && !server_.is_draining);
}

void Connection::refuse(http_refusal_reason reason) {
  is_too_slow_ = false;
  release_body();
  http_answer answer;
  server_.callbacks.refuse(server_.callbacks.context, reason, peer_.view(), &answer);
  write(std::move(answer), false);
}

template <class Buffers, class Handler>
void Connection::write_all(const Buffers &buffers, Handler handler) {
  if (tls_) {
    asio::async_write(*tls_, buffers, std::move(handler));
  } else {
    asio::async_write(socket_, buffers, std::move(handler));
  }
}

void Connection::write(http_answer answer, bool keeps) {
  answer_ = std::move(answer);
  answer_.head += loop_.date_field();
  if (!keeps) {
    answer_.head += "Connection: close\r\n";
  } else if (speaks_http10_) {
    answer_.head += "Connection: keep-alive\r\n";
  }
  answer_.head += "\r\n";
  const auto size = answer_.head.size() + answer_.body.size();
  const auto seconds = size / std::max(1U, server_.settings.bytes_per_second_min);
  enter(Phase::answering, server_.settings.answer_deadline);
  deadline_ += std::chrono::seconds(seconds);
  const std::array<asio::const_buffer, 2> buffers{
    asio::buffer(answer_.head), asio::buffer(answer_.body)};
  write_all(buffers, [self = shared_from_this(), keeps](error_code error, std::size_t) {
    if (self->phase_ == Phase::closed) return;
    self->answer_ = {};
    if (error) return self->close();
    if (!keeps) return self->linger();
    if (self->server_.is_draining) return self->close();
    self->begin_request(self->server_.settings.idle_deadline);
  });
}

}  // namespace http_door
