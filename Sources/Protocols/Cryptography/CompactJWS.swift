import COpenSSL

/// Where the three parts of a compact JWS lie (RFC 7515 §7.1): header, payload and signature with a point between them.
package struct CompactJWSParts: Hashable, Sendable {
  package let header: Range<Int>
  package let payload: Range<Int>
  package let signature: Range<Int>
  /// Whether a fourth part follows; then it is no compact JWS.
  package let hasMore: Bool

  /// The bytes that are signed: header, point, payload.
  package var signed: Range<Int> { header.lowerBound..<payload.upperBound }

  /// The first three parts of a text; nil when there are fewer, or one of them is empty.
  package init?(_ text: UnsafeRawBufferPointer) {
    guard let first = text.firstPoint(from: 0), first > 0,
      let second = text.firstPoint(from: first + 1), second > first + 1
    else { return nil }
    let third = text.firstPoint(from: second + 1)
    guard (third ?? text.count) > second + 1 else { return nil }
    header = 0..<first
    payload = first + 1..<second
    signature = second + 1..<(third ?? text.count)
    hasMore = third != nil
  }
}

/// A compact JWS taken apart and decoded, without any judgement: for tokens whose key and claims the caller knows.
package struct CompactJWS: Sendable {
  package let header: [UInt8]
  package let payload: [UInt8]
  package let signature: [UInt8]
  /// What was signed, as it came.
  package let signed: [UInt8]

  /// The parts of a token; nil unless there are exactly three, each in strict Base64URL.
  ///
  /// - Parameter bytesMax: more bytes than this are not looked at.
  package init?(_ token: some Sequence<UInt8>, bytesMax: Int) {
    let parts: CompactJWS? = withBytes(of: token) { text in
      guard text.count <= bytesMax, let parts = CompactJWSParts(text), !parts.hasMore,
        let header = Base64URL.decode(UnsafeRawBufferPointer(rebasing: text[parts.header])),
        let payload = Base64URL.decode(UnsafeRawBufferPointer(rebasing: text[parts.payload])),
        let signature = Base64URL.decode(UnsafeRawBufferPointer(rebasing: text[parts.signature]))
      else { return nil }
      return CompactJWS(
        header: header, payload: payload, signature: signature, signed: Array(text[parts.signed]))
    }
    guard let parts else { return nil }
    self = parts
  }

  private init(header: [UInt8], payload: [UInt8], signature: [UInt8], signed: [UInt8]) {
    self.header = header
    self.payload = payload
    self.signature = signature
    self.signed = signed
  }

  /// The token of header and payload, with the signature that `sign` makes over the two.
  package static func token(
    header: some Sequence<UInt8>, payload: some Sequence<UInt8>, sign: ([UInt8]) -> [UInt8]
  ) -> String {
    let signed = Base64URL.encode(header) + "." + Base64URL.encode(payload)
    return signed + "." + Base64URL.encode(sign(Array(signed.utf8)))
  }
}

/// Whether two pieces of memory hold the same; for what is not secret.
package func hasEqualBytes(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
  guard a.count == b.count, let first = a.baseAddress, let second = b.baseAddress else {
    return a.count == b.count
  }
  return memcmp(first, second, a.count) == 0
}

extension UnsafeRawBufferPointer {
  fileprivate func firstPoint(from start: Int) -> Int? {
    guard let baseAddress, start < count,
      let found = memchr(baseAddress + start, 0x2E, count - start)
    else { return nil }
    return UnsafeRawPointer(found) - baseAddress
  }
}
