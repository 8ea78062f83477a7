package import PaymentPrimitives

/// An entry of the append-only journal of orders and payments: what, when, why, with which evidence.
package struct JournalEntry: Hashable, Sendable {
  package let appEnvironment: AppEnvironment
  package let at: Timestamp
  /// The name of the event (`JournalEvent`), also of one that only earlier versions wrote.
  package let what: String
  package let order: OrderIdentifier?
  package let payment: PaymentKey?
  /// The details as JSON text of an object; never a secret.
  package let details: String
  /// The event that the app's backend is told, as JSON text; nil if the entry tells it nothing.
  package var event: String?

  package init(
    _ event: JournalEvent, in appEnvironment: AppEnvironment, at: Timestamp, order: OrderIdentifier?,
    payment: PaymentKey?, details: String = "{}"
  ) {
    self.init(
      appEnvironment: appEnvironment, at: at, stored: event.name, order: order, payment: payment, details: details)
  }

  /// An entry as the database has it.
  package init(
    appEnvironment: AppEnvironment, at: Timestamp, stored name: String, order: OrderIdentifier?, payment: PaymentKey?,
    details: String
  ) {
    self.appEnvironment = appEnvironment
    self.at = at
    self.what = name
    self.order = order
    self.payment = payment
    self.details = details
  }
}
