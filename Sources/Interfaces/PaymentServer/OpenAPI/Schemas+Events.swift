import CounterfoilAPI
import PaymentPrimitives
import StrictJSON

// What an event says.
extension Schemas {
  static let eventBody = object(
    required: ["type", "id", "app", "environment", "occurredAt"],
    [
      ("type", words(EventType.allCases)), ("id", text), ("app", text), ("environment", environment),
      ("userId", text), ("orderId", uuid), ("reference", text), ("referenceFrom", referenceFrom),
      ("productId", text), ("store", words(Store.allCases)), ("transactionId", text),
      ("originalTransactionId", text), ("storeProductId", text), ("kind", words(ProductKind.allCases)),
      ("quantity", whole), ("ownership", words(["purchased", "familyShared", "assigned", "unknown"])),
      ("price", statedPrice), ("storefront", text),
      (
        "offer",
        object(required: ["type"], [("type", text), ("id", text), ("discountType", text), ("period", text)])
      ), ("purchaseDate", date), ("expiresDate", date), ("renewal", eventRenewal),
      (
        "refund",
        object(
          required: ["at"],
          [("at", date), ("number", text), ("amount", whole), ("currency", text), ("percentage", integer(0...100_000))])
      ),
      (
        "units",
        object(
          required: ["unit", "amount", "balance", "bookingId"],
          [("unit", text), ("amount", whole), ("balance", whole), ("bookingId", text)])
      ), ("reason", text), ("occurredAt", date),
    ])

  private static let statedPrice = object(
    required: ["milliunits", "currency"], [("milliunits", whole), ("currency", text)])

  private static let eventRenewal = object(
    required: ["willRenew", "isInBillingRetry", "signedDate"],
    [
      ("willRenew", truth), ("renewsToStoreProductId", text), ("renewalDate", date), ("renewalPrice", statedPrice),
      ("isInBillingRetry", truth), ("gracePeriodExpiresDate", date),
      ("expiration", words(VerifiedRenewal.Expiration.allCases)),
      ("priceIncrease", words(VerifiedRenewal.PriceIncrease.allCases)), ("signedDate", date),
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
