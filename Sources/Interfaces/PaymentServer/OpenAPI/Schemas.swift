import AppStoreIntegration
import CounterfoilAPI
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON
import WeChatPayIntegration

/// The JSON schemas of the contract (draft 2020-12), by name.
enum Schemas {
  static let all: JSONValue = .members(
    (RequestSchemas.all + answers + walletAnswers + UserSchemas.answers + PromotionalSchemas.answers
      + ComplaintSchemas.answers + OperatorSchemas.all + OperatorListSchemas.all + ReportSchemas.all + parts)
      .map { name, schema in (name, schema.map { FieldMeanings.described($0, at: name) }) })

  /// The fields that a body with that schema may have.
  static func fields(of request: String) -> [String] { fieldsOfRequests[request] ?? [] }

  private static let fieldsOfRequests = Dictionary(
    RequestSchemas.all.map { ($0.0, ($0.1?["properties"]?.object ?? []).map(\.name)) }
  ) { first, _ in first }

  static let requests: [(String, JSONValue?)] = [
    (
      "CreateOrder",
      object(
        required: ["productId", "store"],
        [
          ("productId", text(1...255)), ("quantity", integer(1...10)), ("store", words(Store.allCases)),
          ("userId", text(1...255)), ("platform", text(1...64)), ("tradeType", words(CreateOrder.tradeTypes)),
          ("openId", text(1...128)), ("payerAddress", text(1...45)), ("scene", text(1...64)),
          ("reference", reference), ("metadata", .members([("type", "object")])),
        ])
    ),
    (
      "SubmitAppStorePayment",
      object(
        required: [],
        [
          ("evidence", text), ("transactionId", text(1...64)),
          ("orderIds", list(reference, most: ContractLimits.orderIdentifiersMax)),
          ("sameRun", reference), ("deviceVerificationId", text(1...64)), ("userId", text(1...255)),
          ("restore", truth), ("productId", text(1...255)), ("quantity", whole), ("amount", text(1...64)),
          ("currency", text(1...16)), ("parameters", .object([])),
        ])
    ),
    (
      "ReportFinished",
      object(
        required: ["transactionIds"],
        [("transactionIds", list(text(1...64), most: ContractLimits.finishedMax)), ("userId", text(1...255))])
    ),
    (
      "CheckWeChatPay",
      object(required: ["orderId"], [("orderId", text(1...256)), ("userId", text(1...255))])
    ),
    (
      "Reconcile",
      object(
        required: ["store"], [("store", words(Store.allCases)), ("day", text(10...10))])
    ),
    ("RefundOrder", object(required: [], [("amount", whole), ("reason", text(1...80))])),
    (
      "WeChatPayNotification",
      object(required: ["id", "event_type"], [("id", text), ("event_type", text), ("resource", .object([]))])
    ),
    ("NamesUser", object(required: [], [("userId", text(1...255))])),
    (
      "ClaimDeliveries",
      object(
        required: [],
        [
          ("limit", integer(1...100)), ("leaseSeconds", integer(1...3600)), ("environment", environment),
        ])
    ),
    ("AppStoreNotification", object(required: ["signedPayload"], [("signedPayload", text)])),
    (
      "ClaimPayment",
      object(
        required: ["userId", "reason"],
        [
          ("userId", text(1...255)), ("reason", text(1...1024)), ("environment", environment),
          ("store", words(Store.allCases)), ("orderId", text(1...256)), ("productId", text(1...255)),
          ("quantity", integer(1...10)),
        ])
    ),
    (
      "ActOnPayment",
      object(
        required: ["reason"],
        [("reason", text(1...1024)), ("environment", environment), ("store", words(Store.allCases))])
    ),
    (
      "DecideRefund",
      object(
        required: ["reason", "stands"],
        [
          ("reason", text(1...1024)), ("stands", truth), ("environment", environment),
          ("store", words(Store.allCases)),
        ])
    ),
    (
      "RetryPayment",
      object(
        required: [],
        [("reason", text(1...1024)), ("environment", environment), ("store", words(Store.allCases))])
    ),
    (
      "ExtendSubscription",
      object(required: ["days", "cause", "reason", "periodEnd"], extensionWish + [("periodEnd", date)])
    ),
    (
      "ExtendAllSubscribers",
      object(
        required: ["days", "cause", "reason", "requestIdentifier"],
        extensionWish + [("requestIdentifier", text(1...128)), ("storefronts", list(text(3...3)))])
    ),
    ("RedirectRefund", FundFlowSchemas.redirection),
    ("LookUpOrder", object(required: ["number"], [("number", text(7...16))])),
    (
      "CreateKey",
      object(
        required: ["kind", "label"],
        [
          ("kind", words(APIKey.Kind.allCases)), ("label", text(1...128)), ("role", words(OperatorRole.allCases)),
          ("expiresAt", date), ("mayCredit", truth), ("mayGiveEntitlements", truth), ("mayErase", truth),
        ])
    ),
  ]

  private static let extensionWish: [(String, JSONValue?)] = [
    ("days", integer(1...90)), ("cause", words(["undeclared", "customerSatisfaction", "other", "serviceIssue"])),
    ("reason", text(1...1024)), ("environment", environment),
  ]

