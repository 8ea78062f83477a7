package import PaymentPrimitives

/// Keys and certificates as text between `-----BEGIN …-----` and `-----END …-----` (RFC 7468).
package enum PEM {
  /// One block of such a text.
  package struct Block: Sendable {
    /// The type of its content: `CERTIFICATE`, `PRIVATE KEY`.
    package let label: String
    /// Its bytes, usually DER. They are kept as a secret, because a block may be a private key.
    package let bytes: Secret
  }

  /// Maximum size: no key and no certificate chain is larger.
  static let bytesMax = 1 << 20

  /// All blocks of a text in their order; text between them is ignored.
  ///
  /// - Throws: `malformedPEM` when a block has no end, is not Base64 or has the old header lines of encryption. An
  ///   empty list is not an error.
  package static func blocks(
    in text: some Collection<UInt8>
  ) throws(CodedError<CryptographyErrorCode>) -> [Block] {
    guard text.count <= bytesMax else {
      throw CodedError(.malformedPEM, "It is larger than \(bytesMax) bytes.")
    }
    var blocks: [Block] = []
    var open: (label: String, body: [UInt8])?
    for line in text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
      let line = String(decoding: line, as: UTF8.self).trimmingASCIISpaces
      if let label = line.between("-----BEGIN ", "-----") {
        guard open == nil else { throw CodedError(.malformedPEM, "A block begins within another.") }
        open = (label, [])
      } else if let label = line.between("-----END ", "-----") {
        guard let (begun, body) = open, begun == label else {
          throw CodedError(.malformedPEM, "A block ends that did not begin.")
        }
        guard let bytes = Base64.decode(body) else {
          throw CodedError(.malformedPEM, "The block \(label) is not Base64.")
        }
        blocks.append(Block(label: label, bytes: Secret(bytes)))
        open = nil
      } else if open != nil {
        open?.body.append(contentsOf: line.utf8)
      }
    }
    guard open == nil else { throw CodedError(.malformedPEM, "The last block does not end.") }
    return blocks
  }

  /// All blocks of a text in their order.
  package static func blocks(in text: String) throws(CodedError<CryptographyErrorCode>) -> [Block] {
    try blocks(in: Array(text.utf8))
  }

  /// The text of one block, in lines of 64 characters.
  package static func text(label: String, bytes: some Sequence<UInt8>) -> String {
    var output = "-----BEGIN \(label)-----\n"
    var rest = Base64.encode(bytes)[...]
    while !rest.isEmpty {
      output += rest.prefix(64) + "\n"
      rest = rest.dropFirst(64)
    }
    return output + "-----END \(label)-----\n"
  }
}

extension String {
  fileprivate var trimmingASCIISpaces: String {
    let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    let bytes = Array(utf8.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    return String(decoding: bytes, as: UTF8.self)
  }

  fileprivate func between(_ start: String, _ end: String) -> String? {
    guard utf8.count > start.utf8.count + end.utf8.count, hasPrefix(start), hasSuffix(end) else {
      return nil
    }
    return String(dropFirst(start.count).dropLast(end.count))
  }
}
