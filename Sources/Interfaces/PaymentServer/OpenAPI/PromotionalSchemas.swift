import CounterfoilAPI
import PaymentPrimitives
import StrictJSON

/// The schemas of entitlements that are given without a payment.
enum PromotionalSchemas {
  static let requests: [(String, JSONValue?)] = [
    (
      "GiveEntitlement",
      Schemas.object(
        required: ["entitlement", "until", "reason"],
        [
          ("entitlement", Schemas.text(1...255)), ("until", Schemas.date), ("reason", Schemas.text(1...1024)),
          ("id", Schemas.text(1...255)), ("environment", Schemas.environment),
        ])
    ),
    (
      "RevokeEntitlement",
      Schemas.object(
        required: ["reason"], [("reason", Schemas.text(1...1024)), ("environment", Schemas.environment)])
    ),
  ]

  static let answers: [(String, JSONValue?)] = [
    (
      "PromotionalEntitlement",
      Schemas.object(
        required: ["id", "userId", "entitlement", "state", "expiresAt", "reason", "source", "environment", "givenAt"],
        [
          ("id", Schemas.text), ("userId", Schemas.text), ("entitlement", Schemas.text),
          ("state", Schemas.words(EntitlementBody.State.allCases)), ("expiresAt", Schemas.date),
          ("reason", Schemas.text), ("source", Schemas.words(EntitlementBody.Source.allCases)),
          ("environment", Schemas.environment), ("givenAt", Schemas.date), ("revokedAt", Schemas.date),
          ("revokeReason", Schemas.text),
        ])
    ),
    (
      "PromotionalEntitlements",
      Schemas.object(
        required: ["promotionalEntitlements", "more"],
        [
          ("promotionalEntitlements", Schemas.list(Schemas.reference("PromotionalEntitlement"))),
          ("more", Schemas.truth),
        ])
    ),
  ]

  /// By payments, or without one.
  static let entitlement = Schemas.object(
    required: ["entitlement", "state", "environment"],
    [
      ("entitlement", Schemas.text), ("state", Schemas.words(EntitlementBody.State.allCases)),
      ("expiresAt", Schemas.date), ("store", Schemas.words(Store.allCases)),
      ("source", Schemas.words(EntitlementBody.Source.allCases)), ("environment", Schemas.environment),
      ("willRenew", Schemas.truth), ("renewsTo", Schemas.text), ("gracePeriodExpiresAt", Schemas.date),
      ("reason", Schemas.words(EntitlementBody.Reason.allCases)),
    ])

  /// What a user has a right to. An answer lists those by payments, and beside them those without one.
  static let entitlements = Schemas.object(
    required: ["entitlements"],
    [
      ("entitlements", Schemas.list(Schemas.reference("Entitlement"))),
      ("promotional", Schemas.list(Schemas.reference("Entitlement"))),
    ])
}

// Sorted by name: fields of promotional entitlements.
extension FieldMeanings {
  static let ofPromotional: [String: String] = [
    "Entitlement.store": "The store of the payment that gives it; absent if it was given without one.",
    "Entitlements.promotional":
      "What the user was given until a date without a payment; absent without any. It changes none of `entitlements`.",
    "EventBody.promotionalEntitlement": "What was given to the user without a payment, or taken back.",
    "EventBody.promotionalEntitlement.expiresAt": "The date until which it was given.",
    "EventBody.promotionalEntitlement.id": "Your own id of it.",
    "GiveEntitlement.entitlement": "The entitlement to give, as a product of the configuration names it.",
    "GiveEntitlement.id": "Your own id of it, instead of the Idempotency-Key. It is given once, for ever.",
    "GiveEntitlement.reason": "Why it is given. The user does not see it.",
    "GiveEntitlement.until": "Its end: after now, and at most 366 days ahead.",
    "givenAt": "When it was given.",
    "PromotionalEntitlement.id": "The id by the one who gave it.",
    "PromotionalEntitlement.reason": "Why it was given.",
    "PromotionalEntitlement.state": "`active`, `expired` at its end, or `revoked` if it was taken back before.",
    "PromotionalEntitlement.userId": "The user who has it.",
    "PromotionalEntitlements.more": "Whether there are more than this answer has.",
    "promotionalEntitlements": "What the user was given without a payment, those that hold longest first.",
    "RevokeEntitlement.reason": "Why it is taken back.",
    "revokeReason": "Why it was taken back.",
    "source": "`payment`, also where it is absent, or `promotional`: given until a date without a payment.",
  ]
}
