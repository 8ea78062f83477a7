import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

// What an operator reads.
extension Schemas {
  static let operatorAnswers: [(String, JSONValue?)] = [
    (
      "SearchResult",
      object(
        required: ["tried", "hits", "more"],
        [
          ("tried", list(words(SearchLook.allCases))),
          (
            "hits",
            list(
              object(
                required: ["kind", "app", "environment", "id", "title"],
                [
                  ("kind", words(SearchHit.Kind.allCases)), ("app", text), ("environment", environment),
                  ("store", words(Store.allCases)), ("id", text), ("title", text), ("state", text),
                ]), most: PaymentEngine.searchHitsMax)
          ), ("more", truth),
        ])
    ),
    (
      "OrderStory",
      object(
        required: ["order", "supportCode", "alsoIn", "payments"] + namesOfRelations,
        [
          ("order", reference("Order")), ("supportCode", text), ("alsoIn", list(environment)), ("frozenBecause", text),
          ("payments", list(reference("OperatorPayment"))),
        ] + relations)
    ),
    (
      "PaymentStory",
      object(
        required: ["transactionId", "evidence"] + namesOfRelations,
        [
          ("transactionId", text), ("duplicateOf", text), ("payment", reference("OperatorPayment")), ("advice", text),
          (
            "match",
            object(
              required: ["rule", "flags", "at"],
              [("rule", words(MatchRule.allCases)), ("flags", list(words(MatchFlag.allCases))), ("at", date)])
          ), ("signed", signedFacts),
          (
            "evidence",
            list(
              object(
                required: ["origin", "bytes", "receivedAt"],
                [("origin", text), ("bytes", whole), ("receivedAt", date)]))
          ),
        ] + relations)
    ),
    (
      "UserStory",
      object(
        required: [
          "environment", "orders", "payments", "morePayments", "balances", "entitlements", "refundRatio",
        ],
        [
          ("environment", environment), ("orders", list(reference("Order"))), ("next", text),
          ("payments", list(reference("OperatorPayment"))), ("morePayments", truth),
          ("balances", list(reference("Balance"))), ("entitlements", list(reference("Entitlement"))),
          ("refundRatio", reference("RefundRatio")),
        ])
    ),
    (
      "Notification",
      object(
        required: ["id", "type", "environment", "signedDate", "receivedAt", "effect"],
        [
          ("id", text), ("type", text), ("subtype", text), ("environment", environment), ("transactionId", text),
          ("signedDate", date), ("receivedAt", date), ("effect", words(ReceivedNotification.Effect.allCases)),
          (
            "forward",
            object(
              required: ["state", "attempts"],
              [("state", deliveryState), ("attempts", whole), ("lastProblem", text)])
          ),
        ])
    ),
  ]

  static let deliveryState = words(["pending", "acknowledged", "parked"])

  private static let namesOfRelations = [
    "deliveries", "stopped", "changes", "refunds", "keptClaims", "journal", "journalOmitted",
  ]

  /// What the stories of an order and of a payment have in common.
  private static let relations: [(String, JSONValue?)] = [
    ("deliveries", list(reference("Delivery"))), ("stopped", list(reference("StoppedChange"))),
    (
      "grant",
      object(
        required: ["userId", "productId", "takenBack", "grantedAt"],
        [
          ("userId", text), ("productId", text), ("unit", text), ("amount", whole), ("entitlement", text),
          ("startsAt", date), ("expiresAt", date), ("takenBack", whole), ("grantedAt", date),
        ])
    ),
    (
      "changes",
      list(
        object(
          required: ["kind", "cause", "amount", "at"],
          [("kind", words(GrantChange.Kind.allCases)), ("cause", text), ("amount", whole), ("at", date)]))
    ), ("refunds", list(reference("Refund"))),
    (
      "keptClaims",
      list(object(required: ["keptAt"], [("userId", text), ("proof", text), ("restore", truth), ("keptAt", date)]))
    ),
    (
      "journal",
      list(
        object(
          required: ["at", "what"],
          [
            ("at", date), ("what", text), ("orderId", uuid), ("transactionId", text),
            ("details", .members([("type", "object")])),
          ]))
    ), ("journalOmitted", whole),
  ]

  private static let signedFacts = object(
    required: ["kind", "originalTransactionId", "signedDate"],
    [
      ("kind", words(ProductKind.allCases)), ("originalTransactionId", text), ("webOrderLineItemId", text),
      ("appAccountToken", uuid), ("appTransactionId", text), ("signedDate", date), ("expiresAt", date),
      ("revokedAt", date),
      ("price", object(required: ["milliunits", "currency"], [("milliunits", whole), ("currency", text)])),
    ])
}
