#include "Server.hpp"

#include "Connection.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <csignal>
#include <ctime>
#include <sys/resource.h>

namespace http_door {

namespace {
/// How often deadlines are looked at: a phase may last that much longer than its setting.
constexpr auto sweep_interval = std::chrono::milliseconds(50);
/// After an accept that failed for want of descriptors or memory.
constexpr auto accept_pause = std::chrono::milliseconds(100);

/// How many descriptors this process may have beside the last ones, which are not for clients; nothing where there is
/// no limit.
std::optional<rlim_t> descriptors_for_clients() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return limit.rlim_cur - std::min<rlim_t>(64, limit.rlim_cur / 4);
}

/// Whether a descriptor of that number is one of the last ones, which are not for clients. The system gives out the
/// lowest free number, so the number tells how many are in use. Without one for itself Swift's runtime on Linux ends
/// the process, and the database could not open its files.
bool is_reserved(int descriptor) {
  const auto count = descriptors_for_clients();
  return count && static_cast<rlim_t>(descriptor) >= *count;
}

/// The first 64 bits of an IPv6 address, which one customer has alone; an IPv4 address as it is.
Address network_of(const Address &address) {
  static constexpr Address mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  Address network = address;
  if (!std::equal(mapped.begin(), mapped.begin() + 12, address.begin())) {
    std::fill(network.begin() + 8, network.end(), std::uint8_t{0});
  }
  return network;
}
}  // namespace

// MARK: Seats

std::optional<Seats::Seat> Seats::take(const Address &address, std::uint64_t most) {
  const auto network = network_of(address);
  const std::lock_guard lock(mutex_);
  auto &count = counts_[network];
  if (count >= most) return std::nullopt;
  ++count;
  return Seat(*this, network);
}

void Seats::give_back(const Address &network) {
  const std::lock_guard lock(mutex_);
  const auto found = counts_.find(network);
  if (found != counts_.end() && --found->second == 0) counts_.erase(found);
}

// MARK: Loop

Loop::Loop(std::uint32_t number)
  : number(number), work_(asio::make_work_guard(context)), sweeper_(context) {}

void Loop::watch(Connection &connection) {
  connections_.push_back(connection);
  if (!is_sweeping_) sweep();
}

void Loop::sweep() {
  is_sweeping_ = !connections_.empty();
  if (!is_sweeping_) return;
  sweeper_.expires_after(sweep_interval);
  sweeper_.async_wait([this](error_code error) {
    if (error) return;
    const auto now = Clock::now();
    for (auto next = connections_.begin(); next != connections_.end();) {
      Connection &connection = *next++;
      connection.check_deadline(now);
    }
    sweep();
  });
}

void Loop::for_each(void (Connection::*action)()) {
  for (auto next = connections_.begin(); next != connections_.end();) {
    Connection &connection = *next++;
    (connection.*action)();
  }
}

const std::string &Loop::date_field() {
  const auto second = std::time(nullptr);
  if (second == date_second_ && !date_field_.empty()) return date_field_;
  // RFC 9110 §5.6.7 fixes the names, whatever the locale of the process.
  static constexpr const char *days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr const char *months[] = {
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm parts{};
  gmtime_r(&second, &parts);
  char text[64];
  std::snprintf(
    text, sizeof text, "Date: %s, %02d %s %04d %02d:%02d:%02d GMT\r\n", days[parts.tm_wday],
    parts.tm_mday, months[parts.tm_mon], parts.tm_year + 1900, parts.tm_hour, parts.tm_min,
    parts.tm_sec);
  date_second_ = second;
  date_field_ = text;
  return date_field_;
}

void Loop::run() {
  // Signals are the program's: its own threads take them.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  for (;;) {
    try {
      context.run();
      return;
    } catch (const std::exception &) {
      // No memory, most likely. The connection whose handler threw went with the handler; the others go on.
    }
  }
}

// MARK: Server

Server::Server(const http_server_settings &given, const http_callbacks &callbacks)
  : settings(given), callbacks(callbacks) {
  if (given.certificate_chain_file != nullptr) {
    tls_ = make_tls_context(given.certificate_chain_file, given.private_key_file);
  }
  for (std::uint32_t number = 0; number < std::max(1U, given.threads); ++number) {
    loops_.push_back(std::make_unique<Loop>(number));
  }
  if (given.listening_descriptor >= 0) {
    take_over(given.listening_descriptor);
  } else {
    bind(given);
  }
  port_ = acceptor_->local_endpoint().port();
  timer_.emplace(loops_.front()->context);
}

Server::~Server() {
  is_ending_ = true;
  for (auto &loop : loops_) loop->context.stop();
  for (auto &loop : loops_) {
    if (loop->thread.joinable()) loop->thread.join();
  }
  acceptor_.reset();
  timer_.reset();
  // With the loops go the handlers that still wait, and with them the last connections.
  loops_.clear();
}

