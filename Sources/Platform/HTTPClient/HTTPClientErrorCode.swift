package import PaymentPrimitives

/// The reasons why a client cannot be created.
package enum HTTPClientErrorCode: String, ErrorCode {
  /// The certificates to trust are not PEM, or there are none.
  case authorityUnreadable = "http_authority_unreadable"
  /// The library or its thread could not be started.
  case clientUnavailable = "http_client_unavailable"

  package var meaning: BilingualText {
    switch self {
    case .authorityUnreadable:
      .init("The file of trusted certificates contains no PEM certificate.", "受信任证书文件中没有 PEM 证书。")
    case .clientUnavailable:
      .init("The HTTP client could not be started.", "HTTP 客户端无法启动。")
    }
  }

  package var remedy: BilingualText {
    switch self {
    case .authorityUnreadable:
      .init(
        "Name a file with the authority's certificate between BEGIN CERTIFICATE and END CERTIFICATE.",
        "请指定包含 BEGIN CERTIFICATE 与 END CERTIFICATE 的证书颁发机构证书文件。")
    case .clientUnavailable:
      .init(
        "Check the limits on threads and open files of this process, and the installed libcurl.",
        "请检查本进程的线程数与打开文件数上限，以及已安装的 libcurl。")
    }
  }

  package var retry: RetryAdvice { .never }
}
