public import PaymentPrimitives
public import StrictJSON

/// `POST /v1/diagnostics`: what a phone counted about orders that were nearly lost. It names no person, no order and no
/// transaction.
public enum ReportDiagnostics {
  /// The path of the call.
  public static let path = "/v1/diagnostics"

  /// What is counted.
  public enum Kind: String, Hashable, CaseIterable, Sendable {
    /// A paid order that was granted by a recovery, not by its own purchase.
    case recovered
    /// A transaction that fits no order of the device.
    case orphan
    /// A finished transaction that the store returned.
    case finishDidNotStick
    /// A payment whose callback did not come in time.
    case lostCallback
  }

  /// The request.
  public struct Request: Hashable, Sendable {
    /// The most of one kind in a report.
    public static let countMax: Int64 = 1_000

    /// The report's own id, made by the phone: a repeat is counted once.
    public var id: OrderIdentifier
    /// The counts; those of zero are left out.
    public var counts: [Kind: Int64]

    /// A report.
    public init(id: OrderIdentifier, counts: [Kind: Int64]) {
      self.id = id
      self.counts = counts
    }

    /// Reads a report. Kinds of later versions are ignored.
    public init(json: JSONValue) throws(JSONFieldError) {
      let fields = try JSONFields(json)
      id = try fields.converted("id", "a UUID") { OrderIdentifier($0) }
      counts = [:]
      guard let stated = try fields.optionalFields("counts") else { return }
      for kind in Kind.allCases {
        let count = try stated.optionalInteger(kind.rawValue, in: 0...Self.countMax)
        if let count, count > 0 { self.counts[kind] = count }
      }
    }

    /// The report as sent.
    public var json: JSONValue {
      let counts = Kind.allCases.map { kind in
        (kind.rawValue, self.counts[kind].flatMap { $0 > 0 ? JSONValue.integer($0) : nil })
      }
      return .members([("id", .string(id.appAccountToken)), ("counts", .members(counts))])
    }
  }
}
