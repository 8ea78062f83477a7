import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// The JSON schemas of what an operator lists, by name.
enum OperatorListSchemas {
  static let all: [(String, JSONValue?)] = [
    page("OperatorOrders", of: "orders", Schemas.reference("Order")),
    page("OperatorPayments", of: "payments", Schemas.reference("OperatorPayment")),
    page("OperatorRefunds", of: "refunds", Schemas.reference("Refund")),
    page("OperatorNotifications", of: "notifications", Schemas.reference("Notification")),
    page("OperatorSubscriptions", of: "subscriptions", Schemas.reference("Subscription")),
    (
      "Assignment",
      Schemas.object(
        required: ["itemId"],
        [
          ("itemId", Schemas.text), ("assignedTo", Schemas.text), ("assignedBy", Schemas.text),
          ("assignedAt", Schemas.date),
        ])
    ),
    (
      "LookedUpOrder",
      Schemas.object(
        required: ["number", "payments", "refused"],
        [
          ("number", Schemas.text), ("payments", Schemas.list(Schemas.reference("OperatorPayment"))),
          ("refused", Schemas.whole),
        ])
    ),
    (
      "SubscriptionExtension",
      Schemas.object(
        required: ["extended", "periodEnd"], [("extended", Schemas.truth), ("periodEnd", Schemas.date)])
    ),
    (
      "RedirectedRefund",
      Schemas.object(
        required: ["redirected", "refund"],
        [("redirected", Schemas.truth), ("refund", Schemas.reference("Refund"))])
    ),
    (
      "MassExtension",
      Schemas.object(
        required: ["requestIdentifier", "complete"],
        [
          ("requestIdentifier", Schemas.text), ("complete", Schemas.truth), ("completedAt", Schemas.date),
          ("succeeded", Schemas.whole), ("failed", Schemas.whole),
        ])
    ),
    ("Subscription", subscription),
    (
      "SubscriptionStory",
      Schemas.object(
        required: ["subscription", "payments", "morePayments", "duplicates"],
        [
          ("subscription", Schemas.reference("Subscription")),
          ("payments", Schemas.list(Schemas.reference("OperatorPayment"), most: PaymentEngine.paymentsOfUserMax)),
          ("morePayments", Schemas.truth), ("duplicates", Schemas.list(Schemas.text)),
        ])
    ),
    ("ReconciledDay", day),
    (
      "Reconciliations",
      Schemas.object(
        required: ["reconciliations"], [("reconciliations", Schemas.list(Schemas.reference("ReconciledDay")))])
    ),
    (
      "ConsumptionRequests",
      Schemas.object(
        required: ["open", "outcomes"],
        [("open", Schemas.list(openRequest)), ("outcomes", Schemas.list(OperatorSchemas.journalEntry))])
    ),
    (
      "Diagnostics",
      Schemas.object(
        required: ["counts", "newestGrants"],
        [
          (
            "counts",
            Schemas.list(
              Schemas.object(
                required: ["day", "kind", "count"],
                [("day", Schemas.text(10...10)), ("kind", Schemas.text), ("count", Schemas.whole)]))
          ),
          (
            "newestGrants",
            Schemas.object(
              required: ["examined", "firstHeardFrom", "purchaseToGrantMilliseconds"],
              [
                ("examined", Schemas.whole),
                (
                  "firstHeardFrom",
                  Schemas.object(
                    required: [],
                    ["client", "notification", "storeAnswer", "backend", "operator"].map { ($0, Schemas.whole) })
                ),
                (
                  "purchaseToGrantMilliseconds",
                  Schemas.object(
                    required: [],
                    ["median", "within95Percent", "longest"].map { ($0, Schemas.whole) })
                ),
              ])
          ),
        ])
    ),
    (
      "DeliveryStory",
      Schemas.object(
        required: ["id", "state", "attempts", "failedAttempts"],
        [
          ("id", Schemas.text), ("state", Schemas.deliveryState), ("attempts", Schemas.whole),
          ("nextAttemptAt", Schemas.date), ("leaseUntil", Schemas.date), ("acknowledgedAt", Schemas.date),
          ("lastProblem", Schemas.text), ("delivery", Schemas.reference("DeliveryBody")),
          (
            "failedAttempts",
            Schemas.list(
              Schemas.object(
                required: ["number", "at", "endpoint", "milliseconds"],
                [
                  ("number", Schemas.whole), ("at", Schemas.date), ("endpoint", Schemas.text),
                  ("status", Schemas.whole), ("milliseconds", Schemas.whole), ("problem", Schemas.text),
                  ("answer", Schemas.text),
                ]), most: DeliveryAttempt.keptMax)
          ),
        ])
    ),
  ]

