import PaymentPrimitives
import StrictJSON

// Rows of lists, and what they show in full.
extension OperatorReport {
  /// The values of these members as words; `a.b` is a member of a member. What the server sent controls no terminal.
  static func line(_ row: JSONValue, _ columns: [String]) -> String {
    let words = columns.compactMap { column in
      column.split(separator: ".").reduce(JSONValue?.some(row)) { value, name in value?[String(name)] }
        .flatMap(word)
    }
    return TerminalText.line(words.joined(separator: "  "))
  }

  private static func word(_ value: JSONValue) -> String? {
    value.string ?? value.integer.map(String.init) ?? value.bool.map { $0 ? "yes" : "no" }
  }

  /// An item of the queue: what it is, then what to do.
  static func item(_ item: JSONValue) -> String {
    let amount = item["amount"].map { line($0, ["value", "in", "of"]) }
    let head = line(
      item, ["since", "reason", "environment", "store", "transactionId", "orderId", "userId", "subject", "found"])
    var lines = [head + (amount.map { "  " + $0 } ?? "")]
    lines.append("  → " + line(item, ["advice"]))
    let who = item["assignedTo"].map { _ in "  assigned to " + line(item, ["assignedTo"]) } ?? ""
    if item["itemId"] != nil { lines.append("    item " + line(item, ["itemId"]) + who) }
    let acts = (item["acts"]?.array ?? []).compactMap(\.string)
    if !acts.isEmpty { lines.append("    " + TerminalText.line(acts.joined(separator: ", "))) }
    return lines.map { $0 + "\n" }.joined()
  }

  static let delivery: @Sendable (JSONValue) -> String = { delivery in
    let attempts = (delivery["failedAttempts"]?.array ?? []).map {
      "  failed  " + line($0, ["number", "at", "endpoint", "status", "milliseconds", "problem", "answer"])
    }
    let head = line(
      delivery,
      [
        "id", "state", "attempts", "nextAttemptAt", "acknowledgedAt", "delivery.type", "delivery.transactionId",
        "delivery.userId",
      ])
    return ([head] + attempts).map { $0 + "\n" }.joined()
  }

  static let subscription: @Sendable (JSONValue) -> String = { story in
    let head = line(
      story["subscription"] ?? .null,
      [
        "originalTransactionId", "store", "environment", "periodEnd", "willRenew", "renewsTo", "expiration",
        "gracePeriodExpiresAt", "claimantId", "movedTo.userId", "nextQuestionAt",
      ])
    let payments = (story["payments"]?.array ?? []).map {
      "  payment  " + line($0, ["purchaseDate", "transactionId", "productId", "state", "reason", "ownerId", "orderId"])
    }
    let more = story["morePayments"]?.bool == true ? ["  and more payments"] : []
    return ([head] + payments + more).map { $0 + "\n" }.joined()
  }

  static let day: @Sendable (JSONValue) -> String = { day in
    let head = line(
      day, ["day", "store", "environment", "differences", "healed", "payments.count", "payments.amount", "doneAt"])
    let findings = (day["findings"]?.array ?? []).map {
      "  " + line($0, ["kind", "healed", "transactionId", "orderId", "refund", "billAmount", "ourAmount", "details"])
    }
    return ([head] + findings).map { $0 + "\n" }.joined()
  }
}
