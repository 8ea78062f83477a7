import CounterfoilAPI
import PaymentModel
import StrictJSON

/// The section `webhooks` of the OpenAPI document: what an endpoint receives.
enum Webhooks {
  static let all = JSONValue.members(
    Delivery.Kind.allCases.map { kind in
      (kind.type, webhook(summary(of: kind), schema: "DeliveryBody", example: SchemaExamples.of("DeliveryBody")))
    }
      + EventType.allCases.map { type in
        (type.rawValue, webhook(type.summary, schema: "EventBody", example: ExamplesOfEvents.body(type).json))
      })

  private static func summary(of kind: Delivery.Kind) -> String {
    switch kind {
    case .created: "A payment was granted to a user."
    case .reversed: "A grant was taken back, wholly or in part."
    case .reinstated: "What was taken back was given back."
    }
  }

  private static func webhook(_ summary: String, schema: String, example: JSONValue) -> JSONValue {
    let content = JSONValue.members([
      ("application/json", .members([("schema", Schemas.reference(schema)), ("example", example)]))
    ])
    return .members([
      (
        "post",
        .members([
          ("summary", .string(summary)), ("parameters", .array(headers)),
          ("requestBody", .members([("required", .bool(true)), ("content", content)])),
          ("responses", .members([("2XX", .members([("description", stored)]))])),
        ])
      )
    ])
  }

  private static let stored = JSONValue.string("Stored. Any other answer: it is sent again under the same id.")

  /// Standard Webhooks 1.0.
  private static let headers = [
    header("webhook-id", "The `id` of the body."), header("webhook-timestamp", "When this attempt began, in seconds."),
    header("webhook-signature", "`v1,` and the HMAC-SHA256 over id, time and body, once for each secret."),
  ]

  private static func header(_ name: String, _ meaning: String) -> JSONValue {
    .members([
      ("name", .string(name)), ("in", "header"), ("required", .bool(true)), ("description", .string(meaning)),
      ("schema", .members([("type", "string")])),
    ])
  }
}

extension EventType {
  fileprivate var summary: String {
    switch self {
    case .purchaseCompleted: "A purchase that is no subscription was charged."
    case .subscriptionPurchased:
      "A buyer bought a period of a subscription: the first one, one after a lapse, or one of another plan."
    case .subscriptionRenewed: "The store renewed a subscription and charged its price."
    case .purchaseRefunded: "The store gave money back."
    case .purchaseRefundUndone: "The store took a refund back."
    case .renewalTurnedOn: "The subscription renews at the end of its period."
    case .renewalTurnedOff: "The subscription ends with its period."
    case .periodChanged: "The end of a paid period moved: the store extended it, or the buyer changed the plan."
    case .planChanged: "The subscription renews to another product."
    case .gracePeriodBegan: "The charge for a renewal failed, and the buyer keeps access for a limited time."
    case .billingRetryBegan: "The charge for a renewal failed, and the store tries it again."
    case .billingRecovered: "The store does not try a failed charge any more: it was paid, or given up."
    case .subscriptionExpired: "The subscription has ended."
    case .priceIncreaseAsked: "The buyer is asked whether they agree to a higher price."
    case .priceIncreaseAccepted: "The buyer agreed to a higher price, or only had to be told."
    case .offerRedeemed: "The first period under an offer was bought."
    case .refundAsked: "A refund is asked for: the store has not decided yet."
    case .refundDeclined: "The store declined a refund, or it failed for good."
    case .paymentHeld: "A payment waits for an operator or for later evidence."
    case .paymentUnclaimed: "A payment waits for its owner: nobody is known."
    case .paymentClaimed: "A payment that was held or unclaimed was given to a user."
    case .orderClosed: "An order was closed. A late payment still pays it."
    case .balanceDebited: "Units were taken from a balance."
    case .balanceCredited: "Units were given to a user without a payment."
    case .promotionalEntitlementGiven: "A user was given an entitlement until a date, without a payment."
    case .promotionalEntitlementRevoked: "An entitlement that was given without a payment was taken back."
    case .userMerged: "A user was merged into another one, who has everything since then."
    case .userErased: "A user was erased. `userId` is the alias under which the ledger keeps what it needs."
    }
  }
}
