package import PaymentPrimitives

/// The WeChat Pay data of an order: what was promised to WeChat Pay, and its progress there.
///
/// WeChat Pay accepts an order number once: every repeat for it must be the same to the byte. So the body is kept
/// before it is first sent.
package struct WeChatPayOrder: Hashable, Sendable {
  package let order: OrderKey
  /// The merchant that receives the payment: `mchid`.
  package let merchant: String
  /// The app id that the order is opened for: `appid`.
  package let storeApp: String
  /// The trade type: `APP`, `JSAPI`, `MWEB` (H5) or `NATIVE`. One order is opened for one.
  package let tradeType: String
  /// The amount to pay: price times quantity of the order's snapshot.
  package let amount: Money
  /// The body of the prepay call, as JSON text.
  package let prepayBody: String

  package var state: WeChatPayOrderState
  /// The result of the last successful call to open it, for the payer.
  package var handle: Handle?
  /// WeChat Pay's number of the payment that names the order, once one is known.
  package var transaction: TransactionIdentifier?
  /// When to ask WeChat Pay next; nil if there is nothing left to ask.
  package var nextQuestionAt: Timestamp?
  /// How many questions the schedule has sent.
  package var questions: Int

  /// The result of opening an order: a `prepay_id`, or the address for the payer's browser or camera.
  package struct Handle: Hashable, Sendable {
    package let text: String
    /// When it was issued; it is valid only for a limited time.
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

  /// What a charge must state to pay it.
  package var expectedCharge: ExpectedCharge {
    ExpectedCharge(order: order.id, amount: amount, merchant: merchant, storeApp: storeApp)
  }
}
