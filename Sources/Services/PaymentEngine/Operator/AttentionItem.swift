import PaymentModel
package import PaymentPrimitives

/// Something that needs an operator's attention.
package struct AttentionItem: Hashable, Sendable {
  package enum Kind: String, Hashable, CaseIterable, Sendable {
    /// A payment that is held, unclaimed or set aside.
    case payment
    /// A change of money that was stopped.
    case stoppedChange
    /// The ids of a purchase disagree on a refund.
    case disputedRefund
    /// Two statements of WeChat Pay about a granted charge differ.
    case contradictedCharge
    /// A refund that the store cannot credit to the payer.
    case stuckRefund
    case parkedDelivery
    /// A notification that could not be passed on for 30 days.
    case parkedForward
    case frozenOrder
    case frozenBalance
    /// A day's bill and our ledger differ.
    case reconciliationDifference
    case uncomparedDay
    case backupGap
    /// A customer's complaint at WeChat Pay that is not done.
    case complaint
    /// What was sold, and the configuration no longer has.
    case configuration
  }

  /// An amount in the form in which it is known.
  package enum Amount: Hashable, Sendable {
    case money(Money)
    case statedPrice(StatedPrice)
    case units(Int64, UnitName)
  }

  package let kind: Kind
  package let appEnvironment: AppEnvironment
  /// Since when it waits; nil if that is not known.
  package let since: Timestamp?
  /// Why it waits: the row's name in `OperatorQueueTable`.
  package let row: String
  package let resolution: OperatorResolution
  package var amount: Amount?
  /// What was found, in words.
  package var found: String?

  // What it is about.
  package var payment: PaymentKey?
  package var order: OrderIdentifier?
  package var user: UserIdentifier?
  /// A refund's number, a delivery's or notification's id, a day, or a product.
  package var subject: String?
  package var store: Store?

  init(
    _ kind: Kind, in appEnvironment: AppEnvironment, since moment: Timestamp?, row: OperatorQueueTable.Row
  ) {
    self.kind = kind
    self.appEnvironment = appEnvironment
    self.since = moment
    self.row = row.name
    self.resolution = row.resolution
  }
}
