import HTTPMessages
import HTTPServer

/// What proxies write of their clients: `X-Forwarded-For`, `Forwarded`, and the PROXY protocol.
///
/// Beside crashes it looks for three errors: the left side of a list changes the address that our proxy added at its
/// right; an address has two readings; the reading of a PROXY protocol header depends on how its bytes arrive.
func fuzzForwarding(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let text = String(decoding: bytes, as: UTF8.self)
  guard let proxy = NetworkAddress("10.0.0.1"), let client = NetworkAddress("192.0.2.1"),
    let block = AddressBlock("10.0.0.0/8")
  else { preconditionFailure("these are addresses") }
  for (header, ours) in [(TrustedProxies.Header.xForwardedFor, "192.0.2.1"), (.forwarded, "for=192.0.2.1")] {
    let proxies = TrustedProxies([block], header: header)
    var fields = HTTPFields()
    fields.add(header.rawValue, text)
    _ = proxies.client(behind: proxy, fields)
    precondition(proxies.client(behind: client, fields) == client, "a sender that is not a proxy is trusted")
    fields = HTTPFields()
    fields.add(header.rawValue, text + ", " + ours)
    precondition(proxies.client(behind: proxy, fields) == client, "the left side of a list decides")
  }
  if let address = NetworkAddress(text) {
    precondition(NetworkAddress(address.description) == address && NetworkAddress(bytes: address.bytes) == address)
  }
  if let block = AddressBlock(text) {
    precondition(AddressBlock(block.description) == block && block.contains(block.start))
  }
  checkHeader(bytes)
  return 0
}

private func checkHeader(_ bytes: [UInt8]) {
  let whole = ProxyProtocolHeader(bytes)
  guard case .complete(let byteCount, let client) = whole else { return }
  precondition((1...bytes.count).contains(byteCount))
  precondition(client.map { NetworkAddress($0.host) != nil } ?? true)
  precondition(ProxyProtocolHeader(Array(bytes.prefix(byteCount))) == whole, "what follows decides")
  for count in [0, byteCount / 2, byteCount - 1] {
    precondition(ProxyProtocolHeader(Array(bytes.prefix(count))) == .unfinished, "a beginning is taken for the whole")
  }
}
