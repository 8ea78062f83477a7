package import PaymentModel
package import PaymentPrimitives

// What an operator searches for. No key covers these lists, so a plan cannot contain them.
extension RecordingTransaction {
  package func orders(referenceFromApp text: String, in appEnvironment: AppEnvironment, limit: Int) throws -> [Order] {
    try readWithoutKey { try $0.orders(referenceFromApp: text, in: appEnvironment, limit: limit) }
  }

  package func orderIdentifiers(
    madeIn range: ClosedRange<Timestamp>, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [OrderIdentifier] {
    try readWithoutKey { try $0.orderIdentifiers(madeIn: range, in: appEnvironment, limit: limit) }
  }

  package func payments(ofLineItem item: String, in appEnvironment: AppEnvironment, limit: Int) throws -> [Payment] {
    try readWithoutKey { try $0.payments(ofLineItem: item, in: appEnvironment, limit: limit) }
  }

  package func payments(
    withUnmatchedToken token: OrderIdentifier, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [Payment] {
    try readWithoutKey { try $0.payments(withUnmatchedToken: token, in: appEnvironment, limit: limit) }
  }

  package func payments(
    grantedTo user: UserIdentifier, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [Payment] {
    try readWithoutKey { try $0.payments(grantedTo: user, in: appEnvironment, limit: limit) }
  }

  package func refunds(storeNumber text: String, in appEnvironment: AppEnvironment, limit: Int) throws -> [Refund] {
    try readWithoutKey { try $0.refunds(storeNumber: text, in: appEnvironment, limit: limit) }
  }
}
