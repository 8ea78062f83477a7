import PaymentModel

/// The server's data about one charge.
struct ChargeFinding: Sendable {
  var payment: Payment?
  var grant: Grant?
  var origins: [Evidence.Origin] = []
  var journal: [JournalEntry] = []
  /// Whether a restore has moved it, or its subscription.
  var hasMoved = false
}
