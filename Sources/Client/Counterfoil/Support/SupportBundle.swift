public import PaymentPrimitives

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
  /// Eight letters that name the order in speech: four for the hour of its creation, four for the order itself. Two
  /// orders of one hour share a code about once in 330,000. An operator's search on the server finds the order by them.
  public var supportCode: String { SupportCode(of: self).description }
}