  static let requests: [(String, JSONValue?)] = [
    (
      "AssignItem",
      Schemas.object(
        required: ["reason"],
        [
          ("assignTo", Schemas.text(1...64)), ("assignedTo", Schemas.text(1...64)), ("reason", Schemas.text(3...1000)),
        ])
    )
  ]

  private static func page(_ name: String, of list: String, _ item: JSONValue) -> (String, JSONValue?) {
    (
      name,
      Schemas.object(
        required: [list], [(list, Schemas.list(item, most: PaymentEngine.listedMax)), ("next", Schemas.text)])
    )
  }

  private static let subscription = Schemas.object(
    required: ["originalTransactionId", "store", "environment"],
    [
      ("originalTransactionId", Schemas.text), ("store", Schemas.words(Store.allCases)),
      ("environment", Schemas.environment), ("claimantId", Schemas.text),
      (
        "movedTo",
        Schemas.object(required: ["userId", "at"], [("userId", Schemas.text), ("at", Schemas.date)])
      ), ("periodEnd", Schemas.date), ("nextQuestionAt", Schemas.date), ("willRenew", Schemas.truth),
      ("renewsTo", Schemas.text), ("expiration", Schemas.text), ("isInBillingRetry", Schemas.truth),
      ("gracePeriodExpiresAt", Schemas.date), ("priceIncrease", Schemas.text),
    ])

  static let attentionItem = Schemas.object(
    required: ["kind", "reason", "environment", "advice", "acts", "itemId"],
    [
      ("kind", Schemas.words(AttentionItem.Kind.allCases)), ("reason", Schemas.text),
      ("environment", Schemas.environment), ("since", Schemas.date), ("ageSeconds", Schemas.whole),
      (
        "amount",
        Schemas.object(
          required: ["value", "in", "of"],
          [
            ("value", Schemas.whole), ("in", Schemas.words(["minorUnits", "milliunits", "units"])),
            ("of", Schemas.text),
          ])
      ), ("advice", Schemas.text), ("acts", Schemas.list(Schemas.words(OperatorAct.allCases))),
      ("found", Schemas.text), ("store", Schemas.words(Store.allCases)), ("transactionId", Schemas.text),
      ("orderId", Schemas.uuid), ("userId", Schemas.text), ("subject", Schemas.text), ("itemId", Schemas.text),
      ("assignedTo", Schemas.text), ("assignedAt", Schemas.date),
    ])

  private static let sum = Schemas.object(
    required: ["count", "amount"], [("count", Schemas.whole), ("amount", Schemas.whole)])

  private static let day = Schemas.object(
    required: ["store", "day", "environment", "triedAt"],
    [
      ("store", Schemas.words(Store.allCases)), ("day", Schemas.text), ("environment", Schemas.environment),
      ("triedAt", Schemas.date), ("doneAt", Schemas.date), ("differences", Schemas.whole), ("healed", Schemas.whole),
      ("payments", sum), ("refunds", sum), ("fees", sum), ("coupons", sum), ("foreignLines", Schemas.whole),
      ("findings", Schemas.list(Schemas.finding)), ("fundFlow", Schemas.reference("FundFlow")),
    ])

  private static let openRequest = Schemas.object(
    required: ["transactionId", "environment", "askedAt", "deadline", "nextAttemptAt", "attempts", "consented"],
    [
      ("transactionId", Schemas.text), ("environment", Schemas.environment), ("askedAt", Schemas.date),
      ("deadline", Schemas.date), ("nextAttemptAt", Schemas.date), ("attempts", Schemas.whole),
      ("reason", Schemas.text), ("userId", Schemas.text), ("consented", Schemas.truth),
      (
        "wouldSend",
        Schemas.object(
          required: ["deliveryStatus", "sampleContentProvided"],
          [
            ("deliveryStatus", Schemas.text), ("sampleContentProvided", Schemas.truth),
            ("consumptionPercentage", Schemas.whole), ("refundPreference", Schemas.text),
          ])
      ),
    ])
}
