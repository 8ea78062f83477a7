package import PaymentPrimitives

/// What the customer does with a payment sheet, and what becomes of it.
package enum CustomerAnswer: Hashable, Sendable {
  /// Types the password after a while; the store charges a second later.
  case agrees(after: TimeSpan)
  case cancels(after: TimeSpan)
  /// Pays, and the connection breaks between charge and answer: the device reports a failure (rule SK1-15).
  case paysAndConnectionBreaks
  /// Pays, and the device reports that he gave up (rule SK2-5).
  case paysAndSeemsToCancel
  /// Pays, and the device says nothing at all until the next launch (rule SK2-1).
  case paysAndNothingIsHeard
  /// Leaves what Apple asks for (terms, payment method) open for that long before he accepts (rules SK1-14, SK2-14).
  case acceptsTerms(after: TimeSpan)
  /// Never accepts what Apple asks for.
  case leavesTermsOpen

  /// Time before the password: while it runs, the sheet dies with the app (rule DEV-3).
  var thinking: TimeSpan {
    switch self {
    case .agrees(let span), .cancels(let span): span
    case .paysAndConnectionBreaks, .paysAndSeemsToCancel, .paysAndNothingIsHeard, .acceptsTerms,
      .leavesTermsOpen:
      .seconds(2)
    }
  }

  /// How long the customer takes to accept Apple's wishes; nil for never.
  var consent: TimeSpan? {
    switch self {
    case .acceptsTerms(let span): span
    case .leavesTermsOpen: nil
    case .agrees, .cancels, .paysAndConnectionBreaks, .paysAndSeemsToCancel, .paysAndNothingIsHeard:
      .seconds(5)
    }
  }
}
