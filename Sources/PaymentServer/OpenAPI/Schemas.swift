import PaymentEngine
import PaymentModel
import PaymentVocabulary
import ServerContract
import StrictJSON

/// The JSON schemas of the contract (draft 2020-12), by name.
enum Schemas {
  static let all: JSONValue = .members(
    requests + answers + parts)

  private static let requests: [(String, JSONValue?)] = [
    (
      "CreateOrder",
      object(
        required: ["productId", "store"],
        [
          ("productId", text), ("quantity", integer(1...10)), ("store", words(Store.allCases)),
          ("userId", text), ("platform", text), ("scene", text), ("reference", text),
          ("metadata", .members([("type", "object")])),
        ])
    ),
    (
      "SubmitAppStorePayment",
      object(
        required: [],
        [
          ("evidence", text), ("transactionId", text), ("orderIds", list(text)), ("sameRun", text),
          ("deviceVerificationId", text), ("userId", text), ("productId", text),
          ("quantity", .members([("type", "integer")])), ("amount", text), ("currency", text),
          ("parameters", .object([])),
        ])
    ),
    ("ReportFinished", object(required: ["transactionIds"], [("transactionIds", list(text)), ("userId", text)])),
    ("NamesUser", object(required: [], [("userId", text)])),
    (
      "ClaimDeliveries",
      object(
        required: [],
        [
          ("limit", integer(1...100)), ("leaseSeconds", integer(1...3600)),
          ("environment", words(StoreEnvironment.allCases)),
        ])
    ),
    ("AppStoreNotification", object(required: ["signedPayload"], [("signedPayload", text)])),
    (
      "ClaimPayment",
      object(
        required: ["userId", "reason"],
        [("userId", text), ("reason", text), ("environment", words(StoreEnvironment.allCases))])
    ),
    (
      "CreateKey",
      object(required: ["kind", "label"], [("kind", words(APIKey.Kind.allCases)), ("label", text)])
    ),
  ]

  private static let answers: [(String, JSONValue?)] = [
    (
      "Order",
      object(
        required: [
          "id", "userId", "productId", "quantity", "store", "environment", "state", "createdAt",
          "expiresAt", "delivery",
        ],
        [
          ("id", uuid), ("reference", text), ("referenceFrom", text), ("userId", text),
          ("productId", text), ("quantity", integer(1...10)), ("store", words(Store.allCases)),
          ("environment", words(StoreEnvironment.allCases)),
          ("state", words(OrderBody.State.allCases)),
          ("closeReason", words(CloseReason.allCases)),
          ("price", object(required: ["amount", "currency"], [("amount", whole), ("currency", text)])),
          ("metadata", .members([("type", "object")])), ("createdAt", date), ("expiresAt", date),
          ("paidAt", date), ("delivery", words(OrderBody.DeliveryState.allCases)),
          (
            "lastVerdict",
            object(required: ["verdict", "at"], [("verdict", text), ("reason", text), ("at", date)])
          ),
          (
            "appStore",
            object(
              required: ["productId", "appAccountToken"],
              [("productId", text), ("appAccountToken", uuid)])
          ), ("derivedFrom", uuid),
        ])
    ),
    ("OrderPage", object(required: ["orders"], [("orders", list(reference("Order"))), ("next", text)])),
    (
      "SubmittedPayments",
      object(
        required: ["payments", "more"],
        [("payments", list(reference("PaymentAnswer"))), ("more", .members([("type", "boolean")]))])
    ),
    ("Noted", object(required: ["noted"], [("noted", whole)])),
    ("Products", object(required: ["products"], [("products", list(.members([("type", "object")])))])),
    ("Entitlements", object(required: ["entitlements"], [("entitlements", list(reference("Entitlement")))])),
    ("Balances", object(required: ["balances"], [("balances", list(reference("Balance")))])),
    (
      "Deliveries",
      object(required: ["deliveries"], [("deliveries", list(reference("Delivery"))), ("next", text)])
    ),
    (
      "NotificationReceived",
      object(
        required: ["notificationUUID", "effect", "firstSeen"],
        [
          ("notificationUUID", text), ("effect", text), ("transactionId", text),
          ("firstSeen", .members([("type", "boolean")])),
        ])
    ),
    ("OperatorQueue", object(required: ["payments"], [("payments", list(reference("OperatorPayment")))])),
    (
      "Audit",
      object(
        required: ["orders", "payments", "balances", "deliveriesOpen", "violations", "violationCount"],
        [
          ("orders", whole), ("payments", whole), ("balances", whole), ("deliveriesOpen", whole),
          ("violations", list(text)), ("violationCount", whole),
        ])
    ),
    ("APIKeys", object(required: ["keys"], [("keys", list(reference("APIKey")))])),
    ("Health", object(required: ["status"], [("status", text), ("version", text)])),
  ]

