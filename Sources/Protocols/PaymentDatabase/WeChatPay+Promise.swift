package import PaymentModel
import PaymentPrimitives

extension WeChatPayOrder {
  /// Whether the other one has the same promise, to the byte: all that an update may not change.
  package func promisesTheSame(as other: WeChatPayOrder) -> Bool {
    order == other.order && amount == other.amount && sameBytes(merchant, other.merchant)
      && sameBytes(storeApp, other.storeApp) && sameBytes(tradeType, other.tradeType)
      && sameBytes(prepayBody, other.prepayBody)
  }
}

extension Refund {
  /// Whether the other refund has the same constant fields, to the byte: all that an update may not change.
  package func promisesTheSame(as other: Refund) -> Bool {
    appEnvironment == other.appEnvironment && sameBytes(number, other.number) && order == other.order
      && payment == other.payment
      && amount == other.amount && total == other.total && sameBytes(reason, other.reason)
      && sameBytes(body, other.body) && createdAt == other.createdAt
  }
}
