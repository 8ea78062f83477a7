/// The rules that find the user of a payment (docs/specification/matching.md). `Match.decide` tries more than these,
/// in the order of that page.
package enum MatchRule: String, Hashable, CaseIterable, Sendable {
  /// (0) A transaction of a known subscription goes to the subscription's user.
  case subscription = "line"
  /// (1) The signed token names an order of ours.
  case exact
  /// (2) The device sent its evidence with the ids of fitting vault records.
  case presented
  /// (3) The signed-in user has a fitting unpaid order.
  case inferred
  /// (4) No order fits: a derived order is created for the signed-in user.
  case derived
  case `operator`
}

/// What was unusual about a match. Operators see it; it is kept with the payment and in derived orders.
package enum MatchFlag: String, Hashable, CaseIterable, Sendable {
  /// Another payment already paid the order that the token names.
  case paidTwice
  /// The order that the token names is for another product or quantity.
  case boughtSomethingElse
  /// Bought too long before or after the order to pay it.
  case outsideOrderWindow
  /// Several orders of one user fitted; one was chosen by time.
  case severalCandidates
  /// Inferred from the signed-in user's one fitting order.
  case inferred
  /// The evidence came without a device proof.
  case deviceProofMissing
  /// The evidence could not show a token and the store could not be asked.
  case tokenUnseen
  case presentedByAnother
  /// Paid after the order was closed.
  case late
  /// The token named no order but the user directly (`token_meaning = "user"`).
  case tokenNamesUser
  /// The records of the earlier system, imported by the team, name the owner.
  case importedOwner
  /// Bought again after a refund; an operator granted it as a separate purchase.
  case boughtAgain
  /// Seen while Counterfoil only observed: it would have been granted, and was not.
  case observed
}
