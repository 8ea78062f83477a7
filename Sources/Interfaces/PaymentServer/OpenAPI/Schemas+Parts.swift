import CounterfoilAPI
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

// Parts of answers.
extension Schemas {
  static let parts: [(String, JSONValue?)] = [
    ("Order", order), ("PaymentAnswer", paymentAnswer), ("Product", product),
    ("Entitlement", PromotionalSchemas.entitlement),
    (
      "Balance",
      object(
        required: ["unit", "amount", "environment"],
        [
          ("unit", text), ("amount", whole), ("environment", environment), ("frozenSince", date),
          ("credited", whole),
        ])
    ),
    (
      "Delivery",
      object(
        required: ["id", "state", "attempts"],
        [
          ("id", text),
          ("state", deliveryState),
          ("attempts", whole), ("nextAttemptAt", date), ("leaseUntil", date), ("acknowledgedAt", date),
          ("lastProblem", text), ("delivery", reference("DeliveryBody")),
        ])
    ),
    (
      "Refund",
      object(
        required: ["id", "transactionId", "amount", "total", "currency", "state", "createdAt"],
        [
          ("id", text), ("orderId", uuid), ("transactionId", text), ("amount", whole), ("total", whole),
          ("currency", text),
          ("state", words(refundStates)), ("doneAt", date), ("failure", text), ("reason", text),
          ("storeRefundId", text), ("createdAt", date),
        ])
    ),
    ("Booking", booking), ("Entry", entry), ("DeliveryBody", deliveryBody), ("EventBody", EventSchemas.body),
    ("OperatorPayment", operatorPayment), ("StoppedChange", stoppedChange),
    (
      "APIKey",
      object(
        required: ["id", "kind", "label", "createdAt"],
        [
          ("id", text), ("key", text), ("kind", words(APIKey.Kind.allCases)), ("label", text),
          ("createdAt", date), ("revokedAt", date), ("role", words(OperatorRole.allCases)), ("expiresAt", date),
          ("usedAt", date), ("mayCredit", truth), ("mayGiveEntitlements", truth), ("mayErase", truth),
        ])
    ),
    (
      "WeChatPayRefusal",
      object(required: ["code", "message"], [("code", words(["FAIL"])), ("message", text)])
    ),
    (
      "Problem",
      object(
        required: ["type", "title", "status", "code", "remedy", "requestId"],
        [
          ("type", text), ("title", text), ("status", whole), ("code", text), ("detail", text),
          ("remedy", text), ("requestId", text), ("retryAfter", whole),
        ])
    ),
  ]

  private static let refundStates = ["asked", "underWay", "done", "failed", "stuck"]

  private static let money = object(
    required: ["amount", "currency"], [("amount", whole), ("currency", text)])

  private static let order = object(
    required: [
      "id", "userId", "productId", "quantity", "store", "environment", "state", "createdAt", "expiresAt",
      "delivery",
    ],
    [
      ("id", uuid), ("reference", text), ("referenceFrom", referenceFrom), ("userId", text),
      ("productId", text), ("quantity", integer(1...10)), ("store", words(Store.allCases)),
      ("environment", environment), ("state", words(OrderBody.State.allCases)),
      ("closeReason", words(CloseReason.allCases)),
      ("price", money),
      // In thousandths of the currency's main unit.
      ("signedPrice", object(required: ["milliunits", "currency"], [("milliunits", whole), ("currency", text)])),
      ("metadata", .members([("type", "object")])), ("createdAt", date), ("expiresAt", date),
      ("paidAt", date), ("delivery", words(OrderBody.DeliveryState.allCases)), ("deliveredAt", date),
      ("refundState", words(OrderBody.RefundState.allCases)), ("refundedAmount", money),
      (
        "refunds",
        list(
          object(
            required: ["state", "createdAt"],
            [
              ("id", text), ("state", words(refundStates)), ("amount", whole), ("currency", text),
              ("percentage", whole), ("createdAt", date), ("doneAt", date),
            ]))
      ),
      (
        "lastVerdict",
        object(required: ["verdict", "at"], [("verdict", text), ("reason", text), ("at", date)])
      ),
      (
        "appStore",
        object(
          required: ["productId", "appAccountToken"], [("productId", text), ("appAccountToken", uuid)])
      ),
      // The nine names of an app, the six of JSAPI, `h5Url` or `codeUrl`.
      ("weChatPay", .members([("type", "object")])), ("derivedFrom", uuid),
    ])

