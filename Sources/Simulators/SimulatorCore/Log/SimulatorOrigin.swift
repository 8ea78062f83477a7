import Cryptography
package import PaymentPrimitives
package import StrictJSON

/// The values that are fixed when a simulator is created.
package struct SimulatorOrigin: Hashable, Sendable {
  /// The seed of all its keys. They are test keys: only a server that is configured for this simulator trusts them.
  package let testKeySeed: [UInt8]
  package let createdAt: Timestamp

  /// A key on P-384 needs 48 bytes.
  package static let seedByteCount = 48

  package init(testKeySeed: [UInt8], createdAt: Timestamp) {
    self.testKeySeed = testKeySeed
    self.createdAt = createdAt
  }

  package init(_ fields: JSONFields) throws(JSONFieldError) {
    testKeySeed = try fields.converted("testKeySeed", "\(Self.seedByteCount) bytes in Base64") { text in
      Base64.decode(text).flatMap { $0.count == Self.seedByteCount ? $0 : nil }
    }
    createdAt = try fields.timestamp("createdAt")
  }

  package var members: [(String, JSONValue?)] {
    [("testKeySeed", .string(Base64.encode(testKeySeed))), ("createdAt", .integer(createdAt.milliseconds))]
  }
}
