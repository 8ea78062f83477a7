import PaymentModel
import PaymentPrimitives
package import StrictJSON

extension RevenueReport {
  /// The report as JSON. The names are permanent.
  package var json: JSONValue {
    let words = Dimension.allCases.filter { request.dimensions.contains($0) }.map { JSONValue.string($0.rawValue) }
    let moreDifferences = differenceSums.values.reduce(0) { $0 + $1.count } > differences.count
    return .members([
      ("app", .string(request.appEnvironment.app.text)),
      ("environment", .string(request.appEnvironment.environment.rawValue)),
      ("from", .string(request.days.first)), ("to", .string(request.days.last)), ("by", .array(words)),
      ("madeAt", .string(madeAt.iso8601)), ("commissionPercent", commissionPercent.map { .integer($0) }),
      ("rows", .array(rows.map { json($0.key, $0.amounts) })),
      (
        "totals",
        .array(
          totals.map { key, amounts in
            let granted = granted[key] ?? Sum()
            let members = json(key, amounts).object ?? []
            return .members(members.map { ($0.name, $0.value) } + [("granted", granted.json)])
          })
      ),
      (
        "differenceSums",
        .array(
          differenceSums.sorted { $0.key < $1.key }.map { key, sum in
            .members([
              ("kind", .string(key.kind)), ("store", .string(key.store.rawValue)),
              ("currency", key.currency.isEmpty ? nil : .string(key.currency)), ("count", .integer(sum.count)),
              ("amount", .integer(sum.amount)),
            ])
          })
      ), ("differences", .array(differences.map(\.json))), ("moreDifferences", .bool(moreDifferences)),
      (
        "promotional",
        .array(
          promotional.map {
            .members([
              ("entitlement", .string($0.entitlement.text)), ("given", .integer($0.given)),
              ("revoked", .integer($0.revoked)),
            ])
          })
      ), ("credits", .array(credits.map { json($0.sum, of: $0.period) })),
    ])
  }

  private func json(_ sum: CreditSum, of period: String) -> JSONValue {
    .members([
      ("period", period.isEmpty ? nil : .string(period)), ("unit", .string(sum.unit.text)),
      ("count", .integer(sum.count)), ("amount", .integer(sum.amount)),
    ])
  }

  private func json(_ key: Key, _ amounts: Amounts) -> JSONValue {
    .members([
      ("period", key.period.isEmpty ? nil : .string(key.period)), ("store", .string(key.store.rawValue)),
      ("currency", .string(key.currency)), ("productId", key.product.map { .string($0) }),
      ("storefront", key.storefront.map { .string($0) }), ("sales", amounts.sales.json),
      ("refunds", amounts.refunds.json), ("deferred", .integer(amounts.deferred)),
      ("fees", amounts.fees.map { .integer($0) }), ("coupons", amounts.coupons.map { .integer($0) }),
      ("net", amounts.net.map { .integer($0) }),
      ("netIsEstimate", amounts.net.map { _ in .bool(isEstimate(key)) }),
    ])
  }

  /// Apple's part is a configured rate, and a part of WeChat Pay's fees is computed.
  private func isEstimate(_ key: Key) -> Bool {
    key.store == .appStore || key.product != nil || key.storefront != nil
  }

  /// The columns of a report as a table, for files.
  package static let columns = [
    "line", "period", "store", "currency", "product", "storefront", "sales_count", "sales", "refunds_count", "refunds",
    "deferred", "fees", "coupons", "net", "net_is_estimate", "kind", "count", "ours", "theirs", "subject", "details",
  ]

  /// The cells of each line of a report in JSON: its rows, its totals, its differences, and what
  /// was given without a payment.
  package static func lines(of report: JSONValue) -> [[String]] {
    func amounts(_ word: String, _ row: JSONValue) -> [String] {
      let head = ["period", "store", "currency", "productId", "storefront"].map { text(row[$0]) }
      let sums = ["sales", "refunds"].flatMap { [text(row[$0]?["count"]), text(row[$0]?["amount"])] }
      let rest = ["deferred", "fees", "coupons", "net", "netIsEstimate"].map { text(row[$0]) }
      return [word] + head + sums + rest + Array(repeating: "", count: 6)
    }
    func difference(_ word: String, _ row: JSONValue, count: String, ours: String) -> [String] {
      let subject = ["transactionId", "refund"].map { text(row[$0]) }.filter { !$0.isEmpty }.joined(separator: " ")
      return [word, text(row["day"]), text(row["store"]), text(row["currency"])] + Array(repeating: "", count: 11)
        + [text(row["kind"]), count, ours, text(row["theirs"]), subject, text(row["details"])]
    }
    return (report["rows"]?.array ?? []).map { amounts("row", $0) }
      + (report["totals"]?.array ?? []).map { amounts("total", $0) }
      + (report["differenceSums"]?.array ?? []).map {
        difference("differences", $0, count: text($0["count"]), ours: text($0["amount"]))
      }
      + (report["differences"]?.array ?? []).map { difference("difference", $0, count: "1", ours: text($0["ours"])) }
      + given(of: report)
  }

  /// What was given without a payment is no money, so the columns of money stay empty.
  private static func given(of report: JSONValue) -> [[String]] {
    let promotional = (report["promotional"]?.array ?? []).map { row in
      ["promotional"] + Array(repeating: "", count: 14)
        + ["given", text(row["given"]), "", "", text(row["entitlement"]), "revoked \(text(row["revoked"]))"]
    }
    let credits = (report["credits"]?.array ?? []).map { row in
      ["credit", text(row["period"])] + Array(repeating: "", count: 13)
        + ["given", text(row["count"]), "", "", text(row["unit"]), "units \(text(row["amount"]))"]
    }
    return promotional + credits
  }

  private static func text(_ value: JSONValue?) -> String {
    value?.string ?? value?.integer.map { "\($0)" } ?? value?.bool.map { $0 ? "true" : "false" } ?? ""
  }
}

extension RevenueReport.Sum {
  var json: JSONValue { .members([("count", .integer(count)), ("amount", .integer(amount))]) }
}

extension RevenueReport.Difference {
  var json: JSONValue {
    .members([
      ("kind", .string(kind)), ("store", .string(store.rawValue)), ("day", day.map { .string($0) }),
      ("transactionId", transaction.map { .string($0) }), ("refund", refund.map { .string($0) }),
      ("currency", currency.map { .string($0) }), ("ours", ours.map { .integer($0) }),
      ("theirs", theirs.map { .integer($0) }), ("details", details.map { .string($0) }),
    ])
  }
}
