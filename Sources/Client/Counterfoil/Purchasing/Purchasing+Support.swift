import CounterfoilAPI
public import PaymentPrimitives

extension Purchasing {
  /// Log lines of this run kept for support: some minutes of a busy app.
  private static let linesMax = 300

  /// One order's trace for support: what the device knows of it, without tokens, signed data or personal data. Nil if
  /// the device has no record of it and saw nothing of it in this run.
  public func supportBundle(for order: OrderIdentifier) async -> SupportBundle? {
    let record = await book.order(of: order)
    var transactions: [TransactionKey] = await book.transactions.filter {
      $0.transaction.token == order || $0.sameRun == order || record?.phase == .paid(by: $0.key.id)
    }.map(\.key)
    for entry in await book.clearances where entry.order == order && !transactions.contains(entry.key) {
      transactions.append(entry.key)
    }
    let names = Set([order.description] + transactions.map(\.id.text))
    let lines = recent.filter { $0.isAbout(names) }
    guard record != nil || recent.contains(where: { $0.names(names) }) else { return nil }
    var facts: [(String, String)] = [("app", configuration.app.text), ("order", order.description)]
    if let record {
      facts += [
        ("product", record.request.product.text), ("quantity", "\(record.request.quantity)"),
        ("store", record.request.store.rawValue), ("state", record.stateWord),
        ("signedIn", record.user == user ? "the order's user" : user == nil ? "nobody" : "another user"),
      ]
      if let order = record.order {
        facts += [("createdAt", order.createdAt.iso8601), ("expiresAt", order.expiresAt.iso8601)]
      }
      facts += record.history.map { ("step", "\($0.at.iso8601) \($0.state)") }
    }
    for key in transactions.sorted() {
      let clearance = await book.clearance(of: key)
      let state = submissions[key]?.result.map(\.word) ?? "not asked in this run"
      facts.append(
        (
          "transaction",
          "\(key.id.text) \(state)" + (clearance == nil ? "" : ", may be finished")
            + (clearance?.isFinished == true ? ", finished" : "")
            + (clearance.map { $0.reappearances > 0 ? ", came back \($0.reappearances) times" : "" } ?? "")
        ))
    }
    return SupportBundle(order: order, writtenAt: dependencies.now(), facts: facts, lines: lines)
  }

  func remember(_ event: LogEvent) {
    recent.append(SupportBundle.Line(at: dependencies.now(), event))
    if recent.count > Self.linesMax { recent.removeFirst(recent.count - Self.linesMax) }
  }
}

extension SubmissionResult {
  /// The result as a few words.
  var word: String {
    switch self {
    case .answered(let answer): [answer.verdict.rawValue, answer.reason].compactMap { $0 }.joined(separator: ".")
    case .finishedBefore: "finished again"
    case .noUser: "waits for a user"
    case .unknown: "unknown"
    case .unreadable(let code): "refused: \(code)"
    }
  }
}

/// One order's trace, for the customer to send to support.
public struct SupportBundle: Hashable, Sendable {
  /// Eight letters that name the order: short enough to read out on a telephone.
  public let code: String
  /// The order.
  public let order: OrderIdentifier
  /// The trace, one fact per line.
  public let text: String

  struct Line: Sendable {
    let at: Timestamp
    let name: String
    let fields: [(name: String, value: String)]

    init(at: Timestamp, _ event: LogEvent) {
      self.at = at
      self.name = event.name
      self.fields = event.fields
    }

    /// Whether the line names one of these orders or transactions.
    func names(_ subjects: Set<String>) -> Bool {
      fields.contains { ($0.name == "order" || $0.name == "transaction") && subjects.contains($0.value) }
    }

    /// Whether the line is about one of them, or about the client as a whole.
    func isAbout(_ subjects: Set<String>) -> Bool {
      names(subjects) || !fields.contains { ["order", "transaction", "reference", "item"].contains($0.name) }
    }

    var text: String { "\(at.iso8601) \(name)" + fields.map { " \($0.name)=\($0.value)" }.joined() }
  }

  init(order: OrderIdentifier, writtenAt: Timestamp, facts: [(String, String)], lines: [Line]) {
    self.order = order
    self.code = order.supportCode
    self.text =
      (["support code: \(order.supportCode)", "written: \(writtenAt.iso8601)"]
      + facts.map { "\($0.0): \($0.1)" } + ["", "log of this run:"] + lines.map(\.text))
      .joined(separator: "\n") + "\n"
  }
}

extension OrderIdentifier {
  /// Eight letters that name the order in speech. They come from the random end of its id, without I and O, which look
  /// like digits. Two orders of one shop share a code about once in a hundred thousand million.
  public var supportCode: String {
    let letters = Array("ABCDEFGHJKLMNPQRSTUVWXYZ")
    var rest = low & 0x3FFF_FFFF_FFFF_FFFF
    var code = ""
    for _ in 0..<8 {
      code.append(letters[Int(rest % 24)])
      rest /= 24
    }
    return code
  }
}
