#pragma once
#include "include/CHTTPServer.h"

#include <array>
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/intrusive/list.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace http_door {

namespace asio = boost::asio;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;
using Executor = asio::io_context::executor_type;
using Socket = asio::basic_stream_socket<asio::ip::tcp, Executor>;
using Acceptor = asio::basic_socket_acceptor<asio::ip::tcp, Executor>;
using Timer = asio::basic_waitable_timer<Clock, asio::wait_traits<Clock>, Executor>;

/// 16 bytes; an IPv4 address in the clothes of IPv6.
using Address = std::array<std::uint8_t, 16>;

/// A program that this one starts must not hold its connections open.
void keep_to_this_program(int descriptor);

/// How many connections each address holds. An entry exists only while one is open.
class Seats {
public:
  /// One connection's place; it is free again when this goes.
  class Seat {
  public:
    Seat() = default;
    Seat(Seats &seats, const Address &network) : seats_(&seats), network_(network) {}
    Seat(Seat &&other) noexcept
      : seats_(std::exchange(other.seats_, nullptr)), network_(other.network_) {}
    Seat &operator=(Seat &&other) noexcept {
      leave();
      seats_ = std::exchange(other.seats_, nullptr);
      network_ = other.network_;
      return *this;
    }
    ~Seat() { leave(); }
    void leave() {
      if (auto *seats = std::exchange(seats_, nullptr)) seats->give_back(network_);
    }

  private:
    Seats *seats_ = nullptr;
    Address network_{};
  };

  /// Takes a place for that address; none when it holds so many already.
  std::optional<Seat> take(const Address &address, std::uint64_t most);

private:
  void give_back(const Address &network);

  std::mutex mutex_;
  std::map<Address, std::uint64_t> counts_;
};

class Connection;
/// A connection leaves the list by itself when it closes or is destroyed.
using ConnectionHook =
  boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

/// One thread with its connections. Whatever concerns a connection happens on the thread of its loop, so nothing is
/// locked.
class Loop {
public:
  explicit Loop(std::uint32_t number);

  /// Its position among the loops of the server.
  const std::uint32_t number;

  /// Keeps an eye on the connection's deadlines from now on. On the loop's thread.
  void watch(Connection &connection);
  /// Does something to every connection. On the loop's thread.
  void for_each(void (Connection::*action)());
  /// `Date: …` and its line end, made once a second. On the loop's thread.
  const std::string &date_field();
  void run();

  asio::io_context context{1};
  std::thread thread;

private:
  void sweep();

  asio::executor_work_guard<Executor> work_;
  boost::intrusive::list<
    Connection, boost::intrusive::base_hook<ConnectionHook>,
    boost::intrusive::constant_time_size<false>>
    connections_;
  Timer sweeper_;
  bool is_sweeping_ = false;
  std::time_t date_second_ = 0;
  std::string date_field_;
};

/// The listening socket, the loops, and what all connections share.
class Server {
public:
  /// Binds and listens. Throws `CertificateError`, and for the address `boost::system::system_error`.
  Server(const http_server_settings &settings, const http_callbacks &callbacks);
  ~Server();

  std::uint16_t port() const { return port_; }
  Loop &loop(std::size_t number) { return *loops_[number]; }
  void start();
  void stop(std::uint32_t drain_milliseconds);
  http_statistics statistics() const;

  /// The numbers only: the texts in it have been used up.
  const http_server_settings settings;
  const http_callbacks callbacks;
  /// The certificate for a connection that begins now; nothing on a server without TLS.
  std::shared_ptr<asio::ssl::context> tls() const;
  /// Gives the connections that begin from now on another certificate. Throws `CertificateError`, and then the old one
  /// stays.
  void replace_certificate(const char *certificate_chain_file, const char *private_key_file);
  std::atomic<bool> is_draining{false};
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint64_t> held_body_bytes{0};

  /// How many connections one address may hold, by the descriptors that this process may have now.
  std::uint64_t share() const;
  Seats seats;

  void connection_began() { open_.fetch_add(1); }
  void connection_turned_away() { turned_away_.fetch_add(1); }
  void connection_ended();

private:
  void bind(const http_server_settings &given);
  void take_over(int descriptor);
  void accept();
  void take(Loop &loop, Socket socket);
  void turn_away(Socket &socket, http_refusal_reason reason);
  void cut_what_is_left();
  void report_if_drained();

  mutable std::mutex tls_mutex_;
  std::shared_ptr<asio::ssl::context> tls_;
  std::vector<std::unique_ptr<Loop>> loops_;
  std::optional<Acceptor> acceptor_;
  std::optional<Timer> timer_;
  std::uint16_t port_ = 0;
  std::size_t next_loop_ = 0;
  std::atomic<std::uint64_t> open_{0};
  std::atomic<std::uint64_t> accepted_{0};
  std::atomic<std::uint64_t> turned_away_{0};
  std::atomic<bool> is_stopping_{false};
  std::atomic<bool> is_ending_{false};
  bool was_forced_ = false;
  bool has_reported_ = false;
};

/// The certificate or its key cannot be used.
struct CertificateError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A context that serves TLS 1.2 and 1.3 with that certificate. Throws `CertificateError`.
std::unique_ptr<asio::ssl::context> make_tls_context(
  const char *certificate_chain_file, const char *private_key_file);

/// The other end of a connection, IPv4 written as IPv4 also on a socket of both families.
struct Peer {
  explicit Peer(const Socket &socket, bool is_encrypted);
  /// The client that a proxy has named takes the place of the proxy.
  void rename(const http_proxy_header &header);
  http_peer view() const { return {host.c_str(), port, is_encrypted}; }

  std::string host;
  std::uint16_t port = 0;
  bool is_encrypted;
  /// Nothing where the connection was gone before it could be asked.
  std::optional<Address> address;
};

}  // namespace http_door