  private static let parts: [(String, JSONValue?)] = [
    (
      "PaymentAnswer",
      object(
        required: ["transactionId", "verdict", "finish", "firstSeen"],
        [
          ("transactionId", text), ("originalTransactionId", text), ("productId", text),
          ("verdict", words(Verdict.allCases)), ("finish", .members([("type", "boolean")])),
          ("orderId", uuid), ("reason", text), ("firstSeen", .members([("type", "boolean")])),
          ("environment", words(StoreEnvironment.allCases)), ("retryAfter", whole),
        ])
    ),
    (
      "Entitlement",
      object(
        required: ["entitlement", "state", "store", "environment"],
        [
          ("entitlement", text), ("state", words(EntitlementBody.State.allCases)),
          ("expiresAt", date), ("store", words(Store.allCases)),
          ("environment", words(StoreEnvironment.allCases)),
        ])
    ),
    (
      "Balance",
      object(
        required: ["unit", "amount", "environment"],
        [("unit", text), ("amount", whole), ("environment", words(StoreEnvironment.allCases))])
    ),
    (
      "Delivery",
      object(
        required: ["id", "state", "attempts", "delivery"],
        [
          ("id", text), ("state", text), ("attempts", whole), ("nextAttemptAt", date),
          ("leaseUntil", date), ("acknowledgedAt", date), ("lastProblem", text),
          ("delivery", .members([("type", "object")])),
        ])
    ),
    (
      "OperatorPayment",
      object(
        required: ["transactionId", "environment", "productId", "state", "firstSeenAt"],
        [
          ("transactionId", text), ("environment", words(StoreEnvironment.allCases)),
          ("productId", text), ("quantity", whole), ("purchaseDate", date), ("state", text),
          ("reason", words(HoldReason.allCases)), ("ownerId", text), ("presenterId", text),
          ("orderId", uuid), ("firstSeenAt", date),
        ])
    ),
    (
      "APIKey",
      object(
        required: ["id", "kind", "label", "createdAt"],
        [
          ("id", text), ("key", text), ("kind", words(APIKey.Kind.allCases)), ("label", text),
          ("createdAt", date), ("revokedAt", date),
        ])
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
}

extension Schemas {
  private static let text = JSONValue.members([("type", "string")])
  private static let whole = JSONValue.members([("type", "integer")])
  private static let date = JSONValue.members([("type", "string"), ("format", "date-time")])
  private static let uuid = JSONValue.members([("type", "string"), ("format", "uuid")])

  private static func integer(_ range: ClosedRange<Int>) -> JSONValue {
    .members([
      ("type", "integer"), ("minimum", .integer(range.lowerBound)),
      ("maximum", .integer(range.upperBound)),
    ])
  }

  private static func words<Word: RawRepresentable<String>>(_ words: [Word]) -> JSONValue {
    .members([("type", "string"), ("enum", .array(words.map { .string($0.rawValue) }))])
  }

  private static func list(_ item: JSONValue) -> JSONValue {
    .members([("type", "array"), ("items", item)])
  }

  private static func reference(_ name: String) -> JSONValue {
    .members([("$ref", .string("#/components/schemas/" + name))])
  }

  private static func object(
    required: [String], _ properties: [(String, JSONValue?)]
  ) -> JSONValue {
    .members([
      ("type", "object"),
      ("required", required.isEmpty ? nil : .array(required.map(JSONValue.string))),
      ("properties", .members(properties)),
    ])
  }
}
