import Cryptography

/// The trusted root certificates of Apple, identified only by the SHA-256 of their bytes.
///
/// Trust depends on these digests, never on the contents of a token. Source: Apple's page of certificate authorities.
/// Apple's engineers advise to trust all of its roots, not only the current ones.
package enum AppleRootCertificates {
  /// The name of the root with that fingerprint; nil if it is not one of Apple's.
  package static func name(ofFingerprint fingerprint: [UInt8]) -> String? {
    roots.first { $0.fingerprint == fingerprint }?.name
  }

  static let roots: [(name: String, fingerprint: [UInt8])] = [
    // Signs StoreKit's data today.
    (
      "Apple Root CA - G3",
      bytes("63343ABFB89A6A03EBB57E9B3F5FA7BE7C4F5C756F3017B3A8C488C3653E9179")
    ),
    // Signs receipts.
    ("Apple Root CA", bytes("B0B1730ECBC7FF4505142C49F1295E6EDA6BCAED7E2C68C5BE91B5A11001F024")),
    (
      "Apple Root CA - G2",
      bytes("C2B9B042DD57830E7D117DAC55AC8AE19407D38E41D88F3215BC3A890444A050")
    ),
  ]

  /// Whether a certificate is an Apple intermediate that is known in advance, before any token. This gives no trust. It
  /// only selects the better budget when many unknown chains arrive at once.
  static func isExpectedIntermediate(_ der: [UInt8]) -> Bool {
    expectedIntermediates.contains { $0.byteCount == der.count && $0.fingerprint == SHA256.hash(der) }
  }

  /// The length is compared first, because hashing every certificate would make a flood of requests expensive.
  private static let expectedIntermediates: [(byteCount: Int, fingerprint: [UInt8])] = [
    // Apple Worldwide Developer Relations Certification Authority, G6, until 2036.
    (794, bytes("BDD4ED6E74691F0C2BFD01BE0296197AF1379E0418E2D300EFA9C3BEF642CA30")),
    // G5 of the same authority, until 2030: for receipts since 2023.
    (1113, bytes("53FD008278E5A595FE1E908AE9C5E5675F26243264A5A6438C023E3CE2870760")),
    // The same authority without a letter, until 2023: for receipts from 2015 on.
    (1062, bytes("CE057691D730F89CA25E916F7335F4C8A15713DCD273A658C024023F8EB809C2")),
  ]

  private static func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = hexadecimal.utf8.map { $0 < 0x40 ? $0 - 0x30 : $0 - 0x41 + 10 }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}
