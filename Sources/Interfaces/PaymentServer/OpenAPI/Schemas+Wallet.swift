import CounterfoilAPI
import PaymentModel
import PaymentPrimitives
import StrictJSON

// Wallets, offers, consent.
extension Schemas {
  static let walletRequests: [(String, JSONValue?)] = [
    ("CreditBalance", CreditSchemas.request),
    (
      "DebitBalance",
      object(
        required: ["amount"],
        [
          ("amount", integer(1...Int(ContractLimits.debitMax))), ("id", text(1...255)), ("reason", text(1...1024)),
          ("metadata", .members([("type", "object")])), ("environment", environment),
        ])
    ),
    (
      "WriteOffDebt",
      object(required: ["reason"], [("reason", text(1...1024)), ("environment", environment)])
    ),
    (
      "SignPromotionalOffer",
      object(
        required: ["productId", "offerIdentifier"],
        [
          ("productId", text(1...255)), ("offerIdentifier", text(1...255)), ("appStoreProductId", text(1...255)),
          ("userId", text(1...255)), ("orderId", text(1...256)), ("transactionId", text(1...64)),
        ])
    ),
    (
      "SignIntroductoryOffer",
      object(
        required: ["productId", "allowIntroductoryOffer", "transactionId"],
        [
          ("productId", text(1...255)), ("appStoreProductId", text(1...255)), ("allowIntroductoryOffer", truth),
          ("transactionId", text(1...64)),
        ])
    ),
    (
      "ReportDiagnostics",
      object(
        required: ["id"],
        [
          ("id", uuid),
          (
            "counts",
            object(
              required: [],
              ReportDiagnostics.Kind.allCases.map {
                ($0.rawValue, integer(0...Int(ReportDiagnostics.Request.countMax)))
              })
          ),
        ])
    ),
    (
      "SetConsumptionConsent",
      object(required: ["consented"], [("consented", truth)])
    ),
  ]

  static let walletAnswers: [(String, JSONValue?)] = [
    (
      "AppSiteAssociation",
      object(required: ["applinks"], [("applinks", .members([("type", "object")]))])
    ),
    ("DiagnosticsTaken", object(required: ["counted"], [("counted", truth)])),
    (
      "Entries",
      object(
        required: ["unit", "balance", "environment", "entries"],
        [
          ("unit", text), ("balance", whole), ("environment", environment), ("frozenSince", date),
          ("entries", list(reference("Entry"))), ("next", text),
        ])
    ),
    (
      "RefundRatio",
      object(
        required: ["granted", "refunded", "refundedWholly", "refundedPermille", "environment"],
        [
          ("granted", whole), ("refunded", whole), ("refundedWholly", whole), ("refundedPermille", integer(0...1000)),
          ("environment", environment),
        ])
    ),
    (
      "SignedOffer",
      object(
        required: ["appStoreProductId", "jws", "expiresAt"],
        [
          ("appStoreProductId", text), ("offerIdentifier", text), ("keyIdentifier", text), ("nonce", uuid),
          ("timestamp", whole), ("signature", text), ("appAccountToken", uuid), ("jws", text), ("expiresAt", date),
        ])
    ),
    (
      "Events",
      object(required: ["events"], [("events", list(reference("Event"))), ("next", text)])
    ),
    (
      "Event",
      object(
        required: ["id", "type", "at", "environment"],
        [
          ("id", text), ("type", text), ("at", date), ("environment", environment), ("orderId", uuid),
          ("userId", text), ("reference", reference), ("referenceFrom", text), ("store", words(Store.allCases)),
          ("transactionId", text), ("event", reference("EventBody")),
        ])
    ),
    (
      "ConsumptionConsent",
      object(required: ["consented"], [("consented", truth), ("at", date)])
    ),
  ]

  static let health = object(
    required: ["status"],
    [
      ("status", text), ("version", text), ("activeNodes", whole), ("clockBehindMilliseconds", whole),
      ("durability", text), ("warnings", list(words(["durabilityLocal", "clockDiffers", "nodesNotHeard"]))),
    ])

  static let booking = object(
    required: ["id", "kind", "userId", "unit", "amount", "balance", "environment", "createdAt"],
    [
      ("id", text), ("kind", words(Booking.Kind.allCases)), ("userId", text), ("unit", text), ("amount", whole),
      ("balance", whole), ("environment", environment), ("reason", text), ("metadata", .members([("type", "object")])),
      ("createdAt", date),
    ])

  static let entry = object(
    required: ["id", "amount", "counterpart", "kind", "at"],
    [
      ("id", whole), ("amount", whole), ("counterpart", text), ("kind", words(EntryBody.kinds)), ("cause", text),
      ("store", words(Store.allCases)), ("transactionId", text), ("bookingId", text), ("reason", text),
      ("metadata", .members([("type", "object")])), ("at", date),
    ])
}
