import PaymentModel
package import PaymentPrimitives
import StrictJSON

// The JSON form of WeChat Pay's charges and refunds, for stopped changes.

extension VerifiedCharge {
  var json: JSONValue {
    .members([
      ("orderNumber", .string(orderNumber)), ("amount", amount.json), ("payerAmount", payerAmount?.json),
      ("merchant", .string(merchant)), ("storeApp", storeApp.map(JSONValue.string)),
      ("tradeType", tradeType.map(JSONValue.string)), ("payer", payer.map(JSONValue.string)),
      ("paidDate", paidDate.json), ("signedDate", signedDate.json),
      ("isRefundStarted", isRefundStarted ? .bool(true) : nil),
    ])
  }

  /// A stored charge; nil if the JSON is not one.
  init?(_ json: JSONValue?, key: PaymentKey) {
    guard let json, let number = json["orderNumber"]?.string, let amount = Money(json["amount"]),
      let merchant = json["merchant"]?.string, let paidDate = Timestamp(json["paidDate"]),
      let signedDate = Timestamp(json["signedDate"])
    else { return nil }
    self.init(
      key: key, orderNumber: number, amount: amount, merchant: merchant, paidDate: paidDate, signedDate: signedDate)
    payerAmount = Money(json["payerAmount"])
    storeApp = json["storeApp"]?.string
    tradeType = json["tradeType"]?.string
    payer = json["payer"]?.string
    isRefundStarted = json["isRefundStarted"]?.bool ?? false
  }

  /// The charge that a stored payment was made from, as far as its facts contain it; the payer and the trade type are
  /// missing.
  ///
  /// - Returns: nil for a payment without an order number, price or merchant. Prices are in CNY only.
  package init?(_ facts: VerifiedPayment) {
    guard facts.key.store.opensOrders, let order = facts.token, let merchant = facts.merchant,
      let price = facts.price, let currency = CurrencyCode(price.currency), price.milliunits.isMultiple(of: 10)
    else { return nil }
    self.init(
      key: facts.key, orderNumber: order.outTradeNo,
      amount: Money(minorUnits: price.milliunits / 10, currency: currency), merchant: merchant,
      paidDate: facts.purchaseDate, signedDate: facts.signedDate)
    storeApp = facts.storeApp
  }
}

extension VerifiedRefund {
  var json: JSONValue {
    .members([
      ("number", .string(number)), ("storeNumber", .string(storeNumber)), ("orderNumber", .string(orderNumber)),
      ("amount", amount.json), ("total", total.json), ("progress", progress.json), ("signedDate", signedDate.json),
      ("createdAt", createdAt?.json),
    ])
  }

  /// A stored update of a refund; nil if the JSON is not one.
  init?(_ json: JSONValue?, of charge: PaymentKey) {
    guard let json, let number = json["number"]?.string, let storeNumber = json["storeNumber"]?.string,
      let orderNumber = json["orderNumber"]?.string, let amount = Money(json["amount"]),
      let total = Money(json["total"]), let progress = Progress(json["progress"]),
      let signedDate = Timestamp(json["signedDate"])
    else { return nil }
    self.init(
      number: number, storeNumber: storeNumber, charge: charge, orderNumber: orderNumber, amount: amount, total: total,
      progress: progress, signedDate: signedDate)
    createdAt = Timestamp(json["createdAt"])
  }
}

extension VerifiedRefund.Progress {
  fileprivate var json: JSONValue {
    switch self {
    case .underWay: .members([("word", "underWay")])
    case .done(let moment): .members([("word", "done"), ("at", moment?.json)])
    case .closed: .members([("word", "closed")])
    case .stuck: .members([("word", "stuck")])
    case .unknown(let word): .members([("word", "unknown"), ("said", .string(word))])
    }
  }

  fileprivate init?(_ json: JSONValue?) {
    switch json?["word"]?.string {
    case "underWay": self = .underWay
    case "done": self = .done(Timestamp(json?["at"]))
    case "closed": self = .closed
    case "stuck": self = .stuck
    case "unknown": self = .unknown(json?["said"]?.string ?? "")
    default: return nil
    }
  }
}

extension Money {
  fileprivate var json: JSONValue {
    .members([("minorUnits", .integer(minorUnits)), ("currency", .string(currency.code))])
  }

  fileprivate init?(_ json: JSONValue?) {
    guard let minorUnits = json?["minorUnits"]?.integer,
      let currency = json?["currency"]?.string.flatMap({ CurrencyCode($0) })
    else { return nil }
    self.init(minorUnits: minorUnits, currency: currency)
  }
}
