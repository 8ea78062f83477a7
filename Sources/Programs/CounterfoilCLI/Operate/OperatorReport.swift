import StrictJSON

/// An operator's answers as text for a terminal.
enum OperatorReport {
  /// A payment with all that is known of it.
  static func payment(_ story: JSONValue) -> String {
    var lines: [String] = []
    if let payment = story["payment"] { lines.append(self.line(payment)) }
    if let repeated = story["duplicateOf"]?.string {
      lines.append("  \(story["transactionId"]?.string ?? "") repeats \(repeated)")
    }
    lines += [("what to do", "advice")].compactMap { label, name in story[name]?.string.map { "  \(label)  \($0)" } }
    if let acts = story["payment"]?["acts"]?.array, !acts.isEmpty {
      lines.append("  acts  " + acts.compactMap(\.string).joined(separator: ", "))
    }
    if let match = story["match"] {
      lines.append("  matched  " + words(match, ["rule", "at"]) + flags(match))
    }
    if let grant = story["grant"] {
      lines.append(
        "  granted  "
          + words(grant, ["userId", "amount", "unit", "entitlement", "expiresAt", "grantedAt"])
          + ((grant["takenBack"]?.integer ?? 0) > 0 ? "  taken back: \(grant["takenBack"]?.integer ?? 0)" : ""))
    }
    lines += rows(of: "refunds", in: story, "refund", ["id", "amount", "currency", "state", "createdAt"])
    lines += rows(of: "deliveries", in: story, "delivery", ["id", "state", "attempts", "lastProblem"])
    lines += rows(of: "stopped", in: story, "stopped", ["kind", "found", "attempts", "nextAttemptAt"])
    lines += rows(of: "keptClaims", in: story, "claim", ["userId", "proof", "keptAt"])
    lines += rows(of: "evidence", in: story, "evidence", ["receivedAt", "origin", "bytes"])
    lines += (story["journal"]?.array ?? []).map { entry in
      let details = entry["details"].map(\.text) ?? "{}"
      return "  " + words(entry, ["at", "what"]) + (details == "{}" ? "" : "  " + details)
    }
    return lines.map { TerminalText.line($0) + "\n" }.joined()
  }

  /// A user with all that they have.
  static func user(_ id: String, _ story: JSONValue) -> String {
    var lines = [id + "  " + words(story, ["environment"])]
    lines += rows(of: "balances", in: story, "balance", ["amount", "unit", "frozenSince"])
    lines += rows(of: "entitlements", in: story, "entitlement", ["entitlement", "state", "expiresAt"])
    if let ratio = story["refundRatio"] {
      lines.append("  refunded  \(ratio["refunded"]?.integer ?? 0) of \(ratio["granted"]?.integer ?? 0) purchases")
    }
    lines += rows(
      of: "orders", in: story, "order",
      ["createdAt", "id", "quantity", "productId", "store", "state", "delivery", "reference"])
    if let next = story["next"]?.string { lines.append("  more orders after \(next)") }
    lines += (story["payments"]?.array ?? []).map { "  payment  " + line($0) }
    if story["morePayments"]?.bool == true { lines.append("  and more payments") }
    return lines.map { TerminalText.line($0) + "\n" }.joined()
  }

  private static func line(_ payment: JSONValue) -> String {
    words(
      payment,
      ["transactionId", "store", "environment", "quantity", "productId", "purchaseDate", "state", "reason", "ownerId"])
  }

  private static func flags(_ match: JSONValue) -> String {
    let flags = (match["flags"]?.array ?? []).compactMap(\.string)
    return flags.isEmpty ? "" : "  " + flags.joined(separator: ", ")
  }

  private static func rows(of list: String, in json: JSONValue, _ label: String, _ names: [String]) -> [String] {
    (json[list]?.array ?? []).map { "  \(label)  " + words($0, names) }
  }

  /// The values of these members that are there, as words.
  private static func words(_ json: JSONValue, _ names: [String]) -> String {
    names.compactMap { json[$0] }.compactMap { $0.string ?? $0.integer.map(String.init) }.joined(separator: "  ")
  }
}
