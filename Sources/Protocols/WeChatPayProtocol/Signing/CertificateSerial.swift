package import Cryptography

/// The serial number of a certificate in WeChat Pay's form: hexadecimal, two digits for each byte, upper case.
///
/// Two values are equal if their numbers are equal. Leading zeros and letter case do not matter, because some tools
/// drop or change them.
package struct CertificateSerial: Hashable, Sendable, CustomStringConvertible {
  /// The digits in upper case, an even number of them: 40 for most certificates, including leading zeros.
  package let text: String

  /// Nil unless the text is 1 to 64 hexadecimal digits.
  package init?(_ text: String) {
    let digits = text.utf8.map { (0x61...0x66).contains($0) ? $0 - 0x20 : $0 }
    guard (1...64).contains(digits.count),
      digits.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x46).contains($0) })
    else { return nil }
    self.text = (digits.count % 2 == 0 ? "" : "0") + String(decoding: digits, as: UTF8.self)
  }

  /// The serial number of a certificate, with the leading zeros that a plain number would lose.
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
