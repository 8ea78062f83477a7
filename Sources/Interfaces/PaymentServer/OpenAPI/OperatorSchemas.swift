import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// The JSON schemas of what an operator reads, by name.
enum OperatorSchemas {
  static let all: [(String, JSONValue?)] = [
    (
      "SearchResult",
      Schemas.object(
        required: ["tried", "hits", "more"],
        [
          ("tried", Schemas.list(Schemas.words(SearchMeaning.allCases))),
          (
            "hits",
            Schemas.list(
              Schemas.object(
                required: ["kind", "app", "environment", "id", "title"],
                [
                  ("kind", Schemas.words(SearchHit.Kind.allCases)), ("app", Schemas.text),
                  ("environment", Schemas.environment),
                  ("store", Schemas.words(Store.allCases)), ("id", Schemas.text), ("title", Schemas.text),
                  ("state", Schemas.text),
                ]), most: PaymentEngine.searchHitsMax)
          ), ("more", Schemas.truth),
        ])
    ),
    (
      "OrderStory",
      Schemas.object(
        required: ["order", "supportCode", "alsoIn", "payments"] + namesOfRelations,
        [
          ("order", Schemas.reference("Order")), ("supportCode", Schemas.text),
          ("alsoIn", Schemas.list(Schemas.environment)), ("frozenBecause", Schemas.text),
          ("payments", Schemas.list(Schemas.reference("OperatorPayment"))),
        ] + relations)
    ),
    (
      "PaymentStory",
      Schemas.object(
        required: ["transactionId", "evidence"] + namesOfRelations,
        [
          ("transactionId", Schemas.text), ("duplicateOf", Schemas.text),
          ("payment", Schemas.reference("OperatorPayment")), ("advice", Schemas.text),
          (
            "match",
            Schemas.object(
              required: ["rule", "flags", "at"],
              [
                ("rule", Schemas.words(MatchRule.allCases)), ("flags", Schemas.list(Schemas.words(MatchFlag.allCases))),
                ("at", Schemas.date),
              ])
          ), ("signed", signedFacts),
          (
            "evidence",
            Schemas.list(
              Schemas.object(
                required: ["origin", "bytes", "receivedAt"],
                [("origin", Schemas.text), ("bytes", Schemas.whole), ("receivedAt", Schemas.date)]))
          ),
        ] + relations)
    ),
    (
      "UserStory",
      Schemas.object(
        required: [
          "environment", "orders", "payments", "morePayments", "balances", "entitlements", "refundRatio",
        ],
        [
          ("environment", Schemas.environment), ("orders", Schemas.list(Schemas.reference("Order"))),
          ("next", Schemas.text),
          ("payments", Schemas.list(Schemas.reference("OperatorPayment"))), ("morePayments", Schemas.truth),
          ("balances", Schemas.list(Schemas.reference("Balance"))),
          ("entitlements", Schemas.list(Schemas.reference("Entitlement"))),
          ("promotionalEntitlements", Schemas.list(Schemas.reference("PromotionalEntitlement"))),
          ("refundRatio", Schemas.reference("RefundRatio")),
        ])
    ),
    (
      "Notification",
      Schemas.object(
        required: ["id", "type", "environment", "signedDate", "receivedAt", "effect"],
        [
          ("id", Schemas.text), ("type", Schemas.text), ("subtype", Schemas.text), ("environment", Schemas.environment),
          ("transactionId", Schemas.text),
          ("signedDate", Schemas.date), ("receivedAt", Schemas.date),
          ("effect", Schemas.words(ReceivedNotification.Effect.allCases)),
          (
            "forward",
            Schemas.object(
              required: ["state", "attempts"],
              [("state", Schemas.deliveryState), ("attempts", Schemas.whole), ("lastProblem", Schemas.text)])
          ),
        ])
    ),
  ]

  private static let namesOfRelations = [
    "deliveries", "stopped", "changes", "refunds", "keptClaims", "journal", "journalOmitted",
  ]

  /// What the stories of an order and of a payment have in common.
  private static let relations: [(String, JSONValue?)] = [
    ("deliveries", Schemas.list(Schemas.reference("Delivery"))),
    ("stopped", Schemas.list(Schemas.reference("StoppedChange"))),
    (
      "grant",
      Schemas.object(
        required: ["userId", "productId", "takenBack", "grantedAt"],
        [
          ("userId", Schemas.text), ("productId", Schemas.text), ("unit", Schemas.text), ("amount", Schemas.whole),
          ("entitlement", Schemas.text),
          ("startsAt", Schemas.date), ("expiresAt", Schemas.date), ("takenBack", Schemas.whole),
          ("grantedAt", Schemas.date),
        ])
    ),
    (
      "changes",
      Schemas.list(
        Schemas.object(
          required: ["kind", "cause", "amount", "at"],
          [
            ("kind", Schemas.words(GrantChange.Kind.allCases)), ("cause", Schemas.text), ("amount", Schemas.whole),
            ("at", Schemas.date),
          ]))
    ), ("refunds", Schemas.list(Schemas.reference("Refund"))),
    (
      "keptClaims",
      Schemas.list(
        Schemas.object(
          required: ["keptAt"],
          [("userId", Schemas.text), ("proof", Schemas.text), ("restore", Schemas.truth), ("keptAt", Schemas.date)]))
    ),
    (
      "journal",
      Schemas.list(journalEntry)
    ), ("journalOmitted", Schemas.whole),
  ]

  static let journalEntry = Schemas.object(
    required: ["at", "what"],
    [
      ("at", Schemas.date), ("what", Schemas.text), ("orderId", Schemas.uuid), ("transactionId", Schemas.text),
      ("details", .members([("type", "object")])),
    ])

  private static let signedFacts = Schemas.object(
    required: ["kind", "originalTransactionId", "signedDate"],
    [
      ("kind", Schemas.words(ProductKind.allCases)), ("originalTransactionId", Schemas.text),
      ("webOrderLineItemId", Schemas.text),
      ("appAccountToken", Schemas.uuid), ("appTransactionId", Schemas.text), ("signedDate", Schemas.date),
      ("expiresAt", Schemas.date),
      ("revokedAt", Schemas.date),
      (
        "price",
        Schemas.object(
          required: ["milliunits", "currency"], [("milliunits", Schemas.whole), ("currency", Schemas.text)])
      ),
    ])
}
