import PaymentPrimitives

extension StatedPrice {
  /// The price of an order at WeChat Pay, which is in fen.
  init(_ money: Money) { self.init(milliunits: money.minorUnits * 10, currency: money.currency.code) }

  /// The amount as a decimal number without the currency: `6`, `0.99`.
  var decimal: String {
    let (whole, rest) = milliunits.magnitude.quotientAndRemainder(dividingBy: 1000)
    var digits = "\(rest + 1000)".dropFirst()
    while digits.hasSuffix("0") { digits.removeLast() }
    return (milliunits < 0 ? "-" : "") + "\(whole)" + (digits.isEmpty ? "" : "." + digits)
  }

  /// The amount with the two decimal places of yuan and most other currencies: `6.00`.
  var currencyText: String {
    let text = decimal.split(separator: ".", omittingEmptySubsequences: false)
    let rest = text.count == 2 ? String(text[1]) : ""
    return text[0] + "." + rest + String(repeating: "0", count: max(0, 2 - rest.count))
  }

  /// The price of several pieces; nil for a number out of range.
  func times(_ quantity: Int) -> StatedPrice? {
    let (product, isOver) = milliunits.multipliedReportingOverflow(by: Int64(quantity))
    return isOver ? nil : StatedPrice(milliunits: product, currency: currency)
  }
}
