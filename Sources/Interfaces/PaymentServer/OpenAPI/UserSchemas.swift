import CounterfoilAPI
import PaymentPrimitives
import StrictJSON

/// The schemas of merged and erased users and of spending limits.
enum UserSchemas {
  static let requests: [(String, JSONValue?)] = [
    ("MergeUser", Schemas.object(required: ["from"], [("from", Schemas.text(1...255))])),
    ("EraseUser", Schemas.object(required: [], [("force", Schemas.truth), ("reason", Schemas.text(1...1024))])),
    (
      "EraseUserWithReason",
      Schemas.object(required: ["reason"], [("force", Schemas.truth), ("reason", Schemas.text(1...1024))])
    ),
    (
      "SetSpendingLimit",
      Schemas.object(required: ["limit"], [("limit", Schemas.integer(0...Int(ContractLimits.debitMax)))])
    ),
  ]

  static let answers: [(String, JSONValue?)] = [
    (
      "MergedUser",
      Schemas.object(
        required: ["userId", "mergedUserId", "orders", "payments", "mergedAt"],
        [
          ("userId", Schemas.text), ("mergedUserId", Schemas.text), ("orders", Schemas.whole),
          ("payments", Schemas.whole), ("mergedAt", Schemas.date),
        ])
    ),
    (
      "ErasedUser",
      Schemas.object(
        required: ["userId", "orders", "payments", "begunAt", "erasedAt"],
        [
          ("userId", Schemas.text), ("orders", Schemas.whole), ("payments", Schemas.whole), ("begunAt", Schemas.date),
          ("erasedAt", Schemas.date),
        ])
    ),
    (
      "SpendingLimit",
      Schemas.object(
        required: ["currency", "spent", "since", "setAt"],
        [
          ("currency", Schemas.text), ("limit", Schemas.whole), ("spent", Schemas.whole), ("left", Schemas.whole),
          ("since", Schemas.date), ("setAt", Schemas.date),
        ])
    ),
    (
      "UserData",
      Schemas.object(
        required: ["userId", "environment", "histories"],
        [
          ("userId", Schemas.text), ("environment", Schemas.environment),
          ("orders", Schemas.list(Schemas.reference("Order"))),
          ("payments", Schemas.list(Schemas.reference("OperatorPayment"))),
          ("balances", Schemas.list(Schemas.reference("Balance"))),
          ("entries", Schemas.list(Schemas.reference("Entry"))),
          ("entitlements", Schemas.list(Schemas.reference("Entitlement"))),
          ("sharedTransactionIds", Schemas.list(Schemas.text)), ("consumptionConsent", Schemas.truth),
          ("spendingLimits", Schemas.list(Schemas.reference("SpendingLimit"))),
          ("promotionalEntitlements", Schemas.list(Schemas.reference("PromotionalEntitlement"))),
          ("mergedInto", Schemas.text),
          ("more", Schemas.truth),
          ("histories", Schemas.list(Schemas.reference("UserHistory"))), ("next", Schemas.text),
        ])
    ),
    (
      "UserHistory",
      Schemas.object(
        required: ["journal", "journalOmitted", "evidence", "deliveries"],
        [
          ("orderId", Schemas.uuid), ("store", Schemas.words(Store.allCases)), ("transactionId", Schemas.text),
          ("journal", Schemas.list(OperatorSchemas.journalEntry)), ("journalOmitted", Schemas.whole),
          (
            "evidence",
            Schemas.list(
              Schemas.object(
                required: ["origin", "receivedAt", "sha256"],
                [("origin", Schemas.text), ("receivedAt", Schemas.date), ("sha256", Schemas.text)]))
          ), ("deliveries", Schemas.list(Schemas.reference("Delivery"))),
        ])
    ),
    (
      "SpendingLimits",
      Schemas.object(required: ["limits"], [("limits", Schemas.list(Schemas.reference("SpendingLimit")))])
    ),
  ]
}

// Sorted by name: fields of users.
extension FieldMeanings {
  static let ofUsers: [String: String] = [
    "ErasedUser.begunAt": "When the erasure began.",
    "ErasedUser.erasedAt": "When the last row of the user had the alias.",
    "ErasedUser.orders": "How many orders are kept under the alias.",
    "ErasedUser.payments": "How many payments are kept under the alias.",
    "ErasedUser.userId": "The alias that stands for the user in all rows, answers and deliveries since then.",
    "EraseUser.force": "Whether to erase also a user who owes units, or whose subscription will renew. Default: no.",
    "EraseUser.reason": "Your words for the audit log, which keeps them for ever. The user's id in them is replaced.",
    "EraseUserWithReason.force":
      "Whether to erase also a user who owes units, or whose subscription will renew. Default: no.",
    "EraseUserWithReason.reason":
      "Your words for the audit log, which keeps them for ever. The user's id in them is replaced.",
    "MergedUser.orders": "How many orders moved.",
    "MergedUser.payments": "How many payments moved.",
    "MergedUser.userId": "The user who has everything since then.",
    "MergeUser.from": "The user who is merged, for example a guest. Nothing undoes it.",
    "mergedAt": "When the users were merged.",
    "mergedUserId": "The user who was merged into `userId`. What comes for them later goes there.",
    "SetSpendingLimit.limit": "The most in the smallest unit of the currency.",
    "sha256": "The SHA-256 of the text as it was received, also if the text is kept no longer.",
    "SpendingLimit.left": "What is left until the end of the month; absent without a limit.",
    "SpendingLimit.limit": "The most in the smallest unit of the currency; absent if it was lifted.",
    "SpendingLimit.setAt": "When the limit was set or lifted.",
    "SpendingLimit.since": "The first moment of the month (UTC).",
    "SpendingLimit.spent": "What was paid and not given back, and what open orders ask for.",
    "SpendingLimits.limits": "One for each currency.",
    "UserData.balances": "What the user has of each unit.",
    "UserData.consumptionConsent": "What the user said about telling Apple; absent if they said nothing.",
    "UserData.entitlements": "What the user has a right to.",
    "UserData.entries": "Every posting on a balance of the user, the newest first for each unit.",
    "UserData.histories": "What happened to each order and payment: at first the orders, the newest first.",
    "UserData.mergedInto": "The user who has all of it since a merge.",
    "UserData.more": "Whether there is more of something than the lists of the first page have.",
    "UserData.next": "Where the next page of histories begins, as `after`; absent on the last page.",
    "UserData.orders": "What the user ordered, the newest first.",
    "UserData.payments": "What was granted to the user, or paid an order of theirs.",
    "UserData.promotionalEntitlements": "What the user was given without a payment.",
    "UserData.sharedTransactionIds": "The first transactions of what other users share with them.",
    "UserData.spendingLimits": "What limits the user in a month.",
    "UserHistory.deliveries": "What the backend was told.",
    "UserHistory.evidence": "What the store signed, in order of receipt, by its SHA-256; the newest 100.",
    "UserHistory.journal": "What happened, in order; the newest 500 entries.",
    "UserHistory.orderId": "Absent for a payment without an order of the user, such as a renewal.",
    "UserHistory.store": "The store of the payment.",
    "UserHistory.transactionId": "The payment; absent for an order that nothing paid.",
  ]
}
