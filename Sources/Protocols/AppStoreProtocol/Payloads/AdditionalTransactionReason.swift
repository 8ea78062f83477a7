/// An additional reason of a transaction (1.23).
package enum AdditionalTransactionReason: String, CaseIterable, Sendable {
  /// Seats were added to a group purchase.
  case seatAddition = "SEAT_ADDITION"
}