std::shared_ptr<asio::ssl::context> Server::tls() const {
  const std::lock_guard lock(tls_mutex_);
  return tls_;
}

void Server::replace_certificate(
  const char *certificate_chain_file, const char *private_key_file) {
  if (!tls()) throw CertificateError("the server has no TLS");
  std::shared_ptr<asio::ssl::context> fresh =
    make_tls_context(certificate_chain_file, private_key_file);
  const std::lock_guard lock(tls_mutex_);
  // The old one goes with its last connection.
  tls_.swap(fresh);
}

void Server::start() {
  asio::post(loops_.front()->context, [this] {
    if (!is_stopping_) accept();
  });
  for (auto &loop : loops_) {
    loop->thread = std::thread([pointer = loop.get()] { pointer->run(); });
  }
}

void Server::accept() {
  Loop &loop = *loops_[next_loop_++ % loops_.size()];
  acceptor_->async_accept(loop.context, [this, &loop](error_code error, Socket socket) {
    if (!error) {
      // Also during the drain: its request may be here already, and would be lost with it.
      try {
        take(loop, std::move(socket));
      } catch (const std::exception &) {
        // No memory for this client. The next one must still be accepted.
      }
    }
    if (is_draining) return;
    if (!error) return accept();
    if (error == asio::error::connection_aborted) return accept();
    timer_->expires_after(accept_pause);
    timer_->async_wait([this](error_code waited) {
      if (!waited && !is_draining) accept();
    });
  });
}

void Server::take(Loop &loop, Socket socket) {
  keep_to_this_program(socket.native_handle());
  if (open_ >= settings.connections_max || is_reserved(socket.native_handle())) {
    return turn_away(socket, http_refusal_busy);
  }
  const Peer peer(socket, tls() != nullptr);
  const bool is_trusted = peer.address && callbacks.trusts(callbacks.context, peer.address->data());
  Seats::Seat seat;
  if (peer.address && !is_trusted) {
    auto taken = seats.take(*peer.address, share());
    if (!taken) return turn_away(socket, http_refusal_too_many_connections);
    seat = std::move(*taken);
  }
  accepted_.fetch_add(1);
  auto connection =
    std::make_shared<Connection>(*this, loop, std::move(socket), peer, std::move(seat), is_trusted);
  asio::post(loop.context, [connection] { connection->start(); });
}

std::uint64_t Server::share() const {
  const std::uint64_t descriptors = descriptors_for_clients().value_or(settings.connections_max);
  const auto all = std::min<std::uint64_t>(settings.connections_max, descriptors);
  return std::max<std::uint64_t>(1, all * settings.connection_share_percent / 100);
}

void Server::turn_away(Socket &socket, http_refusal_reason reason) {
  turned_away_.fetch_add(1);
  // As a courtesy only: what the system's buffer does not take at once is lost, and under TLS nothing can be said.
  error_code ignored;
  if (!tls()) {
    http_answer answer;
    callbacks.refuse(callbacks.context, reason, Peer(socket, false).view(), &answer);
    const auto text =
      answer.head + loops_.front()->date_field() + "Connection: close\r\n\r\n" + answer.body;
    socket.non_blocking(true, ignored);
    socket.send(asio::buffer(text), 0, ignored);
    socket.shutdown(Socket::shutdown_both, ignored);
  }
  socket.close(ignored);
}

void Server::stop(std::uint32_t drain_milliseconds) {
  if (is_stopping_.exchange(true)) return;
  asio::post(loops_.front()->context, [this, drain_milliseconds] {
    is_draining = true;
    error_code ignored;
    acceptor_->close(ignored);
    for (auto &loop : loops_) {
      asio::post(loop->context, [pointer = loop.get()] {
        pointer->for_each(&Connection::begin_drain);
      });
    }
    timer_->expires_after(std::chrono::milliseconds(drain_milliseconds));
    timer_->async_wait([this](error_code error) {
      if (!error) cut_what_is_left();
    });
    // After what was accepted before the close and waits to be taken.
    asio::post(loops_.front()->context, [this] { report_if_drained(); });
  });
}

void Server::cut_what_is_left() {
  was_forced_ = open_ > 0;
  for (auto &loop : loops_) {
    asio::post(loop->context, [pointer = loop.get()] { pointer->for_each(&Connection::cut); });
  }
}

void Server::connection_ended() {
  if (open_.fetch_sub(1) == 1 && is_draining && !is_ending_) {
    asio::post(loops_.front()->context, [this] { report_if_drained(); });
  }
}

void Server::report_if_drained() {
  if (has_reported_ || open_ > 0) return;
  has_reported_ = true;
  timer_->cancel();
  callbacks.drained(callbacks.context, was_forced_);
}

http_statistics Server::statistics() const {
  return {
    open_.load(), accepted_.load(), turned_away_.load(), requests.load(), held_body_bytes.load()};
}

}  // namespace http_door
