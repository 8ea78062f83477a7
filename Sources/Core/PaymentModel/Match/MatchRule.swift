/// The rules by which a payment finds its user (docs/specification/matching.md). `Match.decide` tries more than these,
/// in the order of that page.
package enum MatchRule: String, Hashable, CaseIterable, Sendable {
  /// (0) A transaction of a known subscription line goes to the line's user.
  case line
  /// (1) The signed token names an order of ours.
  case exact
  /// (2) The device sent its evidence with the ids of fitting vault records.
  case presented
  /// (3) The signed-in user has a fitting unpaid order.
  case inferred
  /// (4) No fitting order: one is made for the signed-in user.
  case derived
  case `operator`
}

/// What was unusual about a match; shown to operators, kept with the payment and in derived orders.
package enum MatchFlag: String, Hashable, CaseIterable, Sendable {
  /// The order that the token names was already paid by another payment.
  case paidTwice
  /// The order that the token names is for another product or quantity.
  case boughtSomethingElse
  /// Bought too long before or after the order was made to pay it.
  case outsideOrderWindow
  /// Several orders of one user fitted; one was chosen by time.
  case severalCandidates
  /// Guessed from the signed-in user's one fitting order.
  case inferred
  /// No device proof came with the evidence.
  case deviceProofMissing
  /// The evidence could not show a token and the store could not be asked.
  case tokenUnseen
  case presentedByAnother
  /// Paid after the order was closed.
  case late
  /// The token named no order but the user himself (`token_meaning = "user"`).
  case tokenNamesUser
  /// The earlier system's books, imported by the team, name the owner.
  case importedOwner
  /// Bought again after a refund, and granted by an operator as a purchase of its own.
  case boughtAgain
  /// Seen while Counterfoil only watched: so it would have been granted, and was not.
  case observed
}
