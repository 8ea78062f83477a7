package import PaymentPrimitives

/// What the customer does with a payment sheet, and what the device then reports.
package enum CustomerAnswer: Hashable, Sendable {
  /// The customer types the password after this time; the App Store charges one second later.
  case agrees(after: TimeSpan)
  case cancels(after: TimeSpan)
  /// The customer pays, and the connection breaks between charge and answer: the device reports a failure (rule
  /// SK1-15).
  case paysAndConnectionBreaks
  /// The customer pays, and the device reports a cancellation (rule SK2-5).
  case paysAndSeemsToCancel
  /// The customer pays, and the device reports nothing until the next launch (rule SK2-1).
  case paysAndNothingIsHeard
  /// The customer accepts Apple's request (terms, payment method) only after this time (rules SK1-14, SK2-14).
  case acceptsTerms(after: TimeSpan)
  /// The customer never accepts Apple's request.
  case leavesTermsOpen

  /// Time before the password: if the app ends in this time, the sheet closes (rule DEV-3).
  var thinking: TimeSpan {
    switch self {
    case .agrees(let span), .cancels(let span): span
    case .paysAndConnectionBreaks, .paysAndSeemsToCancel, .paysAndNothingIsHeard, .acceptsTerms,
      .leavesTermsOpen:
      .seconds(2)
    }
  }

  /// How long the customer takes to accept Apple's request; nil: never.
  var consent: TimeSpan? {
    switch self {
    case .acceptsTerms(let span): span
    case .leavesTermsOpen: nil
    case .agrees, .cancels, .paysAndConnectionBreaks, .paysAndSeemsToCancel, .paysAndNothingIsHeard:
      .seconds(5)
    }
  }
}