  private static let paymentAnswer = object(
    required: ["transactionId", "verdict", "finish", "firstSeen"],
    [
      ("transactionId", text), ("originalTransactionId", text), ("productId", text),
      ("verdict", words(Verdict.allCases)), ("finish", truth), ("orderId", uuid), ("reference", text),
      ("referenceFrom", referenceFrom), ("metadata", .members([("type", "object")])), ("reason", text),
      ("firstSeen", truth), ("environment", environment), ("retryAfter", whole),
    ])

  private static let product = object(
    required: ["productId", "kind", "appStoreProductIds", "grant", "physical"],
    [
      ("productId", text), ("kind", words(ProductKind.allCases)), ("appStoreProductIds", list(text)),
      ("weChatPriceInFen", whole),
      (
        "grant",
        object(
          required: [],
          [("unit", text), ("amount", whole), ("entitlement", text), ("periodSeconds", whole)])
      ), ("physical", truth),
    ])

  private static let deliveryBody = object(
    required: [
      "type", "id", "sequence", "app", "environment", "userId", "match", "store", "transactionId",
      "productId", "quantity", "occurredAt",
    ],
    [
      (
        "type",
        .members([("type", "string"), ("enum", .array(Delivery.Kind.allCases.map { .string($0.type) }))])
      ),
      ("id", text), ("sequence", whole), ("app", text), ("environment", environment), ("userId", text),
      ("orderId", uuid), ("reference", text), ("referenceFrom", referenceFrom), ("derivedFrom", uuid),
      ("match", list(text)), ("store", words(Store.allCases)), ("transactionId", text),
      ("originalTransactionId", text), ("productId", text), ("quantity", whole),
      ("units", object(required: ["unit", "amount"], [("unit", text), ("amount", whole)])),
      ("entitlement", object(required: ["name"], [("name", text), ("expiresAt", date)])),
      ("takenBack", whole), ("inForce", whole),
      ("metadata", .members([("type", "object")])), ("occurredAt", date),
    ])

  private static let operatorPayment = object(
    required: ["transactionId", "environment", "productId", "state", "firstSeenAt"],
    [
      ("store", words(Store.allCases)), ("transactionId", text), ("environment", environment), ("productId", text),
      ("quantity", whole), ("purchaseDate", date), ("state", text),
      ("reason", words(HoldReason.allCases.map(\.rawValue) + ["setAside"])), ("ownerId", text),
      ("presenterId", text), ("orderId", uuid), ("firstSeenAt", date),
      (
        "setAside",
        object(required: ["by", "reason", "at"], [("by", text), ("reason", text), ("at", date)])
      ), ("acts", list(words(OperatorAct.allCases))),
    ])

  private static let stoppedChange = object(
    required: ["store", "transactionId", "environment", "kind", "found", "attempts", "nextAttemptAt", "firstSeenAt"],
    [
      ("store", words(Store.allCases)), ("transactionId", text), ("environment", environment),
      ("kind", words(StoppedChange.Kind.allCases)), ("invariant", integer(1...9)), ("found", text),
      ("orderIds", list(uuid)), ("origin", text), ("presenterIds", list(text)), ("attempts", whole),
      ("nextAttemptAt", date), ("firstSeenAt", date), ("lastSeenAt", date), ("acts", list(words(OperatorAct.allCases))),
    ])

  /// Says that a number came from the phone: a backend must not do its accounting by it.
  static let referenceFrom = JSONValue.members([
    ("type", "string"), ("enum", .array(["app"])),
  ])
}
