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
