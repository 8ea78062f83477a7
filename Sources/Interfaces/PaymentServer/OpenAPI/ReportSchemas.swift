import PaymentEngine
import PaymentPrimitives
import StrictJSON

/// The schemas of reports, and what their fields mean.
enum ReportSchemas {
  static let all: [(String, JSONValue?)] = [
    (
      "RevenueReport",
      Schemas.object(
        required: [
          "app", "environment", "from", "to", "by", "madeAt", "rows", "totals", "differenceSums", "differences",
          "moreDifferences", "promotional", "credits",
        ],
        [
          ("app", Schemas.text), ("environment", Schemas.environment), ("from", Schemas.text(10...10)),
          ("to", Schemas.text(10...10)), ("by", Schemas.list(Schemas.words(RevenueReport.Dimension.allCases))),
          ("madeAt", Schemas.date), ("commissionPercent", Schemas.integer(0...100)),
          ("rows", Schemas.list(row, most: RevenueReport.rowsMax)),
          ("totals", Schemas.list(total)),
          (
            "differenceSums",
            Schemas.list(
              Schemas.object(
                required: ["kind", "store", "count", "amount"],
                [
                  ("kind", Schemas.text), ("store", Schemas.words(Store.allCases)), ("currency", Schemas.text),
                  ("count", Schemas.whole), ("amount", Schemas.whole),
                ]))
          ), ("differences", Schemas.list(difference, most: RevenueReport.differencesMax)),
          ("moreDifferences", Schemas.truth),
          (
            "promotional",
            Schemas.list(
              Schemas.object(
                required: ["entitlement", "given", "revoked"],
                [("entitlement", Schemas.text), ("given", Schemas.whole), ("revoked", Schemas.whole)]))
          ), ("credits", Schemas.list(credit, most: RevenueReport.rowsMax)),
        ])
    )
  ]

  private static let amounts: [(String, JSONValue?)] = [
    ("store", Schemas.words(Store.allCases)), ("currency", Schemas.text), ("sales", Schemas.sum),
    ("refunds", Schemas.sum), ("deferred", Schemas.whole), ("fees", Schemas.whole), ("coupons", Schemas.whole),
    ("net", Schemas.whole), ("netIsEstimate", Schemas.truth),
  ]
  private static let required = ["store", "currency", "sales", "refunds", "deferred"]

  private static let row = Schemas.object(
    required: required,
    amounts + [("period", Schemas.text), ("productId", Schemas.text), ("storefront", Schemas.text)])
  private static let total = Schemas.object(required: required + ["granted"], amounts + [("granted", Schemas.sum)])

  private static let credit = Schemas.object(
    required: ["unit", "count", "amount"],
    [
      ("period", Schemas.text), ("unit", Schemas.text), ("count", Schemas.whole), ("amount", Schemas.whole),
    ])

  private static let difference = Schemas.object(
    required: ["kind", "store"],
    [
      ("kind", Schemas.text), ("store", Schemas.words(Store.allCases)), ("day", Schemas.text(10...10)),
      ("transactionId", Schemas.text), ("refund", Schemas.text), ("currency", Schemas.text),
      ("ours", Schemas.whole), ("theirs", Schemas.whole), ("details", Schemas.text),
    ])
}

extension FieldMeanings {
  static let ofReports: [String: String] = [
    "RevenueReport.from": "The first day.",
    "RevenueReport.to": "The last day.",
    "RevenueReport.by": "What divides the rows, besides store and currency.",
    "RevenueReport.madeAt": "When it was computed. The stores' later statements change a later report.",
    "RevenueReport.rows": "The sums; nothing was sold, given back or deferred in a row that is not there.",
    "RevenueReport.rows.fees":
      "The fees of WeChat Pay's bills, or a row's part of them; absent if a bill is missing.",
    "RevenueReport.totals.fees": "The fees of WeChat Pay's bills; absent if a bill was not compared.",
    "RevenueReport.differenceSums.amount": "The sum of our amounts.",
    "RevenueReport.differences.kind": "Why the totals are not equal. The manual lists the words.",
    "RevenueReport.rows.coupons":
      "What coupons paid and WeChat Pay does not hand over, or a row's part of it; absent like the fees.",
    "RevenueReport.totals.coupons":
      "What coupons paid and WeChat Pay does not hand over; absent if a bill was not compared.",
    "coupons": "What coupons paid of these lines and the merchant does not get, less what refunds gave back.",
    "commissionPercent": "Apple's part of each sale by the configuration.",
    "deferred": "The part of paid subscription periods that lies behind the end of these days.",
    "differenceSums": "How many differences of each kind there are.",
    "RevenueReport.differences.refund": "Our number of the refund.",
    "RevenueReport.differences": "The differences one by one, as many as a report names.",
    "RevenueReport.totals.granted": "What of it was granted here.",
    "moreDifferences": "Whether there are differences that are only counted.",
    "net": "What is left after refunds, coupons and the store's part. Taxes are not taken out.",
    "netIsEstimate":
      "Whether the store's part is computed: by a configured rate, or as a part of WeChat Pay's fees.",
    "ours": "The amount here.",
    "RevenueReport.rows.period": "The day or month.",
    "RevenueReport.promotional": "What users were given without a payment in these days. It is no revenue.",
    "RevenueReport.promotional.given": "How often it was given.",
    "RevenueReport.promotional.revoked": "How many of them were taken back since.",
    "RevenueReport.credits":
      "Units that users were given without a payment in these days, by the same periods as rows. They are no revenue.",
    "RevenueReport.credits.amount": "The units of all these credits. They are no money.",
    "RevenueReport.credits.count": "How many credits.",
    "RevenueReport.credits.period": "The day or month.",
    "sales": "What was paid.",
    "RevenueReport.rows.storefront":
      "The country of the App Store in three letters; empty if the store names none.",
    "theirs": "The amount in the bill.",
    "totals": "The sums of all days.",
  ]
}
