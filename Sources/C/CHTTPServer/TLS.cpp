#include "Server.hpp"

#include <boost/asio/ssl/error.hpp>
#include <cstring>

namespace http_door {

namespace {

/// This server speaks HTTP/1.1 and nothing else: it says so to a client that offers a list, and goes on with one that
/// offers other protocols only.
int choose_protocol(
  SSL *, const unsigned char **chosen, unsigned char *chosen_length, const unsigned char *offered,
  unsigned int offered_length, void *) {
  static constexpr unsigned char http11[] = "\x08http/1.1";
  unsigned char *found = nullptr;
  const auto result = SSL_select_next_proto(
    &found, chosen_length, http11, sizeof http11 - 1, offered, offered_length);
  *chosen = found;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

}  // namespace

std::unique_ptr<asio::ssl::context> make_tls_context(
  const char *certificate_chain_file, const char *private_key_file) {
  using asio::ssl::context;
  auto tls = std::make_unique<context>(context::tls_server);
  tls->set_options(
    context::default_workarounds | context::no_sslv2 | context::no_sslv3 | context::no_tlsv1
    | context::no_tlsv1_1 | context::no_compression | SSL_OP_NO_RENEGOTIATION
    | SSL_OP_CIPHER_SERVER_PREFERENCE);
  // A key behind a password must fail here: OpenSSL would ask for it at the terminal.
  tls->set_password_callback([](std::size_t, context::password_purpose) { return ""; });
  error_code error;
  tls->use_certificate_chain_file(certificate_chain_file, error);
  if (error) throw CertificateError(std::string(certificate_chain_file) + ": " + error.message());
  tls->use_private_key_file(private_key_file, context::pem, error);
  if (error) throw CertificateError(std::string(private_key_file) + ": " + error.message());
  SSL_CTX_set_mode(tls->native_handle(), SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_alpn_select_cb(tls->native_handle(), choose_protocol, nullptr);
  return tls;
}

}  // namespace http_door
