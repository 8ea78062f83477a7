#include "Server.hpp"

#include <fcntl.h>
#include <sys/socket.h>

namespace http_door {

namespace {
constexpr int backlog = 1024;
}  // namespace

void keep_to_this_program(int descriptor) { fcntl(descriptor, F_SETFD, FD_CLOEXEC); }

void Server::bind(const http_server_settings &given) {
  auto &context = loops_.front()->context;
  error_code not_an_address;
  const auto address = asio::ip::make_address(given.address, not_an_address);
  if (not_an_address) throw std::invalid_argument(std::string(given.address) + " is not an IP address");
  const asio::ip::tcp::endpoint endpoint(address, given.port);
  acceptor_.emplace(context, endpoint.protocol());
  keep_to_this_program(acceptor_->native_handle());
  acceptor_->set_option(asio::socket_base::reuse_address(true));
  if (endpoint.address().is_v6()) acceptor_->set_option(asio::ip::v6_only(false));
  acceptor_->bind(endpoint);
  acceptor_->listen(backlog);
}

void Server::take_over(int descriptor) {
  keep_to_this_program(descriptor);
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(descriptor, reinterpret_cast<sockaddr *>(&address), &size) != 0) {
    throw boost::system::system_error(errno, boost::system::system_category());
  }
  acceptor_.emplace(loops_.front()->context);
  acceptor_->assign(
    address.ss_family == AF_INET6 ? asio::ip::tcp::v6() : asio::ip::tcp::v4(), descriptor);
}

}  // namespace http_door
