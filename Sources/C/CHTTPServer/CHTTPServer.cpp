#include "CHTTPServer.h"

#include "Connection.hpp"

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <cstdio>

using http_door::Server;

struct http_server {
  Server server;
};

http_server *http_server_open(
  const http_server_settings *settings, const http_callbacks *callbacks, http_failure *failure) {
  try {
    return new http_server{Server(*settings, *callbacks)};
  } catch (const http_door::CertificateError &error) {
    failure->kind = http_failure_certificate;
    std::snprintf(failure->message, sizeof failure->message, "%s", error.what());
  } catch (const boost::system::system_error &error) {
    // Its what() names the place in Boost's headers, which helps nobody.
    failure->kind = http_failure_address;
    std::snprintf(
      failure->message, sizeof failure->message, "%s port %u: %s", settings->address,
      static_cast<unsigned>(settings->port), error.code().message().c_str());
  } catch (const std::exception &error) {
    failure->kind = http_failure_address;
    std::snprintf(failure->message, sizeof failure->message, "%s", error.what());
  }
  return nullptr;
}

std::uint16_t http_server_port(const http_server *server) { return server->server.port(); }

bool http_server_start(http_server *server) {
  try {
    server->server.start();
    return true;
  } catch (const std::exception &) {
    return false;
  }
}

bool http_server_replace_certificate(
  http_server *server, const char *certificate_chain_file, const char *private_key_file,
  http_failure *failure) {
  try {
    server->server.replace_certificate(certificate_chain_file, private_key_file);
    return true;
  } catch (const std::exception &error) {
    failure->kind = http_failure_certificate;
    std::snprintf(failure->message, sizeof failure->message, "%s", error.what());
    return false;
  }
}

void http_server_stop(http_server *server, std::uint32_t drain_milliseconds) {
  server->server.stop(drain_milliseconds);
}

std::uint32_t http_processors(void) { return std::max(1U, std::thread::hardware_concurrency()); }

void http_server_run(
  http_server *server, std::uint32_t loop, void (*run)(void *argument), void *argument) {
  boost::asio::post(server->server.loop(loop).context, [run, argument] { run(argument); });
}

http_statistics http_server_statistics(const http_server *server) {
  return server->server.statistics();
}

void http_server_destroy(http_server *server) { delete server; }

void http_answer_fill(
  http_answer *answer, const std::uint8_t *head, std::size_t head_count,
  const std::uint8_t *body, std::size_t body_count) {
  answer->head.assign(reinterpret_cast<const char *>(head), head_count);
  answer->body.assign(reinterpret_cast<const char *>(body), body_count);
}

void http_exchange_answer(
  http_exchange *exchange, const std::uint8_t *head, std::size_t head_count,
  const std::uint8_t *body, std::size_t body_count, bool closes) {
  http_answer answer;
  http_answer_fill(&answer, head, head_count, body, body_count);
  auto connection = std::move(exchange->connection);
  delete exchange;
  auto &context = connection->loop().context;
  boost::asio::dispatch(
    context, [connection = std::move(connection), answer = std::move(answer), closes]() mutable {
      connection->answer(std::move(answer), closes);
    });
}

std::int64_t http_read_request(
  http_head_verdict verdict, const std::uint8_t *head, std::size_t head_count,
  const std::uint8_t *rest, std::size_t rest_count, std::size_t step,
  std::uint64_t *body_count) {
  using Progress = http_door::RequestReader::Progress;
  http_door::RequestReader reader;
  if (!reader.begin(verdict, reinterpret_cast<const char *>(head), head_count)) return -1;
  const auto *bytes = reinterpret_cast<const char *>(rest);
  std::size_t taken = 0;
  for (std::size_t offered = 0;;) {
    std::size_t more = 0;
    const auto progress = reader.read(bytes + taken, offered - taken, more);
    taken += more;
    *body_count = reader.body().size();
    if (progress == Progress::complete) return static_cast<std::int64_t>(taken);
    if (progress != Progress::needs_more) return -1;
    if (offered == rest_count) return -2;
    offered = std::min(rest_count, offered + std::max<std::size_t>(1, step));
  }
}
