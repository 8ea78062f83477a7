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

  /// What was found, in parts, so that a page can say it in its own language.
  package enum Finding: Hashable, Sendable {
    /// What a server answered or a check said, in the same words for everybody.
    case text(String)
    case words(BilingualText)
    /// The deadline of an action.
    case due(Timestamp)
    /// How many lines of a day differ, and their kinds under the names of the report.
    case differences(Int64, kinds: [String])
  }

  package let kind: Kind
  package let appEnvironment: AppEnvironment
  /// Since when it waits; nil if that is not known.
  package let since: Timestamp?
  /// Why it waits: the row's name in `OperatorQueueTable`.
  package let row: String
  package let resolution: OperatorResolution
  package var amount: Amount?
  package var finding: Finding?

  // What it is about.
  package var payment: PaymentKey?
  package var order: OrderIdentifier?
  package var user: UserIdentifier?
  /// A refund's number, a delivery's or notification's id, a day, or a product.
  package var subject: String?
  package var store: Store?

  /// What was found, as the API says it.
  package var found: String? {
    switch finding {
    case .text(let text): text
    case .words(let words): words.english
    case .due(let moment): "due " + moment.iso8601
    case .differences(let count, let kinds): "\(count): " + kinds.joined(separator: ", ")
    case nil: nil
    }
  }

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
