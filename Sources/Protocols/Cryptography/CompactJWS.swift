import COpenSSL

/// The positions of the three parts of a compact JWS (RFC 7515 §7.1): header, payload and signature, separated by
/// points.
package struct CompactJWSParts: Hashable, Sendable {
  package let header: Range<Int>
  package let payload: Range<Int>
  package let signature: Range<Int>
  /// Whether a fourth part follows; then it is not a compact JWS.
  package let hasMore: Bool

  /// The signed bytes: header, point, payload.
  package var signed: Range<Int> { header.lowerBound..<payload.upperBound }

  /// The first three parts of a text; nil if there are fewer, or one of them is empty.
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

/// A compact JWS, parsed and decoded but not verified: for tokens with a key and claims that the caller knows.
package struct CompactJWS: Sendable {
  package let header: [UInt8]
  package let payload: [UInt8]
  package let signature: [UInt8]
  /// The signed bytes as received.
  package let signed: [UInt8]

  /// Parses a token; nil unless it has exactly three parts, each in strict Base64URL.
  ///
  /// - Parameter bytesMax: a longer token is not read.
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

  /// The token of header and payload; `sign` creates the signature over both.
  package static func token(
    header: some Sequence<UInt8>, payload: some Sequence<UInt8>, sign: ([UInt8]) -> [UInt8]
  ) -> String {
    let signed = Base64URL.encode(header) + "." + Base64URL.encode(payload)
    return signed + "." + Base64URL.encode(sign(Array(signed.utf8)))
  }
}

/// Whether two memory areas have equal bytes; not for secrets.
package func hasEqualBytes(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
  guard a.count == b.count, let first = a.baseAddress, let second = b.baseAddress else {
    return a.count == b.count
  }
  return memcmp(first, second, a.count) == 0
}

/// The order of two memory areas: by their size, then by their bytes. Below zero if `a` is first, 0 if they are equal.
package func orderOfBytes(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
  guard a.count == b.count, let first = a.baseAddress, let second = b.baseAddress else { return a.count - b.count }
  return Int(memcmp(first, second, a.count))
}

extension UnsafeRawBufferPointer {
  fileprivate func firstPoint(from start: Int) -> Int? {
    guard let baseAddress, start < count,
      let found = memchr(baseAddress + start, 0x2E, count - start)
    else { return nil }
    return UnsafeRawPointer(found) - baseAddress
  }
}
