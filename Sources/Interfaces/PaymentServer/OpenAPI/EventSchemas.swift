import CounterfoilAPI
import PaymentPrimitives
import StrictJSON

/// The schema of an event.
enum EventSchemas {
  static let body = Schemas.object(
    required: ["type", "id", "app", "environment", "occurredAt"],
    [
      ("type", Schemas.words(EventType.allCases)), ("id", Schemas.text), ("app", Schemas.text),
      ("environment", Schemas.environment),
      ("userId", Schemas.text), ("mergedUserId", Schemas.text), ("orderId", Schemas.uuid), ("reference", Schemas.text),
      ("referenceFrom", Schemas.referenceFrom),
      ("productId", Schemas.text), ("store", Schemas.words(Store.allCases)), ("transactionId", Schemas.text),
      ("originalTransactionId", Schemas.text), ("storeProductId", Schemas.text),
      ("kind", Schemas.words(ProductKind.allCases)),
      ("quantity", Schemas.whole), ("ownership", Schemas.words(["purchased", "familyShared", "assigned", "unknown"])),
      ("price", statedPrice), ("storefront", Schemas.text),
      (
        "offer",
        Schemas.object(
          required: ["type"],
          [("type", Schemas.text), ("id", Schemas.text), ("discountType", Schemas.text), ("period", Schemas.text)])
      ), ("purchaseDate", Schemas.date), ("expiresDate", Schemas.date), ("renewal", eventRenewal),
      (
        "refund",
        Schemas.object(
          required: ["at"],
          [
            ("at", Schemas.date), ("number", Schemas.text), ("amount", Schemas.whole), ("currency", Schemas.text),
            ("percentage", Schemas.integer(0...100_000)),
          ])
      ),
      (
        "units",
        Schemas.object(
          required: ["unit", "amount", "balance", "bookingId"],
          [("unit", Schemas.text), ("amount", Schemas.whole), ("balance", Schemas.whole), ("bookingId", Schemas.text)])
      ),
      (
        "promotionalEntitlement",
        Schemas.object(
          required: ["id", "entitlement", "expiresAt"],
          [("id", Schemas.text), ("entitlement", Schemas.text), ("expiresAt", Schemas.date)])
      ), ("reason", Schemas.text), ("occurredAt", Schemas.date),
    ])

  private static let statedPrice = Schemas.object(
    required: ["milliunits", "currency"], [("milliunits", Schemas.whole), ("currency", Schemas.text)])

  private static let eventRenewal = Schemas.object(
    required: ["willRenew", "isInBillingRetry", "signedDate"],
    [
      ("willRenew", Schemas.truth), ("renewsToStoreProductId", Schemas.text), ("renewalDate", Schemas.date),
      ("renewalPrice", statedPrice),
      ("isInBillingRetry", Schemas.truth), ("gracePeriodExpiresDate", Schemas.date),
      ("expiration", Schemas.words(VerifiedRenewal.Expiration.allCases)),
      ("priceIncrease", Schemas.words(VerifiedRenewal.PriceIncrease.allCases)), ("signedDate", Schemas.date),
    ])
}

// Sorted by name: fields of events.
extension FieldMeanings {
  static let ofEvents: [String: String] = [
    "discountType": "How the offer is paid, in the store's word.",
    "Event.event": "What the backend books: the same body as by webhook, under the same id.",
    "EventBody.id": "The id of the event, the same by webhook and in the feed. Book each id once.",
    "EventBody.offer": "The offer by which it was bought.",
    "EventBody.offer.id": "The team's id of the offer.",
    "EventBody.offer.type": "`introductory`, `promotional`, `code`, `winBack`, or the store's number of another.",
    "EventBody.price": "What the store states as the price. Absent where somebody else paid.",
    "EventBody.purchaseDate": "When the store charged it.",
    "EventBody.quantity": "The number of pieces.",
    "EventBody.reason": "Why: of a held payment, a closed order, a refund, a debit.",
    "EventBody.refund": "The refund that it tells of.",
    "EventBody.refund.amount": "How much is given back, in the smallest unit; the App Store states none.",
    "EventBody.refund.at": "When the store gave the money back, or was asked for it.",
    "EventBody.refund.number": "Our number of the refund at WeChat Pay.",
    "EventBody.refund.percentage": "The part of the price that is given back in total, in thousandths of a percent.",
    "EventBody.renewal": "What the store says of the next renewal.",
    "EventBody.type": "What happened. Later versions have more types; an endpoint receives those that it names.",
    "expiration": "Why the subscription ended.",
    "expiresDate": "The end of the paid period.",
    "gracePeriodExpiresDate": "Until when the buyer keeps access although the charge failed.",
    "isInBillingRetry": "Whether the store still tries the failed charge.",
    "ownership": "Whether the buyer has it, or a family member of the buyer.",
    "period": "How long the offer lasts, as an ISO 8601 duration.",
    "priceIncrease": "Whether the buyer agreed to a higher price.",
    "renewalDate": "When it renews next.",
    "renewalPrice": "The price of the next renewal.",
    "renewsToStoreProductId": "The store's product that it renews to.",
    "signedDate": "When the store signed this.",
    "storefront": "Where the App Store sold it: three letters of a country.",
    "storeProductId": "The store's id of the product.",
  ]
}
