package import Cryptography

/// The serial number of a certificate as WeChat Pay names it: hexadecimal, two digits for each byte, upper case.
///
/// Two are equal when their numbers are: leading zeros and the case of the digits, which some tools drop or change,
/// make no difference.
package struct CertificateSerial: Hashable, Sendable, CustomStringConvertible {
  /// The digits, upper case and even in number: 40 for most certificates, with their leading zeros.
  package let text: String

  /// Nil unless the text is 1 to 64 hexadecimal digits.
  package init?(_ text: String) {
    let digits = text.utf8.map { (0x61...0x66).contains($0) ? $0 - 0x20 : $0 }
    guard (1...64).contains(digits.count),
      digits.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x46).contains($0) })
    else { return nil }
    self.text = (digits.count % 2 == 0 ? "" : "0") + String(decoding: digits, as: UTF8.self)
  }

  /// The serial number of a certificate. Printed as a number it would lose its leading zeros.
  package init(of certificate: X509Certificate) {
    let alphabet = Array("0123456789ABCDEF".utf8)
    let bytes = certificate.serialNumber.isEmpty ? [0] : certificate.serialNumber
    text = String(
      decoding: bytes.flatMap { [alphabet[Int($0 >> 4)], alphabet[Int($0 & 15)]] }, as: UTF8.self)
  }

  private var significant: Substring.UTF8View { text.utf8.drop { $0 == 0x30 } }

  package static func == (a: CertificateSerial, b: CertificateSerial) -> Bool {
    a.significant.elementsEqual(b.significant)
  }

  package func hash(into hasher: inout Hasher) {
    for digit in significant { hasher.combine(digit) }
  }

  package var description: String { text }
}
