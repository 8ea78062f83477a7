import CCurl
import HTTPMessages
import PaymentPrimitives

extension CurlTransfer {
  /// Sets all options of the exchange. Throws for anything that must not or cannot be sent.
  func setUp() throws(HTTPExchangeError) {
    try setTarget()
    try setMethod()
    try setFields()
    try setTrust()
    try set(CURLOPT_PROTOCOLS_STR, "http,https")
    try set(CURLOPT_FOLLOWLOCATION, 0)
    try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    try set(CURLOPT_NOSIGNAL, 1)
    // Without this option the thread waits for the end of a name look-up, although its result is no longer needed.
    try set(CURLOPT_QUICK_EXIT, 1)
    try set(CURLOPT_TIMEOUT_MS, Int(max(1, min(exchange.timeLimit.milliseconds, 86_400_000))))
    let largest = curl_off_t(exchange.plan.answerBytesMax)
    try check(ccurl_set_large_number(easy, CURLOPT_MAXFILESIZE_LARGE, largest))
    try check(ccurl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText))
    let context = Unmanaged.passUnretained(self).toOpaque()
    for option in [CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_OPENSOCKETDATA] {
      try check(ccurl_set_pointer(easy, option, context))
    }
    try check(ccurl_set_receiver(easy, CURLOPT_HEADERFUNCTION, headLineCame))
    try check(ccurl_set_receiver(easy, CURLOPT_WRITEFUNCTION, bodyCame))
    try check(ccurl_set_socket_opener(easy, socketIsWanted))
  }

  // MARK: Target

  private func setTarget() throws(HTTPExchangeError) {
    let target = exchange.request.target
    // This is libcurl's own parser, and libcurl connects to its result. Two different parsers could read two hosts from
    // one text. This parser accepts one slash too few or too many, which others do not.
    url = curl_url()
    guard let url, curl_url_set(url, CURLUPART_URL, target, 0) == CURLUE_OK,
      let slashes = target.firstRange(of: "://"), target[slashes.upperBound...].first != "/"
    else { throw .refusedTarget("The target is not an absolute address.") }
    guard let scheme = part(CURLUPART_SCHEME), scheme == "http" || scheme == "https" else {
      throw .refusedTarget("Only http and https are spoken.")
    }
    guard part(CURLUPART_USER) == nil, part(CURLUPART_PASSWORD) == nil else {
      throw .refusedTarget("The target holds a user or a password.")
    }
    try check(ccurl_set_pointer(easy, CURLOPT_CURLU, UnsafeRawPointer(url)))
    try setRoute()
  }

  private func setRoute() throws(HTTPExchangeError) {
    if case .through(let proxy) = exchange.plan.route {
      try set(CURLOPT_PROXY, proxy)
    } else {
      // An empty text means no proxy, whatever the environment variables say.
      try set(CURLOPT_PROXY, "")
    }
    try set(CURLOPT_NOPROXY, "")
    try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    guard let host = part(CURLUPART_HOST), let port = part(CURLUPART_PORT, CURLU_DEFAULT_PORT),
      let addresses = exchange.plan.hosts[host]
    else { return }
    try setList(CURLOPT_RESOLVE, ["\(host):\(port):\(addresses.joined(separator: ","))"])
  }

  private func part(_ which: CURLUPart, _ flags: Int32 = 0) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard curl_url_get(url, which, &text, UInt32(flags)) == CURLUE_OK, let text else { return nil }
    defer { curl_free(text) }
    return String(cString: text)
  }

  // MARK: Request content

  private func setMethod() throws(HTTPExchangeError) {
    let request = exchange.request
    guard !request.method.isEmpty, request.method.utf8.allSatisfy({ (0x41...0x5A).contains($0) })
    else { throw .refusedTarget("The method is not in capital letters.") }
    if request.method == "HEAD" {
      try set(CURLOPT_NOBODY, 1)
    } else if request.method != "GET" || !request.body.isEmpty {
      let size = curl_off_t(request.body.count)
      try check(ccurl_set_large_number(easy, CURLOPT_POSTFIELDSIZE_LARGE, size))
      // Without a pointer, libcurl would ask for the body later. For an empty body, libcurl reads no byte from the
      // pointer.
      let body = request.body.isEmpty ? [0] : request.body
      let result = body.withUnsafeBytes { bytes in
        ccurl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, bytes.baseAddress)
      }
      try check(result)
      try set(CURLOPT_CUSTOMREQUEST, request.method)
    }
  }

  private static let reserved = [
    "connection", "content-length", "expect", "host", "keep-alive", "proxy-connection", "te",
    "trailer", "transfer-encoding", "upgrade",
  ]

  private func setFields() throws(HTTPExchangeError) {
    // A name with an empty value removes a field that libcurl would add. `Expect` costs a second if the server does not
    // answer it.
    var lines = ["Expect:"]
    if exchange.request.fields["Content-Type"] == nil { lines.append("Content-Type:") }
    for (name, value) in exchange.request.fields.all
    where !Self.reserved.contains(name.lowercased()) {
      let isName = !name.isEmpty && name.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x3A && $0 != 0x3B }
      guard isName, !value.utf8.contains(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }) else {
        throw .refusedTarget("A header field has a name or value that cannot be sent.")
      }
      lines.append(value.isEmpty ? "\(name);" : "\(name): \(value)")
    }
    try setList(CURLOPT_HTTPHEADER, lines)
  }

  // MARK: Trust

  private func setTrust() throws(HTTPExchangeError) {
    try set(CURLOPT_SSL_VERIFYPEER, 1)
    try set(CURLOPT_SSL_VERIFYHOST, 2)
    try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    let plan = exchange.plan
    if !plan.usesSystemFolder {
      try check(ccurl_set_pointer(easy, CURLOPT_CAPATH, nil))
    }
    guard var authorities = plan.authorities else { return }
    let result = authorities.withUnsafeMutableBytes { bytes in
      ccurl_set_bytes(easy, CURLOPT_CAINFO_BLOB, bytes.baseAddress, bytes.count)
    }
    try check(result)
  }

  // MARK: Setting one option

  private func set(_ option: CURLoption, _ value: Int) throws(HTTPExchangeError) {
    try check(ccurl_set_number(easy, option, value))
  }

  private func set(_ option: CURLoption, _ value: String) throws(HTTPExchangeError) {
    // libcurl copies texts.
    try check(value.withCString { ccurl_set_pointer(easy, option, $0) })
  }

  private func setList(_ option: CURLoption, _ lines: [String]) throws(HTTPExchangeError) {
    var list: UnsafeMutablePointer<curl_slist>?
    for line in lines {
      guard let longer = curl_slist_append(list, line) else {
        curl_slist_free_all(list)
        throw .unreachable("There is no memory left.")
      }
      list = longer
    }
    guard let list else { return }
    lists.append(list)
    try check(ccurl_set_pointer(easy, option, list))
  }

  /// Throws if this libcurl does not accept an option. Without the option the exchange would be less secure, so it is
  /// not made.
  private func check(_ result: CURLcode) throws(HTTPExchangeError) {
    guard result == CURLE_OK else {
      throw .unreachable("libcurl refuses an option: \(String(cString: curl_easy_strerror(result))).")
    }
  }
}