  private static let answers: [(String, JSONValue?)] = [
    ("OrderPage", object(required: ["orders"], [("orders", list(reference("Order"))), ("next", text)])),
    (
      "SubmittedPayments",
      object(
        required: ["payments", "more"], [("payments", list(reference("PaymentAnswer"))), ("more", truth)])
    ),
    (
      "CheckedWeChatPay",
      object(
        required: ["verdict", "order"],
        [("verdict", words(Verdict.allCases)), ("reason", text), ("order", reference("Order"))])
    ),
    ("Reconciliation", reconciliation), ("FundFlow", FundFlowSchemas.fundFlow),
    ("Refunds", object(required: ["refunds"], [("refunds", list(reference("Refund")))])),
    ("Noted", object(required: ["noted"], [("noted", whole)])),
    ("Products", object(required: ["products"], [("products", list(reference("Product")))])),
    ("Entitlements", PromotionalSchemas.entitlements),
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
          ("notificationUUID", text), ("effect", words(ReceivedNotification.Effect.allCases)),
          ("transactionId", text), ("firstSeen", truth),
        ])
    ),
    (
      "OperatorQueue",
      object(
        required: ["payments", "stopped", "disputedRefunds", "configuration", "uncomparedDays"],
        [
          ("disputedRefunds", list(reference("OperatorPayment"))),
          ("payments", list(reference("OperatorPayment"))), ("stopped", list(reference("StoppedChange"))),
          (
            "configuration",
            list(
              object(
                required: ["kind", "app", "subject", "found"],
                [
                  ("kind", text), ("app", text), ("subject", text), ("found", text), ("transactionId", text),
                ]))
          ),
          (
            "uncomparedDays",
            list(
              object(
                required: ["environment", "store", "day"],
                [
                  ("environment", words(StoreEnvironment.allCases)), ("store", words(Store.allCases)), ("day", text),
                ]))
          ), ("items", list(OperatorListSchemas.attentionItem)),
        ])
    ),
    ("StoppedRetry", object(required: ["tried", "done"], [("tried", whole), ("done", whole)])),
    (
      "Audit",
      object(
        required: ["orders", "payments", "balances", "deliveriesOpen", "violations", "violationCount"],
        [
          ("orders", whole), ("payments", whole), ("balances", whole), ("deliveriesOpen", whole),
          ("violations", list(text)), ("violationCount", whole), ("setAside", whole), ("stopped", whole),
        ])
    ),
    ("APIKeys", object(required: ["keys"], [("keys", list(reference("APIKey")))])),
    ("Health", health),
    ("OpenAPI", .members([("type", "object")])),
  ]
}

extension Schemas {
  fileprivate static let reconciliation = object(
    required: ["app", "store", "healed", "differences", "findings"],
    [
      ("app", text), ("store", words(Store.allCases)), ("day", text), ("payments", sum), ("refunds", sum),
      ("fees", sum), ("coupons", sum), ("foreignLines", whole), ("notifications", whole), ("customers", whole),
      ("transactions", whole), ("quietOrders", whole), ("lines", whole), ("stoppedBy", text), ("healed", whole),
      ("differences", whole), ("findings", list(finding)), ("fundFlow", reference("FundFlow")),
    ])
  static let finding = object(
    required: ["kind", "healed", "transactionId"],
    [
      (
        "kind",
        .members([
          ("type", "string"),
          (
            "enum",
            .array(
              Set(
                ReconciliationReport.Finding.Kind.allCases.map(\.rawValue)
                  + AppStoreReport.Finding.Kind.allCases.map(\.rawValue)
              ).sorted().map(JSONValue.string))
          ),
        ])
      ), ("healed", truth), ("orderId", uuid),
      ("transactionId", text), ("refund", text), ("billAmount", whole), ("ourAmount", whole), ("details", text),
    ])
  static let sum = object(required: ["count", "amount"], [("count", whole), ("amount", whole)])
}

// Builders for schemas.
extension Schemas {
  static let text = JSONValue.members([("type", "string")])
  static let whole = JSONValue.members([("type", "integer")])
  static let truth = JSONValue.members([("type", "boolean")])
  static let date = JSONValue.members([("type", "string"), ("format", "date-time")])
  static let uuid = JSONValue.members([("type", "string"), ("format", "uuid")])
  static let environment = words(StoreEnvironment.allCases)
  static let deliveryState = words(["pending", "acknowledged", "parked"])

  /// A text with a limit in bytes; the schema itself can count code points only.
  static func text(_ bytes: ClosedRange<Int>) -> JSONValue {
    .members([
      ("type", "string"), ("minLength", .integer(bytes.lowerBound)), ("maxLength", .integer(bytes.upperBound)),
      ("description", .string("At most \(bytes.upperBound) bytes of UTF-8.")),
    ])
  }

  /// An app's own number of an order.
  static let reference = JSONValue.members([
    ("type", "string"), ("minLength", .integer(1)), ("maxLength", .integer(ContractLimits.referenceCharactersMax)),
    ("description", "Code points, of at most 256 bytes of UTF-8; no slash, no control characters."),
  ])

  static func integer(_ range: ClosedRange<Int>) -> JSONValue {
    .members([
      ("type", "integer"), ("minimum", .integer(range.lowerBound)),
      ("maximum", .integer(range.upperBound)),
    ])
  }

  static func words<Word: RawRepresentable<String>>(_ words: [Word]) -> JSONValue {
    .members([("type", "string"), ("enum", .array(words.map { .string($0.rawValue) }))])
  }

  static func words(_ words: [String]) -> JSONValue {
    .members([("type", "string"), ("enum", .array(words.map { .string($0) }))])
  }

  static func list(_ item: JSONValue, most: Int? = nil) -> JSONValue {
    .members([("type", "array"), ("items", item), ("maxItems", most.map { .integer($0) })])
  }

  static func reference(_ name: String) -> JSONValue {
    .members([("$ref", .string("#/components/schemas/" + name))])
  }

  static func object(required: [String], _ properties: [(String, JSONValue?)]) -> JSONValue {
    .members([
      ("type", "object"),
      ("required", required.isEmpty ? nil : .array(required.map(JSONValue.string))),
      ("properties", .members(properties)),
    ])
  }
}
