/// Amounts of bills: yuan as decimal text. They are parsed digit by digit, without floating point.
package enum BillAmount {
  /// Whole fen of a text like `6.00`, `0.0`, `-0.03`.
  ///
  /// - Returns: nil for any other text, including fractions of a fen.
  package static func fen(_ text: String) -> Int64? {
    guard let fine = feeUnits(text), fine % unitsPerFen == 0 else { return nil }
    return fine / unitsPerFen
  }

  /// Hundred-thousandths of a yuan (thousandths of a fen) of a text like `0.03600`. Fees have this precision.
  package static func feeUnits(_ text: String) -> Int64? {
    var digits = Substring(text).utf8[...]
    let isNegative = digits.first == 0x2D
    if isNegative { digits = digits.dropFirst() }
    let parts = digits.split(separator: 0x2E, omittingEmptySubsequences: false)
    guard parts.count <= 2, (1...wholeDigitsMax).contains(parts[0].count), parts.allSatisfy({ !$0.isEmpty }),
      parts.allSatisfy({ $0.allSatisfy { (0x30...0x39).contains($0) } })
    else { return nil }
    let fraction = parts.count == 2 ? Array(parts[1]) : []
    // Additional zeros add no information; additional digits would be lost.
    guard fraction.count <= 12, fraction.dropFirst(5).allSatisfy({ $0 == 0x30 }) else { return nil }
    let padded = fraction.prefix(5) + [UInt8](repeating: 0x30, count: max(0, 5 - fraction.count))
    let value = (Array(parts[0]) + padded).reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
    return isNegative ? -value : value
  }

  /// The maximum rounding error of a sum of fees, in hundred-thousandths of a yuan. The text of the sum is rounded, so
  /// the error is half of its last decimal.
  static func roundingOf(_ text: String) -> Int64 {
    let decimals = text.utf8.firstIndex(of: 0x2E).map { text.utf8[$0...].count - 1 } ?? 0
    return (decimals..<max(decimals, 5)).reduce(Int64(1)) { power, _ in power * 10 } / 2
  }

  /// The row count of a text like `45` or `45.0`; bills use both forms.
  package static func count(_ text: String) -> Int? {
    guard let units = feeUnits(text), units >= 0, units % 100_000 == 0 else { return nil }
    return Int(units / 100_000)
  }

  /// Fen in the form of bills: `6.00`.
  package static func text(fen: Int64) -> String {
    let magnitude = fen.magnitude
    let cents = magnitude % 100
    return (fen < 0 ? "-" : "") + "\(magnitude / 100)." + (cents < 10 ? "0" : "") + "\(cents)"
  }

  /// Thousandths of a fen in the form of fees in bills: `0.03600`.
  package static func text(feeUnits: Int64) -> String {
    let fraction = String(feeUnits.magnitude % 100_000)
    return (feeUnits < 0 ? "-" : "") + "\(feeUnits.magnitude / 100_000)."
      + String(repeating: "0", count: 5 - fraction.count) + fraction
  }

  static let unitsPerFen: Int64 = 1000
  /// A trillion yuan. With five decimals, even a sum of millions of such amounts fits into 64 bits.
  private static let wholeDigitsMax = 12
}
