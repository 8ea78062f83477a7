/// One payment of an order that a store took under our own order number, verified: WeChat Pay's word.
///
/// Other than the App Store, WeChat Pay knows no products: it says what was charged, for which order number, to which
/// merchant. What the payment gives stands in the order's snapshot, and only once everything here equals the order
/// (`ChargeDifference`).
public struct VerifiedCharge: Hashable, Sendable {
  /// The payment's identity: unique for ever.
  public var key: PaymentKey
  /// The order number as the store carries it: WeChat Pay's `out_trade_no`. Other systems of one merchant have other
  /// forms.
  public var orderNumber: String
  /// What the order was opened for, before coupons.
  public var amount: Money
  /// What the payer paid after coupons; nil when it is not stated.
  public var payerAmount: Money?
  /// The merchant that was paid: WeChat Pay's `mchid`.
  public var merchant: String
  /// The store's name of the app: WeChat Pay's `appid`; nil when it is not stated.
  public var storeApp: String?
  /// How it was paid, as it came: `APP`, `JSAPI`, `MWEB`, `NATIVE`.
  public var tradeType: String?
  /// Who paid, as the store names him within that app; a person's identity, never to be logged.
  public var payer: String?
  /// When it was paid.
  public var paidDate: Timestamp
  /// When the store said so; decides which of two pieces of news is newer.
  public var signedDate: Timestamp
  /// Whether at least one refund was ever asked for; the payment counts as paid nevertheless.
  public var isRefundStarted: Bool

  /// A charge with what is always stated; the optional facts are set afterwards.
  public init(
    key: PaymentKey, orderNumber: String, amount: Money, merchant: String, paidDate: Timestamp, signedDate: Timestamp
  ) {
    self.key = key
    self.orderNumber = orderNumber
    self.amount = amount
    self.merchant = merchant
    self.paidDate = paidDate
    self.signedDate = signedDate
    self.isRefundStarted = false
  }

  /// The order id, where the number is one of ours: 32 upper-case hexadecimal digits and nothing else.
  public var order: OrderIdentifier? {
    guard let order = OrderIdentifier(orderNumber), order.outTradeNo.utf8.elementsEqual(orderNumber.utf8) else {
      return nil
    }
    return order
  }

  /// The payment that this charge is, of what the order's snapshot says it sells.
  ///
  /// To be called once `differences(from:)` is empty.
  public func payment(of product: StoreProductIdentifier, kind: ProductKind, quantity: Int) -> VerifiedPayment {
    var payment = VerifiedPayment(
      key: key, originalTransaction: key.transaction, storeProduct: product, kind: kind, quantity: quantity,
      purchaseDate: paidDate, signedDate: signedDate)
    payment.token = order
    payment.merchant = merchant
    payment.storeApp = storeApp
    // The smallest unit of CNY is the hundredth, of a stated price the thousandth.
    let (milliunits, overflow) = amount.minorUnits.multipliedReportingOverflow(by: 10)
    if amount.currency == .cny, !overflow {
      payment.price = StatedPrice(milliunits: milliunits, currency: amount.currency.code)
    }
    return payment
  }
}

/// What an order expects of the charge that pays it.
public struct ExpectedCharge: Hashable, Sendable {
  /// The order.
  public var order: OrderIdentifier
  /// Its price times its quantity.
  public var amount: Money
  /// The merchant that it was opened for.
  public var merchant: String
  /// The store's name of the app that it was opened for.
  public var storeApp: String

  /// An expectation of all four.
  public init(order: OrderIdentifier, amount: Money, merchant: String, storeApp: String) {
    self.order = order
    self.amount = amount
    self.merchant = merchant
    self.storeApp = storeApp
  }
}

/// In what a charge differs from its order: each a named reason to hold the payment instead of granting it.
public enum ChargeDifference: String, Hashable, CaseIterable, Sendable {
  /// Another order number.
  case order
  /// More or less money.
  case amount
  /// Another currency.
  case currency
  /// Another merchant.
  case merchant
  /// Another app, or none stated.
  case storeApp
}

extension VerifiedCharge {
  /// In what the charge differs from what the order expects; empty when it pays it.
  public func differences(from expected: ExpectedCharge) -> [ChargeDifference] {
    ChargeDifference.allCases.filter { difference in
      switch difference {
      case .order: order != expected.order
      case .amount: amount.minorUnits != expected.amount.minorUnits
      case .currency: amount.currency != expected.amount.currency
      case .merchant: !merchant.utf8.elementsEqual(expected.merchant.utf8)
      case .storeApp: storeApp?.utf8.elementsEqual(expected.storeApp.utf8) != true
      }
    }
  }
}

/// One refund of a charge as the store tells it, verified.
public struct VerifiedRefund: Hashable, Sendable {
  /// How far it is.
  public enum Progress: Hashable, Sendable {
    /// Asked for, not yet done.
    case underWay
    /// The money is back with the payer, since that moment where it is stated. Only now is anything taken back.
    case done(Timestamp?)
    /// Failed for good: a new one needs a new number.
    case closed
    /// The payer's account could not be credited: somebody must act, then it goes on.
    case stuck
    /// A word that this version does not know, as it came: neither done nor failed.
    case unknown(String)
  }

  /// Our own number, which names the refund for ever: WeChat Pay's `out_refund_no`.
  public var number: String
  /// The store's number: `refund_id`.
  public var storeNumber: String
  /// The charge that it takes back.
  public var charge: PaymentKey
  /// The order number of that charge.
  public var orderNumber: String
  /// What is given back.
  public var amount: Money
  /// What the order was opened for.
  public var total: Money
  /// How far it is.
  public var progress: Progress
  /// When the store said so.
  public var signedDate: Timestamp

  /// A refund from its facts.
  public init(
    number: String, storeNumber: String, charge: PaymentKey, orderNumber: String, amount: Money, total: Money,
    progress: Progress, signedDate: Timestamp
  ) {
    self.number = number
    self.storeNumber = storeNumber
    self.charge = charge
    self.orderNumber = orderNumber
    self.amount = amount
    self.total = total
    self.progress = progress
    self.signedDate = signedDate
  }
}
