import CCurl
import HTTPMessages
import PaymentPrimitives

/// One exchange inside libcurl: its handle and the answer received so far. Lives on the thread of the loop.
final class CurlTransfer {
  let easy: UnsafeMutableRawPointer
  let exchange: PendingExchange

  /// The limit in bytes for all lines of the head, including interim answers and trailers.
  private static let headBytesMax = 64 * 1024

  private var fields = HTTPFields()
  private var body: [UInt8] = []
  private var headBytes = 0
  private var headIsComplete = false
  private var isTooLarge = false
  private var refusedAddresses: [IPAddress] = []
  private var hasOpenedSocket = false
  /// Memory that the handle points to. It is freed with the handle.
  var lists: [UnsafeMutablePointer<curl_slist>] = []
  var url: OpaquePointer?
  let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

  init(_ exchange: PendingExchange) throws(HTTPExchangeError) {
    guard let easy = curl_easy_init() else { throw .unreachable("libcurl has no handle left.") }
    self.easy = easy
    self.exchange = exchange
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    try setUp()
  }

  deinit {
    curl_easy_cleanup(easy)
    curl_url_cleanup(url)
    for list in lists { curl_slist_free_all(list) }
    errorText.deallocate()
  }

  // MARK: Reports from libcurl

  /// One line of a head; false stops the transfer.
  func receiveHeadLine(_ line: UnsafeRawBufferPointer) -> Bool {
    headBytes += line.count
    guard headBytes <= Self.headBytesMax else {
      isTooLarge = true
      return false
    }
    if line.starts(with: "HTTP/".utf8), body.isEmpty {
      // The head of a further answer: the previous one was an interim answer, such as 100 Continue.
      fields = HTTPFields()
      headIsComplete = false
      return true
    }
    let text = line.prefix { $0 != 0x0D && $0 != 0x0A }
    if text.isEmpty { headIsComplete = true }
    // Trailers, and lines that are not fields, are ignored.
    guard !headIsComplete, let colon = text.firstIndex(of: 0x3A) else { return true }
    var value = text[text.index(after: colon)...]
    while let first = value.first, first == 0x20 || first == 0x09 { value.removeFirst() }
    while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
    fields.add(String(decoding: text[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self))
    return true
  }

  /// A piece of the body; false stops the transfer.
  func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard body.count + bytes.count <= exchange.plan.answerBytesMax else {
      isTooLarge = true
      return false
    }
    body.append(contentsOf: bytes)
    return true
  }

  func mayConnect(to address: IPAddress?) -> Bool {
    guard exchange.plan.route == .publicOnly else {
      hasOpenedSocket = true
      return true
    }
    guard let address else { return false }
    guard address.isPublic else {
      refusedAddresses.append(address)
      return false
    }
    hasOpenedSocket = true
    return true
  }

  // MARK: Outcome

  func outcome(_ result: CURLcode) -> PendingExchange.Outcome {
    var status = 0
    ccurl_get_number(easy, CURLINFO_RESPONSE_CODE, &status)
    // libcurl accepts a truncated head as a complete one.
    if result == CURLE_OK, !headIsComplete {
      return .failure(.outcomeUnknown("The head of the answer breaks off."))
    }
    if result == CURLE_OK, (200...599).contains(status) {
      return .success(HTTPResponse(status: status, fields: fields, body: body))
    }
    return .failure(failure(result, status: status))
  }

  private func failure(_ result: CURLcode, status: Int) -> HTTPExchangeError {
    if isTooLarge || result == CURLE_FILESIZE_EXCEEDED {
      return .unreadableAnswer("The answer is larger than \(exchange.plan.answerBytesMax) bytes.")
    }
    if !refusedAddresses.isEmpty, !hasOpenedSocket {
      let addresses = refusedAddresses.map(\.description).joined(separator: ", ")
      return .refusedTarget("The address is not public: \(addresses).")
    }
    let reason = reason(result)
    switch result {
    case CURLE_UNSUPPORTED_PROTOCOL where status == 0 && !requestMayHaveLeft,
      CURLE_URL_MALFORMAT:
      return .refusedTarget(reason)
    case CURLE_OK, CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL,
      CURLE_BAD_CONTENT_ENCODING:
      return .unreadableAnswer(result == CURLE_OK ? "The status is \(status)." : reason)
    default:
      return requestMayHaveLeft ? .outcomeUnknown(reason) : .unreachable(reason)
    }
  }

  /// Whether bytes of the request may have left this machine. libcurl counts the bytes that it has given to the socket,
  /// over all attempts of the transfer.
  private var requestMayHaveLeft: Bool {
    var connectStatus = 0
    ccurl_get_number(easy, CURLINFO_HTTP_CONNECTCODE, &connectStatus)
    // The proxy opened no tunnel: the bytes sent were the CONNECT request.
    if connectStatus != 0, !(200...299).contains(connectStatus) { return false }
    var sent = 0
    ccurl_get_number(easy, CURLINFO_REQUEST_SIZE, &sent)
    return sent > 0
  }

  private func reason(_ result: CURLcode) -> String {
    let text = String(cString: errorText)
    return text.isEmpty ? String(cString: curl_easy_strerror(result)) : text
  }
}
