package import PaymentPrimitives

/// What stands beside an order that WeChat Pay is to be paid for: what was promised to WeChat Pay, and how far that is.
///
/// WeChat Pay takes an order number once: whatever is sent for it again must be the same to the byte, so the body is
/// kept before it is first sent.
package struct WeChatPayOrder: Hashable, Sendable {
  /// The order.
  package let order: OrderKey
  /// The merchant that is to be paid: `mchid`.
  package let merchant: String
  /// The app id that it is opened for: `appid`.
  package let storeApp: String
  /// Which cashier: `APP`, `JSAPI`, `MWEB` (H5) or `NATIVE`; one order is opened for one.
  package let tradeType: String
  /// What is to be paid: price times quantity of the order's snapshot.
  package let amount: Money
  /// The body of the prepay call, as JSON text.
  package let prepayBody: String

  package var state: WeChatPayOrderState
  /// What opening it gave last, to hand to the payer.
  package var handle: Handle?
  /// WeChat Pay's number of the payment that names it, once one is known.
  package var transaction: TransactionIdentifier?
  /// When WeChat Pay is asked next; nil when there is nothing to ask any more.
  package var nextQuestionAt: Timestamp?
  /// How often the schedule has asked.
  package var questions: Int

  /// What opening an order gave: a `prepay_id`, or the address that the payer's browser or camera takes.
  package struct Handle: Hashable, Sendable {
    package let text: String
    /// When it was issued: it is good for a while only.
    package let issuedAt: Timestamp

    package init(_ text: String, issuedAt: Timestamp) {
      self.text = text
      self.issuedAt = issuedAt
    }
  }

  /// An order that is about to be opened.
  package init(
    order: OrderKey, merchant: String, storeApp: String, tradeType: String, amount: Money, prepayBody: String,
    nextQuestionAt: Timestamp
  ) {
    self.order = order
    self.merchant = merchant
    self.storeApp = storeApp
    self.tradeType = tradeType
    self.amount = amount
    self.prepayBody = prepayBody
    self.state = .preparing
    self.nextQuestionAt = nextQuestionAt
    self.questions = 0
  }

  /// What a charge must say to pay it.
  package var expectedCharge: ExpectedCharge {
    ExpectedCharge(order: order.id, amount: amount, merchant: merchant, storeApp: storeApp)
  }
}
