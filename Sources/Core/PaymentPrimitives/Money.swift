/// An amount in the smallest unit of its currency: fen for CNY, cents for USD, yen for JPY.
///
/// - Unit: `minorUnits` counts whole minor units. Direction (charged, refunded) is recorded separately.
/// - Source: WeChat Pay `amount.total` arrives in this unit. The App Store's `price` arrives in milliunits and stays
///   `StatedPrice`, because Apple says that it is not for accounting.
public struct Money: Hashable, Sendable {
  /// Whole minor units of `currency`.
  public let minorUnits: Int64
  /// The currency that `minorUnits` counts.
  public let currency: CurrencyCode

  /// An amount of whole minor units.
  public init(minorUnits: Int64, currency: CurrencyCode) {
    self.minorUnits = minorUnits
    self.currency = currency
  }
}

/// An ISO 4217 currency code: three upper-case letters.
public struct CurrencyCode: Hashable, Sendable, CustomStringConvertible {
  /// The three letters.
  public let code: String

  /// Nil unless `code` is three upper-case Latin letters.
  public init?(_ code: String) {
    guard code.utf8.count == 3, code.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
      return nil
    }
    self.code = code
  }

  private init(known code: String) { self.code = code }

  /// Chinese yuan, the only currency of our own prices.
  public static let cny = CurrencyCode(known: "CNY")

  public var description: String { code }
}

/// The price that the App Store states in signed data: recorded, never used for decisions.
///
/// - Unit: `milliunits` are thousandths of the currency's main unit (9.99 is 9990), for one piece as far as documented.
/// - Source: `JWSTransactionDecodedPayload.price` and `.currency`.
public struct StatedPrice: Hashable, Sendable {
  /// Thousandths of the currency's main unit.
  public let milliunits: Int64
  /// The currency as stated, unchecked.
  public let currency: String

  /// A price as the store stated it.
  public init(milliunits: Int64, currency: String) {
    self.milliunits = milliunits
    self.currency = currency
  }
}

extension StatedPrice {
  /// A share of the price in whole minor units, rounded down; nil for an invalid currency or out-of-range numbers.
  ///
  /// - Parameter thousandthsOfPercent: 100,000 is all of it, as Apple states percentages.
  public func money(thousandthsOfPercent share: Int64) -> Money? {
    guard let currency = CurrencyCode(currency), milliunits >= 0, (0...100_000).contains(share) else { return nil }
    // Milliunits have three decimal digits; the number of digits of minor units comes from ISO 4217.
    let divisor: Int64 =
      switch currency.minorUnitDigits {
      case 0: 1000 * 100_000
      case 3: 100_000
      default: 10 * 100_000
      }
    let (product, overflow) = milliunits.multipliedReportingOverflow(by: share)
    return overflow ? nil : Money(minorUnits: product / divisor, currency: currency)
  }
}

extension CurrencyCode {
  private static let withoutMinorUnits: Set<String> = [
    "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF",
    "XPF",
  ]
  private static let withThousandths: Set<String> = ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"]

  /// Decimal digits of the minor unit (ISO 4217): 2 for fen and cents, 0 for yen.
  public var minorUnitDigits: Int {
    if Self.withoutMinorUnits.contains(code) { return 0 }
    return Self.withThousandths.contains(code) ? 3 : 2
  }
}
