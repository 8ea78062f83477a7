/// Amounts of bills: yuan as decimal text. They are read digit by digit; no floating point comes near them.
package enum BillAmount {
  /// Whole fen of a text like `6.00`, `0.0`, `-0.03`.
  ///
  /// - Returns: nil for anything else, also for fractions of a fen.
  package static func fen(_ text: String) -> Int64? {
    guard let fine = feeUnits(text), fine % unitsPerFen == 0 else { return nil }
    return fine / unitsPerFen
  }

  /// Hundred-thousandths of a yuan (thousandths of a fen) of a text like `0.03600`: fees are that fine.
  package static func feeUnits(_ text: String) -> Int64? {
    var digits = Substring(text).utf8[...]
    let isNegative = digits.first == 0x2D
    if isNegative { digits = digits.dropFirst() }
    let parts = digits.split(separator: 0x2E, omittingEmptySubsequences: false)
    guard parts.count <= 2, (1...wholeDigitsMax).contains(parts[0].count), parts.allSatisfy({ !$0.isEmpty }),
      parts.allSatisfy({ $0.allSatisfy { (0x30...0x39).contains($0) } })
    else { return nil }
    let fraction = parts.count == 2 ? Array(parts[1]) : []
    // Further zeros say nothing; further digits would be lost.
    guard fraction.count <= 12, fraction.dropFirst(5).allSatisfy({ $0 == 0x30 }) else { return nil }
    let padded = fraction.prefix(5) + [UInt8](repeating: 0x30, count: max(0, 5 - fraction.count))
    let value = (Array(parts[0]) + padded).reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
    return isNegative ? -value : value
  }

  /// How far a sum of fees can lie from its text, which is rounded to the decimals that it has: half of the last
  /// one, in hundred-thousandths of a yuan.
  static func roundingOf(_ text: String) -> Int64 {
    let decimals = text.utf8.firstIndex(of: 0x2E).map { text.utf8[$0...].count - 1 } ?? 0
    return (decimals..<max(decimals, 5)).reduce(Int64(1)) { power, _ in power * 10 } / 2
  }

  /// Rows of a text like `45` or `45.0`, as both stand in bills.
  package static func count(_ text: String) -> Int? {
    guard let units = feeUnits(text), units >= 0, units % 100_000 == 0 else { return nil }
    return Int(units / 100_000)
  }

  /// Fen as bills write them: `6.00`.
  package static func text(fen: Int64) -> String {
    let magnitude = fen.magnitude
    let cents = magnitude % 100
    return (fen < 0 ? "-" : "") + "\(magnitude / 100)." + (cents < 10 ? "0" : "") + "\(cents)"
  }

  /// Thousandths of a fen as bills write fees: `0.03600`.
  package static func text(feeUnits: Int64) -> String {
    let fraction = String(feeUnits.magnitude % 100_000)
    return (feeUnits < 0 ? "-" : "") + "\(feeUnits.magnitude / 100_000)."
      + String(repeating: "0", count: 5 - fraction.count) + fraction
  }

  static let unitsPerFen: Int64 = 1000
  /// A trillion yuan: with five decimals it stays far below what 64 bits hold, and so does a sum of millions of them.
  private static let wholeDigitsMax = 12
}
