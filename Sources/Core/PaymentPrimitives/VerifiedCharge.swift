/// A verified payment of an order that a store took under our own order number: a WeChat Pay statement.
///
/// Unlike the App Store, WeChat Pay knows no products. It states the amount, the order number and the merchant. The
/// order's snapshot says what the payment gives, and only if everything here equals the order (`ChargeDifference`).
public struct VerifiedCharge: Hashable, Sendable {
  /// The payment's identity: unique for ever.
  public var key: PaymentKey
  /// The order number as the store carries it: WeChat Pay's `out_trade_no`. Other systems of the same merchant use
  /// other forms.
  public var orderNumber: String
  /// The amount of the order, before coupons.
  public var amount: Money
  /// The amount that the payer paid after coupons; nil if it is not stated.
  public var payerAmount: Money?
  /// The merchant that received the payment: WeChat Pay's `mchid`.
  public var merchant: String
  /// The store's id of the app: WeChat Pay's `appid`; nil if it is not stated.
  public var storeApp: String?
  /// The trade type as received: `APP`, `JSAPI`, `MWEB`, `NATIVE`.
  public var tradeType: String?
  /// The store's id of the payer within that app. It identifies a person: never log it.
  public var payer: String?
  /// When it was paid.
  public var paidDate: Timestamp
  /// When the store stated this; decides which of two updates is newer.
  public var signedDate: Timestamp
  /// Whether at least one refund was ever requested; the payment still counts as paid.
  public var isRefundStarted: Bool

  /// A charge with the facts that are always stated; the optional facts are set afterwards.
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

  /// The order id, if the number is one of ours: exactly 32 upper-case hexadecimal digits.
  public var order: OrderIdentifier? {
    guard let order = OrderIdentifier(orderNumber), order.outTradeNo.utf8.elementsEqual(orderNumber.utf8) else {
      return nil
    }
    return order
  }

  /// The payment of this charge, for the product in the order's snapshot.
  ///
  /// Call it only when `differences(from:)` is empty.
  public func payment(of product: StoreProductIdentifier, kind: ProductKind, quantity: Int) -> VerifiedPayment {
    var payment = VerifiedPayment(
      key: key, originalTransaction: key.transaction, storeProduct: product, kind: kind, quantity: quantity,
      purchaseDate: paidDate, signedDate: signedDate)
    payment.token = order
    payment.merchant = merchant
    payment.storeApp = storeApp
    // The smallest unit of CNY is 1/100, that of a stated price 1/1000.
    let (milliunits, overflow) = amount.minorUnits.multipliedReportingOverflow(by: 10)
    if amount.currency == .cny, !overflow {
      payment.price = StatedPrice(milliunits: milliunits, currency: amount.currency.code)
    }
    return payment
  }
}

/// The facts that an order requires of its charge.
public struct ExpectedCharge: Hashable, Sendable {
  /// The order's id.
  public var order: OrderIdentifier
  /// The order's price times its quantity.
  public var amount: Money
  /// The merchant that the order was opened for.
  public var merchant: String
  /// The store's id of the app that the order was opened for.
  public var storeApp: String

  /// Expected facts of a charge.
  public init(order: OrderIdentifier, amount: Money, merchant: String, storeApp: String) {
    self.order = order
    self.amount = amount
    self.merchant = merchant
    self.storeApp = storeApp
  }
}

/// A difference between a charge and its order: a named reason to hold the payment and not grant it.
public enum ChargeDifference: String, Hashable, CaseIterable, Sendable {
  /// Another order number.
  case order
  /// A larger or smaller amount.
  case amount
  /// Another currency.
  case currency
  /// Another merchant.
  case merchant
  /// Another app, or no stated app.
  case storeApp
}

extension VerifiedCharge {
  /// The differences between the charge and the order's expectation; empty if it pays the order.
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

/// A verified statement of a store about one refund of a charge.
public struct VerifiedRefund: Hashable, Sendable {
  /// The progress of a refund.
  public enum Progress: Hashable, Sendable {
    /// Requested, not yet finished.
    case underWay
    /// The payer has the money back, since that moment if it is stated. Only now is anything taken back.
    case done(Timestamp?)
    /// Failed for good: another refund needs a new number.
    case closed
    /// The payer's account could not be credited: an operator must act, then it continues.
    case stuck
    /// A value that this version does not know, as received: neither done nor failed.
    case unknown(String)
  }

  /// Our own number, which identifies the refund for ever: WeChat Pay's `out_refund_no`.
  public var number: String
  /// The store's number: `refund_id`.
  public var storeNumber: String
  /// The refunded charge.
  public var charge: PaymentKey
  /// The order number of that charge.
  public var orderNumber: String
  /// The refunded amount.
  public var amount: Money
  /// The amount of the order.
  public var total: Money
  /// The progress of the refund.
  public var progress: Progress
  /// When the store stated this.
  public var signedDate: Timestamp
  /// The store's word for the way that the money takes, as received; nil if it states none.
  package var channel: String?
  /// When the store accepted it; nil if it does not state that.
  package var createdAt: Timestamp?

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
